"""Files of games as positions, in commands and from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import plyground as pg
from commands import answer, refusal, run
from plyground import game_files, games, position
from plyground.game_files import Saved

KEPT = [
    ("tictactoe", "b2 a1 c3 a2", "mine.sgf"),
    ("mnk(4,4,3)", "b2 a1 c3 a2", "mine.psq"),
    ("hex(4)", "b2 a1 c3 a2", "mine.sgf"),
    ("go(5,komi=6.5)", "c3 d3 pass a5", "mine.sgf"),
    ("chess", "e2e4 e7e5 g1f3 b8c6", "mine.pgn"),
]


@pytest.fixture(params=KEPT, ids=lambda kept: kept[0])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str, str]:
    """A game, its moves, and the file that keeps them."""
    spec, moves, name = request.param
    game = games.make(spec)
    actions = position.play_all(game, position.read(game, ""), moves.split())
    game_files.write(tmp_path / name, Saved(spec, actions))
    return spec, moves, str(tmp_path / name)


def timeless(*words: str) -> dict:
    """What a command answers, whatever time it has taken."""
    return answer(*words) | {"seconds": 0}


def test_a_file_is_the_position_at_its_end_or_after_some_of_its_moves(kept: tuple[str, str, str]) -> None:
    spec, moves, file = kept
    for number in range(5):
        there = f"{file}:{number}" if number < 4 else file
        assert pg.state(spec, there) == pg.state(spec, " ".join(moves.split()[:number]))
    asked = ("think", spec, "random", "--position")
    assert timeless(*asked, f"{file}:3") == timeless(*asked, " ".join(moves.split()[:3]))


def test_commands_take_it_and_a_review_has_its_moves(tmp_path: Path) -> None:
    file = str(tmp_path / "mine.sgf")
    game_files.write(file, Saved("tictactoe", [4, 6, 8, 0, 3]))
    for command in (["solve", "tictactoe"], ["play", "tictactoe", "random", "--you", "random"]):
        told, same = (timeless(*command, "--position", where) for where in (file, "b2 a1 c1 a3 a2"))
        assert told == same
    assert answer("perft", "tictactoe", "1", "--position", file)["perft"][0]["lines"] == 4
    reviews = [pg.review("tictactoe", moves, "random") for moves in (file, "b2 a1 c1 a3 a2")]
    assert reviews[0].mistakes == reviews[1].mistakes
    assert [move.action for move in pg.review("tictactoe", f"{file}:2", "random").moves] == [4, 6]


@pytest.mark.parametrize(
    "words, says",
    [
        (["think", "hex(5)", "random", "--position", "mine.sgf"], "mine.sgf holds another game: hex(4)"),
        (["think", "hex(4)", "random", "--position", "mine.sgf:3"], "mine.sgf has 2 moves, not 3"),
        (["think", "hex(4)", "random", "--position", "no.sgf"], "no.sgf cannot be read"),
        (["think", "hex(4)", "random", "--position", "bad.sgf:1"], "bad.sgf: "),
        (["review", "hex(4)", "--position", "mine.sgf", "--start", "..../..../..../.... X"], "not from a diagram"),
    ],
)
def test_what_is_no_position_of_the_game_is_refused(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    game_files.write("mine.sgf", Saved("hex(4)", [0, 5]))
    Path("bad.sgf").write_text("(;GM[11]SZ[4];B[z9])")
    assert says in refusal(run(*words))
