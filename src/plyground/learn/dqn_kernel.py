"""The kernels of deep Q-learning: choosing actions, and one update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..rules import gives, inner, kernel
from ..search.mcts.mlp import forward, scratch
from ..search.rng import FINE, below
from .gradient import adam, backward, drawn


class Workspace(NamedTuple):
    """A Q-net that learns, and what its kernels work in."""

    sizes: np.ndarray  # int64[layers]
    theta: np.ndarray  # float32[parameters]: the weights
    target: np.ndarray  # float32[parameters]: what the future is valued by; may be `theta` itself
    moments: np.ndarray  # float32[2, parameters]: Adam's
    gradient: np.ndarray  # float32[parameters]; zero between two updates
    signals: np.ndarray  # float32[layers, widest]; see `gradient` for these three
    awake: np.ndarray  # int32[layers, widest + 1]
    errors: np.ndarray  # float32[layers, widest]
    spots: np.ndarray  # int64[sides, features]: where each input goes when the board is seen from another side
    sides: np.ndarray  # int64[sides, actions]: the same for the actions; side 0 leaves everything where it is


def new_workspace(game: Any, sizes: Sequence[int], seed: int, target: bool, symmetries: bool) -> Workspace:
    """A net with weights drawn from the seed."""
    theta = drawn(sizes, seed)
    zeros = np.zeros((3, len(theta)), np.float32)
    signals, awake = scratch(sizes)
    learnt = (np.array(sizes), theta, theta.copy() if target else theta, zeros[:2], zeros[2])
    return Workspace(*learnt, signals, awake, np.zeros_like(signals), *seen_from(game, sizes[0], symmetries))


@kernel
def choose(workspace, inputs, envs, legal, chosen, epsilon, masking):
    """Choose an action in every environment: with probability epsilon any, else the one that is worth most.

    inputs float32[n, features]; legal bool[n, actions]: with masking the only actions there are; chosen int64[n]

    workspace: a `Workspace`; envs: environment_type[n], for random numbers.
    """
    for i in range(envs.size):
        if below(envs[i], FINE) < epsilon * FINE:
            chosen[i] = any_action(envs[i], legal[i], masking)
        else:
            say(workspace, workspace.theta, inputs[i], 0)
            chosen[i] = best(workspace, legal[i], 0, masking)


@inner
def any_action(env, legal, masking):
    """Any action, or any legal one."""
    if not masking:
        return below(env, legal.size)
    count = 0
    for action in range(legal.size):
        count += legal[action]
    skip = below(env, count)
    action = -1
    while skip >= 0:
        action += 1
        skip -= legal[action]
    return action


@kernel
def learn(workspace, memory, picked, turns, step, rate, masking, double):
    """One step of Adam on the loss, the mean of (Q(s, a) - y)^2 over the picked transitions; returns the loss.

    y = gain + factor * max over a' of Q_target(then, a'); with `double`, Q itself says which a' (double Q-learning).
    memory: `replay.transition_type`[capacity]; picked int64[batch]; turns int64[batch]: the side from which each
    transition is seen; step: updates so far, from 1; rate: the learning rate.

    workspace: a `Workspace`; masking: are illegal actions left out of the maximum?
    """
    values, errors = workspace.signals[workspace.sizes.size - 1], workspace.errors[workspace.sizes.size - 1]
    loss = 0.0
    if picked.size == 0:
        return loss
    for n in range(picked.size):
        seen, side = memory[picked[n]], turns[n]
        y = seen.gain
        if seen.factor > 0:
            say(workspace, workspace.theta if double else workspace.target, seen.then, side)
            then = best(workspace, seen.legal, side, masking)
            if double:
                say(workspace, workspace.target, seen.then, side)
            y += seen.factor * values[then]
        say(workspace, workspace.theta, seen.inputs, side)
        action = workspace.sides[side, seen.action]
        miss = values[action] - y
        for other in range(values.size):
            errors[other] = 0
        errors[action] = 2 * miss / picked.size
        backward(
            workspace.sizes, workspace.theta, workspace.signals, workspace.awake, workspace.errors, workspace.gradient
        )
        loss += miss * miss
    adam(workspace.theta, workspace.gradient, workspace.moments, step, rate)
    return loss / picked.size


@inner
def say(workspace, theta, inputs, side):
    """The forward pass: inputs float32[features], seen from a side, to Q-values in signals[-1]."""
    for i in range(inputs.size):
        workspace.signals[0, workspace.spots[side, i]] = inputs[i]
    forward(workspace.sizes, theta, workspace.signals, workspace.awake)


@inner
def best(workspace, legal, side, masking):
    """The action, as it is seen from a side, that is worth most; with masking a legal one."""
    values, found = workspace.signals[workspace.sizes.size - 1], -1
    for i in range(legal.size):
        action = workspace.sides[side, i]
        if legal[i] or not masking:
            if found < 0 or values[action] > values[found]:
                found = action
    return found


def seen_from(game: Any, features: int, all_of_them: bool) -> tuple[np.ndarray, np.ndarray]:
    """What goes where when the board is seen from another side: int64[sides, features] and int64[sides, actions]."""
    if not all_of_them or not gives(game, "symmetries"):
        return np.arange(features)[None], np.arange(game.actions())[None]
    found = game.symmetries()
    size = len(found[0][1])
    starts = np.arange(0, features, size)[:, None]  # of the planes
    return np.array([(starts + cells).ravel() for _, cells in found]), np.array([actions for actions, _ in found])
