/**
 * What an installed page does without its server: it opens, and a game can be stepped through. The page's own files are
 * kept, what there is to choose from, and the positions that were shown last. The server is always asked first.
 *
 * The server writes FILES, the names of all files of the page, before this.
 */

const LISTS = ["api/games", "api/agents", "api/pictures"];
const MOST = 600; // positions that are kept
const here = (name) => new URL(name, registration.scope);
const files = new Set(FILES.map((name) => here(name).href));
const lists = new Set(LISTS.map((name) => here(name).href));
let put = 0; // positions since the last were thrown away

addEventListener("install", (event) => {
  const filled = caches.open("page").then((kept) => kept.addAll([...FILES, ...LISTS.slice(0, 2)].map(here)));
  event.waitUntil(filled.then(() => skipWaiting()));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const plain = request.url.split(/[?#]/)[0]; // the agents of a game are a list of their own
  if (request.method === "GET" && (files.has(plain) || lists.has(plain))) event.respondWith(page(event));
  else if (request.method === "POST" && plain === here("api/position").href) event.respondWith(position(event));
});

async function page(event) {
  return answered(event, "page", event.request.url.split("#")[0]);
}

/** A position is known by what was asked. */
async function position(event) {
  const asked = await event.request.clone().text();
  if (++put % 50 === 0) event.waitUntil(forget());
  return answered(event, "positions", `${here("api/position").href}?${encodeURIComponent(asked)}`);
}

/** The server's answer; without a server what it has answered before. */
async function answered(event, where, key) {
  const kept = await caches.open(where);
  try {
    const answer = await fetch(event.request);
    if (answer.ok && !answer.redirected) event.waitUntil(kept.put(key, answer.clone()));
    return answer;
  } catch {
    return (await kept.match(key)) ?? Response.error();
  }
}

async function forget() {
  const kept = await caches.open("positions");
  const keys = await kept.keys(); // the oldest first
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST)).map((key) => kept.delete(key)));
}
