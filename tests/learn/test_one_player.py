"""Learners of games of one player: users' own games whose best score is known, with chance and without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mining
import toys
from commands import answer, refusal, run
from plyground import agents, games, learn, rules
from plyground.learn.base import chosen
from plyground.learn.one_player import AfterstateWorld, play_at_once
from plyground.learn.train import begin, train
from plyground.nets.afterstates import AfterstateEncoder, afterstates
from plyground.nets.evaluate import together
from plyground.nets.files import load, read_card
from plyground.spec import InputError

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
HERE = Path(__file__).parent
PIG, DESCENT, MINE = f"{HERE}/one_player_toys.py:Pig", f"{HERE}/one_player_toys.py:Descent", f"{mining.__file__}:Mine"
SHORT: dict[str, dict[str, Any]] = {
    "cross-entropy": {"generations": 6, "population": 30, "elite": 6, "games": 50, "measured": 1_000},
    "cma-es": {"generations": 6, "population": 30, "games": 50, "measured": 1_000},
    "afterstate-dqn": {"moves": 5_000, "epsilon_moves": 3_000, "lr": 0.003, "point": 0.1},
    "a2c": {"moves": 8_000, "point": 0.1, "lr": 0.01},
    "mcts-actor-critic": {"moves": 3_000, "point": 0.1, "lr": 0.01, "newest": 0.02, "measure_sims": 16},
}
LINEAR = "cross-entropy", "cma-es"


def learner(algorithm: str, spec: str, seed: int = 0, **given: Any) -> Any:
    kind = learn.learner(algorithm)
    return kind(games.make(spec), spec, chosen(kind, SHORT[algorithm] | given), seed)


def at_random(spec: str) -> float:
    rng = np.random.default_rng(0)
    encoder = AfterstateEncoder(games.make(spec))
    return float(play_at_once(encoder, lambda inputs: rng.random(len(inputs)), 1_000, 100, 1).scores.mean())


@pytest.mark.parametrize("algorithm", SHORT)
def test_every_learner_finds_the_best_way_where_nothing_is_left_to_chance(algorithm: str) -> None:
    game = games.make(DESCENT)
    best = toys.exact(game, rules.new(game))
    made = learner(algorithm, DESCENT)
    while made.done < made.steps:
        figures = made.advance()
    assert made.measure()["score"] == best > at_random(DESCENT) + 8
    assert made.headline(figures | made.measure()) == f"{best:,.1f} ± 0.0 points a game"


@pytest.mark.parametrize(
    ("algorithm", "short"),
    [("cross-entropy", 0.8), ("cma-es", 0.8), ("afterstate-dqn", 0.5), ("a2c", 2.5), ("mcts-actor-critic", 1.5)],
)
def test_every_learner_learns_a_game_in_which_chance_scores_and_ends(algorithm: str, short: float) -> None:
    """How far it falls short of the best that can be expected, about 8; random play makes 2.5."""
    game = games.make(PIG)
    best = toys.exact(game, rules.new(game))
    made = learner(algorithm, PIG)
    while made.done < made.steps:
        made.advance()
    if algorithm in LINEAR:
        score = made.measure()["score"]
    else:
        score = (made.searched if algorithm == "mcts-actor-critic" else made.unsearched)(1_000).scores.mean()
    assert best + 0.6 > score > best - short > at_random(PIG) + 2


def test_the_target_of_q_learning_is_what_an_exact_look_at_chance_gives() -> None:
    made = learner("afterstate-dqn", PIG, gamma=0.9, alive=0.3, point=0.5)
    game = made.game
    states = [rules.new(game)]
    for points in (4, 39):
        states.append(rules.new(game))
        states[-1].points = points
    after = together([rules.after(game, state, action) for state in states for action in (0, 1)])
    rewards = np.arange(6, dtype=np.float32)
    found = made.goals(rewards, after)
    for reward, state, goal in zip(rewards, after, found, strict=True):
        expected = 0.0
        for outcome, likely in rules.outcomes(game, state) if state.falling else []:
            then = rules.after(game, state, outcome)
            worth = 0.0
            if not game.over(then):  # to stop is worth what it earns, nothing: neither points nor a move that goes on
                seen = made.encoder(together([then]))
                worth = max(float(made.rate(seen.inputs)[0]), 0.0)
            expected += likely * (0.5 * (game.score(then) - game.score(state)) + 0.9 * worth)
        assert goal == pytest.approx(reward + expected, abs=1e-5)


def test_where_chance_moves_twice_the_target_is_right_on_average() -> None:
    made = learner("afterstate-dqn", MINE, gamma=0.9)
    game = made.game
    after = together([rules.after(game, rules.new(game), 0)])
    expected = 0.0
    for first, likely in rules.outcomes(game, after[0]):
        middle = rules.after(game, after[0], first)
        for second, price in rules.outcomes(game, middle):
            seen = made.encoder(together([rules.after(game, middle, second)]))
            worth = np.where(seen.ended, seen.inputs[:, -1] * 0.1, made.rate(seen.inputs))
            expected += likely * price * float(worth.max())
    drawn = []
    for made.updates in range(400):
        drawn += made.goals(np.zeros(1, np.float32), after).tolist()
    error = np.std(drawn) / 20
    assert error > 0 and np.mean(drawn) == pytest.approx(0.9 * expected, abs=4 * error)


@pytest.mark.parametrize("spec", [PIG, DESCENT, MINE])
def test_rewards_of_a_game_add_up_to_its_score(spec: str) -> None:
    made = learner("a2c", spec, point=1.0, environments=8)
    total, ended = np.zeros(8), 0
    for _ in range(60):
        step = made.play()
        total += step.rewards
        for i in np.flatnonzero(step.ended):
            assert total[i] == pytest.approx(made.game.score(made.world.envs["last"][i]), abs=1e-4)
            assert made.game.over(made.world.envs["last"][i]) and not made.game.over(made.world.envs["state"][i])
            total[i] = 0
            ended += 1
    assert ended > 20


def test_what_is_seen_of_an_action_is_the_state_that_it_leaves_and_what_it_scores() -> None:
    game = games.make(DESCENT)
    state = rules.after(game, rules.new(game), 1)
    seen = AfterstateEncoder(game)(together([state]))
    for row, action in zip(seen.inputs, seen.actions.tolist(), strict=True):
        after, planes = rules.after(game, state, action), np.zeros(game.planes(), np.float32)
        game.encode(after, planes)
        assert row.tolist() == [*planes.ravel().tolist(), after.points - state.points]
    assert not seen.ended.any() and afterstates(game).counts == ""


def test_games_run_to_their_end_or_to_the_limit() -> None:
    encoder = AfterstateEncoder(games.make(DESCENT))
    whole = play_at_once(encoder, lambda inputs: inputs[:, -1], 3, 100, 0)
    assert whole.ended.all() and whole.moves.tolist() == [5] * 3 and (whole.scores == whole.states["points"]).all()
    cut = play_at_once(encoder, lambda inputs: inputs[:, -1], 3, 2, 0)
    assert not cut.ended.any() and cut.moves.tolist() == [2] * 3
    assert len(AfterstateWorld(encoder, 4, 0).envs) == 4


@pytest.mark.parametrize("algorithm", SHORT)
def test_a_run_of_a_users_game_is_an_agent(algorithm: str, tmp_path: Path) -> None:
    few = {"generations": 1} if algorithm in LINEAR else {"moves": 600, "limit": 20}
    train(begin(tmp_path, algorithm, PIG, SHORT[algorithm] | few))
    assert (read_card(tmp_path).kind, read_card(tmp_path).input) == ("afterstates", "encoded")
    game = games.make(PIG)
    special = dict.fromkeys(LINEAR, "linear") | {"mcts-actor-critic": "mcts-actor-critic"}
    names = ["afterstate-net", *([special[algorithm]] if algorithm in special else [])]
    for name in names:
        thought = agents.make(f"{name}({str(tmp_path)!r})").think(game, rules.new(game))
        assert sorted(move.action for move in thought.moves) == [0, 1] and thought.action == thought.moves[0].action
    if algorithm in LINEAR:
        net, linear = (agents.make(f"{name}({str(tmp_path)!r})") for name in names)
        for points in range(0, 40, 3):
            state = rules.new(game)
            state.points = points
            assert net.think(game, state).action == linear.think(game, state).action
        with pytest.raises(InputError, match="for this game"):
            linear.think(games.make(DESCENT), rules.new(games.make(DESCENT)))
    with pytest.raises(InputError, match="another game: it takes 5 numbers about an action, and this one has 37"):
        agents.make(f"afterstate-net({str(tmp_path)!r})").think(games.make(DESCENT), rules.new(games.make(DESCENT)))
    with pytest.raises(InputError, match="one player"):
        agents.maker(names[-1]).must_play(games.make("tictactoe"))


def test_a_users_game_is_trained_and_played_from_the_command_line(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    told = answer("train", "afterstate-dqn", PIG, "--out", out, "--pieces", "1500", "--point", "0.1")
    assert told["moves"] == 1504 and {"score", "score_interval", "unfinished"} <= told["figures"].keys()
    assert json.loads((tmp_path / "run" / "config.json").read_text())["options"]["moves"] == 1500
    scored = answer("score", PIG, f'afterstate-net("{out}")', "--games", "20")
    assert scored["games"] == 20
    thought = answer("think", PIG, f'tetris-net("{out}")')  # as an older version called the agent
    assert len(thought["moves"]) == 2


def test_nets_of_older_versions_are_read(tmp_path: Path) -> None:
    train(begin(tmp_path, "a2c", PIG, {"moves": 64, "hidden": "4", "limit": 5}))
    card = json.loads((tmp_path / "net.json").read_text())
    del card["files"], card["digest"]
    (tmp_path / "net.json").write_text(json.dumps(card | {"kind": "placements"}))
    with pytest.raises(InputError, match="no digest"):
        load(tmp_path)
    assert answer("nets", "--seal", str(tmp_path))["digest"] == read_card(tmp_path).digest
    assert read_card(tmp_path).kind == load(tmp_path).kind == "afterstates"


def test_a_learner_says_which_games_it_fits_and_names_others(tmp_path: Path) -> None:
    game = games.make(DESCENT)
    fit = "learners for this game are a2c, afterstate-dqn, alphazero, cma-es, cross-entropy, mcts-actor-critic, ppo"
    words = refusal(run("train", "dqn", DESCENT, "--out", str(tmp_path / "x")))
    assert "dqn learns games of two players" in words and fit in words
    blind = tmp_path / "blind.py"
    blind.write_text(Path(HERE / "one_player_toys.py").read_text().replace("def encode", "def _encode"))
    with pytest.raises(
        InputError,
        match=r"a2c learns games of one player, with chance or without, that give .*; no learner fits this game",
    ):
        begin(tmp_path / "x", "a2c", f"{blind}:Descent", {})
    with pytest.raises(InputError, match="no fast policy"):
        learner("mcts-actor-critic", DESCENT, fast=0.5)
    with pytest.raises(InputError, match="width is above 0"):
        learner("cma-es", DESCENT, width=0)
    with pytest.raises(InputError, match="input is one of encoded"):
        AfterstateEncoder(game, "cells")
    assert not (tmp_path / "x").exists()
