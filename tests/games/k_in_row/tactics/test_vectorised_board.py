"""The board of threats by NumPy is the one by loops, field for field, and so are the rules."""

from typing import Any

import numpy as np
import pytest

from plyground import games, rules
from plyground.games.k_in_row.rules import free_cells, stones_of_both
from plyground.games.k_in_row.tactics import board, fours, vectorised
from plyground.games.k_in_row.tactics.board import inside, shape_of
from plyground.jit.watching import Interpreter

GAMES = ["gomoku(9)", 'gomoku(8,"exactly-five")', "mnk(7,6,4)"]


def loop(function: Any) -> Any:
    """What is compiled, in plain Python."""
    return Interpreter().twin(function)


@pytest.mark.parametrize("spec", GAMES)
def test_stones_put_and_taken_change_a_board_alike(spec: str) -> None:
    shape = shape_of(games.make(spec))
    tables, rng, put, take = board.tables_of(shape)[0], np.random.default_rng(0), loop(board.put), loop(board.take)
    by_loop, by_numpy = board.new(shape), board.new(shape)
    here, twin = by_loop[0], by_numpy[0]
    twins = Interpreter({board.change: lambda loop: vectorised.change})
    put_twin, take_twin = twins.twin(board.put), twins.twin(board.take)
    cells = [int(inside(here, action)) for action in rng.permutation(shape.m * shape.n).tolist()]
    hot = 0
    for number, cell in enumerate(cells):
        put(here, tables, cell, number % 2)
        put_twin(twin, tables, cell, number % 2)
        assert by_numpy.tobytes() == by_loop.tobytes(), number
        hot += int((here.count[:, 4:]).sum())
    assert hot, "no stone could have made a four"
    for number, cell in enumerate(reversed(cells)):
        take(here, tables, cell)
        take_twin(twin, tables, cell)
        assert by_numpy.tobytes() == by_loop.tobytes(), number


@pytest.mark.parametrize("spec", GAMES)
def test_the_same_cells_are_found(spec: str) -> None:
    shape = shape_of(games.make(spec))
    tables, rng, put = board.tables_of(shape)[0], np.random.default_rng(1), loop(board.put)
    boards = board.new(shape)
    here = boards[0]
    next_hot, next_ranked, answer = (loop(one) for one in (board.next_hot, board.next_ranked, fours.answer))
    found: dict[str, int] = {}

    def count(name: str, cell: int) -> int:
        found[name] = found.get(name, 0) + (cell > 0)
        return cell

    for number, action in enumerate(rng.permutation(shape.m * shape.n).tolist()):
        cell = int(inside(here, action))
        put(here, tables, cell, number % 2)
        for player in range(2):
            for after in (0, cell, int(here.end) - 1):
                assert count("hot", vectorised.next_hot(here, player, after)) == next_hot(here, player, after)
                for rank in range(board.RANKS):
                    there = next_ranked(here, player, rank, after)
                    assert count("ranked", vectorised.next_ranked(here, player, rank, after)) == there
                there = answer(here, player, cell, after)
                assert count("answer", vectorised.answer(here, player, cell, after)) == there
    assert min(found.values()) > 0, found


@pytest.mark.parametrize("spec", GAMES)
def test_rules_by_numpy_are_the_rules(spec: str) -> None:
    game = games.make(spec)
    state, rng = rules.new(game), np.random.default_rng(2)
    while not game.over(state):
        moves, twins = (np.zeros(game.actions(), np.int16) for _ in range(2))
        count = loop(type(game).legal)(game, state, moves)
        assert free_cells(game, state, twins) == count
        assert twins[:count].tolist() == moves[:count].tolist()
        planes, planes_too = (np.zeros(game.planes(), np.float32) for _ in range(2))
        loop(type(game).encode)(game, state, planes)
        stones_of_both(game, state, planes_too)
        assert planes_too.tobytes() == planes.tobytes()
        game.play(state, int(rng.choice(moves[:count])))
