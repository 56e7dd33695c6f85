/** The Tetris view: a person at the keys, or an agent; sixty frames a second, drawn when something has changed. */

import * as api from "../../static/js/api.js";
import { announce, toast } from "../../static/js/dom.js";
import { WellDrawing } from "./drawing.js";
import { LISTED, listBest, parts } from "./parts.js";
import { Pilot } from "./pilot.js";
import { Pieces, Tetris } from "./rules.js";
import { best, record, storedOptions, storeOptions } from "./storage.js";

const KEYS = { arrowleft: "left", a: "left", arrowright: "right", d: "right", arrowup: "rotate", w: "rotate" };
Object.assign(KEYS, { arrowdown: "soft", s: "soft", " ": "hard" });
const REPEATS = { left: [0.17, 0.05], right: [0.17, 0.05], soft: [0.05, 0.05] }; // seconds to the first and the next
const LONGEST = 0.25; // seconds of a frame that count: a page that was away does not catch up
const NOTICES = { ready: "Press a key to start", touch: "Tap to start", paused: "Paused", over: "Game over" };
const TOUCH = matchMedia("(max-width: 800px), (pointer: coarse)"); // where view.css shows keys to touch

/** Builds the view in an element of the page; docs/api.md says what `page` offers. */
export const mount = (element, page) => new TetrisView(element, page);

class TetrisView {
  constructor(element, page) {
    Object.assign(this, { element, page, keys: LISTED });
    element.classList.add("tetris");
    this.options = storedOptions();
    this.auto = false; // does the agent play?
    this.state = "ready"; // or playing, paused, over
    this.game = this.thought = null;
    this.seed = null; // the one that was asked for
    this.held = new Map(); // keys that are down, with the seconds until they count again
    this.drawing = new WellDrawing();
    this.parts = parts(element, this, page);
    this.pilot = new Pilot({
      onthought: (thought) => this.#think(thought),
      onfail: (error) => this.#fail(error),
      onnote: (text) => (this.parts.note.textContent = text),
    });
    document.addEventListener("keydown", (event) => this.#down(event), true);
    document.addEventListener("keyup", (event) => this.release(KEYS[event.key.toLowerCase()]));
    document.addEventListener("visibilitychange", () => document.hidden && this.pause());
    window.addEventListener("blur", () => this.held.clear());
    api.onConnection((online) => online && this.#consult());
  }

  get shown() {
    return !this.element.hidden;
  }

  focus() {
    this.drawing.svg.focus();
  }

  /** Opens the well of an address; a game that was left waits as it was. */
  async open(words) {
    const spec = words.get("game") ?? "tetris";
    const number = /^\d+$/.test(words.get("seed") ?? "") ? Number(words.get("seed")) : null;
    const seed = Number.isSafeInteger(number) ? number : null;
    const same = spec === this.spec && seed === this.seed;
    if (!this.game || (String(words) && !same)) await this.#load(spec, seed);
    if (!this.game) await this.#load("tetris", null);
    if (words.has("agent")) {
      this.parts.agent.set(words.get("agent"));
      this.set("agent", words.get("agent"));
      this.setAuto(true);
    }
    this.#frame(performance.now());
  }

  async #load(spec, seed) {
    let able = [];
    try {
      [this.rules, able] = await Promise.all([this.page.request("figures", spec), api.able(spec)]);
    } catch (error) {
      toast(error.message, "error");
      if (this.spec) this.parts.game.set(this.spec);
      return;
    }
    Object.assign(this, { spec, seed });
    this.parts.agent.offer(able);
    this.parts.game.set(spec);
    this.parts.seed.value = seed ?? "";
    this.drawing.size(this.rules);
    this.element.classList.toggle("simplified", !this.rules.reference);
    this.auto = false;
    this.newGame(false);
  }

  /** Another game was picked: another well here, or a board in the play view. */
  choose(spec) {
    const ours = this.page.shows(spec);
    location.hash = this.page.address(spec, ours ? this.#seeded : {});
    if (!ours) this.parts.game.set(this.spec);
  }

  get #seeded() {
    return this.seed === null ? {} : { seed: this.seed };
  }

  reseed(text) {
    this.seed = text === "" ? null : Number(text);
    this.newGame(false);
  }

  newGame(play = true) {
    this.#forget();
    const seed = this.seed ?? Math.floor(Math.random() * 2 ** 32);
    this.game = new Tetris(this.rules, new Pieces(seed, this.rules.bag));
    this.hands = new Set(); // who has placed pieces
    this.fall = 0;
    this.held.clear();
    if (this.shown) this.page.keepAddress({ game: this.spec, ...this.#seeded }); // nobody has left meanwhile
    listBest(this.parts.best, best(this.spec), -1);
    this.#enter(play ? "playing" : "ready");
  }

  #enter(state) {
    this.state = state;
    const { notice, pause, restart, auto } = this.parts;
    for (const one of [pause, restart, auto]) one.disabled = false;
    notice.textContent = NOTICES[state === "ready" && TOUCH.matches ? "touch" : state] ?? "";
    notice.hidden = state === "playing";
    pause.textContent = state === "playing" ? "Pause" : state === "paused" ? "Go on" : "Start";
    pause.hidden = state === "over";
    auto.setAttribute("aria-pressed", this.auto);
    auto.textContent = this.auto ? "Take over" : "AI plays";
    this.changed = true;
    if (state === "playing") this.drawing.svg.focus({ preventScroll: true });
    if (state === "paused") announce("Paused");
    this.#consult();
  }

  toggle() {
    if (this.state === "playing") this.pause();
    else if (this.state !== "over") this.#enter("playing");
  }

  pause() {
    this.held.clear();
    if (this.state === "playing") this.#enter("paused");
  }

  /** The view is left. */
  leave() {
    this.pause();
    this.#forget();
    cancelAnimationFrame(this.frame);
  }

  /** Keeps an option; another agent is asked at once. */
  set(name, value) {
    this.options[name] = value;
    storeOptions(this.options);
    if (name === "pace") return this.drawing.svg.focus({ preventScroll: true });
    this.#forget();
    this.#consult();
  }

  setAuto(on) {
    if (!this.game) return;
    this.auto = on;
    this.#forget();
    if (!on) return this.#enter(this.state);
    this.held.clear();
    if (this.state === "over") return this.newGame();
    this.game.appear(); // placements are chosen at the top
    this.#enter("playing");
  }

  // --- the agent ---------------------------------------------------------------------------------------

  /** Asks the agent about the piece, if it plays or advises and has not been asked. */
  #consult() {
    const { game, pilot, thought } = this;
    if (!game || game.over || this.state !== "playing" || !this.shown) return;
    if (!(this.auto || this.options.advice) || thought || pilot.task) return;
    pilot.ask(this.spec, game, this.options);
  }

  /** What was thought or asked is of no use any more. */
  #forget() {
    this.pilot.drop();
    this.thought = null;
    this.changed = true;
  }

  #think(thought) {
    this.thought = thought;
    this.parts.note.textContent = "";
    this.changed = true;
    if (!this.auto) return;
    if (this.pilot.begin(this.game, thought, this.options.pace)) return;
    this.#fail(new Error("the agent's placement cannot be reached by keys"));
  }

  #fail(error) {
    this.parts.note.textContent = "";
    if (error instanceof api.Gone) return; // asked again when the connection is back
    toast(error.message, "error");
    if (this.auto) this.setAuto(false);
    if (this.options.advice) this.pause();
  }

  // --- keys --------------------------------------------------------------------------------------------

  #down(event) {
    if (!this.shown || !this.game || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const { tagName, type } = event.target;
    if (["SELECT", "TEXTAREA"].includes(tagName) || (tagName === "INPUT" && type !== "checkbox")) return;
    const key = event.key.toLowerCase();
    if (key === " " && ["BUTTON", "SUMMARY", "INPUT"].includes(tagName)) return;
    const acts = { p: () => this.toggle(), n: () => this.newGame(), i: () => this.setAuto(!this.auto) };
    if (!(key in acts) && !(key in KEYS)) return;
    event.preventDefault();
    if (event.repeat) return;
    if (key in acts) acts[key]();
    else this.hold(KEYS[key]);
  }

  /** A key goes down: it counts at once, and again while it is held. */
  hold(key) {
    if (!this.game) return;
    if (this.state === "ready") return this.#enter("playing");
    if (this.state !== "playing" || this.auto) return;
    if (key in REPEATS) this.held.set(key, REPEATS[key][0]);
    this.#press(key);
  }

  release(key) {
    this.held.delete(key);
  }

  #press(key) {
    const { game } = this;
    const before = game.placed;
    if (!game.press(key)) return;
    this.changed = true;
    if (key === "soft") this.fall = 0;
    if (game.placed === before) return;
    this.hands.add(this.auto ? this.options.agent : "you");
    this.fall = 0;
    this.held.delete("soft"); // the next piece falls by itself
    this.#forget();
    if (game.over) this.#end();
    else this.#consult();
  }

  #end() {
    const { lines, level } = this.game;
    const place = record(this.spec, { score: this.points, lines, level, who: [...this.hands].join(" and ") });
    listBest(this.parts.best, best(this.spec), place);
    announce(`Game over: ${this.points} points, ${lines} lines`);
    this.#enter("over");
  }

  /** The score by the rules of this well. */
  get points() {
    return this.rules.reference ? this.game.score : this.game.lines;
  }

  // --- frames ------------------------------------------------------------------------------------------

  #frame(now) {
    cancelAnimationFrame(this.frame);
    if (!this.shown) return;
    this.frame = requestAnimationFrame((then) => this.#frame(then));
    const seconds = Math.min(LONGEST, Math.max(0, (now - (this.last ?? now)) / 1000));
    this.last = now;
    if (this.state === "playing") this.#pass(seconds);
    if (this.changed) this.#draw();
  }

  /** Lets time pass: the agent presses keys, or held keys count and the piece falls. */
  #pass(seconds) {
    if (this.auto) {
      for (const key of this.pilot.due(seconds, this.options.pace)) this.#press(key);
      return;
    }
    for (const [key, rest] of this.held) {
      this.held.set(key, rest - seconds);
      while (this.held.get(key) <= 0) {
        this.held.set(key, this.held.get(key) + REPEATS[key][1]);
        this.#press(key);
      }
    }
    this.fall += seconds;
    while (this.state === "playing" && this.fall >= this.game.interval) {
      this.fall -= this.game.interval;
      this.#press("tick");
    }
  }

  #draw() {
    const { game, parts: shown } = this;
    this.changed = false;
    this.drawing.show(game, this.thought);
    const figures = { score: this.points, level: game.level, lines: game.lines, combo: game.combo };
    for (const [name, value] of Object.entries(figures)) shown.figures[name].textContent = value.toLocaleString("en");
    const start = new URLSearchParams({ game: this.spec, start: game.diagram(), first: "human" });
    shown.look.hidden = game.over;
    shown.look.href = `#play?${start}`;
  }
}
