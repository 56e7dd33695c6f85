"""A run can be killed at any moment and goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learn.toy import Toy
from plyground import learn, sealed
from plyground.learn.curve import draw
from plyground.learn.run import TRAINER, Run, lines
from plyground.learn.train import begin, train
from plyground.nets.files import read_weights
from plyground.spec import InputError


@pytest.fixture(autouse=True)
def toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "learner", lambda name: Toy)
    monkeypatch.setattr("plyground.learn.train.learner_of", lambda name: Toy)


def start(folder: Path, **given: Any) -> Run:
    return begin(folder, "toy", "tictactoe", given, seed=3)


def told(folder: Path) -> list[dict[str, Any]]:
    """The figures of a run, but for the time it took."""
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines(folder / "metrics.jsonl")]


def stopped(folder: Path, at: int) -> None:
    """A run that ends suddenly when so many steps are done and told of."""

    def stop(learner: Any, figures: Any) -> None:
        if learner.done >= at:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(start(folder), stop)


def same(one: Path, other: Path) -> bool:
    equal = [
        (a[0] == b[0]).all() and (a[1] == b[1]).all()
        for a, b in zip(read_weights(one), read_weights(other), strict=True)
    ]
    return all(equal) and told(one) == told(other)


def test_a_run_leaves_everything_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.learn.train.draw", draw)
    run = start(tmp_path / "run")
    seen: list[int] = []
    train(run, lambda learner, figures: seen.append(learner.done) if figures else None)
    names = {path.name.split(".")[0] for path in (tmp_path / "run").iterdir() if path.name != TRAINER}
    assert names == {"config", "metrics", "games", "checkpoints", "net", "curve", "events"}
    assert seen == list(range(2, 41, 2)) == [line["step"] for line in told(tmp_path / "run")]
    assert sorted(p.name for p in (tmp_path / "run/checkpoints").glob("*.json")) == ["30.json", "40.json"]
    assert [line["step"] for line in told(tmp_path / "run") if "mistakes" in line] == [10, 20, 30, 40]
    assert told(tmp_path / "run")[0]["loss"] is None  # not a number, and JSON has none such
    config = json.loads((tmp_path / "run/config.json").read_text())
    assert config["options"]["games"] == 40 and config["seed"] == 3 and "torch" in config["versions"]


@pytest.mark.parametrize("at", [2, 10, 12, 28, 38])
def test_an_interrupted_run_ends_like_one_that_was_not(tmp_path: Path, at: int) -> None:
    train(start(tmp_path / "whole"))
    stopped(tmp_path / "cut", at)
    train(Run.open(tmp_path / "cut"))
    assert same(tmp_path / "whole", tmp_path / "cut")


def test_a_torn_checkpoint_is_passed_over_for_the_one_before(tmp_path: Path) -> None:
    train(start(tmp_path / "whole"))
    for number, tear in enumerate((lambda path: path.write_bytes(path.read_bytes()[:-3]), lambda path: path.unlink())):
        folder = tmp_path / str(number)
        stopped(folder, 24)
        tear(folder / "checkpoints" / "20.safetensors")
        (folder / "checkpoints" / ".30.safetensors.99.part").write_bytes(b"half")
        found = Run.open(folder).latest()
        assert found is not None and found[0] == 10
        train(Run.open(folder))
        assert same(tmp_path / "whole", folder)
        assert not list(folder.rglob("*.part"))


@pytest.mark.parametrize("file", ["checkpoints/20.json", "checkpoints/20.safetensors", "config.json"])
def test_a_flipped_bit_is_told_and_never_learnt_from(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped(tmp_path, 24)
    whole = (tmp_path / file).read_bytes()
    for bit in range(3, 8 * len(whole) - 8, 8 * len(whole) // 50):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (tmp_path / file).write_bytes(damaged)
        if file == "config.json":
            with pytest.raises(InputError, match=r"config\.json"):
                Run.open(tmp_path)
        else:
            found = Run.open(tmp_path).latest()
            assert found is not None and found[0] == 10
            assert "checkpoint 20 is left out" in capsys.readouterr().err


def test_figures_may_be_of_numpy(tmp_path: Path) -> None:
    run = Run.create(tmp_path, "own", "tictactoe", {}, 0, "")
    run.log(1, {"loss": np.float32(0.5), "games": np.int64(3), "none": np.float32("nan"), "plain": 2})
    assert run.metrics() == [{"step": 1, "loss": 0.5, "games": 3, "none": None, "plain": 2}]


def test_half_a_line_of_figures_is_cut_off(tmp_path: Path) -> None:
    train(start(tmp_path / "whole"))
    stopped(tmp_path / "cut", 16)
    with open(tmp_path / "cut/metrics.jsonl", "a") as file:
        file.write('{"step": 18, "lu')
    train(Run.open(tmp_path / "cut"))
    assert same(tmp_path / "whole", tmp_path / "cut")
    games = list(lines(tmp_path / "cut/games.jsonl"))
    assert [game["step"] for game in games] == list(range(2, 41, 2))


def test_tensorboard_reads_every_figure_once_after_a_cut(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    stopped(tmp_path, 16)
    train(Run.open(tmp_path))
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert [event.step for event in events.Scalars("luck")] == list(range(2, 41, 2))


def test_a_killed_process_costs_at_most_the_last_interval(tmp_path: Path) -> None:
    train(start(tmp_path / "whole"))
    code = f"import sys; sys.path[:0] = {sys.path!r}\nfrom pathlib import Path\nfrom learn.toy import Toy\n"
    code += "from plyground.learn import train\ntrain.learner_of = lambda name: Toy\n"
    code += f"run = train.begin(Path({str(tmp_path / 'cut')!r}), 'toy', 'tictactoe', {{'pause': 0.05}}, seed=3)\n"
    process = subprocess.Popen([sys.executable, "-c", code + "train.train(run)"])
    end = time.monotonic() + 300
    while time.monotonic() < end and len(told(tmp_path / "cut")) < 12:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert process.returncode == -9
    train(Run.open(tmp_path / "cut"))
    assert same(tmp_path / "whole", tmp_path / "cut")


def test_a_finished_run_is_left_as_it_is(tmp_path: Path) -> None:
    train(start(tmp_path))
    before = told(tmp_path), read_weights(tmp_path)[0][1].tolist()
    train(Run.open(tmp_path))
    assert (told(tmp_path), read_weights(tmp_path)[0][1].tolist()) == before


def test_a_folder_is_not_taken_twice_and_rubbish_is_no_run(tmp_path: Path) -> None:
    start(tmp_path / "run")
    with pytest.raises(InputError, match="--resume"):
        start(tmp_path / "run")
    with pytest.raises(InputError, match="does not hold a run"):
        Run.open(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        start(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        start(tmp_path / "file" / "run")
    lacking = sealed.text({"algorithm": "toy"})
    for text, why in (("{", "not JSON"), ("[]", "describe a run"), ("{}", "no digest"), (lacking, "lacks game")):
        (tmp_path / "run" / "config.json").write_text(text)
        with pytest.raises(InputError, match=why):
            Run.open(tmp_path / "run")


def test_what_stands_in_the_way_of_checkpoints_is_told_or_passed_over(tmp_path: Path) -> None:
    train(start(tmp_path / "whole"))
    stopped(tmp_path / "cut", 24)
    for name in ("old", "30", "5.json", "².json"):
        (tmp_path / "cut/checkpoints" / name).mkdir()
    train(Run.open(tmp_path / "cut"))
    assert same(tmp_path / "whole", tmp_path / "cut") and (tmp_path / "cut/checkpoints/old").is_dir()
    start(tmp_path / "file")
    (tmp_path / "file/checkpoints").rmdir()
    (tmp_path / "file/checkpoints").write_text("")
    with pytest.raises(InputError, match="checkpoints cannot be written to") as refused:
        Run.open(tmp_path / "file")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("file", ["metrics.jsonl", "games.jsonl"])
def test_figures_and_games_that_were_damaged_are_told(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(start(tmp_path / "whole"))
    stopped(tmp_path / "cut", 24)
    path = tmp_path / "cut" / file
    path.write_bytes(path.read_bytes() + b'{"step": 25, "to')  # of a process that was killed
    train(Run.open(tmp_path / "cut"))
    assert capsys.readouterr().err == "" and same(tmp_path / "whole", tmp_path / "cut")
    assert [line["step"] for line in lines(path)] == [line["step"] for line in lines(tmp_path / "whole" / file)]
    path.write_bytes(path.read_bytes().replace(b"1", b"7", 1))
    train(Run.open(tmp_path / "cut"))
    assert f"plyground: {path} is damaged: what was told before may be wrong\n" in capsys.readouterr().err
    path.unlink()
    train(Run.open(tmp_path / "cut"))
    assert f"{path} is damaged" in capsys.readouterr().err


def test_options_come_from_what_is_given_then_the_preset_then_the_defaults(tmp_path: Path) -> None:
    run = begin(tmp_path, "toy", "tictactoe", {"pause": 0.5}, "short")
    assert (run.config["options"]["games"], run.config["options"]["pause"]) == (10, 0.5)
    with pytest.raises(InputError, match="preset"):
        begin(tmp_path / "other", "toy", "tictactoe", {}, "shrt")
    with pytest.raises(InputError, match="games is at least 1"):
        begin(tmp_path / "other", "toy", "tictactoe", {"games": 0})
    assert not (tmp_path / "other").exists()
