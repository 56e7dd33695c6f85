"""Connect Four, solved: negamax with null windows on bitboards, for four in a row on any board.

The stones of the player to move are the bits of `mine`, those of both players the bits of `taken`, ordered as in
`columns`; `left` is how many cells are empty.  After James D. Allen, John Tromp and Pascal Pons.

A *score* says who wins, and how soon: 1 if the player to move wins with the last stone that it would lay on a full
board, 2 if with the last but one, and so on; negative if it loses likewise; 0 is a draw.  With `left` empty cells,

    it wins at once          (left + 1) // 2
    it loses in two plies   -(left // 2)

What spares the search most:

    moves     that let the other win at once are never looked at: what is left is lost, or one move, or few
    order     moves that make most cells on which a stone would win come first, then the middle
    answers   with an even number of empty cells the other player always has an answer, most often upon the last stone,
              which settles who gets which cell: see `by_answers`
    table     what is known of positions: a lower and an upper bound, from whichever question was asked

An entry of the table is one number of 64 bits, so that threads may share a table: nobody ever reads half of what
another writes.  It keeps all of a position's key that its place does not tell, and no position is taken for another.
"""

from __future__ import annotations

import numpy as np

from ...rules import inner, kernel, record, recursive

MOST_COLS, MOST_CELLS = 31, 62  # of a board
MULTIPLIER = 0x1E3779B97F4A7C15  # odd: a product modulo a power of two is another name of the key
# an entry, from the lowest bit: the upper bound, the lower bound, the logarithm of the nodes, the rest of the key
BOUND, ZERO, EFFORT = 7, 64, 6
TAG = 2 * BOUND + EFFORT
MOST_TAG = 63 - TAG  # bits
KEPT = 8  # empty cells at least: positions with fewer are searched sooner than they are looked up
DISTINCT = 20  # with fewer empty cells mirror images are told apart, and no reply is looked up before it is played
DEEPEST = 99  # less than any score

WORKSPACE = record(
    [
        ("cols", np.int64),
        ("high", np.int64),  # bits of a column: its rows, and one above them
        ("floor", np.int64),  # the lowest cell of every column
        ("cells", np.int64),  # all cells
        ("answered", np.int64),  # the cells that the player to move gets if the other answers: see `by_answers`
        ("order", np.int64, (MOST_COLS,)),  # the cells of each column, the middle one first
        ("width", np.int64),  # bits of a key
        ("tag", np.int64),  # bits of a key that its place in the table does not tell: see `tag_bits`
        ("moves", np.int64, (MOST_CELLS + 1, MOST_COLS)),  # by the number of empty cells, the best first
        ("ratings", np.int64, (MOST_CELLS + 1, MOST_COLS)),  # of these moves
        ("low", np.int64),  # what is known of the score: at least
        ("top", np.int64),  # and at most
        ("nodes", np.int64),
        ("limit", np.int64),  # of nodes
        ("stop", np.bool_),  # end soon: what is found from now on is wrong
    ]
)


# --- cells on which a stone wins --------------------------------------------------------------------------


@inner
def spots(work, stones):
    """The cells that complete four of these stones in a row; some of them may be taken."""
    found = stones << 1 & stones << 2 & stones << 3  # upwards there is nothing but on top
    for i in range(3):
        step = work.high - 1 + i
        before, behind = stones << step, stones >> step
        found |= before & stones << 2 * step & (stones << 3 * step | behind)
        found |= behind & stones >> 2 * step & (stones >> 3 * step | before)
    return found & work.cells


@inner
def four(work, stones):
    """Do these stones hold four in a row?"""
    pair = stones & stones >> 1
    found = pair & pair >> 2
    for i in range(3):
        step = work.high - 1 + i
        pair = stones & stones >> step
        found |= pair & pair >> 2 * step
    return found != 0


@inner
def size(cells):
    """How many cells these are."""
    count = np.int64(0)
    while cells != 0:
        cells &= cells - 1
        count += 1
    return count


@inner
def by_answers(work, mine, taken, left, landing):
    """A bound that the score does not exceed: -1 or 0, where the other player's answers say so; else DEEPEST.

    With an even number of empty cells, columns that have an odd number of them are even in number.  The other player
    thinks of them as pairs, answers a stone in one of a pair by one in the other, and any other stone by one upon it.
    So the player to move gets every second cell of each column, counted from the top, and some of the lowest.  If these
    with its stones make no four, it does not win; if all that is surely left to the other player does, it loses.
    """
    if left & 1 == 0:
        free = work.cells & ~taken
        if not four(work, mine | free & work.answered | landing):
            return -1 if four(work, taken ^ mine | free & ~(work.answered | landing)) else 0
    return DEEPEST


# --- the table --------------------------------------------------------------------------------------------


def tag_bits(width: int, entries: int) -> int:
    """Bits of a key of so many that its place does not tell, in a table of so many entries, a power of two.

    The upper bits tell a pair of entries, and a position is in either of them.
    """
    return max(0, width - (entries // 2).bit_length() + 1)


@inner
def key_of(work, mine, taken, left):
    """The number of a position, scrambled; many empty cells: that of its mirror image, if that is smaller."""
    key = mine + taken + work.floor
    if left >= DISTINCT:
        rest, image = key, np.int64(0)
        for _ in range(work.cols):
            image = image << work.high | rest & (1 << work.high) - 1
            rest >>= work.high
        key = min(key, image)
    return key * MULTIPLIER & (1 << work.width) - 1


@inner
def find(work, table, key):
    """The entry of a position, 0 if there is none; it is in one of two places."""
    place, tag = key >> work.tag << 1, key & (1 << work.tag) - 1
    first, second = table[place], table[place + 1]
    if first >> TAG == tag:
        return first
    return second if second >> TAG == tag else np.int64(0)


@inner
def store(work, table, key, low, high, nodes):
    """Write down what is known of a position, which took so many nodes, in place of what took fewer."""
    place, tag = key >> work.tag << 1, key & (1 << work.tag) - 1
    effort = np.int64(0)
    while nodes > 0:
        effort += 1
        nodes >>= 1
    first, second = table[place], table[place + 1]
    if first >> TAG != tag:
        if second >> TAG == tag or second >> 2 * BOUND & (1 << EFFORT) - 1 <= first >> 2 * BOUND & (1 << EFFORT) - 1:
            place += 1
    table[place] = tag << TAG | effort << 2 * BOUND | low + ZERO << BOUND | high + ZERO


@inner
def lower(entry):
    return (entry >> BOUND & (1 << BOUND) - 1) - ZERO


@inner
def upper(entry):
    return (entry & (1 << BOUND) - 1) - ZERO


# --- the search -------------------------------------------------------------------------------------------


@recursive
def negamax(work, table, mine, taken, left, alpha, beta):
    """The score of a position, or a bound of it if it does not lie between alpha and beta.

    The player to move cannot win at once: that has been seen before.
    """
    work.nodes += 1
    if work.nodes >= work.limit:
        work.stop = True
    landing = taken + work.floor & work.cells
    theirs = taken ^ mine
    danger = spots(work, theirs)
    moves = landing & ~(danger >> 1)  # what lies below a cell on which the other wins is not played
    forced = landing & danger
    if forced != 0:
        moves &= forced
        if forced & forced - 1 != 0:
            return -(left >> 1)
    if moves == 0:
        return -(left >> 1)
    if left <= 2:
        return np.int64(0)
    low, high = -(left - 2 >> 1), min(left - 1 >> 1, by_answers(work, mine, taken, left, landing))
    if high <= alpha or low >= beta:
        return high if high <= alpha else low

    if moves & moves - 1 == 0:  # nothing to choose, and nothing worth keeping
        return -negamax(work, table, theirs, taken | moves, left - 1, -beta, -alpha)

    key = key_of(work, mine, taken, left)
    entry = find(work, table, key) if left >= KEPT else np.int64(0)
    if entry != 0:
        low, high = max(low, lower(entry)), min(high, upper(entry))
        if high <= alpha or low >= beta or low == high:
            return high if high <= alpha else low
    alpha, beta = max(alpha, low), min(beta, high)
    count = sort(work, mine, taken, left, moves)
    if left >= DISTINCT:
        for i in range(count):
            entry = find(work, table, key_of(work, theirs, taken | work.moves[left, i], left - 1))
            if entry != 0 and -upper(entry) >= beta:
                return -upper(entry)
    best, before = np.int64(-DEEPEST), work.nodes
    for i in range(count):
        move = work.moves[left, i]
        best = max(best, -negamax(work, table, theirs, taken | move, left - 1, -beta, -max(alpha, best)))
        if work.stop:
            return best
        if best >= beta:
            break
    if best > alpha:
        low = best
    if best < beta:
        high = best
    if left >= KEPT:
        store(work, table, key, low, high, work.nodes - before)
    return best


@inner
def sort(work, mine, taken, left, moves):
    """Write the moves down, the best first: by the cells on which a stone would win then; return how many."""
    best, ratings = work.moves[left], work.ratings[left]
    count = 0
    for i in range(work.cols):
        move = moves & work.order[i]
        if move != 0:
            rating = size(spots(work, mine | move) & ~taken)
            at = count
            while at > 0 and ratings[at - 1] < rating:
                best[at], ratings[at] = best[at - 1], ratings[at - 1]
                at -= 1
            best[at], ratings[at] = move, rating
            count += 1
    return count


@kernel
def solve(work, table, mine, taken, left):
    """Narrow the bounds `low` and `top` of the workspace until they meet, or the search is stopped.

    Each search asks one question: is the score more than `middle`?  First, does it win; then, does it lose; then how
    soon.

    work: one WORKSPACE; table int64[entries]; mine, taken: the stones of the player to move, and of both, as bits;
    left: how many cells are empty.
    """
    if taken + work.floor & work.cells & spots(work, mine) != 0:
        work.low = work.top = min(left + 1 >> 1, work.top)
    while work.low < work.top and not work.stop:
        low, high = work.low, work.top
        if low < 0 < high:
            middle = np.int64(0)
        elif high == 0:
            middle = np.int64(-1)
        else:
            middle = low + high >> 1
        score = negamax(work, table, mine, taken, left, middle, middle + 1)
        if work.stop:
            break
        if score > middle:
            work.low = min(score, high)
        else:
            work.top = max(score, low)
