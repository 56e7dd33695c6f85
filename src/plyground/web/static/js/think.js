/** What makes the play view think: agents in their seats, analysis, hints, trees to look into. */

import { announce, compiling } from "./dom.js";
import { nameOf } from "./spec.js";

/** The agent that analyses, hints and grows trees: the one that was chosen, if it plays this game, or the usual one. */
export function adviser({ options, able, opponent }) {
  return options.analyst && able.includes(nameOf(options.analyst)) ? options.analyst : opponent;
}

/** Lets the agent of the side to move make its move. */
export async function agentMove(play) {
  const { game } = play;
  const node = game.at;
  if (!play.view) return; // it is on its way
  const { player } = play.view;
  const seat = play.seats[player];
  if (!seat || seat.human || play.searches.thinking?.source === "agent") return;
  const begun = performance.now();
  const { agent, simulations } = seat;
  const seconds = play.clocks.budget(player);
  const thinking = play.searches.think(game, node, { agent, seconds, simulations, seat: player, source: "agent" });
  play.refresh();
  const last = await thinking;
  if (last?.failed && !last.gone) play.live = false;
  if (!last || last.failed) return void play.refresh();
  const rest = play.seatPanel.plays === "neither" ? play.options.delay * 1000 - (performance.now() - begun) : 150;
  const go = () => {
    if (play.game !== game || game.at !== node) return;
    play.play(last.move);
    const reply = node.children.find((child) => child.move === last.move);
    if (!last.meanwhile || !reply) return;
    reply.meanwhile = stoodIn(last.meanwhile);
    play.refresh();
  };
  play.timer = setTimeout(go, Math.max(0, rest));
}

/** Who has replied instead of an agent that is being compiled, and how far that is. */
const stoodIn = (meanwhile) => `${meanwhile.agent}, has replied. ${compiling(meanwhile)}`;

/** Thinks about the shown position for as long as the options say, once. */
export async function analyse(play) {
  const { view } = play;
  if (!view) return;
  const node = play.game.at;
  const agent = adviser(play);
  const { seconds } = play.options;
  if (node.analysed === agent || view.over || view.player < 0) return;
  if (play.searches.thinking?.node === node) return;
  const last = await play.searches.think(play.game, node, { agent, seconds, source: "analysis" });
  if (last && !last.failed) node.analysed = agent;
}

/** Another agent or another time: what was analysed is so no more. */
export function reanalyse(play) {
  if (!play.game) return;
  for (const node of play.game.path) node.analysed = null;
  if (play.searches.thinking?.source === "analysis") play.searches.stop("think");
  if (play.analysis) play.proceed();
}

/** One short think that shows its best move. */
export async function hint(play) {
  const node = play.game.at;
  if (!play.view || play.view.over) return;
  if (node.thought && node.source === "analysis") node.hint = node.thought.move;
  else {
    const asked = { agent: adviser(play), seconds: 1, source: "hint" };
    const last = await play.searches.think(play.game, node, asked);
    if (!last || last.failed) return;
    node.hint = last.move;
  }
  announce(`Hint: ${node.hint}`);
  play.refresh();
  if (play.analysis && play.game.at === node) analyse(play);
}

/** Gives the tree view a finished search: the running analysis is ended, or a short one is made. */
export async function grow(play) {
  const node = play.game.at;
  const running = play.searches.thinking;
  if (running?.node === node && running.source === "analysis") {
    node.analysed = adviser(play);
    return running.task.stop();
  }
  if (running || !play.view || play.view.over) return;
  const thinking = play.searches.think(play.game, node, { agent: adviser(play), seconds: 1, source: "analysis" });
  play.refresh();
  await thinking;
  play.refresh();
}

/** One of the outcomes of chance, by their probabilities. */
export function drawn(outcomes) {
  let rest = Math.random();
  return (outcomes.find((one) => (rest -= one.probability ?? 1 / outcomes.length) < 0) ?? outcomes.at(-1)).name;
}
