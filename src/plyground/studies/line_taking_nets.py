"""Study line-taking, its open ideas: nets that learn the game, and how often they err, by the number of cells left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents, games
from ..arena.match import draw
from ..games.line_taking.endgames import USUAL as SOLVED
from ..games.line_taking.table import LineTable
from ..learn.measure import Choices, one_by_one
from ..manifest import ask
from ..nets import trained
from ..nets.evaluate import Evaluator, Greedy, onnx_evaluator, together, uniform_evaluator
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
    "endgames": f"and leaves of {SOLVED} cells solved",
    "blind": "the same without a net",
}
TARGET = 20  # cells up to which positions are taken together
AIM = 0.02  # of these the agent should err in no more
KNOWN = Path(__file__).parent / "known" / "line-taking-nets.json"


# --- measuring ----------------------------------------------------------------------------------------


def reached(cells: int, stream: int, region: int) -> Iterator[tuple[Any, Any, dict[int, int]]]:
    """Positions with this number of cells left, reached by random moves from random regions: the game, the state, and
    the exact value of every move."""
    rng = np.random.default_rng(cells)
    for seed in count():
        game = games.make(f"line-taking(cells={region})", seed=draw(stream, seed))
        state = new(game)
        while game.left(state) > cells:
            state = after(game, state, int(rng.choice(legal(game, state))))
        if game.left(state) == cells:
            table = LineTable(game, state)
            table.fill()
            yield game, state, table.values(state)


def solved_positions(cells: int, number: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """A game, so many states with this number of cells left, and best bool[n, actions]: what keeps their value.

    Where all is lost, nothing can be lost.
    """
    states, best = list[Any](), list[np.ndarray]()
    for game, state, values in islice(reached(cells, 6, max(12, min(33, cells + 8))), number):
        keeps = np.zeros(game.actions(), np.bool_)
        keeps[[action for action, value in values.items() if value == max(values.values())]] = True
        states.append(state)
        best.append(keeps)
    return game, together(states), np.array(best)


def mistakes(cells: int, positions: int, net: str = NET, evaluate: Evaluator | None = None) -> dict[str, Any]:
    """How often a net errs: alone, with a search, and with one that solves few cells; and how often others do: chance,
    UCT, and the last search without a net, which holds all moves for alike and all positions for even.

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
        solving, none = Settings(prover=ask(game, "prover", None)), uniform_evaluator(game.actions() + 1)
        searches = {"search": (evaluate, Settings()), "endgames": (evaluate, solving), "blind": (none, solving)}
        for name, (asked, settings) in searches.items():
            choices[name] = BatchedPUCT(game, asked, settings, min(AT_ONCE, positions), SIMS)
    moves = np.array([len(legal(game, state)) for state in states])
    found = {name: int((~best[np.arange(len(best)), choose(states)]).sum()) for name, choose in choices.items()}
    return {"positions": positions, "chance": float((1 - best.sum(1) / moves).sum()), **found}


# --- the study ----------------------------------------------------------------------------------------


def parts(quick: bool, opponents: dict[str, tuple[str, int]]) -> dict[str, Part]:
    """Mistakes by cells left, and so many games against agents of the study, if the net is there."""
    if NET not in trained.names():
        return {}
    cells, positions, count = ((8, 14, 20), 12, 4) if quick else ((*range(4, 22, 2), 24, 28), 200, 100)
    made = {f"net, {left} cells": Part(mistakes, {"cells": left, "positions": positions}) for left in cells}
    for name, (spec, most) in opponents.items():
        timed = "seconds" in spec
        made[f"net v {name}"] = match_part("line-taking", AGENT, spec, min(most, count), timed=timed)
        if not timed:
            made[f"net without solving v {name}"] = match_part("line-taking", PLAIN, spec, min(most, count))
    return made


def sections(found: dict[str, Any]) -> list[Section]:
    """What was learnt, if there are figures for it."""
    names = {int(name.split()[1]): name for name in found if name.startswith("net, ")}
    if not names:
        return []
    by_cells = {left: found[names[left]] for left in sorted(names)}
    matches = _matches(found)
    card = read_card(trained.find(NET))
    texts: list[str | Table | Plot] = [
        "The study closes with what it would have liked to try: deep Q-learning, and a policy net, convolutional or a "
        "transformer. Here they learn from regions of 12 to 33 cells, drawn anew for every game. Both policy nets look "
        "at the free cells alone, each a token that knows the cells within two steps and the size of its component: "
        "`--net transformer` lets all of them look at one another, `--net hexagons` each at its six neighbours and at "
        "sums over all. Both learn by AlphaZero; in their games positions of up to 12 cells were solved. The deep "
        "Q-net is one of plain layers over the 144 cells of the board.",
        f"The net that came with the program was made by `{card.command}`. It is asked alone, with a search of {SIMS} "
        f"simulations, `{PLAIN}`, and with one that solves leaves of up to {SOLVED} cells, `{AGENT}`. Positions come "
        "from random moves on random regions, and their tables say which moves keep the value.",
        _table(by_cells),
        _plot(by_cells),
        *_compared(),
        Table(
            ["", "games", "score of the net"],
            [[name, str(run["games"]), with_interval(run)] for name, run in matches.items()],
            f"Matches of `{AGENT}`, and without solving of `{PLAIN}`, each region played twice, seats changed",
        ),
    ]
    return [Section("Nets that learnt it", texts, [*names.values(), *matches])]


def _matches(found: dict[str, Any]) -> dict[str, Any]:
    return {name: run for name, run in found.items() if name.startswith("net ") and " v " in name}


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
    """What was measured once of nets of all kinds."""
    if not KNOWN.exists():
        return []
    nets = json.loads(KNOWN.read_text())["nets"]
    cells = sorted({int(left) for net in nets.values() for left in net["mistakes"]})
    words = {"alone": "alone", "search": WAYS["search"], "solving 12": "and leaves of 12 cells solved"}
    rows = []
    for name, net in nets.items():
        runs = [net["mistakes"].get(str(left), {}) for left in cells]
        for way in words:
            if any(way in run for run in runs):
                rows.append([f"{name}, {words[way]}", *(percent(_share(run, way), 0) if run else "" for run in runs)])
    made = "; ".join(f"{name} by `{net['command']}` ({net['made']})" for name, net in nets.items())
    text = f"The kinds beside one another, measured once, 200 to 256 positions each: {made}."
    return [text, Table(["mistakes with so many cells left", *map(str, cells)], rows)]


def findings(found: dict[str, Any]) -> list[str]:
    """What the net shows, in a sentence each."""
    runs = {int(name.split()[1]): run for name, run in found.items() if name.startswith("net, ")}
    if not runs:
        return []
    small = [run for left, run in runs.items() if left <= TARGET]
    total = {key: sum(run[key] for run in small) for key in (*WAYS, "positions")}
    all_of = {way: percent(_share(total, way)) for way in WAYS}
    by_way = {
        way: ", ".join(percent(_share(runs[left], way), 0) for left in (8, 14, 20))
        for way in ("alone", "search", "uct", "chance")
    }
    scores = "; ".join(
        f"{name} {percent(tally(run).score)} of {run['games']} games" for name, run in _matches(found).items()
    )
    return [
        "**A net learns the game from its end.** With 8, 14 and 20 cells left it errs alone in "
        f"{by_way['alone']} of the positions, with {SIMS} simulations in {by_way['search']}, UCT with 5,000 in "
        f"{by_way['uct']}, a random move in {by_way['chance']}. Every cell changes who wins, so each size has to be "
        "learnt on top of those below it; beyond 16 cells this net alone knows nothing.",
        f"**With up to {TARGET} cells `{AGENT}` errs in {all_of['endgames']} of {total['positions']:,} positions** "
        f"(95 % interval {_interval(total, 'endgames')}); at most {percent(AIM, 0)} were aimed at.",
        f"**What it has not learnt can be solved:** up to {TARGET} cells it errs in {all_of['alone']} alone, in "
        f"{all_of['search']} with {SIMS} simulations, and in {all_of['endgames']} if leaves of up to {SOLVED} cells "
        f"are solved, which takes less time than asking the net. That is the solver's merit: without any net such a "
        f"search errs in {all_of['blind']}. Scores: {scores}.",
    ]
