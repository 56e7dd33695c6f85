/** What is drawn at a step: the cards of the tree and the rows of the table, from what the server has told. */

import { keyOf } from "./drawing.js";
import { figure, q } from "./words.js";

const toned = (node) => (node.proof ? node.proof : node.visits && Math.abs(node.value) <= 1 ? node.value : null);

function card(node) {
  const lines = [node.visits ? `Q ${q(node)}` : "never tried"];
  if (node.prior !== undefined) lines.push(`P ${figure(node.prior, false)}`);
  if (node.exploration !== undefined) lines.push(`U ${figure(node.exploration, false)}`, `Σ ${figure(node.total)}`);
  return {
    path: node.path,
    title: node.path.at(-1) ?? "root",
    side: `N ${node.visits}`,
    lines,
    value: toned(node),
    weight: node.visits,
    hidden: node.hidden,
    marks: node.marks,
  };
}

/** The nodes of the tree while a simulation is at one of its steps, and the path that matters there. */
export function treeAt(run, done, frame) {
  const frames = run.frames(done + 1);
  const whole = frame > 0 && frame === frames.length;
  const nodes = new Map((run.trees.get(whole ? done + 1 : done) ?? []).map((node) => [keyOf(node.path), { ...node }]));
  if (!nodes.size) nodes.set("[]", { path: [], visits: 0, value: 0 });
  let path = [];
  frames.slice(0, frame).forEach(({ type, event, upto }) => {
    if (type === "expand") {
      event.moves.forEach((move, i) => {
        const at = [...event.path, move];
        const made = { path: at, visits: 0, value: 0, prior: event.priors?.[i], marks: ["new"] };
        if (!nodes.has(keyOf(at))) nodes.set(keyOf(at), made);
      });
      path = event.of === 1 ? [...event.path, event.moves[0]] : event.path;
    } else if (type === "select") {
      path = [...event.path, event.move];
      const child = event.children.find((one) => one.move === event.move);
      if (!nodes.has(keyOf(path))) nodes.set(keyOf(path), { ...child, path });
    } else if (type === "back up") {
      const { path: at, visits, after, proof } = event.updates[upto];
      const known = nodes.get(keyOf(at)) ?? { path: at };
      if (!whole) nodes.set(keyOf(at), { ...known, visits, value: after, proof, marks: ["new"] });
      path = at;
    } else {
      path = event.path;
      const known = nodes.get(keyOf(path));
      if (known) nodes.set(keyOf(path), { ...known, marks: [...(known.marks ?? []), "played"] });
    }
  });
  const joined = ({ path: at }) => at.every((_, i) => nodes.has(keyOf(at.slice(0, i)))); // to the root
  const shown = [...nodes.values()].filter(joined);
  return { cards: shown.map(card), nodes: shown, path };
}

/** The path of the simulation as far as it has gone: what is lit, even while the result is further up. */
export function walked(run, done, frame) {
  return run
    .frames(done + 1)
    .slice(0, frame)
    .reduce((best, { type, event }) => {
      const at = type === "select" ? [...event.path, event.move] : (event.path ?? []);
      return at.length > best.length ? at : best;
    }, []);
}

/** What stands for the Q of a child that was never tried: first-play urgency, where there is such a thing. */
const fresh = (child) => (child.q === undefined || child.share !== undefined ? "–" : `(${figure(child.q)})`);

/** The columns and rows of the table: the children that a selection sees, or those of a node as they stand. */
export function tableOf(frame, nodes, at) {
  const selects = frame?.type === "select";
  const children = selects
    ? frame.event.children
    : nodes.filter((node) => node.path.length === at.length + 1 && keyOf(node.path.slice(0, -1)) === keyOf(at));
  const has = (key) => children.some((child) => child[key] !== undefined);
  const columns = [
    ["move", "move", ""],
    ["n", "N", "visits"],
    ["q", "Q", "mean result, for the player to move; in brackets what stands for it where nothing was tried"],
    has("prior") && ["p", "P", "prior probability, by the net"],
    has("probability") && ["chance", "probability", "of this outcome"],
    has("share") && ["shared", "Q̃", "mean result of the simulations in which it was played later on"],
    has("share") && ["beta", "β", "share of Q̃ in the sum"],
    has("exploration") && ["u", "exploration", "the term that is high where little is known"],
    has("total") && ["sum", "sum", "the highest is chosen"],
  ].filter(Boolean);
  const rank = (child) => child.total ?? (child.visits ? -1e12 : 1e12);
  const rows = [...children]
    .sort((a, b) => rank(b) - rank(a))
    .map((child) => ({
      move: child.move ?? child.path.at(-1),
      n: child.visits,
      q: child.visits ? q(child) : fresh(child),
      p: figure(child.prior, false),
      chance: figure(child.probability, false),
      shared: child.shared_visits ? figure(child.shared) : "–",
      beta: figure(child.share, false),
      u: figure(child.exploration, false),
      sum: figure(child.total),
      chosen: selects && child.move === frame.event.move,
    }));
  return { columns, rows, of: selects ? frame.event.of : rows.length };
}

/** The nodes that minimax or alpha-beta has entered so far, in the search of the depth that is under way. */
export function windowAt(run, frame) {
  const events = run.frames(1).slice(0, frame).map((one) => one.event);
  const begun = events.findLastIndex((event) => event.type === "deepen");
  const depth = begun < 0 ? 0 : events[begun].depth;
  const nodes = new Map([["[]", { path: [], lines: [], value: null, weight: Infinity, title: "root", side: "" }]]);
  let path = [];
  events.slice(begun + 1).forEach((event, i) => {
    const key = keyOf(event.path);
    if (event.type === "enter") {
      const lines = event.window ? [`α ${event.window[0]}`, `β ${event.window[1]}`] : [];
      const title = event.path.at(-1) ?? "root";
      nodes.set(key, { path: event.path, title, side: "", lines, value: null, weight: i, marks: ["open"] });
      path = event.path;
    } else if (event.type === "cut") {
      const node = nodes.get(key);
      const left = event.left_out.length;
      nodes.set(key, { ...node, marks: ["cut"], badge: left ? `✂ ${left} left out` : "✂ cut-off" });
      path = event.path;
    } else {
      const node = nodes.get(key) ?? nodes.get("[]");
      const marks = node.marks?.includes("cut") ? ["cut"] : [];
      const lines = [...node.lines, `= ${event.value}`];
      nodes.set(key, { ...node, lines, value: event.sign, weight: i, marks });
      path = event.path;
    }
  });
  const cards = [...nodes.values()].map((node) => ({ ...node, weight: node.weight - 1e5 * node.path.length }));
  return { cards, path, depth };
}
