"""Regions of a hexagonal board of 12 x 12 cells in offset coordinates: odd rows lie half a cell to the right.

A region is a tuple of 12 numbers, whose bits are the cells of each row.  In a state the rows are sheared, so that
the three directions are constant steps: cell (x, y) is at spot (y + 1) * WIDE + x - y // 2 + SHIFT, inside a rim.
"""

import numpy as np

SIDE = 12
WIDE, SHIFT = 18, 6  # a sheared row with its rim; where x = 0 stands in row 0
SPOTS = (SIDE + 3) * WIDE
STEPS = (1, WIDE, WIDE - 1)  # to the right, down right, down left
SMALLEST, LARGEST = 12, 33  # cells of a drawn region


def spot(x, y):
    """Where a cell stands in the state; row 0 of the state is rim."""
    return (y + 1) * WIDE + x - y // 2 + SHIFT


def neighbours(x: int, y: int) -> list[tuple[int, int]]:
    """The six cells next to (x, y)."""
    side = y % 2
    return [(x - 1, y), (x + 1, y)] + [(x + dx, y + dy) for dy in (-1, 1) for dx in (side - 1, side)]


def draw(cells: int, seed: int) -> tuple[int, ...]:
    """A connected region of so many cells, or of a random number of them."""
    if 0 < cells < SMALLEST:
        raise ValueError(f"a drawn region has {SMALLEST} to {LARGEST} cells, not {cells}")
    rng = np.random.default_rng(seed)
    wanted = cells or int(rng.integers(SMALLEST, LARGEST + 1))
    while True:
        free = drawn(rng, wanted)
        if len(free) == wanted and connected(free):
            return tuple(sum(1 << x for x in range(SIDE) if (x, y) in free) for y in range(SIDE))


def drawn(rng: np.random.Generator, wanted: int) -> set[tuple[int, int]]:
    """Free cells grown from the middle: each cell reached is free with probability 0.7, else an obstacle."""
    middle = (SIDE // 2, SIDE // 2)
    free = {middle} if rng.random() > 0.7 else set()
    seen, frontier = {middle}, [middle]
    while frontier and len(free) < wanted:
        cell = frontier.pop(int(rng.integers(len(frontier))))
        for x, y in neighbours(*cell):
            if 0 <= x < SIDE and 0 <= y < SIDE and (x, y) not in seen and len(free) < wanted:
                seen.add((x, y))
                if rng.random() < 0.7:
                    free.add((x, y))
                    frontier.append((x, y))
    return free


def connected(free: set[tuple[int, int]]) -> bool:
    found = {min(free)}
    todo = list(found)
    while todo:
        fresh = set(neighbours(*todo.pop())) & free - found
        found |= fresh
        todo.extend(fresh)
    return found == free


def read(board: str) -> tuple[int, ...]:
    """The region of `oo../.oo./...`."""
    rows = board.lower().split("/")
    if len(rows) != SIDE or any(len(row) != SIDE or set(row) - set("o.") for row in rows):
        raise ValueError(f"a board has {SIDE} rows of {SIDE} cells, 'o' for a free one and '.' for any other")
    return tuple(sum(1 << x for x in range(SIDE) if row[x] == "o") for row in rows)


def text(signs: list[str]) -> str:
    """A board of these signs with its coordinates, for people."""
    lines = [f"{y + 1:>2} " + " " * (y % 2) + " ".join(signs[y * SIDE : (y + 1) * SIDE]) for y in range(SIDE)]
    return "\n".join([*lines, "   " + " ".join(chr(97 + x) for x in range(SIDE))])
