"""Programs that speak GTP and UCI as agents: what they are told, and what becomes of those that misbehave."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plyground import agents, games, position, rules
from plyground.agents.base import Forfeit, Limit
from plyground.spec import InputError

FAKE = Path(__file__).with_name("fake_program.py")
started: list[Any] = []


@pytest.fixture(autouse=True)
def none_stays() -> Iterator[None]:
    yield
    while started:
        started.pop().close()


def program(protocol: str, *ways: str, **options: Any) -> Any:
    made = agents.maker(protocol)(f"{sys.executable} -S {FAKE} {protocol} {' '.join(ways)}", **options)
    started.append(made)
    made.begin(1)
    return made


def asked(made: Any, game: Any, moves: str) -> str:
    return str(game.name(made.think(game, position.read(game, moves)).action))


def test_a_program_for_go_is_told_the_board_and_then_moves(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("go(5, komi=6.5)")
    made = program("gtp", "chat", f"log={log}", "moves=C3,d4,PASS,e5,a1", seconds=0.2)
    assert asked(made, game, "") == "c3"
    assert asked(made, game, "c3 pass") == "d4"
    assert asked(made, game, "c3 pass d4 b2") == "pass"
    heard = [line for line in log.read_text().splitlines() if not line.startswith(("time", "genmove"))]
    assert heard == ["boardsize 5", "clear_board", "komi 6.5", "play w pass", "play w b2"]
    assert asked(made, game, "a5 b5 c5") == "e5"  # another position: all stones
    told = log.read_text().splitlines()
    assert told[-8:-2] == ["boardsize 5", "clear_board", "komi 6.5", "play b a5", "play w b5", "play b c5"]
    assert told[-2:] == ["time_settings 0 1 1", "genmove w"]
    made.begin(2)
    assert asked(made, game, "") == "a1" and log.read_text().splitlines()[-5] == "boardsize 5"


def test_a_program_for_othello_is_told_a_game_from_its_start(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("othello(6)")
    first = game.name(rules.legal(game, rules.new(game))[0])
    state = position.read(game, first)
    answer = game.name(rules.legal(game, state)[0])
    made = program("gtp", f"log={log}", f"moves={answer}")
    assert game.name(made.think(game, state).action) == answer
    assert log.read_text().splitlines()[:3] == ["boardsize 6", "clear_board", f"play b {first}"]
    made = program("gtp", "moves=a1")
    with pytest.raises(Forfeit, match="from its start"):
        made.think(game, rules.after(game, rules.after(game, state, rules.legal(game, state)[0]), 35))


def test_a_program_for_chess_is_told_positions(tmp_path: Path) -> None:
    log, game = tmp_path / "log", games.make("chess")
    made = program("uci", "chat", f"log={log}", "moves=e2e4,G1F3")
    assert asked(made, game, "") == "e2e4"
    assert made.think(game, position.read(game, "e2e4 e7e5"), Limit(seconds=0.25)).action is not None
    heard = log.read_text().splitlines()
    assert heard[:3] == ["uci", "ucinewgame", "isready"] and heard[4] == "go movetime 1000"
    assert heard[5] == "position fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert heard[6] == "go movetime 250"


@pytest.mark.parametrize("protocol, game", [("gtp", "go(5)"), ("uci", "chess")])
@pytest.mark.parametrize(
    "ways, says",
    [
        (["crash"], "exit code 1: I have crashed"),
        (["hang"], "did not answer to"),
        (["deaf"], "did not answer to"),
        (["moves=z9"], "'z9', which is not legal there"),
    ],
)
def test_a_program_that_misbehaves_has_lost(protocol: str, game: str, ways: list[str], says: str) -> None:
    made = program(protocol, *ways, seconds=0.05, grace=0.2, start=0.5 if "deaf" in ways else 20.0)
    with pytest.raises(Forfeit, match=says):
        made.think(games.make(game), rules.new(games.make(game)))
    assert made._program is None


def test_a_program_may_resign_or_refuse_a_board() -> None:
    with pytest.raises(Forfeit, match="it resigned"):
        program("gtp", "moves=resign").think(games.make("hex(4)"), rules.new(games.make("hex(4)")))
    with pytest.raises(Forfeit, match="unknown command' to boardsize 4"):
        program("gtp", "refuse").think(games.make("hex(4)"), rules.new(games.make("hex(4)")))


def test_programs_play_the_games_of_their_protocols_alone() -> None:
    for protocol, game in (("gtp", "chess"), ("uci", "go(5)"), ("gtp", "tictactoe")):
        with pytest.raises(InputError, match=f"speaks {protocol.upper()} plays"):
            agents.maker(protocol).must_play(games.make(game))
    with pytest.raises(InputError, match="there is no program 'nowhere'"):
        agents.maker("uci")("nowhere").begin(1)


@pytest.mark.parametrize(
    "name, spec, game",
    [
        ("gnugo", "gtp('{} --mode gtp --level 1 --chinese-rules')", "go(5)"),
        ("stockfish", "uci('{}', seconds=0.01)", "chess"),
    ],
)
def test_programs_of_others_play(name: str, spec: str, game: str) -> None:
    found = shutil.which(name, path=f"/usr/games:{sys.exec_prefix}/bin:/usr/bin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    made, rules_, rng = agents.make(spec.format(found)), games.make(game), agents.make("random")
    started.append(made)
    made.begin(1)
    rng.begin(1)
    state = rules.new(rules_)
    for _ in range(3):
        rules_.play(state, made.think(rules_, state).action)
        rules_.play(state, rng.think(rules_, state).action)
