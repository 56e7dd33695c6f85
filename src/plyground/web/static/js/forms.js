/** Forms generated from what the server says about games and agents: name, type, default, bounds, help. */

import { fill, h } from "./dom.js";
import { build, literal, parse } from "./spec.js";

let serial = 0;

/** A name that may be broken behind its underscores, where there is little room. */
const words = (name) => name.split(/(?<=_)/).flatMap((word, i) => (i ? [h("wbr"), word] : word));

/** One labelled input for a parameter; `onchange(value)` gets undefined for "the default". */
export function field(parameter, value, onchange) {
  const id = `field-${++serial}`;
  const given = value !== undefined;
  const none = parameter.kind === "run" && !parameter.choices.length;
  const shown = parameter.default === null || parameter.default === "" ? "" : String(parameter.default);
  let input;
  if (parameter.type === "bool") {
    input = h("input", { type: "checkbox", id, checked: given ? value : parameter.default });
    input.addEventListener("change", () => onchange(input.checked));
  } else if (parameter.choices?.length || parameter.names?.length) {
    const { names, low } = parameter;
    const other = !names?.length && given && !parameter.choices.includes(value) ? [value] : [];
    const listed = names?.length
      ? names.map((name, i) => [low + i, `${low + i} ${name}`])
      : [...parameter.choices, ...other].map((choice) => [choice, choice]);
    input = h(
      "select",
      { id, title: parameter.about },
      listed.map(([value, text]) => h("option", { value }, text)),
    );
    input.value = given ? value : parameter.default;
    input.addEventListener("change", () => onchange(names?.length ? Number(input.value) : input.value));
  } else {
    const number = parameter.type === "int" || parameter.type === "float";
    const unset = parameter.required ? "needed" : number ? "unset" : "";
    input = h("input", { id, type: number ? "number" : "text", placeholder: shown || unset });
    if (number) {
      input.step = parameter.type === "int" ? "1" : "any";
      if (parameter.low !== null) input.min = parameter.low;
      if (parameter.high !== null) input.max = parameter.high;
    }
    input.value = given && value !== null ? value : "";
    input.addEventListener("change", () => {
      if (!input.checkValidity()) return void input.reportValidity();
      const text = input.value;
      onchange(text === "" ? undefined : number ? Number(text) : parameter.type === "any" ? literal(text) : text);
    });
  }
  input.setAttribute("aria-describedby", `${id}-help`);
  return h(
    "div",
    { class: `field ${parameter.type === "bool" ? "check" : ""}` },
    h("label", { for: id }, words(parameter.name)),
    input,
    h("small", { id: `${id}-help` }, parameter.about, none && " – no run holds a net yet: see Runs"),
  );
}

/** A field for each parameter of an entry; `onchange(values)` after each change. */
export function fields(entry, values, onchange) {
  const now = { ...values };
  return entry.parameters.map((parameter) =>
    field(parameter, now[parameter.name], (value) => {
      if (value === undefined) delete now[parameter.name];
      else now[parameter.name] = value;
      onchange(now);
    }),
  );
}

/**
 * A choice of agent: a list of names, options whose values have names beside it, all others folded away under the
 * spec that they make, and the spec as text for those who know it by heart. `human` adds "You" at the top, with the
 * value "human".
 */
export class AgentPicker {
  constructor({ agents, label, human = false, onchange }) {
    Object.assign(this, { agents, human, onchange });
    this.select = h("select", { "aria-label": label, onchange: () => this.choose(this.select.value) });
    this.about = h("p", { class: "help" });
    this.text = h("input", { type: "text", class: "spec", spellcheck: false, "aria-label": `${label}: spec` });
    this.text.addEventListener("change", () => this.text.value.trim() && this.choose(this.text.value.trim()));
    this.form = h("div");
    this.summary = h("summary", {}, "Options");
    this.details = h("details", { class: "options" }, this.summary, this.about, this.text, this.form);
    this.plain = h("div", { class: "plain" });
    this.element = h("div", { class: "picker" }, this.select, this.plain, this.details);
    this.offer(agents.map((a) => a.name));
  }

  /** Lists these agents alone, and the one that is chosen, whatever it is. */
  offer(names, spec = this.spec) {
    const offered = this.agents.filter((a) => names.includes(a.name));
    const listed = offered.map((a) => h("option", { value: a.name, title: a.about }, a.name.split("/").at(-1)));
    fill(this.select, this.human && h("option", { value: "human" }, "You"), listed);
    if (spec) this.set(spec);
  }

  choose(spec) {
    const entry = this.agents.find((a) => a.name === spec);
    const needs = (p) => ["run", "command"].includes(p.kind) && p.required && p.choices.length;
    const needed = entry?.parameters.find(needs);
    const whole = needed ? build(entry, { [needed.name]: needed.choices[0] }) : spec; // it gets the first that there is
    this.set(whole);
    this.onchange(whole);
  }

  /** Shows a spec without telling anyone. */
  set(spec) {
    this.spec = spec;
    const { name, values } = parse(spec, this.agents);
    const entry = this.agents.find((a) => a.name === name);
    if (![...this.select.options].some((o) => o.value === name)) this.select.append(h("option", { value: name }, name));
    this.select.value = name;
    this.details.hidden = name === "human" || entry?.parameters.length === 0;
    if (entry?.parameters.some((p) => p.required && values[p.name] === undefined)) this.details.open = true;
    this.text.value = spec;
    this.about.textContent = entry?.about ?? "";
    this.summary.textContent = spec === name ? "Options" : spec;
    const change = (now) => {
      this.spec = build(entry, now);
      this.text.value = this.spec;
      this.summary.textContent = this.spec === name ? "Options" : this.spec;
      this.onchange(this.spec);
    };
    const all = entry ? fields(entry, values, change) : [];
    const named = (_, i) => entry.parameters[i].names.length > 0;
    fill(this.plain, all.filter(named));
    fill(
      this.form,
      h(
        "div",
        { class: "fields" },
        all.filter((one, i) => !named(one, i)),
      ),
    );
  }
}

/** A choice of game: name, parameters, or the spec as text. `onchange(spec)` tells every change. */
export class GamePicker {
  constructor({ games, given = [], onchange }) {
    this.games = [...games, ...given];
    this.onchange = onchange;
    const options = [...games.map((g) => g.name), ...given.map((g) => g.spec)].map((name) =>
      h("option", { value: name, title: name }, name.split("/").at(-1)),
    );
    this.select = h("select", { "aria-label": "Game", onchange: () => this.choose(this.select.value) }, options);
    this.about = h("p", { class: "help" });
    this.text = h("input", { type: "text", class: "spec", spellcheck: false, "aria-label": "Game spec" });
    this.text.addEventListener("change", () => this.text.value.trim() && this.choose(this.text.value.trim()));
    this.form = h("div");
    this.element = h("div", { class: "picker" }, this.select, this.about, this.form, this.text);
  }

  choose(spec) {
    this.set(spec);
    this.onchange(spec);
  }

  /** Shows a spec without telling anyone. */
  set(spec) {
    this.spec = spec;
    const { name, values } = parse(spec, this.games);
    const entry = this.games.find((g) => g.name === name);
    const offered = [...this.select.options].some((o) => o.value === spec);
    const own = offered || !entry ? spec : (entry.spec ?? name);
    if (![...this.select.options].some((o) => o.value === own)) this.select.append(h("option", { value: own }, own));
    this.select.value = own;
    this.text.value = spec;
    this.about.textContent = entry?.about || "Your own game.";
    const change = (now) => {
      this.spec = build(entry, now, true);
      this.text.value = this.spec;
      this.onchange(this.spec);
    };
    fill(this.form, entry?.parameters.length ? h("div", { class: "fields" }, fields(entry, values, change)) : []);
  }
}
