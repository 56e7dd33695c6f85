"""Files that were damaged: a byte flipped or put in, cut short, emptied, deleted, swapped, doubled.

Whoever reads them either refuses them in one line, or says what is left out, or comes to the same result.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from .. import atomic, games
from ..game_files import Saved, endings, read, write
from ..rules import new, playable
from ..spec import InputError
from .base import Campaign, explore, scratch
from .boards import small
from .commands import wrong_with
from .kills import OUT, WORKS, Work, apart, result, timeless
from .terminal import SETTING_UP, Ran, Terminal

LOCKS = (".lock", ".trainer.json")  # hold nothing


@dataclass(frozen=True)
class Reading:
    """A folder, the command that reads it, and the share of the damages that it gets."""

    make: Callable[[Terminal, Path], None]
    words: list[str]
    share: float
    work: Work | None = None  # that goes on with the folder
    cache: bool = False  # the folder is the cache of kernels


def half(kind: str, touches: int) -> Callable[[Terminal, Path], None]:
    """Makes a folder of work that was killed before it was done."""

    def make(terminal: Terminal, folder: Path) -> None:
        words = [*WORKS[kind].words, "--out", OUT, "--json"]
        ran = terminal.run(words, folder=folder, kill_at=touches, limit=SETTING_UP)
        if ran.code != -signal.SIGKILL:
            raise RuntimeError(f"{kind} has ended too soon: {ran.err[-300:]}")

    return make


def trained(terminal: Terminal, folder: Path) -> None:
    """A net that was trained for a moment."""
    ran = terminal.run([*TRAIN.words, "--out", OUT], folder=folder, limit=SETTING_UP)
    if ran.code:
        raise RuntimeError(f"training has failed: {ran.err[-300:]}")


def kernels(terminal: Terminal, folder: Path) -> None:
    """A cache with the kernels that a search needs."""
    ran = terminal.run(THINK, folder=folder, limit=SETTING_UP)
    if ran.code or not any((folder / OUT).rglob("*-*")):
        raise RuntimeError(f"nothing was compiled: {ran.err[-300:]}")


def again(kind: str) -> list[str]:
    """The command that goes on with a folder."""
    work = WORKS[kind]
    return [*(work.words[:3] if kind == "train" else work.words), *work.again, "--out", OUT, "--json"]


TRAIN = WORKS["train"]
THINK = ["think", "tictactoe", "uct(sims=50, seed=1)", "--json"]
READINGS = {
    "match folders": Reading(half("match", 11), again("match"), 0.2, WORKS["match"]),
    "tournament folders": Reading(half("tournament", 11), again("tournament"), 0.15, WORKS["tournament"]),
    "score folders": Reading(half("score", 13), again("score"), 0.15, WORKS["score"]),
    "nets": Reading(trained, ["think", "tictactoe", f'net("{OUT}")', "--json"], 0.2),
    "checkpoints": Reading(half("train", 22), again("train"), 0.1, TRAIN),
    "studies": Reading(half("reproduce", 8), again("reproduce"), 0.09, WORKS["reproduce"]),
    "kernels": Reading(kernels, THINK, 0.01, cache=True),
}
GAME_FILES = 0.1  # share of files of single games
MOVES = 6  # of such a game


@st.composite
def damages(draw: Any) -> tuple[str, float, float, int]:
    """What happens to which file, and where, as shares of their number and of its length; and a byte."""
    how = draw(st.sampled_from(["flip", "flip", "flip", "truncate", "delete", "swap", "empty", "double", "insert"]))
    return how, draw(st.floats(0, 1)), draw(st.floats(0, 1)), draw(st.integers(0, 255))


def damage(folder: Path, drawn: tuple[str, float, float, int]) -> str:
    """Damage a file in a folder; what was done to which."""
    how, which, where, byte = drawn
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in LOCKS)
    path = paths[round(which * (len(paths) - 1))]
    name = path.relative_to(folder)
    content = path.read_bytes()
    place = round(where * max(0, len(content) - 1))
    if how == "flip" and content:
        put(path, content[:place] + bytes([content[place] ^ (byte or 1)]) + content[place + 1 :])
    elif how == "truncate":
        os.truncate(path, place)
    elif how == "empty":
        put(path, b"")
    elif how == "delete":
        path.unlink()
    elif how == "double":
        put(path, content + content)
    elif how == "insert":
        put(path, content[:place] + bytes([byte]) + content[place:])
    elif how == "swap":
        other = ([one for one in paths if one != path] or [path])[place % max(1, len(paths) - 1)]
        theirs = other.read_bytes()
        put(other, content)
        put(path, theirs)
        return f"{name} and {other.relative_to(folder)} swapped"
    return f"{name}: {how} at {place} of {len(content)}, byte {byte}"


def said(ran: Ran, folder: Path) -> set[str]:
    """The lines that a command told people, whatever folder it was in and whatever it counted."""
    lines = ran.err.replace(str(folder), "").splitlines()
    return {re.sub(r"[\d.]+", "0", line) for line in lines if line.startswith("plyground: ")}


def put(path: Path, content: bytes) -> None:
    atomic.write(path, content, durable=False)


class Damaged:
    """One kind of folder, damaged again and again."""

    def __init__(self, kind: str, terminal: Terminal, folder: Path) -> None:
        self.kind, self.terminal, self.whole, self.reading = kind, terminal, folder, READINGS[kind]
        self.reading.make(terminal, folder)
        self.last = ""
        with scratch() as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            ran = self.run(copy)
            if ran.code:
                raise RuntimeError(f"{kind}: the whole one is not read: {ran.err[-300:]}")
            self.right = self.result(copy, ran)
            self.usual = said(ran, copy)
        if not (self.reading.work or self.reading.cache):
            terminal.ready(self.reading.words, folder)

    def run(self, folder: Path) -> Ran:
        return self.terminal.run(self.reading.words, folder=folder)

    def result(self, folder: Path, ran: Ran) -> dict[str, Any]:
        if self.reading.work:
            return result(folder, self.reading.work, ran)
        return {"printed": timeless(json.loads(ran.out))}

    def tried(self, drawn: tuple[str, float, float, int]) -> str:
        """Damage a copy and read it."""
        with scratch() as folder:
            shutil.copytree(self.whole, folder, dirs_exist_ok=True)
            self.last = damage(folder / OUT, drawn)
            ran = self.run(folder)
            told = f"{self.last}: "
            if wrong := wrong_with(self.reading.words, ran):
                return told + wrong
            if ran.code:
                return "" if ran.code == 2 else f"{told}exit code {ran.code}"
            different = apart(self.right, self.result(folder, ran))
            silent = said(ran, folder) <= self.usual
            return told + f"silently different: {different}" if different and silent else ""


@cache
def saved_games() -> list[tuple[str, Saved]]:
    """The first moves of every game that can be kept in a file, and how the file ends, for each format."""
    found = []
    for spec in dict.fromkeys(small()):
        game = games.make(spec)
        state, actions = new(game), list[int]()
        while len(actions) < MOVES and not game.over(state) and not game.alone():
            actions.append(playable(game, state)[0])
            game.play(state, actions[-1])
        with suppress(InputError):  # it has no format
            for ending in endings(spec):
                found.append((ending, Saved(spec, actions, ("a", "b"), None, [0.5] * len(actions))))
    return found


def game_file(drawn: tuple[tuple[str, Saved], tuple[str, float, float, int]]) -> str:
    """A damaged file of a single game is read or refused."""
    (ending, saved), how = drawn
    with scratch() as folder:
        path = folder / f"game{ending}"
        write(path, saved)
        done = damage(folder, how)
        try:
            read(path)
        except InputError as error:
            return "" if "\n" not in str(error) else f"{done}: not one line: {error}"
        except Exception as error:
            return f"{done}: raised {type(error).__name__}: {error}"
    return ""


def run(campaign: Campaign) -> None:
    """Damage each kind of file in turn."""
    files = st.tuples(st.sampled_from(saved_games()), damages())
    explore(campaign.share(GAME_FILES), "game files", files, game_file)
    for kind, reading in READINGS.items():
        work = TRAIN if kind == "nets" else reading.work or Work([], [])
        if (work.needs and not find_spec(work.needs)) or not campaign.going():
            continue
        with (
            scratch() as folder,
            Terminal(
                ready=work.ready if reading.work else [],
                imports=work.imports,
                environment={"XDG_CACHE_HOME": OUT} if reading.cache else {},
                fresh=reading.cache,
            ) as terminal,
        ):
            one = Damaged(kind, terminal, folder)
            explore(campaign.share(reading.share), kind, damages(), one.tried)
