"""The fast policy of roll-outs: a linear softmax over what lies around the cell of an action (Silver and others, 2016).

    pi(a|s) = exp(w . f(s, a)) / sum over the legal b of exp(w . f(s, b))

f is 0 but for some ones, so a logit is the sum of a few weights, which stand in one vector:

    which action it is                                              [actions]
    it wins at once; it takes a win at once from the opponent       [2], where the game lists its wins
    what lies on each of the 5 x 5 cells around it                  [25, codes]
    where in these the last action was                              [25]
    all of what lies on the 8 cells next to it, as one pattern      [patterns]

The *code* of a cell is 0 if nothing lies there, else the number of the first plane that tells of it, counted from 1,
as the player to move sees them; cells beyond the edge have the highest code.  An action has a *site*, the cell that it
concerns; one that has none, a pass say, has the first features alone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...rules import LONGEST, inner, kernel, record
from ...spec import InputError
from ..rng import drawn

REACH = 2  # cells on every side of a site that are looked at
WINDOW = (2 * REACH + 1) ** 2
NEXT = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # rows and columns of a pattern
PATTERNS = 65_537  # numbers of patterns are taken modulo this prime: with 4 codes there are fewer
ACTIVE = 2 + 2 + WINDOW  # features of an action that are 1, at most
NONE = -1  # in the place of an action or of a cell: there is none
WORKSPACE = [("rng", np.uint64)]


class LocalPatterns(NamedTuple):
    """A fast policy with the room that one thread needs to run it.

    Cells are numbered row by row on a board with a margin of REACH cells around it.
    """

    weights: np.ndarray  # float32[features]
    sites: np.ndarray  # int32[actions, most]: cells of an action, in the order in which they fill; then NONE
    local: np.ndarray  # bool[planes]: those that tell of cells, not of the whole board
    planes: np.ndarray  # float32[planes, rows, columns]
    codes: np.ndarray  # int32[cells]: what lies there
    moves: np.ndarray  # int32[actions]: the legal ones
    room: np.ndarray  # int32[actions], to list winning ones
    urgent: np.ndarray  # int8[actions]: 1 if it wins, 2 if it takes a win, else 0
    logits: np.ndarray  # float64[actions], in the order of `moves`; then probabilities
    active: np.ndarray  # int64[ACTIVE]: the features of an action that are 1


def features(actions: int, codes: int) -> int:
    """How many there are."""
    return actions + 2 + WINDOW * codes + WINDOW + min(codes ** len(NEXT), PATTERNS)


@inner
def look(game, state, policy):
    """See a position: the codes of its cells, the legal actions, and which of them are urgent; how many are legal."""
    planes, codes = policy.planes, policy.codes
    depth, rows, columns = planes.shape
    for plane in range(depth):
        for row in range(rows):
            for column in range(columns):
                planes[plane, row, column] = 0
    game.encode(state, planes)
    stride = columns + 2 * REACH
    for row in range(rows):
        for column in range(columns):
            code = number = 0
            for plane in range(depth):
                if policy.local[plane]:
                    number += 1
                    if code == 0 and planes[plane, row, column] != 0:
                        code = number
            codes[(row + REACH) * stride + column + REACH] = code
    count = np.int64(game.legal(state, policy.moves))
    player = game.player(state)
    for i in range(count):
        policy.urgent[policy.moves[i]] = 0
    for i in range(game.wins(state, 1 - player, policy.room)):
        policy.urgent[policy.room[i]] = 2
    for i in range(game.wins(state, player, policy.room)):
        policy.urgent[policy.room[i]] = 1
    return count


@inner
def site(policy, action):
    """The cell of an action: the first of its cells on which nothing lies, else the last; NONE if it has none."""
    found = np.int64(NONE)
    for k in range(policy.sites.shape[1]):
        cell = np.int64(policy.sites[action, k])
        if cell == NONE:
            break
        found = cell
        if policy.codes[cell] == 0:
            break
    return found


@inner
def last_site(policy, action):
    """The cell of the action that was played last: the last of its cells before one on which nothing lies."""
    found = np.int64(NONE)
    if action != NONE:
        for k in range(policy.sites.shape[1]):
            cell = np.int64(policy.sites[action, k])
            if cell == NONE or (k > 0 and policy.codes[cell] == 0):
                break
            found = cell
    return found


@inner
def list_features(policy, action, last):
    """List in `active` the features of a legal action that are 1; how many.  last: the cell of the last action."""
    active, stride = policy.active, policy.planes.shape[2] + 2 * REACH
    kinds = np.int64(policy.codes[0]) + 1  # a corner lies beyond the edge, which is the highest code
    begin = np.int64(policy.sites.shape[0])
    active[0] = action
    count = 1
    if policy.urgent[action] != 0:
        active[count] = begin + policy.urgent[action] - 1
        count += 1
    begin += 2
    here = site(policy, action)
    if here == NONE:
        return count
    place = 0
    for row in range(-REACH, REACH + 1):
        for column in range(-REACH, REACH + 1):
            cell = here + row * stride + column
            active[count] = begin + place * kinds + policy.codes[cell]
            count += 1
            if cell == last:
                active[count] = begin + WINDOW * kinds + place
                count += 1
            place += 1
    pattern = np.int64(0)
    for row, column in NEXT:
        pattern = pattern * kinds + policy.codes[here + row * stride + column]
    active[count] = begin + WINDOW * kinds + WINDOW + pattern % PATTERNS
    return count + 1


@inner
def rate(game, state, last, policy):
    """Write the probabilities of the legal actions, which `moves` lists, into `logits`; how many those are.

    last: the action that was played before, or NONE.
    """
    count = look(game, state, policy)
    cell, highest, total = last_site(policy, last), -np.inf, 0.0
    for i in range(count):
        logit = 0.0
        for k in range(list_features(policy, np.int64(policy.moves[i]), cell)):
            logit += np.float64(policy.weights[policy.active[k]])
        policy.logits[i] = logit
        highest = max(highest, logit)
    for i in range(count):
        policy.logits[i] = math.exp(policy.logits[i] - highest)
        total += policy.logits[i]
    for i in range(count):
        policy.logits[i] /= total
    return count


@inner
def draw(game, state, last, policy, workspace):
    """An action, drawn by its probability."""
    return drawn(workspace, policy.moves, policy.logits, rate(game, state, last, policy))


@inner
def play_out(game, state, last, policy, workspace):
    """Play a game without chance events to its end, in `state`; its result for player 0, 0 if it does not end."""
    plies = 0
    while not game.over(state) and plies < LONGEST:
        last = draw(game, state, last, policy, workspace)
        game.play(state, last)
        plies += 1
    return np.float64(game.score(state)) if game.over(state) else 0.0


@kernel
def rate_each(game, states, lasts, policy, chances):
    """The probabilities of all actions in states[i], into chances float64[n, actions], which are 0.

    lasts int32[n]: the action played before, or NONE.

    states [n]; policy: a `LocalPatterns`.
    """
    for i in range(states.size):
        for j in range(rate(game, states[i], np.int64(lasts[i]), policy)):
            chances[i, policy.moves[j]] = policy.logits[j]


@kernel
def roll_each(game, states, lasts, policy, number, spare, workspaces, means):
    """The mean result for player 0 of so many roll-outs of states[i], into means float64[n].

    spare [1]: room for a state; workspaces [1] of WORKSPACE.

    states [n]; lasts int32[n]: the action played before, or NONE; policy: a `LocalPatterns`; number: of roll-outs.
    """
    for i in range(states.size):
        total = 0.0
        for _ in range(number):
            spare[0] = states[i]
            total += play_out(game, spare[0], np.int64(lasts[i]), policy, workspaces[0])
        means[i] = total / number


@kernel
def learn(game, states, actions, lasts, order, policy, squares, step):
    """A step of gradient descent on -log pi(actions[i] | states[i]) for every i of `order`, one after the other; the
    sum of these losses, and how often the likeliest action was the one.

    Every weight has a step of its own, step / sqrt(sum of the squares of its gradients so far) (Adagrad: Duchi, Hazan
    and Singer, 2011); squares float32[features] has these sums.  With a step of 0 nothing is learnt.

    states [n], actions int64[n], lasts int32[n]: the action played before, or NONE; order int64[any]; policy: a
    `LocalPatterns`.
    """
    loss, hits = 0.0, 0
    for n in range(order.size):
        i = np.int64(order[n])
        count = rate(game, states[i], np.int64(lasts[i]), policy)
        cell, best = last_site(policy, np.int64(lasts[i])), 0
        for j in range(count):
            if policy.logits[j] > policy.logits[best]:
                best = j
            if policy.moves[j] == actions[i]:
                loss -= math.log(max(policy.logits[j], 1e-300))
        hits += policy.moves[best] == actions[i]
        if step > 0:
            for j in range(count):
                gradient = policy.logits[j] - (policy.moves[j] == actions[i])
                for k in range(list_features(policy, np.int64(policy.moves[j]), cell)):
                    f = policy.active[k]
                    squares[f] += gradient * gradient
                    policy.weights[f] -= step * gradient / math.sqrt(np.float64(squares[f]) + 1e-8)
    return loss, hits


def workspace(seed: np.uint64) -> np.ndarray:
    """Random numbers of a generator in this state, for `roll_each`."""
    made = np.zeros(1, record(WORKSPACE))
    made["rng"] = seed
    return made


def with_room(game: Any, weights: np.ndarray, sites: np.ndarray, local: np.ndarray) -> LocalPatterns:
    """The policy of these weights, which it shares; sites int32[actions, most] are cells of the board itself."""
    planes, rows, columns = game.planes()
    actions, outside = game.actions(), 1 + int(local.sum())
    if len(weights) != features(actions, outside + 1):
        raise InputError(f"a fast policy of this game has {features(actions, outside + 1)} weights, not {len(weights)}")
    codes = np.full((rows + 2 * REACH, columns + 2 * REACH), outside, np.int32)
    within = (sites // columns + REACH) * codes.shape[1] + sites % columns + REACH
    spots = np.where(sites == NONE, NONE, within).astype(np.int32)
    board, moves, room = np.zeros((planes, rows, columns), np.float32), *np.zeros((2, actions), np.int32)
    urgent, logits, active = np.zeros(actions, np.int8), np.zeros(actions), np.zeros(ACTIVE, np.int64)
    return LocalPatterns(weights, spots, local, board, codes.ravel(), moves, room, urgent, logits, active)


def untaught(game: Any, sites: np.ndarray, local: np.ndarray) -> LocalPatterns:
    """A policy that has learnt nothing: all legal actions are alike."""
    weights = np.zeros(features(game.actions(), int(local.sum()) + 2), np.float32)
    return with_room(game, weights, sites, local)
