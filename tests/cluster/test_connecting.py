"""How work begins and ends: what is refused before any of it, and what stays when it is over."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from commands import run
from plyground.arena.parallel import in_parallel, possible
from plyground.cluster import LOCAL, _print_news, connected, workers
from plyground.spec import InputError

from . import ray_tasks

ray = pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")
pool = pytest.importorskip("plyground.cluster.pool")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"jobs": 0, "address": "here"}, "the address of a cluster is HOST:PORT, auto or local, not 'here'"),
        ({"jobs": 0, "address": "localhost:1"}, "there is no cluster at localhost:1: Connection refused"),
        ({"jobs": 0, "address": f"{'a' * 99}:1"}, "there is no cluster at a{98}.*: .*label"),
        ({"jobs": 2, "address": "local"}, "jobs are processes of this machine; a cluster has actors"),
        ({"jobs": 2, "actors": 2}, "actors and their resource are those of a cluster: ray names its address"),
    ],
)
def test_what_cannot_be_asked_for(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why), workers(**options):
        pass


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.cluster.find_spec", lambda name: None)
    for words in (["match", "tictactoe", "random", "random"], ["train", "alphazero", "tictactoe", "--out", "none"]):
        ran = run(*words, "--ray", "auto", "--dry-run")
        assert ran.returncode == 2 and ran.stderr.rstrip().endswith("by Ray: pip install 'plyground[ray]'")


def test_a_machine_on_which_ray_does_not_start_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: Any, **__: Any) -> None:
        raise Exception("The current node timed out\nduring startup.")

    monkeypatch.setattr(ray, "init", slow)
    for address, told in ((LOCAL, "Ray has not started on this machine"), ("auto", "no cluster has let us in at auto")):
        with (
            pytest.raises(InputError, match=f"^{told}: The current node timed out during startup."),
            connected(address),
        ):
            pass


def test_sigterm_ends_whoever_has_no_other_answer_to_it(nodes: Any) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)  # that of the cluster, which this process has started
    try:
        with pytest.raises(SystemExit, match="143"), connected(nodes.address):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and not ray.is_initialized()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_what_ray_tells_is_a_line_each(capsys: pytest.CaptureFixture) -> None:
    _print_news({"lines": ["", " \n", "a node\nis lost\n"]}, ignore_prefix=True)
    assert capsys.readouterr() == ("", "plyground: Ray says: a node\n")


def test_a_process_of_this_machine_that_is_killed_ends_the_work_in_a_line() -> None:
    with pytest.raises(InputError, match="one of the processes that work was ended, perhaps for want of memory"):
        list(in_parallel(ray_tasks.ended_always, ["1", "2", "3"], 2))


def test_functions_stay_in_their_process() -> None:
    with pytest.raises(InputError, match="functions and objects stay in this process"):
        possible(lambda task: task, pool.Cluster.__new__(pool.Cluster))


def test_of_a_cluster_for_one_command_nothing_stays(nodes: Any) -> None:
    with connected(LOCAL):
        node = ray._private.worker._global_node
        folder = Path(node.get_session_dir_path())
        assert node.gcs_address != nodes.address and folder.is_dir()
        processes = [one.process for those in node.all_processes.values() for one in those]
    assert processes and all(process.poll() is not None for process in processes)
    assert not folder.exists()
