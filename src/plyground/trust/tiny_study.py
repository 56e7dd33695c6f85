"""A study of a second, to be killed: importing this module registers it as `tiny`, in this process alone."""

from __future__ import annotations

import sys
from typing import Any

from .. import studies
from ..studies.lab import Part, match_part
from ..studies.report import Report, Section, Table

TITLE = "A study of a second"
GAMES = 8


def parts(quick: bool) -> dict[str, Part]:
    """Matches of a few games."""
    return {f"seed {seed}": match_part("tictactoe", "uct(sims=20)", "win-block", GAMES, seed) for seed in range(12)}


def report(found: dict[str, Any], quick: bool) -> Report:
    table = Table(["seed", "wins"], [[name, str(value["wins"])] for name, value in found.items()])
    return Report("Twelve matches.", ["They were played."], [Section("Matches", [table], list(found))])


sys.modules[f"{studies.__name__}.tiny"] = sys.modules[__name__]
studies.REGISTRY["tiny"] = "tiny"
