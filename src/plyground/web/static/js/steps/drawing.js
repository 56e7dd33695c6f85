/** A search tree drawn as a tree: cards joined by lines, the root at the top, the path that matters in colour. */

import { fill, h, keyed, s, tone } from "../dom.js";

const WIDE = 86;
const GAP = 6;
const LEVEL = 34; // between two levels
const LINE = 13;
const FEWEST = 7; // cards side by side, however small the screen
export const keyOf = (path) => JSON.stringify(path);

/**
 * The nodes that fit: the path first, then by weight, each after its parent, until so many stand side by side.
 * What is left out of a node's children is counted in `more`.
 */
function chosen(nodes, path, wide) {
  const known = new Map(nodes.map((node) => [keyOf(node.path), { ...node, children: [], more: node.hidden ?? 0 }]));
  const onPath = new Set(path.map((_, i) => keyOf(path.slice(0, i + 1))));
  const rank = (node) => (onPath.has(keyOf(node.path)) ? Infinity : node.weight);
  const order = [...known.values()].sort((a, b) => rank(b) - rank(a) || a.path.length - b.path.length);
  const root = known.get("[]");
  const kept = new Set([root]);
  let leaves = 1;
  let grown = true;
  while (grown) {
    grown = false;
    for (const node of order) {
      const parent = node === root ? null : known.get(keyOf(node.path.slice(0, -1)));
      if (kept.has(node) || !kept.has(parent)) continue;
      const more = parent.children.length ? 1 : 0;
      if (leaves + more > wide && rank(node) !== Infinity) continue;
      parent.children.push(node);
      kept.add(node);
      leaves += more;
      grown = true;
    }
  }
  for (const node of known.values()) {
    if (node === root || kept.has(node)) continue;
    const parent = known.get(keyOf(node.path.slice(0, -1)));
    if (kept.has(parent)) parent.more++;
  }
  return root;
}

/** Gives every card its place; returns how wide and how deep they are together. */
function place(root) {
  let right = 0;
  let deepest = 0;
  const named = (a, b) => a.path.at(-1).localeCompare(b.path.at(-1), undefined, { numeric: true });
  const walk = (node, depth) => {
    deepest = Math.max(deepest, depth);
    node.depth = depth;
    node.children.sort(named).forEach((child) => walk(child, depth + 1));
    if (node.children.length) node.x = (node.children[0].x + node.children.at(-1).x) / 2;
    else {
      node.x = right;
      right += WIDE + GAP;
    }
  };
  walk(root, 0);
  return { wide: right - GAP, deep: deepest + 1 };
}

export class TreeDrawing {
  /** `onpick(path)`: a card was chosen. */
  constructor(host, { onpick }) {
    this.host = host;
    this.onpick = onpick;
    this.edges = s("g", { class: "edges" });
    this.cards = s("g", { class: "cards" });
    this.svg = s("svg", { class: "step-tree", role: "group", "aria-label": "Search tree" }, this.edges, this.cards);
    fill(host, this.svg);
  }

  /**
   * Draws nodes `{path, title, side, lines, value, weight, marks, badge}`; those on `path` are lit, and its end is
   * brought into sight.
   */
  show(nodes, path) {
    const wide = Math.max(FEWEST, Math.floor((this.host.clientWidth - 8) / (WIDE + GAP)));
    const root = chosen(nodes, path, wide);
    const size = place(root);
    const high = 10 + LINE * (1 + Math.max(...nodes.map((node) => node.lines.length)));
    const level = high + LEVEL;
    const all = [];
    const walk = (node) => (all.push(node), node.children.forEach(walk));
    walk(root);
    const total = Math.max(size.wide, this.host.clientWidth - 8);
    const left = (total - size.wide) / 2;
    const lit = new Set([keyOf([]), ...path.map((_, i) => keyOf(path.slice(0, i + 1)))]);
    const spot = (node) => [left + node.x, 2 + node.depth * level];
    this.svg.setAttribute("width", total);
    this.svg.setAttribute("height", size.deep * level);
    this.svg.setAttribute("viewBox", `0 0 ${total} ${size.deep * level}`);
    fill(
      this.edges,
      all.flatMap((node) => node.children.map((child) => this.#edge(spot(node), spot(child), high, child, lit))),
    );
    keyed(
      this.cards,
      all,
      (node) => keyOf(node.path),
      (node) => this.#card(node),
      (card, node) => this.#write(card, node, spot(node), high, lit.has(keyOf(node.path)), path),
    );
    this.#follow(all.find((node) => keyOf(node.path) === keyOf(path)) ?? root, spot, high);
  }

  clear() {
    fill(this.edges);
    fill(this.cards);
    for (const side of ["width", "height"]) this.svg.setAttribute(side, 0); // nothing is left to scroll to
  }

  #edge([x, y], [to, below], high, child, lit) {
    const [from, end, middle] = [x + WIDE / 2, to + WIDE / 2, (y + high + below) / 2];
    const on = lit.has(keyOf(child.path)) ? "on" : "";
    return s("path", { d: `M${from} ${y + high}C${from} ${middle} ${end} ${middle} ${end} ${below}`, class: on });
  }

  #card(node) {
    const card = s("g", { class: "card-of-node", tabindex: 0, role: "button" });
    card.append(s("rect", { width: WIDE, rx: 6 }), s("rect", { width: 4, rx: 2, class: "tone" }));
    card.append(s("g", { class: "texts" }));
    const pick = () => this.onpick(node.path);
    card.addEventListener("click", pick);
    card.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      pick();
    });
    return card;
  }

  #write(card, node, [x, y], high, lit, path) {
    const now = keyOf(node.path) === keyOf(path);
    const marks = ["card-of-node", lit && "on", now && "now", ...(node.marks ?? [])];
    card.setAttribute("class", marks.filter(Boolean).join(" "));
    card.style.transform = `translate(${x}px, ${y}px)`;
    const [box, stripe, texts] = card.children;
    box.setAttribute("height", high);
    stripe.setAttribute("height", high);
    stripe.style.fill = node.value === null ? "var(--edge)" : tone(node.value);
    const line = (text, at, kind, x = 10) => {
      const made = s("text", { x, y: 4 + LINE * at, class: kind });
      made.textContent = text;
      return made;
    };
    fill(
      texts,
      line(node.title, 1, "title"),
      node.side ? line(node.side, 1, "side", WIDE - 6) : null,
      node.lines.map((text, i) => line(text, i + 2, "figure")),
      node.more || node.badge ? line(node.badge ?? `+${node.more} more`, high / LINE + 0.55, "more", WIDE / 2) : null,
    );
    card.setAttribute("aria-label", [node.title, node.side, ...node.lines, node.badge].filter(Boolean).join(", "));
  }

  /** Scrolls the drawing so far that a card is seen. */
  #follow(node, spot, high) {
    const [x, y] = spot(node);
    const { host } = this;
    const { scrollLeft: left, scrollTop: top, clientWidth: wide, clientHeight: tall } = host;
    if (x < left || x + WIDE > left + wide) host.scrollLeft = x - wide / 2;
    if (y < top || y + high > top + tall) host.scrollTop = y - tall / 2;
  }
}

/** A table of figures: `columns` are `[key, head, title]`, `rows` objects with texts, and `chosen`. */
export function figures(columns, rows, { onpoint = () => {} } = {}) {
  const head = h("tr", {}, columns.map(([, text, title]) => h("th", { scope: "col", title }, text)));
  const body = rows.map((row) =>
    h(
      "tr",
      { class: row.chosen ? "best" : "", onpointerenter: () => onpoint(row.move), onpointerleave: () => onpoint(null) },
      columns.map(([key]) => h("td", {}, row[key] ?? "")),
    ),
  );
  return h("table", { class: "thought-table step-table" }, h("thead", {}, head), h("tbody", {}, body));
}
