/** What the steps of a search are called and what is said of them. */

export const PHASES = [
  ["select", "Select"],
  ["expand", "Expand"],
  ["simulate", "Simulate"],
  ["back up", "Back up"],
];

/** Which phase a step belongs to: a net's word stands where a roll-out does. */
export const phaseOf = (type) => (type === "evaluate" ? "simulate" : type);

/** How each search chooses a child; with nets the simulation under way counts, too: N + 1. */
const FORMULAS = {
  uct: "Q + c · √(ln N / n)",
  rave: "(1 − β) · Q + β · Q̃ + c · √(ln N / n)",
  guided: "Q + c · P · √(ln N / (n + 1))",
  alphazero: "Q + c · P · √(N + 1) / (1 + n)",
  alphago: "Q + c · P · √(N + 1) / (1 + n)",
};

/** What a child is chosen by; one player's results have no bounds, so that exploration is scaled by those seen so far. */
export function formulaOf(agent, alone) {
  const formula = FORMULAS[agent] ?? "";
  return alone && formula ? `${formula.replace("c ·", "c · R ·")}, R half the range of results so far` : formula;
}

const CERTAIN = 1e6; // figures beyond this are proven results

/** A figure with its sign, three digits; a proven one in words. */
export function figure(value, signed = true) {
  if (value === null || value === undefined) return "";
  if (Math.abs(value) > CERTAIN) return value > 0 ? "won" : "lost";
  const text = Math.abs(value).toFixed(3);
  return (Number(text) !== 0 && value < 0 ? "−" : signed ? "+" : "") + text;
}

export const q = (node) => (node.proof ? (node.proof > 0 ? "won" : "lost") : figure(node.value));

/** A result as people read it, for the player who is named. */
export function worth(value) {
  if (!Number.isInteger(value)) return figure(value);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value)}`;
}

const WHY = {
  bound: "has the highest sum",
  untried: "was never tried, and what was never tried comes first",
  drawn: "is drawn by its probability",
  halving: "has the highest score of those whose turn it is (sequential halving)",
};

/** The sum by which a child was chosen. */
function terms(child, why) {
  if (child?.probability !== undefined) return `probability ${child.probability.toFixed(3)}`;
  if (child?.total === undefined || why !== "bound") return "";
  return `${figure(child.q)} + ${figure(child.exploration, false)} = ${figure(child.total)}`;
}

const place = (path) => (path.length ? `after ${path.join(" ")}` : "at the root");

/** One sentence, and a sum where there is one: what a step does. `names` are what the players are called. */
export function said(frame, names, rolled) {
  const { type, event } = frame;
  if (type === "select") {
    const who = event.player < 0 ? "Chance" : names[event.player];
    const child = event.children.find((one) => one.move === event.move);
    return [`${who}, ${place(event.path)}: ${event.move} ${WHY[event.why]}.`, terms(child, event.why)];
  }
  if (type === "expand") {
    const where = place(event.path);
    if (event.of === 1) return [`${event.moves[0]} is added to the tree: never tried before ${where}.`, ""];
    const priors = event.priors ? ", with the net’s priors P" : "";
    return [`${event.of} children are added ${where}, one for each move${priors}.`, ""];
  }
  if (type === "simulate") {
    const { moves, result, path } = event;
    const long = `${moves.length} move${moves.length > 1 ? "s" : ""}`;
    const from = path.at(-1) ?? "here";
    const how = moves.length ? `From ${from} the game is played on, ${long}: ${rolled}` : "The game is over there.";
    return [how, `result ${worth(result)} for ${names[0]}`];
  }
  if (type === "evaluate") {
    if (event.rollout !== undefined) {
      const how = `The net judges the position ${place(event.path)}, and a game is played out, too: both are mixed.`;
      return [how, `roll-out ${worth(event.rollout)}, together ${worth(event.value)} for ${names[0]}`];
    }
    const who = event.proof ? "It is proven" : "The net judges the position, and no game is played out";
    return [`${who} ${place(event.path)}.`, `value ${worth(event.value)} for ${names[0]}`];
  }
  const up = event.updates[frame.upto];
  const result = worth(up.sign * event.result);
  const before = up.visits > 1 ? q({ value: up.before }) : "–";
  const where = up.path.length ? up.path.join(" ") : "The root";
  return [
    `${where} takes the result ${result} into its mean${up.path.length ? ", as the player sees it who chose it" : ""}.`,
    `N ${up.visits - 1} → ${up.visits}, Q ${before} → ${q({ value: up.after, proof: up.proof })}`,
  ];
}

const LEFT = {
  searched: "",
  over: "the game is over",
  scored: "the depth is spent, and the scoring says what it looks worth",
  threat: "known by threats, without a search",
  hopeless: "nobody can win any more",
  known: "the transposition table knows it",
};

/** The same of a step of minimax or alpha-beta. */
export function saidOfWindow(event, names) {
  if (event.type === "deepen") return [`A search ${event.depth} deep begins.`, ""];
  const here = event.path.length ? event.path.join(" ") : "the root";
  if (event.type === "enter") {
    const wants = event.player ? "low" : "high";
    const who = event.player < 0 ? "chance decides" : `${names[event.player]} moves, who wants it ${wants}`;
    return [`Into ${here}: ${who}.`, event.window ? `window α ${event.window[0]}, β ${event.window[1]}` : ""];
  }
  if (event.type === "cut") {
    const left = event.left_out.length;
    const some = `${event.left_out.slice(0, 6).join(" ")}${left > 6 ? " …" : ""}`;
    const rest = left ? ` ${left === 1 ? "One move is" : `${left} moves are`} not looked at: ${some}.` : "";
    const who = names[event.player];
    const good = `${event.move} is so good for ${who} that the other side would not let it come to this`;
    const bound = event.player === 0 ? "β" : "α";
    return [`Cut-off at ${here}: ${good}.${rest}`, `${event.value} reaches ${bound} ${event.bound}`];
  }
  const why = LEFT[event.why];
  const best = event.best ? `, by ${event.best}` : "";
  return [`Back from ${here}${why ? `: ${why}` : best}.`, `value ${event.value}`];
}
