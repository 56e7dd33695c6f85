"""The games there are, by name, and the making of a game from a spec.

A new game is one file here and one line in MANIFEST: its name, its module, and the function or class in it that makes
it.  A game that has more than rules is a folder with a manifest of its own, and one line in FAMILIES.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import spec
from ..manifest import Manifest, imported, registered

MANIFEST = Manifest(__name__, games={"against-random": "against_random:against_random"})
FAMILIES = [
    "plyground.games.k_in_row",
    "plyground.games.connect_four",
    "plyground.games.line_taking",
    "plyground.games.tetris",
    "plyground.games",
    "plyground.studies",
]


def registry() -> dict[str, str]:
    """All games by name: `package.module:maker`."""
    return registered("games")


def maker(name: str) -> Callable:
    """What makes the game of this name, with its parameters annotated."""
    return imported(registry()[spec.look_up("game", name, registry())])


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
