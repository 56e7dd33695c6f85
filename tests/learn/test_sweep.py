"""Sweeps: every run is the one that `train` makes, a kill loses nothing that had ended, medians are what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from math import comb
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from commands import answer, refusal, run
from plyground.arena.statistics import median_interval
from plyground.learn import sweep, train
from plyground.learn.run import METRICS, TRAINER, born
from plyground.report.sweep import SweepReport
from plyground.web.runs import Runs

pytestmark = pytest.mark.usefixtures("unplayed")
TOY = str(Path(__file__).parent / "toy.py")
WORDS = ["sweep", TOY, "tictactoe", "--vary", "games=10,14", "--seeds", "2", "--checkpoint-every", "4"]


def figures(told: dict[str, Any]) -> list[Any]:
    return [[one["figures"] for one in setting["runs"]] for setting in told["settings"]]


def test_every_run_is_the_one_that_training_makes(tmp_path: Path) -> None:
    told = answer(*WORDS, "--out", str(tmp_path / "sweep"))
    assert told["complete"] and [one["setting"] for one in told["settings"]] == [{"games": 10}, {"games": 14}]
    alone = answer(
        "train",
        TOY,
        "tictactoe",
        "--games",
        "14",
        "--seed",
        "1",
        "--checkpoint-every",
        "4",
        "--out",
        str(tmp_path / "one"),
    )
    found = told["settings"][1]["runs"][1]
    assert found["run"] == "02-games-14-seed1" and found["figures"]["luck"] == alone["figures"]["luck"]
    one, other = tmp_path / "one", tmp_path / "sweep" / found["run"]
    assert (one / "net.safetensors").read_bytes() == (other / "net.safetensors").read_bytes()
    lucks = sorted(run["figures"]["luck"] for run in told["settings"][1]["runs"])
    summary = told["settings"][1]["figures"]["luck"]
    assert [summary["low"], summary["high"]] == lucks and summary["median"] == sum(lucks) / 2
    assert summary["coverage"] == 0.5
    shown = run(*WORDS, "--out", str(tmp_path / "sweep"), "--resume").stdout
    assert "games=14" in shown and "with 50%; six seeds are the fewest" in shown
    assert (tmp_path / "sweep" / "sweep.svg").read_text().count("games=1") >= 2
    assert f"sweep/{found['run']}" in list(Runs(tmp_path).names())  # of the page


def test_a_sweep_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = answer(*WORDS, "--out", str(tmp_path / "whole"))
    begun: list[str] = []

    def until(run: Any, told: Any) -> Any:
        """The third run ends suddenly, after its first checkpoint."""
        begun.append(run.folder.name)

        def watch(learner: Any, figures: Any) -> None:
            told(learner, figures)
            if len(begun) == 3 and learner.done >= 8:
                raise KeyboardInterrupt

        return train.train(run, watch)

    monkeypatch.setattr(sweep, "train", until)
    parts = tmp_path / "parts"
    stopped = run(*WORDS, "--out", str(parts))
    assert stopped.returncode == 130 and "--resume goes on with" in stopped.stderr and len(begun) == 3
    assert len((parts / "results.jsonl").read_text().splitlines()) == 2
    assert (parts / begun[2] / "checkpoints" / "4.json").exists() and not (parts / begun[2] / "net.json").exists()
    monkeypatch.setattr(sweep, "train", lambda run, _: (begun.append(run.folder.name), train.train(run))[1])
    told = answer(*WORDS, "--out", str(parts), "--resume")
    assert figures(told) == figures(whole) and told["complete"]
    assert begun[3:] == [begun[2], "02-games-14-seed1"]  # the others had ended


def test_seeds_are_added_to_a_sweep_that_goes_on(tmp_path: Path) -> None:
    one, more = ([*WORDS[:6], seeds, *WORDS[7:], "--out", str(tmp_path / "sweep")] for seeds in ("1", "2"))
    first, whole = answer(*one), answer(*WORDS, "--out", str(tmp_path / "whole"))
    times = [path.stat().st_mtime_ns for path in sorted(tmp_path.glob("sweep/*seed0/net.json"))]
    shown = run(*more, "--resume", "--dry-run").stdout
    assert shown.count(": has ended") == 2 and shown.count("seed1\n") == 2
    told = answer(*more, "--resume")
    assert figures(told) == figures(whole) and figures(first) == [runs[:1] for runs in figures(told)]
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.glob("sweep/*seed0/net.json"))] == times
    assert "has 2 seeds: --seeds 2 goes on" in refusal(run(*one, "--resume"))


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_a_sweep_that_is_terminated_ends_its_processes_and_goes_on(tmp_path: Path) -> None:
    words = ["sweep", TOY, "tictactoe", "--vary", "games=1000000,2000000", "--seeds", "1", "--checkpoint-every", "500"]
    command = [sys.executable, "-m", "plyground", *words, "--jobs", "2", "--out", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as swept:
        try:
            while swept.poll() is None and len({path.parent for path in tmp_path.glob("*/checkpoints/*.json")}) < 2:
                time.sleep(0.05)
            trainers = [json.loads(path.read_text())["process"] for path in tmp_path.glob(f"*/{TRAINER}")]
            assert len(trainers) == 2 and swept.pid not in trainers and all(map(born, trainers))
        finally:
            swept.terminate()
        told = swept.communicate()[1]
    assert f"interrupted; --resume goes on with {tmp_path}" in told and swept.returncode == 143
    while any(map(born, trainers)):
        time.sleep(0.05)
    shown = run(*words, "--out", str(tmp_path), "--resume", "--dry-run").stdout
    assert "01-games-1000000-seed0\n" in shown and "ended" not in shown


def test_runs_at_once_are_the_same(tmp_path: Path) -> None:
    one, two = (answer(*WORDS, "--out", str(tmp_path / jobs), "--jobs", jobs) for jobs in ("1", "2"))
    assert figures(one) == figures(two)


def test_a_setting_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    words = ["sweep", "dqn", "tictactoe", "--vary", "memory=5,200", "--games", "20", "--hidden", "8", "--seeds", "1"]
    plan = run(*words, "--out", str(tmp_path / "sweep"), "--dry-run").stdout
    assert "01-memory-5-seed0: train: memory holds at least a batch" in plan and "02-memory-200-seed0\n" in plan
    ran = run(*words, "--measure-every", "0", "--out", str(tmp_path / "sweep"))
    assert ran.returncode == 0 and "memory=5 failed once: train: memory holds at least a batch" in ran.stdout
    rows = [line.split() for line in ran.stdout.splitlines() if line.startswith("memory=")]
    assert rows[1][:2] == ["memory=200", "1"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--vary", "games"], "like lr=0.001,0.003"),
        (["--vary", "game=3,4"], "did you mean games"),
        (["--vary", "games=3,x"], "whole numbers"),
        (["--vary", "games=0,3"], "at least 1"),
        (["--vary", "games=3,3"], "twice"),
        (["--vary", "seed=1,2"], "--seeds"),
        (["--vary", "games=3,4", "--games", "7"], "leave out --games"),
        ([], "--vary"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words: list[str], why: str, tmp_path: Path) -> None:
    assert why in refusal(run("sweep", TOY, "tictactoe", *words, "--out", str(tmp_path / "sweep")))
    assert not list(tmp_path.iterdir())


def test_a_dry_run_of_a_training_looks_at_its_folder_too(tmp_path: Path) -> None:
    words = ["train", TOY, "tictactoe", "--out", str(tmp_path / "run")]
    assert "there is no" in refusal(run(*words, "--resume", "--dry-run"))
    assert run(*words, "--games", "4").returncode == 0
    assert "holds a run already" in refusal(run(*words, "--dry-run"))
    assert "leave out --games" in refusal(run(*words, "--resume", "--games", "9", "--dry-run"))
    assert "4 games of tictactoe" in run(*words, "--resume", "--dry-run").stdout
    assert "4 games of tictactoe" in run(*words[:3], "--games", "4", "--dry-run").stdout
    for more in ([], ["--resume", "--dry-run"]):
        assert "--out RUN" in refusal(run(*words[:3], *more))


def test_a_folder_keeps_its_plan(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "sweep")]
    short = ["sweep", TOY, "tictactoe", "--vary", "games=2,4", "--seeds", "1"]
    assert run(*short, *out).returncode == 0
    for more in ([], ["--dry-run"]):
        assert "holds runs already: --resume goes on" in refusal(run(*short, *out, *more))
        assert "another plan: its seed is 0, not 1" in refusal(run(*short, *out, "--resume", "--seed", "1", *more))
    shown = run("sweep", TOY, "tictactoe", "--vary", "games=2|4", "--out", str(tmp_path / "none"), "--dry-run").stdout
    assert shown.count("seed") == 6 and "1 process of this machine" in shown and not (tmp_path / "none").exists()
    lines = (tmp_path / "sweep" / "results.jsonl").read_text()
    (tmp_path / "sweep" / "results.jsonl").write_text(lines.replace('"luck": 0.', '"luck": 1.'))
    assert "is not a run that has ended" in refusal(run(*short, *out, "--resume"))
    assert json.loads((tmp_path / "sweep" / "plan.json").read_text())["plan"]["vary"] == {"games": [2, 4]}


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 1), (5, 1), (6, 1), (9, 2), (10, 2), (15, 4), (20, 6), (25, 8)])
def test_intervals_of_medians_are_those_of_the_tables(n: int, k: int) -> None:
    """The ranks that tables of distribution-free intervals give (Conover, Practical Nonparametric Statistics)."""
    low, high, sure = median_interval([float(i) for i in reversed(range(1, n + 1))])
    assert (low, high) == (k, n + 1 - k)
    assert sure == pytest.approx(sum(comb(n, i) for i in range(k, n - k + 1)) / 2**n)
    assert sure >= 0.95 or n < 6


def test_a_figure_that_was_not_measured_costs_no_table_and_without_a_net_the_command_has_failed(tmp_path: Path) -> None:
    words = ["sweep", TOY, "tictactoe", "--vary", "games=4", "--seeds", "1", "--out", str(tmp_path / "sweep")]
    shown = run(*words, "--figure", "luk")
    assert shown.returncode == 2 and "games=4" in shown.stdout and "did you mean luck" in shown.stdout
    ppo = run("sweep", "ppo", "tictactoe", "--vary", "opponents=human", "--seeds", "1", "--out", str(tmp_path / "ppo"))
    assert ppo.returncode == 1 and "failed once: train: nobody has the patience" in ppo.stdout
    assert "nobody has the patience" in refusal(
        run("train", "alphago", "tictactoe", "--teacher", "human", "--out", str(tmp_path / "alphago"))
    )


def test_runs_that_were_measured_at_their_ends_alone_are_drawn_where_they_end(tmp_path: Path) -> None:
    plan, ended = sweep.Sweep(TOY, "tictactoe", {"games": [4]}, seeds=2), {}
    for seed, step, luck in ((0, 8, 0.25), (1, 9, 0.75)):  # a round ends when its last game does
        (tmp_path / str(seed)).mkdir()
        (tmp_path / str(seed) / METRICS).write_text(json.dumps({"step": step, "luck": luck}) + "\n")
        ended[sweep.Task(0, seed)] = sweep.Ended(str(seed), 1.0, {"luck": luck}, ["luck"])
    axes = Figure().subplots()
    SweepReport(plan, tmp_path, ended)._draw(axes)
    assert axes.lines[0].get_xydata().tolist() == [[8, 0.5], [9, 0.5]]
