"""The studies, run again: what they reported beside what comes out.

A study is a module with `TITLE`, `parts(quick)` and `report(found, quick)`.  Parts are its figures, each computed by
itself, in any order, in other processes; the report turns them into a page.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .. import spec
from ..manifest import Manifest

MANIFEST = Manifest(  # agents with the studies' mistakes
    __name__,
    agents={
        "win-only": "faulty:WinOnly",
        "middle-only": "faulty:MiddleOnly",
        "inverted-uct": "faulty:InvertedUCT",
        "faulty-uct": "faulty:FaultyUCT",
        "faulty-guided": "faulty:FaultyGuided",
    },
)
REGISTRY = {
    "tictactoe-mcts": "tictactoe_mcts",
    "uct-minimax": "uct_minimax",
    "line-taking": "line_taking",
    "deep-tictactoe": "deep_tictactoe",
    "gomoku-tetris": "gomoku_tetris",
}


def study(name: str) -> Any:
    """The module of the study of this name."""
    return import_module(f"{__name__}.{REGISTRY[spec.look_up('study', name, REGISTRY)]}")
