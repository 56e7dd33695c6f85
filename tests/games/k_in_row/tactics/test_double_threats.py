"""What an open three threatens, beside a count of the ways to win after every move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from plyground import games, position
from plyground.games.k_in_row.tactics.double_threats import double_threats
from plyground.rules import new, playable


def by_trying(game, state, player: int) -> list[int]:
    """Put a stone everywhere, and count with how many others it would stand in a row of k."""
    sign, found = "XO"[player], []
    rows = game.diagram(state).partition(" ")[0].replace("/", "")
    free = [cell for cell, letter in enumerate(rows) if letter == "."]
    lines = list(of_k(game.m, game.n, game.k))

    def wins(*stones: int) -> bool:
        return any(set(stones) <= line and all(c in stones or rows[c] == sign for c in line) for line in lines)

    for action in free:
        ways = sum(wins(action, other) for other in free if other != action)
        found += [action] * (ways >= 2 and not wins(action))
    return found


def of_k(cols: int, rows: int, k: int) -> Iterator[set[int]]:
    """All lines of k cells."""
    for cell in range(rows * cols):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            places = [(cell // cols + i * down, cell % cols + i * right) for i in range(k)]
            if all(0 <= row < rows and 0 <= col < cols for row, col in places):
                yield {row * cols + col for row, col in places}


@pytest.mark.parametrize("spec", ["tictactoe", "mnk(5,4,4)", "mnk(6,6,4)"])
def test_they_are_the_moves_after_which_there_are_two_ways_to_win(spec: str) -> None:
    game, rng, seen = games.make(spec), np.random.default_rng(3), 0
    for _ in range(30):
        state = new(game)
        for _ in range(int(rng.integers(3, 14))):
            if not game.over(state):
                game.play(state, int(rng.choice(playable(game, state))))
        if game.over(state):
            continue
        for player in (0, 1):
            found = sorted(double_threats(game, state, player))
            assert found == by_trying(game, state, player)
            seen += len(found)
    assert seen > 3


def test_an_open_three_threatens_at_both_ends_and_rows_of_six_are_left_alone() -> None:
    game = games.make("gomoku(15)")
    state = position.read(game, "h8 a1 i8 a15 j8")
    assert [game.name(action) for action in double_threats(game, state, 0)] == ["g8", "k8"]
    assert double_threats(game, state, 1) == []
    long = games.make("mnk(9,9,6)")
    assert double_threats(long, new(long), 0) == []
