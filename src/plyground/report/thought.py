"""What is told of one decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..agents.base import Agent, Move, Thought
from ..tables import Table
from .base import Report

MOST_MOVES = 20  # in a table


class ThoughtReport(Report):
    """A thought about a state of a game."""

    def __init__(self, game: Any, state: Any, thought: Thought, agent: Agent | None = None) -> None:
        self.game, self.state, self.thought = game, state, thought
        self.agent = agent  # whose tree can be looked into until it thinks again

    @property
    def action(self) -> int:
        """The action that was chosen."""
        return self.thought.action

    @property
    def move(self) -> str:
        """What people call it."""
        return str(self.game.name(self.thought.action))

    @property
    def value(self) -> float | None:
        """What the position is worth for the player to move, 1 won and -1 lost; None if the agent does not judge."""
        return self.thought.value

    @property
    def simulations(self) -> int:
        return self.thought.simulations

    @property
    def seconds(self) -> float:
        return self.thought.seconds

    @property
    def moves(self) -> list[Move]:
        """What is known of each action, best first."""
        return self.thought.moves

    @property
    def line(self) -> list[str]:
        """How play would go on."""
        return [self.game.name(action) for action in self.thought.line]

    def to_json(self) -> dict[str, Any]:
        thought = self.thought
        told: dict[str, Any] = {
            "action": thought.action,
            "name": self.move,
            "value": thought.value,
            "simulations": thought.simulations,
            "seconds": thought.seconds,
            "moves": self.rows(),
            "line": self.line,
        }
        return told | ({"note": thought.note} if thought.note else {})

    def rows(self) -> list[dict[str, Any]]:
        name = self.game.name
        return [
            {"action": m.action, "name": name(m.action), "visits": m.visits, "value": m.value, "proven": m.proven}
            | ({} if m.prior is None else {"prior": m.prior})
            for m in self.thought.moves
        ]

    def parts(self) -> Iterator[str | Table]:
        thought = self.thought
        yield self.game.text(self.state)
        value = "" if thought.value is None else f", value {thought.value:+.3f} for the player to move"
        yield f"\n{self.move}{value}{f' ({thought.note})' if thought.note else ''}"
        rate = f", {thought.simulations / thought.seconds:,.0f}/s" if thought.seconds and thought.simulations else ""
        yield f"{thought.simulations:,} simulations in {thought.seconds:.3f} s{rate}"
        if thought.line:
            yield f"line: {' '.join(self.line)}"
        if thought.moves:
            yield ""
            yield self.table()
            if len(thought.moves) > MOST_MOVES:
                yield f"and {len(thought.moves) - MOST_MOVES} more"

    def table(self) -> Table:
        """The foremost moves with their visits and values."""
        moves = self.thought.moves
        guided = any(m.prior is not None for m in moves)
        searched = any(m.visits for m in moves)
        rows = Table(["move", "visits", "share", *(["prior"] if guided else []), "value", ""])
        total = sum(m.visits for m in moves) or 1
        for m in moves[:MOST_MOVES]:
            proven = ("won" if m.value > 0 else "lost") if m.proven else ""
            prior = ["" if m.prior is None else f"{m.prior:.1%}"] if guided else []
            value = f"{m.value:+.3f}" if m.visits or m.proven or not searched else "-"
            rows.add(self.game.name(m.action), f"{m.visits:,}", f"{m.visits / total:.1%}", *prior, value, proven)
        return rows

    def _draw(self, axes: Any) -> None:
        """Bars of the foremost moves: as long as their share of the visits, coloured by their values."""
        from matplotlib import colormaps

        moves = self.thought.moves[:MOST_MOVES]
        total = sum(m.visits for m in self.thought.moves)
        names = [self.game.name(m.action) for m in moves]
        lengths = [m.visits / total if total else (m.value if m.prior is None else m.prior) for m in moves]
        axes.bar(names, lengths, color=[colormaps["RdYlGn"]((m.value + 1) / 2) for m in moves])
        axes.set(xlabel="move", ylabel="share of the visits" if total else "value", title=f"{self.move} is chosen")
