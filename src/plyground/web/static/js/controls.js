/** The buttons under the board, the analysis settings and the dialogs of the play view. */

import { $, button, fill, h, icon } from "./dom.js";
import { ended } from "./ending.js";
import { MODES } from "./overlay.js";
import { share } from "./panels.js";
import { openText } from "./review.js";
import { visible } from "./show.js";
import { agentMove, hint } from "./think.js";

export class Controls {
  constructor(play) {
    this.play = play;
    const { options } = play;
    const end = () => play.visit(play.game.path.at(-1));
    this.start = button("start", icon("start"), "To the start (Home)", () => play.visit(play.game.root));
    this.back = button("back", icon("back"), "Back one move (←)", () => this.step(-1));
    this.next = button("forward", icon("forward"), "Forward one move (→)", () => this.step(1));
    this.end = button("end", icon("end"), "To the end (End)", end);
    this.undo = button("undo", "Undo", "Take back to your last turn (U)", () => play.undo());
    this.run = button("run", "Run", "Run or pause the agents (Space)", () => play.run());
    this.once = button("step", "Step", "One move by the agent (N)", () => this.oneMove());
    this.speed = h("input", {
      type: "range",
      min: 0,
      max: 2,
      step: 0.1,
      value: options.delay,
      "aria-label": "Least seconds between moves",
    });
    this.speed.addEventListener("input", () => play.set("delay", Number(this.speed.value)));
    this.pace = h("label", { class: "pace", title: "Least seconds between moves" }, "fast", this.speed, "slow");
    this.confirm = button("confirm", "Play", "Play the selection (Enter)", () => play.confirm());
    this.confirm.classList.add("primary");
    for (const one of [this.run, this.once, this.pace, this.confirm]) one.classList.add("gone");
    const grow = h("span", { class: "grow" });
    fill(
      $("controls"),
      this.start,
      this.back,
      this.next,
      this.end,
      this.undo,
      play.ending.resign,
      play.ending.draw,
      grow,
      this.confirm,
      this.pace,
      this.once,
      this.run,
    );
    this.toggles = {
      analysis: button("analysis", "Analysis", "Let an agent think about the position (A)", () =>
        play.toggle("analysis"),
      ),
      exact: button("solve", "Solve", "Exact values of all moves (S)", () => play.toggle("exact")),
      threats: button("threats", "Threats", "Mark moves that win at once, and those that an open three threatens (T)", () =>
        play.set("threats", !options.threats),
      ),
      coordinates: button("coordinates", "Labels", "Coordinates (C)", () =>
        play.set("coordinates", !options.coordinates),
      ),
      flip: button("flip", "Flip", "Turn the board (F)", () => play.toggle("flip")),
    };
    this.hint = button("hint", "Hint", "Show a good move (H)", () => hint(play));
    const { analysis, exact, threats, coordinates, flip } = this.toggles;
    fill($("tools"), analysis, this.hint, exact, threats, flip, coordinates);
    this.numbers = button("numbers", "123", "Numbers of moves on stones (I)", () =>
      play.set("numbers", !options.numbers),
    );
    $("graph-title").append(h("span", { class: "grow" }), this.numbers);
    $("sound").addEventListener("click", () => play.set("sound", !options.sound));
    this.#settings();
    this.#tabs();
    this.#showSound();
  }

  #showSound() {
    const { sound } = this.play.options;
    fill($("sound"), icon(sound ? "sound" : "silence"));
    $("sound").setAttribute("aria-pressed", String(sound));
  }

  step(by) {
    const { game } = this.play;
    this.play.visit(by < 0 ? game.at.parent : game.at.line);
  }

  /** One move by the agent to move; afterwards the agents wait again. */
  oneMove() {
    const { play } = this;
    if (play.live) play.run(false);
    agentMove(play);
  }

  #settings() {
    const { play } = this;
    this.modes = MODES.map((mode) =>
      h("button", { type: "button", id: `mode-${mode}`, data: { mode }, onclick: () => play.set("mode", mode) }, mode),
    );
    const seconds = h("input", {
      type: "number",
      min: 0.1,
      max: 60,
      step: "any",
      id: "analysis-seconds",
      value: play.options.seconds,
    });
    seconds.addEventListener(
      "change",
      () => seconds.reportValidity() && play.set("seconds", Number(seconds.value) || 20),
    );
    fill(
      $("with"),
      h("p", { class: "help" }, "The agent that analyses, hints and grows trees."),
      play.analyst.element,
      h("div", { class: "field inline" }, h("label", { for: "analysis-seconds" }, "seconds a position"), seconds),
    );
    $("thoughts").prepend(
      h(
        "div",
        { class: "quick" },
        h("span", { class: "dim" }, "On the board"),
        h("div", { class: "segments", role: "group", "aria-label": "What the board shows" }, this.modes),
      ),
    );
  }

  #tabs() {
    const names = ["thoughts", "tree", "with", "review-panel"];
    const open = (name) => {
      for (const one of names) {
        $(one).hidden = one !== name;
        $(`tab-${one}`).setAttribute("aria-selected", String(one === name));
        $(`tab-${one}`).tabIndex = one === name ? 0 : -1;
      }
      this.play.refresh();
    };
    names.forEach((name, i) => {
      $(`tab-${name}`).addEventListener("click", () => open(name));
      $(`tab-${name}`).addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        const next = names[(i + by + names.length) % names.length];
        open(next);
        $(`tab-${next}`).focus();
      });
    });
    this.openTab = open;
  }

  /** Buttons follow the state of the game. */
  show() {
    const { play } = this;
    const { game, view, searches } = play;
    if (!view) return;
    const node = game.at;
    const agentTurn = !view.over && view.player >= 0 && !play.seats[view.player].human;
    const neither = play.seatPanel.plays === "neither";
    this.start.disabled = this.back.disabled = this.undo.disabled = !node.parent;
    this.next.disabled = this.end.disabled = !node.line;
    const over = ended(node);
    const running = play.live && (agentTurn || neither) && !over;
    this.run.textContent = running ? "Pause" : neither ? "Run" : "Continue";
    this.run.disabled = over || (!agentTurn && !neither && !(view.player < 0));
    this.once.disabled = !agentTurn || over || searches.thinking?.source === "agent";
    this.pace.classList.toggle("gone", !neither);
    this.once.classList.toggle("gone", !neither && !(agentTurn && !play.live));
    this.run.classList.toggle("gone", !neither && !(agentTurn && !play.live));
    this.confirm.classList.toggle("gone", !play.picker.selected.length);
    this.confirm.disabled = !play.picker.move;
    $("edit").disabled = !view.editable.length;
    play.ending.show();
    this.toggles.exact.disabled = view.alone; // values are those of two players
    this.toggles.threats.disabled = !Object.keys(view.threats).length; // a game may not list them
    this.hint.disabled = view.over || running || searches.thinking?.source === "hint";
    this.#showSound();
    this.numbers.setAttribute("aria-pressed", String(play.options.numbers));
    const on = { analysis: play.analysis, exact: play.exact, flip: play.flip, ...play.options };
    for (const [name, toggle] of Object.entries(this.toggles))
      toggle.setAttribute("aria-pressed", String(Boolean(on[name])));
    this.toggles.exact.classList.toggle("busy", Boolean(searches.solving));
    this.toggles.analysis.classList.toggle("busy", searches.thinking?.source === "analysis");
    const priors = visible(play)?.moves.some((move) => move.prior !== null) || play.options.mode === "prior";
    for (const mode of this.modes) if (mode.dataset.mode === "prior") mode.hidden = !priors;
    for (const mode of this.modes) mode.setAttribute("aria-pressed", String(mode.dataset.mode === play.options.mode));
  }

  /** A position as text: moves or a diagram, to copy and to paste. */
  positionDialog() {
    const { play } = this;
    const { game, view } = play;
    const text = h("textarea", {
      rows: 4,
      spellcheck: false,
      id: "position-text",
      placeholder: "b2 a1 c3   or   X.O/.X./O.. X",
    });
    text.value = game.at.moves.length || !view.diagram ? game.at.moves.join(" ") : view.diagram;
    const dialog = $("position");
    const set = async () => {
      if (await openText(play, text.value)) dialog.close();
    };
    fill(
      dialog,
      h("h2", { id: "position-title" }, "Position"),
      h("label", { for: "position-text" }, `Moves or a one-line diagram of ${game.spec}, or a file of a game`),
      text,
      view.diagram ? h("p", { class: "help" }, "Shown now: ", h("code", {}, view.diagram)) : null,
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "primary", onclick: set }, "Set up"),
        h("button", { type: "button", onclick: () => share() }, "Copy link"),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    );
    dialog.showModal();
    text.select();
  }
}
