"""Study gomoku-tetris: MC-RAVE, actor-critics that learn Gomoku and Tetris by MCTS, and what they compare with.

A topic is a module with `ABOUT`, `parts(quick)`, `findings(found, quick)` and `sections(found, quick)`; the page has
them in this order.
"""

from __future__ import annotations

from typing import Any

from . import gomoku_game, gomoku_rave, gomoku_selfplay, tetris_compared
from .lab import Part
from .report import Report

TITLE = "Gomoku and Tetris by tree search and learning"

TOPICS: tuple[Any, ...] = (gomoku_rave, gomoku_selfplay, gomoku_game, tetris_compared)


def parts(quick: bool) -> dict[str, Part]:
    return {name: part for topic in TOPICS for name, part in topic.parts(quick).items()}


def report(found: dict[str, Any], quick: bool) -> Report:
    about = " ".join(topic.ABOUT for topic in TOPICS)
    findings = [finding for topic in TOPICS for finding in topic.findings(found, quick)]
    return Report(about, findings, [section for topic in TOPICS for section in topic.sections(found, quick)])
