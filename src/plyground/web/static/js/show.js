/** How the play view shows its state: board, status, seats, moves, thoughts. Nothing is decided here. */

import { $, fill, percent, points } from "./dom.js";
import { ended, evaluate, outcome } from "./ending.js";
import { share as known } from "./graph.js";
import { chip, dice, sides, thrown } from "./look.js";
import * as overlay from "./overlay.js";
import { follow } from "./point.js";
import { said } from "./review.js";

/** The board with its marks, the seats, the moves and the status of the shown position. */
export function position(play) {
  const { board, view, picker, options } = play;
  const { at } = play.game;
  const shown = { flip: play.flip, coordinates: options.coordinates, dice: fallen(at), fresh: play.fresh };
  board.show(view, shown);
  board.number(options.numbers ? numbers(at) : []);
  board.svg?.classList.toggle("yours", Boolean(play.mayMove()));
  board.clear();
  board.mark("selected", picker.selected);
  board.mark("target", picker.targets);
  board.mark("chosen", picker.move?.cells ?? []);
  board.offer(picker.choices);
  const places = new Map(view.legal.map((move) => [move.name, move.cells]));
  for (const player of [0, 1]) {
    for (const [kind, told] of [["threat", view.threats], ["double", view.double_threats]]) {
      const names = options.threats ? (told?.[player] ?? []) : [];
      board.mark(
        `${kind}${player}`,
        names.flatMap((name) => places.get(name) ?? []),
      );
    }
  }
  play.seatPanel.show(view);
  play.moveList.show(play.game);
  status(play);
}

/** The number of the move that has put each stone where it is, by cells; none on pieces, which have their own signs. */
function numbers(node) {
  if (node.view.glyphs.length || node.view.board.shape === "well") return [];
  const path = [];
  for (let here = node; here.parent; here = here.parent) path.unshift(here);
  const found = new Map();
  for (const { view, ply } of path) {
    for (const cell of view?.last ?? []) found.set(cell, ply);
  }
  const stone = ([cell]) => node.view.cells[cell] === 1 || node.view.cells[cell] === 2;
  return [...found].filter(stone);
}

/** The dice that have just been thrown, or [] . */
const fallen = (node) => (node.parent ? dice(node.parent.view, node.move) : []);

/** Who moves, and whether that is somebody who has just moved, or can do nothing but pass. */
function whoMoves(node) {
  const { view, parent } = node;
  if (view.player < 0) return dice(view, view.legal[0].name).length ? "The dice fall" : "Chance decides";
  const name = sides(view)[view.player];
  const only = view.legal.length === 1 && view.legal[0].name === "pass";
  if (only) return `${name} has to pass`;
  const again = !view.alone && parent?.view?.player === view.player;
  const passed = node.move === "pass" && !again ? `${sides(view)[1 - view.player]} has passed · ` : "";
  return `${passed}${name} to move${again ? " again" : ""}`;
}

function status(play) {
  const { view } = play;
  let text = whoMoves(play.game.at);
  let who = view.player;
  const over = ended(play.game.at);
  if (over) ({ winner: who, text } = outcome(play));
  else if (view.player >= 0 && !play.seats[view.player].human) {
    const does = play.clocks.preparing ? play.searches.thinking.told.toLowerCase() : `${play.seatPanel.called(view.player)} thinks`;
    text += play.live ? ` · ${does}` : " · paused";
  }
  if (view.alone && !over) text += ` · ${points(view.score)}`;
  if (said(play.game.at)) play.note(said(play.game.at));
  else if (play.game.at.meanwhile) play.note(play.game.at.meanwhile, "calm");
  $("status-text").textContent = text;
  const cast = fallen(play.game.at);
  fill($("status-stone"), who >= 0 ? chip(view, who) : "", cast.length && !over ? thrown(cast) : null);
}

/** The thought that the reader wants to see of the shown position, or null. */
export function visible(play) {
  const node = play.game.at;
  return node.source !== "hint" || play.analysis ? node.thought : null;
}

/** How play would go on after a move that the reader points at, as the shown thought has it; [] if it does not say. */
export function lineOf(play, name) {
  const found = visible(play) ?? (play.exact ? play.game.at.solution : null);
  const line = found?.moves.find((move) => move.name === name)?.line ?? [];
  if (line.length) return line;
  return found?.line[0] === name ? found.line : [];
}

/** The line of a thought that looks no further than at a sure win; [] if the shown one does, or nobody is to see it. */
export function provenLine(play) {
  const found = visible(play);
  const watched = play.analysis || !play.live || play.seatPanel.plays === "neither"; // no flash before an agent's move
  const sure = found?.moves.length === 1 && found.moves[0].proven && found.value === 1;
  return sure && watched && play.options.mode !== "off" ? found.line : [];
}

/** What is thought about the shown position: on the board, in the table, in the tree and in the graph. */
export function thoughts(play) {
  const node = play.game.at;
  const shown = visible(play);
  const solution = play.exact ? node.solution : null;
  const drawn = node.source === "agent" || play.analysis ? shown : null; // the board is cleared, the figures remain
  overlay.draw(play.board, { thought: drawn, solution, hint: node.hint, mode: play.options.mode });
  const ask = solution || play.analysis ? "" : "Turn on Analysis to see the search think about this position.";
  const note = node.view.over ? "The game is over." : ask;
  const side = sides(node.view)[node.view.player] ?? "chance";
  play.thoughts.show(shown, solution, { note, side, view: node.view });
  const running = play.searches.thinking;
  if (!$("tree").hidden)
    play.tree.show(running?.node === node ? null : node.thinkId, {
      busy: Boolean(running && !play.analysis),
      thought: shown,
      view: node.view,
      growing: running?.node === node,
    });
  follow(play);
  const share = play.graph.show(play.game);
  evaluate($("evaluation"), node, known);
  $("graph-note").textContent = share === null ? "" : `· ${sides(node.view)[0]} ${percent(share)}`;
}
