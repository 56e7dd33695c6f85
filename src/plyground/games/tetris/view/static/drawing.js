/** Draws a well of Tetris in SVG: what lies there, the piece, where it would land, and what an agent thinks of. */

import { fill, s } from "../../static/js/dom.js";

const SIZE = 30; // units of a cell
const CANDIDATES = 3;

/** The border of a set of cells, as a path. */
function outline(cells, cols) {
  const there = new Set(cells);
  const has = (row, col) => col >= 0 && col < cols && there.has(row * cols + col);
  let path = "";
  for (const cell of cells) {
    const [row, col] = [Math.floor(cell / cols), cell % cols];
    const [x, y] = [col * SIZE, row * SIZE];
    if (!has(row - 1, col)) path += `M${x} ${y}h${SIZE}`;
    if (!has(row + 1, col)) path += `M${x} ${y + SIZE}h${SIZE}`;
    if (!has(row, col - 1)) path += `M${x} ${y}v${SIZE}`;
    if (!has(row, col + 1)) path += `M${x + SIZE} ${y}v${SIZE}`;
  }
  return path;
}

/** A value in few signs: it may be a share, points or a sum of features. */
function brief(value) {
  if (value === null) return "";
  const size = Math.abs(value);
  if (size >= 100000) return `${(value / 1000).toFixed(size < 1e6 ? 1 : 0)}k`;
  return value.toFixed(size < 1 ? 2 : size < 100 ? 1 : 0);
}

/** The best few moves of a thought: by visits if it has counted some, else by value; the chosen one first. */
export function foremost(thought) {
  const rank = (move) => [move.name === thought.move, move.visits, move.value ?? -Infinity].map(Number);
  const ranked = thought.moves.map((move) => [rank(move), move]);
  ranked.sort(([a], [b]) => b[0] - a[0] || b[1] - a[1] || (a[2] === b[2] ? 0 : b[2] - a[2]));
  return ranked.slice(0, CANDIDATES).map(([, move]) => move);
}

const block = (row, col, name) =>
  s("rect", { x: col * SIZE + 1, y: row * SIZE + 1, width: SIZE - 2, height: SIZE - 2, rx: 3, class: name });

export class WellDrawing {
  constructor() {
    this.svg = s("svg", { class: "tetris-well well", tabindex: 0, role: "img", "aria-label": "Well" });
    this.next = s("svg", { class: "tetris-next", viewBox: `0 0 ${4 * SIZE} ${2 * SIZE}`, "aria-hidden": "true" });
  }

  /** Makes the cells of a well of this size. */
  size({ rows, cols, hidden, spawn }) {
    const [width, height, above] = [cols * SIZE, (rows + hidden) * SIZE, hidden * SIZE];
    this.cols = cols;
    this.top = Math.min(...spawn.map(([row]) => row)); // the first row that is drawn
    this.cells = [];
    const lines = [];
    for (let row = this.top; row < rows + hidden; row++)
      for (let col = 0; col < cols; col++) this.cells.push(block(row, col, ""));
    for (let col = 1; col < cols; col++) lines.push(`M${col * SIZE} ${above}V${height}`);
    for (let row = hidden + 1; row < rows + hidden; row++) lines.push(`M0 ${row * SIZE}H${width}`);
    this.over = s("g", { class: "candidates" });
    const [wide, high] = [width + 6, height - this.top * SIZE + 4];
    this.svg.setAttribute("viewBox", `-3 ${this.top * SIZE - 1} ${wide} ${high}`);
    this.svg.style.setProperty("--shape", wide / high);
    fill(
      this.svg,
      s("rect", { x: 0, y: above, width, height: height - above, class: "floor" }),
      s("path", { d: lines.join(""), class: "between" }),
      s("path", { d: `M-1.5 ${above}V${height + 1.5}H${width + 1.5}V${above}`, class: "walls" }),
      this.cells,
      this.over,
    );
  }

  /** Draws a position; cells that stay as they were are not touched. */
  show(game, thought) {
    const lying = [...new Array(-this.top * this.cols).fill(0), ...game.matrix.flat()];
    const names = lying.map((value) => (value ? `block c${value}` : "void"));
    const put = (cells, name) => {
      for (const [row, col] of cells) names[(row - this.top) * this.cols + col] = name;
    };
    if (!game.over) {
      put(game.cells(game.turn, game.landing(), game.col), `block ghost c${game.piece + 1}`);
      put(game.cells(), `block piece c${game.piece + 1}`);
    }
    names.forEach((name, i) => {
      const cell = this.cells[i];
      if (cell.getAttribute("class") !== name) cell.setAttribute("class", name);
    });
    this.#showNext(game);
    if (this.thought !== thought) this.#showThought(thought);
    this.thought = thought;
  }

  #showNext({ next, rules }) {
    if (this.shown === next) return;
    this.shown = next;
    if (next === null) return fill(this.next);
    const cells = rules.cells[next][0];
    const [rows, cols] = [cells.map(([row]) => row), cells.map(([, col]) => col)];
    const top = Math.min(...rows) - (1 - (Math.max(...rows) - Math.min(...rows))) / 2;
    const left = Math.min(...cols) - (3 - (Math.max(...cols) - Math.min(...cols))) / 2;
    fill(this.next, cells.map(([row, col]) => block(row - top, col - left, `block c${next + 1}`)));
  }

  #showThought(thought) {
    const labels = [];
    const best = thought ? foremost(thought) : [];
    const drawn = best.map((move, rank) => {
      const own = move.cells.filter((cell) => !best.some((other) => other !== move && other.cells.includes(cell)));
      const cells = own.length ? own : move.cells;
      const middles = cells.map((cell) => [(cell % this.cols) + 0.5, Math.floor(cell / this.cols) + 0.5]);
      const room = ([x, y]) => Math.min(...labels.map((one) => Math.abs(one[0] - x) + 2 * Math.abs(one[1] - y)));
      const at = middles.toSorted((a, b) => (labels.length ? room(b) - room(a) : 0))[0] ?? [0, 0];
      labels.push(at);
      const [x, y] = [at[0] * SIZE, at[1] * SIZE];
      return s(
        "g",
        { class: `candidate rank${rank}` },
        s("path", { d: outline(move.cells, this.cols) }),
        s("text", { x, y }, brief(move.value)),
      );
    });
    fill(this.over, drawn.reverse());
  }
}
