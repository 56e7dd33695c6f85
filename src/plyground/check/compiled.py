"""The law that compiled and interpreted rules agree, byte for byte."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit.decorators import compile_for
from ..jit.errors import reason
from ..jit.first_use import compiling
from ..rules import CHANCE, dtype, gives, kernel, legal
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


@kernel
def compiled_still(game, states, action):
    return game.still(states[0], action)


@kernel
def compiled_chance(game, states, out, weights):
    return game.chance(states[0], out, weights)


@kernel
def compiled_wins(game, states, player, out):
    return game.wins(states[0], player, out)


@kernel
def compiled_wins_after(game, states, action, player, out, count):
    return game.wins_after(states[0], action, player, out, count)


@kernel
def compiled_encode(game, states, planes):
    game.encode(states[0], planes)


def must_compile(game: Any) -> None:
    """Breach if a rule does not compile."""
    out, alone = np.zeros(game.actions(), np.int16), bool(game.alone())
    kernels: list[tuple[Any, tuple]] = [
        (compiled_start, ()),
        (compiled_facts, (out, np.zeros(6), alone)),
        (compiled_play, (0,)),
    ]
    if gives(game, "still"):
        kernels.append((compiled_still, (0,)))
    if gives(game, "chance"):
        kernels.append((compiled_chance, (out, np.zeros(1))))
    if gives(game, "wins"):
        kernels.append((compiled_wins, (0, out)))
    if gives(game, "wins_after"):
        kernels.append((compiled_wins_after, (0, 0, out, 0)))
    if gives(game, "encode", "planes"):
        kernels.append((compiled_encode, (np.zeros((1, 1, 1), np.float32),)))
    try:
        with compiling(0):
            for kernel, more in kernels:
                compile_for(kernel, game, np.zeros(1, dtype(game)), *more)
    except Exception as error:
        raise Breach(f"does not compile: {reason(error)}") from None


def compiled_alike(game: Any, played: list[Played]) -> None:
    alone = bool(game.alone())
    must_compile(game)
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
