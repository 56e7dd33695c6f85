/**
 * The review of a game: what each move has cost, the mistakes one by one, another try at them. The server judges; here
 * the figures are put at the places of the game's tree.
 */

import * as api from "./api.js";
import { $, announce, button, compiling, download, fill, h, percent, toast, waiting } from "./dom.js";
import { sides } from "./look.js";
import { numbered } from "./moves.js";
import { point } from "./point.js";
import { Game, toHash } from "./state.js";
import { adviser } from "./think.js";

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
const A_MOVE = 1; // seconds, and at most as many as the server gives
const MOST = 60;
const LEAST = 5;
const NEXT = "The position before the next mistake (X)";

/** What the list of moves shows behind a move. */
export const sign = (node) => SIGNS[node.reviewed?.kind] ?? (node.remark ? "?" : "");

/** What a move has cost, in words; "" if it was no mistake. */
export function said(node) {
  const move = node.reviewed;
  if (!SIGNS[move?.kind]) return node.remark;
  const line = move.line.length ? `; better: ${move.line.slice(0, 6).join(" ")}` : "";
  return `${move.kind}, costs ${percent(move.cost)}${move.exact ? " for sure" : ""}${line}`;
}

export class ReviewPanel {
  constructor(host, play) {
    Object.assign(this, { host, play });
    this.task = null;
    this.told = null; // the latest that the server has said
    this.nodes = []; // the places that were reviewed, the start first
    this.#leaveRetry();
    this.verdict = "";
    this.text = h("p", { class: "help" });
    this.begin = button("review", "Review this game", "Find the mistakes of the game (W)", () => this.toggle());
    this.begin.classList.add("primary");
    this.next = button("next-mistake", "Next mistake", NEXT, () => this.step());
    this.again = button("retry", "Retry", "Play another move in its place (Z)", () => this.tryAgain());
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Review" });
    this.sums = h("div", { class: "review-sums" });
    this.list = h("ol", { class: "mistakes scroll", "aria-label": "Mistakes" });
    this.exports = h("div", { class: "row exports" });
    this.answer = h("p", { class: "verdict-text", role: "status" });
    fill(
      host,
      h("div", { class: "row first" }, this.begin, this.next, this.again),
      this.bar,
      this.text,
      this.answer,
      this.sums,
      this.list,
      this.exports,
    );
    this.show();
  }

  /** The mistakes, in the order of the game. */
  get mistakes() {
    return this.nodes.filter((node) => SIGNS[node.reviewed?.kind]);
  }

  toggle() {
    if (this.task) this.task.stop();
    else this.run();
  }

  async run() {
    const { play } = this;
    const { game } = play;
    const nodes = game.path;
    const moves = nodes.slice(1).map((node) => node.move);
    if (!moves.length) return toast("There is no move to review yet.");
    play.controls.openTab("review-panel");
    play.live = false;
    play.rest();
    Object.assign(this, { nodes, told: null, verdict: "", game });
    this.#leaveRetry();
    const seconds = Math.max(LEAST, Math.min(MOST, A_MOVE * moves.length));
    const asked = { type: "review", game: game.spec, start: game.start, moves, agent: adviser(play), seconds };
    const task = (this.task = api.ask(asked, (message) => this.task === task && this.#receive(message)));
    this.text.textContent = "The review begins…";
    this.show();
    try {
      const last = await task.answer;
      if (this.task !== task) return; // another game is shown
      this.#receive(last);
      const count = this.mistakes.length;
      announce(`The review has found ${count === 1 ? "one mistake" : `${count || "no"} mistakes`}.`);
    } catch (error) {
      if (this.task !== task) return;
      if (!(error instanceof api.Gone)) toast(error.message, "error");
      this.verdict = "The review has ended before its time.";
    }
    this.task = null;
    play.refresh();
    this.show();
  }

  #receive(message) {
    if (message.type === "compiling") this.text.textContent = compiling(message);
    if (message.type === "waiting") this.text.textContent = waiting(message);
    if (!message.reviewed) return;
    this.told = message;
    message.values.forEach((value, i) => (this.nodes[i].judged = value));
    message.reviewed.forEach((move, i) => (this.nodes[i + 1].reviewed = move));
    const ended = message.problem || "stopped before its end";
    const left = message.type === "reviewing" || message.complete ? "" : `, ${ended}`;
    const judged = message.reviewed.filter((move) => move.cost !== null && move.kind !== "forced");
    const exact = judged.filter((move) => move.exact).length;
    const solver = exact ? `, ${exact} of ${judged.length} moves by the solver` : "";
    this.text.textContent = `By ${exact === judged.length ? "the solver" : `${message.by}${solver}`}${left}.`;
    if (this.play.game === this.game) this.play.refresh();
    this.show();
  }

  /** Another game is shown: what was said of the last is gone. */
  leave() {
    this.task?.stop();
    Object.assign(this, { task: null, nodes: [], told: null, verdict: "" });
    this.#leaveRetry();
    this.text.textContent = "";
    this.show();
  }

  /** Goes to the position before the next mistake, or before one that is named, and shows what was better. */
  async step(node = null) {
    const { mistakes, play } = this;
    if (!mistakes.length) return;
    const at = play.game.at.ply;
    const next = node ?? this.unsolved ?? mistakes.find((one) => one.ply - 1 > at || (one.ply - 1 === at && this.shown !== one)) ?? mistakes[0];
    this.#leaveRetry();
    this.shown = next;
    await play.visit(next.parent);
    point(play, next.reviewed.line);
    this.verdict = `${numbered(next)}: ${said(next)}`;
    announce(this.verdict);
    this.show();
  }

  /** Lets the reader play in the place of the mistake that is shown, or of the one that led to the shown position. */
  async tryAgain() {
    const { play } = this;
    const { at } = play.game;
    const shown = this.shown?.parent === at ? this.shown : null;
    const node = this.#tried() ?? shown ?? this.mistakes.find((one) => one === at) ?? this.mistakes[0];
    if (!node) return;
    this.#leaveRetry();
    await play.visit(node.parent);
    point(play, null);
    this.retry = node;
    this.shown = node;
    this.verdict = `${(play.view && sides(play.view)[node.reviewed.player]) ?? "You"} to move: find something better than ${node.move}.`;
    announce(this.verdict);
    play.refresh();
    this.show();
  }

  /** Does a move that the reader plays belong to another try? Then it is played and judged here. */
  takes(name) {
    const { retry, play } = this;
    if (!retry || play.game.at !== retry.parent) return false;
    play.live = false;
    play.play(name);
    this.#judge(retry, name);
    return true;
  }

  /** The mistake that the reader tries again at the shown place, or has just tried; null if there is none. */
  #tried() {
    const { retry, play } = this;
    if (!retry) return null;
    const { at } = play.game;
    return [at, at.parent].includes(retry.parent) ? retry : null;
  }

  /** The same as long as nothing better has been found. */
  get unsolved() {
    return this.good === true ? null : this.#tried();
  }

  async #judge(node, name) {
    const { reviewed } = node;
    this.trial = null;
    let good = name === reviewed.best || reviewed.good.includes(name);
    let words = good ? "nothing lost" : "";
    if (name === node.move) words = `that is the move of the game, and costs ${percent(reviewed.cost)}`;
    else if (!good && reviewed.exact && reviewed.good.length) words = "that costs something, too";
    if (!words) {
      this.#say(`${name}: let me see…`);
      const { game } = this;
      const asked = { type: "review", game: game.spec, start: game.start, agent: adviser(this.play), seconds: LEAST };
      const moves = [...node.parent.moves, name];
      try {
        const trial = (this.trial = api.ask({ ...asked, moves, since: moves.length - 1 }));
        const told = await trial.answer;
        if (this.trial !== trial) return; // another move has been tried
        const judged = told.reviewed.at(-1);
        if (judged.cost === null) words = "nobody can say";
        else {
          good = !SIGNS[judged.kind];
          words = good ? "hardly anything lost" : `costs ${percent(judged.cost)}`;
        }
      } catch (error) {
        return this.#say(error instanceof api.Gone ? "The connection was lost." : error.message);
      }
    }
    this.#say(`${good ? "Right" : "Not yet"}. ${name}: ${words}.${good ? "" : " Try again (Z), or see what was better (X)."}`, good);
  }

  #say(text, good = null) {
    this.verdict = text;
    this.good = good;
    announce(text);
    this.show();
  }

  #leaveRetry() {
    this.retry = null; // the mistake that the reader tries again
    this.good = null; // was the other move a good one?
    this.trial = null; // the question whether it was
  }

  show() {
    const { told, mistakes, play } = this;
    const moves = Boolean(play.game?.path.length > 1);
    this.begin.textContent = this.task ? "Stop" : told ? "Review again" : "Review this game";
    this.begin.disabled = !moves && !this.task;
    this.bar.hidden = !this.task;
    this.bar.value = told?.share ?? 0;
    const [step, what] = this.unsolved ? ["What was better", "What was better (X)"] : ["Next mistake", NEXT];
    this.next.textContent = step;
    for (const name of ["title", "aria-label"]) this.next.setAttribute(name, what);
    this.next.disabled = this.again.disabled = !mistakes.length;
    this.next.hidden = this.again.hidden = !told;
    if (!told && !this.task)
      this.text.textContent =
        "An agent goes through the game and finds the moves that cost most; where a solver reaches, it has the word. A game as a file, or its moves, can be dropped onto the page.";
    this.answer.textContent = this.verdict;
    this.answer.className = `verdict-text ${this.good === true ? "right" : this.good === false ? "wrong" : ""}`;
    fill(this.sums, told ? this.#sums() : []);
    const dear = [...mistakes].sort((a, b) => b.reviewed.cost - a.reviewed.cost);
    fill(
      this.list,
      dear.map((node) => this.#row(node)),
      told && !this.task && !dear.length ? h("li", { class: "help" }, "No mistakes were found.") : null,
    );
    fill(this.exports, told && !this.task ? this.#exports() : []);
  }

  #sums() {
    const view = this.play.view;
    return this.told.lost.map((lost, player) => {
      const name = view && sides(view)[player];
      if (lost === null || !name) return null;
      const kinds = this.mistakes.filter((node) => node.reviewed.player === player).map((node) => node.reviewed.kind);
      const counts = Object.keys(SIGNS)
        .reverse()
        .map((kind) => [kind, kinds.filter((one) => one === kind).length])
        .filter(([, count]) => count)
        .map(([kind, count]) => `${count} ${count === 1 ? kind : kind.replace(/y$/, "ie").concat("s")}`);
      return h("p", {}, h("strong", {}, name), ` ${counts.join(", ") || "no mistakes"} `, h("span", { class: "dim" }, `${percent(lost, 1)} lost a move`));
    });
  }

  #row(node) {
    const { cost, kind, line, exact } = node.reviewed;
    const go = button(null, [`${numbered(node)} `, h("b", { class: kind }, SIGNS[kind])], `Show what was better`, () => this.step(node));
    go.className = "link";
    if (node === this.shown) go.setAttribute("aria-current", "step");
    const proof = exact ? h("span", { class: "dim", title: "by the solver" }, "✓") : null;
    return h("li", {}, go, h("span", { class: "cost" }, percent(cost), proof), h("span", { class: "dim better" }, line.slice(0, 4).join(" ")));
  }

  #exports() {
    const { files, text, ...figures } = this.told;
    const one = (name, content) => button(`export-${name}`, name.toUpperCase(), `Save the review as ${name}`, () => download(`review.${name}`, content));
    return [
      h("span", { class: "dim" }, "Save"),
      ...Object.entries(files ?? {}).map(([ending, content]) => one(ending.slice(1), content)),
      one("json", figures),
      one("txt", text),
    ];
  }
}

/** Opens whatever is dropped onto the page: a file of a game, a review, or moves. */
export function takeDrops(play) {
  const over = (event) => event.preventDefault();
  document.addEventListener("dragover", over);
  document.addEventListener("drop", async (event) => {
    const file = event.dataTransfer?.files[0];
    const text = file ? await file.text() : event.dataTransfer?.getData("text");
    event.preventDefault();
    if (text) openText(play, text, file?.name ?? "");
  });
}

/** Opens a game that is written down, in whatever view; true if the server accepts it. */
export async function openText(play, text, name = "") {
  let known;
  try {
    known = await read(play.game?.spec ?? play.first, text.trim(), name);
    await api.position(known.game, known.start, known.moves);
  } catch (error) {
    toast(error.message, "error");
    return false;
  }
  const { game: spec, start, moves } = known;
  if ($("play").hidden) {
    const game = new Game(spec, start);
    game.go(game.add(moves));
    location.hash = `${toHash(game, play.seats)}&at=${moves.length}`; // no agent goes on by itself
  } else {
    if (!(await play.newGame(spec, start, moves))) return false;
    play.live = false;
    play.refresh();
  }
  toast(moves.length ? `${moves.length} move${moves.length === 1 ? "" : "s"} opened.` : "The position is set up.");
  return true;
}

/** The game of a review that was saved as JSON. */
function saved(name, text) {
  try {
    const { game, start = "", moves } = JSON.parse(text);
    if (typeof game === "string" && Array.isArray(moves)) return { game, start, moves };
  } catch {
    // no JSON at all
  }
  throw new Error(`${name}: there is no game in the file`);
}

async function read(game, text, name) {
  if (/\.json$/i.test(name)) return saved(name, text);
  if (name && !/\.txt$/i.test(name)) return { start: "", ...(await api.file(name, text)) };
  if (/[\n([]/.test(text)) {
    const found = await api.file("", text).catch(() => null);
    if (found) return { start: "", ...found };
  }
  if (text.includes("/")) return { game, start: text, moves: [] };
  return { game, start: "", moves: text.split(/[\s,]+/).filter(Boolean) };
}
