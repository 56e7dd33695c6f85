"""What a search by a net is told of a leaf before the net is asked: wins by fours, and moves that are forced.

A *prover* is handed to the kernels of `search/mcts/puct.py`, which know it by its methods alone.  Every walker has a
board that follows it from leaf to leaf.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ....rules import let_kernels_call, record
from ..rules import MNK
from . import board, threes
from .board import Shape, find, follow, inside_of, outside_of, shape_of
from .patterns import FOURS, WINS, WON
from .threes import threats

SHORTEST, LONGEST = 4, 6  # rows for which this pays
LIMITS = 400, 4000  # stones put in one look, for fours alone and with threes: more are seldom worth the time
REFUTED = 256  # positions remembered by each walker


class Prover(NamedTuple):
    """Wins by fours for games of k in a row."""

    tables: np.ndarray
    empty: np.ndarray  # what a walker needs, as an array of one record
    limit: int = LIMITS[0]
    deepest: int = 0  # 0: wins by fours alone

    def prove(prover, state, player, room, moves):
        """1 if the player to move wins for certain, -1 if it loses, 0 if that is not seen; the move in moves[0]."""
        # arrays, not parts of records: so the look for threats is the same code as the tactician's, compiled once
        tables, here, refuted = prover.tables[0], room.search.board, room.refuted[:]
        follow(here, tables, room.search.order, state.cells[:])
        here.nodes, here.limit = 0, prover.limit
        attacker = np.int64(player)
        for depth in range(prover.deepest + 1):
            won = threats(room.search, tables, refuted, attacker, attacker, np.int64(0), np.int64(depth))
            if won > 0:
                moves[0] = outside_of(here, won)
                return 1
        if here.count[1 - player, WINS] > 1:
            moves[0] = outside_of(here, find(here, 1 - player, WINS))
            return -1
        return 0

    def narrow(prover, player, room, moves, count):
        """Leave of moves[:count] those that do not lose at once; return how many.  `prove` has looked at the state."""
        here, other = room.search.board, 1 - player
        if here.count[other, WINS] == 0 and here.count[other, WON] == 0:
            return count
        kept = 0
        for i in range(count):
            cell = inside_of(here, np.int64(moves[i]))
            stays = here.rank[other, cell] == WINS
            if here.count[other, WINS] == 0:  # stop an open four, or make fours
                stays = here.rank[other, cell] >= FOURS or here.rank[player, cell] >= FOURS
            if stays:
                moves[kept] = moves[i]
                kept += 1
        return kept


for _name in ("prove", "narrow"):
    let_kernels_call(_name, getattr(Prover, _name))


def in_rows(game: Any) -> bool:
    """Is this a game of stones in a row of such a length?  Rules of somebody's own, whatever their name, are not."""
    return type(game) is MNK and SHORTEST <= game.k <= LONGEST


def prover_for(game: Any, deepest: int | None = None) -> Prover | None:
    """The prover of a game, if there is one for it; None: as many threes deep as pay, -1: none is wanted."""
    if deepest is None:
        deepest = usual_threes(game)
    return prover_of(shape_of(game), deepest) if deepest >= 0 and in_rows(game) else None


def usual_threes(game: Any) -> int:
    """How many threes deep a look at every leaf pays: two where four make a row, which threes soon lead to."""
    return 2 if in_rows(game) and game.k == SHORTEST else 0


@cache
def prover_of(shape: Shape, deepest: int) -> Prover:
    room = np.zeros(1, record([("search", threes.room_type(shape)), ("refuted", np.uint64, (REFUTED,))]))
    room["search"]["board"] = board.new(shape)
    return Prover(board.tables_of(shape), room, LIMITS[deepest > 0], deepest)
