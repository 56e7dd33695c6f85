"""The Universal Chess Interface: an engine for chess that a graphical board, or a match, starts and talks to."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any

import typer

from ... import __version__, agents, games, position
from ...agents.base import Agent, Forfeit, Limit, Thought
from ...rules import new
from ...spec import InputError
from ..lines import serve

MOVES_LEFT = 30  # a move gets this part of the time that is left, unless the driver says how many have to do with it
SPARE = 0.05  # seconds that a move comes earlier than it has to
LONGEST = 86400.0  # seconds of a search that goes on until it is stopped
NUMBERS = ("movetime", "wtime", "btime", "winc", "binc", "movestogo", "nodes", "depth", "mate")


class Engine:
    """Answers the lines of a driver; `say` prints one.  It thinks in a thread of its own, so that `stop` is heard."""

    def __init__(self, agent: Agent, seed: int, say: Callable[[str], None]) -> None:
        self.agent, self.seed, self.say = agent, seed, say
        self.game = games.make("chess")
        self.state = new(self.game)
        self.stop, self.thinking = threading.Event(), threading.Thread()
        agent.begin(seed)

    def hear(self, line: str) -> bool:
        """Answer a line; False if it is `quit`."""
        word, _, words = line.strip().partition(" ")
        if word == "uci":
            for told in (f"id name Plyground {__version__}", "id author the Plyground project", "uciok"):
                self.say(told)
        elif word == "isready":
            if not self.thinking.is_alive() and not self.game.over(self.state):
                self.agent.think(self.game, self.state, Limit(simulations=1, seconds=0.01))  # compiled, then
            self.say("readyok")
        elif word == "ucinewgame":
            self.wait()
            self.agent.begin(self.seed)
        elif word == "position":
            self.wait()
            self.set_up(words)
        elif word == "go":
            self.wait()
            self.begin(words)
        elif word in ("stop", "quit"):
            self.wait()
        return word != "quit"

    def wait(self) -> None:
        """End the search, if there is one, whose move is then told."""
        self.stop.set()
        if self.thinking.is_alive():
            self.thinking.join()

    def set_up(self, words: str) -> None:
        """`startpos` or `fen ...`, and moves."""
        first, _, moves = words.partition("moves")
        kind, _, fen = first.strip().partition(" ")
        try:
            if kind not in ("startpos", "fen"):
                raise InputError(f"a position is startpos or a FEN, not {kind!r}")
            state = self.game.read(fen) if kind == "fen" else new(self.game)
            position.play_all(self.game, state, moves.lower().split())
        except ValueError as error:
            self.say(f"info string {error}")
            return
        self.state = state

    def begin(self, words: str) -> None:
        """Think, as `go` tells, beside whatever is said meanwhile."""
        limit = self.limit(words.split())
        self.stop.clear()
        self.thinking = threading.Thread(target=self.think, args=(limit, "infinite" in words.split()), daemon=True)
        self.thinking.start()

    def limit(self, words: list[str]) -> Limit:
        """What a move may take: as the agent thinks by itself, where neither time nor nodes are told."""
        told = {
            word: max(0, int(value))
            for word, value in pairwise(words)
            if word in NUMBERS and value.removeprefix("-").isdecimal() and value.isascii()
        }
        seconds = told["movetime"] / 1000 - SPARE if "movetime" in told else None
        left = told.get("wb"[self.state.turn] + "time")
        if left is not None:
            more = told.get("wb"[self.state.turn] + "inc", 0) / 1000
            share = left / 1000 / min(MOVES_LEFT, max(1, told.get("movestogo", MOVES_LEFT))) + 0.8 * more
            seconds = min(share, left / 1000 - SPARE)
        if {"infinite", "ponder"} & {*words}:
            seconds = LONGEST
        seconds = None if seconds is None else max(seconds, 0.001)
        return Limit(told.get("nodes"), seconds, self.stop.is_set, lambda thought: self.say(news(self.game, thought)))

    def think(self, limit: Limit, infinite: bool) -> None:
        """Tell what the agent thinks, and its move; after `go infinite` not before `stop`."""
        if self.game.over(self.state):
            self.say("bestmove 0000")
            return
        try:
            thought = self.agent.think(self.game, self.state, limit)
        except (Forfeit, InputError) as error:
            self.say(f"info string {error}")
            self.say("bestmove 0000")
            return
        self.say(news(self.game, thought))
        while infinite and not self.stop.wait(0.05):
            pass
        self.say(f"bestmove {self.game.name(thought.action)}")


def news(game: Any, thought: Thought) -> str:
    """What the agent thinks, as one line of information."""
    line = [game.name(action) for action in (thought.line or [thought.action])]
    score = "" if thought.value is None else f"score cp {centipawns(thought.value)} "
    spent = f"nodes {thought.simulations} time {round(1000 * thought.seconds)}"
    return f"info depth {len(line)} {score}{spent} pv {' '.join(line)}"


def centipawns(value: float) -> int:
    """A value from -1 to 1 as hundredths of a pawn, as Leela Chess Zero converts them."""
    return round(290.680623072 * math.tan(1.548090806 * value))


def uci(
    agent: Annotated[str, typer.Option(help="who thinks, with the driver's time")] = "uct",
    seed: Annotated[int, typer.Option(help="where all random choices come from", min=0)] = 0,
) -> None:
    """Play chess by the Universal Chess Interface (UCI).

    Reads commands like position, go and stop from standard input until quit.
    """
    serve(lambda say: Engine(agents.make(agent), seed, say).hear)


uci.examples = ("plyground engine uci", 'plyground engine uci --agent "alphabeta(depth=3)"')  # type: ignore[attr-defined]
