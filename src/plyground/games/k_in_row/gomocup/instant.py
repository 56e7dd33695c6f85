"""A board of five in a row in plain Python, and a sensible move on it at once, while nothing else is loaded yet."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

Cell = tuple[int, int]  # column and row from the top left, as the protocol has them

OWN, OTHER, BLOCKED = 1, 2, 3  # whose stone: ours, the opponent's, or one of a row that was won and counts no more
WORTH = (0, 1, 8, 60)  # of five cells in a line that only one side has stones in, by how many it has


@dataclass
class Board:
    """The stones of a game, in the order in which they came."""

    cols: int
    rows: int
    exact: bool = False  # more than five in a row do not win
    stones: dict[Cell, int] = field(default_factory=dict)

    def on(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.cols and 0 <= cell[1] < self.rows

    def free(self, cell: Cell) -> bool:
        return self.on(cell) and cell not in self.stones

    def full(self) -> bool:
        return len(self.stones) == self.cols * self.rows

    def copy(self) -> Board:
        return Board(self.cols, self.rows, self.exact, dict(self.stones))

    def middle(self) -> Cell:
        return self.cols // 2, self.rows // 2

    def won(self) -> bool:
        """Does somebody have five in a row already?"""
        return any(outlook(self, who).won for who in (OWN, OTHER))


@lru_cache(8)
def fives(cols: int, rows: int) -> list[tuple[list[Cell], tuple[Cell, Cell]]]:
    """Every five cells in a line, and the two cells before and after them, which may be off the board."""
    found = []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for x in range(cols - 4 * dx):
            for y in range(4 if dy < 0 else 0, rows if dy < 1 else rows - 4):
                cells = [(x + i * dx, y + i * dy) for i in range(5)]
                found.append((cells, ((x - dx, y - dy), (x + 5 * dx, y + 5 * dy))))
    return found


@dataclass
class Outlook:
    """What one side could get with a stone on a free cell."""

    won: bool = False  # it has five already
    wins: set[Cell] = field(default_factory=set)
    next_wins: dict[Cell, set[Cell]] = field(default_factory=lambda: defaultdict(set))  # wins that one stone prepares
    worth: dict[Cell, int] = field(default_factory=lambda: defaultdict(int))  # of the rows through a cell


def outlook(board: Board, who: int) -> Outlook:
    """Look at every five cells in which nobody else has a stone."""
    found = Outlook()
    stones = board.stones
    for cells, ends in fives(board.cols, board.rows):
        lie = [stones.get(cell) for cell in cells]
        count = lie.count(who)
        empty = lie.count(None)
        if not count or count + empty < 5 or (board.exact and who in (stones.get(ends[0]), stones.get(ends[1]))):
            continue
        free = [cell for cell, stone in zip(cells, lie, strict=True) if stone is None]
        if not free:
            found.won = True
        elif len(free) == 1:
            found.wins.add(free[0])
        else:
            for cell in free:
                found.worth[cell] += WORTH[count]
            if len(free) == 2:
                found.next_wins[free[0]].add(free[1])
                found.next_wins[free[1]].add(free[0])
    return found


def quick(board: Board) -> Cell:
    """Win, block a win, make two threats at once, keep the opponent from that, else extend; needs a free cell.

    Two wins at once cannot both be blocked: so whoever may get them has an open three there, or better.
    """
    ours, theirs = outlook(board, OWN), outlook(board, OTHER)
    middle = board.middle()

    def rank(cell: Cell) -> tuple:
        doubles = (len(side.next_wins.get(cell, ())) > 1 for side in (ours, theirs))
        worth = ours.worth.get(cell, 0) + theirs.worth.get(cell, 0)
        aside = max(abs(cell[0] - middle[0]), abs(cell[1] - middle[1]))
        return cell in ours.wins, cell in theirs.wins, *doubles, worth, -aside, cell

    return max(((x, y) for x in range(board.cols) for y in range(board.rows) if board.free((x, y))), key=rank)
