"""Runs in the folder of runs, as the page shows them: what they are, how they go, games they have played.

Files are read as they are found, perhaps while they are written: what is whole in them counts.  Nothing outside the
folder is looked at, by whatever name or link it is asked for, and of a large file only the end is read.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from ..learn import learner, registry
from ..learn.figures import meaning
from ..learn.run import CONFIG, GAMES, METRICS, is_trained
from ..nets.files import CARD
from ..spec import InputError

PART = re.compile(r"(?!.*\.\.)(?!\.$)[A-Za-z0-9_.-]{1,100}")
FRESH = 30.0  # seconds since its last figures, after which a run no longer grows
MOST_RUNS = 500  # that are listed
LARGEST_CONFIG = 64 * 1024  # bytes
LAST_FIGURES, LAST_GAMES, ALL_FIGURES = 16 * 1024, 64 * 1024, 4 * 1024 * 1024  # bytes read from the end of a file
MOST_LINES = 500  # of figures
MOST_FIGURES = 100  # in a line
SAMPLES = 12  # games
HUGE = 1e300  # numbers beyond it are none


class Runs:
    """The runs in a folder, or one folder deeper."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    # --- names -------------------------------------------------------------------------------------------

    def place(self, name: str, *more: str) -> Path | None:
        """A file or folder of this name, if it is there and within the folder of runs."""
        parts = name.split("/")
        if len(parts) > 2 or not all(PART.fullmatch(part) for part in parts):
            return None
        try:
            path, root = self.folder.joinpath(*parts, *more).resolve(), self.folder.resolve()
            return path if path.is_relative_to(root) and (path.is_file() or path.is_dir()) else None
        except (OSError, RuntimeError):  # links in a circle, folders that may not be entered
            return None

    def file(self, name: str, file: str) -> Path | None:
        found = self.place(name, file)
        return found if found and found.is_file() else None

    def path(self, text: str) -> str:
        """The path of a run as an agent's spec gives it, if it leads to one of these runs; InputError otherwise."""
        try:
            inside = PurePath(os.path.abspath(text)).relative_to(os.path.abspath(self.folder)).as_posix()
        except ValueError:
            example = self.folder / "dqn"
            raise InputError(f"a run is one in the folder {self.folder} here, like {str(example)!r}") from None
        here = self.place(inside)
        if here is None or not here.is_dir():
            raise InputError(f"there is no run {inside[:100]!r} in {self.folder}")
        if any(entry.is_symlink() and self.place(inside, entry.name) is None for entry in os.scandir(here)):
            raise InputError(f"the run {inside[:100]!r} holds links to files outside of {self.folder}")
        return str(self.folder / inside)

    def names(self) -> Iterator[str]:
        """All runs: folders with a config.json."""
        for name in inner(self.folder):
            if self.file(name, CONFIG):
                yield name
            elif folder := self.place(name):
                yield from (both for deeper in inner(folder) if self.file(both := f"{name}/{deeper}", CONFIG))

    # --- answers -----------------------------------------------------------------------------------------

    def listed(self) -> list[dict[str, Any]]:
        """Every run, the one that has changed last first."""
        found = [entry for name in self.names() if (entry := self._entry(name, self.config(name)))]
        return sorted(found, key=lambda entry: entry["changed"], reverse=True)[:MOST_RUNS]

    def paths(self) -> list[str]:
        """The runs that hold a net, as agents name them."""
        return [entry["path"] for entry in self.listed() if entry["net"]]

    def details(self, name: str, board: Callable[[str, int], tuple[str, int | None]]) -> dict[str, Any] | None:
        """A run with its figures; None if there is no such run.

        `board` tells how the page calls a game that was drawn by a seed, and how many play it.
        """
        if not self.file(name, CONFIG):
            return None
        config = self.config(name)
        entry = self._entry(name, config) if config else None
        if entry is None:
            raise InputError(f"{self.folder / name / CONFIG} does not describe a run")
        figures, cut = self._figures(name)
        last: dict[str, float] = {}
        for line in figures:
            last |= line
        spec, players = board(entry["game"], entry["seed"] or 0)
        return {
            **entry,
            "config": config,
            "metrics": thinned(figures, MOST_LINES),
            "last": {word: value for word, value in last.items() if word != "step"},
            "meanings": {word: told for word in last if (told := meaning(word))},
            "cut": cut,
            "board": spec,
            "players": players,
            "games": self._games(name),
        }

    def config(self, name: str) -> dict[str, Any]:
        """What a run says of itself: texts and numbers, and groups of them; empty if that cannot be read."""
        path, found = self.file(name, CONFIG), dict[str, Any]()
        with suppress(OSError):
            if path:
                with path.open("rb") as file:
                    found = parsed(file.read(LARGEST_CONFIG))
        groups = {word: value for word, value in found.items() if isinstance(value, dict)}
        return plain(found) | {word: plain(group) for word, group in groups.items()}

    def _entry(self, name: str, config: dict[str, Any]) -> dict[str, Any] | None:
        """What the list says of a run; None if it has just been removed."""
        began, grown, ended = (self._time(name, file) for file in (CONFIG, METRICS, CARD))
        changed = grown or began
        if changed is None:
            return None
        figures, _ = self._figures(name, LAST_FIGURES)
        seed, options = config.get("seed"), config.get("options")
        unit = unit_of(text(config.get("algorithm")))
        steps = options.get(unit) if isinstance(options, dict) else None
        return {
            "name": name,
            "path": str(self.folder / name),
            "algorithm": text(config.get("algorithm")),
            "game": text(config.get("game")),
            "seed": seed if type(seed) is int else None,
            "date": text(config.get("date")) or moment(changed)[:10],
            "changed": moment(changed),
            "step": int(figures[-1]["step"]) if figures else None,
            "steps": steps if type(steps) is int else None,
            "unit": unit,
            "growing": self._grows(name, changed, ended),
            "net": ended is not None,
        }

    def _grows(self, name: str, changed: float, ended: float | None) -> bool:
        """Is it being trained?  Where no process says so, figures tell that have just grown, and an older net."""
        folder = self.place(name)
        told = is_trained(folder) if folder else None
        return time.time() - changed < FRESH and (ended or 0) < changed if told is None else told

    def _time(self, name: str, file: str) -> float | None:
        """When a file of a run was last written, if it is there."""
        path = self.file(name, file)
        try:
            return path.stat().st_mtime if path else None
        except OSError:
            return None

    def _figures(self, name: str, most: int = ALL_FIGURES) -> tuple[list[dict[str, float]], bool]:
        """The figures in the last bytes of a run, by step; and whether there were more."""
        lines, cut = tail(self.file(name, METRICS), most)
        figures = [numbers(line) for line in lines]
        return sorted((line for line in figures if "step" in line), key=lambda line: line["step"]), cut

    def _games(self, name: str) -> list[dict[str, Any]]:
        """The last sample games, the newest first."""
        lines, _ = tail(self.file(name, GAMES), LAST_GAMES)
        found: list[dict[str, Any]] = []
        for line in reversed(lines):
            step, moves, score, seat = (line.get(word) for word in ("step", "moves", "score", "seat"))
            if type(step) is int and isinstance(moves, str) and len(found) < SAMPLES:
                sat = seat if type(seat) is int and seat in (0, 1) else None
                known = {"score": score if is_number(score) else None, "seat": sat}
                found.append({"step": step, "moves": moves.split(), **known})
        return found


# --- reading ----------------------------------------------------------------------------------------------


@lru_cache(64)
def unit_of(algorithm: str) -> str:
    """What a step of an algorithm is, which is also the option that says how many there are."""
    try:
        return learner(algorithm).unit if algorithm in registry() else "games"
    except InputError:
        return "games"


def inner(folder: Path) -> list[str]:
    """The names in a folder that a run can have."""
    try:
        return sorted(name for name in os.listdir(folder) if PART.fullmatch(name))
    except OSError:
        return []


def tail(path: Path | None, most: int) -> tuple[list[dict[str, Any]], bool]:
    """The lines in the last bytes of a file that are whole, and whether there is more before them."""
    if path is None:
        return [], False
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - most)
            file.seek(start)
            lines = file.read(most).split(b"\n")
    except OSError:
        return [], False
    return [found for line in lines[1 if start else 0 :] if (found := parsed(line))], start > 0


def parsed(line: str | bytes) -> dict[str, Any]:
    """A JSON object; an empty one in place of anything else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and -HUGE < value < HUGE


def numbers(line: dict[str, Any]) -> dict[str, float]:
    """The figures of a line: what is a number; `step` a whole one."""
    found = {str(word)[:100]: value for word, value in list(line.items())[:MOST_FIGURES] if is_number(value)}
    if type(found.get("step")) is not int:
        found.pop("step", None)
    return found


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """The texts and numbers among some values."""
    return {
        word: value
        for word, value in values.items()
        if value is None or isinstance(value, str | bool) or is_number(value)
    }


def text(value: Any) -> str:
    return value[:500] if isinstance(value, str) else ""


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def thinned(lines: list[dict[str, float]], most: int) -> list[dict[str, float]]:
    """At most so many lines: the mean of each figure over as many lines as go into one, and the step of the last."""
    size = math.ceil(len(lines) / most)
    return lines if size <= 1 else [mean(lines[at : at + size]) for at in range(0, len(lines), size)]


def mean(lines: list[dict[str, float]]) -> dict[str, float]:
    """The mean of each figure over the lines that tell it; the last step."""
    values: dict[str, list[float]] = {}
    for line in lines:
        for word, value in line.items():
            values.setdefault(word, []).append(value)
    return {word: sum(all_of) / len(all_of) for word, all_of in values.items()} | {"step": lines[-1]["step"]}
