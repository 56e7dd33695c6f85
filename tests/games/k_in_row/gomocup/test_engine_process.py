"""The engine as a program of its own: at once there, gone when told, frugal, and nothing heavy is imported early."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import PLYGROUND, refusal, run
from plyground.arena.match import Plan, play_match

ENGINE = [sys.executable, "-m", "plyground", "engine", "gomocup"]


class Driver:
    """What a driver does: writes lines, reads lines."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen([*ENGINE, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines: queue.Queue = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def say(self, *lines: str) -> None:
        assert self.process.stdin
        self.process.stdin.write("".join(f"{line}\r\n" for line in lines))
        self.process.stdin.flush()

    def answer(self) -> str:
        """The next line that is no message."""
        while True:
            line = self.lines.get(timeout=300)
            if line is None or not line.startswith("MESSAGE"):
                return line

    def memory(self) -> int:
        """The most megabytes that it ever had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


@pytest.fixture
def driver() -> Iterator[Driver]:
    made = Driver()
    yield made
    made.process.kill()
    made.process.wait()


def test_start_is_answered_before_anything_heavy_is_imported() -> None:
    code = (
        "import sys\nfrom plyground.games.k_in_row.gomocup import pipes, engine\nsaid = []\n"
        "class Asleep(engine.Brain):\n    def wake(self, *_): pass\n"
        "engine.Engine(Asleep(), said.append).hear('START 15')\n"
        "heavy = ('numpy', 'numba', 'onnxruntime', 'torch', 'typer', 'rich')\n"
        "print(said, [name for name in heavy if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "['OK'] []\n"


def test_a_move_needs_no_torch() -> None:
    code = (
        "import sys, time\nfrom plyground.games.k_in_row.gomocup.brain import Brain\n"
        "from plyground.games.k_in_row.gomocup.instant import Board\n"
        "won = {(x, 3): 1 for x in range(1, 5)}\nuntil = time.monotonic() + 300\n"
        "task = Brain().think(Board(9, 9, False, won), until, 0, lambda: False)\n"
        "print([name for name in ('torch', 'matplotlib', 'fastapi') if name in sys.modules], task.choice is not None)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[] True\n"


def test_end_and_the_end_of_input_work_while_it_thinks(driver: Driver) -> None:
    other = Driver()
    for one in (driver, other):
        one.say("START 15", "INFO timeout_turn 600000")
        assert one.answer() == "OK"
        one.say("TURN 7,7")
    time.sleep(0.2)
    driver.say("END")
    assert other.process.stdin
    other.process.stdin.close()
    assert driver.process.wait(120) == 0 and other.process.wait(120) == 0


def test_lines_that_come_all_at_once_are_all_answered() -> None:
    text = "ABOUT\nSTART 15\nBEGIN\nTURN 7,8\nnonsense\n" + "x" * 100_000 + "\nTAKEBACK 7,8\nEND\nBEGIN\n"
    ran = subprocess.run(ENGINE, input=text, capture_output=True, text=True, timeout=300)
    answers = [line for line in ran.stdout.splitlines() if not line.startswith("MESSAGE")]
    assert ran.returncode == 0 and ran.stderr == ""
    assert answers[0].startswith("name=") and answers[1:3] == ["OK", "7,7"]
    assert [line.split()[0] for line in answers[4:]] == ["UNKNOWN", "UNKNOWN", "OK"]


def test_two_engines_play_a_game_within_their_time_and_memory(driver: Driver) -> None:
    """Whoever is not ready yet moves quickly; no stone is put twice, and somebody wins or the board is full."""
    from plyground import games, rules

    other = Driver()
    game = games.make("gomoku(9)")
    state = rules.new(game)
    for one in (driver, other):
        one.say("START 9", "INFO timeout_turn 80", "INFO max_memory 367001600", "INFO rule 0", "INFO game_type 1")
        assert one.answer() == "OK"
    driver.say("BEGIN")
    for mover, next_one in [(driver, other), (other, driver)] * 41:
        move = mover.answer()
        x, y = map(int, move.split(","))
        assert y * 9 + x in rules.legal(game, state)
        game.play(state, y * 9 + x)
        if game.over(state):
            break
        next_one.say(f"TURN {move}")
    assert game.over(state)
    assert all(one.memory() < 350 for one in (driver, other))
    other.process.kill()
    other.process.wait()


def test_a_match_against_our_own_engine() -> None:
    external = f"external({' '.join(ENGINE)!r}, seconds=0.1, grace=60)"
    result = play_match(Plan("gomoku(15)", (external, "random"), 2))
    assert result.tally().wins == 2 and not any(record.reason for record in result.records)


@pytest.mark.parametrize("agent", ["uct(", "(9)"])
def test_a_spec_that_cannot_be_read_is_refused(agent: str) -> None:
    assert "cannot read" in refusal(run("engine", "gomocup", "--agent", agent))


def test_a_file_that_is_not_there_is_told_before_anything_is_answered() -> None:
    assert "there is no file nowhere.py" in refusal(run("engine", "gomocup", "--agent", "nowhere.py:Mine"))


@pytest.mark.parametrize("agent, says", [("uctt", "did you mean uct?"), ("uct(sims=0)", "sims is 1 to")])
def test_an_agent_that_cannot_be_made_ends_the_engine_with_one_line(agent: str, says: str) -> None:
    words = [PLYGROUND, "engine", "gomocup", "--agent", agent]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, **pipes) as engine:
        assert engine.stdin and engine.stdout and engine.stderr
        engine.stdin.write("START 15\n")
        engine.stdin.flush()
        assert engine.wait(300) == 2
        assert engine.stdout.read() == "OK\n"
        (line,) = engine.stderr.read().splitlines()
        assert says in line
