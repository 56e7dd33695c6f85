/** What a first visit meets: a picture of every game and a level, one click from the first stone. */

import * as api from "./api.js";
import { Board } from "./board.js";
import { $, fill, h } from "./dom.js";

const LEVELS = ["beginner", "novice", "casual", "intermediate", "strong", "full strength"]; // those of most games
const USUAL = "casual";

export class Gallery {
  constructor(views) {
    this.views = views;
    this.host = $("games");
    this.level = localStorage.getItem("level") ?? USUAL;
    this.levels = LEVELS.map((name) =>
      h("button", { type: "button", data: { level: name }, onclick: () => this.#choose(name) }, name),
    );
    this.cards = h("div", { class: "pictures" });
    fill(
      this.host,
      h("h1", {}, "What shall we play?"),
      h(
        "div",
        { class: "quick" },
        h("span", { class: "dim" }, "Your opponent"),
        h("div", { class: "segments", role: "group", "aria-label": "Your opponent" }, this.levels),
      ),
      this.cards,
    );
  }

  async open() {
    this.#show();
    const { games } = await api.pictures();
    this.games = games;
    fill(this.cards, games.map(card));
    this.#show();
  }

  #choose(level) {
    this.level = level;
    this.#show();
  }

  /** Every picture leads to its game, against the opponent that is chosen. */
  #show() {
    for (const one of this.levels) one.setAttribute("aria-pressed", String(one.dataset.level === this.level));
    (this.games ?? []).forEach(({ game, levels }, i) => {
      const met = levels.find((one) => one.name === this.level) ?? levels.at(-1);
      this.cards.children[i].href = this.views.address(game, met ? { first: "human", second: met.agent } : {});
      this.cards.children[i].onclick = () => localStorage.setItem("level", this.level); // no first visit any more
    });
  }
}

/** A game as a link with its picture. */
function card({ game, about, view }) {
  const place = h("div", { class: "picture", "aria-hidden": "true", inert: true });
  new Board(place).show(view, { coordinates: false });
  const name = game.split("/").at(-1);
  return h("a", { class: "card", title: about }, place, h("strong", {}, name), h("small", {}, about.split(/[.:;]/)[0]));
}
