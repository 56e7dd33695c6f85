"""How well something plays: matches against fixed opponents, and how often it errs where the truth is known.

What is measured is a function from states to actions (`Choices`), so a net alone, a net with its search and any agent
are measured alike; `one_by_one` makes one of a function that chooses for a single state.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import agents, games
from ..arena.statistics import Tally
from ..exact.solve import solver
from ..manifest import family_of
from ..nets.evaluate import together
from ..rules import dtype, gives, kernel, legal, new
from ..search.budget import Budget
from .batch import LEAVE, Ask, Batch
from .one_player import World
from .opponents import thoughts
from .starts import is_drawn_anew, starts_of

Choices = Callable[[np.ndarray], np.ndarray]  # states to actions

FEW = 20_000  # positions that a game has at most if all of them are looked at
SAMPLE, SEED = 300, 2_026  # positions of a larger game, and where they are drawn from
PATIENCE = 0.5  # seconds to solve one of them
BUDGET = 20.0  # seconds to find them all
LEAST = 20  # positions without which nothing is said


def one_by_one(choose: Callable[[Any], int]) -> Choices:
    """Choices by a function of a single state."""
    return lambda states: np.array([choose(state) for state in states], np.int64)


def matches(
    game: Any, choices: Choices, opponent: str | Ask, games: int, seed: int = 0, openings: np.ndarray | None = None
) -> tuple[Tally, Tally]:
    """The results of so many games in either seat, moving first and moving second, against an agent or a function.

    openings: states that the games begin with, as many; against a function alone.
    """
    first, second = (_match(game, choices, opponent, games, seat, seed + seat, openings) for seat in (0, 1))
    return first, second


def _match(
    game: Any, choices: Choices, opponent: str | Ask, games: int, seat: int, seed: int, openings: np.ndarray | None
) -> Tally:
    """All games at once, each in an environment of its own."""
    inside = opponent == "random" or (opponent == "win-block" and gives(game, "wins"))
    ask = opponent if callable(opponent) else None
    if ask is None and not inside:
        rng, agent = np.random.default_rng([seed, 7]), agents.make(str(opponent), seed)

        def ask(states: np.ndarray, numbers: np.ndarray) -> np.ndarray:
            return thoughts(agent, game, states, rng)

    batch = Batch(game, games, seed, opponents=[str(opponent) if inside else "asked"], ask=ask, seats=seat)
    if openings is not None:
        batch.begin_from(openings)
    scores = np.zeros(games)
    plays = np.ones(games, np.bool_)
    while True:
        ended = plays & batch.ended
        scores[ended] = (1 - 2 * seat) * batch.envs["score"][ended]
        plays &= ~ended
        if not plays.any():
            break
        here = np.flatnonzero(plays)
        actions = np.full(games, LEAVE)
        actions[here] = choices(batch.envs["state"][here])
        batch.step(actions)
    return Tally(int((scores > 0).sum()), int((scores == 0).sum()), int((scores < 0).sum()))


def points(name: str, game: Any, choices: Choices, games: int, moves: int, seed: int) -> dict[str, float]:
    """The mean score of so many games of one player, each of at most so many moves, and half of its 95 % interval."""
    world = World(game, games, -1 - seed)
    found, plays = np.zeros(games), np.ones(games, np.bool_)
    for _ in range(moves):
        here = np.flatnonzero(plays)
        actions = np.full(games, -1)
        actions[here] = choices(world.envs["state"][here])
        ended = world.step(actions) & plays
        found[ended] = [game.score(state) for state in world.envs["last"][ended]]
        plays &= ~ended
        if not plays.any():
            break
    found[plays] = [game.score(state) for state in world.envs["state"][plays]]
    return {name: float(found.mean()), f"{name}_interval": float(1.96 * found.std(ddof=1) / games**0.5)}


def figures(one: str, tallies: tuple[Tally, Tally]) -> dict[str, float]:
    """The results against an opponent, by name: shares of wins and losses in either seat."""
    found: dict[str, float] = {}
    for seat, tally in zip(("first", "second"), tallies, strict=True):
        for what, number in {"wins": tally.wins, "losses": tally.losses}.items():
            found |= share(f"{one}_{seat}_{what}", number, tally.games)
    return found


def share(name: str, number: int, of: int) -> dict[str, float]:
    """A share of a sample, and half of its 95 % interval (Wilson's)."""
    low, high = Tally(number, 0, of - number).interval()
    return {name: number / of, f"{name}_interval": (high - low) / 2}


# --- mistakes -----------------------------------------------------------------------------------------


class Positions(NamedTuple):
    """Positions whose truth is known."""

    states: np.ndarray  # [n]
    best: np.ndarray  # bool[n, actions]: actions that keep the value of the position
    complete: bool  # all positions of the game, or a sample

    def mistakes(self, choices: Choices) -> float:
        """The share of positions in which the action chosen loses value."""
        return self._number(choices) / len(self.states)

    def figures(self, name: str, choices: Choices) -> dict[str, float]:
        """The same as a figure of that name, of a sample with half of its interval."""
        number, of = self._number(choices), len(self.states)
        return {name: number / of} if self.complete else share(name, number, of)

    def _number(self, choices: Choices) -> int:
        chosen = choices(self.states)
        return int((~self.best[np.arange(len(chosen)), chosen]).sum())


def positions(
    game: Any, name: str = "", count: int = SAMPLE, seed: int = SEED, seconds: float = BUDGET
) -> Positions | None:
    """All positions of a small game in which somebody moves, or a sample of those of a larger one that can be solved.

    name: its spec, where that may leave open which game is drawn; then they are those of many.  None for games with
    chance events, and where hardly any position can be solved.
    """
    kind: Any = type(game)  # games of two classes may be equal as tuples
    return None if gives(game, "chance") else _solved(kind, game, name, count, seed, seconds)


@lru_cache(8)
def _solved(kind: Any, game: Any, name: str, count: int, seed: int, seconds: float) -> Positions | None:
    if name and is_drawn_anew(name, game):
        return sampled(game, count, seed, seconds, starts_of(name, game, seed, count))
    return all_positions(game) or shipped(game) or sampled(game, count, seed, seconds)


def shipped(game: Any) -> Positions | None:
    """Positions that took long to solve and came with the game's family."""
    family = family_of(game)
    for path in sorted((family.folder / family.positions).glob("*.json")) if family.positions else []:
        told = json.loads(path.read_text())
        made = games.make(told["game"])
        if type(made) is type(game) and made == game:
            best = np.zeros((len(told["positions"]), game.actions()), np.bool_)
            for row, (_, actions) in zip(best, told["positions"], strict=True):
                row[actions] = True
            return Positions(together([game.read(diagram) for diagram, _ in told["positions"]]), best, False)
    return None


def all_positions(game: Any, most: int = FEW) -> Positions | None:
    """All positions, ply by ply, with their values from the end backwards; None if there are more than `most`."""
    plies = [together([new(game)])]
    links = []  # of every ply: for each position and action the number of the position that follows, or -1
    total = 1
    moves = np.zeros(game.actions(), np.int16)
    while len(plies[-1]) and total <= most:
        states = plies[-1]
        children = np.zeros(len(states) * game.actions(), dtype(game))
        link = np.full((len(states), game.actions()), -1)
        found = children[: expand(game, states, children, link, moves)]
        raw = found.view(np.void if not len(found) else f"V{found.dtype.itemsize}")
        _, firsts, inverse = np.unique(raw, return_index=True, return_inverse=True)
        links.append(np.where(link >= 0, inverse.ravel()[link] if len(found) else link, -1))
        plies.append(found[firsts])
        total += len(firsts)
    if total > most:
        return None
    somebody_moves, best = [], []
    values = np.zeros(0)
    for ply, link in zip(reversed(plies[:-1]), reversed(links), strict=True):
        ended, signs, scores = np.zeros(len(ply), np.bool_), np.zeros(len(ply)), np.zeros(len(ply))
        look(game, ply, ended, signs, scores)
        worth = np.where(link >= 0, signs[:, None] * (values[link] if len(values) else 0), -np.inf)
        top = worth.max(axis=1, initial=-np.inf)
        values = np.where(ended, scores, signs * np.where(ended, 0, top))
        somebody_moves.append(ply[~ended])
        best.append((worth == top[:, None])[~ended])
    whole = np.concatenate(somebody_moves[::-1]).view(dtype(game))  # records again
    return Positions(whole, np.concatenate(best[::-1]), True)


@kernel
def expand(game, states, children, link, moves):
    """Write what follows on each state into `children`, and where it stands into link[state, action]; how many.

    states [n]; children [enough]; link int64[n, actions]; moves int16[actions]: to work in.
    """
    count = 0
    for i in range(states.size):
        if game.over(states[i]):
            continue
        for j in range(game.legal(states[i], moves)):
            children[count] = states[i]
            game.play(children[count], np.int64(moves[j]))
            link[i, moves[j]] = count
            count += 1
    return count


@kernel
def look(game, states, ended, signs, scores):
    """Which states are over, their scores, and 1 or -1 by who moves in the others.

    states [n]; ended bool[n]; signs, scores float64[n].
    """
    for i in range(states.size):
        ended[i] = game.over(states[i])
        if ended[i]:
            scores[i] = game.score(states[i])
        else:
            signs[i] = 1 - 2 * game.player(states[i])


def sampled(
    game: Any, count: int, seed: int, seconds: float = BUDGET, starts: np.ndarray | None = None
) -> Positions | None:
    """Positions from random games, each after a random number of moves, that the solver solves before long.

    starts: positions that these games begin with, one after the other.  None where it solves hardly any within so many
    seconds.
    """
    rng = np.random.default_rng(seed)
    states: list[Any] = []
    best: list[np.ndarray] = []
    tried = 0
    solver(game, new(game), memory=16).solve(new(game), Budget(seconds=0), distances=False)  # compiling is not solving
    begun = time.perf_counter()
    while len(states) < count and time.perf_counter() - begun < seconds and tried < 10 * (len(states) + 1):
        state = drawn(game, rng, None if starts is None else starts[tried % len(starts)])
        found = solver(game, state, memory=16).solve(state, Budget(seconds=PATIENCE), distances=False)
        tried += 1
        if not found.complete:
            continue
        keeps = np.zeros(game.actions(), np.bool_)
        keeps[[answer.action for answer in found.answers if answer.value == found.value]] = True
        states.append(state)
        best.append(keeps)
    return Positions(together(states), np.array(best), False) if len(states) >= LEAST else None


def drawn(game: Any, rng: np.random.Generator, start: Any = None) -> Any:
    """A position on the way of a random game, from the start of the game or from another state."""
    state, passed = new(game) if start is None else start.copy(), []
    while not game.over(state):
        passed.append(state.copy())
        game.play(state, int(rng.choice(legal(game, state))))
    return passed[int(rng.integers(len(passed)))]
