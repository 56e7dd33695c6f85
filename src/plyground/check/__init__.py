"""The conformance check: does a game keep the laws of `rules`?

The rules run interpreted first, over random games, so that a slip gives a clear error and not a crash of
compiled code; then the same games are played by the compiled rules and compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..jit.interpreted import DISABLED
from ..rules import Record, dtype, gives
from ..spec import InputError
from .breach import Breach, Overflows, raised
from .laws import (
    alike,
    chances,
    counts_left,
    diagrams,
    drawn,
    encodings,
    fits,
    hopes_right,
    in_the_middle,
    named,
    pure,
    shrinking,
    symmetric,
    texts,
    threats_stand,
    wins_after_right,
    wins_right,
)
from .played import Played, random_game, stubborn_games

WINS = "wins are the actions that win at once"
DRAWN, ENCODED = "the board fits its cells", "encode fills planes of the promised shape"


def check(game: Any, games: int = 20, seed: int = 0, compiled: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (law, breach) for every law that applies, the breach being empty if the law holds.

    A breach names the rule, the file and the line.  A law is left out where it builds on one that is broken.
    """
    rng = np.random.default_rng(seed)
    played: list[Played] = []
    overflows = Overflows()

    def play_games() -> None:
        must_be_sized(game)
        for _ in range(games):
            played.append(random_game(game, rng))
        stubborn_games(game)

    laws: list[tuple[str, Callable[[], None], tuple[str, ...]]] = []

    def add(name: str, test: Callable[[], None], *needs: str, builds_on: tuple[str, ...] = ()) -> None:
        if gives(game, *needs):
            laws.append((name, test, builds_on))

    def law(name: str, test: Callable[[Any, Played, int], None], *needs: str, builds_on: tuple[str, ...] = ()) -> None:
        add(name, lambda: on_every_state(game, played, test), *needs, builds_on=builds_on)

    add("random games run to an end", play_games)
    law("player, over and score fit together", fits)
    law("asking changes nothing, and a copy plays alike", pure)
    law("names are single words, one for each action", named)
    law("chance outcomes have probabilities that add up to 1", chances, "chance")
    law("still agrees with legal, and no action comes back", shrinking, "still")
    law(WINS, wins_right, "wins")
    law("wins_after agrees with wins", wins_after_right, "wins", "wins_after", builds_on=(WINS,))
    if not gives(game, "chance"):
        law("a win that is threatened stands until it is answered", threats_stand, "wins", builds_on=(WINS,))
    law("no hope is said only of who cannot force a win", hopes_right, "hope")
    law(DRAWN, drawn, "board", "cells")
    law(ENCODED, encodings, "encode", "planes")
    law("text is for people", texts, builds_on=(DRAWN, ENCODED))
    law("read gives back what diagram wrote", diagrams, "read", "diagram", builds_on=(DRAWN,))
    law("left is a number of cells", counts_left, "left", builds_on=(DRAWN,))
    add("the middle is a list of actions", lambda: in_the_middle(game), "middle")
    add("positions encoded alike are alike", lambda: alike(game, played), "encode", "planes", builds_on=(ENCODED,))
    add("symmetries leave the rules unchanged", lambda: symmetric(game, played), "symmetries", builds_on=(ENCODED,))
    if compiled and not DISABLED and game.compiles():
        from .compiled import compiled_alike

        add("compiled and interpreted rules agree", lambda: compiled_alike(game, played, overflows.spot))
    broken: set[str] = set()
    for name, test, builds_on in laws:
        if not broken.isdisjoint(builds_on):
            continue
        try:
            with overflows.noted():
                test()
        except Exception as error:
            broken.add(name)
            yield name, raised(game, error, "").with_place(game)
            if test is play_games:
                return
        else:
            yield name, ""


def must_be_sized(game: Any) -> None:
    """Breach unless there are so many actions as there can be, and the fields make a state."""
    actions = game.actions()
    if type(actions) is not int or not 1 <= actions <= 32767:
        raise Breach("actions", f"actions is a whole number from 1 to 32767, not {actions!r}")
    fields = game.fields()
    try:
        kind = dtype(game)
    except Exception:
        told = 'a list of fields like ("cells", np.int8, (9,)) or ("turn", np.int8)'
        raise Breach("fields", f"fields returns {told}, not {fields!r}") from None
    taken = sorted(set(kind.names or ()) & set(dir(Record)))
    if taken:
        raise Breach("fields", f"a field cannot be called {taken[0]}: NumPy's records have a method of that name")
    if kind.hasobject:
        raise Breach("fields", "fields are numbers of a fixed size, not Python objects")


def must_hold(game: Any, text: str) -> None:
    """InputError if two random games show that a law is broken, interpreted: nothing is compiled for that."""
    for _, breach in check(game, games=2, compiled=False):
        if breach:
            raise InputError(f"{text}: {breach}; `plyground check` tells more")


def on_every_state(game: Any, played: list[Played], test: Callable[[Any, Played, int], None]) -> None:
    for one in played:
        for ply in range(len(one.states)):
            try:
                test(game, one, ply)
            except Exception as error:
                raise raised(game, error, one.where(game, ply)) from None
