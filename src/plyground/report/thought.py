"""What is told of one decision."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from ..agents.base import Agent, Move, Thought
from ..drawing import Drawn, Mark, tone
from ..rules import CHANCE, after
from ..spec import InputError
from ..tables import Table
from .base import Report
from .tree import Node, Tree

MOST_MOVES = 20  # in a table


class ThoughtReport(Report):
    """A thought about a state of a game."""

    def __init__(self, game: Any, state: Any, thought: Thought, agent: Agent | None = None) -> None:
        self.game, self.state, self.thought = game, state, thought
        self.agent = agent  # whose tree can be looked into until it thinks again
        if agent is not None:
            agent.last_told = thought

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
        counts = {"counts": thought.counts} if thought.counts != Thought.counts else {}
        return told | ({"note": thought.note} if thought.note else {}) | counts

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
        value = "" if thought.value is None else f", value {thought.value:+z.3f} for the player to move"
        yield f"\n{self.move}{value}{f' ({thought.note})' if thought.note else ''}"
        rate = f", {thought.simulations / thought.seconds:,.0f}/s" if thought.seconds and thought.simulations else ""
        yield f"{thought.simulations:,} {thought.counts} in {thought.seconds:.3f} s{rate}"
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
        visits = ["visits", "share"] if searched or not any(m.proven for m in moves) else []  # a solver has none
        rows = Table(["move", *visits, *(["prior"] if guided else []), "value", ""])
        total = sum(m.visits for m in moves) or 1
        for m in moves[:MOST_MOVES]:
            proven = ("won" if m.value > 0 else "lost" if m.value < 0 else "drawn") if m.proven else ""
            prior = ["" if m.prior is None else f"{m.prior:.1%}"] if guided else []
            value = f"{m.value:+z.3f}" if m.visits or m.proven or not searched else "-"
            looked = [f"{m.visits:,}", f"{m.visits / total:.1%}"] if visits else []
            rows.add(self.game.name(m.action), *looked, *prior, value, proven)
        return rows

    def tree(self, depth: int = 2, width: int = 4) -> Tree:
        """The top of the tree that was grown: the most visited moves, `width` of each node, `depth` moves deep.

        Of the agent's last thought only: InputError if it has thought again.
        """
        if self.agent is None or self.agent.last_told is not self.thought:
            raise InputError("the tree is gone: its agent has thought again, or is not known")
        mover = int(self.game.player(self.state))
        return Tree(self._nodes([], self.state, mover, depth, width), self.thought.simulations, self.thought.value)

    def _nodes(self, path: list[int], state: Any, mover: int, depth: int, width: int) -> list[Node]:
        """The nodes after these actions.  Values are for whoever moves; those of outcomes, for whoever moved before."""
        assert self.agent
        known = sorted(self.agent.children(path), key=lambda move: -move.visits)[:width] if depth else []
        player = int(self.game.player(state))
        flipped = player == CHANCE and mover == 1  # nature is told values as the first player is
        mover = mover if player == CHANCE else player
        return [
            Node(
                str(self.game.name(m.action)),
                m.visits,
                -m.value if flipped else m.value,
                self._nodes([*path, m.action], after(self.game, state, m.action), mover, depth - 1, width),
            )
            for m in known
            if m.visits
        ]

    def _repr_svg_(self) -> str | None:
        """The board with a disc for each move: its area is the share of the visits, its colour the value."""
        drawn = Drawn(self.game)
        most = max((m.visits for m in self.moves), default=0)
        total = sum(m.visits for m in self.moves)
        marks = {}
        for m in reversed(self.moves):
            cells = drawn.where(self.state, m.action)
            if len(cells) == 1 and (m.visits or not total):
                text = f"{m.visits / total:.0%}" if total else f"{m.value:+z.2f}"
                weight = m.visits / most if most else 0.8
                marks[cells[0]] = Mark(text, tone(m.value), weight, m.action == self.action)
        return drawn.svg(self.state, marks=marks)

    def _repr_html_(self) -> str:
        svg = self._repr_svg_() or f"<pre>{escape(self.game.text(self.state))}</pre>"
        told = "<br>".join(escape(part.strip()) for part in list(self.parts())[1:3] if isinstance(part, str))
        table = self.table()._repr_html_() if self.moves else ""
        return f'<div style="display:flex;gap:2em;align-items:start"><div>{svg}<p>{told}</p></div>{table}</div>'

    def _draw(self, axes: Any) -> None:
        """Bars of the foremost moves: as long as their share of the visits, coloured by their values."""
        from matplotlib import colormaps

        moves = self.thought.moves[:MOST_MOVES]
        total = sum(m.visits for m in self.thought.moves)
        names = [self.game.name(m.action) for m in moves]
        lengths = [m.visits / total if total else (m.value if m.prior is None else m.prior) for m in moves]
        axes.bar(names, lengths, color=[colormaps["RdYlGn"]((m.value + 1) / 2) for m in moves])
        axes.set(xlabel="move", ylabel="share of the visits" if total else "value", title=f"{self.move} is chosen")
