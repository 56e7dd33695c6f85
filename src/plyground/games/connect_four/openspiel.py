"""The same game in OpenSpiel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .rules import ConnectFour


def same(game: ConnectFour) -> tuple[str, Callable[[Any], list[int] | None]]:
    """Its name there, and moves that lead to a state."""
    name = f"connect_four(columns={game.cols},rows={game.rows},x_in_row={game.k})"
    return name, lambda state: moves_to(game, state)


def moves_to(game: ConnectFour, state: Any) -> list[int] | None:
    """Columns in which the stones may have been dropped in turns, found depth first; None if there is no such order."""
    cells = game.cells(state)
    stones = [[stone for stone in cells[col :: game.cols][::-1] if stone] for col in range(game.cols)]
    count, heights = sum(map(len, stones)), [0] * game.cols
    moves: list[int] = []
    dead: set[tuple[int, ...]] = set()  # heights from which the rest cannot be dropped
    columns = [0]  # the next column to try, at each depth
    while len(moves) < count:
        if columns[-1] == game.cols or tuple(heights) in dead:
            dead.add(tuple(heights))
            columns.pop()
            if not moves:
                return None
            heights[moves.pop()] -= 1
            continue
        col = columns[-1]
        columns[-1] += 1
        if heights[col] < len(stones[col]) and stones[col][heights[col]] == 1 + len(moves) % 2:
            moves.append(col)
            heights[col] += 1
            columns.append(0)
    return moves if count % 2 == game.player(state) else None
