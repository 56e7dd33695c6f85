/** The players' panel: who sits where, with which options and how long a move may take, and the clocks. */

import { clock, fill, h, s } from "./dom.js";
import { AgentPicker } from "./forms.js";
import { drops } from "./geometry.js";

/** What the sides of a game are called, by the look of their stones. */
export function sides(view) {
  if (view.board.shape === "intersections") return ["Black", "White"];
  if (view.board.shape === "cells") return drops(view) ? ["Blue", "Red"] : ["X", "O"];
  return ["First", "Second"];
}

/** A small picture of a player's stone. */
export function chip(view, player) {
  const kind =
    view.board.shape === "intersections" ? "go" : view.board.shape === "cells" && !drops(view) ? "sign" : "plain";
  const box = s("svg", { viewBox: "0 0 20 20", class: `chip ${kind} p${player}`, "aria-hidden": "true" });
  if (kind === "sign" && player === 0) box.append(s("path", { d: "M5 5L15 15M15 5L5 15" }));
  else box.append(s("circle", { cx: 10, cy: 10, r: kind === "sign" ? 5.5 : 8 }));
  return box;
}

const PLAYS = ["first", "second", "both", "neither"];

export class Seats {
  /** `seats` is the pair of {human, agent, seconds} that this panel edits; `onchange()` tells of an edit. */
  constructor(host, { agents, seats, onchange }) {
    Object.assign(this, { seats, onchange });
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
    const seconds = h("input", { type: "number", min: 0, max: 60, step: "any", placeholder: "–" });
    seconds.addEventListener("change", () => {
      if (!seconds.checkValidity()) return void seconds.reportValidity();
      seat.seconds = seconds.value === "" ? null : Number(seconds.value);
      this.onchange();
    });
    const limit = h(
      "label",
      { class: "seconds", title: "Seconds a move; empty: as the agent's options say" },
      seconds,
      "s a move",
    );
    const element = h(
      "div",
      { class: "seat" },
      h("div", { class: "seat-head" }, stone, name, h("span", { class: "grow" }), time),
      h("div", { class: "seat-agent" }, picker.element, limit),
    );
    return { element, name, stone, time, picker, seconds, limit };
  }

  /** Seats the reader: first, second, both or neither. */
  take(word) {
    this.seats[0].human = word === "first" || word === "both";
    this.seats[1].human = word === "second" || word === "both";
    this.show();
    this.onchange();
  }

  get plays() {
    const [a, b] = this.seats.map((seat) => seat.human);
    return a ? (b ? "both" : "first") : b ? "second" : "neither";
  }

  /** Shows the seats as they are; with a View, also the stones and whose turn it is. */
  show(view = this.view) {
    this.view = view;
    for (const button of this.quick) button.setAttribute("aria-pressed", String(button.dataset.plays === this.plays));
    this.rows.forEach((row, player) => {
      const seat = this.seats[player];
      const spec = seat.human ? "human" : seat.agent;
      if (row.picker.spec !== spec) row.picker.set(spec);
      row.limit.classList.toggle("gone", seat.human);
      if (document.activeElement !== row.seconds) row.seconds.value = seat.seconds ?? "";
      if (!view) return;
      row.name.textContent = sides(view)[player];
      fill(row.stone, chip(view, player));
      row.element.classList.toggle("turn", !view.over && view.player === player);
    });
  }

  clocks(used) {
    this.rows.forEach((row, player) => {
      const text = clock(used[player]);
      if (row.time.textContent !== text) row.time.textContent = text;
    });
  }
}
