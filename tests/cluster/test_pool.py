"""Work on a cluster: all of it is done, each task is told once, whoever is lost on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from plyground.cluster import connected, workers
from plyground.spec import InputError

from . import ray_tasks

ray = pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")
pool = pytest.importorskip("plyground.cluster.pool")

NODES_LOST = int(os.environ.get("KILLS", "1"))  # ten take a minute and a half
PAIRS = [(i, i * i) for i in range(12)]


@pytest.fixture
def cluster(nodes: Any) -> Iterator[Any]:
    with connected(nodes.address) as found:
        yield found


@pytest.mark.parametrize("work", [ray_tasks.ended_at_first, ray_tasks.stopped_at_first], ids=["killed", "hanging"])
def test_an_actor_that_is_lost_is_replaced(
    cluster: Any, work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(pool, "BEAT", 0.5)
    monkeypatch.setattr(pool, "SILENCE", 5.0)
    assert sorted(cluster.run(partial(work, str(tmp_path)), range(12))) == PAIRS
    assert cluster.lost == 1 and "an actor of the cluster was lost" in capsys.readouterr().err


def test_actors_killed_ten_times_lose_nothing_and_count_nothing_twice(cluster: Any, tmp_path: Path) -> None:
    """Whoever has begun three tasks is killed on the way."""
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 10:
            begun = Counter(int(note.name.split("-")[1]) for note in tmp_path.iterdir())
            due = [process for process, tasks in begun.items() if tasks == 3 and process not in killed]
            for process in due[: 10 - len(killed)]:  # two may have come so far since the last look
                killed.append(process)
                os.kill(process, signal.SIGKILL)
            time.sleep(0.02)

    threading.Thread(target=kill, daemon=True).start()
    assert sorted(cluster.run(partial(ray_tasks.noted, str(tmp_path)), range(60))) == [(i, i * i) for i in range(60)]
    assert len(killed) == cluster.lost == 10


def test_a_task_that_ends_every_actor_ends_the_work(cluster: Any) -> None:
    with pytest.raises(InputError, match="5 actors of the cluster have ended while they worked on task 3"):
        list(cluster.run(ray_tasks.ended_always, range(12)))


def test_actors_that_end_before_they_begin_end_the_work(nodes: Any) -> None:
    told = r"5 actors of the cluster have ended before they had begun: .*nowhere"
    with connected(nodes.address, actors=1) as one, pytest.raises(InputError, match=told):
        list(one.run(ray_tasks.Unloadable(), range(3)))


def test_what_a_task_refuses_is_told_in_its_words(cluster: Any) -> None:
    with pytest.raises(InputError, match=r"^task \d+ makes no sense$"):
        list(cluster.run(ray_tasks.refused, range(3)))


def test_a_node_with_other_versions_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from plyground.cluster import versions

    ours = versions.versions()
    monkeypatch.setattr(versions, "versions", lambda *checked: ours | {"numba": "0.1"})
    with pytest.raises(InputError, match=r"node \S+ has numba [\d.]+, not 0.1: install the same on all nodes"):
        list(cluster.run(ray_tasks.squared, range(3)))


def test_a_node_with_another_file_is_refused() -> None:
    """The same path there holds something else, or nothing."""
    from plyground.cluster import versions

    ours = versions.versions(["game.py"])
    assert ours["game.py"] == "missing"
    versions.must_be_ours(ours, ["game.py"])
    told = r"^node \S+ has game.py 0123456789abcdef, not missing: copy the same files to all nodes$"
    with pytest.raises(InputError, match=told):
        versions.must_be_ours(ours | {"game.py": "0123456789abcdef"}, ["game.py"])


def test_files_are_found_from_the_folder_of_the_command(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    with connected(nodes.address, specs=["own.py:Game", "uct"]) as found:
        assert found.checked[0] == ("own.py",) and sorted(found.run(ray_tasks.squared, range(12))) == PAIRS


def test_work_goes_to_the_nodes_that_have_a_resource(nodes: Any) -> None:
    with connected(nodes.address, resource="engine") as found:
        assert found.actors == 1 and sorted(found.run(ray_tasks.squared, range(12))) == PAIRS
    with pytest.raises(InputError, match="the cluster has no node with the resource 'gpu' that has a core"):
        connected(nodes.address, resource="gpu").__enter__()


def test_a_node_that_is_killed_and_one_that_comes(nodes: Any, capsys: pytest.CaptureFixture) -> None:
    """Last, since the node is gone then."""
    third = nodes.add_node(num_cpus=1)
    with connected(nodes.address) as found:
        assert found.actors == 3
        tasks = 30 * (1 + NODES_LOST)
        results = found.run(ray_tasks.slowly_squared, range(tasks))
        first = []
        for number in range(NODES_LOST):
            first += [next(results) for _ in range(15)]
            nodes.remove_node(third, allow_graceful=False)
            third = nodes.add_node(num_cpus=1) if number < NODES_LOST - 1 else None
        assert sorted(first + list(results)) == [(i, i * i) for i in range(tasks)]
    assert not capsys.readouterr().out  # where results of commands go


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"jobs": 0, "address": "here"}, "the address of a cluster is HOST:PORT, auto or local, not 'here'"),
        ({"jobs": 0, "address": "localhost:1"}, "there is no cluster at localhost:1: Connection refused"),
        ({"jobs": 2, "address": "local"}, "jobs are processes of this machine; a cluster has actors"),
        ({"jobs": 2, "actors": 2}, "actors and their resource are those of a cluster: ray names its address"),
    ],
)
def test_what_cannot_be_asked_for(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why), workers(**options):
        pass


def test_functions_stay_in_their_process() -> None:
    from plyground.arena.parallel import possible

    with pytest.raises(InputError, match="functions and objects stay in this process"):
        possible(lambda task: task, pool.Cluster.__new__(pool.Cluster))
