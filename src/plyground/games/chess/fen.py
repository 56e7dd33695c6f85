"""FEN, the usual way to write a position of chess, with the moves since the last one that cannot be undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import rules
from ...boards import cell_name
from .moves import attacked
from .squares import KING, LETTERS, NONE, PAWN, QUIET, ROOK, put

FIRST = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
RIGHTS = "KQkq"  # to castle, each a bit


def written(game: Any, state: Any) -> str:
    """A position as FEN, from where moves can still be undone, and these."""
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


def read(game: Any, text: str) -> Any:
    """The state of such a text; ValueError if it makes no sense."""
    fen, _, moves = text.partition(" moves ")
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


def read_board(text: str) -> np.ndarray:
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


def read_castling(text: str, board: np.ndarray) -> int:
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


def read_passed(text: str, state: Any) -> int:
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
