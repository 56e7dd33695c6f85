/**
 * The first player's share over the game, from the thoughts about its positions, or in a game of one player its points
 * beside the most; a click goes to a position.
 */

import { fill, percent, s, winShare } from "./dom.js";
import { sign } from "./review.js";

const WIDE = 320;
const HIGH = 84;

/** What is known of a place, as the first player's share in [0, 1], or null. The truth goes before an estimate. */
export function share(node) {
  const view = node.view;
  if (!view || view.alone) return null;
  if (view.over) return view.score === null ? null : winShare(Math.max(-1, Math.min(1, view.score)));
  const value = node.solution?.value ?? node.thought?.value ?? null;
  if (view.player < 0 || value === null) return node.judged === null ? null : winShare(node.judged);
  return winShare(view.player === 0 ? value : -value);
}

export class Graph {
  constructor(host, { ongo }) {
    this.host = host;
    this.ongo = ongo;
    this.host.tabIndex = 0;
    this.host.setAttribute("role", "slider");
    this.host.setAttribute("aria-label", "Position in the game");
    host.addEventListener("click", (event) => {
      const { left, width } = host.getBoundingClientRect();
      const ply = Math.round(((event.clientX - left) / width) * this.span);
      this.ongo(this.path[Math.max(0, Math.min(this.path.length - 1, ply))]);
    });
  }

  show(game) {
    this.path = game.path;
    this.span = Math.max(this.path.length - 1, 8);
    const x = (ply) => (ply / this.span) * WIDE;
    const y = (value) => HIGH - 4 - value * (HIGH - 8);
    const most = Math.max(1, ...this.path.map(({ view }) => (view?.alone && view.score) || 0));
    const shown = (node) => (node.view?.alone ? Math.max(0, node.view.score / most) : share(node));
    const known = this.path.map((node) => [node.ply, shown(node)]).filter(([, value]) => value !== null);
    const points = known.map(([ply, value]) => `${x(ply).toFixed(1)} ${y(value).toFixed(1)}`);
    const drawn = [s("rect", { width: WIDE, height: HIGH, class: "paper" })];
    if (points.length > 1) {
      const floor = `L${x(known.at(-1)[0])} ${HIGH}L${x(known[0][0])} ${HIGH}Z`;
      drawn.push(s("path", { d: `M${points.join("L")}${floor}`, class: "under" }));
    }
    drawn.push(s("path", { d: `M0 ${HIGH / 2}H${WIDE}`, class: "even" }));
    if (points.length > 1) drawn.push(s("path", { d: `M${points.join("L")}`, class: "curve" }));
    for (const [ply, value] of known) drawn.push(s("circle", { cx: x(ply), cy: y(value), r: 2.4, class: "dot" }));
    for (const node of this.path) {
      if (!sign(node)) continue;
      drawn.push(s("circle", { cx: x(node.ply), cy: y(share(node) ?? 0.5), r: 4, class: "slip" }));
    }
    drawn.push(s("path", { d: `M${x(game.at.ply)} 0V${HIGH}`, class: "now" }));
    fill(
      this.host,
      s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" }, drawn),
    );
    const here = share(game.at);
    const { host } = this;
    host.setAttribute("aria-valuemin", 0);
    host.setAttribute("aria-valuemax", this.path.length - 1);
    host.setAttribute("aria-valuenow", game.at.ply);
    const told = here === null ? "" : `, first player ${percent(here)}`;
    host.setAttribute("aria-valuetext", `move ${game.at.ply} of ${this.path.length - 1}${told}`);
    return here;
  }
}
