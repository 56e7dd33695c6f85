"""What was given to `serve`: games, agents and scorings of users' own files, and registered games with values."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from .. import games, scorings, spec, user_files
from ..agents.user_agent_process import KIND as AGENT
from ..spec import InputError


class Given(NamedTuple):
    """Games by their specs, agents and scorings by `path/to/file.py:Name`, or without `:Name` where one will do."""

    games: list[str]
    agents: list[str]
    scorings: list[str]


def known_as(name: str, known: Iterable[str], kind: user_files.Kind) -> str:
    """`file.py` for `file.py:Name`, if that was given and stands for it; else the name itself."""
    path, cls = user_files.split(name)
    if name not in known and path in known and cls:
        with suppress(InputError):
            if user_files.load(path, kind) is user_files.load(name, kind):
                return path
    return name


def sorted_out(texts: list[str]) -> Given:
    """The given things by their kinds; of a file without `:Name`, everything that it holds.

    InputError if one is nothing that the page can offer.
    """
    given = Given([], [], [])
    for text in texts:
        name, *values = spec.parse(text, "game")
        if not user_files.is_file(name):
            given.games.append(text)
            continue
        agent, scoring = (user_files.holds(name, kind) for kind in (AGENT, scorings.KIND))
        if user_files.holds(name, games.kind()) or not (agent or scoring):
            given.games.extend([text] if any(values) else user_files.names(name, games.kind()))
        elif any(values):
            raise InputError(f"{text}: the options of an agent or scoring are chosen on the page")
        for holds, kind, names in (agent, AGENT, given.agents), (scoring, scorings.KIND, given.scorings):
            for one in user_files.names(name, kind) if holds else ():
                user_files.load(one, kind)
                names.append(one)
    return given
