"""One budget for all searches: steps, seconds, a stop and a watcher."""

import re
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from plyground.agents.base import Limit, Thought
from plyground.search import budget as module
from plyground.search.budget import Budget, least

CLOCK = re.compile(r"^\s*(import|from) +(time|datetime|threading|concurrent)\b", re.M)  # or waits for one that does


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is moved on: clock[0] is its time."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


def spend(budget, clock, seconds_a_step=0.0, most=10**9):
    """The slices of a search whose steps take this long."""
    done, slices = 0, []
    while done < most and (asked := budget.slice(done)):
        slices.append(asked)
        done += asked
        clock[0] += asked * seconds_a_step
    return slices


def test_steps_are_granted_to_the_last_and_no_more(clock) -> None:
    assert sum(spend(Budget(12_345), clock, 1e-5)) == 12_345
    assert spend(Budget(0), clock) == []
    assert spend(Budget(-3), clock) == []


def test_slices_are_as_long_as_the_time_between_two_looks(clock) -> None:
    slices = spend(Budget(100_000), clock, 1e-5)
    assert slices[0] == module.FIRST
    assert set(slices[1:-1]) <= {1999, 2000}, "0.02 seconds of 0.00001 each"


def test_a_time_limit_begins_with_one_step_and_is_kept_within_a_slice(clock) -> None:
    slices = spend(Budget(seconds=1.0), clock, 1e-4)
    assert slices[:2] == [1, module.FASTER]
    assert 1.0 <= clock[0] - 100 <= 1.0 + 2e-4


def test_there_is_a_first_step_however_late_it_is(clock) -> None:
    assert spend(Budget(seconds=0.0), clock, 1.0) == [1]


def test_a_step_longer_than_a_slice_is_made_alone(clock) -> None:
    assert spend(Budget(seconds=1.0), clock, 0.3) == [1, 1, 1, 1]


def test_stop_is_asked_at_every_look_but_not_before_the_first_nor_after_the_last(clock) -> None:
    asked = []
    assert len(spend(Budget(stop=lambda: len(asked) == 3 or bool(asked.append(0))), clock, 1e-3)) == 4
    asked.clear()
    assert spend(Budget(500, stop=lambda: bool(asked.append(0))), clock, 1e-3) == [500] and not asked


def test_a_watcher_is_told_at_its_pace(clock) -> None:
    told = []
    spend(Budget(seconds=1.05, watch=lambda: told.append(clock[0])), clock, 1e-3)
    assert 8 <= len(told) <= 10
    assert min(b - a for a, b in pairwise(told)) >= module.PACE


def test_work_beside_ends_by_itself_or_is_halted() -> None:
    halted = threading.Event()
    assert Budget().run(lambda: 7, halted.set) == 7 and halted.is_set()
    for budget in (Budget(seconds=0.05), Budget(stop=lambda: True)):
        halted = threading.Event()
        begun = time.perf_counter()
        assert budget.run(lambda flag=halted: flag.wait(30), halted.set) is True
        assert time.perf_counter() - begun < 10


def test_an_exception_on_either_side_halts_the_work_beside() -> None:
    halted = threading.Event()
    with pytest.raises(ZeroDivisionError):
        Budget(stop=lambda: 1 / 0 > 0).run(lambda: halted.wait(30), halted.set)
    assert halted.is_set()
    with pytest.raises(KeyError):
        Budget().run(lambda: {}["missing"], lambda: None)


def test_how_far_a_search_is_is_noted_before_a_watcher_is_told(clock) -> None:
    heard, done = [], [0]

    def note() -> None:
        done[0] += 1

    for watch in (lambda: heard.append(done[0]), None):
        begun = clock[0]
        budget = Budget(5, 8.0, watch=watch).noting(note)
        assert not budget.over() and done == [len(heard)], "not yet"
        clock[0] += 2 * module.PACE
        assert not budget.over() and (budget.steps, budget.seconds, budget.begun) == (5, 8.0, begun)
    assert heard == [1] and done == [2]


def test_no_search_but_by_its_budget_looks_at_the_clock() -> None:
    folder = Path(module.__file__).parent
    clocks = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if CLOCK.search(path.read_text())}
    assert clocks == {"budget.py"}


def test_parts_of_a_budget(clock) -> None:
    whole = Budget(10, 8.0, watch=print)
    assert [part.steps for part in whole.split(3)] == [3, 3, 4]
    assert [part.watch for part in whole.split(3)] == [print, None, None]
    clock[0] += 5
    assert whole.until(0.75).seconds == 1 and whole.until(0.5).seconds == 0 and Budget().until(0.5).seconds_left > 1e9
    assert whole.within(2).seconds == 2 and whole.within(4).seconds == 3 and whole.within(2).steps is None
    clock[0] += 5
    assert whole.within(2).seconds == 0, "no time is left"
    assert whole.after(4).steps == 6 and whole.after(10).steps == 1 and Budget().after(4).steps is None
    assert whole.after(4).seconds_left == whole.seconds_left == -2


def test_a_limit_and_an_agent_s_own_bounds_make_a_budget(clock) -> None:
    told = []
    limit = Limit(50, None, watch=told.append)
    made = limit.budget(80, 3.0, lambda: Thought(4))
    assert (made.steps, made.seconds) == (50, 3.0)
    clock[0] += 1
    assert not made.over() and told == [Thought(4)]
    assert Limit().budget(usual=400).steps == 400
    assert Limit(seconds=1.0).budget(usual=400).steps is None
    assert Limit().budget(7, usual=400).steps == 7
    assert least(None, 3, 2) == 2 and least(None) is None
