"""What is told of the strength of nets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..learn.strength import OPPONENTS, Contest, Mistakes, Strength
from ..nets.card import Card
from ..tables import Table
from .base import Report, flat


class StrengthReport(Report):
    """What has been measured of some nets, each with its name and its card."""

    def __init__(self, nets: list[tuple[str, Card, Strength]]) -> None:
        self.nets = nets

    def to_json(self) -> dict[str, Any]:
        found = [
            self._named(name, card)
            | {
                "mistakes": [one.to_json() for one in known.mistakes],
                "matches": [one.to_json() for one in known.contests],
            }
            for name, card, known in self.nets
        ]
        return {"nets": found}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each thing that was measured of a net; one without figures for a net of which nothing was."""
        found = []
        for name, card, known in self.nets:
            mistakes = [{"measured": "mistakes", **flat(one.to_json())} for one in known.mistakes]
            matches = [{"measured": "match", **flat(one.to_json())} for one in known.contests]
            found += [self._named(name, card) | one for one in mistakes + matches or [{"measured": None}]]
        return found

    @staticmethod
    def _named(name: str, card: Card) -> dict[str, Any]:
        return {"net": name, "game": card.game, "digest": card.digest}

    def parts(self) -> Iterator[str | Table]:
        if any(known.mistakes for _, _, known in self.nets):
            yield self.mistakes()
            yield ""
        if any(known.contests for _, _, known in self.nets):
            yield self.table()
        empty = [(name, card) for name, card, known in self.nets if not known.mistakes and not known.contests]
        missing = [name for name, card in empty if not card.returns]
        stale = [name for name, _, known in self.nets if known.stale]
        if stale:
            yield f"\nwhat was measured of {', '.join(stale)} was another net: `plyground strength NET --measure`"
        elif missing:
            yield f"\nnothing was measured of {', '.join(missing)}: `plyground strength NET --measure`"
        for name, card in empty:
            if card.returns:  # one player's
                yield f"\n{name} is for one player: `plyground score {card.game} 'alphazero(\"{name}\")'` plays it"

    def mistakes(self) -> Table:
        """The distance from perfect play, where the truth is known."""
        counts = sorted({one.sims for _, _, known in self.nets for one in known.mistakes}) or [0]
        words = ["alone" if not sims else f"{sims:,} simulations" for sims in counts]
        rows = Table(["positions in which its move loses value", *words, "positions"])
        for name, _, known in self.nets:
            by_sims = {one.sims: one for one in known.mistakes}
            if by_sims:
                any_ = known.mistakes[0]
                of = f"{any_.positions:,}, {'all' if any_.complete else 'a sample'}"
                rows.add(name, *(share(by_sims.get(sims)) for sims in counts), of)
        return rows

    def table(self) -> Table:
        """Elo against the usual opponents, and against others where they were met."""
        met = [one.opponent for _, _, known in self.nets for one in known.contests]
        opponents = list(dict.fromkeys([*(one for one in OPPONENTS if one in met), *met])) or list(OPPONENTS)
        rows = Table(["Elo, 95 % interval, won-drawn-lost", "simulations", *opponents])
        for name, _, known in self.nets:
            for sims in sorted({one.sims for one in known.contests}):
                by_name = {one.opponent: one for one in known.contests if one.sims == sims}
                rows.add(name, f"{sims:,}" if sims else "alone", *(rating(by_name.get(one)) for one in opponents))
        return rows


def share(found: Mistakes | None) -> str:
    """Mistakes in per cent, with the interval of a sample."""
    if found is None:
        return ""
    if found.interval is None:
        return f"{found.share:.2%}"
    low, high = found.interval
    return f"{found.share:.1%} ({low * 100:.1f} to {high * 100:.1f})"


def rating(found: Contest | None) -> str:
    """Elo with its interval, and the games; of games that were all won, or lost, the interval says what is known."""
    if found is None:
        return ""
    now, low, high = found.elo
    count = f"{found.wins}-{found.draws}-{found.losses}"
    if math.isinf(now):
        return f"above {low:+z.0f}, {count}" if now > 0 else f"below {high:+z.0f}, {count}"
    return f"{now:+z.0f} ({low:+z.0f} to {high:+z.0f}), {count}"
