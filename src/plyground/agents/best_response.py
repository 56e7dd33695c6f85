"""The agent `best-response`: the exact answer to an opponent whose move probabilities are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ..exact import odds
from ..rules import must_be_for_two
from ..spec import About, InputError, parse
from ..user_files import is_file
from .base import gives
from .simple import Drawing


@dataclass
class BestResponse(Drawing):
    """Wins as often as anybody can against an opponent that plays by a known policy (small games)."""

    to: Annotated[str, About("the opponent: random, win-block, win-block-middle, optimal")] = "random"
    aim: Annotated[str, About("what comes first", choices=odds.RESPONSES)] = "most-wins"

    def __post_init__(self) -> None:
        from . import make, maker

        self._opponent: Any = self.to
        if self.to not in odds.POLICIES:
            name = parse(self.to)[0]
            if not is_file(name) and not gives(maker(name), "choices"):  # before it is made: that may start a program
                raise InputError(f"{self.to} does not tell its move probabilities; respond to random or win-block")
            self._opponent = make(self.to)
        if self.to in odds.RESPONSES:
            raise InputError("a best response needs a fixed policy to respond to")
        self._choices: dict[tuple, list[int]] = {}
        self._odds: dict[tuple, dict[bytes, Any]] = {}  # by game and seat

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_for_two(game, "solving")

    def choices(self, game: Any, state: Any) -> list[int]:
        key = type(game), game, state.tobytes()
        if key not in self._choices:
            self._choices[key] = self._best(game, state)
        return self._choices[key]

    def _best(self, game: Any, state: Any) -> list[int]:
        me = int(game.player(state))
        seats = (self.aim, self._opponent) if me == 0 else (self._opponent, self.aim)
        found = odds.distribution(game, state, *seats, known=self._odds.setdefault((type(game), game, me), {}))
        ranks = {}
        for action, distribution in found.moves.items():
            wins, _, losses = odds.chances(distribution, me)
            rank = (wins, -losses) if self.aim == "most-wins" else (-losses, wins)
            ranks[action] = rank if found.exact else tuple(round(float(x), 9) for x in rank)
        best = max(ranks.values())
        return [action for action, rank in ranks.items() if rank == best]
