/** What a first visit meets: a picture of every game and a level, one click from the first stone. */

import { orAway } from "./away.js";
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
    this.pictured = new WeakMap(); // what a card shows; those of an earlier visit may come into sight late
    this.near = new IntersectionObserver((seen) => this.#draw(seen), { rootMargin: "300px" });
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

  /** Shows the games that were asked for. */
  async open(asked) {
    this.#show();
    const { games } = await orAway("the games", this.cards, asked);
    this.games = games;
    fill(this.cards, games.map(card));
    [...this.cards.children].forEach((one, i) => {
      this.pictured.set(one, games[i].view);
      this.near.observe(one);
    });
    this.#show();
  }

  /** Draws the pictures that come into sight: all of them at once are ten thousand elements. */
  #draw(seen) {
    for (const { target } of seen.filter((one) => one.isIntersecting)) {
      this.near.unobserve(target);
      new Board(target.querySelector(".picture")).show(this.pictured.get(target), { coordinates: false });
    }
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

/** A game as a link with a place for its picture. */
function card({ game, about }) {
  const place = h("div", { class: "picture", "aria-hidden": "true", inert: true });
  const name = game.split("/").at(-1);
  const [short] = about.split(/[.:;](?![^(]*\))/); // at the first stop that is in no brackets
  return h("a", { class: "card", title: about }, place, h("strong", {}, name), h("small", {}, short));
}
