/**
 * The runs view: which trainings there are, the learning curves of one, games that it played. While the run grows
 * the page asks again every two seconds; while nothing grows, now and then whether there is something new.
 */

import * as api from "./api.js";
import { orAway } from "./away.js";
import { BESIDE, Chart, INTERVAL, short, words } from "./chart.js";
import { $, clock, fill, h, keyed, toast } from "./dom.js";
import { build } from "./spec.js";
import { standings, tournamentAddress, TournamentForm } from "./tournament.js";
import { TrainingForm } from "./training.js";

const SOON = 2000; // milliseconds
const LATER = 10000;
const FIRST = ["wins", "draws", "losses", "mistakes", "net_mistakes"]; // shares that are shown at first
const ROUNDING = 1e-9; // by which a share may leave 0 to 1
const TOLD = ["step", "seconds", "actors", "actors_lost", "lag", "measured"]; // figures that need no curve
const AMOUNTS = "lr entropy value elo lines score best median spread".split(" "); // never shares
const FOREMOST = ["shares", "lines", "score", "loss", "elo"]; // charts in their order; the others follow
const ALONE = "afterstate-net"; // plays nets for one player, unless an agent has the name of the algorithm
const TITLES = { lr: "Learning rate", plies: "Moves a game" };
Object.assign(TITLES, { games: "Games a round", simulations: "Simulations a round" });

const address = (name, other = "") => `#runs?${new URLSearchParams({ run: name, ...(other ? { with: other } : {}) })}`;
const NETS = ["net", "policy", "run"]; // kinds of options that name a run which holds a net
const NEW = "#runs?new=training";
const NEW_TOURNAMENT = "#runs?new=tournament";
const number = (value) => value.toLocaleString("en");
const titled = (name) => TITLES[name] ?? name[0].toUpperCase() + words(name).slice(1);
const progress = ({ step, steps }) =>
  step === null ? "no figures yet" : `step ${number(step)}${steps ? ` of ${number(steps)}` : ""}`;

/** Who plays on a cluster, how fast, and how far the net that plays lags behind. */
function crew({ step, last: { actors, actors_lost: lost, lag, seconds } }) {
  const rate = seconds ? ` · ${number(Math.round(step / seconds))} positions/s` : "";
  return `${number(actors)} actors${lost ? `, ${number(lost)} lost` : ""}${rate} · lag ${lag}`;
}

/** The figures of some lines by the chart they belong to: shares, losses of the net, and each other one alone. */
export function sorted(lines) {
  const all = new Set(lines.flatMap((line) => Object.keys(line)));
  const reach = (name) => name.endsWith(INTERVAL) && all.has(name.slice(0, -INTERVAL.length)); // drawn around the other
  const names = [...all].filter((name) => !TOLD.includes(name) && !reach(name));
  const loss = names.filter((name) => /(^|_)loss$/.test(name));
  const within = (name) => lines.every((line) => !(line[name] < -ROUNDING || line[name] > 1 + ROUNDING));
  const shares = names.filter((name) => !loss.includes(name) && !AMOUNTS.includes(name) && within(name));
  return { shares, loss, others: names.filter((name) => !loss.includes(name) && !shares.includes(name)) };
}

export class RunsView {
  constructor({ games, given, agents, views }) {
    Object.assign(this, { games, given, agents, views });
    this.name = ""; // of the run that is shown
    this.order = []; // of the list, in which nothing moves while the reader looks at it
    this.turn = 0;
    this.list = h("ul", { class: "runs-list" });
    this.heldList = h("ul", { class: "runs-list" });
    this.detail = h("section", { class: "card run", "aria-label": "Run" });
    this.host = $("runs");
  }

  /** Shows the run of the address, or the one that has changed last. */
  async open(hash) {
    const words = new URLSearchParams(hash.split("?")[1] ?? "");
    this.name = words.get("run") ?? this.name;
    this.other = words.get("with") ?? ""; // the run that it is compared with
    this.begins = words.get("new"); // the form that is shown
    this.played = words.get("tournament"); // the tournament that is shown instead of a run
    this.form = null;
    await orAway("the runs", this.host, this.#begin(++this.turn));
  }

  async #begin(turn) {
    this.offered ??= await api.learners();
    if (turn === this.turn) await this.#refresh(); // the reader is still here
  }

  /** The reader looks at something else. */
  leave() {
    this.turn++;
    clearTimeout(this.timer);
  }

  async #refresh() {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    if (!document.hidden || !this.run) {
      const { folder, runs } = await api.runs();
      if (turn !== this.turn) return;
      this.name ||= runs[0]?.name ?? "";
      const known = (name, ask = api.run) => (name ? ask(name).catch((error) => ({ refused: error.message })) : null);
      const asked = [known(this.played, api.tournament) ?? known(this.name), known(this.other), api.tournaments()];
      const [told, other, held] = await Promise.all(asked);
      if (turn !== this.turn) return;
      this.held = held;
      this.compared = other?.refused ? null : other;
      this.#show(folder, runs, told);
      this.run = told;
    }
    const soon = this.run?.growing || this.run?.stoppable;
    this.timer = setTimeout(() => this.#refresh(), soon ? SOON : LATER);
  }

  #show(folder, runs, run) {
    for (const option of this.agents.flatMap((agent) => agent.parameters)) {
      const nets = runs.filter((one) => one.net).map((one) => one.path);
      if (option.kind === "run") option.choices = nets;
      else if (NETS.includes(option.kind)) option.choices = [...new Set([...option.choices, ...nets])];
    }
    const { tournaments } = this.held;
    if (!run && !this.begins && !tournaments.length) return fill(this.host, this.#none(folder));
    if (this.list.parentElement?.parentElement !== this.host) {
      const begin = this.offered.problem ? null : h("a", { class: "begin", href: NEW, "aria-label": "New training" }, "New");
      const head = h("div", { class: "run-head" }, h("h2", {}, "Runs"), h("span", { class: "grow" }), begin);
      const enter = this.offered.problem ? null : h("a", { class: "begin", href: NEW_TOURNAMENT, "aria-label": "New tournament" }, "New");
      const below = h("div", { class: "run-head below" }, h("h2", {}, "Tournaments"), h("span", { class: "grow" }), enter);
      const lists = [head, this.list, below, this.heldList];
      fill(this.host, h("section", { class: "card", "aria-label": "Runs" }, lists), this.detail);
    }
    this.runs = runs;
    this.#showList(runs);
    this.#showTournaments(tournaments);
    if (this.begins) return this.#showForm(folder, runs);
    if (!run) return fill(this.detail, h("p", { class: "help" }, "Nothing has been trained here yet."));
    if (this.played && !run.refused) {
      this.shown = null;
      const ask = (what) => this.#ask(what, this.played);
      return fill(this.detail, ...standings(run, { ask, allowed: !this.offered.problem }).filter(Boolean));
    }
    if (run.refused) {
      this.shown = null;
      return fill(this.detail, h("h2", {}, this.name), h("p", { role: "alert" }, `${run.refused}.`));
    }
    if (this.shown !== `${run.name} ${this.other}`) this.#build(run);
    this.#update(run);
  }

  #showTournaments(tournaments) {
    keyed(
      this.heldList,
      tournaments,
      (one) => one.name,
      (one) => h("li", {}, h("a", { href: tournamentAddress(one.name) })),
      (item, one) => {
        const link = item.firstChild;
        if (one.name === this.played) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
        fill(
          link,
          h("strong", {}, one.name),
          one.stoppable && h("span", { class: "growing" }, "playing"),
          h("small", {}, `${one.game} · ${one.agents.length} agents`),
          h("small", {}, `${number(one.games)} of ${number(one.of)} games`),
        );
      },
    );
  }

  /** The form that begins a training or a tournament, in place of a run. */
  #showForm(folder, runs) {
    if (this.form) return;
    this.shown = null;
    const { games, given, agents, offered, held } = this;
    const taken = [...runs, ...held.tournaments].map((one) => one.name);
    const told = { games, given, folder, taken };
    const begun = (where) => (name) => (location.hash = where(name));
    this.form =
      this.begins === "tournament"
        ? new TournamentForm({ ...told, agents, options: held.options, onbegun: begun(tournamentAddress) })
        : new TrainingForm({ ...told, offered, onbegun: begun(address) });
    const problem = offered.problem && h("p", { role: "alert" }, `${offered.problem}.`);
    fill(this.detail, problem || this.form.element);
  }

  #none(folder) {
    const { problem } = this.offered;
    return h(
      "section",
      { class: "card none", "aria-label": "Runs" },
      h("h2", {}, "Runs"),
      h("p", {}, "Nothing has been trained here yet. This command trains a net, and its curves appear here:"),
      h("pre", { class: "command" }, `plyground train dqn tictactoe --out ${folder}/dqn`),
      problem
        ? h("p", { class: "help" }, `${problem}.`)
        : h(
            "p",
            {},
            h("a", { class: "begin", href: NEW }, "New training"),
            " ",
            h("a", { class: "begin", href: NEW_TOURNAMENT }, "New tournament"),
          ),
      h(
        "p",
        { class: "help" },
        "Runs are looked for in ",
        h("code", {}, folder),
        "; another folder is named by ",
        h("code", {}, "plyground serve --runs"),
        ".",
      ),
    );
  }

  #showList(runs) {
    const place = (run) => this.order.indexOf(run.name);
    const [fresh, known] = [runs.filter((run) => place(run) < 0), runs.filter((run) => place(run) >= 0)];
    const all = [...fresh, ...known.sort((a, b) => place(a) - place(b))];
    this.order = all.map((run) => run.name);
    keyed(
      this.list,
      all,
      (run) => run.name,
      (run) => h("li", {}, h("a", { href: address(run.name) })),
      (item, run) => {
        const link = item.firstChild;
        if (run.name === this.name && !this.begins && !this.played) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
        const what = [run.algorithm, run.game, run.seed === null ? "" : `seed ${run.seed}`].filter(Boolean).join(" · ");
        fill(
          link,
          h("strong", {}, run.name),
          run.growing && h("span", { class: "growing" }, "training"),
          h("small", {}, what || "config.json cannot be read"),
          h("small", {}, `${run.date} · ${progress(run)}`),
        );
      },
    );
  }

  /** The parts of a run's page that stay while it grows. */
  #build(run) {
    this.shown = `${run.name} ${this.other}`;
    this.charts = new Map();
    this.facts = h("dl", { class: "facts" });
    this.badge = h("span", { class: "growing" }, "training");
    this.play = h("a", { class: "play-link" }, "Play against its net");
    this.search = h("a", { class: "search-link" }, "Play against its search");
    this.stop = h("button", { type: "button", id: "stop-run", onclick: () => this.#ask(api.stopRun) });
    this.resume = h("button", { type: "button", id: "resume-run", onclick: () => this.#ask(api.resume) }, "Resume");
    this.resume.title = "Go on from the last checkpoint";
    this.problem = h("p", { role: "alert" });
    this.compare = h("select", { "aria-label": "Compare with another run", class: "compare" });
    this.compare.addEventListener("change", () => (location.hash = address(this.name, this.compare.value)));
    this.curves = h("div", { class: "charts" });
    this.cut = h("p", { class: "help" }, "metrics.jsonl is large: only its end is drawn.");
    this.sampleList = h("ol", { class: "samples" });
    this.samples = h("div", {}, h("h3", {}, "Games it played last"), this.sampleList);
    this.waits = h("p", { class: "help" });
    fill(
      this.detail,
      h(
        "div",
        { class: "run-head" },
        h("h2", {}, run.name),
        this.badge,
        h("span", { class: "grow" }),
        this.stop,
        this.resume,
        this.play,
        this.search,
      ),
      this.problem,
      this.facts,
      this.compare,
      this.waits,
      this.cut,
      this.curves,
      this.samples,
      this.#settings(run.config),
    );
  }

  /** How it was started: the command and every option. */
  #settings({ command, options = {} }) {
    const rows = Object.entries(options ?? {}).map(([name, value]) => fact(words(name), value ?? "unset"));
    if (!rows.length && !command) return null;
    return h(
      "details",
      { class: "options" },
      h("summary", {}, "How it was started"),
      typeof command === "string" && command && h("pre", { class: "command" }, command),
      h("dl", { class: "facts all" }, rows),
    );
  }

  /** Stops the run or goes on with it, and shows what came of that. */
  async #ask(what, name = this.name) {
    const buttons = this.detail.querySelectorAll("button");
    buttons.forEach((one) => (one.disabled = true));
    if (what === api.resume) fill(this.resume, "Resumes…"); // it loads PyTorch first
    try {
      await what(name, null);
    } catch (error) {
      toast(error.message, "error");
    }
    buttons.forEach((one) => (one.disabled = false));
    if (what === api.resume) fill(this.resume, "Resume");
    await this.#refresh();
  }

  /** What can be done with the run, and beside which others it can be drawn. */
  #offer(run) {
    const ended = run.steps !== null && run.step !== null && run.step >= run.steps;
    const known = this.offered.learners.some((one) => one.name === run.algorithm);
    this.stop.hidden = !run.stoppable;
    this.stop.textContent = run.stopping ? "End at once" : "Stop";
    this.stop.title = run.stopping ? "What was not kept yet is lost" : "Keep what is done, and end";
    this.badge.textContent = run.stopping ? "training · is stopping" : "training";
    this.resume.hidden = run.growing || ended || !known || Boolean(this.offered.problem);
    this.problem.hidden = !run.problem;
    this.problem.textContent = run.problem && `It has failed: ${run.problem}.`;
    const others = this.runs.filter((one) => one.name !== run.name);
    this.compare.hidden = !others.length;
    if (document.activeElement === this.compare) return;
    const listed = others.map((one) => h("option", { value: one.name }, `compared with ${one.name}`));
    fill(this.compare, h("option", { value: "" }, "compare with another run…"), listed);
    this.compare.value = this.compared ? this.other : "";
  }

  #update(run) {
    this.#offer(run);
    this.badge.hidden = !run.growing;
    const view = run.board ? this.views.of(run.board) : null;
    const watched = view || run.players === 1; // else the reader is the opponent
    const names = watched ? [run.algorithm, view ? view.net_agent : ALONE] : ["net"];
    const net = names.map((name) => this.agents.find((agent) => agent.name === name)).find(Boolean);
    this.play.hidden = !(run.net && run.board && net);
    if (!this.play.hidden) {
      const spec = build(net, { run: run.path });
      this.play.textContent = watched ? "Watch it play" : "Play against its net";
      // a person in the second seat, whose turn never comes: so it begins at once
      const seats = watched ? { first: spec, second: "human" } : { first: "human", second: spec };
      this.play.href = this.views.address(run.board, view ? { agent: spec } : seats);
    }
    const learner = watched ? null : this.offered.learners.find(({ name }) => name === run.algorithm);
    const searcher = learner && this.agents.find(({ name }) => name === learner.searched_by);
    const takes = searcher?.parameters.find(({ kind }) => NETS.includes(kind));
    this.search.hidden = this.play.hidden || !takes;
    if (takes) {
      const seats = { first: "human", second: build(searcher, { [takes.name]: run.path }) };
      this.search.href = this.views.address(run.board, seats);
    }
    const facts = { Algorithm: run.algorithm, Game: run.game, Seed: run.seed, Began: run.date };
    facts.Step = `${progress(run).replace("step ", "")} ${run.step === null ? "" : run.unit}`;
    if (run.last.seconds !== undefined) facts.Time = clock(run.last.seconds);
    if (run.last.actors) facts.Cluster = crew(run);
    const left = run.growing && run.steps && run.step ? (run.last.seconds * (run.steps - run.step)) / run.step : 0;
    if (left > 0) facts.Left = `about ${clock(left)}`;
    const known = Object.entries(facts).filter(([, value]) => value !== "" && value !== null);
    fill(
      this.facts,
      known.map(([name, value]) => fact(name, value)),
    );
    this.#draw(run);
    this.cut.hidden = !run.cut;
    this.samples.hidden = !run.games.length;
    this.sampleList.classList.toggle("both", run.games.every((game) => game.seat === null));
    keyed(
      this.sampleList,
      run.games,
      (game) => `${game.step} ${game.moves.join(" ")}`,
      (game) => sample(run, game),
    );
  }

  #draw({ metrics, meanings, growing, unit: own }) {
    const unit = (this.compared?.unit ?? own) === own ? own : `${own} · ${this.compared.unit} of ${this.other}`;
    const { shares, loss, others } = sorted(metrics);
    const beside = this.compared?.metrics ?? [];
    const also = (name) => `${name}${BESIDE}${this.other}`;
    const renamed = (line) =>
      Object.fromEntries(Object.entries(line).map(([name, value]) => [TOLD.includes(name) ? name : also(name), value]));
    const lines = beside.length ? [...metrics, ...beside.map(renamed)].sort((a, b) => a.step - b.step) : metrics;
    const has = new Set(beside.flatMap((line) => Object.keys(line)));
    const withOthers = (names) => [...names, ...names.filter((name) => has.has(name)).map(also)];
    const telling = shares.some((name) => /^wins$|mistakes$/.test(name));
    const title = shares.length > 1 ? "Shares" : titled(shares[0] ?? "shares");
    const rank = ([key]) => (FOREMOST.indexOf(key) + 1 || (key === "lr" ? 99 : 50));
    const wanted = [
      [telling ? "shares" : "share", { title, share: true, first: FIRST }, shares],
      ["loss", { title: "Loss of the net" }, loss],
      ...others.map((name) => [name, { title: titled(name) }, [name]]),
    ]
      .filter(([, , names]) => names.length)
      .sort((a, b) => rank(a) - rank(b));
    this.waits.hidden = wanted.length > 0;
    this.waits.textContent = growing ? "No figures yet: the curves appear with the first ones." : "It has ended before its first figures.";
    const chart = (key, options) => this.charts.get(key) ?? this.charts.set(key, new Chart(options)).get(key);
    keyed(
      this.curves,
      wanted,
      ([key]) => key,
      ([key, options, names]) => chart(key, { ...options, unit: names.some((name) => has.has(name)) ? unit : own, meanings }).element,
    );
    for (const [key, , names] of wanted) {
      const both = names.some((name) => has.has(name));
      this.charts.get(key).show(both ? lines : metrics, withOthers(names));
    }
  }
}

const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value)));

const RESULTS = { "-1": "lost", 0: "drawn", 1: "won" };
const SEATS = ["moving first", "moving second"];

const WINNERS = { "-1": "second player won", 0: "drawn", 1: "first player won" }; // of a game against itself

/** A sample game: its result for the learner, or who won, and its moves, which open it on the board. */
function sample(run, { step, moves, score, seat }) {
  const own = seat === 1 && score ? -score : score;
  const result = run.players === 1 ? "" : ((seat === null ? WINNERS : RESULTS)[own] ?? "");
  const line = moves.join(" ");
  const where = new URLSearchParams({ game: run.board, moves: line, first: "human", second: "human" });
  return h(
    "li",
    {},
    h("span", { class: "dim" }, `step ${number(step)}`),
    h("span", { class: `tag ${seat === null ? "" : result}` }, result || (own === null ? "" : short(own))),
    seat !== null && h("span", { class: "dim seat-told" }, SEATS[seat]),
    run.board
      ? h("a", { href: `#play?${where}`, title: line, "aria-label": `${line}: open this game on the board` }, line)
      : h("span", {}, line),
  );
}
