"""What the study deep-tictactoe computes: nets that are trained and play, and what the best could be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .. import agents, games
from ..exact import odds
from ..rules import new
from .lab import match

BOARDS = {"3×3": "tictactoe", "4×4": "tictactoe(4)"}
EXACT = 'best-response("optimal", "never-lose")'  # any of the best moves, all alike


@contextmanager
def trained(algorithm: str, game: str, preset: str, options: dict[str, Any], seed: int) -> Iterator[tuple[Any, float]]:
    """A run that has been trained, and the seconds of training; its folder is gone afterwards."""
    from ..learn.train import begin, train

    with TemporaryDirectory() as folder:
        run = begin(Path(folder) / "run", algorithm, game, options, preset, seed)
        begun = time.perf_counter()
        train(run)
        yield run, time.perf_counter() - begun


def guided(game: str, preset: str, options: dict[str, Any], search: str, count: int, seed: int) -> dict[str, Any]:
    """Train a policy net by REINFORCE; matches against random, of the net with a search and of the net alone."""
    quiet = {"measure_every": 0, "checkpoint_every": 100_000}
    with trained("reinforce", game, preset, quiet | options, seed) as (run, seconds):
        with_search = match(game, search.format(run.folder), "random", count, 1)
        return {
            "seconds": seconds,
            "search": with_search,
            "alone": match(game, f'net("{run.folder}")', "random", count, 1),
        }


def faulty_guided(game: str, options: dict[str, Any], search: str, count: int, seed: int) -> dict[str, Any]:
    """Train a policy net by games that a faulty search plays with itself; a match of that search against random."""
    from ..learn.base import chosen
    from ..learn.reinforce import Played, Reinforce
    from ..learn.train import must_have
    from ..nets.evaluate import together, torch_evaluator
    from ..nets.files import save

    must_have()
    rules = games.make(game)
    learner = Reinforce(rules, game, chosen(Reinforce, options, "study"), seed)
    with TemporaryDirectory() as folder:
        save(Path(folder), *learner.net())
        agent: Any = agents.make(search.format(folder), seed)
        for _ in range(learner.steps):
            agent.listen(torch_evaluator(learner.model))
            state, states, actions = new(rules), [], []
            while not rules.over(state):
                states.append(state.copy())
                actions.append(agent.think(rules, state).action)
                rules.play(state, actions[-1])
            movers = [int(rules.player(state)) for state in states]
            learner.learn(Played(together(states), actions, movers, actions, float(rules.score(state)), 0))
        save(Path(folder), *learner.net())
        return match(game, search.format(folder), "random", count, 1)


def dqn(preset: str, options: dict[str, Any], count: int, seed: int) -> dict[str, Any]:
    """Train a DQN; its curve over the training, and matches of the net with others afterwards."""
    quiet = {"measure_every": 0, "checkpoint_every": 1_000_000}
    with trained("dqn", "tictactoe", preset, quiet | options, seed) as (run, seconds):
        lines = run.metrics()
        curve = [[line["step"], line["wins"], line["losses"], line["draws"]] for line in lines]
        net = f'net("{run.folder}")'
        random, exact = (match("tictactoe", net, other, count, 1) for other in ("random", EXACT))
        last = {"random": random, "exact": exact, "mistakes": lines[-1]["mistakes"]}
        return {"seconds": seconds, "curve": curve[:: max(1, len(curve) // 400)], "total": totals(curve), **last}


def totals(curve: list[list[float]]) -> dict[str, int]:
    """Games won, lost and drawn over the whole training, from the shares between two lines."""
    before, sums = 0.0, [0.0, 0.0, 0.0]
    for step, *shares in curve:
        sums = [total + share * (step - before) for total, share in zip(sums, shares, strict=True)]
        before = step
    wins, losses, draws = (round(total) for total in sums)
    return {"games": round(before), "wins": wins, "losses": losses, "draws": draws}


def ceilings(boards: list[str]) -> dict[str, list[float]]:
    """The most wins possible against random, moving first and second, and what random itself wins."""
    found = {}
    for board in boards:
        rules = games.make(BOARDS[board])
        first = odds.distribution(rules, new(rules), "most-wins", "random").total
        second = odds.distribution(rules, new(rules), "random", "most-wins").total
        plain = odds.distribution(rules, new(rules), "random", "random").total
        wins = odds.chances(first)[0], odds.chances(second, 1)[0]
        found[board] = [float(x) for x in (*wins, odds.chances(plain)[0], odds.chances(plain, 1)[0])]
    return found
