"""The board that is kept up move by move: every field as if counted anew, from any position to any other."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from naive_threats import Naive, random_position, sides

import commands
from plyground import rules
from plyground.games.k_in_row.rules import MNK
from plyground.games.k_in_row.tactics import patterns
from plyground.games.k_in_row.tactics.board import EMPTY, RANKS, WALL, inside, new, outside, set_up, shape_of, tables_of
from plyground.games.k_in_row.tactics.threes import room_type

MNK = rules.adopt(MNK)
COMPILED = [(5, 5, 4, False), (5, 5, 4, True)]
ODD = [(1, 8, 5, False), (9, 1, 5, False), (5, 20, 5, False), (20, 5, 5, False), (7, 6, 5, True), (8, 7, 6, False)]


class Kept:
    """A board and the position it was last shown."""

    def __init__(self, game: Any) -> None:
        shape = shape_of(game)
        self.game, self.tables, self.rooms = game, tables_of(shape), np.zeros(1, room_type(shape))
        self.rooms["board"] = new(shape)
        self.board = self.rooms[0].board

    def show(self, state: Any) -> None:
        set_up(self.rooms, self.tables, state.cells)

    def bytes(self) -> bytes:
        """All there is but the count of stones put."""
        copy = self.rooms["board"].copy()
        copy["nodes"] = 0
        return copy.tobytes()

    def faults(self, state: Any) -> list[str]:
        """Which fields are not what they are if counted anew."""
        game, board, tables = self.game, self.board, self.tables[0]
        twin, found, hashed = Naive(*game), set(), np.uint64(0)
        ranks, worths = patterns.by_lines()
        cells = np.full(board.cells.size, WALL)
        for player in range(2):
            own, foe = sides(state, player)
            count, points, hot = [0] * RANKS, 0, [0] * len(board.hot[player])
            for action in range(game.actions()):
                cell = inside(board, action)
                cells[cell] = state.cells[action]
                found |= {"outside"} if outside(board, cell) != action else set()
                if action in own:
                    hashed ^= tables.noise[player, cell]
                if state.cells[action] == EMPTY:
                    code = sum(what << 4 * i for i, what in enumerate(twin.made(own, foe, action)))
                    found |= {"codes"} if board.codes[player, cell] != code else set()
                    found |= {"rank"} if board.rank[player, cell] != ranks[code] else set()
                    count[ranks[code]] += 1
                    hot[patterns.reach(game.k, game.exact) + action // game.m] += int(ranks[code] >= patterns.FOURS)
                    points += int(worths[code])
            found |= {"count"} if board.count[player].tolist() != count else set()
            found |= {"hot"} if board.hot[player].tolist() != hot else set()
            found |= {"points"} if board.points[player] != points else set()
        found |= {"cells"} if (board.cells != cells).any() else set()
        found |= {"hash"} if board.hash != hashed else set()
        found |= {"stones"} if board.stones != state.stones else set()
        return sorted(found)


def positions(game: Any, count: int, seed: int) -> list[Any]:
    """The empty board, random positions that have nothing to do with one another, and each of them some moves later."""
    rng = np.random.default_rng(seed)
    found = [rules.new(game)]
    for _ in range(count):
        state = random_position(game, rng, int(rng.integers(game.actions())))
        found += [state, later(game, state, rng)]
    return found


def later(game: Any, state: Any, rng: np.random.Generator) -> Any:
    """The position some moves later, none of which wins."""
    for action in rng.permutation(rules.legal(game, state))[:6].tolist():
        then = rules.after(game, state, action)
        if not game.row(then):
            state = then
    return state


def faults(game: Any, count: int) -> list[list[str]]:
    """What is wrong on a board that goes from one position to the next."""
    kept, found = Kept(game), []
    for state in positions(game, count, 7):
        kept.show(state)
        found.append(kept.faults(state))
    return found


@pytest.mark.parametrize("game", [MNK(*given) for given in COMPILED], ids=str)
def test_every_field_is_as_if_counted_anew_wherever_the_board_came_from(game: Any) -> None:
    assert faults(game, 15) == [[]] * 31


def test_the_same_on_odd_boards_without_the_compiler() -> None:
    for given, found in zip(ODD, commands.interpreted(__file__), strict=True):
        assert found == [[]] * 7, given


def test_a_position_has_one_hash_and_another_has_another() -> None:
    game = MNK(*COMPILED[0])
    one, other = Kept(game), Kept(game)
    states = positions(game, 20, 3)
    hashes = {}
    for state in states:
        one.show(state)
        hashes[state.cells.tobytes()] = int(one.board.hash)
    assert len(set(hashes.values())) == len(hashes) > 30
    for state in reversed(states):
        other.show(state)
        assert other.board.hash == hashes[state.cells.tobytes()]
    noise = tables_of(shape_of(game))["noise"]
    assert len(set(noise.ravel().tolist())) == noise.size and noise.all()


@pytest.mark.parametrize("game", [MNK(*given) for given in COMPILED], ids=str)
def test_stones_put_and_taken_back_leave_every_byte_as_it_was(game: Any) -> None:
    kept, rng = Kept(game), np.random.default_rng(4)
    for _ in range(20):
        state = random_position(game, rng, int(rng.integers(15)))
        kept.show(state)
        before, put = kept.bytes(), int(kept.board.nodes)
        then = later(game, state, rng)
        kept.show(then)
        assert kept.bytes() != before and kept.board.nodes == put + then.stones - state.stones
        kept.show(state)
        assert kept.bytes() == before


def test_a_full_board_has_nothing_on_offer() -> None:
    game = MNK(*COMPILED[0])
    kept = Kept(game)
    state = game.read("XXOOX/OOXXO/XXOOX/OOXXO/XXOOX")
    kept.show(state)
    assert kept.board.stones == 25 and not kept.board.count.any() and not kept.board.points.any()
    assert kept.faults(state) == []
    kept.show(rules.new(game))
    assert kept.bytes() == Kept(game).bytes()


if __name__ == "__main__":
    print(json.dumps([faults(MNK(*given), 3) for given in ODD]))
