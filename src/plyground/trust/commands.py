"""The command line: thousands of command lines, each in a process, judged by what a terminal sees."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer.main
from hypothesis import strategies as st

from .. import atomic
from ..cli.base import app
from .base import Campaign, explore, scratch
from .command_lines import NEVER, command_lines, standard_input
from .terminal import Ran, Terminal

ALLOWED = (0, 2, 130)
LIMIT = 10.0  # seconds of work after which a command is interrupted
LONG = (*NEVER, "match", "tournament", "score", "train", "sweep", "check", "solve")  # take as long as they are told to
INTERRUPTED = f"of these, interrupted after {LIMIT:.0f} s"
WARNING = re.compile(r"\w*(Warning|Error): ")  # as Python prints them, at the start of a line or after a file
TRACEBACK = "Traceback (most recent call last)"
PROCESSES = 0.01  # share of the inputs for which the installed command is started, as in a terminal
READY = [
    ["agents"],
    ["think", "tictactoe", "uct(sims=2)"],
    ["match", "tictactoe", "random", "random", "--games", "1", "--jobs", "1"],
]
IMPORTS = "uvicorn numba plyground.web.server plyground.web.serving plyground.learn plyground.api.functions"
OWN = '''"""A game and an agent of a user's own."""
from typing import NamedTuple
import numpy as np

class Own(NamedTuple):
    size: int = 3
    def fields(game): return [("moves", np.int16)]
    def actions(game): return 3
    def player(game, state): return state.moves % 2
    def legal(game, state, out):
        for i in range(3): out[i] = i
        return 3
    def play(game, state, action): state.moves += 1 + action
    def over(game, state): return state.moves >= game.size
    def score(game, state): return 1.0 if state.moves % 2 else -1.0
'''


def wrong_with(words: list[str], ran: Ran) -> str:
    """What is wrong with the answer of a command; nothing, most often."""
    last = ran.err.strip().rsplit("\n", 1)[-1]
    if ran.problem:
        return f"{ran.problem}: {last[:200]}"
    if TRACEBACK in ran.err or TRACEBACK in ran.out:
        return f"traceback: {last[:300]}"
    if ran.interrupted and words[0] not in LONG:
        return f"it does not end by itself: {last[:200]}"
    allowed = (*ALLOWED, 1) if "check" in words else ALLOWED
    if ran.code not in allowed:
        return f"exit code {ran.code}: {last[:300]}"
    if ran.code == 2 and not last.startswith("plyground: "):
        return f"refused, but not in a line of its own: {last[:300]}"
    strange = next((line for line in ran.err.splitlines() if WARNING.search(line) and "plyground" not in line[:12]), "")
    if strange:
        return f"a warning: {strange[:300]}"
    if ran.code == 0 and "--json" in words and "--help" not in words and "--version" not in words:
        left = words[0] == "play" and not ran.out  # by the person, before the game was over
        return "" if left else not_json(ran.out)
    return ""


def not_json(out: str) -> str:
    """What is wrong with what should be one line of JSON."""
    try:
        json.loads(out, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
    except ValueError as error:
        return f"--json is not JSON: {error}"
    return ""


def shown(drawn: tuple[list[str], str]) -> str:
    """A command line as a person would type it."""
    words, stdin = drawn
    typed = shlex.join(["plyground", *words])
    return f"printf %s {shlex.quote(stdin)} | {typed}" if stdin else typed


@contextmanager
def desk() -> Iterator[Path]:
    """A folder to try a command in, with files that it may meet."""
    with scratch() as folder:
        for name, content in (("own.py", OWN), ("file", "a file\n"), ("openings", "b2\na1 c3\n")):
            atomic.write(folder / name, content, durable=False)
        yield folder


def commands() -> dict[str, Any]:
    """All commands but the one that tries them."""
    found: Any = typer.main.get_command(app)
    return {name: command for name, command in found.commands.items() if name != "trust"}


def lines() -> Any:
    """Command lines with what is typed meanwhile."""
    return st.tuples(command_lines(commands()), st.one_of(st.just(""), st.just(""), standard_input()))


def run(campaign: Campaign) -> None:
    """Try command lines, interpreted, in forked processes; some in processes of their own, compiled."""
    campaign.folder.mkdir(parents=True, exist_ok=True)
    with Terminal(interpreted=True, ready=READY, imports=IMPORTS) as terminal:

        def tried(drawn: tuple[list[str], str]) -> str:
            with desk() as folder:
                ran = terminal.run(drawn[0], drawn[1], folder, limit=LIMIT)
            campaign.counts.update({INTERRUPTED: 1} if ran.interrupted else {})
            return judged(drawn, ran)

        explore(campaign.share(1 - PROCESSES), "command lines", lines(), tried, shown)
    explore(campaign, "processes", lines(), in_process, shown)


def judged(drawn: tuple[list[str], str], ran: Ran) -> str:
    """What is wrong with what an interpreted command did; one that was too slow has to end by itself compiled."""
    slow = ran.interrupted and not ran.problem and drawn[0][0] not in LONG
    return in_process(drawn) if slow else wrong_with(drawn[0], ran)


def in_process(drawn: tuple[list[str], str]) -> str:
    """The same by the installed command."""
    words, stdin = drawn
    with desk() as folder:
        command: list[str | bytes] = [sys.executable, "-m", "plyground", *map(os.fsencode, words)]
        try:
            ran = subprocess.run(
                command, input=stdin.encode("utf-8", "surrogatepass"), cwd=folder, capture_output=True, timeout=300
            )
        except (ValueError, OSError) as error:  # no system starts a command with such words
            return "" if "embedded null" in str(error) or isinstance(error, OSError) else str(error)
        except subprocess.TimeoutExpired:
            return "it does not end by itself"
        out, err = (one.decode("utf-8", "replace") for one in (ran.stdout, ran.stderr))
        return wrong_with(words, Ran(ran.returncode, out, err))
