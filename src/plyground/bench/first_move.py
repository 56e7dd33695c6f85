"""How long a reader who has just started the page for the first time waits for the first reply of an agent."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from .. import games, rules
from ..spec import InputError
from ..warmup import Task, shipped
from .page import served

SECONDS = 1.0  # that the page gives an agent for a move
AT_MOST = 3.0
LONGEST = 600.0  # until its agent plays compiled, on a machine that is very busy


def first_move(seconds: float) -> Iterator[dict[str, Any]]:
    """Each game with its usual agent, on an empty cache: the first reply, and when the agent plays compiled."""
    if not find_spec("fastapi") or not find_spec("websockets"):
        raise InputError("the page needs more: pip install 'plyground[web]'")
    return (row(task) for task in shipped())


def row(task: Task) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as cache, served(warmup=True, cache=cache) as server:
        first, compiled_after = asyncio.run(replies(f"ws{server.address[4:]}api/socket", task))
    return {
        "game": task.game,
        "agent": task.agent,
        "first_reply_s": first["seconds"],
        "at_most_s": AT_MOST,
        "interpreted": "meanwhile" in first,
        "simulations": first["thought"]["simulations"],
        "compiled_after_s": compiled_after,
    }


def before_the_first_move(game: Any) -> list[str]:
    """The chance events, if any, that a game begins with."""
    state, rng, names = rules.new(game), np.random.default_rng(0), []
    while game.player(state) == rules.CHANCE:
        names.append(game.name(action := rules.drawn_outcome(game, state, rng)))
        game.play(state, action)
    return names


async def replies(address: str, task: Task) -> tuple[dict[str, Any], float | None]:
    """The first reply with the `seconds` that it took, and after how many seconds the first compiled one began, if any.

    The page is open and a reader moves at once, in a game whose agent has the first move.
    """
    from websockets.asyncio.client import connect

    moves = before_the_first_move(games.make(task.game))
    begun = time.perf_counter()
    first = None
    async with connect(address) as socket:
        while True:
            asked = time.perf_counter()
            think = {"type": "think", "id": 1, "game": task.game, "moves": moves, "agent": task.agent, "seat": 0}
            await socket.send(json.dumps(think | {"seconds": SECONDS, "meanwhile": True}))
            answer = {"type": "thinking"}
            while answer["type"] in ("thinking", "compiling", "waiting"):
                answer = json.loads(await socket.recv())
            if answer["type"] == "error":
                raise InputError(f"{task.game}, {task.agent}: {answer['error']}")
            first = first or answer | {"seconds": time.perf_counter() - begun}
            if "meanwhile" not in answer:
                return first, asked - begun
            if asked - begun > LONGEST:
                return first, None
