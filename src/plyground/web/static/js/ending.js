/**
 * How a game ends, and what comes after: by the rules, on time, by resigning or by agreement; the line that says so to
 * who has played; another game with the sides swapped.
 */

import { $, announce, button, fill, h, percent, points, toast, winShare } from "./dom.js";
import { sides, tints } from "./look.js";

const SURE = 3000; // milliseconds in which to resign has to be confirmed
const FIRST_OFFER = 4; // moves before a draw is talked about
const EVEN = 0.05; // an agent that thinks itself no better than this takes a draw

/** Has the game ended at this place? */
export const ended = (node) => Boolean(node.view?.over) || node.ended !== null;

/** How it ended: `winner` is 0, 1 or -1; `text` says it of the sides. */
function result({ view, ended: given }) {
  const names = sides(view);
  if (view.alone) return { winner: -1, text: given ? "Time is up" : "Game over" };
  if (given?.by === "agreement") return { winner: -1, text: "Drawn by agreement" };
  if (given) {
    const winner = 1 - given.loser;
    return { winner, text: `${names[winner]} wins ${given.by === "time" ? "on time" : "by resignation"}` };
  }
  const winner = view.score === 1 ? 0 : view.score === -1 ? 1 : -1;
  return { winner, text: winner >= 0 ? `${names[winner]} wins` : view.score === 0 ? "Drawn" : `Score ${view.score}` };
}

/** The seat of the only person among two, or null. */
function person(play) {
  const found = { first: 0, second: 1 }[play.seatPanel.plays];
  return play.view?.alone || found === undefined ? null : found;
}

/** What an ended game is called: "You won · X wins"; its `kind` is won, lost, drawn, or "" where no one person played. */
export function outcome(play) {
  const { winner, text } = result(play.game.at);
  const own = person(play);
  const { alone, score } = play.view;
  if (alone) return { winner, kind: "", text: `${text} · ${points(score)}` };
  if (own === null) return { winner, kind: "", text };
  if (winner < 0) return { winner, kind: "drawn", text };
  return winner === own ? { winner, kind: "won", text: `You won · ${text}` } : { winner, kind: "lost", text: `You lost · ${text}` };
}

export class Ending {
  constructor(play) {
    this.play = play;
    this.resign = button("resign", "Resign", "Give the game up", () => this.#resign());
    this.draw = button("draw", "Draw?", "Offer a draw", () => this.#offer());
    this.rematch = button("rematch", "Rematch", "Another game, with the sides swapped", () => this.again(), "Rematch");
    this.rematch.classList.add("primary");
    this.review = button("review-ending", "Review", "Find the mistakes of the game (W)", () => play.review.run());
    this.after = h("span", { class: "after" }, this.rematch, this.review);
    $("status").append(this.after);
  }

  /** Ends the game here, by something else than its rules. */
  end(by, loser = null) {
    const { play } = this;
    play.game.at.ended = { by, loser };
    play.rest();
    play.live = false;
    play.refresh();
    announce($("status-text").textContent);
  }

  #resign() {
    const { resign } = this;
    if (resign.textContent !== "Sure?") {
      fill(resign, "Sure?");
      this.timer = setTimeout(() => fill(resign, "Resign"), SURE);
      return;
    }
    clearTimeout(this.timer);
    fill(resign, "Resign");
    this.end("resignation", person(this.play));
  }

  /** Offers a draw: the agent takes it if its last search does not think it better off. */
  #offer() {
    const { play } = this;
    const who = play.seatPanel.called(1 - person(play));
    let node = play.game.at;
    while (node && !(node.source === "agent" && node.thought)) node = node.parent;
    const value = node?.thought.value ?? null;
    if (value !== null && value <= EVEN) return this.end("agreement");
    const why = value === null ? "it cannot tell how it stands" : `it sees ${percent(winShare(value))} for itself`;
    toast(`No draw: ${who} plays on, ${why}.`);
  }

  /** The same game from its start; who has played against an agent sits on the other side. */
  again() {
    const { play } = this;
    const { game } = play;
    if (person(play) !== null) play.seatPanel.swap();
    return play.newGame(game.spec, game.start);
  }

  /** Buttons follow the state of the game. */
  show() {
    const { play } = this;
    const { at } = play.game;
    const over = ended(at);
    const { kind } = over ? outcome(play) : { kind: "" };
    for (const one of ["won", "lost", "drawn"]) $("status").classList.toggle(one, kind === one);
    $("status").classList.toggle("over", over);
    this.after.hidden = !over;
    this.review.hidden = play.view.alone;
    const playing = !over && person(play) !== null && !at.children.length && at.ply > 0;
    this.resign.classList.toggle("gone", !playing);
    this.draw.classList.toggle("gone", !playing || play.view.decisive || at.ply < FIRST_OFFER);
  }
}

/** A bar that says how the game stands: the first player's share, as it was last known before the shown position. */
export function evaluate(host, node, share) {
  let known = null;
  for (let here = node; here && known === null; here = here.parent) known = here.view ? share(here) : null;
  if (known === null || node.view.alone) return void host.classList.add("gone");
  const [first] = sides(node.view);
  host.className = `evaluation ${tints(node.view)?.[0] ?? ""}`;
  host.style.setProperty("--share", known);
  host.setAttribute("aria-valuenow", Math.round(100 * known));
  host.title = `${first} ${percent(known)}`;
  host.setAttribute("aria-valuetext", host.title);
}
