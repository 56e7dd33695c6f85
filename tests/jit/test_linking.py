"""What kernels call is linked into them, whoever calls it."""

from __future__ import annotations

import numpy as np

from plyground.rules import inner, kernel, standalone


@inner
def plus_one(x):  # type: ignore[no-untyped-def]
    return x + 1


@inner
def twice_plus_one(x):  # type: ignore[no-untyped-def]
    return plus_one(2 * x)


@standalone
def sum_of(values):  # type: ignore[no-untyped-def]
    total = 0
    for value in values:
        total += twice_plus_one(value)
    return total


@kernel
def both(values):  # type: ignore[no-untyped-def]
    return sum_of(values) * 1000 + twice_plus_one(values[0]) * 10 + plus_one(values[0])


@kernel
def outer_alone(values):  # type: ignore[no-untyped-def]
    return twice_plus_one(values[1])


def test_functions_are_linked_into_kernels_and_into_functions_that_are_compiled_by_themselves() -> None:
    values = np.array([3, 4])
    assert both(values) == (7 + 9) * 1000 + 7 * 10 + 4
    assert outer_alone(values) == 9
