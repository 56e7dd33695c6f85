"""What a search by a net is told of a leaf near the end of a game: who wins, by a small alpha-beta search of its own.

A net judges the last moves of a game worse than anything else, since there a single cell or seed decides; a search
through all of them costs less than one look of the net.  `Endgames` is a prover, as `search/mcts/puct.py` asks for
one: for games of two players without chance.  A leaf whose first line is longer than the stack costs just that line.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..rules import dtype, inner, let_kernels_call, record
from .kalah import Kalah
from .othello import Othello

DEEPEST = {Othello: 14, Kalah: 40}  # plies to the end, in games that profit from it
LIMIT = 4000  # moves tried at one leaf


class Endgames(NamedTuple):
    """Games that end soon, searched to their end."""

    game: Any
    empty: np.ndarray  # what a walker needs, as an array of one record
    limit: int = LIMIT

    def prove(prover, state, player, room, moves):
        """1 if the player to move wins for certain, -1 if it loses, 0 if that is not seen; the move in moves[0].

        Alpha-beta with a stack of frames: `low` and `high` are what either player is sure of, for player 0.
        """
        game, frames = prover.game, room.frames
        frames[0].state = state
        tried, ply = enter(game, room, 0, -1.0, 1.0), 0
        while True:
            frame = frames[ply]
            if frame.next < frame.count and frame.low < frame.high:
                child = frames[ply + 1]
                child.state = frame.state
                game.play(child.state, np.int64(frame.moves[frame.next]))
                frame.next += 1
                tried += 1
                if game.over(child.state):
                    take(frame, game.score(child.state))
                elif ply + 2 == frames.size or tried >= prover.limit:
                    return 0
                else:
                    ply += 1
                    tried += enter(game, room, ply, frame.low, frame.high)
            elif ply > 0:
                ply -= 1
                take(frames[ply], value_of(frame))
            else:
                break
        moves[0] = frames[0].best
        return np.int64(value_of(frames[0]) * frames[0].sign)

    def narrow(prover, player, room, moves, count):
        """All moves are left: see the prover of k in a row for one that knows better."""
        return count


for _name in ("prove", "narrow"):
    let_kernels_call(_name, getattr(Endgames, _name))


@inner
def enter(game, room, ply, low, high):
    """Begin a frame: its moves, those first that leave the fewest replies; return how many were tried for that."""
    frame = room.frames[ply]
    frame.low, frame.high, frame.next = low, high, 0
    frame.sign = 1 - 2 * game.player(frame.state)
    frame.count = game.legal(frame.state, frame.moves)
    frame.best = frame.moves[0]
    if frame.count == 1:
        return 0
    for i in range(frame.count):
        action = frame.moves[i]
        replies = count_replies(game, frame.state, action, room)
        at = i
        while at > 0 and frame.replies[at - 1] > replies:
            frame.moves[at], frame.replies[at] = frame.moves[at - 1], frame.replies[at - 1]
            at -= 1
        frame.moves[at], frame.replies[at] = action, replies
    return frame.count


@inner
def count_replies(game, state, action, room):
    """How many moves the other has after this one: 0 if it is the same player's turn, fewer yet if the game is over."""
    room.spare = state
    game.play(room.spare, np.int64(action))
    if game.over(room.spare):
        return -1
    return 0 if game.player(room.spare) == game.player(state) else game.legal(room.spare, room.legal)


@inner
def take(frame, value):
    """A move leads to this value: does its player choose it?"""
    if frame.sign > 0 and value > frame.low:
        frame.low = value
        frame.best = frame.moves[frame.next - 1]
    elif frame.sign < 0 and value < frame.high:
        frame.high = value
        frame.best = frame.moves[frame.next - 1]


@inner
def value_of(frame):
    """What the player of a frame is sure of when all its moves were tried, for player 0."""
    return frame.low if frame.sign > 0 else frame.high


def prover_for(game: Any, deepest: int | None = None) -> Endgames | None:
    """The prover of a game that profits from it; -1: none is wanted."""
    plies = DEEPEST.get(type(game), 0)
    return prover_of(game, plies) if plies and deepest != -1 else None


@cache
def prover_of(game: Any, deepest: int) -> Endgames:
    """The prover of any game of two players without chance, for what ends in so many plies."""
    state, moves = dtype(game), (game.actions(),)
    frame = record(
        [
            ("state", state),
            ("moves", np.int32, moves),  # those that leave the fewest replies first
            ("replies", np.int32, moves),  # how many each of them leaves
            ("count", np.int32),
            ("next", np.int32),  # of the moves
            ("best", np.int32),
            ("sign", np.int32),  # 1 if player 0 moves, else -1
            ("low", np.float64),
            ("high", np.float64),
        ]
    )
    room = record([("frames", frame, (deepest + 2,)), ("spare", state), ("legal", np.int32, moves)])
    return Endgames(game, np.zeros(1, room))
