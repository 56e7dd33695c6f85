"""The Go Text Protocol, version 2: an engine for Go, Hex, Othello and whatever two put on cells."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ... import __version__, agents, games, position
from ...agents.base import Agent, Forfeit, Limit
from ...rules import new
from ...spec import InputError, parse
from ..lines import serve
from .gtp_program import GTP

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
MOVES_LEFT = 30  # a move gets this part of the time that is left
SPARE = 0.05  # seconds that a move comes earlier than it has to


class Refused(Exception):
    """What cannot be done, in the words of the protocol."""


class Engine:
    """Answers the lines of a controller; `say` prints one."""

    def __init__(self, game: str, agent: Agent, seed: int, seconds: float, say: Callable[[str], None]) -> None:
        self.agent, self.seed, self.seconds, self.say = agent, seed, seconds, say
        self.name, _, _ = parse(game)
        self.left: dict[int, tuple[float, int]] = {}  # by player: seconds, and the moves that they are for, or 0
        self.commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "Plyground",
            "version": lambda words: __version__,
            "known_command": lambda words: str(" ".join(words) in self.commands).lower(),
            "list_commands": lambda words: "\n".join(self.commands),
            "quit": lambda words: "",
            "boardsize": self.board_size,
            "clear_board": lambda words: self.clear(self.game),
            "komi": self.komi,
            "play": self.play,
            "genmove": self.generate,
            "undo": self.undo,
            "showboard": lambda words: "\n" + str(self.game.text(self.state)),
            "final_score": self.final_score,
            "time_settings": self.time_settings,
            "time_left": self.time_left,
        }
        made = games.make(game)
        if not GTP.plays(made):
            raise InputError(f"GTP is for {GTP.games}, and {game} is not one of them")
        if "komi" in made._fields:
            self.commands |= {
                "fixed_handicap": self.fixed_handicap,
                "place_free_handicap": self.fixed_handicap,
                "set_free_handicap": self.put_handicap,
            }
        self.clear(made)

    def hear(self, line: str) -> bool:
        """Answer a line; False if it is `quit`."""
        words = "".join(c for c in line.partition("#")[0].replace("\t", " ") if c.isprintable()).split()
        number = words.pop(0) if words and words[0].isdecimal() else ""
        if not words:
            return True
        word, *rest = words
        try:
            if word not in self.commands:
                raise Refused("unknown command")
            sign, answer = "=", self.commands[word](rest)
        except (Refused, InputError) as error:
            sign, answer = "?", " ".join(str(error).split())
        self.say(f"{sign}{number} {answer}".rstrip() + "\n")
        return word != "quit"

    def clear(self, game: Any) -> str:
        """Begin a game anew."""
        self.game, self.states = game, [new(game)]
        self.agent.begin(self.seed)
        return ""

    @property
    def state(self) -> Any:
        return self.states[-1]

    def board_size(self, words: list[str]) -> str:
        if len(words) != 1 or not words[0].isdecimal():
            raise Refused("boardsize needs a number")
        if "size" not in self.game._fields:
            if int(words[0]) != self.game.board()["rows"]:
                raise Refused("unacceptable size")
            return self.clear(self.game)
        try:
            return self.clear(self.made(size=int(words[0])))
        except InputError:
            raise Refused("unacceptable size") from None

    def made(self, **changes: Any) -> Any:
        """The same game with other parameters."""
        values = self.game._asdict() | changes
        return games.make(f"{self.name}({', '.join(f'{name}={value!r}' for name, value in values.items())})")

    def komi(self, words: list[str]) -> str:
        try:
            (value,) = map(float, words)
        except ValueError:
            raise Refused("komi needs a number") from None
        if not math.isfinite(value):
            raise Refused("komi needs a number")
        if "komi" in self.game._fields:
            self.game = self.made(komi=value)
        return ""

    def fixed_handicap(self, words: list[str]) -> str:
        """Put so many stones of black's where they usually are; the vertices."""
        points = handicap(self.game.size, int(words[0])) if len(words) == 1 and words[0].isdecimal() else []
        if not points:
            raise Refused("invalid number of stones")
        vertices = [str(self.game.name(point)).upper() for point in points]
        self.put_handicap(vertices)
        return " ".join(vertices)

    def put_handicap(self, words: list[str]) -> str:
        if len(self.states) > 1:
            raise Refused("board not empty")
        if len(words) < 2:
            raise Refused("bad vertex list")
        try:
            for word in words:
                self.play(["black", word])
        except Refused:
            del self.states[1:]
            raise Refused("bad vertex list") from None
        return ""

    # --- moves -------------------------------------------------------------------------------------------

    def turn_of(self, colour: str) -> int:
        """Let this player move next; at Go either may put stones at any time, as for a handicap."""
        if colour.lower() not in COLOURS:
            raise Refused(f"invalid color {colour}")
        player = COLOURS[colour.lower()]
        if self.game.player(self.state) != player and not self.game.over(self.state):
            if "komi" not in self.game._fields:
                raise Refused(f"it is not {colour}'s turn")
            state = self.state.copy()
            state.turn = player
            self.states[-1] = state
        return player

    def play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise Refused("play needs a color and a vertex")
        self.turn_of(words[0])
        state = self.state.copy()
        if "komi" in self.game._fields and state.passes == 2:
            state.passes = 0  # by the protocol passes end nothing: a controller may go on, to take what is dead
        try:
            position.play_all(self.game, state, [words[1].lower()])
        except InputError:
            raise Refused("illegal move") from None
        self.states.append(state)
        return ""

    def generate(self, words: list[str]) -> str:
        if len(words) != 1:
            raise Refused("genmove needs a color")
        player = self.turn_of(words[0])
        if self.game.over(self.state):
            return "PASS"
        try:
            action = self.agent.think(self.game, self.state, Limit(seconds=self.time_for(player))).action
        except Forfeit:
            return "resign"
        state = self.state.copy()
        self.game.play(state, action)
        self.states.append(state)
        return str(self.game.name(action)).upper()

    def undo(self, words: list[str]) -> str:
        if len(self.states) == 1:
            raise Refused("cannot undo")
        self.states.pop()
        return ""

    def final_score(self, words: list[str]) -> str:
        """By the rules, of the stones as they are."""
        if not self.game.over(self.state) and not hasattr(self.game, "margin"):
            raise Refused("the game is not over")
        margin = self.game.margin(self.state) if hasattr(self.game, "margin") else self.game.score(self.state)
        return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"

    # --- time --------------------------------------------------------------------------------------------

    def time_settings(self, words: list[str]) -> str:
        if len(words) != 3 or not all(word.isdecimal() for word in words):
            raise Refused("time_settings needs three numbers")
        main, extra, stones = map(int, words)
        self.left = {} if extra and not stones else dict.fromkeys((0, 1), (main, 0) if main else (extra, stones))
        return ""

    def time_left(self, words: list[str]) -> str:
        if len(words) != 3 or words[0].lower() not in COLOURS or not all(word.isdecimal() for word in words[1:]):
            raise Refused("time_left needs a color and two numbers")
        self.left[COLOURS[words[0].lower()]] = (int(words[1]), int(words[2]))
        return ""

    def time_for(self, player: int) -> float:
        """Seconds for a move."""
        seconds, stones = self.left.get(player, (math.inf, 1))
        return max(0.001, min(self.seconds, seconds / (stones or MOVES_LEFT) - SPARE))


def handicap(size: int, stones: int) -> list[int]:
    """The cells of fixed handicap stones, by the protocol: 2 to 9 of them, 4 at most on boards without a middle and on
    7 x 7, on the third line or, from 13 x 13 on, the fourth.  None where there is no such handicap."""
    low, middle = (2 if size < 13 else 3), size // 2
    high, most = size - 1 - low, 9 if size % 2 and size > 7 else 4 if size >= 7 else 0
    corners = [(high, low), (low, high), (low, low), (high, high)]
    sides = [(middle, low), (middle, high), (high, middle), (low, middle)]
    points = corners[:stones] + sides[: max(0, stones - stones % 2 - 4)] + [(middle, middle)] * (stones in (5, 7, 9))
    return [row * size + col for row, col in points] if 2 <= stones <= most else []


def gtp(
    game: Annotated[
        str, typer.Option(help="what is played, until boardsize says otherwise: go, hex, othello, ...")
    ] = "go(19)",
    agent: Annotated[str, typer.Option(help="who thinks")] = "uct",
    seconds: Annotated[float, typer.Option(help="most seconds a move", min=0.001, max=86400)] = 5.0,
    seed: Annotated[int, typer.Option(help="where all random choices come from", min=0)] = 0,
) -> None:
    """Play Go, Hex, Othello or another game of stones by the Go Text Protocol (GTP), version 2.

    Reads commands like boardsize 9, play b e5 and genmove w from standard input until quit.
    """
    serve(lambda say: Engine(game, agents.make(agent), seed, seconds, say).hear)


gtp.examples = (  # type: ignore[attr-defined]
    'plyground engine gtp --game "go(9)"',
    'plyground engine gtp --game "hex(11)" --agent "rave" --seconds 2',
)
