"""Games of chess in files: moves as people write them, comments and variations, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from plyground import game_files, games, position
from plyground.game_files import Note, Saved
from plyground.games.chess.pgn import read_san, san
from plyground.spec import InputError

GAME = games.make("chess")
OPERA = """[Event "A Night at the Opera"]
[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 {This is a weak move ; or is it?} Bg4?! 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6
(6... Qf6 7. Qb3 (7. Qxf6 Nxf6)) 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 $2 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O
Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+!! Nxb8 17. Rd8# 1-0

[Event "another"]
1. d4 *
"""


def test_a_game_is_read_without_what_is_said_of_it() -> None:
    saved = game_files.parse("opera.pgn", OPERA)
    assert (saved.game, saved.players, saved.score) == ("chess", ("Morphy", "Duke and Count"), 1.0)
    names = [GAME.name(action) for action in saved.actions]
    assert len(names) == 33 and names[-1] == "d1d8" and names[22] == "e1c1" and not saved.reason


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    state = position.read(GAME, "")
    actions = position.play_all(GAME, state, ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"])
    other = position.play_all(GAME, position.read(GAME, "e2e4"), ["c7c5", "g1f3"])
    notes = [Note(), Note("not } best", "doubtful", other), *[Note()] * 5]
    saved = Saved("chess", actions, ('A "B"', "C\\D"), 1.0, [0.25, 61.5, 1, 2, 3, 4000.125, 6], notes=notes)
    file = tmp_path / "mate.pgn"
    game_files.write(file, saved)
    text = file.read_text()
    assert '[White "A \\"B\\""]' in text and "Qxf7#" in text and text.endswith("1-0\n\n")
    assert "1... e5?! {[%emt 0:01:01.500] not ) best} (1... c5 2. Nf3) 2. Qh5" in " ".join(text.split())
    assert max(map(len, text.splitlines())) < 80
    back = game_files.read(file)
    assert (back.actions, back.players, back.score, back.seconds) == (actions, saved.players, 1, saved.seconds)
    assert game_files.endings("chess") == [".pgn"]
    with pytest.raises(InputError, match="othello cannot be kept in a file"):
        game_files.endings("othello")
    assert game_files.parse_any(text).game == "chess"


@pytest.mark.parametrize(
    "fen, move, written",
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "a1d1", "Rd1"),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
        ("4k3/R7/8/8/8/8/4K3/R7 w - - 0 1", "a1a4", "R1a4"),
        ("2k5/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8n", "exd8=N"),
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", "Ra8+"),
    ],
)
def test_moves_are_written_as_short_as_is_clear(fen: str, move: str, written: str) -> None:
    state = GAME.read(fen)
    action = next(one for one in range(GAME.actions()) if GAME.name(one) == move)
    assert san(GAME, state, action) == written
    assert read_san(GAME, state, written) == read_san(GAME, state, move) == action
    assert read_san(GAME, state, written.replace("=", "").replace("O", "0")) == action


def test_files_of_others_are_read(tmp_path: Path) -> None:
    """Castling with zeros, e.p., lines that begin with %, marks of their own, letters as older programs write them."""
    file = tmp_path / "old.pgn"
    moves = "1 e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 += 4.0-0 Nf6 5.d4 exd4 6.e5 d5 7.exd6 e.p. 0-0"
    file.write_bytes(f'[White "M\xf6ller"]\n\n% e4\n{moves} *'.encode("latin-1"))
    saved = game_files.read(file)
    assert saved.players[0] == "M\xf6ller"
    assert [GAME.name(saved.actions[ply]) for ply in (6, 12, 13)] == ["e1g1", "e5d6", "e8g8"]


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "there is no game in the file"),
        ("1. e4 e5 2. Ke3", "move 3, Ke3 is not legal there"),
        ("1. e4 e5 2. Nf3 Nc6 3. Nc3 Nf6 4. Nd5 Ng8 5. N5", "move 9, N5 is not legal there"),
        ("1. f3 e5 2. g4 Qh4# 3. a3 0-1", "move 5, a3, comes after the end of the game"),
        ("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4", "move 9, e4, .* here nobody has to claim it"),
        ('[FEN "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]\n1. Kd1 *', "begins from another position"),
        ('[Variant "Atomic"]\n1. e4 *', "has other rules"),
        ("1. Nf3 d5 2. d4 d6", "move 4, d6 is not legal there"),
        ("1. Nf3 a6 2. d3 a5 3. Nd2 *", "more than one move there"),
        ("1. e4 -- 2. d4 *", "move 2, -- is not legal there"),
        ("1. e4) e5 *", "after move 1 a bracket closes that was never opened"),
        ("1. e4 e5 (1... c5 2. Nf3 *", "after move 2 a variation begins that does not end"),
    ],
)
def test_what_is_no_game_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        game_files.parse("some.pgn", text)


def test_a_game_that_was_not_played_to_its_end_has_a_reason() -> None:
    saved = game_files.parse("some.pgn", '[Termination "time forfeit"]\n1. e4 e5 0-1')
    assert (saved.score, saved.reason) == (-1, "time forfeit")
    assert '[Termination "time forfeit"]' in game_files.text("x.pgn", saved)
    assert game_files.parse("some.pgn", "1. e4 1-0").reason == "unknown"
    assert game_files.parse("some.pgn", '[Result "1/2-1/2"]\n1. e4').score == 0
    assert game_files.parse("some.pgn", "1. e4 *").score is None
    with pytest.raises(InputError, match="tictactoe cannot be kept in a PGN file"):
        game_files.text("x.pgn", Saved("tictactoe", [4]))


def test_several_games_in_a_file_are_read_one_by_one(tmp_path: Path) -> None:
    """Each as `text` has written it; brackets, results and tags within comments and values begin nothing."""
    from plyground.game_files import read, read_all, write

    played = [["e2e4", "e7e5", "g1f3"], ["d2d4"], ["f2f3", "e7e5", "g2g4", "d8h4"]]
    game = GAME
    by_name = {game.name(action): action for action in range(game.actions())}
    texts = []
    for number, names in enumerate(played):
        path = tmp_path / f"{number}.pgn"
        write(path, Saved("chess", [by_name[name] for name in names], (f'A "{number}" [x', "B; {"), None))
        texts.append(path.read_text())
    texts[0] = texts[0].replace("e5", 'e5 {1-0 [White "C"] *} (1... c5 2. Nc3 *)', 1)
    together = tmp_path / "all.pgn"
    together.write_text("\n".join([*texts, "1. e4 c5 1/2-1/2 1. c4 0-1\n"]))
    found = read_all(together)
    assert [[game.name(action) for action in saved.actions] for saved in found] == [*played, ["e2e4", "c7c5"], ["c2c4"]]
    assert [saved.score for saved in found] == [None, None, -1, 0, -1] and found[1].players[0] == 'A "1" [x'
    assert read(together) == found[0] and read_all(tmp_path / "1.pgn") == [found[1]]
    together.write_text(texts[0] + texts[1].replace("d4", "d5"))
    with pytest.raises(InputError, match=r"game 2 of .*all.pgn: move 1"):
        read_all(together)
