"""Go, by the rules of Tromp and Taylor but that nobody may take his own stones: area scoring, positional superko.

A player puts a stone or passes; groups of the other's without liberties are taken.  No move may bring back a position
of stones that was there before, whoever moved then.  Two passes end the game, and so do two moves for every point.
Black has its stones and the empty points that touch black stones only, white the same and komi.

A group is a ring of stones that knows its *pseudo-liberties*: pairs of a stone and an empty point beside it, which are
none where there is no liberty, and take no search to keep.  A stone may be put where an empty point lies beside; only
elsewhere are groups looked at, and only where a stone of the player's was taken before may an old position come back:
not even there if nothing is taken and the last stone lies where its player had lost none, as no old position has it.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..boards import by_cells
from ..spec import About
from . import grid
from .grid import rim, was_there

EDGE = 3  # around the board
COLUMNS = "abcdefghjklmnopqrst"  # as players of Go write them
CELLS = np.zeros((20, 21 * 21), np.int16)  # by side of the board: the cell of a spot
for _size in range(2, 20):
    for _cell in range(_size * _size):
        CELLS[_size, (_cell // _size + 1) * (_size + 2) + _cell % _size + 1] = _cell
KEYS = np.random.default_rng(1).integers(-(2**63), 2**63, (3, 21 * 21), np.int64)  # by stone and spot


class Go(NamedTuple):
    """Surround more of the board than the other: stones and empty points that only they touch."""

    size: Annotated[int, About("side of the board", low=2, high=19)] = 9
    komi: Annotated[float, About("points that white has before", low=-400, high=400)] = 7.5

    def fields(game):
        spots, longest = (game.size + 2) ** 2, game.longest()
        bits = 8
        while bits < 10 * longest:
            bits *= 2
        history = [("past", np.int64, (longest,)), ("key", np.int64), ("filter", np.uint8, (bits // 8,))]
        groups = [(name, np.int16, (spots,)) for name in ("head", "next", "liberties", "length")]
        around = [(name, np.int8, (spots,)) for name in ("stones", "empty", "lost")]
        bare = [("bare", np.int16, (game.size**2,)), ("place", np.int16, (spots,))]
        counts = [(name, np.int16) for name in ("points", "sure", "open", "moves")]
        flags = [("turn", np.int8), ("passes", np.int8), ("fresh", np.bool_)]
        return [*history, *groups, *bare, *around, *counts, *flags]

    def longest(game):
        """Moves after which a game ends."""
        return 2 * game.size * game.size

    def start(game, state):
        rim(state.stones, game.size + 2, EDGE)
        for cell in range(game.size * game.size):
            row, col = cell // game.size, cell % game.size
            state.empty[game.spot(cell)] = min(row, 1) + min(col, 1) + (row < game.size - 1) + (col < game.size - 1)
            game.bare_again(state, game.spot(cell))
        state.sure = state.open = state.points

    def actions(game):
        return game.size * game.size + 1  # the last one passes

    def spot(game, cell):
        """Where the stone of a cell is kept."""
        return (cell // game.size + 1) * (game.size + 2) + cell % game.size + 1

    def bare_again(game, state, spot):
        """Note a spot that is empty."""
        state.bare[state.points] = spot
        state.place[spot] = state.points
        state.points += 1

    def bare_no_more(game, state, spot):
        """Take a spot out of the empty ones."""
        game.doubt(state, spot)
        state.points -= 1
        game.exchange(state, state.place[spot], state.points)

    def doubt(game, state, spot):
        """Take an empty spot out of those that are surely open."""
        if state.place[spot] < state.sure:
            state.sure -= 1
            game.exchange(state, state.place[spot], state.sure)

    def exchange(game, state, i, j):
        """Let two empty spots change places."""
        one, other = state.bare[i], state.bare[j]
        state.bare[i], state.place[other] = other, i
        state.bare[j], state.place[one] = one, j

    def legal(game, state, out):
        for i in range(state.open):
            out[i] = CELLS[game.size, state.bare[i]]
        out[state.open] = game.size * game.size
        return state.open + 1

    def put_open_first(game, state):
        """Sort the empty points: first those where any player may put a stone, as is seen at once, then those where
        the player to move may."""
        i, end = state.sure, state.points
        while i < end:
            spot = state.bare[i]
            if not (game.ready(state, spot) or game.allowed(state, spot)):
                end -= 1
                game.exchange(state, i, end)
                continue
            if (state.empty[spot] > 0) & (state.lost[spot] == 0):
                game.exchange(state, i, state.sure)
                state.sure += 1
            i += 1
        state.open = end

    def ready(game, state, spot):
        """May a stone be put on this empty spot, as is seen at once?"""
        return (state.empty[spot] > 0) & (state.lost[spot] & (state.turn + 1) == 0)

    def allowed(game, state, spot):
        """May a stone be put on this empty spot?"""
        mine, side = state.turn + 1, game.size + 2
        free, takes = state.empty[spot] > 0, False
        for step in (-side, -1, 1, side):
            stone, head = state.stones[spot + step], state.head[spot + step]
            last = state.liberties[head] == game.touching(state, spot, head, 4)  # it has no liberties elsewhere
            free |= (stone == mine) & (not last)
            takes |= (stone == 3 - mine) & last
        if (state.lost[spot] & mine == 0) | (state.fresh & (not takes)):  # so there is nothing that may come back
            return free | takes
        return (free | takes) and not game.was_there(state, game.key_after(state, spot, takes))

    def touching(game, state, spot, head, ways):
        """How many stones of a group lie beside a spot, the first so many ways; no branch to guess wrongly."""
        side, count = game.size + 2, 0
        for i, step in enumerate((-side, -1, 1, side)):
            count += (i < ways) & (state.head[spot + step] == head)
        return count

    def key_after(game, state, spot, takes):
        """The key of the stones after a move."""
        key, side = state.key ^ KEYS[state.turn + 1, spot], game.size + 2
        if takes:
            for i, step in enumerate((-side, -1, 1, side)):
                at = spot + step
                if state.stones[at] == 2 - state.turn:
                    head = state.head[at]
                    last = state.liberties[head] == game.touching(state, spot, head, 4)
                    if last and game.touching(state, spot, head, i) == 0:  # not yet met
                        key ^= game.key_of(state, head)
        return key

    def key_of(game, state, head):
        """The key of a group's stones."""
        key, at = KEYS[state.stones[head], head], state.next[head]
        while at != head:
            key ^= KEYS[state.stones[at], at]
            at = state.next[at]
        return key

    def was_there(game, state, key):
        """Was there a position of this key?"""
        bit = key & (8 * state.filter.size - 1)
        if not state.filter[bit >> 3] >> (bit & 7) & 1:
            return False
        return was_there(state.past, 0, state.moves, key)

    def play(game, state, action):
        if action == game.size * game.size:
            state.passes += 1
        else:
            state.passes = 0
            game.put(state, game.spot(action))
        bit = state.key & (8 * state.filter.size - 1)
        state.filter[bit >> 3] |= np.uint8(1 << (bit & 7))
        state.past[state.moves] = state.key
        state.moves += 1
        state.turn = 1 - state.turn
        game.put_open_first(state)

    def put(game, state, spot):
        stones, side, me = state.stones, game.size + 2, state.turn + 1
        stones[spot] = me
        state.fresh = state.lost[spot] & me == 0
        game.bare_no_more(state, spot)
        state.key ^= KEYS[me, spot]
        state.head[spot] = state.next[spot] = spot
        state.length[spot], state.liberties[spot] = 1, 0
        for step in (-side, -1, 1, side):
            at = spot + step
            state.empty[at] -= 1
            if stones[at] == 0:
                state.liberties[spot] += 1
                if state.empty[at] == 0:
                    game.doubt(state, at)
            elif stones[at] != EDGE:
                state.liberties[state.head[at]] -= 1
        for step in (-side, -1, 1, side):
            at = spot + step
            if stones[at] == me and state.head[at] != state.head[spot]:
                game.join(state, state.head[at], state.head[spot])
            elif stones[at] == 3 - me and state.liberties[state.head[at]] == 0:
                game.take(state, at)

    def join(game, state, one, other):
        """Make one group of two; the stones of the shorter one get another head."""
        if state.length[one] < state.length[other]:
            one, other = other, one
        at = other
        for _ in range(state.length[other]):
            state.head[at] = one
            at = state.next[at]
        state.next[one], state.next[other] = state.next[other], state.next[one]
        state.length[one] += state.length[other]
        state.liberties[one] += state.liberties[other]
        state.length[other] = state.liberties[other] = 0

    def take(game, state, spot):
        """Take a group from the board; each of its stones is a liberty of those beside it."""
        side, at, other = game.size + 2, spot, 3 - state.stones[spot]
        for _ in range(state.length[state.head[spot]]):
            state.key ^= KEYS[state.stones[at], at]
            state.stones[at] = 0
            state.lost[at] |= 3 - other
            game.bare_again(state, at)
            for step in (-side, -1, 1, side):
                state.empty[at + step] += 1
                if state.stones[at + step] == other:
                    state.liberties[state.head[at + step]] += 1
            state.head[at] = 0  # none
            at = state.next[at]

    def over(game, state):
        return state.passes == 2 or state.moves == game.longest()

    def score(game, state):
        return float(np.sign(game.margin(state))) if game.over(state) else 0.0

    def decisive(game):
        return game.komi % 1 != 0

    def margin(game, state):
        """The area of black less that of white and komi."""
        side, total, count = game.size + 2, -game.komi, 0
        touched = state.stones.copy()  # by spot: the stone there, or whose stones touch its region, as bits
        waiting = np.empty(2 * game.size * game.size, np.int16)
        for cell in range(game.size * game.size):
            waiting[count] = game.spot(cell)
            count += touched[waiting[count]] != 0 and state.empty[waiting[count]] > 0
        while count > 0:
            count -= 1
            at = waiting[count]
            for step in (-side, -1, 1, side):
                beside = at + step
                if state.stones[beside] == 0 and touched[at] & ~touched[beside]:
                    touched[beside] |= touched[at]
                    waiting[count] = beside
                    count += 1
        for cell in range(game.size * game.size):
            owner = touched[game.spot(cell)]
            total += int(owner == 1) - int(owner == 2)
        return total

    def planes(game):
        return (6, game.size, game.size)

    def encode(game, state, planes):
        """Stones of who moves, and of the other; empty points where none may be put; was the last move a pass, is it
        white's turn, how much of the longest game has been played."""
        turn = state.turn
        for row in range(game.size):
            first = game.spot(row * game.size)
            for col in range(game.size):
                planes[0, row, col] = state.stones[first + col] == turn + 1
                planes[1, row, col] = state.stones[first + col] == 2 - turn
        for i in range(state.open, state.points):
            cell = CELLS[game.size, state.bare[i]]
            planes[2, cell // game.size, cell % game.size] = 1
        planes[3], planes[4], planes[5] = state.passes, turn, state.moves / game.longest()

    def symmetries(game):
        images = [image.ravel() for image in grid.symmetries(game.size, game.size)]
        return [(np.append(image, game.size * game.size), image) for image in images]

    def board(game):
        return {"shape": "intersections", "rows": game.size, "cols": game.size, "columns": list(COLUMNS[: game.size])}

    def cells(game, state):
        return state.stones.reshape(game.size + 2, -1)[1:-1, 1:-1].ravel().tolist()

    def where(game, state, action):
        return [] if action == game.size * game.size else [action]

    def name(game, action):
        return by_cells(game, action)
