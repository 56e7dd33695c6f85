"""The same game in OpenSpiel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .rules import MNK


def same(game: MNK) -> tuple[str, Callable[[Any], list[int] | None]] | None:
    """Its name there, and moves that lead to a state; there is none where more than k in a row do not win."""
    return None if game.exact else (f"mnk(m={game.m},n={game.n},k={game.k})", moves_to)


def moves_to(state: Any) -> list[int] | None:
    """The stones in turns: their order does not matter, as long as nobody has won.  None if they were not set in
    turns."""
    first, second = ([cell for cell, stone in enumerate(state.cells.tolist()) if stone == player] for player in (1, 2))
    if len(first) - len(second) != int(state.stones) % 2:
        return None
    moves = [0] * (len(first) + len(second))
    moves[::2], moves[1::2] = first, second
    return moves
