"""Files of single games of stones in a row: PSQ, as Piskvork and Gomocup write them, and SGF.

The end of a file's name says which.  What is read is checked against the rules; nothing in it is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..spec import InputError

LARGEST_FILE = 1 << 20  # bytes


@dataclass(frozen=True)
class Saved:
    """One game as a file keeps it."""

    game: str  # its spec, which tells the size of the board: gomoku(15)
    actions: list[int]
    players: tuple[str, str] = ("", "")  # names: who moved first, who moved second
    score: float | None = None  # for the first player: 1, 0 or -1; None while the game is not decided
    seconds: list[float] = field(default_factory=list)  # thinking time of each move; empty if nobody knows
    reason: str = ""  # why the game ended, if not by the rules: out of time, a crash, ...


def write(path: str | Path, saved: Saved) -> None:
    """Write a game into a file, .sgf or .psq.  InputError for a game that such a file cannot hold."""
    _, text = _format(path)
    try:
        Path(path).write_bytes(text(saved).encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def read(path: str | Path) -> Saved:
    """The game of a file, .sgf or .psq.  InputError if it makes no sense."""
    parse, _ = _format(path)
    try:
        with open(path, "rb") as file:
            found = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if len(found) > LARGEST_FILE:
        raise InputError(f"{path} has more than {LARGEST_FILE >> 20} MiB: that is no single game")
    try:
        return parse(found.decode("utf-8-sig", "replace"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _format(path: str | Path) -> tuple[Callable[[str], Saved], Callable[[Saved], str]]:
    """How a file of this name is read and written."""
    from . import psq, sgf

    known = {".psq": (psq.parse, psq.text), ".sgf": (sgf.parse, sgf.text)}
    if Path(path).suffix.lower() not in known:
        raise InputError(f"{path}: games are kept in files that end with .sgf or .psq")
    return known[Path(path).suffix.lower()]
