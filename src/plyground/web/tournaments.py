"""Tournaments in the folder of runs, as the page shows them: those that have ended and those that are being played."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..arena.journal import PLAN
from ..arena.match_folder import MatchFolder
from ..arena.tournament import Standings, standings_of
from ..report.tournament import TournamentReport
from ..spec import InputError
from .runs import Runs, inner, moment

MOST = 200  # that are listed


class Tournaments:
    """The tournaments in a folder, or one folder deeper."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def names(self) -> Iterator[str]:
        """All folders with a plan."""
        for name in inner(self.runs.folder):
            if self.runs.file(name, PLAN):
                yield name
            elif folder := self.runs.place(name):
                yield from (both for deeper in inner(folder) if self.runs.file(both := f"{name}/{deeper}", PLAN))

    def listed(self) -> list[dict[str, Any]]:
        """Every tournament, the one that has changed last first; matches and what cannot be read are left out."""
        found = []
        for name in self.names():
            with suppress(InputError):
                found.append(self._entry(name, self._standings(name)))
        return sorted(found, key=lambda entry: entry["changed"], reverse=True)[:MOST]

    def details(self, name: str) -> dict[str, Any] | None:
        """A tournament with its ratings, as `plyground tournament --json` tells them; None if there is none."""
        if not self.runs.file(name, PLAN):
            return None
        standings = self._standings(name)
        rows = TournamentReport(standings).agents() if standings.games else []
        pairings = [
            {"agents": list(pairing), "wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            for pairing in standings.tournament.pairings
            if (tally := standings.tally(*pairing))
        ]
        return self._entry(name, standings) | {
            "ratings": rows,
            "labels": standings.tournament.labels,
            "pairings": pairings,
        }

    def _standings(self, name: str) -> Standings:
        folder = self.runs.place(name)
        if folder is None:
            raise InputError(f"there is no tournament {name[:100]!r} in {self.runs.folder}")
        return standings_of(MatchFolder.look(folder))

    def _entry(self, name: str, standings: Standings) -> dict[str, Any]:
        played = standings.tournament
        return {
            "name": name,
            "game": played.game,
            "agents": list(played.agents),
            "games": standings.games,
            "of": played.games * len(standings.results),
            "seed": played.seed,
            "changed": moment(self._changed(name)),
        }

    def _changed(self, name: str) -> float:
        path = self.runs.file(name, MatchFolder.file) or self.runs.file(name, PLAN) or Path()
        try:
            return path.stat().st_mtime
        except OSError:
            return 0.0
