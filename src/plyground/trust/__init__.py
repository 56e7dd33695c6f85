"""A campaign against the program, by anyone: inputs that make sense and that do not, at every door; long work killed at
random moments; files damaged; many clients at once; random games beside another's rules.

Each door is tried in a process of its own, for its share of the time.  Everything random comes from the seed.  Inputs
that failed are kept by Hypothesis, in the folder of the campaign, and come first in the next one.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import machine
from ..manifest import imported, registered
from ..progress import progress
from ..spec import InputError, look_up
from .base import LAST, Campaign, Failure, keep, scratch, to_stdout


@dataclass(frozen=True)
class Door:
    """One way in: what tries it, its share of the time of a campaign, and of the inputs."""

    where: str  # package.module:function
    share: float = 1.0
    inputs: float = 1.0
    measured: bool = False  # nothing else runs meanwhile
    needs: tuple[str, ...] = ()  # packages without which it is not tried

    @property
    def missing(self) -> str:
        """The packages that it lacks, and what installs them."""
        lacks = [name for name in self.needs if not find_spec(name)]
        return f"not tried, without {', '.join(lacks)}: pip install 'plyground[trust]'" if lacks else ""


PAGE = ("fastapi", "pydantic", "uvicorn", "websockets")
DOORS = {
    "cli": Door(f"{__name__}.commands:run", 2.0),
    "http": Door(f"{__name__}.pages:http", needs=PAGE),
    "socket": Door(f"{__name__}.pages:socket", needs=PAGE),
    "files": Door(f"{__name__}.files:run", 2.0),
    "kills": Door(f"{__name__}.kills:run", 2.0, 0.01),  # of each kind of work
    "oracles": Door(f"{__name__}.oracles:run", 1.0, 100.0, needs=("pyspiel",)),  # of each game
    "load": Door(f"{__name__}.load:run", 1.0, measured=True, needs=PAGE),
}
FAILURES = "failures.jsonl"
GRACE = 300.0  # seconds that a door may take longer than its share: some inputs take their time, and it has to begin
TIDYING = 10.0  # seconds that a door has to end in when the campaign is interrupted
IN_MEMORY = "/dev/shm"  # where nothing waits for a disk: what is killed or damaged there is as it would be on one


@dataclass
class Result:
    """What came of one door."""

    door: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""  # why it was not tried at all

    def rows(self) -> list[dict[str, Any]]:
        """A row for each kind of input; the seconds are those of the door."""
        failed = Counter(failure.kind for failure in self.failures)
        kinds = list(dict.fromkeys([*self.counts, *failed])) or [self.note or "nothing: there was no time"]
        return [
            {
                "door": self.door,
                "what": kind,
                "inputs": self.counts[kind],
                "failures": failed[kind],
                "seconds": round(self.seconds, 1),
            }
            for kind in kinds
        ]


@dataclass
class Running:
    """The doors that are tried now, and whether they were told to stop: then their end is no failure."""

    processes: list[subprocess.Popen[str]] = field(default_factory=list)
    stopped: bool = False

    def signal(self, number: int) -> None:
        """Tell all of them, with all that they have started in their groups."""
        for process in list(self.processes):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)

    def stop(self, threads: list[threading.Thread]) -> None:
        """End them: first in a way that lets them tidy up."""
        self.stopped = True
        end = time.monotonic() + TIDYING
        try:
            self.signal(signal.SIGINT)
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
        finally:  # somebody who interrupts once more waits no longer
            self.signal(signal.SIGKILL)
        for thread in threads:
            thread.join()


@cache
def all_doors() -> dict[str, Door]:
    """The doors by name, those that families of games have among them."""
    return DOORS | {name: Door(where) for name, where in registered("trials").items()}


def chosen(only: str) -> dict[str, Door]:
    """The doors that are named, with commas between them; all, if none is."""
    known = all_doors()
    return (
        {name: known[name] for word in only.split(",") for name in [look_up("door", word.strip(), known)]}
        if only
        else known
    )


def campaign(
    seconds: float, only: str = "", seed: int = 0, inputs: int = 10_000, out: Path = Path("runs/trust")
) -> tuple[list[Result], bool]:
    """Try the doors for so many seconds in all, or with so many inputs each; InputError where it cannot begin.

    Returns what came of each, and whether somebody has interrupted it.
    """
    doors = chosen(only)
    if os.name != "posix":
        raise InputError("the campaign forks and kills processes: it needs Linux or macOS")
    if not find_spec("hypothesis"):
        raise InputError("the campaign draws its inputs by Hypothesis: pip install 'plyground[trust]'")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be written to: {error.strerror}") from None
    results = {name: Result(name) for name in doors}
    shares = {name: door.share / sum(one.share for one in doors.values()) for name, door in doors.items()}
    together = [name for name, door in doors.items() if not door.measured]
    running = Running()
    with progress() as bar:
        task = bar.add_task("campaign", total=seconds)
        begun = time.monotonic()

        def watch() -> None:
            tried = sum(result.counts.total() for result in results.values())
            failed = sum(len(result.failures) for result in results.values())
            told = f"{tried:,} inputs, {failed:,} failures, seconds"
            bar.update(task, completed=min(time.monotonic() - begun, seconds), description=told)

        for names, lanes in ((together, machine.cores()), ([name for name in doors if name not in together], 1)):
            lanes = min(lanes, len(names)) or 1
            todo = sorted(names, key=lambda name: -shares[name])

            def lane(waiting: Iterator[str] = iter(todo), lanes: int = lanes) -> None:
                for name in waiting:  # all lanes go through the same iterator, so that each door is tried once
                    count = max(1, round(inputs * doors[name].inputs))
                    one_door(results[name], seconds * shares[name] * lanes, seed, count, out / name, running)

            threads = [threading.Thread(target=lane) for _ in range(lanes)]
            for thread in threads:
                thread.start()
            try:
                while any(thread.is_alive() for thread in threads):
                    watch()
                    time.sleep(0.2)
            except KeyboardInterrupt:
                todo.clear()
                running.stop(threads)
                break
    found = list(results.values())
    keep(out / FAILURES, [failure for result in found for failure in result.failures])
    return found, running.stopped


def one_door(
    result: Result,
    seconds: float,
    seed: int,
    inputs: int,
    folder: Path,
    running: Running | None = None,
) -> None:
    """Try a door in a process of its own, and take down what it tells.  What it leaves in temporary folders, however it
    ends, is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LAST).unlink(missing_ok=True)
    words = [sys.executable, "-m", __package__, result.door, str(seconds), str(seed), str(inputs), str(folder)]
    running = running or Running()
    begun = time.monotonic()
    with (
        scratch(IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None) as room,
        subprocess.Popen(
            words,
            env=os.environ | {"TMPDIR": str(room)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,
        ) as process,
    ):
        running.processes.append(process)
        end = threading.Timer(seconds + GRACE, Running([process]).signal, (signal.SIGKILL,))
        end.daemon = True
        end.start()
        told: list[str] = []
        assert process.stdout and process.stderr
        listener = threading.Thread(target=lambda: told.extend(process.stderr))  # type: ignore[arg-type]
        listener.start()
        for line in process.stdout:
            take(result, line, seed)
        code = process.wait()
        listener.join()
        end.cancel()
        running.processes.remove(process)
    result.seconds = time.monotonic() - begun
    if code and not running.stopped:
        last = (folder / LAST).read_text() if (folder / LAST).exists() else shlex.join(words[2:])
        what = f"the door itself ended with code {code}: {''.join(told).strip()[-500:]}"
        result.failures.append(Failure(result.door, "the door", seed, last, what))


def take(result: Result, line: str, seed: int) -> None:
    """Take down a line of a door; one that is none of its own, which something else has printed, is a failure."""
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    match told:
        case {"counts": dict(counts)}:
            result.counts = Counter(counts)
        case {"failure": dict(failure)}:
            result.failures.append(Failure(**failure))
        case {"note": str(note)}:
            result.note = note
        case _:
            result.failures.append(Failure(result.door, "the door", seed, line.strip(), "printed by no door"))


def main(door: str, seconds: str, seed: str, inputs: str, folder: str) -> None:
    """Try a door, in this process; whatever it raises is a failure."""
    wanted = all_doors()[door]
    if wanted.missing:
        return to_stdout({"note": wanted.missing})
    trying = Campaign(door, int(seed), int(inputs), float(seconds), Path(folder), to_stdout)
    try:
        run: Callable[[Campaign], None] = imported(wanted.where)
        run(trying)
    finally:
        trying.tell_counts()
