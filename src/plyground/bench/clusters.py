"""Benchmark of self-play on a Ray cluster: beside threads of one machine, on one node and on two, and what 10, 100 and
1,000 nodes would come to by the times and bytes that were measured."""

from __future__ import annotations

import time
from contextlib import closing
from statistics import median
from typing import Any

import numpy as np

from .. import games
from ..cluster import must_have_ray
from ..machine import cores

GAME = "connect-four"
OPTIONS = {"blocks": 4, "channels": 32, "sims": 32, "quick_sims": 12, "full_share": 0.25, "measure_every": 0}
PARALLEL = 64  # games of a group
TURNS = 5
NODE_CORES, GIGABIT = 16, 125e6  # cores of a node, and bytes a second that one machine sends or takes, in the forecast
NODES = (1, 10, 100, 1000)
ROUND = 20_000  # positions between two times of learning, there, for each node


def clusters(seconds: float) -> list[dict[str, Any]]:
    """Overhead, two nodes, and the forecast."""
    must_have_ray()
    overhead, learning = beside_threads(seconds)
    two, sent = two_nodes(seconds)
    return [overhead, two, learning | sent, *forecast(overhead, learning | sent)]


def beside_threads(seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same training, self-play and learning, by threads and by as many actors, in turns."""
    number = cores()
    with closing(learner(number, threads=number)) as here, closing(learner(number, ray="local")) as there:
        size = sized(here, seconds * number)
        times: dict[str, list[float]] = {"threads": [], "actors": [], "learning": []}
        for made in (here, there):
            a_round(made, size)  # processes begin, memory is touched
        for _ in range(TURNS):
            for word, made in (("threads", here), ("actors", there)):
                played, learnt = a_round(made, size)
                times[word].append(played + learnt)
                times["learning"].append(learnt)
    shares = [one / other for one, other in zip(times["threads"], times["actors"], strict=True)]
    row = {
        "what": f"{number} actors beside {number} threads",
        "game": GAME,
        "threads_per_s": size / median(times["threads"]),
        "actors_per_s": size / median(times["actors"]),
        "share": median(shares),
        "at_least": 0.9,
    }
    return row, {"what": "measured", "learning_us_per_position": 1e6 * median(times["learning"]) / size}


def two_nodes(seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Self-play alone by an actor of one node, and by two of two nodes, in turns; and what goes to and fro."""
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    try:
        with (
            closing(learner(1, ray=nodes.address, actors=1)) as one,
            closing(learner(2, ray=nodes.address, actors=2)) as two,
        ):
            size = sized(one, seconds)
            for made in (one, two):
                played(made, size)
            times = [(played(one, size), played(two, 2 * size)) for _ in range(TURNS)]
            net, own = one.player, one.players.arrays()[0]
            begun = time.perf_counter()
            for _ in range(20):
                ray.get(ray.put(net))
            message = (time.perf_counter() - begun) / 20
            positions = played(one, size, back=True)
    finally:
        nodes.shutdown()
    shares = [2 * alone / both for alone, both in times]
    rates = [size / alone for alone, _ in times], [2 * size / both for _, both in times]
    row = {
        "what": "two nodes beside one, a core each",
        "game": GAME,
        "one_per_s": median(rates[0]),
        "two_per_s": median(rates[1]),
        "share": median(shares),
        "at_least": 1.8,
    }
    weights = sum(value.numel() * value.element_size() for value in net.state_dict().values())
    told = {"net_bytes": weights, "net_ms": 1e3 * message, "position_bytes": positions.nbytes / len(positions)}
    return row, told | {"group_bytes": sum(array.nbytes for array in own.values())}


def forecast(overhead: dict[str, Any], told: dict[str, Any]) -> list[dict[str, Any]]:
    """What so many nodes come to if the machine that learns sends weights to each and takes all positions.

    Play, learning and sending after one another (lag 0), and self-play beside the rest (lag 1).
    """
    rate = overhead["actors_per_s"] / cores()
    rows = []
    for nodes in NODES:
        positions = ROUND * nodes
        play = positions / (rate * NODE_CORES * nodes)
        learn = positions * told["learning_us_per_position"] / 1e6
        groups = told["group_bytes"] * NODE_CORES * nodes
        send = (positions * told["position_bytes"] + groups + told["net_bytes"] * nodes) / GIGABIT
        parts = {"self-play": play, "learning": learn, "network": send}
        rows.append(
            {
                "what": f"forecast, {nodes} nodes of {NODE_CORES} cores",
                "lag_0_per_s": positions / (play + learn + send),
                "lag_1_per_s": positions / max(play, learn + send),
                **{f"{name.replace('-', '_')}_s": seconds for name, seconds in parts.items()},
                "slowest": max(parts, key=lambda name: parts[name]),
            }
        )
    return rows


def learner(groups: int, **given: Any) -> Any:
    """A training that has not begun; every group has as many games."""
    from ..learn.alphazero import AlphaZero
    from ..learn.base import chosen

    options = OPTIONS | {"parallel_games": PARALLEL * groups, "positions": 1_000_000, "growth": 0.0} | given
    return AlphaZero(games.make(GAME), GAME, chosen(AlphaZero, options | {"device": "cpu"}), 0)


def played(made: Any, size: int, back: bool = False) -> Any:
    """Seconds that a round of self-play takes; or what came back."""
    begun = time.perf_counter()
    made.players.begin(made.player, size)
    samples = np.concatenate([one.samples for one in made.players.end()])
    return samples if back else (time.perf_counter() - begun) * size / len(samples)


def a_round(made: Any, size: int) -> tuple[float, float]:
    """Seconds of self-play and of learning in a round."""
    begun = time.perf_counter()
    made.players.begin(made.player, size)
    samples, _ = made._end_round()
    made.window.add(samples)
    made.done += len(samples)
    between = time.perf_counter()
    made.learn(len(samples))
    share = size / len(samples)
    return (between - begun) * share, (time.perf_counter() - between) * share


def sized(made: Any, seconds: float) -> int:
    """Positions of a round that takes one thread or actor so long."""
    few = 8 * PARALLEL
    played(made, few)
    return max(few, int(few * seconds / played(made, few)))
