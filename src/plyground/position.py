"""Positions as people write them: a list of moves (`b2 a1`) or a one-line diagram (`X.O/.X./O.. X`)."""

from __future__ import annotations

from typing import Any

from .rules import CHANCE, gives, legal, new, outcomes, playable
from .spec import InputError, nearest

SOME = 12  # moves that are named where one is wrong


def must_move(game: Any, state: Any) -> None:
    """InputError unless a player is to move in this state."""
    if game.over(state):
        raise InputError(f"the game is over in this position, score {game.score(state):+g} for the first player")
    if game.player(state) == CHANCE:
        raise InputError(f"a chance event is due in this position: add its outcome{some_moves(game, state)}")


def some_moves(game: Any, state: Any) -> str:
    """What may be played in a state, some of it, for the end of a sentence."""
    names = [game.name(action) for action in playable(game, state)]
    return f"; {'outcomes' if game.player(state) == CHANCE else 'moves'} are {' '.join(names[:SOME])}" + (
        f" and {len(names) - SOME} more" if len(names) > SOME else ""
    )


def read(game: Any, text: str) -> Any:
    """The state of a position; the start for an empty text."""
    words = text.lower().split()
    by_name = {game.name(action): action for action in range(game.actions())}
    if any(word not in by_name for word in words) and gives(game, "read") and ("/" in text or "." in text):
        try:
            return game.read(text)
        except ValueError as error:
            if words[0] not in by_name:  # else moves are meant, and the wrong one is named below
                raise InputError(f"position {text!r}: {error}") from None
    state = new(game)
    play_all(game, state, words)
    return state


def play_all(game: Any, state: Any, words: list[str]) -> list[int]:
    """Play moves by their names, which changes the state; the actions.  InputError for one that cannot be played."""
    by_name = {game.name(action): action for action in range(game.actions())} if words else {}
    actions = []
    for number, word in enumerate(words, 1):
        if game.over(state):
            raise InputError(f"move {number}, {word}: the game is over after {' '.join(words[: number - 1])}")
        if word not in by_name:
            raise InputError(
                f"move {number}: there is no move {word!r}{nearest(word, by_name) or some_moves(game, state)}"
            )
        nature = game.player(state) == CHANCE
        allowed = [a for a, _ in outcomes(game, state)] if nature else legal(game, state)
        if by_name[word] not in allowed:
            raise InputError(f"move {number}, {word}, is not legal there{some_moves(game, state)}")
        actions.append(by_name[word])
        game.play(state, by_name[word])
    return actions
