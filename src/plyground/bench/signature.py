"""A signature of every search: how many nodes it looks at from fixed positions, with fixed seeds, as Stockfish has one.

A change that is meant to leave the searches as they are leaves the signature as it is, interpreted and compiled.
`signature.txt` keeps it; after a change that is meant, `pytest tests/test_signature.py --write-signature`
writes it anew.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents, games, position
from ..exact.odds import distribution
from ..exact.sampled import sample, unfold
from ..learn.selfplay.kernel import SIMULATIONS as SIMULATED
from ..learn.selfplay.workers import Group
from ..manifest import ask
from ..nets.afterstates import AfterstateEncoder
from ..rules import CHANCE, outcomes
from ..search.budget import Budget
from ..search.mcts import batched_single_player, mlp
from ..search.mcts.batched import NetSearch
from ..search.mcts.driver import Search
from ..search.mcts.settings import Settings
from ..search.tree import ROOT

RECORD = Path(__file__).with_name("signature.txt")
WELL = "tetris(6,8)"
# kernel: games, positions, agents
CASES: dict[str, list[tuple[str, str, str]]] = {
    "uct": [
        ("tictactoe", "", "uct(sims=200)"),
        ("tictactoe", "b2 a1", 'uct(sims=150, rollout="random", expand="all", solve=False)'),
        ("connect-four", "d d", "uct(sims=60)"),
    ],
    "uct, chance": [('against-random("tictactoe",0)', "", "uct(sims=100)")],
    "uct, one player": [(WELL, "", "uct(sims=15, horizon=4)")],
    "rave": [("tictactoe", "", "rave(sims=150)"), ("tictactoe", "b2", 'rave(sims=100, schedule="mse")')],
    "minimax": [("tictactoe", "b2 a1", "minimax(depth=4)")],
    "alpha-beta": [
        ("tictactoe", "", "alphabeta(depth=9)"),
        ("tictactoe", "a1", "alphabeta(depth=5, threats=False, order=False, mirrors=False, memory=0)"),
        ("connect-four(4,4,3)", "a", "alphabeta(depth=6)"),
    ],
    "look-ahead": [(WELL, "", "bcts(depth=2)")],
    "threats": [("gomoku(9)", "e5 d4 f5 c3", "threats(depth=2, limit=100)")],
    "patterns": [("gomoku(9)", "e5 d5 f5 c5", "gomoku-classic(depth=2, seconds=1000.0)")],
    "connect-four scores": [
        ("connect-four(4,4)", "a b c d a b", "connect-four-master(seconds=1000.0, memory=1)"),
        ("connect-four(5,3)", "a b c", "connect-four-master(seconds=1000.0, memory=1)"),
    ],
    "line-taking table": [("line-taking(cells=12, seed=1)", "", "line-taking-master(seconds=1000.0, memory=64)")],
}
SIMULATIONS = 120  # of searches by a net
MASK = 2**32 - 1


def counted(numbers: Iterator[int] | list[int]) -> int:
    """A check sum of whole numbers, in their order."""
    return zlib.crc32(" ".join(map(str, numbers)).encode())


def by_agent(spec: str, where: str, agent: str) -> tuple[int, int]:
    """Nodes or simulations of a search, and the check sum of what was visited below its root and played then."""
    game = games.make(spec, seed=1)
    player: Any = agents.make(agent, 1)
    state = position.read(game, where)
    while game.player(state) == CHANCE:
        game.play(state, outcomes(game, state)[0][0])
    player.ready(game)
    player.begin(1)
    thought = player.think(game, state)
    moves = [
        number
        for move in sorted(thought.moves)
        for number in (move.action, move.visits, round(move.value) if move.proven else 0)
    ]
    player.close()
    return thought.simulations, counted([thought.action, thought.simulations, *moves])


def of_tree(nodes: np.ndarray) -> tuple[int, int]:
    """Visits of the root, and the check sum of all visits in a tree."""

    def walk(at: int) -> Iterator[int]:
        node = nodes[at]
        yield int(node["visits"])
        for child in range(node["first"], node["first"] + node["width"]):
            yield int(nodes[child]["action"])
            yield from walk(child)

    return int(nodes[ROOT]["visits"]), counted(walk(ROOT))


def opinion(inputs: np.ndarray, answers: int) -> np.ndarray:
    """A net whose opinion on a position is a fixed but meaningless function of its planes: multiples of 1/64."""
    drawn = np.zeros((len(inputs), answers), np.float32)
    for row, planes in enumerate(inputs):
        number = zlib.crc32(np.ascontiguousarray(planes, np.float32).tobytes())
        for i in range(answers):
            number = (number * 1664525 + 1013904223) & MASK
            drawn[row, i] = ((number >> 16) % 128 - 64) / 64
    return drawn


def by_net(spec: str, where: str, simulations: int, proves: bool) -> tuple[int, int]:
    """A search by a net with policy and value; the family's prover may settle leaves."""
    game = games.make(spec)
    settings = Settings(prover=ask(game, "prover", 0) if proves else None)
    made = NetSearch(game, lambda planes: opinion(planes, game.actions() + 1), settings, 1, 5000, seed=1)
    made.begin(position.read(game, where))
    made.run(Budget(simulations))
    return of_tree(made.nodes)


def puct() -> tuple[int, int]:
    """A search by a net."""
    return by_net("tictactoe", "", SIMULATIONS, proves=False)


def proving() -> tuple[int, int]:
    """The same with a prover."""
    return by_net("gomoku(7)", "d4 c3 e4 a1", 25, proves=True)


def alone() -> tuple[int, int]:
    """A search by a net in a game of one player."""
    game: Any = games.make(WELL, seed=1)
    state = position.read(game, "")
    while game.player(state) == CHANCE:
        game.play(state, outcomes(game, state)[0][0])
    encoder = AfterstateEncoder(game)
    settings = batched_single_player.Settings(c=1.0, soften=1.0, gamma=0.99, alive=0.0, point=1.0, rollout=0.0)
    made = batched_single_player.BatchedSinglePlayerPUCT(game, encoder.features, settings, 1, 40, seed=1)
    found = made.search(state.reshape(1), lambda inputs: opinion(inputs, 2))
    visits = [number for pair in zip(found.actions, found.visits, strict=True) for number in pair]
    return 1 + int(found.visits.sum()), counted(list(map(int, visits)))


def self_play() -> tuple[int, int]:
    """Games of a net against itself, from which it would learn."""
    game = games.make("tictactoe")
    setting = {
        **{"sims": 12, "quick_sims": 4, "full_share": 0.5, "considered": 4, "improve": True, "opening": 2},
        **{"temperature_moves": 4, "temperature": 1.0, "noise": 0.25, "concentration": 10.0, "balance": 1.0},
        **{"discount": 1.0, "resign": -2.0, "check": 0.0, "trace_decay": 1.0},
    }
    made = Group(game, Settings(considered=4), setting, slots=2, seed=1)
    samples, tally, _ = made.play(lambda planes: opinion(planes, game.actions() + 1), 40)
    told = [*tally, *samples["action"], *samples["weight"].astype(int), *np.sign(samples["score"]).astype(int)]
    return int(tally[SIMULATED]), counted(list(map(int, told)))


def sampled() -> tuple[int, int]:
    """Minimax on small trees that are joined from drawn trajectories."""
    game = games.make("tictactoe")
    tree = unfold(game, position.read(game, "a1 b2 c3 a2"))
    found = sample(tree, 30, 40, seed=1)
    return len(tree.parents), counted([round(value * 40) for value in (*found.values[-1], *found.wins[-1])])


def guided() -> tuple[int, int]:
    """UCT that is guided by a small net."""
    game: Any = games.make("tictactoe")
    sizes = (math.prod(game.planes()) // 2, 16, 16, game.actions())
    layers = []
    for number, (a, b) in enumerate(pairwise(sizes)):
        drawn = opinion(np.full((b, 1), number, np.float32) + np.arange(b, dtype=np.float32)[:, None], a + 1)
        layers.append((drawn[:, :a].copy(), drawn[:, a].copy()))
    options: Any = agents.make("uct(expand='all')")
    made = Search(game, options.kernel_options(), 1, True, False, 20_000, mlp.ready(game, layers, True))
    made.begin(position.read(game, ""))
    made.run(Budget(SIMULATIONS))
    return of_tree(made.nodes)


def odds() -> tuple[int, int]:
    """The walk over all positions that finds exact odds."""
    game = games.make("mnk(3,3,2)")
    found = distribution(game, position.read(game, ""), "optimal", "random")
    return found.positions, counted([found.positions])


OTHERS: dict[str, Callable[[], tuple[int, int]]] = {
    "puct": puct,
    "puct, prover": proving,
    "puct, one player": alone,
    "self-play": self_play,
    "guided": guided,
    "odds": odds,
    "sampled": sampled,
}


def measured() -> dict[str, tuple[int, int, float]]:
    """Of every kernel: nodes, check sum, seconds."""
    found = {}
    for name in (*CASES, *OTHERS):
        begun = time.perf_counter()
        parts = [by_agent(*case) for case in CASES[name]] if name in CASES else [OTHERS[name]()]
        sums = [part for _, part in parts]
        nodes = sum(count for count, _ in parts)
        found[name] = nodes, sums[0] if len(sums) == 1 else counted(sums), time.perf_counter() - begun
    return found


def text(found: dict[str, tuple[int, int, float]]) -> str:
    """The signature as it is kept: a line a kernel, and one for all."""
    lines = [f"{name:<20}{nodes:>10}  {check:08x}" for name, (nodes, check, _) in found.items()]
    everything = counted([check for _, check, _ in found.values()])
    return (
        "\n".join([*lines, f"{'all':<20}{sum(nodes for nodes, _, _ in found.values()):>10}  {everything:08x}"]) + "\n"
    )


def signature(seconds: float) -> list[dict[str, Any]]:
    """Every search, and whether it is as it was recorded."""
    known = recorded().splitlines()
    rows = []
    for line in text(measured()).splitlines():
        name, nodes, check = line.rsplit(maxsplit=2)
        rows.append({"search": name, "nodes": int(nodes), "signature": check, "as_recorded": yes_or_no(line in known)})
    return rows


def yes_or_no(answer: bool) -> str:
    return "yes" if answer else "no"


def recorded() -> str:
    """The signature that is kept."""
    return RECORD.read_text(encoding="utf-8") if RECORD.is_file() else ""
