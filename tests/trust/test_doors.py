"""A short campaign at every door: nothing gets through."""

from __future__ import annotations

from pathlib import Path

import pytest

from plyground.trust import Result, one_door


@pytest.mark.parametrize("door, inputs", [("cli", 60), ("http", 150), ("socket", 60), ("gomocup", 200)])
def test_nothing_gets_through(door: str, inputs: int, tmp_path: Path) -> None:
    found = Result(door)
    one_door(found, 120.0, 0, inputs, tmp_path)
    assert found.failures == [] and found.counts.total() > 0
