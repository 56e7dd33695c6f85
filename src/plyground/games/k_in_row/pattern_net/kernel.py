"""The pattern net in a kernel: a board that is kept up stone by stone, and what the net says of it.

Every number up to the heads is an integer, and whatever is kept up is a sum: a stone that is taken back leaves no
trace, and a board that was played to is, bit for bit, one that was set up at once.  `put` and `take` change the sums of
the patterns on four lines; what follows from them is brought up to date by the next `judge`, for the player it is
asked for alone.  The kernels are compiled once for boards and nets of all sizes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....rules import inner, kernel, standalone
from .lines import MINE, THEIRS, lines_of, stars, thirds
from .weights import CLIP, ONE, SHIFT, Weights

ZERO, TOP = np.int32(0), np.int32(CLIP)
MEAN = np.float32(8 / ONE)  # by which sums of integers are multiplied where the model has 8 times their mean
SLOPE = np.float32(0.1)  # of the leaky ReLU
FINEST = np.float32(8191)  # the largest weight of the policy, as an integer
PARTS = np.array([0, 1, 0, 1, 2, 1, 0, 1, 0])  # the ninths of a board: a corner, a side, the middle


class Board(NamedTuple):
    """A board with what the net knows of it; sides: seen by the first player, and by the second."""

    cells: np.ndarray  # int8[cells]: 0 empty, 1 and 2 the players' stones
    steps: np.ndarray  # int32[4], and so on: see `lines.Lines`
    before: np.ndarray
    after: np.ndarray
    powers: np.ndarray  # int32[2 * reach + 1]: of three
    stars: np.ndarray  # int16[cells, most]: see `lines.stars`
    star_weights: np.ndarray  # int8[cells, most]
    part: np.ndarray  # int8[cells]: see `lines.thirds`
    shares: np.ndarray  # float32[9]
    patterns: np.ndarray  # int32[2, cells, 4]: the numbers of the line patterns
    sums: np.ndarray  # int16[2, cells, features]: of their vectors
    seen: np.ndarray  # int16[2, cells, channels]
    mixed: np.ndarray  # int32[2, cells, channels]: sums over stars
    stale: np.ndarray  # bool[2, cells]: `seen` is older than `sums`
    touched: np.ndarray  # int16[2, cells + 1]: those cells, behind their number
    scratch: np.ndarray  # int32[1 + star's weights, channels]
    awake: np.ndarray  # int16[features + 2]: those above 0, in `bring_up_to_date`
    final: np.ndarray  # int16[cells, channels]
    pooled: np.ndarray  # int32[10, channels]: sums over the ninths of the board, and maxima
    layers: np.ndarray  # float32[3, most numbers in a layer]


def new(net: Weights, rows: int, columns: int, reach: int) -> Board:
    """An empty board."""
    features, channels = net.point.shape
    cells, lines = rows * columns, lines_of(rows, columns, reach)
    patterns = np.stack([lines.empty, lines.empty])
    sums = net.table[patterns].sum(axis=2, dtype=np.int16) + net.bias
    part, shares = thirds(rows, columns)
    hidden = net.whole_bias.size
    board = Board(
        np.zeros(cells, np.int8),
        *lines[:3],
        3 ** np.arange(2 * reach + 1, dtype=np.int32),
        *stars(rows, columns, (len(net.star) - 1) // 2),
        part,
        shares,
        patterns,
        sums,
        np.zeros((2, cells, channels), np.int16),
        np.tile(net.star_bias, (2, cells, 1)),
        np.ones((2, cells), np.bool_),
        np.tile(np.arange(-1, cells, dtype=np.int16), (2, 1)),
        np.zeros((1 + len(net.star), channels), np.int32),
        np.zeros(features + 2, np.int16),
        np.zeros((cells, channels), np.int16),
        np.zeros((10, channels), np.int32),
        np.zeros((3, max(2 * hidden, 2 * channels)), np.float32),
    )
    board.touched[:, 0] = cells
    return board


@inner
def put(net, board, cell, player):
    """Put a stone of player 0 or 1 on an empty cell."""
    board.cells[cell] = player + 1
    change(net, board, cell, player, 1)


@inner
def take(net, board, cell):
    """Take a stone from the board, whichever it is."""
    player = np.int64(board.cells[cell] - 1)
    board.cells[cell] = 0
    change(net, board, cell, player, -1)


@inner
def change(net, board, cell, player, sign):
    """Add a stone to the patterns that see it, or take it out of them."""
    places = board.steps, board.before, board.after, board.powers
    shift(net.table, *places, board.patterns, board.sums, board.stale, board.touched, cell, player, sign)


@inner
def judge(net, board, player, answers):
    """What the net says of the board, answers float32[cells + 1], if this player is to move."""
    of_cells, of_stars = (net.point, net.point_bias), (net.star, board.stars, board.star_weights)
    known = board.sums[player], board.seen[player], board.mixed[player], board.stale[player], board.touched[player]
    bring_up_to_date(*of_cells, *of_stars, *known, board.scratch[0], board.scratch[1:], board.awake)
    pool(board.mixed[player], board.part, board.final, board.pooled)
    judge_heads(net, board, answers)


# Not inlined, but optimised by themselves, so that their loops are vectorised: given arrays, and no records of them.


@standalone
def shift(table, steps, before, after, powers, patterns, sums, stale, touched, cell, player, sign):
    """`change`, for both sides."""
    features = table.shape[1]
    for line in range(before.shape[1]):
        for away in range(-before[cell, line], after[cell, line] + 1):
            at = cell + away * steps[line]
            power = sign * powers[before[at, line] - away]
            for side in range(2):
                old = patterns[side, at, line]
                now = old + (MINE if side == player else THEIRS) * power
                patterns[side, at, line] = now
                for i in range(features):
                    sums[side, at, i] += table[now, i] - table[old, i]
                if not stale[side, at]:
                    stale[side, at] = True
                    touched[side, 0] += 1
                    touched[side, touched[side, 0]] = at


@standalone
def bring_up_to_date(
    point, point_bias, star, stars, star_weights, sums, seen, mixed, stale, touched, products, moved, awake
):
    """`seen` and `mixed` where a stone has changed what they follow from."""
    features, channels = point.shape
    for place in range(1, touched[0] + 1):
        at = touched[place]
        stale[at] = False
        count = 0
        for i in range(features):
            awake[count] = i
            count += sums[at, i] > 0
        awake[count] = awake[0] if count else 0  # to make them even; it counts for nothing there
        for j in range(channels):
            products[j] = point_bias[j]
        for k in range(0, count, 2):
            i, other = awake[k], awake[k + 1]
            one = min(np.int32(sums[at, i]), TOP)
            two = min(np.int32(sums[at, other]), TOP) if k + 1 < count else ZERO
            for j in range(channels):
                products[j] += one * point[i, j] + two * point[other, j]
        for j in range(channels):
            now = min(max(np.int32(products[j] >> SHIFT), ZERO), TOP)
            products[j] = now - seen[at, j]
            seen[at, j] = now
        for kind in range(star.shape[0]):
            for j in range(channels):
                moved[kind, j] = products[j] * star[kind, j]
        for i in range(stars.shape[1]):
            other, kind = stars[at, i], star_weights[at, i]
            if other < 0:
                break
            for j in range(channels):
                mixed[other, j] += moved[kind, j]
    touched[0] = 0


@standalone
def pool(mixed, part, final, pooled):
    """`final` and `pooled` of the board as it is."""
    cells, channels = mixed.shape
    for i in range(pooled.shape[0]):
        for j in range(channels):
            pooled[i, j] = 0
    most = pooled.shape[0] - 1
    for cell in range(cells):
        here = part[cell]
        for j in range(channels):
            number = min(max(np.int32(mixed[cell, j] >> SHIFT), ZERO), TOP)
            final[cell, j] = number
            pooled[here, j] += number
            pooled[most, j] = max(pooled[most, j], number)


@standalone
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


@inner
def judge_heads(net, board, answers):
    """answers float32[cells + 1]: a logit for every cell, and the value."""
    inputs, known, last = board.layers[0], board.layers[1], board.layers[2]
    channels, hidden, cells = board.scratch.shape[1], net.whole_bias.size, board.cells.size
    for j in range(2 * hidden):
        known[j] = 0
    for part in range(PARTS.size):
        kind = PARTS[part]
        for j in range(channels):
            inputs[j] = board.pooled[part, j] * (board.shares[part] * MEAN)
        for j in range(hidden):
            last[j] = net.parts_bias[kind, j]
        add_product(inputs, net.parts[kind], last)
        leak(last, hidden)
        for j in range(hidden):
            known[hidden + j] += last[j]
    for j in range(channels):
        total = 0
        for part in range(PARTS.size):
            total += board.pooled[part, j]
        inputs[j] = total * (MEAN / np.float32(cells))
        inputs[channels + j] = board.pooled[PARTS.size, j] * np.float32(1 / ONE)
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
    win, draw, loss = np.exp(inputs[0] - largest), np.exp(inputs[1] - largest), np.exp(inputs[2] - largest)
    answers[cells] = (win - loss) / (win + draw + loss)
    for j in range(channels):
        inputs[j] = net.policy_bias[j]
    add_product(last, net.policy, inputs)
    logits(inputs, board.final, board.scratch[0], answers)


@standalone
def logits(weights, final, whole, answers):
    """The logits by the policy's weights, which become integers first."""
    cells, channels = final.shape
    heaviest = np.float32(1e-9)
    for j in range(channels):
        heaviest = max(heaviest, abs(weights[j]))
    for j in range(channels):
        whole[j] = np.int32(np.rint(weights[j] * (FINEST / heaviest)))
    scale = heaviest / (FINEST * ONE)
    for cell in range(cells):
        total = ZERO
        for j in range(channels):
            total = np.int32(total + whole[j] * final[cell, j])
        answers[cell] = total * scale


@inner
def judge_planes(net, board, planes, answers):
    """answers float32[cells + 1] of planes float32[2, rows, columns].

    Players are told apart by whose turn it is: first if both have as many stones.
    """
    columns = planes.shape[2]
    balance = 0
    for cell in range(board.cells.size):
        y, x = cell // columns, cell % columns
        balance += np.int64(planes[0, y, x] > 0) - np.int64(planes[1, y, x] > 0)
    player = 0 if balance == 0 else 1
    for cell in range(board.cells.size):
        y, x = cell // columns, cell % columns
        now = 0
        if planes[0, y, x] > 0:
            now = 1 + player
        elif planes[1, y, x] > 0:
            now = 2 - player
        if board.cells[cell] != now:
            if board.cells[cell] != 0:
                take(net, board, cell)
            if now != 0:
                put(net, board, cell, now - 1)
    judge(net, board, player, answers)


class KernelNet(NamedTuple):
    """The net for searches, with a board that follows them from leaf to leaf: `search.mcts.skeleton` calls it."""

    weights: Weights
    board: Board

    def answer(net, inputs, answers):
        judge_planes(net.weights, net.board, inputs, answers)


@kernel
def judge_all(net, board, planes, answers):
    """answers float32[n, cells + 1] of planes float32[n, 2, rows, columns], one position after the other."""
    for number in range(len(planes)):
        judge_planes(net, board, planes[number], answers[number])


@kernel
def play_along(net, board, moves, answers):
    """Put these stones in turn, judging after each, and take them back, judging again: for the clock and for tests."""
    for i in range(moves.size):
        put(net, board, np.int64(moves[i]), i & 1)
        judge(net, board, 1 - (i & 1), answers)
    for i in range(moves.size - 1, -1, -1):
        take(net, board, np.int64(moves[i]))
        judge(net, board, i & 1, answers)
