"""Trackers are told what TensorBoard is told; without one installed it is said how to install it."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from commands import refusal, run
from plyground.learn import tracking

TOY = str(Path(__file__).parent / "toy.py")
WORDS = ["train", TOY, "tictactoe", "--track", "trackio"]


class Fake(ModuleType):
    """A tracker that remembers what it is told, and may fail."""

    def __init__(self, fails: str = "") -> None:
        super().__init__("trackio")
        self.__spec__ = ModuleSpec("trackio", None)
        self.fails, self.runs, self.told, self.finished = fails, list[Any](), list[Any](), 0

    def init(self, **words: Any) -> Fake:
        if self.fails == "init":
            raise OSError("no disk")
        self.runs.append(words)
        return self

    def log(self, figures: dict[str, Any], step: int) -> None:
        if self.fails == "log":
            raise OSError("no network")
        self.told.append({"step": step, **figures})

    def finish(self) -> None:
        self.finished += 1


@pytest.fixture
def trackio(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    monkeypatch.setitem(sys.modules, "trackio", made)
    return made


def test_a_tracker_is_told_the_figures_and_knows_a_run_that_goes_on(trackio: Fake, tmp_path: Path) -> None:
    folder = tmp_path / "walk"
    assert run(*WORDS, "--out", str(folder), "--games", "10", "--seconds", "0").returncode == 0
    assert run(*WORDS, "--out", str(folder), "--resume").returncode == 0
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    told = [{name: value for name, value in line.items() if value is not None} for line in lines]
    assert trackio.told == told and len(told) == 5 and trackio.finished == 2
    first, second = trackio.runs
    assert first == second and first["name"].startswith("walk-") and first["resume"] == "allow"
    assert first["config"]["games"] == 10 and first["config"]["game"] == "tictactoe" and first["project"] == "plyground"


def test_training_goes_on_where_a_tracker_fails(trackio: Fake, tmp_path: Path) -> None:
    trackio.fails = "log"
    ran = run(*WORDS, "--out", str(tmp_path / "run"), "--games", "10")
    assert ran.returncode == 0 and ran.stderr.count("Trackio is told no more: OSError: no network") == 1
    trackio.fails = "init"
    assert "Trackio does not begin: OSError: no disk" in refusal(run(*WORDS, "--out", str(tmp_path / "other")))


def test_a_tracker_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "find_spec", lambda name: None)
    out = ["--out", str(tmp_path / "run")]
    for name, called in tracking.TRACKERS.items():
        assert f"needs {called}: pip install {name}" in refusal(run(*WORDS[:-1], name, *out))
    assert "did you mean wandb" in refusal(run(*WORDS[:-1], "wandbb", *out))
    assert not list(tmp_path.iterdir())
