/**
 * What a search sees, drawn over the board: a circle for every move, its area the share of the visits (or the
 * prior), its colour the value for the player to move; the best move ringed; exact values as badges; the
 * expected line as numbered ghost stones.
 */

import { count, fill, percent, s, tone, winShare } from "./dom.js";
import { placed, U } from "./geometry.js";

export const MODES = ["visits", "value", "prior", "off"];
const LEGIBLE = 10; // pixels of a text, at least
const FEW = 12; // moves; if there are more, not all are drawn
const LEAST = 0.1; // part of the largest number of visits, or of the largest prior, that is worth a circle

/** What a move's circle says in a mode, and how large it is beside the largest (1). */
function reading(view, move, mode, most) {
  if (mode === "value") return { size: move.visits > 0 || most.visits === 0 ? 0.8 : 0, text: shown(view, move.value) };
  if (mode === "prior") {
    return move.prior === null
      ? { size: 0, text: "" }
      : { size: move.prior / (most.prior || 1), text: percent(move.prior) };
  }
  const size = move.share / (most.share || 1);
  return { size: size < 0.004 ? 0 : size, text: count(move.visits) };
}

/** A value as the share of the points, as people read it, or as points in a game of one player. */
const shown = (view, value) => (value === null ? "" : (view.alone ? value : 100 * winShare(value)).toFixed(0));

/** A mean of what chance may bring, with its sign. */
const signed = (value, digits) => (value ? `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(digits)}` : "0");

/** Exact values in two characters and the plies: W5, D, L4, means as +.42; bounds where the value is not known. */
export function verdict(move) {
  const plies = move.plies ? String(move.plies) : "";
  if (move.mean) return { text: signed(move.value, 2).replace(/\b0\./, "."), kind: "mean" };
  if (move.value !== null && move.value !== undefined) {
    return move.value > 0
      ? { text: `W${plies}`, kind: "won" }
      : move.value < 0
        ? { text: `L${plies}`, kind: "lost" }
        : { text: "D", kind: "drawn" };
  }
  if (move.at_least >= 0) return { text: "≥D", kind: "unknown" };
  if (move.at_most <= 0) return { text: "≤D", kind: "unknown" };
  return { text: "?", kind: "unknown" };
}

/** The same in words. */
export function verdictWords(move) {
  const { kind } = verdict(move);
  if (kind === "unknown")
    return move.at_least >= 0 ? "at least drawn" : move.at_most <= 0 ? "at most drawn" : "not known yet";
  if (kind === "mean") return `worth ${signed(move.value, 3)}`;
  return kind === "drawn" || !move.plies ? kind : `${kind} in ${move.plies}`;
}

function label(x, y, text, kind) {
  const element = s("text", { x, y, class: kind });
  element.textContent = text;
  return element;
}

/** The middle of cells, and a line through them for moves over several. */
function middle(board, cells) {
  const points = cells.map((cell) => board.centre(cell));
  const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  return { points, x: mean(0), y: mean(1) };
}

function circle(board, move, mode, most, best) {
  const { size, text } = reading(board.view, move, mode, most);
  if (size <= 0) return null;
  const { points, x, y } = middle(board, move.cells);
  const data = { "data-name": move.name, "data-visits": move.visits, "data-value": move.value };
  const group = s("g", {
    class: `thought ${best ? "best" : ""} ${move.proven ? "proven" : ""}`,
    style: `--tone:${tone(move.value)}`,
    ...data,
  });
  const radius = U * 0.42 * Math.max(Math.sqrt(size), 0.18);
  if (board.well) {
    const side = U * 0.8;
    const box = {
      width: side,
      height: side,
      rx: 3,
      class: "landing",
      style: `opacity:${(0.25 + 0.6 * size).toFixed(2)}`,
    };
    group.append(...points.map(([px, py]) => s("rect", { x: px - side / 2, y: py - side / 2, ...box })));
    if (best) group.append(label(...points[0], text, "reading"));
    return group;
  }
  if (points.length > 1) {
    const d = points.map(([px, py], i) => `${i ? "L" : "M"}${px} ${py}`).join("");
    group.append(s("path", { d, class: "reach", "stroke-width": U * 0.16 + U * 0.5 * size }));
    if (best) group.append(label(x, y, text, "reading"));
    return group;
  }
  group.append(s("circle", { cx: x, cy: y, r: radius.toFixed(2), class: "spot" }));
  if (best) group.append(s("circle", { cx: x, cy: y, r: U * 0.46, class: "ring-best" }));
  if (radius > U * 0.22) {
    const reading = label(x, y, text, "reading");
    reading.style.fontSize = `${Math.max(Math.min(10, radius * 0.72), LEGIBLE / board.scale).toFixed(1)}px`;
    group.append(reading);
  }
  return group;
}

function badge(board, move) {
  const { text, kind } = verdict(move);
  const { points, x, y } = middle(board, move.cells);
  const group = s("g", { class: `verdict ${kind} ${move.shortest ? "shortest" : ""}`, "data-name": move.name });
  if (points.length > 1) {
    const d = points.map(([px, py], i) => `${i ? "L" : "M"}${px} ${py}`).join("");
    group.append(s("path", { d, class: "reach", "stroke-width": U * 0.42 }));
  } else {
    group.append(s("rect", { x: x - U * 0.38, y: y - U * 0.27, width: U * 0.76, height: U * 0.54, rx: 7 }));
  }
  const reading = label(x, y, text, "reading");
  reading.style.fontSize = `${Math.max(11, LEGIBLE / board.scale).toFixed(1)}px`;
  group.append(reading);
  return group;
}

/** Is anything proven about a move? */
export const known = (move) => verdict(move).text !== "?";

/** The moves that matter, the foremost first: all, if they are few, else those that were thought worth a look. */
function mattering(thought, mode) {
  const weight = (move) => (mode === "prior" ? (move.prior ?? 0) : move.visits);
  const moves = [...thought.moves].sort((a, b) => weight(b) - weight(a));
  const matters = (move, i) => i < FEW && weight(move) >= LEAST * weight(moves[0]);
  return moves.length <= FEW ? moves : moves.filter((move, i) => move.name === thought.move || matters(move, i));
}

/** Moves over several cells overlap: only the foremost are drawn, the best on top. */
function foremost(moves, most) {
  const wide = moves.some((move) => move.cells.length > 1);
  return wide ? moves.slice(0, most).reverse() : moves;
}

/** Does a thought know what a move is worth? A prior alone says nothing of that. */
export const judged = ({ value, visits, prior }) => value !== null && (visits > 0 || prior === null);

/** What can be shown instead of visits where an agent knows its moves without any: their values, or a net's priors. */
function readable(mode, moves) {
  if (mode !== "visits" || moves.some((move) => move.visits)) return mode;
  return moves.some(judged) ? "value" : "prior";
}

/** Draws a thought, a solution and a hint; each may be null. */
export function draw(board, { thought, solution, hint, mode: wanted }) {
  if (!board.drawn) return;
  const drawn = [];
  if (thought && wanted !== "off" && !solution) {
    const mode = readable(wanted, thought.moves);
    const moves = mattering(thought, mode);
    const most = {
      share: Math.max(0, ...moves.map((move) => move.share)),
      prior: Math.max(0, ...moves.map((move) => move.prior ?? 0)),
      visits: Math.max(0, ...moves.map((move) => move.visits)),
    };
    for (const move of foremost(moves, 6)) drawn.push(circle(board, move, mode, most, move.name === thought.move));
  }
  if (solution) {
    const moves = solution.moves.filter((move) => move.cells?.length && known(move));
    const wide = moves.some((move) => move.cells.length > 1);
    const best = moves.filter((move) => move.value === solution.value && move.value !== null);
    for (const move of wide ? foremost(best, 4) : moves) drawn.push(badge(board, move));
  }
  if (hint) {
    const cells = placed(board.view, [hint])[0] ?? [];
    for (const cell of cells) {
      const [x, y] = board.centre(cell);
      drawn.push(s("circle", { cx: x, cy: y, r: U * 0.44, class: "hint", "data-name": hint }));
    }
  }
  fill(board.over, drawn);
}

/** Ghost stones for a line of moves from the shown position; none for an empty line. */
export function drawLine(board, names, player) {
  if (!board.drawn) return;
  const leaves = (cells, i) => i === 0 && cells.length > 1 && board.view.cells[cells[0]] > 0; // a piece that goes on
  const stones = placed(board.view, names).flatMap((cells, i) =>
    cells.filter((_, at) => !leaves(cells, at)).map((cell) => board.ghost(cell, (player + i) % 2, i + 1)),
  );
  fill(board.ghosts, stones);
  board.svg.classList.toggle("shows-line", stones.length > 0);
}
