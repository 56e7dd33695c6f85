"""What a search by a net is told of a leaf with few cells left: who wins, by a table of all their sets.

A *prover* is handed to the kernels of `search/mcts/puct.py`, which know it by its methods alone.  A set of n cells has
2^n subsets, 64 of them in a word, so that with a dozen cells the whole table costs less than one look of a net.  It is
filled as `table.py` does it, without what pays for large regions only.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...rules import inner, let_kernels_call, record
from .hexagons import SIDE, SPOTS, STEPS, spot
from .rules import LineTaking

USUAL, MOST = 18, 20  # cells
WORD = 6  # cells that number the sets in a word
SETS, INSIDE, ONE = 1 << WORD, np.int64(63), np.int64(1)
SHADE = np.array([sum(1 << i for i in range(64) if i & low == low) for low in range(64)], np.uint64).view(np.int64)
PLACES = np.array([spot(x, y) for y in range(SIDE) for x in range(SIDE)])  # of every cell, in a state


class Endgames(NamedTuple):
    """Positions of few cells, solved."""

    empty: np.ndarray  # what a walker needs, as an array of one record
    limit: int = USUAL  # cells

    def prove(prover, state, player, room, moves):
        """1 if the player to move wins for certain, -1 if it loses, 0 if there are too many cells; the move in
        moves[0]."""
        if state.left > prover.limit:
            return 0
        count = note_moves(state, room)
        fill(room, count, state.left)
        whole = (ONE << np.int64(state.left)) - ONE
        moves[0] = room.actions[0]
        if is_lost(room, whole):
            return -1
        for i in range(count):
            if is_lost(room, whole ^ room.takes[i]):
                moves[0] = room.actions[i]
                break
        return 1

    def narrow(prover, player, room, moves, count):
        """All moves are left: nothing is known of single ones."""
        return count


for _name in ("prove", "narrow"):
    let_kernels_call(_name, getattr(Endgames, _name))


@inner
def note_moves(state, room):
    """Number the free cells, and write down which of them each move takes, as bits; return how many moves there are."""
    number = 0
    for cell in range(PLACES.size):
        at = PLACES[cell]
        if state.free[at]:
            room.bits[at] = ONE << np.int64(number)
            number += 1
    count = 0
    for cell in range(PLACES.size):
        at = PLACES[cell]
        if state.free[at]:
            room.actions[count], room.takes[count] = cell * 7, room.bits[at]
            count += 1
            for i in range(3):
                second, third = at + STEPS[i], at + 2 * STEPS[i]
                if state.free[second]:
                    pair = room.bits[at] | room.bits[second]
                    room.actions[count], room.takes[count] = cell * 7 + 1 + i, pair
                    count += 1
                    if state.free[third]:
                        room.actions[count], room.takes[count] = cell * 7 + 4 + i, pair | room.bits[third]
                        count += 1
    return count


@inner
def is_lost(room, cells):
    """Is this set of cells lost for whoever is to move?"""
    return room.lost[cells >> WORD] >> (cells & INSIDE) & ONE


@inner
def fill(room, count, cells):
    """lost[word] of all sets of so many cells, in the order of their numbers, 64 in a word.

    A move leads to a smaller set.  One that takes cells above the first six leads to another word, which tells all of
    its sets at once; what moves within the word do follows set by set: push[i] has those that win by leaving set i.
    """
    for i in range(SETS):
        room.push[i] = 0
        for k in range(count):
            take = room.takes[k]
            if take < SETS and take & i == 0:
                room.push[i] |= ONE << (take | np.int64(i))
    for word in range(1 << max(cells - WORD, 0)):
        won = np.int64(word == 0)  # without any cell the player to move has won
        for k in range(count):
            beyond, low = room.takes[k] >> WORD, room.takes[k] & INSIDE
            if beyond > 0 and beyond & word == beyond:
                won |= room.lost[word ^ beyond] << low & SHADE[low]
        lost = np.int64(0)
        for i in range(SETS):
            if not won >> np.int64(i) & ONE:
                lost |= ONE << np.int64(i)
                won |= room.push[i]
        room.lost[word] = lost


def prover_for(game: Any, cells: int | None = None) -> Endgames | None:
    """The prover for positions of so many cells; None or 0: as many as pay, -1: none is wanted."""
    if type(game) is not LineTaking or cells == -1:
        return None
    return prover_of(min(cells or USUAL, MOST))


@cache
def prover_of(cells: int) -> Endgames:
    room = record(
        [
            ("bits", np.int64, (SPOTS,)),
            ("takes", np.int64, (7 * cells,)),
            ("actions", np.int32, (7 * cells,)),
            ("push", np.int64, (SETS,)),
            ("lost", np.int64, (1 << max(cells - WORD, 0),)),  # a bit for each set of cells
        ]
    )
    return Endgames(np.zeros(1, room), cells)
