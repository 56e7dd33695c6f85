"""Writes the page of a study and its figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import atomic
from .lab import Lab
from .report import rendered


def write(lab: Lab, study: Any, folder: Path) -> Path:
    """Write `index.html` and `figures.json` from the figures of a lab that has run; return the page."""
    made = lab.summary()
    commands = {name: lab.command(name) for name in lab.parts}
    report = study.report(lab.found, lab.quick)
    page = folder / "index.html"
    atomic.write(page, rendered(study.TITLE, report, commands, made))
    atomic.write(folder / "figures.json", json.dumps(made, indent=1, allow_nan=False))
    return page
