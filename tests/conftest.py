"""The order of the tests, and which of them are quick, by how long they were seen to take.

`pytest --record-durations` writes down in `durations.json` how long every test took that took long, with kernels that
are there already.  Files that take longest begin first, so that no core waits for another at the end.  `pytest --quick`
leaves out the slowest tests, as many as it takes to keep to QUICK seconds.
"""

from __future__ import annotations

import gc
import json
import os
import signal
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

TESTS = Path(__file__).parent
RECORD = TESTS / "durations.json"
LEAST = 0.1  # seconds; what takes less is not written down
TOGETHER = ("tests/cluster/",)  # a cluster takes 10 s of CPU to begin
QUICK = 12.0  # seconds of one core for those tests of --quick that took long enough to be written down

os.environ.setdefault(
    "RAY_TQDM_PATCH_PRINT", "0"
)  # as `cluster` does: Ray would put a function of its own in the place of print
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side: further threads would only wait for each other


@pytest.fixture
def nets_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets of folders are run here, like those that came with the program: tests that ask a lot of them, and for whom
    it does not matter who runs them.  nets/test_sessions.py is about processes of their own, and other tests have them.
    """
    from plyground.nets import evaluate
    from plyground.nets.sessions import Session

    monkeypatch.setattr(evaluate, "GuardedSession", lambda net, threads, name: Session(net, threads))


@pytest.fixture
def without_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plot is drawn of a training that ends, which takes longer than many of them; a few tests
    of `learn` have it drawn."""
    monkeypatch.setattr("plyground.learn.train.draw", lambda *_: None)


@pytest.fixture
def measured_quickly(without_curves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Self-play learners take few games and simulations to measure themselves, on one thread."""
    import torch

    from plyground.learn.selfplay import elo, measurement

    torch.set_num_threads(1)
    monkeypatch.setattr(measurement, "SIMS", 2)
    monkeypatch.setattr(elo, "GAMES", 4)
    monkeypatch.setattr(elo, "SIMS", 4)


def recorded() -> dict[str, float]:
    """Seconds of the tests that took long, by their ids."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def scope_of(test: str) -> str:
    """What one process runs from its beginning to its end: a file, or a folder whose tests share what is dear."""
    file = test.partition("::")[0]
    return next((folder for folder in TOGETHER if file.startswith(folder)), file)


class Scheduler(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler:
    return Scheduler(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the tests that take longest")
    parser.addoption("--record-durations", action="store_true", help=f"write {RECORD.name} anew")
    parser.addoption("--write-playthroughs", action="store_true", help="write the games in playthroughs/ anew")
    parser.addoption("--write-signature", action="store_true", help="write the signature of the searches anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seconds = recorded()
    of_scopes: dict[str, float] = defaultdict(float)
    for test, taken in seconds.items():
        of_scopes[scope_of(test)] += taken
    items.sort(key=lambda item: (-of_scopes[scope_of(item.nodeid)], scope_of(item.nodeid)))
    if config.getoption("--quick"):
        here = [seconds.get(item.nodeid, 0.0) for item in items]
        most = longest_allowed(here, QUICK)
        left_out = [item for item in items if seconds.get(item.nodeid, 0.0) > most]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if seconds.get(item.nodeid, 0.0) <= most]


def longest_allowed(seconds: list[float], budget: float) -> float:
    """The longest that a test may take if all that take no longer shall keep to the budget together."""
    total = 0.0
    most = 0.0
    for one in sorted(seconds):
        total += one
        if total > budget:
            break
        most = one
    return most


def pytest_collectstart() -> None:
    """What tests import is no garbage: the garbage collector waits until all is there."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What all tests have imported stays: the garbage collector need not look through it again and again, and seldom
    through the rest."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()


class Recorder:
    """Adds up how long every test takes, with what is set up and taken down for it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        long = {test: round(taken, 2) for test, taken in sorted(self.seconds.items()) if taken >= LEAST}
        RECORD.write_text(json.dumps(long, indent=0) + "\n", encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # shells let jobs in the background ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())
