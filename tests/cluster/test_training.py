"""Self-play on a cluster: the weights of one machine, whoever is lost; with a GPU an actor has several threads."""

from __future__ import annotations

from contextlib import ExitStack, closing
from types import SimpleNamespace
from typing import Any

import pytest

from plyground import games
from plyground.learn.base import Learner, Stopped, chosen
from plyground.learn.selfplay import measurement
from plyground.learn.train import learner_of
from plyground.spec import InputError

ray = pytest.importorskip("ray", reason="clusters are Ray's: pip install 'plyground[ray]'")

from plyground.cluster.pool import Cluster, Needs  # noqa: E402  (they need Ray)
from plyground.learn.selfplay.actors import Actors, planned  # noqa: E402
from plyground.learn.selfplay.ddp import Ranks  # noqa: E402

from . import ray_tasks  # noqa: E402

SMALL = {"sims": 4, "quick_sims": 4, "blocks": 1, "channels": 4, "parallel_games": 4, "round": 40, "positions": 120}
SMALL |= {"measure_every": 0, "device": "cpu"}
ALPHAZERO = learner_of("alphazero")


def begun(**options: Any) -> Learner:
    return ALPHAZERO(games.make("tictactoe"), "tictactoe", chosen(ALPHAZERO, SMALL | options), 5)


def bits(made: Learner) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in made.arrays().items()}


def test_training_has_the_weights_that_threads_have_though_an_actor_is_lost(nodes: Any) -> None:
    """A round that is left is played again."""
    with closing(begun(threads=2, lag=1)) as here, closing(begun(ray=nodes.address, lag=1)) as there:
        for made in (here, there):
            made.advance()
        ray.kill(there.players._crew._members[0].actor)
        for made in (here, there):
            made.advance()
        there.is_enough = lambda: True
        with pytest.raises(Stopped):
            there.advance()
        assert there.lesson is None  # it has not waited for the end of the round
        there.is_enough = lambda: False
        resumed = begun(threads=2, lag=1)
        resumed.restore(there.arrays(), there.notes())
        assert bits(there) == bits(here) == bits(resumed)
        here.advance()
        figures = there.advance()  # it may have played its part of the round before when it was killed
        assert (figures["actors"], figures["actors_lost"], figures["lag"]) == (2, 1, 1)
        assert "2 actors, 1 lost, lag 1" in there.headline({})
        resumed.advance()
        assert bits(there) == bits(here) == bits(resumed)


@pytest.mark.usefixtures("measured_quickly")
def test_an_actor_that_has_a_gpu_plays_several_groups_and_another_one_measures(
    nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node only says that it has one: the net runs on its cores, and all else is as it would be."""
    monkeypatch.setattr(measurement, "measured", ray_tasks.measured_quickly)
    third = nodes.add_node(num_cpus=3, num_gpus=1)
    here = begun(threads=2, measure_every=1)
    try:
        with closing(begun(ray=nodes.address, measure_every=1, device="auto")) as there:
            told = there.planned()
            assert "3 nodes: 5 cores, 1 GPU" in told
            assert "1 of them plays, each on a GPU, with 2 groups of games" in told
            assert "this process learns; one more actor measures" in told
            for made in (here, there):
                made.advance()
            assert there.measure() == {} and there.players.measured(wait=True).figures == here.measure()
            for made in (here, there):
                made.advance()
            assert bits(here) == bits(there)
    finally:
        nodes.remove_node(third)


def test_nobody_measures_where_no_core_is_left() -> None:
    """Whoever plays has them all; or those of another command have."""
    node = {"Alive": True, "Resources": {"CPU": 8.0, "GPU": 8.0}}
    cluster = Cluster.__new__(Cluster)
    cluster.asked, cluster.cores, cluster.actors, cluster.nodes = 0, 8, 8, lambda: [node]
    assert planned(cluster, gpu=True, measures=True) == (8, Needs(1, 1), 0)
    node["Resources"]["CPU"] = cluster.cores = 16
    assert planned(cluster, gpu=True, measures=True) == (8, Needs(1, 1), 1)
    players = Actors.__new__(Actors)
    players._measurer = SimpleNamespace(busy=True, has_no_core=True, look=lambda seconds=0.0: [])
    assert players.measured(wait=True) is None


def test_one_of_those_who_learn_that_does_not_answer_ends_the_training() -> None:
    """PyTorch tells it as any other error; nobody waits for it once more."""

    def told(*_: Any) -> None:
        raise RuntimeError("[gloo/transport/tcp/buffer.cc:72] Timed out waiting 120000ms for send operation")

    ranks = Ranks.__new__(Ranks)
    ranks._others, ranks._lost, ranks._open = [], False, ExitStack()
    ranks.first = SimpleNamespace(broadcast=told, number=2)
    with pytest.raises(InputError, match=r"one of the processes that learn does not answer; --resume goes on: .*Timed"):
        ranks.step((), 0.1)
    assert ranks._lost


def test_nobody_is_hired_before_there_is_something_to_do(nodes: Any) -> None:
    made = begun(ray=nodes.address)
    told = made.planned()
    assert "2 nodes: 2 cores; 2 actors" in told and made.players._crew is None
    assert "a round has 20 positions of each group; all wait for the last one" in told and "--round 4000" in told
    made.close()
    assert not ray.is_initialized()
    with pytest.raises(InputError, match="there is no cluster at localhost:1: Connection refused"):
        begun(ray="localhost:1")
