"""Makes the opening book of Connect Four: see `book`.

Threads share one table and take the positions one after another, in an order in which those that follow one position
stand together: what is found for one serves the next.  Every score goes into the journal, line by line, each with a
check sum; whatever ends the command, the next call with the same journal goes on from there.  On a GPU there are
thousands of threads: see `side_by_side`.
"""

from __future__ import annotations

import random
import sys
import time
import zlib
from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Annotated, Protocol

import numpy as np
import typer

from ... import atomic
from ...machine import cores
from ...spec import InputError
from . import book
from .rules import ConnectFour
from .scores import Position, Scores, new_table, prepare

TELL = 10.0  # seconds between two lines of progress
WRITE = 2.0  # seconds between two writes to the journal
MOST_THREADS = 256  # of a CPU
VERIFYING = 1024  # megabytes


class Journal:
    """The scores found so far, in a file that grows line by line."""

    def __init__(self, path: Path, stones: int) -> None:
        self.path, self.head = path, f"connect four, {stones} stones"
        self.found: dict[int, int] = {}  # score by key
        self.damaged = 0  # lines
        content = path.read_text("ascii", "replace") if path.exists() else ""
        lines = content.split("\n")
        if content and lines[0] != self.head:
            raise InputError(f"{path} is no journal of such a book: it begins with {lines[0]!r:.60}")
        for line in filter(None, lines[1:]):
            text, _, check = line.rpartition(" ")
            if check == checked(text):
                key, score = text.split()
                self.found[int(key, 16)] = int(score)
            else:
                self.damaged += 1
        if not content or lines[-1]:  # new, or its last line was cut off
            atomic.append(path, "\n" if content else f"{self.head}\n")

    def add(self, scores: list[tuple[int, int]]) -> None:
        """Write these down: a key and a score each."""
        self.found.update(scores)
        texts = [f"{key:x} {score}" for key, score in scores]
        atomic.append(self.path, "".join(f"{text} {checked(text)}\n" for text in texts))


def checked(text: str) -> str:
    """A check sum of a line."""
    return f"{zlib.crc32(text.encode()):08x}"


class Workers(Protocol):
    """Those who find the scores of positions."""

    @property
    def nodes(self) -> int:
        """So far, in all searches."""

    @property
    def contradictions(self) -> int:
        """Positions without a score, since what was found says that it is more than it is at most."""

    @property
    def busy(self) -> bool:
        """Is something not found, or found and not said?"""

    def more(self) -> list[tuple[int, int]]:
        """Keys and scores that were found since, after a moment."""

    def stop(self) -> list[tuple[int, int]]:
        """End soon, and leave what is not yet found; the last keys and scores."""


class CpuWorkers:
    """Threads that find the scores of positions, one after another, with one table."""

    contradictions = 0

    def __init__(self, todo: Sequence[tuple[int, Position]], threads: int, memory: float) -> None:
        game = ConnectFour()
        table = new_table(game, memory)
        self._done: SimpleQueue[tuple[int, int]] = SimpleQueue()  # key and score
        self._positions, self._lock = iter(todo), Lock()
        self._scores = [Scores(game, table) for _ in range(threads)]
        self._threads = [Thread(target=self._run, args=(scores,), daemon=True) for scores in self._scores]
        for thread in self._threads:
            thread.start()

    def _run(self, scores: Scores) -> None:
        while True:
            with self._lock:
                key, position = next(self._positions, (0, None))
            score = scores.score(position) if position else None
            if score is None:
                return
            self._done.put((key, score))

    @property
    def nodes(self) -> int:
        return sum(scores.nodes for scores in self._scores)

    @property
    def busy(self) -> bool:
        return self._searching or not self._done.empty()

    @property
    def _searching(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def more(self) -> list[tuple[int, int]]:
        try:
            return [self._done.get(timeout=0.1)]
        except Empty:
            return []

    def stop(self) -> list[tuple[int, int]]:
        with self._lock:
            self._positions = iter(())
        while self._searching:  # one that was about to begin a search may have to be told again
            for scores in self._scores:
                scores.halt()
            time.sleep(0.01)
        return [self._done.get() for _ in range(self._done.qsize())]


def find_scores(journal: Journal, todo: int, workers: Workers, seconds: float) -> None:
    """Let them find the scores of so many positions, or as many as there are seconds for; 0: all of them."""
    begun = told = written = time.perf_counter()
    fresh: list[tuple[int, int]] = []
    count, pace = 0, deque([(begun, 0, 0)], 31)  # time, positions and nodes at the last lines
    try:
        while workers.busy:
            found = workers.more()
            fresh += found
            count += len(found)
            now = time.perf_counter()
            if now - written > WRITE and fresh:
                journal.add(fresh)
                fresh, written = [], now
            if now - told > TELL:
                told = now
                pace.append((now, count, workers.nodes))
                print(progress(len(journal.found) + len(fresh), todo - count, pace), flush=True)
            if seconds and now - begun > seconds:
                break
    finally:
        fresh += workers.stop()
        if fresh:
            journal.add(fresh)
        passed = time.perf_counter() - begun
        print(f"{workers.nodes:,} nodes in {passed:.0f} s, {workers.nodes / passed / 1e6:.1f} million a second")
        if workers.contradictions:
            print(f"{workers.contradictions:,} positions have bounds that contradict each other, and are left out")


def progress(known: int, left: int, pace: deque[tuple[float, int, int]]) -> str:
    """A line that says how far it is, and how long the rest takes at the speed of the last minutes."""
    (begun, count, nodes), (now, count_now, nodes_now) = pace[0], pace[-1]
    speed = (count_now - count) / (now - begun)
    rest = str(timedelta(seconds=round(left / speed))) if speed else "?"
    million = (nodes_now - nodes) / (now - begun) / 1e6
    share = known / (known + left)
    return (
        f"{known:,} of {known + left:,} positions ({share:.1%}), {speed:.1f} a second, "
        f"{million:.1f} million nodes a second, {rest} to go"
    )


def new_workers(device: str, todo: Sequence[tuple[int, Position]], threads: int, memory: float, block: int) -> Workers:
    """Those who find the scores of these positions on such a device."""
    if device == "cuda":
        from .cuda import CudaWorkers

        workers = CudaWorkers(todo, threads, memory, block)
        print(workers, flush=True)
        return workers
    if device != "cpu":
        raise InputError(f"a device is cpu or cuda, not {device!r}")
    if threads > MOST_THREADS:
        raise InputError(f"at most {MOST_THREADS} threads of a CPU, not {threads}")
    prepare()
    return CpuWorkers(todo, threads or cores(), memory)


def verify_scores(known: Sequence[tuple[Position, int]], count: int) -> None:
    """Find so many of these scores again, drawn at random, by the solver of the CPU; say how many differ."""
    some = random.Random(1).sample(known, min(count, len(known)))
    workers = new_workers("cpu", [(i, position) for i, (position, _) in enumerate(some)], 0, VERIFYING, 0)
    wrong = 0
    while workers.busy:
        wrong += sum(some[i][1] != score for i, score in workers.more())
    print(f"{wrong:,} of {len(some):,} scores are not those of the solver")


def compare(one: book.Book, other: book.Book) -> None:
    """Say how many scores that both books know are not the same."""
    for stones, (both, different) in enumerate(book.differences(one, other)):
        print(f"{stones} stones: {different:,} of {both:,} scores are not those of the other book")


def take_over(journal: Journal, start: book.Book, stones: int) -> None:
    """Write the scores of a book down that the journal does not have."""
    if start.stones != stones:
        raise InputError(f"the book to start from has {start.stones} stones, not {stones}")
    known = start.layers[-1]
    pairs = zip(known.keys.tolist(), known.scores.tolist(), strict=True)
    journal.add([(key, score) for key, score in pairs if score != book.UNKNOWN and key not in journal.found])


def make(
    journal: Annotated[Path, typer.Option(help="file of all that is found, to go on from")],
    out: Annotated[Path | None, typer.Option(help="write the book into this file, as far as it is known")] = None,
    stones: Annotated[int, typer.Option(help="of the positions", min=1, max=book.MOST_STONES)] = 8,
    threads: Annotated[int, typer.Option(help="that search side by side; 0: as many as fit", min=0, max=2**20)] = 0,
    memory: Annotated[int, typer.Option(help="megabytes for the table", min=1, max=2**20)] = 1024,
    seconds: Annotated[float, typer.Option(help="stop then; 0: when all is known", min=0)] = 0.0,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    block: Annotated[int, typer.Option(help="threads of a GPU's block", min=1, max=1024)] = 128,
    start: Annotated[Path | None, typer.Option(help="a book whose scores are taken over into the journal")] = None,
    verify: Annotated[int, typer.Option(help="find so many known scores again, by the CPU, and compare", min=0)] = 0,
    compare_with: Annotated[Path | None, typer.Option("--compare", help="a book: how many scores differ?")] = None,
) -> None:
    """Make the opening book of Connect Four: the scores of all positions with so many stones."""
    other = book.read(compare_with) if compare_with else None
    layer = book.layers(stones)[-1]
    keys = book.key(*layer).tolist()
    log = Journal(journal, stones)
    if log.damaged:
        print(f"{log.damaged} damaged lines of {journal} are left out")
    if start:
        take_over(log, book.read(start), stones)
    left = book.COLS * book.ROWS - stones
    stones_of = zip(layer.mine.tolist(), layer.taken.tolist(), strict=True)
    positions = [(key, Position(*of, left)) for key, of in zip(keys, stones_of, strict=True)]
    todo = [(key, position) for key, position in positions if key not in log.found]
    print(f"{len(keys):,} positions with {stones} stones, {len(keys) - len(todo):,} of them known", flush=True)
    if todo:
        find_scores(log, len(todo), new_workers(device, todo, threads, memory, block), seconds)
    known = sum(key in log.found for key in keys)
    print(f"{known:,} of {len(keys):,} positions are known")
    if verify:
        verify_scores([(position, log.found[key]) for key, position in positions if key in log.found], verify)
    if out or other:
        made = book.Book.of(stones, np.array([log.found.get(key, book.UNKNOWN) for key in keys], np.int8))
        if out:
            print(f"{out}: {book.write(out, made):,} bytes")
        if other:
            compare(made, other)


def main() -> None:
    """The command."""
    try:
        typer.run(make)
    except (InputError, OSError) as error:
        print(f"book: {error}", file=sys.stderr)
        sys.exit(2)
