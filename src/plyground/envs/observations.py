"""What a learner sees of a state: the planes of its rules, or else its fields, one number after another."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from gymnasium import spaces

from ..rules import dtype, gives
from ..spec import InputError


def must_be_seed(seed: Any) -> None:
    """InputError unless this is a seed, or None."""
    if seed is not None and operator.index(seed) < 0:
        raise InputError(f"a seed is 0 or more, not {seed}")


def has_planes(game: Any) -> bool:
    """Do the rules encode states for nets?"""
    return gives(game, "encode", "planes")


def observation_space(game: Any, kind: Any = np.float32) -> spaces.Box:
    """Of the planes (planes, height, width) of a game whose rules encode, else of the fields (numbers,)."""
    shape = tuple(game.planes()) if has_planes(game) else (sum(width for _, width in fields(game)),)
    if np.dtype(kind).kind == "f":
        return spaces.Box(-np.inf, np.inf, shape, kind)
    return spaces.Box(np.iinfo(kind).min, np.iinfo(kind).max, shape, kind)


def write_fields(game: Any, states: np.ndarray, observations: np.ndarray) -> None:
    """Write the fields of states[n] into observations[n, numbers]."""
    first = 0
    for name, width in fields(game):
        np.copyto(observations[:, first : first + width], states[name].reshape(len(states), width), casting="unsafe")
        first += width


def fields(game: Any) -> list[tuple[str, int]]:
    """The fields of a state by name, and how many numbers each has."""
    kind: Any = dtype(game)
    return [(name, math.prod(kind[name].shape)) for name in kind.names if not name.startswith("_gap")]


def observed(game: Any, state: Any, kind: Any = np.float32) -> np.ndarray:
    """A single state, seen by the player to move."""
    space = observation_space(game, kind)
    seen = np.zeros(space.shape, kind)
    if has_planes(game):
        game.encode(state, seen)
    else:
        one = np.zeros(1, dtype(game))
        one[0] = state
        write_fields(game, one, seen[None])
    return seen


def mask_of(game: Any, actions: list[int]) -> np.ndarray:
    """int8[actions], 1 for those that may be played."""
    mask = np.zeros(game.actions(), np.int8)
    mask[actions] = 1
    return mask
