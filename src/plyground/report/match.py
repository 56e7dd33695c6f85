"""What is told of a match."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from ..arena.results import Record, Result
from ..arena.sprt import Trial
from ..arena.statistics import elo
from ..tables import Table, duration
from .base import LABEL, OUTCOMES, Report, flat


class MatchReport(Report):
    """Games between two agents, and what they say of who is stronger.  Scores are those of the first agent."""

    def __init__(self, result: Result, trial: Trial | None = None, moves: bool = False) -> None:
        self.result, self.trial, self.moves = result, trial, moves  # moves: tell those of every game, too
        agents = result.plan.agents
        alike = agents[0] == agents[1]
        self.names = [f"{agent} #{number}" if alike else str(agent) for number, agent in enumerate(agents, 1)]

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.result.records)

    @property
    def interrupted(self) -> bool:
        """Was it interrupted by the keyboard?  Then these are the games that had ended."""
        return self.result.interrupted

    @property
    def wins(self) -> int:
        return self.result.tally().wins

    @property
    def draws(self) -> int:
        return self.result.tally().draws

    @property
    def losses(self) -> int:
        return self.result.tally().losses

    @property
    def score(self) -> float:
        """Points a game: 1 for a win, 1/2 for a draw."""
        return self.result.tally().score

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        return self.result.interval()

    @property
    def elo(self) -> float:
        """The difference of ratings at which this score is expected; infinite if all games were won, or lost."""
        return elo(self.score)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference."""
        low, high = self.interval
        return elo(low), elo(high)

    @property
    def records(self) -> list[Record]:
        """The games, one by one."""
        return self.result.records

    def to_json(self) -> dict[str, Any]:
        result, plan = self.result, self.result.plan
        told = {
            "game": plan.game,
            "agents": list(plan.agents),
            "seed": plan.seed,
            "interrupted": self.interrupted,
            **result.summary(),
            "seconds_per_move": [result.seconds_a_move(0), result.seconds_a_move(1)],
            "longest_move": [result.longest_move(0), result.longest_move(1)],
            "repeats": result.repeats(),
            "forfeits": [len(result.forfeits(0)), len(result.forfeits(1))],
        }
        told |= {"sprt": self.trial.summary()} if self.trial else {}
        return told | ({"records": [self._record(record) for record in self.records]} if self.moves else {})

    def _record(self, record: Record) -> dict[str, Any]:
        return {
            "number": record.number + 1,
            "first": self.result.plan.agents[record.first],
            "moves": record.names,
            "opening": record.opening,
            "score": record.score,
            "reason": record.reason,
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each game; `result` is the first agent's, `score` that of whoever moved first."""
        return [
            flat(self._record(record))
            | {"result": record.result, "plies": len(record.actions)}
            | {"seconds": record.seconds[0], "other_seconds": record.seconds[1]}
            for record in self.records
        ]

    def parts(self) -> Iterator[str | Table]:
        result = self.result
        if self.moves:
            for r in self.records:
                score = f"{r.score:+g}" + (f" ({r.reason})" if r.reason else "")
                yield f"{r.number + 1:>4}  {self.names[r.first]} first, score {score}: {' '.join(r.names)}"
            yield ""
        yield self.table()
        (low, high), (least, most) = self.interval, self.elo_interval
        yield f"\nscore {self.score:.1%}, 95 % interval {low:.1%} to {high:.1%}"
        yield f"Elo difference {self.elo:+z.0f}, 95 % interval {least:+z.0f} to {most:+z.0f}"
        if self.trial:
            yield self.trial.text()
        if self.interrupted:
            yield f"interrupted after {self.games:,} of {result.plan.games:,} games"
        yield from repeats_told(result.repeats())
        for number, agent in enumerate(self.names):
            mean, longest = duration(result.seconds_a_move(number)), duration(result.longest_move(number))
            yield f"{agent}: {mean} a move, the longest {longest}"
        for number, agent in enumerate(self.names):
            if reasons := result.forfeits(number):
                yield f"{agent} forfeited {len(reasons)} of them; the last: {reasons[-1]}"

    def table(self) -> Table:
        """Wins, draws and losses by who moved first."""
        rows = Table([f"{self.names[0]} v {self.names[1]}", "games", "wins", "draws", "losses", "score"])
        for name, seat in (("moving first", 0), ("moving second", 1), ("together", None)):
            tally = self.result.tally(seat)
            rows.add(name, *(f"{n:,}" for n in tally.counts().values()), f"{tally.score:.1%}")
        return rows

    def _repr_html_(self) -> str:
        """A bar for the games of each seat, the score with its interval, and what is printed."""
        return self._repr_svg_() + super()._repr_html_()

    def _repr_svg_(self) -> str:
        """Who plays whom, a bar for the games of each seat, the score with its interval, and what colours mean."""
        wide, left, high = 320, 110, 22
        parts = [f'<text x="{left}" y="15" font-weight="bold">{escape(f"{self.names[0]} v {self.names[1]}")}</text>']
        for row, (name, seat) in enumerate((("moving first", 0), ("moving second", 1), ("together", None)), 1):
            tally, at = self.result.tally(seat), float(left)
            parts.append(f'<text x="{left - 8}" y="{row * high + 15}" text-anchor="end">{name}</text>')
            for count, colour in zip((tally.wins, tally.draws, tally.losses), OUTCOMES, strict=True):
                long = wide * count / max(1, tally.games)
                box = f'x="{at:.1f}" y="{row * high + 2}" width="{long:.1f}" height="{high - 4}" fill="{colour}"'
                parts.append(f"<rect {box}/>")
                at += long
        (low, most), y = self.interval, 3.5 * high
        ends = f"M{left + wide * low:.1f} {y}H{left + wide * most:.1f}"
        parts.append(f'<path d="{ends}" stroke="#111" stroke-width="2"/>')
        parts.append(f'<circle cx="{left + wide * self.score:.1f}" cy="{y}" r="4" fill="#111"/>')
        for place, (word, colour) in enumerate(zip(("wins", "draws", "losses"), OUTCOMES, strict=True)):
            x, y = left + 62 * place, 4 * high + 4
            parts.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>')
            parts.append(f'<text x="{x + 16}" y="{y + 10}">{word}</text>')
        dot = f'<circle cx="{left + 192}" cy="{4 * high + 10}" r="4" fill="{LABEL}"/>'
        parts.append(f'{dot}<text x="{left + 202}" y="{4 * high + 14}">score, 95 % interval</text>')
        title = f"{self.names[0]} scores {self.score:.1%} against {self.names[1]}"
        size = f'viewBox="0 0 {left + wide + 8} {5 * high}" width="{left + wide + 8}" height="{5 * high}"'
        font = f'font-family="system-ui, sans-serif" font-size="12" fill="{LABEL}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {font}>'
        return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"

    def _draw(self, axes: Any) -> None:
        """Bars of wins, draws and losses by seats, and the score of all games with its interval."""
        seats = ["together", "moving second", "moving first"]
        tallies = [self.result.tally(seat) for seat in (None, 1, 0)]
        left = [0.0] * len(seats)
        for label, colour in zip(("wins", "draws", "losses"), OUTCOMES, strict=True):
            shares = [getattr(tally, label) / max(1, tally.games) for tally in tallies]
            axes.barh(seats, shares, left=left, label=label, color=colour)
            left = [at + share for at, share in zip(left, shares, strict=True)]
        low, high = self.interval
        reach = [[self.score - low], [high - self.score]]
        axes.errorbar([self.score], [0], xerr=reach, fmt="o", color="black", capsize=4, label="score, 95 % interval")
        axes.set(xlim=(0, 1), xlabel="share of the games", title=f"{self.names[0]} v {self.names[1]}")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=4, frameon=False, fontsize="small")


def repeats_told(repeats: int) -> Iterator[str]:
    """A line that says that games are the same as others, if they are."""
    if repeats:
        yield f"{repeats:,} games repeat others move for move and tell nothing new: openings make them differ"
