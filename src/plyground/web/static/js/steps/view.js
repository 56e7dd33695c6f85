/** A search step by step: one phase of one simulation at a time, on a tree beside the board. */

import * as api from "../api.js";
import { Board } from "../board.js";
import { $, announce, button, compiling, fill, h, icon, toast, waiting } from "../dom.js";
import { AgentPicker, field, GamePicker } from "../forms.js";
import { chip, sides } from "../look.js";
import { build, nameOf, parse } from "../spec.js";
import { keepAddress } from "../state.js";
import { figures, TreeDrawing } from "./drawing.js";
import { tableOf, treeAt, walked, windowAt } from "./model.js";
import { Run } from "./run.js";
import { STOPS } from "./tour.js";
import { FORMULAS, PHASES, phaseOf, said, saidOfWindow } from "./words.js";

const SEARCHES = ["uct", "rave", "guided", "alphazero", "alphago", "minimax", "alphabeta"];
const USUAL = { game: "tictactoe", start: "", moves: "", agent: "uct", seed: "0" };
const STEP = 1100; // milliseconds at speed 1
const ROLLED = 2400; // of a whole roll-out
const JUMP = 50; // simulations at once
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const on = (is) => ({ class: is ? "on" : "", "aria-current": is ? "step" : null });

export class StepsView {
  constructor({ games, given, agents }) {
    this.agents = agents;
    this.at = { done: 0, frame: 0 };
    this.turn = 0; // of what is shown: whoever comes late shows nothing
    this.playing = false;
    this.speed = Number(localStorage.getItem("step-speed") ?? 0);
    this.tour = null;
    this.#build(games, given);
    document.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.run?.kind && this.#tree()).observe(this.treeHost);
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

  #build(games, given) {
    const host = $("steps");
    host.keys = this.keys;
    this.title = h("span", { id: "steps-title" }, "Step by step");
    this.boardHost = h("div", { class: "board-host", id: "steps-board" });
    this.board = new Board(this.boardHost, {
      label: "Position of the step",
      onpick: (cell) => this.#pick(cell),
      onmove: (name) => this.#extend(name),
    });
    this.buttons = {
      start: button("steps-start", icon("start"), "To the start (Home)", () => this.go(0, 0)),
      back: button("steps-back", icon("back"), "Back one step (←)", () => this.step(-1)),
      play: button("steps-play", "Play", "Play or pause (Space)", () => this.play()),
      next: button("steps-next", icon("forward"), "Forward one step (→)", () => this.step(1)),
      end: button("steps-end", icon("end"), "To the end of the simulation (↓)", () => this.toEnd()),
      jump: button("steps-jump", `+${JUMP}`, `${JUMP} simulations at once (J)`, () => this.jump()),
    };
    const speed = h("input", { type: "range", min: -2, max: 5, step: 0.5, value: this.speed, "aria-label": "Speed" });
    speed.addEventListener("input", () => {
      this.speed = Number(speed.value);
      localStorage.setItem("step-speed", speed.value);
    });
    const pace = h("label", { class: "pace", title: "Speed" }, "slow", speed, "fast");
    const words = { class: "controls", role: "toolbar", "aria-label": "Steps" };
    const bar = h("div", words, Object.values(this.buttons), pace);
    this.phases = h("ol", { class: "phases", "aria-label": "Phases of a simulation" });
    this.words = h("p", { class: "step-words" });
    this.sum = h("p", { class: "step-sum" });
    this.formula = h("p", { class: "help" });
    this.tourHost = h("div", { class: "tour card", hidden: true, role: "region", "aria-label": "Tour" });
    const saying = h("div", { class: "card saying" }, this.phases, this.words, this.sum);
    this.treeHost = h("div", { class: "tree-host", tabindex: 0, role: "region", "aria-label": "Tree, scrollable" });
    this.legend = h("small");
    this.tree = new TreeDrawing(this.treeHost, { onpick: (path) => this.peek(path) });
    this.tableTitle = h("h2", {}, "Children");
    this.tableHost = h("div", { class: "table-host" });
    this.liveHost = h("div", { class: "fields live" });
    const another = (game) => this.#another({ game, start: "", moves: "" });
    this.gamePicker = new GamePicker({ games, given, onchange: another });
    const searching = this.agents.filter((agent) => SEARCHES.includes(agent.name));
    this.agentPicker = new AgentPicker({ agents: searching, label: "Agent", onchange: (spec) => this.#options(spec) });
    this.moves = h("input", { type: "text", spellcheck: false, id: "steps-moves", placeholder: "none: the start" });
    this.moves.addEventListener("change", () => this.#another({ moves: this.moves.value.trim() }));
    const tour = button("steps-tour", "Take the tour", "A tour of ten stops", () => this.visit(0));
    tour.classList.add("primary");
    const seed = button("steps-seed", "Other random numbers", "The same search by other random numbers", () =>
      this.#another({ seed: String(Number(this.search.seed) + 1) }),
    );
    const card = (...parts) => h("div", { class: "card" }, parts);
    fill(
      host,
      h(
        "section",
        { class: "steps-left", "aria-label": "Board and controls" },
        h("div", { class: "status" }, h("span", { id: "steps-stone" }), this.title),
        this.boardHost,
        bar,
        saying,
      ),
      h(
        "section",
        { class: "steps-right", "aria-label": "Tree" },
        this.tourHost,
        card(h("h2", {}, "Tree ", this.legend), this.treeHost),
        card(this.tableTitle, this.formula, this.tableHost),
      ),
      h(
        "section",
        { class: "steps-setup", "aria-label": "Search" },
        card(
          h("h2", {}, "Search"),
          h("div", { class: "row" }, tour, seed),
          h("h3", {}, "Agent"),
          this.agentPicker.element,
          h("h3", {}, "Change while it runs"),
          this.liveHost,
        ),
        card(
          h("h2", {}, "Position"),
          this.gamePicker.element,
          h("div", { class: "field" }, h("label", { for: "steps-moves" }, "Moves before"), this.moves),
        ),
      ),
    );
  }

  /** Opens an address: a stop of the tour, or any step of any search. */
  async open(hash) {
    const words = Object.fromEntries(new URLSearchParams(hash.split(/\?(.*)/s)[1] ?? ""));
    if (words.tour !== undefined) return this.visit(Number(words.tour) - 1);
    if (!hash.includes("?") && this.run) return this.show();
    this.#endTour();
    return this.begin({ ...USUAL, ...words }, words.at, words.changes);
  }

  leave() {
    this.playing = false;
    this.turn++;
    this.run?.stop();
  }

  /** Begins a search: what is not said stays as it is. */
  async begin(words, at = "0", changes = "[]") {
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
    this.gamePicker.set(game);
    this.moves.value = moves;
    this.agentPicker.set(agent);
    this.live = null;
    const offer = (names) => this.agentPicker.offer(names.filter((name) => SEARCHES.includes(name)));
    api.able(game).then(offer, () => {}); // a game that makes no sense is told by its position
    const [done, frame = "0"] = String(at).split(".");
    return this.go(Number(done) || 0, frame);
  }

  /** Shows a step: a number of simulations, and how far the next one has gone, or the phase to look for. */
  async go(done, frame, { animate = true } = {}) {
    const { run } = this;
    const turn = ++this.turn;
    try {
      this.view ??= null;
      this.root = await api.position(run.search.game, run.search.start, run.search.moves);
      const there = await run.need(Math.max(0, done));
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
      if (turn !== this.turn || error instanceof api.Gone) return;
      this.playing = false;
      this.#say(error.message, "");
      this.title.textContent = "Step by step";
      toast(error.message, "error");
    }
  }

  /** One step forward or back. */
  step(by) {
    this.playing = false;
    return this.#move(by);
  }

  async #move(by) {
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

  toEnd() {
    this.playing = false;
    const { done, frame } = this.at;
    const frames = this.run.frames(done + 1);
    if (this.run.kind === "window") {
      const next = frames.findIndex(({ event }, i) => i >= frame && event.type === "leave" && event.path.length === 1);
      return this.go(0, next < 0 ? frames.length : next + 1);
    }
    const next = frame < frames.length ? done : done + 1;
    return this.go(next, Infinity, { animate: false });
  }

  toStart() {
    this.playing = false;
    return this.run.kind === "window" ? this.go(0, 0) : this.go(this.at.done, this.at.frame > 1 ? 1 : 0);
  }

  jump() {
    this.playing = false;
    return this.run.kind === "window" ? this.go(0, this.at.frame + JUMP) : this.go(this.at.done + JUMP, 0);
  }

  /** Plays on by itself, or pauses. */
  async play() {
    this.playing = !this.playing;
    this.#buttons();
    while (this.playing) {
      const before = JSON.stringify(this.at);
      const mine = this.run;
      await this.#move(1);
      if (mine !== this.run || JSON.stringify(this.at) === before) this.playing = false;
      if (this.playing) await pause(STEP / this.#pace());
    }
    this.#buttons();
  }

  #pace() {
    return 2 ** this.speed;
  }

  /** Other options: while the search runs, if its kernel can take them; else from the start. */
  #options(spec) {
    const now = parse(this.run.agentAt(this.at.done), this.agents);
    const next = parse(spec, this.agents);
    const differ = Object.keys({ ...now.values, ...next.values }).filter((key) => now.values[key] !== next.values[key]);
    const { kind, live: may } = this.run;
    const live = now.name === next.name && kind === "tree" && differ.every((key) => may.includes(key));
    this.#endTour();
    if (!live) return this.#another({ agent: spec });
    const { done, frame } = this.at;
    const whole = frame > 0 && frame === this.run.frames(done + 1).length;
    const from = whole ? done + 1 : done;
    this.run.change(from, spec);
    announce(`From simulation ${from + 1} on: ${spec}`);
    return this.go(from, 1);
  }

  // --- what is shown -----------------------------------------------------------------------------------------------

  async show(animate = false) {
    const { run, at } = this;
    const turn = this.turn;
    const frames = run.frames(at.done + 1);
    this.frame = at.frame ? frames[at.frame - 1] : null;
    this.#buttons();
    this.#title();
    this.#tree();
    this.#address();
    await this.#position(turn, animate);
  }

  #title() {
    const { run, at, frame } = this;
    const names = sides(this.root);
    if (run.kind === "window") {
      const { depth } = windowAt(run, at.frame);
      const all = `${run.frames(1).length}${run.complete ? "" : "+"}`;
      this.title.textContent = at.frame ? `Depth ${depth} · step ${at.frame} of ${all}` : "Before the search";
      const none = ["Nothing has been looked at yet. Values, α and β are the first player’s.", ""];
      const [text, sum] = frame ? saidOfWindow(frame.event, names) : none;
      fill(this.phases);
      return this.#say(text, sum);
    }
    const phase = frame && phaseOf(frame.type);
    const after = `After ${at.done} simulation${at.done === 1 ? "" : "s"}`;
    this.title.textContent = frame ? `Simulation ${at.done + 1} · ${phase}` : after;
    fill(
      this.phases,
      PHASES.map(([key, text]) => h("li", on(phase === key), text)),
    );
    const ended = " The search has ended: the root is proven, or its simulations are spent.";
    const still = `${at.done ? "The tree as it stands." : "Nothing but the root."}${run.end <= at.done ? ended : ""}`;
    const [text, sum] = frame ? said(frame, names, "…") : [still, ""];
    return this.#say(text, sum);
  }

  #say(text, sum) {
    this.words.textContent = text;
    this.sum.textContent = sum;
    announce(`${text} ${sum}`);
  }

  #tree() {
    const { run, at, frame } = this;
    if (run.kind === "window") {
      const { cards, path } = windowAt(run, at.frame);
      this.legend.textContent = "α, β window · = value, for the first player · ✂ cut-off";
      this.tree.show(cards, this.peeked ?? path);
      this.tableTitle.parentElement.hidden = true;
      this.live = null;
      fill(this.liveHost, h("p", { class: "help whole" }, "Minimax and alpha-beta begin anew with other options."));
      return;
    }
    const { cards, nodes, path } = treeAt(run, at.done, at.frame);
    const prior = nodes.some((node) => node.prior !== undefined) ? "P prior · " : "";
    this.legend.textContent = `N visits · Q mean result · ${prior}U exploration · Σ sum`;
    const lit = walked(run, at.done, at.frame);
    for (const card of cards) {
      if (card.path.every((move, i) => move === lit[i])) card.marks = [...(card.marks ?? []), "walked"];
    }
    this.tree.show(cards, this.peeked ?? path);
    const parent = this.peeked ?? (frame?.type === "select" ? frame.event.path : []);
    const { columns, rows, of } = tableOf(this.peeked ? null : frame, nodes, parent);
    this.tableTitle.parentElement.hidden = false;
    const where = parent.length ? `after ${parent.join(" ")}` : "of the root";
    this.tableTitle.textContent = `Children ${where}${rows.length < of ? ` · ${rows.length} of ${of}` : ""}`;
    const formula = FORMULAS[nameOf(run.search.agent)];
    this.formula.textContent = formula ? `sum = ${formula}` : "";
    fill(this.tableHost, rows.length ? figures(columns, rows) : h("p", { class: "help" }, "none yet"));
    this.#live();
  }

  /** The options that may change on the way. */
  #live() {
    const spec = this.run.agentAt(this.at.done);
    if (this.live === spec) return;
    this.live = spec;
    const { name, values } = parse(spec, this.agents);
    const entry = this.agents.find((one) => one.name === name);
    const may = entry.parameters.filter((parameter) => this.run.live.includes(parameter.name));
    fill(
      this.liveHost,
      may.map((parameter) =>
        field(parameter, values[parameter.name], (value) => {
          const next = { ...values };
          if (value === undefined) delete next[parameter.name];
          else next[parameter.name] = value;
          this.#options(build(entry, next));
        }),
      ),
    );
  }

  /** The board: the node that the step is about, a move that is chosen there, or a roll-out move by move. */
  async #position(turn, animate) {
    const { run, frame } = this;
    const { game, start, moves } = run.search;
    const at = async (path) => api.position(game, start, [...moves, ...path]);
    const event = frame?.event;
    const path = this.peeked ?? (frame?.type === "back up" ? event.updates[frame.upto].path : event?.path) ?? [];
    const view = await at(path);
    if (turn !== this.turn) return;
    this.#draw(view);
    if (this.peeked || !event) return;
    if (frame.type === "select" || (frame.type === "expand" && event.of === 1) || frame.type === "cut") {
      const name = event.move ?? event.moves[0];
      const cells = view.legal.find((move) => move.name === name)?.cells ?? [];
      this.board.mark("target", cells);
      if (view.player >= 0) this.board.preview(cells, view.player);
    } else if (frame.type === "simulate" && event.moves.length) {
      await this.#rollOut(turn, path, at, animate);
    }
  }

  async #rollOut(turn, path, at, animate) {
    const { moves } = this.frame.event;
    const names = sides(this.root);
    const fast = this.#pace() > 8 || calm() || !animate;
    const frames = Math.min(moves.length, 60);
    for (let i = fast ? frames : 1; i <= frames; i++) {
      const upto = Math.round((i * moves.length) / frames);
      const view = await at([...path, ...moves.slice(0, upto)]);
      if (turn !== this.turn) return;
      this.#draw(view);
      const how = upto < moves.length ? `${moves[upto - 1]}, move ${upto}…` : outcome(view, names);
      const [text, sum] = said(this.frame, names, how);
      this.words.textContent = text;
      this.sum.textContent = upto < moves.length ? "" : sum;
      if (i < frames) await pause(Math.min(260, ROLLED / frames) / this.#pace());
      if (turn !== this.turn) return;
    }
    announce(`${this.words.textContent} ${this.sum.textContent}`);
  }

  #draw(view) {
    this.view = view;
    this.board.show(view);
    this.board.clear();
    this.board.mark("target", []);
    fill($("steps-stone"), view.player >= 0 && !view.over ? chip(view, view.player) : "");
  }

  /** Looks at another node of the tree, until the next step. */
  async peek(path) {
    this.playing = false;
    this.peeked = path;
    const turn = ++this.turn;
    this.#buttons();
    this.#tree();
    await this.#position(turn, false);
  }

  /** A click on the board, at the start of a search, plays a move before it. */
  #pick(cell) {
    if (this.at.done || this.at.frame) return;
    const moves = this.view.legal.filter((move) => move.cells.includes(cell));
    if (moves.length === 1) this.#extend(moves[0].name);
  }

  #extend(name) {
    this.#another({ moves: `${this.search.moves} ${name}`.trim() });
  }

  /** Another search, from its start: the tour is over. */
  #another(words) {
    this.#endTour();
    return this.begin(words);
  }

  #buttons() {
    const { buttons, at, run } = this;
    const frames = run.frames(at.done + 1).length;
    const first = at.done === 0 && at.frame === 0;
    const last = at.frame >= frames && (run.kind === "window" || at.done + 1 >= run.end);
    buttons.start.disabled = buttons.back.disabled = first;
    buttons.next.disabled = buttons.end.disabled = last;
    buttons.jump.disabled = run.kind === "window" || run.end <= at.done;
    buttons.play.textContent = this.playing ? "Pause" : "Play";
    buttons.play.setAttribute("aria-pressed", this.playing);
  }

  #wait(message) {
    const text = message.type === "compiling" ? compiling(message) : message.type === "waiting" ? waiting(message) : "";
    if (text) this.title.textContent = text;
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

  // --- the tour ----------------------------------------------------------------------------------------------------

  /** Goes to a stop of the tour, from 0 on; beyond the last it ends. */
  visit(number) {
    if (!(number >= 0 && number < STOPS.length)) {
      this.#endTour();
      return this.run ? this.show() : this.begin({});
    }
    const { title, text, words } = STOPS[number];
    this.tour = number;
    const go = (to) => () => this.visit(to);
    const stops = STOPS.map((stop, i) =>
      h("a", { href: `#steps?tour=${i + 1}`, title: stop.title, ...on(i === number) }, String(i + 1)),
    );
    const last = number + 1 === STOPS.length;
    const next = { type: "button", id: "tour-next", class: "primary", onclick: go(number + 1) };
    fill(
      this.tourHost,
      h(
        "div",
        { class: "tour-head" },
        h("h2", {}, `${number + 1}. ${title}`),
        h("nav", { "aria-label": "Stops of the tour" }, stops),
      ),
      h("p", {}, text),
      h(
        "div",
        { class: "row" },
        number > 0 && h("button", { type: "button", onclick: go(number - 1) }, "Back"),
        h("button", next, last ? "End the tour" : "Next"),
        h("span", { class: "grow" }),
        !last && h("button", { type: "button", class: "quiet small", onclick: go(STOPS.length) }, "Leave"),
      ),
    );
    this.tourHost.hidden = false;
    const { at, ...search } = words;
    return this.begin({ ...USUAL, ...search }, at);
  }

  #endTour() {
    this.tour = null;
    this.tourHost.hidden = true;
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
}

/** How a game that was played out has ended. */
function outcome(view, names) {
  if (view.alone) return "as far as it is looked.";
  if (!view.over) return "as far as the roll-out goes.";
  return view.score === 0 ? "drawn." : `${names[view.score > 0 ? 0 : 1]} wins.`;
}
