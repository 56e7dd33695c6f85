/** The searches of the play view: at most one thinks about the shown position, and one solves it. */

import * as api from "./api.js";
import { compiling, count, toast, waiting } from "./dom.js";
import { known } from "./overlay.js";
import { timed } from "./spec.js";

export class Searches {
  /**
   * `agents` are those there are; `onchange(node)` is called when a thought or solution of a node has changed,
   * `onnote(text)` for a status, `onprepare(seconds)` when a search is being compiled and when it has been, and has
   * thought for so many seconds.
   */
  constructor({ agents, onchange, onnote, onprepare }) {
    Object.assign(this, { agents, onchange, onnote, onprepare });
    this.thinking = null;
    this.solving = null;
  }

  /** Ends what runs; its late answers only complete the node that they belong to. */
  stop(what = "all") {
    if (what !== "solve") {
      this.thinking?.task.stop();
      this.thinking = null;
    }
    if (what !== "think") {
      this.solving?.task.stop();
      this.solving = null;
    }
  }

  /**
   * Thinks about a node. Resolves with the last message; with null if the connection was lost, the search was
   * replaced, or the server refused (which is shown).
   */
  async think(game, node, { agent, seconds, simulations = null, seat = null, source }) {
    this.stop("think");
    const mine = { node, source, preparing: false, told: "" };
    const message = {
      type: "think",
      game: game.spec,
      start: game.start,
      moves: node.moves,
      agent: timed(agent, seconds, this.agents),
      seconds,
      simulations,
      seat,
      meanwhile: source === "agent",
    };
    const ask = () =>
      api.ask(message, (part) => {
        if (this.thinking !== mine) return;
        if (part.type === "compiling") this.#prepare(mine, true, 0, compiling(part));
        if (part.type === "waiting") this.#prepare(mine, part.seconds !== 0, 0, waiting(part));
        if (part.type === "thinking") this.#prepare(mine, false, part.thought.seconds);
        if (part.type === "thinking" && !young(part.thought, 10)) this.#keep(node, part.thought, source);
      });
    mine.task = ask();
    this.thinking = mine;
    try {
      let last = null;
      for (let tries = 20; !last; tries--) {
        last = await mine.task.answer.catch((error) => {
          if (tries === 0 || !error.message.startsWith("busy") || this.thinking !== mine) throw error;
        });
        if (last) break;
        await new Promise((done) => setTimeout(done, 250));
        if (this.thinking !== mine) return null;
        mine.task = ask();
      }
      const current = this.thinking === mine;
      if (current) {
        this.#prepare(mine, false, last.thought.seconds);
        this.thinking = null;
      }
      if (!current && (node.thinkId !== null || young(last.thought, 100))) return null;
      node.thinkId = last.id;
      this.#keep(node, last.thought, source);
      return current ? last : null;
    } catch (error) {
      if (this.thinking === mine) {
        this.thinking = null;
        if (!(error instanceof api.Gone)) toast(error.message, "error");
        this.onchange(node);
        return { failed: true, gone: error instanceof api.Gone };
      }
      return null;
    }
  }

  #prepare(mine, preparing, seconds = 0, told = "") {
    if (mine.preparing === preparing && mine.told === told) return;
    const kind = mine.told ? "calm further" : "calm"; // the first is read aloud
    Object.assign(mine, { preparing, told });
    this.onnote(preparing && mine.source !== "agent" ? told : "", kind);
    this.onprepare(seconds);
  }

  #keep(node, thought, source) {
    node.thought = thought;
    node.source = source;
    this.onnote("");
    this.onchange(node);
  }

  /** Solves a node as far as the seconds allow. */
  async solve(game, node, seconds) {
    this.stop("solve");
    const mine = { node };
    const message = { type: "solve", game: game.spec, start: game.start, moves: node.moves, seconds };
    mine.task = api.ask(message, (part) => {
      if (this.solving !== mine) return;
      if (part.type === "compiling") this.onnote(compiling(part), "calm");
      if (part.type === "waiting") this.onnote(waiting(part), "calm");
      if (part.type !== "solving") return;
      node.solution = part.solution;
      this.onnote(part.solution.moves.some(known) ? "" : "nothing proven yet", "calm");
      this.onchange(node);
    });
    this.solving = mine;
    this.onchange(node);
    try {
      node.solution = (await mine.task.answer).solution;
    } catch (error) {
      if (!(error instanceof api.Gone) && this.solving === mine) toast(error.message, "error");
    }
    if (this.solving === mine) {
      this.solving = null;
      this.onnote(unproven(node.solution), "calm");
    }
    this.onchange(node);
  }
}

/** That a solution has left values open, and why. */
function unproven(solution) {
  if (!solution?.why_unknown) return "";
  const what = solution.moves.some(known) ? "not all proven" : "nothing proven";
  return `${what} in ${count(Math.round(solution.seconds))} s: ${solution.why_unknown}`;
}

/** Is this a sampled thought of so few simulations that its value is noise? */
const young = (thought, few) => thought.simulations > 0 && thought.simulations < few;

/** What a move has thrown away, by the exact values of the position before it; "" if nothing or not known. */
export function slip(node) {
  const solution = node.parent?.solution;
  const move = solution?.moves.find((one) => one.name === node.move);
  if (!move) return "";
  const had = solution.value ?? solution.at_least;
  const has = move.value ?? move.at_most;
  if (had === 1 && has < 1) return "this move throws away the win";
  if (had === 0 && has < 0) return "this move throws away the draw";
  return "";
}
