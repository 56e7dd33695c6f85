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
from plyground import games

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)]
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# as `python -m sphinx`, which spends a sixth of its time looking for garbage, and as much on the words to search for
SPHINX = """
import gc, sys
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.cmd.build import main
gc.disable()
StandaloneHTMLBuilder.search = False
sys.exit(main(sys.argv[1:]))
"""
PLAIN = re.compile(r"""plyground ([^|&;<>$`\\"]|"[^|&<>$`\\"]*")+""")


def name_of(page: Path) -> str:
    """`README.md`, `rules.md`, `tutorials/student.md`: as links in docs have it."""
    return page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


@pytest.mark.usefixtures("nets_in_this_process", "measured_quickly")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name_of)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plyground.arena.parallel.possible", lambda work, jobs: 1)  # no processes for a few games
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
    return [
        run(*shlex.split(line, comments=True)[1:]) if PLAIN.fullmatch(line) else run_in_shell(line)
        for line in text.splitlines()
    ]


def run_in_shell(line: str) -> Ran:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-euc", line], env=environment, capture_output=True, text=True)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def test_readme_names_the_two_commands() -> None:
    assert {"make run", "make test"} <= set(re.findall(r"make \w+", (ROOT / "README.md").read_text()))


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings: small letters, words joined by dashes."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.strip().lower())) for title in titles}


def links(page: Path) -> list[tuple[str, str]]:
    """The links of a page into the repository: file, or "" for the page itself, and heading, or ""."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(((?!https?:)[^)#]*)#?([^)]*)\)", text)


def test_links_between_pages_lead_somewhere() -> None:
    assert sum(len(links(page)) for page in PAGES) > 100
    for page in PAGES:
        for target, heading in links(page):
            file = page.parent / target if target else page
            assert file.is_file(), f"{name_of(page)} names {target}"
            assert not heading or heading in headings(file), f"{name_of(page)} names {target}#{heading}"


def test_every_page_is_in_the_table_of_contents_once() -> None:
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```", (DOCS / "index.md").read_text(), re.DOTALL | re.MULTILINE)
    lines = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    listed = [re.sub(r".*<(.*)>", r"\1", line) + ".md" for line in lines]
    assert sorted(listed) == sorted(name_of(page) for page in PAGES[1:] if page != DOCS / "index.md")


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the site is built by Sphinx: pip install 'plyground[docs]'")
    words = ["-c", SPHINX, "-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path / "read"), str(DOCS)]
    ran = subprocess.run([sys.executable, *words, str(tmp_path / "site")], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    for page in PAGES[1:]:
        assert (tmp_path / "site" / name_of(page)).with_suffix(".html").is_file()
    reference = (tmp_path / "site" / "reference" / "python.html").read_text()
    assert 'id="plyground.rules.Compiled.legal"' in reference


@pytest.mark.parametrize("spec", sorted(games.registry()))
def test_the_fields_of_every_game_are_told(spec: str) -> None:
    """In the table of the page on rules; the game against nature has those of the one that is played."""
    rows = (DOCS / "rules.md").read_text().splitlines()
    (row,) = [row for row in rows if row.startswith("| `") and f"`{spec}`" in row.split("|")[1] and "fields" not in row]
    if spec != "against-random":
        told = {name for name, *_ in games.make(spec).fields()}
        assert told <= set(re.findall("`([a-z]+)`", row.split("|")[2]))
