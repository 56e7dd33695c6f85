"""Benchmarks: every speed beside a peer or a limit that is measured in the same run.

Machines are noisy, so what is compared is run in turns, a short piece of each, and the ratio is the median
over the turns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from .. import manifest
from ..manifest import registered, warn
from ..plots import must_be_drawable
from ..spec import InputError, look_up

LONG = ("connect-four", "learners", "load", "ray", "review", "tricks")  # they take minutes: only where they are named
PARTS = {  # name: module and function
    "peers": "tree_search:peers",
    "rollouts": "tree_search:rollouts",
    "nodes": "tree_search:nodes",
    "start": "tree_search:start",
    "scaling": "tree_search:scaling",
    "exact": "exact:exact",
    "solving": "exact:solving",
    "page": "page:page",
    "first-move": "first_move:first_move",
    "env": "environments:environments",
    "selfplay": "selfplay:selfplay",
    "signature": "signature:signature",
    "learners": "learners:learners",
    "load": "load:load",
    "review": "review:reviews",
    "tricks": "tricks:tricks",
    "ray": "clusters:clusters",
}


def parts() -> dict[str, str]:
    """All benchmarks by name: `package.module:function`."""
    return {name: f"{__name__}.{where}" for name, where in PARTS.items()} | registered("benchmarks")


def part_of(name: str) -> Callable[[float], Any]:
    """What measures a part, given the seconds for each of its rows."""
    where = parts()[look_up("benchmark", name, parts())]
    try:
        return manifest.load("benchmark", name, where)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise InputError(f"{name} needs PyTorch: pip install 'plyground[train]'") from None


def measure(chosen: list[str], seconds: float, plot: str) -> dict[str, Any]:
    """Run the named parts, or all but the long ones; of these, one that cannot be loaded is named and left out."""
    for part in chosen:
        part_of(part)
    if plot:
        must_be_drawable(plot)
    measured: dict[str, Any] = {}
    for part in chosen or [name for name in parts() if name not in LONG]:
        try:
            measure_part = part_of(part)
        except InputError as error:
            warn(str(error))
            continue
        print(f"plyground: measuring {part} ...", file=sys.stderr, flush=True)
        found = measure_part(seconds)
        measured[part] = list(announced(found)) if isinstance(found, Iterator) else found
    if plot and "learners" in measured:
        from .learners import curves

        curves(plot)
    elif plot:
        from .tree_search import draw, scaling

        draw(measured["scaling"] if "scaling" in measured else scaling(seconds), plot)
    return measured


def announced(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """These rows, each of which is told on stderr once it was measured: some parts take minutes."""
    for row in rows:
        values = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()]
        said = (f"{name} {value}" for name, value in zip(row, values, strict=True))
        print(f"plyground:   {', '.join(said)}", file=sys.stderr, flush=True)
        yield row
