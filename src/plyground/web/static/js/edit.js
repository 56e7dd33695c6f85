/**
 * Setting up a position by hand: a palette of what may lie on a cell, who moves, and what the rules say of it. The
 * board shows the edited cells; the game behind it stays as it is until the new position is taken.
 */

import * as api from "./api.js";
import { $, fill, h, toast } from "./dom.js";
import { chip, sides } from "./look.js";

const MOVERS = [null, 0, 1];

export class Editor {
  constructor(play) {
    this.play = play;
    this.on = false;
    this.host = $("editor");
  }

  open() {
    const { play } = this;
    if (this.on || !play.view) return;
    if (!play.view.editable.length) return toast("This game cannot be edited on its board; Position… takes its moves.");
    play.rest();
    play.live = false;
    this.on = true;
    this.cells = [...play.view.cells];
    this.values = play.view.editable;
    this.value = this.values.find((value) => value > 0) ?? this.values[0];
    this.mover = null;
    this.#build();
    this.#changed();
    play.board.focus();
  }

  close() {
    if (!this.on) return;
    this.on = false;
    this.#toggle();
  }

  /** Back to the game as it was. */
  cancel() {
    if (!this.on) return;
    this.close();
    this.play.refresh();
    this.play.proceed();
  }

  /** Puts what is chosen on a cell; a second time takes it away. */
  put(cell) {
    if (this.cells[cell] < 0) return;
    this.cells[cell] = this.cells[cell] === this.value ? this.values.find((value) => value !== this.value) : this.value;
    this.#changed();
  }

  choose(value) {
    if (!this.values.includes(value)) return;
    this.value = value;
    this.#show();
  }

  clear() {
    const empty = this.values[0];
    this.cells = this.cells.map((value) => (value < 0 ? value : empty));
    this.#changed();
  }

  /** Takes the position, once the rules have accepted it. */
  async take() {
    await this.asked;
    if (this.start) this.play.newGame(this.play.game.spec, this.start);
  }

  /** Draws the edited cells. */
  draw() {
    const { play } = this;
    const view = { ...play.view, cells: this.cells, glyphs: [], last: [], row: [] };
    play.board.show(view, { flip: play.flip, coordinates: play.options.coordinates });
    play.board.svg.classList.add("yours");
    for (const mark of ["selected", "chosen", "threat0", "threat1", "double0", "double1"]) play.board.mark(mark, []);
    play.board.clear();
    $("status-text").textContent = "Set up a position";
    fill($("status-stone"));
    play.note("");
  }

  #toggle() {
    this.host.hidden = !this.on;
    $("controls").hidden = $("tools").hidden = this.on;
    $("edit").setAttribute("aria-pressed", String(this.on));
  }

  #build() {
    const { view } = this.play;
    const names = sides(view);
    const words = { 0: "Empty", 1: names[0], 2: names[1], 3: "Used up" };
    this.palette = this.values.map((value) =>
      h(
        "button",
        { type: "button", data: { value }, title: `Put on cells (${value})`, onclick: () => this.choose(value) },
        value === 1 || value === 2 ? chip(view, value - 1) : null,
        words[value] ?? `Colour ${value}`,
      ),
    );
    this.movers = MOVERS.map((player) =>
      h(
        "button",
        {
          type: "button",
          title: player === null ? "The stones tell who moves" : `${names[player]} moves`,
          onclick: () => ((this.mover = player), this.#changed()),
        },
        player === null ? "auto" : names[player],
      ),
    );
    this.said = h("p", { class: "edit-note", role: "status" });
    this.done = h(
      "button",
      { type: "button", class: "primary", id: "edit-done", onclick: () => this.take() },
      "Play from here",
    );
    const clear = h("button", { type: "button", id: "edit-clear", onclick: () => this.clear() }, "Clear");
    const cancel = h("button", { type: "button", id: "edit-cancel", onclick: () => this.cancel() }, "Cancel");
    fill(
      this.host,
      h(
        "div",
        { class: "editor-row" },
        h("div", { class: "segments", role: "group", "aria-label": "What to put" }, this.palette),
        h(
          "div",
          { class: "editor-row" },
          h("span", { class: "dim" }, "to move"),
          h("div", { class: "segments", role: "group", "aria-label": "Who moves" }, this.movers),
        ),
      ),
      h("div", { class: "editor-row" }, clear, cancel, this.done),
      this.said,
    );
    this.#toggle();
  }

  #changed() {
    this.start = "";
    this.asked = this.#check();
    this.#show();
  }

  /** Asks the rules about the cells as they are now. */
  async #check() {
    const { cells, mover } = this;
    const asked = [...cells];
    const found = await api.edit(this.play.game.spec, asked, mover).catch((error) => ({ problem: error.message }));
    if (!this.on || mover !== this.mover || asked.some((value, cell) => value !== this.cells[cell])) return;
    this.start = found.problem ? "" : found.start;
    const next =
      found.view && !found.view.over ? `${sides(found.view)[found.view.player]} moves.` : "The game is over.";
    this.said.textContent = found.problem || `This is a position of the game. ${next}`;
    this.said.classList.toggle("bad", Boolean(found.problem));
    this.done.disabled = Boolean(found.problem);
  }

  #show() {
    this.draw();
    this.palette.forEach((button) =>
      button.setAttribute("aria-pressed", String(Number(button.dataset.value) === this.value)),
    );
    this.movers.forEach((button, i) => button.setAttribute("aria-pressed", String(MOVERS[i] === this.mover)));
  }
}
