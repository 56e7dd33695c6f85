/** The page without its server: a worker keeps its files and what was shown, where browsers allow that. */

import * as api from "./api.js";

/** Lets the worker keep what is asked from now on, and the game that is shown already. */
export async function keepOffline(play) {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return; // only at https, or on this machine
  if (!serviceWorker.controller) serviceWorker.addEventListener("controllerchange", () => askAgain(play), { once: true });
  await serviceWorker.register("service-worker.js");
}

function askAgain({ game }) {
  if (game) api.askAgain(game.spec, game.start, game.path.map((node) => node.moves));
}
