"""The benchmark of learners: a short run of each, beside random play."""

from __future__ import annotations

from pathlib import Path

import pytest

from plyground import bench, games, learn
from plyground.bench import learners
from plyground.learn.base import chosen

pytestmark = pytest.mark.usefixtures("nets_in_this_process", "measured_quickly")


def test_every_learner_has_a_short_run_of_a_game_and_by_options_that_it_takes() -> None:
    assert list(learners.RUNS) == list(learn.registry())
    for name, smoke in learners.RUNS.items():
        kind = learn.learner(name)
        kind.must_suit(games.make(smoke.game))
        chosen(kind, smoke.options, smoke.preset)


def test_a_row_tells_how_long_it_took_and_whether_random_play_is_beaten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learners, "GAMES", 10)
    few = {"generations": 2, "population": 6, "games": 1, "limit": 40}
    for name in ("dqn", "cma-es"):
        smoke = learners.RUNS[name]
        if name == "dqn":
            smoke = smoke._replace(options={"games": 40, "hidden": "8"}, preset="")
        else:  # five moves, of which nothing is left to chance; tests of the learner have compiled it
            smoke = smoke._replace(options=few, game=f"{Path(__file__).parent}/one_player_toys.py:Descent")
        row = learners.row(name, smoke, tmp_path / name)
        assert (row["learner"], row["game"]) == (name, smoke.game) and row["seconds"] > 0
        assert row["at_least"] <= row["at_most"] and row["beats_random"] == (row["at_least"] > row["random_at_most"])
        assert row["random_at_most"] == 0.5 if name == "dqn" else 0 < row["random_at_most"] < 40


def test_their_curves_are_drawn_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    few = learners.RUNS["dqn"]._replace(options={"games": 400, "hidden": "8"}, preset="")
    monkeypatch.setattr(learners, "RUNS", {"dqn": few})
    monkeypatch.setattr(learners, "GAMES", 4)
    metrics, learner = learners.curve("dqn", few, tmp_path / "dqn")
    assert learner.done == 400 and sum("mistakes" in line for line in metrics) == learners.POINTS
    bench.measure(["learners"], 1, str(tmp_path / "curves.svg"))
    drawn = (tmp_path / "curves.svg").read_text()
    assert "dqn, tictactoe" in drawn and "mistakes" in drawn
