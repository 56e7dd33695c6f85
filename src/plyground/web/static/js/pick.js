/**
 * From cells to moves. A move that concerns one cell is played by a click on it, or anywhere in its column if
 * stones fall. A move over several cells is selected cell by cell: a piece, then where it goes. In a well a click
 * chooses among the moves of a column, one after the other, and a click on the piece itself plays it.
 */

import { drops } from "./geometry.js";

export class Picker {
  constructor() {
    this.reset(null);
  }

  reset(view) {
    this.view = view;
    this.clear();
  }

  clear() {
    this.selected = [];
    this.chosen = null; // the move that a column of a well was picked for
  }

  get #well() {
    return this.view?.board.shape === "well";
  }

  /** The moves that begin in the column of a cell of a well, or else those that touch it. */
  #through(cell) {
    const { cols } = this.view.board;
    const columns = (move) => move.cells.map((one) => one % cols);
    const touching = this.view.legal.filter((move) => columns(move).includes(cell % cols));
    const beginning = touching.filter((move) => Math.min(...columns(move)) === cell % cols);
    return beginning.length ? beginning : touching;
  }

  /**
   * The legal moves over exactly these cells, and those that contain them and more. If a piece stands on the first
   * cell, these are moves that begin there, where there are any.
   */
  #matching(cells) {
    const holds = (move) => cells.every((cell) => move.cells.includes(cell));
    const begins = (move) => this.view.cells[cells[0]] > 0 && cells.every((cell, i) => move.cells[i] === cell);
    const touching = this.view.legal.filter(holds);
    const beginning = touching.filter(begins);
    const all = beginning.length ? beginning : touching;
    return {
      exact: all.filter((m) => m.cells.length === cells.length),
      more: all.filter((m) => m.cells.length > cells.length),
    };
  }

  /** Does the selection belong to this cell? In a well, to its column? */
  holds(cell) {
    return this.#well
      ? this.chosen !== null && this.#through(cell).includes(this.chosen)
      : this.selected.includes(cell);
  }

  /** The move that a cell alone stands for, or null. */
  moveAt(cell) {
    if (!this.view) return null;
    if (this.#well) return this.selected.includes(cell) ? this.chosen : (this.#through(cell)[0] ?? null);
    if (drops(this.view)) {
      const column = cell % this.view.board.cols;
      return this.view.legal.find((move) => move.cells[0] % this.view.board.cols === column) ?? null;
    }
    const { exact, more } = this.#matching([cell]);
    return exact.length === 1 && !more.length ? exact[0] : null;
  }

  /** The cells by which the selection can go on; none in a well. */
  get targets() {
    if (this.#well || !this.selected.length) return [];
    const further = this.#matching(this.selected).more.flatMap((move) => move.cells);
    return [...new Set(further)].filter((cell) => !this.selected.includes(cell));
  }

  /** The move that the selection stands for, or null. */
  get move() {
    if (this.#well) return this.chosen;
    if (!this.selected.length) return null;
    const { exact } = this.#matching(this.selected);
    return exact.length === 1 ? exact[0] : null;
  }

  /** The moves among which the selection leaves the choice, such as what a pawn becomes. */
  get choices() {
    if (this.#well || !this.selected.length) return [];
    const { exact } = this.#matching(this.selected);
    return exact.length > 1 ? exact : [];
  }

  /**
   * Picks a cell: returns the move to play at once, or null after changing the selection. A selected cell is
   * taken out; a cell that fits no move together with the others begins a new selection, or none. `careful`: a move of
   * one cell is selected first, and played by a second pick.
   */
  pick(cell, careful = false) {
    if (this.#well) return this.#pickColumn(cell);
    const alone = this.moveAt(cell);
    if (alone && careful) {
      const again = this.selected.length === alone.cells.length && alone.cells.every((one) => this.selected.includes(one));
      this.selected = [...alone.cells];
      return again ? alone : null;
    }
    if (alone && !this.selected.length) return alone;
    if (this.selected.includes(cell)) {
      this.selected = this.selected.filter((one) => one !== cell);
      return null;
    }
    for (const next of [[...this.selected, cell], [cell]]) {
      const { exact, more } = this.#matching(next);
      if (!exact.length && !more.length) continue;
      this.selected = next;
      return exact.length === 1 && !more.length ? exact[0] : null;
    }
    this.selected = [];
    return null;
  }

  #pickColumn(cell) {
    const moves = this.#through(cell);
    if (!moves.length) return null;
    if (moves.length === 1 || this.selected.includes(cell)) return this.chosen ?? moves[0];
    this.chosen = moves[(moves.indexOf(this.chosen) + 1) % moves.length];
    this.selected = this.chosen.cells;
    return null;
  }
}
