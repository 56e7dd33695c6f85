/**
 * The play view: one game, its seats, what is thought about it. The game tree holds the truth; `goto` is the only
 * way to another position, and `proceed` decides what happens there.
 */

import * as api from "./api.js";
import { Clocks } from "./clocks.js";
import { Controls } from "./controls.js";
import { $, announce, toast } from "./dom.js";
import { Editor } from "./edit.js";
import { ended, Ending, outcome } from "./ending.js";
import { sides } from "./look.js";
import { panels } from "./panels.js";
import { Picker } from "./pick.js";
import { ReviewPanel, takeDrops } from "./review.js";
import { restore, save } from "./saved_game.js";
import { Searches, slip } from "./search.js";
import * as show from "./show.js";
import { hear, usual } from "./sound.js";
import { fromHash, Game, keepAddress, nextStep, toHash } from "./state.js";
import * as think from "./think.js";

const DEFAULTS = { coordinates: true, threats: false, mode: "visits", analyst: null, seconds: 20, delay: 0.4 };
const KEPT = 20; // games
Object.assign(DEFAULTS, { numbers: false, sound: usual() });

export class Play {
  constructor({ games, given, agents, views }) {
    this.views = views;
    this.first = games[0].name;
    this.options = { ...DEFAULTS, ...JSON.parse(localStorage.getItem("options") ?? "{}") };
    this.flip = this.analysis = this.exact = false;
    this.live = true; // do agents move by themselves?
    const seat = { agent: "uct", seconds: 1, simulations: null, minutes: null };
    this.seats = [
      { ...seat, human: true },
      { ...seat, human: false },
    ];
    this.picker = new Picker();
    this.pointed = null; // the move, or the line of moves, that the reader points at
    this.early = []; // what was picked before its position was known
    this.fresh = false; // has the shown position just come about by a move?
    this.before = null; // the place that was shown before
    this.wanted = null; // the game that is shown, or will be once the server has accepted it
    this.kept = []; // games of this tab, the last one first
    this.coming = new Set(); // places whose views are on their way
    this.searches = new Searches({
      agents,
      onchange: (node) => this.#thought(node),
      onnote: (...told) => this.note(...told),
      onprepare: (seconds) => this.clocks.prepare(seconds),
    });
    this.clocks = new Clocks(this);
    Object.assign(this, panels(this, { games, given, agents }));
    this.editor = new Editor(this);
    this.review = new ReviewPanel($("review-panel"), this);
    this.ending = new Ending(this);
    this.controls = new Controls(this);
    takeDrops(this);
    api.onConnection((online) => online && this.game && this.proceed());
    setInterval(() => this.view && !$("play").hidden && this.clocks.tick(), 250);
    window.addEventListener("pagehide", () => this.save());
  }

  /** The whole view of the shown position; null while it is on its way. */
  get view() {
    const view = this.game?.at.view;
    return view && !view.brief ? view : null;
  }

  /** Keeps an option over reloads. */
  set(name, value) {
    this.options[name] = value;
    localStorage.setItem("options", JSON.stringify(this.options));
    if (name === "analyst" || name === "seconds") think.reanalyse(this);
    else this.refresh();
  }

  /** Opens the game of an address; a broken one is said, and the first game there is is opened instead. */
  async open(hash) {
    const told = fromHash(hash);
    told.seats.forEach(({ agent, ...limits }, player) => {
      if (agent) Object.assign(this.seats[player], limits, { human: agent === "human" });
    });
    const agents = told.seats.map(({ agent }) => (agent === "human" ? null : agent));
    const spec = told.game ?? this.first;
    const id = history.state ?? undefined; // the browser's Back and Forward come here; a link is another game
    const same = (game) => game.id === id && game.spec === spec && game.start === told.start && game.find(told.moves);
    const kept = this.kept.find(same);
    const shown = kept?.find(told.moves);
    if (kept && kept === this.game) {
      this.wanted = kept;
      return this.visit(kept.find(told.moves.slice(0, told.at ?? undefined)) ?? shown);
    }
    const saved = kept ? { game: kept, last: shown } : this.game ? null : restore(spec, told.start, told.moves, id);
    const game = saved?.game ?? new Game(spec, told.start, id);
    const last = saved?.last ?? game.add(told.moves);
    const node = game.path[told.at ?? last.ply] ?? last;
    this.live = this.seatPanel.plays !== "neither" && told.at === null;
    if (await this.#begin(game, node, saved?.shown === node ? saved.elapsed : 0, agents)) return;
    if (!this.game) await this.#begin(new Game(this.first));
  }

  newGame(spec, start = "", moves = []) {
    const game = new Game(spec, start);
    const begun = Boolean(this.game?.root.children.length);
    this.live = this.seatPanel.plays !== "neither";
    if (begun || this.game?.spec !== spec || this.game.start !== start) nextStep();
    if (begun) toast("Your last game is kept: Back brings it again.");
    return this.#begin(game, game.add(moves));
  }

  /** Shows a game once the server has accepted it, unless another is wanted by then; false if it does not. */
  async #begin(game, node = game.root, elapsed = 0, agents = []) {
    this.wanted = game;
    let opponents = null;
    try {
      const asked = [api.position(game.spec, game.start, node.moves), api.opponents(game.spec)];
      [node.view, opponents] = await Promise.all(asked);
    } catch (error) {
      toast(error.message, "error");
      if (this.wanted !== game) return true;
      this.wanted = this.game;
      if (this.game) this.gamePicker.set(this.game.spec);
      return false;
    }
    if (this.wanted !== game) return true;
    ({ able: this.able, levels: this.levels } = opponents);
    if (this.game) this.review.leave();
    if (this.game !== game) this.game?.forget();
    this.game = game;
    this.early = [];
    this.kept = [game, ...this.kept.filter((one) => one !== game)].slice(0, KEPT);
    game.go(node);
    this.gamePicker.set(game.spec);
    this.opponent = node.view.opponent; // whom a person meets in this game, and who analyses it
    this.seatPanel.meet(this.opponent, agents, this.able, this.levels);
    this.analyst.offer(this.able, think.adviser(this));
    this.#lookAt(node, elapsed);
    $("play").classList.remove("loading"); // all parts appear at once, in their places
    this.#fetchViews(game);
    return true;
  }

  /** Asks for the views of a whole line, which tell who has moved and what chance has brought; near ones are kept whole. */
  async #fetchViews(game) {
    const wanted = (node) => !node.view || (node.view.brief && game.near(node));
    const missing = game.path.filter((node) => wanted(node) && !this.coming.has(node));
    const ask = async (node) => {
      this.coming.add(node);
      try {
        node.view = await api.position(game.spec, game.start, node.moves);
        if (!game.near(node)) node.shorten();
      } finally {
        this.coming.delete(node);
      }
    };
    const news = missing.some(({ view }) => !view);
    await Promise.allSettled(missing.map(ask));
    if (news && this.game === game) this.refresh();
  }

  /** Goes to a place by the reader's wish: agents wait until told to go on. */
  visit(node) {
    if (!node || node === this.game.at) return;
    this.live = false;
    return this.goto(node);
  }

  async goto(node) {
    const { game } = this;
    this.searches.stop();
    clearTimeout(this.timer);
    this.early = [];
    game.go(node);
    this.picker.reset(null);
    try {
      if (!this.view) node.view = await api.position(game.spec, game.start, node.moves);
    } catch (error) {
      toast(error.message, "error");
      if (!node.view) game.remove(node);
      else if (this.game === game && game.at === node) game.go(this.before);
      if (this.game === game) this.#lookAt(game.at);
      return;
    }
    if (this.game !== game || game.at !== node) return;
    game.shorten();
    this.#lookAt(node);
    this.#fetchViews(game);
  }

  #lookAt(node, elapsed = 0) {
    this.rest();
    this.editor.close();
    this.picker.reset(node.view);
    this.pointed = null;
    this.clocks.restart(elapsed);
    this.note("");
    this.fresh = this.before !== null && node.parent === this.before;
    this.before = node;
    this.refresh();
    this.#hear(node);
    this.fresh = false;
    const { early } = this;
    this.early = [];
    while (early.length && this.mayMove()) this.pick(...early.shift());
    if (!this.view) this.early = early; // the next position is on its way
    if (this.game.at === node) this.proceed();
  }

  /** A move is heard, and the end of a game. */
  #hear(node) {
    if (!this.fresh || !this.options.sound) return;
    hear((ended(node) && outcome(this).kind) || "move");
  }

  /** What happens at the shown position: chance decides, an agent thinks, or the reader is awaited. */
  proceed() {
    const { game, view } = this;
    if (!view || $("play").hidden || this.editor.on) return;
    clearTimeout(this.timer);
    const node = game.at;
    const solved = view.over || view.alone || node.solution?.complete || this.searches.solving?.node === node;
    if (this.exact && !solved) this.searches.solve(game, node, 20);
    if (ended(node)) return;
    if (view.player < 0) {
      if (this.live) this.timer = setTimeout(() => this.play(think.drawn(view.legal)), 250);
    } else if (!this.seats[view.player].human && this.live) think.agentMove(this);
    else if (this.analysis) this.timer = setTimeout(() => think.analyse(this), 80);
  }

  /** A cell was picked; `careful`: by a finger, where cells are small, so that a second tap confirms it. */
  pick(cell, key = "", careful = false) {
    const { view, picker } = this;
    if (this.editor.on) return this.editor.put(cell);
    if (!view) this.early.push([cell, key, careful]); // the position is on its way
    if (!view || view.over || view.player < 0) return;
    if (key === "Enter" && picker.holds(cell)) return this.confirm();
    const move = picker.pick(cell, careful && Boolean(this.mayMove()));
    if (move) return this.human(move.name);
    this.refresh();
  }

  confirm() {
    if (this.picker.move) this.human(this.picker.move.name);
  }

  clear() {
    this.picker.clear();
    this.editor.cancel();
    this.refresh();
  }

  mayMove() {
    const { view } = this;
    return (
      view &&
      !ended(this.game.at) &&
      view.player >= 0 &&
      (this.seats[view.player].human || !this.live)
    );
  }

  /** A move by the reader: in an own seat the agents go on after it. */
  human(name) {
    if (!this.mayMove() || this.review.takes(name)) return;
    if (this.seats[this.view.player].human) this.live = true;
    nextStep();
    this.play(name);
  }

  play(name) {
    const { game, view } = this;
    const before = game.at;
    if (!view.legal.some((move) => move.name === name)) return;
    const fresh = !before.children.some((one) => one.move === name);
    const node = game.child(before, name);
    if (fresh) {
      if (view.player >= 0) node.used[view.player] += this.clocks.elapsed();
    }
    node.remark = slip(node);
    if (node.remark) toast(`${name}: ${node.remark}`, "warning");
    this.said = `${view.player < 0 ? "Chance" : sides(view)[view.player]} plays ${name}.${node.remark ? ` ${node.remark}.` : ""}`;
    this.goto(node);
  }

  /** Back to the reader's last decision; one move if the reader plays neither side. */
  undo() {
    let node = this.game.at.parent;
    const own = (one) => one.view && one.view.player >= 0 && this.seats[one.view.player].human;
    while (node?.parent && this.seatPanel.plays !== "neither" && !own(node)) node = node.parent;
    this.visit(node);
  }

  /** Sets agents going or lets them wait. */
  run(on = !this.live) {
    this.live = on;
    if (!on && this.searches.thinking?.source === "agent") this.searches.stop("think");
    if (!on) clearTimeout(this.timer);
    this.clocks.restart();
    this.refresh();
    this.proceed();
  }

  reseat() {
    if (this.searches.thinking?.source === "agent") this.searches.stop("think");
    this.live = this.seatPanel.plays !== "neither";
    if (!this.game) return;
    this.clocks.restart();
    this.refresh();
    this.proceed();
  }

  /** The view is left: nothing thinks or moves until it is shown again. */
  rest() {
    this.searches.stop();
    clearTimeout(this.timer);
  }

  toggle(name) {
    if (name === "analysis") this.analysis = !this.analysis;
    if (name === "exact") this.exact = !this.exact;
    if (name === "flip") this.flip = !this.flip;
    if (!this.analysis && this.searches.thinking?.source === "analysis") this.searches.stop("think");
    if (!this.exact) this.searches.stop("solve");
    if (name === "exact") this.note("");
    this.refresh();
    if (name !== "flip") this.proceed();
  }

  note(text, kind = "") {
    const news = $("status-note").textContent !== text;
    $("status-note").textContent = text;
    $("status-note").className = kind;
    if (kind === "calm" && news) announce(text);
  }

  /** Writes the game down for a reload. */
  save() {
    if (this.game) save(this.game, this.clocks.running ? this.clocks.elapsed() : 0);
  }

  #thought(node) {
    for (const child of node.children) child.remark = slip(child);
    if (node === this.game?.at) this.refreshThoughts();
  }

  #keepAddress() {
    const address = toHash(this.game, this.seats);
    keepAddress(address, this.game.id);
    localStorage.setItem("last", address); // where an installed page begins
  }

  /** Draws everything again from what is known. */
  refresh() {
    if (!this.view || $("play").hidden) return;
    if (this.game === this.wanted) this.#keepAddress(); // not over the address of one that is on its way
    if (this.editor.on) return this.editor.draw();
    show.position(this);
    this.review.show();
    this.refreshThoughts();
    this.clocks.tick();
    if (this.said) announce(`${this.said} ${$("status-text").textContent}.`);
    this.said = "";
  }

  refreshThoughts() {
    if (this.editor.on || !this.view) return; // the position is on its way, and this is about the last
    show.thoughts(this);
    this.controls.show();
  }
}
