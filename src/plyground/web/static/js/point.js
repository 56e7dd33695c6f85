/** What the reader points at, on the board, in the table or in the tree: a stone, or the line that follows. */

import { drawLine } from "./overlay.js";
import { lineOf, provenLine } from "./show.js";

/** The reader points at a cell: its stone is shown, or the line that a search expects after it. */
export function hover(play, cell) {
  const { view, board, options } = play;
  if (play.editor.on || !view) return;
  const move = cell === null || view.over || view.player < 0 ? null : play.picker.moveAt(cell);
  const known = move && options.mode !== "off" && lineOf(play, move.name).length > 1;
  board.preview(move && !known && play.mayMove() ? move.cells : [], view.player);
  point(play, known ? move.name : null);
}

/** Shows the line after a move by its name, or a line of names; null shows none. */
export function point(play, at) {
  play.pointed = at;
  follow(play);
}

/** Shows again what is pointed at: lines follow the search. If nothing is, a line that surely wins. */
export function follow(play) {
  const at = play.pointed ?? provenLine(play);
  if (play.editor.on) return;
  const known = typeof at === "string" ? lineOf(play, at) : at;
  const names = typeof at === "string" && !known.length ? [at] : (known ?? []);
  drawLine(play.board, names, play.view?.player ?? 0);
  if (typeof at === "string") play.thoughts.tellLine(names);
}
