"""A game of anybody's that says what lies on its board gets its drawing, its diagram and the free cells for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from plyground import games, position, rules
from plyground.bits import ones, shifted
from plyground.boards import by_cells
from plyground.check import check
from plyground.drawing import CARD, INK, Drawn
from plyground.games.grid import beyond, was_there
from plyground.spec import InputError
from plyground.web.view import Shown

# take a cell of a small board in turn until two are left; who moves then has lost
TAKE = """
from typing import NamedTuple
import numpy as np
from plyground.games import grid
from plyground.rules import blank

class Take(NamedTuple):
    shape: str = "cells"

    def fields(game):
        return [("cells", np.int8, (6,)), ("turn", np.int8)]

    def actions(game):
        return 6

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        count = 0
        for cell in range(6):
            if state.cells[cell] == 0:
                out[count] = cell
                count += 1
        return count

    def play(game, state, action):
        state.cells[action] = state.turn + 1
        state.turn = 1 - state.turn

    def over(game, state):
        free = 0
        for cell in range(6):
            free += state.cells[cell] == 0
        return free == 2

    def score(game, state):
        return -1.0

    def board(game):
        return {"shape": game.shape, "rows": 2, "cols": 3}

    def cells(game, state):
        return state.cells.tolist()
"""
READ = """
    def read(game, diagram):
        state = blank(game)
        state.cells = grid.parse(diagram, 2, 3).ravel()
        state.turn = np.count_nonzero(state.cells) % 2
        return state
"""
OWN = """
    def text(game, state):
        return "as I like it"

    def left(game, state):
        return 7
"""


WHERE = """
    def where(game, state, action):
        return [action]
"""
GLYPHS = """
    def board(game):
        return {"shape": game.shape, "rows": 2, "cols": 3, "checkered": True, "sides": ["White", "Black"]}

    def glyphs(game, state):
        return ["", "♔♚"[state.cells[1] - 1] if state.cells[1] else "", "", "128", "", ""]
"""


def made(tmp_path: Path, more: str = "", shape: str = "cells") -> Any:
    (tmp_path / "take.py").write_text(TAKE + more)
    return games.maker(f"{tmp_path / 'take.py'}:Take")(shape)


def after(game: Any, *actions: int) -> Any:
    state = rules.new(game)
    for action in actions:
        game.play(state, action)
    return state


def test_a_board_gives_text_diagram_and_the_count_of_free_cells(tmp_path: Path) -> None:
    game = made(tmp_path, READ)
    state = after(game, 0, 5, 1)
    assert rules.gives(game, "text", "diagram", "left")
    assert game.text(state) == " 0 X X .\n 3 . . O"
    assert game.diagram(state) == "XX./..O O"
    assert game.left(state) == 3
    assert position.read(game, "XX./..O O").tobytes() == state.tobytes()


def test_what_is_given_keeps_the_laws(tmp_path: Path) -> None:
    laws = dict(check(made(tmp_path, READ), games=5, compiled=False))
    assert "read gives back what diagram wrote" in laws
    assert set(laws.values()) == {""}


def test_without_read_there_is_no_diagram(tmp_path: Path) -> None:
    game = made(tmp_path)
    assert rules.gives(game, "text", "left") and not rules.gives(game, "diagram")
    assert not hasattr(game, "diagram")


def test_what_a_game_says_itself_stays(tmp_path: Path) -> None:
    game = made(tmp_path, OWN)
    assert (game.text(rules.new(game)), game.left(rules.new(game))) == ("as I like it", 7)


def test_pieces_and_numbers_stand_on_cells(tmp_path: Path) -> None:
    game = made(tmp_path, READ + GLYPHS + WHERE)
    state = after(game, 0, 1)
    assert game.text(state) == " 0   X   ♚   .\n 3 128   .   ."
    assert game.diagram(state) == "XO./... X"
    assert set(dict(check(game, games=2, compiled=False)).values()) == {""}
    seen = Shown(game, "take").view("", [], state, [])
    assert seen["glyphs"] == ["", "♚", "", "128", "", ""] and seen["editable"] == []
    assert seen["board"]["checkered"] and seen["board"]["sides"] == ["White", "Black"]
    game = made(tmp_path, GLYPHS.replace('"", ""]', '""]') + WHERE)
    with pytest.raises(InputError, match="the rule glyphs does not give a text for each cell"):
        Drawn(game).glyphs(state)


@pytest.mark.parametrize("shape", ["cells", "intersections", "hexagons", "well"])
def test_pieces_and_numbers_are_in_the_picture_of_a_board_of_any_shape(shape: str, tmp_path: Path) -> None:
    game = made(tmp_path, GLYPHS + WHERE, shape)
    picture = ElementTree.fromstring(Drawn(game).svg(after(game, 5, 1)) or "")
    said = {text.text: text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"♚", "128"} <= said.keys()
    colour = {"cells": INK, "intersections": CARD, "hexagons": CARD, "well": CARD}[shape]
    assert said["♚"].get("fill") == colour and said["128"].get("fill") == INK
    rings = [ring for ring in picture.iter("{http://www.w3.org/2000/svg}circle")]
    assert bool(rings) == (shape in ("cells", "intersections"))  # a piece stands instead of a ring, and on a disc


def test_odd_rows_of_hexagons_are_drawn_to_the_right(tmp_path: Path) -> None:
    game = made(tmp_path, shape="hexagons")
    assert game.text(after(game, 0, 5)) == " 0 X . .\n 3  . . O"


def test_used_up_cells_and_holes_have_their_signs(tmp_path: Path) -> None:
    more = "\n    def cells(game, state):\n        return [0, 1, 2, 3, -1, 3]\n"
    game = made(tmp_path, more)
    assert game.text(rules.new(game)) == " 0 . X O\n 3 #   #"


PLANES = """
    def planes(game):
        return (2, 2, 3)

    def encode(game, state, planes):
        for cell in range(6):
            if state.cells[cell]:
                planes[0 if state.cells[cell] == state.turn + 1 else 1, cell // 3, cell % 3] = 1
"""
NAMES = """
    def name(game, action):
        return "abc"[action % 3] + str(action // 3 + 1)
"""


def without_board(tmp_path: Path, more: str) -> Any:
    (tmp_path / "take.py").write_text(TAKE[: TAKE.index("    def board")] + more)
    return games.maker(f"{tmp_path / 'take.py'}:Take")()


@pytest.mark.parametrize("moves", [(0, 5), (0, 5, 1)], ids=["first to move", "second to move"])
def test_a_board_is_drawn_from_planes_whose_cells_are_the_actions(moves: tuple[int, ...], tmp_path: Path) -> None:
    game = without_board(tmp_path, PLANES + NAMES)
    assert game.text(after(game, *moves)) == f" 1 X {'X' if len(moves) == 3 else '.'} .\n 2 . . O\n   a b c"


def test_rows_of_such_a_board_begin_with_the_name_of_a_cell_where_names_are_numbers(tmp_path: Path) -> None:
    game = without_board(tmp_path, PLANES)
    assert game.text(after(game, 0, 5)) == " 0 X . .\n 3 . . O"


@pytest.mark.parametrize("more", ["", PLANES.replace("(2, 2, 3)", "(2, 2, 4)")], ids=["no planes", "other planes"])
def test_a_game_without_any_board_shows_its_fields(more: str, tmp_path: Path) -> None:
    game = without_board(tmp_path, more)
    assert game.text(after(game, 0, 5)) == "cells = [1 0 0 0 0 2]\nturn = 0"


@pytest.mark.parametrize("spec", ["tictactoe", "connect-four", "line-taking(cells=12)"])
def test_the_games_of_the_package_count_their_free_cells(spec: str) -> None:
    game = games.make(spec)
    state = rules.new(game)
    before = game.left(state)
    action = rules.legal(game, state)[0]
    game.play(state, action)
    assert before - game.left(state) == 1


def test_without_names_a_row_begins_with_the_number_of_its_first_cell() -> None:
    game = games.make(str(Path(__file__).parents[2] / "examples" / "y.py(3)"))
    assert game.text(rules.new(game)).splitlines() == [" 0 . . .", " 3 . .  ", " 6 .    "]


class Steps(NamedTuple):
    """A step upwards or to the right, or none."""

    labelled: bool = False

    def board(game):
        labels = {"columns": ["l", "r"], "row_labels": ["1", "2", "3"]} if game.labelled else {}
        return {"shape": "cells", "rows": 3, "cols": 2} | labels

    def where(game, state, action):
        if action == 12:
            return []
        cell, right = divmod(action, 2)
        return [cell, beyond(game, cell, right - 1, right)]


def test_actions_are_called_by_their_cells_and_by_the_labels_of_the_board() -> None:
    plain, labelled = ([by_cells(Steps(labels), action) for action in range(13)] for labels in (False, True))
    assert " ".join(plain) == "x0 a3-b3 x2 x3 a2-a3 a2-b2 b2-b3 x7 a1-a2 a1-b1 b1-b2 x11 pass"
    assert " ".join(labelled) == "x0 l1-r1 x2 x3 l2-l1 l2-r2 r2-r1 x7 l3-l2 l3-r3 r3-r2 x11 pass"
    assert by_cells(Steps(), 1, "x") == "a3xb3"


def test_a_key_was_there_only_among_those_that_are_looked_at() -> None:
    past = np.array([5, 6, 7, 5])
    assert was_there(past, 0, 4, 7) and was_there(past, 1, 4, 5)
    assert not was_there(past, 1, 3, 5) and not was_there(past, 2, 2, 7)


def test_bits_are_counted_and_moved() -> None:
    assert [ones(word) for word in (0, 1, 0b1011, 2**62, 2**63 - 1)] == [0, 1, 3, 1, 63]
    assert [shifted(0b110, by) for by in (-1, 0, 2)] == [0b11, 0b110, 0b11000]
