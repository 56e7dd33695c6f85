"""Alpha-beta: minimax without the branches that cannot matter (Knuth and Moore, 1975).

A position whose value does not lie between alpha and beta need not be known exactly: the search of it ends
as soon as one reply refutes it.  Fail-soft returns the best value seen, a bound beyond the window; fail-hard
returns alpha or beta.

Four things spare it more: threats (a win at once is taken, a single threat is answered without cost of depth, and two
threats are a loss in two plies), hopes (a position in which a side cannot win is worth at most a draw to it), the
transposition table (`table`), and the order of moves (`ordering`).  Each is a function or two below, and a field of the
context switches it on.

All values, and alpha and beta, are player 0's, who wants them high; UNKNOWN stands for what has to be searched.
"""

from __future__ import annotations

from math import isnan

import numpy as np

from ...rules import CHANCE, inner, kernel, recursive
from .hashing import key_of
from .ordering import credit, pick, rate
from .stack import DEEPEST, PROVEN, WIN, advance, averaged, ended, enter
from .table import COMPLETE, EXACT, LOWER, UPPER, bound_of, farther, find, store, suffices

UNKNOWN = np.nan


@recursive
def alphabeta(nature, context, workspace, ply, depth, alpha, beta):
    """The value of the state in stack[ply], or a bound of it if it does not lie between alpha and beta.

    It looks `depth` plies ahead, not counting chance events and forced answers.
    """
    game, stack = context.game, workspace.stack
    frame = stack[ply]
    position, state = frame.position, frame.position.state
    enter(workspace, frame)
    if game.over(state):
        return ended(game, state, ply)
    if ply >= DEEPEST:  # there is no frame to go on
        frame.open = True
        return 0.0
    player = game.player(state)
    if nature is not None:
        if player == CHANCE:
            mean, worst, best = 0.0, np.inf, -np.inf
            for i in range(game.chance(state, frame.moves, frame.points)):
                advance(game, stack, ply, np.int64(frame.moves[i]))
                value = alphabeta(nature, context, workspace, ply + 1, depth, -np.inf, np.inf)
                mean += frame.points[i] * value
                worst, best = min(worst, value), max(best, value)
                frame.open |= stack[ply + 1].open
                if workspace.stop:
                    break
            return averaged(mean, worst, best)

    value = by_threats(context.threats, frame, player, ply)
    if not isnan(value):
        return value
    value = by_hopes(context.hopes, game, state, alpha, beta)
    if not isnan(value):
        return value
    sign = 1 - 2 * player
    forced = position.win_count[1 - player] == 1  # a single threat is answered, without cost of depth
    if workspace.stop or (depth <= 0 and not forced):
        frame.open = True
        return sign * context.scoring.judge(game, state)
    value = by_table(context.table, context.mirrors, game, workspace, frame, player, ply, depth, alpha, beta)
    if not isnan(value):
        return value

    count = np.int64(1)
    if forced:
        frame.moves[0] = position.wins[1 - player, 0]
    else:
        count = game.legal(state, frame.moves)
    rate(context.order, context, workspace, frame, player, count)
    best, low, high = -sign * np.inf, alpha, beta
    for i in range(count):
        action = pick(context.order, frame.moves, frame.points, i, count)
        update_threats(context.threats, game, advance(game, stack, ply, action), action)
        value = alphabeta(nature, context, workspace, ply + 1, depth - 1 + forced, low, high)
        frame.open |= stack[ply + 1].open and abs(value) < PROVEN
        if value > best if player == 0 else value < best:
            best = value
            frame.best = action
        if player == 0:
            low = max(low, best)
        else:
            high = min(high, best)
        if workspace.stop:
            break
        if low >= high:  # refuted: somebody had a better choice before
            credit(context.order, workspace, frame, player, action, depth)
            break
    if abs(best) >= PROVEN:
        frame.open = False
    if not workspace.stop:
        remember(context.table, context.mirrors, workspace, frame, ply, depth, alpha, beta, best)
    return min(max(best, alpha), beta) if workspace.hard else best


@inner
def by_threats(threats, frame, player, ply):
    """A win in one ply, or a loss in two, if there are such threats."""
    if threats is not None:
        position, sign = frame.position, 1 - 2 * player
        if position.win_count[player] > 0:
            frame.best = position.wins[player, 0]
            return sign * (WIN - (ply + 1))
        if position.win_count[1 - player] > 1:
            frame.best = position.wins[1 - player, 0]
            return -sign * (WIN - (ply + 2))
    return UNKNOWN


@inner
def list_threats(threats, game, position):
    """List the winning actions of both players."""
    if threats is not None:
        for owner in range(2):
            position.win_count[owner] = game.wins(position.state, owner, position.wins[owner])


@inner
def update_threats(threats, game, position, action):
    """Bring these lists up to date, after an action."""
    if threats is not None:
        for owner in range(2):
            wins, count = position.wins[owner], position.win_count[owner]
            position.win_count[owner] = game.wins_after(position.state, action, owner, wins, count)


@inner
def by_hopes(hopes, game, state, alpha, beta):
    """A draw, if nobody can win any more; or if one player cannot, and being worth no more is all that was asked."""
    if hopes is not None:
        first, second = game.hope(state, np.int64(0)), game.hope(state, np.int64(1))
        if not (first or second) or (not first and alpha >= 0) or (not second and beta <= 0):
            return 0.0
    return UNKNOWN


@inner
def by_table(table, mirrors, game, workspace, frame, player, ply, depth, alpha, beta):
    """What the table holds, if it was searched deeply enough for this window; its best move is noted in any case."""
    if table is not None:
        images = None if mirrors is None else workspace.images
        frame.key[0], frame.key[1], frame.image = key_of(game, images, frame.position.state, frame.words, player)
        at = find(table, frame.key[0], frame.key[1])
        if at >= 0:
            entry = table[at]
            frame.best = entry.best
            if mirrors is not None:
                frame.best = workspace.images.back[frame.image, entry.best]
            value = farther(entry.value, ply, PROVEN)
            if entry.depth >= depth and suffices(entry.bound, value, alpha, beta):
                frame.open = entry.depth != COMPLETE
                return value
    return UNKNOWN


@inner
def remember(table, mirrors, workspace, frame, ply, depth, alpha, beta, value):
    """Store what a search within this window has found."""
    if table is not None:
        bound, complete = bound_of(value, alpha, beta), not frame.open
        if abs(value) >= PROVEN and WIN - abs(value) - ply > depth:  # seen beyond the depth, by forced answers:
            side = LOWER if value > 0 else UPPER  # it is won, or lost, but perhaps sooner
            complete = bound in (EXACT, side)
            bound = side if complete else bound
        best = np.int64(frame.best)
        if mirrors is not None:
            best = np.int64(workspace.images.actions[frame.image, best])
        store(table, frame.key[0], frame.key[1], value, COMPLETE if complete else depth, best, bound, ply)


@kernel
def run(context, workspaces, action, depth, alpha, beta):
    """The value of the state in stack[0], or of one action there unless `action` is -1.

    Python hands an array over much faster than a record, and a root is made ready much faster here than there.

    context: a `Context`; workspaces workspace_type[1]; depth: plies; alpha, beta: the window, for player 0.
    """
    game, stack = context.game, workspaces[0].stack
    list_threats(context.threats, game, stack[0].position)
    ply = np.int64(0)
    if action >= 0:
        list_threats(context.threats, game, advance(game, stack, ply, action))
        ply += 1
    return alphabeta(context.nature, context, workspaces[0], ply, depth, alpha, beta)
