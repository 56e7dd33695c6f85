"""Actions of OpenSpiel's by the numbers that they have with us, for games whose files tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def numbered(numbers: Sequence[int], theirs: Any) -> dict[int, tuple[int, ...]]:
    """Our legal actions, and theirs, by a table of our number of each of theirs."""
    legal = theirs.legal_actions()
    return dict(zip(map(numbers.__getitem__, legal), zip(legal), strict=True))
