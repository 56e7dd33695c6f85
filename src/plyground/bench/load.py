"""The server of the page under load: many whole games at once by real clients, beside others who misbehave.

Who plays asks as the page does: positions by HTTP, moves by a socket.  Nobody who plays may notice the others.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from ..progress import progress
from ..spec import InputError
from .misbehaviour import KINDS, Misbehaviour, Stream, Target, Unexpected
from .page import row, served

CLIENTS = 200  # games at once
PLAYED = [  # games, and who plays them
    ("tictactoe", ("uct(sims=100)", "win-block")),
    ("connect-four", ("uct(sims=100, keep=True)", "alphabeta(depth=4, memory=1)")),
    ("mnk(5,5,4)", ("rave(sims=100)", "random")),
    ("line-taking(cells=12)", ("uct(sims=100)", "random")),
    ("tetris", ("random", "random")),
]
OFTEN = 5  # games by one socket, before a client opens another
LATE = 120.0  # seconds without an answer: an error
MISBEHAVING = 4  # clients of each kind
GROWTH = 0.05  # of the memory that is allowed
TOLD = 10  # kinds of errors


@dataclass
class Load:
    """What happened."""

    seconds: float
    clients: int
    games: int = 0  # played to their ends
    moves: int = 0
    waited: int = 0  # moves that were told to wait for their turn
    answers: list[float] = field(default_factory=list)  # seconds of every move
    errors: Counter[str] = field(default_factory=Counter)
    misbehaviour: Counter[str] = field(default_factory=Counter)  # what came of it
    memory: list[tuple[float, float]] = field(default_factory=list)  # seconds since the beginning, megabytes

    def memory_between(self, low: float, high: float) -> float | None:
        """The median of the memory between two parts of the time, 0 to 1; if nobody looked then, what it was next."""
        later = [(when, held) for when, held in self.memory if when >= low * self.seconds]
        found = [held for when, held in later if when <= high * self.seconds]
        return median(found or [held for _, held in later[:1]]) if later else None

    def report(self) -> dict[str, Any]:
        """Everything as JSON has it.  Memory counts from a fifth of the time on: by then all has been used once."""
        answers = sorted(self.answers)
        begun, ended = self.memory_between(0.2, 0.3), self.memory_between(0.9, 1.0)
        return {
            "seconds": self.seconds,
            "clients": self.clients,
            "games": self.games,
            "moves": self.moves,
            "waited": self.waited,
            "median_answer": median(answers) if answers else None,
            "slow_answer": answers[int(0.95 * len(answers))] if answers else None,
            "slowest_answer": answers[-1] if answers else None,
            "errors": self.errors.total(),
            "kinds_of_errors": [f"{count} x {line}" for line, count in self.errors.most_common(TOLD)],
            "misbehaviour": dict(sorted(self.misbehaviour.items())),
            "memory_start": begun,
            "memory_end": ended,
            "memory_growth": ended / begun - 1 if begun and ended else None,
        }


def load(seconds: float) -> list[dict[str, Any]]:
    """What many games at once are like, beside what is wanted."""
    found = run(seconds)
    rows = [
        row(f"games played in {seconds:g} s, {found['clients']} at once", found["games"], ""),
        row("moves", found["moves"], ""),
        row("moves that were told to wait for their turn", found["waited"], ""),
        row("median answer, s", found["median_answer"], ""),
        row("95th percentile, s", found["slow_answer"], ""),
        row("slowest answer, s", found["slowest_answer"], ""),
        row("errors", found["errors"], "0"),
        row("memory after a fifth of the time, MB", found["memory_start"], ""),
        row("memory at the end, MB", found["memory_end"], f"at most {GROWTH:.0%} more"),
    ]
    rows += [row(kind, count, "") for kind, count in found["misbehaviour"].items()]
    return rows + [row(f"error: {line}", None, "") for line in found["kinds_of_errors"]]


def run(seconds: float, clients: int = CLIENTS) -> dict[str, Any]:
    """Start a server, put it under load, and tell what happened: see `Load.report`."""
    if not find_spec("fastapi") or not find_spec("websockets"):
        raise InputError("the page needs more: pip install 'plyground[web]'")
    with served() as server, progress() as bar:
        task = bar.add_task("load", total=seconds)

        def tell(now: Load, passed: float) -> None:
            bar.update(
                task, completed=passed, description=f"{now.games:,} games, {now.errors.total():,} errors, seconds"
            )

        return asyncio.run(under_load(server.address, server.process, seconds, clients, tell=tell)).report()


async def under_load(
    address: str,
    process: int,
    seconds: float,
    clients: int,
    kinds: Sequence[Misbehaviour] = KINDS,
    tell: Callable[[Load, float], None] = lambda *_: None,
) -> Load:
    """Let so many clients play for so many seconds, beside these kinds of misbehaviour."""
    server = Target(address)
    await play(server, Load(seconds, clients), PLAYED, random.Random(0))  # kernels are compiled or loaded
    found = Load(seconds, clients)
    begun = time.monotonic()
    end = begun + seconds
    work = [player(server, found, number, end) for number in range(clients)]
    work += [again(kind, server, found, number, end) for kind in kinds for number in range(MISBEHAVING)]
    tasks = [asyncio.create_task(one) for one in work]
    while (passed := time.monotonic() - begun) < seconds:
        found.memory.append((passed, megabytes(process)))
        tell(found, passed)
        await asyncio.sleep(min(1.0, seconds / 20))
    found.memory.append((seconds, megabytes(process)))
    _, late = await asyncio.wait(tasks, timeout=LATE)
    for task in late:
        found.errors["a client has not come to its end"] += 1
        task.cancel()
    return found


def megabytes(process: int) -> float:
    """The memory that a process holds."""
    status = Path(f"/proc/{process}/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS")) / 1024
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True)
    return int(told.stdout or 0) / 1024


async def again(kind: Misbehaviour, server: Target, found: Load, number: int, end: float) -> None:
    """Misbehave again and again."""
    rng, name = random.Random(number), kind.__name__.replace("_", " ")
    while (left := end - time.monotonic()) > 0:
        try:
            came = await asyncio.wait_for(kind(server, rng), left)
            found.misbehaviour[f"{name}: {came}"] += 1
        except Unexpected as error:
            found.errors[f"{name}: {error}"] += 1
        except TimeoutError:  # the time is up
            return
        except (OSError, asyncio.IncompleteReadError) as error:
            found.misbehaviour[f"{name}: {type(error).__name__}"] += 1
        await asyncio.sleep(0.2)


# --- who plays ------------------------------------------------------------------------------------------------


async def player(server: Target, found: Load, number: int, end: float) -> None:
    """Play one game after the other; whatever disturbs it is an error."""
    rng = random.Random(number)
    while time.monotonic() < end:
        try:
            await play(server, found, rng.choices(PLAYED, k=OFTEN), rng, end)
        except Exception as error:
            found.errors[" ".join(f"{type(error).__name__}: {error}".split())[:200]] += 1
            await asyncio.sleep(1)


async def play(
    server: Target, found: Load, chosen: list[tuple[str, tuple[str, str]]], rng: random.Random, end: float = inf
) -> None:
    """Play these games by one socket; where the time is up, the rest is left."""
    from websockets.asyncio.client import connect

    positions = Positions(server)
    try:
        async with connect(server.socket, ping_timeout=None, open_timeout=LATE) as opened:
            for number, (game, agents) in enumerate(chosen):
                moves: list[str] = []
                while not (view := await positions.view(game, moves))["over"]:
                    seat = view["player"]
                    if time.monotonic() >= end:
                        return
                    if seat < 0:
                        moves.append(rng.choice(view["legal"])["name"])
                        continue
                    think = {"type": "think", "id": 10_000 * number + len(moves), "game": game, "moves": moves}
                    moves.append(await answered(opened, think | {"agent": agents[seat], "seat": seat}, found))
                found.games += 1
    finally:
        positions.close()


async def answered(opened: Any, think: dict[str, Any], found: Load) -> str:
    """The move that is answered, after whatever else is told."""
    begun, waited = time.monotonic(), False
    await opened.send(json.dumps(think))
    while True:
        told = json.loads(await asyncio.wait_for(opened.recv(), LATE))
        if told["type"] == "error":
            raise Unexpected(told["error"])
        waited = waited or told["type"] == "waiting"
        if told["type"] == "thought":
            found.answers.append(time.monotonic() - begun)
            found.moves, found.waited = found.moves + 1, found.waited + waited
            return told["move"]


class Positions:
    """Asks for positions, by one connection as long as the server keeps it."""

    def __init__(self, server: Target) -> None:
        self.server = server
        self._stream: Stream | None = None

    async def view(self, game: str, moves: list[str]) -> dict[str, Any]:
        """The view of a position."""
        body = json.dumps({"game": game, "moves": moves}).encode()
        headers = "Content-Type: application/json", f"Content-Length: {len(body)}"
        kept = self._stream is not None
        self._stream = self._stream or await self.server.connect()
        try:
            self._stream.write(self.server.head("POST /api/position HTTP/1.1", *headers) + body)
            status, answer = await asyncio.wait_for(self._stream.answer(), LATE)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.close()
            if not kept:
                raise
            return await self.view(game, moves)  # it was closed, since nothing was asked for a while
        if status != 200:
            raise Unexpected(f"status {status}: {answer.decode()[:150]}")
        return json.loads(answer)

    def close(self) -> None:
        if self._stream:
            self._stream.writer.close()
        self._stream = None
