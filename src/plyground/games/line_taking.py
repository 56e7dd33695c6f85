"""Line-taking: cross out 1, 2 or 3 free cells in a line of a hexagonal board; who takes the last one loses.

The board has 12 x 12 cells in offset coordinates (odd rows lie half a cell to the right); the game is
played on a connected region of them.  In the state the rows are sheared, so that the three directions
are constant steps: cell (x, y) is at y * WIDE + x - y // 2 + SHIFT, with a rim that is never free.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ..rules import blank
from ..spec import About

SIDE = 12
WIDE, SHIFT = 18, 6  # a sheared row with its rim; where x = 0 stands in row 0
STEPS = (1, WIDE, WIDE - 1)  # to the right, down right, down left
SMALLEST, LARGEST = 12, 33  # cells of a drawn region


class LineTaking(NamedTuple):
    region: tuple = (15, 15, 15) + (0,) * 9  # the free cells of each row, as bits

    def limits(game):
        if len(game.region) != SIDE or not all(0 <= row < 1 << SIDE for row in game.region) or not any(game.region):
            raise ValueError(f"a region is {SIDE} rows of {SIDE} cells, at least one of them free")

    def fields(game):
        return [("free", np.int8, ((SIDE + 3) * WIDE,)), ("left", np.int16), ("turn", np.int8)]

    def actions(game):
        return SIDE * SIDE * 7  # a cell, and 1 cell or 2 or 3 in one of the directions

    def start(game, state):
        for y in range(SIDE):
            for x in range(SIDE):
                if game.region[y] >> x & 1:
                    state.free[spot(x, y)] = 1
                    state.left += 1

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        count = 0
        for y in range(SIDE):
            for x in range(SIDE):
                at = spot(x, y)
                if state.free[at]:
                    action = (y * SIDE + x) * 7
                    out[count] = action
                    count += 1
                    for i in range(3):
                        if state.free[at + STEPS[i]]:
                            out[count] = action + 1 + i
                            count += 1
                            if state.free[at + 2 * STEPS[i]]:
                                out[count] = action + 4 + i
                                count += 1
        return count

    def still(game, state, action):
        at, step, length = taken(action)
        free = state.free[at] != 0
        if length > 1:
            free = free and state.free[at + step] != 0
        if length > 2:
            free = free and state.free[at + 2 * step] != 0
        return free

    def play(game, state, action):
        at, step, length = taken(action)
        for i in range(length):
            state.free[at + i * step] = 0
        state.left -= length
        state.turn = 1 - state.turn

    def over(game, state):
        return state.left == 0

    def score(game, state):
        return 1.0 - 2.0 * state.turn  # who is to move did not take the last cell

    def planes(game):
        return (1, SIDE, SIDE)

    def encode(game, state, planes):
        for y in range(SIDE):
            for x in range(SIDE):
                planes[0, y, x] = state.free[spot(x, y)]

    def board(game):
        return {"shape": "hexagons", "rows": SIDE, "cols": SIDE}

    def cells(game, state):
        free = [state.free[spot(cell % SIDE, cell // SIDE)] for cell in range(SIDE * SIDE)]
        own = [game.region[cell // SIDE] >> cell % SIDE & 1 for cell in range(SIDE * SIDE)]
        return [0 if here else 3 if mine else -1 for here, mine in zip(free, own, strict=True)]

    def where(game, state, action):
        first, step, length = taken(action)
        places = {spot(cell % SIDE, cell // SIDE): cell for cell in range(SIDE * SIDE)}
        return [places[first + i * step] for i in range(length)]

    def left(game, state):
        return state.left

    def name(game, action):
        cell, kind = action // 7, action % 7
        ends = "" if kind == 0 else ("e", "se", "sw")[(kind - 1) % 3] + "23"[(kind - 1) // 3]
        return f"{chr(97 + cell % SIDE)}{cell // SIDE + 1}{ends}"

    def text(game, state):
        lines = []
        for y in range(SIDE):
            cells = ["o" if state.free[spot(x, y)] else "x" if game.region[y] >> x & 1 else "." for x in range(SIDE)]
            lines.append(f"{y + 1:>2} " + " " * (y % 2) + " ".join(cells))
        return "\n".join([*lines, "   " + " ".join(chr(97 + x) for x in range(SIDE))])

    def diagram(game, state):
        rows = ("".join("o" if state.free[spot(x, y)] else "." for x in range(SIDE)) for y in range(SIDE))
        return "/".join(rows) + f" {state.turn + 1}"

    def read(game, diagram):
        board, _, mover = diagram.strip().partition(" ")
        if mover not in ("", "1", "2"):
            raise ValueError(f"after the board stands who moves, 1 or 2, not {mover!r}")
        free = rows_of(board)
        if any(row & ~own for row, own in zip(free, game.region, strict=True)):
            raise ValueError("a free cell lies outside the region of this game")
        state = blank(game)
        LineTaking(free).start(state)
        state.turn = mover == "2"
        return state


def rows_of(board: str) -> tuple[int, ...]:
    """The free cells of each row as bits, from `oo../.oo./...`."""
    rows = board.lower().split("/")
    if len(rows) != SIDE or any(len(row) != SIDE or set(row) - set("o.") for row in rows):
        raise ValueError(f"a board has {SIDE} rows of {SIDE} cells, 'o' for a free one and '.' for any other")
    return tuple(sum(1 << x for x in range(SIDE) if row[x] == "o") for row in rows)


def spot(x, y):
    """Where a cell stands in the state; row 0 of the state is rim."""
    return (y + 1) * WIDE + x - y // 2 + SHIFT


def taken(action):
    """First cell, step and number of the cells that an action takes."""
    cell, kind = action // 7, action % 7
    at = spot(cell % SIDE, cell // SIDE)
    if kind == 0:
        return at, 0, 1
    return at, STEPS[(kind - 1) % 3], 2 + (kind - 1) // 3


def neighbours(x: int, y: int) -> list[tuple[int, int]]:
    """The six cells next to (x, y)."""
    side = y % 2
    return [(x - 1, y), (x + 1, y)] + [(x + dx, y + dy) for dy in (-1, 1) for dx in (side - 1, side)]


def line_taking(
    cells: Annotated[int, About("free cells, 12 to 33; 0 draws the number, too", low=0, high=LARGEST)] = 0,
    seed: Annotated[int, About("which region is drawn; a match draws a new one for every two games", low=0)] = 0,
    region: Annotated[str, About("a given region: 12 rows of 12, 'o' free, '.' not, '/' between rows")] = "",
) -> LineTaking:
    """Misere game on a hexagonal board: take 1 to 3 cells in a line; who takes the last one loses."""
    if region:
        return LineTaking(rows_of(region))
    if 0 < cells < SMALLEST:
        raise ValueError(f"a drawn region has {SMALLEST} to {LARGEST} cells, not {cells}")
    rng = np.random.default_rng(seed)
    wanted = cells or int(rng.integers(SMALLEST, LARGEST + 1))
    while True:
        free = drawn(rng, wanted)
        if len(free) == wanted and connected(free):
            return LineTaking(tuple(sum(1 << x for x in range(SIDE) if (x, y) in free) for y in range(SIDE)))


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
