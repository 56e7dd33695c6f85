"""Backgammon: both bring their checkers home by the throws of two dice, and then off the board.

An action moves one checker by one die, so that a turn has up to two of them, or four after a double.  Points are
counted as the player sees them: 24 to 1, 25 is the bar, 0 off the board; point p of one player is 25 - p of the other.
"""

import re
from typing import Annotated, NamedTuple

import numpy as np

from ..rules import blank
from ..spec import About
from .grid import STONES, turn

OFF, BAR, HOME = 0, 25, 6  # points; the home ones are 1 to 6
PASS = 150  # below it: from each of the points 1 to 25 by each number of pips
DICE = 151  # outcomes of chance from here on: two dice
ROW = [*range(12, 6, -1), BAR, *range(HOME, 0, -1), OFF]  # of the board, on a player's own side
WIDE = len(ROW)
FACES = "\u2680\u2681\u2682\u2683\u2684\u2685"  # of a die
START = np.zeros((2, 26), np.int8)  # checkers on every point; of hyperbackgammon
START[0, [24, 13, 8, 6]], START[1, 22:25] = (2, 5, 3, 5), 1


class Backgammon(NamedTuple):
    """Bring all your checkers home and off the board by the throws of two dice, before the other does."""

    hyper: Annotated[bool, About("three checkers each, on 24, 23 and 22")] = False

    def fields(game):
        dice = ("dice", np.int8, (4,))  # the moves that are left; none while the dice are in the air
        return [("checkers", np.int8, (2, 26)), dice, ("turn", np.int8), ("begun", np.bool_)]

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
        for first in range(1, 7):
            for second in range(1, 7):
                if first > second or (first == second if state.begun else first != second):
                    out[count] = DICE + 6 * (first - 1) + second - 1
                    weights[count] = 1 / 30 if not state.begun else 1 / 36 if first == second else 1 / 18
                    count += 1
        return count

    def can_move(game, state, point, pips):
        """May the player to move take a checker from this point so far?"""
        mine = state.checkers[state.turn]
        if mine[point] == 0 or (point != BAR and mine[BAR] > 0):
            return False
        if point > pips:
            return state.checkers[1 - state.turn, 25 - point + pips] <= 1
        # off the board: all are at home, and none behind this one if there are more pips than are needed
        for other in range(HOME + 1 if point == pips else point + 1, BAR + 1):
            if mine[other] > 0:
                return False
        return True

    def any_move(game, state, pips):
        for point in range(BAR, 0, -1):
            if game.can_move(state, point, pips):
                return True
        return False

    def leads_on(game, state, point, pips, then):
        """Can the other die be used after this move?  Whether it hits makes no difference to that."""
        mine, to = state.checkers[state.turn], max(point - pips, OFF)
        mine[point] -= 1
        mine[to] += 1
        found = game.any_move(state, then)
        mine[to] -= 1
        mine[point] += 1
        return found

    def legal(game, state, out):
        """Both dice have to be used if that can be done, else the higher one, else the lower one."""
        high, low, count = int(state.dice[0]), int(state.dice[1]), 0
        if 0 < low < high:
            for point in range(1, BAR + 1):
                for pips, then in ((high, low), (low, high)):
                    if game.can_move(state, point, pips) and game.leads_on(state, point, pips, then):
                        out[count] = 6 * (point - 1) + pips - 1
                        count += 1
        for pips in (high, low):
            if count == 0 and pips > 0:
                for point in range(1, BAR + 1):
                    out[count] = 6 * (point - 1) + pips - 1
                    count += game.can_move(state, point, pips)
        out[count] = PASS  # where nothing else is legal
        return max(count, 1)

    def play(game, state, action):
        if action >= DICE:
            first, second = (action - DICE) // 6 + 1, (action - DICE) % 6 + 1
            if not state.begun:
                state.begun, state.turn = True, int(first < second)
            state.dice[0], state.dice[1] = max(first, second), min(first, second)
            if first == second:
                state.dice[2] = state.dice[3] = first
            return
        if action < PASS:
            point, pips, me = action // 6 + 1, action % 6 + 1, int(state.turn)
            to = max(point - pips, OFF)
            state.checkers[me, point] -= 1
            state.checkers[me, to] += 1
            if to != OFF and state.checkers[1 - me, 25 - to] == 1:  # a single one of the other's goes to the bar
                state.checkers[1 - me, 25 - to] = 0
                state.checkers[1 - me, BAR] += 1
            for i in range(int(state.dice[0] != pips), 3):
                state.dice[i] = state.dice[i + 1]
            state.dice[3] = 0
            if state.dice[0] > 0 and game.any_move(state, state.dice[0]):
                return
        state.dice[0] = state.dice[1] = state.dice[2] = state.dice[3] = 0
        state.turn = 1 - state.turn

    def number(game):
        """Checkers of each player."""
        return 3 if game.hyper else 15

    def over(game, state):
        return game.score(state) != 0

    def score(game, state):
        number = game.number()
        return 1.0 if state.checkers[0, OFF] == number else -1.0 if state.checkers[1, OFF] == number else 0.0

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
        columns = ["bar" if point == BAR else "off" if point == OFF else str(point) for point in ROW]
        return {"shape": "cells", "rows": 3, "cols": WIDE, "columns": columns, "row_labels": ["", "", ""]}

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
        if dice or game.over(state):
            return f"{who} moves by {dice}" if dice else ""
        return f"{who} throws" if state.begun else "each throws a die, and who has more begins"

    def diagram(game, state):
        """Checkers of the first player, point by point as it counts them, of the second as that does, and who moves by
        what: `6x5,8x3,13x5,24x2/6x5,8x3,13x5,24x2 X 31`.  25 is the bar; what is missing is off the board."""
        sides = [",".join(f"{at}x{side[at]}" for at in range(1, BAR + 1) if side[at]) for side in state.checkers]
        thrown = game.dice_left(state) or ("roll" if state.begun else "begin")
        return f"{'/'.join(sides)} {STONES[1 + state.turn]} {thrown}"

    def read(game, diagram):
        words = re.fullmatch(r"([\dx,]*)/([\dx,]*) ([XO]) (\S+)", diagram.strip(), re.ASCII)
        if not words:
            raise ValueError("a diagram has the checkers of both, who moves, and the dice: 6x5,8x3/6x5,24x2 X 31")
        state = blank(game)
        for player in range(2):
            for place in filter(None, words[1 + player].split(",")):
                found = re.fullmatch(r"(\d{1,2})x(\d{1,2})", place)
                if not found or not 1 <= int(found[1]) <= BAR or int(found[2]) > game.number():
                    raise ValueError(f"checkers are told by point and number, as 6x5, the bar is {BAR}; not {place}")
                state.checkers[player, int(found[1])] = int(found[2])
        off = game.number() - state.checkers.sum(1)
        if off.min() < 0:
            raise ValueError(f"each has {game.number()} checkers")
        if off.min() == game.number():
            raise ValueError("the game ends when one has all checkers off the board")
        state.checkers[:, OFF] = off
        if (state.checkers[0, 1:BAR] * state.checkers[1, BAR - 1 : OFF : -1]).any():
            raise ValueError("on a point lie checkers of one player only")
        state.turn, dice = turn(words[3]), words[4]
        state.begun = dice != "begin"
        if dice not in ("roll", "begin"):
            if not re.fullmatch(r"[1-6]{1,2}|([1-6])\1{2,3}", dice) or dice[0] < dice[-1]:
                raise ValueError(f"dice are written as 31, 3 or 33, `roll` before they are thrown; not {dice}")
            state.dice[: len(dice)] = [int(die) for die in dice]
        return state

    def where(game, state, action):
        if action >= PASS:
            return []
        point, pips = action // 6 + 1, action % 6 + 1
        return [game.drawn_at(int(state.turn), point), game.drawn_at(int(state.turn), max(point - pips, OFF))]

    def name(game, action):
        if action >= PASS:
            return "pass" if action == PASS else f"{(action - DICE) // 6 + 1}{(action - DICE) % 6 + 1}"
        point, pips = action // 6 + 1, action % 6 + 1
        to = str(point - pips) if point > pips else "off" if point == pips else f"off{pips}"
        return f"{'bar' if point == BAR else point}/{to}"
