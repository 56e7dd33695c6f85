"""Study uct-minimax: UCT, minimax and sampled minimax in one position of tic-tac-toe."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from urllib.parse import quote

import numpy as np

from .. import agents, games
from ..exact import odds, sampled
from ..exact.solve import solver
from ..rules import after
from .lab import Part
from .plot import COLOURS, drawing
from .report import Plot, Report, Section, Table, percent

TITLE = "UCT and minimax in one position"

POSITION = ".O./XXO/... X"
CELLS = (0, 2, 6, 7, 8)  # the free ones
REPORTED_UCT = (66, 51, 66, 40, 69)
REPORTED_OPTIMAL = ("win", "draw", "win", "loss", "draw")
REPORTED_RANDOM = (66, 61, 66, 33, 61)
SIMULATIONS = (100, 500, 1000, 5000, 100_000)
# the study's settings; as rewards, wins alone count: the value of a move is its probability to win
AGAINST_RANDOM = 'against-random("tictactoe")'
UCT = 'uct(sims={}, c=2.0, expand="all", rollout="random", solve=False, win=1.0, draw=0.0, loss=0.0)'
BOTH = 'uct(sims={}, c=2.0, expand="all", rollout="random", solve=False)'
FAULTY = 'faulty-uct(sims={}, c=2.0, count="parent", check=False, rollout="random", bonus="ln(N/n)", choose="value")'
WORDS: dict[Any, str] = {1: "win", 0: "draw", -1: "loss"}


def exact() -> dict[str, list[str]]:
    """The exact rows: values with both playing their best, and probabilities as fractions."""
    game = games.make("tictactoe")
    state = game.read(POSITION)
    work = solver(game, state, 16)
    work.solve(state)
    values = {answer.action: answer.value for answer in work.solution.answers}
    random = odds.distribution(game, state, "random", "random").moves
    best = odds.distribution(game, state, "most-wins", "random").moves
    tree = sampled.unfold(game, state)
    starts = tree.tops[tree.leaves]
    return {
        "optimal": [WORDS[values[cell]] for cell in CELLS],
        "random wins": [str(odds.chances(random[cell])[0]) for cell in CELLS],
        "random draws": [str(odds.chances(random[cell])[1]) for cell in CELLS],
        "best wins": [str(odds.chances(best[cell])[0]) for cell in CELLS],
        "leaves": [f"{int((tree.scores[tree.leaves][starts == i] > 0).sum())}/{(starts == i).sum()}" for i in range(5)],
        "positions": [str(work.solution.nodes)],
    }


def full_tree() -> dict[str, Any]:
    """Minimax on the whole tree, every node looked at: value of each move, and how many nodes there are."""
    game = games.make("tictactoe")
    state = game.read(POSITION)
    agent = agents.make("minimax")
    nodes, values = 1, []
    for cell in CELLS:
        then = after(game, state, cell)
        thought = agent.think(game, then)
        nodes += thought.simulations
        values.append(WORDS[-(thought.value or 0.0)])
    return {"values": values, "nodes": nodes}


def win_rates(game: str, agent: str, sims: int, runs: int) -> dict[str, list[float]]:
    """The value that an agent gives each move: mean and spread over runs with different seeds."""
    rules = games.make(game)
    state = rules.read(POSITION)
    player = agents.make(agent.format(sims))
    values = np.zeros((runs, len(CELLS)))
    for run in range(runs):
        player.begin(run)
        known = {move.action: move.value for move in player.think(rules, state).moves}
        values[run] = [known[cell] for cell in CELLS]
    return {"mean": values.mean(axis=0).tolist(), "spread": values.std(axis=0).tolist()}


def convergence(size: int, iterations: int, replace: bool) -> dict[str, Any]:
    """Sampled minimax with so many trajectories: means so far at some iterations."""
    game = games.make("tictactoe")
    tree = sampled.unfold(game, game.read(POSITION))
    found = sampled.sample(tree, size, iterations, replace=replace, seed=1)
    at = sorted({int(i) for i in np.geomspace(1, iterations, 40)})
    rows = {name: getattr(found, name)[np.array(at) - 1].tolist() for name in ("values", "wins", "shares")}
    return {"iterations": at, "trajectories": found.trajectories, **rows}


def parts(quick: bool) -> dict[str, Part]:
    runs, iterations = (5, 200) if quick else (100, 1000)
    made = {"exact": Part(exact, {}), "minimax": Part(full_tree, {})}
    for sims in SIMULATIONS:
        made[f"uct {sims}"] = Part(win_rates, {"game": AGAINST_RANDOM, "agent": UCT, "sims": sims, "runs": runs})
        made[f"both {sims}"] = Part(win_rates, {"game": "tictactoe", "agent": BOTH, "sims": sims, "runs": runs})
        if sims <= 5000:
            few = {"game": "tictactoe", "agent": FAULTY, "sims": sims, "runs": min(runs, 20)}
            made[f"faulty {sims}"] = Part(win_rates, few)
    for size in (10, 25, 51, 102, 204, 1000):
        made[f"sampled {size}"] = Part(convergence, {"size": size, "iterations": iterations, "replace": True})
        once = {"size": size, "iterations": iterations, "replace": False}
        made[f"sampled once {size}"] = Part(convergence, once)
    return made


def report(found: dict[str, Any], quick: bool) -> Report:
    about = (
        f"One position of tic-tac-toe, `{POSITION}`, X to move on the free cells 0, 2, 6, 7, 8 (numbered row by row "
        "from 0): how good is each move? The study asks UCT, minimax on the whole tree, and minimax on sampled trees. "
        f"[Open the position on the page](/#play?game=tictactoe&start={quote(POSITION)})."
    )
    return Report(about, _findings(found), [_uct(found), _minimax(found), _sampled(found)])


def _fractions(texts: list[str]) -> list[float]:
    return [float(Fraction(text)) for text in texts]


# --- the sections -------------------------------------------------------------------------------------

HEAD = [f"cell {cell}" for cell in CELLS]


def _shares(texts: list[str]) -> list[str]:
    return [f"{percent(value)}\n{text}" for value, text in zip(_fractions(texts), texts, strict=True)]


def _spread(run: dict[str, list[float]]) -> list[str]:
    return [f"{percent(m)}\n± {100 * s:.1f}" for m, s in zip(run["mean"], run["spread"], strict=True)]


def _uct(found: dict[str, Any]) -> Section:
    rows = [["reported, 1,000 simulations", *(f"{value} %" for value in REPORTED_UCT)]]
    rows += [[f"UCT, {sims:,}", *_spread(found[f"uct {sims}"])] for sims in SIMULATIONS]
    rows.append(["exact: X best, O random", *_shares(found["exact"]["best wins"])])
    first = Table(["X wins", *HEAD], rows, "X searches, O is random: the same in the tree and in the roll-outs")
    wrong = [[f"bonus √ln(N/n), {sims:,}", *_spread(found[f"faulty {sims}"])] for sims in SIMULATIONS if sims <= 5000]
    second = Table(["value, −100 to 100 %", *HEAD], wrong, "With the study's mistake, O searching too")
    both = [[f"UCT, {sims:,}", *_spread(found[f"both {sims}"])] for sims in SIMULATIONS]
    both.append(["exact: both best", *found["exact"]["optimal"]])
    third = Table(["value, −100 to 100 %", *HEAD], both, "Both sides search: the values go to those of minimax")
    exact = _fractions(found["exact"]["best wins"])
    with drawing() as made:
        for i, cell in enumerate(CELLS):
            means = [found[f"uct {sims}"]["mean"][i] for sims in SIMULATIONS]
            made.axes.semilogx(SIMULATIONS, means, "o-", color=COLOURS[i], label=f"cell {cell}")
            made.axes.axhline(exact[i], color=COLOURS[i], linestyle=":", linewidth=1)
        made.axes.set_xlabel("simulations")
        made.axes.set_ylabel("probability that X wins")
        made.legend()
    plot = Plot(made.svg, "UCT against a random O; dotted: exact. Bad moves are tried seldom, so their values lag.")
    spread = "Means over runs with different seeds; ± is the spread of a single run."
    blocks: list[str | Table | Plot] = [f"`{UCT.format('N')}` in `{AGAINST_RANDOM}`. {spread}", first, plot]
    blocks += [f"`{BOTH.format('N')}`", third, f"`{FAULTY.format('N')}`", second]
    return Section("UCT", blocks, [name for name in found if name.startswith(("uct", "both", "faulty"))])


def _minimax(found: dict[str, Any]) -> Section:
    exact = found["exact"]
    rows = [
        ["both best, reported", *REPORTED_OPTIMAL],
        ["both best, minimax on the whole tree", *found["minimax"]["values"]],
        ["both best, solver", *exact["optimal"]],
        ["both random, X wins, reported", *(f"{value} %" for value in REPORTED_RANDOM)],
        ["won leaves of all leaves", *_shares(exact["leaves"])],
        ["both random, X wins, exact", *_shares(exact["random wins"])],
        ["both random, draw, exact", *_shares(exact["random draws"])],
    ]
    text = f"The whole tree below the position has {found['minimax']['nodes']:,} nodes."
    return Section("Minimax on the whole tree", [text, Table(["", *HEAD], rows)], ["minimax", "exact"])


def _sampled(found: dict[str, Any]) -> Section:
    total = found["sampled 10"]["trajectories"]
    sizes = [int(name.split()[-1]) for name in found if name.startswith("sampled once")]
    rows = []
    for size in sizes:
        last = found[f"sampled {size}"], found[f"sampled once {size}"]
        leaves = np.array(_fractions(found["exact"]["leaves"]))
        ratio = [float(np.mean(np.array(run["shares"][-1]) / leaves)) for run in last]
        q = [" ".join(f"{value:+.2f}" for value in run["values"][-1]) for run in last]
        rows.append([str(size), f"{size / total:.2f}", q[0], q[1], f"{ratio[0]:.2f}", f"{ratio[1]:.2f}"])
    columns = [
        "t",
        "t/T",
        "Q of cells 0 2 6 7 8",
        "Q, none drawn twice",
        "won share / whole tree's",
        "none drawn twice",
    ]
    blocks: list[str | Table | Plot] = [
        f"Each iteration draws t of the T = {total} trajectories, joins them into a tree and computes minimax on it."
    ]
    blocks.append(Table(columns, rows, "After the last iteration"))
    names = {"values": "mean Q", "wins": "share of iterations in which Q is a win"}
    for which, label in names.items():
        chosen = [size for size in sizes if size in (10, 51, 204, 1000)]
        with drawing(10.5, 3.4, panels=len(chosen)) as made:
            for axes, size in zip(made.axes, chosen, strict=True):
                run = found[f"sampled {size}"]
                for i, cell in enumerate(CELLS):
                    line = [row[i] for row in run[which]]
                    axes.semilogx(run["iterations"], line, color=COLOURS[i], label=f"cell {cell}")
                axes.set_title(f"t = {size}, t/T = {size / total:.2f}", fontsize=9)
                axes.set_xlabel("iterations")
            made.axes[0].set_ylabel(label)
            made.legend()
        blocks.append(Plot(made.svg, f"Convergence of the {label}, t below and above T."))
    return Section("Sampled minimax", blocks, [name for name in found if name.startswith("sampled")])


# --- what was found -----------------------------------------------------------------------------------


def _findings(found: dict[str, Any]) -> list[str]:
    exact = found["exact"]
    same = found["minimax"]["values"] == list(REPORTED_OPTIMAL) == exact["optimal"]
    leaves = [round(100 * value) for value in _fractions(exact["leaves"])]
    most = found["uct 100000"]
    best = _fractions(exact["best wins"])
    away = [abs(m - e) for m, e in zip(most["mean"], best, strict=True)]
    far, near = max(away), max(away[0], away[2])
    few = found["sampled 25"]["values"][-1]
    total = found["sampled 10"]["trajectories"]
    return [
        f"**{'Holds' if same else 'Does not hold'}:** with both playing their best the moves are "
        f"{', '.join(exact['optimal'])}, as reported; the solver and minimax on the whole tree agree.",
        f"**Does not hold:** its probabilities with both at random ({', '.join(map(str, REPORTED_RANDOM))} %) are "
        f"shares of leaves ({', '.join(map(str, leaves))} %), which count a short game like a long one. The true ones "
        f"are {', '.join(exact['random wins'])}.",
        f"**Does not hold:** its UCT row ({', '.join(map(str, REPORTED_UCT))} %) is neither of the true rows. X best "
        f"and O random is {', '.join(exact['best wins'])}. Its bonus is √ln(N/n) where √(ln N / n) is meant: it hardly "
        "shrinks as a move is tried, so that bad moves go on being tried and pull the values down, also with 5,000 "
        "simulations. No variant that we tried gives exactly its row, which is a single run.",
        f"**Done right,** UCT with 100,000 simulations is within {100 * far:.1f} points of the exact row, and within "
        f"{100 * near:.1f} for the two best moves; the others converge slowly since they are seldom tried.",
        "**Holds in part:** what is lower by t/T is the share of won trajectories. Minimax values are not: with t = 25 "
        f"of T = {total} the winning moves 0 and 6 have Q = {few[0]:+.2f} and {few[2]:+.2f} instead of 1, and the "
        f"drawn move 2 has {few[1]:+.2f}, since replies of both sides are missing from the small trees.",
    ]
