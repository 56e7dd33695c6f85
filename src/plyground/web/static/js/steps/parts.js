/** What the view of steps is made of: board and controls, tree and table, the search and its position. */

import { Board } from "../board.js";
import { $, button, fill, h, icon } from "../dom.js";
import { AgentPicker, GamePicker } from "../forms.js";
import { TreeDrawing } from "./drawing.js";

export const SEARCHES = ["uct", "rave", "guided", "alphazero", "alphago", "minimax", "alphabeta"];
export const JUMP = 50; // simulations at once

const card = (...parts) => h("div", { class: "card" }, parts);

/** Buttons that lead through a search, by their names, and the slider of its speed. */
function controls(view) {
  const buttons = {
    start: button("steps-start", icon("start"), "To the start (Home)", () => view.go(0, 0)),
    back: button("steps-back", icon("back"), "Back one step (←)", () => view.step(-1)),
    play: button("steps-play", "Play", "Play or pause (Space)", () => view.play()),
    next: button("steps-next", icon("forward"), "Forward one step (→)", () => view.step(1)),
    end: button("steps-end", icon("end"), "To the end of the simulation (↓)", () => view.toEnd()),
    jump: button("steps-jump", `+${JUMP}`, `${JUMP} simulations at once (J)`, () => view.jump()),
  };
  const speed = h("input", { type: "range", min: -2, max: 5, step: 0.5, value: view.speed, "aria-label": "Speed" });
  speed.addEventListener("input", () => view.setSpeed(Number(speed.value)));
  const pace = h("label", { class: "pace", title: "Speed" }, "slow", speed, "fast");
  const words = { class: "controls", role: "toolbar", "aria-label": "Steps" };
  return { buttons, bar: h("div", words, Object.values(buttons), pace) };
}

/** What is searched and how: an agent, a game, the moves before. */
function setup(view, { games, given, agents }) {
  const gamePicker = new GamePicker({ games, given, onchange: (game) => view.another({ game, start: "", moves: "" }) });
  const searching = agents.filter((agent) => SEARCHES.includes(agent.name));
  const agentPicker = new AgentPicker({ agents: searching, label: "Agent", onchange: (spec) => view.change(spec) });
  const moves = h("input", { type: "text", spellcheck: false, id: "steps-moves", placeholder: "none: the start" });
  moves.addEventListener("change", () => view.another({ moves: moves.value.trim() }));
  return { gamePicker, agentPicker, moves, liveHost: h("div", { class: "fields live" }) };
}

/** Puts everything into its place on the page; returns the parts by their names. `view` hears of all that is asked. */
export function build(view, offered) {
  const { buttons, bar } = controls(view);
  const { gamePicker, agentPicker, moves, liveHost } = setup(view, offered);
  const parts = {
    buttons,
    gamePicker,
    agentPicker,
    moves,
    liveHost,
    title: h("span", { id: "steps-title" }, "Step by step"),
    stone: h("span", { id: "steps-stone" }),
    boardHost: h("div", { class: "board-host", id: "steps-board" }),
    phases: h("ol", { class: "phases", "aria-label": "Phases of a simulation" }),
    words: h("p", { class: "step-words" }),
    sum: h("p", { class: "step-sum" }),
    tourHost: h("div", { class: "tour card", hidden: true, role: "region", "aria-label": "Tour" }),
    treeHost: h("div", { class: "tree-host", tabindex: 0, role: "region", "aria-label": "Tree, scrollable" }),
    legend: h("small"),
    tableTitle: h("h2", {}, "Children"),
    formula: h("p", { class: "help" }),
    tableHost: h("div", { class: "table-host" }),
  };
  parts.tableCard = card(parts.tableTitle, parts.formula, parts.tableHost);
  parts.board = new Board(parts.boardHost, {
    label: "Position of the step",
    onpick: (cell) => view.pick(cell),
    onmove: (name) => view.extend(name),
  });
  parts.tree = new TreeDrawing(parts.treeHost, { onpick: (path) => view.peek(path) });
  const tour = button("steps-tour", "Take the tour", "A tour of ten stops", () => view.visit(0));
  tour.classList.add("primary");
  const seed = button("steps-seed", "Other random numbers", "The same search by other random numbers", () =>
    view.otherSeed(),
  );
  const section = (kind, label, ...held) => h("section", { class: kind, "aria-label": label }, held);
  const saying = h("div", { class: "card saying" }, parts.phases, parts.words, parts.sum);
  const status = h("div", { class: "status" }, parts.stone, parts.title);
  const search = card(
    h("h2", {}, "Search"),
    h("div", { class: "row" }, tour, seed),
    h("h3", {}, "Agent"),
    agentPicker.element,
    h("h3", {}, "Change while it runs"),
    liveHost,
  );
  const before = h("div", { class: "field" }, h("label", { for: "steps-moves" }, "Moves before"), moves);
  const tree = card(h("h2", {}, "Tree ", parts.legend), parts.treeHost);
  fill(
    $("steps"),
    section("steps-left", "Board and controls", status, parts.boardHost, bar, saying),
    section("steps-right", "Tree", parts.tourHost, tree, parts.tableCard),
    section("steps-setup", "Search", search, card(h("h2", {}, "Position"), gamePicker.element, before)),
  );
  return parts;
}
