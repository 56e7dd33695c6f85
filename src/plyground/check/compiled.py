"""The law that compiled and interpreted rules agree, byte for byte.

The kernels here ask one rule each, whose arguments `rules` tells: `states` [1] has the state, `action`, `player` and
`count` are integers, `out` int16[actions], `weights` float64[actions], `planes` float32[planes, height, width].
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..jit.decorators import compile_for
from ..jit.errors import reason
from ..jit.first_use import compiling
from ..rules import CHANCE, dtype, gives, kernel, legal, winning
from .answers import outcomes
from .breach import Breach
from .laws import differing, encoded
from .played import Played
from .source import written

WRAPS = "small integers such as np.int8 wrap around interpreted, and are widened first compiled: write int(...)"
FLIPS = "`~` of True or False is a number interpreted, and `not` compiled: write `not`"
ADDS = "two NumPy booleans, such as comparisons of fields, add up to True interpreted, to 2 compiled: write int(...)"


@kernel
def compiled_start(game, states):
    game.start(states[0])


@kernel
def compiled_facts(game, states, out, facts, alone):
    """Write player, over, number of legal actions, score and both players' hope of a state into `facts`.

    facts float64[6]; alone: is it a game of one player?
    """
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
        raise Breach("", f"does not compile: {reason(error)}") from None


def compiled_alike(game: Any, played: list[Played], wrapped: str = "") -> None:
    """Play the games again by the compiled rules; `wrapped` is a line on which a small integer wrapped around."""
    must_compile(game)
    for one in played:
        states = np.zeros(1, dtype(game))
        compiled_start(game, states)
        for ply, state in enumerate(one.states):
            where = one.where(game, ply)
            found = differing(states[0], state)
            left = [("play" if ply else "start", *found)] if found else []
            for rule, compiled, interpreted in left or answers(game, states, state):
                if compiled != interpreted:
                    verb = "leaves" if rule in ("play", "start") else "answers"
                    told = f"{rule} {verb} {compiled} compiled, {interpreted} interpreted, {where}"
                    raise Breach(rule, f"{told}; {hint(game, rule, wrapped)}")
            if ply < len(one.actions):
                compiled_play(game, states, one.actions[ply])


def answers(game: Any, states: np.ndarray, state: Any) -> Iterator[tuple[str, Any, Any]]:
    """What rules answer of a state: their name, the compiled answer, the interpreted one."""
    alone = bool(game.alone())
    out, facts = np.zeros(game.actions(), np.int16), np.zeros(6)
    compiled_facts(game, states, out, facts, alone)
    over = bool(game.over(state))
    yield "over", bool(facts[1]), over
    if over or alone:
        yield "score", float(facts[3]), float(game.score(state))
    if over:
        return
    player = int(game.player(state))
    yield "player", int(facts[0]), player
    if player == CHANCE:
        weights = np.zeros(game.actions())
        count = compiled_chance(game, states, out, weights) if gives(game, "chance") else 0
        drawn = list(zip(out[:count].tolist(), weights[:count].tolist(), strict=True))
        yield "chance", drawn, outcomes(game, state, "")
        return
    actions = legal(game, state)
    yield "legal", out[: int(facts[2])].tolist(), actions
    for owner in range(2):
        yield "hope", bool(facts[4 + owner]), bool(game.hope(state, owner))
        if gives(game, "wins"):
            count = compiled_wins(game, states, owner, out)
            yield "wins", out[:count].tolist(), winning(game, state, owner)
    if gives(game, "still"):
        for action in actions:
            yield "still", bool(compiled_still(game, states, action)), bool(game.still(state, action))
    if gives(game, "encode", "planes"):
        planes = np.zeros(game.planes(), np.float32)
        compiled_encode(game, states, planes)
        right = encoded(game, state)
        if planes.tobytes() != right.tobytes():
            at = np.argwhere(planes != right)[0].tolist()
            yield "encode", f"planes{at} = {planes[*at]:g}", f"planes{at} = {right[*at]:g}"


def hint(game: Any, rule: str, wrapped: str) -> str:
    """Why compiled code may do something else."""
    if wrapped:
        return f"{WRAPS} in {wrapped}"
    for says, looks in ((FLIPS, flips), (ADDS, adds)):
        if lines := written(game, rule, looks):
            return f"{says} in {lines[0]}"
    return f"{WRAPS}; {ADDS}"


def flips(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)


def adds(node: ast.AST) -> bool:
    """Is this a sum of a comparison?"""
    summed = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult)
    return summed and any(isinstance(side, ast.Compare) for side in (node.left, node.right))  # type: ignore[attr-defined]
