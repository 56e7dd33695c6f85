"""Work in other processes: the same results, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from plyground.arena import parallel
from plyground.arena.parallel import in_parallel


def double(x: int) -> int:
    return 2 * x


def fail(x: int) -> int:
    raise ValueError("no")


def sleep(x: int) -> int:
    os.write(1, f"{os.getpid()}\n".encode())  # at once: another process writes there, too
    time.sleep(60)
    return x


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_comes_back_with_its_result(jobs: int) -> None:
    assert sorted(in_parallel(double, range(20), jobs)) == [(x, 2 * x) for x in range(20)]
    assert list(in_parallel(double, [], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_goes_wrong_there_is_raised_here(jobs: int) -> None:
    with pytest.raises(ValueError, match="no"):
        list(in_parallel(fail, range(3), jobs))


def test_other_processes_of_the_same_program_go_on_when_work_fails() -> None:
    other = get_context("spawn").Process(target=time.sleep, args=(600,))
    other.start()
    try:
        with pytest.raises(ValueError, match="no"):
            list(in_parallel(fail, range(3), 2))
        other.join(0.5)
        assert other.is_alive()
    finally:
        other.kill()
        other.join()


def test_the_script_is_there_again_whoever_was_first_to_hide_it() -> None:
    script = sys.modules["__main__"]
    one, other = parallel._script.hidden(), parallel._script.hidden()
    one.__enter__()
    other.__enter__()
    assert sys.modules["__main__"] is not script
    one.__exit__(None, None, None)
    assert sys.modules["__main__"] is not script
    other.__exit__(None, None, None)
    assert sys.modules["__main__"] is script


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_processes_end_when_the_one_that_began_them_is_killed() -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\nfrom test_parallel import *\n"
    code += "if __name__ == '__main__': list(in_parallel(sleep, range(2), 2))"
    master = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True
    )
    assert master.stdout
    workers = [int(master.stdout.readline()) for _ in range(2)]
    os.kill(master.pid, signal.SIGKILL)
    master.wait()
    end = time.monotonic() + 120
    while time.monotonic() < end and not all(map(gone, workers)):
        time.sleep(0.05)
    assert all(map(gone, workers))
