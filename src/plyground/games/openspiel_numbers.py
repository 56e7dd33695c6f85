"""Our numbers of OpenSpiel's actions, in the games of one file whose actions have others there.

Each function tells, at a state of theirs, our legal actions (or outcomes of chance), and what is to be played there for
each of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .backgammon import BAR, DICE, PASS
from .pig import FACES, HOLD, ROLL
from .twenty48 import NEW

Actions = dict[int, tuple[int, ...]]  # ours, and theirs for each
Turn = tuple[tuple[int, ...], int]  # our moves, and their action


def actions(game: Any) -> Callable[[Any, Any], Actions] | None:
    """What tells the actions of this game; None if the numbers are the same."""
    return ACTIONS.get(type(game).__name__)


def turns(game: Any) -> Callable[[Any, Any], list[Turn]] | None:
    """What tells our moves in each of their actions, in a game in which these are whole turns."""
    return TURNS.get(type(game).__name__)


def numbered(numbers: Sequence[int], theirs: Any) -> Actions:
    """The actions by a table of our number of each of theirs."""
    legal = theirs.legal_actions()
    return dict(zip(map(numbers.__getitem__, legal), zip(legal), strict=True))


def breakthrough(game: Any, theirs: Any) -> Actions:
    return numbered(breakthrough_numbers(game), theirs)


@lru_cache(None)
def breakthrough_numbers(game: Any) -> list[int]:
    """Our numbers of all their actions: the first player begins on top, and it is told whether a pawn is taken."""
    found = []
    for action in range(12 * game.rows * game.cols):
        row, col = divmod(action // 12, game.cols)
        found.append(6 * ((game.rows - 1 - row) * game.cols + col) + action // 2 % 6)
    return found


def dots(game: Any, theirs: Any) -> Actions:
    """They number all edges that lie, then all that stand."""
    lying = (game.rows + 1) * game.cols
    found = Actions()
    for action in theirs.legal_actions():
        wide = game.cols + (action >= lying)  # edges of such a row
        row, col = divmod(action - lying if action >= lying else action, wide)
        found[row * (2 * game.cols + 1) + col + (game.cols if action >= lying else 0)] = (action,)
    return found


def draughts(game: Any, theirs: Any) -> Actions:
    """By what they are called."""
    found = Actions()
    for action in theirs.legal_actions():
        name = theirs.action_to_string(action)
        start, to = ((8 - int(at[1])) * 8 + "abcdefgh".index(at[0]) for at in (name[:2], name[2:]))
        far, way = abs(to // 8 - start // 8), 2 * (to > start) + (to % 8 > start % 8)
        found[8 * start + 4 * (far - 1) + way] = (action,)
    return found


def go(game: Any, theirs: Any) -> Actions:
    """They count rows from below, and where a position comes again they end the game as drawn, we forbid the move.
    Nothing else is drawn, if komi is no whole number.

    A position with this stone on this point was there before only if its player has put it there before.
    """
    found, player = numbered(go_numbers(game), theirs), theirs.current_player()
    before = {go_numbers(game)[action] for action in theirs.history()[player::2]}
    for action in before & found.keys() - {game.size * game.size}:
        after = theirs.child(found[action][0])
        if after.is_terminal() and after.player_return(0) == 0:
            del found[action]
    return found


@lru_cache(None)
def go_numbers(game: Any) -> list[int]:
    """Our numbers of all their actions."""
    cells = np.arange(game.size * game.size)
    return [*cells.reshape(game.size, -1)[::-1].ravel().tolist(), cells.size]


def kalah(game: Any, theirs: Any) -> Actions:
    """They number all pits, beginning with the second player's store."""
    return {(action - 1) % (game.houses + 1): (action,) for action in theirs.legal_actions()}


# they count rows from below, and say whether a move takes
LINES_OF_ACTION = [64 * (action // 128 ^ 56) + (action // 2 % 64 ^ 56) for action in range(2 * 64 * 64)]


def lines_of_action(game: Any, theirs: Any) -> Actions:
    return numbered(LINES_OF_ACTION, theirs)


def nim(game: Any, theirs: Any) -> Actions:
    """They number what is taken by how much it is, then by heap."""
    heaps, most = len(game.heaps), max(game.heaps)
    return {action % heaps * most + action // heaps: (action,) for action in theirs.legal_actions()}


def pig(game: Any, theirs: Any) -> Actions:
    """They let a turn be given away, too."""
    if theirs.is_chance_node():
        return {FACES + face: (face,) for face in theirs.legal_actions()}
    found: Actions = {ROLL: (0,), HOLD: (1,)}
    if "Turn total: 0" in str(theirs):
        del found[HOLD]
    return found


def quoridor(game: Any, theirs: Any) -> Actions:
    """By what they are called; rows are counted from the top."""
    found = Actions()
    for action in theirs.legal_actions():
        name = theirs.action_to_string(action)
        lies, stands = name.endswith("h"), name.endswith("v")
        row, col = int(name[1:].rstrip("hv")), ord(name[0]) - ord("a") + 1
        found[(2 * row - 1 + lies) * game.side() + 2 * col - 1 + stands] = (action,)
    return found


def twenty48(game: Any, theirs: Any) -> Actions:
    """Of its legal actions OpenSpiel 2.0 leaves out those that only merge a tile which was made in the move before, but
    it plays them all the same.  So here those are legal that change its board.
    """
    if theirs.is_chance_node():
        return {NEW + outcome: (outcome,) for outcome in theirs.legal_actions()}
    return {side: (side,) for side in range(4) if str(theirs.child(side)) != str(theirs)}


def ultimate(game: Any, theirs: Any) -> Actions:
    """Where any board may be chosen, that is an action of its own."""
    first = theirs.legal_actions()
    told = theirs.action_to_string(first[0])  # Choose local board 0; Local board 4: x(0,0)
    if told.startswith("Choose"):
        return {9 * board + cell: (board, cell) for board in first for cell in theirs.child(board).legal_actions()}
    board = int(told.split()[2][:-1])
    return {9 * board + cell: (cell,) for cell in first}


def backgammon(game: Any, theirs: Any) -> list[Turn]:
    """Our moves in each of their actions: two dice at once, and twice after a double; then they pass if nothing is left
    to be played."""
    actions = theirs.legal_actions()
    if theirs.is_chance_node():
        return [((backgammon_dice(theirs.action_to_string(action)),), action) for action in actions]
    low, high = sorted(map(int, theirs.observation_tensor(0)[-2:]))
    player = theirs.current_player()
    turns = [(backgammon_moves(action, player, high, low), action) for action in actions]
    if turns[0][0] == (PASS,) and theirs.full_history()[-1].player == player:
        return [((), actions[0])]
    return turns


@lru_cache(None)
def backgammon_dice(text: str) -> int:
    """Our number of what they call `X starts, (roll: 21)` or `chance outcome 3 (roll: 12)`."""
    low, high = sorted(map(int, re.findall(r"roll: (\d)(\d)", text)[0]))
    first, second = (low, high) if "O starts" in text else (high, low)
    return DICE + 6 * (first - 1) + second - 1


@lru_cache(None)
def backgammon_moves(action: int, player: int, high: int, low: int) -> tuple[int, ...]:
    """Our moves in one of their actions: two digits of base 26, from where a checker goes by one die and from where by
    the other, as the first player counts; the lower die comes first from 676 on.  24 is the bar, 25 says no move."""
    found = []
    starts, dice = (action % 26, action % 676 // 26), (high, low) if action < 676 else (low, high)
    for start, pips in zip(starts, dice, strict=True):
        if start != 25:
            point = BAR if start == 24 else start + 1 if player else 24 - start
            found.append(6 * (point - 1) + pips - 1)
    return tuple(found) or (PASS,)


ACTIONS: dict[str, Callable[[Any, Any], Actions]] = {
    "Breakthrough": breakthrough,
    "Dots": dots,
    "Draughts": draughts,
    "Go": go,
    "Kalah": kalah,
    "LinesOfAction": lines_of_action,
    "Nim": nim,
    "Pig": pig,
    "Quoridor": quoridor,
    "Twenty48": twenty48,
    "Ultimate": ultimate,
}
TURNS = {"Backgammon": backgammon}
