"""The games there are, by name, and the making of a game from a spec.

A new game is one file here and one line in MANIFEST: its name, its module, and the function or class in it that makes
it.  A game that has more than rules is a folder with a manifest of its own, and one line in FAMILIES.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import spec, user_files
from ..manifest import Manifest, load, must_be_there, registered

MANIFEST = Manifest(
    __name__,
    games={
        "2048": "twenty48:Twenty48",
        "amazons": "amazons:Amazons",
        "ataxx": "ataxx:Ataxx",
        "backgammon": "backgammon:Backgammon",
        "breakthrough": "breakthrough:Breakthrough",
        "chomp": "chomp:Chomp",
        "clobber": "clobber:Clobber",
        "domineering": "domineering:Domineering",
        "dots": "dots:Dots",
        "draughts": "draughts:Draughts",
        "go": "go:Go",
        "havannah": "havannah:Havannah",
        "hex": "hex:Hex",
        "kalah": "kalah:Kalah",
        "lines-of-action": "lines_of_action:LinesOfAction",
        "morris": "morris:Morris",
        "nim": "nim:nim",
        "othello": "othello:Othello",
        "oware": "oware:Oware",
        "pentago": "pentago:Pentago",
        "pig": "pig:Pig",
        "quoridor": "quoridor:Quoridor",
        "ultimate": "ultimate:Ultimate",
        "against-random": "against_random:against_random",
    },
    formats={".sgf": "engines.sgf"},
    prover="endgames:prover_for",
    openspiel_actions="openspiel_numbers:actions",
    openspiel_turns="openspiel_numbers:turns",
    nets="nets",
    small=('against-random("tictactoe",0)',),
    tiny=('against-random("mnk(2,2,2)")',),
    in_openspiel={
        "2048": "2048(max_tile=131072)",
        "amazons(6)": "amazons(board_size=6)",
        "backgammon": "backgammon",
        "breakthrough": "breakthrough",
        "breakthrough(6,6)": "breakthrough(rows=6,columns=6)",
        "clobber": "clobber",
        "dots(2,2)": "dots_and_boxes",
        "draughts": "checkers",
        "go(5)": "go(board_size=5)",
        "go(9)": "go(board_size=9)",
        "havannah(4)": "havannah(board_size=4)",
        "havannah(5)": "havannah(board_size=5)",
        "hex(5)": "hex(board_size=5)",
        "kalah": "mancala",
        "lines-of-action": "lines_of_action",
        "morris": "nine_mens_morris",
        'nim("1-3-5-7",True)': "nim",
        "othello": "othello",
        "oware": "oware",
        "pentago": "pentago",
        "pig(30)": "pig(winscore=30)",
        "quoridor": "quoridor",
        "ultimate": "ultimate_tic_tac_toe",
    },
)
FAMILIES = [
    "plyground.games.k_in_row",
    "plyground.games.connect_four",
    "plyground.games.line_taking",
    "plyground.games.tetris",
    "plyground.games.chess",
    "plyground.games",
    "plyground.games.engines",
    "plyground.games.openspiel",
    "plyground.programs",
    "plyground.studies",
]


def registry() -> dict[str, str]:
    """All games by name: `package.module:maker`."""
    return registered("games")


def maker(name: str) -> Callable:
    """What makes the game of this name, or of a user's own file, with its parameters annotated."""
    if user_files.is_file(name):
        return user_files.load(name, kind())
    must_be_there("games", name)
    return load("game", name, registry()[spec.look_up("game", name, registry())])


def kind() -> user_files.Kind:
    """What a class in a user's file has to be, to be a game."""
    from ..rules import REQUIRED, adopt

    def looks_like(cls: type) -> bool:
        has = [hasattr(cls, rule) for rule in REQUIRED]
        return any(has) if issubclass(cls, tuple) else all(has)

    return user_files.Kind("game", looks_like, adopt)


def is_drawn(text: str) -> bool:
    """Has the game of a spec random parts that a seed draws, and does the spec leave that open?"""
    if isinstance(text, spec.Named):
        return False
    name, args, named = spec.parse(text, "game")
    build = maker(name)
    values = spec.bind(build, name, args, named)
    return "seed" not in values and any(p.name == "seed" for p in spec.parameters(build))


def make(text: str, seed: int | None = None) -> Any:
    """The game of a spec like `gomoku(15)` or `path/to/file.py:Game(3)`, ready for use.

    A seed draws a game that has random parts anew, unless the spec itself gives its seed.
    """
    from ..rules import adopt, must_have_fields

    if isinstance(text, spec.Named):
        adopt(type(text.object))
        return text.object
    name, args, named = spec.parse(text, "game")
    build = maker(name)
    values = spec.bind(build, name, args, named)
    if seed is not None and any(p.name == "seed" for p in spec.parameters(build)):
        values.setdefault("seed", seed)
    try:
        game = build(**values)
        adopt(type(game))
        game.limits()
        must_have_fields(game)
    except (ValueError, TypeError) as error:
        raise spec.InputError(f"{' '.join(text.split())}: {error}") from None
    return game
