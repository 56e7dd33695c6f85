"""The conformance check: does a game keep the laws of `rules`?

The rules run interpreted first, over random games, so that a slip gives a clear error and not a crash of
compiled code; then the same games are played by the compiled rules and compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..rules import Record, dtype, gives
from ..spec import InputError
from .compiled import compiled_alike
from .laws import (
    alike,
    chances,
    diagrams,
    drawn,
    encodings,
    fits,
    hopes_right,
    named,
    pure,
    shrinking,
    symmetric,
    texts,
    threats_stand,
    wins_after_right,
    wins_right,
)
from .played import Breach, Played, random_game


def check(game: Any, games: int = 20, seed: int = 0, compiled: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (law, breach) for every law that applies, the breach being empty if the law holds."""
    rng = np.random.default_rng(seed)
    played: list[Played] = []

    def play_games() -> None:
        actions = game.actions()
        if type(actions) is not int or not 1 <= actions <= 32767:
            raise Breach(f"actions is a whole number from 1 to 32767, not {actions!r}")
        taken = sorted(set(dtype(game).names or ()) & set(dir(Record)))
        if taken:
            raise Breach(f"a field cannot be called {taken[0]}: NumPy's records have a method of that name")
        if dtype(game).hasobject:
            raise Breach("fields are numbers of a fixed size, not Python objects")
        for _ in range(games):
            played.append(random_game(game, rng))

    laws: list[tuple[str, Callable[[], None]]] = [("random games run to an end", play_games)]

    def law(name: str, test: Callable[[Any, Played, int], None], *needs: str) -> None:
        if gives(game, *needs):
            laws.append((name, lambda: on_every_state(game, played, test)))

    law("player, over and score fit together", fits)
    law("asking changes nothing, and a copy plays alike", pure)
    law("names are single words, one for each action", named)
    law("chance outcomes have probabilities that add up to 1", chances, "chance")
    law("still agrees with legal, and no action comes back", shrinking, "still")
    law("wins are the actions that win at once", wins_right, "wins")
    law("wins_after agrees with wins", wins_after_right, "wins", "wins_after")
    if not gives(game, "chance"):
        law("a win that is threatened stands until it is answered", threats_stand, "wins")
    law("no hope is said only of who cannot force a win", hopes_right, "hope")
    law("text is for people", texts)
    law("read gives back what diagram wrote", diagrams, "read", "diagram")
    law("encode fills planes of the promised shape", encodings, "encode", "planes")
    if gives(game, "encode", "planes"):
        laws.append(("positions encoded alike are alike", lambda: alike(game, played)))
    if gives(game, "symmetries"):
        laws.append(("symmetries leave the rules unchanged", lambda: symmetric(game, played)))
    law("the board fits its cells", drawn, "board", "cells", "where")
    if compiled:
        laws.append(("compiled and interpreted rules agree", lambda: compiled_alike(game, played)))
    for name, test in laws:
        try:
            test()
        except Breach as breach:
            yield name, str(breach)
            if test in (play_games,):
                return
        except Exception as error:
            yield name, f"{type(error).__name__}: {' '.join(str(error).split())}"
            if test in (play_games,):
                return
        else:
            yield name, ""


def must_hold(game: Any, text: str) -> None:
    """InputError if two random games show that a law is broken, interpreted: nothing is compiled for that."""
    for _, breach in check(game, games=2, compiled=False):
        if breach:
            raise InputError(f"{text}: {breach}; `plyground check` tells more")


def on_every_state(game: Any, played: list[Played], test: Callable[[Any, Played, int], None]) -> None:
    for one in played:
        for ply in range(len(one.states)):
            test(game, one, ply)
