"""Programs that speak GTP as agents: what they are told, and what happens when they do not play."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from plyground import agents, games, rules
from plyground.agents.base import Agent, Forfeit
from plyground.games.engines.gtp_program import way_to
from plyground.position import read
from plyground.spec import InputError

FAKE = f"{sys.executable} {Path(__file__).parent / 'fake_program.py'}"


def fake(*ways: str, **options: float) -> Agent:
    more = "".join(f", {name}={value!r}" for name, value in ({"grace": 60.0} | options).items())
    return agents.make(f"external({' '.join([FAKE, 'gtp', *ways])!r}{more})")


def heard(log: Path) -> list[str]:
    """What the program was told, but for its time."""
    lines = log.read_text().splitlines()
    return [line for line in lines if not line.startswith("time_settings")]


def test_a_program_is_told_moves_one_by_one(tmp_path: Path) -> None:
    log, game = tmp_path / "heard", games.make("go(5)")
    program = fake("moves=C3,pass,D4", f"log={log}")
    state = rules.new(game)
    for name in ("c3", "b2", "pass", "a1"):
        if game.player(state) == 0:
            assert game.name(program.think(game, state).action) == name
        game.play(state, next(action for action in rules.legal(game, state) if game.name(action) == name))
    program.think(game, state)
    program.close()
    told = ["boardsize 5", "komi 7.5", "clear_board", "genmove black", "play white b2", "genmove black"]
    assert heard(log)[:8] == [*told, "play white a1", "genmove black"]


def test_a_program_is_told_how_a_position_came_about(tmp_path: Path) -> None:
    log, game = tmp_path / "heard", games.make("othello")
    state = read(game, "f5 d6 c3 d3")
    program = fake("moves=c4", f"log={log}")
    assert game.name(program.think(game, state).action) == "c4"
    program.close()
    moves = [line.split()[1:] for line in heard(log) if line.startswith("play ")]
    assert [colour for colour, _ in moves] == ["black", "white", "black", "white"]
    assert rules.new(game).tobytes() != state.tobytes() == read(game, " ".join(move for _, move in moves)).tobytes()


def test_stones_are_put_where_they_lie_after_some_were_taken() -> None:
    game = games.make("go(5)")
    state = read(game, "b1 a1 a2 e5 e4 d5 d4 c4")  # the stone on a1 is gone
    moves = way_to(game, state)
    assert sorted((player, game.name(action)) for player, action in moves) == sorted(
        [(0, "b1"), (0, "a2"), (0, "e4"), (0, "d4"), (1, "e5"), (1, "d5"), (1, "c4")]
    )


def test_a_turn_of_several_moves_is_told_whole(tmp_path: Path) -> None:
    log, game = tmp_path / "heard", games.make("amazons(6)")
    program = fake("moves=b1,b4,b5,a2", f"log={log}")
    state = rules.new(game)
    for name in ("b1", "b4", "b5", "b6", "a6", "d6", "a2"):
        if game.player(state) == 0:
            assert game.name(program.think(game, state).action) == name
        game.play(state, next(action for action in rules.legal(game, state) if game.name(action) == name))
    program.close()
    assert heard(log)[-5:-1] == ["play white b6", "play white a6", "play white d6", "genmove black"]


@pytest.mark.parametrize(
    ("spec", "moves"), [("chess", "e2e4"), ("draughts", "c3-d4"), ("kalah", "c"), ("breakthrough(5,4)", "b2-b3 b4-c3")]
)
def test_first_moves_of_pieces_are_told_as_they_were(spec: str, moves: str) -> None:
    game = games.make(spec)
    told = way_to(game, read(game, moves))
    assert [(player, game.name(action)) for player, action in told] == [*enumerate(moves.split())]


def test_a_position_to_which_no_way_is_found_is_forfeited() -> None:
    game = games.make("othello(4)")
    state = rules.new(game)
    state.discs[:] = 0
    state.discs[0, 0], state.discs[1, 0] = 1, 2
    game.find_moves(state, 0)
    with pytest.raises(Forfeit, match="GTP knows moves, and no positions"):
        way_to(game, state)


@pytest.mark.parametrize(
    ("ways", "why"),
    [
        (["moves=resign"], "it resigned"),
        (["moves=z9"], "it answered 'z9', which is not legal"),
        (["refuse"], "unacceptable size"),
        (["crash"], "exit code 1: I have crashed"),
        (["hang"], "did not answer to genmove black within 0.2 s"),
    ],
)
def test_a_program_that_does_not_play_has_lost(ways: list[str], why: str) -> None:
    game = games.make("go(5)")
    program = fake(*ways, seconds=0.1, grace=60.0 if ways != ["hang"] else 0.1)
    try:
        program.think(game, rules.new(game))
        pytest.fail("it has played")
    except Forfeit as forfeit:
        assert why in str(forfeit) or (ways == ["hang"] and "did not answer" in str(forfeit))
    program.close()


def test_a_protocol_is_named_or_found_by_the_game() -> None:
    game = games.make("gomoku(9)")
    program = agents.make(f"external({f'{FAKE} gtp moves=e5'!r}, protocol='gtp')")  # not by the Gomocup protocol
    assert game.name(program.think(game, rules.new(game)).action) == "e5"
    program.close()
    with pytest.raises(InputError, match="protocol"):
        agents.make("external('true', protocol='gtq')")
    chess = agents.make(f"external({FAKE!r}, protocol='uci')")
    with pytest.raises(InputError, match="by uci a program plays chess, and no other game"):
        chess.think(game, rules.new(game))
    with pytest.raises(InputError, match="an external program plays five in a row by gomocup; chess by uci; games"):
        program.must_play(games.make("2048"))


def gnugo() -> str | None:
    return shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")


@pytest.mark.skipif(not gnugo(), reason="there is no GNU Go")
def test_gnu_go_plays() -> None:
    game = games.make("go(5)")
    program = agents.make(f"external('{gnugo()} --mode gtp --level 1')")
    state = read(game, "c3 b2 b1 a1")
    for _ in range(3):
        game.play(state, program.think(game, state).action)
        game.play(state, rules.legal(game, state)[0])
    program.close()
