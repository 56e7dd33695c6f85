"""Sweeps: every run is the one that `train` makes, a kill loses nothing that had ended, medians are what they say."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import pytest

from commands import answer, refusal, run
from plyground.arena.statistics import median_interval
from plyground.learn import sweep, train
from plyground.web.runs import Runs

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

    def until(run: Any) -> Any:
        """The third run ends suddenly, after its first checkpoint."""
        begun.append(run.folder.name)

        def watch(learner: Any, figures: Any) -> None:
            if len(begun) == 3 and learner.done >= 8:
                raise KeyboardInterrupt

        return train.train(run, watch)

    monkeypatch.setattr(sweep, "train", until)
    parts = tmp_path / "parts"
    stopped = run(*WORDS, "--out", str(parts))
    assert stopped.returncode == 130 and "--resume goes on with" in stopped.stderr and len(begun) == 3
    assert len((parts / "results.jsonl").read_text().splitlines()) == 2
    assert (parts / begun[2] / "checkpoints" / "4.json").exists() and not (parts / begun[2] / "net.json").exists()
    monkeypatch.setattr(sweep, "train", lambda run: (begun.append(run.folder.name), train.train(run))[1])
    told = answer(*WORDS, "--out", str(parts), "--resume")
    assert figures(told) == figures(whole) and told["complete"]
    assert begun[3:] == [begun[2], "02-games-14-seed1"]  # the others had ended


def test_runs_at_once_are_the_same(tmp_path: Path) -> None:
    one, two = (answer(*WORDS, "--out", str(tmp_path / jobs), "--jobs", jobs) for jobs in ("1", "2"))
    assert figures(one) == figures(two)


def test_a_setting_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    words = ["sweep", "dqn", "tictactoe", "--vary", "memory=5,200", "--games", "20", "--hidden", "8", "--seeds", "1"]
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


def test_a_folder_keeps_its_plan(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "sweep")]
    short = ["sweep", TOY, "tictactoe", "--vary", "games=2,4", "--seeds", "1"]
    assert run(*short, *out).returncode == 0
    assert "--resume" in refusal(run(*short, *out))
    assert "another plan" in refusal(run(*short[:-1], "2", *out, "--resume"))
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
