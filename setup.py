"""The description that package indexes show: README.md, whose links lead somewhere outside the repository, too.

Everything else about the package stands in pyproject.toml.  Where its `project.urls` name a Repository, links and
pictures lead there; without one a link becomes its text, and pictures are left out.  What people see of a package
then holds no link that leads nowhere.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
PICTURES = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)]+)\)")
LINKS = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")
TABLES = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


def described(readme: str, repository: str = "") -> str:
    """The README with links into the repository at this address; without an address, with none."""
    if repository:
        text = PICTURES.sub(rf"![\1]({repository}/raw/HEAD/\2)", readme)
        return LINKS.sub(rf"[\1]({repository}/blob/HEAD/\2)", text)
    text = TABLES.sub(lambda table: "" if PICTURES.search(table[0]) else table[0], readme)
    text = LINKS.sub(r"\1", PICTURES.sub("", text))
    return re.sub(r"\n{3,}", "\n\n", text)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        long_description=described(
            (ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Repository", "")
        ),
        long_description_content_type="text/markdown",
    )
