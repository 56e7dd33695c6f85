"""What a search by a net is told of a leaf with few cells left: who wins, by a table of all their sets.

A *prover* is handed to the kernels of `search/mcts/puct.py`, which know it by its methods alone.  A set of n cells has
2^n subsets, so that with a dozen cells the whole table costs less than one look of a net.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...rules import inner, let_kernels_call, record
from .hexagons import SIDE, SPOTS, STEPS, spot
from .rules import LineTaking

USUAL, MOST = 12, 20  # cells
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
        whole = (np.int64(1) << np.int64(state.left)) - 1
        fill(room, count, whole)
        moves[0] = room.actions[0]
        if room.lost[whole]:
            return -1
        for i in range(count):
            if room.lost[whole ^ room.takes[i]]:
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
            room.bits[at] = np.int64(1) << np.int64(number)
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
def fill(room, count, whole):
    """lost[set] of all sets of cells, in the order of their numbers: from a set that is lost every move leads back to
    one that is won, and larger; whoever is left without a cell has won."""
    room.lost[0] = 0
    for cells in range(1, whole + 1):
        room.lost[cells] = 1
    for cells in range(1, whole + 1):
        if room.lost[cells]:
            for i in range(count):
                if room.takes[i] & cells == 0:
                    room.lost[cells | room.takes[i]] = 0


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
            ("lost", np.int8, (1 << cells,)),  # is a set of cells lost for whoever is to move?
        ]
    )
    return Endgames(np.zeros(1, room), cells)
