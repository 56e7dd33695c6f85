"""Backgammon: both bring their checkers home by the throws of two dice, and then off the board.

An action moves one checker by one die, so that a turn has up to two of them, or four after a double.  Points are
counted as the player sees them: 24 to 1, 25 is the bar, 0 off the board; point p of one player is 25 - p of the other.
"""

import re
from typing import Annotated, NamedTuple

import numpy as np

from ..rules import blank
from ..spec import About
from .grid import STONES, in_rows, lettered

OFF, BAR, HOME = 0, 25, 6  # points; the home ones are 1 to 6
PASS = 150  # below it: from each of the points 1 to 25 by each number of pips
DICE = 151  # outcomes of chance from here on: two dice
POINTS = ["off", *map(str, range(1, BAR)), "bar"]
ROW = [*range(12, 6, -1), BAR, *range(HOME, 0, -1), OFF]  # of the board, on a player's own side
WIDE = len(ROW)
FACES = "\u2680\u2681\u2682\u2683\u2684\u2685"  # of a die
COUNTS = ".123456789abcdef"  # of checkers on a point, in a diagram
CHECKERS = 15, 3  # of each player; in hyperbackgammon
START = np.zeros((2, 26), np.int8)  # checkers on every point; in hyperbackgammon
START[0, [24, 13, 8, 6]], START[1, 22:25] = (2, 5, 3, 5), 1


def move(action):
    """From which point a checker goes, by how many pips, and where to."""
    point, pips = action // 6 + 1, action % 6 + 1
    return point, pips, max(point - pips, OFF)


def movable(mine, free, pips):
    """From which points a checker may go so far, where there are checkers on these and these are free; points as bits,
    from 1 on."""
    if mine >> pips == 0:  # none is farther: the last one goes off the board
        return mine & ~(mine >> 1 | mine >> 2 | mine >> 3 | mine >> 4 | mine >> 5)
    if mine >> BAR - 1 != 0:
        mine = 1 << BAR - 1
    home = int(mine >> HOME == 0)
    return mine & (free << pips | home << pips - 1)


class Backgammon(NamedTuple):
    """Bring all your checkers home and off the board by the throws of two dice, before the other does."""

    hyper: Annotated[bool, About("three checkers each, on 24, 23 and 22")] = False

    def fields(game):
        dice = ("dice", np.int8, (4,))  # the moves that are left; none while the dice are in the air
        return [("checkers", np.int8, (2, 26)), dice, ("turn", np.int8), ("begun", np.bool_), ("winner", np.int8)]

    def start(game, state):
        for player in range(2):
            for point in range(26):
                state.checkers[player, point] = START[int(game.hyper), point]

    def actions(game):
        return DICE + 36

    def player(game, state):
        return -1 if state.dice[0] == 0 else state.turn

    def chance(game, state, out, weights):
        """Two dice.  At first everybody throws one, and who has more begins with both."""
        count = 0
        for first in range(6):
            for second in range(first + 1 if state.begun else 6):
                if state.begun or first != second:
                    out[count] = DICE + 6 * first + second
                    weights[count] = 1 / 30 if not state.begun else 1 / 36 if first == second else 1 / 18
                    count += 1
        return count

    def mine_and_free(game, state):
        """The points where checkers of who moves are, and those where they may go, as bits."""
        mine = free = 0
        for point in range(1, BAR + 1):
            mine |= int(state.checkers[state.turn, point] > 0) << point - 1
            free |= int(state.checkers[1 - state.turn, 25 - point] <= 1) << point - 1
        return mine, free

    def legal(game, state, out):
        """Both dice have to be used if that can be done, else the higher one, else the lower one."""
        high, low, count = int(state.dice[0]), int(state.dice[1]), 0
        mine, free = game.mine_and_free(state)
        for point in range(1, BAR + 1 if 0 < low < high else 0):
            if mine >> point - 1 & 1:
                left = mine ^ int(state.checkers[state.turn, point] == 1) << point - 1
                for pips, then in ((high, low), (low, high)):
                    if movable(mine, free, pips) >> point - 1 & 1:
                        out[count] = 6 * (point - 1) + pips - 1
                        count += movable(left | 1 << point - 1 >> pips, free, then) != 0
        for pips in (high, low):
            if count == 0 and pips > 0:
                movers = movable(mine, free, pips)
                for point in range(1, BAR + 1):
                    out[count] = 6 * (point - 1) + pips - 1
                    count += movers >> point - 1 & 1
        out[count] = PASS  # where nothing else is legal
        return max(count, 1)

    def play(game, state, action):
        me, dice = int(state.turn), state.dice
        if action >= DICE:
            first, second = (action - DICE) // 6 + 1, (action - DICE) % 6 + 1
            if not state.begun:
                state.begun, state.turn = True, int(first < second)
            dice[0], dice[1] = max(first, second), min(first, second)
            if first == second:
                dice[2] = dice[3] = first
            return
        if action < PASS:
            (point, pips, to), mine, others = move(action), state.checkers[me], state.checkers[1 - me]
            mine[point] -= 1
            mine[to] += 1
            if others[25 - to] == 1:  # a single one of the other's goes to the bar, or stays there
                others[25 - to] = 0
                others[BAR] += 1
            if mine[OFF] == CHECKERS[int(game.hyper)]:
                state.winner = me + 1
            for i in range(int(dice[0] != pips), 3):
                dice[i] = dice[i + 1]
            dice[3] = 0
            if dice[0] > 0:
                there, free = game.mine_and_free(state)
                if movable(there, free, int(dice[0])) != 0:
                    return
        dice[0] = dice[1] = dice[2] = dice[3] = 0
        state.turn = 1 - me

    def decisive(game):
        return True

    def planes(game):
        return (16, 1, 26)

    def encode(game, state, planes):
        """Of who moves and of the other, on the same points: one checker or more, two, three, and how many more, as
        Tesauro has them (1994); then how many moves are left with each number of pips, how far off a point is, and
        which are at home."""
        for point in range(26):
            for player in range(2):
                count = state.checkers[state.turn ^ player, 25 - point if player else point]
                for many in range(3):
                    planes[2 * many + player, 0, point] = count > many
                planes[6 + player, 0, point] = max(count - 3, 0) / 2
            for die in range(4):
                if state.dice[die] > 0:
                    planes[7 + int(state.dice[die]), 0, point] += 0.5
            planes[14, 0, point] = point / BAR
            planes[15, 0, point] = 0 < point <= HOME

    def board(game):
        """As the first player sees it: 13 to 24 above, 12 to 1 below, the dice between them."""
        columns = [POINTS[point] for point in ROW]
        return {"shape": "cells", "rows": 3, "cols": WIDE, "columns": columns, "row_labels": [""] * 3}

    def drawn_at(game, player, point):
        """Where the board shows a point of a player's."""
        own = point in ROW
        return ROW.index(point if own else 25 - point) + (0 if own == bool(player) else 2 * WIDE)

    def dice_left(game, state):
        """The dice that are left to move by, the higher one first; "" while they are in the air."""
        return "".join(str(die) for die in state.dice.tolist() if die > 0)

    def glyphs(game, state):
        """Whose checkers lie on a point, and how many; the dice between."""
        found = [""] * WIDE + [" "] * WIDE + [""] * WIDE
        for player, point in np.argwhere(state.checkers).tolist():
            found[game.drawn_at(player, point)] = f"{STONES[1 + player]}{state.checkers[player, point]}"
        for at, die in enumerate(game.dice_left(state)):
            found[WIDE + 1 + at] = FACES[int(die) - 1]
        return found

    def caption(game, state):
        who, dice = STONES[1 + state.turn], " ".join(game.dice_left(state))
        if dice or state.winner:
            return f"{who} moves by {dice}" if dice else ""
        return f"{who} throws" if state.begun else "each throws a die, and who has more begins"

    def diagram(game, state):
        """Checkers of the first player on the points 1 to 25 as it counts them, of the second as that does, and who
        moves by what: `.....5.3....5..........2./.....5.3....5..........2. X 31`.  What is missing is off the board."""
        checkers = in_rows([COUNTS[count] for count in state.checkers[:, 1:].ravel()], BAR)
        return f"{checkers} {STONES[1 + state.turn]} {game.dice_left(state) or ('roll' if state.begun else 'begin')}"

    def read(game, diagram):
        state, number = blank(game), CHECKERS[game.hyper]
        state.checkers[:, 1:], rest = lettered(diagram, 2, BAR, COUNTS)
        told = re.fullmatch(r"([XO]) (begin|roll|[1-6]{1,2}|([1-6])\3{2,3})", rest, re.ASCII)
        if not told:
            raise ValueError("after the checkers come who moves and the dice: X 31, O 3, X 6666, X roll, X begin")
        state.checkers[:, OFF] = off = number - state.checkers.sum(1)
        if off.min() < 0 or off.min() == number:
            raise ValueError(f"each has {number} checkers, and the game ends when one has all of them off the board")
        if (state.checkers[0, 1:BAR] * state.checkers[1, BAR - 1 : OFF : -1]).any():
            raise ValueError("on a point lie checkers of one player only")
        state.winner = (off == number) @ (1, 2)
        state.turn, state.begun = told[1] == "O", told[2] != "begin"
        dice = sorted((int(die) for die in told[2] if die.isdigit()), reverse=True)
        state.dice[: len(dice)] = dice
        return state

    def where(game, state, action):
        point, _, to = move(action)
        return [game.drawn_at(int(state.turn), at) for at in (point, to)] if action < PASS else []

    def name(game, action):
        if action >= PASS:
            return "pass" if action == PASS else f"{(action - DICE) // 6 + 1}{(action - DICE) % 6 + 1}"
        point, pips, to = move(action)
        return f"{POINTS[point]}/{POINTS[to]}{pips if pips > point else ''}"
