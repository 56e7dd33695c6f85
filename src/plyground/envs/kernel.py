"""Many games at once, stepped by compiled code: what vector environments are made of.

Every environment has a state, random numbers of its own and a row in every array of `Batch`; a step writes into all of
them in place.  Environments know nothing of one another, so any range of them can be stepped by any thread.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..rules import CHANCE, dtype, inner, kernel, record
from ..search.rng import below, outcome

LEAVE = -(2**62)  # in the place of an action: nothing is played here
ILLEGAL = -1.0  # the reward of an action that is not legal; it ends the game
DRAWN = 2  # in the place of a seat: drawn for every game


class Batch(NamedTuple):
    """The arrays of n environments."""

    envs: np.ndarray  # records of `environment_type` [n]
    observations: np.ndarray  # [n, planes, height, width]; [n, numbers] where the rules do not encode
    masks: np.ndarray  # int8[n, actions], 1 where an action is legal
    final_observations: np.ndarray  # like `observations`: the last position of the game that ended last


class Setting(NamedTuple):
    """What all environments of a batch have in common; True or None, so that the compiler knows."""

    chance: bool | None  # do they have chance events?
    alone: bool | None  # is it a game of one player?
    opponent: bool | None  # is there one?
    asked: bool | None = None  # is it asked, rather than drawing its actions here?
    blocks: bool | None = None  # one that draws: does it win at once, or else block a win, where it can?
    lists: bool | None = None  # does the game list its `wins`?


def environment_type(game: Any) -> np.dtype:
    """What is known of one environment."""
    return record(
        [
            ("state", dtype(game)),
            ("final", dtype(game)),  # the last state of the game that ended last
            ("rng", np.uint64),
            ("points", np.float64),  # of a game of one player so far
            ("reward", np.float32),  # for whoever played the learner's last action
            ("steps", np.int32),  # actions of the learner in this game
            ("choices", np.int32),  # how many actions are legal now
            ("player", np.int8),  # to move
            ("seat", np.int8),  # the learner's, if it has an opponent
            ("terminated", np.bool_),  # a game, by the learner's last action or by what followed it
            ("truncated", np.bool_),  # a game that has taken too many steps
            ("waits", np.bool_),  # for the action of an opponent that is asked
        ]
    )


def workspace_type(game: Any) -> np.dtype:
    """Room for one thread: the random numbers of the environment at hand, lists of actions, states ahead; and the
    `middles` actions in the `middle` of the board, which an opponent takes before others if it has nothing to block."""
    lists = [(name, np.int32, (game.actions(),)) for name in ("moves", "chosen", "replies", "middle")]
    rest = [("then", dtype(game)), ("later", dtype(game)), ("middles", np.int32)]
    return record([("rng", np.uint64), ("weights", np.float64, (game.actions(),)), *lists, *rest])


def new_batch(game: Any, number: int, shape: tuple[int, ...], kind: Any) -> Batch:
    """So many environments, whose observations have this shape and type."""
    first, final = (np.zeros((number, *shape), kind) for _ in range(2))
    return Batch(np.zeros(number, environment_type(game)), first, np.zeros((number, game.actions()), np.int8), final)


def part(batch: Batch, rows: slice) -> Batch:
    """Some of the environments of a batch, in the same arrays."""
    return Batch(*(array[rows] for array in batch))


@kernel
def begin_all(game, batch, chosen, limit, encode, setting, blank, wanted, workspaces):
    """Begin a game in the environments that are chosen (bool[n]); the other arguments are those of `step_all`."""
    workspace = workspaces[0]
    for i in range(batch.envs.size):
        if chosen[i]:
            env = batch.envs[i]
            env.terminated, env.truncated, env.reward = False, False, 0.0
            workspace.rng = env.rng
            begin(game, batch.envs, i, setting, blank, wanted, workspaces)
            env.rng = workspace.rng
    observe(game, batch, encode, setting, workspace)


@kernel
def step_all(game, batch, actions, limit, encode, setting, blank, wanted, workspaces):
    """Play actions[i], for the learner or for the opponent that is asked, in every environment.

    actions int64[n], LEAVE where nothing is played; limit: steps after which a game is truncated; encode: True, or None
    if the rules do not encode states; blank: one zeroed state; wanted: the learner's seat, DRAWN if it is drawn for
    every game; workspaces: one record of `workspace_type`.
    Afterwards `batch` tells what the step brought; where a game has ended the next one has begun.
    """
    workspace = workspaces[0]
    for i in range(batch.envs.size):
        action = np.int64(actions[i])
        if action != LEAVE:
            env = batch.envs[i]
            workspace.rng = env.rng
            if env.waits and env.steps == 0:  # for the opponent's first move; what the last game brought still stands
                game.play(env.state, action)
                go_on(game, batch.envs, i, setting, workspaces)
                if game.over(env.state):
                    begin_first(game, batch.envs, i, setting, blank, workspace)
            else:
                play(game, batch.envs, i, action, batch.masks[i], limit, setting, workspaces)
                if env.terminated or env.truncated:
                    close(game, batch, i, encode)
                    begin(game, batch.envs, i, setting, blank, wanted, workspaces)
            env.rng = workspace.rng
    observe(game, batch, encode, setting, workspace)


@inner
def play(game, envs, i, action, mask, limit, setting, workspaces):
    """Play one action, and what nature and the opponent play after it; mask int8[actions] says what is legal."""
    env = envs[i]
    if not env.waits:  # the learner chose
        env.terminated, env.truncated, env.reward = False, False, 0.0
        env.steps += 1
        if not (0 <= action < mask.size and mask[action]):
            env.reward, env.terminated = ILLEGAL, True
            return
    game.play(env.state, action)
    go_on(game, envs, i, setting, workspaces)
    if setting.asked is not None:
        if env.waits:
            return
    over = game.over(env.state)
    if setting.alone is not None:
        points = game.score(env.state)
        env.reward = points - env.points
        env.points = points
    elif over:
        mover = env.player
        if setting.opponent is not None:
            mover = env.seat
        env.reward = game.score(env.state) * (1 - 2 * mover)
    env.terminated = over
    env.truncated = env.steps >= limit and not over


@inner
def go_on(game, envs, i, setting, workspaces):
    """Let nature and the opponent move until the learner is to move, or one that is asked, or the game is over."""
    env, workspace = envs[i], workspaces[0]
    if setting.chance is not None or setting.opponent is not None:
        env.waits = False
        while not game.over(env.state):
            player = game.player(env.state)
            if setting.chance is not None:
                if player == CHANCE:
                    game.play(env.state, outcome(game, env.state, workspace))
                    continue
            if setting.opponent is None or player == env.seat:
                break
            if setting.asked is not None:
                env.waits = True
                break
            count = choices(game, envs["state"][i : i + 1], player, setting, workspaces)
            game.play(env.state, np.int64(workspace.moves[below(workspace, count)]))


@inner
def choices(game, states, player, setting, workspaces):
    """List in `moves` of the workspace the actions between which the opponent does not care in states[0]; how many."""
    workspace, state = workspaces[0], states[0]
    count = 0
    if setting.blocks is not None:
        if setting.lists is not None:
            count = game.wins(state, player, workspace.moves)
            if count == 0:
                count = game.wins(state, 1 - player, workspace.moves)
        else:
            count = win_or_block(game, states, player, workspaces)
    if count == 0:
        count = game.legal(state, workspace.moves)
        found = 0
        for k in range(workspace.middles):
            for j in range(count):
                if workspace.moves[j] == workspace.middle[k]:
                    workspace.chosen[found] = workspace.middle[k]
                    found += 1
        if found > 0:
            count = found
            workspace.moves[:count] = workspace.chosen[:count]
    return count


@inner
def win_or_block(game, states, player, workspaces):
    """The same as `agents.simple.win_or_block` in a game that does not list its wins: those actions in `moves` of the
    workspace that win at once; else those after which the other cannot win at once, if some let it; how many."""
    workspace = workspaces[0]
    number, found = game.legal(states[0], workspace.moves), 0
    for j in range(number):
        workspaces["then"][0] = states[0]
        game.play(workspace.then, np.int64(workspace.moves[j]))
        if game.over(workspace.then) and game.score(workspace.then) == 1 - 2 * player:
            workspace.chosen[found] = workspace.moves[j]
            found += 1
    if found == 0:
        for j in range(number):
            workspaces["then"][0] = states[0]
            game.play(workspace.then, np.int64(workspace.moves[j]))
            if not loses(game, player, workspaces):
                workspace.chosen[found] = workspace.moves[j]
                found += 1
        if found == number:
            found = 0
    workspace.moves[:found] = workspace.chosen[:found]
    return found


@inner
def loses(game, player, workspaces):
    """Can the other player win at once in the state `then` of the workspace?"""
    workspace = workspaces[0]
    if game.over(workspace.then) or game.player(workspace.then) != 1 - player:
        return False
    for j in range(game.legal(workspace.then, workspace.replies)):
        workspaces["later"][0] = workspaces["then"][0]
        game.play(workspace.later, np.int64(workspace.replies[j]))
        if game.over(workspace.later) and game.score(workspace.later) == 2 * player - 1:
            return True
    return False


@inner
def begin(game, envs, i, setting, blank, wanted, workspaces):
    """Begin a game and let it go on to the learner's first move."""
    set_up(game, envs, i, blank)
    env, workspace = envs[i], workspaces[0]
    if setting.opponent is not None:
        env.seat = below(workspace, 2) if wanted == DRAWN else wanted
    go_on(game, envs, i, setting, workspaces)
    if setting.opponent is not None:
        if game.over(env.state):
            begin_first(game, envs, i, setting, blank, workspace)
    if setting.alone is not None:
        env.points = game.score(env.state)


@inner
def begin_first(game, envs, i, setting, blank, workspace):
    """A game ended before the learner's first move, and does not count: begin one in which the learner moves first."""
    set_up(game, envs, i, blank)
    env = envs[i]
    if setting.chance is not None:
        while game.player(env.state) == CHANCE:
            game.play(env.state, outcome(game, env.state, workspace))
    env.seat = game.player(env.state)


@inner
def set_up(game, envs, i, blank):
    """Set up the first position."""
    envs["state"][i] = blank[0]
    game.start(envs[i].state)
    envs[i].steps = 0


@inner
def close(game, batch, i, encode):
    """Keep the last position of a game that has ended."""
    batch.envs["final"][i] = batch.envs["state"][i]
    if encode is not None:
        planes = batch.final_observations[i]
        planes[:] = 0
        game.encode(batch.envs[i].state, planes)


@inner
def observe(game, batch, encode, setting, workspace):
    """Write what learners see, who they are, and what they may play, wherever they are to move."""
    clear(batch.masks)
    if encode is not None:
        clear(batch.observations)
    for i in range(batch.envs.size):
        env = batch.envs[i]
        if setting.asked is not None:
            if env.waits:
                continue
        env.player = game.player(env.state)
        if encode is not None:
            game.encode(env.state, batch.observations[i])
        mask = batch.masks[i]
        env.choices = game.legal(env.state, workspace.moves)
        for j in range(env.choices):
            mask[workspace.moves[j]] = 1


@inner
def clear(array):
    """Set all numbers of an array to zero, as one row of them."""
    flat = array.reshape(-1)
    for j in range(flat.size):
        flat[j] = 0


@kernel
def draw_all(envs, masks, actions):
    """Write into actions int64[n] a legal action for every environment, each as likely as any other."""
    for i in range(envs.size):
        left = below(envs[i], envs[i].choices) + 1
        action = -1
        while left > 0:
            action += 1
            left -= masks[i, action]
        actions[i] = action
