"""What the study gomoku-tetris computes with nets: the study's actor-critic, trained and measured on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import agents, games
from ..arena.openings import draw_opening
from ..arena.statistics import Tally
from ..rules import new

QUIET = {"device": "cpu", "threads": 1}  # two trainings run side by side


def training(
    game: str, options: dict[str, Any], points: list[int], sims: int, count: int, opening: int, seed: int
) -> dict[str, Any]:
    """Train an actor-critic; at some points measure it with the study's search, and its net alone, against one-ply."""
    from ..learn.train import must_have

    must_have()
    import torch

    from ..learn.actor_critic import ActorCritic
    from ..learn.base import chosen
    from ..nets.evaluate import Greedy
    from ..nets.inference import Inference
    from ..search.mcts.batched import BatchedPUCT

    torch.set_num_threads(1)  # the batches are small
    rules = games.make(game)
    learner = ActorCritic(rules, game, chosen(ActorCritic, QUIET | options), seed)

    def measured(opponent: str, search: bool) -> dict[str, int]:
        judge = Inference(learner.model.eval(), learner.device)
        choices = (
            BatchedPUCT(rules, judge, learner.settings, count, sims, seed) if search else Greedy(rules, "board", judge)
        )
        return against(rules, choices, opponent, count, opening, seed)

    curve: list[dict[str, Any]] = []
    seconds = 0.0
    for point in points:
        begun = time.perf_counter()
        while learner.done < point:
            learner.advance()
        seconds += time.perf_counter() - begun
        both = {"search": measured("one-ply", True), "net": measured("one-ply", False)}
        curve.append({"positions": learner.done, **both})
    alone = {opponent: measured(opponent, False) for opponent in ("random", "win-block")}
    return {"seconds": seconds, "games": learner.games, "curve": curve, **alone}


def against(
    game: Any, choices: Callable[[np.ndarray], np.ndarray], opponent: str, count: int, opening: int, seed: int
) -> dict[str, int]:
    """Games of something that chooses in many states at once, against an agent; each random opening from both seats."""
    from ..nets.evaluate import together

    agent = agents.make(opponent, seed)
    states = [new(game) for _ in range(count)]
    for number, state in enumerate(states):
        for action in draw_opening(game, opening, np.random.default_rng([seed, number // 2])):
            game.play(state, action)
    playing = list(range(count))
    while playing:
        mine = [number for number in playing if game.player(states[number]) == number % 2]
        chosen = choices(together([states[number] for number in mine])).tolist() if mine else []
        actions = dict(zip(mine, chosen, strict=True))
        for number in playing:
            state = states[number]
            game.play(state, actions[number] if number in actions else agent.think(game, state).action)
        playing = [number for number in playing if not game.over(states[number])]
    results = [(1 - 2 * (number % 2)) * game.score(state) for number, state in enumerate(states)]
    return Tally(sum(x > 0 for x in results), sum(x == 0 for x in results), sum(x < 0 for x in results)).counts()


def one_game(game: str, one: str, other: str, seed: int) -> dict[str, Any]:
    """A game between two agents, the first of which begins: its moves, and the score for that one."""
    from ..arena.match import Plan, play_match

    record = play_match(Plan(game, (one, other), 1, seed)).records[0]
    return {"moves": record.names, "actions": record.actions, "score": record.score}
