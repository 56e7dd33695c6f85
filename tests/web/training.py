"""Folders of runs as training leaves them, and as accidents do."""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path
from typing import Any

from plyground.learn.run import TRAINER, born

CONFIG = {
    "algorithm": "dqn",
    "game": "tictactoe",
    "options": {"games": 10_000, "lr": 0.001, "hidden": "64", "masking": True},
    "seed": 7,
    "date": "2026-01-02",
    "command": "plyground train dqn tictactoe --out runs/dqn --seed 7",
    "versions": {"plyground": "0.1"},
}
WON, DRAWN = "a3 a1 b3 b1 c3", "a3 b2 c1 b3 b1 a2 c2 c3 a1"


def lines(count: int) -> list[dict[str, Any]]:
    """The figures of a run that gets better; mistakes are counted after every tenth line."""
    found: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        part = number / count
        wins, draws = 0.4 + 0.5 * part**0.5, 0.1
        figures = {"wins": wins, "draws": draws, "losses": 1 - wins - draws, "invalid": 0.2 * (1 - part)}
        figures |= {"loss": 9.0 / number, "epsilon": 0.9 * 0.05**part, "seconds": 0.1 * number}
        if number % 10 == 0:
            figures |= {
                "mistakes": 0.5 * (1 - part) + 0.1,
                "mistakes_interval": 0.05,
                "random_first_wins": 0.6 + 0.3 * part,
            }
        found.append({"step": 50 * number, **figures})
    return found


def run(folder: Path, figures: list[dict[str, Any]], age: float = 1000.0, **config: Any) -> Path:
    """Write a run that has not grown for so many seconds."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | config))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in figures))
    games = [
        {"step": line["step"], "moves": (WON, DRAWN)[n % 2], "score": 1 - n % 2, "seat": 1}
        for n, line in enumerate(figures)
    ]
    (folder / "games.jsonl").write_text("".join(json.dumps(game) + "\n" for game in games))
    aged(folder, age)
    return folder


def under_way(folder: Path) -> None:
    """Let a run be one that this process trains."""
    told = {"host": platform.node(), "process": os.getpid(), "born": born(os.getpid())}
    (folder / TRAINER).write_text(json.dumps(told))


def aged(folder: Path, age: float) -> None:
    then = time.time() - age
    for path in folder.iterdir():
        os.utime(path, (then, then))
