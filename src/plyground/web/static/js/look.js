/** What the players of a game are called, and what their stones, pieces and dice look like. */

import { h, s } from "./dom.js";
import { drops } from "./geometry.js";

/** What the sides of a game are called, by the look of their stones. */
export function sides(view) {
  if (view.alone) return ["Player"];
  if (view.board.sides?.length === 2) return view.board.sides;
  if (view.board.shape === "intersections") return ["Black", "White"];
  if (view.board.shape === "cells" && !pieces(view)) return drops(view) ? ["Blue", "Red"] : ["X", "O"];
  return ["First", "Second"];
}

/** What the board does not show, in a line, with the names that the sides have here instead of their letters. */
export const captionOf = (view) =>
  view.caption.replace(/\b[XO]\b/g, (letter) => sides(view)[letter === "X" ? 0 : 1] ?? letter);

/** Are there texts on the players' stones, such as chess pieces? */
const pieces = (view) => view.glyphs.some((text, cell) => text !== "" && [1, 2].includes(view.cells[cell]));

/** The colours of both sides, where their names are colours of stones: ["black", "white"]; else null. */
export function tints(view) {
  if (!["cells", "intersections"].includes(view.board.shape)) return null;
  const named = sides(view).map((name) => name.toLowerCase());
  return named.length === 2 && named.every((name) => name === "black" || name === "white") ? named : null;
}

/** Are stones crosses and rings? Else they are discs or tiles. */
export const signs = (view) => view.board.shape === "cells" && !drops(view) && !tints(view);

/** A small picture of a player's stone. */
export function chip(view, player) {
  const tint = tints(view)?.[player];
  const sign = !tint && !view.alone && signs(view) && !pieces(view);
  const kind = sign ? "sign" : (tint ?? "plain");
  const box = s("svg", { viewBox: "0 0 20 20", class: `chip ${kind} p${player}`, "aria-hidden": "true" });
  if (sign && player === 0) box.append(s("path", { d: "M5 5L15 15M15 5L5 15" }));
  else box.append(s("circle", { cx: 10, cy: 10, r: sign ? 5.5 : 8 }));
  return box;
}

/** The filled form of a piece that is written in outlines, such as a white king's; "" if there is none. */
export function filled(glyph) {
  const code = glyph.codePointAt(0);
  if (code >= 0x2654 && code <= 0x2659) return String.fromCodePoint(code + 6); // chess
  return code === 0x26c0 || code === 0x26c1 ? String.fromCodePoint(code + 2) : ""; // draughts
}

// --- dice ---

const FACE = 0x2680; // the code of a die's face with one pip
const THROWN = /^d?([1-6]{1,2})$/;
const PIPS = [[4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]]; // among 3x3 places

/** The pips of a text that is a die's face; 0 if it is none. */
export const facePips = (text) => {
  const pips = (text.codePointAt(0) ?? 0) - FACE + 1;
  return [...text].length === 1 && pips >= 1 && pips <= 6 ? pips : 0;
};

/** What an outcome of chance shows on dice, as in [3, 2]; [] where chance throws none. `view` is that before it. */
export function dice(view, name) {
  const thrown = view?.player < 0 && view.legal?.every((one) => THROWN.test(one.name)) && name.match(THROWN);
  return thrown ? [...thrown[1]].map(Number) : [];
}

/** The parts of a die: a square with its pips. */
export function dieParts(x, y, side, pips) {
  const rim = { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: side * 0.18, class: "die" };
  const at = (place) => ((place - 1) * side) / 3.6;
  const dot = (spot) => ({ cx: x + at(spot % 3), cy: y + at(Math.floor(spot / 3)), r: side * 0.09, class: "pip" });
  return [s("rect", rim), ...PIPS[pips - 1].map((spot) => s("circle", dot(spot)))];
}

/** Dice as small pictures in a line of text. */
export const thrown = (faces) =>
  h(
    "span",
    { class: "dice", role: "img", "aria-label": `dice ${faces.join(" and ")}` },
    faces.map((pips) => s("svg", { viewBox: "0 0 20 20", class: "chip" }, dieParts(10, 10, 18, pips))),
  );
