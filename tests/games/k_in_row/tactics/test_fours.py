"""Wins by continuous fours: a naive twin finds the same ones, their lines are played, and puzzles by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from naive_threats import Naive, random_position, sides

from plyground import games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.games.k_in_row.tactics.tactician import Tactician, Win

MNK = rules.adopt(MNK)
GOMOKU = games.make("gomoku(15)")


@pytest.fixture(scope="module")
def on_15() -> Tactician:
    return Tactician(GOMOKU)


FAR = ["o1", "j1", "e1", "m3", "h3", "c3"]


def in_a_corner(diagram: str) -> Any:
    """X to move, all stones in the upper left corner of the board, but for those that O lacks, which are far away."""
    rows = [line.ljust(15, ".") for line in diagram.split()]
    cells = list("".join(rows).ljust(225, "."))
    lacking = cells.count("X") - cells.count("O")
    by_name = {GOMOKU.name(action): action for action in range(225)}
    for name in FAR[:lacking]:
        cells[by_name[name]] = "O"
    return GOMOKU.read("/".join("".join(cells[i : i + 15]) for i in range(0, 225, 15)) + " X")


def plays_out(game: Any, state: Any, player: int, win: Win) -> None:
    """The line is legal, every stone of it threatens five, every answer is the only one, and the end is a win."""
    twin, (own, foe), line = Naive(*game), sides(state, player), list(win.line)
    assert line[0] == win.action and win.depth == 0
    while True:
        stone = line.pop(0)
        assert stone not in own | foe
        if not line:
            assert stone in twin.winning(own, foe)
            return
        assert not twin.winning(own, foe) and twin.winning(foe, own) <= {stone}
        own |= {stone}
        fives = twin.winning(own, foe)
        if len(line) == 2:  # an open four: both cells that win
            assert len(set(line)) == 2 and set(line) <= fives
            return
        assert fives == {line[0]}
        foe |= {line.pop(0)}


@pytest.mark.parametrize(
    ("game", "count", "fewest", "most"),
    [
        (MNK(5, 5, 4), 80, 3, 20),
        (MNK(5, 5, 4, True), 80, 3, 20),
        (MNK(5, 5, 5), 50, 6, 20),
        (GOMOKU, 15, 16, 60),
    ],
    ids=str,
)
def test_the_same_positions_are_won_as_by_the_naive_twin(game: Any, count: int, fewest: int, most: int) -> None:
    tactician, twin, rng = Tactician(game), Naive(*game), np.random.default_rng(5)
    found = {True: 0, False: 0}
    for _ in range(count):
        state = random_position(game, rng, int(rng.integers(fewest, most)))
        tactician.set(state)
        for player in range(2):  # whoever were to move
            before = tactician.board.cells.tobytes(), int(tactician.board.hash)
            win = tactician.win(player)
            assert (win is not None) == twin.fours(*sides(state, player)), game.text(state)
            assert before == (tactician.board.cells.tobytes(), int(tactician.board.hash))
            found[win is not None] += 1
            if win:
                plays_out(game, state, player, win)
    assert min(found.values()) > count / 5


# --- by hand ------------------------------------------------------------------------------------------

WON = {  # the first stone of the win
    "five at once": (".......\n.XXXX..", "a14 f14"),
    "five between two stones": ("O.....\n.XX.XX", "d14"),
    "five rather than a block": ("XXXX.\nOOOO.", "e15"),
    "an open four": (".......\n.......\n..XXX..", "b13 f13"),
    "two fours at once": (".......\n.OXXX..\n.....X.\n.....X.\n.....X.\n.....O.", "f14"),
    "two fours in one line": ("..........\n.OX.X.X.XO", "f14"),
    "two fours in the corner": (".XXX.O\nX.....\nX.....\nX.....\n......\nO.....", "a15"),
    "a four, then an open four": (".......\n.OXXX..\n.....X.\n.....X.", "f14"),
    "a block that makes a four": (
        ".......O...\n.......X.X.\n.......XX..\n..XOOOO....\n.......X...",
        "h12",
    ),
}
NOT_WON = {
    "nothing but a four": (".......\n.OXXX.."),
    "a diagonal that is too short": ("...X...\n..X....\n.X.....\n......."),
    "the answer makes an open four": (".......\n.OXXX..\n.....XO\n.....XO\n......O"),
    "there is a four to block": ("OOOO.X.\n.......\n.......\n.XXX..."),
    "there are two fives to block": (".OOOO..\n.......\n.XXX...\n......X"),
}


@pytest.mark.parametrize(("diagram", "first"), WON.values(), ids=WON.keys())
def test_wins_that_players_know(on_15: Tactician, diagram: str, first: str) -> None:
    state = in_a_corner(diagram)
    on_15.set(state)
    win = on_15.win(0)
    assert win and GOMOKU.name(win.action) in first.split()
    plays_out(GOMOKU, state, 0, win)


@pytest.mark.parametrize("diagram", NOT_WON.values(), ids=NOT_WON.keys())
def test_attacks_that_fail(on_15: Tactician, diagram: str) -> None:
    on_15.set(in_a_corner(diagram))
    assert on_15.win(0) is None


@pytest.mark.parametrize("answering", ["......O", "......."], ids=["with", "without"])
def test_it_is_the_answer_s_own_four_that_stops_an_attack(on_15: Tactician, answering: str) -> None:
    """Four and three with f14; g14, the answer, makes a four in its column, or only a three."""
    on_15.set(in_a_corner(f".......\n.OXXX..\n.....XO\n.....XO\n{answering}\n......X"))
    assert (on_15.win(0) is None) == (answering == "......O")


@pytest.mark.parametrize(
    ("row", "freestyle", "exact"), [("XX.XX", True, False), ("XX.X.", True, True), ("XXX..", True, True)]
)
def test_more_than_k_in_a_row(row: str, freestyle: bool, exact: bool) -> None:
    for rule, won in ((False, freestyle), (True, exact)):
        game = MNK(5, 5, 4, rule)
        tactician = Tactician(game)
        state = game.read(f"{row}/...../.O.../O..O./{'O....' if row.count('X') == 4 else '.....'}")
        tactician.set(state)
        assert (tactician.win(0) is not None) == won


def test_a_search_that_may_put_no_stone_sees_fives_and_open_fours_alone(on_15: Tactician) -> None:
    for name, (diagram, _) in WON.items():
        on_15.set(in_a_corner(diagram))
        deep = name in ("a four, then an open four", "a block that makes a four")
        assert (on_15.win(0, 0, 0) is None) == deep
        assert on_15.win(0) is not None  # nothing was taken for refuted


def test_a_search_that_was_cut_short_takes_nothing_for_refuted() -> None:
    game, rng, cut = MNK(5, 5, 4), np.random.default_rng(2), 0
    tactician, twin = Tactician(game), Naive(5, 5, 4)
    for _ in range(100):
        state = random_position(game, rng, int(rng.integers(4, 16)), 0.4)
        tactician.set(state)
        limited = [tactician.win(0, 0, limit) for limit in range(1, 9)]
        won = twin.fours(*sides(state, 0))
        assert (tactician.win(0) is not None) == won and (won or not any(limited)), game.text(state)
        cut += won and limited[0] is None
    assert cut > 5


def test_neither_an_empty_nor_a_full_board_is_won() -> None:
    game = MNK(5, 5, 4)
    tactician = Tactician(game)
    for state in (rules.new(game), game.read("XXOOX/OOXXO/XXOOX/OOXXO/XXOOX")):
        tactician.set(state)
        assert tactician.win(0) is tactician.win(1) is None
