"""How far work has come, where nobody looks and where somebody does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plyground import progress


def test_a_training_that_nobody_watches_tells_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(progress, "in_notebook", lambda: False)
    learner: Any = SimpleNamespace(done=0, steps=200, headline=lambda figures: f"loss {figures['loss']}")
    with progress.training_progress("dqn") as watch:
        for step in range(100):
            now[0], learner.done = float(step), step
            watch(learner, {"loss": 100 - step})
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"plyground: loss {100 - at}  {at} of 200" for at in (30, 60, 90)]
