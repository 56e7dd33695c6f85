"""Many games at once, stepped by compiled code: what vector environments are made of.

Every environment has a state, random numbers of its own and a row in every array of `Batch`; a step writes into all of
them in place.  Environments know nothing of one another, so any range of them can be stepped by any thread.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..rules import CHANCE, dtype, inner, kernel, record, recursive, with_attributes
from ..search.rng import below, outcome

LEAVE = -(2**62)  # in the place of an action: nothing is played here
ILLEGAL = -1.0  # the reward of an action that is not legal; it ends the game
FEW = 8  # actions
SMALL = 400  # bytes of an observation: all together stay where a core finds them again at once
BLOCK, LARGE = 16, 1000  # environments that are stepped and then seen together, if each has more than so many bytes
ROWS = ("observations", "masks", "final_observations", "final_masks")  # in a `Batch`
DRAWN = 2  # in the place of a seat: drawn for every game


class Batch(NamedTuple):
    """The arrays of n environments."""

    envs: np.ndarray  # records of `environment_type` [n]
    observations: np.ndarray  # records [n] of a `row`: [planes, height, width]; [numbers] where the rules do not encode
    masks: np.ndarray  # records [n] of a `row`: int8[actions], 1 where an action is legal
    rewards: np.ndarray  # float32[n], for whoever played the learner's last action
    terminated: np.ndarray  # bool[n]: a game, by the learner's last action or by what followed it
    truncated: np.ndarray  # bool[n]: a game that has taken too many steps
    ended: np.ndarray  # bool[n]: one of the two
    players: np.ndarray  # int8[n], to move
    waits: np.ndarray  # bool[n]: for the action of an opponent that is asked
    fits: np.ndarray  # bool[n]: is the action legal that is about to be played?
    final_observations: np.ndarray  # like `observations`: the last position of the game that ended last
    finals: np.ndarray  # its state, where the rules do not encode; else no rows
    final_masks: np.ndarray  # like `masks`: what may be played in its last position, if it is not over there
    final_players: np.ndarray  # like `players`: who is to move there


class Setting(NamedTuple):
    """What all environments of a batch have in common; True or None, so that the compiler knows."""

    nature: bool | None  # are there chance events?  In compiled code `chance` would be the rule of that name
    alone: bool | None  # is it a game of one player?
    opponent: bool | None  # is there one?
    asked: bool | None = None  # is it asked, rather than drawing its actions here?
    blocks: bool | None = None  # one that draws: does it win at once, or else block a win, where it can?
    lists: bool | None = None  # does the game list its `wins`?
    shrinks: bool | None = None  # are the legal actions those of before that are `still` legal?


BESIDES = [  # what is known of an environment besides the state of its game
    ("rng", np.uint64),
    ("points", np.float64),  # of a game of one player so far
    ("steps", np.int32),  # actions of the learner in this game
    ("choices", np.int32),  # how many actions are legal now
    ("seat", np.int8),  # the learner's, if it has an opponent
]


def environment_type(game: Any) -> np.dtype:
    """What is known of one environment."""
    return record([("state", dtype(game)), *BESIDES])


class Scratch(NamedTuple):
    """Room for one thread."""

    workspaces: np.ndarray  # [1] of `workspace_type`
    ahead: np.ndarray  # two states, for an opponent that looks ahead


def workspace_type(game: Any, setting: Setting, whole: bool = True, listed: Any = np.int32) -> np.dtype:
    """What one thread works with: the random numbers of the environment at hand; the weights of chance; lists of
    actions, which are numbers of the type `listed`; the `middles` actions in the `middle` of the board, which an
    opponent takes before others if it has nothing to block.

    What its setting does not need is one number long; so is the list for `observe` if it is not `whole`.
    """
    all_of_them, opponent = game.actions(), bool(setting.opponent)
    needed = {
        "moves": whole or setting.nature or opponent,
        "chosen": opponent,
        "middle": opponent,
        "replies": setting.blocks and not setting.lists,
    }
    lists = [(name, listed, (all_of_them if need else 1,)) for name, need in needed.items()]
    weights = ("weights", np.float64, (all_of_them if setting.nature else 1,))
    return record([("rng", np.uint64), weights, *lists, ("middles", np.int32)])


def row_type(kind: Any, shape: tuple[int, ...]) -> np.dtype:
    """A record that is one `row`, an array of numbers: so the compiler knows its shape."""
    return with_attributes(np.dtype([("row", kind, shape)], align=True))


def new_batch(game: Any, number: int, shape: tuple[int, ...], kind: Any, encodes: bool) -> Batch:
    """So many environments, whose observations have this shape and type."""
    flags = {name: np.zeros(number, np.bool_) for name in ("terminated", "truncated", "ended", "waits", "fits")}
    return Batch(
        envs=np.zeros(number, environment_type(game)),
        observations=np.zeros(number, row_type(kind, shape)),
        masks=np.zeros(number, row_type(np.int8, (game.actions(),))),
        rewards=np.zeros(number, np.float32),
        players=np.zeros(number, np.int8),
        final_observations=np.zeros(number, row_type(kind, shape)),
        finals=np.zeros(0 if encodes else number, dtype(game)),
        final_masks=np.zeros(number, row_type(np.int8, (game.actions(),))),
        final_players=np.zeros(number, np.int8),
        **flags,
    )


def arrays_of(batch: Batch) -> dict[str, np.ndarray]:
    """The arrays by their names, with rows as arrays of numbers."""
    return {name: array["row"] if name in ROWS else array for name, array in batch._asdict().items()}


def part(batch: Batch, rows: slice) -> Batch:
    """Some of the environments of a batch, in the same arrays."""
    return Batch(*(array[rows] for array in batch))


@kernel
def begin_all(game, batch, chosen, limit, encode, setting, blank, wanted, scratch):
    """Begin a game in the environments that are chosen (bool[n]); the other arguments are those of `step_batch`."""
    workspace = scratch.workspaces[0]
    for i in range(batch.envs.size):
        if chosen[i]:
            env = batch.envs[i]
            batch.terminated[i] = batch.truncated[i] = batch.ended[i] = False
            batch.rewards[i] = 0.0
            workspace.rng = env.rng
            begin(game, batch, i, setting, blank, wanted, scratch)
            env.rng = workspace.rng
            clear(batch.masks[i].row)
            if setting.shrinks is not None:
                allow(game, batch, i, workspace.moves)
            if encode is not None:
                clear(batch.observations[i].row)
            observe(game, batch, i, encode, setting, workspace.moves)


@kernel
def step_all(game, batch, actions, limit, encode, setting, blank, wanted, scratch):
    """What `step_batch` does, for a game that is told: the arguments are those of that."""
    step_batch(game, batch, actions, limit, encode, setting, blank, wanted, scratch)


def stepping(game: Any) -> tuple:
    """A kernel, and what it is told before all that `step_batch` is told but the game.

    That is nothing if the game compiles: it is a constant then, so that the compiler knows how often loops run.
    """
    kind: Any = type(game)
    return (_stepping(kind, game),) if game.compiles() else (step_all, game)


@lru_cache(maxsize=64)
def _stepping(kind: Any, game: Any) -> Any:  # equal tuples may be different games
    @kernel
    def step(batch, actions, limit, encode, setting, blank, wanted, scratch):
        """What `step_batch` does, for this game: the arguments are those of that."""
        step_batch(game, batch, actions, limit, encode, setting, blank, wanted, scratch)

    return step


@inner
def step_batch(game, batch, actions, limit, encode, setting, blank, wanted, scratch):
    """Play actions[i], for the learner or for the opponent that is asked, in every environment.

    actions int64[n], LEAVE where nothing is played; limit: steps after which a game is truncated; encode: True, or None
    if the rules do not encode states; blank: one zeroed state; wanted: the learner's seat, DRAWN if it is drawn for
    every game; scratch: room for this thread.
    Afterwards `batch` tells what the step brought; where a game has ended the next one has begun.

    batch: n environments; setting: a `Setting`.
    """
    for i in range(actions.size):
        action = np.int64(actions[i])
        batch.fits[i] = 0 <= action < game.actions() and batch.masks[i].row[max(action, 0)] != 0
    if setting.asked is None:  # all of them are stepped: to clear all at once is faster
        if setting.shrinks is None:
            clear(batch.masks.view(np.int8))
        if encode is not None and batch.observations.itemsize <= SMALL:
            clear(batch.observations.view(np.int8))
    together = BLOCK if batch.envs.itemsize > LARGE else actions.size  # a core has their states at hand meanwhile
    for first in range(0, actions.size, together):
        block = first, min(first + together, actions.size)
        step_block(game, batch, block, actions, limit, encode, setting, blank, wanted, scratch)


@inner
def step_block(game, batch, block, actions, limit, encode, setting, blank, wanted, scratch):
    """What `step_batch` does, from block[0] to before block[1]: play everywhere, then observe everywhere."""
    workspace = scratch.workspaces[0]
    for i in range(block[0], block[1]):
        action = np.int64(actions[i])
        if setting.asked is not None:
            if action == LEAVE:
                continue
            clear(batch.masks[i].row)
            if encode is not None:
                clear(batch.observations[i].row)
        env = batch.envs[i]
        workspace.rng = env.rng
        if setting.asked is not None and batch.waits[i] and env.steps == 0:
            # it is the opponent's first move; what the last game brought still stands
            game.play(env.state, action)
            if go_on(game, batch, i, setting, scratch):
                begin_first(game, batch, i, setting, blank, workspace)
        else:
            play(game, batch, i, action, limit, setting, scratch)
            batch.ended[i] = batch.terminated[i] or batch.truncated[i]
            if batch.ended[i]:
                close(game, batch, i, encode, workspace.moves)
                begin(game, batch, i, setting, blank, wanted, scratch)
                if setting.shrinks is not None:
                    clear(batch.masks[i].row)
                    allow(game, batch, i, workspace.moves)
        env.rng = workspace.rng
    for i in range(block[0], block[1]):
        if setting.asked is not None:
            if actions[i] == LEAVE:
                continue
        if setting.asked is None:
            if encode is not None and batch.observations.itemsize > SMALL:
                clear(batch.observations[i].row)
        observe(game, batch, i, encode, setting, workspace.moves)


@inner
def play(game, batch, i, action, limit, setting, scratch):
    """Play one action, and what nature and the opponent play after it."""
    env = batch.envs[i]
    waited = False
    if setting.asked is not None:
        waited = batch.waits[i]
    if not waited:  # the learner chose
        batch.terminated[i] = batch.truncated[i] = False
        batch.rewards[i] = 0.0
        env.steps += 1
        if not batch.fits[i]:
            batch.rewards[i], batch.terminated[i] = ILLEGAL, True
            return
    game.play(env.state, action)
    over = go_on(game, batch, i, setting, scratch)
    if setting.asked is not None:
        if batch.waits[i]:
            return
    if setting.alone is not None:
        points = game.score(env.state)
        batch.rewards[i] = points - env.points
        env.points = points
    elif over:
        mover = batch.players[i]
        if setting.opponent is not None:
            mover = env.seat
        batch.rewards[i] = game.score(env.state) * (1 - 2 * mover)
    batch.terminated[i] = over
    batch.truncated[i] = env.steps >= limit and not over


@inner
def go_on(game, batch, i, setting, scratch):
    """Let nature and the opponent move until the learner is to move, or one that is asked, or the game is over.

    Is it over?
    """
    env, workspace = batch.envs[i], scratch.workspaces[0]
    over = game.over(env.state)
    if setting.nature is not None or setting.opponent is not None:
        if setting.asked is not None:
            batch.waits[i] = False
        while not over:
            player = game.player(env.state)
            if setting.nature is not None:
                if player == CHANCE:
                    game.play(env.state, outcome(game, env.state, workspace))
                    over = game.over(env.state)
                    continue
            if setting.opponent is None or player == env.seat:
                break
            if setting.asked is not None:
                batch.waits[i] = True
                break
            count = choices(game, batch.envs["state"][i : i + 1], player, setting, scratch)
            game.play(env.state, np.int64(workspace.moves[below(workspace, count)]))
            over = game.over(env.state)
    return over


@inner
def choices(game, states, player, setting, scratch):
    """List in `moves` of the workspace the actions between which the opponent does not care in states[0]; how many."""
    workspace, state = scratch.workspaces[0], states[0]
    count = 0
    if setting.blocks is not None:
        if setting.lists is not None:
            count = game.wins(state, player, workspace.moves)
            if count == 0:
                count = game.wins(state, 1 - player, workspace.moves)
        else:
            count = win_or_block(game, states, player, scratch)
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
            take_chosen(workspace, count)
    return count


@recursive
def win_or_block(game, states, player, scratch):
    """The same as `agents.simple.win_or_block` in a game that does not list its wins: those actions in `moves` of the
    workspace that win at once; else those after which the other cannot win at once, if some let it; how many."""
    workspace, then = scratch.workspaces[0], scratch.ahead[0]
    number, found = game.legal(states[0], workspace.moves), 0
    for j in range(number):
        scratch.ahead[0] = states[0]
        game.play(then, np.int64(workspace.moves[j]))
        if game.over(then) and game.score(then) == 1 - 2 * player:
            workspace.chosen[found] = workspace.moves[j]
            found += 1
    if found == 0:
        for j in range(number):
            scratch.ahead[0] = states[0]
            game.play(then, np.int64(workspace.moves[j]))
            if not loses(game, player, scratch):
                workspace.chosen[found] = workspace.moves[j]
                found += 1
        if found == number:
            found = 0
    take_chosen(workspace, found)
    return found


@inner
def take_chosen(workspace, count):
    """Copy the first `chosen` actions into `moves`, one by one: slices may differ in size, and to compile what Numba
    would say of that takes as long as all the rest."""
    for j in range(count):
        workspace.moves[j] = workspace.chosen[j]


@inner
def loses(game, player, scratch):
    """Can the other player win at once in the first of the states ahead?"""
    workspace, then, later = scratch.workspaces[0], scratch.ahead[0], scratch.ahead[1]
    if game.over(then) or game.player(then) != 1 - player:
        return False
    for j in range(game.legal(then, workspace.replies)):
        scratch.ahead[1] = scratch.ahead[0]
        game.play(later, np.int64(workspace.replies[j]))
        if game.over(later) and game.score(later) == 2 * player - 1:
            return True
    return False


@inner
def begin(game, batch, i, setting, blank, wanted, scratch):
    """Begin a game and let it go on to the learner's first move."""
    set_up(game, batch, i, blank)
    env, workspace = batch.envs[i], scratch.workspaces[0]
    if setting.opponent is not None:
        env.seat = below(workspace, 2) if wanted == DRAWN else wanted
    over = go_on(game, batch, i, setting, scratch)
    if setting.opponent is not None:
        if over:
            begin_first(game, batch, i, setting, blank, workspace)
    if setting.alone is not None:
        env.points = game.score(env.state)


@inner
def begin_first(game, batch, i, setting, blank, workspace):
    """A game ended before the learner's first move, and does not count: begin one in which the learner moves first."""
    set_up(game, batch, i, blank)
    env = batch.envs[i]
    if setting.nature is not None:
        while game.player(env.state) == CHANCE:
            game.play(env.state, outcome(game, env.state, workspace))
    env.seat = game.player(env.state)


@inner
def set_up(game, batch, i, blank):
    """Set up the first position."""
    batch.envs["state"][i] = blank[0]
    game.start(batch.envs[i].state)
    batch.envs[i].steps = 0


@inner
def close(game, batch, i, encode, moves):
    """Keep the last position of a game that has ended; moves has room for all actions."""
    state, mask = batch.envs[i].state, batch.final_masks[i].row
    if encode is not None:
        planes = batch.final_observations[i].row
        clear(planes)
        game.encode(state, planes)
    else:
        batch.finals[i] = batch.envs["state"][i]
    batch.final_players[i] = game.player(state)
    for action in range(game.actions()):  # as `clear`, which takes longer for a row as short as this
        mask[action] = 0
    if not game.over(state):  # it was truncated, or the learner broke its rules
        for j in range(game.legal(state, moves)):
            mask[moves[j]] = 1


@inner
def observe(game, batch, i, encode, setting, moves):
    """Write what the learner sees, who it is, and what it may play, if it is to move; its planes are zero, and so is
    its mask, or that of before if legal actions only go.  moves has room for all actions."""
    if setting.asked is not None:
        if batch.waits[i]:
            return
    env = batch.envs[i]
    batch.players[i] = game.player(env.state)
    if encode is not None:
        game.encode(env.state, batch.observations[i].row)
    if setting.shrinks is None:
        allow(game, batch, i, moves)
    if setting.shrinks is not None:
        narrow(game, batch, i)


@inner
def allow(game, batch, i, moves):
    """Mark the actions that are legal in the mask, which is zero."""
    env, mask = batch.envs[i], batch.masks[i].row
    env.choices = game.legal(env.state, moves)
    for j in range(env.choices):
        mask[moves[j]] = 1


@inner
def narrow(game, batch, i):
    """Leave of the mask, which is that of before, the actions that are still legal."""
    env, mask = batch.envs[i], batch.masks[i].row
    state, count = env.state, 0
    for action in range(game.actions()):
        kept = mask[action] & game.still(state, action)
        mask[action] = kept
        count += kept
    env.choices = count


@inner
def clear(array):
    """Set all numbers of an array to zero, as one row of them."""
    flat = array.reshape(-1)
    for j in range(flat.size):
        flat[j] = 0


@kernel
def draw_all(envs, masks, actions):
    """Write into actions int64[n] a legal action for every environment, each as likely as any other.

    envs environment_type[n]; masks [n] of a `row`: int8[actions].
    """
    for i in range(envs.size):
        mask = masks[i].row
        few = mask.size if mask.size <= 2 * FEW else FEW
        left, first = below(envs[i], envs[i].choices) + 1, 0
        while first + few < mask.size:  # a few numbers are added up at a time
            there = 0
            for j in range(first, first + few):
                there += mask[j]
            if left <= there:
                break
            left -= there
            first += few
        action = first
        for j in range(first, min(first + few, mask.size)):  # to look at all is faster than to guess where to stop
            left -= mask[j]
            action += left > 0
        actions[i] = action
