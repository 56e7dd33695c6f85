"""Processes beside this one: what overruns its time is killed, and how a process ended is told."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from plyground import child
from plyground.child import Child, Gone, Program

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals")
SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]


def echoing(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, os\n{code}"]


@POSIX
def test_one_that_does_not_take_what_it_is_told_is_killed() -> None:
    made = Child(SLEEPS)
    with pytest.raises(Gone, match=r"exit code -9"), made.within(0.3):
        made.write(bytes(1 << 20))  # more than a pipe holds
    assert not made.running
    made.end()


@POSIX
def test_a_program_that_does_not_listen_is_killed_with_its_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "TAKES", 0.3)
    made = Program(SLEEPS, bool)
    with pytest.raises(Gone):
        made.say("x" * (1 << 20))
    made.end()


def test_a_later_limit_does_not_hide_an_earlier_one_and_who_is_in_time_lives() -> None:
    first, second, third = (Child(SLEEPS) for _ in range(3))
    with third.within(600.0), first.within(600.0):
        with second.within(0.2):
            second.process.wait(300)
        assert first.running and third.running
    with first.within(0.2):
        pass
    time.sleep(0.4)
    assert first.running and third.running
    for one in (first, second, third):
        one.end()
        assert not one.running


def test_one_that_said_more_than_was_read_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    made = Program(echoing("print('x\\n' * 5000, flush=True)\nsys.stdin.read()"), bool)
    readers = [one for one in threading.enumerate() if one not in before and one.name == "child"]
    until = time.monotonic() + 300
    while not made._lines.full() and time.monotonic() < until:
        time.sleep(0.01)
    made.end()
    for reader in readers:
        reader.join(10)
    assert made._lines.qsize() > child.WAITING and not any(reader.is_alive() for reader in readers)


@POSIX
@pytest.mark.parametrize("groups", [True, False])
def test_one_that_is_interrupted_ends_even_where_a_system_has_no_groups(
    groups: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not groups:
        monkeypatch.delattr(child.os, "killpg")
    code = "import signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    made = Child(
        echoing(
            f"{code}try:\n    print('x', flush=True)\n    time.sleep(600)\nexcept KeyboardInterrupt:\n    sys.exit(7)"
        )
    )
    assert made.process.stdout and made.process.stdout.read(1) == b"x"
    made.interrupt()
    made.process.wait(300)
    assert ("exit code 7" in made.how_it_ended()) == groups
    made.interrupt()  # it has ended: nothing happens
    made.end()


def test_how_it_ended_is_told() -> None:
    made = Child(echoing("print('no luck', file=sys.stderr); os._exit(3)"))
    made.wait()
    assert made.how_it_ended() == "it ended with exit code 3: no luck"
    made.end()
