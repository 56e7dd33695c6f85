"""Thousands of searches side by side, as a GPU runs them, find the scores of the solver, wherever they are interrupted.

Without a GPU, numba-cuda's simulator runs the kernels, interpreted, in a process of its own: run by itself the file
prints what was found there.
"""

from __future__ import annotations

import json
import random
import warnings
from typing import Any

import numpy as np
import pytest

from commands import has_gpu, simulated
from plyground.games.connect_four import book, making, negamax
from plyground.games.connect_four.rules import ConnectFour
from plyground.games.connect_four.scores import Position, Scores, new_table, workspace
from plyground.spec import InputError


def drawn(stones: int, count: int, seed: int = 1) -> list[Position]:
    """Positions of random games, in which nobody has won."""
    game, rng, found = ConnectFour(), random.Random(seed), []
    while len(found) < count:
        position: Position | int = Position(0, 0, 42)
        while isinstance(position, Position) and position.left > 42 - stones:
            room = [col for col in range(7) if not position.taken >> 7 * col + 5 & 1]
            position = position.after(game, rng.choice(room))
        if isinstance(position, Position):
            found.append(position)
    return found


def scores_by_the_solver(positions: list[Position]) -> list[int | None]:
    scores = Scores(ConnectFour(), new_table(ConnectFour(), 4))
    return [scores.score(position) for position in positions]


def on_a_gpu(positions: list[Position], **options: Any) -> list[int]:
    """The scores, by as many launches as it takes."""
    from plyground.games.connect_four.cuda import CudaWorkers

    workers, found = CudaWorkers(list(enumerate(positions)), **options), {}
    while workers.busy:
        found.update(workers.more())
    return [found[i] for i in range(len(positions))]


def side_by_side(positions: list[Position], threads: int, steps: int, fresh: int) -> list[int]:
    """The scores, by so many threads that take turns of so many steps; all but the first `fresh` begin as helpers."""
    from plyground.games.connect_four.cuda import new_searches
    from plyground.games.connect_four.side_by_side import run_all

    bits = 16
    searches = new_searches(positions, threads)._replace(table=np.zeros(1 << bits, np.int64))
    while (searches.low < searches.high).any():
        run_all(searches, steps, len(positions), fresh, 49 - bits)
    assert searches.threads.min() >= -64 and (searches.low == searches.high).all()
    return searches.low[:-1].tolist()


@pytest.mark.parametrize(("threads", "steps", "fresh"), [(1, 10_000, 60), (7, 13, 60), (100, 300, 60), (64, 50, 0)])
def test_scores_are_those_of_the_solver_in_whatever_order_threads_take_turns(threads, steps, fresh):
    positions = drawn(20, 40) + drawn(18, 10) + drawn(33, 10)
    assert side_by_side(positions, threads, steps, fresh) == scores_by_the_solver(positions)


def test_many_threads_help_with_one_position_and_end_when_it_is_solved():
    positions = drawn(16, 1, seed=3)
    assert side_by_side(positions, 40, 100, 1) == scores_by_the_solver(positions)


def wins_at_once(position: Position) -> bool:
    return any(position.after(ConnectFour(), col) == -(position.left + 1 >> 1) for col in range(7))


def orders(positions: list[Position]) -> list[tuple[list[int], list[int]]]:
    """The columns of all moves, the best first, as they are found here and by the solver; interpreted."""
    from plyground.games.connect_four.side_by_side import arranged

    work, found = workspace(ConnectFour()), []
    for mine, taken, left in positions:
        moves = taken + book.FLOOR & book.CELLS
        count = negamax.sort(work, mine, taken, left, moves)
        first = [(int(move).bit_length() - 1) // book.HIGH for move in work.moves[left][:count]]
        cols = int(arranged(np.int64(mine), np.int64(taken), np.int64(moves)))
        found.append(([cols >> 3 * i & 7 for i in range(count)], first))
    return found


def test_in_the_simulator_scores_and_orders_of_moves_are_those_of_the_solver():
    found = simulated(__file__)
    assert found["scores"] == scores_by_the_solver(drawn(34, 6))
    assert len(found["orders"]) == 300 and all(one == other for one, other in found["orders"])


def test_a_machine_without_a_gpu_and_a_device_that_is_none(tmp_path):
    with pytest.raises(InputError, match="a device is cpu or cuda, not 'tpu'"):
        making.make(tmp_path / "journal", stones=3, device="tpu")
    if not has_gpu():
        with pytest.raises(InputError, match=r"no GPU|pip install"):
            making.make(tmp_path / "journal", stones=3, device="cuda")


def test_making_goes_on_from_a_book(tmp_path, capsys):
    layer = book.layers(3)[-1]
    scores = np.full(len(layer.mine), book.UNKNOWN, np.int8)
    scores[::2] = 1
    book.write(tmp_path / "half.bin", book.Book.of(3, scores))
    journal = making.Journal(tmp_path / "journal", 3)
    making.take_over(journal, book.read(tmp_path / "half.bin"), 3)
    assert making.Journal(tmp_path / "journal", 3).found == dict.fromkeys(book.key(*layer)[::2].tolist(), 1)
    with pytest.raises(InputError, match="has 3 stones, not 4"):
        making.take_over(journal, book.read(tmp_path / "half.bin"), 4)


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
def test_on_a_gpu_the_scores_are_those_of_the_solver():
    positions = drawn(14, 300)
    assert on_a_gpu(positions, threads=4096, memory=64) == scores_by_the_solver(positions)


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # products overflow, as in compiled code
    scores = on_a_gpu(drawn(34, 6), threads=4, memory=0.01, block=2)
    quiet = [position for position in drawn(14, 600) if not wins_at_once(position)][:300]
    print(json.dumps({"scores": scores, "orders": orders(quiet)}))
