"""What would make a game's roll-outs faster, as its source and some random games show, and what the page lacks to draw
its board; no law is broken by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..boards import in_planes
from ..rules import CHANCE, gives, legal
from .played import Played, random_game
from .source import written

ASKED_OFTEN = ("over", "player", "legal", "play", "score")  # at every move of a roll-out
MAKES: dict[str, tuple[type[ast.AST], ...]] = {
    "list": (ast.List, ast.ListComp),
    "set": (ast.Set, ast.SetComp),
    "dict": (ast.Dict, ast.DictComp),
}
INSTEAD = "keep in the state what it finds out, or take np.zeros(...) and a counter"
STILL = "no action became legal again in {} random games: give `still`, and roll-outs do not ask `legal` at every move"
DRAWN = {  # by which the page draws a board, all of them together
    "board": "what shape it has",
    "cells": "what lies on each cell",
    "where": "the cells that an action concerns, for people to click",
}


def advice(game: Any, games: int = 5, seed: int = 0) -> Iterator[str]:
    """What to write instead, a line each; for a game that keeps the laws."""
    told: set[str] = set()
    for rule in ASKED_OFTEN:
        found = {kind: written(game, rule, lambda node, kind=kind: makes(node, kind)) for kind in MAKES}  # type: ignore[misc]
        kinds = [kind for kind, lines in found.items() if lines]
        if kinds and not told.issuperset(lines := [line for kind in kinds for line in found[kind]]):
            told.update(lines)
            yield f"{rule} makes a {' and a '.join(kinds)} at every call ({lines[0]}), which is slow: {INSTEAD}"
    if not gives(game, "still"):
        rng = np.random.default_rng(seed)
        with np.errstate(over="ignore"):  # the laws have looked at that
            shrinking = all(shrinks(game, random_game(game, rng)) for _ in range(games))
        if shrinking:
            yield STILL.format(games)
    lacks = [f"`{rule}`, {what}" for rule, what in DRAWN.items() if not gives(game, rule)]
    if 0 < len(lacks) < len(DRAWN) and not in_planes(game):
        given = " and ".join(f"`{rule}`" for rule in DRAWN if gives(game, rule))
        yield f"the page draws no board by {given} alone: give {', and '.join(lacks)}"


def makes(node: ast.AST, kind: str) -> bool:
    """Does this expression make a list, a set or a dict?"""
    if isinstance(node, ast.List) and not isinstance(node.ctx, ast.Load):
        return False
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == kind
    return called or isinstance(node, MAKES[kind])


def shrinks(game: Any, one: Played) -> bool:
    """Does a game go on for some moves with ever fewer legal actions, none of them new?"""
    chosen = [set(legal(game, s)) for s in one.states[:-1] if game.player(s) != CHANCE]
    return len(chosen) > 2 and all(now < before for before, now in pairwise(chosen))
