/**
 * The form that begins a training: the learner, the game, and the options that `plyground train ALGORITHM --help` lists,
 * with the command that it stands for.
 */

import * as api from "./api.js";
import { commandLine, unusual } from "./command_line.js";
import { fill, h, toast } from "./dom.js";
import { field, fields, GamePicker } from "./forms.js";

export class TrainingForm {
  /** `onbegun(name)` is told of the run that has begun. */
  constructor({ games, given, offered, folder, taken, onbegun }) {
    Object.assign(this, { offered, folder, onbegun });
    this.values = {}; // of the learner's options
    this.told = {}; // seconds and seed
    this.preset = "";
    this.learner = h("select", { id: "learner", onchange: () => this.#choose(this.learner.value) });
    fill(
      this.learner,
      offered.learners.map(({ name, about }) => h("option", { value: name, title: about }, name)),
    );
    this.about = h("p", { class: "help" });
    this.game = new GamePicker({ games, given, onchange: () => this.#show() });
    this.name = h("input", { type: "text", id: "run-name", required: true, pattern: "[A-Za-z0-9_.\\-]+(/[A-Za-z0-9_.\\-]+)?" });
    this.name.addEventListener("input", () => this.#show());
    this.taken = taken; // names of the runs that there are
    this.options = h("div");
    this.command = h("pre", { class: "command" });
    this.begin = h("button", { type: "submit", class: "primary", id: "begin-training" }, "Begin");
    const asked = offered.asked.map((one) =>
      field(one, undefined, (value) => {
        this.told[one.name] = value;
        this.#show();
      }),
    );
    const labelled = (id, label, input, help) =>
      h("div", { class: "field" }, h("label", { for: id }, label), input, h("small", {}, help));
    this.element = h(
      "form",
      { class: "training", onsubmit: (event) => this.#begin(event) },
      h("h2", {}, "New training"),
      h(
        "div",
        { class: "fields" },
        labelled("learner", "learner", this.learner, ""),
        labelled("run-name", "name of the run", this.name, `its folder in ${folder}`),
      ),
      this.about,
      this.game.element,
      h("div", { class: "fields" }, asked),
      this.options,
      this.command,
      h("div", { class: "row" }, this.begin),
    );
    this.#choose("dqn");
  }

  #choose(name) {
    this.entry = this.offered.learners.find((one) => one.name === name) ?? this.offered.learners[0];
    this.learner.value = this.entry.name;
    this.values = {};
    this.preset = "";
    this.game.set(this.entry.example);
    let number = 1;
    while (this.taken.includes(`${this.entry.name}-${number}`)) number++;
    this.name.value = `${this.entry.name}-${number}`;
    this.about.textContent = `${this.entry.about} It learns ${this.entry.learns}.`;
    const change = (now) => {
      this.values = now;
      this.#show();
    };
    const presets = { name: "preset", type: "str", default: "", about: "options by a name", choices: ["", ...this.entry.presets] };
    fill(
      this.options,
      h(
        "details",
        { class: "options" },
        h("summary", {}, `${this.entry.parameters.length} options`),
        h(
          "div",
          { class: "fields" },
          this.entry.presets.length ? field(presets, "", (value) => ((this.preset = value ?? ""), this.#show())) : null,
          fields(this.entry, {}, change),
        ),
      ),
    );
    this.#show();
  }

  /** What the server is asked: options that have their usual values are left out. */
  get request() {
    return {
      name: this.name.value.trim(),
      algorithm: this.entry.name,
      game: this.game.spec,
      options: unusual(this.entry.parameters, this.values),
      preset: this.preset,
      ...Object.fromEntries(Object.entries(this.told).filter(([, value]) => value !== undefined)),
    };
  }

  #show() {
    const { name, algorithm, game, options, preset, ...told } = this.request;
    const all = { ...options, ...told, ...(preset ? { preset } : {}) };
    this.command.textContent = commandLine(["train", algorithm, game], `${this.folder}/${name}`, all);
  }

  async #begin(event) {
    event.preventDefault();
    this.begin.disabled = true;
    fill(this.begin, "Begins…");
    try {
      const { name } = await api.train(this.request);
      this.onbegun(name);
    } catch (error) {
      toast(error.message, "error");
    }
    this.begin.disabled = false;
    fill(this.begin, "Begin");
  }
}
