"""Tetris by placements: choose a turn and a column for a piece, and it falls; full rows vanish.

The reference game is a well with two hidden rows on top, in which pieces appear.  A piece may be placed wherever keys
can move and turn it up there before it is dropped; the next piece is known; the game is over when it cannot appear.
The simplified game of the literature has none of this: a piece may be placed in any turn and column and comes from
above the well, the lines are the score, and the game is over when a piece sticks out (its full rows then stay).

Chance draws the pieces.  An action below 7 is a piece, as an outcome; from there on it is a placement, turn by turn.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ...bits import ones
from ...rules import CHANCE, blank
from ...spec import About
from .tetrominoes import BITS, DOWN, HEIGHT, LETTERS, SHAPES, WIDTH, cells, landing, without
from .well import HIDDEN, LANE, appears, origin, reachable, spawn, well

PIECES = len(LETTERS)
LINE_POINTS = 100  # times the square of the lines that a piece clears, times the clearing pieces in a row
DROP_POINTS = 10  # for every row of a hard drop
LINES_A_LEVEL = 10
HIGHEST = 31  # rows that a column has bits for
SETTLED = 9  # the colour of cells that have come to rest; pieces have 1 to 7


def level(lines):
    """The level after so many lines, from 1 on."""
    return 1 + lines // LINES_A_LEVEL


def interval(lines):
    """Seconds in which a piece falls by one row."""
    return 0.4 ** (1 + level(lines) / 10)


class Tetris(NamedTuple):
    cols: int = 10
    rows: int = 20  # without the hidden ones
    reference: bool = True  # else simplified
    seven: bool = False  # pieces are drawn from a bag that holds each of them once

    def fields(game):
        return [
            ("columns", np.int32, (game.cols,)),  # see `tetrominoes`
            ("score", np.int64),  # of the reference game
            ("lines", np.int64),
            ("combo", np.int32),  # pieces in a row that have cleared lines, in the reference game
            ("piece", np.int8),  # the number of the piece to place, from 1 on; 0 if it is still to be drawn
            ("next", np.int8),  # the one after it, in the reference game
            ("drawn", np.int8),  # the pieces that are gone from the bag, as bits
            ("lost", np.int8),
        ]

    def alone(game):
        return True

    def actions(game):
        return PIECES + 4 * game.cols

    def player(game, state):
        return CHANCE if state.piece == 0 or (game.reference and state.next == 0) else 0

    def chance(game, state, out, weights):
        count = 0
        for piece in range(PIECES):
            out[count] = piece
            count += not game.seven or state.drawn >> piece & 1 == 0
        for i in range(count):
            weights[i] = 1 / count
        return count

    def legal(game, state, out):
        piece = np.int64(state.piece - 1)
        places = reachable(game, state.columns, piece)
        if SHAPES[piece] == 2:  # two turns more give the same shapes
            places |= places >> 2 * LANE
        count = 0
        for turn in range(SHAPES[piece]):
            for col in range(game.cols - WIDTH[piece, turn] + 1):
                out[count] = PIECES + turn * game.cols + col
                count += places >> turn * LANE + col & 1
        return count

    def play(game, state, action):
        if action < PIECES:
            if state.piece == 0:
                state.piece = action + 1
            else:
                state.next = action + 1
            if game.seven:
                drawn = state.drawn | 1 << action
                state.drawn = drawn if drawn < (1 << PIECES) - 1 else 0
        else:
            place(game, state, action)

    def over(game, state):
        return state.lost != 0

    def score(game, state):
        return float(state.score if game.reference else state.lines)

    def planes(game):
        return (1 + PIECES * (1 + game.reference + game.seven) + game.reference, well(game), game.cols)

    def encode(game, state, planes):
        """The cells; the piece, the next one and the pieces that are gone from the bag, a plane each; the combo."""
        top = well(game) - 1
        after_next = 1 + 2 * PIECES
        bag = after_next + 1 if game.reference else 1 + PIECES
        for row in range(top + 1):
            for col in range(game.cols):
                planes[0, row, col] = state.columns[col] >> top - row & 1
                if state.piece > 0:
                    planes[state.piece, row, col] = 1
                if game.reference:
                    if state.next > 0:
                        planes[PIECES + state.next, row, col] = 1
                    planes[after_next, row, col] = state.combo / 10
                if game.seven:
                    for piece in range(PIECES):
                        planes[bag + piece, row, col] = state.drawn >> piece & 1

    # --- for people -----------------------------------------------------------------------------------

    def limits(game):
        if not (4 <= game.cols <= 15 and 4 <= game.rows <= 26):
            raise ValueError(f"a well has 4 to 15 columns and 4 to 26 rows, not {game.cols} and {game.rows}")

    def board(game):
        return {"shape": "well", "rows": game.rows + HIDDEN, "cols": game.cols}

    def cells(game, state):
        high = game.rows + HIDDEN
        columns = [int(column) for column in state.columns]
        found = [SETTLED * (column >> high - 1 - row & 1) for row in range(high) for column in columns]
        if state.piece:
            piece = int(state.piece) - 1
            for row, col in cells(piece, 0):
                row += HIDDEN - int(DOWN[piece, 0]) if not game.reference else 0
                found[row * game.cols + spawn(game, piece) + col] = piece + 1
        return found

    def where(game, state, action):
        piece, turn, col, _, y = placement(game, state, action)
        high = game.rows + HIDDEN
        taken = [
            (y + bit, col + i) for i in range(WIDTH[piece, turn]) for bit in range(4) if BITS[piece, turn, i] >> bit & 1
        ]
        return sorted(int((high - 1 - row) * game.cols + col) for row, col in taken if row < high)

    def name(game, action):
        if action < PIECES:
            return LETTERS[action]
        turn, col = divmod(action - PIECES, game.cols)
        return f"r{turn}c{col + 1}"

    def text(game, state):
        signs = [".#"[cell == SETTLED] if cell in (0, SETTLED) else LETTERS[cell - 1] for cell in game.cells(state)]
        rows = [" ".join(signs[at : at + game.cols]) for at in range(0, len(signs), game.cols)]
        drawn = [f"   {row.replace('.', ' ')}" for row in rows[:HIDDEN]]
        drawn += [f"{game.rows - number:>2}|{row}|" for number, row in enumerate(rows[HIDDEN:])]
        told = [f"next {LETTERS[state.next - 1]}"] if state.next else []
        told += [f"score {state.score}, level {level(state.lines)}"] if game.reference else []
        foot = "   " + " ".join(str((col + 1) % 10) for col in range(game.cols))
        return "\n".join([*drawn, foot, ", ".join([*told, f"lines {state.lines}"])])

    def diagram(game, state):
        """`####.#####/##........ tz score=120 lines=3`: the pile from its highest row, the piece and the next one."""
        high = max(1, *(int(column).bit_length() for column in state.columns))
        rows = ["".join(".#"[int(column) >> row & 1] for column in state.columns) for row in reversed(range(high))]
        pieces = "".join(LETTERS[piece - 1] for piece in (state.piece, state.next) if piece)
        gone = "".join(letter for piece, letter in enumerate(LETTERS) if state.drawn >> piece & 1)
        told = {"score": state.score, "lines": state.lines, "combo": state.combo, "drawn": gone}
        return " ".join(["/".join(rows), pieces or "-", *(f"{name}={value}" for name, value in told.items() if value)])

    def read(game, diagram):
        board, *words = diagram.lower().split()
        rows = board.split("/")[::-1]
        if any(len(row) != game.cols or row.strip(".#") for row in rows) or len(rows) > min(well(game) + 4, HIGHEST):
            raise ValueError(f"rows are {game.cols} signs, # for a cell and . for none, at most {well(game)} of them")
        state = blank(game)
        for col in range(game.cols):
            state.columns[col] = sum((row[col] == "#") << number for number, row in enumerate(rows))
        pieces = words.pop(0) if words else "-"
        if pieces != "-" and (pieces.strip(LETTERS) or len(pieces) > 1 + game.reference):
            raise ValueError(f"after the rows stands the piece, one of {LETTERS}, and where it is known the next one")
        for field, letter in zip(("piece", "next"), pieces.strip("-"), strict=False):
            state[field] = LETTERS.index(letter) + 1
        for word in words:
            name, _, value = word.partition("=")
            if name == "drawn" and game.seven and not value.strip(LETTERS) and len(set(value)) < PIECES:
                state.drawn = sum(1 << LETTERS.index(letter) for letter in set(value))
            elif name in ("score", "combo") * game.reference + ("lines",) and value.isdecimal() and len(value) < 10:
                state[name] = int(value)
            else:
                raise ValueError(
                    f"cannot read {word!r}: write score=, lines=, combo= or drawn= where the rules have it"
                )
        state.lost = (not appears(game, state)) if game.reference else len(rows) > game.rows
        if not state.lost and (len(rows) > well(game) or "#" * game.cols in rows):
            raise ValueError(f"the well has {well(game)} rows, and none of them is full")
        return state


def placement(game, state, action):
    """Piece, turn and column of an action, the row from which the piece falls, and that in which it comes to rest."""
    piece = np.int64(state.piece - 1)
    turn = np.int64(action - PIECES) * (65536 // game.cols + 1) >> 16  # a division that need not wait for the action
    col = action - PIECES - turn * game.cols
    start = origin(game, piece, turn)
    if SHAPES[piece] == 2 and reachable(game, state.columns, piece) >> turn * LANE + col & 1 == 0:
        start = origin(game, piece, turn + 2)
    return piece, turn, col, start, landing(state.columns, piece, turn, col, start)


def place(game, state, action):
    """Let the piece fall; clear the rows that are full; the next piece comes."""
    piece, turn, col, start, y = placement(game, state, action)
    for i in range(WIDTH[piece, turn]):
        state.columns[col + i] |= BITS[piece, turn, i] << y
    if game.reference or y + HEIGHT[piece, turn] <= game.rows:
        full = np.int64(-1)
        for i in range(game.cols):
            full &= state.columns[i]
        lines = ones(full)
        if lines > 0:
            for i in range(game.cols):
                state.columns[i] = without(state.columns[i], full)
        state.lines += lines
        if game.reference:
            state.score += DROP_POINTS * (start - y) + LINE_POINTS * lines * lines * (state.combo + 1)
            state.combo = state.combo + 1 if lines > 0 else 0
    else:
        state.lost = 1
    state.piece = state.next
    state.next = 0
    if not appears(game, state):
        state.lost = 1


def tetris(
    cols: Annotated[int, About("columns", low=4, high=15)] = 10,
    rows: Annotated[int, About("rows, without the two hidden ones of the reference game", low=4, high=26)] = 20,
    rules: Annotated[
        str,
        About("reference: with keys, preview and points; simplified: lines alone", choices=("reference", "simplified")),
    ] = "reference",
    bag: Annotated[str, About("how pieces are drawn: each alike, or all seven in turn", choices=("none", "seven"))] = (
        "none"
    ),
) -> Tetris:
    """Place falling pieces for one player; full rows vanish and count."""
    return Tetris(cols, rows, rules == "reference", bag == "seven")
