"""The agent in the other seat."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..agents.base import Agent, Forfeit
from ..spec import InputError


def reply(agent: Agent, game: Any, state: Any) -> int:
    """The opponent's action; InputError if it gives up or breaks the rules."""
    try:
        action = agent.think(game, state).action
    except Forfeit as forfeit:
        raise InputError(f"the opponent forfeits: {forfeit}") from None
    if action not in rules.legal(game, state):
        raise InputError(f"the opponent played {action!r}, which is not legal in this position:\n{game.text(state)}")
    return action
