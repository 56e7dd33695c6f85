"""The examples of the README and of the docs run."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from commands import Ran, run

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PLAIN = re.compile(r"plyground [^|&;<>$`\\]+")


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plyground.cli.arena.Asked.processes", 1)  # matches take no processes of their own
    for language, text in blocks(page):
        named = re.match(r"# (\w+\.py)\n", text)
        if named:
            (tmp_path / named[1]).write_text(text)
        elif language == "bash":
            for ran in run_in_terminal(text):
                assert ran.returncode == 0 and ran.stdout, f"{text}\n{ran.stdout}\n{ran.stderr}"
        else:
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(text, page.name, "exec"), {"__name__": "__main__"})
            assert out.getvalue()


def run_in_terminal(text: str) -> list[Ran]:
    """What comes of some lines in a terminal.  Plain commands of Plyground take no process of their own."""
    if all(PLAIN.fullmatch(line) for line in text.splitlines()):
        return [run(*shlex.split(line, comments=True)[1:]) for line in text.splitlines()]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-euc", text], env=environment, capture_output=True, text=True)
    return [Ran(ran.returncode, ran.stdout, ran.stderr)]


def test_readme_names_the_two_commands() -> None:
    assert {"make run", "make test"} <= set(re.findall(r"make \w+", (ROOT / "README.md").read_text()))


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} names {target}"
