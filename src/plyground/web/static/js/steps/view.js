/**
 * A search step by step: one phase of one simulation at a time, on a tree beside the board. This is the way through it;
 * parts.js builds what is seen, telling.js writes and stage.js plays what a step does.
 */

import * as api from "../api.js";
import { $, announce, compiling, toast, waiting } from "../dom.js";
import { parse } from "../spec.js";
import { keepAddress } from "../state.js";
import { drawn } from "../think.js";
import { build, JUMP, SEARCHES } from "./parts.js";
import { Run } from "./run.js";
import { pause, Stage } from "./stage.js";
import { Telling } from "./telling.js";
import { STOPS } from "./tour.js";
import { showStop } from "./tour_card.js";
import { phaseOf } from "./words.js";

const USUAL = { game: "tictactoe", start: "", moves: "", agent: "uct", seed: "0" };
const STEP = 1100; // milliseconds at speed 1
const SILENT = 400; // milliseconds after which a search that has not begun is said to be prepared

export class StepsView {
  constructor({ games, given, agents }) {
    this.agents = agents;
    this.at = { done: 0, frame: 0 };
    this.turn = 0; // of what is shown: whoever comes late shows nothing
    this.playing = false;
    this.speed = Number(localStorage.getItem("step-speed") ?? 0);
    this.tour = null;
    this.lost = null; // the step that was asked for when the connection was lost
    this.coming = null; // a promise of the step that was asked for last
    this.parts = build(this, { games, given, agents });
    this.telling = new Telling(this.parts, { agents, onchange: (spec) => this.change(spec) });
    this.stage = new Stage(this.parts);
    $("steps").keys = this.keys;
    document.addEventListener("keydown", (event) => this.#key(event));
    api.onConnection((online) => online && this.lost && this.go(...this.lost));
    new ResizeObserver(() => this.run?.kind && this.telling.tree(this)).observe(this.parts.treeHost);
  }

  /** What the keys do, for the list of them. */
  get keys() {
    return [
      ["ArrowRight", "forward one step", () => this.step(1)],
      ["ArrowLeft", "back one step", () => this.step(-1)],
      ["ArrowDown", "to the end of the simulation", () => this.toEnd()],
      ["ArrowUp", "to its beginning", () => this.toStart()],
      ["Home", "to the start of the search", () => this.go(0, 0)],
      [" ", "play or pause", () => this.play()],
      ["j", `${JUMP} simulations at once`, () => this.jump()],
      ["t", "the tour: on to its next stop", () => this.visit((this.tour ?? -1) + 1)],
    ];
  }

  #key(event) {
    if ($("steps").hidden || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
    if (["BUTTON", "SUMMARY", "A"].includes(target.tagName) && [" ", "Enter"].includes(event.key)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = this.keys.find(([name]) => name === key)?.[2];
    if (!act || !this.run) return;
    event.preventDefault();
    act();
  }

  // --- which search ------------------------------------------------------------------------------------------------

  /** Opens an address: a stop of the tour, or any step of any search. */
  async open(hash) {
    const words = Object.fromEntries(new URLSearchParams(hash.split(/\?(.*)/s)[1] ?? ""));
    if (words.tour !== undefined) return this.visit(Number(words.tour) - 1);
    if (!hash.includes("?") && this.run) return this.#stay();
    this.#endTour();
    return this.begin({ ...USUAL, ...words }, words.at, words.changes);
  }

  leave() {
    this.playing = false;
    this.lost = null;
    this.turn++;
    this.run?.stop();
  }

  /** Begins a search: what is not said stays as it is. */
  async begin(words, at = "0", changes = "[]") {
    const { gamePicker, agentPicker, moves: movesBefore } = this.parts;
    this.playing = false;
    this.search = { ...USUAL, ...this.search, ...words };
    const { game, start, moves, agent, seed } = this.search;
    const asked = { game, start, moves: moves.split(/\s+/).filter(Boolean), agent, seed: Number(seed) || 0 };
    this.run?.stop();
    this.run = new Run(asked, { onwait: (message) => this.#wait(message) });
    try {
      this.run.changes = JSON.parse(changes ?? "[]").map(([after, agent]) => ({ after, agent }));
    } catch {
      this.run.changes = [];
    }
    gamePicker.set(game);
    movesBefore.value = moves;
    agentPicker.set(agent);
    this.telling.live = null;
    const offer = (names) => agentPicker.offer(names.filter((name) => SEARCHES.includes(name)));
    api.able(game).then(offer, () => {}); // a game that makes no sense is told by its position
    const [done, frame = "0"] = String(at).split(".");
    return this.go(Number(done) || 0, frame);
  }

  /** Another search, from its start: the tour is over. */
  another(words) {
    this.#endTour();
    return this.begin(words);
  }

  otherSeed() {
    return this.another({ seed: String(Number(this.search.seed) + 1) });
  }

  /** A click on the board plays a move before the search. */
  pick(cell) {
    const moves = this.stage.view.legal.filter((move) => move.cells.includes(cell));
    if (moves.length === 1) this.extend(moves[0].name);
  }

  /** One move more before the search, at its start; later the board shows where the search is. */
  extend(name) {
    if (this.at.done || this.at.frame) return;
    this.another({ moves: `${this.search.moves} ${name}`.trim() });
  }

  /** Other options: while the search runs, if its kernel can take them; else from the start. */
  change(spec) {
    const now = parse(this.run.agentAt(this.at.done), this.agents);
    const next = parse(spec, this.agents);
    const differ = Object.keys({ ...now.values, ...next.values }).filter((key) => now.values[key] !== next.values[key]);
    const { kind, live: may } = this.run;
    const live = now.name === next.name && kind === "tree" && differ.every((key) => may.includes(key));
    this.#endTour();
    if (!live) return this.another({ agent: spec });
    const { done, frame } = this.at;
    const whole = frame > 0 && frame === this.run.frames(done + 1).length;
    const from = whole ? done + 1 : done;
    this.run.change(from, spec);
    announce(`From simulation ${from + 1} on: ${spec}`);
    return this.go(from, 1);
  }

  /** Goes to a stop of the tour, from 0 on; beyond the last it ends. */
  visit(number) {
    if (!(number >= 0 && number < STOPS.length)) {
      this.#endTour();
      return this.run ? this.#stay() : this.begin({});
    }
    this.tour = number;
    showStop(this.parts.tourHost, number, (to) => this.visit(to));
    const { at, ...search } = STOPS[number].words;
    return this.begin({ ...USUAL, ...search }, at);
  }

  #endTour() {
    this.tour = null;
    this.parts.tourHost.hidden = true;
  }

  /** The step that was shown before; what the reader did not wait for is asked again. */
  #stay() {
    return this.go(this.at.done, this.at.frame, { animate: false });
  }

  // --- which step --------------------------------------------------------------------------------------------------

  /** Shows a step: a number of simulations, and how far the next one has gone, or the phase to look for. */
  async go(done, frame, { animate = true } = {}) {
    const { run } = this;
    const turn = ++this.turn;
    this.lost = null;
    let root = null;
    const silent = setTimeout(() => turn === this.turn && !run.kind && this.#silent(root), SILENT);
    const fetched = async () => {
      root = await this.#first(run);
      if (turn === this.turn) this.root = root;
      return turn === this.turn ? run.need(Math.max(0, done)) : done;
    };
    try {
      const there = await (this.coming = fetched());
      if (turn !== this.turn) return;
      if (there < done) [done, frame] = [there, run.frames(there + 1).length];
      if (run.kind === "window") {
        const every = run.frames(1).length;
        const named = run.frames(1).findLastIndex((one) => one.type === frame) + 1;
        frame = Math.min(named || done || Number(frame) || 0, every);
        done = 0;
      } else if (Number.isNaN(Number(frame))) {
        frame = run.frames(done + 1).findIndex((one) => phaseOf(one.type) === frame) + 1;
      }
      this.at = { done, frame: Math.min(Number(frame), run.frames(done + 1).length) };
      this.peeked = null;
      await this.show(animate);
    } catch (error) {
      if (turn !== this.turn) return;
      if (error instanceof api.Gone) return void (this.lost = [done, frame]);
      this.playing = false;
      if (!run.kind) this.#nothing(root);
      this.telling.say(error.message, "");
      this.parts.title.textContent = "Step by step";
      toast(error.message, "error");
    } finally {
      clearTimeout(silent);
    }
  }

  /** The position that is searched: where chance is due, its outcome comes first, and stands among the moves before. */
  async #first({ search }) {
    let root = await api.position(search.game, search.start, search.moves);
    while (root.player < 0 && !root.over) {
      search.moves = [...search.moves, drawn(root.legal)];
      root = await api.position(search.game, search.start, search.moves);
      if (search === this.run.search) this.search.moves = this.parts.moves.value = search.moves.join(" ");
    }
    return root;
  }

  /** There is no search: nothing of the one before stays, and its position is shown, if that makes sense. */
  #nothing(root) {
    this.at = { done: 0, frame: 0 };
    this.telling.nothing();
    if (root) this.stage.draw(root);
  }

  /** One step forward or back. */
  step(by) {
    this.playing = false;
    return this.#move(by);
  }

  /** Is there a search to go through? Before, a step would miss where it begins; what is on its way comes first. */
  async #there() {
    if (!this.run.kind) return false;
    await this.coming?.catch(() => {});
    return true;
  }

  async #move(by) {
    if (!(await this.#there())) return null;
    const { done, frame } = this.at;
    const last = this.run.frames(done + 1).length;
    const next = frame + by;
    if (next >= 0 && next <= last && !(next === 0 && by < 0 && done > 0)) return this.go(done, next);
    if (this.run.kind === "window") return null;
    if (by > 0) return done + 1 < this.run.end ? this.go(done + 1, 1) : null;
    if (done === 0) return this.go(0, 0);
    await this.run.need(done - 1);
    return this.go(done - 1, this.run.frames(done).length);
  }

  async toEnd() {
    this.playing = false;
    if (!(await this.#there())) return null;
    const { done, frame } = this.at;
    const frames = this.run.frames(done + 1);
    if (this.run.kind === "window") {
      const next = frames.findIndex(({ event }, i) => i >= frame && event.type === "leave" && event.path.length === 1);
      return this.go(0, next < 0 ? frames.length : next + 1);
    }
    const next = frame < frames.length ? done : done + 1;
    return this.go(next, Infinity, { animate: false });
  }

  async toStart() {
    this.playing = false;
    if (!(await this.#there())) return null;
    return this.run.kind === "window" ? this.go(0, 0) : this.go(this.at.done, this.at.frame > 1 ? 1 : 0);
  }

  async jump() {
    this.playing = false;
    if (!(await this.#there())) return null;
    return this.run.kind === "window" ? this.go(0, this.at.frame + JUMP) : this.go(this.at.done + JUMP, 0);
  }

  /** Plays on by itself, or pauses. */
  async play() {
    this.playing = !this.playing;
    this.#buttons();
    const turn = (this.loop = {}); // an earlier one that still waits between two steps has ended
    while (this.playing && this.loop === turn) {
      const before = JSON.stringify(this.at);
      const mine = this.run;
      await this.#move(1);
      if (this.loop !== turn) return;
      if (mine !== this.run || JSON.stringify(this.at) === before) this.playing = false;
      if (this.playing) await pause(STEP / this.#pace());
    }
    this.#buttons();
  }

  setSpeed(speed) {
    this.speed = speed;
    localStorage.setItem("step-speed", String(speed));
  }

  #pace() {
    return 2 ** this.speed;
  }

  // --- what is shown -----------------------------------------------------------------------------------------------

  async show(animate = false) {
    const { run, at, turn } = this;
    this.frame = at.frame ? run.frames(at.done + 1)[at.frame - 1] : null;
    this.#buttons();
    this.telling.title(this);
    this.telling.tree(this);
    this.#address();
    await this.#position(turn, animate);
  }

  /** Looks at another node of the tree, until the next step. */
  async peek(path) {
    this.playing = false;
    this.peeked = path;
    const turn = ++this.turn;
    this.#buttons();
    this.telling.tree(this);
    await this.#position(turn, false);
  }

  #position(turn, animate) {
    const { frame, peeked, root } = this;
    const current = () => turn === this.turn;
    const pace = animate ? () => this.#pace() : null;
    return this.stage.show({ search: this.run.search, frame, peeked, root }, { current, pace });
  }

  #buttons() {
    const { at, run } = this;
    const { buttons } = this.parts;
    const frames = run.frames(at.done + 1).length;
    const first = at.done === 0 && at.frame === 0;
    const last = at.frame >= frames && (run.kind === "window" || at.done + 1 >= run.end);
    buttons.start.disabled = buttons.back.disabled = first;
    buttons.next.disabled = buttons.end.disabled = last;
    buttons.jump.disabled = run.kind === "window" || run.end <= at.done;
    buttons.play.textContent = this.playing ? "Pause" : "Play";
    buttons.play.setAttribute("aria-pressed", this.playing);
  }

  /** Says why there is no step yet: the server is away, or the search of a position is being prepared. */
  #silent(root) {
    if (api.connected()) return void (root && this.#wait({ type: "compiling" }));
    this.telling.nothing();
    this.parts.title.textContent = "The server is away";
    this.parts.words.textContent = "The search appears here when it is back.";
  }

  #wait(message) {
    const text = message.type === "compiling" ? compiling(message) : message.type === "waiting" ? waiting(message) : "";
    if (!text) return;
    this.parts.title.textContent = text;
    if (this.run.kind) return;
    this.telling.nothing(); // the search before has nothing to do with it
    this.stage.draw(this.root);
    const once = "What is searched for the first time is compiled, once: some seconds, later none.";
    this.parts.words.textContent = message.type === "compiling" ? once : "";
    this.parts.sum.textContent = "";
  }

  #address() {
    if (this.tour !== null) return keepAddress(`#steps?tour=${this.tour + 1}`);
    const { game, start, moves, agent, seed } = this.search;
    const words = new URLSearchParams({ game, agent });
    if (start) words.set("start", start);
    if (moves) words.set("moves", moves);
    if (seed !== "0") words.set("seed", seed);
    const { done, frame } = this.at;
    if (done || frame) words.set("at", frame ? `${done}.${frame}` : done);
    const changes = this.run.changes.map(({ after, agent }) => [after, agent]);
    if (changes.length) words.set("changes", JSON.stringify(changes));
    return keepAddress(`#steps?${words}`);
  }
}
