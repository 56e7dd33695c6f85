"""Trainings that the page starts: what is refused, by which line, and where nothing is started at all."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import pytest
import training
from fastapi.testclient import TestClient

from plyground import learn
from plyground.learn.figures import meaning
from plyground.learn.run import TRAINER, Run, is_trained
from plyground.spec import InputError, parameters
from plyground.web import responses
from plyground.web.commands import written
from plyground.web.server import make_app

CUP = {"name": "cup", "game": "tictactoe", "agents": ["random", "win-block"]}
ASKED = {"name": "one", "algorithm": "dqn", "game": "tictactoe"}
STARTS: list[tuple[str, dict]] = [("/api/runs", ASKED), ("/api/tournaments", CUP)]
STARTS += [(f"/api/{what}/old/{how}", {}) for what in ("runs", "tournaments") for how in ("stop", "resume")]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A server that would start trainings, and no process."""
    monkeypatch.setattr("plyground.web.commands.Program", no_process)
    training.run(tmp_path / "old", training.lines(3))
    return TestClient(make_app([], str(tmp_path), starts=True), base_url="http://127.0.0.1:8000")


def no_process(*_: Any, **__: Any) -> None:
    raise AssertionError("a process would be started")


def refused(client: TestClient, path: str, **body: Any) -> str:
    answer = client.post(path, json=body)
    assert answer.status_code == 422 and set(answer.json()) == {"error"}
    line = answer.json()["error"]
    assert "\n" not in line
    return line


def test_the_form_has_the_options_of_the_command(client: TestClient) -> None:
    told = client.get("/api/learners").json()
    responses.Learners.model_validate(told)
    found = {one["name"]: one for one in told["learners"]}
    assert told["problem"] == "" and set(found) == set(learn.registry())
    options = parameters(learn.learner("dqn").options_type)  # type: ignore[arg-type]
    assert [one["name"] for one in found["dqn"]["parameters"]] == [one.name for one in options]
    assert [one["name"] for one in told["asked"]] == ["seconds", "seed"]


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"name": "../one"}, "a run is named by letters"),
        ({"name": "a/b/c"}, "a run is named by letters"),
        ({"name": "old"}, "there is a run 'old' already"),
        ({"algorithm": "dqnn"}, "did you mean dqn?"),
        ({"algorithm": "learner.py:Own"}, "there is no learner"),
        ({"game": "nothing"}, "nothing"),
        ({"game": "file.py:Game"}, "has to be named when the page is started"),
        ({"options": {"games": 0}}, "games is at least 1"),
        ({"options": {"gamse": 5}}, "did you mean games?"),
        ({"options": {"opponent": "self+file.py:Agent"}}, "has to be named when the page is started"),
        ({"options": {"opponent": 'net(run="/etc")'}}, "a run is one in the folder"),
        ({"algorithm": "alphazero", "options": {"start": "/etc"}}, "a run is one in the folder"),
        ({"preset": "strog"}, "did you mean strong?"),
        ({"seed": -1}, "seed"),
        ({"seconds": "long"}, "seconds"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_started(
    client: TestClient, asked: dict[str, Any], line: str
) -> None:
    assert line in refused(client, "/api/runs", **ASKED | asked)


def test_runs_that_are_not_there_or_not_ours_are_neither_stopped_nor_resumed(
    client: TestClient, tmp_path: Path
) -> None:
    assert "was not started by this server" in refused(client, "/api/runs/none/stop")
    assert "was not started by this server" in refused(client, "/api/runs/old/stop")
    assert "there is no run" in refused(client, "/api/runs/none/resume")
    training.under_way(tmp_path / "old")
    assert "is being trained" in refused(client, "/api/runs/old/resume")
    listed = client.get("/api/runs").json()["runs"]
    assert [(run["growing"], run["stoppable"]) for run in listed] == [(True, False)]


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"name": ".."}, "a run is named by letters"),
        ({"game": "2048"}, "games of two players"),
        ({"agents": ["random"]}, "agents"),
        ({"agents": ["random", "file.py:Agent"]}, "has to be named when the page is started"),
        ({"agents": ["random", "human"]}, "a human plays by the board"),
        ({"options": {"games": 0}}, "games is at least 1"),
        ({"options": {"out": "elsewhere"}}, "tournament has no option out"),
    ],
)
def test_tournaments_that_make_no_sense_are_refused(client: TestClient, asked: dict[str, Any], line: str) -> None:
    assert line in refused(client, "/api/tournaments", **CUP | asked)
    assert client.get("/api/tournaments/cup").status_code == 404
    assert client.get("/api/tournaments").json()["tournaments"] == []


def test_a_server_for_others_starts_nothing(tmp_path: Path) -> None:
    client = TestClient(make_app([], str(tmp_path)), base_url="http://127.0.0.1:8000")
    assert "without --train" in client.get("/api/learners").json()["problem"]
    for path, body in STARTS:
        answer = client.post(path, json=body)
        assert answer.status_code == 403 and "without --train" in answer.json()["error"]


def test_options_become_words_of_a_command() -> None:
    told = {"games": 5, "masking": False, "older_every": 3, "hidden": "6 4", "resume": True, "seconds": None}
    assert written(told) == ["--games=5", "--no-masking", "--older-every=3", "--hidden=6 4", "--resume"]


def test_a_run_is_trained_by_one_process_until_that_ends(tmp_path: Path) -> None:
    run = Run(tmp_path, {})
    assert is_trained(tmp_path) is None
    with run.in_training():
        assert is_trained(tmp_path) is True
        with pytest.raises(InputError, match="another process trains in"), run.in_training():
            pass
    assert is_trained(tmp_path) is False
    (tmp_path / TRAINER).write_text(json.dumps({"host": platform.node(), "process": os.getpid(), "born": "earlier"}))
    assert is_trained(tmp_path) is False  # another process of the same number
    (tmp_path / TRAINER).write_text(json.dumps({"host": "elsewhere", "process": 1, "born": "0"}))
    assert is_trained(tmp_path) is None


def test_figures_say_what_they_mean() -> None:
    assert meaning("random_first_wins") == "share of the games against random, moving first, that it wins"
    assert meaning("lines_interval") == "half of the 95 % interval of lines"
    assert meaning("net_random_second_losses") == (
        "share of the games against random, moving second, that it loses; by the net alone, without a search"
    )
    assert (
        meaning("training_lines")
        == "lines that a game clears, on average; in games of training, with what they leave to chance"
    )
    assert meaning("lines") and meaning("epsilon") and meaning("a figure of a stranger") == ""
