"""The Gomocup engine: lines that a driver might say, to an engine in this process and to engines of their own.

Whatever it hears, every line that it says is one of the protocol's, and it can still play.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

from hypothesis import strategies as st

from ....trust.base import Campaign, explore
from ....trust.commands import TRACEBACK
from ....trust.protocol_lines import protocol_lines
from .brain import Brain, Task
from .engine import Engine
from .instant import Board

ANSWER = re.compile(r"OK|ERROR .*|UNKNOWN .*|MESSAGE .*|SWAP|(\d+,\d+ ?){1,3}|name=.*")
AGENTS = ("random", "uct(sims=5)", "one-ply")
PROCESSES = 0.05  # share of the lines that go to engines in processes of their own
MOST = 25  # lines of one conversation
PATIENCE = 60.0
FIRST, LAST = (
    ["START 9", "INFO timeout_turn 0"],
    ["START 9", "INFO timeout_turn 0", "INFO time_left 2147483647", "BEGIN"],
)


class Asleep(Brain):
    """A brain that never wakes up: the engine plays its quick moves."""

    def wake(self, board: Board, memory: int) -> None:
        pass

    def think(self, board: Board, until: float, memory: int, stop: Any) -> Task:
        return Task(board, until, 0, False, stop)


def conversations() -> Any:
    """Lines, and who thinks."""
    return st.tuples(st.lists(protocol_lines(), min_size=1, max_size=MOST), st.sampled_from(["", "", *AGENTS]))


def tried(drawn: tuple[list[str], str]) -> str:
    """What is wrong with what an engine in this process says."""
    lines, agent = drawn
    said: list[str] = []
    engine = Engine(Brain(agent) if agent else Asleep(), said.append, asked=lambda: True)
    try:
        for line in [*FIRST, *lines]:
            if not engine.hear(line):
                engine = Engine(Asleep(), said.append)
        begun = len(said)
        for line in LAST:
            engine.hear(line)
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    finally:
        engine.brain._tasks.put(None)  # its thread ends
    return strange(said) or ("" if "4,4" in said[begun:] else f"it does not begin a new game: {said[begun:]}")


def strange(said: list[str]) -> str:
    """The first line that is not one of the protocol's."""
    found = [line for line in said if not (ANSWER.fullmatch(line) and line.isprintable() and line.isascii())]
    return f"it said {found[0]!r}" if found else ""


def in_process(drawn: tuple[list[str], str]) -> str:
    """The same, of an engine in a process of its own."""
    lines, agent = drawn
    command = [sys.executable, "-m", "plyground", "engine", "gomocup", *(["--agent", agent] if agent else [])]
    heard = "\n".join([*FIRST, *lines, "END"]).encode("utf-8", "surrogatepass") + b"\n"
    try:
        ran = subprocess.run(command, input=heard, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "hung after END"
    if ran.returncode != 0 or TRACEBACK.encode() in ran.stderr:
        return f"exit code {ran.returncode}: {ran.stderr.decode('utf-8', 'replace')[-300:]}"
    said = ran.stdout.decode("utf-8", "replace").splitlines()
    return strange(said) or ("" if said[:1] == ["OK"] else f"its answer to {FIRST[0]} is {said[:1]}")


def shown(drawn: tuple[list[str], str]) -> str:
    return repr(drawn)


def run(campaign: Campaign) -> None:
    """Try conversations; every line is an input."""

    def size(drawn: tuple[list[str], str]) -> int:
        return len(drawn[0])

    explore(campaign.share(1 - PROCESSES), "lines", conversations(), tried, shown, size)
    explore(campaign, "lines to processes", conversations(), in_process, shown, size)
