/** The match view: two agents, many games, both seats equally; the score with its interval while it grows. */

import * as api from "./api.js";
import { Board } from "./board.js";
import { $, announce, compiling, download, fill, h, percent, s, toast, waiting } from "./dom.js";
import { AgentPicker, GamePicker } from "./forms.js";
import { nameOf } from "./spec.js";

const START = { game: "tictactoe", agents: ["uct(sims=500)", "win-block"], games: 20, seed: 0, seconds: "" };
const SHOWN = 200; // records in the list

export class MatchView {
  /** `onopen(game, moves)` opens a finished game in the play view. */
  constructor({ games, given, agents, onopen }) {
    this.onopen = onopen;
    this.settings = { ...START, ...JSON.parse(localStorage.getItem("match") ?? "{}") };
    this.task = null;
    this.board = new Board($("match-board"), { label: "Live game" });
    this.records = [];
    this.#form(games, given, agents);
    this.#result();
  }

  #form(games, given, agents) {
    const { settings } = this;
    const keep = () => localStorage.setItem("match", JSON.stringify(settings));
    this.gamePicker = new GamePicker({
      games,
      given,
      onchange: (spec) => ((settings.game = spec), keep(), this.preview()),
    });
    this.gamePicker.set(settings.game);
    this.pickers = [0, 1].map((i) => {
      const label = i ? "Second agent" : "First agent";
      return new AgentPicker({ agents, label, onchange: (spec) => ((settings.agents[i] = spec), keep()) });
    });
    const pickers = this.pickers.map((picker, i) => {
      picker.set(settings.agents[i]);
      return h("div", { class: "field" }, h("span", { class: "side-name" }, i ? "Agent B" : "Agent A"), picker.element);
    });
    const numbers = [
      ["games", "Games", 1, 1000, 1],
      ["seed", "Seed", 0, undefined, 1],
      ["seconds", "Seconds a move", 0, 60, "any"],
    ].map(([name, label, min, max, step]) => {
      const input = h("input", {
        type: "number",
        id: `match-${name}`,
        min,
        max,
        step,
        value: settings[name],
        placeholder: "–",
      });
      input.addEventListener("change", () => {
        if (!input.checkValidity()) return void input.reportValidity();
        settings[name] = input.value === "" ? START[name] : Number(input.value);
        keep();
      });
      return h("div", { class: "field" }, h("label", { for: `match-${name}` }, label), input);
    });
    this.begin = h(
      "button",
      { type: "button", class: "primary", id: "match-start", onclick: () => this.toggle() },
      "Start the match",
    );
    this.save = h(
      "button",
      { type: "button", id: "match-export", onclick: () => this.export(), disabled: true },
      "Export",
    );
    fill(
      $("match-setup"),
      h("h2", {}, "Match"),
      this.gamePicker.element,
      pickers,
      h("div", { class: "fields three" }, numbers),
      h("div", { class: "row" }, this.begin, this.save),
    );
  }

  /** Shows the board of the chosen game while no match runs, and offers the agents that can play it. */
  async preview() {
    const { game, agents } = this.settings;
    try {
      const [view, able] = await Promise.all([api.position(game, "", []), api.able(game)]);
      if (game !== this.settings.game) return;
      this.pickers.forEach((picker, i) => {
        if (!able.includes(nameOf(agents[i]))) picker.choose(view.opponent);
        picker.offer(able);
      });
      if (!this.task) this.board.show(view);
    } catch (error) {
      toast(error.message, "error");
    }
  }

  toggle() {
    if (this.task) this.task.stop();
    else this.run();
  }

  async run() {
    const { game, agents, games, seed, seconds } = this.settings;
    this.records = [];
    this.last = null;
    this.played = { game, agents: [...agents], games, seed, seconds: seconds === "" ? null : seconds };
    this.begin.textContent = "Stop";
    this.#status("The match begins…");
    this.#result();
    this.task = api.ask({ type: "match", ...this.played }, (message) => this.#receive(message));
    try {
      this.#receive(await this.task.answer);
      await this.#showLast();
      announce(`The match is over: ${this.#standing()}`);
    } catch (error) {
      const gone = error instanceof api.Gone;
      this.#status(gone ? "The connection was lost; start again" : "Stopped");
      if (!gone) toast(error.message, "error");
    }
    this.task = null;
    this.begin.textContent = "Start the match";
    this.save.disabled = !this.records.length;
  }

  #receive(message) {
    if (message.type === "compiling") return this.#status(`${compiling(message)} This is needed only once.`);
    if (message.type === "slow") {
      const game = Math.min((this.last?.games ?? 0) + 1, this.played.games);
      const thinks = `${message.agent ? "B" : "A"} has thought for ${message.seconds} s`;
      return this.#status(`Game ${game} of ${this.played.games} · ${thinks}…`);
    }
    if (message.type === "waiting") return this.#status(waiting(message) || "It goes on…");
    if (message.type !== "match") return;
    this.last = message;
    if (message.record) this.records.push(message.record);
    if (message.live) this.board.show(message.live);
    const of = this.played.games;
    this.#status(
      message.done ? `${message.games} of ${of} games played` : `Game ${Math.min(message.games + 1, of)} of ${of}`,
    );
    this.#result();
  }

  /** Leaves the end of the last game on the board. */
  async #showLast() {
    const record = this.records.at(-1);
    if (record) this.board.show(await api.position(record.game ?? this.played.game, "", record.moves));
  }

  #status(text) {
    fill($("match-status"), h("span", {}, text));
  }

  #standing() {
    const { wins, draws, losses, score } = this.last;
    return `${wins} won, ${draws} drawn, ${losses} lost, score ${percent(score, 1)}`;
  }

  #result() {
    const { last } = this;
    const host = $("match-result");
    if (!last?.games) {
      const told = "Both agents play first equally often. The bar shows A's score with its 95 % interval.";
      return fill(host, h("h2", {}, "Result"), this.#bar(null), h("p", { class: "help" }, told));
    }
    const row = (name, t) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        [t.games, t.wins, t.draws, t.losses].map((n) => h("td", {}, String(n))),
      );
    const heads = ["", "games", "won", "drawn", "lost"].map((text) => h("th", { scope: "col" }, text));
    const elo =
      last.elo === null
        ? last.score > 0.5
          ? "beyond measure"
          : "below measure"
        : `${last.elo >= 0 ? "+" : "−"}${Math.abs(last.elo).toFixed(0)}`;
    fill(
      host,
      h("h2", {}, "Result"),
      h("p", { class: "versus" }, h("code", {}, this.played.agents[0]), " v ", h("code", {}, this.played.agents[1])),
      this.#bar(last),
      h("dl", { class: "figures" }, ...this.#figures(elo)),
      h(
        "table",
        { class: "tally" },
        h("thead", {}, h("tr", {}, heads)),
        h("tbody", {}, row("A moves first", last.first), row("A moves second", last.second), row("together", last)),
      ),
      h("h3", {}, "Games"),
      h(
        "ol",
        { class: "games scroll", reversed: true },
        this.records
          .slice(-SHOWN)
          .reverse()
          .map((record) => this.#record(record)),
      ),
    );
  }

  #figures(elo) {
    const { score, interval } = this.last;
    const pair = (name, text) => [h("dt", {}, name), h("dd", {}, text)];
    return [
      ...pair("Score", percent(score, 1)),
      ...pair("95 % interval", `${percent(interval[0], 1)} to ${percent(interval[1], 1)}`),
      ...pair("Elo difference", elo),
    ];
  }

  /** The score of A between 0 and 1, and the interval around it. */
  #bar(last) {
    const drawn = [
      s("rect", { x: 0, y: 9, width: 300, height: 6, rx: 3, class: "track" }),
      s("path", { d: "M150 4V20", class: "half" }),
    ];
    if (last) {
      const [low, high] = last.interval;
      drawn.push(
        s("rect", { x: 300 * low, y: 7, width: Math.max(2, 300 * (high - low)), height: 10, rx: 5, class: "interval" }),
      );
      drawn.push(s("circle", { cx: 300 * last.score, cy: 12, r: 6, class: "score" }));
    }
    const label = last
      ? `Score ${percent(last.score, 1)}, interval ${percent(last.interval[0], 1)} to ${percent(last.interval[1], 1)}`
      : "No score yet";
    return s("svg", { viewBox: "-8 0 316 24", class: "score-bar", role: "img", "aria-label": label }, drawn);
  }

  #record(record) {
    const ours = record.first === 0 ? record.score : -record.score;
    const word = ours > 0 ? "A won" : ours < 0 ? "B won" : "drawn";
    const kind = ours > 0 ? "won" : ours < 0 ? "lost" : "drawn";
    const open = () => this.onopen(record.game ?? this.played.game, record.moves, this.played.agents, record.first);
    return h(
      "li",
      { value: record.number },
      h(
        "button",
        { type: "button", class: "link", onclick: open, title: "Open in the play view" },
        `${record.moves.length} moves`,
      ),
      h("span", { class: "dim" }, record.first === 0 ? "A first" : "B first"),
      h("span", { class: `tag ${kind}` }, word),
      record.reason ? h("span", { class: "dim" }, `forfeited: ${record.reason}`) : null,
    );
  }

  /** The match as a JSON file: settings, standing, every game. */
  export() {
    const { wins, draws, losses, score, interval, elo, first, second } = this.last;
    download("match.json", {
      ...this.played,
      result: { wins, draws, losses, score, interval, elo, first, second },
      records: this.records,
    });
  }
}
