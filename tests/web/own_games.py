"""Users' own games, as texts of files, and where the toys are."""

from __future__ import annotations

from pathlib import Path

from toys import Heap, heap_file

HEAP = heap_file(4).replace(f'    """{Heap.__doc__}"""\n\n', "")  # a game that says nothing of itself
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
BROKEN = HEAP.replace("return state.left <= 0", "return 1 // int(state.turn == 0) and state.left <= 0")
EXITS = HEAP.replace("return state.left <= 0", "return state.turn and exit(3) or state.left <= 0")
TEXTS = {"heap": HEAP, "board": HEAP + BOARD, "broken": BROKEN, "exits": EXITS, "planes": PLANES}
HERE = Path(__file__).parent
DICE = f"{HERE.parent / 'toys.py'}:Dice"
WELL = f"{HERE / 'well.py'}:Dominoes"
PIECES = f"{HERE.parent.parent / 'examples' / 'fox_and_hounds.py'}:FoxAndHounds"
ALONE = f"{HERE.parent / 'learn' / 'one_player_toys.py'}:Pig"


def write(folder: Path) -> dict[str, str]:
    """Write the files; their specs, and those of the toys and of an example."""
    for name, text in TEXTS.items():
        (folder / f"{name}.py").write_text(text)
    made = {name: f"{folder / name}.py:{'Two' if name == 'planes' else 'Heap'}" for name in TEXTS}
    return made | {"dice": DICE, "well": WELL, "pieces": PIECES, "alone": ALONE}
