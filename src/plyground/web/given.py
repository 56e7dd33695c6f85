"""What was given to `serve`: games, agents and scorings of users' own files, and registered games with values."""

from __future__ import annotations

from typing import NamedTuple

from .. import games, scorings, spec, user_files
from ..agents.user_agent_process import KIND as AGENT
from ..spec import InputError


class Given(NamedTuple):
    """Games by their specs, agents and scorings by `path/to/file.py:Name`, or without `:Name` where one will do."""

    games: list[str]
    agents: list[str]
    scorings: list[str]


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
            given.games.append(text)
        elif any(values):
            raise InputError(f"{text}: the options of an agent or scoring are chosen on the page")
        for holds, kind, names in (agent, AGENT, given.agents), (scoring, scorings.KIND, given.scorings):
            if holds:
                user_files.load(name, kind)
                names.append(name)
    return given
