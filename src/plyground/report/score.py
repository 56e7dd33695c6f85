"""What is told of games of one player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from statistics import fmean, median
from typing import Any

from ..arena.scores import Played, Standing
from ..tables import Table, duration, figure
from .base import Report


class ScoreReport(Report):
    """What an agent has scored in games of one player."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing

    @property
    def mean(self) -> float:
        """Score a game."""
        return self.standing.mean()[0]

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean; None of a single game."""
        mean, reach = self.standing.mean()
        return (mean - reach, mean + reach) if len(self.games) > 1 else None

    @property
    def games(self) -> list[Played]:
        """The games, one by one."""
        return self.standing.played

    @property
    def interrupted(self) -> bool:
        """Was it interrupted by the keyboard?  Then these are the games that had ended."""
        return self.standing.interrupted

    def to_json(self) -> dict[str, Any]:
        task, standing, survival = self.standing.task, self.standing, self.standing.survival()
        told: dict[str, Any] = {"game": task.game, "agent": task.agent, "seed": task.seed}
        told |= {"games": len(self.games), "cut": standing.cut, "interrupted": self.interrupted}
        told |= {"mean": self.mean, "interval": list(self.interval) if self.interval else None}
        told |= {"survival": survival and {"mean": survival[0], "interval": list(survival[1:])}}
        return told | {"seconds_a_game": self._seconds, "records": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        return [asdict(one) for one in self.games]

    @property
    def _seconds(self) -> float:
        return sum(one.seconds for one in self.games) / len(self.games)

    def parts(self) -> Iterator[str | Table]:
        task, standing = self.standing.task, self.standing
        yield f"{task.agent} plays {task.game}\n"
        yield self.table()
        cut = f", {standing.cut} of them cut short: these scores are too low" if standing.cut else ""
        yield f"\n{len(self.games):,} games{cut}; {duration(self._seconds)} a game"
        if self.interrupted:
            yield f"interrupted after {len(self.games):,} of {task.games:,} games"
        if standing.cut and (survival := standing.survival()):
            mean, low, high = survival
            yield f"score a game by survival: {figure(mean)}, 95 % interval {figure(low)} to {figure(high)}"
            yield "(all points by the games that have ended, as if each point were as likely to be the last)"

    def table(self) -> Table:
        """Scores and numbers of moves."""
        rows = Table(["", "mean", "95 % interval", "least", "median", "most"])
        _, reach = self.standing.mean()
        for name in ("score", "moves"):
            values = sorted(getattr(one, name) for one in self.games)
            found = f"± {figure(reach)}" if name == "score" and len(values) > 1 else ""
            figures = (fmean(values), values[0], median(values), values[-1])
            texts = [figure(float(value)).removesuffix(".00") for value in figures]
            rows.add(name, texts[0], found, *texts[1:])
        return rows

    def _draw(self, axes: Any) -> None:
        """How often which scores were reached."""
        axes.hist([one.score for one in self.games], bins="auto", color="#1f5fa8", alpha=0.75)
        axes.axvline(self.mean, color="black", label=f"mean {figure(self.mean)}")
        if self.interval:
            axes.axvspan(*self.interval, color="black", alpha=0.12, label="95 % interval")
        axes.set(xlabel="score", ylabel="games", title=f"{self.standing.task.agent} plays {self.standing.task.game}")
        axes.legend(frameon=False)
