"""Chess, by the laws of FIDE, with draws as programs play them: nobody has to claim one.

A game is drawn by stalemate; when a position comes for the third time, with the same player to move and the same rights
to castle and to take en passant; after a hundred plies without a capture or a move of a pawn, unless the last one
mates; and where neither side has the material for any mate: a king alone, or with a single knight, or with bishops that
all stand, as those of the other, on squares of one colour.

A state keeps its legal moves: `play` finds them to know whether the game is over, and `legal` copies them.  It keeps
the line of moves since the last one that cannot be undone, with a key of every position on it, to know what has come
before.  Positions are written as FEN, and as UCI writes them if some moves since then matter: `FEN moves g1f3 g8f6`.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import rules
from ..boards import cell_name

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 3, 4, 5, 6  # white pieces; those of black are negative
LETTERS = ".PNBRQK"
GLYPHS = "\u2659\u2658\u2657\u2656\u2655\u2654", "\u265f\u265e\u265d\u265c\u265b\u265a"
FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
RIGHTS = "KQkq"  # to castle, each a bit
QUIET = 100  # plies without a capture or a move of a pawn, after which the game is drawn
NONE = -1
MOST = 218  # legal moves in any position
PROMOTIONS = 64 * 64  # the first action that promotes
MOVES = PROMOTIONS + 2 * 22 * 4  # by side and by file and way of the pawn, to a knight, bishop, rook or queen

# squares are cells, row by row from the top: a8 is 0, h1 is 63
STEP = np.array([-8, 1, 8, -1, -7, 9, 7, -9])  # the ways of rooks, then of bishops
REACH = np.zeros((64, 8), np.int64)  # squares from here to the edge
WAY = np.full((64, 64), NONE, np.int8)  # from here to there, if they are on one line
JUMPS = np.full((64, 8), NONE, np.int64)  # where a knight may go
KEEP = np.full(64, 15)  # the rights to castle that are left when something leaves a square or comes to it
BIT = np.left_shift(np.int64(1), np.arange(64))
STRAIGHT, DIAGONAL, JUMPING = 0, 1, 2  # sets of pieces that attack so
SEEN = np.zeros((3, 64), np.int64)  # by set: the squares, as bits, from which such a piece may attack this one
KEYS = np.random.default_rng(1).integers(-(2**63), 2**63, (13, 64), np.int64)  # by piece and square
for _square in range(64):
    _row, _col = divmod(_square, 8)
    for _way, (_down, _right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1))):
        while 0 <= _row + _down * (_far := int(REACH[_square, _way]) + 1) < 8 and 0 <= _col + _right * _far < 8:
            REACH[_square, _way] = _far
            WAY[_square, _square + _far * STEP[_way]] = _way
            SEEN[_way // 4, _square] |= BIT[_square + _far * STEP[_way]]
    for _jump, (_down, _right) in enumerate(((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))):
        if 0 <= _row + _down < 8 and 0 <= _col + _right < 8:
            JUMPS[_square, _jump] = _square + 8 * _down + _right
            SEEN[JUMPING, _square] |= BIT[JUMPS[_square, _jump]]
for _square, _lost in ((60, 3), (63, 1), (56, 2), (4, 12), (7, 4), (0, 8)):
    KEEP[_square] = 15 - _lost


class Chess(NamedTuple):
    """Mate the king.  Moves are written as in UCI: e2e4, e7e8q; positions as FEN."""

    def fields(game):
        line = [("past", np.int64, (QUIET,)), ("key", np.int64), ("line", np.int16, (QUIET,)), ("length", np.int16)]
        moves = [("moves", np.int16, (MOST,)), ("count", np.int16), ("fullmove", np.int16)]
        small = [(name, np.int8) for name in ("turn", "castling", "ep", "clock", "winner")]
        sets = [("sets", np.int64, (2, 3))]
        return [*sets, *line, *moves, ("pieces", np.int8, (64,)), ("kings", np.int8, (2,)), *small]

    def start(game, state):
        for col in range(8):
            piece = KING if col == 4 else QUEEN if col == 3 else (ROOK, KNIGHT, BISHOP)[min(col, 7 - col)]
            put(state, col, -piece)
            put(state, 8 + col, -PAWN)
            put(state, 48 + col, PAWN)
            put(state, 56 + col, piece)
        state.kings[0], state.kings[1] = 60, 4
        state.castling = 15
        state.ep = NONE
        state.fullmove = 1
        game.settle(state, False)

    def actions(game):
        return MOVES

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        for i in range(state.count):
            out[i] = state.moves[i]
        return int(state.count)

    def play(game, state, action):
        board, turn = state.pieces, int(state.turn)
        side = 1 - 2 * turn
        start, to, promoted = ends(action)
        piece, taken = board[start], board[to]
        castling = state.castling & KEEP[start] & KEEP[to]
        quiet = taken == 0 and abs(piece) != PAWN
        if quiet and castling == state.castling and state.ep == NONE:  # the position before may come again
            state.past[state.length] = state.key
            state.line[state.length] = action
            state.length += 1
            state.key ^= KEYS[piece + 6, start] ^ KEYS[piece + 6, to]
        else:
            forget(state)
        put(state, start, 0)
        put(state, to, piece if promoted == 0 else promoted * side)
        passed = NONE
        if abs(piece) == PAWN and to == state.ep:
            put(state, to + 8 * side, 0)
        elif abs(piece) == PAWN and abs(to - start) == 16:
            passed = (start + to) // 2
        elif abs(piece) == KING:
            state.kings[turn] = to
            if abs(to - start) == 2:
                corner = to + 1 if to > start else to - 2
                put(state, corner, 0)
                put(state, (start + to) // 2, ROOK * side)
        state.castling = castling
        state.ep = passed
        state.clock = state.clock + 1 if quiet else 0
        state.fullmove += turn
        state.turn = 1 - turn
        game.settle(state, taken != 0 or promoted != 0)

    def settle(game, state, changed):
        """Find the legal moves of a new position, and whether the game is over; have the pieces changed?"""
        check = game.find_moves(state)
        if state.ep != NONE and not can_pass(state):
            state.ep = NONE
        if state.count == 0:
            state.winner = 2 - state.turn if check else 3
        elif state.clock >= QUIET or repeated(state) or (changed and too_little(state.pieces)):
            state.winner = 3

    def find_moves(game, state):
        """List the legal moves in the state; return whether it is check."""
        board, turn, before = state.pieces, int(state.turn), state.count
        side, king = 1 - 2 * turn, int(state.kings[turn])
        check, lined = attacked(state, king, -side), may_slide(state, king, -side)
        state.count = 0
        for start in range(64):
            kind = board[start] * side
            if kind <= 0:
                continue
            free = not check and kind != KING  # wherever it goes
            if free and lined:
                free = not pinned(board, king, start, side)
            if kind == PAWN:
                pawn_moves(state, start, side, free)
            elif kind == KNIGHT:
                for i in range(8):
                    to = JUMPS[start, i]
                    if to != NONE and board[to] * side <= 0:
                        add(state, start, to, side, free)
            else:
                farthest = 1 if kind == KING else 7
                for way in range(4 if kind == BISHOP else 0, 4 if kind == ROOK else 8):
                    to = start
                    for _ in range(min(farthest, REACH[start, way])):
                        to += STEP[way]
                        if board[to] * side <= 0:
                            add(state, start, to, side, free)
                        if board[to] != 0:
                            break
        if not check:
            castles(state, side)
        for i in range(state.count, before):
            state.moves[i] = 0
        return check

    def over(game, state):
        return state.winner != 0

    def score(game, state):
        return 1.0 if state.winner == 1 else -1.0 if state.winner == 2 else 0.0

    def planes(game):
        return (20, 8, 8)

    def encode(game, state, planes):
        """Six kinds of pieces of who moves, then of the other; what each may castle, king's side first; the square
        that a pawn has passed; plies without a capture or a move of a pawn; how often the position came; who moves."""
        side, seen = 1 - 2 * int(state.turn), times_before(state)
        for square in range(64):
            row, col, kind = square // 8, square % 8, state.pieces[square] * side
            if kind != 0:
                planes[kind - 1 if kind > 0 else 5 - kind, row, col] = 1
            for right in range(4):
                planes[12 + (right ^ 2 * state.turn), row, col] = state.castling >> right & 1
            planes[16, row, col] = square == state.ep
            planes[17, row, col] = state.clock / QUIET
            planes[18, row, col] = seen / 2
            planes[19, row, col] = state.turn

    def board(game):
        return {"shape": "cells", "rows": 8, "cols": 8, "checkered": True, "sides": ["White", "Black"]}

    def cells(game, state):
        return np.where(state.pieces > 0, 1, np.where(state.pieces < 0, 2, 0)).tolist()

    def glyphs(game, state):
        return [GLYPHS[piece < 0][abs(piece) - 1] if piece else "" for piece in state.pieces.tolist()]

    def where(game, state, action):
        start, to, _ = ends(action)
        return [int(start), int(to)]

    def name(game, action):
        start, to, promoted = ends(action)
        return cell_name(8, 8, start) + cell_name(8, 8, to) + (LETTERS[promoted].lower() if promoted else "")

    def diagram(game, state):
        board, length = state.pieces.copy(), int(state.length)
        for action in state.line[:length][::-1].tolist():  # quiet moves all, which are undone by going back
            board[action // 64], board[action % 64] = board[action % 64], 0
        ply = 2 * int(state.fullmove) + int(state.turn) - length
        rows = []
        for row in board.reshape(8, 8).tolist():
            text = "".join(LETTERS[piece] if piece >= 0 else LETTERS[-piece].lower() for piece in row)
            for gap in range(8, 0, -1):
                text = text.replace("." * gap, str(gap))
            rows.append(text)
        castling = "".join(letter for bit, letter in enumerate(RIGHTS) if state.castling >> bit & 1) or "-"
        passed = "-" if state.ep == NONE or length else cell_name(8, 8, int(state.ep))
        fen = f"{'/'.join(rows)} {'wb'[ply % 2]} {castling} {passed} {state.clock - length} {ply // 2}"
        return " ".join([fen, *(["moves"] if length else []), *map(game.name, state.line[:length].tolist())])

    def read(game, diagram):
        fen, _, moves = diagram.partition(" moves ")
        parts = fen.split()
        if len(parts) not in (4, 6):
            raise ValueError(f"a FEN has six parts, as {FIRST}")
        state = rules.blank(game)
        for square, piece in enumerate(read_board(parts[0]).tolist()):
            put(state, square, piece)
        state.kings[:] = [np.flatnonzero(state.pieces == king)[0] for king in (KING, -KING)]
        if parts[1] not in ("w", "b"):
            raise ValueError(f"w or b moves, not {parts[1]}")
        state.turn = parts[1] == "b"
        state.castling = read_castling(parts[2], state.pieces)
        state.ep = read_passed(parts[3], state)
        clock, fullmove = (int(part) if part.isascii() and part.isdigit() else -1 for part in (parts[4:] or ["0", "1"]))
        if not 0 <= clock <= QUIET or not 1 <= fullmove <= 9999:
            raise ValueError(f"a FEN ends with plies without a capture, 0 to {QUIET}, and the number of the move")
        state.clock, state.fullmove = clock, fullmove
        if attacked(state, int(state.kings[1 - state.turn]), 1 - 2 * int(state.turn)):
            raise ValueError("the king of the player who does not move is in check")
        game.settle(state, True)
        for word in moves.split():
            action = next((a for a in rules.legal(game, state) if game.name(a) == word.lower()), None)
            if action is None or state.winner:
                raise ValueError(f"{word} is not legal there")
            game.play(state, action)
        return state


# --- moves -------------------------------------------------------------------------------------------


def ends(action):
    """The squares from which and to which a move goes, and what the pawn becomes, or 0."""
    if action < PROMOTIONS:
        return action // 64, action % 64, 0
    number, kind = (action - PROMOTIONS) // 4, KNIGHT + (action - PROMOTIONS) % 4
    black, number = number // 22, number % 22 + 1  # three ways for each file, but that leave the board
    start, to = (48 if black else 8) + number // 3, (56 if black else 0) + number // 3 + number % 3 - 1
    return start, to, kind


def put(state, square, piece):
    """Let a piece, or 0, be on a square instead of what is there."""
    exchange(state, square, state.pieces[square])
    exchange(state, square, piece)
    state.pieces[square] = piece


def exchange(state, square, piece):
    """Put the square into the sets that a piece on it belongs to, or take it out of them."""
    kind, owner = abs(piece), 0 if piece > 0 else 1
    if kind in (ROOK, QUEEN):
        state.sets[owner, STRAIGHT] ^= BIT[square]
    if kind in (BISHOP, QUEEN):
        state.sets[owner, DIAGONAL] ^= BIT[square]
    if kind == KNIGHT:
        state.sets[owner, JUMPING] ^= BIT[square]


def may_slide(state, square, side):
    """Has this side, 1 for white and -1 for black, a piece that would attack the square on an empty board from afar?"""
    sets, owner = state.sets, 0 if side > 0 else 1
    return SEEN[STRAIGHT, square] & sets[owner, STRAIGHT] | SEEN[DIAGONAL, square] & sets[owner, DIAGONAL] != 0


def attacked(state, square, side):
    """Does a piece of this side attack the square?"""
    board, sets, owner = state.pieces, state.sets, 0 if side > 0 else 1
    for kind in range(2):
        if SEEN[kind, square] & sets[owner, kind] == 0:
            continue
        for way in range(4 * kind, 4 * kind + 4):
            at = square
            for _ in range(REACH[square, way]):
                at = at + STEP[way]
                if board[at] != 0:
                    if board[at] * side in (QUEEN, ROOK - kind):
                        return True
                    break
    if SEEN[JUMPING, square] & sets[owner, JUMPING] != 0:
        for i in range(8):
            if JUMPS[square, i] != NONE and board[JUMPS[square, i]] == KNIGHT * side:
                return True
    king, col, below = int(state.kings[owner]), square % 8, square + 8 * side
    if abs(king // 8 - square // 8) <= 1 and abs(king % 8 - col) <= 1 and king != square:
        return True
    if not 0 <= below < 64:
        return False
    return (col > 0 and board[below - 1] == PAWN * side) or (col < 7 and board[below + 1] == PAWN * side)


def pinned(board, king, square, side):
    """Does the piece on the square stand alone between its king and a piece that would attack it?"""
    way = WAY[king, square]
    if way == NONE:
        return False
    at = king + STEP[way]
    while at != square:
        if board[at] != 0:
            return False
        at += STEP[way]
    for _ in range(REACH[square, way]):
        at += STEP[way]
        if board[at] != 0:
            kind = -board[at] * side
            return kind == QUEEN or kind == (ROOK if way < 4 else BISHOP)
    return False


def safe(state, start, to, side):
    """Does a move leave its king where nothing attacks it?"""
    board, king = state.pieces, int(state.kings[state.turn])
    piece, taken = board[start], board[to]
    beside = to + 8 * side if abs(piece) == PAWN and to == state.ep else start  # a pawn that is taken en passant
    pawn = board[beside]
    board[beside] = board[start] = 0
    board[to] = piece
    found = not attacked(state, to if start == king else king, -side)
    board[to] = taken
    board[beside] = pawn
    board[start] = piece
    return found


def add(state, start, to, side, free):
    """List a move, if it is legal."""
    if free or safe(state, start, to, side):
        state.moves[state.count] = 64 * start + to
        state.count += 1


def pawn_moves(state, start, side, free):
    board, col = state.pieces, start % 8
    ahead = start - 8 * side
    if board[ahead] == 0:
        add_pawn(state, start, ahead, side, free)
        if start // 8 == (6 if side > 0 else 1) and board[ahead - 8 * side] == 0:
            add(state, start, ahead - 8 * side, side, free)
    for way in range(-1, 2, 2):
        to = ahead + way
        if 0 <= col + way < 8 and (board[to] * side < 0 or to == state.ep):
            add_pawn(state, start, to, side, free and to != state.ep)


def add_pawn(state, start, to, side, free):
    """List a pawn's move, or the four by which it becomes something else."""
    if 8 <= to < 56:
        add(state, start, to, side, free)
    elif free or safe(state, start, to, side):
        first = PROMOTIONS + 4 * (22 * int(state.turn) + 3 * (start % 8) + to % 8 - start % 8)
        for kind in range(4):
            state.moves[state.count] = first + kind
            state.count += 1


def castles(state, side):
    """List the ways to castle: over free squares of which the king's are not attacked.  It is not check."""
    board, king = state.pieces, int(state.kings[state.turn])
    rights = state.castling >> 2 * state.turn
    if rights & 1 and board[king + 1] == 0 and board[king + 2] == 0 and not attacked(state, king + 1, -side):
        add(state, king, king + 2, side, False)
    if rights & 2 and board[king - 1] == 0 and board[king - 2] == 0 and board[king - 3] == 0:
        if not attacked(state, king - 1, -side):
            add(state, king, king - 2, side, False)


# --- positions ---------------------------------------------------------------------------------------


def can_pass(state):
    """Is a pawn's move to the square that was passed legal?"""
    for i in range(state.count):
        move = state.moves[i]
        if move < PROMOTIONS and move % 64 == state.ep and abs(state.pieces[move // 64]) == PAWN:
            return True
    return False


def forget(state):
    """What lies before an action that cannot be undone does not come again."""
    for i in range(state.length):
        state.past[i] = state.line[i] = 0
    state.key = state.length = 0


def times_before(state):
    """How often the position came before; equal ones have the same player to move, and are two moves apart at least."""
    count = 0
    for i in range(state.length - 4, -1, -2):
        count += int(state.past[i] == state.key)
    return count


def repeated(state):
    return times_before(state) >= 2


def too_little(board):
    """Is there no mate with what is left?"""
    knights = bishops = colours = 0
    for square in range(64):
        kind = abs(board[square])
        if kind in (PAWN, ROOK, QUEEN):
            return False
        if kind == KNIGHT:
            knights += 1
        elif kind == BISHOP:
            bishops += 1
            colours |= 1 + (square // 8 + square) % 2
    return (knights == 0 and colours != 3) or (knights == 1 and bishops == 0)


def read_board(text):
    """The pieces of the first part of a FEN."""
    rows = []
    for line in text.split("/"):
        for gap in "12345678":
            line = line.replace(gap, "." * int(gap))
        if len(line) != 8 or not set(line.upper()) <= set(LETTERS):
            raise ValueError(f"a row of a FEN has eight squares: PNBRQK white, pnbrqk black, 1 to 8 free; not {line!r}")
        rows.append([LETTERS.index(c.upper()) * (1 if c.isupper() else -1) for c in line])
    found = np.array(rows, np.int8).ravel()
    if len(rows) != 8 or [np.count_nonzero(found == king) for king in (KING, -KING)] != [1, 1]:
        raise ValueError("a FEN has eight rows with one king of each side")
    if (np.abs(found[:8]) == PAWN).any() or (np.abs(found[56:]) == PAWN).any():
        raise ValueError("no pawn stands on the first or the last row")
    return found


def read_castling(text, board):
    """The rights to castle as bits."""
    if text != "-" and (not set(text) <= set(RIGHTS) or len(set(text)) < len(text)):
        raise ValueError(f"the rights to castle are written {RIGHTS} or -, not {text}")
    found = 0
    for bit, (letter, king, rook) in enumerate(zip(RIGHTS, (60, 60, 4, 4), (63, 56, 7, 0), strict=True)):
        side = 1 if letter.isupper() else -1
        if letter in text and (board[king] != KING * side or board[rook] != ROOK * side):
            raise ValueError(f"{letter} needs the king and a rook where they stood first")
        found |= (letter in text) << bit
    return found


def read_passed(text, state):
    """The square that a pawn has just passed."""
    if text == "-":
        return NONE
    side = 1 - 2 * int(state.turn)
    row = 16 if side > 0 else 40
    found = next((row + col for col in range(8) if cell_name(8, 8, row + col) == text.lower()), NONE)
    if found == NONE or state.pieces[found + 8 * side] != -PAWN * side:
        raise ValueError(f"no pawn has just passed {text}")
    if state.pieces[found] or state.pieces[found - 8 * side]:
        raise ValueError(f"no pawn can have passed {text}, which is not free")
    return found


def openspiel_actions(game: Chess, theirs: Any) -> dict[int, tuple[int, ...]]:
    """Our legal actions, and theirs; a pawn that becomes a queen moves as any piece does."""
    placed, mover, _ = str(theirs).split(" ", 2)
    black, found = mover == "b", dict[int, tuple[int, ...]]()
    for action in theirs.legal_actions():
        start, to, promoted = openspiel_ends(action, black)
        if start // 8 == (6 if black else 1) and to // 8 == (7 if black else 0) and not promoted:
            promoted = QUEEN if abs(read_board(placed)[start]) == PAWN else 0
        if promoted:
            first = PROMOTIONS + 4 * (22 * black + 3 * (start % 8) + to % 8 - start % 8)
            found[first + promoted - KNIGHT] = (action,)
        else:
            found[64 * start + to] = (action,)
    return found


@lru_cache(None)
def openspiel_ends(action: int, black: bool) -> tuple[int, int, int]:
    """From where and to where an action goes, and what it says that a pawn becomes: 73 kinds of moves from each square,
    file by file, as whoever moves sees the board; two more castle."""
    if action >= 64 * 73:
        king = 4 if black else 60
        return king, king + (2 if action > 64 * 73 else -2), 0
    square, kind = divmod(action, 73)
    col, rank = divmod(square, 8)
    right, up, promoted = 0, 1, 0
    if kind < 9:
        promoted, right = ROOK - kind // 3, (0, 1, -1)[kind % 3]
    elif kind < 65:
        line, far = divmod(kind - 9, 14)
        far = far - 7 if far < 7 else far - 6
        right, up = ((0, far), (far, 0), (far, far), (far, -far))[line]
    else:
        right, up = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2))[kind - 65]
    rows = (rank, rank + up) if black else (7 - rank, 7 - rank - up)
    return 8 * rows[0] + col, 8 * rows[1] + col + right, promoted
