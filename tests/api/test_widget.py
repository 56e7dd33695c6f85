"""The board in a notebook: what Python does with what is asked of it."""

from __future__ import annotations

import sys

import pytest

import plyground as pg
from plyground.api import widget
from plyground.api.widget import _widget
from plyground.manifest import warn

pytest.importorskip("anywidget", reason="the board needs anywidget: pip install 'plyground[notebook]'")


def first(game: pg.Game, state: pg.State) -> int:
    return pg.legal(game, state)[0]


def test_a_click_is_answered_by_the_agent() -> None:
    board = pg.play("tictactoe", first)
    assert board.view["status"] == "your move" and len(board.view["moves"]) == 9 and "data-cell" in board.view["svg"]
    seen = []
    board.observe(lambda change: seen.append((change["new"]["status"], change["new"]["thinking"])), "view")
    board.asked = {"move": "b2", "number": 1}
    assert seen == [("first thinks", True), ("your move", False)]
    assert repr(board.position) == repr(pg.Position("tictactoe", "b2 a3"))


def test_a_game_is_won_taken_back_and_begun_anew() -> None:
    board = pg.play("tictactoe", first, "b2 a3 c1 b3")
    board.asked = {"move": "c3", "number": 1}  # the agent completes its row
    assert board.view["status"] == "your move" or board.position.over
    board.asked = {"do": "new", "number": 2}
    assert repr(board.position) == repr(pg.Position("tictactoe", "b2 a3 c1 b3"))
    won = pg.play("tictactoe", first, "b2 a3 b1 c3")
    won.asked = {"move": "b3", "number": 1}
    assert won.view["status"] == "you have won" and won.view["moves"] == []
    won.asked = {"do": "undo", "number": 2}
    assert won.view["status"] == "your move" and not won.position.over


def test_whoever_sits_second_waits_for_the_first_move() -> None:
    board = pg.play("tictactoe", first, seat="second")
    assert repr(board.position) == repr(pg.Position("tictactoe", "a3"))


def test_what_makes_no_sense_is_told_on_the_board_and_changes_nothing() -> None:
    board = pg.play("tictactoe", first)
    board.asked = {"move": "z9", "number": 1}
    assert "z9 is not legal here" in board.view["status"] and len(board.view["moves"]) == 9
    lost = pg.play("tictactoe", lambda game, state: 99)
    lost.asked = {"move": "b2", "number": 1}
    assert lost.view["status"].startswith("lambda gives up: it played 99") and lost.view["moves"] == []
    with pytest.raises(pg.InputError, match="seat is first or second"):
        pg.play("tictactoe", first, seat="third")


@pytest.mark.parametrize(
    ("error", "said"),
    [(ZeroDivisionError("by\nzero"), "fails: ZeroDivisionError: by zero"), (KeyboardInterrupt(), "was")],
)
def test_an_agent_that_fails_leaves_a_board_that_goes_on(error: BaseException, said: str) -> None:
    def fails(game: pg.Game, state: pg.State) -> int:
        raise error

    board = pg.play("tictactoe", fails)
    board.asked = {"move": "b2", "number": 1}
    assert board.view["status"].startswith(f"fails {said}") and not board.view["thinking"]
    board.asked = {"do": "undo", "number": 2}
    assert board.view["status"] == "your move"
    second = pg.play("tictactoe", fails, seat="second")
    assert second.view["status"].startswith(f"fails {said}")


def test_an_answer_that_is_no_move_is_told_on_the_board() -> None:
    board = pg.play("tictactoe", lambda game, state: "b2")
    board.asked = {"move": "b2", "number": 1}
    assert "neither an action nor a Thought" in board.view["status"] and not board.view["thinking"]


def test_who_plays_alone_sits_first() -> None:
    with pytest.raises(pg.InputError, match="one player plays this game"):
        pg.play("tetris(6,12)", first, seat="second")


def test_the_agent_is_closed_after_a_game_and_with_the_board() -> None:
    closed = []

    class Closing:
        def think(self, game: pg.Game, state: pg.State, limit: pg.Limit) -> int:
            return pg.legal(game, state)[0]

        def close(self) -> None:
            closed.append(self)

    board = pg.play("tictactoe", Closing(), "b2 a3 b1 c3")
    assert not closed
    board.asked = {"move": "b3", "number": 1}  # it wins
    assert len(closed) == 1
    board.close()
    assert len(closed) == 2


def test_without_anywidget_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _widget.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(pg.InputError, match=r"pip install 'plyground\[notebook\]'"):
        pg.play("tictactoe")


def test_in_a_script_it_is_said_where_to_play_instead(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warn.cache_clear()
    monkeypatch.setattr(widget, "in_notebook", lambda: False)
    pg.play("tictactoe", "random")
    assert "plyground play GAME" in capsys.readouterr().err
    monkeypatch.setattr(widget, "in_notebook", lambda: True)
    warn.cache_clear()
    pg.play("tictactoe", "random")
    assert capsys.readouterr().err == ""
