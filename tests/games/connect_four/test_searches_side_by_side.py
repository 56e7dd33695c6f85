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
from plyground.games.connect_four.side_by_side import run
from plyground.rules import kernel
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


@kernel
def run_all(searches, steps, waiting, fresh, tag_bits):
    """Let all threads take so many steps, one after another."""
    for t in range(searches.threads.shape[1]):
        run(searches, t, steps, waiting, fresh, tag_bits)


def side_by_side(positions: list[Position], threads: int, steps: int, fresh: int) -> list[int]:
    """The scores, by so many threads that take turns of so many steps; all but the first `fresh` begin as helpers."""
    from plyground.games.connect_four.cuda import new_searches

    bits = 16
    searches = new_searches(positions, threads)._replace(table=np.zeros(1 << bits, np.int64))
    while (searches.low < searches.high).any():
        run_all(searches, steps, len(positions), fresh, negamax.tag_bits(49, 1 << bits))
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


def mistaken() -> list[int]:
    """In which bit keys may differ that are taken for each other, here or by the solver; interpreted."""
    from plyground.games.connect_four import side_by_side

    scores, key = Scores(ConnectFour(), new_table(ConnectFour(), 1)), random.Random(1).getrandbits(49)
    work, table = scores.work, np.zeros_like(scores.table)
    negamax.store(work, scores.table, key, -3, 4, 100)
    side_by_side.store(table, int(work.tag), key, -3, 4, 100)
    bounds = negamax.lower(negamax.find(work, scores.table, key)), negamax.upper(negamax.find(work, scores.table, key))
    assert bounds == (-3, 4) and side_by_side.find(table, int(work.tag), key) == negamax.find(work, scores.table, key)
    others = [key ^ 1 << bit for bit in range(49)]
    found = [negamax.find(work, scores.table, other) for other in others]
    return [i for i in range(49) if found[i] or side_by_side.find(table, int(work.tag), others[i])]


def contradicting() -> tuple[dict[int, int], int]:
    """What is found if bounds of the first of two positions contradict each other, and of how many that is told."""
    from plyground.games.connect_four.cuda import CudaWorkers

    workers, found = CudaWorkers(list(enumerate(drawn(34, 2))), threads=2, memory=0.01, block=2), {}
    workers._searches.low[0] = workers._searches.high[0] + 1
    while workers.busy:
        found.update(workers.more())
    return found, workers.contradictions


def test_in_the_simulator_scores_and_orders_of_moves_are_those_of_the_solver():
    found = simulated(__file__)
    assert found["scores"] == scores_by_the_solver(drawn(34, 6))
    assert len(found["orders"]) == 300 and all(one == other for one, other in found["orders"])
    assert found["mistaken"] == []  # no position is taken for another
    scores = scores_by_the_solver(drawn(34, 2))
    assert found["contradicting"] == [{"1": scores[1]}, 1]  # the other is left to the solver, and said so


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


def test_scores_are_compared_with_those_of_another_book_and_of_the_solver(tmp_path, capsys):
    layer = book.layers(3)[-1]
    scores = np.zeros(len(layer.mine), np.int8)
    others = scores.copy()
    others[:3] = 2, -1, book.UNKNOWN
    book.write(tmp_path / "other.bin", book.Book.of(3, others))
    keys = book.key(*layer).tolist()
    making.Journal(tmp_path / "journal", 3).add(list(zip(keys, scores.tolist(), strict=True)))
    making.make(tmp_path / "journal", stones=3, compare_with=tmp_path / "other.bin")
    assert f"3 stones: 2 of {len(keys) - 1} scores are not those of the other book" in capsys.readouterr().out

    positions = drawn(33, 10)
    told = [score + (i == 7) for i, score in enumerate(scores_by_the_solver(positions))]
    making.verify_scores(list(zip(positions, told, strict=True)), 100)
    assert "1 of 10 scores are not those of the solver" in capsys.readouterr().out


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
def test_on_a_gpu_the_scores_are_those_of_the_solver():
    positions = drawn(14, 300)
    assert on_a_gpu(positions, threads=4096, memory=64) == scores_by_the_solver(positions)


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # products overflow, as in compiled code
    scores = on_a_gpu(drawn(34, 6), threads=4, memory=0.01, block=2)
    quiet = [position for position in drawn(14, 600) if not wins_at_once(position)][:300]
    others = {"mistaken": mistaken(), "contradicting": contradicting()}
    print(json.dumps({"scores": scores, "orders": orders(quiet), **others}))
