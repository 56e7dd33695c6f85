"""What both formats share: the game of a board and of a rule's name, and a look at every move by the rules."""

from __future__ import annotations

import re
from typing import Any

from .... import game_files, games
from ....game_files import Saved
from ....spec import InputError
from ..rules import MNK

RULES = {"freestyle": "freestyle", "standard": "exactly-five"}  # what tournaments call the rules of five in a row


def stones_in_a_row(saved: Saved) -> MNK:
    """The game that was played; InputError unless it is one of stones in a row."""
    game = games.make(saved.game)
    if not isinstance(game, MNK):
        raise InputError(f"{saved.game} cannot be kept in a file: games of stones in a row can, like gomoku(15)")
    return game


def rule_name(game: MNK) -> str:
    """Freestyle, Standard (exactly five), or how many in a row."""
    if game.k != 5:
        return f"{game.k} in a row"
    return "Standard" if game.exact else "Freestyle"


def spec_of(cols: int, rows: int, rule: str) -> str:
    """The spec of a game of stones in a row on this board by the name of its rule; freestyle if there is none."""
    words = rule.strip().lower()
    count = re.match(r"(\d{1,3}) in a row$", words)
    named = [ours for name, ours in RULES.items() if words.startswith((name, ours))]
    if words and not count and not named:
        raise InputError(
            f"a game by the rule {rule.strip()[:40]!r} cannot be played here: freestyle and exactly five can"
        )
    if named == ["exactly-five"]:
        if cols != rows:
            raise InputError(f"exactly five in a row is played on a square board, not on {cols} x {rows}")
        return f'gomoku({cols}, rule="exactly-five")'
    k = int(count[1]) if count else 5
    return f"gomoku({cols})" if cols == rows and k == 5 else f"mnk({cols},{rows},{k})"


def checked(saved: Saved) -> Saved:
    """The game, if its moves are legal: `game_files.checked`, for games of stones in a row."""
    stones_in_a_row(saved)
    return game_files.checked(saved, is_free, ": off the board, or onto a stone")


def is_free(game: MNK, state: Any, action: int) -> bool:
    """Is this a cell without a stone?"""
    return 0 <= action < game.actions() and game.still(state, action)


def loss_of_mover(moves: int) -> float:
    """The score if the player to move has lost."""
    return -1.0 if moves % 2 == 0 else 1.0
