"""Makes the opening books of five in a row: see `book`.

    python -m plyground.games.k_in_row.book_making "gomoku(15)" --number 100 --jobs 2

adds openings until the book of the board has so many of each number of stones; whatever ends it, the next call goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
import typer

from ... import agents, atomic, games
from ...arena.parallel import in_parallel
from ...progress import progress
from ...rules import after, new
from .book import Opening, book, file_of, images

REACH = 5  # stones of an opening lie at most so far from the middle
STAGES = (0.01, 0.4), (0.1, 0.2), (1.0, 0.1)  # of the simulations; a position goes on if its value is nearer to 0
# the search of `gomoku-master`
JUDGE = 'alphazero("gomoku-15-patterns", sims={}, threats=0, least=0.001, policy_temperature=1.3, keep=False)'


def add(spec: str, stones: int, number: int, simulations: int, seed: int, jobs: int) -> Iterator[int]:
    """Add openings of so many stones to the book of a board until it has `number`, each kept on disk at once; how many
    there are."""
    game = games.make(spec)
    board = (game.m, game.n, game.k, game.exact)
    book.cache_clear()
    known = {position(game, one.moves): one for one in book(*board)}
    have = sum(len(one.moves) == stones for one in known.values())
    yield have
    work = partial(found, spec, stones, simulations, seed)
    for _, opening in in_parallel(work, range(have, number), jobs):
        known[position(game, opening.moves)] = opening
        lines = sorted((line(game, one) for one in known.values()), key=lambda text: (len(text.split()), text))
        atomic.write(file_of(*board), "\n".join(lines) + "\n")
        yield sum(len(one.moves) == stones for one in known.values())


def line(game: Any, opening: Opening) -> str:
    """An opening as a line of a book."""
    return f"{' '.join(map(game.name, opening.moves))} # {opening.value:+.3f}"


def position(game: Any, moves: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The stones of both sides: the same for all orders of moves, and for all images."""
    return min((tuple(sorted(image[0::2])), tuple(sorted(image[1::2]))) for image in images(game, moves))


def found(spec: str, stones: int, simulations: int, seed: int, number: int) -> Opening:
    """The first opening of those drawn for this number that every search calls balanced, each longer than the last."""
    game, rng = games.make(spec), np.random.default_rng([seed, stones, number])
    while True:
        moves = drawn(game, stones, rng)
        *_, state = along(game, moves)
        for share, bound in STAGES:
            value = judge(max(1, round(simulations * share))).think(game, state).value
            if abs(value) >= bound:
                break
        else:
            return Opening(moves, value)


def drawn(game: Any, stones: int, rng: np.random.Generator) -> tuple[int, ...]:
    """So many stones near the middle, after which the game goes on."""
    rows, cols = (side // 2 + np.arange(-REACH, REACH + 1) for side in (game.n, game.m))
    near = [row * game.m + col for row in rows for col in cols if 0 <= row < game.n and 0 <= col < game.m]
    while True:
        moves = tuple(int(move) for move in rng.choice(near, stones, replace=False))
        if not any(game.over(state) for state in along(game, moves)):
            return moves


def along(game: Any, moves: tuple[int, ...]) -> Iterator[Any]:
    """The states after each of these moves."""
    state = new(game)
    for move in moves:
        state = after(game, state, move)
        yield state


@cache
def judge(simulations: int) -> Any:
    """A search by the net that kernels run."""
    return agents.make(JUDGE.format(simulations))


def main(
    game: Annotated[str, typer.Argument(help="the board, like gomoku(15)")],
    stones: Annotated[str, typer.Option(help="numbers of stones on the board")] = "3,4,5,6,7",
    number: Annotated[int, typer.Option(help="openings of each number of stones", min=1, max=2000)] = 50,
    simulations: Annotated[int, typer.Option(help="of the longest search", min=100)] = 30_000,
    seed: Annotated[int, typer.Option(help="of what is drawn", min=0)] = 1,
    jobs: Annotated[int, typer.Option(help="processes", min=1)] = 1,
) -> None:
    """Add balanced openings to the book of a board."""
    with progress() as bar:
        for count in map(int, stones.split(",")):
            task = bar.add_task(f"{count} stones", total=number)
            for have in add(game, count, number, simulations, seed, jobs):
                bar.update(task, completed=have)


if __name__ == "__main__":
    typer.run(main)
