"""Users' own games, as texts of files, and where the toys are."""

from __future__ import annotations

from pathlib import Path

HEAP = """
from typing import NamedTuple
import numpy as np

class Heap(NamedTuple):
    size: int = 4
    def fields(game): return [("left", np.int16), ("turn", np.int8)]
    def actions(game): return 2
    def start(game, state): state.left = game.size
    def player(game, state): return state.turn
    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return 2 if state.left > 1 else 1
    def play(game, state, action):
        state.left -= action + 1
        state.turn = 1 - state.turn
    def over(game, state): return state.left <= 0
    def score(game, state): return 1.0 if state.turn == 1 else -1.0
"""
# the same with a board of its own
BOARD = """
    def board(game): return {"shape": "well", "rows": game.size, "cols": 1}
    def cells(game, state): return [3 if i >= state.left else 0 for i in range(game.size)]
    def where(game, state, action): return [int(state.left) - 1 - i for i in range(action + 1)]
    def left(game, state): return state.left
    def name(game, action): return "one" if action == 0 else "two"
"""
# two cells and planes, but none of the rules for a page
PLANES = """
from typing import NamedTuple
import numpy as np

class Two(NamedTuple):
    def fields(game): return [("cells", np.int8, (2,)), ("stones", np.int8)]
    def actions(game): return 2
    def player(game, state): return state.stones & 1
    def legal(game, state, out):
        count = 0
        for cell in range(2):
            if state.cells[cell] == 0:
                out[count] = cell
                count += 1
        return count
    def play(game, state, action):
        state.cells[action] = state.stones + 1
        state.stones += 1
    def over(game, state): return state.stones == 2
    def score(game, state): return 0.0
    def planes(game): return (2, 1, 2)
    def encode(game, state, planes):
        for cell in range(2):
            if state.cells[cell]:
                planes[0 if state.cells[cell] == state.stones % 2 + 1 else 1, 0, cell] = 1
"""
# rules that raise once a move was made
BROKEN = HEAP.replace("def over(game, state): return", "def over(game, state): return 1 // int(state.turn == 0) and")
EXITS = HEAP.replace("def over(game, state): return", "def over(game, state): return state.turn and exit(3) or")
TEXTS = {"heap": HEAP, "board": HEAP + BOARD, "broken": BROKEN, "exits": EXITS, "planes": PLANES}
HERE = Path(__file__).parent
DICE = f"{HERE.parent / 'toys.py'}:Dice"
WELL = f"{HERE / 'well.py'}:Dominoes"


def write(folder: Path) -> dict[str, str]:
    """Write the files; their specs, and those of the toys."""
    for name, text in TEXTS.items():
        (folder / f"{name}.py").write_text(text)
    made = {name: f"{folder / name}.py:{'Two' if name == 'planes' else 'Heap'}" for name in TEXTS}
    return made | {"dice": DICE, "well": WELL}
