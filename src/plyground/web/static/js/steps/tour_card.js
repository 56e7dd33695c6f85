/** The card of the tour: what a stop says, and the way to the others. */

import { fill, h } from "../dom.js";
import { on } from "./telling.js";
import { STOPS } from "./tour.js";

/** Shows a stop, from 0 on; `onvisit(number)` is told where the reader wants to go, beyond the last to leave. */
export function showStop(host, number, onvisit) {
  const { title, text } = STOPS[number];
  const go = (to) => () => onvisit(to);
  const stops = STOPS.map((stop, i) =>
    h("a", { href: `#steps?tour=${i + 1}`, title: stop.title, ...on(i === number) }, String(i + 1)),
  );
  const last = number + 1 === STOPS.length;
  const next = { type: "button", id: "tour-next", class: "primary", onclick: go(number + 1) };
  fill(
    host,
    h(
      "div",
      { class: "tour-head" },
      h("h2", {}, `${number + 1}. ${title}`),
      h("nav", { "aria-label": "Stops of the tour" }, stops),
    ),
    h("p", {}, text),
    h(
      "div",
      { class: "row" },
      number > 0 && h("button", { type: "button", onclick: go(number - 1) }, "Back"),
      h("button", next, last ? "End the tour" : "Next"),
      h("span", { class: "grow" }),
      !last && h("button", { type: "button", class: "quiet small", onclick: go(STOPS.length) }, "Leave"),
    ),
  );
  host.hidden = false;
}
