"""The folder of a match or tournament.

plan.json      everything that determines the games, and the openings
pairs.jsonl    the games that have ended, a line for each pair
games/         the same games as .sgf and .psq, or .pgn, if they are asked for
"""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import game_files
from ..spec import InputError
from .journal import Journal
from .results import Plan, Record

GAMES = "games"


class MatchFolder(Journal):
    """The pairs of games of a match or tournament that have ended, on disk."""

    file, about, entry = "pairs.jsonl", "a match or tournament", "a pair of games"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.clear()

    def clear(self) -> None:
        self.pairs: dict[tuple[int, int], list[Record]] = {}  # by the number of the pair and that of its match
        self._saved: list[Plan] = []  # the matches whose games are written into files

    @classmethod
    def fits(cls, header: dict[str, Any]) -> bool:
        openings = header.get("openings")
        return isinstance(openings, list) and not {*map(type, openings)} - {str}

    @property
    def openings(self) -> list[str]:
        """Those that were named or drawn when the folder was made; none if they are drawn on the way."""
        return self.header["openings"]

    def take(self, line: Any) -> None:
        task = line["pair"], line["match"]
        if not all(type(n) is int and n >= 0 for n in task):
            raise ValueError
        records = [as_record(record) for record in line["records"]]
        if not records or [r.number for r in records] != [2 * task[0], 2 * task[0] + 1][: len(records)]:
            raise ValueError
        self.pairs.setdefault(task, records)

    def add(self, task: tuple[int, int], records: list[Record]) -> None:
        """Keep a pair of games."""
        self._write_games(task, records)
        self.append({"match": task[1], "pair": task[0], "records": [asdict(record) for record in records]})

    # --- files of single games ---

    def save_games(self, plans: list[Plan]) -> None:
        """Write every game of these matches into files, those that are kept already, too."""
        try:
            (self.folder / GAMES).mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.folder} cannot be written to: {error.strerror}") from None
        self._saved = plans
        for task, records in self.pairs.items():
            if task[1] < len(plans):
                self._write_games(task, records)

    def _write_games(self, task: tuple[int, int], records: list[Record]) -> None:
        if not self._saved:
            return
        plan = self._saved[task[1]]
        for record in records:
            players = plan.agents[record.first], plan.agents[1 - record.first]
            saved = game_files.Saved(plan.game, record.actions, players, record.score, reason=record.reason)
            name = f"{record.number + 1:05}"
            if len(self._saved) > 1:
                name = f"{task[1] + 1:03}-{name}"
            for ending in game_files.endings(plan.game):
                game_files.write(self.folder / GAMES / (name + ending), saved)


def as_record(line: Any) -> Record:
    """The record of a game that was read; ValueError, KeyError or TypeError if it is none."""
    known = {field: line[field] for field in Record.__dataclass_fields__}
    kinds = {"number": int, "first": int, "opening": int, "score": float, "reason": str, "actions": list, "names": list}
    if any(type(known[name]) is not kind for name, kind in kinds.items()):
        raise TypeError
    for name, kind in (("actions", int), ("names", str)):
        if any(type(value) is not kind for value in known[name]):
            raise TypeError
    for name in ("seconds", "longest", "moves"):
        first, second = known[name]
        if not all(type(value) in (int, float) and 0 <= value < math.inf for value in (first, second)):
            raise ValueError
        known[name] = first, second
    if len(known["actions"]) != len(known["names"]):
        raise ValueError
    if known["number"] < 0 or known["first"] not in (0, 1) or not math.isfinite(known["score"]):
        raise ValueError
    return Record(**known)
