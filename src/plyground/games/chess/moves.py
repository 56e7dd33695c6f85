"""Moves of chess: their numbers, what attacks a square, and which moves are legal."""

from .squares import BISHOP, DIAGONAL, JUMPING, JUMPS, KNIGHT, NONE, PAWN, QUEEN, REACH, ROOK, SEEN, STEP, STRAIGHT, WAY

PROMOTIONS = 64 * 64  # the first action that promotes
MOVES = PROMOTIONS + 2 * 22 * 4  # by side and by file and way of the pawn, to a knight, bishop, rook or queen


def ends(action):
    """The squares from which and to which a move goes, and what the pawn becomes, or 0."""
    if action < PROMOTIONS:
        return action // 64, action % 64, 0
    number, kind = (action - PROMOTIONS) // 4, KNIGHT + (action - PROMOTIONS) % 4
    black, number = number // 22, number % 22 + 1  # three ways for each file, but that leave the board
    start, to = (48 if black else 8) + number // 3, (56 if black else 0) + number // 3 + number % 3 - 1
    return start, to, kind


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
