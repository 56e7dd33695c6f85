"""Figures are computed once, kept as they come, and not taken from other sources or arguments."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from plyground.spec import InputError
from plyground.studies import lab
from plyground.studies.lab import FIGURES, Lab, Part, match_part

CALLS: list[int] = []


def square(x: int) -> int:
    CALLS.append(x)
    return x * x


def slow(x: int, seconds: float) -> int:
    time.sleep(seconds)
    return x


def failing(x: int) -> int:
    raise InputError("it does not go on")


def some(count: int) -> dict[str, Part]:
    return {f"square {x}": Part(square, {"x": x}) for x in range(count)}


@pytest.fixture(autouse=True)
def no_calls() -> None:
    CALLS.clear()


def test_every_part_is_computed_and_told_of(tmp_path: Path) -> None:
    told: list[str] = []
    work = Lab("study", some(3), tmp_path / "new" / "folder", quick=False)
    work.run(1, told.append)
    assert work.found == {"square 0": 0, "square 1": 1, "square 2": 4} and told == list(work.parts)
    assert work.summary()["figures"]["square 2"]["value"] == 4


def test_the_plan_counts_what_is_missing_and_what_others_cannot_do(tmp_path: Path) -> None:
    Lab("study", some(1), tmp_path, quick=False).run(1)
    parts = {**some(3), "timed": Part(square, {"x": 7}, timed=True)}
    work = Lab("study", parts, tmp_path, quick=False)
    assert work.planned(work.missing).startswith("3 of 4 figures, 1 of them one by one on this machine")
    assert work.planned(["square 0"]) == "1 of 4 figures"


def test_parts_computed_in_other_processes_are_the_same(tmp_path: Path) -> None:
    parts = {"match": match_part("tictactoe", "win-block", "random", 20), **some(2)}
    found = []
    for jobs in (1, 2):
        work = Lab("study", parts, tmp_path / str(jobs), quick=False)
        work.run(jobs)
        match = {k: v for k, v in work.found["match"].items() if "seconds" not in k and "longest" not in k}
        found.append((match, work.found["square 1"]))
    assert found[0] == found[1] and found[0][0]["games"] == 20


def test_a_later_run_takes_what_is_there(tmp_path: Path) -> None:
    Lab("study", some(2), tmp_path, quick=False).run(1)
    told: list[str] = []
    later = Lab("study", some(3), tmp_path, quick=False)
    later.run(1, told.append)
    assert CALLS == [0, 1, 2] and len(told) == 3 and later.found["square 2"] == 4


@pytest.mark.parametrize("change", ["sources", "arguments"])
def test_figures_of_other_sources_or_arguments_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    Lab("study", some(2), tmp_path, quick=False).run(1)
    parts = some(2)
    if change == "sources":
        monkeypatch.setattr(lab, "digest_of_sources", lambda: "other")
    else:
        parts = {name: Part(square, {"x": part.arguments["x"] + 5}) for name, part in parts.items()}
    assert Lab("study", parts, tmp_path, quick=False).found == {}


def test_half_a_line_and_rubbish_cost_only_themselves(tmp_path: Path) -> None:
    Lab("study", some(3), tmp_path, quick=False).run(1)
    lines = (tmp_path / FIGURES).read_text().splitlines()
    torn = [lines[0], "null", "[1]", '{"part": 3}', "\x00\xff", lines[1], lines[2][:25]]
    (tmp_path / FIGURES).write_text("\n".join(torn))
    again = Lab("study", some(3), tmp_path, quick=False)
    assert set(again.found) == {"square 0", "square 1"}
    again.run(1)
    assert len((tmp_path / FIGURES).read_text().splitlines()) == 3


def test_a_part_that_fails_leaves_the_others_kept(tmp_path: Path) -> None:
    parts = {**some(2), "bad": Part(failing, {"x": 1})}
    with pytest.raises(InputError):
        Lab("study", parts, tmp_path, quick=False).run(1)
    assert set(Lab("study", parts, tmp_path, quick=False).found) == {"square 0", "square 1"}


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\nfrom test_lab import *\nfrom pathlib import Path\n"
    code += "parts = {str(x): Part(slow, {'x': x, 'seconds': 0.01 if x < 3 else 60}) for x in range(5)}\n"
    code += f"Lab('study', parts, Path({str(tmp_path)!r}), False).run(1)"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parent)
    end = time.monotonic() + 300
    while time.monotonic() < end and len(_lines(tmp_path)) < 3:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert [json.loads(line)["part"] for line in _lines(tmp_path)] == ["0", "1", "2"]


def _lines(folder: Path) -> list[str]:
    return (folder / FIGURES).read_text().splitlines() if (folder / FIGURES).exists() else []


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Lab("study", some(1), tmp_path / "file", quick=False).run(1)


def test_commands_are_such_that_a_shell_reads_them_back() -> None:
    import shlex

    one = """hybrid(before="random", then='uct(sims=5)', from_cells=10)"""
    command = match_part("line-taking", one, "random", 4).command
    assert shlex.split(command) == [
        *("plyground", "match", "line-taking", one, "random"),
        *("--games", "4", "--seed", "1"),
    ]
    work: Any = Lab("study", some(1), Path("nowhere"), quick=True)
    assert shlex.split(work.command("square 0")) == ["plyground", "reproduce", "study", "--quick", "--part", "square 0"]
