"""Line-taking: cross out 1, 2 or 3 free cells in a line of a hexagonal board; who takes the last one loses.

The game is played on a connected region of a board of 12 x 12 cells; what is free stands in the sheared rows of
`hexagons`, in which a line is a constant step.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ...rules import blank
from ...spec import About
from . import hexagons
from .hexagons import LARGEST, SIDE, SPOTS, STEPS, spot


class LineTaking(NamedTuple):
    region: tuple = (15, 15, 15) + (0,) * 9  # the free cells of each row, as bits

    def limits(game):
        if len(game.region) != SIDE or not all(0 <= row < 1 << SIDE for row in game.region) or not any(game.region):
            raise ValueError(f"a region is {SIDE} rows of {SIDE} cells, at least one of them free")

    def fields(game):
        return [("free", np.int8, (SPOTS,)), ("left", np.int16), ("turn", np.int8)]

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

    def decisive(game):
        return True

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

    def name(game, action):
        cell, kind = action // 7, action % 7
        ends = "" if kind == 0 else ("e", "se", "sw")[(kind - 1) % 3] + "23"[(kind - 1) // 3]
        return f"{chr(97 + cell % SIDE)}{cell // SIDE + 1}{ends}"

    def text(game, state):
        return hexagons.text([{0: "o", 3: "x", -1: "."}[cell] for cell in game.cells(state)])

    def diagram(game, state):
        signs = "".join("o" if cell == 0 else "." for cell in game.cells(state))
        return "/".join(signs[at : at + SIDE] for at in range(0, len(signs), SIDE)) + f" {state.turn + 1}"

    def read(game, diagram):
        board, _, mover = diagram.strip().partition(" ")
        if mover not in ("", "1", "2"):
            raise ValueError(f"after the board stands who moves, 1 or 2, not {mover!r}")
        free = hexagons.read(board)
        if any(row & ~own for row, own in zip(free, game.region, strict=True)):
            raise ValueError("a free cell lies outside the region of this game")
        state = blank(game)
        LineTaking(free).start(state)
        state.turn = mover == "2"
        return state


def taken(action):
    """First cell, step and number of the cells that an action takes."""
    cell, kind = action // 7, action % 7
    at = spot(cell % SIDE, cell // SIDE)
    if kind == 0:
        return at, 0, 1
    return at, STEPS[(kind - 1) % 3], 2 + (kind - 1) // 3


def line_taking(
    cells: Annotated[int, About("free cells, 12 to 33; 0 draws the number, too", low=0, high=LARGEST)] = 0,
    seed: Annotated[int, About("which region is drawn; a match draws a new one for every two games", low=0)] = 0,
    region: Annotated[str, About("a given region: 12 rows of 12, 'o' free, '.' not, '/' between rows")] = "",
) -> LineTaking:
    """Misere game on a hexagonal board: take 1 to 3 cells in a line; who takes the last one loses."""
    return LineTaking(hexagons.read(region) if region else hexagons.draw(cells, seed))
