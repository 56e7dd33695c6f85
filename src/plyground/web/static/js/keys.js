/** Keys for everything, and the list of them. */

import { $, fill, h } from "./dom.js";
import { MODES } from "./overlay.js";
import { hint } from "./think.js";

/** The keys of the play view: what is pressed, what it does, how. */
function bindings(play) {
  const { controls } = play;
  return [
    ["b", "go to the board; arrows move, Enter or Space plays", () => play.board.focus()],
    ["Enter", "play the selection", () => play.confirm()],
    ["Escape", "clear the selection", () => play.clear()],
    ["ArrowLeft", "back one move", () => controls.step(-1)],
    ["ArrowRight", "forward one move", () => controls.step(1)],
    ["Home", "to the start", () => play.visit(play.game.root)],
    ["End", "to the end", () => play.visit(play.game.path.at(-1))],
    ["u", "undo: back to your last turn", () => play.undo()],
    ["r", "redo: forward one move", () => controls.step(1)],
    [" ", "run or pause the agents", () => !controls.run.disabled && play.run()],
    ["n", "one move by the agent", () => !controls.once.disabled && controls.oneMove()],
    ["a", "analysis on or off", () => play.toggle("analysis")],
    ["h", "hint", () => !controls.hint.disabled && hint(play)],
    ["s", "solve: exact values on or off", () => play.toggle("exact")],
    ["t", "threats on or off", () => play.set("threats", !play.options.threats)],
    ["v", "what the board shows: visits, value, prior, nothing", () => nextMode(play)],
    ["f", "flip the board", () => play.toggle("flip")],
    ["c", "coordinates on or off", () => play.set("coordinates", !play.options.coordinates)],
    ["g", "new game", () => play.newGame(play.game.spec)],
    ["p", "paste or copy a position", () => controls.positionDialog()],
    ["1", "thoughts", () => controls.openTab("thoughts")],
    ["2", "tree; arrows open and close", () => controls.openTab("tree")],
    ["3", "agent for analysis", () => controls.openTab("with")],
    ["m", "play view or match view", () => (location.hash = $("play").hidden ? "#play" : "#match")],
    ["d", "light, dark or automatic colours", () => $("theme").click()],
    ["?", "this list", () => showKeys(play)],
  ];
}

function nextMode(play) {
  play.set("mode", MODES[(MODES.indexOf(play.options.mode) + 1) % MODES.length]);
}

const NAMES = { ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc" };

export function showKeys(play) {
  const dialog = $("keys");
  const lines = bindings(play).map(([key, does]) => [
    h("dt", {}, h("kbd", {}, NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key))),
    h("dd", {}, does),
  ]);
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  fill(
    dialog,
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "keys" }, lines.flat()),
    h("div", { class: "row" }, close),
  );
  if (!dialog.open) dialog.showModal();
}

const EVERYWHERE = new Set(["m", "d", "?"]);

/** Listens to the whole page; fields, buttons and dialogs keep the keys that are theirs. */
export function listen(play) {
  const known = new Map(bindings(play).map(([key, , act]) => [key, act]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const { target } = event;
    const own = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
    if (own && !(target.type === "checkbox" && event.key !== " ")) return;
    if (
      (target.tagName === "BUTTON" || target.tagName === "SUMMARY" || target.tagName === "A") &&
      [" ", "Enter"].includes(event.key)
    )
      return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = known.get(key);
    if (!act || (($("play").hidden || !play.game) && !EVERYWHERE.has(key))) return;
    event.preventDefault();
    act();
  });
}
