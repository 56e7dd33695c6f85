/** The table of moves that a search looked at: visits, value, prior, exact value. Rows stay while numbers change. */

import { count, fill, h, percent, points, tone, worth } from "./dom.js";
import { judged, known, verdict, verdictWords } from "./overlay.js";

const ROWS = 14;

/** The moves in the order of the table. */
const ordered = (moves) => [...moves].sort((a, b) => b.visits - a.visits || (b.value ?? -2) - (a.value ?? -2));

/** A thought with those of its moves that are shown: the first ones of the table, and those of the largest priors. */
export function shortened(thought) {
  const { moves } = thought;
  if (moves.length <= 2 * ROWS) return thought;
  const likely = moves.filter((move) => move.prior).sort((a, b) => b.prior - a.prior);
  const shown = new Set([...ordered(moves).slice(0, ROWS), ...likely.slice(0, ROWS)]);
  return { ...thought, moves: moves.filter((move) => shown.has(move)) };
}

export class Thoughts {
  /** `onpoint(name)` tells which move the reader points at (null: none), `onplay(name)` plays a move. */
  constructor(host, { onpoint, onplay }) {
    Object.assign(this, { host, onpoint, onplay });
    this.rows = new Map();
    this.head = h("div", { class: "thought-head" });
    this.body = h("tbody");
    const titles = ["Move", "Visits", "", "Value", "Prior", "Exact"].map((text) => h("th", { scope: "col" }, text));
    titles[2].setAttribute("aria-label", "Share");
    this.table = h("table", { class: "thought-table" }, h("thead", {}, h("tr", {}, titles)), this.body);
    this.line = h("div", { class: "line-text" });
    this.empty = h("p", { class: "help empty" });
    fill(host, this.head, h("div", { class: "scroll" }, this.table, this.empty), this.line);
    for (const [type, on] of [
      ["pointerover", true],
      ["pointerleave", false],
      ["focusin", true],
      ["focusout", false],
    ]) {
      this.body.addEventListener(type, (event) => {
        const row = on ? event.target.closest("tr") : null;
        this.onpoint(row?.dataset.name ?? null);
      });
    }
  }

  /** `side` is the name of the player to move in a view, `note` what stands there if nothing is known. */
  show(thought, solution, { side, note, view }) {
    this.view = view;
    const proven = (solution?.moves ?? []).filter(known);
    const exact = new Map(proven.map((move) => [move.name, move]));
    const moves = thought
      ? ordered(thought.moves)
      : proven.map((move) => ({ ...move, visits: null }));
    const has = (name, there) => this.table.classList.toggle(`no-${name}`, !there);
    has(
      "prior",
      moves.some((move) => move.prior !== null && move.prior !== undefined),
    );
    has("exact", exact.size > 0);
    has(
      "visits",
      moves.some((move) => move.visits),
    );
    has("value", Boolean(thought) && moves.some(judged));
    this.#head(thought, solution, side);
    this.table.hidden = !moves.length;
    this.empty.hidden = moves.length > 0;
    this.empty.textContent = note;
    const kept = moves.slice(0, ROWS);
    const names = new Set(kept.map((move) => move.name));
    for (const [name, row] of this.rows) {
      if (names.has(name)) continue;
      row.element.remove();
      this.rows.delete(name);
    }
    kept.forEach((move, i) => {
      const row = this.#row(move.name);
      if (this.body.children[i] !== row.element) this.body.insertBefore(row.element, this.body.children[i] ?? null);
      row.element.classList.toggle("best", thought ? move.name === thought.move : move.value === solution.value);
      this.#fill(row, move, thought ? move : null, exact.get(move.name));
    });
    this.tellLine((thought ?? solution)?.line ?? []);
  }

  /** The line under the table: the expected one, or that of the move that is pointed at. */
  tellLine(line) {
    const text = line.length ? `Line: ${line.slice(0, 22).join(" ")}${line.length > 22 ? " …" : ""}` : "";
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  #head(thought, solution, side) {
    const parts = [];
    if (thought) {
      const { alone } = this.view;
      if (thought.value !== null && alone) parts.push(h("strong", {}, points(thought.value)), " expected");
      else if (thought.value !== null) parts.push(h("strong", {}, worth(this.view, thought.value)), ` for ${side}`);
      const best = thought.moves.find((move) => move.name === thought.move);
      const kind = best?.value > 0 ? ["won", "proven win"] : best?.value < 0 ? ["lost", "proven loss"] : ["drawn", "proven draw"];
      const proof = best?.proven ? kind : null;
      if (proof) parts.push(h("span", { class: `tag ${proof[0]}` }, proof[1]));
      const rate = thought.seconds > 0.05 ? `, ${count(Math.round(thought.simulations / thought.seconds))}/s` : "";
      if (thought.simulations > 1)
        parts.push(h("span", { class: "dim" }, `${count(thought.simulations)} ${thought.counts}${rate}`));
    } else if (solution) {
      parts.push(
        known(solution) && h("strong", {}, verdictWords(solution)),
        h("span", { class: "dim" }, `${count(solution.nodes ?? 0)} nodes`),
      );
    }
    fill(this.head, parts);
  }

  #row(name) {
    if (!this.rows.has(name)) {
      const cells = Array.from({ length: 6 }, () => h("td"));
      const button = h("button", { type: "button", class: "link", onclick: () => this.onplay(name) }, name);
      cells[0].append(button);
      const bar = h("span", { class: "share" });
      cells[2].append(bar);
      this.rows.set(name, { element: h("tr", { data: { name } }, cells), cells, bar });
    }
    return this.rows.get(name);
  }

  #fill({ cells, bar }, move, thought, exact) {
    cells[1].textContent = thought ? count(thought.visits) : "";
    bar.style.setProperty("--share", thought ? thought.share : 0);
    bar.style.setProperty("--tone", tone(thought?.value));
    cells[3].textContent = thought && judged(thought) ? worth(this.view, thought.value) : "";
    cells[3].classList.toggle("proven", Boolean(thought?.proven));
    cells[3].classList.toggle("lost", Boolean(thought?.proven && thought.value < 0));
    cells[3].title = thought?.proven ? "proven" : "";
    cells[4].textContent =
      thought && thought.prior !== null && thought.prior !== undefined ? percent(thought.prior, 1) : "";
    fill(cells[5], exact ? h("span", { class: `tag ${verdict(exact).kind}` }, verdictWords(exact)) : "");
  }
}
