"""What a tournament says: ratings and a cross table, as text, JSON, and a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..arena.tournament import Standings
from ..plots import save
from ..tables import Table
from .base import Report, flat, new_axes
from .match import MatchReport, repeats_told


class TournamentReport(Report):
    """The ratings of agents that have played one another."""

    def __init__(self, standings: Standings) -> None:
        self.standings = standings
        self.labels = standings.tournament.labels
        self.ratings = standings.ratings()
        self.order = sorted(range(len(self.labels)), key=lambda agent: -self.ratings.elo[agent])  # the strongest first

    @property
    def ranking(self) -> list[str]:
        """The agents from the strongest to the weakest."""
        return [self.labels[agent] for agent in self.order]

    @property
    def elo(self) -> dict[str, float]:
        """The rating of each agent, the strongest first."""
        return {self.labels[agent]: float(self.ratings.elo[agent]) for agent in self.order}

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.standings.games

    @property
    def interrupted(self) -> bool:
        """Was it interrupted by the keyboard?  Then these are the games that had ended."""
        return self.standings.interrupted

    @property
    def matches(self) -> list[MatchReport]:
        """The match of each pairing."""
        return [MatchReport(result) for result in self.standings.results]

    def to_json(self) -> dict[str, Any]:
        """All that a tournament says, the strongest agent first."""
        standings, tournament, ratings = self.standings, self.standings.tournament, self.ratings
        pairings = [
            {"agents": [self.labels[agent] for agent in pairing], **result.summary(), "repeats": result.repeats()}
            for pairing, result in zip(tournament.pairings, standings.results, strict=True)
        ]
        return {
            "game": tournament.game,
            "seed": tournament.seed,
            "gauntlet": tournament.gauntlet,
            "complete": standings.complete,
            "interrupted": self.interrupted,
            "games": standings.games,
            "agents": self.agents(),
            "anchor": self.labels[0] if tournament.gauntlet else "mean",
            "first_player": {"elo": ratings.advantage, "interval": list(ratings.interval(-1))},
            "pairings": pairings,
            "openings": list(tournament.book),
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each agent, the strongest first."""
        return [flat(agent) for agent in self.agents()]

    def agents(self) -> list[dict[str, Any]]:
        """What is told of each agent, the strongest first."""
        standings, ratings = self.standings, self.ratings
        return [
            {
                "label": self.labels[agent],
                "spec": standings.tournament.agents[agent],
                "elo": ratings.elo[agent],
                "interval": list(ratings.interval(agent)),
                **standings.tally(agent).counts(),
                "score": standings.tally(agent).score,
                "forfeits": len(standings.forfeits(agent)),
                "seconds_per_move": standings.seconds_a_move(agent),
                "superiority": {
                    label: ratings.superiority(agent, other)
                    for other, label in enumerate(self.labels)
                    if other != agent
                },
            }
            for agent in self.order
        ]

    def parts(self) -> Iterator[str | Table]:
        standings, ratings = self.standings, self.ratings
        yield self.table()
        yield ""
        yield self.cross_table()
        low, high = ratings.interval(-1)
        draws = int(standings.table[:, :, 1].sum()) / max(standings.games, 1)
        yield f"\nratings are counted from {self.labels[0] if standings.tournament.gauntlet else 'their mean'}"
        yield f"moving first is worth {ratings.advantage:+z.0f} Elo, 95 % interval {low:+z.0f} to {high:+z.0f}"
        yield f"{standings.games:,} games, {draws:.1%} of them drawn"
        if self.interrupted:
            whole = standings.tournament.games * len(standings.results)
            yield f"interrupted after {standings.games:,} of {whole:,} games"
        yield from repeats_told(sum(result.repeats() for result in standings.results))
        for agent in self.order:
            if reasons := standings.forfeits(agent):
                yield f"{self.labels[agent]} forfeited {len(reasons)} games; the last: {reasons[-1]}"

    def table(self) -> Table:
        """Who is how strong, and by which results."""
        standings, ratings, order = self.standings, self.ratings, self.order
        given_up = any(standings.forfeits(agent) for agent in order)
        rows = Table(["", "Elo", "95 %", "above next", "games", "score", *(["forfeits"] if given_up else [])])
        for place, agent in enumerate(order):
            low, high = ratings.interval(agent)
            below = order[place + 1 : place + 2]
            above = f"{ratings.superiority(agent, below[0]):.0%}" if below else ""
            tally = standings.tally(agent)
            cells = [f"{ratings.elo[agent]:+z.0f}", f"{low:+z.0f} to {high:+z.0f}", above, f"{tally.games:,}"]
            cells += [f"{tally.score:.1%}", *([str(len(standings.forfeits(agent)))] if given_up else [])]
            rows.add(f"{place + 1}. {self.labels[agent]}", *cells)
        return rows

    def cross_table(self) -> Table:
        """The points of each agent against each other one, of so many games."""
        places = [f"{place}." for place in range(1, len(self.order) + 1)]
        rows = Table(["points against", *places])
        for place, agent in zip(places, self.order, strict=True):
            rows.add(f"{place} {self.labels[agent]}", *(self._points(agent, other) for other in self.order))
        return rows

    def _points(self, agent: int, other: int) -> str:
        """`12.5/20`; nothing if they have not met."""
        tally = self.standings.tally(agent, other)
        return f"{tally.wins + tally.draws / 2:g}/{tally.games}" if tally.games else ""

    # --- pictures ---

    def plot(self, axes: Any = None) -> Any:
        """Draw the ratings with their intervals into these axes; without any, the scores beside them, into a figure of
        their own.  Returns the axes of the ratings."""
        if axes is not None:
            self._draw(axes)
            return axes
        figure = new_axes().figure
        figure.clear()
        figure.set_size_inches(*self._size)
        return self._fill(figure)

    def save(self, file: str) -> None:
        """Write a picture: who scored how much against whom, and the ratings with their intervals."""
        import matplotlib
        from matplotlib.figure import Figure

        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "plyground", "font.size": 9}):
            figure = Figure(figsize=self._size, layout="constrained")
            self._fill(figure)
            save(figure, file, dpi=150)

    @property
    def _size(self) -> tuple[float, float]:
        """Inches."""
        return 4.2 + 1.1 * len(self.order), 1.6 + 0.42 * len(self.order)

    def _fill(self, figure: Any) -> Any:
        scores, ratings = figure.subplots(1, 2, sharey=True, width_ratios=[max(2, len(self.order)), 4])
        self._draw(ratings)
        self._draw_scores(scores)
        figure.suptitle(f"{self.standings.tournament.game}, {self.standings.games:,} games", fontsize=10)
        return ratings

    def _draw_scores(self, axes: Any) -> None:
        """The score of each agent against each other one."""
        tallies = [[self.standings.tally(agent, other) for other in self.order] for agent in self.order]
        scores = [[tally.score if tally.games else float("nan") for tally in row] for row in tallies]
        axes.imshow(scores, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
        for row, tallied in enumerate(tallies):
            for col, tally in enumerate(tallied):
                if tally.games:
                    strong = abs(tally.score - 0.5) > 0.31
                    axes.text(col, row, f"{tally.score:.0%}", ha="center", va="center", color="w" if strong else "k")
        places = range(len(self.order))
        axes.set_xticks(places, [str(place + 1) for place in places])
        axes.set_title("score against", fontsize=9)

    def _draw(self, axes: Any) -> None:
        """The ratings with their intervals."""
        places = range(len(self.order))
        elo = [self.ratings.elo[agent] for agent in self.order]
        ends = [self.ratings.interval(agent) for agent in self.order]
        wide = [
            [e - low for e, (low, _) in zip(elo, ends, strict=True)],
            [high - e for e, (_, high) in zip(elo, ends, strict=True)],
        ]
        axes.barh(places, elo, xerr=wide, color="#1f5fa8", alpha=0.75, error_kw={"ecolor": "#333333", "capsize": 3})
        axes.axvline(0, color="#333333", linewidth=0.8)
        names = [label if len(label) <= 32 else label[:30] + "…" for label in self.ranking]
        axes.set_yticks(places, [f"{name}  {place + 1}" for place, name in enumerate(names)])
        axes.invert_yaxis()
        axes.set_title("Elo with 95 % intervals", fontsize=9)
        axes.grid(axis="x", alpha=0.3)
