/** The moves of a game as text with its branches; a click goes to the position after a move. */

import { fill, h } from "./dom.js";
import { dice, thrown } from "./look.js";
import { said, sign } from "./review.js";

/** Who has made a move: 0, 1, or -1 for chance; by turns where the position before it was never looked at. */
const mover = (node) => node.parent.view?.player ?? (node.parent.ply % 2);

/**
 * The turn that a move belongs to, given that of the move before it: turns are counted by those of the first player,
 * and a move may begin one. Who moves twice in a row goes on with the same one, and so does chance; alone, every move
 * is a turn.
 */
function turn(node, before) {
  const who = mover(node);
  const begins = who === 0 && (before.last !== 0 || Boolean(node.parent.view?.alone));
  const number = begins || (who === 1 && before.number === 0) ? before.number + 1 : before.number;
  return { number, begins, chance: who < 0, last: who < 0 ? before.last : who };
}

/** A move as the list shows it: its name, or the dice that fell. */
function told(node) {
  const faces = dice(node.parent.view, node.move);
  return faces.length ? thrown(faces) : node.move;
}

const BEFORE = { number: 0, last: null };

/** A move with the number of its turn: "4. a1", and "4… b4" for the second player's. */
export function numbered(node) {
  const path = [];
  for (let here = node; here.parent; here = here.parent) path.unshift(here);
  const at = path.reduce((before, one) => turn(one, before), BEFORE);
  return `${at.number}${at.begins ? "." : "…"} ${node.move}`;
}

export class MoveList {
  constructor(host, { ongo }) {
    Object.assign(this, { host, ongo });
    this.key = "";
  }

  show(game) {
    const list = h("div", { class: "move-text" });
    if (game.root.children.length) this.#line(list, game.root, game, true, BEFORE);
    else list.append(h("span", { class: "help" }, "No moves yet."));
    fill(this.host, list);
    const current = this.host.querySelector("[aria-current]");
    if (current) {
      const { top, bottom } = this.host.getBoundingClientRect();
      const here = current.getBoundingClientRect();
      if (here.top < top || here.bottom > bottom) this.host.scrollTop += here.top - top - 40;
    }
  }

  /** Writes the first child of `node` and all that follows; its other children become branches in brackets. */
  #line(into, node, game, fresh, before) {
    let here = node;
    while (here.children.length) {
      const [main, ...others] = here.children;
      const at = turn(main, before);
      into.append(...this.#move(main, game, fresh, at));
      fresh = false;
      for (const other of others) {
        const branch = h("span", { class: "branch" });
        const aside = turn(other, before);
        branch.append(...this.#move(other, game, true, aside));
        this.#line(branch, other, game, false, aside);
        into.append(branch);
        fresh = true;
      }
      here = main;
      before = at;
    }
  }

  #move(node, game, fresh, { number, begins, chance }) {
    const parts = [];
    if (begins || (fresh && !chance)) parts.push(h("span", { class: "number" }, `${number}${begins ? "." : "…"}`));
    const button = h("button", { type: "button", class: "link move", onclick: () => this.ongo(node) }, told(node));
    if (node === game.at) button.setAttribute("aria-current", "step");
    if (sign(node)) {
      button.append(h("span", { class: "bad" }, sign(node)));
      button.title = said(node);
    }
    parts.push(button);
    return parts.length > 1 ? [h("span", { class: "with-number" }, parts)] : parts;
  }
}
