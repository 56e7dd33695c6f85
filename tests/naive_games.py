"""Slow, obvious twins of the games, written from the rules as people know them.

Boards are sets of (row, column), rows counted from the top; nothing is kept that could be counted anew.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from plyground import rules

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))  # along a row, a column and the two diagonals


def runs(stones: set, cell: tuple[int, int]) -> list[int]:
    """With a stone on the cell: how many stand side by side through it, in each of the four lines."""
    lengths = []
    for down, right in LINES:
        length = 1
        for way in (1, -1):
            row, col = cell[0] + way * down, cell[1] + way * right
            while (row, col) in stones:
                length += 1
                row, col = row + way * down, col + way * right
        lengths.append(length)
    return lengths


class NaiveMNK:
    """Put a stone on an empty cell; k in a row (exactly k, if so agreed) win."""

    def __init__(self, m: int, n: int, k: int, exact: bool = False) -> None:
        self.cols, self.rows, self.k, self.exact = m, n, k, exact
        self.stones: tuple[set, set] = (set(), set())
        self.winner: int | None = None

    def after(self, action: int) -> NaiveMNK:
        twin = type(self)(self.cols, self.rows, self.k, self.exact)
        twin.stones = (set(self.stones[0]), set(self.stones[1]))
        twin.play(action)
        return twin

    def children(self) -> list[NaiveMNK]:
        return [] if self.over() else [self.after(action) for action in self.legal()]

    def is_empty(self, cell: tuple[int, int]) -> bool:
        return cell not in self.stones[0] and cell not in self.stones[1]

    def cell_of(self, action: int) -> tuple[int, int]:
        return divmod(action, self.cols)

    def legal(self) -> list[int]:
        return [action for action in range(self.cols * self.rows) if self.is_empty(self.cell_of(action))]

    def player(self) -> int:
        return 0 if len(self.stones[0]) == len(self.stones[1]) else 1

    def wins(self, player: int) -> list[int]:
        return [action for action in self.legal() if self.makes_a_row(player, self.cell_of(action))]

    def makes_a_row(self, player: int, cell: tuple[int, int]) -> bool:
        lengths = runs(self.stones[player], cell)
        return self.k in lengths if self.exact else max(lengths) >= self.k

    def play(self, action: int) -> None:
        player, cell = self.player(), self.cell_of(action)
        if self.makes_a_row(player, cell):
            self.winner = player
        self.stones[player].add(cell)

    def over(self) -> bool:
        return self.winner is not None or len(self.stones[0]) + len(self.stones[1]) == self.cols * self.rows

    def score(self) -> int:
        return {0: 1, 1: -1, None: 0}[self.winner]

    def diagram(self) -> str:
        def sign(cell: tuple[int, int]) -> str:
            return "X" if cell in self.stones[0] else "O" if cell in self.stones[1] else "."

        board = "/".join("".join(sign((row, col)) for col in range(self.cols)) for row in range(self.rows))
        return f"{board} {'XO'[self.player()]}"

    def planes(self) -> np.ndarray:
        """The stones of the player to move, then those of the other."""
        planes = np.zeros((2, self.rows, self.cols))
        for plane, player in enumerate((self.player(), 1 - self.player())):
            for cell in self.stones[player]:
                planes[plane][cell] = 1
        return planes


class NaiveConnectFour(NaiveMNK):
    """The same, but an action is a column, and the stone falls."""

    def cell_of(self, action: int) -> tuple[int, int]:
        return max((row, action) for row in range(self.rows) if self.is_empty((row, action)))

    def legal(self) -> list[int]:
        return [col for col in range(self.cols) if self.is_empty((0, col))]


def by_name(game: Any, name: str) -> int:
    """The action of this name."""
    return [game.name(action) for action in range(game.actions())].index(name)


def played(game: Any, names: str) -> Any:
    """The state after moves given by their names."""
    state = rules.new(game)
    for name in names.split():
        assert not game.over(state)
        assert by_name(game, name) in rules.legal(game, state)
        game.play(state, by_name(game, name))
    return state


def wins(game: Any, state: Any, player: int) -> set[str]:
    """The names of the actions with which the player would win at once."""
    out = np.zeros(game.actions(), np.int32)
    return {game.name(action) for action in out[: game.wins(state, player, out)].tolist()}


def encoded(game: Any, state: Any) -> np.ndarray:
    planes = np.zeros(game.planes())
    game.encode(state, planes)
    return planes


def mapped(planes: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The planes with cell i moved to cells[i]."""
    image = np.zeros_like(planes)
    for plane, target in zip(planes, image, strict=True):
        for cell, value in enumerate(plane.ravel()):
            target.ravel()[cells[cell]] = value
    return image


def check_symmetries(game: Any, count: int, rng: random.Random) -> None:
    """There are `count` different ones, identity first; a random game and its image stay images of each other."""
    maps = [(actions.tolist(), cells.tolist()) for actions, cells in game.symmetries()]
    everywhere = list(range(game.actions())), list(range(game.planes()[1] * game.planes()[2]))
    assert maps[0] == everywhere
    assert len(maps) == count and all(one not in maps[:i] for i, one in enumerate(maps))
    assert all((sorted(actions), sorted(cells)) == everywhere for actions, cells in maps)
    for actions, cells in maps:
        state, image = rules.new(game), rules.new(game)
        while not game.over(state):
            legal = rules.legal(game, state)
            assert sorted(actions[action] for action in legal) == rules.legal(game, image)
            action = rng.choice(legal)
            game.play(state, action)
            game.play(image, actions[action])
            assert np.array_equal(mapped(encoded(game, state), cells), encoded(game, image))
            assert game.over(image) == game.over(state)
        assert game.score(image) == game.score(state)


def same(state: Any, other: Any) -> bool:
    """Are two states equal in every field?"""
    return all(np.array_equal(state[name], other[name]) for name in state.dtype.names)


def play_in_step(game: Any, twin: NaiveMNK, rng: random.Random, prefer: Callable | None = None) -> int:
    """Play a random game by the rules and by the twin; they agree on everything after every move.

    Moves that `prefer` says are played where there are any.  Returns the score.
    """
    state = rules.new(game)
    lists = np.zeros((2, game.actions()), np.int32)
    counts = [game.wins(state, player, lists[player]) for player in range(2)]
    while not twin.over():
        assert not game.over(state)
        assert game.player(state) == twin.player()
        legal = twin.legal()
        assert rules.legal(game, state) == legal
        assert [action for action in range(game.actions()) if game.still(state, action)] == legal
        for player in range(2):
            fresh = np.zeros(game.actions(), np.int32)
            assert sorted(fresh[: game.wins(state, player, fresh)]) == twin.wins(player)
            assert sorted(lists[player, : counts[player]]) == twin.wins(player)
        assert np.array_equal(encoded(game, state), twin.planes())
        assert game.diagram(state) == twin.diagram()
        if rng.random() < 0.2:
            assert same(game.read(twin.diagram()), state)
        action = rng.choice([move for move in legal if prefer and prefer(move)] or legal)
        twin.play(action)
        game.play(state, action)
        counts = [game.wins_after(state, action, player, lists[player], counts[player]) for player in range(2)]
    assert game.over(state)
    assert game.score(state) == twin.score()
    assert same(game.read(twin.diagram()), state)
    return twin.score()


# --- line-taking --------------------------------------------------------------------------------------

SIDE = 12
NEIGHBOURS = {  # by the parity of y: the study's six directions from (x, y), in its order
    "odd": ((0, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (1, 1)),
    "even": ((-1, -1), (0, -1), (-1, 0), (1, 0), (-1, 1), (0, 1)),
}


def neighbour(cell: tuple[int, int], direction: int) -> tuple[int, int]:
    x, y = cell
    dx, dy = NEIGHBOURS["odd" if y % 2 else "even"][direction]
    return x + dx, y + dy


def is_connected(cells: set) -> bool:
    reached = {next(iter(cells))}
    for _ in cells:
        reached |= {neighbour(cell, direction) for cell in reached for direction in range(6)} & cells
    return reached == cells


class NaiveLineTaking:
    """Take 1, 2 or 3 free cells in a straight line; who takes the last cell loses."""

    def __init__(self, free: set) -> None:
        self.free = set(free)
        self.player = 0

    def listed(self) -> list[frozenset]:
        """Every (cell, length, direction), as the study lists them: most sets of cells more than once."""
        moves = []
        for cell in self.free:
            moves.append(frozenset([cell]))
            for direction in range(6):
                second = neighbour(cell, direction)
                third = neighbour(second, direction)
                if second in self.free:
                    moves.append(frozenset([cell, second]))
                    if third in self.free:
                        moves.append(frozenset([cell, second, third]))
        return moves

    def legal(self) -> set[frozenset]:
        return set(self.listed())

    def play(self, move: frozenset) -> None:
        assert move <= self.free
        self.free -= move
        self.player = 1 - self.player

    def over(self) -> bool:
        return not self.free

    def score(self) -> int:
        """The player to move has won: the other took the last cell."""
        return 1 if self.player == 0 else -1
