"""The games that the campaign plays: those that families of games bring along, since they are over soon."""

from __future__ import annotations

from functools import cache

from .. import agents, games
from ..manifest import families


@cache
def small() -> list[str]:
    """Games that a campaign plays; one that stands there twice is played twice as often."""
    return [spec for family in families() if family.there for spec in family.small]


@cache
def tiny() -> list[str]:
    """Games that a campaign solves, one of a user's own among them; and one that it cannot, which one player plays."""
    return [*(spec for family in families() if family.there for spec in family.tiny), "own.py", for_one()]


@cache
def is_for_one(spec: str) -> bool:
    """Is it a game of one player?"""
    return bool(games.make(spec).alone())


def for_one() -> str:
    """A game of one player."""
    return next(filter(is_for_one, small()))


def scored() -> list[str]:
    """The game of one player, and an agent that plays it."""
    return [for_one(), agents.usual(games.make(for_one()))]
