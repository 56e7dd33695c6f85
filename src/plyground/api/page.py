"""The page, started from Python: in a process of its own, so that neither waits for the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import webbrowser
from html import escape
from pathlib import Path
from tempfile import TemporaryFile
from weakref import finalize

from ..spec import InputError


class Page:
    """The page while it is served.  It ends with `close()`, with a `with` block, or with this process."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process, self.address = process, address
        self._end = finalize(self, process.terminate)  # at the latest when this process ends

    def close(self) -> None:
        """End the page."""
        self._end()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def wait(self) -> None:
        """Let a script go on only when the page has ended; Ctrl-C ends it."""
        try:
            self._process.wait()
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        ended = self._process.poll() is not None
        return "a page that has ended" if ended else f"Plyground is at {self.address}"

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
    command = [sys.executable, "-m", "plyground", "serve", *files, "--port", str(port), "--runs", str(runs)]
    command += [] if warmup else ["--no-warmup"]
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    with TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )
        assert process.stdout
        found = re.search(r"https?://\S+", process.stdout.readline())
        if not found:
            Page(process, "").close()
            errors.seek(0)
            said = errors.read().strip().splitlines() or ["the page has not begun"]
            raise InputError(said[-1].removeprefix("plyground: "))
    if open:
        webbrowser.open(found[0])
    return Page(process, found[0])
