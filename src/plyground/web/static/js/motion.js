/** Moves that move: a piece slides, a disc falls, a stone is set down. Nothing moves where the system asks for that. */

import { U } from "./geometry.js";

const QUIET = matchMedia("(prefers-reduced-motion: reduce)");
const SLIDE = 170; // milliseconds
const SET = 130;
const FALL = 60; // for each cell that a disc falls

/** Does the system ask for little motion? */
export const reduced = () => QUIET.matches;

/**
 * Moves what the last move has changed on a board. `before` has what lay on each cell, by which a piece that went
 * somewhere is told from one that came.
 */
export function animate(board, before) {
  if (reduced()) return;
  const { view, values, stones, at } = board;
  const owner = (drawn) => Number((drawn ?? "0").split(" ")[0]);
  const came = view.last.filter((cell) => owner(values.get(cell)) > 0 && before.get(cell) !== values.get(cell));
  const left = view.last.find((cell) => owner(before.get(cell)) > 0 && owner(values.get(cell)) === 0);
  for (const cell of came) {
    const stone = stones.get(cell);
    const [x, y] = at.centre(cell);
    if (left !== undefined && owner(before.get(left)) === owner(values.get(cell))) {
      const [fromX, fromY] = at.centre(left);
      slide(stone, fromX - x, fromY - y, SLIDE, "ease-in-out");
    } else if (board.falls) slide(stone, 0, -y, FALL * (1 + y / U) ** 0.7, "cubic-bezier(0.5, 0, 0.9, 0.6)");
    else set(stone);
  }
  for (const [cell, drawn] of values) {
    const turned = owner(before.get(cell)) > 0 && owner(drawn) > 0 && owner(before.get(cell)) !== owner(drawn);
    if (turned && !view.last.includes(cell)) set(stones.get(cell));
  }
}

function slide(stone, dx, dy, duration, easing) {
  const frames = [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }];
  stone.animate(frames, { duration, easing });
}

function set(stone) {
  const frames = [
    { transform: "scale(0.6)", opacity: 0.3 },
    { transform: "none", opacity: 1 },
  ];
  stone.animate(frames, { duration: SET, easing: "ease-out" });
}
