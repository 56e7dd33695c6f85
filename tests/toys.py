"""Toy games whose right answer is known, and a hand on the trees that kernels grow.

`load` makes a class of this file a game, as it does for any user's file: the class is then named by a
digest of its rules, so that no kernel compiled for older rules is ever taken from Numba's cache.
"""

from __future__ import annotations

from functools import cache
from inspect import getsource
from typing import Any, NamedTuple

import numpy as np

from plyground import agents, games, rules
from plyground.search.budget import Budget
from plyground.search.mcts.driver import Search
from plyground.search.tree import ROOT

CHANCE = -1
GOES_ON = 9.0
LARGEST_HEAP = 5
CALM = (0.0, 0.0, 0.5, 0.5, 0.0, 0.0)  # probabilities of 1 to 6 pips
WILD = (0.3, 0.1, 0.1, 0.1, 0.1, 0.3)
STEADY = (0.0, 0.25, 0.0, 0.75, 0.0, 0.0)
DICE = (CALM, WILD, STEADY)


class Table(NamedTuple):
    """A binary tree of at most four plies, written out.  It has neither `still` nor `wins`."""

    players: tuple = (0, 1, 0, 1, 0)  # who moves at each depth (CHANCE tosses a coin); the last stands for nobody
    ends: tuple = (GOES_ON,) * 16 + (0.0,) * 16  # score of every node, numbered like a heap from 1; or GOES_ON

    def fields(game):
        return [("at", np.int16), ("depth", np.int8)]

    def start(game, state):
        state.at = 1

    def actions(game):
        return 2

    def player(game, state):
        return game.players[state.depth]

    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return 2

    def chance(game, state, out, weights):
        for i in range(2):
            out[i] = i
            weights[i] = 0.5
        return 2

    def play(game, state, action):
        state.at = 2 * state.at + action
        state.depth += 1

    def over(game, state):
        return game.ends[state.at] != GOES_ON

    def score(game, state):
        return game.ends[state.at]


class Dice(NamedTuple):
    """Both players throw as often, each time a die of their choice: calm, wild or, while the sum of all pips is even,
    a steady one; more pips win.  It has neither `still` nor `wins`."""

    throws: int = 2  # of each player

    def fields(game):
        return [("pips", np.int8, (2,)), ("thrown", np.int8), ("die", np.int8), ("falling", np.int8)]

    def actions(game):
        return 6  # the number of pips less one; 0, 1 and 2 are also the choice of a die

    def player(game, state):
        return CHANCE if state.falling else state.thrown & 1

    def legal(game, state, out):
        if state.falling:
            return 0
        count = 2 + (state.pips[0] + state.pips[1] + 1) % 2
        for die in range(count):
            out[die] = die
        return count

    def chance(game, state, out, weights):
        count = 0
        for pips in range(6):
            likely = DICE[state.die][pips]
            if likely > 0:
                out[count] = pips
                weights[count] = likely
                count += 1
        return count

    def play(game, state, action):
        if state.falling:
            state.pips[state.thrown & 1] += action + 1
            state.thrown += 1
            state.falling = 0
            state.die = 0
        else:
            state.falling = 1
            state.die = action

    def over(game, state):
        return state.thrown == 2 * game.throws

    def score(game, state):
        return 1.0 * (state.pips[0] > state.pips[1]) - 1.0 * (state.pips[0] < state.pips[1])


class Nim(NamedTuple):
    """Misere Nim: take any number from one heap; who takes the last loses.  It has neither `still` nor `wins`."""

    a: int = 3
    b: int = 2
    c: int = 1

    def fields(game):
        return [("heaps", np.int8, (3,)), ("turn", np.int8)]

    def start(game, state):
        state.heaps[0] = game.a
        state.heaps[1] = game.b
        state.heaps[2] = game.c

    def actions(game):
        return 3 * LARGEST_HEAP

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        count = 0
        for heap in range(3):
            for less in range(state.heaps[heap]):
                out[count] = heap * LARGEST_HEAP + less
                count += 1
        return count

    def play(game, state, action):
        state.heaps[action // LARGEST_HEAP] -= action % LARGEST_HEAP + 1
        state.turn = 1 - state.turn

    def over(game, state):
        return state.heaps[0] + state.heaps[1] + state.heaps[2] == 0

    def score(game, state):
        return 1.0 - 2.0 * state.turn  # who is to move did not take the last


class Corridor(NamedTuple):
    """One legal action everywhere; who takes the last step wins."""

    length: int = 5

    def fields(game):
        return [("steps", np.int32)]

    def actions(game):
        return 1

    def player(game, state):
        return state.steps & 1

    def legal(game, state, out):
        out[0] = 0
        return 1

    def play(game, state, action):
        state.steps += 1

    def over(game, state):
        return state.steps == game.length

    def score(game, state):
        return 2.0 * (state.steps & 1) - 1.0


class Heap(NamedTuple):
    """Take one or two; who takes the last wins.  It has neither `still` nor `wins`."""

    size: int = 5

    def fields(game):
        return [("left", np.int16), ("turn", np.int8)]

    def actions(game):
        return 2

    def start(game, state):
        state.left = game.size

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return 2 if state.left > 1 else 1

    def play(game, state, action):
        state.left -= action + 1
        state.turn = 1 - state.turn

    def over(game, state):
        return state.left <= 0

    def score(game, state):
        return 1.0 if state.turn == 1 else -1.0


def heap_file(size: int = 5) -> str:
    """The text of a user's file with the game Heap."""
    rules = getsource(Heap).replace("size: int = 5", f"size: int = {size}")
    return f"from typing import NamedTuple\n\nimport numpy as np\n\n\n{rules}"


def heap(**changes: Any) -> Any:
    """The heap of five with some rules added, changed, or taken away by None."""

    class Changed(NamedTuple):
        size: int = 5

    body = {name: rule for name, rule in vars(Heap).items() if name in rules.RULES}
    for name, rule in {**body, **changes}.items():
        if rule is not None:
            setattr(Changed, name, rule)
    return rules.adopt(Changed)()


# --- the games by their names -------------------------------------------------------------------------


@cache
def load(name: str) -> Any:
    """The class of this file, ready for use."""
    return games.maker(f"{__file__}:{name}")


def table(players: str, ends: dict[str, float]) -> Any:
    """A Table: `players` like "01c1", c for chance; ends by the actions that lead there.  Other games are drawn."""
    movers = [CHANCE if player == "c" else int(player) for player in players]
    scores = list(Table().ends)
    for path, score in ends.items():
        scores[int("1" + path, 2)] = float(score)
    return load("Table")((*movers, 0), tuple(scores))


# The second player wins in two: 0 answers 0 and 1 answers 1, and then whatever comes there is a winning action.
LOST_IN_TWO = {a + a + b + b: -1.0 for a in "01" for b in "01"} | {a + b: 1.0 for a, b in ("01", "10")}
# Player 0 moves twice: only 0 and then 1 wins, whereas player 1, if it had the second move, would play 0.
TWICE = {"00": -1.0, "01": 1.0, "10": -1.0, "11": -1.0}
# Two rows of three cells.
LINES = f'line-taking(region="{"ooo........./" * 2}{"/".join(["." * 12] * 10)}")'


def make(name: str) -> Any:
    """A game: "dice", "nim", "corridor", "lost in two", "twice", or whatever the registry has."""
    made = {"lost in two": lambda: table("0101", LOST_IN_TWO), "twice": lambda: table("0011", TWICE)}
    made |= {name.lower(): load(name) for name in ("Dice", "Nim", "Corridor")}
    return made[name]() if name in made else games.make(name)


def mover_wins_nim(heaps: tuple[int, ...]) -> bool:
    """The theory of misere Nim (Bouton, 1901): like normal Nim, until only heaps of one are left."""
    if max(heaps) <= 1:
        return sum(heaps) % 2 == 0
    return bool(np.bitwise_xor.reduce(heaps))


def exact(game: Any, state: Any, known: dict | None = None) -> float:
    """The value for player 0 if both play their best: expectimax, by the definition."""
    known = {} if known is None else known
    key = state.tobytes()
    if key not in known:
        if game.over(state):
            known[key] = float(game.score(state))
        elif game.player(state) == CHANCE:
            outcomes = rules.outcomes(game, state)
            known[key] = sum(p * exact(game, rules.after(game, state, a), known) for a, p in outcomes)
        else:
            best = max if game.player(state) == 0 else min
            actions = rules.legal(game, state)
            known[key] = best(exact(game, rules.after(game, state, a), known) for a in actions)
    return known[key]


# --- the trees of the kernels -------------------------------------------------------------------------


def search(game: Any, state: Any, spec: str, seed: int = 1, nodes: int = 50_000) -> Search:
    """A search of this state by the kernel and with the options of a spec; win-block only if the spec says so."""
    agent: Any = agents.make(spec)
    found = Search(game, agent.kernel_options(), seed, agent.rollout == "win-block", agent.shared, nodes)
    found.begin(state)
    return found


def held(nodes: np.ndarray, at: int = ROOT, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple]:
    """Visits, proof, value (unless proven), n~ and Q~ of every node, by the actions that lead there."""
    node = nodes[at]
    shared = (int(node.rave_visits), float(node.rave_value)) if "rave_visits" in nodes.dtype.names else (0, 0.0)
    found = {path: (int(node.visits), int(node.proof), None if node.proof else float(node.value), *shared)}
    for child in range(node.first, node.first + node.width):
        found |= held(nodes, child, (*path, int(nodes[child].action)))
    return found


def best(search: Search) -> int:
    """The action that wins for certain, else the most visited one."""
    return max(search.children, key=lambda child: (child.proof, child.visits)).action


def recorded(search: Search) -> list[tuple[int, int]]:
    """One more simulation of RAVE, which writes down who played what in it."""
    search.run(Budget(1))
    kind = search.workspaces.dtype
    (field,) = [name for name in kind.names if kind[name].shape == (rules.LONGEST, 2)]
    return [
        (player, action)
        for player, action in search.workspaces[field][0, : search.workspaces["now"]["plies"][0]].tolist()
    ]
