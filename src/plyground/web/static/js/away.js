/** Views that have nothing to show without the server say so; what is shown already stays. */

import * as api from "./api.js";
import { fill, h } from "./dom.js";

const awaited = new Map(); // what views wait for, by their places on the page

api.onConnection((online) => online || awaited.forEach((what, host) => say(host, what)));

/** Waits for what an empty view is to show: `what` it is, where, and the promise of it. */
export async function orAway(what, host, coming) {
  awaited.set(host, what);
  if (!api.connected()) say(host, what);
  try {
    return await coming;
  } finally {
    awaited.delete(host);
    host.querySelector(":scope > .away")?.remove();
  }
}

function say(host, what) {
  if (host.childElementCount) return;
  fill(host, h("p", { class: "card none away", role: "status" }, `The server is away: ${what} appear here when it is back.`));
}
