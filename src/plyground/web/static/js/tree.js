/** The tree that a finished search has grown, opened node by node: visits N and value Q of every move, its prior P if there is one. */

import * as api from "./api.js";
import { count, fill, h, percent, worth } from "./dom.js";

const SHOWN = 12;
const LEGEND = "N visits · Q the share of the points of who moves there";

export class TreeView {
  /** `grow()` asks for a tree of the shown position; `online(names)` shows a line of moves on the board; `steps()` is the address of
   * a search of it step by step. */
  constructor(host, { grow, online, steps }) {
    Object.assign(this, { host, grow, online, steps });
    this.think = null;
    this.button = h("button", { type: "button", onclick: () => this.grow() }, "Grow a tree here");
    this.list = h("ul", { class: "tree", role: "tree", "aria-label": "Search tree" });
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("pointerover", (event) => this.#line(event));
    this.list.addEventListener("focusin", (event) => this.#line(event));
    this.list.addEventListener("pointerleave", () => this.online([]));
    this.top = h("ul", { class: "tree", "aria-label": "Search tree, growing" });
  }

  /** Shows the tree of a finished think; the top of one that grows in a `thought`; or a button that grows one. */
  async show(think, { busy = false, thought = null, view = null, growing = false } = {}) {
    if (think !== null && think === this.think) return;
    this.think = think;
    this.view = view;
    const priors = thought?.moves.some((move) => (move.prior ?? null) !== null);
    const legend = () => h("p", { class: "help legend-text" }, LEGEND, priors && " · P prior");
    if (think === null && growing && thought?.moves.length) {
      const sorted = [...thought.moves].sort((a, b) => b.visits - a.visits).slice(0, SHOWN);
      const most = sorted[0].visits || 1;
      const rows = sorted.map((move) => h("li", {}, this.#row({ ...move, children: false }, most)));
      fill(this.top, this.#root(thought), rows);
      if (!this.host.contains(this.top)) fill(this.host, legend(), this.top, this.button);
      this.button.disabled = busy;
      return;
    }
    if (think === null) {
      this.button.disabled = busy;
      if (this.host.contains(this.button) && !this.host.contains(this.top)) return; // a button that is made anew loses a click on it
      const told = h("p", { class: "help" }, "Open the tree that a search has grown from this position.");
      const watch = (event) => (event.preventDefault(), (location.hash = this.steps()));
      const link = h("a", { href: "#steps", id: "watch-steps", onclick: watch }, "Watch a search step by step");
      return fill(this.host, told, this.button, h("p", { class: "help beside" }, link));
    }
    fill(this.list);
    const root = h("ul", { class: "tree", "aria-hidden": "true" }, this.#root(thought));
    fill(this.host, legend(), root, this.list);
    await this.#open(this.list, []);
    this.list.querySelector("[role=treeitem]")?.setAttribute("tabindex", 0);
  }

  async #open(list, path) {
    const think = this.think;
    try {
      const { children } = await api.ask({ type: "open", of: think, path }).answer;
      if (think !== this.think) return;
      const sorted = [...children].sort((a, b) => b.visits - a.visits);
      const most = sorted[0]?.visits || 1;
      const items = sorted.slice(0, SHOWN).map((child) => this.#item(child, path, most));
      if (sorted.length > SHOWN) {
        const rest = sorted.slice(SHOWN).reduce((sum, child) => sum + child.visits, 0);
        items.push(
          h("li", { class: "help", role: "none" }, `and ${sorted.length - SHOWN} more, ${count(rest)} visits`),
        );
      }
      fill(list, items.length ? items : h("li", { class: "help", role: "none" }, "nothing below"));
    } catch (error) {
      if (think !== this.think) return;
      this.think = null;
      fill(
        this.host,
        h("p", { class: "help" }, error instanceof api.Gone ? "The connection was lost." : error.message),
      );
      this.button.disabled = false;
      this.host.append(this.button);
    }
  }

  /** The root of a tree, in which a thought was thought. */
  #root(thought) {
    if (!thought) return null;
    const { value, simulations } = thought;
    return h("li", {}, this.#row({ name: "root", visits: simulations, value, prior: null, children: true }, Infinity, "▾"));
  }

  #row(child, most, twist = child.children ? "▸" : "·") {
    const value = child.value === null ? "–" : worth(this.view, child.value);
    const proof = child.proven ? `proven ${child.value < 0 ? "lost" : ""}` : "";
    return h(
      "div",
      { class: "tree-row", style: `--share:${child.visits / most}` },
      h("span", { class: "twist", "aria-hidden": "true" }, twist),
      h("span", { class: "name" }, child.name),
      h("span", { class: "n" }, `N ${count(child.visits)}`),
      h("span", { class: `q ${proof}` }, `Q ${value}`),
      h("span", { class: "p" }, child.prior === null || child.prior === undefined ? "" : `P ${percent(child.prior, 1)}`),
    );
  }

  #item(child, path, most) {
    const whole = [...path, child.name];
    const row = this.#row(child, most);
    const value = child.value === null ? "not known" : worth(this.view, child.value);
    const item = h("li", { role: "treeitem", tabIndex: -1, data: { path: whole.join(" ") } }, row);
    item.setAttribute(
      "aria-label",
      `${child.name}, ${child.visits} visits, value ${value}${child.proven ? ", proven" : ""}`,
    );
    if (child.children) item.setAttribute("aria-expanded", "false");
    row.addEventListener("click", () => this.#toggle(item, whole));
    return item;
  }

  #toggle(item, path, open = item.getAttribute("aria-expanded") === "false") {
    this.#focus(item);
    if (!item.hasAttribute("aria-expanded")) return;
    item.setAttribute("aria-expanded", String(open));
    item.querySelector(".twist").textContent = open ? "▾" : "▸";
    item.querySelector("ul")?.remove();
    if (!open) return;
    const list = h("ul", { role: "group" }, h("li", { class: "help", role: "none" }, "…"));
    item.append(list);
    this.#open(list, path);
  }

  #focus(item) {
    this.list.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
    item.setAttribute("tabindex", 0);
    item.focus();
  }

  #line(event) {
    const item = event.target.closest("[role=treeitem]");
    this.online(item ? item.dataset.path.split(" ") : []);
  }

  #key(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const items = [...this.list.querySelectorAll("[role=treeitem]")];
    const at = items.indexOf(item);
    const open = item.getAttribute("aria-expanded");
    if (event.key === "ArrowDown" && items[at + 1]) this.#focus(items[at + 1]);
    else if (event.key === "ArrowUp" && items[at - 1]) this.#focus(items[at - 1]);
    else if (event.key === "ArrowRight" && open === "false") this.#toggle(item, item.dataset.path.split(" "), true);
    else if (event.key === "ArrowRight" && open === "true") this.#focus(items[at + 1] ?? item);
    else if (event.key === "ArrowLeft" && open === "true") this.#toggle(item, item.dataset.path.split(" "), false);
    else if (event.key === "ArrowLeft") this.#focus(item.parentElement.closest("[role=treeitem]") ?? item);
    else if (!["ArrowDown", "ArrowUp", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
