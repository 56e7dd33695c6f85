"""Processes that run beside this one and are spoken with: they never block us for long, and never outlive us.

A `Child` is a process with pipes.  Whoever waits for one, to take what it is told or to answer, does so `within` some
seconds: one thread of ours kills what overruns.  A `Program` is a child by somebody else that is spoken with line by
line; `watchdog.py` stands between, so that it ends with all that it has started however this process ends.
"""

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
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO

from .heartbeat import beat
from .spec import InputError

WATCHDOG = str(Path(__file__).with_name("watchdog.py"))
LONGEST_LINE = 1 << 16  # bytes; a longer one comes in parts
WAITING = 1000  # lines that a program may say before it has to wait for us
LOOK = 0.02  # seconds between two looks whether to go on waiting
FAREWELL = 0.5  # seconds that a program has to end by itself
ENDING = 5.0  # seconds that a process takes to end at most, on a busy machine, once it has closed its output
TAKES = 60.0  # seconds in which a child takes what it is told


class Gone(Exception):
    """The process has ended; the message says how."""


class NoProgram(InputError):
    """There is no such program on this machine."""


class Overruns:
    """Kills processes that overrun their time, by one thread for all of them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: dict[int, tuple[float, subprocess.Popen[bytes]]] = {}
        self._looks = float("inf")  # when the thread looks next; inf: there is none

    @contextmanager
    def within(self, process: subprocess.Popen[bytes], seconds: float) -> Iterator[None]:
        """Kill the process if what is done here takes longer."""
        until = time.monotonic() + seconds
        with self._changed:
            entry = max(self._due, default=0) + 1
            self._due[entry] = until, process
            if self._looks == float("inf"):
                threading.Thread(target=self._watch, daemon=True, name="overruns").start()
            if until < self._looks:
                self._looks = until
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                del self._due[entry]

    def _watch(self) -> None:
        with self._changed:
            while self._due:
                now = time.monotonic()
                for until, process in self._due.values():
                    if now >= until:
                        _kill(process)
                coming = [until for until, _ in self._due.values() if until > now]
                self._looks = min(coming, default=now + LOOK)
                self._changed.wait(max(0.0, self._looks - now))
            self._looks = float("inf")


_overruns = Overruns()


def _begin_anew() -> None:
    """A process that was forked has none of our threads."""
    global _overruns
    _overruns = Overruns()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def words_of(command: str) -> list[str]:
    """The words of a command, split as a shell would; NoProgram if there is none of that name."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"cannot read the command {command[:60]!r}: {error}") from None
    if "\0" in command:
        raise InputError("a command has no zero bytes")
    if not words or shutil.which(words[0]) is None:
        raise NoProgram(f"there is no program {words[0] if words else command!r} to start: give its whole path")
    return words


class Child:
    """A process that was started, without a shell, in a group of its own.

    watched: does `watchdog.py` see to its end, and to a folder of its own?  It has `patience` seconds to end by itself,
    once it was told the `farewell` and its input is closed.  lines: a queue of its lines that a thread of ours fills.
    """

    def __init__(
        self,
        command: list[str],
        watched: bool = False,
        patience: float = 0.0,
        farewell: bytes = b"",
        lines: queue.Queue[str | None] | None = None,
    ) -> None:
        self.folder = tempfile.mkdtemp(prefix="plyground-") if watched else None  # for whatever it keeps while it runs
        held, hold = os.pipe()
        if watched and os.name == "posix":
            command = [sys.executable, "-I", "-S", WATCHDOG, str(held), str(self.folder), *command]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # a group of its own, and no Ctrl-C that is meant for us
                pass_fds=(held,) if watched and os.name == "posix" else (),
            )
        except OSError as error:
            os.close(hold)
            if self.folder:
                os.rmdir(self.folder)
            raise InputError(f"{command[0]} cannot be started: {error.strerror}") from None
        finally:
            os.close(held)
        self._last: deque[str] = deque(maxlen=1)  # what it wrote to stderr
        assert self.process.stderr
        self._errors = self._read(_keep_last, self.process.stderr, self._last)
        # at the latest when this process ends
        self.end = weakref.finalize(self, _end, self.process, hold, self.folder, patience, farewell, lines)

    @staticmethod
    def _read(target: Callable[..., None], *given: object) -> threading.Thread:
        """Read one of its outputs, as long as it lasts."""
        reader = threading.Thread(target=target, args=given, daemon=True, name="child")
        reader.start()
        return reader

    def within(self, seconds: float) -> AbstractContextManager[None]:
        """Kill it if what is done here takes longer."""
        return _overruns.within(self.process, seconds)

    def write(self, content: bytes) -> None:
        """Tell it something; Gone if it does not run any more."""
        assert self.process.stdin
        try:
            self.process.stdin.write(content)
            self.process.stdin.flush()
        except (OSError, ValueError):  # ValueError: the pipe is closed
            raise Gone(self.how_it_ended()) from None

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def wait(self) -> None:
        """Wait until it has ended by itself."""
        self.process.wait()

    def interrupt(self) -> None:
        """Ask it to end, with all that it has started, as Ctrl-C would.  Where a system cannot ask a group, it ends."""
        if hasattr(os, "killpg"):
            with suppress(OSError):  # it has ended meanwhile
                os.killpg(self.process.pid, signal.SIGINT)
        else:
            self.process.terminate()

    def how_it_ended(self) -> str:
        """Its exit code or signal, and the last that it wrote to its error output."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(ENDING)
        code = self.process.poll()
        if code is not None:
            self._errors.join(FAREWELL)  # others may still hold its error output
        how = "it closed its output" if code is None else f"it ended with exit code {code}{signal_of(code)}"
        return f"{how}: {self._last[0]}" if self._last else how


class Program(Child):
    """A program that is talked to line by line.

    `hear` says which of its lines matter; the others are dropped, so that it may say as many as it likes.  `longest`
    is the length of a line in bytes, `patience` the seconds in which it may end by itself, told the `farewell`.
    """

    folder: str

    def __init__(
        self,
        command: str | list[str],
        hear: Callable[[str], bool],
        longest: int = LONGEST_LINE,
        patience: float = FAREWELL,
        farewell: bytes = b"END\n",
    ) -> None:
        words = words_of(command) if isinstance(command, str) else command
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING)
        super().__init__(words, watched=True, patience=patience, farewell=farewell, lines=self._lines)
        assert self.process.stdout
        self._read(_hand_on, self.process.stdout, hear, self._lines, longest)

    def say(self, line: str) -> None:
        """Tell it a line; Gone if it does not run any more, or does not take it."""
        with self.within(TAKES):
            self.write(line.encode() + b"\n")

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
                beat()  # there is an end to it
                if time.monotonic() >= until or (stop and stop()):
                    return None
                continue
            if line is None:
                self._lines.put(None)
                raise Gone(self.how_it_ended())
            return line


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


def _widen(lines: queue.Queue[str | None]) -> None:
    """Let a queue take all that is still to come, so that the thread that fills it ends."""
    with lines.mutex:
        lines.maxsize = sys.maxsize
        lines.not_full.notify_all()


def _keep_last(source: IO[bytes], last: deque[str]) -> None:
    with suppress(OSError, ValueError):
        while raw := source.readline(LONGEST_LINE):
            if line := raw.decode("utf-8", "replace").strip():
                last.append(line[:200])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with all that it has started."""
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _end(
    process: subprocess.Popen[bytes],
    hold: int,
    folder: str | None,
    patience: float,
    farewell: bytes,
    lines: queue.Queue[str | None] | None,
) -> None:
    """Ask a process to end, and end it if it does not."""
    assert process.stdin and process.stdout
    if patience:
        with suppress(OSError, ValueError):
            process.stdin.write(farewell)
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    os.close(hold)
    _kill(process)
    process.wait()
    if lines is not None:
        _widen(lines)
    with suppress(OSError, ValueError):
        process.stdin.close()
    if folder is None:  # no thread of ours reads it
        process.stdout.close()
    else:
        shutil.rmtree(folder, ignore_errors=True)
