/** The players' panel: who sits where, with which options, clock and budget a move. */

import { fill, h } from "./dom.js";
import { AgentPicker } from "./forms.js";
import { chip, sides } from "./look.js";
import { nameOf } from "./spec.js";

/** What bounds a seat: its clock, and an agent's budget a move. */
const LIMITS = [
  {
    name: "minutes",
    label: "min a game",
    title: "Minutes for the whole game; empty: no clock",
    min: 0,
    max: 600,
    step: "any",
  },
  {
    name: "seconds",
    label: "s a move",
    title: "Seconds a move; empty: as the agent's options say",
    min: 0,
    max: 60,
    step: "any",
  },
  {
    name: "simulations",
    label: "sims a move",
    title: "Simulations a move; empty: as the agent's options say",
    min: 1,
    max: 10_000_000,
    step: 1,
  },
];
const PLAYS = ["first", "second", "both", "neither"];
const ALONE = { first: "yes", neither: "no", second: "", both: "" }; // in a game of one player

export class Seats {
  /** `seats` is the pair of {human, agent, minutes, seconds, simulations} that this panel edits; `onchange()` tells of an edit. */
  constructor(host, { agents, seats, onchange }) {
    Object.assign(this, { seats, onchange });
    this.usual = "uct"; // the agent that people meet in the game that is shown
    this.quick = PLAYS.map((word) =>
      h("button", { type: "button", data: { plays: word }, onclick: () => this.take(word) }, word),
    );
    const quick = h("div", { class: "segments", role: "group", "aria-label": "You play" }, this.quick);
    this.rows = [0, 1].map((player) => this.#seat(agents, player));
    fill(
      host,
      h("div", { class: "quick" }, h("span", { class: "dim" }, "You play"), quick),
      this.rows.map((r) => r.element),
    );
  }

  #seat(agents, player) {
    const seat = this.seats[player];
    const name = h("span", { class: "side-name" });
    const stone = h("span", { class: "seat-stone" });
    const time = h("span", { class: "clock", role: "timer", title: "Time used" });
    const picker = new AgentPicker({
      agents,
      label: player ? "Second player" : "First player",
      human: true,
      onchange: (spec) => {
        seat.human = spec === "human";
        if (!seat.human) seat.agent = spec;
        this.show();
        this.onchange();
      },
    });
    const level = h("select", { "aria-label": `${player ? "Second" : "First"} player: level`, class: "level" });
    level.addEventListener("change", () => picker.choose(level.value));
    const limits = LIMITS.map((limit) => this.#limit(seat, limit, player));
    const element = h(
      "div",
      { class: "seat" },
      h("div", { class: "seat-head" }, stone, name, h("span", { class: "grow" }), time),
      level,
      picker.element,
      h(
        "div",
        { class: "limits" },
        limits.map((one) => one.element),
      ),
    );
    return { element, name, stone, time, level, picker, limits };
  }

  /** One number that bounds a seat's time or work; empty for no bound. */
  #limit(seat, { name, label, title, ...bounds }, player) {
    const id = `${player ? "second" : "first"}-${name}`;
    const input = h("input", { type: "number", placeholder: "–", id, title, ...bounds });
    input.addEventListener("change", () => {
      if (!input.checkValidity()) return void input.reportValidity();
      seat[name] = input.value === "" ? null : Number(input.value);
      this.onchange();
    });
    return { name, input, element: h("div", { class: "field" }, h("label", { for: id, title }, label), input) };
  }

  /** Those who sit here change their seats. */
  swap() {
    const [first, second] = this.seats.map((seat) => ({ ...seat }));
    Object.assign(this.seats[0], second);
    Object.assign(this.seats[1], first);
    this.show();
  }

  /** Seats the reader: first, second, both or neither. */
  take(word) {
    this.seats[0].human = word === "first" || word === "both";
    this.seats[1].human = word === "second" || word === "both";
    this.show();
    this.onchange();
  }

  /**
   * Another game may have another usual agent: it takes the seats, or the agents that were last chosen among such
   * games do, unless they are not `able` to play this one; `told` names those that an address asks for. `levels` are
   * the opponents that the game offers.
   */
  meet(usual, told, able, levels) {
    this.levels = levels;
    this.seats.forEach((seat, player) => {
      if (usual !== this.usual) {
        seat.chosen = { ...seat.chosen, [this.usual]: seat.agent };
        seat.agent = seat.chosen[usual] ?? usual;
      }
      seat.agent = told[player] ?? (able.includes(nameOf(seat.agent)) ? seat.agent : usual);
      this.rows[player].picker.offer(able, seat.human ? "human" : seat.agent);
    });
    this.usual = usual;
  }

  get plays() {
    const [a, b] = this.seats.map((seat) => seat.human);
    if (this.view?.alone) return a ? "first" : "neither";
    return a ? (b ? "both" : "first") : b ? "second" : "neither";
  }

  /** Shows the seats as they are; with a View, also the stones and whose turn it is. */
  show(view = this.view) {
    this.view = view;
    const alone = Boolean(view?.alone);
    for (const button of this.quick) {
      const word = button.dataset.plays;
      button.setAttribute("aria-pressed", String(word === this.plays));
      button.textContent = alone ? ALONE[word] : word;
      button.hidden = !button.textContent;
    }
    this.rows[1].element.hidden = alone;
    this.rows.forEach((row, player) => {
      const seat = this.seats[player];
      const spec = seat.human ? "human" : seat.agent;
      if (row.picker.spec !== spec) row.picker.set(spec);
      this.#showLevel(row, seat);
      for (const { name, input, element } of row.limits) {
        element.classList.toggle("gone", seat.human && name !== "minutes");
        if (document.activeElement !== input) input.value = seat[name] ?? "";
      }
      if (!view) return;
      row.name.textContent = sides(view)[player] ?? "";
      fill(row.stone, chip(view, player));
      row.element.classList.toggle("turn", !view.over && view.player === player);
    });
  }

  /** The level of an agent, where it is one of those that the game offers and has no option for it. */
  #showLevel(row, seat) {
    const levels = this.levels ?? [];
    const own = levels.find((one) => one.agent === seat.agent);
    row.level.hidden = seat.human || !own || row.picker.plain.childElementCount > 0;
    if (row.level.hidden) return;
    fill(
      row.level,
      levels.map((one) => h("option", { value: one.agent }, one.name)),
    );
    row.level.value = own.agent;
  }

  /** What an agent is called: its level and its name, "casual uct"; by its name alone, if it is none of the levels. */
  called(player) {
    const { agent } = this.seats[player];
    const name = nameOf(agent).split("/").at(-1);
    const level = this.levels?.find((one) => one.agent === agent)?.name;
    return level ? `${level} ${name}` : name;
  }

  /** Shows the clocks' texts; `left` has the seconds of a side that plays against a clock, else null. */
  clocks(texts, left) {
    this.rows.forEach((row, player) => {
      if (row.time.textContent !== texts[player]) row.time.textContent = texts[player];
      row.time.title = left[player] === null ? "Time used" : "Time left";
      row.time.classList.toggle("short", left[player] !== null && left[player] < 10);
    });
  }
}
