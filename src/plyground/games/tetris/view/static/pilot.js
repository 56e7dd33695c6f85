/** An agent at the keys: it is asked about the position of every new piece, and its placement becomes keys. */

import * as api from "../../static/js/api.js";
import { compiling, waiting } from "../../static/js/dom.js";

/** Seconds between two keys. */
export const PACES = { slow: 0.3, normal: 0.1, fast: 0.03, "at once": 0 };

export class Pilot {
  /** `onthought(thought)` and `onfail(error)` tell what came of a question, `onnote(text)` why it takes long. */
  constructor({ onthought, onfail, onnote }) {
    Object.assign(this, { onthought, onfail, onnote });
    this.task = null;
    this.keys = null; // still to be pressed
    this.wait = 0; // seconds until the next one
  }

  /** Asks an agent about the position of a game; an older question is dropped. */
  async ask(spec, game, { agent, seconds }) {
    this.drop();
    const question = { type: "think", game: spec, start: game.diagram(), moves: [], agent, seconds };
    const told = (part) => {
      if (part.type === "compiling") this.onnote(compiling(part));
      if (part.type === "waiting") this.onnote(waiting(part));
    };
    const task = api.ask({ ...question, seat: 0, meanwhile: true }, told);
    this.task = task;
    try {
      const { thought } = await task.answer;
      if (this.task !== task) return;
      this.task = null;
      this.onthought(thought);
    } catch (error) {
      if (this.task !== task) return;
      this.task = null;
      this.onfail(error);
    }
  }

  /** Begins to press the keys of the best move; false if none lead there. */
  begin(game, thought, pace) {
    const best = thought.moves.find((move) => move.name === thought.move);
    const keys = best && game.keysTo(best.cells);
    if (!keys) return false;
    this.keys = [...keys, "hard"];
    this.wait = 2 * PACES[pace];
    return true;
  }

  /** The keys that are due after so many seconds. */
  due(seconds, pace) {
    if (!this.keys) return [];
    const found = [];
    this.wait -= seconds;
    while (this.wait <= 0 && this.keys.length) {
      found.push(this.keys.shift());
      this.wait += PACES[pace];
    }
    if (!this.keys.length) this.keys = null;
    return found;
  }

  drop() {
    this.task?.stop();
    this.task = this.keys = null;
  }
}
