"""A short run of every learner: how long it takes, and what comes of it beside random play."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from .. import games
from ..arena.match import play_match
from ..arena.results import Plan
from ..arena.scores import Task, play_all
from ..learn.base import Learner
from ..learn.curve import plot
from ..learn.train import begin, prepared, train
from ..plots import save

FOR_TWO, FOR_ONE = "tictactoe", "2048(3)"
GAMES = 200
POINTS = 8  # of a curve
ACROSS = 3  # curves beside one another


class Smoke(NamedTuple):
    """A short run, and how its net plays; RUN stands for its folder."""

    game: str
    options: dict[str, Any]
    agent: str
    preset: str = ""


ZERO = {"positions": 8_000, "blocks": 1, "channels": 16, "parallel_games": 64, "threads": 1}
AFTERSTATES = {"point": 0.01}
DRAWN = {"generations": 10, "population": 50, "limit": 500}
RUNS = {
    "a2c": Smoke(FOR_ONE, AFTERSTATES | {"moves": 60_000}, 'afterstate-net("RUN")'),
    "actor-critic": Smoke(FOR_TWO, ZERO | {"sims": 32}, 'alphazero("RUN", sims=100)'),
    "afterstate-dqn": Smoke(FOR_ONE, AFTERSTATES | {"moves": 20_000}, 'afterstate-net("RUN")'),
    "alphago": Smoke(
        FOR_TWO,
        {"teacher": "uct(sims=100)", "teacher_games": 256, "blocks": 1, "channels": 16, "epochs": 4, "threads": 1}
        | {"updates": 20, "update_games": 64, "value_games": 1_024, "value_epochs": 2},
        'alphago("RUN", sims=100)',
    ),
    "alphazero": Smoke(FOR_TWO, ZERO, 'alphazero("RUN", sims=100)'),
    "cma-es": Smoke(FOR_ONE, DRAWN, 'linear("RUN")'),
    "cross-entropy": Smoke(FOR_ONE, DRAWN, 'linear("RUN")'),
    "distil": Smoke(
        FOR_TWO,
        ZERO | {"round": 2_000, "sims": 100, "leaves": 20, "average": 10, "lr": 0.005},
        'alphazero("RUN", sims=100)',
    ),
    "dqn": Smoke(FOR_TWO, {"games": 6_000}, 'net("RUN")', "strong"),
    "mcts-actor-critic": Smoke(FOR_ONE, AFTERSTATES | {"moves": 10_000}, 'mcts-actor-critic("RUN", sims=16)'),
    "ppo": Smoke(
        FOR_TWO,
        {"moves": 100_000, "boards": 64, "length": 16, "batch": 256, "hidden": "64,64"},
        'net("RUN")',
    ),
    "reinforce": Smoke(FOR_TWO, {"games": 300, "sims": 200}, 'guided(net="RUN", sims=200)'),
}


def learners(seconds: float) -> list[dict[str, Any]]:
    """A row for every learner: the options are what they are, however many seconds are given."""
    with TemporaryDirectory() as folder:
        return [row(name, smoke, Path(folder) / name) for name, smoke in RUNS.items()]


def row(name: str, smoke: Smoke, folder: Path) -> dict[str, Any]:
    """Train, then play: where two play, in pairs against random after one random move, else alone, as random does.

    Random play is beaten where the 95 % intervals lie apart.
    """
    print(f"plyground: training {name} for {smoke.game} ...", file=sys.stderr, flush=True)
    begun = time.perf_counter()
    train(begin(folder, name, smoke.game, smoke.options | {"measure_every": 0}, smoke.preset))
    taken = time.perf_counter() - begun
    agent = smoke.agent.replace("RUN", str(folder))
    if games.make(smoke.game).alone():
        played, random = scored(smoke.game, agent), scored(smoke.game, "random")
    else:
        played = play_match(Plan(smoke.game, (agent, "random"), GAMES, seed=1, opening=1)).interval()
        random = 0.5, 0.5
    return {
        "learner": name,
        "game": smoke.game,
        "seconds": round(taken, 2),
        "at_least": played[0],
        "at_most": played[1],
        "random_at_most": random[1],
        "beats_random": played[0] > random[1],
    }


def curves(file: str) -> None:
    """Train all of them again, measured on the way, and draw their curves side by side."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "plyground", "font.size": 7}), TemporaryDirectory() as at:
        figure = Figure(figsize=(10, 9.5), layout="constrained")
        panels = figure.subplots(-(-len(RUNS) // ACROSS), ACROSS).ravel()
        for panel, (name, smoke) in zip(panels, RUNS.items(), strict=False):
            metrics, learner = curve(name, smoke, Path(at) / name)
            plot(panel, metrics, learner)
            panel.set_title(f"{name}, {smoke.game}", fontsize=8)
        for panel in panels[len(RUNS) :]:
            panel.remove()
        save(figure, file)


def curve(name: str, smoke: Smoke, folder: Path) -> tuple[list[dict[str, Any]], Learner]:
    """The figures of a short run that is measured on the way, and what has learnt in it."""
    print(f"plyground: measuring {name} on its way ...", file=sys.stderr, flush=True)
    with closing(prepared(name, smoke.game, smoke.options, smoke.preset)) as planned:
        every = max(1, planned.steps // POINTS)
    run = begin(folder, name, smoke.game, smoke.options | {"measure_every": every}, smoke.preset)
    learner = train(run)
    return run.metrics(), learner


def scored(game: str, agent: str) -> tuple[float, float]:
    """The 95 % interval of the points of a game."""
    mean, reach = play_all(Task(game, agent, GAMES, seed=1), 1).mean()
    return mean - reach, mean + reach
