"""The pattern net in a kernel: a board that is kept up stone by stone, and what the net says of it.

`put` and `take` change the numbers of the patterns on four lines.  What follows from them waits for the next `judge`,
which looks anew at the cells that were touched, then mixes all cells with their neighbours.  Every number up to the
heads is an integer: a stone that is taken back leaves no trace, and a board that was played to is, bit for bit, one
that was set up at once.  The kernels are compiled once for boards and nets of all sizes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....rules import inner, kernel, standalone
from .lines import MINE, THEIRS, framed, lines_of, thirds
from .weights import CLIP, COARSE, FINAL, FINE, ONE, Weights

SPAN = 4  # how far a star goes
BITS = 15  # of the number of looks that are remembered: 2.6 MB with 32 channels
MIXER = tuple(
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
)  # odd numbers without order
ZERO, TOP = np.int16(0), np.int16(CLIP)
LAST = np.int16(4 * FINAL)  # the largest of the mixed channels
COARSER, HALF = 2, 2  # bits between ONE and COARSE, and what rounds them
ROUNDS = 1 << 15  # half of what the lower 16 bits can say
FINER = np.float32(ONE / (COARSE * FINE))  # from a product of `point` to a channel
MEAN = np.float32(8 / FINAL)  # by which sums of integers are multiplied where the model has 8 times their mean
SLOPE = np.float32(0.1)  # of the leaky ReLU
FINEST = np.float32(8191)  # the largest weight of the policy, as an integer
PARTS = np.array([0, 1, 0, 1, 2, 1, 0, 1, 0])  # the ninths of a board: a corner, a side, the middle


class Board(NamedTuple):
    """A board with what the net knows of it; sides: seen by the first player, and by the second."""

    cells: np.ndarray  # int8[cells]: 0 empty, 1 and 2 the players' stones
    wanted: np.ndarray  # int8[cells]: as they shall be, see `judge_planes`
    steps: np.ndarray  # int32[4], and so on: see `lines.Lines`
    before: np.ndarray
    after: np.ndarray
    powers: np.ndarray  # int32[2 * reach + 1]: of three
    places: np.ndarray  # int32[cells]: where they are in a frame, see `lines.framed`
    row: np.ndarray  # int32[1]: from one row to the next, there
    star: np.ndarray  # int16[weights, columns * channels]: the net's, for every cell of a row
    star_bias: np.ndarray  # int16[columns * channels]
    part: np.ndarray  # int8[cells]: see `lines.thirds`
    shares: np.ndarray  # float32[9]
    patterns: np.ndarray  # int32[2, cells, 4]: the numbers of the line patterns
    seen: np.ndarray  # int16[2, cells and frame, channels]
    stale: np.ndarray  # bool[2, cells]: `seen` is older than `patterns`
    touched: np.ndarray  # int16[2, cells + 1]: those cells, behind their number
    memory: np.ndarray  # int16[2 ** BITS, channels]: what was seen of four patterns,
    remembered: np.ndarray  # int32[2 ** BITS, 4]: and of which
    final: np.ndarray  # int16[cells, channels]
    pooled: np.ndarray  # int32[10, channels]: sums over the ninths of the board, and maxima
    layers: np.ndarray  # float32[3, most numbers in a layer]
    policy: np.ndarray  # int16[channels]


def new(net: Weights, rows: int, columns: int, reach: int) -> Board:
    """An empty board."""
    features, channels = net.point.shape
    cells, lines = rows * columns, lines_of(rows, columns, reach)
    places, row, framed_cells = framed(rows, columns, SPAN)
    part, shares = thirds(rows, columns)
    board = Board(
        np.zeros(cells, np.int8),
        np.zeros(cells, np.int8),
        *lines[:3],
        3 ** np.arange(2 * reach + 1, dtype=np.int32),
        places,
        np.array([row], np.int32),
        np.tile(net.star, columns),
        np.tile(net.star_bias, columns),
        part,
        shares,
        np.stack([lines.empty, lines.empty]),
        np.zeros((2, framed_cells, channels), np.int16),
        np.ones((2, cells), np.bool_),
        np.tile(np.arange(-1, cells, dtype=np.int16), (2, 1)),
        np.zeros((1 << BITS, channels), np.int16),
        np.full((1 << BITS, 4), -1, np.int32),
        np.zeros((cells, channels), np.int16),
        np.zeros((10, channels), np.int32),
        np.zeros((3, max(2 * net.whole_bias.size, 2 * channels, features)), np.float32),
        np.zeros(channels, np.int16),
    )
    board.touched[:, 0] = cells
    return board


@inner
def put(net, board, cell, player):
    """Put a stone of player 0 or 1 on an empty cell."""
    board.cells[cell] = player + 1
    change(board, cell, player, 1)


@inner
def take(net, board, cell):
    """Take a stone from the board, whichever it is."""
    player = np.int64(board.cells[cell] - 1)
    board.cells[cell] = 0
    change(board, cell, player, -1)


@inner
def change(board, cell, player, sign):
    """Add a stone to the patterns that see it, or take it out of them."""
    places = board.steps, board.before, board.after, board.powers
    shift(*places, board.patterns, board.stale, board.touched, cell, player, sign)


@inner
def judge(net, board, player, answers):
    """What the net says of the board, answers float32[cells + 1], if this player is to move."""
    side = board.patterns[player], board.seen[player], board.stale[player], board.touched[player]
    look(net, board.places, board.memory, board.remembered, *side, board.layers[0], board.layers[1])
    beside, below = np.int64(board.final.shape[1]), np.int64(board.row[0]) * board.final.shape[1]
    rows = board.final.reshape(board.final.size // board.star_bias.size, board.star_bias.size)
    first = np.int64(board.places[0]) * beside
    mix(board.star, board.star_bias, first, beside, below, board.seen[player].ravel(), rows)
    pool(board.final, board.part, board.pooled)
    answers[board.cells.size] = judge_whole(net, board.pooled, board.shares, board.cells.size, board.layers)
    judge_cells(board.layers[0], board.final, board.policy, answers)


# Not inlined, but optimised by themselves, so that their loops are vectorised: given arrays, and no records of them.


@standalone
def shift(steps, before, after, powers, patterns, stale, touched, cell, player, sign):
    """`change`, for both sides."""
    for line in range(before.shape[1]):
        for away in range(-before[cell, line], after[cell, line] + 1):
            at = cell + away * steps[line]
            power = sign * powers[before[at, line] - away]
            for side in range(2):
                patterns[side, at, line] += (MINE if side == player else THEIRS) * power
                if not stale[side, at]:
                    stale[side, at] = True
                    touched[side, 0] += 1
                    touched[side, touched[side, 0]] = at


@standalone
def look(net, places, memory, remembered, patterns, seen, stale, touched, features, products):
    """`seen` of the cells that a stone has touched, by the four patterns of each.

    The same four come again and again while a search goes to and fro, so what follows from them is remembered.
    """
    channels = net.point_bias.size
    for place in range(1, touched[0] + 1):
        at = touched[place]
        stale[at] = False
        a, b, c, d = patterns[at, 0], patterns[at, 1], patterns[at, 2], patterns[at, 3]
        mixed = np.uint64(a) * MIXER[0] + np.uint64(b) * MIXER[1] + np.uint64(c) * MIXER[2] + np.uint64(d) * MIXER[3]
        slot = np.int64(mixed >> np.uint64(64 - BITS))
        key, kept = remembered[slot], memory[slot]
        if key[0] != a or key[1] != b or key[2] != c or key[3] != d:
            key[0], key[1], key[2], key[3] = a, b, c, d
            for i in range(net.bias.size):
                pair, other = np.int16(net.table[a, i] + net.table[b, i]), np.int16(net.table[c, i] + net.table[d, i])
                features[i] = (min(max(np.int16(pair + other + net.bias[i]), ZERO), TOP) + HALF) >> COARSER
            for j in range(channels):
                products[j] = net.point_bias[j]
            add_product(features, net.point, products)
            for j in range(channels):
                kept[j] = np.int16(min(max(products[j] * FINER, np.float32(0)), np.float32(CLIP)))
        here = seen[places[at]]
        for j in range(channels):
            here[j] = kept[j]
    touched[0] = 0


@standalone
def mix(star, bias, first, beside, below, seen, final):
    """`final`: every cell with its star, clipped; a row of cells at once, with all their channels.

    seen int16[numbers], final int16[rows, numbers of a row]; star and bias say the same of every cell of a row.
    first: where the board begins in `seen`; beside, below: from a cell to the one beside it, and to the one below.
    Diagonals are subtracted, with weights of the opposite sign, so that they gain what straight lines lose by rounding.
    """
    size = bias.size
    for y in range(final.shape[0]):
        at, total = first + y * below, final[y]
        here, weights = seen[at : at + size], star[0]
        for i in range(size):
            total[i] = bias[i] + ((np.int32(here[i]) * np.int32(weights[i]) + ROUNDS) >> 16)
        for away in range(1, SPAN + 1):
            add_four(seen, at, away * beside, away * below, star[2 * away - 1], 1, total)
            add_four(seen, at, away * (below + beside), away * (below - beside), star[2 * away], -1, total)
        for i in range(size):
            total[i] = min(max(total[i], ZERO), LAST)


@inner
def add_four(seen, at, one, other, weights, sign, total):
    """Add the cells so far away in two directions and in their opposites."""
    size = total.size
    before, after = seen[at - one : at - one + size], seen[at + one : at + one + size]
    above, below = seen[at - other : at - other + size], seen[at + other : at + other + size]
    for i in range(size):
        total[i] += sign * upper(np.int16((before[i] + after[i]) + (above[i] + below[i])), weights[i])


@inner
def upper(number, weight):
    """The upper half of a product of 16-bit numbers, rounded down."""
    return np.int16((np.int32(number) * np.int32(weight)) >> 16)


@standalone
def pool(final, part, pooled):
    """`pooled` of the board as it is."""
    cells, channels = final.shape
    for i in range(pooled.shape[0]):
        for j in range(channels):
            pooled[i, j] = 0
    most = pooled.shape[0] - 1
    for cell in range(cells):
        here = part[cell]
        for j in range(channels):
            number = np.int32(final[cell, j])
            pooled[here, j] += number
            pooled[most, j] = max(pooled[most, j], number)


@inner
def add_product(inputs, weights, outputs):
    """outputs += inputs @ weights, four inputs at once; there are as many as a multiple of four."""
    for i in range(0, weights.shape[0], 4):
        one, two, three, four = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
        for j in range(weights.shape[1]):
            sum_ = (one * weights[i, j] + two * weights[i + 1, j]) + (
                three * weights[i + 2, j] + four * weights[i + 3, j]
            )
            outputs[j] += sum_


@inner
def leak(numbers, size):
    for i in range(size):
        numbers[i] = max(numbers[i], SLOPE * numbers[i])


@standalone
def judge_whole(net, pooled, shares, cells, layers):
    """The value of the board for who is to move, and in layers[0] the weights of the policy."""
    inputs, known, last = layers[0], layers[1], layers[2]
    channels, hidden = pooled.shape[1], net.whole_bias.size
    for j in range(2 * hidden):
        known[j] = 0
    for part in range(PARTS.size):
        kind = PARTS[part]
        for j in range(channels):
            inputs[j] = pooled[part, j] * (shares[part] * MEAN)
        for j in range(hidden):
            last[j] = net.parts_bias[kind, j]
        add_product(inputs, net.parts[kind], last)
        leak(last, hidden)
        for j in range(hidden):
            known[hidden + j] += last[j]
    for j in range(channels):
        total = 0
        for part in range(PARTS.size):
            total += pooled[part, j]
        inputs[j] = total * (MEAN / np.float32(cells))
        inputs[channels + j] = pooled[PARTS.size, j] * np.float32(1 / FINAL)
    for j in range(hidden):
        known[j] = net.whole_bias[j]
    add_product(inputs, net.whole, known)
    leak(known, hidden)
    size = net.hidden_bias.size
    for j in range(size):
        last[j] = net.hidden_bias[j]
    add_product(known, net.hidden, last)
    leak(last, size)
    for j in range(3):
        inputs[j] = net.outcome_bias[j]
    add_product(last, net.outcome, inputs)
    largest = max(inputs[0], inputs[1], inputs[2])
    win, draw, loss = math.exp(inputs[0] - largest), math.exp(inputs[1] - largest), math.exp(inputs[2] - largest)
    for j in range(channels):
        inputs[j] = net.policy_bias[j]
    add_product(last, net.policy, inputs)
    return (win - loss) / (win + draw + loss)


@standalone
def judge_cells(weights, final, whole, answers):
    """A logit for every cell, by the weights of the policy, which become integers first: whole int16[channels]."""
    cells, channels = final.shape
    heaviest = np.float32(1e-9)
    for j in range(channels):
        heaviest = max(heaviest, abs(weights[j]))
    for j in range(channels):
        whole[j] = np.int16(np.rint(weights[j] * (FINEST / heaviest)))
    scale = heaviest / (FINEST * np.float32(FINAL))
    for cell in range(cells):
        total = np.int32(0)
        for j in range(channels):
            total += np.int32(np.int32(whole[j]) * np.int32(final[cell, j]))
        answers[cell] = total * scale


@inner
def judge_planes(net, board, planes, answers):
    """answers float32[cells + 1] of planes float32[2, rows, columns].

    Players are told apart by whose turn it is: first if both have as many stones.
    """
    player = read(planes[0].ravel(), planes[1].ravel(), board.wanted)
    for cell in range(board.cells.size):
        now = np.int64(board.wanted[cell])
        if board.cells[cell] != now:
            if board.cells[cell] != 0:
                take(net, board, cell)
            if now != 0:
                put(net, board, cell, now - 1)
    judge(net, board, player, answers)


@standalone
def read(mine, theirs, wanted):
    """Write the cells int8[cells] that two planes float32[cells] show, as a board has them; return who is to move."""
    balance = np.int32(0)
    for cell in range(wanted.size):
        balance += np.int32(mine[cell] > 0) - np.int32(theirs[cell] > 0)
    me = np.int8(1 if balance == 0 else 2)
    for cell in range(wanted.size):
        wanted[cell] = me if mine[cell] > 0 else (np.int8(3) - me if theirs[cell] > 0 else np.int8(0))
    return np.int64(me - 1)


class KernelNet(NamedTuple):
    """The net for searches, with a board that follows them from leaf to leaf: `search.mcts.skeleton` calls it."""

    weights: Weights
    board: Board

    def answer(net, inputs, answers):
        judge_planes(net.weights, net.board, inputs, answers)


@kernel
def judge_all(net, board, planes, answers):
    """answers float32[n, cells + 1] of planes float32[n, 2, rows, columns], one position after the other.

    net: its `Weights`; board: a `Board` to work with.
    """
    for number in range(len(planes)):
        judge_planes(net, board, planes[number], answers[number])


@kernel
def play_along(net, board, moves, answers):
    """Put these stones in turn, judging after each, and take them back, judging again: for the clock and for tests.

    net: its `Weights`; board: a `Board`, empty; moves int[n]: cells; answers float32[cells + 1]: the last ones.
    """
    for i in range(moves.size):
        put(net, board, np.int64(moves[i]), i & 1)
        judge(net, board, 1 - (i & 1), answers)
    for i in range(moves.size - 1, -1, -1):
        take(net, board, np.int64(moves[i]))
        judge(net, board, i & 1, answers)
