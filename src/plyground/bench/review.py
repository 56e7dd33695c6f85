"""Reviews: how long one takes, and whether it marks the moves that lose value and no others.

The truth of 4x4x4 comes from a table of all its positions, filled from the last stone to the first by array operations:
it shares no line with the solver.
"""

from __future__ import annotations

import time
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from .. import agents, games
from ..game_review import SECONDS, review
from ..rules import legal, new

SIDE = 4
CELLS = SIDE * SIDE
GAMES = 40  # by random players, and by such that win or block at once
MOVES = 60  # of the game of Gomoku
POWERS = 3 ** np.arange(CELLS, dtype=np.int64)


def reviews(seconds: float) -> list[dict[str, Any]]:
    """One long game under the usual time, and many that are solved."""
    taken, moves, mistakes = long_game()
    losing, marked, wrong, judged = solved_games()
    return [
        row(f"gomoku(15), {moves} moves, {mistakes} marked: seconds", taken, "at most 60"),
        row(f"mnk(4,4,4), {judged:,} moves: those that lose value", losing, ""),
        row("of these, marked", marked / max(losing, 1), "at least 0.95"),
        row("others that are marked", wrong, "0"),
    ]


def row(what: str, measured: float, wanted: str) -> dict[str, Any]:
    return {"what": what, "measured": measured, "wanted": wanted}


def long_game() -> tuple[float, int, int]:
    """Seconds of a review of a game with many moves, how many it had, and how many were marked."""
    game = games.make("gomoku(15)")
    state, rng, actions = new(game), np.random.default_rng(4), list[int]()
    by = agents.make("win-block", 4)
    while len(actions) < MOVES and not game.over(state):  # by turns without a plan, so that it lasts
        near = [action for action in legal(game, state) if touches(game, state, action)] or legal(game, state)
        forced = by.think(game, state)
        action = forced.action if game.still(state, forced.action) and len(actions) % 3 else int(rng.choice(near))
        actions.append(action)
        game.play(state, action)
    made = agents.make(agents.usual(game))
    made.ready(game)
    begun = time.perf_counter()
    found = review(game, new(game), actions, made)
    return time.perf_counter() - begun, len(actions), len(found.mistakes)


def touches(game: Any, state: Any, action: int) -> bool:
    """Does a cell lie beside a stone?"""
    row, col = divmod(action, game.m)
    around = ((row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
    return any(0 <= r < game.n and 0 <= c < game.m and state.cells[r * game.m + c] for r, c in around)


def solved_games() -> tuple[int, int, int, int]:
    """Of all moves of many games: how many lose value, how many of them are marked, how many others are, and all."""
    game, table = games.make("mnk(4,4,4)"), truth()
    by = agents.make(agents.usual(game))
    losing = marked = wrong = judged = 0
    for number in range(GAMES):
        actions = played(game, ("random", "win-block")[number % 2], number)
        found = review(game, new(game), actions, by, seconds=SECONDS)
        for move, lost in zip(found.moves, losses(table, actions), strict=True):
            judged += 1
            losing += lost
            marked += lost and move.bad
            wrong += move.bad and not lost
    return losing, marked, wrong, judged


def played(game: Any, agent: str, seed: int) -> list[int]:
    """A game that an agent plays against itself."""
    state, by, actions = new(game), agents.make(agent, seed), list[int]()
    while not game.over(state):
        actions.append(by.think(game, state).action)
        game.play(state, actions[-1])
    return actions


# --- the truth --------------------------------------------------------------------------------------------


def truth() -> np.ndarray:
    """The value of every position for the player to move, int8[3**16]: by the sum of 3**cell, twice that for the
    second player's stones.  Positions that cannot come up hold nothing of use."""
    values = np.zeros(3**CELLS, np.int8)
    lines = [[r * SIDE + c for c in range(SIDE)] for r in range(SIDE)]
    lines += [[r * SIDE + c for r in range(SIDE)] for c in range(SIDE)]
    lines += [[i * (SIDE + 1) for i in range(SIDE)], [(i + 1) * (SIDE - 1) for i in range(SIDE)]]
    for stones in range(CELLS, -1, -1):
        codes, owners = positions(stones)
        mover = stones % 2
        lost = np.zeros(len(codes), bool)
        for line in lines:
            lost |= (owners[:, line] == 2 - mover).all(1)  # the other has just completed a row
        best = np.full(len(codes), 0 if stones == CELLS else -1, np.int8)
        for cell in range(CELLS) if stones < CELLS else ():
            free = owners[:, cell] == 0
            best[free] = np.maximum(best[free], -values[codes[free] + (1 + mover) * POWERS[cell]])
        best[lost] = -1
        values[codes] = best
    return values


def positions(stones: int) -> tuple[np.ndarray, np.ndarray]:
    """All ways to lay so many stones by turns: their codes, and who owns each cell, 0 for nobody."""
    first, second = (stones + 1) // 2, stones // 2
    taken = np.array(list(combinations(range(CELLS), stones)), np.int64).reshape(comb(CELLS, stones), stones)
    ours = np.array(list(combinations(range(stones), first)), np.int64).reshape(comb(stones, first), first)
    left = [sorted(set(range(stones)) - set(one)) for one in ours.tolist()]
    theirs = np.array(left, np.int64).reshape(len(ours), second)
    codes = POWERS[taken[:, ours]].sum(2) + 2 * POWERS[taken[:, theirs]].sum(2)
    flat = codes.reshape(-1)
    return flat, (flat[:, None] // POWERS % 3).astype(np.int8)


def losses(table: np.ndarray, actions: list[int]) -> list[bool]:
    """Has each move of a game lost value?"""
    code, found = 0, []
    for number, action in enumerate(actions):
        then = code + (1 + number % 2) * int(POWERS[action])
        found.append(bool(table[code] > -table[then]))
        code = then
    return found
