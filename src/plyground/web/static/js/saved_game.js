/** The game of this tab over a reload: all its branches, and the time that was used. The address holds its line alone. */

import { Game } from "./state.js";

const KEY = "game";
const MOST = 4000; // places that are written down

/** Writes the tree down: every place by its parent's number, its move and the seconds used up to it. */
export function save(game, elapsed) {
  const numbers = new Map([[game.root, 0]]);
  const places = [];
  const write = (node) => {
    for (const child of node.children) {
      if (places.length >= MOST) return;
      places.push([numbers.get(node), child.move, ...child.used.map((seconds) => Number(seconds.toFixed(2)))]);
      numbers.set(child, places.length);
      write(child);
    }
  };
  write(game.root);
  const { id, spec, start } = game;
  const saved = { id, spec, start, places, at: numbers.get(game.at) ?? 0, elapsed, ended: game.at.ended };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(saved));
  } catch {
    // no room: the address still has the position
  }
}

/**
 * Reads the tree of a game back, if this tab has shown it, the browser's history means it (`id`), and the moves of the
 * address are in it. Gives the game, the last place of these moves, and the place that was shown with the seconds that it
 * had been.
 */
export function restore(spec, start, moves, id) {
  let saved = null;
  try {
    saved = JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
  if (saved?.spec !== spec || saved.start !== start || saved.id !== id) return null;
  const game = new Game(spec, start, saved.id);
  const nodes = [game.root];
  for (const [parent, move, ...used] of saved.places) {
    const node = game.child(nodes[parent], move);
    node.used = used;
    nodes.push(node);
  }
  let last = game.root;
  for (const move of moves) {
    last = last.children.find((one) => one.move === move);
    if (!last) return null;
  }
  for (const node of nodes) node.line = node.children[0] ?? null;
  game.go(last);
  nodes[saved.at].ended = saved.ended ?? null;
  return { game, last, shown: nodes[saved.at], elapsed: saved.elapsed };
}
