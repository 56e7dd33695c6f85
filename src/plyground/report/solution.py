"""What is told of exact values and of exact odds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..exact.odds import Odds, chances
from ..exact.solve import Answer, Solution
from ..rules import gives
from ..tables import Table
from .base import OUTCOMES, Report


class SolutionReport(Report):
    """The exact value of a position and of each of its moves, as far as it was found."""

    def __init__(self, game: Any, state: Any, solution: Solution) -> None:
        self.game, self.state, self.solution = game, state, solution
        self.interrupted = False  # by the keyboard

    @property
    def value(self) -> float | None:
        """For the player to move: 1 won, -1 lost, 0 drawn; None if it was not found."""
        return self.solution.value

    @property
    def complete(self) -> bool:
        """Is the value of every move known?"""
        return self.solution.complete

    @property
    def answers(self) -> list[Answer]:
        """What is known of each action, best first."""
        return self.solution.answers

    @property
    def best(self) -> list[str]:
        """The moves that are worth as much as the position."""
        return [self.game.name(a.action) for a in self.answers if a.value is not None and a.value == self.value]

    @property
    def line(self) -> list[str]:
        """How best play goes on."""
        return [self.game.name(action) for action in self.solution.line]

    def to_json(self) -> dict[str, Any]:
        solution = self.solution
        return {
            "value": solution.value,
            "at_least": solution.low,
            "at_most": solution.high,
            "complete": solution.complete,
            "why_unknown": solution.why,
            "moves": self.rows(),
            "line": self.line,
            "nodes": solution.nodes,
            "seconds": solution.seconds,
        }

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "action": a.action,
                "name": self.game.name(a.action),
                "value": a.value,
                "at_least": a.low,
                "at_most": a.high,
                "plies": a.plies,
                "shortest": a.shortest,
            }
            for a in self.answers
        ]

    def parts(self) -> Iterator[str | Table]:
        solution, best = self.solution, self.answers[0]
        yield self.game.text(self.state)
        player = ("first", "second")[int(self.game.player(self.state))]
        yield f"\n{self._in_words(solution, best.plies, best.shortest)} for the {player} player, to move"
        if solution.why:
            yield f"not all values are known: {solution.why}"
        rate = f", {solution.nodes / solution.seconds:,.0f}/s" if solution.seconds else ""
        yield f"{solution.nodes:,} positions in {solution.seconds:.3f} s{rate}"
        if solution.line:
            yield f"line: {' '.join(self.line)}"
        yield ""
        yield self.table()

    def table(self) -> Table:
        """The value of each move in words."""
        rows = Table(["move", "value"])
        for answer in self.answers:
            rows.add(self.game.name(answer.action), self._in_words(answer, answer.plies, answer.shortest))
        return rows

    def _in_words(self, known: Solution | Answer, plies: int | None, shortest: bool) -> str:
        return in_words(known, plies, shortest, gives(self.game, "chance"))

    def _draw(self, axes: Any) -> None:
        """Where the value of each move lies: a dot where it is known, else a line."""
        for at, answer in enumerate(self.answers):
            axes.plot([at, at], [answer.low, answer.high], marker="o", color="#1f5fa8")
        axes.set_xticks(range(len(self.answers)), [self.game.name(answer.action) for answer in self.answers])
        axes.set(xlabel="move", ylabel="value", ylim=(-1.1, 1.1), title="exact values")
        axes.grid(axis="y", alpha=0.3)


def is_mean(value: float | None, chance: bool) -> bool:
    """Is an exact value the mean of what may come, and nobody's win and no draw?

    Where there is chance, 0 is one, as any other value between -1 and 1 is.
    """
    return value is not None and (value not in (-1, 0, 1) or (chance and value == 0))


def in_words(known: Solution | Answer, plies: int | None, shortest: bool, chance: bool = False) -> str:
    """A value in words: won in 5, lost in at most 8, not won, unknown."""
    words = {1.0: "won", 0.0: "drawn", -1.0: "lost"}
    if known.value is None:
        return {(0.0, 1.0): "not lost", (-1.0, 0.0): "not won"}.get((known.low, known.high), "unknown")
    if is_mean(known.value, chance):
        return f"worth {known.value:+g}" if known.value else "worth 0"
    if not plies or known.value == 0:
        return words[known.value]
    return f"{words[known.value]} in {'' if shortest else 'at most '}{plies} {'ply' if plies == 1 else 'plies'}"


class OddsReport(Report):
    """How likely each result is between two ways of playing, as the first player sees it."""

    def __init__(self, game: Any, state: Any, odds: Odds, seats: tuple[str, str]) -> None:
        self.game, self.state, self.odds, self.seats = game, state, odds, seats

    @property
    def win(self) -> Any:
        """The probability that the first player wins: a Fraction where the odds are exact, else a float."""
        return chances(self.odds.total)[0]

    @property
    def draw(self) -> Any:
        """The probability of a draw."""
        return chances(self.odds.total)[1]

    @property
    def loss(self) -> Any:
        """The probability that the first player loses."""
        return chances(self.odds.total)[2]

    def to_json(self) -> dict[str, Any]:
        first, second = self.seats
        told = {"first": first, "second": second, **self._row(self.odds.total), "exact": self.odds.exact}
        moves = [row | self._row(d) for row, d in zip(self.rows(), self.odds.moves.values(), strict=True)]
        return told | {"moves": moves, "positions": self.odds.positions}

    def rows(self) -> list[dict[str, Any]]:
        """A move in each, with its odds as numbers to reckon with; those of `to_json` are exact where they can be."""
        kinds = ("win", "draw", "loss")
        return [
            {"action": a, "name": self.game.name(a)} | dict(zip(kinds, map(float, chances(d)), strict=True))
            for a, d in self.odds.moves.items()
        ]

    def _row(self, distribution: Any) -> dict[str, Any]:
        three = zip(("win", "draw", "loss"), chances(distribution), strict=True)
        return {name: str(p) if self.odds.exact else float(p) for name, p in three}

    def parts(self) -> Iterator[str | Table]:
        first, second = self.seats
        yield self.game.text(self.state)
        yield f"\nfirst player {first}, second player {second}; results as the first player sees them"
        yield self.table()
        yield f"\n{self.odds.positions:,} positions, {'exact fractions' if self.odds.exact else 'floating point'}"

    def table(self) -> Table:
        """The odds of the position, and after each move."""
        rows = Table(["", "wins", "draws", "loses"])
        for name, distribution in self._named():
            exact = self.odds.exact
            rows.add(name, *(f"{p} = {float(p):.2%}" if exact else f"{float(p):.4%}" for p in chances(distribution)))
        return rows

    def _named(self) -> list[tuple[str, Any]]:
        moves = ((self.game.name(action), distribution) for action, distribution in self.odds.moves.items())
        return [("this position", self.odds.total), *moves]

    def _draw(self, axes: Any) -> None:
        """Bars of wins, draws and losses, one above the other."""
        names = [name for name, _ in self._named()]
        bottom = [0.0] * len(names)
        shares = zip(*(chances(distribution) for _, distribution in self._named()), strict=True)
        for label, colour, share in zip(("wins", "draws", "loses"), OUTCOMES, shares, strict=True):
            axes.bar(names, [float(p) for p in share], bottom=bottom, label=label, color=colour)
            bottom = [low + float(p) for low, p in zip(bottom, share, strict=True)]
        axes.set(ylabel="probability", title=f"{self.seats[0]} v {self.seats[1]}")
        axes.legend(frameon=False)
