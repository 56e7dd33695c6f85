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

from plyground.cluster import connected
from plyground.spec import InputError

from . import ray_tasks

ray = pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")
pool = pytest.importorskip("plyground.cluster.pool")

NODES_LOST = int(os.environ.get("KILLS", "1"))  # ten take a minute and a half
PATIENCE = 60.0  # seconds in which Ray ends a process that hangs
PAIRS = [(i, i * i) for i in range(12)]


@pytest.fixture(scope="module")
def connection(started: Any) -> Iterator[str]:
    """The address of a cluster to which this process stays connected."""
    with connected(started.address):
        yield started.address


@pytest.fixture
def cluster(connection: str) -> Iterator[Any]:
    with connected(connection) as found:
        yield found


@pytest.fixture
def one(connection: str) -> Iterator[Any]:
    """The same, where one actor will do."""
    with connected(connection, actors=1) as found:
        yield found


def test_actors_killed_ten_times_and_one_that_hangs_lose_nothing_and_count_nothing_twice(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Whoever has begun three tasks is killed on the way; who hangs is ended, and gives its core back."""
    monkeypatch.setattr(pool, "BEAT", 0.5)
    monkeypatch.setattr(pool, "SILENCE", 10.0)  # less, and on a busy machine another one may seem to hang
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 10:
            begun = Counter(int(note.name.split("-")[1]) for note in tmp_path.glob("*-*"))
            due = [process for process, tasks in begun.items() if tasks >= 3 and process not in killed]
            for process in due[: 10 - len(killed)]:  # two may have come so far since the last look
                killed.append(process)
                os.kill(process, signal.SIGKILL)
            time.sleep(0.02)

    threading.Thread(target=kill, daemon=True).start()
    found = sorted(cluster.run(partial(ray_tasks.noted, str(tmp_path)), range(60)))
    assert found == [(i, i * i) for i in range(60)]
    assert len(killed) == 10 and cluster.lost == 11
    told = capsys.readouterr().err
    assert told.count("an actor of the cluster was lost") == 11 and told.count("it has not answered for 10 s") == 1
    hung, since = int((tmp_path / "hung").read_text()), time.monotonic()
    with pytest.raises(ProcessLookupError):
        while time.monotonic() - since < PATIENCE:
            os.kill(hung, 0)
            time.sleep(0.1)


@pytest.fixture
def two_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five processes that end one after the other show no more than two."""
    monkeypatch.setattr(pool, "TRIES", 2)


@pytest.mark.usefixtures("two_tries")
def test_a_task_that_ends_every_actor_ends_the_work(one: Any) -> None:
    """However long it is, the line is not."""
    told = r"2 actors of the cluster have ended while they worked on task 3 {59}: .{,120} its worker process has died$"
    with pytest.raises(InputError, match=told):
        list(one.run(ray_tasks.ended_always, [f"{i:<999}" for i in range(12)]))


@pytest.mark.usefixtures("two_tries")
def test_a_task_that_never_ends_ends_the_work(one: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its actor answers, and its work does not come further."""
    monkeypatch.setattr(pool, "BEAT", 0.2)
    monkeypatch.setattr(pool, "STILL", 1.0)
    told = r"2 actors of the cluster have ended while they worked on task 0: its work has not come further for \d+ s$"
    with pytest.raises(InputError, match=told):
        list(one.run(ray_tasks.endless, range(3)))
    assert one.lost == 2


@pytest.mark.usefixtures("two_tries")
def test_actors_that_end_before_they_begin_end_the_work(one: Any) -> None:
    told = r"2 actors of the cluster have ended before they had begun: .*nowhere"
    with pytest.raises(InputError, match=told):
        list(one.run(ray_tasks.Unloadable(), range(3)))


def test_what_a_task_refuses_is_told_in_its_words_and_where_it_fails(one: Any) -> None:
    with pytest.raises(InputError, match=r"^task \d+ makes no sense$"):
        list(one.run(ray_tasks.refused, range(3)))
    with pytest.raises(ZeroDivisionError) as failed:
        list(one.run(ray_tasks.faulty, range(3)))
    assert "in faulty" in "".join(failed.value.__notes__)


def test_a_node_with_other_versions_is_refused(one: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from plyground.cluster import versions

    ours = versions.versions()
    monkeypatch.setattr(versions, "versions", lambda *checked: ours | {"numba": "0.1", "more": "1"})
    told = r"node \S+ has numba [\d.]+, not 0.1; more missing, not 1: install the same on all nodes"
    with pytest.raises(InputError, match=told):
        list(one.run(ray_tasks.squared, range(3)))


def test_a_library_that_is_missing_here_may_be_on_a_node() -> None:
    """What is here must be there in the same version."""
    from plyground.cluster import versions

    assert "onnxruntime" in versions.LIBRARIES and "torch" in versions.TRAINING
    ours = versions.versions(libraries=["numpy", "no_such_library"])
    assert "no_such_library" not in ours
    versions.must_be_ours(ours | {"no_such_library": "1.0"}, libraries=["numpy", "no_such_library"])
    with pytest.raises(InputError, match=r"has numpy missing, not [\d.]+: install the same on all nodes$"):
        versions.must_be_ours({name: told for name, told in ours.items() if name != "numpy"}, libraries=["numpy"])


def test_a_node_with_another_file_is_refused() -> None:
    """The same path there holds something else, or nothing."""
    from plyground.cluster import versions

    ours = versions.versions(["game.py"])
    assert ours["game.py"] == "missing"
    versions.must_be_ours(ours, ["game.py"])
    told = r"^node \S+ has game.py 0123456789abcdef, not missing: copy the same files to all nodes$"
    with pytest.raises(InputError, match=told):
        versions.must_be_ours(ours | {"game.py": "0123456789abcdef"}, ["game.py"])


def test_a_node_with_another_net_is_refused(tmp_path: Path) -> None:
    from plyground.cluster import versions
    from plyground.nets import files

    net = tmp_path / "runs" / "nine"
    net.mkdir(parents=True)
    assert versions.CARD == files.CARD and versions.named(f"net('{net}')") == ()
    (net / files.CARD).write_text("{}")
    assert versions.named(f"net('{net}')", f"guided(net={net}, sims=3)", str(net), "uct(sims=10)") == (str(net),)
    ours = versions.versions([str(net)])
    (net / files.CARD).write_text("{ }")
    with pytest.raises(InputError, match="copy the same files to all nodes"):
        versions.must_be_ours(ours, [str(net)])


def test_files_are_found_from_the_folder_of_the_command(
    connection: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    with connected(connection, actors=1, specs=["own.py:Game", "uct"]) as found:
        assert found.checked[0] == ("own.py",) and sorted(found.run(ray_tasks.squared, range(12))) == PAIRS


def test_work_goes_to_the_nodes_that_have_a_resource(
    connection: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Who waits until others have done theirs is told so, once."""
    monkeypatch.setattr(pool, "FULL", 0.1)
    with connected(connection, resource="engine") as found, pool.Crew(found, ray_tasks.squared, 1) as first:
        assert found.actors == 1 and sorted(first.run(range(12))) == PAIRS
        assert not first.has_no_core
        capsys.readouterr()  # under load it may have taken long to begin
        with pool.Crew(found, ray_tasks.squared, 1) as second:
            second.begin(range(12))
            for _ in range(3):
                assert not second.look(0.2)
            assert second.has_no_core
    assert capsys.readouterr().err.count("no actor has begun yet") == 1
    with pytest.raises(InputError, match="the cluster has no node with the resource 'gpu' that has a core"):
        connected(connection, resource="gpu").__enter__()


def test_a_cluster_whose_first_machine_is_lost_ends_the_work(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at once, if it answers again."""
    monkeypatch.setattr(pool, "BEAT", 0.0)
    with connected(connection, actors=1) as found:
        found.must_answer()
        monkeypatch.setattr(pool, "HEADLESS", 0.1)
        found.address = "localhost:1"
        found.must_answer()
        found.address = connection
        time.sleep(0.2)
        found.must_answer()
        found.address = "localhost:1"
        told = "the cluster is lost: its first machine, localhost:1, does not answer"
        with pytest.raises(InputError, match=told), pool.Crew(found, ray_tasks.slowly_squared, 0) as crew:
            while True:
                crew.look(0.1)
                time.sleep(0.05)


def test_another_cluster_than_the_one_of_this_process_is_refused(connection: str) -> None:
    for other in ("127.0.0.1:1", f"nowhere.invalid:{connection.rpartition(':')[2]}"):
        with pytest.raises(InputError, match=f"this process is connected to the cluster at {connection}, not {other}"):
            connected(other).__enter__()


def test_a_node_that_is_killed_and_one_that_comes(nodes: Any, connection: str, capsys: pytest.CaptureFixture) -> None:
    third = nodes.add_node(num_cpus=1)
    with connected(connection) as found:
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
