"""The odds of a position in floating point: the walk of `odds` as a kernel, for millions of positions.

The kernel walks the positions depth first over a stack of frames, in slices: it returns to Python now and then, so
that progress is seen and an interrupt is heard.  What is known of a position stands in a hash table under its key
(see `search.depth_first.hashing`).  Odds that any two of a billion positions share a key: below 10^-15.

Three arguments are each True or None, which takes their code away before it is compiled: `chance`, does the game have
chance events; `heavy`, does a seat play win-block; `mirrors`, are mirror images one position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..jit.first_use import first_use
from ..rules import CHANCE, LONGEST, dtype, gives, inner, kernel, record
from ..search.budget import Budget
from ..search.depth_first.hashing import images_type, key_of, mirrored, prepare, with_words
from ..spec import InputError

POLICIES = ("random", "win-block", "optimal", "most-wins", "never-lose")
RANDOM, WIN_BLOCK, OPTIMAL, MOST_WINS, NEVER_LOSE = range(5)
DONE, GOES_ON, FULL, DEEP, STUCK, ODD = range(6)  # how a slice ends
TINY = 1e-12  # results that differ by less are equal but for rounding
HALF = np.uint64(32)

WRONG = {
    DEEP: f"games of more than {LONGEST:,} moves, or positions that come again, have no odds",
    STUCK: "the rules offer no move in a game that is not over; `plyground check` tells more",
    ODD: "floating point counts wins, draws and losses alone; take fractions for other scores",
}

KEY: list = [("a", np.uint64), ("b", np.uint64)]
ODDS: list = [(name, np.float64) for name in ("win", "loss", "value")]  # player 0 wins, loses; its minimax value


def frame_type(game: Any) -> np.dtype:
    """A position on the way from the root, its moves, and what the first `next` of them lead to."""
    each = (game.actions(),)
    results = [(name, np.float64, each) for name in ("weights", "win", "loss", "value")]
    whole = [(name, np.int64) for name in ("player", "count", "next")]
    return with_words(game, [("state", dtype(game)), *KEY, *whole, *results, ("moves", np.int16, each)])


def task_type(game: Any) -> np.dtype:
    whole = [(name, np.int64) for name in ("depth", "positions")]
    seats = [("minimax", np.bool_), ("seats", np.int8, (2,)), ("wins", np.int16, (game.actions(),))]
    return record([*whole, *seats, *ODDS, ("images", images_type(game))])  # at the end the odds of the root


@kernel
def walk(game, stack, table, tasks, steps, chance, heavy, mirrors):
    """Take so many steps, each to one move of one position; return how the slice ended.

    stack frame_type[frames], by depth; table [entries], a power of two: what is known; tasks task_type[1]; steps:
    moves.  `chance`, `heavy` and `mirrors` are True or None: does the game have chance events, does a policy play
    win-block, are mirror images one position.
    """
    task = tasks[0]
    images = None if mirrors is None else task.images
    for _ in range(steps):
        depth = task.depth
        frame = stack[max(depth, 0)]
        win, loss, value = 0.0, 0.0, 0.0
        if depth >= 0 and frame.next == frame.count:
            win, loss, value = folded(frame, task)
            known = table[find(table, frame.a, frame.b)]
            known.a, known.b = frame.a, frame.b
            known.win, known.loss, known.value = win, loss, value
            task.positions += 1
            depth -= 1
            task.depth = depth
            if depth < 0:
                task.win, task.loss = win, loss
                return DONE
        else:
            child = stack[depth + 1]
            if depth >= 0:
                child.state = frame.state
                game.play(child.state, np.int64(frame.moves[frame.next]))
            if depth >= 0 and game.over(child.state):
                value = float(game.score(child.state))
                win, loss = 1.0 * (value == 1), 1.0 * (value == -1)
                if win + loss == 0 and value != 0:
                    return ODD
            else:
                a, b, _ = key_of(game, images, child.state, child.words, game.player(child.state))
                known = table[find(table, a, b)]
                if known.a != a or known.b != b:
                    if depth + 2 == stack.size:
                        return DEEP
                    if 4 * (task.positions + depth + 2) > 3 * table.size:
                        return FULL
                    child.a, child.b = a, b
                    list_moves(game, child, task, depth < 0, chance, heavy)
                    if child.count == 0:
                        return STUCK
                    task.depth = depth + 1
                    continue
                win, loss, value = known.win, known.loss, known.value
        frame = stack[depth]
        frame.win[frame.next], frame.loss[frame.next], frame.value[frame.next] = win, loss, value
        frame.next += 1
    return GOES_ON


@inner
def list_moves(game, frame, task, whole, chance, heavy):
    """The moves of a position with their weights; those that nobody plays are left out unless asked for."""
    state, moves, weights = frame.state, frame.moves, frame.weights
    player = game.player(state)
    frame.player, frame.next = player, 0
    if chance is not None:
        if player == CHANCE:
            frame.count = game.chance(state, moves, weights)
            return
    count = game.legal(state, moves)
    for i in range(count):
        weights[i] = 1.0
    if heavy is not None:
        if task.seats[player] == WIN_BLOCK:
            wins = 0
            for turn in range(2):
                if wins == 0:
                    wins = game.wins(state, player if turn == 0 else 1 - player, task.wins)
            hits, kept = 0, 0
            for i in range(count):
                weights[i] = 0.0
                for j in range(wins):
                    if task.wins[j] == moves[i]:
                        weights[i] = 1.0
                        hits += 1
            for i in range(count):
                weight = weights[i] if hits > 0 else 1.0
                if weight > 0 or whole or task.minimax:
                    moves[kept], weights[kept] = moves[i], weight
                    kept += 1
            count = kept
    frame.count = count


@inner
def folded(frame, task):
    """Win and loss of player 0 and the minimax value of a position, all of whose moves are known."""
    player, count = frame.player, frame.count
    sign = 1 - 2 * player
    policy = RANDOM if player == CHANCE else np.int64(task.seats[player])
    win, loss, value, share = 0.0, 0.0, 0.0, 0.0
    if task.minimax:
        if player == CHANCE:
            for i in range(count):
                value += frame.weights[i] * frame.value[i]
        else:
            value = frame.value[0]
            for i in range(1, count):
                if sign * frame.value[i] > sign * value:
                    value = frame.value[i]
    if policy >= MOST_WINS:
        first, second = -2.0, -2.0
        for i in range(count):
            win_i, loss_i = frame.win[i], frame.loss[i]
            good, bad = (win_i, loss_i) if player == 0 else (loss_i, win_i)
            one, other = (good, -bad) if policy == MOST_WINS else (-bad, good)
            if one > first + TINY or (one > first - TINY and other > second + TINY):
                first, second, win, loss = one, other, win_i, loss_i
        return win, loss, value
    for i in range(count):
        weight = frame.weights[i]
        if policy == OPTIMAL:
            weight = 1.0 * (abs(frame.value[i] - value) < TINY)
        share += weight
        win += weight * frame.win[i]
        loss += weight * frame.loss[i]
    return win / share, loss / share, value


@inner
def find(table, a, b):
    """Where the key stands in the table, or the empty place for it."""
    mask = table.size - 1
    slot = np.int64((a ^ (b >> HALF)) & np.uint64(mask))
    while True:
        known = table[slot]
        if (known.a == a and known.b == b) or (known.a == 0 and known.b == 0):
            return slot
        slot = (slot + 1) & mask


@kernel
def move_over(old, new):
    """Copy all that is known into a larger table.

    old, new: tables [entries] of positions and their odds.
    """
    for i in range(old.size):
        if old[i].a != 0 or old[i].b != 0:
            new[find(new, old[i].a, old[i].b)] = old[i]


class Walk:
    """The walk over all positions that can come after one, with a policy for either seat."""

    def __init__(self, game: Any, state: Any, seats: tuple[str, str], symmetry: bool = True) -> None:
        self.game = game
        mirrors = symmetry and mirrored(game)
        self.flags = [True if on else None for on in (gives(game, "chance"), "win-block" in seats, mirrors)]
        self.stack = np.zeros(64, frame_type(game))
        self.stack["state"][0] = state
        self.tasks = np.zeros(1, task_type(game))
        self.tasks["depth"] = -1
        self.tasks["seats"] = [POLICIES.index(seat) for seat in seats]
        self.tasks["minimax"] = "optimal" in seats
        prepare(game, self.tasks["images"][0])
        self.table = np.zeros(1 << 14, record(KEY + ODDS))
        with first_use():  # no step
            self._slice(0)
            move_over(self.table[:2], self.table[2:4])

    def run(self, limit: int, watch: Callable[[int], Any] | None = None) -> None:
        """Walk to the end; `watch` is told the positions done after each slice, and ends the walk by raising."""
        budget, steps, ended = Budget(), 0, GOES_ON
        while ended != DONE:
            asked = budget.slice(steps)
            ended = self._slice(asked)
            steps += asked
            if ended == FULL:
                larger = np.zeros(2 * self.table.size, self.table.dtype)
                move_over(self.table, larger)
                self.table = larger
            elif ended == DEEP and self.stack.size < LONGEST:
                deeper = np.zeros(2 * self.stack.size, self.stack.dtype)
                deeper[: self.stack.size] = self.stack
                self.stack = deeper
            elif ended not in (DONE, GOES_ON):
                raise InputError(WRONG[ended])
            if self.positions > limit:
                raise InputError(f"more than {limit:,} positions: begin from a later one, or allow more")
            if watch:
                watch(self.positions)

    @property
    def positions(self) -> int:
        """Positions done, the images of one another counted once."""
        return int(self.tasks["positions"][0])

    @property
    def total(self) -> dict[float, float]:
        """The odds of the root, by score."""
        return _by_score(float(self.tasks["win"][0]), float(self.tasks["loss"][0]))

    @property
    def moves(self) -> dict[int, dict[float, float]]:
        """The odds after each move of the root, by score."""
        root = self.stack[0]
        columns = (root[name][: root.count].tolist() for name in ("moves", "win", "loss"))
        return {action: _by_score(win, loss) for action, win, loss in sorted(zip(*columns, strict=True))}

    def _slice(self, steps: int) -> int:
        return walk(self.game, self.stack, self.table, self.tasks, steps, *self.flags)


def _by_score(win: float, loss: float) -> dict[float, float]:
    return {1.0: win, 0.0: max(0.0, 1 - win - loss), -1.0: loss}
