"""A picture of every game there is: a position from early in a game that somebody might have played."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import lru_cache
from threading import Event, Lock, Thread
from typing import Any

from .. import games
from ..agents.levels import levels
from ..manifest import loaded
from ..rules import CHANCE, new, outcomes, playable
from ..spec import InputError, described
from .catalogue import Catalogue
from .view import Shown

MOST_PLIES = 14
SHARE = 3  # of so many cells one has been played on
ENDING = 5.0  # seconds that the picture that is being made may take at the end of the server
NEAR = 4  # moves next to the last ones between which it is drawn


class Pictures:
    """The games of a server, each with a position to be shown small."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._ours = lru_cache(1)(self._made)
        self._lock = Lock()  # they are made once, whoever asks first
        self._closed = Event()
        self._beforehand = Thread(target=self._draw, daemon=True, name="pictures")

    def begin(self) -> None:
        """Make them in the background, before anybody asks."""
        self._beforehand.start()

    def close(self) -> None:
        """The server ends: no picture is begun any more, and nothing goes on in the background."""
        self._closed.set()
        if self._beforehand.ident is not None:  # it was begun
            self._beforehand.join(ENDING)

    def _draw(self) -> None:
        with suppress(InputError), self._lock:  # it was closed
            self._ours()

    def all(self) -> list[dict[str, Any]]:
        """Those given to `serve` first; then the others, but for such as are made of another game."""
        given = [(one["spec"], one["about"]) for one in self.catalogue.user_games.described()]
        with self._lock:
            ours = self._ours()
        return [entry for text, about in given if (entry := self.entry(text, about))] + ours

    def _made(self) -> list[dict[str, Any]]:
        listed = described(loaded(games.registry(), games.maker))
        plain = [one for one in listed if all(option["kind"] != "game" for option in one["parameters"])]
        drawn = []
        for one in plain:
            if self._closed.is_set():
                raise InputError("the server ends")
            drawn.append(self.entry(one["name"], one["about"]))
        return [entry for entry in drawn if entry]

    def entry(self, text: str, about: str) -> dict[str, Any] | None:
        """A game with its picture and its opponents; None if its rules fail, which is told when somebody plays it."""
        try:
            shown = self.catalogue.game(text)
            state, moves, last = early(shown)
            view = shown.view("", moves, state, last) | {"legal": []}
            opponents = [level._asdict() for level in levels(shown.game)]
            return {"game": text, "about": about, "view": view, "levels": opponents}
        except (InputError, ArithmeticError, LookupError, TypeError, ValueError):
            return None


def early(shown: Shown) -> tuple[Any, list[str], list[int]]:
    """A position, the moves that lead to it and the cells of the last one: the start of a game whose pieces stand on
    their board, else one after some moves that lie next to each other, as people's do."""
    game, rng = shown.game, random.Random(2)
    state, moves, last = new(game), list[str](), list[int]()
    cells = shown.cells(state)
    at_once = sum(cell in (1, 2) for cell in cells) >= 4
    plies = 0 if at_once or not shown.how else min(MOST_PLIES, len(cells) // SHARE + 1)
    while len(moves) < plies and not game.over(state):
        if game.player(state) == CHANCE:
            action = rng.choice([action for action, _ in outcomes(game, state)])
        else:
            found = playable(game, state)
            rng.shuffle(found)
            place = middle(shown, last)
            action = rng.choice(sorted(found, key=lambda one: distance(shown, shown.where(state, one), place))[:NEAR])
        last = shown.where(state, action)
        game.play(state, action)
        moves.append(shown.names[action])
    return state, moves, last


def middle(shown: Shown, last: list[int]) -> tuple[float, float]:
    """The row and column that a next move is near to: half way from the middle to the last one; in a well the floor."""
    rows, cols = shown.board["rows"], shown.board["cols"]
    if shown.board["shape"] == "well":
        return float(rows), cols / 2
    row, col = (rows - 1) / 2, (cols - 1) / 2
    return ((row + last[-1] // cols) / 2, (col + last[-1] % cols) / 2) if last else (row, col)


def distance(shown: Shown, cells: list[int], place: tuple[float, float]) -> float:
    """From the nearest of these cells, along rows and columns; a move without cells is far away."""
    cols = shown.board["cols"]
    return min((abs(cell // cols - place[0]) + abs(cell % cols - place[1]) for cell in cells), default=1e9)
