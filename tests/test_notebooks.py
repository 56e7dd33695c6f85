"""The notebooks run, cell by cell, and what their cells show can be shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[str]:
    told = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in told["cells"] if cell["cell_type"] == kind]


def run(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; what its last line gives is shown, unless that ends with a semicolon."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
    return None if cell.rstrip().endswith(";") else value


def shown(value: Any) -> str:
    for way in ("_repr_html_", "_repr_svg_", "__repr__"):
        if hasattr(value, way) and (said := getattr(value, way)()):
            return str(said)
    return ""


def test_there_are_four() -> None:
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3", "4"]


@pytest.mark.usefixtures("nets_in_this_process", "measured_quickly")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plyground.cluster.cores", lambda: 1)
    names: dict[str, Any] = {"__name__": "__main__"}
    pictures = 0
    for cell in cells(path, "code"):
        value = run(cell, names)
        pictures += value is not None and shown(value).lstrip().startswith(("<svg", "<table", "<div"))
    assert pictures or pyplot.get_fignums()
    pyplot.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_its_outputs_and_explains_itself(path: Path) -> None:
    told = json.loads(path.read_text(encoding="utf-8"))
    assert all(not cell["outputs"] for cell in told["cells"] if cell["cell_type"] == "code")
    assert len(cells(path, "markdown")) >= 4
