/**
 * The views that families of games bring along. The server announces them; a script is loaded when its view is first
 * opened. docs/api.md says what it has to answer.
 */

import { ofView } from "./api.js";
import { $, h } from "./dom.js";
import { nameOf } from "./spec.js";
import { keepAddress } from "./state.js";

const place = (name) => $(`view-${name}`);
const located = (path) => new URL(path, document.baseURI).href;
const hash = (name, words) => `#${name}?${new URLSearchParams(words)}`;

export class Views {
  /** `views` are those that the server has announced; each `games` entry names its own, if it has one. */
  constructor({ games, given, agents, views }) {
    Object.assign(this, { games, given, agents });
    this.announced = new Map(views.map((view) => [view.name, view]));
    this.mounted = new Map(); // what was made of a view by its script
    for (const name of this.announced.keys()) $("studies").before(h("main", { id: `view-${name}`, hidden: true }));
  }

  /** The view that shows a game; null if the game is played on a board. */
  of(spec) {
    const name = this.games.find((game) => game.name === nameOf(spec))?.view;
    return this.announced.get(name) ?? null;
  }

  /** The address at which a game is played. */
  address(spec, words = {}) {
    return hash(this.of(spec)?.name ?? "play", { game: spec, ...words });
  }

  /** The view that is on the page now, once it is mounted. */
  get shown() {
    const name = [...this.mounted.keys()].find((name) => !place(name).hidden);
    return this.mounted.get(name) ?? null;
  }

  /** Shows one of them, or none; those that were left are told. */
  show(name) {
    for (const other of this.announced.keys()) {
      const left = other !== name && !place(other).hidden;
      place(other).hidden = other !== name;
      if (left) this.mounted.get(other)?.leave?.();
    }
  }

  /** Opens a view with the words of its address, unless the reader has left while it was loading. */
  async open(name, words) {
    if (!this.mounted.has(name)) await this.#load(this.announced.get(name));
    if (!place(name).hidden) await this.mounted.get(name).open(words);
  }

  async #load({ name, script, styles }) {
    const [{ mount }] = await Promise.all([import(located(script)), ...styles.map(load)]);
    if (!this.mounted.has(name)) this.mounted.set(name, mount(place(name), this.#page(name)));
  }

  /** What a view knows of the page around it. */
  #page(name) {
    const { games, given, agents } = this;
    return {
      games,
      given,
      agents,
      shows: (spec) => this.of(spec)?.name === name,
      address: (spec, words) => this.address(spec, words),
      keepAddress: (words) => keepAddress(hash(name, words)),
      request: (what, game) => ofView(name, what, game),
    };
  }
}

/** Adds a style sheet; resolves when it is there. */
export function load(path) {
  const known = [...document.styleSheets].some((sheet) => sheet.href === located(path));
  if (known) return null;
  return new Promise((done, failed) => {
    const onerror = () => failed(new Error(`${path} cannot be loaded`));
    document.head.append(h("link", { rel: "stylesheet", href: path, onload: done, onerror }));
  });
}
