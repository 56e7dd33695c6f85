/**
 * One game on the page: a tree of moves with branches, the place in it that is shown, and its address. The tree
 * lives here alone; the server only answers what a position looks like.
 */

import { shortened } from "./thoughts.js";

const NEAR = 20; // moves

/** What is kept of a position that is far away: who moves, what has happened there; the rest is asked for again. */
const brief = ({ player, over, score, alone, last, legal }) => ({
  ...{ player, over, score, alone, last, brief: true },
  legal: player < 0 ? legal.slice(0, 1) : [], // one outcome tells whether chance throws dice
});

/** A place in the tree. `line` is the child that "forward" leads to. */
class Node {
  constructor(move, parent) {
    this.move = move;
    this.parent = parent;
    this.children = [];
    this.line = null;
    this.ply = parent ? parent.ply + 1 : 0;
    this.view = null; // what the server says of it, once asked; `brief` if only a part of that is kept
    this.thought = null; // the last finished or running thought about it
    this.thinkId = null; // the finished think whose tree can be opened
    this.solution = null; // the exact values, as far as they are known
    this.source = ""; // who thought: "agent", "analysis" or "hint"
    this.analysed = null; // the agent that has finished its analysis of it
    this.hint = null; // the move that a hint has shown
    this.used = parent ? [...parent.used] : [0, 0]; // seconds used by each side up to here
    this.meanwhile = ""; // who has made this move while its agent was being compiled
    this.remark = ""; // "this move throws away the win"
    this.judged = null; // what a review says that it is worth to the first player
    this.reviewed = null; // what a review says of the move that led here
    this.ended = null; // how the game ended here, if not by its rules: {by: "time", "resignation" or "agreement", loser}
  }

  /** The moves that lead here from the start. */
  get moves() {
    return this.parent ? [...this.parent.moves, this.move] : [];
  }

  /** Keeps what is seen of it from elsewhere, in the list of moves and the graph, and what its table shows. */
  shorten() {
    if (this.view && !this.view.brief) this.view = brief(this.view);
    if (this.thought) this.thought = shortened(this.thought);
  }
}

const another = () => Math.random().toString(36).slice(2);

export class Game {
  /** `id` tells it from other games of the same rules, in the browser's history, too. */
  constructor(spec, start = "", id = another()) {
    this.spec = spec;
    this.start = start;
    this.id = id;
    this.root = new Node(null, null);
    this.at = this.root;
  }

  /** The place after a move from `node`; a move made before is found again, a new one becomes a branch. */
  child(node, move) {
    let child = node.children.find((one) => one.move === move);
    if (!child) {
      child = new Node(move, node);
      node.children.push(child);
    }
    node.line = child;
    return child;
  }

  /** Adds a whole line from the start and returns its last place. */
  add(moves) {
    return moves.reduce((node, move) => this.child(node, move), this.root);
  }

  /** The place after these moves from the start; null if the tree has none. */
  find(moves) {
    return moves.reduce((node, move) => node?.children.find((one) => one.move === move) ?? null, this.root);
  }

  /** Makes `node` the shown place, and the way to it the line that "forward" follows. */
  go(node) {
    this.at = node;
    for (let here = node; here.parent; here = here.parent) here.parent.line = here;
  }

  /** From the start through the shown place to the end of its line. */
  get path() {
    const path = [];
    for (let here = this.root; here; here = here.line) path.push(here);
    return path;
  }

  /** Is a place so near to the shown one that all is kept that is known of it? */
  near(node) {
    return Math.abs(node.ply - this.at.ply) <= NEAR;
  }

  /** Shortens what is known of places far from the shown one, so that a long game takes no more room than a short one. */
  shorten() {
    const open = [this.root];
    for (let node = open.pop(); node; node = open.pop()) {
      if (!this.near(node)) node.shorten();
      open.push(...node.children);
    }
  }

  /** Forgets most of what a game holds, when another is begun: what positions look like, what was thought of each move. */
  forget(node = this.root) {
    const { thought } = node;
    node.view = null; // who comes back asks again
    node.analysed = null;
    if (thought) node.thought = { ...thought, moves: [], line: [] };
    for (const child of node.children) this.forget(child);
  }

  /** Cuts a branch off; the shown place moves to its root if it stood inside. */
  remove(node) {
    const parent = node.parent;
    for (let here = this.at; here; here = here.parent) if (here === node) this.at = parent;
    parent.children = parent.children.filter((one) => one !== node);
    if (parent.line === node) parent.line = parent.children[0] ?? null;
  }
}

/** The address of a game: what reload and a shared link need. */
export function toHash(game, seats) {
  const words = new URLSearchParams();
  words.set("game", game.spec);
  if (game.start) words.set("start", game.start);
  const moves = game.path.slice(1).map((node) => node.move);
  if (moves.length) words.set("moves", moves.join(" "));
  if (game.at.ply !== moves.length) words.set("at", game.at.ply);
  ["first", "second"].forEach((name, player) => {
    words.set(name, seats[player].human ? "human" : seats[player].agent);
    const { seconds, simulations, minutes } = seats[player];
    if (seconds !== 1) words.set(`${name}-seconds`, seconds ?? "");
    if (simulations) words.set(`${name}-simulations`, simulations);
    if (minutes) words.set(`${name}-minutes`, minutes);
  });
  return `#play?${words}`;
}

const WRITES = 60; // in half a minute; browsers refuse a hundred
const AWAITED = "address"; // of the tab, that was not written before the page was left
let written = [];
let waiting = 0;
let awaited = null; // [hash, id] that will be written a little later
let stepping = false; // is the next address another step, to which the browser's Back leads?
let here = null; // the address that the page has written or opened

/**
 * Puts a hash into the address bar: at once, or a little later while positions come in a rush. Not where another
 * address stands there already: the reader has left, and the page will hear of it in a moment. The browser's history
 * keeps the `id` of a game with it.
 */
export function keepAddress(hash, id = null) {
  clearTimeout(waiting);
  awaited = null;
  if (here !== null && location.hash !== here) return;
  const now = performance.now();
  written = written.filter((time) => time > now - 30000);
  if (hash === location.hash && id === history.state) return;
  if (written.length < WRITES) {
    written.push(now);
    if (stepping) history.pushState(id, "", hash);
    else history.replaceState(id, "", hash);
    stepping = false;
    here = location.hash;
  } else {
    awaited = [hash, id];
    waiting = setTimeout(() => keepAddress(hash, id), 500);
  }
}

/** The page is left, perhaps to be loaded again: an address that waits is noted, with the one that it takes the place of. */
export function noteAddress() {
  if (awaited === null) return sessionStorage.removeItem(AWAITED);
  return sessionStorage.setItem(AWAITED, JSON.stringify([location.hash, ...awaited]));
}

/** The page is loaded: puts the address that was noted into the bar, if the one that it takes the place of stands there. */
export function catchUp() {
  const [stood, hash, id] = JSON.parse(sessionStorage.getItem(AWAITED) ?? "[]");
  sessionStorage.removeItem(AWAITED);
  if (stood !== undefined && stood === location.hash) history.replaceState(id, "", hash);
}

/** What is shown next is a step of its own: the browser's Back leads to what was shown before. */
export function nextStep() {
  stepping = true;
}

/** A view is shown, by the address that stands there now: forgets one that has not been written yet. */
export function leaveAddress() {
  clearTimeout(waiting);
  awaited = null;
  here = location.hash;
}

/** What an address says; anything missing is null. */
export function fromHash(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const words = new URLSearchParams(query);
  const seconds = (text) => (text === null ? 1 : text === "" ? null : Number(text) || null);
  const positive = (text) => (Number(text) > 0 ? Number(text) : null);
  return {
    view,
    game: words.get("game"),
    start: words.get("start") ?? "",
    moves: (words.get("moves") ?? "").split(/\s+/).filter(Boolean),
    at: words.has("at") ? Number(words.get("at")) : null,
    seats: ["first", "second"].map((name) => ({
      agent: words.get(name),
      seconds: seconds(words.get(`${name}-seconds`)),
      simulations: positive(words.get(`${name}-simulations`)),
      minutes: positive(words.get(`${name}-minutes`)),
    })),
  };
}
