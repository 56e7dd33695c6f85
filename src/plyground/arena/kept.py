"""The folder of a match or tournament, which may be stopped at any moment and goes on later.

    plan.json      everything that determines the games, and the openings
    pairs.jsonl    the games that have ended, a line for each pair; a pair counts when its whole line is there
    games/         the same games as .sgf and .psq, if they are asked for

A pair that was being played when the process ended is played again, with the same random numbers.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import __version__, formats
from ..nets.files import read_json, written
from ..spec import InputError
from .results import Plan, Record

try:
    import fcntl
except ImportError:  # Windows: two processes are not kept from the same folder there
    fcntl = None  # type: ignore[assignment]

PLAN, PAIRS, GAMES = "plan.json", "pairs.jsonl", "games"
ENDINGS = (".sgf", ".psq")


class Kept:
    """What has been played, on disk.  Use it in a `with`: until its end no other process may play there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.openings: list[str] = []
        self.pairs: dict[tuple[int, int], list[Record]] = {}  # by the number of the pair and that of its match
        self._saved: list[Plan] = []  # the matches whose games are written into files
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = open(folder / PAIRS, "ab")  # noqa: SIM115  (closed by __exit__)
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}") from None
        self._lock()

    @classmethod
    def create(cls, folder: Path, plan: dict[str, Any], openings: Callable[[], list[str]]) -> Kept:
        """A new folder, for which the openings are made once; InputError if games are kept there."""
        made = cls(folder)
        try:
            if made._file.tell():
                raise InputError(f"{folder} holds games already: --resume goes on with them, or choose another --out")
            made.openings = openings()
            whole = {"plan": plan, "openings": made.openings, "version": __version__}
            written(folder / PLAN, (json.dumps(whole, indent=1) + "\n").encode())
        except BaseException:
            made._file.close()
            raise
        return made

    @classmethod
    def resume(cls, folder: Path, plan: dict[str, Any]) -> Kept:
        """The folder of a match or tournament that goes on; InputError unless it has this plan."""
        told = read_json(folder / PLAN, "a match or tournament")
        known, openings = told.get("plan"), told.get("openings")
        if not isinstance(known, dict) or not isinstance(openings, list) or {*map(type, openings)} - {str}:
            raise InputError(f"{folder / PLAN} does not describe a match or tournament")
        for word, value in json.loads(json.dumps(plan)).items():
            if known.get(word) != value:
                words = word.replace("_", " "), _short(known.get(word)), _short(value)
                raise InputError(
                    "{} has another plan: its {} is {}, not {}; choose another --out".format(folder, *words)
                )
        made = cls(folder)
        made.openings = openings
        try:
            made._read()
        except BaseException:
            made._file.close()
            raise
        return made

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()

    def _lock(self) -> None:
        try:
            if fcntl:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InputError(f"another process plays in {self.folder}") from None

    def _read(self) -> None:
        """Take the pairs of the file; half a line at its end, of a process that was killed, is cut off."""
        content = (self.folder / PAIRS).read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        self._file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                told = json.loads(line)
                task = told["pair"], told["match"]
                if not all(type(n) is int and n >= 0 for n in task):
                    raise ValueError
                records = [as_record(record) for record in told["records"]]
                if not records or [r.number for r in records] != [2 * task[0], 2 * task[0] + 1][: len(records)]:
                    raise ValueError
            except (ValueError, KeyError, TypeError, RecursionError):
                raise InputError(f"{self.folder / PAIRS}, line {number}, is not a pair of games") from None
            self.pairs.setdefault(task, records)

    def add(self, task: tuple[int, int], records: list[Record]) -> None:
        """Keep a pair of games; when this returns, it is on disk."""
        self._write_games(task, records)
        pair, match = task
        line = {"match": match, "pair": pair, "records": [asdict(record) for record in records]}
        try:
            self._file.write(json.dumps(line, allow_nan=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise InputError(f"{self.folder} cannot be written to: {error.strerror}; --resume goes on") from None

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
            saved = formats.Saved(plan.game, record.actions, players, record.score, reason=record.reason)
            name = f"{record.number + 1:05}"
            if len(self._saved) > 1:
                name = f"{task[1] + 1:03}-{name}"
            for ending in ENDINGS:
                formats.write(self.folder / GAMES / (name + ending), saved)


def as_record(told: Any) -> Record:
    """The record of a game that was read; ValueError, KeyError or TypeError if it is none."""
    known = {field: told[field] for field in Record.__dataclass_fields__}
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
    if known["number"] < 0 or known["first"] not in (0, 1) or not math.isfinite(known["score"]):
        raise ValueError
    return Record(**known)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
