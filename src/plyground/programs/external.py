"""The agent `external`: any program that speaks a protocol by which its game is played."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

from ..agents.base import Agent, Forfeit, Limit, Thought
from ..child import Gone, words_of
from ..manifest import load, registered
from ..spec import About, InputError
from .conversation import Conversation, Terms

AUTO = "auto"
PROTOCOLS = (AUTO, *registered("protocols"))


@dataclass
class External(Agent):
    """A program that speaks the Gomocup protocol (five in a row), UCI (chess) or GTP (Go, Hex and others)."""

    command: Annotated[str, About("the program with its arguments, as in a terminal; no shell runs it", kind="command")]
    seconds: Annotated[float, About("seconds a move that it is told", low=0, high=86400)] = 1.0
    grace: Annotated[float, About("seconds over this after which it has lost", low=0, high=3600)] = 10.0
    memory: Annotated[int, About("most megabytes that it is told", low=1, high=65536)] = 350
    start: Annotated[float, About("seconds to start: some load large libraries first", low=0, high=3600)] = 60.0
    protocol: Annotated[str, About("what it speaks; auto: what its game is played by", choices=PROTOCOLS)] = AUTO

    outside = True

    def __post_init__(self) -> None:
        self._talks: dict[str, Conversation] = {}  # by protocol

    def begin(self, seed: int) -> None:
        super().begin(seed)
        words_of(self.command)
        for talk in self._talks.values():
            talk.begin()

    def close(self) -> None:
        for talk in self._talks.values():
            talk.close()

    @classmethod
    def must_play(cls, game: Any) -> None:
        usual_protocol(game)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        begun = time.perf_counter()
        talk = self._talk(game)
        try:
            action = talk.choose(game, state, limit)
        except Gone as gone:
            self.close()
            raise Forfeit(str(gone)) from None
        except BaseException:
            self.close()
            raise
        return Thought(action, seconds=time.perf_counter() - begun)

    def _talk(self, game: Any) -> Conversation:
        name = usual_protocol(game) if self.protocol == AUTO else self.protocol
        if name not in self._talks:
            terms = Terms(self.command, self.seconds, self.grace, self.memory, self.start)
            self._talks[name] = conversation(name)(terms)
        if not self._talks[name].plays(game):
            raise InputError(f"by {name} a program plays {self._talks[name].games}, and no other game")
        return self._talks[name]


def conversation(name: str) -> type[Conversation]:
    """How programs are spoken with by a protocol."""
    return load("protocol", name, registered("protocols")[name])


def usual_protocol(game: Any) -> str:
    """The first protocol by which this game is played; InputError if there is none."""
    known = registered("protocols")
    for name in sorted(known, key=lambda name: conversation(name).general):
        if conversation(name).plays(game):
            return name
    told = "; ".join(f"{conversation(name).games} by {name}" for name in known)
    raise InputError(f"an external program plays {told}, and no other game")
