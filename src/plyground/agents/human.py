"""The agent `human`: asks at the terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from ..rules import legal
from ..spec import nearest
from .base import Agent, Limit, Thought


class Quit(Exception):
    """The person has had enough."""


@dataclass
class Human(Agent):
    """You, at the terminal."""

    def ready(self, game: Any) -> None:
        """Nobody is asked before the game."""

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        by_name = {game.name(action): action for action in legal(game, state)}
        while True:
            print("your move (? lists them, q ends): ", end="", file=sys.stderr, flush=True)
            word = sys.stdin.readline()
            if not word or word.strip().lower() in ("q", "quit", "exit"):
                raise Quit
            word = word.strip().lower()
            if word in by_name:
                return Thought(by_name[word])
            if word == "?":
                print(" ".join(by_name), file=sys.stderr)
            elif word:
                print(f"{word!r} is no legal move{nearest(word, by_name)}", file=sys.stderr)
