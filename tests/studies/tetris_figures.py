"""Figures made up for the Tetris part of the study gomoku-tetris."""

from __future__ import annotations

from typing import Any

from plyground.studies.lab import Part
from plyground.studies.tetris_compared import LEARNERS, MCTS, STUDY
from plyground.studies.tetris_runs import agent, controller, linear, training


def games(lines: float) -> dict[str, Any]:
    counts = [lines - 2, lines, lines + 2] * 4
    return {"lines": counts, "scores": [10 * n for n in counts], "seconds_a_piece": 0.001, "unfinished": 0.0}


def made_up(parts: dict[str, Part], end: dict[str, float], middle: dict[str, float]) -> dict[str, Any]:
    """Figures of the Tetris parts: lines of the learners after the same time, and after equally many placements."""
    found: dict[str, Any] = {}
    for name, part in parts.items():
        if part.work is training:
            who = next(word for word in LEARNERS if f", {word}, " in name)
            rest = [{"pieces": 8_000, "seconds": 8.0, "net": games(5)}] * (
                who not in (MCTS, STUDY)
            )  # that has seen fewer
            curve = [{"pieces": 4_000, "seconds": 4.0, "net": games(middle[who])}, *rest]
            curve.append({"pieces": 9_000, "seconds": 9.0, "net": games(end[who])})
            if who in (MCTS, STUDY):
                curve = [point | {"search": point["net"], "net": games(1)} for point in curve]
            found[name] = {"curve": curve}
        elif part.work is linear:
            found[name] = {"seconds": 3.0, "weights": [0.0] * 8, "1": games(40), "2": games(90)}
        elif part.work in (controller, agent):
            found[name] = games(70)
    return found
