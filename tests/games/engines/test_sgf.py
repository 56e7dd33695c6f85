"""Games of Go and Hex in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from plyground import game_files, games, position
from plyground.game_files import Note, Saved
from plyground.spec import InputError


def saved_game(spec: str, moves: str, **more: object) -> Saved:
    game = games.make(spec)
    return Saved(spec, position.play_all(game, position.read(game, ""), moves.split()), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spec, moves, told",
    [
        ("go(5, komi=6.5)", "c3 d3 pass a5", "GM[1]SZ[5]KM[6.5]"),
        ("hex(4)", "a1 d4 b2", "GM[11]SZ[4]"),
    ],
)
def test_what_is_written_is_read_again(spec: str, moves: str, told: str, tmp_path: Path) -> None:
    notes = [Note(), Note("better ] there", "bad", [3]), *[Note()] * (len(moves.split()) - 2)]
    saved = saved_game(spec, moves, players=("A", "B"), seconds=[1.5] * len(moves.split()), notes=notes)
    file = tmp_path / "game.sgf"
    game_files.write(file, saved)
    assert told in file.read_text() and ".sgf" in game_files.endings(spec)
    back = game_files.read(file)
    assert (back.game, back.actions, back.players, back.score) == (spec, saved.actions, ("A", "B"), None)
    assert back.seconds == saved.seconds and game_files.parse_any(file.read_text()).game == spec


def test_files_of_others_are_read() -> None:
    saved = game_files.parse("a.sgf", "(;GM[1]FF[4]SZ[9]KM[5.5]RE[W+R]PB[x];B[ee];W[gc](;B[tt];W[])(;B[aa]))")
    game = games.make(saved.game)
    assert [game.name(action) for action in saved.actions] == ["e5", "g7", "pass", "pass"]
    assert saved.game == "go(9, komi=5.5)" and saved.score == -1 and not saved.reason  # by the rules, it is over
    assert game_files.parse("a.sgf", "(;GM[1];B[pd])").game == "go(19, komi=0)"
    assert game_files.parse("a.sgf", "(;GM[4]SZ[15];B[hh])").game == "gomoku(15)"
    assert game_files.parse("a.sgf", "(;SZ[9]KM[6.50000];B[ee])").game == "go(9, komi=6.5)"  # komi, so it is Go
    with pytest.raises(InputError, match="othello cannot be kept"):
        game_files.endings("othello")
    with pytest.raises(InputError, match="othello cannot be kept in an SGF file"):
        game_files.text("a.sgf", Saved("othello", []))


def test_names_are_read_as_older_programs_write_them(tmp_path: Path) -> None:
    (tmp_path / "old.sgf").write_bytes("(;GM[1]SZ[9]PB[M\xf6ller];B[ee])".encode("latin-1"))
    assert game_files.read(tmp_path / "old.sgf").players[0] == "M\xf6ller"


@pytest.mark.parametrize(
    "text, says",
    [
        ("(;GM[2]SZ[9];B[ee])", "Go is GM\\[1\\]"),
        ("(;GM[1]SZ[9:7];B[ee])", "square board"),
        ("(;GM[1]SZ[9]KM[x];B[ee])", "komi"),
        ("(;GM[1]SZ[9]KM[1000];B[ee])", "komi is -400 to 400, not 1000"),
        ("(;GM[1]SZ[9];B[zz])", "no point"),
        ("(;GM[1]SZ[9];W[ee])", "white moves first"),
        ("(;GM[1]SZ[9]AB[ee];W[ef])", "set up"),
        ("(;GM[1]SZ[9];B[ee];W[ee])", "move 2 is not legal"),
        ("(;GM[1]SZ[9];B[];W[];B[ee])", "move 3 comes after the end"),
        ("(;GM[1]SZ[40];B[ee])", "19"),
        ("(;GM[11]SZ[5];B[z9])", "no point"),
    ],
)
def test_nonsense_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        game_files.parse("a.sgf", text)


def test_several_games_in_a_file_are_read_one_by_one(tmp_path: Path) -> None:
    """Of several kinds even: each is read by the format that knows it."""
    from plyground.game_files import read, read_all

    one = "(;GM[4]SZ[9]C[a ( and \\] here)];B[ee](;W[ef])(;W[aa];B[bb]))"
    other = "(;GM[1]SZ[9]KM[7.5];B[cc];W[gg];B[])"
    (tmp_path / "all.sgf").write_text(f"from somewhere\n{one}\n\n{other}{one}\n")
    found = read_all(tmp_path / "all.sgf")
    assert [saved.game for saved in found] == ["gomoku(9)", "go(9, komi=7.5)", "gomoku(9)"]
    assert len(found[1].actions) == 3
    assert found[0] == found[2] == read(tmp_path / "all.sgf") and len(found[0].actions) == 2
    for text, why in ((one + "(;GM[4]SZ[9];B[ee", "game 2 of .*ends too soon"), ("nothing", "there is no game")):
        (tmp_path / "all.sgf").write_text(text)
        with pytest.raises(InputError, match=why):
            read_all(tmp_path / "all.sgf")
