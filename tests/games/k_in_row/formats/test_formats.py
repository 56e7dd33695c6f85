"""Files of games: what is written is read again, Piskvork's and Gomocup's own files too, and nonsense is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyground import game_files, games, rules
from plyground.game_files import Saved
from plyground.spec import InputError

SPECS = [
    "gomoku(15)",
    "gomoku(20)",
    "gomoku(30)",
    'gomoku(9, rule="exactly-five")',
    "mnk(4,4,4)",
    "mnk(7,5,5)",
    "tictactoe",
]
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), max_size=20).filter(
    lambda name: name == "" or name.strip("-,0123456789") != ""
)


@st.composite
def saved_games(draw: st.DrawFn) -> Saved:
    """A random game, played to some point, with a score that fits."""
    spec = draw(st.sampled_from(SPECS))
    game = games.make(spec)
    state, actions = rules.new(game), list[int]()
    cells = draw(st.randoms(use_true_random=False)).sample(range(game.actions()), game.actions())
    for action in cells[: draw(st.integers(0, 40))]:
        if game.over(state):
            break
        actions.append(action)
        game.play(state, action)
    score, reason = draw(st.sampled_from([(None, ""), (0.0, ""), (1.0, "out of time"), (-1.0, "it broke: x")]))
    if game.over(state):
        score, reason = float(game.score(state)), ""
    times = st.lists(st.integers(0, 10**7), min_size=len(actions), max_size=len(actions))
    seconds = [ms / 1000 for ms in draw(st.one_of(st.just([]), times))]
    return Saved(spec, actions, (draw(NAMES), draw(NAMES)), score, seconds if any(seconds) else [], reason)


@pytest.mark.parametrize("suffix", [".psq", ".sgf"])
@settings(max_examples=30, deadline=None)
@given(saved=saved_games())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, suffix: str, saved: Saved) -> None:
    path = tmp_path_factory.mktemp("games") / f"game{suffix}"
    game_files.write(path, saved)
    found = game_files.read(path)
    assert games.make(found.game) == games.make(saved.game)
    assert (found.actions, found.score, found.reason) == (saved.actions, saved.score, saved.reason)
    assert found.seconds == pytest.approx(saved.seconds) and found.players == saved.players


def read(tmp_path: Path, name: str, text: str | bytes) -> Saved:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return game_files.read(tmp_path / name)


def names(saved: Saved) -> str:
    game = games.make(saved.game)
    return " ".join(game.name(action) for action in saved.actions)


# --- PSQ ----------------------------------------------------------------------------------------------------

FIVE = "8,8,0\r\n1,1,12\r\n9,8,1500\r\n2,1,20\r\n10,8,900\r\n3,1,1\r\n11,8,7\r\n4,1,3\r\n12,8,44\r\n"  # black wins


def test_a_tournament_file_of_piskvork_is_read(tmp_path: Path) -> None:
    saved = read(tmp_path, "a.psq", f"Piskvorky 15x15, 11:11, 0\r\n{FIVE}pbrain-a.exe\r\npbrain-b.exe\r\n0\r\n")
    assert saved.game == "gomoku(15)" and names(saved) == "h8 a15 i8 b15 j8 c15 k8 d15 l8"
    assert saved.players == ("pbrain-a.exe", "pbrain-b.exe") and saved.score == 1
    assert saved.seconds == [0, 0.012, 1.5, 0.02, 0.9, 0.001, 0.007, 0.003, 0.044]


def test_who_is_named_second_may_have_moved_first(tmp_path: Path) -> None:
    saved = read(tmp_path, "a.psq", f"Piskvorky 15x15, 3:3, 1\r\n{FIVE}a\r\nb\r\n0\r\n")
    assert saved.players == ("b", "a") and saved.score == 1


def test_a_file_saved_by_hand_has_no_names(tmp_path: Path) -> None:
    saved = read(tmp_path, "a.psq", "Piskvorky 20x20, 0:5, 0\n10,10,0\n11,11,800\n-1\n")
    assert saved.players == ("", "") and saved.score is None and saved.game == "gomoku(20)"


def test_a_file_of_gomocup_tells_the_rule(tmp_path: Path) -> None:
    text = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\nAI1.zip\nAI2.zip\n-1\n{}\n"
    assert read(tmp_path, "a.psq", text.format("0,Freestyle15_1")).score == 0
    standard = read(tmp_path, "a.psq", text.format("2,Standard"))
    assert standard.game == 'gomoku(15, rule="exactly-five")'
    assert standard.score == -1 and standard.reason == "forfeited"  # the player to move lost, whatever the pairing
    with pytest.raises(InputError, match="Renju"):
        read(tmp_path, "a.psq", text.format("1,Renju"))


@pytest.mark.parametrize(
    "code, score, reason", [("15", 1, "out of time"), ("-2", 1, "forfeited"), ("0", 0, ""), ("-1", None, "")]
)
def test_how_a_game_without_a_row_ended(tmp_path: Path, code: str, score: float | None, reason: str) -> None:
    saved = read(tmp_path, "a.psq", f"Piskvorky 15x15, 11:11, 0\n8,8,0\na\nb\n{code}\n")
    assert (saved.score, saved.reason) == (score, reason)  # white was to move


def test_moves_after_six_in_a_row_tell_that_exactly_five_win(tmp_path: Path) -> None:
    row = [1, 2, 3, 5, 6, 4]  # the last stone makes six
    moves = "".join(f"{x},1,0\n{x * 2},9,0\n" for x in row)
    saved = read(tmp_path, "a.psq", f"Piskvorky 15x15, 0:0, 0\n{moves}-1\n")
    assert saved.game == 'gomoku(15, rule="exactly-five")' and len(saved.actions) == 12


def test_odd_spaces_and_trailing_text_do_no_harm(tmp_path: Path) -> None:
    text = "\ufeff\n  Piskvorky  15 x 15 , 11:11 , 0  \r\r\n\n 8 , 8 , 0\n 9,9\na b\nc\n-1\nmuch more\n1,2,3\n"
    saved = read(tmp_path, "a.PSQ", text)
    assert names(saved) == "h8 i7" and saved.players == ("a b", "c")


# --- SGF ----------------------------------------------------------------------------------------------------


def test_sgf_with_variations_comments_and_other_games_gives_the_main_line(tmp_path: Path) -> None:
    text = r"""Some words before (;FF[4]GM[4]SZ[15]PB[Anna [x\]]PW[Bo\
b]RE[B+R]C[a ; ( comment \] )]
    ;B[hh]C[1.250 s]BL[100];W [ig] C[0.5 s]
    (;B[gi];W[aa](;B[ab])(;B[ac])) (;B[bb];W[cc])) (;GM[1]SZ[19];B[dd])"""
    saved = read(tmp_path, "a.sgf", text)
    assert names(saved) == "h8 i9 g7 a15 a14" and saved.players == ("Anna [x]", "Bob")
    assert saved.score == 1 and saved.reason == "resigned" and saved.seconds == []  # not of every move


def test_white_may_move_first_and_cells_may_be_named_as_people_do(tmp_path: Path) -> None:
    saved = read(tmp_path, "a.sgf", "(;GM[4]SZ[15]PB[b]PW[w]RE[W+];W[H8];B[a15])")
    assert saved.players == ("w", "b") and saved.score == 1 and names(saved) == "h8 a15"


def test_the_rules_know_better_than_the_result_that_is_given(tmp_path: Path) -> None:
    moves = "".join(f";B[{x}a];W[{x}c]" for x in "abcd") + ";B[ea]"
    assert read(tmp_path, "a.sgf", f"(;GM[4]SZ[15]RE[W+]{moves})").score == 1


def test_a_win_that_the_rules_do_not_see_has_a_reason(tmp_path: Path) -> None:
    for path in (tmp_path / "a.sgf", tmp_path / "a.psq"):
        for score in (1.0, -1.0):
            game_files.write(path, Saved("gomoku(15)", [7], score=score))
            found = game_files.read(path)
            assert (found.score, found.reason) == (score, "unknown")


def test_draws_and_unknown_results(tmp_path: Path) -> None:
    for result, score in (("0", 0), ("Draw", 0), ("?", None), ("Void", None), ("W+T", -1)):
        assert read(tmp_path, "a.sgf", f"(;GM[4]SZ[15]RE[{result}];B[hh])").score == score


def test_a_full_board_without_a_row_is_a_draw(tmp_path: Path) -> None:
    saved = Saved("mnk(2,2,2)", [], score=None)
    full = Saved("mnk(2,1,2)", [0, 1])
    for path in (tmp_path / "a.sgf", tmp_path / "a.psq"):
        game_files.write(path, full)
        assert game_files.read(path).score == 0
        game_files.write(path, saved)
        assert game_files.read(path) == saved


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("a.psq", "", "begins with a line"),
        ("a.psq", "Piskvorky axb, 11:11, 0", "begins with a line"),
        ("a.psq", "Piskvorky 15x15, 11:11, 0\n16,1,0\n", "not on the board"),
        ("a.psq", "Piskvorky 15x15, 11:11, 0\n0,1,0\n", "not on the board"),
        ("a.psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0\n", "move 2 is not legal"),
        ("a.psq", f"Piskvorky 15x15, 11:11, 0\n{FIVE}13,13,0\n", "move 10 comes after the end"),
        ("a.psq", "Piskvorky 99x99, 11:11, 0\n8,8,0\n", "5 to 30"),
        ("a.psq", "Piskvorky 9999x9999, 11:11, 0\n8,8,0\n", "to 30"),
        ("a.psq", b"\xff\xfe\x00\x01" * 100, "begins with a line"),
        ("a.sgf", "", "no game"),
        ("a.sgf", "no game at all", "no game"),
        ("a.sgf", "(;GM[2]SZ[15];B[hh])", "another game"),
        ("a.sgf", "(;GM[4];B[hh])", "size of the board"),
        ("a.sgf", "(;GM[4]SZ[99];B[hh])", "to 30"),
        ("a.sgf", "(;GM[4]SZ[15];B[zz])", "no cell"),
        ("a.sgf", "(;GM[4]SZ[15];B[])", "no cell"),
        ("a.sgf", "(;GM[4]SZ[15];B[hh];W[hh])", "move 2 is not legal"),
        ("a.sgf", "(;GM[4]SZ[15];B[hh];B[hi])", "by turns"),
        ("a.sgf", "(;GM[4]SZ[15]AB[hh];W[hi])", "set up"),
        ("a.sgf", "(;GM[4]SZ[15]RU[renju];B[hh])", "renju"),
        ("a.sgf", "(;GM[4]SZ[15];B[hh", "something else than SGF"),
        ("a.sgf", "(GM[4])", "without its node"),
        ("a.sgf", "(;[4])", "without its node"),
        ("a.sgf", "(;GM[4]SZ[15];B[hh]__import__('os')", "something else than SGF"),
        ("a.txt", "", ".sgf or .psq"),
    ],
)
def test_nonsense_is_refused_in_one_line(tmp_path: Path, name: str, text: str | bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as refusal:
        read(tmp_path, name, text)
    assert "\n" not in str(refusal.value)


def test_files_that_are_too_large_or_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than 1 MiB"):
        read(tmp_path, "a.sgf", b" " * ((1 << 20) + 1))
    with pytest.raises(InputError, match="cannot be read"):
        game_files.read(tmp_path / "nowhere.psq")
    with pytest.raises(InputError, match="cannot be written"):
        game_files.write(tmp_path / "nowhere" / "a.psq", Saved("gomoku(15)", []))


@pytest.mark.parametrize(
    "saved, says",
    [
        (Saved("connect-four", [3]), "connect-four cannot be kept"),
        (Saved("gomoku(15)", [225]), "not legal"),
        (Saved("gomoku(15)", [1, 1]), "not legal"),
        (Saved("gomoku(15)", [1], seconds=[1.0, 2.0]), "2 thinking times for 1 moves"),
        (Saved("gomoku(15)", [1], score=0.5), "1, 0 or -1"),
    ],
)
@pytest.mark.parametrize("suffix", [".psq", ".sgf"])
def test_what_no_file_can_hold_is_refused(tmp_path: Path, saved: Saved, says: str, suffix: str) -> None:
    with pytest.raises(InputError, match=says):
        game_files.write(tmp_path / f"a{suffix}", saved)
    assert not list(tmp_path.iterdir())


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.sampled_from(list("(;)[]\\ BWCSZGM4159,ah\n\rPiskvorky x")), max_size=80), psq=st.booleans())
def test_any_text_is_read_or_refused(text: str, psq: bool) -> None:
    from plyground.games.k_in_row.formats.psq import parse as parse_psq
    from plyground.games.k_in_row.formats.sgf import parse as parse_sgf

    try:
        saved = parse_psq(f"Piskvorky 9x9, 0:0, 0\n{text}") if psq else parse_sgf(f"(;GM[4]SZ[9]{text}")
    except InputError:
        return
    assert isinstance(saved, Saved)
