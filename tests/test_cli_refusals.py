"""The command line refuses in one line, with exit code 2, whatever is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import answer, refusal, run, run_alone

BAD = """
from typing import NamedTuple
import numpy as np

class Bad(NamedTuple):
    def fields(game): return [("moves", np.int16)]
    def actions(game): return 3
    def player(game, state): return state.moves % 2
    def legal(game, state, out): return 0
    def play(game, state, action): state.moves += 1
    def over(game, state): return state.moves == 5
    def score(game, state): return 0.0
"""
RAISES = BAD.replace("return 0\n", "raise KeyError('oh')\n")
ENDLESS = BAD.replace("return 0\n", "out[0] = 1; return 1\n").replace("== 5", "< 0")
UNCOMPILED = BAD.replace("return 0\n", "out[0] = 1; return 1\n").replace(
    "state.moves == 5", "format(state.moves, 'd') == '5'"
)


def test_check_says_ok_or_names_the_breach(tmp_path: Path) -> None:
    assert answer("check", "tictactoe", "--games", "3")["ok"]
    (tmp_path / "bad.py").write_text(BAD)
    ran = run("check", f"{tmp_path / 'bad.py'}:Bad")
    assert ran.returncode == 1 and "broken" in ran.stdout and "Traceback" not in ran.stderr
    assert "legal offers nothing" in ran.stdout


@pytest.mark.parametrize(
    "text", [BAD, RAISES, ENDLESS, UNCOMPILED], ids=["no move", "raises", "never ends", "does not compile"]
)
@pytest.mark.parametrize(
    "words",
    [["match", "GAME", "uct(sims=10)", "random", "--games", "2"], ["think", "GAME", "uct(sims=10)"]],
    ids=["match", "think"],
)
def test_a_users_broken_game_is_refused_before_it_does_harm(
    words: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plyground.check.played.LONGEST", 300)
    (tmp_path / "bad.py").write_text(text)
    refusal(run(*[word.replace("GAME", f"{tmp_path / 'bad.py'}:Bad") for word in words]))


@pytest.mark.parametrize(
    "words, says",
    [
        (["frobnicate"], "No such command"),
        (["think"], "Missing argument"),
        (["think", "tictactoe", "uct", "--frob"], "there is no option --frob: --help lists them"),
        (["think", "tictactoe", "uct", "--seed", "-1"], "seed"),
        (["think", "tictactoe", "uct", "--seed", "x"], "seed"),
        (["think", "tictactoes", "uct"], "did you mean tictactoe?"),
        (["think", "tictactoe", "uctt"], "did you mean uct?"),
        (["think", "tictactoe", "uct(sims=-5)"], "sims is 1 to"),
        (["think", "tictactoe", "uct(sims=0)"], "sims is 1 to"),
        (["think", "tictactoe", "uct(seconds=-1)"], "seconds is 0 to"),
        (["think", "tictactoe", "uct(memory=0)"], "memory is 1 to"),
        (["think", "tictactoe", "uct(threads=0)"], "threads is 1 to"),
        (["think", "mnk(0,3,3)", "uct"], "m is 1 to 30"),
        (["think", "mnk(1000,1000,5)", "uct"], "m is 1 to 30"),
        (["think", "mnk(3,3,4)", "uct"], "k is 1 to 3"),
        (["think", "tictactoe(0)", "uct"], "n is 1 to 19"),
        (["think", "connect-four(100,100)", "uct"], "cols is 1 to"),
        (["think", "gomoku(15, rule='renju')", "uct"], "rule is one of"),
        (["think", "line-taking(cells=5)", "uct"], "12 to 33"),
        (["think", "line-taking(region='oo/oo')", "uct"], "12 rows"),
        (["think", "tictactoe", "uct", "--position", "XXX/OOO/..."], "over before the last move"),
        (["think", "tictactoe", "uct", "--position", "XXX/OO./..."], "the game is over"),
        (["think", "tictactoe", "uct", "--position", "XXXXX/OOO/..."], "3 rows of 3"),
        (["think", "tictactoe", "uct", "--position", "XXX/XX./..."], "5 X and 0 O"),
        (["think", "tictactoe", "uct", "--position", "X../.../... X"], "it is O's turn"),
        (["think", "tictactoe", "uct", "--position", "b2 b2"], "is not legal"),
        (["think", "tictactoe", "uct", "--position", "b2 z9"], "there is no move 'z9'"),
        (
            ["think", "connect-four", "uct", "--position", "X....../......./......./......./......./......."],
            "hangs in the air",
        ),
        (["match", "tictactoe", "uct", "random", "--games", "-2"], "at least one game"),
        (["match", "tictactoe", "uct", "random", "--games", "0"], "at least one game"),
        (["match", "tictactoe", "uct", "human"], "human"),
        (["match", "tictactoe", "uct", "random", "--openings", "-1"], "0 or more"),
        (["match", "line-taking", "win-block-middle", "random"], "middle"),
        (["play", "tictactoe", "--seat", "third"], "first or second"),
        (["solve", "tictactoe", "--first", "uct", "--second", "random"], "does not tell its move probabilities"),
        (["solve", "tictactoe", "--first", "most-wins", "--second", "never-lose"], "fixed policy"),
        (["solve", "tictactoe", "--position", "XXX/OO./... O"], "the game is over"),
        (["solve", "tictactoe", "--seconds", "-1"], "--seconds"),
        (["think", "tictactoe", "alphabeta(depth=0)"], "depth"),
        (["think", "tictactoe", 'alphabeta(scoring="line-taking")'], "is for line-taking, not for this game"),
        (["think", "tictactoe", "line-taking-master"], "plays line-taking"),
        (["check", "nowhere.py:Game"], "there is no file"),
        (["bench", "frob"], "no benchmark"),
        (["bench", "scaling", "--plot", "/nowhere/x.svg"], "no folder"),
        (["check", "nowhere.py"], "there is no file"),
        (["bench", "scaling", "--plot", "x.doc"], ".svg"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_bad_input_is_answered_in_one_line(words: list[str], says: str) -> None:
    assert says in refusal(run(*words))


def test_a_game_that_cannot_be_trained_is_refused_before_pytorch_is_loaded(tmp_path: Path) -> None:
    ran = run_alone("train", "alphazero", "tictacto", "--out", str(tmp_path / "run"), PYTHONPROFILEIMPORTTIME="1")
    assert ran.returncode == 2 and "did you mean tictactoe?" in ran.stderr
    assert "plyground.cli" in ran.stderr and "torch" not in ran.stderr


def test_check_looks_into_corners_where_random_games_hardly_come(tmp_path: Path) -> None:
    """Always the last action: 1 in 16 random games does that, and one game is played."""
    (tmp_path / "corner.py").write_text(
        BAD.replace("return 0\n", "out[0] = 0; out[1] = 1; return 2\n")
        .replace('("moves", np.int16)', '("moves", np.int16), ("last", np.int16)')
        .replace("state.moves += 1", "state.moves += 1; state.last += action; (1, 2, 3, 4, 5)[state.last]")
    )
    ran = run("check", str(tmp_path / "corner.py"), "--games", "1", "--json")
    assert ran.returncode == 1 and "play raised IndexError" in ran.stdout


def test_a_rule_that_fails_in_a_search_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.py").write_text(BAD)

    def fail(*_: object, **__: object) -> None:
        raise IndexError("tuple index out of range")

    monkeypatch.setattr("plyground.cli.play.made", fail)
    told = refusal(run("think", f"{tmp_path / 'bad.py'}:Bad", "uct"))
    assert f"a rule in {tmp_path / 'bad.py'} has failed (IndexError" in told and "plyground check" in told
    with pytest.raises(IndexError):
        run("think", "tictactoe", "uct")


def test_a_game_that_is_no_named_tuple_is_told_how_to_become_one(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(BAD.replace("class Bad(NamedTuple)", "class Bad"))
    assert "Bad is not a game: write `class Bad(NamedTuple):`" in refusal(run("check", str(tmp_path / "plain.py")))
