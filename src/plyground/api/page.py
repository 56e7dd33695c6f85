"""The page, started from Python: in a process of its own, so that neither waits for the other."""

from __future__ import annotations

import re
import sys
import webbrowser
from html import escape
from pathlib import Path

from ..child import Gone, Program
from ..spec import InputError

CODE = "import sys; sys.path.append({!r}); from plyground.cli import main; main()"
START = 120.0  # seconds in which a page has to begin

_open: set[Page] = set()  # so that none ends because nobody has kept it


class Page:
    """The page while it is served.  It ends with `close()`, with a `with` block, or with this process, however that
    ends; Ctrl-C in a notebook does not end it."""

    def __init__(self, program: Program, address: str) -> None:
        self._program, self.address = program, address
        _open.add(self)

    def close(self) -> None:
        """End the page."""
        self._program.end()
        _open.discard(self)

    def wait(self) -> None:
        """Let a script go on only when the page has ended; Ctrl-C ends it."""
        try:
            self._program.wait()
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Plyground is at {self.address}" if self._program.running else "a page that has ended"

    def _repr_html_(self) -> str:
        address = escape(self.address)
        return f'<p>Plyground is at <a href="{address}" target="_blank" rel="noopener">{address}</a></p>'


def serve(*files: str, port: int = 0, runs: str | Path = "runs", open: bool = False, warmup: bool = True) -> Page:
    """Serve the page, for this machine only; `files` are your own games, agents and scorings, path/to/file.py:Name.

    A port of 0 takes any that is free.  open: show it in your browser.  warmup: compile meanwhile what games need.

    >>> with serve(warmup=False) as page:
    ...     print(page.address.startswith("http://127.0.0.1:"))
    True
    """
    words = [*files, "--port", str(port), "--runs", str(runs), *([] if warmup else ["--no-warmup"])]
    command = [sys.executable, "-c", CODE.format(str(Path(__file__).parents[2])), "serve", *words]
    program = Program(command, lambda line: "://" in line, patience=0.0)
    try:
        told = program.answer(START)
    except Gone as gone:
        program.end()
        raise InputError(str(gone).rpartition("plyground: ")[2]) from None
    except BaseException:
        program.end()
        raise
    found = re.search(r"https?://\S+", told or "")
    if not found:
        program.end()
        raise InputError(f"the page has not begun within {START:g} s")
    if open:
        webbrowser.open(found[0])
    return Page(program, found[0])
