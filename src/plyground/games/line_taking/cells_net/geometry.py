"""What a net over cells knows of the hexagonal board: directions, neighbours, symmetries and lines, as tables.

In axial coordinates, q = x - y // 2 and r = y, the six directions are constant steps; a turn by 60 degrees takes each
to the next, and a mirror takes direction k to -k.  So there are twelve symmetries.  A board of 12 x 12 cells has two
of them only, but a net may be shown a position in all twelve, since nothing but the free cells matters.
"""

from __future__ import annotations

import numpy as np

from ..hexagons import SIDE

CELLS = SIDE * SIDE
DIRECTIONS = np.array([(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)])  # e, se, sw, w, nw, ne
KINDS = 7  # actions that begin at a cell: one cell, two in three directions, three in three directions
AROUND = 18  # cells within two steps: one step, two steps in a line, two steps in two directions
FAR = 8  # steps along an axis from which on cells are equally far away
OFFSETS = (2 * FAR + 1) ** 2
SYMMETRIES = 12
RIM = 2  # cells around the padded board
WIDTH = SIDE + SIDE // 2 - 1 + 2 * RIM  # of a row of it, in axial coordinates
PADDED = (SIDE + 2 * RIM) * WIDTH

_Y, _X = np.divmod(np.arange(CELLS), SIDE)
AXIAL = np.stack([_X - _Y // 2, _Y], 1)  # int[cells, 2]: q and r of each cell


def padded(q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Where a cell stands on the padded board."""
    return (r + RIM) * WIDTH + q + SIDE // 2 - 1 + RIM


AT = padded(AXIAL[:, 0], AXIAL[:, 1])  # int[cells]
STEPS = padded(*DIRECTIONS.T) - padded(np.array(0), np.array(0))  # int[6]
RING = np.concatenate([STEPS, 2 * STEPS, STEPS + np.roll(STEPS, -1)])  # int[18]: steps to the cells around


def symmetries() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each symmetry: its matrix on (q, r), the place of each direction's image, and of each cell's around."""
    turn, mirror = np.array([(0, -1), (1, 1)]), np.array([(1, 1), (0, -1)])
    matrices, directions, around = [], [], []
    for mirrored in (False, True):
        for turns in range(6):
            matrix = np.linalg.matrix_power(turn, turns) @ (mirror if mirrored else np.eye(2, dtype=int))
            image = np.array([int(np.flatnonzero((matrix @ step == DIRECTIONS).all(1))[0]) for step in DIRECTIONS])
            after = np.roll(image, -1)
            between = np.where((after - image) % 6 == 1, image, after)  # the first of the two directions
            matrices.append(matrix)
            directions.append(image)
            around.append(np.concatenate([image, 6 + image, 12 + between]))
    return np.array(matrices), np.array(directions), np.array(around)


MATRICES, IMAGES, AROUND_IMAGES = symmetries()  # int[12, 2, 2], int[12, 6], int[12, 18]
