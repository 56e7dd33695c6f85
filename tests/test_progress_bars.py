"""How far work has come, where nobody looks and where somebody does."""

from __future__ import annotations

import threading
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
    learner.under_way = lambda: (0, "")
    with progress.training_progress("dqn") as watch:
        for step in range(100):
            now[0], learner.done = float(step), step
            watch(learner, {"loss": 100 - step})
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"plyground: loss {100 - at}  {at} of 200" for at in (30, 60, 90)]


def test_what_goes_on_within_a_step_of_training_is_told_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setattr(progress._Log, "every", 0.0)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "in_notebook", lambda: False)
    asked = threading.Event()
    learner: Any = SimpleNamespace(done=40, steps=200, headline=lambda figures: f"loss {figures['loss']}")
    learner.under_way = lambda: (asked.set(), (2, "round 2/50"))[1]
    with progress.training_progress("dqn") as watch:
        watch(learner, {})
        watch(learner, {"loss": 3})
        with progress.compilations.one("walk"):
            for _ in range(2):  # the thread had perhaps begun to look before
                asked.clear()
                assert asked.wait(300)
    lines = capsys.readouterr().err.splitlines()
    assert "plyground: round 2/50; dqn  42 of 200" in lines and "plyground: round 2/50; loss 3  42 of 200" in lines
    assert "plyground: compiling walk; round 2/50; loss 3  42 of 200" in lines
