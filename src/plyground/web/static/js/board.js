/**
 * The board as a picture that can be read and played. One drawing per shape; a board without cells is shown as
 * text with a button per move, and moves without cells, such as to pass, are buttons below the board. The structure
 * is built when the shape changes, then only stones and marks change.
 */

import { fill, h, s } from "./dom.js";
import { cellName, drops, edges, glyphSize, hexagon, layout, U } from "./geometry.js";
import { captionOf, dieParts, facePips, filled, signs, thrown, tints } from "./look.js";
import { animate } from "./motion.js";

const HEAP = /^[XO]\d+$/; // a player's letter and how many stones
const FINGER = 40; // pixels of a cell that is hit for sure
const WHO = ["empty", "first player", "second player", "used up"];
const COLOURS = ["empty", "cyan", "yellow", "purple", "green", "red", "blue", "orange", "pink", "grey"];

export class Board {
  /** `onpick(cell)`, `onhover(cell or null)`, `onmove(name)` (buttons) tell what the reader does. */
  constructor(host, { onpick = () => {}, onhover = () => {}, onmove = () => {}, label = "Board" } = {}) {
    Object.assign(this, { host, onpick, onhover, onmove, label });
    this.key = "";
    this.view = null;
    this.focused = null;
  }

  /**
   * Shows a View; `flip` turns it, `coordinates` shows the labels; `dice` are those that have just been thrown. What the
   * last move has changed is seen moving if it is `fresh`.
   */
  show(view, { flip = false, coordinates = true, dice = [], fresh = false } = {}) {
    this.view = view;
    const { shape, rows, cols } = view.board;
    this.drawn = view.cells.length > 0 && shape !== "text";
    if (!this.drawn) return this.#showText(dice);
    const there = view.cells.map((cell) => (cell === -1 ? 0 : 1)).join("");
    const key = [shape, rows, cols, flip, drops(view), view.board.checkered, there].join();
    const same = key === this.key;
    if (!same) this.#build(flip);
    this.key = key;
    const before = fresh && same ? new Map(this.values) : null;
    this.svg.classList.toggle("no-labels", !coordinates);
    view.cells.forEach((value, cell) => this.#stone(cell, value));
    this.caption.textContent = captionOf(view);
    this.offer([]);
    this.mark("last", view.last);
    this.mark("row", view.row);
    if (before) animate(this, before);
  }

  /** Writes numbers on stones, by their cells. */
  number(numbers) {
    if (!this.drawn) return;
    const write = ([cell, number]) => {
      const [x, y] = this.centre(cell);
      const who = `p${this.view.cells[cell] - 1} ${this.tints?.[this.view.cells[cell] - 1] ?? ""}`;
      const text = s("text", { x, y, class: `stone-number ${who}` });
      text.textContent = number;
      return text;
    };
    fill(this.numbers, [...numbers].map(write));
  }

  /** Buttons for these moves, which a click on cells cannot tell apart, beside those without cells. */
  offer(moves) {
    if (!this.drawn) return;
    const loose = this.view.player < 0 ? [] : this.view.legal.filter((move) => !move.cells.length);
    fill(this.loose, this.#buttons([...loose, ...moves]));
  }

  /** Gives the class to these cells and to no others. */
  mark(name, cells) {
    if (!this.drawn) return;
    const marked = new Set(cells);
    for (const [cell, group] of this.groups) group.classList.toggle(name, marked.has(cell));
  }

  /** A faint stone of the player on each of the cells; of a piece that goes from the first to the last, the piece. */
  preview(cells, player) {
    if (!this.drawn) return;
    const piece = cells.length > 1 ? this.view.glyphs[cells[0]] : "";
    fill(
      this.hints,
      (piece ? cells.slice(-1) : cells).map((cell) => this.#picture(cell, player + 1, "preview", piece)),
    );
  }

  /** Takes previews and ghosts away. */
  clear() {
    if (this.drawn) [this.hints, this.ghosts].forEach((group) => fill(group));
    this.svg?.classList.remove("shows-line");
  }

  centre(cell) {
    return this.at.centre(cell);
  }

  /** Pixels of a unit of the drawing. */
  get scale() {
    return this.svg.clientWidth / this.at.width || 1;
  }

  /** Stone of a player at a cell, for ghosts. */
  ghost(cell, player, text) {
    const [x, y] = this.centre(cell);
    const number = s("text", { x, y, class: "ghost-number" });
    number.textContent = text;
    return s("g", { class: `ghost p${player} ${this.tints?.[player] ?? ""}` }, this.#picture(cell, player + 1, "ghost-stone"), number);
  }

  focus() {
    if (!this.drawn) return this.host.querySelector("button")?.focus();
    this.groups.get(this.focused ?? this.at.present[Math.floor(this.at.present.length / 2)])?.focus();
  }

  #build(flip) {
    const view = this.view;
    this.at = layout(view, flip);
    this.falls = drops(view);
    this.well = view.board.shape === "well";
    this.tints = tints(view);
    this.signs = signs(view);
    const { width, height, centre, present } = this.at;
    this.groups = new Map();
    this.stones = new Map();
    this.values = new Map();
    const rowGroups = this.at.rows.map((r) => {
      const cells = present.filter((cell) => Math.floor(cell / view.board.cols) === r);
      return s(
        "g",
        { role: "row" },
        cells.map((cell) => this.#cell(cell)),
      );
    });
    this.lines = s("g", { class: "lines", "aria-hidden": "true" }, this.#lines());
    this.over = s("g", { class: "over", "aria-hidden": "true" });
    this.numbers = s("g", { class: "numbers", "aria-hidden": "true" });
    this.hints = s("g", { class: "hints", "aria-hidden": "true" });
    this.ghosts = s("g", { class: "ghosts", "aria-hidden": "true" });
    const labels = this.at.labels.map(({ text, x, y }) => {
      const label = s("text", { x, y, class: "label", style: `--font:${this.at.font.toFixed(2)}px` });
      label.textContent = text;
      return label;
    });
    const shape = this.falls ? "falling" : view.board.shape;
    this.svg = s(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: `board ${shape} ${this.tints ? "tinted" : ""}`,
        role: "grid",
        "aria-label": this.label,
      },
      s("g", { class: "labels", "aria-hidden": "true" }, labels),
      this.lines,
      s("g", { class: "cells" }, rowGroups),
      this.numbers,
      this.hints,
      this.over,
      this.ghosts,
    );
    this.svg.addEventListener("click", (event) => this.#pick(event));
    this.svg.addEventListener("pointermove", (event) => this.#hover(this.#cellOf(event)));
    this.svg.addEventListener("pointerleave", () => this.#hover(null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.caption = h("p", { class: "caption" });
    this.loose = h("div", { class: "text-moves loose" });
    fill(this.host, this.svg, this.caption, this.loose);
    if (!this.groups.has(this.focused)) this.focused = null;
    this.#rove(this.focused ?? present[Math.floor(present.length / 2)]);
  }

  #cell(cell) {
    const [x, y] = this.at.centre(cell);
    const half = U / 2;
    const field = this.at.hex
      ? s("polygon", { points: hexagon(x, y, U), class: "field" })
      : s("rect", { x: x - half, y: y - half, width: U, height: U, class: "field" });
    const hole = this.falls ? s("circle", { cx: x, cy: y, r: U * 0.4, class: "hole" }) : null;
    const stone = s("g", { class: "stone" });
    const group = s("g", { role: "gridcell", tabindex: -1, class: "cell", "data-cell": cell }, field, hole, stone);
    group.addEventListener("focus", () => {
      this.#rove(cell);
      this.onhover(cell);
    });
    this.groups.set(cell, group);
    this.stones.set(cell, stone);
    return group;
  }

  /** The lines of a board played on intersections, or the frame of one played in cells. */
  #lines() {
    const { board } = this.view;
    if (this.at.hex) return edges(this.view, this.at).map(({ d, player }) => s("path", { d, class: `edge p${player}` }));
    const [a, b] = [this.at.centre(0), this.at.centre(board.rows * board.cols - 1)];
    const [left, right] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])];
    const [top, bottom] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
    const half = U / 2;
    const size = { x: left - half, y: top - half, width: right - left + U, height: bottom - top + U };
    const ground = s("rect", { ...size, rx: this.falls || board.shape === "intersections" ? 5 : 0.6, class: "ground" });
    if (this.falls) return [ground];
    const drawn = [ground];
    if (board.shape !== "intersections") {
      const { y, width, height } = size;
      for (const cell of board.checkered ? this.at.present : []) {
        const [x, y] = this.at.centre(cell);
        if ((Math.floor(cell / board.cols) + (cell % board.cols)) % 2)
          drawn.push(s("rect", { x: x - half, y: y - half, width: U, height: U, class: "dark" }));
      }
      const name = (number) => (board.block && number % board.block === 0 ? "between block" : "between");
      for (let i = 1; i < board.cols; i++)
        drawn.push(s("path", { d: `M${size.x + i * U} ${y}v${height}`, class: name(i) }));
      for (let i = 1; i < board.rows; i++)
        drawn.push(s("path", { d: `M${size.x} ${y + i * U}h${width}`, class: name(i) }));
      return drawn;
    }
    if (board.lines?.length) {
      const [from, to] = [0, 1].map((end) => board.lines.map((line) => this.at.centre(line[end])));
      return [ground, ...from.map(([x, y], i) => s("path", { d: `M${x} ${y}L${to[i]}`, class: "line" }))];
    }
    for (let x = left; x <= right; x += U) drawn.push(s("path", { d: `M${x} ${top}V${bottom}`, class: "line" }));
    for (let y = top; y <= bottom; y += U) drawn.push(s("path", { d: `M${left} ${y}H${right}`, class: "line" }));
    const edge = Math.min(board.rows, board.cols) >= 13 ? 3 : 2;
    const middle = board.rows % 2 && board.cols % 2 ? [[(board.rows - 1) / 2, (board.cols - 1) / 2]] : [];
    const corners = [edge, board.rows - 1 - edge].flatMap((r) => [edge, board.cols - 1 - edge].map((c) => [r, c]));
    for (const [r, c] of [...middle, ...corners]) {
      const [x, y] = this.at.centre(r * board.cols + c);
      drawn.push(s("circle", { cx: x, cy: y, r: 3, class: "star" }));
    }
    return drawn;
  }

  #stone(cell, value) {
    const group = this.groups.get(cell);
    if (!group) return;
    const { view } = this;
    const glyph = view.glyphs[cell] ?? "";
    const marks = [view.last.includes(cell) && "last move", view.row.includes(cell) && "winning row"].filter(Boolean);
    group.setAttribute(
      "aria-label",
      [cellName(view, cell), glyph.trim() || ((this.well ? COLOURS : WHO)[value] ?? ""), ...marks].join(", "),
    );
    const drawn = `${value} ${glyph}`;
    if (this.values.get(cell) === drawn) return;
    this.values.set(cell, drawn);
    group.classList.toggle("used", value === 3 && !this.well);
    const there = this.well ? value > 0 : value === 1 || value === 2;
    fill(this.stones.get(cell), there ? this.#picture(cell, value, "set", glyph) : this.#glyph(cell, glyph));
  }

  /** A text on a cell, in the colour of `who`. */
  #glyph(cell, glyph, who = "") {
    if (!glyph) return [];
    const [x, y] = this.at.centre(cell);
    if (facePips(glyph)) return s("g", {}, dieParts(x, y, U * 0.7, facePips(glyph)));
    const style = `font-size:${(U * glyphSize(glyph)).toFixed(1)}px`;
    const write = (written, kind) => {
      const text = s("text", { x, y, class: `glyph ${kind}`, style });
      text.textContent = written;
      return text;
    };
    if (!this.tints || !filled(glyph)) return write(glyph, who);
    return s("g", {}, write(filled(glyph), `body ${who}`), write(glyph, who)); // white, with black outlines
  }

  /**
   * A stone of player value - 1: a cross and a ring in cells, discs elsewhere; in a well a block of a colour. A text
   * stands instead of a cross or ring, and on any other; a player's letter with a number is that many stones.
   */
  #picture(cell, value, kind, glyph = "") {
    if (!glyph) return this.#bare(cell, value, kind);
    if (HEAP.test(glyph)) return this.#heap(cell, this.#who(value, kind), glyph.slice(1));
    const text = this.#glyph(cell, glyph, this.#who(value, kind));
    return this.view.board.shape === "cells" && !this.falls ? text : s("g", {}, this.#bare(cell, value, kind), text);
  }

  /** Stones on one another: a disc, and how many there are if there is more than one. */
  #heap(cell, who, count) {
    const [x, y] = this.at.centre(cell);
    const number = s("text", { x, y, class: "heap-count" });
    number.textContent = count === "1" ? "" : count;
    return s("g", {}, s("circle", { cx: x, cy: y, r: U * 0.4, class: `${who} disc` }), number);
  }

  /** Classes of a stone: what it is drawn for, whose it is, and its colour. */
  #who(value, kind) {
    return `${kind} p${value - 1} ${this.tints?.[value - 1] ?? ""}`;
  }

  #bare(cell, value, kind) {
    const [x, y] = this.at.centre(cell);
    if (this.well) {
      const side = U * 0.92;
      return s("rect", {
        x: x - side / 2,
        y: y - side / 2,
        width: side,
        height: side,
        rx: 4,
        class: `${kind} block c${value}`,
      });
    }
    const who = this.#who(value, kind);
    if (this.at.hex) return s("polygon", { points: hexagon(x, y, U * 0.94), class: `${who} tile` });
    if (this.signs) {
      const arm = U * 0.25;
      if (value === 2) return s("circle", { cx: x, cy: y, r: U * 0.275, class: `${who} ring` });
      const d = `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x + arm} ${y - arm}L${x - arm} ${y + arm}`;
      return s("path", { d, class: `${who} cross` });
    }
    const radius = this.view.board.shape === "intersections" ? 0.46 : 0.4;
    return s("circle", { cx: x, cy: y, r: U * radius, class: `${who} disc` });
  }

  #cellOf(event) {
    const group = event.target.closest?.("[data-cell]");
    return group ? Number(group.dataset.cell) : null;
  }

  #pick(event) {
    const cell = this.#cellOf(event);
    const careful = event.pointerType === "touch" && U * this.scale < FINGER;
    if (cell !== null) this.onpick(cell, "", careful);
  }

  #hover(cell) {
    if (cell === this.hovered) return;
    this.hovered = cell;
    this.onhover(cell);
  }

  #rove(cell) {
    if (this.focused !== null) this.groups.get(this.focused)?.setAttribute("tabindex", -1);
    this.focused = cell;
    this.groups.get(cell)?.setAttribute("tabindex", 0);
  }

  /** Arrows go to the nearest cell that way; Enter and Space pick. */
  #key(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) {
      event.preventDefault();
      event.stopPropagation();
      const [x, y] = this.at.centre(this.focused);
      const reach = (cell) => {
        const [dx, dy] = [this.at.centre(cell)[0] - x, this.at.centre(cell)[1] - y];
        const ahead = dx * way[0] + dy * way[1];
        return ahead > 1 ? ahead + 2.2 * Math.abs(dx * way[1] + dy * way[0]) : Infinity;
      };
      const next = this.at.present.reduce((best, cell) => (reach(cell) < reach(best) ? cell : best));
      if (reach(next) < Infinity) this.groups.get(next).focus();
    } else if ((event.key === "Enter" || event.key === " ") && this.#cellOf(event) !== null) {
      event.preventDefault();
      event.stopPropagation();
      this.onpick(this.#cellOf(event), event.key);
    }
  }

  #showText(dice) {
    this.key = "text";
    const moves = h("div", { class: "text-moves" }, this.#buttons(this.view.legal));
    fill(this.host, h("div", { class: "text-board" }, h("pre", {}, this.view.text), dice.length ? thrown(dice) : null, moves));
  }

  #buttons(moves) {
    return moves.map(({ name }) =>
      h("button", { type: "button", class: "small", onclick: () => this.onmove(name) }, name),
    );
  }
}
