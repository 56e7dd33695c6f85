"""The order of the files: whatever takes longest begins first, so that no core waits for another at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Neighbours begin at the same time: they share few kernels, lest both compile the same.
LONGEST = [
    "studies/test_studies.py",
    "search/test_alphabeta.py",
    "test_docs.py",
    "exact/test_solve.py",
    "games/test_user.py",
    "learn/test_tetris_learning.py",
    "games/k_in_row/test_gomoku.py",
    "exact/test_odds_kernel.py",
    "games/k_in_row/tactics/test_prover.py",
    "nets/test_trained.py",
    "studies/test_gomoku_tetris.py",
    "exact/test_odds.py",
    "agents/test_depth_first.py",
    "search/test_puct.py",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {TESTS / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))
