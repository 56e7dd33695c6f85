"""Line-taking solved: one bit for every set of free cells, 64 sets at once.

Both players have the same moves, so a position is its set of free cells, and all there is to know is whether
the player to move has lost.  With the cells numbered, a set is a number, and every move leads to a smaller one:

    the empty set is won (the opponent took the last cell); any other is won iff a move leads to a lost set.

The table holds bit i of word w for the set 64 w + i: the first WORD cells number the bit, the next BLOCK cells
the word in its block, all others the block.  Let a move take the cells `low` of the word, and let it lead `back`
words.  Then 64 sets learn at once which of them it wins:

    won[w] |= (lost[w - back] << low) & shade,    shade: the sets that have the cells, 0 if w lacks one of them
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from ...jit.first_use import compiling
from ...machine import cores
from ...rules import kernel, legal, record
from ...search.budget import Budget
from ...spec import InputError
from .rules import taken

WORD, BLOCK, PART = 6, 6, 13  # cells that number the bit, the word in its block, the block in its part
WORDS = 1 << BLOCK  # of a block
MOST = 33  # cells; their table takes a gigabyte
THREADS = min(2, cores())

# the cells it takes of the number of the block, how many words it leads back, the cells of the word, its shade
MOVE = record([(name, np.uint64) for name in ("upper", "back", "low", "shade")])


@kernel
def fill_blocks(first, last, lost, won, moves, inside, shades, order, push):
    """Decide the sets of the blocks first .. last - 1.  All blocks whose cells are a subset are decided.

    lost    the table, after WORDS words that stay 0
    won     [WORDS], room to work in
    moves   that lead to another word; the first ones lead to one `inside` the block, single cells left out
    shades  [shade, WORDS], which bits of each word of a block have the cells of a move
    order   of the words of a block: by their number of cells, so that neighbours do not wait for each other
    push    [8, 256], for moves inside a word: if the sets of the second index are won among the eight of this
            byte, those that are left and cannot move to one another are lost; the bits that they make won
    """
    words = np.uint64(won.size)
    for block in range(first, last):
        start = (block + np.uint64(1)) * words
        for j in range(words):
            won[j] = lost[start + j] = 0
        if block == 0:
            won[0] = 1  # the empty set
        for i in range(inside, moves.size):
            if moves[i].upper & block == moves[i].upper:
                source, low, shade = start - moves[i].back, moves[i].low, moves[i].shade
                for j in range(words):
                    won[j] |= (lost[source + j] << low) & shades[shade, j]
        for k in range(words):
            j = order[k]
            word = won[j]
            for cell in range(BLOCK):  # a single cell; from a word that lacks it this leads to itself, still 0
                word |= lost[start + (j & ~(np.uint64(1) << np.uint64(cell)))]
            for i in range(inside):
                if moves[i].back & j == moves[i].back:
                    word |= (lost[start + j - moves[i].back] << moves[i].low) & shades[moves[i].shade, j]
            for byte in range(8):
                word |= push[byte, (word >> np.uint64(8 * byte)) & np.uint64(255)]
            lost[start + j] = ~word


class LineTable:
    """Who wins every position that can arise from one, by the sets of its free cells."""

    def __init__(self, game: Any, state: Any, most: int = MOST) -> None:
        """Room for the positions that follow `state`; `fill` decides them."""
        if state.left > most:
            raise InputError(f"{state.left} free cells are too many for a table: at most {most}")
        actions = legal(game, state)
        sets = [cells_of(action) for action in actions]
        self.cells = arranged(np.flatnonzero(state.free).tolist(), sets)
        bit = {cell: 1 << number for number, cell in enumerate(self.cells)}
        self._actions = np.array(actions)
        self._takes = np.array([sum(bit[cell] for cell in cells) for cells in sets], np.uint64)
        self._steps = steps(self._takes.tolist())
        width = max(len(self.cells), WORD + BLOCK)  # cells that are never free fill up a small table
        self._lost = zeros((1 << width - WORD) + WORDS)
        top = max(width - WORD - BLOCK - PART, 0)
        self._part = (1 << width - WORD - BLOCK) >> top  # blocks of a part
        self._done = np.zeros(1 << top, bool)

    @property
    def share(self) -> float:
        """How much of the table is decided, 0 to 1."""
        return float(self._done.mean())

    @property
    def megabytes(self) -> float:
        return self._lost.nbytes / 2**20

    def fill(self, budget: Budget | None = None, threads: int = THREADS) -> bool:
        """Decide what is not yet decided; is it complete?  A later call goes on where one was stopped.

        There is a look at the clock before every part, some 20 ms of work; this thread tells the watcher.
        """
        prepare()
        budget = budget or Budget()
        silent = replace(budget, watch=None)

        def run(part: int) -> bool:
            if not self._done[part]:
                if silent.over():
                    return False
                first = np.uint64(part * self._part)
                fill_blocks(first, first + np.uint64(self._part), self._lost, zeros(WORDS), *self._steps)
                self._done[part] = True
            return True

        with ThreadPoolExecutor(threads) as pool:
            for count in range(self._done.size.bit_length()):  # parts of as many cells are independent
                complete = True
                for ran in pool.map(run, [part for part in range(self._done.size) if part.bit_count() == count]):
                    complete &= ran
                    budget.over()
                if not complete:
                    return False
        return True

    def covers(self, state: Any) -> bool:
        """Are the free cells of the state among the table's?"""
        return set(np.flatnonzero(state.free).tolist()) <= set(self.cells)

    def won(self, state: Any) -> bool:
        """Does the player to move win?"""
        return not self._is_lost(self._number(state))

    def values(self, state: Any) -> dict[int, int]:
        """The value of each action for the player to move: 1 if it wins, else -1."""
        actions, children = self._children(self._number(state))
        return dict(zip(actions.tolist(), np.where(self._is_lost(children), 1, -1).tolist(), strict=True))

    def chances(self, state: Any) -> dict[int, float]:
        """For each action the share of the opponent's answers that win for the opponent."""
        found = {}
        for action, child in zip(*self._children(self._number(state)), strict=True):
            answers = self._is_lost(self._children(child)[1])
            found[int(action)] = float(answers.mean()) if answers.size else 1.0  # it wins without an answer
        return found

    def _number(self, state: Any) -> np.uint64:
        """The set of the free cells as a number."""
        return np.uint64(sum(1 << i for i, cell in enumerate(self.cells) if state.free[cell]))

    def _children(self, number: np.uint64) -> tuple[np.ndarray, np.ndarray]:
        """The legal actions and the sets they lead to."""
        fits = self._takes & ~number == 0
        return self._actions[fits], number ^ self._takes[fits]

    def _is_lost(self, number: Any) -> Any:
        """Has the player to move lost, for a set or an array of sets?"""
        return self._lost[(number >> np.uint64(WORD)) + np.uint64(WORDS)] >> (number & np.uint64(63)) & np.uint64(1) > 0


def cells_of(action: int) -> frozenset[int]:
    """The cells that an action takes, as they are numbered in a state."""
    at, step, length = taken(action)
    return frozenset(at + i * step for i in range(length))


def arranged(cells: list[int], sets: list[frozenset[int]]) -> list[int]:
    """The cells in an order that makes the table cheap to fill; moves take the `sets`.

    A move costs nothing inside a word.  Inside a block it costs about 1.6 times the work of a move beyond it,
    which is done only for the blocks that have its upper cells.  Swaps lower the sum until none does.
    """
    bit = {cell: 1 << i for i, cell in enumerate(cells)}
    takes = [sum(bit[cell] for cell in cells) for cells in sets]
    order = [1 << i for i in range(len(cells))]

    def cost() -> float:
        word, block = sum(order[:WORD]), sum(order[WORD : WORD + BLOCK])
        beyond = [take & ~word for take in takes if take & ~word]
        return sum(0.5 ** (rest & ~block).bit_count() if rest & ~block else 1.6 for rest in beyond)

    best, better = cost(), True
    while better:
        better = False
        for i in range(min(WORD + BLOCK, len(cells))):
            for k in range(WORD if i < WORD else WORD + BLOCK, len(cells)):
                order[i], order[k] = order[k], order[i]
                swapped = cost()
                if swapped < best:
                    best, better = swapped, True
                else:
                    order[i], order[k] = order[k], order[i]
    return [cells[one.bit_length() - 1] for one in order]


def steps(takes: list[int]) -> tuple:
    """What `fill_blocks` wants to know of the moves, which take these sets of cells."""
    shades: dict[tuple[int, int], int] = {}
    moves = []
    for take in sorted(takes, key=lambda take: take >> WORD + BLOCK):
        words, low = divmod(take, 1 << WORD)
        if words >= WORDS or (words and take.bit_count() > 1):
            shade = shades.setdefault((words % WORDS, low), len(shades))
            moves.append((words // WORDS, words, low, shade))
    shade_words = zeros(len(shades) * WORDS).reshape(-1, WORDS)
    for (middle, low), shade in shades.items():
        have = sum(1 << i for i in range(64) if i & low == low)
        shade_words[shade] = [have if j & middle == middle else 0 for j in range(WORDS)]
    inside = sum(upper == 0 for upper, *_ in moves)
    order = np.array(sorted(range(WORDS), key=int.bit_count), np.uint64)
    return np.array(moves, MOVE), inside, shade_words, order, pushes([take for take in takes if take < 64])


def pushes(takes: list[int]) -> np.ndarray:
    """See `push` of `fill_blocks`; `takes` are the moves inside a word."""
    push = np.zeros((8, 256), np.uint64)
    for byte in range(8):
        won = np.arange(256, dtype=np.uint64) << np.uint64(8 * byte)
        for i in range(8 * byte, 8 * byte + 8):
            reach = np.uint64(sum(1 << (i | take) for take in takes if not i & take))
            push[byte] |= np.where(won >> np.uint64(i) & np.uint64(1), np.uint64(0), reach)
            won |= push[byte]
    return push


def zeros(words: int) -> np.ndarray:
    """Words that start with a line of the cache: a fifteenth less time than anywhere."""
    room = np.zeros(words + 8, np.uint64)
    first = -room.ctypes.data % 64 // 8
    return room[first : first + words]


def prepare() -> None:
    """Compile the kernel, if this process has not yet done so; on no blocks."""
    if getattr(fill_blocks, "signatures", [()]):
        return
    none = np.uint64(0)
    with compiling(3):  # with vectors
        fill_blocks(none, none, zeros(WORDS), zeros(WORDS), *steps([]))
