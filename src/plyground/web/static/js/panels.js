/** The parts of the play view, each told whom to ask: board, seats, game, thoughts, tree, moves, graph, analyst. */

import { Board } from "./board.js";
import { $, fill, h, toast } from "./dom.js";
import { AgentPicker, GamePicker } from "./forms.js";
import { Graph } from "./graph.js";
import { MoveList } from "./moves.js";
import { Seats } from "./panel.js";
import { hover, point } from "./point.js";
import * as think from "./think.js";
import { Thoughts } from "./thoughts.js";
import { TreeView } from "./tree.js";

export function panels(play, { games, given, agents }) {
  const board = new Board($("board"), {
    onpick: (cell, key, careful) => play.pick(cell, key, careful),
    onhover: (cell) => hover(play, cell),
    onmove: (name) => play.human(name),
  });
  const seatPanel = new Seats($("seats"), { agents, seats: play.seats, onchange: () => play.reseat() });
  const gamePicker = new GamePicker({ games, given, onchange: (spec) => choose(play, spec) });
  const button = (id, text, title, onclick) => h("button", { type: "button", id, title, onclick }, text);
  fill(
    $("game"),
    gamePicker.element,
    h(
      "div",
      { class: "pairs" },
      button("new-game", "New game", "From the start (G)", () => play.newGame(play.game.spec)),
      button("edit", "Edit board", "Put and take stones (E)", () =>
        play.editor.on ? play.editor.cancel() : play.editor.open(),
      ),
      button("set-position", "Position…", "Write or paste a position (P)", () => play.controls.positionDialog()),
      button("share", "Copy link", "A link to this position, to share or to keep (Y)", () => share()),
    ),
  );
  const analyst = new AgentPicker({
    agents,
    label: "Agent for analysis",
    onchange: (spec) => play.set("analyst", spec === play.opponent ? null : spec), // null: the one of each game
  });
  return {
    board,
    seatPanel,
    gamePicker,
    analyst,
    thoughts: new Thoughts($("thoughts"), { onpoint: (name) => point(play, name), onplay: (name) => play.human(name) }),
    tree: new TreeView($("tree"), {
      online: (names) => point(play, names),
      grow: () => think.grow(play),
      steps: () => stepsAddress(play),
    }),
    moveList: new MoveList($("moves"), { ongo: (node) => play.visit(node) }),
    graph: new Graph($("graph"), { ongo: (node) => play.visit(node) }),
  };
}

/** Where the shown position is searched step by step. */
function stepsAddress({ game }) {
  const words = new URLSearchParams({ game: game.spec });
  if (game.start) words.set("start", game.start);
  if (game.at.ply) words.set("moves", game.at.moves.join(" "));
  return `#steps?${words}`;
}

/** Another game was picked; its family may have a view of its own. */
function choose(play, spec) {
  if (!play.views.of(spec)) return play.newGame(spec);
  location.hash = play.views.address(spec);
  if (play.game) play.gamePicker.set(play.game.spec);
}

/** Copies the address, which holds the position. */
export async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    toast("The link to this position is copied.");
  } catch {
    toast("The browser forbids copying: the link is in the address bar.", "warning");
  }
}
