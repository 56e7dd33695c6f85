"""The law that compiled and interpreted rules agree, byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof

from ..first_use import reason
from ..rules import CHANCE, dtype, kernel, legal
from .played import Breach, Played


@kernel
def compiled_start(game, states):
    game.start(states[0])


@kernel
def compiled_facts(game, states, out, facts, alone):
    """Write player, over, number of legal actions, score and both players' hope of a state into `facts`."""
    state = states[0]
    facts[1] = game.over(state)
    if game.over(state) or alone:
        facts[3] = game.score(state)
    if not game.over(state):
        facts[0] = game.player(state)
        if game.player(state) >= 0:
            facts[2] = game.legal(state, out)
            for player in range(2):
                facts[4 + player] = game.hope(state, player)


@kernel
def compiled_play(game, states, action):
    game.play(states[0], action)


def compiled_alike(game: Any, played: list[Played]) -> None:
    alone = bool(game.alone())
    try:
        for kernel, more in (
            (compiled_start, ()),
            (compiled_facts, (np.zeros(game.actions(), np.int16), np.zeros(6), alone)),
            (compiled_play, (0,)),
        ):
            kernel.compile((typeof(game), typeof(np.zeros(1, dtype(game))), *map(typeof, more)))
    except Exception as error:
        raise Breach(f"does not compile: {reason(error)}") from None
    for one in played:
        states = np.zeros(1, dtype(game))
        compiled_start(game, states)
        for ply, state in enumerate(one.states):
            where = one.where(game, ply)
            if states.tobytes() != state.tobytes():
                raise Breach(f"the compiled play comes to another state {where}")
            out, facts = np.zeros(game.actions(), np.int16), np.zeros(6)
            compiled_facts(game, states, out, facts, alone)
            over = bool(game.over(state))
            player = 0 if over else int(game.player(state))
            nobody = over or player == CHANCE
            actions = [] if nobody else legal(game, state)
            hopes = [not nobody and bool(game.hope(state, either)) for either in range(2)]
            same = (player, over, len(actions), float(game.score(state)) if over or alone else 0.0, *hopes)
            if tuple(facts) != same or out[: len(actions)].tolist() != actions:
                raise Breach(
                    f"compiled (player, over, actions, score, hopes) {tuple(facts)} {where}, interpreted {same}"
                )
            if ply < len(one.actions):
                compiled_play(game, states, one.actions[ply])
