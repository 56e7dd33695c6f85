"""What both formats share: the game of a board and of a rule's name, and a look at every move by the rules."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .... import games
from ....game_files import Saved
from ....rules import new
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
    """The game, if its moves are legal.  The score is the rules' where these have ended it; else a win has a reason."""
    game = stones_in_a_row(saved)
    state: Any = new(game)
    for number, action in enumerate(saved.actions, 1):
        if game.over(state):
            raise InputError(f"move {number} comes after the end of the game")
        if not (0 <= action < game.actions() and game.still(state, action)):
            raise InputError(f"move {number} is not legal: off the board, or onto a stone")
        game.play(state, action)
    if saved.seconds and len(saved.seconds) != len(saved.actions):
        raise InputError(f"{len(saved.seconds)} thinking times for {len(saved.actions)} moves")
    if saved.notes and len(saved.notes) != len(saved.actions):
        raise InputError(f"{len(saved.notes)} notes on {len(saved.actions)} moves")
    if saved.score not in (None, -1, 0, 1):
        raise InputError(f"the score of a game is 1, 0 or -1, not {saved.score}")
    if game.over(state):
        return replace(saved, score=float(game.score(state)), reason="")
    return replace(saved, reason=saved.reason or "unknown") if saved.score else replace(saved, reason="")


def loss_of_mover(moves: int) -> float:
    """The score if the player to move has lost."""
    return -1.0 if moves % 2 == 0 else 1.0
