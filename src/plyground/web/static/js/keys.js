/** Keys for everything, and the list of them. */

import { $, fill, h } from "./dom.js";
import { MODES } from "./overlay.js";
import { share } from "./panels.js";
import { hint } from "./think.js";

export const VIEWS = ["play", "match", "steps", "runs", "studies"];

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
    ["i", "numbers of moves on stones on or off", () => play.set("numbers", !play.options.numbers)],
    ["q", "quiet: sound on or off", () => $("sound").click()],
    ["c", "coordinates on or off", () => play.set("coordinates", !play.options.coordinates)],
    ["g", "new game", () => play.newGame(play.game.spec)],
    ["p", "paste or copy a position", () => controls.positionDialog()],
    ["e", "edit the board; digits choose what to put, Esc ends", () => play.editor.open()],
    ["y", "copy a link to the position", share],
    ["1", "thoughts", () => controls.openTab("thoughts")],
    ["2", "tree; arrows open and close", () => controls.openTab("tree")],
    ["3", "agent for analysis", () => controls.openTab("with")],
    ["4", "review", () => controls.openTab("review-panel")],
    ["w", "review the game, or stop that", () => play.review.toggle()],
    ["x", "next mistake, and what was better", () => play.review.step()],
    ["z", "try another move in its place", () => play.review.tryAgain()],
    ["m", "play, match, steps, runs or studies", nextView],
    ["d", "light, dark or automatic colours", () => $("theme").click()],
    ["?", "this list", () => showKeys(play)],
  ];
}

/** The next thing that the board can show; priors only if a search has told some. */
function nextMode(play) {
  const offered = MODES.filter((mode) => mode !== "prior" || !$("mode-prior").hidden);
  play.set("mode", offered[(offered.indexOf(play.options.mode) + 1) % offered.length]);
}

function nextView() {
  const at = VIEWS.findIndex((view) => !$(view).hidden);
  location.hash = `#${VIEWS[(at + 1) % VIEWS.length]}`;
}

const NAMES = { ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc" };

export function showKeys(play) {
  const dialog = $("keys");
  const listed = play.views.shown?.keys ?? document.querySelector("main:not([hidden])").keys ?? bindings(play);
  const lines = listed.map(([key, does]) => [
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
const EDITING = new Set(["b", "c", "f", "Escape", ...EVERYWHERE]);

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
    if (play.editor.on && /^\d$/.test(key)) return play.editor.choose(Number(key));
    const act = known.get(key);
    if (!act || (($("play").hidden || !play.game) && !EVERYWHERE.has(key))) return;
    if (play.editor.on && !EDITING.has(key)) return;
    event.preventDefault();
    act();
  });
}
