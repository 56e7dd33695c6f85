"""The agent one-ply: a naive twin that adds up one large number for each cell, positions, the study's claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground import agents, games, rules
from plyground.arena.match import Plan, play_match
from plyground.spec import InputError

NINE = games.make("gomoku(9)")


def naive(game: Any, state: Any) -> list[int]:
    """The best cells, cell by cell and line by line; what matters more is worth a hundred times as much or more."""
    me, k = game.player(state) + 1, game.k
    board = {(col, row): int(state.cells[row * game.m + col]) for row in range(game.n) for col in range(game.m)}
    worth = {}
    for (col, row), stone in board.items():
        if stone:
            continue
        total, own_lines, own_points, other_lines, other_points = 0, 0, 0, 0, 0
        for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for before in range(k):
                line = [(col + (i - before) * right, row + (i - before) * down) for i in range(k)]
                if not all(cell in board for cell in line):
                    continue
                stones = [board[cell] for cell in line if board[cell]]
                own, other = stones.count(me), stones.count(3 - me)
                if own and other:
                    continue
                if not other and own == k - 1:
                    total += 10**40
                elif not other and own == k - 2:
                    total += 10**20
                elif not own and other == k - 1:
                    total += 10**30
                elif not own and other == k - 2:
                    total += 10**10
                elif not stones:
                    total += 24
                elif own:
                    own_lines, own_points = own_lines + 1, own_points + 16 + 10 * own
                else:
                    other_lines, other_points = other_lines + 1, other_points + 7 + 10 * other
        worth[row * game.m + col] = total + own_points * own_lines**2 + other_points * other_lines**2
    return [cell for cell in sorted(worth) if worth[cell] == max(worth.values())]


@pytest.mark.parametrize(
    "name",
    ["tictactoe", "mnk(6,6,4)", "mnk(7,4,4)", "mnk(3,6,5)", "gomoku(9)", "mnk(5,5,2)", "mnk(3,3,1)", "mnk(1,5,4)"],
)
def test_it_chooses_as_the_naive_twin_does(name: str) -> None:
    """In random games, on square, oblong and thin boards, from the start to the last free cell."""
    game, rng = games.make(name), np.random.default_rng(4)
    first, any_of_them = agents.make("one-ply"), agents.make('one-ply(ties="random")')
    looked = 0
    while looked < 60:
        state = rules.new(game)
        while not game.over(state):
            wanted = naive(game, state)
            assert list(any_of_them.policy(game, state)) == wanted  # type: ignore[attr-defined]
            assert first.think(game, state).action == wanted[0]
            looked += 1
            well = rng.random() < 0.5
            game.play(state, wanted[0] if well else int(rng.choice(rules.legal(game, state))))


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        pytest.param(["XXXX.....", "OOOO.....", "........."], {"e9"}, id="completes its row before it blocks"),
        pytest.param(["XXXX.....", "OOOO.....", "........X"], {"e8"}, id="completes its row as the second player"),
        pytest.param(["OOOO.....", "XXX......", "....X...."], {"e9"}, id="blocks four before it extends three"),
        pytest.param(
            ["XXX......", "OOO......", "........."], {"d9", "e9"}, id="extends its three before it blocks one"
        ),
        pytest.param(["OO.O.....", "X.X......", "....X...."], {"c9", "e9"}, id="blocks a three before small points"),
        pytest.param(
            ["O.OO.....", "XX.X.....", ".X......."], {"b9", "e9"}, id="extends its three as the second player"
        ),
    ],
)
def test_what_comes_first(rows: list[str], wanted: set[str]) -> None:
    state = NINE.read("/".join([*rows, *[9 * "."] * 6]))
    assert NINE.name(agents.make("one-ply").think(NINE, state).action) in wanted


def test_it_begins_in_the_middle_where_most_lines_cross() -> None:
    assert NINE.name(agents.make("one-ply").think(NINE, rules.new(NINE)).action) == "e5"


def test_a_board_without_open_lines_and_one_free_cell() -> None:
    game = games.make("tictactoe")
    assert agents.make("one-ply").think(game, game.read("XOX/XOO/.X. O")).action == 6  # nobody can win: the first cell
    assert agents.make("one-ply").think(game, game.read("XOX/XOO/OX. X")).action == 8


def test_ties_are_broken_by_the_first_or_by_the_seed() -> None:
    game = games.make("mnk(6,6,4)")
    state = rules.new(game)
    alike = {14, 15, 20, 21}  # the middle of an even board
    assert {agents.make("one-ply", seed).think(game, state).action for seed in range(20)} == {14}
    random = [agents.make('one-ply(ties="random")', seed).think(game, state).action for seed in range(60)]
    assert set(random) == alike
    assert random == [agents.make('one-ply(ties="random")', seed).think(game, state).action for seed in range(60)]
    assert (
        len({agents.make('one-ply(ties="random", seed=3)', seed).think(game, state).action for seed in range(9)}) == 1
    )


def test_other_games_are_refused() -> None:
    game = games.make("connect-four")
    with pytest.raises(InputError, match="k in a row"):
        agents.make("one-ply").think(game, rules.new(game))
    with pytest.raises(InputError, match="ties"):
        agents.make('one-ply(ties="last")')


@pytest.mark.parametrize(("opponent", "count"), [("random", 20), ("win-block", 12)])
def test_it_beats_the_simple_players_on_nine_by_nine_as_the_study_says(opponent: str, count: int) -> None:
    result = play_match(Plan("gomoku(9)", ("one-ply", opponent), count, seed=2))
    assert result.tally().wins == count
