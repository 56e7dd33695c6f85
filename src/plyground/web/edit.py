"""Positions that a reader sets up by hand: the cells are written as a diagram, and the rule `read` judges it."""

from __future__ import annotations

from typing import Any

from ..spec import InputError
from .catalogue import Catalogue
from .requests import Edit


def edited(catalogue: Catalogue, request: Edit) -> dict[str, Any]:
    """The diagram of an edited position with its view, or with what is wrong with it."""
    shown = catalogue.game(request.game)
    letters, board = shown.letters, shown.board
    if not letters:
        raise InputError("this game cannot be set up cell by cell; write its moves")
    if len(request.cells) != board["rows"] * board["cols"] or not letters.cells.keys() >= set(request.cells):
        raise InputError("the cells do not fit the board")
    text = "".join(letters.cells[value] for value in request.cells)
    diagram = "/".join(text[at : at + board["cols"]] for at in range(0, len(text), board["cols"]))
    if request.player is not None:
        diagram += f" {letters.movers.get(request.player, '')}".rstrip()
    try:
        state = shown.game.read(diagram)
    except ValueError as error:
        return {"start": diagram, "problem": " ".join(str(error).split()), "view": None}
    if shown.cells(state) != request.cells:
        return {"start": diagram, "problem": "the rules read another position from these cells", "view": None}
    start = str(shown.game.diagram(state))
    return {"start": start, "problem": "", "view": shown.view(start, [], state, [])}
