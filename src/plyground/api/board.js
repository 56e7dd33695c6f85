/** A board to play on in a notebook. Python sends what it shows, `view`; a click asks for a move, `asked`. */

function make(kind, parent, attributes = {}) {
  const element = Object.assign(document.createElement(kind), attributes);
  parent.append(element);
  return element;
}

function render({ model, el }) {
  const root = make("div", el, { className: "plyground" });
  const board = make("div", root);
  const status = make("div", root);
  const moves = make("div", root);
  const buttons = make("div", root);
  for (const row of [moves, buttons]) Object.assign(row.style, { display: "flex", flexWrap: "wrap", gap: "6px" });
  status.style.margin = "4px 0 6px";
  const offer = (offered) => {
    for (const { name } of offered) make("button", moves, { textContent: name, onclick: () => ask({ move: name }) });
  };
  status.setAttribute("aria-live", "polite");
  let asks = 0;
  let chosen = []; // cells of a move that has several
  const ask = (what) => {
    chosen = [];
    asks += 1;
    model.set("asked", { ...what, number: asks });
    model.save_changes();
  };

  /** Moves without cells can only be chosen by their names. */
  const offerAlways = () => {
    moves.replaceChildren();
    offer(model.get("view").moves.filter((move) => !move.cells.length));
  };

  const pick = (cell) => {
    const view = model.get("view");
    if (view.thinking) return;
    const holding = (cells) => view.moves.filter((move) => cells.every((one) => move.cells.includes(one)));
    chosen = holding([...chosen, cell]).length ? [...chosen, cell] : [cell];
    const fitting = holding(chosen);
    const whole = fitting.some((move) => new Set(move.cells).size === new Set(chosen).size);
    offerAlways();
    if (fitting.length === 1) ask({ move: fitting[0].name });
    else if (!fitting.length) chosen = [];
    else if (whole) offer(fitting); // a click cannot tell them apart
  };

  const draw = () => {
    const view = model.get("view");
    if (view.svg) board.innerHTML = view.svg;
    else {
      board.replaceChildren();
      make("pre", board, { textContent: view.text });
    }
    const playable = new Set(view.moves.flatMap((move) => move.cells));
    for (const group of board.querySelectorAll("[data-cell]")) {
      const cell = Number(group.dataset.cell);
      if (playable.has(cell)) group.style.cursor = "pointer";
      group.addEventListener("click", () => pick(cell));
    }
    status.textContent = view.status;
    offerAlways();
  };

  make("button", buttons, { textContent: "take back", onclick: () => ask({ do: "undo" }) });
  make("button", buttons, { textContent: "new game", onclick: () => ask({ do: "new" }) });
  model.on("change:view", draw);
  draw();
  return () => model.off("change:view", draw);
}

export default { render };
