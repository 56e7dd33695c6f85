"""What the tests of learners share."""

from __future__ import annotations

import pytest


@pytest.fixture
def measured_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Self-play learners take few games and simulations to measure themselves, on one thread."""
    import torch

    from plyground.learn import by_selfplay, ladder

    torch.set_num_threads(1)
    monkeypatch.setattr(by_selfplay, "MEASURED_SIMS", 2)
    monkeypatch.setattr(ladder, "GAMES", 4)
    monkeypatch.setattr(ladder, "SIMS", 4)
