"""Kernels that are compiled before they are asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from commands import refusal, run
from plyground import agents, games, warmup
from plyground.child import Gone
from plyground.cli import warmup as bars
from plyground.jit.progress import Compilation
from plyground.manifest import families
from plyground.spec import InputError
from plyground.warmup import Progress, Task, Teller, WarmUp

WITHOUT_COMPILING = """
import sys
from plyground import agents, games, rules
from plyground.jit.progress import without_compiling
game, agent = games.make(sys.argv[1]), agents.make(sys.argv[2])
state = rules.new(game)
with without_compiling():
    for _ in range(3):
        game.play(state, agent.think(game, state).action)
"""


def test_after_a_warm_up_on_an_empty_cache_the_first_moves_compile_nothing(tmp_path: Path) -> None:
    here = {"env": os.environ | {"XDG_CACHE_HOME": str(tmp_path)}, "capture_output": True, "text": True}

    def python(*words: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, *words], **here)  # type: ignore[call-overload]

    before = python("-c", WITHOUT_COMPILING, "tictactoe", "uct")
    assert before.returncode and "grow is not compiled yet" in before.stderr
    ran = python("-m", "plyground", "warmup", "tictactoe")
    assert ran.stdout == "tictactoe, uct: 1 kernel compiled\n", ran.stderr
    after = python("-c", WITHOUT_COMPILING, "tictactoe", "uct")
    assert after.returncode == 0, after.stderr
    again = python("-m", "plyground", "warmup", "tictactoe")
    assert again.stdout == "tictactoe, uct: ready already\n", again.stderr


def test_every_game_there_is_is_warmed_up_with_the_agent_that_people_meet() -> None:
    tasks = warmup.shipped()
    assert [task.game for task in tasks] == list(games.registry())
    assert all(task.agent == agents.usual(games.make(task.game)) for task in tasks)
    named = {spec for family in families() for spec in family.warmups}
    assert {task.game for task in warmup.beforehand()} == {*games.registry(), *named} and "gomoku(20)" in named


def test_a_wheel_has_what_people_meet_first_and_what_the_engine_plays_on_the_boards_of_tournaments() -> None:
    tasks = warmup.packed()
    assert set(warmup.shipped()) <= set(tasks)
    found = {(games.make(task.game), task.agent) for task in tasks}
    for side in (15, 20):
        for rule in ("freestyle", "exactly-five"):
            for agent in ("gomoku-master", "gomoku-classic"):  # with onnxruntime and without
                assert (games.make(f"gomoku({side}, {rule!r})"), agent) in found


def test_what_cannot_be_packed_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "File exists" in refusal(run("warmup", "tictactoe", "--into", str(tmp_path / "file")))
    assert "xiangqi" in refusal(run("warmup", "xiangqi", "--into", str(tmp_path / "kernels")))
    assert not (tmp_path / "kernels").exists()


def test_what_cannot_be_warmed_up_is_refused_in_one_line() -> None:
    assert "--agent needs a game" in refusal(run("warmup", "--agent", "uct"))
    assert "xiangqi" in refusal(run("warmup", "xiangqi"))
    assert "in a row" in refusal(run("warmup", "connect-four", "--agent", "gomoku-master"))


# --- who does what, without a compiler -----------------------------------------------------------------------


class Scripted:
    """A process that says what the test tells it to, when the test lets it."""

    all: ClassVar[list[Scripted]] = []

    def __init__(self, command: list[str], hear: Callable[[str], bool]) -> None:
        self.nice = int(command[-1])
        self.tasks: list[Task] = []
        self.ended = threading.Event()
        self._lines: list[dict[str, Any]] = []
        self._more = threading.Semaphore(0)
        Scripted.all.append(self)

    def say(self, line: str) -> None:
        self.tasks.append(Task(*json.loads(line)))

    def answer(self, seconds: float, stop: Any) -> str:
        if not self._more.acquire(timeout=300):
            raise Gone("nobody has let it say any more")
        if self._lines[0].get("gone"):
            raise Gone("it ended with exit code 1")
        return json.dumps(self._lines.pop(0))

    def tell(self, **told: Any) -> None:
        self._lines.append(told)
        self._more.release()

    def end(self) -> None:
        self.ended.set()


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    Scripted.all.clear()
    monkeypatch.setattr(warmup, "Program", Scripted)
    return Scripted


def until(holds: Callable[[], Any]) -> None:
    done = threading.Event()
    for _ in range(6000):
        if holds():
            return
        done.wait(0.01)
    raise AssertionError


ONE, TWO, THREE = (Task(f"mnk({n},{n},{n})", "uct") for n in (3, 4, 5))


def test_tasks_are_done_in_turn_by_few_processes_of_low_priority() -> None:
    seen: list[tuple[str, float]] = []
    work = WarmUp(lambda one: seen.append((one.kernel, one.share)))
    found = work.begin([ONE, TWO], processes=1)
    until(lambda: Scripted.all and Scripted.all[0].tasks)
    process = Scripted.all[0]
    assert process.nice == warmup.NICE and process.tasks == [ONE] and not work.begin([ONE, TWO])
    process.tell(kernel="grow", share=0.5, left=2.4, kernels=0)
    until(lambda: seen)
    assert found[0].describe() == "compiling grow, 50% done, about 2 s left" and 0 < found[0].done < 1
    process.tell(problem="")
    assert found[0].ended.wait(300) and found[0].done == 1 and not found[0].problem
    until(lambda: process.tasks == [ONE, TWO])
    process.tell(problem="the rules do not compile: score")
    assert found[1].ended.wait(300) and found[1].problem == "the rules do not compile: score"
    assert process.ended.wait(300) and len(Scripted.all) == 1 and seen[0] == ("grow", 0.5)


def test_what_somebody_waits_for_goes_before_what_is_done_in_the_background() -> None:
    work = WarmUp()
    background = work.begin([ONE, TWO, THREE], processes=1)
    until(lambda: Scripted.all and Scripted.all[0].tasks)
    wanted = work.want(THREE)
    assert wanted is background[2] and work.want(THREE) is wanted and work.want(ONE) is background[0]
    until(lambda: len(Scripted.all) == 2 and Scripted.all[1].tasks)
    later, urgent = Scripted.all
    assert urgent.nice == 0 and urgent.tasks == [THREE]
    later.tell(problem="")
    assert background[0].ended.wait(300) and not background[1].begun and later.tasks == [ONE]  # it leaves the cores
    urgent.tell(problem="")
    assert wanted.ended.wait(300)
    later.tell(problem="")
    assert background[1].ended.wait(300) and later.tasks == [ONE, TWO]
    again = work.want(ONE)  # its kernels are missing all the same: a file has changed
    assert again is not background[0] and not again.ended.is_set()


def test_few_processes_serve_those_who_wait_and_too_many_are_refused() -> None:
    work = WarmUp()
    tasks = [Task(f"mnk({n},{n},3)", "uct") for n in range(3, 3 + warmup.URGENT + warmup.LONGEST_QUEUE)]
    for number, task in enumerate(tasks):
        work.want(task)
        until(lambda: sum(len(one.tasks) for one in Scripted.all) >= min(number + 1, warmup.URGENT))  # noqa: B023
    assert len(Scripted.all) == warmup.URGENT
    with pytest.raises(InputError, match="busy"):
        work.want(ONE._replace(agent="rave"))
    work.close()


def test_a_process_that_ends_fails_its_task_alone() -> None:
    found = WarmUp().begin([ONE, TWO], processes=1)
    until(lambda: Scripted.all and Scripted.all[0].tasks)
    Scripted.all[0].tell(gone=True)
    assert found[0].ended.wait(300) and "exit code 1" in found[0].problem
    until(lambda: len(Scripted.all) == 2 and Scripted.all[1].tasks)
    Scripted.all[1].tell(problem="")
    assert found[1].ended.wait(300) and not found[1].problem


def test_a_teller_counts_kernels_and_does_not_say_everything() -> None:
    said: list[dict[str, Any]] = []
    teller, grow = Teller(said.append), Compilation("grow", functions=100)
    for grow.done in range(50):
        teller.tell(grow, ended=False)
    teller.tell(grow, ended=True)
    assert said[0]["kernel"] == "grow" and said[-1]["kernels"] == 1 and said[-1]["kernel"] == "" and len(said) < 30


def test_nobody_knows_how_many_kernels_there_will_be_and_progress_never_goes_back() -> None:
    one, shares = Progress(ONE), []
    for kernels, share in ((0, 0.0), (0, 0.6), (1, 0.0), (1, 0.6), (2, 0.0)):
        one.kernels, one.share = kernels, share
        shares.append(one.done)
    assert shares[0] == 0 and shares[-1] < 1 and shares[1] > 0


class Drawn:
    """A progress bar that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.gone = False

    def __enter__(self) -> Drawn:
        return self

    def __exit__(self, *_: object) -> None:
        self.gone = True

    def add_task(self, description: str, total: int) -> int:
        return total

    def update(self, line: int, **told: Any) -> None:
        self.told.append(told)


def test_the_bar_tells_the_kernel_and_goes_when_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn()
    monkeypatch.setattr(bars, "progress_bar", lambda: drawn)
    bar, tasks = bars.Bar(), [Progress(ONE), Progress(TWO)]
    bar.expect(tasks)
    tasks[0].kernel, tasks[0].share = "grow", 0.5
    bar.show(tasks[0])
    assert drawn.told[-1]["description"] == "mnk(3,3,3): grow 50%" and 0 < drawn.told[-1]["completed"] < 1
    for task in tasks:
        assert not drawn.gone
        task.ended.set()
        bar.show(task)
    assert drawn.gone and drawn.told[-1]["completed"] == 2


def test_the_bar_goes_if_all_was_done_before_it_knew_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn()
    monkeypatch.setattr(bars, "progress_bar", lambda: drawn)
    bar, one = bars.Bar(), Progress(ONE)
    one.ended.set()
    bar.show(one)
    assert not drawn.gone and bar.expect([one]) == [one] and drawn.gone


def test_the_solver_is_prepared_as_agents_are() -> None:
    assert warmup.prepare(Task("tictactoe", warmup.SOLVER)) == ""
    assert "no game" in warmup.prepare(Task("no-such-game", warmup.SOLVER))
