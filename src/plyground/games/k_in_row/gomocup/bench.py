"""Benchmark of the engine's first game: by whom its moves come where nothing is compiled yet."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from ....child import Program
from .instant import OTHER, OWN, Board, quick

SIZE, MOVES = 20, 12
TURN = 1.0  # seconds that the engine has for a move
REPLY = 0.9  # seconds after which the opponent answers
LONGEST = 120.0  # seconds that the engine may keep us waiting
SIMULATIONS = re.compile(r"(\d+) simulations")


def engine(seconds: float) -> Iterator[dict[str, Any]]:
    """A row for every move of a game on an empty cache: how it was found, and with how many simulations.

    The opponent makes quick moves.  Compiled: the agent at its full strength; interpreted: the same agent while it is
    being compiled; quick: a look at the board alone.
    """
    with tempfile.TemporaryDirectory() as cache:
        command = ["env", f"XDG_CACHE_HOME={cache}"] if os.name == "posix" else []
        program = Program([*command, sys.executable, "-m", "plyground", "engine", "gomocup"], bool)
        try:
            yield from moves(program)
        finally:
            program.end()


def moves(program: Program) -> Iterator[dict[str, Any]]:
    """Play, and tell of every move."""
    begun = time.monotonic()
    board = Board(SIZE, SIZE)
    program.say(f"START {SIZE}")
    heard(program)
    program.say(f"INFO timeout_turn {round(1000 * TURN)}")
    last = "BEGIN"
    for number in range(1, MOVES + 1):
        asked = time.monotonic()
        program.say(last)
        answer, remark = heard(program)
        took = time.monotonic() - asked
        x, y = map(int, answer.split(","))
        found = SIMULATIONS.search(remark)
        how = "quick" if not found else "interpreted" if "interpreted" in remark else "compiled"
        yield {
            "move": number,
            "after_s": asked - begun,
            "took_s": took,
            "at_most_s": TURN,
            "found": how if board.stones else "the middle",
            "simulations": int(found[1]) if found else 0,
        }
        board.stones[x, y] = OWN
        if board.won():
            return
        time.sleep(REPLY)
        cell = quick(Board(SIZE, SIZE, False, {at: OWN + OTHER - who for at, who in board.stones.items()}))
        board.stones[cell] = OTHER
        last = f"TURN {cell[0]},{cell[1]}"


def heard(program: Program) -> tuple[str, str]:
    """The next answer, and the remark before it."""
    remark = ""
    while True:
        line = program.answer(LONGEST, None)
        if line is None:
            raise TimeoutError(f"the engine did not answer within {LONGEST:g} s")
        if not line.startswith("MESSAGE"):
            return line, remark
        remark = line
