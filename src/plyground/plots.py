"""Pictures that commands write into files."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import atomic
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


def save(figure: Any, file: str | Path, **options: Any) -> None:
    """Write a figure of matplotlib into a file, the same bytes whenever the same is drawn."""
    path, drawn = Path(file), io.BytesIO()
    metadata = {"Date": None} if path.suffix == ".svg" else None
    figure.savefig(drawn, format=path.suffix[1:], metadata=metadata, **options)
    atomic.write(path, drawn.getvalue())
