"""What commands and studies share out over a cluster is what they do on one machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from commands import answer, refusal, run
from plyground import cluster
from plyground.cluster import connected
from plyground.learn.sweep import Sweep
from plyground.studies.lab import Lab, Part

from . import ray_tasks
from .conftest import ENGINE, FAKE

pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")

TOY = str(Path(__file__).parents[1] / "learn" / "toy.py")
JUDGED = ["--balanced", "--openings", "2", "--judge", "own.py"]
COMMANDS = {
    "match": ["match", "tictactoe", "random", "win-block", "--games", "6", "--openings", "1", "--moves"],
    "tournament": ["tournament", "tictactoe", "random", "win-block", "win-only", "--games", "4"],
    "score": ["score", "tetris(6,12)", "random", "--games", "4"],
    "sweep": ["sweep", TOY, "tictactoe", "--vary", "games=4,6", "--seeds", "1", "--checkpoint-every", "4"],
}


@pytest.fixture(scope="module")
def address(started: Any) -> Iterator[str]:
    """That of a cluster to which this process stays connected."""
    with connected(started.address):
        yield started.address


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_tells_the_same(name: str, address: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    one = answer(*COMMANDS[name], "--jobs", "1", "--out", str(here))
    few = ["--actors", "1"] * (name != "match")  # two of them share out nothing that a match does not
    other = answer(*COMMANDS[name], "--ray", address, *few, "--out", str(there))
    assert without_times(one, here) == without_times(other, there)
    nets = [sorted(path.relative_to(out) for path in out.rglob("net.safetensors")) for out in (here, there)]
    assert nets[0] == nets[1] and len(nets[0]) == (2 if name == "sweep" else 0)
    assert all((here / net).read_bytes() == (there / net).read_bytes() for net in nets[0])


def test_an_engine_plays_on_the_nodes_that_have_it(address: str) -> None:
    """This machine has not, and refuses it only where it is to play here."""
    words = ["match", "gomoku(7)", f"external('{ENGINE}', grace=60.0)", "random", "--games", "2"]
    here = answer(*[word.replace(ENGINE, f"{sys.executable} {FAKE}") for word in words], "--jobs", "1", "--moves")
    there = answer(*words, "--ray", address, "--resource", "engine", "--moves")
    moves = [[(game["moves"], game["score"], game["reason"]) for game in told["records"]] for told in (here, there)]
    assert moves[0] == moves[1] and not any(reason for _, _, reason in moves[0])
    assert f"there is no program '{ENGINE}' to start" in refusal(run(*words, "--jobs", "1"))


@pytest.mark.parametrize(
    ("words", "told", "named", "trains"),
    [
        (
            ["match", "tictactoe", "random", "random", "--games", "6", *JUDGED],
            "6 games, in 3 pairs",
            3,
            False,
        ),
        (
            ["tournament", "tictactoe", "random", "random", "win-block", "--games", "4"],
            "12 games, in 6 pairs",
            0,
            False,
        ),
        (["score", "tetris(6,12)", "random", "--games", "1"], "1 game\n", 0, False),
        (["sweep", TOY, "tictactoe", "--vary", "games=4", "--seeds", "1", "--out", "no"], "01-games-4-seed0", 0, True),
        (["reproduce", "uct-minimax", "--quick", "--out", "no"], " figures\n", 0, True),
    ],
)
def test_the_plan_of_a_command_and_what_must_be_the_same_on_all_nodes(
    words: list[str], told: str, named: int, trains: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    @contextmanager
    def recorded(*given: Any) -> Iterator[Any]:
        asked.extend(given)
        yield SimpleNamespace(described=lambda: "2 nodes: 2 cores; 2 actors")

    monkeypatch.setattr(cluster, "connected", recorded)
    ran = run(*words, "--ray", "here:1", "--dry-run")
    assert told in ran.stdout and "2 nodes: 2 cores; 2 actors" in ran.stdout, ran.stderr
    address, _, _, specs, libraries = asked
    assert address == "here:1" and ("torch" in libraries) == trains
    assert not named or specs[named] == "own.py"


def test_a_plan_that_makes_no_sense_is_refused() -> None:
    ran = run("match", "tictactoe", "random", "random", "--judge", "random", "--dry-run")
    assert ran.returncode == 2 and "--judge judges the openings of --balanced" in ran.stderr


def test_files_that_options_of_a_sweep_name_are_those_of_its_runs() -> None:
    found = Sweep("dqn", "tictactoe", {"opponent": ["a.py", "b.py:B"], "lr": [0.1]}, given={"start": "runs/net"})
    assert found.specs == ["dqn", "tictactoe", "runs/net", "a.py", "b.py:B"]


def test_a_part_of_a_study_is_not_computed_elsewhere() -> None:
    ran = run("reproduce", "uct-minimax", "--part", "any", "--ray", "auto")
    assert ran.returncode == 2 and "--part computes one figure, here: leave out --ray" in ran.stderr


def without_times(told: Any, folder: Path) -> Any:
    """What a command has told, without what depends on the clock and the folder."""
    if isinstance(told, dict):
        timed = {word for word in told if "seconds" in word or word == "longest_move"}
        return {word: without_times(value, folder) for word, value in told.items() if word not in timed}
    if isinstance(told, list):
        return [without_times(value, folder) for value in told]
    return told.replace(str(folder), "OUT") if isinstance(told, str) else told


def test_a_study_has_the_same_figures(address: str, tmp_path: Path) -> None:
    parts = {f"square {i}": Part(ray_tasks.squared, {"task": i}) for i in range(4)}
    lab = Lab("study", parts, tmp_path, quick=False)
    with connected(address, actors=1) as found:
        lab.run(found)
    assert lab.found == {f"square {i}": i * i for i in range(4)}
