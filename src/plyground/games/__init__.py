"""The games there are, by name, and the making of a game from a spec.

A new game is one file here and one line in REGISTRY: its name, its module, and the function or class in
it that makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .. import spec

REGISTRY = {
    "tictactoe": "mnk:tictactoe",
    "mnk": "mnk:mnk",
    "gomoku": "mnk:gomoku",
    "connect-four": "connect_four:ConnectFour",
    "line-taking": "line_taking:line_taking",
    "tetris": "tetris:tetris",
    "against-random": "against_random:against_random",
}


def maker(name: str) -> Callable:
    """What makes the game of this name, with its parameters annotated."""
    module, _, what = REGISTRY[spec.look_up("game", name, REGISTRY)].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), what)


def make(text: str, seed: int | None = None) -> Any:
    """The game of a spec like `gomoku(15)` or `path/to/file.py:Game(3)`, ready for use.

    A seed draws a game that has random parts anew, unless the spec itself gives its seed.
    """
    from ..rules import adopt

    own = re.fullmatch(r"(.+\.py):(\w+)(\(.*\))?", text.strip(), re.DOTALL)
    if own:
        from . import user

        path, name, values = own.groups()
        build = user.load(path, name)
        _, args, named = spec.parse(f"{name}{values or ''}")
    else:
        name, args, named = spec.parse(text, "game")
        build = maker(name)
    values = spec.bind(build, name, args, named)
    if seed is not None and any(p.name == "seed" for p in spec.parameters(build)):
        values.setdefault("seed", seed)
    try:
        game = build(**values)
        adopt(type(game))
        game.limits()
    except (ValueError, TypeError) as error:
        raise spec.InputError(f"{' '.join(text.split())}: {error}") from None
    return game
