"""Chess: published numbers of lines, random games beside OpenSpiel's rules, ends of games, FEN."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyspiel
import pytest

from plyground import games, position, rules
from plyground.rules import after, legal
from plyground.spec import InputError
from plyground.trust.oracles import beside

GAME = games.make("chess")
# positions by which programs compare themselves (chessprogramming.org/Perft_Results)
LINES = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (20, 400, 8902),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2812),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9467),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486),
}


def names(state: Any) -> set[str]:
    return {GAME.name(action) for action in legal(GAME, state)}


def played(text: str, moves: str = "") -> Any:
    return GAME.read(f"{text} moves {moves}" if moves else text)


@pytest.mark.parametrize("fen", LINES)
def test_there_are_as_many_lines_as_is_known(fen: str) -> None:
    def lines(state: Any, depth: int) -> int:
        if depth == 1:
            return int(state.count)
        return sum(lines(after(GAME, state, action), depth - 1) for action in legal(GAME, state))

    state = GAME.read(fen)
    assert GAME.diagram(state) == fen
    assert tuple(lines(state, depth + 1) for depth in range(len(LINES[fen]))) == LINES[fen]


def test_random_games_are_those_of_openspiel() -> None:
    rng = random.Random(2)
    for _ in range(2):
        state, theirs = rules.new(GAME), beside(GAME, pyspiel.load_game("chess").new_initial_state())
        while not GAME.over(state):
            assert GAME.player(state) == theirs.current_player() and GAME.score(state) == 0
            actions = legal(GAME, state)
            assert sorted(actions) == sorted(theirs.legal_actions())
            action = rng.choice(actions)
            theirs.apply_action(action)
            GAME.play(state, action)
        assert theirs.theirs.is_terminal() and GAME.score(state) == theirs.player_return(0)


def test_who_is_mated_has_lost_and_stalemate_is_drawn() -> None:
    state = position.read(GAME, "f2f3 e7e5 g2g4 d8h4")
    assert GAME.over(state) and GAME.score(state) == -1
    state = position.read(GAME, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7")
    assert GAME.over(state) and GAME.score(state) == 1
    state = played("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7")
    assert GAME.over(state) and GAME.score(state) == 0 and state.count == 0


def test_castling_needs_its_rights_free_squares_and_a_way_that_nothing_attacks() -> None:
    both = {"e1g1", "e1c1"}
    assert names(played("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")) >= both
    assert names(played("4k3/8/8/8/8/8/8/R3K2R w K - 0 1")) & both == {"e1g1"}
    assert names(played("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1")) & both == {"e1g1"}
    assert names(played("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1")) & both == {"e1c1"}  # over f1
    assert names(played("4k3/8/8/4r3/8/8/8/R3K2R w KQ - 0 1")) & both == set()  # out of check
    assert names(played("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")) & both == both  # the rook may pass b1
    state = played("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1 h8h1")
    assert GAME.diagram(state) == "r3k3/8/8/8/8/8/8/2KR3r w q - 0 2"
    state = played("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1e2 e8e7 e2e1 e7e8")
    assert not names(state) & both


def test_a_pawn_takes_another_that_has_passed_it_at_once_or_never() -> None:
    state = position.read(GAME, "e2e4 a7a6 e4e5 d7d5")
    assert "e5d6" in names(state) and GAME.diagram(state).split()[3] == "d6"
    taken = after(GAME, state, next(a for a in legal(GAME, state) if GAME.name(a) == "e5d6"))
    assert GAME.diagram(taken).startswith("rnbqkbnr/1pp1pppp/p2P4/8/")
    assert "e5d6" not in names(position.read(GAME, "e2e4 a7a6 e4e5 d7d5 h2h3 h7h6"))
    pinned = played("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1")  # both pawns would leave the row
    assert "e5d6" not in names(pinned) and GAME.diagram(pinned).split()[3] == "-"


def test_a_pawn_becomes_any_of_four_pieces() -> None:
    state = played("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    wanted = {f"{move}{kind}" for move in ("a7a8", "a7b8") for kind in "nbrq"}
    assert names(state) & wanted == wanted
    for kind in "nbrq":
        assert GAME.diagram(played("4k3/8/8/8/8/8/5p2/K7 b - - 0 1", f"f2f1{kind}")).startswith(
            f"4k3/8/8/8/8/8/8/K4{kind}2"
        )


def test_a_position_that_comes_for_the_third_time_is_drawn() -> None:
    there_and_back = "g1f3 g8f6 f3g1 f6g8"
    twice = position.read(GAME, there_and_back)
    assert not GAME.over(twice)
    drawn = position.read(GAME, f"{there_and_back} {there_and_back}")
    assert GAME.over(drawn) and GAME.score(drawn) == 0
    rights = "8/8/8/8/8/k7/8/4K2R w K - 0 1"  # the first position has a right that is lost then
    going = played(rights, " ".join(["h1g1 a3a4 g1h1 a4a3"] * 2))
    assert not GAME.over(going)
    assert GAME.over(played(rights, " ".join(["h1g1 a3a4 g1h1 a4a3"] * 2 + ["h1g1"])))
    passed = "4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1"  # here, a pawn that may be taken en passant
    shuffle = "e8d8 e1d1 d8e8 d1e1"
    assert not GAME.over(played(passed, f"a2a4 {shuffle} {shuffle}"))
    assert GAME.over(played(passed, f"a2a4 {shuffle} {shuffle} e8d8"))


def test_a_hundred_plies_without_a_capture_or_a_pawn_are_drawn_unless_the_last_one_mates() -> None:
    drawn = played("7k/8/8/8/8/8/8/K6R b - - 99 80", "h8g8")
    assert GAME.over(drawn) and GAME.score(drawn) == 0
    assert not GAME.over(played("7k/8/8/8/8/8/8/K6R b - - 98 80", "h8g8"))
    mated = played("7k/8/6K1/8/8/8/8/1R6 w - - 99 80", "b1b8")
    assert GAME.over(mated) and GAME.score(mated) == 1
    assert played("4k3/8/8/8/8/8/4P3/4K3 w - - 99 80", "e2e4").clock == 0


@pytest.mark.parametrize(
    "pieces, drawn",
    [("8/8", 1), ("7B/8", 1), ("7n/8", 1), ("5B1B/8", 1), ("5B1b/8", 1), ("5BB1/8", 0), ("6NN/8", 0), ("6Bn/8", 0)],
)
def test_too_little_material_is_drawn(pieces: str, drawn: int) -> None:
    state = GAME.read(f"4k3/8/8/8/{pieces}/8/4K3 w - - 0 1")
    assert GAME.over(state) == bool(drawn)


def test_a_pawn_may_become_too_little() -> None:
    for kind, drawn in (("n", True), ("b", True), ("r", False)):
        assert GAME.over(played("8/P7/8/8/8/8/8/k3K3 w - - 0 1", f"a7a8{kind}")) == drawn


def test_a_position_keeps_the_moves_that_can_be_undone() -> None:
    state = position.read(GAME, "e2e4 e7e5 g1f3 b8c6 f1b5")
    line = GAME.diagram(state)
    assert line == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 moves g1f3 b8c6 f1b5"
    assert GAME.read(line).tobytes() == state.tobytes()
    assert position.read(GAME, line).tobytes() == state.tobytes()


@pytest.mark.parametrize(
    "fen, says",
    [
        ("8/8/8/8 w - - 0 1", "eight rows with one king"),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", "a row of a FEN has eight squares"),
        ("4k3/8/8/8/8/8/8/4X3 w - - 0 1", "a row of a FEN has eight squares"),
        ("4k3/8/8/8/8/8/8/4KK2 w - - 0 1", "one king of each side"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "no pawn stands on the first or the last row"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "w or b moves, not x"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "K needs the king and a rook"),
        ("4k3/8/8/8/8/8/8/4K3 w A - 0 1", "written KQkq or -, not A"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn has just passed e6"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 101 1", "plies without a capture, 0 to 100"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", ""),
        ("4k3/8/8/8/8/8/8/4K3 w", "a FEN has six parts"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "the king of the player who does not move is in check"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e5", "e2e5 is not legal there"),
    ],
)
def test_a_fen_that_is_none_is_refused(fen: str, says: str) -> None:
    if not says:
        assert GAME.diagram(GAME.read(fen)) == f"{fen} 0 1"
        return
    with pytest.raises(InputError, match=says):
        position.read(GAME, fen)


def test_planes_show_pieces_rights_and_what_has_passed_from_the_movers_side() -> None:
    def planes(state: Any) -> np.ndarray:
        found = np.zeros(GAME.planes(), np.float32)
        GAME.encode(state, found)
        return found

    first = planes(rules.new(GAME))
    assert [int(plane.sum()) for plane in first[:12]] == [8, 2, 2, 2, 1, 1] * 2
    assert first[0, 6].all() and first[6, 1].all() and first[12:16].all() and not first[16:].any()
    black = planes(played("r3k3/8/8/8/3pP3/8/8/4K2R b Kq e3 7 30"))
    assert black[0, 4, 3] and black[6, 4, 4] and black[16, 5, 4]
    assert [bool(black[12 + right].all()) for right in range(4)] == [
        False,
        True,
        True,
        False,
    ]  # q is mine, K the other's
    assert black[17, 0, 0] == np.float32(0.07) and black[19].all()
