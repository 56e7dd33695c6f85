"""A folder of games that are being played, which may be stopped at any moment and goes on later.

    plan.json      everything that determines the games
    *.jsonl        what has ended, a line for each; it counts when its whole line is there

Both tell by digests when they were damaged.

What was being played when the process ended is played again, with the same random numbers.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

from filelock import FileLock, Timeout

from .. import __version__, atomic, sealed
from ..spec import InputError
from ..user_files import digests, must_be_unchanged

PLAN = "plan.json"
LOCK = ".lock"  # held by the process that plays here


class Journal:
    """What has been played, on disk.  Use it in a `with`: until its end no other process may play there."""

    file: ClassVar[str]  # the name of the file with the lines
    about: ClassVar[str]  # whose folder this is
    entry: ClassVar[str]  # what a line tells
    holds: ClassVar[str] = "games"  # what it keeps, in a word

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.header: dict[str, Any] = {}  # what plan.json says: the plan, and what was made once for it
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(folder / LOCK, timeout=0)
            self._lock.acquire()
            self._path = folder / self.file
            self._path.touch()
        except Timeout:
            raise InputError(f"another process plays in {folder}") from None
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}") from None

    @classmethod
    def create(cls, folder: Path, plan: dict[str, Any], more: Callable[[], dict[str, Any]] = dict) -> Self:
        """A new folder; InputError if games are kept there.  `more` makes what is made once and kept with the plan."""
        for word, value in plan.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise InputError(f"{word.replace('_', ' ')} is a finite number where games are kept, not {value}")
        made = cls(folder)
        try:
            cls.must_be_free(folder)
            made.header = {"plan": plan, **more(), "version": __version__, "files": digests(*_texts(plan))}
            atomic.write(folder / PLAN, sealed.text(made.header, indent=1))
        except BaseException:
            made._close()
            raise
        return made

    @classmethod
    def must_be_free(cls, folder: Path) -> None:
        """InputError if something is kept there."""
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file: --out names a folder")
        kept = {path.name for path in folder.glob("*.jsonl") if path.stat().st_size}
        if cls.file in kept:
            raise InputError(f"{folder} holds {cls.holds} already: --resume goes on with them, or choose another --out")
        if kept:
            raise InputError(f"{folder} holds what something else has written: choose another --out")

    @classmethod
    def agreed(cls, folder: Path, plan: dict[str, Any]) -> dict[str, Any]:
        """What plan.json says; InputError unless it is this plan."""
        header = sealed.read(folder / PLAN, cls.about)
        known = header.get("plan")
        if not isinstance(known, dict) or not cls.fits(header):
            raise InputError(f"{folder / PLAN} does not describe {cls.about}")
        for word, value in json.loads(json.dumps(plan)).items():
            if known.get(word) != value:
                words = word.replace("_", " "), _short(known.get(word)), _short(value)
                raise InputError(
                    "{} has another plan: its {} is {}, not {}; choose another --out".format(folder, *words)
                )
        must_be_unchanged(header.get("files"), digests(*_texts(plan)), folder)
        return header

    @classmethod
    def resume(cls, folder: Path, plan: dict[str, Any]) -> Self:
        """The folder in which games go on; InputError unless it has this plan."""
        header = cls.agreed(folder, plan)
        made = cls(folder)
        made.header = header
        try:
            made._read()
        except BaseException:
            made._close()
            raise
        return made

    @classmethod
    def look(cls, folder: Path) -> Self:
        """What a folder keeps now, for whoever only looks at it, while others may play there; InputError if nothing."""
        made = cls.__new__(cls)
        made.folder, made._path = folder, folder / cls.file
        made.header = sealed.read(folder / PLAN, cls.about)
        if not isinstance(made.header.get("plan"), dict) or not cls.fits(made.header):
            raise InputError(f"{folder / PLAN} does not describe {cls.about}")
        made.clear()
        made._take_all()
        return made

    def clear(self) -> None:
        """Forget what lines have told."""

    @classmethod
    def fits(cls, header: dict[str, Any]) -> bool:
        """Whether plan.json holds what was kept with the plan."""
        return True

    def take(self, line: Any) -> None:
        """Remember what a line tells; ValueError, KeyError or TypeError if it is not what it should be."""
        raise TypeError(f"{type(self).__name__} takes no lines")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self._close()

    def _close(self) -> None:
        self._lock.release()

    def _read(self) -> None:
        """Take the lines of the file; half a line at its end, of a process that was killed, is cut off."""
        os.truncate(self._path, self._take_all())

    def _take_all(self) -> int:
        """Take the whole lines of the file; how many bytes they have."""
        try:
            content = atomic.read(self._path)
        except OSError as error:
            raise InputError(f"{self._path} cannot be read: {error.strerror}") from None
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self.take(sealed.opened(json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError):
                raise InputError(f"{self._path}, line {number}, is not {self.entry}") from None
        return len(whole)

    def append(self, line: dict[str, Any]) -> None:
        """Add a line; when this returns, it is on disk."""
        try:
            atomic.append(self._path, sealed.text(line))
        except OSError as error:
            raise InputError(f"{self.folder} cannot be written to: {error.strerror}; --resume goes on") from None


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _texts(value: Any) -> Iterator[str]:
    """All texts within a plan."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
