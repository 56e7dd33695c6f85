"""Pictures that commands write into files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from .spec import InputError

PICTURES = (".svg", ".png", ".pdf")  # files that a plot is drawn into


def must_be_drawable(file: str) -> None:
    """InputError unless a picture can be written into this file."""
    if not file.endswith(PICTURES):
        raise InputError(f"--plot is a file that ends in {' or '.join(PICTURES)}, not {file!r}")
    if not Path(file).absolute().parent.is_dir():
        raise InputError(f"--plot: there is no folder {Path(file).parent}")
    if not find_spec("matplotlib"):
        raise InputError("a plot needs matplotlib: pip install 'plyground[plot]'")
