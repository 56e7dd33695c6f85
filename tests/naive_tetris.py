"""A slow, obvious twin of Tetris: the well is a list of rows from the top, a piece a list of cells, turn by turn."""

from __future__ import annotations

from typing import Any

# each piece in its box after no turn, one, two and three
DRAWN = {
    "i": ("....  ..#.  ....  .#..", "####  ..#.  ....  .#..", "....  ..#.  ####  .#..", "....  ..#.  ....  .#.."),
    "o": ("##  ##  ##  ##", "##  ##  ##  ##"),
    "t": (".#.  .#.  ...  .#.", "###  .##  ###  ##.", "...  .#.  .#.  .#."),
    "s": (".##  .#.  ...  #..", "##.  .##  .##  ##.", "...  ..#  ##.  .#."),
    "z": ("##.  ..#  ...  .#.", ".##  .##  ##.  ##.", "...  .#.  .##  #.."),
    "j": ("#..  .##  ...  .#.", "###  .#.  ###  .#.", "...  .#.  ..#  ##."),
    "l": ("..#  .#.  ...  ##.", "###  .#.  ###  .#.", "...  .##  #..  .#."),
}
ORDER = "iotszjl"
TURNS = {
    letter: [
        [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row.split()[turn]) if sign == "#"]
        for turn in range(4)
    ]
    for letter, rows in DRAWN.items()
}


class Twin:
    """A game of Tetris by placements.  Rows 0 and 1 are the hidden ones of the reference game."""

    def __init__(self, cols: int, rows: int, reference: bool) -> None:
        self.cols, self.reference = cols, reference
        self.above = 0 if reference else 4  # rows over the well, from which pieces come in the simplified game
        self.grid = [[False] * cols for _ in range(self.above + rows + (2 if reference else 0))]
        self.score = self.lines = 0
        self.combo = 1
        self.lost = False

    def free(self, cells: list[tuple[int, int]]) -> bool:
        return all(0 <= r < len(self.grid) and 0 <= c < self.cols and not self.grid[r][c] for r, c in cells)

    def at(self, piece: str, turn: int, row: int, col: int) -> list[tuple[int, int]]:
        """The cells of a piece whose box has its corner there."""
        return [(row + r, col + c) for r, c in TURNS[piece][turn]]

    def spawn(self, piece: str) -> list[tuple[int, int]]:
        return self.at(piece, 0, 0, self.cols // 2 - (1 if piece == "o" else 2))

    def fallen(self, cells: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
        """Where these cells come to rest, and how far they fall."""
        rows = 0
        while self.free([(r + 1, c) for r, c in cells]):
            cells, rows = [(r + 1, c) for r, c in cells], rows + 1
        return cells, rows

    def placements(self, piece: str) -> dict[frozenset, int]:
        """The cells on which the piece may come to rest, and the farthest that it can fall to get there."""
        if not self.reference:
            starts = [self.at(piece, turn, 0, col) for turn in range(4) for col in range(-3, self.cols)]
            return {frozenset(self.fallen(cells)[0]): 0 for cells in starts if self.free(cells)}
        todo = [(0, self.cols // 2 - (1 if piece == "o" else 2))]
        seen = set(todo)
        found: dict[frozenset, int] = {}
        while todo:
            turn, col = todo.pop()
            cells, rows = self.fallen(self.at(piece, turn, 0, col))
            found[frozenset(cells)] = max(rows, found.get(frozenset(cells), 0))
            then = [(turn, col - 1), (turn, col + 1)]
            for kick in (0, 1, -1, 2, -2):
                if all(0 <= c < self.cols for _, c in self.at(piece, (turn + 1) % 4, 0, col + kick)):
                    then.append(((turn + 1) % 4, col + kick))
                    break
            for move in then:
                if move not in seen and self.free(self.at(piece, move[0], 0, move[1])):
                    seen.add(move)
                    todo.append(move)
        return found

    def straight(self, piece: str, turn: int, left: int) -> tuple[list[tuple[int, int]], int]:
        """Where a piece comes to rest whose leftmost column is this one, and how far it falls, if the top is clear."""
        cells = self.at(piece, turn, 0, 0)
        shift = left - min(c for _, c in cells)
        return self.fallen([(r, c + shift) for r, c in cells])

    def crowded(self) -> bool:
        """Are there cells where pieces turn?"""
        return any(any(row) for row in self.grid[:4])

    def put(self, cells: Any, fell: int, after: str | None) -> None:
        """Put a piece on cells on which it rests; `after` is the piece that comes next, in the reference game."""
        for r, c in cells:
            self.grid[r][c] = True
        if not self.reference and min(r for r, _ in cells) < self.above:
            self.lost = True
            return
        kept = [row for row in self.grid if not all(row)]
        lines = len(self.grid) - len(kept)
        self.grid = [[False] * self.cols for _ in range(lines)] + kept
        self.lines += lines
        self.score += 10 * fell + 100 * lines**2 * self.combo
        self.combo = self.combo + 1 if lines else 1
        self.lost = after is not None and not self.free(self.spawn(after))

    def columns(self) -> list[int]:
        """The columns as the rules hold them."""
        return [sum(row[c] << i for i, row in enumerate(reversed(self.grid))) for c in range(self.cols)]


def features(twin: Twin, cells: list[tuple[int, int]]) -> list[float]:
    """The features of a placement by their definitions in the literature; see `games/tetris/features.py`."""
    rows = [list(row) for row in twin.grid]
    for r, c in cells:
        rows[r][c] = True
    floor = len(rows)
    bottom, top = floor - 1 - max(r for r, _ in cells), floor - 1 - min(r for r, _ in cells)
    landing = (bottom + top) / 2
    full = [r for r in range(floor) if all(rows[r])]
    eroded = len(full) * sum(r in full for r, _ in cells)
    rows = [[False] * twin.cols for _ in full] + [row for row in rows if not all(row)]
    rows = rows[twin.above :]
    high, wide = len(rows), twin.cols

    def cell(r: int, c: int) -> bool:
        return c in (-1, wide) or r == high or (r >= 0 and rows[r][c])

    def hole(r: int, c: int) -> bool:
        return not rows[r][c] and any(rows[k][c] for k in range(r))

    everywhere = [(r, c) for r in range(high) for c in range(wide)]
    across = sum(cell(r, c) != cell(r, c + 1) for r in range(high) for c in range(-1, wide))
    upright = sum(cell(r, c) != cell(r + 1, c) for r in range(-1, high) for c in range(wide))
    wells = 0
    for r, c in everywhere:
        if not cell(r, c) and cell(r, c - 1) and cell(r, c + 1):
            while not cell(r, c):
                wells, r = wells + 1, r + 1
    depth = 0
    for r, c in everywhere:
        if hole(r, c):
            k = r - 1
            while rows[k][c]:
                depth, k = depth + 1, k - 1
                if k < 0:
                    break
    holes = [(r, c) for r, c in everywhere if hole(r, c)]
    return [landing, eroded, across, upright, len(holes), wells, depth, len({r for r, _ in holes})]
