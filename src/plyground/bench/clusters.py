"""Benchmark of self-play on a Ray cluster: beside threads of one machine, on one node and on two, and what 10, 100 and
1,000 nodes would come to by the times and bytes that were measured."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import chain
from shutil import rmtree
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
H200_US = 58.0  # at most: it plays and learns 17,150 positions of go(9) a second, with a net of 6 blocks of 64
NODES = (1, 10, 100, 1000)
ROUND = 20_000  # positions between two times of learning, there, for each node


def clusters(seconds: float) -> list[dict[str, Any]]:
    """Overhead, two nodes, what was measured of the parts, and the forecast."""
    must_have_ray()
    overhead, learning = beside_threads(seconds)
    two, sent = two_nodes(seconds)
    parts = ", ".join(f"{name} {value:,.0f}" for name, value in (learning | sent).items())
    here, rate = learning["learning_us_a_position"], two[0]["beside_per_s"]
    forecasts = [forecast(rate, us, learner, **sent) for us, learner in ((here, "here"), (H200_US, "by an H200"))]
    return [overhead, *two, row(f"measured: {parts}"), *chain(*forecasts)]


def row(
    what: str, per_s: float = 0, beside_per_s: float = 0, share: float = 0, at_least: float = 0, slowest: str = ""
) -> dict[str, Any]:
    """Positions a second, beside those of something else; what the most time goes to."""
    figures = {"per_s": per_s, "beside_per_s": beside_per_s, "share": share, "at_least": at_least}
    return {"what": what} | {name: value or None for name, value in figures.items()} | {"slowest": slowest}


def beside_threads(seconds: float) -> tuple[dict[str, Any], dict[str, float]]:
    """The same training, self-play and learning, by threads and by as many actors, in turns."""
    number = cores()
    with closing(learner(number, threads=number)) as here, closing(learner(number, ray="local")) as there:
        size = sized(here, seconds * number)
        times: dict[str, list[float]] = {"threads": [], "actors": [], "learning": []}
        for made in (here, there):
            a_round(made, size)  # processes begin, memory is touched
        for _ in range(TURNS):
            for word, made in (("threads", here), ("actors", there)):
                spent, learnt = a_round(made, size)
                times[word].append(spent + learnt)
                times["learning"].append(learnt)
    threads, actors = times["threads"], times["actors"]
    share = median(one / other for one, other in zip(threads, actors, strict=True))
    what = f"training by {number} actors, beside {number} threads"
    found = row(what, size / median(actors), size / median(threads), share, 0.9)
    return found, {"learning_us_a_position": 1e6 * median(times["learning"]) / size}


def two_nodes(seconds: float) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Self-play alone by an actor of one node, and by two of two nodes, in turns; what the cores do meanwhile; and what
    goes to and fro.

    Each node has a core, on which Ray's own processes of that node run, too.
    """
    import ray
    from ray.cluster_utils import Cluster

    from ..learn.checkpoint import weights_of
    from ..learn.selfplay.actors import LEAST

    less = {"include_dashboard": False, "include_log_monitor": False}
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **less})
    folder = nodes.head_node.get_session_dir_path()
    try:
        with ExitStack() as opened:
            with on_core(0):
                nodes.add_node(num_cpus=2, **less)  # on which both trainings have an actor, never at work at once
            one = opened.enter_context(closing(learner(1, ray=nodes.address, actors=1)))
            played(one, PARALLEL)
            with on_core(1):
                nodes.add_node(num_cpus=1, **less)
            two = opened.enter_context(closing(learner(2, ray=nodes.address, actors=2)))
            size = max(LEAST, sized(one, seconds))
            for made in (one, two):
                played(made, size)
            times: list[tuple[float, ...]] = []
            spent = Counter[str](), Counter[str]()  # by one actor and by two: seconds of CPU in all rounds
            for _ in range(TURNS):
                times.append(tuple(counted(made, n * size, spent[n - 1]) for n, made in enumerate((one, two), 1)))
            net, own = weights_of(one.player, ""), one.players.arrays()[0]
            begun = time.perf_counter()
            for _ in range(20):
                ray.get(ray.put(net))
            message = (time.perf_counter() - begun) / 20
            positions = played(one, size, back=True)
    finally:
        nodes.shutdown()
        rmtree(folder, ignore_errors=True)
    one_s, two_s = (size * turn / median(part) for turn, part in enumerate(zip(*times, strict=True), 1))
    share = median(2 * alone / both for alone, both in times)
    found = row("self-play on two nodes of one core, beside one", two_s, one_s, share, 1.8)
    told = {"net_bytes": float(sum(array.nbytes for array in net.values())), "net_us": 1e6 * message}
    told["bytes_a_position"] = positions.nbytes / len(positions)
    told["bytes_a_group"] = float(sum(array.nbytes for array in own.values()))
    return [found, *by_cpu(size, *spent)], told


def by_cpu(size: int, one: Counter[str], two: Counter[str]) -> list[dict[str, Any]]:
    """Positions a second of an actor's CPU, which other work on the machine does not take; and what else a round of two
    nodes needs."""
    alone, longer, shorter, asking, rays = (
        spent / TURNS for spent in (*actors_of(one)[:1], *actors_of(two)[:2], two["asking"], two["Ray"])
    )
    rates = 2 * size / (longer + shorter), size / alone
    told = f"actors work {longer:.2f} and {shorter:.2f} s, the process that asks {asking:.2f} s, Ray {rays:.2f} s"
    return [
        row("positions a second of an actor's CPU, two beside one", *rates, rates[0] / rates[1]),
        row(f"measured: for {2 * size:,} positions on two nodes {told}"),
    ]


def actors_of(spent: Counter[str]) -> list[float]:
    return sorted((seconds for name, seconds in spent.items() if name.startswith("actor")), reverse=True)


def counted(made: Any, size: int, spent: Counter[str]) -> float:
    """Seconds that a round of self-play takes; seconds of CPU go to what was spent before."""
    before = worked()
    seconds: float = played(made, size)
    spent += worked() - before
    return seconds


def worked() -> Counter[str]:
    """Seconds of CPU that this process, each actor that it has begun, and Ray's other processes have worked."""
    import psutil  # Ray brings it along

    here = psutil.Process()
    found: Counter[str] = Counter()
    for process in [here, *here.children(recursive=True)]:
        with suppress(psutil.Error):
            spent, number = process.cpu_times(), process.pid
            plays = "".join(process.cmdline()).startswith("ray::Worker")
            name = "asking" if process == here else f"actor {number}" if plays else "Ray"
            found[name] += spent.user + spent.system
    return found


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Processes that begin here meanwhile have one core; not so where a system cannot tell them."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(before)[number % len(before)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def forecast(
    rate: float,
    learning_us: float,
    learner: str,
    net_bytes: float,
    net_us: float,
    bytes_a_position: float,
    bytes_a_group: float,
) -> list[dict[str, Any]]:
    """What so many nodes come to if one machine learns, sends weights to each node and takes all positions.

    rate: positions a second and core; learning_us: microseconds a position, on what `learner` says.  Beside lag 1,
    where self-play goes on meanwhile, stands lag 0; the share is that of what all cores would play if none had to wait.
    """
    found = []
    for nodes in NODES:
        positions, actors = ROUND * nodes, NODE_CORES * nodes
        play = positions / (rate * actors)
        learn = positions * learning_us / 1e6
        sent = positions * bytes_a_position + actors * bytes_a_group + nodes * net_bytes
        network = sent / GIGABIT + nodes * net_us / 1e6
        parts = {"self-play": play, "learning": learn, "network": network}
        lag_1, lag_0 = positions / max(play, learn + network), positions / sum(parts.values())
        slowest = max(parts, key=lambda name: parts[name])
        found.append(
            row(
                f"forecast, learning {learner}: {nodes} nodes, lag 1, beside lag 0",
                lag_1,
                lag_0,
                lag_1 / (rate * actors),
                0,
                slowest,
            )
        )
    return found


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
    from ..learn.selfplay.learner import Lesson

    begun = time.perf_counter()
    made.players.begin(made.player, size)
    samples, counted = made._end_round()
    made.window.add(samples)
    between = time.perf_counter()
    made.learn(Lesson(len(samples), counted.tolist(), {}))
    made.done += len(samples)
    share = size / len(samples)
    return (between - begun) * share, (time.perf_counter() - between) * share


def sized(made: Any, seconds: float) -> int:
    """Positions of a round that takes one thread or actor so long."""
    few = 8 * PARALLEL
    played(made, few)
    return max(few, int(few * seconds / played(made, few)))
