/** The moves of a game as text with its branches; a click goes to the position after a move. */

import { fill, h } from "./dom.js";

export class MoveList {
  constructor(host, { ongo }) {
    Object.assign(this, { host, ongo });
    this.key = "";
  }

  show(game) {
    const list = h("div", { class: "move-text" });
    if (game.root.children.length) this.#line(list, game.root, game, true);
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
  #line(into, node, game, fresh) {
    let here = node;
    while (here.children.length) {
      const [main, ...others] = here.children;
      into.append(...this.#move(main, game, fresh));
      fresh = false;
      for (const other of others) {
        const branch = h("span", { class: "branch" });
        branch.append(...this.#move(other, game, true));
        this.#line(branch, other, game, false);
        into.append(branch);
        fresh = true;
      }
      here = main;
    }
  }

  #move(node, game, fresh) {
    const parts = [];
    const first = node.ply % 2 === 1;
    if (first || fresh) parts.push(h("span", { class: "number" }, `${Math.ceil(node.ply / 2)}${first ? "." : "…"}`));
    const button = h("button", { type: "button", class: "link move", onclick: () => this.ongo(node) }, node.move);
    if (node === game.at) button.setAttribute("aria-current", "step");
    if (node.remark) {
      button.append(h("span", { class: "bad" }, "?"));
      button.title = node.remark;
    }
    parts.push(button);
    return parts;
  }
}
