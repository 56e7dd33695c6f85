"""No kernel is compiled or loaded while an agent is timed, in any process, for a game from a user's file or ours."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands import run_alone
from toys import heap_file

LOADS = Path(__file__).parent / "loads"
AGENT = """
from plyground import agents


class Inside:
    def __init__(self):
        self.inner = agents.make("uct(sims=5)")

    def think(self, game, state, limit):
        return self.inner.think(game, state, limit)
"""
HYBRID = 'hybrid("random","alphabeta(depth=2)",1)'


def loads(folder: Path, *words: str) -> list[list[str]]:
    """What a command compiles and loads, in all of its processes: whether it was timed, the process, the kernel."""
    file = folder / "loads"
    path = os.pathsep.join([str(LOADS), os.environ.get("PYTHONPATH", "")])
    ran = run_alone(*words, LOADS=str(file), PYTHONPATH=path)
    assert ran.returncode == 0, ran.stderr
    return [line.split() for line in file.read_text().splitlines()]


@pytest.fixture
def heap(tmp_path: Path) -> str:
    (tmp_path / "heap.py").write_text(heap_file(4))
    (tmp_path / "inside.py").write_text(AGENT)
    return str(tmp_path / "heap.py")


def test_a_tournament_of_searches_in_several_processes(heap: str, tmp_path: Path) -> None:
    agents = ["uct(sims=5,keep=True)", "rave(sims=5)", HYBRID, str(tmp_path / "inside.py")]
    found = loads(tmp_path, "tournament", heap, *agents, "--games", "4", "--jobs", "2")
    assert {line[2] for line in found} == {"grow", "run", "transplant"}
    assert len({line[1] for line in found}) >= 4  # the command, two players of games, and the agent from a file
    assert [line for line in found if line[0] == "timed"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["play", "HEAP", "--you", "uct(sims=5,keep=True)", "--agent", HYBRID],
        ["think", "HEAP", "rave(sims=5)"],
        ["score", "tetris(6,12)", "bcts", "--games", "2", "--moves", "20", "--jobs", "2"],
        ["match", "gomoku(15)", "gomoku-classic(seconds=0.02)", "threats", "--games", "2", "--jobs", "1"],
    ],
    ids=lambda words: words[0],
)
def test_other_commands(words: list[str], heap: str, tmp_path: Path) -> None:
    found = loads(tmp_path, *(heap if word == "HEAP" else word for word in words))
    assert found and [line for line in found if line[0] == "timed"] == []
