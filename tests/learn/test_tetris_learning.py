"""Learning Tetris: targets and policies by naive twins, runs that go on, and that it helps."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from commands import answer, refusal, run
from learn.wells import REFERENCE, SMALL, on_the_way
from plyground import agents, games, rules
from plyground.agents.linear import controller, play_games
from plyground.games.tetris.features import Linear
from plyground.games.tetris.placements import FEATURES
from plyground.learn.a2c import A2C, Step, discounted
from plyground.learn.afterstate_dqn import AfterstateDQN
from plyground.learn.base import Learner, chosen, usual_for
from plyground.learn.cma_es import CMAES
from plyground.learn.cross_entropy import CrossEntropy, fitted
from plyground.learn.curve import draw
from plyground.learn.one_player import play_at_once, rated
from plyground.nets.afterstates import AfterstateEncoder
from plyground.nets.files import read_card, read_weights
from plyground.search.depth_first.lookahead import Lookahead
from plyground.spec import InputError

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
FEW: dict[str, Any] = {"hidden": "8", "environments": 4}
TINY: dict[type[Learner], dict[str, Any]] = {
    CrossEntropy: {"generations": 4, "population": 6, "elite": 2, "games": 1, "limit": 50, "measured": 5},
    CMAES: {"generations": 4, "population": 6, "games": 1, "limit": 50, "measured": 5},
    AfterstateDQN: FEW | {"moves": 2_500, "memory": 60, "batch": 4, "target_every": 7},
    A2C: FEW | {"moves": 256, "rollout": 8},
}


NAMES = {CrossEntropy: "cross-entropy", CMAES: "cma-es", AfterstateDQN: "afterstate-dqn", A2C: "a2c"}


def learner(kind: Any, game: str = SMALL, seed: int = 0, **given: Any) -> Any:
    made = games.make(game)
    return kind(made, game, chosen(kind, TINY[kind] | given, usual=usual_for(NAMES[kind], made)), seed)


# --- the three algorithms ---


@pytest.mark.parametrize("name", [SMALL, REFERENCE, 'tetris(6,12,"simplified",bag="seven")'])
def test_the_target_is_the_reward_and_the_mean_of_the_best_that_may_follow(name: str) -> None:
    game = games.make(name)
    made = learner(AfterstateDQN, name, gamma=0.9)
    states = on_the_way(game, 40, seed=3)
    rng = np.random.default_rng(3)
    some = [rules.after(game, state, int(rng.choice(rules.legal(game, state)))) for state in states]
    after = np.array([state for state in some if not game.over(state)], states.dtype)
    rewards = rng.random(len(after)).astype(np.float32)
    found = made.goals(rewards, after)
    for reward, state, goal in zip(rewards, after, found, strict=True):
        total = 0.0
        for outcome, chance in rules.outcomes(game, state):
            then = rules.after(game, state, outcome)
            seen = made.encoder(np.array([then], states.dtype))
            worth = [
                float(rated(made.target, seen.inputs[k : k + 1])[0])
                for k, action in enumerate(seen.actions)
                if not game.over(rules.after(game, then, int(action)))
            ]
            total += chance * max(worth, default=0.0)
        assert goal == pytest.approx(reward + 0.9 * total, abs=1e-5)


def test_a_well_without_a_way_on_is_worth_nothing() -> None:
    name = 'tetris(6,4,"simplified")'
    game, made = games.make(name), learner(AfterstateDQN, name)
    with torch.no_grad():
        made.target.layers[-1].bias += 100  # whatever the net may say
    open_ = game.read("#...../#...../#...../#.....")
    assert made.goals(np.zeros(1, np.float32), np.array([open_]))[0] > 50
    full = game.read("#.#.#./.#.#.#/#.#.#./.#.#.#")
    assert made.goals(np.array([0.5], np.float32), np.array([full])).tolist() == [0.5]


def test_an_update_moves_the_rating_towards_its_target_and_leaves_the_target_net() -> None:
    made = learner(AfterstateDQN, target_every=1_000)
    while made.held < 50:
        made.play()
    some, before = made.memory[:8].copy(), copy.deepcopy(made.target.state_dict())
    goals = made.goals(some["reward"], some["after"])
    losses = [made.learn(some) for _ in range(30)]
    first = np.mean((rated(made.target, some["inputs"]) - goals) ** 2)  # both nets began alike
    assert losses[0] == pytest.approx(float(first), rel=1e-3) and losses[-1] < losses[0] / 2
    assert all((before[name] == value).all() for name, value in made.target.state_dict().items())


def test_what_is_remembered_is_what_was_played() -> None:
    made = learner(AfterstateDQN, epsilon=1.0, epsilon_end=1.0, alive=0.5, point=2.0)
    for _ in range(25):
        states = made.world.envs["state"].copy()
        before = made.remembered
        made.play()
        for kept in made.memory[np.arange(before, made.remembered) % len(made.memory)]:
            ways = [(state, a) for state in states for a in rules.legal(made.game, state)]
            after = [rules.after(made.game, state, a) for state, a in ways]
            [(state, end)] = {(s.lines, e.lines) for (s, _), e in zip(ways, after, strict=True) if e == kept["after"]}
            assert kept["reward"] == pytest.approx(0.5 + 2.0 * (end - state)) and not kept["after"]["lost"]
    assert made.held == 60 < made.remembered


def test_returns_are_discounted_backwards_and_stop_at_the_end_of_a_game() -> None:
    nothing: Any = None
    rewards, ended = np.array([[1, 1], [2, 2], [4, 4]], np.float32), np.array([[0, 0], [0, 1], [0, 0]], bool)
    steps = [Step(nothing, nothing, r, e) for r, e in zip(rewards, ended, strict=True)]
    found = discounted(steps, np.array([8, 8], np.float32), 0.5)
    np.testing.assert_allclose(found, [[1 + 1 + 1 + 1, 1 + 1], [2 + 2 + 2, 2], [4 + 4, 4 + 4]])


def test_the_policy_is_a_softmax_over_the_placements_of_a_state() -> None:
    made = learner(A2C)
    for _ in range(30):
        step = made.play()
    log_pi, entropy = made.policy(step)
    said = made.rate(step.seen.inputs)
    for game in range(4):
        here = (step.seen.owners == game) & step.seen.sensible
        pi = np.exp(said[here]) / np.exp(said[here]).sum()
        picked = float(np.exp(said[step.picked[game]]) / np.exp(said[here]).sum())
        assert math.exp(float(log_pi[game].detach())) == pytest.approx(picked, rel=1e-4)
        assert float(entropy[game].detach()) == pytest.approx(float(-(pi * np.log(pi)).sum()), rel=1e-4)
        assert step.seen.owners[step.picked[game]] == game


def test_placements_are_drawn_by_the_policy() -> None:
    made = learner(A2C, environments=1)
    start, seen = made.world.envs.copy(), made.world.look()
    said = 4 * made.rate(seen.inputs)
    made.rate = lambda inputs: said
    counts = np.zeros(len(said))
    for _ in range(1_000):
        made.world.envs[:] = start
        counts[made.play().picked[0]] += 1
    pi = np.exp(said) / np.exp(said).sum()
    assert np.abs(counts / 1_000 - pi).max() < 0.06


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_came_out_better_than_expected_becomes_likelier(sign: float) -> None:
    made = learner(A2C, environments=1, entropy=0.0)
    step = made.play()
    step = step._replace(rewards=np.array([sign * 100], np.float32), ended=np.array([True]))
    before = float(made.policy(step)[0].detach()[0])
    made.learn([step], made.world.look())
    assert (float(made.policy(step)[0].detach()[0]) - before) * sign > 0


def test_the_elite_makes_the_next_generation() -> None:
    mean, variance = fitted(np.array([[1.0, 0.0], [3.0, 0.0]]), 0.5)
    assert mean.tolist() == [2.0, 0.0] and variance.tolist() == [1.5, 0.5]
    made = learner(CrossEntropy, elite=1, noise=0.0)
    drawn = np.random.default_rng([0, 0]).normal(0, 10, (6, FEATURES))
    lines = [play_games(made.game, Linear(*one), 1, 50, 0).scores.mean() for one in drawn]
    figures = made.advance()
    assert made.mean.tolist() == drawn[int(np.argmax(lines))].tolist() and figures["best"] == max(lines)


@pytest.mark.parametrize("kind", list(TINY))
def test_a_restored_learner_goes_on_bit_for_bit(kind: Any) -> None:
    whole, first, second = (learner(kind, seed=5) for _ in range(3))
    for _ in range(2):
        first.advance()
    second.restore(first.arrays(), json.loads(json.dumps(first.notes())))
    for made in (whole, second):
        while made.done < made.steps:
            made.advance()
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name], name)
    other = learner(kind, seed=6)
    other.advance()
    assert any((array != first.arrays()[name]).any() for name, array in other.arrays().items() if name != "memory")


# --- runs ---


@pytest.mark.usefixtures("unplayed")
def test_a_training_that_was_stopped_ends_like_one_that_was_not(tmp_path: Path, stopped: Any) -> None:
    words = ["train", "afterstate-dqn", SMALL]
    given = {"moves": 3_000, "hidden": "8", "checkpoint_every": 1_000, "measure_every": 0, "limit": 20}
    options = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert run(*words, "--out", str(tmp_path / "whole"), *options).returncode == 0
    stopped(tmp_path / "stopped", 2_100, "afterstate-dqn", SMALL, given)
    assert run(*words, "--out", str(tmp_path / "stopped"), "--resume").returncode == 0
    weights = [read_weights(tmp_path / name) for name in ("whole", "stopped")]
    for one, other in zip(*weights, strict=True):
        assert (one[0] == other[0]).all() and (one[1] == other[1]).all()


LEARN = [
    (
        "cross-entropy",
        ["--generations", "4", "--population", "20", "--elite", "4", "--pieces", "500", "--games", "2"],
        20,
    ),
    ("afterstate-dqn", ["--pieces", "4000", "--epsilon-pieces", "2000", "--limit", "200"], 3),
    ("a2c", ["--pieces", "8000", "--limit", "200"], 4),
]


@pytest.mark.parametrize(("algorithm", "options", "lines"), LEARN)
def test_it_learns_more_than_random_and_its_run_is_an_agent(
    algorithm: str, options: list[str], lines: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plyground.learn.train.draw", draw)
    rng = np.random.default_rng(1)
    random = play_at_once(AfterstateEncoder(games.make(SMALL)), lambda inputs: rng.random(len(inputs)), 200, 200, 1)
    assert random.scores.mean() < 1 < lines
    told = answer("train", algorithm, SMALL, "--out", str(tmp_path / "run"), *options, "--seed", "1")
    assert told["figures"]["lines"] - told["figures"]["lines_interval"] > lines
    assert "lines" in (tmp_path / "run" / "curve.svg").read_text()
    assert read_card(tmp_path / "run").kind == "afterstates"
    game, agent = games.make(SMALL), agents.make(f"afterstate-net({str(tmp_path / 'run')!r})")
    for state in on_the_way(game, 20, seed=2):
        thought = agent.think(game, state)
        assert sorted(move.action for move in thought.moves) == rules.legal(game, state)
        ends = [game.over(rules.after(game, state, move.action)) for move in thought.moves]
        assert ends == sorted(ends) and thought.action == thought.moves[0].action
        if algorithm == "a2c":
            assert sum(move.prior or 0.0 for move in thought.moves) == pytest.approx(1)
            assert thought.value is None  # a policy does not judge
        elif algorithm == "cross-entropy" and not ends[0]:
            points = dict(Lookahead(game, controller(tmp_path / "run", game)).judge(state))
            assert points[thought.action] == pytest.approx(max(points.values()), rel=1e-4)
    with pytest.raises(InputError, match="afterstate-net"):
        agents.make(f"net({str(tmp_path / 'run')!r})").think(game, state)


def test_a_net_that_has_diverged_is_told_of_in_one_line() -> None:
    made = learner(A2C)
    with torch.no_grad():
        made.model.layers[-1].bias.fill_(math.nan)
    with pytest.raises(InputError, match="smaller --lr"):
        made.advance()


def test_help_names_a_game_that_it_learns() -> None:
    assert "plyground train a2c 'tetris(6,12" in run("train", "a2c", "--help").stdout


def test_what_makes_no_sense_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for algorithm in ("cross-entropy", "afterstate-dqn", "a2c"):
        assert "learners for this game are actor-critic, alphago, alphazero, distil, dqn, ppo, reinforce" in refusal(
            run("train", algorithm, "tictactoe", "--out", "x")
        )
    assert "elite" in refusal(run("train", "cross-entropy", SMALL, "--out", "x", "--elite", "200"))
    assert "memory" in refusal(run("train", "afterstate-dqn", SMALL, "--out", "x", "--memory", "2"))
    assert "features, cells" in refusal(run("train", "a2c", SMALL, "--out", "x", "--input", "planes"))
    assert not list(tmp_path.iterdir())


def test_a_net_of_cells_is_for_its_own_well(tmp_path: Path) -> None:
    options = ["--pieces", "128", "--environments", "4", "--input", "cells", "--hidden", "4", "--limit", "9"]
    assert run("train", "a2c", SMALL, "--out", str(tmp_path), *options).returncode == 0
    agent, other = agents.make(f"afterstate-net({str(tmp_path)!r})"), games.make('tetris(6,6,"simplified")')
    agent.think(games.make(SMALL), on_the_way(games.make(SMALL), 1)[0])
    with pytest.raises(InputError, match="another game: it takes 73 numbers"):
        agent.think(other, on_the_way(other, 1)[0])
    with pytest.raises(InputError, match="linear"):
        controller(tmp_path, games.make(SMALL))
