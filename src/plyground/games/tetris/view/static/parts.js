/** The parts of the Tetris view around its well: figures, buttons, the agent, the best games. */

import { fill, h } from "../../static/js/dom.js";
import { AgentPicker, GamePicker } from "../../static/js/forms.js";
import { PACES } from "./pilot.js";

const FIGURES = ["score", "level", "lines", "combo"];
const TOUCH = [
  ["left", "←", "Left"],
  ["rotate", "↻", "Turn"],
  ["right", "→", "Right"],
  ["soft", "↓", "Soft drop"],
  ["hard", "⤓", "Hard drop"],
];

/** The keys of the game, as people read them. */
export const LISTED = [
  ["← →", "or A, D: move"],
  ["↑", "or W: turn"],
  ["↓", "or S: soft drop"],
  ["Space", "hard drop"],
  ["P", "pause, go on"],
  ["N", "new game"],
  ["I", "AI plays, or you take over"],
  ["M", "to the next view"],
];

const card = (title, ...children) => h("div", { class: "card" }, h("h2", {}, title), children);
/** A button of the game, which can be pressed once there is one. */
const button = (id, text, title, onclick, kind = "") =>
  h("button", { type: "button", id: `tetris-${id}`, title, onclick, class: kind, disabled: true }, text);

function labelled(text, input) {
  return h("label", { class: "tetris-option" }, h("span", {}, text), input);
}

/** Builds the view; the parts that change are given back by name. */
export function parts(host, view, { games, given, agents }) {
  const figures = Object.fromEntries(FIGURES.map((name) => [name, h("dd", { data: { figure: name } }, "0")]));
  const ours = (agent) => /tetris/i.test(agent.about);
  const able = [...agents.filter(ours), ...agents.filter((agent) => !ours(agent))];
  const agent = new AgentPicker({ agents: able, label: "Agent", onchange: (spec) => view.set("agent", spec) });
  agent.set(view.options.agent);
  const game = new GamePicker({ games, given, onchange: (spec) => view.choose(spec) });
  const seconds = h("input", { type: "number", min: 0.05, max: 60, step: "any", value: view.options.seconds });
  seconds.addEventListener("change", () => {
    if (seconds.value === "" || !seconds.checkValidity()) return void seconds.reportValidity();
    view.set("seconds", Number(seconds.value));
  });
  const pace = h("select", { id: "tetris-pace" }, Object.keys(PACES).map((name) => h("option", { value: name }, name)));
  pace.value = view.options.pace;
  pace.addEventListener("change", () => view.set("pace", pace.value));
  const advice = h("input", { type: "checkbox", id: "tetris-advice", checked: view.options.advice });
  advice.addEventListener("change", () => view.set("advice", advice.checked));
  const seed = h("input", { type: "number", min: 0, max: 2 ** 53 - 1, step: 1, placeholder: "any", id: "tetris-seed" });
  seed.addEventListener("change", () => seed.reportValidity() && view.reseed(seed.value));
  const made = {
    figures,
    game,
    seed,
    agent,
    restart: button("new", "New game", "N", () => view.newGame()),
    pause: button("pause", "Start", "P", () => view.toggle(), "primary"),
    auto: button("auto", "AI plays", "The agent plays, or you do (I)", () => view.setAuto(!view.auto)),
    look: h("a", { class: "help", title: "The same position by placements, with analysis" }, "Analyse this position"),
    note: h("p", { class: "help tetris-note", role: "status" }),
    notice: h("div", { class: "tetris-notice", "aria-hidden": "true" }),
    best: h("ol", { class: "tetris-best" }),
  };
  const start = () => view.game && view.state !== "playing" && view.toggle();
  const title = (name) => name[0].toUpperCase() + name.slice(1);
  const told = FIGURES.map((name) => h("div", { class: name }, h("dt", {}, title(name)), figures[name]));
  const touch = TOUCH.map(([key, sign, name]) => {
    const one = h("button", { type: "button", "aria-label": name, data: { key } }, sign);
    one.addEventListener("pointerdown", (event) => (event.preventDefault(), view.hold(key)));
    const release = () => view.release(key);
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) one.addEventListener(end, release);
    return one;
  });
  const keys = LISTED.slice(0, -1).map(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]);
  fill(
    host,
    h(
      "section",
      { class: "tetris-centre", "aria-label": "Well" },
      h("div", { class: "tetris-frame", onclick: start }, view.drawing.svg, made.notice),
      h("div", { class: "tetris-touch", role: "group", "aria-label": "Keys" }, touch),
    ),
    h(
      "section",
      { class: "tetris-side", "aria-label": "Figures" },
      h("div", { class: "card tetris-told" }, h("h2", {}, "Next"), view.drawing.next, h("dl", {}, told)),
      h("div", { class: "tetris-buttons" }, made.pause, made.restart, made.auto),
    ),
    h(
      "section",
      { class: "tetris-more", "aria-label": "Agent and best games" },
      card(
        "Agent",
        agent.element,
        h("div", { class: "tetris-options" }, labelled("Speed", pace), labelled("Seconds a piece", seconds)),
        h("label", { class: "tetris-check" }, advice, "Advise me: show its best placements while I play"),
        made.note,
      ),
      card("Best games here", made.best),
    ),
    h(
      "section",
      { class: "tetris-setup", "aria-label": "Game" },
      card("Game", game.element, h("div", { class: "tetris-options" }, labelled("Seed", seed)), made.look),
      h("div", { class: "card tetris-keys" }, h("h2", {}, "Keys"), h("dl", { class: "keys" }, keys.flat())),
    ),
  );
  return made;
}

/** Lists the best games; `mine` is the place of the one that has just ended. */
export function listBest(list, games, mine) {
  if (!games.length) return fill(list, h("li", { class: "help none" }, "No game has ended yet."));
  fill(
    list,
    games.map((one, i) =>
      h(
        "li",
        { class: i === mine ? "mine" : "" },
        h("b", {}, one.score.toLocaleString("en")),
        h("span", {}, one.who),
        h("span", { class: "dim" }, `${one.lines.toLocaleString("en")} lines`),
      ),
    ),
  );
}
