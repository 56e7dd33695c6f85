/** What is written of a step: its sentence, the tree, the table of children, the options that may change on the way. */

import { announce, fill, h } from "../dom.js";
import { field } from "../forms.js";
import { sides } from "../look.js";
import { build, nameOf, parse } from "../spec.js";
import { figures } from "./drawing.js";
import { tableOf, treeAt, walked, windowAt } from "./model.js";
import { formulaOf, PHASES, phaseOf, said, saidOfWindow } from "./words.js";

export const on = (is) => ({ class: is ? "on" : "", "aria-current": is ? "step" : null });

export class Telling {
  /** `onchange(spec)`: an option was changed while the search runs. */
  constructor(parts, { agents, onchange }) {
    Object.assign(this, { parts, agents, onchange });
    this.live = null; // the spec whose options are shown
  }

  /** One sentence, and a sum where there is one. */
  say(text, sum) {
    this.parts.words.textContent = text;
    this.parts.sum.textContent = sum;
    announce(`${text} ${sum}`);
  }

  /** Which step it is, of which phase, and what it does. */
  title({ run, at, frame, root }) {
    const { title, phases } = this.parts;
    const names = sides(root);
    if (run.kind === "window") {
      const { depth } = windowAt(run, at.frame);
      const all = `${run.frames(1).length}${run.complete ? "" : "+"}`;
      title.textContent = at.frame ? `Depth ${depth} · step ${at.frame} of ${all}` : "Before the search";
      fill(phases);
      const none = ["Nothing has been looked at yet. Values, α and β are the first player’s.", ""];
      return this.say(...(frame ? saidOfWindow(frame.event, names) : none));
    }
    const phase = frame && phaseOf(frame.type);
    const after = `After ${at.done} simulation${at.done === 1 ? "" : "s"}`;
    title.textContent = frame ? `Simulation ${at.done + 1} · ${phase}` : after;
    fill(
      phases,
      PHASES.map(([key, text]) => h("li", on(phase === key), text)),
    );
    const ended = " The search has ended: the root is proven, or its simulations are spent.";
    const still = `${at.done ? "The tree as it stands." : "Nothing but the root."}${run.end <= at.done ? ended : ""}`;
    return this.say(...(frame ? said(frame, names, "…") : [still, ""]));
  }

  /** Neither a step nor a tree, nor options that may change. */
  nothing() {
    const { phases, tree, legend, tableCard, liveHost } = this.parts;
    [phases, legend, liveHost].forEach((host) => fill(host));
    tree.clear();
    tableCard.hidden = true;
    this.live = null;
  }

  /** The tree, and the children of the node that matters. */
  tree({ run, at, frame, peeked, root }) {
    const { tree, legend, tableCard, liveHost } = this.parts;
    const window = run.kind === "window";
    tableCard.hidden = window;
    if (window) {
      const { cards, path } = windowAt(run, at.frame);
      legend.textContent = "α, β window · = value, for the first player · ✂ cut-off";
      tree.show(cards, peeked ?? path);
      this.live = null;
      fill(liveHost, h("p", { class: "help whole" }, "Minimax and alpha-beta begin anew with other options."));
      return;
    }
    const { cards, nodes, path } = treeAt(run, at.done, at.frame);
    const prior = nodes.some((node) => node.prior !== undefined) ? "P prior · " : "";
    legend.textContent = `N visits · Q mean result · ${prior}U exploration · Σ sum`;
    const lit = walked(run, at.done, at.frame);
    for (const card of cards) {
      if (card.path.every((move, i) => move === lit[i])) card.marks = [...(card.marks ?? []), "walked"];
    }
    tree.show(cards, peeked ?? path);
    const parent = peeked ?? (frame?.type === "select" ? frame.event.path : []);
    const formula = formulaOf(nameOf(run.search.agent), root.alone);
    this.#table(tableOf(peeked ? null : frame, nodes, parent), parent, formula);
    this.#options(run, run.agentAt(at.done));
  }

  #table({ columns, rows, of }, parent, formula) {
    const { tableTitle, tableHost, formula: sum } = this.parts;
    const where = parent.length ? `after ${parent.join(" ")}` : "of the root";
    tableTitle.textContent = `Children ${where}${rows.length < of ? ` · ${rows.length} of ${of}` : ""}`;
    sum.textContent = formula ? `sum = ${formula}` : "";
    fill(tableHost, rows.length ? figures(columns, rows) : h("p", { class: "help" }, "none yet"));
  }

  /** The options that may change on the way. */
  #options(run, spec) {
    if (this.live === spec) return;
    this.live = spec;
    const { name, values } = parse(spec, this.agents);
    const entry = this.agents.find((one) => one.name === name);
    const may = entry.parameters.filter((parameter) => run.live.includes(parameter.name));
    const changed = (parameter, value) => {
      const next = { ...values };
      if (value === undefined) delete next[parameter.name];
      else next[parameter.name] = value;
      this.onchange(build(entry, next));
    };
    fill(
      this.parts.liveHost,
      may.map((parameter) => field(parameter, values[parameter.name], (value) => changed(parameter, value))),
    );
  }
}
