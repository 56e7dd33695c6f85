"""Study line-taking, its open ideas: nets that learn the game, and how often they err, by the number of cells left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents, games
from ..arena.match import draw
from ..games.line_taking.table import LineTable
from ..learn.measure import Choices, one_by_one
from ..manifest import ask
from ..nets import trained
from ..nets.evaluate import Evaluator, Greedy, onnx_evaluator, together
from ..nets.files import read_card
from ..rules import after, legal, new
from ..search.mcts.batched import BatchedPUCT
from ..search.mcts.settings import Settings
from .lab import Part, match_part
from .plot import drawing
from .report import Plot, Section, Table, percent, tally, with_interval

NET, SIMS = "line-taking", 100
AT_ONCE = 128  # positions searched side by side
UCT = 'uct(sims=5000, c=0.5, rollout="random")'
AGENT = f"alphazero(sims={SIMS})"
PLAIN = f"alphazero(sims={SIMS}, threats=-1)"
WAYS = {
    "chance": "a random move",
    "uct": "UCT, 5,000 simulations",
    "alone": "the net alone",
    "search": f"with {SIMS} simulations",
    "endgames": "and 12 cells solved",
}
TARGET = 20  # cells up to which positions are taken together
KNOWN = Path(__file__).parent / "known" / "line-taking-nets.json"


# --- measuring ----------------------------------------------------------------------------------------


def solved_positions(cells: int, count: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """A game, so many states with this number of cells left, and best bool[n, actions]: what keeps their value.

    They are reached by random moves from random regions; where all is lost, nothing can be lost.
    """
    rng = np.random.default_rng(cells)
    states, best, seed = list[Any](), list[np.ndarray](), 0
    while len(states) < count:
        game = games.make(f"line-taking(cells={max(12, min(33, cells + 8))})", seed=draw(6, seed))
        seed += 1
        state = new(game)
        while game.left(state) > cells:
            state = after(game, state, int(rng.choice(legal(game, state))))
        if game.left(state) != cells:
            continue
        table = LineTable(game, state)
        table.fill()
        values = table.values(state)
        keeps = np.zeros(game.actions(), np.bool_)
        keeps[[action for action, value in values.items() if value == max(values.values())]] = True
        states.append(state)
        best.append(keeps)
    return game, together(states), np.array(best)


def mistakes(cells: int, positions: int, net: str = NET, evaluate: Evaluator | None = None) -> dict[str, Any]:
    """How often a net errs: alone, with a search, and with one that solves few cells; and how often chance and UCT do.

    A net that tells no value has no search.
    """
    card, evaluate = read_card(trained.find(net)), evaluate or onnx_evaluator(trained.find(net))
    game, states, best = solved_positions(cells, positions)
    uct = agents.make(UCT, seed=1)
    choices: dict[str, Choices] = {
        "uct": one_by_one(lambda state: uct.think(game, state).action),
        "alone": Greedy(game, card.input, evaluate),
    }
    if card.output == "policy-value":
        for name, prover in (("search", None), ("endgames", ask(game, "prover", None))):
            choices[name] = BatchedPUCT(game, evaluate, Settings(prover=prover), min(AT_ONCE, positions), SIMS)
    moves = np.array([len(legal(game, state)) for state in states])
    found = {name: int((~best[np.arange(len(best)), choose(states)]).sum()) for name, choose in choices.items()}
    return {"positions": positions, "chance": float((1 - best.sum(1) / moves).sum()), **found}


# --- the study ----------------------------------------------------------------------------------------


def parts(quick: bool, opponents: dict[str, str]) -> dict[str, Part]:
    """Mistakes by cells left, and matches against agents of the study, if the net is there."""
    if NET not in trained.names():
        return {}
    cells, positions, count = ((8, 14, 20), 12, 4) if quick else ((*range(4, 22, 2), 24, 28), 200, 100)
    made = {f"net, {left} cells": Part(mistakes, {"cells": left, "positions": positions}) for left in cells}
    for name, spec in opponents.items():
        made[f"net v {name}"] = match_part("line-taking", AGENT, spec, count, alone="seconds" in spec)
    return made


def sections(found: dict[str, Any]) -> list[Section]:
    """What was learnt, if there are figures for it."""
    names = {int(name.split()[1]): name for name in found if name.startswith("net, ")}
    if not names:
        return []
    by_cells = {left: found[names[left]] for left in sorted(names)}
    matches = {name: run for name, run in found.items() if name.startswith("net v ")}
    card = read_card(trained.find(NET))
    texts: list[str | Table | Plot] = [
        "The study closes with what it would have liked to try: deep Q-learning, and a policy net, convolutional or a "
        "transformer. Here they learn from regions of 12 to 33 cells, drawn anew for every game. Both policy nets look "
        "at the free cells alone, each a token that knows the cells within two steps and the size of its component: "
        "`--net transformer` lets all of them look at one another, `--net hexagons` each at its six neighbours and at "
        "sums over all. Both learn by AlphaZero; in their games positions of up to 12 cells were solved. The deep "
        "Q-net is one of plain layers over the 144 cells of the board.",
        f"The net that came with the program was made by `{card.command}`. It is asked alone, as the root of a search "
        f"of {SIMS} simulations, and as that of a search whose leaves are solved as soon as 12 cells are left, which "
        f"is what `{AGENT}` does; `{PLAIN}` does without. The table of the region says which moves keep the value.",
        _table(by_cells),
        _plot(by_cells),
        *_compared(),
        Table(
            ["against", "games", "score of the net"],
            [[name.removeprefix("net v "), str(run["games"]), with_interval(run)] for name, run in matches.items()],
            f"Matches of `{AGENT}`, each region played twice, seats changed",
        ),
    ]
    return [Section("Nets that learnt it", texts, [*names.values(), *matches])]


def _share(run: dict[str, Any], way: str) -> float:
    return run[way] / run["positions"]


def _table(by_cells: dict[int, dict[str, Any]]) -> Table:
    rows = [
        [str(left), *(percent(_share(run, way)) for way in WAYS), str(run["positions"])]
        for left, run in by_cells.items()
    ]
    small = [run for left, run in by_cells.items() if left <= TARGET]
    total = {key: sum(run[key] for run in small) for key in (*WAYS, "positions")}
    shares = [f"{percent(_share(total, way))}\n{_interval(total, way)}" for way in WAYS]
    rows.append([f"all up to {TARGET}", *shares, str(total["positions"])])
    return Table(["cells left", *WAYS.values(), "positions"], rows, "Positions in which the move loses what was won")


def _interval(run: dict[str, Any], way: str) -> str:
    wrong = round(run[way])
    low, high = tally({"wins": wrong, "draws": 0, "losses": run["positions"] - wrong}).interval()
    return f"{percent(low)} to {percent(high)}"


def _plot(by_cells: dict[int, dict[str, Any]]) -> Plot:
    with drawing() as made:
        for way, label in WAYS.items():
            style = "k--" if way == "chance" else "o-"
            made.axes.plot(list(by_cells), [_share(run, way) for run in by_cells.values()], style, label=label)
        made.axes.set(xlabel="cells left", ylabel="share of mistakes")
        made.axes.set_ylim(0, 1.02)
        made.legend(3)
    return Plot(made.svg, "Mistakes by the number of cells left; whoever plays by the exact table makes none.")


def _compared() -> list[str | Table]:
    """What was measured of the nets that did not come with the program."""
    if not KNOWN.exists():
        return []
    told = json.loads(KNOWN.read_text())
    cells = sorted(int(left) for left in next(iter(told["nets"].values()))["mistakes"])
    rows = []
    for name, net in told["nets"].items():
        for way in ("alone", "search", "endgames"):
            runs = [net["mistakes"][str(left)] for left in cells]
            if way in runs[0]:
                rows.append([f"{name}, {WAYS[way]}", *(percent(_share(run, way)) for run in runs)])
    made = "; ".join(f"{name}: `{net['command']}`, {net['made']}" for name, net in told["nets"].items())
    text = f"The nets beside one another, measured once, {told['positions']} positions each. {made}."
    return [text, Table(["mistakes with so many cells left", *map(str, cells)], rows)]


def findings(found: dict[str, Any]) -> list[str]:
    """What the net shows, in a sentence each."""
    runs = [run for name, run in found.items() if name.startswith("net, ") and int(name.split()[1]) <= TARGET]
    if not runs:
        return []
    total = {key: sum(run[key] for run in runs) for key in (*WAYS, "positions")}
    alone, search, endgames, uct = (percent(_share(total, way)) for way in ("alone", "search", "endgames", "uct"))
    scores = "; ".join(
        f"against {name.removeprefix('net v ')} {percent(tally(run).score)} of {run['games']} games"
        for name, run in found.items()
        if name.startswith("net v ")
    )
    return [
        f"**The game can be learnt.** In positions of up to {TARGET} cells the net alone errs in {alone}, with {SIMS} "
        f"simulations in {search}, and where the search solves the last 12 cells in {endgames}; UCT with 5,000 "
        f"simulations in {uct}. It scores {scores}."
    ]
