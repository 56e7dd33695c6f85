/** Starts the page: asks what games and agents there are, shows the view of the address. */

import * as api from "./api.js";
import { $, fill, s, toast } from "./dom.js";
import { listen, showKeys, VIEWS } from "./keys.js";
import { MatchView } from "./match.js";
import { Play } from "./play.js";
import { RunsView } from "./runs.js";
import { catchUp, leaveAddress, noteAddress, toHash } from "./state.js";
import { showStudies } from "./studies.js";
import { load, Views } from "./views.js";

const TITLES = {
  games: "Games · Plyground",
  play: "Plyground",
  match: "Match · Plyground",
  steps: "Step by step · Plyground",
  runs: "Runs · Plyground",
  studies: "Studies · Plyground",
};

/** Each choice of colours: a filled path, its name, a path that is only drawn. */
const THEMES = {
  auto: ["M10 3a7 7 0 1 0 0 14z", "automatic", "M10 3a7 7 0 0 1 0 14"],
  light: [
    "M10 6.5a3.5 3.5 0 1 0 .01 0z",
    "light",
    "M10 1v2M10 17v2M1 10h2M17 10h2M3.6 3.6 5 5M15 15l1.4 1.4M16.4 3.6 15 5M5 15l-1.4 1.4",
  ],
  dark: ["M16 12A7 7 0 0 1 8 4a6.5 6.5 0 1 0 8 8z", "dark", ""],
};

function theme() {
  const names = Object.keys(THEMES);
  const now = () => document.documentElement.dataset.theme ?? "auto";
  const show = () => {
    const [sign, word, rim] = THEMES[now()];
    const drawing = [s("path", { d: sign }), s("path", { d: rim, fill: "none" })];
    fill($("theme"), s("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, drawing));
    $("theme").setAttribute("aria-label", `Colours: ${word}`);
  };
  $("theme").addEventListener("click", () => {
    const next = names[(names.indexOf(now()) + 1) % names.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
    show();
  });
  show();
}

/** A short loss of the connection stays unseen; a longer one shows the quiet banner. */
function watchConnection() {
  let timer = 0;
  api.onConnection((online) => {
    clearTimeout(timer);
    if (online) $("offline").hidden = true;
    else timer = setTimeout(() => ($("offline").hidden = false), 400);
  });
}

/** Has nobody been here before, and does the address ask for nothing? */
const isFirstVisit = () => !location.hash && !localStorage.getItem("level");

async function begin() {
  theme();
  catchUp();
  window.addEventListener("pagehide", noteAddress);
  watchConnection();
  api.start();
  let pictures = isFirstVisit() ? api.pictures() : null; // while all else is asked for
  const [{ games, given, views: announced }, { agents }] = await Promise.all([api.games(), api.agents()]);
  const views = new Views({ games, given, agents, views: announced });
  const play = new Play({ games, given, agents, views });
  let match = null;
  let runs = null;
  let steps = null;
  let gallery = null;

  /** The view of a search step by step, which is loaded when it is first asked for. */
  async function loadSteps() {
    const [{ StepsView }] = await Promise.all([import("./steps/view.js"), load("static/steps.css")]);
    return (steps ??= new StepsView({ games, given, agents }));
  }

  /** The pictures of all games; they come first where nobody has been before. */
  async function showGallery() {
    const [{ Gallery }] = await Promise.all([import("./gallery.js"), load("static/gallery.css")]);
    const asked = pictures ?? api.pictures();
    pictures = null;
    return (gallery ??= new Gallery(views)).open(asked);
  }

  async function route() {
    if (location.hash === "#last") history.replaceState(null, "", localStorage.getItem("last") ?? location.pathname);
    if (isFirstVisit()) history.replaceState(null, "", "#games");
    leaveAddress();
    const [asked, words] = location.hash.slice(1).split(/\?(.*)/s);
    const own = views.announced.get(asked); // a family's
    const view = own || Object.hasOwn(TITLES, asked) ? asked : "play";
    if (own ? views.shown !== views.mounted.get(view) : $(view).hidden) scrollTo(0, 0);
    views.show(own ? view : null);
    $("games").hidden = view !== "games";
    for (const name of VIEWS) {
      $(name).hidden = name !== view;
      if (name === (own ? "play" : view)) $(`nav-${name}`).setAttribute("aria-current", "page");
      else $(`nav-${name}`).removeAttribute("aria-current");
    }
    document.title = own ? `${own.title} · Plyground` : TITLES[view];
    if (view !== "play") play.rest();
    if (view !== "runs") runs?.leave();
    if (view !== "steps") steps?.leave();
    if (own) return views.open(view, new URLSearchParams(words)).catch((error) => toast(error.message, "error"));
    if (view === "games") return showGallery();
    if (view === "steps") return (await loadSteps()).open(location.hash);
    if (view === "runs") return (runs ??= new RunsView({ games, given, agents, views })).open(location.hash);
    if (view === "studies") return showStudies();
    if (view === "match") {
      match ??= new MatchView({ games, given, agents, onopen });
      return match.last ? null : match.preview();
    }
    if (play.game && !location.hash.includes("?")) {
      play.refresh();
      return play.proceed();
    }
    return play.open(location.hash);
  }

  /** Opens a game of a match at its end, the seats as they were, paused. */
  function onopen(spec, moves, specs, first) {
    const agent = (player) => specs[player === 0 ? first : 1 - first];
    location.hash = toHash(
      { spec, start: "", path: [null, ...moves.map((move) => ({ move }))], at: { ply: moves.length } },
      play.seats.map((seat, player) => ({ ...seat, human: false, agent: agent(player) })),
    );
  }

  listen(play);
  $("help").addEventListener("click", () => showKeys(play));
  $("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (views.shown ?? play.board).focus?.();
  });
  window.addEventListener("hashchange", route);
  await route();
  performance.mark("interactive");
  const { keepOffline } = await import("./offline.js");
  await keepOffline(play).catch(() => {}); // a browser that forbids it
}

begin().catch((error) => toast(error.message, "error"));
