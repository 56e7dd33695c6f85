/**
 * From cells to moves. A move that concerns one cell is played by a click on it, or anywhere in its column if
 * stones fall. A move over several cells is selected cell by cell.
 */

import { drops } from "./geometry.js";

export class Picker {
  constructor() {
    this.reset(null);
  }

  reset(view) {
    this.view = view;
    this.selected = [];
  }

  /** The legal moves over exactly these cells, and those that contain them and more. */
  #matching(cells) {
    const holds = (move) => cells.every((cell) => move.cells.includes(cell));
    const all = this.view.legal.filter(holds);
    return {
      exact: all.filter((m) => m.cells.length === cells.length),
      more: all.filter((m) => m.cells.length > cells.length),
    };
  }

  /** The move that a cell alone stands for, or null. */
  moveAt(cell) {
    if (!this.view) return null;
    if (drops(this.view)) {
      const column = cell % this.view.board.cols;
      return this.view.legal.find((move) => move.cells[0] % this.view.board.cols === column) ?? null;
    }
    const { exact, more } = this.#matching([cell]);
    return exact.length === 1 && !more.length ? exact[0] : null;
  }

  /** The move that the selection stands for, or null. */
  get move() {
    if (!this.selected.length) return null;
    const { exact } = this.#matching(this.selected);
    return exact.length === 1 ? exact[0] : null;
  }

  /**
   * Picks a cell: returns the move to play at once, or null after changing the selection. A selected cell is
   * taken out; a cell that fits no move together with the others begins a new selection.
   */
  pick(cell) {
    const alone = this.moveAt(cell);
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
    return null;
  }
}
