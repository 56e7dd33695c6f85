"""The agent in the other seat."""

from __future__ import annotations

from typing import Any

from .. import rules
from ..agents.base import Agent, Forfeit
from ..agents.simple import Random, WinBlock, WinBlockMiddle
from ..spec import InputError
from .kernel import Setting


def within(agent: Agent | None, game: Any) -> dict[str, Any]:
    """What `kernel.Setting` says of an opponent: those that do not search draw their actions within the kernel."""
    if agent is None:
        return {"opponent": None}
    if type(agent) not in (Random, WinBlock, WinBlockMiddle):
        return {"opponent": True, "asked": True}
    blocks = True if type(agent) is not Random else None
    return {"opponent": True, "blocks": blocks, "lists": True if rules.gives(game, "wins") else None}


def setting_of(game: Any, opponent: Agent | None) -> Setting:
    """What all environments of a game have in common."""
    flags = (rules.gives(game, "chance"), game.alone())
    setting = Setting(*(True if flag else None for flag in flags), **within(opponent, game))
    shrinks = rules.gives(game, "still") and not setting.nature and not setting.asked
    return setting._replace(shrinks=True if shrinks else None)


def middle_of(agent: Agent | None, game: Any) -> list[int]:
    """The actions that an opponent takes before others if it has nothing to block."""
    return list(game.middle()) if type(agent) is WinBlockMiddle else []


def reply(agent: Agent, game: Any, state: Any) -> int:
    """The opponent's action; InputError if it gives up or breaks the rules."""
    return replies(agent, game, [state])[0]


def replies(agent: Agent, game: Any, states: Any) -> list[int]:
    """The opponent's actions in many games; InputError if it gives up or breaks the rules."""
    try:
        actions = agent.think_in_each(game, states)
    except Forfeit as forfeit:
        raise InputError(f"the opponent forfeits: {forfeit}") from None
    for state, action in zip(states, actions, strict=True):
        if action not in rules.legal(game, state):
            raise InputError(
                f"the opponent played {action!r}, which is not legal in this position:\n{game.text(state)}"
            )
    return actions
