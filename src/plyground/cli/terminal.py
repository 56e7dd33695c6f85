"""A game in the terminal."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..agents.base import Agent, Forfeit
from ..agents.human import Human
from ..api.given import state_of
from ..rules import CHANCE, drawn_outcome


def play_in_terminal(
    game: Any, players: list[Agent], specs: tuple[str, str], position: str, seed: int, quiet: bool
) -> dict[str, Any]:
    """Play a game to its end, showing the board; return its moves and score."""
    say = (lambda *words: print(*words, file=sys.stderr)) if quiet else print
    rng = np.random.default_rng([seed, len(players)])  # not by the numbers of an agent: it would foresee what falls
    state = state_of(game, position)
    names: list[str] = []
    lost, reason = 0, ""  # by whom, if the rules do not end the game, and why
    say(game.text(state))
    while not game.over(state):
        player = int(game.player(state))
        if player == CHANCE:
            action, who = drawn_outcome(game, state, rng), "chance"
        else:
            who = f"{specs[player]} ({'first' if player == 0 else 'second'})"
            try:
                thought = players[player].think(game, state)
            except Forfeit as forfeit:
                lost, reason = player, str(forfeit)
                say(f"\n{who} forfeits: {reason}")
                break
            action = thought.action
        names.append(game.name(action))
        game.play(state, action)
        mine = player != CHANCE and isinstance(players[player], Human)
        value = "" if player == CHANCE or thought.value is None else f", value {thought.value:+z.2f}"
        say("" if mine else f"\n{who} plays {names[-1]}{value}")
        say(game.text(state))
    if game.alone():
        say(f"\nscore {game.score(state):g}")
        return {"moves": names, "score": float(game.score(state)), "reason": reason}
    score = (2.0 * lost - 1.0) if reason else float(game.score(state))
    outcome = "a draw" if score == 0 else f"{specs[0 if score > 0 else 1]} ({'first' if score > 0 else 'second'}) wins"
    say(f"\n{outcome}, score {score:+g} for the first player")
    return {"moves": names, "score": score, "reason": reason}
