"""The game as keys play it: before the first tick they reach the placements of the rules, and no others."""

from __future__ import annotations

from copy import copy
from itertools import cycle

import numpy as np
import pytest

from plyground import games, rules
from plyground.games.tetris.keys import KEYS, Keys
from plyground.games.tetris.tetrominoes import LETTERS


def new(spec: str = "tetris", pieces: str = "") -> Keys:
    """A game with these pieces, again and again."""
    return Keys(games.make(spec), cycle(LETTERS.index(letter) for letter in pieces or LETTERS))


def pressed(keys: Keys, *names: str) -> Keys:
    """Another game, in which these keys were pressed."""
    other = copy(keys)
    other.matrix = [list(row) for row in keys.matrix]
    other.pieces = cycle([0])
    for name in names:
        other.press(name)
    return other


def dropped(keys: Keys) -> dict[bytes, int]:
    """The wells after a hard drop that keys can reach before a tick, with the highest score of each."""
    todo, seen, found = [pressed(keys)], {(keys.turn, keys.col)}, dict[bytes, int]()
    while todo:
        at = todo.pop()
        end = pressed(at, "hard")
        well = end.state().columns.tobytes()
        found[well] = max(end.score, found.get(well, 0))
        for key in ("left", "right", "rotate"):
            then = pressed(at, key)
            if (then.turn, then.col) not in seen:
                seen.add((then.turn, then.col))
                todo.append(then)
    return found


@pytest.mark.parametrize(("spec", "pieces", "blocked"), [("tetris(6,6)", 150, 2), ("tetris", 12, 0)])
def test_placements_are_what_keys_can_reach(spec: str, pieces: int, blocked: int) -> None:
    game = games.make(spec)
    rng = np.random.default_rng(3)
    keys = Keys(game, iter(rng.integers(7, size=10**6).tolist()))
    most = [len(rules.legal(game, game.read("." * game.cols + f" {letter}o"))) for letter in LETTERS]
    fewer = 0
    for _ in range(pieces):
        if keys.over:
            keys = Keys(game, keys.pieces)
        state = keys.state()
        placements = {}
        for action in rules.legal(game, state):
            then = rules.after(game, state, action)
            assert placements.setdefault(then.columns.tobytes(), int(then.score)) == then.score
        assert dropped(keys) == placements
        fewer += len(placements) < most[keys.piece] - 8
        for key in rng.choice(["left", "right", "rotate"], size=rng.integers(9)):
            keys.press(key)
        before = keys.piece, keys.next
        keys.press("hard")
        assert keys.over or (keys.piece, keys.over) == (before[1], False)
        assert keys.state().columns.tobytes() in placements
    assert fewer >= blocked


def test_the_state_of_a_game_is_that_of_the_rules_move_by_move() -> None:
    """Fall by ticks and soft drops where it was; the rules place it there, less the points of a hard drop."""
    game = games.make("tetris(6,12)")
    keys = new("tetris(6,12)")
    for number in range(60):
        if keys.over:
            break
        state, spawn = keys.state(), keys.piece
        while keys.lines == state.lines and keys.state().columns.tobytes() == state.columns.tobytes():
            keys.press("tick" if number % 2 else "soft")
        straight = [a for a in rules.legal(game, state) if game.name(a).startswith("r0")]
        ends = [rules.after(game, state, action) for action in straight]
        assert keys.state().columns.tobytes() in {end.columns.tobytes() for end in ends}, spawn
        assert keys.score == state.score + 100 * (keys.lines - state.lines) ** 2 * (state.combo + 1)
    assert number > 5


def test_a_hard_drop_scores_ten_a_row_and_a_soft_drop_nothing() -> None:
    keys = pressed(new(pieces="o"), "hard")
    assert keys.score == 200
    assert pressed(new(pieces="o"), *["soft"] * 21).score == 0


def test_a_piece_can_be_pushed_under_an_overhang_after_ticks() -> None:
    game = games.make("tetris")
    keys = new(pieces="o")
    keys.matrix[18] = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    under = pressed(keys, *["tick"] * 20, *["left"] * 9, "tick")
    assert [row[:3] for row in under.matrix[18:]] == [[1, 1, 1], [0, 0, 0], [2, 2, 0], [2, 2, 0]]
    placed = [rules.after(game, keys.state(), action) for action in rules.legal(game, keys.state())]
    assert under.state().columns.tobytes() not in {state.columns.tobytes() for state in placed}


def test_keys_against_walls_and_after_the_end_do_nothing() -> None:
    keys = new(pieces="o")
    assert [keys.press("left") for _ in range(6)] == [True] * 4 + [False] * 2
    assert keys.press("rotate")
    for _ in range(30):
        keys.press("hard")
    assert keys.over and not any(keys.press(key) for key in KEYS)
    assert rules.new(keys.game).dtype == keys.state().dtype and keys.game.over(keys.state())


def test_the_level_and_the_time_between_ticks_follow_the_lines() -> None:
    keys = new()
    assert (keys.level, keys.interval) == (1, pytest.approx(0.4**1.1))
    keys.lines = 30
    assert (keys.level, keys.interval) == (4, pytest.approx(0.4**1.4))


def test_a_turn_at_the_wall_is_kicked_inside() -> None:
    """An upright bar at the left wall lies down in the first four columns; at the right in the last four."""
    for side, cols in (("left", [0, 1, 2, 3]), ("right", [6, 7, 8, 9])):
        keys = pressed(new(pieces="i"), "rotate", *[side] * 9, "rotate", "hard")
        assert [col for col, cell in enumerate(keys.matrix[-1]) if cell] == cols
