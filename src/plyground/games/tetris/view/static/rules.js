/**
 * Tetris by keys, without a screen: the rules of `plyground.games.tetris.keys`, one key or tick at a time. All figures
 * come from the server (`/api/views/tetris/figures`), which has them from the rules; a test plays both side by side.
 */

const SHIFTS = { left: -1, right: 1 };

/** Pieces drawn from a seed: each as likely, or all seven in turn. `drawn` holds those that are gone from the bag. */
export class Pieces {
  constructor(seed, bag) {
    Object.assign(this, { bag, count: 7, drawn: new Set() });
    this.state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32)) | 0 || 1;
    for (let i = 0; i < 20; i++) this.#random(); // seeds that are alike soon part
  }

  /** A number from 0 up to 1, by Marsaglia's xorshift. */
  #random() {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    this.state = x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  }

  draw() {
    const left = [];
    for (let piece = 0; piece < this.count; piece++) if (!this.drawn.has(piece)) left.push(piece);
    const piece = left[Math.floor(this.#random() * left.length)];
    if (this.bag) this.drawn.add(piece);
    if (this.drawn.size === this.count) this.drawn.clear();
    return piece;
  }
}

export class Tetris {
  /** `pieces` has a `draw()` that gives the pieces one by one, from 0 on. */
  constructor(rules, pieces) {
    Object.assign(this, { rules, pieces });
    this.high = rules.rows + rules.hidden;
    /** Rows from the top, the hidden ones first: 0 empty, else the number of a piece from 1 on. */
    this.matrix = Array.from({ length: this.high }, () => this.#empty());
    this.score = this.lines = this.combo = this.placed = 0;
    this.over = false;
    this.piece = pieces.draw();
    this.next = rules.reference ? pieces.draw() : null;
    this.appear();
  }

  #empty() {
    return new Array(this.rules.cols).fill(0);
  }

  /** Puts the piece where pieces appear. */
  appear() {
    [this.row, this.col] = this.rules.spawn[this.piece];
    this.turn = 0;
  }

  get level() {
    return 1 + Math.floor(this.lines / this.rules.lines_a_level);
  }

  /** Seconds between two ticks. */
  get interval() {
    const { intervals } = this.rules;
    return intervals[Math.min(this.level, intervals.length) - 1];
  }

  /** Row and column of the cells that the piece takes there. */
  cells(turn = this.turn, row = this.row, col = this.col) {
    return this.rules.cells[this.piece][turn].map(([r, c]) => [row + r, col + c]);
  }

  /** Does the piece keep within the walls and above the floor? */
  #inside(...place) {
    return this.cells(...place).every(([r, c]) => r < this.high && c >= 0 && c < this.rules.cols);
  }

  /** May the piece be there? Above the top nothing is in its way. */
  free(...place) {
    return this.#inside(...place) && !this.cells(...place).some(([r, c]) => this.matrix[r]?.[c]);
  }

  /** The row to which the box of the piece would fall. */
  landing(turn = this.turn, row = this.row, col = this.col) {
    while (this.free(turn, row + 1, col)) row++;
    return row;
  }

  /** Presses left, right, rotate, soft or hard, or lets a tick pass; did anything change? */
  press(key) {
    if (this.over) return false;
    if (key === "rotate") return this.#rotate();
    if (key in SHIFTS) return this.#move(0, SHIFTS[key]);
    if (key === "hard") {
      const row = this.landing();
      if (this.rules.reference) this.score += this.rules.drop_points * (row - this.row);
      this.row = row;
      this.#lock();
    } else if (!this.#move(1, 0)) this.#lock();
    return true;
  }

  #move(down, right) {
    if (!this.free(this.turn, this.row + down, this.col + right)) return false;
    this.row += down;
    this.col += right;
    return true;
  }

  /** Where a piece comes by a turn to the right, moved by the first kick that keeps it inside; null if it may not. */
  #rotated({ turn, row, col }) {
    const then = (turn + 1) % 4;
    const kick = this.rules.kicks.find((kick) => this.#inside(then, row, col + kick));
    if (kick === undefined || !this.free(then, row, col + kick)) return null;
    return { turn: then, row, col: col + kick };
  }

  #rotate() {
    const place = this.#rotated(this);
    if (place) Object.assign(this, place);
    return place !== null;
  }

  #lock() {
    const { rules } = this;
    const cells = this.cells();
    for (const [r, c] of cells) if (r >= 0) this.matrix[r][c] = this.piece + 1;
    this.placed++;
    if (!rules.reference && cells.some(([r]) => r < rules.hidden)) {
      this.over = true; // it sticks out, and its full rows stay
      return;
    }
    this.#clear();
    this.piece = this.next ?? this.pieces.draw();
    this.appear();
    this.over = !this.free();
    this.next = this.over || !rules.reference ? null : this.pieces.draw();
  }

  #clear() {
    const kept = this.matrix.filter((row) => row.some((cell) => !cell));
    const lines = this.high - kept.length;
    this.matrix = [...Array.from({ length: lines }, () => this.#empty()), ...kept];
    this.lines += lines;
    if (!this.rules.reference) return;
    this.score += this.rules.line_points * lines ** 2 * (this.combo + 1);
    this.combo = lines ? this.combo + 1 : 0;
  }

  /** The position as the game `tetris` reads it: the piece before it moves. */
  diagram() {
    const { letters } = this.rules;
    const top = this.matrix.findIndex((row) => row.some(Boolean));
    const pile = this.matrix.slice(top < 0 ? -1 : top).map((row) => row.map((cell) => (cell ? "#" : ".")).join(""));
    const known = [this.piece, this.next].filter((piece) => piece !== null);
    const gone = [...letters].filter((_, piece) => this.pieces.drawn?.has(piece)).join("");
    const told = { score: this.score, lines: this.lines, combo: this.combo, drawn: gone };
    const words = Object.entries(told).filter(([, value]) => value);
    return [pile.join("/"), known.map((p) => letters[p]).join(""), ...words.map((word) => word.join("="))].join(" ");
  }

  /** The fewest keys after which a hard drop brings the piece onto these cells (row · columns + column), or null. */
  keysTo(cells) {
    const { cols } = this.rules;
    const numbers = (taken) => taken.filter(([r]) => r >= 0).map(([r, c]) => r * cols + c);
    const wanted = cells.toSorted((a, b) => a - b).join();
    const open = [{ turn: this.turn, row: this.row, col: this.col, keys: [] }];
    const seen = new Set([`${this.turn} ${this.col}`]);
    for (const { turn, row, col, keys } of open) {
      const rest = numbers(this.cells(turn, this.landing(turn, row, col), col));
      if (rest.toSorted((a, b) => a - b).join() === wanted) return keys;
      const shifted = Object.entries(SHIFTS).map(([key, right]) => [key, { turn, row, col: col + right }]);
      const steps = shifted.filter(([, place]) => this.free(turn, row, place.col));
      for (const [key, place] of [...steps, ["rotate", this.#rotated({ turn, row, col })]]) {
        if (!place || seen.has(`${place.turn} ${place.col}`)) continue;
        seen.add(`${place.turn} ${place.col}`);
        open.push({ ...place, keys: [...keys, key] });
      }
    }
    return null;
  }
}
