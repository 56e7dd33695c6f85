"""AlphaZero in games of one player: returns against a replay by the rules, the scale of points, a search against exact
expectations, and a run that learns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_selfplay import USUAL

import turns
from commands import interpreted
from naive_puct import nothing, seen, something
from plyground import rules
from plyground.learn.selfplay import kernel
from plyground.learn.selfplay.workers import Group
from plyground.rules import CHANCE
from plyground.search.budget import Budget
from plyground.search.mcts.batched import NetSearch
from plyground.search.mcts.settings import Settings

DISCOUNT = 0.8


def returns_of(game: Any, states: list[Any], values: list[float], trace: float) -> list[float]:
    """R of every position in which the player moves, by the formula; the states are all of a segment, in order."""
    decisions = [i for i, state in enumerate(states[:-1]) if game.player(state) == 0]
    ends = [*decisions[1:], len(states) - 1]

    def after(number: int) -> float:
        last = number == len(decisions) - 1
        if last and not game.over(states[-1]):
            return values[number]
        reward = game.score(states[ends[number]]) - game.score(states[decisions[number]])
        return reward if last else reward + DISCOUNT * later(number + 1)

    def later(number: int) -> float:
        return trace * after(number) + (1 - trace) * values[number]

    return [after(number) for number in range(len(decisions))]


def segment_of(game: Any, start: Any, actions: list[int], decisions: int) -> list[Any]:
    """All states of a segment with so many decisions, chance after the last of them too."""
    states = [start]
    for action in actions:
        chance = game.player(states[-1]) == CHANCE
        if game.over(states[-1]) or (not chance and decisions == 0):
            break
        decisions -= not chance
        states.append(rules.after(game, states[-1], action))
    assert decisions == 0
    return states


def compared(segment: int, trace: float) -> tuple[int, int]:
    """Games and segments of self-play whose samples are those of a replay by the rules."""
    kernel.SEGMENT = segment
    setting = USUAL | {"opening": 0, "discount": DISCOUNT, "trace_decay": trace}
    made = Group(turns.make("alone"), Settings(considered=4, discount=DISCOUNT), setting, 1, 1)
    game, games, segments = made.game, 0, 0
    here = rules.new(game)
    while games < 8:
        samples, tally, _ = made.play(something(game), 1)
        states = segment_of(game, here, made.slots["last"][0].tolist(), len(samples))
        moves = [state for state in states[:-1] if game.player(state) == 0]
        for sample, state in zip(samples, moves, strict=True):
            assert (sample.planes == seen(game, state)).all()
        wanted = returns_of(game, states, samples["value"].tolist(), trace)
        assert samples["score"].tolist() == pytest.approx(wanted, rel=1e-5, abs=1e-5)
        ended = bool(game.over(states[-1]))
        assert tally[kernel.GAMES] == ended
        assert tally[kernel.POINTS] == (game.score(states[-1]) if ended else 0)
        games, segments = games + ended, segments + 1
        here = rules.new(game) if ended else states[-1]
    return games, segments


def test_the_value_learns_discounted_returns_segment_by_segment() -> None:
    """Interpreted, so that a segment is as short as it is told."""
    whole, cut = interpreted(__file__)
    assert whole[0] == whole[1] == 8 and cut[0] == 8 < cut[1]


def expected(game: Any, state: Any, discount: float) -> float:
    """What perfect play brings on average: points to come, or the score, for player 0."""
    alone = game.alone()
    if game.over(state):
        return 0.0 if alone else game.score(state)
    player = game.player(state)
    pairs = rules.outcomes(game, state) if player == CHANCE else [(action, 1.0) for action in rules.legal(game, state)]
    values = []
    for action, _ in pairs:
        then = rules.after(game, state, action)
        value = expected(game, then, discount)
        if alone:  # what chance gives counts with the move before: the discount is due when the player moves again
            due = discount if not game.over(then) and game.player(then) != CHANCE else 1.0
            value = game.score(then) - game.score(state) + due * value
        values.append(value)
    if player == CHANCE:
        return sum(weight * value for (_, weight), value in zip(pairs, values, strict=True))
    return max(values) if player == 0 else min(values)


@pytest.mark.parametrize(("name", "near"), [("chance", 0.03), ("alone", 3.0)])
def test_a_long_search_without_an_opinion_finds_the_exact_expectation(name: str, near: float) -> None:
    game = turns.make(name)
    made = NetSearch(game, nothing(game), Settings(discount=0.9, c=2.0), 1, 200_000, seed=1)
    made.begin(rules.new(game))
    made.run(Budget(60_000))
    assert max(child.value for child in made.children) == pytest.approx(expected(game, rules.new(game), 0.9), abs=near)


def test_chances_of_points_have_the_mean_they_are_made_of() -> None:
    import torch

    from plyground.learn.alphazero import chances_of_points
    from plyground.nets.kinds import ATOMS
    from plyground.nets.models import squashed, unsquashed

    points = torch.tensor([0.0, 0.25, -0.25, 1, -7, 123.4, 90_000, -90_000], dtype=torch.float64).float()
    made = chances_of_points(points)
    assert made.shape == (8, 2 * ATOMS + 1) and torch.allclose(made.sum(1), torch.ones(8)) and (made >= 0).all()
    assert ((made > 0).sum(1) <= 2).all()
    means = made @ torch.linspace(-ATOMS, ATOMS, 2 * ATOMS + 1)
    assert torch.allclose(unsquashed(means), points, rtol=1e-3, atol=1e-4)
    assert torch.allclose(unsquashed(squashed(points)), points, rtol=1e-5, atol=1e-6)
    farthest = chances_of_points(torch.tensor([1e9, -1e9]))
    assert farthest[0, -1] == 1 and farthest[1, 0] == 1


TINY = {"blocks": 1, "channels": 8, "sims": 8, "quick_sims": 4, "full_share": 1.0, "parallel_games": 16, "batch": 64}
TINY |= {"device": "cpu", "threads": 1, "round": 200, "positions": 800, "measure_every": 0, "lr": 0.01}


def test_a_short_run_learns_to_score_more_than_random_play(tmp_path: Path) -> None:
    """Mean points of 64 games by the net alone, with its 95 % interval, beside random ones."""
    from plyground.learn import measure
    from plyground.learn.alphazero import AlphaZero
    from plyground.learn.base import chosen
    from plyground.nets import files

    game = turns.make("alone")
    made = AlphaZero(game, "alone", chosen(AlphaZero, TINY), 0)
    while made.done < made.steps:
        figures = made.advance()
    assert "points" in figures and "draws" not in figures
    rng = np.random.default_rng(1)

    def random(states: np.ndarray) -> np.ndarray:
        return np.array([rng.choice(rules.legal(game, state)) for state in states])

    found, blind = made.measure(), measure.points("points", game, random, 64, 100, 1)
    assert found["net_points"] - found["net_points_interval"] > blind["points"] + blind["points_interval"]
    net, card = made.net()
    files.save(tmp_path, net, card)
    assert files.read_card(tmp_path).returns == [0.997, 0.0, 1.0]
    again: Any = files.load(tmp_path)
    planes = np.stack([seen(game, rules.new(game))])
    from plyground.nets.evaluate import onnx_evaluator
    from plyground.nets.inference import Inference

    judge = onnx_evaluator(tmp_path)
    assert judge(planes)[0] == pytest.approx(Inference(again, half=False)(planes)[0], rel=1e-3, abs=1e-3)
    judge.close()


if __name__ == "__main__":
    print(json.dumps([compared(64, 0.6), compared(3, 0.6)]))
