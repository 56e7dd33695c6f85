"""The search of `negamax` in steps, for thousands of threads side by side: what a GPU runs to make the book.

A thread keeps the path to its position in a stack of its own, one number for each move, and takes a node in each
step: so threads of a GPU stay together though each searches something else, and all stop and go on at any step.  They
share one table, and the bounds of each position that is to be solved.

Each search asks one question, is the score more than `middle`?  So at every node there is one bound, `alpha`: the score
is more than that, or it is not.

When there is nothing left to begin, threads help with what others search: the best move first as they do, which most
often settles a node if one move can, then the other moves in another order.  What each finds is in the table for all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...rules import inner
from .book import CELLS, COLS, COLUMN, FLOOR, HIGH, ROWS
from .negamax import BOUND, EFFORT, MULTIPLIER, TAG, ZERO, lower, size, upper

ALL = COLS * ROWS  # cells
ANSWERED = sum(FLOOR << row for row in range(ROWS % 2, ROWS, 2))  # what the player to move gets: see `by_answers`
KEY = (1 << COLS * HIGH) - 1
WHOLE = (1 << HIGH) - 1  # the bits of a column, with the free one on top
KEPT = 6  # empty cells at least: fewer than for a CPU, whose memory is slower beside its arithmetic
MIRRORED = 20  # empty cells at least: mirror images are one
REPLIES = 24  # empty cells at least: replies are looked up before one is searched
ASKED_AGAIN = 20  # empty cells at least: what others have found meanwhile is looked up after each reply
FREE = 14  # empty cells at least: helpers look at moves in another order
CLIMBS = 2  # moves at most that are taken back in a step
LOOK = 256  # steps after which a thread looks whether its question was answered by another
TRIES = 8  # positions that a thread looks at to find one that is not solved

# a move of a path, from the lowest bit: columns still to be searched, how many, the one that is searched now, the best
# score so far, is it worth a place in the table, and the nodes
NEXT = 3
COUNT, NOW, BEST, WORTH, NODES = COLS * NEXT, COLS * NEXT + 3, COLS * NEXT + 6, COLS * NEXT + 13, COLS * NEXT + 14
MOST_NODES = (1 << 63 - NODES) - 1
WORST = -63  # less than any score
OPEN = 99  # no score: the position is to be searched
# what a thread does next
ASK, DOWN, UP = 0, 1, 2
# what is kept of a thread between two runs
JOB, SEED, MIDDLE, MINE, TAKEN, LEFT, PHASE, VALUE, SPENT, TOTAL, FIELDS = range(11)


class Searches(NamedTuple):
    """n positions, and the threads that search them.  Another position is solved: with it threads begin."""

    table: Any  # int64[a power of two]: as in `negamax`
    mine: Any  # int64[n + 1]: the stones of the player to move, who cannot win at once unless it is solved
    taken: Any  # int64[n + 1]: all stones
    low: Any  # int64[n + 1]: the score is at least this
    high: Any  # int64[n + 1]: and at most this
    queue: Any  # int64[n + 1]: positions, in the order in which they are begun or helped with
    taker: Any  # int64[1]: how many threads have asked for a position
    threads: Any  # int64[FIELDS, threads]
    frames: Any  # int64[empty cells, threads]: the paths


# --- positions --------------------------------------------------------------------------------------------


@inner
def spots(stones):
    """The cells that complete four of these stones in a row; some of them may be taken."""
    up = stones << 1 & stones << 2 & stones << 3
    return (up | beside(stones, HIGH - 1) | beside(stones, HIGH) | beside(stones, HIGH + 1)) & CELLS


@inner
def beside(stones, step):
    """The cells that complete four of these stones in one direction."""
    before, behind = stones << step, stones >> step
    found = before & stones << 2 * step & (stones << 3 * step | behind)
    return found | behind & stones >> 2 * step & (stones >> 3 * step | before)


@inner
def four(stones):
    """Do these stones hold four in a row?"""
    return (
        run_of_four(stones, 1)
        | run_of_four(stones, HIGH - 1)
        | run_of_four(stones, HIGH)
        | run_of_four(stones, HIGH + 1)
        != 0
    )


@inner
def run_of_four(stones, step):
    """Where four of these stones in one direction begin."""
    pair = stones & stones >> step
    return pair & pair >> 2 * step


@inner
def scrambled(mine, taken, left):
    """The key of a position; many empty cells: that of its mirror image, if that is smaller."""
    key = mine + taken + FLOOR
    if left >= MIRRORED:
        image = key & WHOLE << COLS // 2 * HIGH
        for i in range(COLS // 2):
            across = (COLS - 1 - 2 * i) * HIGH
            image |= (key & WHOLE << i * HIGH) << across | key >> across & WHOLE << i * HIGH
        key = min(key, image)
    return key * MULTIPLIER & KEY


@inner
def find(table, tag_bits, key):
    """The entry of a position, 0 if there is none: no tag is 0, since it holds the first column of a key."""
    place, tag = key >> tag_bits << 1, key & (1 << tag_bits) - 1
    first, second = table[place], table[place + 1]
    if first >> TAG == tag:
        return first
    return second if second >> TAG == tag else second & 0


@inner
def store(table, tag_bits, key, low, high, nodes):
    """Write down bounds of a score, with those that stand there, in place of what took fewer nodes."""
    place, tag = key >> tag_bits << 1, key & (1 << tag_bits) - 1
    first, second = table[place], table[place + 1]
    known = first
    if first >> TAG != tag:
        known = second
        if second >> TAG == tag or second >> 2 * BOUND & (1 << EFFORT) - 1 <= first >> 2 * BOUND & (1 << EFFORT) - 1:
            place += 1
    if known >> TAG == tag:
        low, high = max(low, lower(known)), min(high, upper(known))
    table[place] = tag << TAG | effort(nodes) << 2 * BOUND | low + ZERO << BOUND | high + ZERO


@inner
def effort(nodes):
    """How many bits a number has."""
    nodes |= nodes >> 1
    nodes |= nodes >> 2
    nodes |= nodes >> 4
    nodes |= nodes >> 8
    nodes |= nodes >> 16
    return size(nodes)


# --- a node -----------------------------------------------------------------------------------------------


@inner
def judge(table, tag_bits, mine, taken, left, alpha):
    """A score, or a bound of it that says whether it is more than alpha, or OPEN; and the moves worth a look.

    As in `negamax.negamax`, without a search.
    """
    landing, theirs = taken + FLOOR & CELLS, taken ^ mine
    danger = spots(theirs)
    moves, forced = landing & ~(danger >> 1), landing & danger
    if forced != 0:
        moves &= forced
    if moves == 0 or forced & forced - 1 != 0:
        return -(left >> 1), moves
    if left <= 2:
        return left & 0, moves
    low, high = -(left - 2 >> 1), left - 1 >> 1
    if left & 1 == 0:
        free = CELLS & ~taken
        if not four(mine | free & ANSWERED | landing):
            high = -1 if four(theirs | free & ~(ANSWERED | landing)) else 0
    if low <= alpha < high and left >= KEPT and moves & moves - 1 != 0:
        entry = find(table, tag_bits, scrambled(mine, taken, left))
        if entry != 0:
            low, high = max(low, lower(entry)), min(high, upper(entry))
    if high <= alpha:
        return high, moves
    return (low if low > alpha else OPEN), moves


@inner
def replied(table, tag_bits, theirs, taken, left, moves, alpha):
    """A bound of the score by what the table knows of the replies, if that is more than alpha; else OPEN."""
    for col in range(COLS):
        move = moves & COLUMN << col * HIGH
        if move != 0:
            entry = find(table, tag_bits, scrambled(theirs, taken | move, left - 1))
            if entry != 0 and -upper(entry) > alpha:
                return -upper(entry)
    return OPEN


@inner
def arranged(mine, taken, moves):
    """The columns of these moves, three bits each, the best first: as `negamax.sort`."""
    rated = ratings(mine, taken, moves)
    a, b, c, d = rank(rated, 3, 7), rank(rated, 2, 6), rank(rated, 4, 5), rank(rated, 1, 4)
    e, f, g = rank(rated, 5, 3), rank(rated, 0, 2), rank(rated, 6, 1)
    # a network of 16 comparisons sorts any seven numbers
    a, g, c, d, e, f = max(a, g), min(a, g), max(c, d), min(c, d), max(e, f), min(e, f)
    a, c, b, e, d, g = max(a, c), min(a, c), max(b, e), min(b, e), max(d, g), min(d, g)
    a, b, c, f, d, e = max(a, b), min(a, b), max(c, f), min(c, f), max(d, e), min(d, e)
    b, c, e, g = max(b, c), min(b, c), max(e, g), min(e, g)
    c, d, e, f = max(c, d), min(c, d), max(e, f), min(e, f)
    b, c, d, e, f, g = max(b, c), min(b, c), max(d, e), min(d, e), max(f, g), min(f, g)
    first, second = a & 7 | (b & 7) << 3 | (c & 7) << 6 | (d & 7) << 9, e & 7 | (f & 7) << 3 | (g & 7) << 6
    return np.int64(first | second << 12) & (1 << size(moves) * NEXT) - 1


@inner
def rank(rated, col, before):
    """A number that is larger the sooner this column is to be searched; its last three bits are the column."""
    return np.int32((rated >> col * HIGH & 15) << 6 | before << 3 | col)


@inner
def ratings(mine, taken, moves):
    """Of each column, in the bits of its cells: 8 if there is a move, and on how many cells a stone would win then.

    Cells on which one wins already are left out.  Eight and more, which hardly occur, count for fewer.
    """
    free = CELLS & ~(taken | spots(mine))
    ones, twos, fours = mine << 1 & mine << 2 & free >> 1, moves & 0, moves & 0
    ones, twos, fours = tally(mine, free, HIGH - 1, ones, twos, fours)
    ones, twos, fours = tally(mine, free, HIGH, ones, twos, fours)
    ones, twos, fours = tally(mine, free, HIGH + 1, ones, twos, fours)
    return filled(ones & moves) | filled(twos & moves) << 1 | filled(fours & moves) << 2 | filled(moves) << 3


@inner
def filled(cells):
    """The columns that have one of these cells, as the lowest bit of each."""
    return cells + CELLS >> ROWS & FLOOR


@inner
def tally(mine, free, step, ones, twos, fours):
    """Add how many free cells in one direction a stone would make winning, for all cells at once.

    A number of each cell is spread over bits of its own in `ones`, `twos` and `fours`.  A stone makes the cell so many
    steps before or behind it winning if the two others of four in a row are there.
    """
    a, b, c = mine >> step, mine >> 2 * step, mine >> 3 * step
    x, y, z = mine << step, mine << 2 * step, mine << 3 * step
    one = (x & (y | b) | b & c) & free >> step
    minus_one = (a & (b | y) | y & z) & free << step
    two, minus_two = a & (x | c) & free >> 2 * step, x & (a | z) & free << 2 * step
    three, minus_three = a & b & free >> 3 * step, x & y & free << 3 * step
    some, pairs = added(one, minus_one, two)
    others, more_pairs = added(minus_two, three, minus_three)
    ones, carried = added(ones, some, others)
    twos, carried_on = added(twos, pairs, more_pairs)
    fours |= carried_on | twos & carried
    return ones, twos ^ carried, fours


@inner
def added(x, y, z):
    """The sum of three bits, for all cells at once: its lower and its higher bit."""
    return x ^ y ^ z, x & y | z & (x ^ y)


@inner
def turned(cols, count, by):
    """The same columns: the first one, then the others beginning with another of them."""
    first, rest, length = cols & (1 << NEXT) - 1, cols >> NEXT, (count - 1) * NEXT
    by = by % (count - 1) * NEXT
    return first | (rest >> by | rest << length - by & (1 << length) - 1) << NEXT


@inner
def scattered(seed, mine):
    """A number that is another for each thread and position."""
    mixed = (mine ^ seed * 0x2545F491) * MULTIPLIER & KEY
    return mixed >> 29


# --- a thread ---------------------------------------------------------------------------------------------


@inner
def take(taker):
    """How many have asked before."""
    taker[0] += 1
    return taker[0] - 1


@inner
def question(low, high):
    """First, does it win; then, does it lose; then how soon."""
    if low < 0 < high:
        return low & 0
    return (low & 0) - 1 if high == 0 else low + high >> 1


@inner
def run(searches, t, steps, waiting, fresh, tag_bits):
    """Let thread t take so many steps.  So many positions are waiting in the queue, the first `fresh` of them for the
    first time."""
    table, frames, kept = searches.table, searches.frames, searches.threads
    job, seed, middle, phase = kept[JOB, t], kept[SEED, t], kept[MIDDLE, t], kept[PHASE, t]
    mine, taken, left = kept[MINE, t], kept[TAKEN, t], kept[LEFT, t]
    value, spent, total = kept[VALUE, t], kept[SPENT, t], kept[TOTAL, t]
    root = ALL - size(searches.taken[job])
    for step in range(steps):
        if step % LOOK == 0 and not searches.low[job] <= middle < searches.high[job]:
            phase = ASK
        if phase == ASK:
            for _ in range(TRIES):
                if searches.low[job] >= searches.high[job]:
                    ticket = take(searches.taker)
                    job = searches.queue[ticket % waiting]
                    seed = ticket if ticket >= fresh else ticket & 0
            if searches.low[job] < searches.high[job]:
                middle = question(searches.low[job], searches.high[job])
                mine, taken = searches.mine[job], searches.taken[job]
                left = root = ALL - size(taken)
                phase = DOWN

        climbs = 0
        while phase == UP and climbs < CLIMBS:
            climbs += 1
            if left == root:
                if value > middle:
                    searches.low[job] = max(searches.low[job], value)
                else:
                    searches.high[job] = min(searches.high[job], value)
                phase = ASK
            else:
                left += 1
                frame = frames[left, t]
                now, count = frame >> NOW & 7, frame >> COUNT & 7
                taken ^= (taken + FLOOR & WHOLE << now * HIGH) >> 1
                mine ^= taken
                alpha = middle if root - left & 1 == 0 else -1 - middle
                best = max((frame >> BEST & 127) - ZERO, -value)
                nodes = min((frame >> NODES) + spent, MOST_NODES)
                worth = frame >> WORTH & 1
                again = count != 0 and left >= ASKED_AGAIN and best <= alpha
                if again or (worth != 0 and (best > alpha or count == 0)):
                    key = scrambled(mine, taken, left)
                    if again:
                        entry = find(table, tag_bits, key)
                        if entry != 0 and upper(entry) <= alpha:
                            best, count = upper(entry), count & 0
                        elif entry != 0 and lower(entry) > alpha:
                            best = lower(entry)
                    else:
                        low, high = (best, left - 1 >> 1) if best > alpha else (-(left - 2 >> 1), best)
                        store(table, tag_bits, key, low, high, nodes)
                if best > alpha or count == 0:
                    value, spent = best, nodes
                else:
                    cols, now = (frame & (1 << COUNT) - 1) >> NEXT, frame & (1 << NEXT) - 1
                    frames[left, t] = (
                        cols | count - 1 << COUNT | now << NOW | best + ZERO << BEST | worth << WORTH | nodes << NODES
                    )
                    move = taken + FLOOR & WHOLE << now * HIGH
                    mine ^= taken
                    taken |= move
                    left -= 1
                    phase = DOWN

        if phase == DOWN:
            total += 1
            alpha = middle if root - left & 1 == 0 else -1 - middle
            value, moves = judge(table, tag_bits, mine, taken, left, alpha)
            if value == OPEN and left >= REPLIES and moves & moves - 1 != 0:
                value = replied(table, tag_bits, taken ^ mine, taken, left, moves, alpha)
            if value == OPEN:
                cols, count = arranged(mine, taken, moves), size(moves)
                if seed != 0 and left >= FREE and count > 2:
                    cols = turned(cols, count, scattered(seed, mine))
                worth = 1 if left >= KEPT and count > 1 else 0
                now = cols & (1 << NEXT) - 1
                frames[left, t] = (
                    cols >> NEXT | count - 1 << COUNT | now << NOW | WORST + ZERO << BEST | worth << WORTH | 1 << NODES
                )
                mine ^= taken
                taken |= taken + FLOOR & WHOLE << now * HIGH
                left -= 1
            else:
                spent = 1
                phase = UP
    kept[JOB, t], kept[SEED, t], kept[MIDDLE, t], kept[PHASE, t] = job, seed, middle, phase
    kept[MINE, t], kept[TAKEN, t], kept[LEFT, t] = mine, taken, left
    kept[VALUE, t], kept[SPENT, t], kept[TOTAL, t] = value, spent, total
