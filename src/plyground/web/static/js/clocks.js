/** Time: what each side has used, what is left on its clock, what an agent may spend on a move. */

import { clock } from "./dom.js";

const SHARE = 20; // an agent spends this part of what is left on its clock
const LEAST = 0.05; // seconds of a move, however late it is

export class Clocks {
  constructor(play) {
    this.play = play;
    this.since = performance.now();
  }

  /** The shown position is looked at from now on, or has been for some seconds already. */
  restart(elapsed = 0) {
    this.since = performance.now() - 1000 * elapsed;
  }

  /** A search is being compiled, or that has ended and it has thought for so many seconds. */
  prepare(seconds) {
    if (this.play.searches.thinking.source === "agent") this.restart(seconds);
    this.play.refresh();
  }

  /** Seconds since the position is shown; the reader's first move is not timed. */
  elapsed() {
    const { game, seats } = this.play;
    return game.at === game.root && seats[0].human ? 0 : (performance.now() - this.since) / 1000;
  }

  /** Is the search of the side to move still being compiled? That is nobody's time. */
  get preparing() {
    const { thinking } = this.play.searches;
    return thinking?.source === "agent" && thinking.preparing;
  }

  /** Does the time of the side to move run? It does at the end of a line only. */
  get running() {
    const { view, game, live, seats } = this.play;
    if (!view || this.preparing) return false; // or the position is on its way
    const waits = !view.over && view.player >= 0 && !game.at.children.length && game.at.ended === null;
    return waits && (live || seats[view.player].human) && !this.play.editor.on;
  }

  /** Seconds that each side has used. */
  used() {
    const used = [...this.play.game.at.used];
    if (this.running) used[this.play.view.player] += this.elapsed();
    return used;
  }

  /** Seconds left to a side; null if it has no clock. */
  left(player, used = this.used()) {
    const { minutes } = this.play.seats[player];
    return minutes === null ? null : Math.max(0, 60 * minutes - used[player]);
  }

  /** The seconds that the agent of a side may think: its budget, or a part of what is left on its clock. */
  budget(player) {
    const { seconds } = this.play.seats[player];
    const left = this.left(player);
    if (left === null) return seconds;
    return Math.max(LEAST, Math.min(seconds ?? 60, left / SHARE, 60));
  }

  /** Shows the clocks; a side whose time is up has lost. */
  tick() {
    const { play } = this;
    const used = this.used();
    const left = used.map((_, player) => this.left(player, used));
    play.seatPanel.clocks(
      used.map((seconds, player) => this.#text(seconds, left[player])),
      left,
    );
    const { player } = play.view;
    if (!this.running || left[player] !== 0) return;
    const node = play.game.at;
    node.used = used;
    play.ending.end("time", player);
  }

  #text(used, left) {
    if (left === null) return clock(used);
    return left < 9.95 ? `0:0${left.toFixed(1)}` : clock(Math.ceil(left)); // not 0:010.0
  }
}
