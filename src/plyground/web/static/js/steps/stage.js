/** The board of a step: the node that it is about, a move that is chosen there, or a roll-out move by move. */

import * as api from "../api.js";
import { announce, fill } from "../dom.js";
import { chip, sides } from "../look.js";
import { said } from "./words.js";

const ROLLED = 2400; // milliseconds of a whole roll-out
const MOST = 60; // positions of it that are shown
const FAST = 8; // the pace beyond which it is not played out
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Stage {
  constructor({ board, stone, words, sum }) {
    Object.assign(this, { board, stone, words, sum });
    this.view = null;
  }

  /**
   * Shows a step of a search, or another node of its tree. `current()` says whether it is still the one to be shown;
   * `pace()`, how fast a roll-out is played; null for one that is shown at its end.
   */
  async show({ search, frame, peeked, root }, { current, pace }) {
    const { game, start, moves } = search;
    const at = (path) => api.position(game, start, [...moves, ...path]);
    const event = frame?.event;
    const path = peeked ?? (frame?.type === "back up" ? event.updates[frame.upto].path : event?.path) ?? [];
    const view = await at(path);
    if (!current()) return;
    this.draw(view);
    if (peeked || !event) return;
    if (frame.type === "select" || (frame.type === "expand" && event.of === 1) || frame.type === "cut") {
      const name = event.move ?? event.moves[0];
      const cells = view.legal.find((move) => move.name === name)?.cells ?? [];
      this.board.mark("target", cells);
      if (view.player >= 0) this.board.preview(cells, view.player);
    } else if (frame.type === "simulate" && event.moves.length) {
      await this.#rollOut(frame, (upto) => at([...path, ...event.moves.slice(0, upto)]), sides(root), { current, pace });
    }
  }

  async #rollOut(frame, after, names, { current, pace }) {
    const { moves } = frame.event;
    const fast = !pace || pace() > FAST || calm();
    const frames = Math.min(moves.length, MOST);
    for (let i = fast ? frames : 1; i <= frames; i++) {
      const upto = Math.round((i * moves.length) / frames);
      const view = await after(upto);
      if (!current()) return;
      this.draw(view);
      const how = upto < moves.length ? `${moves[upto - 1]}, move ${upto}…` : outcome(view, names);
      const [text, sum] = said(frame, names, how);
      this.words.textContent = text;
      this.sum.textContent = upto < moves.length ? "" : sum;
      if (i < frames) await pause(Math.min(260, ROLLED / frames) / pace());
      if (!current()) return;
    }
    announce(`${this.words.textContent} ${this.sum.textContent}`);
  }

  /** A position, with nothing marked on it. */
  draw(view) {
    this.view = view;
    this.board.show(view);
    this.board.clear();
    this.board.mark("target", []);
    fill(this.stone, view.player >= 0 && !view.over ? chip(view, view.player) : "");
  }
}

/** How a game that was played out has ended. */
function outcome(view, names) {
  if (view.alone) return "as far as it is looked.";
  if (!view.over) return "as far as the roll-out goes.";
  return view.score === 0 ? "drawn." : `${names[view.score > 0 ? 0 : 1]} wins.`;
}
