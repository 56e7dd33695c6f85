"""Alpha-beta: minimax without the branches that cannot matter (Knuth and Moore, 1975).

A position whose value does not lie between alpha and beta need not be known exactly: the search of it ends
as soon as one reply refutes it.  Fail-soft returns the best value seen, a bound beyond the window; fail-hard
returns alpha or beta.  The better the order of the moves, the more is cut off: the move from the
transposition table first, then by what the scoring says that a move promises, then killers (moves that
refuted a sibling), then history (moves that refuted anything, the more the deeper).  Where patterns promise
something they go first: with killers before them, the proof that 5,5,4 is no win took 28 million nodes, not 0.7.

Six arguments are each True or None, and None takes their code away before it is compiled: `chance`, does
the game have chance events; `threats`, does it list its `wins` (then a win at once is taken, a single threat
is answered, and two threats are a loss in two plies); `hopes`, is the rule `hope` asked who may still win;
`memory`, is there a table; `mirrors`, are mirror images one position; `order`, are moves ordered.
"""

from __future__ import annotations

import numpy as np

from ...rules import CHANCE, kernel, recursive
from .hashing import take_key
from .stack import CERTAIN, DEEPEST, PROVEN, averaged, ended
from .table import COMPLETE, EXACT, LOWER, UPPER, find, keep

FROM_TABLE, KILLER, PROMISE = 1e18, 1e9, 1e10  # points of a move in the ordering; history stays below


@recursive
def alphabeta(
    game, scoring, work, frames, words, table, ply, depth, alpha, beta, chance, threats, hopes, memory, mirrors, order
):
    """The value for player 0 of the state in frames[ply], or a bound of it if not between alpha and beta."""
    frame = frames[ply]
    position = frame.position
    state = position.state
    work.nodes += 1
    if work.nodes >= work.limit:
        work.stop = True
    frame.open = False
    frame.best = -1
    if game.over(state):
        return ended(game, state, ply)
    if ply >= DEEPEST:  # there is no frame to go on
        frame.open = True
        return 0.0
    player = game.player(state)
    if chance is not None:
        if player == CHANCE:
            mean, worst, best = 0.0, np.inf, -np.inf
            count = game.chance(state, frame.moves, frame.points)
            for i in range(count):
                frames["position"][ply + 1] = frames["position"][ply]
                game.play(frames[ply + 1].position.state, np.int64(frame.moves[i]))
                value = alphabeta(
                    game, scoring, work, frames, words, table, ply + 1, depth, -np.inf, np.inf,
                    chance, threats, hopes, memory, mirrors, order,
                )  # fmt: skip
                mean += frame.points[i] * value
                worst, best = min(worst, value), max(best, value)
                frame.open |= frames[ply + 1].open
                if work.stop:
                    break
            return averaged(mean, worst, best)
    sign = 1 - 2 * player
    low, high = (alpha, beta) if player == 0 else (-beta, -alpha)  # the window, seen by the player to move
    if threats is not None:
        if position.win_count[player] > 0:
            frame.best = position.wins[player, 0]
            return sign * (CERTAIN - (ply + 1))
        if position.win_count[1 - player] > 1:
            frame.best = position.wins[1 - player, 0]
            return -sign * (CERTAIN - (ply + 2))
    if hopes is not None:
        mine, theirs = game.hope(state, player), game.hope(state, 1 - player)
        if not (mine or theirs) or (not mine and low >= 0) or (not theirs and high <= 0):
            return 0.0
    forced = False
    if threats is not None:
        forced = position.win_count[1 - player] == 1  # an answer that is forced costs no depth
    if work.stop or (depth <= 0 and not forced):
        frame.open = True
        return sign * scoring.judge(game, state)

    hint = -1
    key, check, image = np.uint64(0), np.uint64(0), np.int64(0)
    if memory is not None:
        take_key(game, work, state, words[ply], player, mirrors)
        key, check, image = work.key[0], work.key[1], work.image
        at = find(table, key, check)
        if at >= 0:
            entry = table[at]
            hint = np.int64(entry.best)
            if mirrors is not None:
                hint = np.int64(work.back[image, hint])
            value = entry.value
            if value >= PROVEN:
                value -= ply
            elif value <= -PROVEN:
                value += ply
            bound = entry.bound
            within = bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
            if within and entry.depth >= depth:
                frame.open = entry.depth != COMPLETE
                frame.best = hint
                return value

    if forced:
        count = 1
        frame.moves[0] = position.wins[1 - player, 0]
    else:
        count = game.legal(state, frame.moves)
    if order is not None:
        for i in range(count):
            action = np.int64(frame.moves[i])
            points = work.history[player, action] + PROMISE * scoring.promise(game, state, action)
            if action == hint:
                points = FROM_TABLE
            elif action == frame.killers[0] or action == frame.killers[1]:
                points += KILLER
            frame.points[i] = points
    best = -np.inf
    reached = low
    for i in range(count):
        if order is not None:
            top = i
            for j in range(i + 1, count):
                if frame.points[j] > frame.points[top]:
                    top = j
            frame.moves[i], frame.moves[top] = frame.moves[top], frame.moves[i]
            frame.points[i], frame.points[top] = frame.points[top], frame.points[i]
        action = np.int64(frame.moves[i])
        frames["position"][ply + 1] = frames["position"][ply]
        following = frames[ply + 1].position
        game.play(following.state, action)
        if threats is not None:
            for owner in range(2):
                wins = following.wins[owner]
                following.win_count[owner] = game.wins_after(
                    following.state, action, owner, wins, following.win_count[owner]
                )
        near, far = (reached, high) if player == 0 else (-high, -reached)
        value = sign * alphabeta(
            game, scoring, work, frames, words, table, ply + 1, depth - 1 + forced, near, far,
            chance, threats, hopes, memory, mirrors, order,
        )  # fmt: skip
        frame.open |= frames[ply + 1].open and abs(value) < PROVEN
        if value > best:
            best = value
            frame.best = action
        if best > reached:
            reached = best
        if work.stop:
            break
        if reached >= high:
            if order is not None:
                if frame.killers[0] != action:
                    frame.killers[1] = frame.killers[0]
                    frame.killers[0] = action
                work.history[player, action] += depth * depth
            break
    if abs(best) >= PROVEN:
        frame.open = False
    if memory is not None:
        if not work.stop:
            bound = EXACT if low < best < high else LOWER if best >= high else UPPER
            complete = not frame.open
            if abs(best) >= PROVEN and CERTAIN - abs(best) - ply > depth:  # seen beyond the depth, by forced answers:
                side = LOWER if best > 0 else UPPER  # it is won, or lost, but perhaps sooner
                complete = bound in (EXACT, side)
                bound = side if complete else bound
            if player == 1:
                bound = 4 - bound
            kept = np.int64(frame.best)
            if mirrors is not None:
                kept = np.int64(work.actions[image, kept])
            keep(table, key, check, sign * best, COMPLETE if complete else depth, kept, bound, ply)
    if work.hard:
        best = min(max(best, low), high)
    return sign * best


@kernel
def run(
    game, scoring, works, frames, words, table, action, depth, alpha, beta,
    chance, threats, hopes, memory, mirrors, order,
):  # fmt: skip
    """The value of the state in frames[0], or of one action there unless `action` is -1.

    Python hands an array over much faster than a record, and a root is made ready much faster here than there.
    """
    root = frames[0].position
    if threats is not None:
        for owner in range(2):
            root.win_count[owner] = game.wins(root.state, owner, root.wins[owner])
    ply = 0
    if action >= 0:
        ply = 1
        frames["position"][1] = frames["position"][0]
        following = frames[1].position
        game.play(following.state, action)
        if threats is not None:
            for owner in range(2):
                following.win_count[owner] = game.wins(following.state, owner, following.wins[owner])
    return alphabeta(
        game, scoring, works[0], frames, words, table, ply, depth, alpha, beta,
        chance, threats, hopes, memory, mirrors, order,
    )  # fmt: skip
