"""The opening books of five in a row, and who takes openings from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground import agents, games
from plyground.arena.openings import Balance, draw_balanced, moves
from plyground.games.k_in_row import book as books
from plyground.games.k_in_row import book_making as making
from plyground.games.k_in_row.gomocup import swap2
from plyground.games.k_in_row.gomocup.instant import Board
from plyground.rules import legal, new

BOARDS = [games.make(spec) for spec in ("gomoku(15)", "gomoku(20)", 'gomoku(20, "exactly-five")')]
BOUND = 0.1


def of(game: Any) -> tuple[books.Opening, ...]:
    return books.book(game.m, game.n, game.k, game.exact)


@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_a_book_has_each_position_once_and_none_that_is_decided(game: Any) -> None:
    known, fours = of(game), agents.make("threats(depth=2)")
    assert len(known) >= 40 and {len(one.moves) for one in known} == {3, 4, 5, 6, 7}
    assert len({making.position(game, one.moves) for one in known}) == len(known)
    for one in known:
        before, state = new(game), None
        for move, state in zip(one.moves, making.along(game, one.moves), strict=True):
            assert move in legal(game, before)
            before = state
        assert not game.over(state) and abs(one.value) < BOUND
        assert abs(fours.think(game, state).value or 0.0) < 1  # nobody wins by fours and threes, two deep
        assert books._read(game.m, game.n, making.line(game, one)) == one


def test_images_of_an_opening_are_one_position() -> None:
    game = games.make("gomoku(15)")
    all_of_them = list(books.images(game, (112, 16, 200, 31)))
    assert len(set(all_of_them)) == 8
    assert {making.position(game, image) for image in all_of_them} == {making.position(game, (200, 31, 112, 16))}
    assert making.position(game, (16, 112, 31, 200)) != making.position(game, (112, 16, 200, 31))  # black's are white's


def test_balanced_openings_are_those_of_the_book() -> None:
    game = games.make("gomoku(15)")
    found = draw_balanced("gomoku(15)", 6, 4, 3, Balance())
    known = {making.position(game, one.moves) for one in of(game)}
    positions = [making.position(game, tuple(moves(game, text))) for text in found]
    assert len(set(positions)) == 6 and known.issuperset(positions)
    assert draw_balanced("gomoku(15)", 6, 4, 3, Balance()) == found != draw_balanced("gomoku(15)", 6, 4, 4, Balance())
    narrow = draw_balanced("gomoku(15)", 500, 4, 3, Balance(bound=0.03))
    fitting = [one for one in of(game) if len(one.moves) == 4 and abs(one.value) < 0.03]
    assert len(narrow) == len(fitting) < sum(len(one.moves) == 4 for one in of(game))


def test_where_there_is_no_book_or_another_judge_a_search_judges() -> None:
    game = games.make("gomoku(15)")
    known = {making.position(game, one.moves) for one in of(game)}
    judged = draw_balanced("gomoku(15)", 2, 4, 3, Balance("uct(sims=20)", bound=0.9))
    assert known.isdisjoint(making.position(game, tuple(moves(game, text))) for text in judged)
    assert len(draw_balanced("gomoku(15)", 2, 2, 3, Balance(bound=0.9))) == 2  # none in the book has two stones


def test_swap2_begins_with_an_even_opening_of_the_book() -> None:
    def never(board: Board, share: float) -> Any:
        raise AssertionError("the book knows")

    known = swap2.from_book(Board(15, 15))
    assert known and all(len(set(cells)) == 3 for cells in known)
    assert swap2.answered(Board(15, 15), [], never) in {swap2.written(cells) for cells in known}
    assert not swap2.from_book(Board(7, 7))
    game = games.make("gomoku(15)")
    even = {one.moves for one in of(game) if len(one.moves) == 3 and abs(one.value) <= swap2.EVEN}
    assert {tuple(y * 15 + x for x, y in cells) for cells in known} == even


def test_a_book_grows_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a judge that calls everything even whose first stone lies in the left half."""

    class Judge:
        def think(self, game: Any, state: Any) -> Any:
            left = int(np.flatnonzero(state.cells)[0]) % 9 < 4
            return type("Thought", (), {"value": 0.01 if left else 0.7})

    monkeypatch.setattr(books, "FOLDER", tmp_path)
    monkeypatch.setattr(making, "judge", lambda simulations: Judge())
    assert list(making.add("gomoku(9)", 3, 2, 1000, 1, 1)) == [0, 1, 2]
    assert list(making.add("gomoku(9)", 3, 4, 1000, 1, 1)) == [2, 3, 4]
    assert list(making.add("gomoku(9)", 4, 1, 1000, 1, 1)) == [0, 1]
    books.book.cache_clear()
    game = games.make("gomoku(9)")
    assert sorted(len(one.moves) for one in of(game)) == [3, 3, 3, 3, 4]
    for one in of(game):
        *_, state = making.along(game, one.moves)
        assert making.judge(1).think(game, state).value == one.value
    books.book.cache_clear()
