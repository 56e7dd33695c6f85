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
import ray_tasks

from plyground.arena.match import Plan, play_match
from plyground.cluster import connected, workers
from plyground.spec import InputError

ray = pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")
pool = pytest.importorskip("plyground.cluster.pool")

PAIRS = [(i, i * i) for i in range(12)]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A cluster of two nodes with one core each; the second one has an engine."""
    from ray.cluster_utils import Cluster

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *([before] if before else [])])
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    found.add_node(num_cpus=1, resources={"engine": 1})
    try:
        yield found
    finally:
        found.shutdown()
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


@pytest.fixture
def cluster(nodes: Any) -> Iterator[Any]:
    with connected(nodes.address) as found:
        yield found


def test_a_match_is_played_game_for_game_as_on_one_machine(cluster: Any) -> None:
    plan = Plan("tictactoe", ("random", "win-block"), 20, 7, 1)
    assert cluster.actors == 2
    there, here = play_match(plan, cluster), play_match(plan, 1)
    assert [(one.number, one.first, one.actions, one.score) for one in there.records] == [
        (one.number, one.first, one.actions, one.score) for one in here.records
    ]


@pytest.mark.parametrize("work", [ray_tasks.ended_at_first, ray_tasks.stopped_at_first], ids=["killed", "hanging"])
def test_an_actor_that_is_lost_is_replaced(
    cluster: Any, work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(pool, "BEAT", 0.5)
    monkeypatch.setattr(pool, "SILENCE", 8.0)
    assert sorted(cluster.run(partial(work, str(tmp_path)), range(12))) == PAIRS
    assert cluster.lost == 1 and "an actor of the cluster was lost" in capsys.readouterr().err


def test_actors_killed_ten_times_lose_nothing_and_count_nothing_twice(cluster: Any, tmp_path: Path) -> None:
    """Whoever has begun three tasks is killed on the way."""
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 10:
            begun = Counter(int(note.name.split("-")[1]) for note in tmp_path.iterdir())
            for process in [process for process, tasks in begun.items() if tasks == 3 and process not in killed]:
                killed.append(process)
                os.kill(process, signal.SIGKILL)
            time.sleep(0.02)

    threading.Thread(target=kill, daemon=True).start()
    assert sorted(cluster.run(partial(ray_tasks.noted, str(tmp_path)), range(60))) == [(i, i * i) for i in range(60)]
    assert len(killed) == cluster.lost == 10


def test_a_task_that_ends_every_actor_ends_the_work(cluster: Any) -> None:
    with pytest.raises(InputError, match="5 actors of the cluster have ended while they worked on task 3"):
        list(cluster.run(ray_tasks.ended_always, range(12)))


def test_what_a_task_refuses_is_told_in_its_words(cluster: Any) -> None:
    with pytest.raises(InputError, match=r"^task \d+ makes no sense$"):
        list(cluster.run(ray_tasks.refused, range(3)))


def test_a_node_with_other_versions_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from plyground.cluster import versions

    ours = versions.versions()
    monkeypatch.setattr(versions, "versions", lambda: ours | {"numba": "0.1"})
    with pytest.raises(InputError, match=r"node \S+ has numba [\d.]+, not 0.1: install the same on all nodes"):
        list(cluster.run(ray_tasks.squared, range(3)))


def test_work_goes_to_the_nodes_that_have_a_resource(nodes: Any) -> None:
    with connected(nodes.address, resource="engine") as found:
        assert found.actors == 1 and sorted(found.run(ray_tasks.squared, range(12))) == PAIRS
    with pytest.raises(InputError, match="the cluster has no node with the resource 'gpu' that has a core"):
        connected(nodes.address, resource="gpu").__enter__()


def test_training_has_the_weights_that_threads_have_though_an_actor_is_lost(nodes: Any) -> None:
    from plyground import games, learn
    from plyground.learn.base import chosen
    from plyground.learn.train import learner_of

    kind = learner_of("alphazero")
    small = {"sims": 4, "quick_sims": 4, "blocks": 1, "channels": 4, "parallel_games": 4, "round": 40, "positions": 120}

    def begun(**options: Any) -> learn.base.Learner:
        made = kind(games.make("tictactoe"), "tictactoe", chosen(kind, small | options), 5)
        made.advance()
        return made

    here, there = begun(threads=2), begun(ray=nodes.address)
    ray.kill(there.players._crew._members[0].actor)
    here.advance()
    there.advance()
    arrays, notes = there.arrays(), there.notes()
    there.close()
    assert there.players.cluster.lost == 1
    resumed = kind(games.make("tictactoe"), "tictactoe", chosen(kind, small | {"threads": 2}), 5)
    resumed.restore(arrays, notes)
    for found in (arrays, resumed.arrays()):
        assert {name: array.tobytes() for name, array in found.items()} == {
            name: array.tobytes() for name, array in here.arrays().items()
        }


def test_a_node_that_is_lost_and_one_that_comes(nodes: Any, tmp_path: Path) -> None:
    """Last, since the node is gone then."""
    third = nodes.add_node(num_cpus=1)
    with connected(nodes.address) as found:
        assert found.actors == 3
        results = found.run(ray_tasks.slowly_squared, range(40))
        first = [next(results) for _ in range(5)]
        nodes.remove_node(third)
        assert sorted(first + list(results)) == [(i, i * i) for i in range(40)]


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
