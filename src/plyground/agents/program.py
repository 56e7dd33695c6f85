"""A program that runs beside this one and is talked to line by line: it never blocks us and never outlives us."""

from __future__ import annotations

import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..spec import InputError

WATCHDOG = str(Path(__file__).with_name("watchdog.py"))
LONGEST_LINE = 1 << 16  # bytes; a longer one comes in parts
WAITING = 1000  # lines that a program may say before it has to wait for us
LOOK = 0.02  # seconds between two looks whether to go on waiting
FAREWELL = 0.5  # seconds that a program has to end by itself


class Gone(Exception):
    """The program has ended; the message says how."""


def words_of(command: str) -> list[str]:
    """The words of a command, split as a shell would; InputError if there is no such program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"cannot read the command {command[:60]!r}: {error}") from None
    if "\0" in command:
        raise InputError("a command has no zero bytes")
    if not words or shutil.which(words[0]) is None:
        raise InputError(f"there is no program {words[0] if words else command!r} to start: give its whole path")
    return words


class Program:
    """A program that was started, without a shell.

    `hear` says which of its lines matter; the others are dropped, so that it may say as many as it likes.  `longest`
    is the length of a line in bytes, `patience` the seconds in which it may end by itself.
    """

    def __init__(
        self,
        command: str | list[str],
        hear: Callable[[str], bool],
        longest: int = LONGEST_LINE,
        patience: float = FAREWELL,
    ) -> None:
        words = words_of(command) if isinstance(command, str) else command
        self.folder = tempfile.mkdtemp(prefix="plyground-")  # for whatever it wants to keep while it runs
        leashed, hold = os.pipe()
        posix = os.name == "posix"
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", WATCHDOG, str(leashed), self.folder, *words] if posix else words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # a group of its own, and no Ctrl-C that is meant for us
                pass_fds=(leashed,) if posix else (),
            )
        except OSError as error:
            os.close(hold)
            os.rmdir(self.folder)
            raise InputError(f"{words[0]} cannot be started: {error.strerror}") from None
        finally:
            os.close(leashed)
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING)
        self._last: deque[str] = deque(maxlen=1)  # what it wrote to stderr
        process = self._process
        assert process.stdout and process.stderr
        for target, args in (
            (_hand_on, (process.stdout, hear, self._lines, longest)),
            (_keep_last, (process.stderr, self._last)),
        ):
            threading.Thread(target=target, args=args, daemon=True, name="program").start()
        self.end = weakref.finalize(
            self, _end, process, hold, self.folder, patience
        )  # at the latest when this process ends

    def say(self, line: str) -> None:
        """Tell it a line; Gone if it does not run any more."""
        assert self._process.stdin
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise Gone(self._farewell()) from None

    def forget(self) -> None:
        """Drop what it has said so far."""
        with suppress(queue.Empty):
            for _ in range(WAITING):  # and not for ever, if it says more meanwhile
                if self._lines.get_nowait() is None:
                    self._lines.put(None)
                    return

    def answer(self, seconds: float, stop: Callable[[], bool] | None = None) -> str | None:
        """The next line that matters; None if it does not come in time or `stop` says so.  Gone if none will come."""
        until = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=LOOK)
            except queue.Empty:
                if time.monotonic() >= until or (stop and stop()):
                    return None
                continue
            if line is None:
                self._lines.put(None)
                raise Gone(self._farewell())
            return line

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait(self) -> None:
        """Wait until it has ended by itself."""
        self._process.wait()

    def _farewell(self) -> str:
        """How it ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        code = self._process.poll()
        how = "it closed its output" if code is None else f"it ended with exit code {code}{signal_of(code)}"
        return f"{how}: {self._last[0]}" if self._last else how


def signal_of(code: int) -> str:
    """The signal that an exit code stands for, in brackets; nothing if it stands for none."""
    try:
        return f" ({signal.Signals(code - 128).name})" if code > 128 else ""
    except ValueError:
        return ""


def _hand_on(source: IO[bytes], hear: Callable[[str], bool], lines: queue.Queue, longest: int) -> None:
    """Queue the lines that matter, and None at their end.  Who floods us has to wait."""
    with suppress(OSError, ValueError):
        while raw := source.readline(longest):
            line = raw.decode("utf-8", "replace").strip()
            if hear(line):
                lines.put(line)
    lines.put(None)


def _keep_last(source: IO[bytes], last: deque[str]) -> None:
    with suppress(OSError, ValueError):
        while raw := source.readline(LONGEST_LINE):
            if line := raw.decode("utf-8", "replace").strip():
                last.append(line[:200])


def _end(process: subprocess.Popen, hold: int, folder: str, patience: float) -> None:
    """Ask a program to end, and end it if it does not, with all that it has started."""
    assert process.stdin
    with suppress(OSError, ValueError):
        process.stdin.write(b"END\n")
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    os.close(hold)
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
