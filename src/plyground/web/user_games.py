"""The games that were given to `serve`.  One from a file is read again when the file has changed."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import Any

from .. import games, spec, user_files
from ..check import must_hold
from .view import Shown


class UserGames:
    """The given games by their specs, and their classes by file and name."""

    def __init__(self, given: list[str]) -> None:
        self.shown = {text.strip(): Shown(games.make(text), text.strip()) for text in given}
        self.classes: dict[str, Any] = {name_in_file(text): type(shown.game) for text, shown in self.shown.items()}
        self._stamps = {name: stamp(name) for name in self.classes}
        self._lock = threading.Lock()

    def read_again(self, text: str) -> None:
        """Read the file of a spec again if it has changed, and try the new rules out before anything is compiled.

        InputError if they cannot be used; then the file is read again at the next look.
        """
        name = name_in_file(text)
        with self._lock:
            if name not in self.classes or self._stamps[name] == (now := stamp(name)):
                return
            again = {text: Shown(games.make(text), text) for text in self.shown if name_in_file(text) == name}
            for text, shown in again.items():
                must_hold(shown.game, text)
                self.classes[name] = type(shown.game)
            self.shown |= again
            self._stamps[name] = now

    def described(self) -> list[dict[str, Any]]:
        """The games with the parameters of their classes."""
        for text in self.shown:
            with suppress(spec.InputError):  # it is told when somebody plays the game
                self.read_again(text)
        found = spec.described(self.classes)
        for one in found:
            one["about"] = user_files.about(self.classes[one["name"]])
        by_name = {one["name"]: one for one in found}
        return [{"spec": text, **by_name[name_in_file(text)]} for text in self.shown]


def name_in_file(text: str) -> str:
    """`path/to/file.py:Game` of a spec with or without values; "" if it names no file."""
    name = spec.parse(text, "game")[0] if ".py" in text else ""
    return name if user_files.is_file(name) else ""


def stamp(name: str) -> tuple[int, int] | None:
    """By what a changed file is known; None if it is not there."""
    try:
        found = os.stat(user_files.split(name)[0])
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
