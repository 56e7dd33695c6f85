"""Openings: written by people, drawn at random, and drawn until they are balanced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toys
from commands import refusal, run
from plyground import games, rules
from plyground.arena.match import play_match
from plyground.arena.openings import Balance, draw_balanced, drawn_anew, moves, read_file
from plyground.arena.results import Plan
from plyground.spec import InputError

TWO_ROWS = "/".join(["oooo........"] * 2 + ["." * 12] * 10)


def reached(game: Any, actions: list[int]) -> Any:
    state = rules.new(game)
    for action in actions:
        assert not game.over(state) and action in rules.legal(game, state)
        game.play(state, action)
    return state


# --- files --------------------------------------------------------------------------------------------


def test_a_file_has_moves_diagrams_comments_and_offsets(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# two moves\nB2 a1\n\n  X../.O./..X O  \r\n0,0, -1,1\n#\n0 , -1\n")
    game = games.make("tictactoe")
    assert read_file(file, game) == ["b2 a1", "a3 b2 c1", "b2 a1", "b3"]
    assert moves(game, "a3 b2 c1") == [0, 4, 8]


@pytest.mark.parametrize(
    "spec, diagram",
    [
        ("tictactoe", ".../.../... X"),
        ("tictactoe", "XOX/OXO/OX. X"),
        ("gomoku(7)", "......./.XXXX../.OOOO../......./......./......./....... X"),
        ('gomoku(7, rule="exactly-five")', "XXXXXX./OOOO.OO/......./......./......./......./....... X"),
        ("connect-four", "......./......./......./..O..../..XO.../.XXOOX. X"),
        ("connect-four(4,4,3)", "..../.X../OOX./XOXO X"),
    ],
)
def test_moves_are_found_that_lead_to_a_diagram(spec: str, diagram: str) -> None:
    game = games.make(spec)
    state, target = reached(game, moves(game, diagram)), game.read(diagram)
    assert game.diagram(state) == game.diagram(target) == diagram


def test_moves_are_found_that_lead_to_random_positions() -> None:
    rng = np.random.default_rng(1)
    for spec in ("connect-four", f"line-taking(region='{TWO_ROWS}')"):
        game = games.make(spec)
        for plies in range(1, 6):
            state = rules.new(game)
            while plies and not game.over(state):
                game.play(state, int(rng.choice(rules.legal(game, state))))
                plies -= 1
            if not game.over(state):
                assert game.diagram(reached(game, moves(game, game.diagram(state)))) == game.diagram(state)


def test_a_diagram_that_no_moves_lead_to_is_refused() -> None:
    game = games.make(f"line-taking(region='{TWO_ROWS}')")
    with pytest.raises(InputError, match="write the moves"):
        moves(game, f"{TWO_ROWS} 2")  # nothing is taken, but the second player is to move


@pytest.mark.parametrize(
    "text, says",
    [
        ("b2 a1\nb2 b2\n", "line 2: move 2, b2, is not legal"),
        ("# comment\n\nb2 z9\n", "line 3: move 2: there is no move 'z9'"),
        ("a1 a2 b1 b2 c1\n", "line 1: the game is over"),
        ("b2\nXX./O../... X", "line 2: position"),
        ("b2\nXXXX/O../... O", "line 2: position"),
        ("0,0, 5,5\n", "line 1: 5,5 from the middle is off the board of 3 x 3"),
        ("0,0, 0,0\n", "line 1: move 2, b2, is not legal"),
        ("1,2,3\n", "line 1: move 1: there is no move"),
        ("", "has no opening"),
        ("\n# nothing\n", "has no opening"),
    ],
)
def test_a_malformed_file_is_refused_with_the_line(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text(text)
    ran = run("match", "tictactoe", "random", "random", "--jobs", "1", "--openings-file", str(file))
    assert says in refusal(ran)


def test_files_that_are_no_texts_are_refused(tmp_path: Path) -> None:
    game = games.make("tictactoe")
    (tmp_path / "bytes").write_bytes(b"b2\xff\xfe")
    (tmp_path / "long").write_text("b2 a1\n" * 200_000)
    for name, says in (("bytes", "not a text"), ("long", "MiB"), ("none", "cannot be read"), ("", "cannot be read")):
        with pytest.raises(InputError, match=says):
            read_file(tmp_path / name, game)


def test_pairs_take_the_openings_in_turn() -> None:
    plan = Plan("tictactoe", ("random", "win-block"), 9, book=("b2 a1", "a3", ""))
    records = play_match(plan).records
    assert [tuple(r.names[: r.opening]) for r in records[::2]] == [("b2", "a1"), ("a3",), (), ("b2", "a1"), ("a3",)]
    assert all(
        one.names[: one.opening] == other.names[: one.opening]
        for one, other in zip(records[:8:2], records[1::2], strict=True)
    )


# --- balanced -----------------------------------------------------------------------------------------


def test_what_an_exact_judge_calls_balanced_is_drawn() -> None:
    game = games.make("tictactoe")
    judge = Balance("minimax(depth=9)", bound=0.5)
    found = draw_balanced("tictactoe", 20, 3, 1, judge)
    values = [toys.exact(game, reached(game, moves(game, text))) for text in found]
    assert values == [0] * 20 and all(len(text.split()) == 3 for text in found) and len(set(found)) > 10
    rng = np.random.default_rng(1)
    drawn = [rng.permutation(9)[:3].tolist() for _ in range(40)]
    assert any(toys.exact(game, reached(game, actions)) for actions in drawn)  # which not all openings are


def test_the_same_seed_draws_the_same_balanced_openings() -> None:
    asked = ("gomoku(9)", 6, 4)
    judge = Balance("uct(sims=100)", bound=0.2)
    found = draw_balanced(*asked, 5, judge)
    assert draw_balanced(*asked, 5, judge, jobs=2) == found
    assert draw_balanced(*asked, 6, judge) != found


def test_balanced_openings_of_a_game_that_is_drawn_anew_fit_their_draw() -> None:
    assert drawn_anew("line-taking(cells=12)") and not drawn_anew("line-taking(cells=12, seed=3)")
    assert not drawn_anew("gomoku(9)")
    book = draw_balanced("line-taking(cells=12)", 3, 2, 4, Balance("uct(sims=50)", bound=1.0))
    records = play_match(Plan("line-taking(cells=12)", ("random", "random"), 6, seed=4, book=tuple(book))).records
    assert [" ".join(r.names[: r.opening]) for r in records[::2]] == book


@pytest.mark.parametrize(
    "game, plies, judge, says",
    [
        ("mnk(3,3,2)", 1, Balance("minimax(depth=3)"), "no balanced opening was found: the nearest of 200"),
        ("tictactoe", 0, Balance(), "at least one move"),
        ("tictactoe", 1, Balance(bound=0.0), "--bound"),
        ("tictactoe", 1, Balance("random"), "does not say what a position is worth"),
        ("tictactoe", 1, Balance("human"), "human"),
        ("tictactoe", 1, Balance("utc"), "did you mean uct"),
    ],
)
def test_openings_that_cannot_be_judged_are_refused(game: str, plies: int, judge: Balance, says: str) -> None:
    with pytest.raises(InputError, match=says):
        draw_balanced(game, 2, plies, 0, judge)
