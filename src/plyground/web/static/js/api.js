/**
 * The server: requests over HTTP, searches over one WebSocket. Both outlive a server that goes away: a request
 * waits and tries again, the socket connects anew, and a search under way ends with `Gone`.
 */

/** The connection was lost while a search ran; its owner starts it again when `connected` fires. */
export class Gone extends Error {}

const events = new EventTarget();
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Calls `listener(online)` whenever the connection is lost or comes back. */
export function onConnection(listener) {
  events.addEventListener("connection", (event) => listener(event.detail));
}

/** Is the server there, as far as is known? */
export const connected = () => online;

const UNUSED = 4000; // the close code of a socket that has made room: it is opened again when it is needed

let socket = null;
let unused = false;
let online = true;
function report(state) {
  if (state === online) return;
  online = state;
  events.dispatchEvent(new CustomEvent("connection", { detail: state }));
}

/** The JSON answer of a request; an Error with the server's line if it refuses. Waits while there is no server. */
async function request(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  for (let wait = 250; ; wait = Math.min(2 * wait, 2000)) {
    let answer;
    try {
      answer = await fetch(path, options);
    } catch {
      report(false);
      await pause(wait);
      continue;
    }
    if (socket?.readyState === WebSocket.OPEN) report(true);
    if (answer.ok) return answer.json();
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error || `the server answered ${answer.status}`);
  }
}

export const games = () => request("api/games");
export const agents = () => request("api/agents");
/** Who can play a game: the names of the agents, and opponents of rising strength. */
export async function opponents(game) {
  const { agents, levels } = await request(`api/agents?${new URLSearchParams({ game })}`);
  return { able: agents.map((agent) => agent.name), levels };
}
/** The names of the agents that can play a game. */
export const able = async (game) => (await opponents(game)).able;
export const pictures = () => request("api/pictures");
export const studies = () => request("api/studies");
/** What the view of a family asks of a game. */
export const ofView = (view, what, game) => request(`api/views/${view}/${what}?${new URLSearchParams({ game })}`);
export const runs = () => request("api/runs");
export const run = (name) => request(runPath(name));

const runPath = (name) => `api/runs/${name.split("/").map(encodeURIComponent).join("/")}`;
/** The learners with their options, and why no training can be started here, if so. */
export const learners = () => request("api/learners");
export const train = (asked) => request("api/runs", asked);
export const resume = (name, seconds) => request(`${runPath(name)}/resume`, { seconds });
export const stopRun = (name) => request(`${runPath(name)}/stop`, {});

const tournamentPath = (name) => runPath(name).replace("api/runs", "api/tournaments");
export const tournaments = () => request("api/tournaments");
export const tournament = (name) => request(tournamentPath(name));
export const enter = (asked) => request("api/tournaments", asked);
export const playOn = (name) => request(`${tournamentPath(name)}/resume`, {});
export const stopTournament = (name) => request(`${tournamentPath(name)}/stop`, {});

/** What the rules say of cells that were set up by hand: `start`, `problem`, `view`. */
export const edit = (game, cells, player) => request("api/edit", { game, cells, player });

/** The game of a file; without a name, in whatever format its text is. */
export const file = (name, text) => request("api/file", { name, text });

const KEPT = 50; // positions
const views = new Map();

/** The View of a position, which is asked for once. Those seen last are kept. */
export async function position(game, start, moves) {
  const key = JSON.stringify([game, start, moves]);
  const view = views.get(key) ?? request("api/position", { game, start, moves });
  views.delete(key);
  views.set(key, view); // the last one of the map
  if (views.size > KEPT) views.delete(views.keys().next().value);
  try {
    return await view;
  } catch (error) {
    views.delete(key);
    throw error;
  }
}

/** Asks for a game and its positions, known or not, so that whoever listens can keep the answers. */
export function askAgain(game, start, lines) {
  return Promise.allSettled([opponents(game), ...lines.map((moves) => request("api/position", { game, start, moves }))]);
}

let next = 1;
let wait = 250;
const running = new Map(); // id -> {onMessage, resolve, reject}

function connect() {
  socket = new WebSocket(new URL("api/socket", location.href.replace(/^http/, "ws").replace(/#.*/, "")));
  socket.addEventListener("open", () => {
    wait = 250;
    events.dispatchEvent(new Event("open"));
    report(true);
  });
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => {
    for (const task of running.values()) task.reject(new Gone());
    running.clear();
    unused = event.code === UNUSED;
    if (unused) return;
    report(false);
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, 2000);
  });
}

/** Opens the socket; call once. */
export function start() {
  connect();
}

const LAST = new Set(["thought", "solution", "children", "steps", "review"]);

function receive(message) {
  const task = running.get(message.id);
  if (!task) return;
  if (message.type === "error") {
    running.delete(message.id);
    task.reject(new Error(message.error));
  } else if (LAST.has(message.type) || (message.type === "match" && message.done)) {
    running.delete(message.id);
    task.resolve(message);
  } else {
    task.onMessage(message);
  }
}

/** Resolves when the socket is open, however often it has to connect. */
async function opened() {
  if (unused) connect();
  unused = false;
  while (socket.readyState !== WebSocket.OPEN) {
    await new Promise((done) => events.addEventListener("open", done, { once: true }));
  }
}

/**
 * Asks over the socket. Messages before the last go to `onMessage`; `answer` resolves with the last one;
 * `stop()` asks for an early end, after which the last message still comes.
 */
export function ask(message, onMessage = () => {}) {
  const id = next++;
  let stopped = false;
  const answer = opened().then(
    () =>
      new Promise((resolve, reject) => {
        running.set(id, { onMessage, resolve, reject });
        socket.send(JSON.stringify({ ...message, id }));
        if (stopped) socket.send(JSON.stringify({ type: "stop", id }));
      }),
  );
  answer.catch(() => {});
  return {
    id,
    answer,
    stop() {
      if (stopped) return;
      stopped = true;
      if (running.has(id) && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "stop", id }));
    },
  };
}
