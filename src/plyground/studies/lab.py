"""Runs the parts of a study in processes and keeps each figure as soon as it is there.

Figures stand, one a line, in `figures.jsonl` of the study's folder.  A run that is begun again takes those that were
computed by the same sources with the same arguments, so that an interruption costs no more than the parts at work.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__, atomic, sealed
from ..arena.match import Plan, play_match
from ..arena.parallel import Jobs, at_most, in_parallel
from ..sources import digest_of_sources
from ..spec import InputError

FIGURES = "figures.jsonl"


@dataclass(frozen=True)
class Part:
    """One figure of a study, or a few that come together."""

    work: Callable[..., Any]  # a function of a module, for other processes; its result fits into JSON
    arguments: dict[str, Any]
    command: str = ""  # that gets the figure again; otherwise `reproduce --part` does
    timed: bool = False  # no other part runs meanwhile

    def compute(self) -> tuple[Any, float]:
        """The figure, and the seconds it took."""
        begun = time.perf_counter()
        return self.work(**self.arguments), time.perf_counter() - begun


def match(game: str, one: str, other: str, games: int, seed: int, opening: int = 0) -> dict[str, Any]:
    """The result of a match, whose games begin with so many random moves."""
    result = play_match(Plan(game, (one, other), games, seed, opening))
    seconds = {"seconds_per_move": [result.seconds_a_move(0), result.seconds_a_move(1)]}
    return {**result.summary(), **seconds, "longest_move": [result.longest_move(0), result.longest_move(1)]}


def match_part(
    game: str, one: str, other: str, games: int, seed: int = 1, timed: bool = False, opening: int = 0
) -> Part:
    """A match as a part of a study."""
    begun = f" --openings {opening}" if opening else ""
    command = f"plyground match {shlex.join([game, one, other])} --games {games}{begun} --seed {seed}"
    arguments = {"game": game, "one": one, "other": other, "games": games, "seed": seed, "opening": opening}
    return Part(match, arguments, command, timed)


class Lab:
    """A folder in which the figures of one study come together."""

    def __init__(self, name: str, parts: dict[str, Part], folder: Path, quick: bool) -> None:
        self.name, self.parts, self.folder, self.quick = name, parts, folder, quick
        self._sources = digest_of_sources()
        self.seconds: dict[str, float] = {}
        self.found = self._kept()

    def run(self, jobs: Jobs, watch: Callable[[str], None] = lambda name: None) -> None:
        """Compute what is missing; `watch` is told the name of every part that is there."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write()
        except OSError as error:
            raise InputError(f"{self.folder} cannot be written to: {error.strerror}") from None
        for name in self.found:
            watch(name)
        missing = self.missing
        together = [name for name in missing if not self.parts[name].timed]
        for some, workers in ((together, at_most(jobs, len(together))), ([n for n in missing if n not in together], 1)):
            tasks = [(name, self.parts[name]) for name in some]
            for (name, _), (value, seconds) in in_parallel(_compute, tasks, workers):
                self.found[name], self.seconds[name] = value, seconds
                atomic.append(self.folder / FIGURES, self._line(name))
                watch(name)

    @property
    def missing(self) -> list[str]:
        """The parts that are to be computed."""
        return [name for name in self.parts if name not in self.found]

    def planned(self, names: list[str]) -> str:
        """What there is to do for these parts."""
        here = sum(self.parts[name].timed for name in names)
        alone = f", {here} of them one by one on this machine, since they are timed" if here else ""
        return f"{len(names)} of {len(self.parts)} figures{alone}"

    def command(self, name: str) -> str:
        """What to type to get a figure again."""
        quick = " --quick" if self.quick else ""
        return self.parts[name].command or f"plyground reproduce {self.name}{quick} --part {shlex.quote(name)}"

    def summary(self) -> dict[str, Any]:
        """All figures with what they were made by."""
        figures = {
            name: {"value": self.found[name], "command": self.command(name), "seconds": self.seconds[name]}
            for name in self.parts
        }
        made = {"date": time.strftime("%Y-%m-%d"), "version": __version__, "python": platform.python_version()}
        machine = f"{platform.system()} {platform.machine()}"
        return {"study": self.name, "quick": self.quick, **made, "machine": machine, "figures": figures}

    def _key(self, name: str) -> str:
        part = self.parts[name]
        text = f"{self._sources} {part.work.__module__}.{part.work.__name__} {json.dumps(part.arguments)}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _line(self, name: str) -> str:
        line = {"part": name, "key": self._key(name), "value": self.found[name], "seconds": self.seconds[name]}
        return sealed.text(line)

    def _kept(self) -> dict[str, Any]:
        """The figures of an earlier run that are still true; half a line, of a run that was killed, is not one."""
        found = {}
        file = self.folder / FIGURES
        for line in file.read_text(errors="replace").splitlines() if file.is_file() else []:
            try:
                kept = sealed.opened(json.loads(line))
                if kept["part"] in self.parts and kept["key"] == self._key(kept["part"]):
                    found[kept["part"]] = kept["value"]
                    self.seconds[kept["part"]] = float(kept["seconds"])
            except (ValueError, KeyError, TypeError):
                continue
        return found

    def _write(self) -> None:
        """Leave in the file what is true."""
        atomic.write(self.folder / FIGURES, "".join(map(self._line, self.found)))


def _compute(task: tuple[str, Part]) -> tuple[Any, float]:
    return task[1].compute()
