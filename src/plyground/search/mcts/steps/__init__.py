"""Tree search step by step: what a simulation looks at, adds, plays and carries up, told by the search itself.

The kernels run interpreted (`jit.watching`), one simulation at a time, on the tree and the random numbers of the
search, and the functions that make up a simulation are watched.  No formula is written down again here: the terms of
a bound are what `bound` of the algorithm returned to its `select`.  Between two simulations the compiled kernel may go
on with the same tree (`skip`), and the tree after so many simulations is the compiled kernel's, visit for visit.
"""

from __future__ import annotations

from typing import Any

from ..batched import NetSearch
from .base import MCTSSteps as MCTSSteps
from .net import NetSteps
from .rollout import RolloutSteps


def steps_of(search: Any, planned: int) -> MCTSSteps:
    """The steps of a search that has begun; `planned`: simulations that a Gumbel root shares out."""
    return NetSteps(search, planned) if isinstance(search, NetSearch) else RolloutSteps(search)
