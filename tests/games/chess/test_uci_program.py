"""Programs that speak UCI as agents: what they are told, and what happens when they do not play."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from plyground import agents, games, rules
from plyground.agents.base import Forfeit
from plyground.position import read
from plyground.programs.conversation import does_not_know

FAKE = f"{sys.executable} {Path(__file__).parents[1] / 'engines' / 'fake_program.py'}"
GAME = games.make("chess")


def test_a_program_is_told_the_moves_that_matter(tmp_path: Path) -> None:
    log = tmp_path / "heard"
    program = agents.make(f"external({f'{FAKE} uci moves=g8f6,f6g8 log={log}'!r}, seconds=0.5, grace=60, memory=8)")
    state = read(GAME, "e2e4")
    for name in ("g8f6", "g1f3", "f6g8"):
        if GAME.player(state) == 1:
            assert GAME.name(program.think(GAME, state).action) == name
        GAME.play(state, next(action for action in rules.legal(GAME, state) if GAME.name(action) == name))
    program.close()
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    told = log.read_text().splitlines()
    assert told[:4] == ["uci", "setoption name Hash value 8", "ucinewgame", "isready"]
    assert [line for line in told if line.startswith(("position", "go"))] == [
        f"position fen {fen} 0 1",
        "go movetime 500",
        f"position fen {fen} 0 1 moves g8f6 g1f3",
        "go movetime 500",
    ]


@pytest.mark.parametrize(
    ("way", "why"), [("moves=e2e5", "'e2e5', which is not legal"), ("crash", "exit code 1: I have crashed")]
)
def test_a_program_that_does_not_play_has_lost(way: str, why: str) -> None:
    program = agents.make(f"external({f'{FAKE} uci {way}'!r}, seconds=0.1, grace=60)")
    with pytest.raises(Forfeit, match=why):
        program.think(GAME, rules.new(GAME))
    program.close()


@pytest.mark.parametrize(
    ("protocol", "spoken", "why"), [("uci", "gtp", "'\\? unknown command' to uci"), ("gtp", "uci", "to boardsize 8")]
)
def test_a_program_that_speaks_another_protocol_is_not_waited_for(protocol: str, spoken: str, why: str) -> None:
    program = agents.make(f"external({f'{FAKE} {spoken}'!r}, protocol={protocol!r})")
    with pytest.raises(Forfeit, match=why):
        program.think(GAME, rules.new(GAME))
    program.close()


def test_programs_say_in_many_words_that_they_do_not_know_a_command() -> None:
    said = "? unknown command", "White (1) : Invalid move: uci", "Error (unknown command): uci", "Illegal move: uci"
    assert all(does_not_know(line) for line in said) and not does_not_know("id name Invalid")


def test_a_program_that_ended_between_two_games_loses_one_and_is_started_anew(tmp_path: Path) -> None:
    log = tmp_path / "heard"
    program = agents.make(f"external({f'{FAKE} uci moves=g8f6,quit log={log}'!r}, seconds=0.5, grace=60)")
    state = read(GAME, "e2e4")
    program.think(GAME, state)
    talk: Any = program._talks["uci"]  # type: ignore[attr-defined]
    os.killpg(talk._program.process.pid, signal.SIGKILL)
    talk._program.wait()
    program.begin(2)
    with pytest.raises(Forfeit):
        program.think(GAME, state)
    program.begin(3)
    assert GAME.name(program.think(GAME, state).action) == "g8f6"
    program.close()
    assert log.read_text().count("ucinewgame") == 2


def stockfish() -> str | None:
    return shutil.which("stockfish", path=f"{os.environ.get('PATH', '')}:/usr/games")


@pytest.mark.skipif(not stockfish(), reason="there is no Stockfish")
def test_stockfish_finds_a_mate() -> None:
    program = agents.make(f"external('{stockfish()}', seconds=0.1)")
    state = read(GAME, "f2f3 e7e5 g2g4")
    assert GAME.name(program.think(GAME, state).action) == "d8h4"
    program.close()
