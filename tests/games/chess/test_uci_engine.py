"""The engine for chess: what a driver says, and what it hears."""

from __future__ import annotations

import time

import pytest

from commands import run
from plyground import agents, rules
from plyground.agents.base import Agent, Forfeit, Limit, Thought
from plyground.games.chess.uci import Engine, centipawns


class Slow(Agent):
    """Thinks until it is stopped, or its time is over; plays the first legal move."""

    def think(self, game, state, limit=Limit()):  # type: ignore[no-untyped-def]
        self.limit, end = limit, time.monotonic() + (5 if limit.seconds is None else limit.seconds)
        while time.monotonic() < end and not (limit.simulations or (limit.stop and limit.stop())):
            time.sleep(0.005)
        return Thought(rules.legal(game, state)[0], value=0.5, simulations=7, seconds=0.25)


class Resigns(Agent):
    def think(self, game, state, limit=Limit()):  # type: ignore[no-untyped-def]
        raise Forfeit("no more")


def engine(agent: Agent | None = None) -> tuple[Engine, list[str]]:
    heard: list[str] = []
    return Engine(agent or agents.make("random"), 1, heard.append), heard


def test_an_engine_tells_its_name_and_when_it_is_ready() -> None:
    made, heard = engine()
    assert made.hear("uci\n") and heard[0].startswith("id name Plyground") and heard[-1] == "uciok"
    assert made.hear("isready") and heard[-1] == "readyok"
    assert (
        made.hear("nonsense") and made.hear("setoption name Hash value 16") and made.hear("") and heard[-1] == "readyok"
    )
    assert not made.hear("quit")


def test_positions_are_fens_or_the_first_one_with_moves() -> None:
    made, heard = engine(Slow())
    for words, fen in (
        ("startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("startpos moves e2e4 c7c5", "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"),
        ("fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 1 moves a7a8q", "Q3k3/8/8/8/8/8/8/4K3 b - - 0 1"),
    ):
        made.hear(f"position {words}")
        assert made.game.diagram(made.state) == fen and heard == []
    for words, why in (
        ("startpos moves e2e5", "e2e5, is not legal"),
        ("fen 8/8 w - - 0 1", "eight rows"),
        ("fen nonsense", "a FEN has six parts"),
        ("nowhere", "startpos or a FEN"),
    ):
        made.hear(f"position {words}")
        told = heard.pop()
        assert told.startswith("info string ") and why in told and made.game.diagram(made.state) == fen


def test_a_move_comes_after_what_is_thought_of_it() -> None:
    made, heard = engine(Slow())
    made.hear("position startpos moves e2e4")
    made.hear("go movetime 100")
    made.thinking.join()
    assert heard == ["info depth 1 score cp 284 nodes 7 time 250 pv b8a6", "bestmove b8a6"]
    assert 0.04 < made.agent.limit.seconds < 0.06  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "words, low, high",
    [
        ("wtime 60000 btime 1000", 1.9, 2.1),
        ("wtime 60000 btime 1000 winc 1000 binc 0", 2.7, 2.9),
        ("wtime 60000 btime 1000 movestogo 6", 9.9, 10.1),
        ("wtime 100 btime 1000 movestogo 1", 0.04, 0.06),
        ("wtime -5 btime 1000", 0.001, 0.001),
        ("movetime 10", 0.001, 0.001),
    ],
)
def test_a_move_has_its_part_of_the_time(words: str, low: float, high: float) -> None:
    made, _ = engine(Slow())
    seconds = made.limit(words.split()).seconds
    assert seconds is not None and low <= seconds <= high


def test_a_search_without_an_end_is_stopped_and_its_move_is_told() -> None:
    made, heard = engine(Slow())
    made.hear("go infinite")
    time.sleep(0.02)
    assert heard == [] and made.thinking.is_alive()
    assert made.agent.limit.seconds > 3600  # type: ignore[attr-defined]
    made.agent.limit.watch(Thought(0, value=0.0))  # type: ignore[attr-defined]
    assert heard.pop() == "info depth 1 score cp 0 nodes 0 time 0 pv a8a8"
    assert made.hear("isready") and heard == ["readyok"]
    made.hear("stop")
    assert heard[-1].startswith("bestmove ") and not made.thinking.is_alive()
    made.hear("go nodes 5")
    made.thinking.join()
    assert made.agent.limit.simulations == 5 and made.agent.limit.seconds is None  # type: ignore[attr-defined]
    made.hear("ucinewgame")
    made.hear("go infinite")
    assert not made.hear("quit") and sum(line.startswith("bestmove") for line in heard) == 3


def test_where_nothing_can_be_played_there_is_no_move() -> None:
    made, heard = engine(Slow())
    made.hear("position startpos moves f2f3 e7e5 g2g4 d8h4")
    made.hear("go movetime 10")
    made.thinking.join()
    assert heard == ["bestmove 0000"]
    made, heard = engine(Resigns())
    made.hear("go movetime 10")
    made.thinking.join()
    assert heard == ["info string no more", "bestmove 0000"]


def test_the_command_serves_until_the_input_ends() -> None:
    ran = run("engine", "uci", "--agent", "random", stdin="uci\nposition startpos\ngo nodes 1\n")
    assert ran.returncode in (0, None) and ran.stdout.splitlines()[-1].startswith("bestmove ")
    assert "uct(" not in run("engine", "uci", "--agent", "nobody").stdout


def test_values_are_told_in_pawns() -> None:
    assert centipawns(0) == 0 and centipawns(-0.5) == -centipawns(0.5) and 250 < centipawns(0.5) < 300
    assert centipawns(1) > 10_000
