/**
 * A search that was run step by step: simulations and the trees between them, fetched as they are needed. Nothing of
 * the search is computed here. Minimax and alpha-beta come as one long simulation.
 */

import * as api from "../api.js";

const AHEAD = 10; // simulations that are asked for at once
const KEPT = 100; // simulations before and after, that need not be asked for again

/** The steps of a simulation: one for each event, and for a result that goes up one for each node. */
export function framesOf(events) {
  return events.flatMap((event) =>
    event.type === "back up"
      ? event.updates.map((_, upto) => ({ type: event.type, event, upto }))
      : [{ type: event.type, event }],
  );
}

export class Run {
  /** `search` is what is asked: game, start, moves, agent, seed. `onwait(message)` hears of a compiler or a queue. */
  constructor(search, { onwait }) {
    this.search = search;
    this.onwait = onwait;
    this.changes = []; // {after, agent}: options that were changed on the way
    this.kind = "";
    this.live = [];
    this.end = Infinity; // simulations, once it is known how many there are
    this.trees = new Map(); // by the number of simulations before
    this.sims = new Map(); // by their number, from 1 on
    this.task = null;
  }

  /** The agent with the options that hold after so many simulations. */
  agentAt(done) {
    return this.changes.findLast((change) => change.after <= done)?.agent ?? this.search.agent;
  }

  /** Goes on with other options after so many simulations; what came later is forgotten. */
  change(done, agent) {
    this.changes = [...this.changes.filter((change) => change.after < done), { after: done, agent }];
    for (const number of [...this.sims.keys()]) if (number > done) this.sims.delete(number);
    for (const number of [...this.trees.keys()]) if (number >= done) this.trees.delete(number);
    this.end = Infinity;
  }

  /** The steps of a simulation; [] if it is not there. */
  frames(number) {
    const found = this.sims.get(number);
    if (found && !found.frames) found.frames = framesOf(found.events);
    return found?.frames ?? [];
  }

  /** Fetches the tree after so many simulations and the next one; resolves to how many there are at most. */
  async need(done) {
    const there = () => this.trees.has(done) && (this.sims.has(done + 1) || done >= this.end);
    if (there()) return done;
    const next = this.changes.find((change) => change.after > done)?.after ?? Infinity;
    this.task?.stop();
    const asked = {
      ...this.search,
      type: "steps",
      skip: done,
      count: Math.min(AHEAD, next - done),
      changes: this.changes.filter((change) => change.after <= done),
    };
    const task = (this.task = api.ask(asked, (message) => this.onwait(message)));
    const told = await task.answer;
    if (task === this.task) this.task = null;
    this.kind = told.kind;
    if (told.kind === "window") {
      this.complete = told.complete;
      this.sims.set(1, { events: told.events });
      this.trees.set(0, []);
      this.end = 1;
      return 0;
    }
    this.live = told.live;
    this.trees.set(told.first, told.tree);
    for (const simulation of told.simulations) {
      this.sims.set(simulation.number, simulation);
      this.trees.set(simulation.number, simulation.tree);
    }
    this.#forget(told.first);
    if (told.ended) this.end = told.first + told.simulations.length;
    return Math.min(done, told.first);
  }

  /** Keeps what is near to where the reader is: the rest can be asked for again. */
  #forget(done) {
    for (const kept of [this.sims, this.trees]) {
      for (const number of kept.keys()) if (Math.abs(number - done) > KEPT) kept.delete(number);
    }
  }

  stop() {
    this.task?.stop();
  }
}
