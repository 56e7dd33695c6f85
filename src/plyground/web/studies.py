"""Reports of studies, `studies/NAME/index.html` in the folder of runs: pages that are complete in themselves."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

NAME = re.compile(r"[a-z0-9-]{1,100}")
HEAD = 64 * 1024  # bytes in which the title stands
# a report is drawn, and its links can be followed; it can run nothing, load nothing and send nothing
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; sandbox"


class Studies:
    """The reports in a folder of runs."""

    def __init__(self, runs: Path) -> None:
        self.folder = runs / "studies"

    def page(self, name: str) -> Path | None:
        """The file of a report, if it is there: nothing outside the folder is."""
        if not NAME.fullmatch(name):
            return None
        folder, file = self.folder.resolve(), (self.folder / name / "index.html").resolve()
        return file if file.is_file() and file.is_relative_to(folder) else None

    def listed(self) -> list[dict[str, Any]]:
        """Every report with its title and when it was made, the newest first."""
        names = [path.name for path in self.folder.iterdir()] if self.folder.is_dir() else []
        found = [(name, file, file.stat().st_mtime) for name in sorted(names) if (file := self.page(name))]
        return [
            {"name": name, "title": title(file) or name, "date": datetime.fromtimestamp(made, UTC).isoformat()}
            for name, file, made in sorted(found, key=lambda one: -one[2])
        ]


def title(file: Path) -> str:
    """What stands between <title> and </title>."""
    with file.open("rb") as page:
        found = re.search(r"<title>(.*?)</title>", page.read(HEAD).decode(errors="replace"), re.DOTALL | re.IGNORECASE)
    return " ".join(html.unescape(found[1]).split())[:200] if found else ""
