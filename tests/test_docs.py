"""The examples of the README and of the docs are run, as a reader would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for language, text in blocks(page):
        named = re.match(r"# (\w+\.py)\n", text)
        if named:
            (tmp_path / named[1]).write_text(text)
            continue
        command = ["bash", "-euc", text] if language == "bash" else [sys.executable, "-c", text]
        ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, f"{text}\n{ran.stdout}\n{ran.stderr}"
        assert ran.stdout


def test_readme_names_the_two_commands() -> None:
    assert {"make run", "make test"} <= set(re.findall(r"make \w+", (ROOT / "README.md").read_text()))


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} names {target}"
