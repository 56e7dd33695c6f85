/** Tournaments beside the runs: the form that begins one, the ratings so far, who scored how much against whom. */

import * as api from "./api.js";
import { commandLine, unusual } from "./command_line.js";
import { fill, h, percent, toast } from "./dom.js";
import { AgentPicker, field, GamePicker } from "./forms.js";

/** Elo as people read it: +12, −7, 0. */
function signed(value) {
  const whole = Math.round(value);
  return `${whole > 0 ? "+" : whole < 0 ? "−" : ""}${Math.abs(whole)}`;
}
const HEAD = ["", "Agent", "Elo", "95 % interval", "Score", "Won", "Drawn", "Lost"];

/** A place for a table that may be wider than a phone: it is scrolled by keys, too. */
const wide = (label) => ({ class: "wide", tabIndex: 0, role: "region", "aria-label": label });

export const tournamentAddress = (name) => `#runs?${new URLSearchParams({ tournament: name })}`;

/** The form of a new tournament, with the command that it stands for; `onbegun(name)` is told when it has begun. */
export class TournamentForm {
  constructor({ games, given, agents, options, folder, taken, onbegun }) {
    Object.assign(this, { agents, options, folder, onbegun });
    this.told = {};
    let number = 1;
    while (taken.includes(`tournament-${number}`)) number++;
    this.name = h("input", { type: "text", id: "tournament-name", required: true, value: `tournament-${number}` });
    this.name.addEventListener("input", () => this.#show());
    this.game = new GamePicker({ games, given, onchange: () => this.#offer() });
    this.game.set("tictactoe");
    this.players = [];
    this.rows = h("div", { class: "entrants" });
    const add = h("button", { type: "button", id: "add-agent", onclick: () => this.#add("uct") }, "Add an agent");
    this.command = h("pre", { class: "command" });
    this.begin = h("button", { type: "submit", class: "primary", id: "begin-tournament" }, "Begin");
    const told = (one) => (value) => {
      this.told[one.name] = value;
      this.#show();
    };
    this.element = h(
      "form",
      { class: "training", onsubmit: (event) => this.#begin(event) },
      h("h2", {}, "New tournament"),
      h("div", { class: "fields" }, h("div", { class: "field" }, h("label", { for: "tournament-name" }, "name"), this.name)),
      this.game.element,
      h("h3", {}, "Agents"),
      this.rows,
      h("div", { class: "row" }, add),
      h(
        "div",
        { class: "fields" },
        options.map((one) => field(one, undefined, told(one))),
      ),
      this.command,
      h("div", { class: "row" }, this.begin),
    );
    for (const spec of ["random", "win-block", "uct(sims=200)"]) this.#add(spec);
    this.#offer();
  }

  #add(spec) {
    const picker = new AgentPicker({ agents: this.agents, label: `Agent ${this.players.length + 1}`, onchange: () => this.#show() });
    picker.set(spec);
    if (this.able) picker.offer(this.able);
    const row = h("div", { class: "entrant" }, picker.element);
    const remove = () => {
      if (this.players.length <= 2) return toast("A tournament has at least two agents.");
      this.players = this.players.filter((one) => one !== picker);
      row.remove();
      this.#show();
    };
    row.append(h("button", { type: "button", class: "quiet", "aria-label": "Take this agent out", onclick: remove }, "×"));
    this.players.push(picker);
    this.rows.append(row);
    this.#show();
  }

  /** Only those that play the game are listed. */
  async #offer() {
    this.#show();
    const { spec } = this.game;
    const { able } = await api.opponents(spec).catch(() => ({ able: null }));
    if (spec !== this.game.spec) return; // another was chosen meanwhile
    this.able = able;
    if (able) for (const picker of this.players) picker.offer(able);
  }

  /** What the server is asked: options that have their usual values are left out. */
  get request() {
    return {
      name: this.name.value.trim(),
      game: this.game.spec,
      agents: this.players.map((picker) => picker.spec),
      options: unusual(this.options, this.told),
    };
  }

  #show() {
    const { name, game, agents, options } = this.request;
    this.command.textContent = commandLine(["tournament", game, ...agents], `${this.folder}/${name}`, options);
  }

  async #begin(event) {
    event.preventDefault();
    this.begin.disabled = true;
    try {
      const { name } = await api.enter(this.request);
      this.onbegun(name);
    } catch (error) {
      toast(error.message, "error");
    }
    this.begin.disabled = false;
  }
}

/** A tournament as it stands; `ask(what)` stops it or goes on with it. */
export function standings(told, { ask, allowed }) {
  const { name, game, games, of, seed, ratings, stoppable, problem } = told;
  const button = (id, text, what) => h("button", { type: "button", id, onclick: () => ask(what) }, text);
  const row = (one, i) => [
    i + 1,
    one.label,
    signed(one.elo),
    `${signed(one.interval[0])} to ${signed(one.interval[1])}`,
    one.wins + one.draws + one.losses ? percent(one.score, 1) : "–",
    one.wins,
    one.draws,
    one.losses,
  ];
  const cells = (tag, values) => values.map((value) => h(tag, {}, String(value)));
  return [
    h(
      "div",
      { class: "run-head" },
      h("h2", {}, name),
      stoppable && h("span", { class: "growing" }, "playing"),
      h("span", { class: "grow" }),
      stoppable && button("stop-run", "Stop", api.stopTournament),
      !stoppable && games < of && allowed && button("resume-run", "Resume", api.playOn),
    ),
    problem && h("p", { role: "alert" }, `It has failed: ${problem}.`),
    h("p", { class: "dim" }, `${game} · ${games.toLocaleString("en")} of ${of.toLocaleString("en")} games · seed ${seed}`),
    h("progress", { max: of, value: games, "aria-label": "Games that have ended" }),
    ratings.length
      ? h(
          "div",
          wide("Ratings"),
          h(
            "table",
            { class: "ratings" },
            h("thead", {}, h("tr", {}, cells("th", HEAD))),
            h(
              "tbody",
              {},
              ratings.map((one, i) => h("tr", {}, cells("td", row(one, i)))),
            ),
          ),
        )
      : h("p", { class: "help" }, "No game has ended yet."),
    crossTable(told),
    h("p", { class: "help" }, "Elo by maximum likelihood, the mean is 0; the intervals count pairs of games."),
  ];
}

/** What each agent of the rows has scored against each of the columns. */
function crossTable({ ratings, labels, pairings }) {
  if (ratings.length < 3) return null;
  const order = ratings.map(({ label }) => labels.indexOf(label));
  const score = (one, other) => {
    const met = pairings.find(({ agents }) => agents.includes(one) && agents.includes(other) && one !== other);
    const games = met ? met.wins + met.draws + met.losses : 0;
    if (!games) return "";
    const share = (met.wins + met.draws / 2) / games;
    return percent(met.agents[0] === one ? share : 1 - share);
  };
  return h(
    "div",
    wide("Scores against one another"),
    h(
      "table",
      { class: "ratings" },
      h("caption", {}, "Score of the row against the column"),
      h("tbody", {}, [
        h("tr", {}, h("td"), h("td"), order.map((_, i) => h("th", { scope: "col" }, String(i + 1)))),
        ...order.map((one, i) =>
          h(
            "tr",
            {},
            h("td", {}, String(i + 1)),
            h("th", { scope: "row" }, labels[one]),
            order.map((other) => h("td", {}, score(one, other))),
          ),
        ),
      ]),
    ),
  );
}
