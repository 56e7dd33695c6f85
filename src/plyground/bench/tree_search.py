"""Benchmarks of Monte-Carlo tree search."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from .. import agents, games
from ..agents.base import Limit
from ..plots import save
from ..rules import CHANCE, new, playable
from ..search.budget import Budget
from ..search.mcts.driver import Search, node_type
from ..search.tree import NONE
from ..spec import InputError, nearest
from .timing import computed, timed

# game, the same in OpenSpiel, simulations a search, ratio that we promise
PEERS = [
    ("tictactoe", "tic_tac_toe", 1000, 4),
    ("mnk(9,9,5)", "mnk(m=9,n=9,k=5)", 1000, 250),
    ("mnk(15,15,5)", "mnk(m=15,n=15,k=5)", 300, 700),
    ("connect-four", "connect_four", 1000, 10),
    ("amazons", "amazons", 1000, 2),
    ("backgammon", "backgammon", 100, 2),
    ("breakthrough", "breakthrough", 1000, 2),
    ("chess", "chess", 100, 2),
    ("clobber", "clobber", 1000, 2),
    ("dots", "dots_and_boxes(num_rows=3,num_cols=3)", 1000, 2),
    ("draughts", "checkers", 500, 2),
    ("go", "go(board_size=9)", 300, 2),
    ("havannah", "havannah", 1000, 2),
    ("hex", "hex", 1000, 2),
    ("kalah", "mancala", 1000, 2),
    ("lines-of-action", "lines_of_action", 200, 2),
    ("morris", "nine_mens_morris", 500, 2),
    ('nim("1-3-5-7",True)', "nim", 1000, 2),
    ("othello", "othello", 300, 2),
    ("oware", "oware", 1000, 2),
    ("pentago", "pentago", 1000, 2),
    ("pig", "pig", 1000, 2),
    ("quoridor", "quoridor", 100, 2),
    ("ultimate", "ultimate_tic_tac_toe", 1000, 2),
]
ON_AVERAGE = 8  # the ratio that we promise over all of them
MISSING = "OpenSpiel is not installed: pip install open_spiel"
C = 1.4
# what OpenSpiel's MCTSBot does, too: all children at once, one random roll-out, no proofs
PLAIN = f'uct(sims={{}}, c={C}, expand="all", rollout="random", solve=False)'


def peers(seconds: float) -> Iterator[dict[str, Any]] | str:
    """Simulations in a second of the processor beside OpenSpiel's C++ MCTSBot with random roll-outs, single thread."""
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        return MISSING
    return all_peers(seconds)


def all_peers(seconds: float) -> Iterator[dict[str, Any]]:
    ratios = []
    for ours, theirs, sims, promise in PEERS:
        row = beside(ours, theirs, sims, seconds) | {"at_least": promise}
        ratios.append(row["ratio"])
        yield row
    yield dict.fromkeys(row) | {"game": "geometric mean", "at_least": ON_AVERAGE, "ratio": geometric_mean(ratios)}


def own_peer(ours: str, theirs: str, seconds: float) -> list[dict[str, Any]]:
    """The same for a game in a user's file, beside OpenSpiel's of this name; InputError if that has none."""
    try:
        import pyspiel
    except ImportError:
        raise InputError(MISSING) from None
    known = pyspiel.registered_names()
    name = theirs.partition("(")[0]
    if name not in known:
        raise InputError(f"OpenSpiel has no game {name}{nearest(name, known)}")
    return [beside(ours, theirs, 1000, seconds)]


def beside(ours: str, theirs: str, sims: int, seconds: float) -> dict[str, Any]:
    """Both in turns, from the first position in which a player moves.

    OpenSpiel's search, which is slower, has one run to five of ours.
    """
    import pyspiel

    game = games.make(ours)
    state = new(game)
    while game.player(state) == CHANCE:
        game.play(state, playable(game, state)[0])
    agent = agents.make(PLAIN.format(sims))
    agent.think(game, state)
    try:
        other = pyspiel.load_game(theirs)
    except pyspiel.SpielError as error:
        raise InputError(f"OpenSpiel cannot make {theirs}: {' '.join(str(error).split())}") from None
    start = other.new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.legal_actions()[0])
    mine, its, ratios = list[float](), list[float](), list[float]()
    end = time.perf_counter() + seconds
    while len(ratios) < 5 or time.perf_counter() < end:
        seed = len(ratios) + 1
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(other, evaluator, C, sims, 1000, False, seed, False)
        its.append(sims / computed(bot.step, start))
        mine.append(sims / median(computed(agent.think, game, state) for _ in range(5)))
        ratios.append(mine[-1] / its[-1])
    return {
        "game": ours,
        "simulations": sims,
        "plyground_per_s": median(mine),
        "openspiel_per_s": median(its),
        "ratio": median(ratios),
    }


def rollouts(seconds: float) -> list[dict[str, Any]]:
    """Cost of a move in win-block and in random roll-outs."""
    rows = []
    for spec in ("tictactoe", "mnk(9,9,5)", "gomoku(15)", "connect-four"):
        game = games.make(spec)
        searches = {heavy: Search(game, {"deepest": 0}, 1, heavy, False, 1) for heavy in (False, True)}
        times: dict[bool, list[float]] = {False: [], True: []}
        end = time.perf_counter() + seconds
        while len(times[True]) < 5 or time.perf_counter() < end:
            for heavy, search in searches.items():
                search.begin(new(game))
                search.workspaces["played"] = 0
                passed = timed(search.run, Budget(20_000 // game.actions() + 1))
                times[heavy].append(passed / int(search.workspaces["played"][0]) * 1e9)
        ratio = median(heavy / random for random, heavy in zip(times[False], times[True], strict=True))
        rows.append(
            {
                "game": spec,
                "random_ns": median(times[False]),
                "win_block_ns": median(times[True]),
                "ratio": ratio,
                "at_most": 4,
            }
        )
    return rows


def nodes(seconds: float) -> list[dict[str, Any]]:
    """Memory: bytes of a node, and bytes of the whole tree for every simulation."""
    rows = []
    for spec in ("tictactoe", "connect-four", "gomoku(15)"):
        for expand in ("one", "all"):
            game = games.make(spec)
            agent = agents.make(f'uct(sims=20000, expand="{expand}", solve=False)')
            agent.think(game, new(game))
            used = int(agent._searches[0].nodes[NONE].first)  # type: ignore[attr-defined]
            size = node_type(False, None).itemsize
            rows.append(
                {
                    "game": spec,
                    "expand": expand,
                    "node_bytes": size,
                    "at_most": 32,
                    "tree_bytes_per_simulation": used * size / 20000,
                }
            )
    return rows


FIRST_MOVE = """
import time
begun = time.perf_counter()
from plyground import agents, games, rules
game = games.make({game!r})
agent = agents.make("uct(sims=100)")
agent.think(game, rules.new(game))
print(time.perf_counter() - begun)
"""


def start(seconds: float) -> list[dict[str, Any]]:
    """From starting Python to the first UCT move, with an empty cache and with a filled one."""
    rows = []
    for spec in ("tictactoe", "gomoku(15)", "connect-four", "line-taking"):
        command = [sys.executable, "-c", FIRST_MOVE.format(game=spec)]
        firsts, laters, bare = list[float](), list[float](), list[float]()
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                how: dict[str, Any] = {"env": os.environ | {"XDG_CACHE_HOME": cache}, "check": True}
                firsts.append(timed(subprocess.run, command, capture_output=True, **how))
                laters.append(timed(subprocess.run, command, capture_output=True, **how))
                bare.append(timed(subprocess.run, [sys.executable, "-c", "import numba"], **how))
        first, later = median(firsts), median(laters)
        rows.append(
            {
                "game": spec,
                "first_use_s": first,
                "compiling_s": first - later,
                "at_most_compiling_s": 4,
                "later_s": later,
                "at_most_later_s": 1,
                "import_numba_s": median(bare),
            }
        )
    return rows


def scaling(seconds: float) -> list[dict[str, Any]]:
    """Time of a simulation by board size, five in a row (all in a row below 5 x 5)."""
    sides = [3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 19]
    made = []
    for side in sides:
        game = games.make(f"mnk({side},{side},{min(side, 5)})")
        agent = agents.make('uct(sims=2000, rollout="random", solve=False)')
        agent.think(game, new(game), Limit(simulations=1))
        made.append((game, agent))
    times: list[list[float]] = [[] for _ in sides]
    end = time.perf_counter() + max(seconds, 0.2) * 2
    while len(times[0]) < 5 or time.perf_counter() < end:
        for (game, agent), found in zip(made, times, strict=True):
            found.append(timed(agent.think, game, new(game)) / 2000 * 1e9)
    return [
        {"side": side, "squares": side * side, "ns_per_simulation": min(found), "ns_per_square": min(found) / side**2}
        for side, found in zip(sides, times, strict=True)
    ]


def draw(rows: list[dict[str, Any]], file: str) -> None:
    """Time of a simulation over the number of squares, with a line of the same growth as the squares."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    squares = np.array([row["squares"] for row in rows])
    times = np.array([row["ns_per_simulation"] for row in rows]) / 1000
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    axes.loglog(squares, times, "o-", color="#1f5fa8", label="measured")
    axes.loglog(squares, times[0] * squares / squares[0], "--", color="#888888", label="if it grew like the squares")
    names = ["" if row["side"] in (8, 17) else f"{row['side']}×{row['side']}" for row in rows]  # no room for all
    axes.set_xticks(squares, names, fontsize=8)
    axes.minorticks_off()
    axes.set_xlabel("board")
    axes.set_ylabel("µs a simulation")
    axes.set_title("UCT from the empty board: time of a simulation")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    save(figure, file)
    plt.close(figure)
