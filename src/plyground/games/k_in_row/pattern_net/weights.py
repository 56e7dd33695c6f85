"""A pattern net's weights as the kernel wants them: integers up to the heads, which are of 32-bit floats.

Without PyTorch.  The table is expanded here from the small net that makes it.  Features and channels are counted in
units of 1 / ONE, what is mixed of them of 1 / FINAL.  No sum can leave the range in which numbers are exact: weights
are bounded so that 16 bits are enough, and 24 for the products of `point`, which float32 holds and multiplies faster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from .lines import MINE, THEIRS, WALL, all_patterns

ONE = 1024  # what stands for 1 in the table and the features
CLIP = 4 * ONE  # the largest feature
COARSE, FINE = 256, 512  # what stands for 1 where features are multiplied by `point`, in them and in the weights
FINAL = 128  # what stands for 1 in the mixed channels
MIX = FINAL * 2**16 // ONE  # what stands for 1 in the weights of a star, whose products lose 16 bits
SIGNS = np.array([1, 1, -1, 1, -1, 1, -1, 1, -1])  # of the weights of a star
BOUNDS = {"bias": 4, "point.weight": 0.99, "point.bias": 4, "star": 1.9, "star_bias": 4}  # as `model.within` has them
CHUNK = 1 << 11  # patterns that are expanded at once: what is known of them fits into a processor's cache


class Weights(NamedTuple):
    """Of `features` numbers for a pattern and `channels` after it; float32 unless told."""

    table: np.ndarray  # int16[patterns, features]
    bias: np.ndarray  # int16[features]
    point: np.ndarray  # [features, channels], integers
    point_bias: np.ndarray  # [channels], likewise
    star: np.ndarray  # int16[weights, channels]; those of diagonals with the opposite sign
    star_bias: np.ndarray  # int16[channels]
    parts: np.ndarray  # [3, channels, hidden]: corners, sides, middle
    parts_bias: np.ndarray  # [3, hidden]
    whole: np.ndarray  # [2 * channels, hidden]: of means, then of maxima
    whole_bias: np.ndarray  # [hidden]
    hidden: np.ndarray  # [2 * hidden, last]
    hidden_bias: np.ndarray  # [last]
    outcome: np.ndarray  # [last, 3]
    outcome_bias: np.ndarray  # [3]
    policy: np.ndarray  # [last, channels]
    policy_bias: np.ndarray  # [channels]


def names(reach: int, features: int, channels: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a file of such a net, and their shapes."""
    width, hidden, last, weights = 128, 64, 32, 9
    shapes: dict[str, tuple[int, ...]] = {"bias": (features,), "star": (channels, weights), "star_bias": (channels,)}
    layers = {
        "mapping.layers.0": (width, 3 * (2 * reach + 1)),
        "mapping.layers.1": (width, width),
        "mapping.layers.2": (width, width),
        "mapping.last": (features, width),
        "point": (channels, features),
        **{f"parts.{part}": (hidden, channels) for part in range(3)},
        "whole": (hidden, 2 * channels),
        "hidden": (last, 2 * hidden),
        "outcome": (3, last),
        "policy": (channels, last),
    }
    for name, shape in layers.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes


def expanded(arrays: Mapping[str, np.ndarray], reach: int) -> np.ndarray:
    """int16[patterns, features]: the vector of every pattern; little by little, for the sake of memory."""
    cells, mirrored = all_patterns(reach)
    table = np.empty((len(cells), len(arrays["mapping.last.bias"])), np.int16)
    ones = np.flatnonzero(np.arange(len(cells)) <= mirrored)  # of each pair of mirror images, which have one vector
    for start in range(0, len(ones), CHUNK):
        one = ones[start : start + CHUNK]
        other = mirrored[one]
        both = mapped(arrays, cells[one]) + mapped(arrays, cells[other])
        table[one] = table[other] = integers(np.clip(both, -4, 4), ONE, np.int16)
    return table


def mapped(arrays: Mapping[str, np.ndarray], cells: np.ndarray) -> np.ndarray:
    """float32[n, features]: what the small net says of these patterns, without their mirror images."""
    seen = np.concatenate([cells == kind for kind in (MINE, THEIRS, WALL)], 1).astype(np.float32)
    hidden = np.maximum(seen @ arrays["mapping.layers.0.weight"].T + arrays["mapping.layers.0.bias"], 0)
    for number in (1, 2):
        weight, bias = (arrays[f"mapping.layers.{number}.{what}"] for what in ("weight", "bias"))
        hidden += np.maximum(hidden @ weight.T + bias, 0)
    return hidden @ arrays["mapping.last.weight"].T + arrays["mapping.last.bias"]


def integers(numbers: np.ndarray, scale: float, kind: type) -> np.ndarray:
    return np.ascontiguousarray(np.rint(numbers * scale)).astype(kind)


def weights_of(arrays: Mapping[str, np.ndarray], reach: int, table_of: Callable[..., np.ndarray] = expanded) -> Weights:
    """Of the arrays of a net's file (`names`)."""
    arrays = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    half = COARSE * FINE / ONE / 2  # what is cut off is rounded so
    for name, bound in BOUNDS.items():
        arrays[name] = np.clip(arrays[name], -bound, bound)

    def turned(name: str) -> np.ndarray:
        return np.ascontiguousarray(arrays[f"{name}.weight"].T)

    return Weights(
        table=table_of(arrays, reach),
        bias=integers(arrays["bias"], ONE, np.int16),
        point=integers(turned("point"), FINE, np.float32),
        point_bias=integers(arrays["point.bias"], COARSE * FINE, np.float32) + np.float32(half),
        star=integers(arrays["star"].T * SIGNS[:, None], MIX, np.int16),
        star_bias=integers(arrays["star_bias"], FINAL, np.int16),
        parts=np.stack([turned(f"parts.{part}") for part in range(3)]),
        parts_bias=np.stack([arrays[f"parts.{part}.bias"] for part in range(3)]),
        whole=turned("whole"),
        whole_bias=arrays["whole.bias"],
        hidden=turned("hidden"),
        hidden_bias=arrays["hidden.bias"],
        outcome=turned("outcome"),
        outcome_bias=arrays["outcome.bias"],
        policy=turned("policy"),
        policy_bias=arrays["policy.bias"],
    )
