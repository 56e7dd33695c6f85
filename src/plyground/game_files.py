"""Files of games, in the formats that families of games bring along.

The end of a file's name says which.  What is read is checked against the rules; nothing in it is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import atomic
from .games import make
from .manifest import families, family_of, registered
from .rules import legal, new
from .spec import InputError

LARGEST_FILE = 1 << 20  # bytes, of a single game
LARGEST_COLLECTION = 1 << 28  # of many in one file


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


class OtherGame(InputError):
    """A file holds another game than those of a format: another one may read it."""


def is_listed(game: Any, state: Any, action: int) -> bool:
    """Is an action legal, as the rules list them?"""
    return action in legal(game, state)


def checked(saved: Saved, is_legal: Callable[[Any, Any, int], bool] = is_listed, why_not: str = "") -> Saved:
    """The game, if its moves are legal.  The score is the rules' where these have ended it; else a win has a reason.

    is_legal: how to find that out, where it is known without a list; why_not: what an illegal move may be.
    """
    game = make(saved.game)
    state = new(game)
    for number, action in enumerate(saved.actions, 1):
        if game.over(state):
            raise InputError(f"move {number} comes after the end of the game")
        if not is_legal(game, state, action):
            raise InputError(f"move {number} is not legal{why_not}")
        game.play(state, action)
    for what, kept in (("thinking times", saved.seconds), ("notes", saved.notes)):
        if kept and len(kept) != len(saved.actions):
            raise InputError(f"{len(kept)} {what} for {len(saved.actions)} moves")
    if saved.score not in (None, -1, 0, 1):
        raise InputError(f"the score of a game is 1, 0 or -1, not {saved.score}")
    if game.over(state):
        return replace(saved, score=float(game.score(state)), reason="")
    return replace(saved, reason=saved.reason or "unknown") if saved.score else replace(saved, reason="")


def write(path: str | Path, saved: Saved) -> None:
    """Write a game into a file: .sgf, .psq or .pgn.  InputError for a game that such a file cannot hold."""
    written = text(path, saved).encode("utf-8", "replace")
    try:
        atomic.write(Path(path), written)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def text(path: str | Path, saved: Saved) -> str:
    """What a file of this name would hold."""
    formats, own = _formats(path), family_of(make(saved.game)).package
    written: str = formats.get(own, next(iter(formats.values()))).text(saved)
    return written


def parse(path: str | Path, text: str) -> Saved:
    """The game of a text as a file of this name would hold it.  InputError if it makes no sense."""
    *others, last = _formats(path).values()
    try:
        for one in others:
            try:
                return one.parse(text)  # type: ignore[no-any-return]
            except OtherGame:
                continue
        return last.parse(text)  # type: ignore[no-any-return]
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
    return parse(path, _text_of(path, LARGEST_FILE))


def read_all(path: str | Path) -> list[Saved]:
    """All games of a file: .sgf and .pgn may have several.  InputError if one makes no sense."""
    told = _text_of(path, LARGEST_COLLECTION)
    splitting = [one.split for one in _formats(path).values() if hasattr(one, "split")]
    parts = splitting[0](told) if splitting else [told]
    if len(parts) < 2:
        return [parse(path, told)]
    found = []
    for number, part in enumerate(parts, 1):
        try:
            found.append(parse(path, part))
        except InputError as error:
            raise InputError(f"game {number} of {error}") from None
    return found


def _text_of(path: str | Path, most: int) -> str:
    _formats(path)
    try:
        return decoded(atomic.read(path, most))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def decoded(content: bytes) -> str:
    """The text of a file: UTF-8, else Latin-1, as SGF and PGN were defined and older programs write them."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def is_game_file(name: str) -> bool:
    """Does a name end as those of files of games do?"""
    return Path(name).suffix.lower() in registered("formats")


def names_file(position: str) -> bool:
    """Is a position told by a file of a game, `mine.sgf`, or by its first moves, `mine.sgf:12`?"""
    return is_game_file(_place(position)[0])


def actions_to(game: Any, position: str) -> list[int]:
    """The actions that lead to a position that a file tells.  InputError if the file holds another game."""
    path, moves = _place(position)
    saved = read(path)
    kept = make(saved.game)
    if (type(kept), kept) != (type(game), game):
        raise InputError(f"{path} holds another game: {saved.game}")
    if moves and int(moves) > len(saved.actions):
        raise InputError(f"{path} has {len(saved.actions)} moves, not {moves}")
    return saved.actions[: int(moves)] if moves else saved.actions


def _place(position: str) -> tuple[str, str]:
    """The file, and how many of its moves; "" for all."""
    found = re.fullmatch(r"(.*?)(?::([0-9]{1,5}))?", position.strip(), re.DOTALL)
    assert found
    return found[1], found[2] or ""


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
    holds = getattr(_formats(f"game{ending}")[family_of(game).package], "holds", None)
    return holds is None or bool(holds(game))


def _formats(path: str | Path) -> dict[str, Any]:
    """The modules that read and write files of this name, by the families that have one.

    `parse` and `text`; `split` where a file may have several games, `holds` where not all of the family can be kept.
    """
    known, ending = registered("formats"), Path(path).suffix.lower()
    if ending not in known:
        raise InputError(f"{path}: games are kept in files that end with {' or '.join(known)}")
    having = [family for family in families() if family.there and ending in family.formats]
    return {family.package: family.load(family.formats[ending]) for family in having}
