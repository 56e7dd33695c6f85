"""Files of single games, in the formats that families of games bring along.

The end of a file's name says which.  What is read is checked against the rules; nothing in it is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import atomic
from .games import make
from .manifest import family_of, load, registered
from .spec import InputError

LARGEST_FILE = 1 << 20  # bytes


@dataclass(frozen=True)
class Note:
    """What somebody says of a move."""

    text: str = ""
    mark: str = ""  # doubtful, bad, or nothing
    line: list[int] = field(default_factory=list)  # actions that would have been better, in its place


@dataclass(frozen=True)
class Saved:
    """One game as a file keeps it."""

    game: str  # its spec, which tells the size of the board: gomoku(15)
    actions: list[int]
    players: tuple[str, str] = ("", "")  # names: who moved first, who moved second
    score: float | None = None  # for the first player: 1, 0 or -1; None while the game is not decided
    seconds: list[float] = field(default_factory=list)  # thinking time of each move; empty if nobody knows
    reason: str = ""  # why the game ended, if not by the rules: out of time, a crash, ...
    notes: list[Note] = field(default_factory=list)  # on each move; empty if there are none, or the format has no room


def write(path: str | Path, saved: Saved) -> None:
    """Write a game into a file: .sgf, .psq or .pgn.  InputError for a game that such a file cannot hold."""
    written = text(path, saved).encode("utf-8", "replace")
    try:
        atomic.write(Path(path), written)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def text(path: str | Path, saved: Saved) -> str:
    """What a file of this name would hold."""
    written: str = _format(path).text(saved)
    return written


def parse(path: str | Path, text: str) -> Saved:
    """The game of a text as a file of this name would hold it.  InputError if it makes no sense."""
    try:
        found: Saved = _format(path).parse(text)
        return found
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse_any(text: str) -> Saved:
    """The game of a text in whatever format it is.  InputError if it is in none."""
    for ending in registered("formats"):
        try:
            return parse(f"game{ending}", text)
        except InputError:
            pass
    raise InputError(f"this is no game as files that end with {' or '.join(registered('formats'))} hold them")


def read(path: str | Path) -> Saved:
    """The game of a file: .sgf, .psq or .pgn.  InputError if it makes no sense."""
    _format(path)
    try:
        found = atomic.read(path, LARGEST_FILE)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    return parse(path, found.decode("utf-8-sig", "replace"))


def is_game_file(name: str) -> bool:
    """Does a name end as those of files of games do?"""
    return Path(name).suffix.lower() in registered("formats")


def endings(game: str) -> list[str]:
    """How the files end that games of this spec can be kept in; InputError if there are none."""
    made = make(game)
    found = [ending for ending in family_of(made).formats if _holds(ending, made)]
    if not found:
        kept = " and ".join(registered("formats"))
        raise InputError(f"{game} cannot be kept in a file: no family of games but those of {kept} has a format")
    return found


def _holds(ending: str, game: Any) -> bool:
    """Can files that end so keep a game of their family?  They can, unless the format says of which alone."""
    holds = getattr(_format(f"game{ending}"), "holds", None)
    return holds is None or bool(holds(game))


def _format(path: str | Path) -> Any:
    """The module that reads and writes files of this name: `parse` and `text`."""
    known, ending = registered("formats"), Path(path).suffix.lower()
    if ending not in known:
        raise InputError(f"{path}: games are kept in files that end with {' or '.join(known)}")
    return load("format", ending, known[ending])
