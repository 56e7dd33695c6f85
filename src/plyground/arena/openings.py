"""Openings: moves after which the agents take over.  Drawn at random, drawn until a search calls them balanced, or
read from a file; a file has one opening a line, written as positions are everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import agents, atomic, games, heartbeat
from .. import position as positions
from ..agents.base import Agent, Forfeit
from ..boards import cell_name
from ..manifest import ask
from ..rules import CHANCE, after, drawn_outcome, gives, legal, new
from ..spec import InputError, parse
from .parallel import Jobs, at_most, in_parallel

LARGEST_FILE = 1 << 20  # bytes
OFFSETS = re.compile(r"-?\d{1,3}\s*,\s*-?\d{1,3}(\s*,\s*-?\d{1,3}\s*,\s*-?\d{1,3})*\s*")
JUDGE = "uct(sims=1000)"  # of openings, where no other is named and the game has no book
MOST_BALANCED = 500  # openings, unless every pair has a game of its own
MOST_TRIED = 5_000  # positions looked at on the way to a diagram


def draw(seed: int, pair: int) -> int:
    """The seed of the game that both games of a pair play."""
    return seed * 1_000_003 + pair


def drawn_anew(spec: str) -> bool:
    """Is every pair of games played on another draw of the game?"""
    return games.make(spec, seed=0) != games.make(spec, seed=1)


def draw_opening(game: Any, plies: int, rng: np.random.Generator) -> list[int]:
    """Random plies after which the game goes on; fewer where the game is too short for them."""
    for attempt in range(100):
        state, actions = new(game), list[int]()
        wanted = plies if attempt < 50 else int(rng.integers(plies + 1))
        while len(actions) < wanted and not game.over(state):
            nature = game.player(state) == CHANCE
            actions.append(drawn_outcome(game, state, rng) if nature else int(rng.choice(legal(game, state))))
            game.play(state, actions[-1])
        if not game.over(state):
            return actions
    return []


# --- written by people --------------------------------------------------------------------------------


def read_file(path: Path, game: Any) -> list[str]:
    """The openings of a file as lists of moves; empty lines and comments (`# ...`) do not count.

    InputError that names the line if one makes no sense.
    """
    try:
        lines = atomic.read(path, LARGEST_FILE).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text") from None
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not re.match(r"\s*#(\s|$)", line):
            try:
                found.append(" ".join(map(game.name, moves(game, line.strip()))))
            except InputError as error:
                raise InputError(f"{path}, line {number}: {error}") from None
    if not found:
        raise InputError(f"{path} has no opening: write one a line, a list of moves or a diagram")
    return found


def read_all(spec: str, openings: Sequence[str], seed: int) -> list[str]:
    """Openings that a program names, as lists of moves; InputError that numbers the first that makes no sense."""
    if drawn_anew(spec):
        raise InputError(f"{spec} is drawn anew for every pair of games: openings that are named need a fixed seed")
    game, found = games.make(spec, seed), []
    for number, text in enumerate(openings, 1):
        try:
            found.append(" ".join(map(game.name, moves(game, text))))
        except InputError as error:
            raise InputError(f"opening {number}: {error}") from None
    if not found:
        raise InputError("there is no opening in the list: leave it out, or name one")
    return found


def moves(game: Any, text: str) -> list[int]:
    """The actions of an opening; a player is to move after them.

    It is a list of moves, a diagram, or, as Gomocup writes them, offsets `x,y, x,y` from the middle of the board.
    """
    by_name = {game.name(action): action for action in range(game.actions())}
    if OFFSETS.fullmatch(text) and not by_name.keys() >= set(text.lower().split()):
        text = _from_offsets(game, text)
    state = positions.read(game, text)
    positions.must_move(game, state)
    words = text.lower().split()
    return [by_name[word] for word in words] if by_name.keys() >= set(words) else _moves_to(game, state)


def _from_offsets(game: Any, text: str) -> str:
    if not gives(game, "board"):
        raise InputError("offsets from the middle are for games with a board")
    rows, cols = game.board()["rows"], game.board()["cols"]
    numbers = [int(number) for number in text.split(",")]
    names = []
    for x, y in zip(numbers[::2], numbers[1::2], strict=True):
        col, row = cols // 2 + x, rows // 2 + y
        if not (0 <= col < cols and 0 <= row < rows):
            raise InputError(f"{x},{y} from the middle is off the board of {cols} x {rows}")
        names.append(cell_name(rows, cols, row * cols + col))
    return " ".join(names)


def _moves_to(game: Any, target: Any) -> list[int]:
    """Moves that lead from the start to a position, each onto cells that it has."""
    if not gives(game, "cells", "where"):
        raise InputError("a diagram tells no moves in this game: write the moves")
    wanted, to_move = list(game.cells(target)), game.player(target)
    paths: list[tuple[Any, list[int]]] = [(new(game), [])]
    for _ in range(MOST_TRIED):
        if not paths:
            break
        state, actions = paths.pop()
        if list(game.cells(state)) == wanted and game.player(state) == to_move:
            return actions
        if game.over(state) or game.player(state) == CHANCE:
            continue
        fits = {1 + int(game.player(state)), 3}  # a stone of its own, or a cell that is used up
        for action in reversed(legal(game, state)):
            if all(wanted[cell] in fits for cell in game.where(state, action)):
                paths.append((after(game, state, action), [*actions, action]))
    raise InputError("no moves were found that lead to this diagram: write the moves")


# --- balanced -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Balance:
    """When an opening counts as balanced: the judge's value is nearer to 0 than the bound.

    Without a judge, the openings of the game's book; those that a search calls balanced, where it has none.
    """

    judge: str = ""
    bound: float = 0.2
    attempts: int = 200  # for each opening


def draw_balanced(
    game: str,
    pairs: int,
    plies: int,
    seed: int,
    balance: Balance,
    jobs: Jobs = 1,
    watch: Callable[[int, int], None] = lambda done, all: None,
) -> list[str]:
    """Openings of random plies that the judge calls balanced, for so many pairs of games, which take them in turn.

    `watch` is told how many there are, and of how many.
    """
    if plies < 1:
        raise InputError("balanced openings have at least one move: --openings says how many")
    if not 0 < balance.bound <= 1:
        raise InputError(f"--bound is above 0 and at most 1, not {balance.bound:g}")
    if balance.judge and parse(balance.judge)[0] == "human":
        raise InputError("a human cannot judge openings; name a search like uct(sims=1000)")
    count = pairs if drawn_anew(game) else min(pairs, MOST_BALANCED)
    if known := () if balance.judge else from_book(game, plies, seed, balance.bound):
        return known[:count]
    work = partial(balanced_opening, game, plies, seed, replace(balance, judge=balance.judge or JUDGE))
    found = {0: work(0)}  # here, so that what has to be compiled is before other processes start
    watch(1, count)
    for number, opening in in_parallel(work, range(1, count), at_most(jobs, count - 1)):
        found[number] = opening
        watch(len(found), count)
    return [found[number] for number in range(count)]


def from_book(spec: str, plies: int, seed: int, bound: float) -> list[str]:
    """The openings of so many plies that the book of a game has, in random order; none if it has no book."""
    game = games.make(spec, seed=seed)
    known = ask(game, "openings", plies, bound, np.random.default_rng(seed)) or []
    return [" ".join(map(game.name, actions)) for actions in known]


@heartbeat.expected()
def balanced_opening(spec: str, plies: int, seed: int, balance: Balance, number: int) -> str:
    """The opening of the pair of this number, as a list of moves; InputError if none is found."""
    game = games.make(spec, seed=draw(seed, number))
    rng = np.random.default_rng([seed, number])
    judge = _judge(balance.judge)
    nearest = np.inf
    for _ in range(balance.attempts):
        state, actions = new(game), draw_opening(game, plies, rng)
        for action in actions:
            game.play(state, action)
        while not game.over(state) and game.player(state) == CHANCE:
            actions.append(drawn_outcome(game, state, rng))
            game.play(state, actions[-1])
        if not game.over(state):
            value = _value(judge, balance.judge, game, state, int(rng.integers(2**62)))
            heartbeat.beat()
            nearest = min(nearest, abs(value))
            if abs(value) < balance.bound:
                return " ".join(map(game.name, actions))
    near = f"the nearest of {balance.attempts} openings has the value {nearest:.2f}; "
    raise InputError(f"no balanced opening was found: {near}widen --bound, or change --openings")


def _value(judge: Agent, spec: str, game: Any, state: Any, seed: int) -> float:
    judge.begin(seed)
    try:
        value = judge.think(game, state).value
    except Forfeit as forfeit:
        raise InputError(f"the judge {spec} gave up: {forfeit}") from None
    if value is None:
        raise InputError(f"{spec} does not say what a position is worth: name a search as the judge, like uct")
    return value


@lru_cache(1)
def _judge(spec: str) -> Agent:
    return agents.make(spec)
