"""What the tests of learners share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def drawing_nothing(without_curves: None) -> None:
    """Hundreds of trainings end here."""


@pytest.fixture(autouse=True)
def all_figures_have_meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever figures a learner of ours tells in a test: the page has words for each."""
    from plyground.learn import registry
    from plyground.learn.figures import meaning
    from plyground.learn.run import Run

    log = Run.log

    def logged(run: Run, step: int, figures: dict[str, Any]) -> None:
        if run.config["algorithm"] in registry():
            assert [name for name in figures if not meaning(name)] == []
        log(run, step, figures)

    monkeypatch.setattr(Run, "log", logged)


@pytest.fixture
def measured_quickly(measured_quickly: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mistakes are counted in a tenth of the positions, too."""
    from plyground.learn import measure

    positions = measure.positions

    def some(*what: Any, **how: Any) -> measure.Positions | None:
        found = positions(*what, **how)
        return found and found._replace(states=found.states[::10], best=found.best[::10])

    monkeypatch.setattr(measure, "positions", some)


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets are left without what others play them by, which takes longer than their training."""
    monkeypatch.setattr("plyground.nets.files.as_onnx", lambda net: b"")


@pytest.fixture
def stopped() -> Callable[..., None]:
    """Begins a run that ends suddenly when so many steps are done: what a kill leaves behind (see test_run.py)."""
    from plyground.learn.train import begin, train

    def stop(folder: Path, at: int, algorithm: str, game: str, given: dict[str, Any], seed: int = 0) -> None:
        def watch(learner: Any, figures: Any) -> None:
            if learner.done >= at:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            train(begin(folder, algorithm, game, given, seed=seed), watch)
        assert list(folder.glob("checkpoints/*.json")) and not (folder / "net.json").exists()

    return stop
