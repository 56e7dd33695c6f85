"""The command itself is killed, again and again, while others work for it; gone on with, it comes to the same end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from commands import answer, run

pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")

KILLS = int(os.environ.get("KILLS", "1"))  # of each kind of work; ten take minutes
PATIENCE = 300.0  # seconds in which work comes further, on however busy a machine

MATCH = ["match", "tictactoe", "uct(sims=1000)", "win-block", "--games", "40", "--openings", "2"]
TRAIN = ["train", "alphazero", "tictactoe"]
SMALL = ["--positions", str(60 * (2 + KILLS)), "--round", "40", "--parallel-games", "4", "--sims", "4"]
SMALL += ["--quick-sims", "4", "--blocks", "1"]
SMALL += ["--channels", "4", "--checkpoint-every", "40", "--measure-every", "0", "--lag", "1", "--device", "cpu"]


# `python -m plyground`, whose nets are measured as by the fixture measured_quickly
COMMAND = """
from plyground.cli import main
from plyground.learn.selfplay import elo, measurement
measurement.SIMS, elo.GAMES, elo.SIMS = 2, 4, 4
main()
"""


def begun(words: list[str], out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", COMMAND, *words, "--out", str(out), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def killed(words: list[str], again: list[str], last: list[str], out: Path, reached: Callable[[], int]) -> Any:
    """Begin work, kill it each time it has come further, go on, and let it end at last, here."""
    for number in range(KILLS):
        before, since = reached(), time.monotonic()
        process = begun(again if number else words, out)
        while reached() == before and time.monotonic() - since < PATIENCE:
            assert process.poll() is None, "it has ended before it could be killed"
            time.sleep(0.01)
        process.kill()
        process.wait()
    return answer(*last, "--out", str(out))


def test_a_match_that_is_killed_has_the_same_games(nodes: Any, tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    pairs = there / "pairs.jsonl"
    words = [*MATCH, "--ray", nodes.address]
    again = [*words, "--resume"]
    told = killed(words, again, again, there, lambda: pairs.stat().st_size if pairs.exists() else 0)
    assert told["games"] == 40 and told["score"] == answer(*MATCH, "--jobs", "1", "--out", str(here))["score"]
    assert games_of(there) == games_of(here)


def games_of(folder: Path) -> list[Any]:
    """The moves of every game, once each."""
    lines = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]
    played = [game for line in lines for game in line.get("records", [])]
    found = sorted((game["number"], game["actions"], game["score"]) for game in played)
    assert len({number for number, *_ in found}) == len(found) == 40
    return found


@pytest.mark.usefixtures("measured_quickly")
def test_a_training_that_is_killed_has_the_same_weights(nodes: Any, tmp_path: Path) -> None:
    """It ends on this machine, without the cluster."""
    there, here = tmp_path / "there", tmp_path / "here"

    def newest() -> int:
        return max((int(path.stem) for path in (there / "checkpoints").glob("*.json")), default=0)

    words, again = [*TRAIN, *SMALL, "--threads", "1"], [*TRAIN, "--resume"]
    killed([*words, "--ray", nodes.address, "--actors", "1"], again, [*again, "--ray", ""], there, newest)
    told = json.loads((there / "config.json").read_text())["options"]
    assert told["ray"] == "" and told["actors"] == 1
    run(*TRAIN, *SMALL, "--threads", "1", "--out", str(here))
    one, other = (load_file(folder / "net.safetensors") for folder in (there, here))
    assert one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)
