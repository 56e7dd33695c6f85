"""Actor-critic with MCTS for Tetris: returns, policy and values by naive twins, runs that go on, and the agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from commands import answer, refusal, run
from learn.wells import REFERENCE, SMALL, on_the_way
from plyground import agents, games, rules
from plyground.agents.base import Limit
from plyground.learn.base import chosen, usual_for
from plyground.learn.mcts_actor_critic import MCTSActorCritic, Table, traced
from plyground.learn.one_player import play_at_once
from plyground.nets.afterstates import AfterstateEncoder
from plyground.nets.files import read_card
from plyground.spec import InputError
from reseal import reseal

TINY: dict[str, Any] = {
    "hidden": "8",
    "environments": 4,
    "rollout": 8,
    "moves": 96,
    "sims": 6,
    "batch": 16,
    "measure_sims": 6,
}


def learner(game: str = SMALL, seed: int = 0, **given: Any) -> MCTSActorCritic:
    made = games.make(game)
    usual = usual_for("mcts-actor-critic", made)
    return MCTSActorCritic(made, game, chosen(MCTSActorCritic, TINY | given, usual=usual), seed)


def test_returns_mix_what_came_later_with_what_the_search_said() -> None:
    made = learner()
    steps = [made.play() for _ in range(6)]
    rng = np.random.default_rng(1)
    steps = [step._replace(ended=rng.random(4) < 0.3) for step in steps]
    then = rng.random(4)

    def naive(t: int, game: int) -> float:
        """R(t) = r + gamma * ((1 - trace) W(t + 1) + trace * R(t + 1)), nothing after the end."""
        step = steps[t]
        if step.ended[game]:
            return float(step.rewards[game])
        if t + 1 == len(steps):
            return float(step.rewards[game] + 0.9 * then[game])
        later = 0.7 * naive(t + 1, game) + 0.3 * steps[t + 1].found.worth[game]
        return float(step.rewards[game] + 0.9 * later)

    found = traced(steps, then, 0.9, 0.7)
    for t in range(6):
        assert found[t] == pytest.approx([naive(t, game) for game in range(4)], rel=1e-5)


@pytest.mark.parametrize("name", [SMALL, REFERENCE])
def test_policy_and_values_are_those_of_one_state_after_the_other(name: str) -> None:
    made, game = learner(name), games.make(name)
    states = on_the_way(game, 30, seed=4)
    said = made.look(Table.of([made.encoder(states)]))
    for number, state in enumerate(states):
        seen = made.encoder(np.array([state], states.dtype))
        answers = made.judge(seen.inputs)
        powers = np.where(seen.sensible, np.exp(answers[:, 0]), 0)
        gains = [game.score(rules.after(game, state, int(a))) - game.score(state) for a in seen.actions]
        o, unit = made.options, 100 if game.reference else 1
        worth = o.alive + o.point * np.array(gains) / unit + o.gamma * answers[:, 1]
        worth = np.where(seen.lost, 0, worth)
        width = len(powers)
        assert np.exp(said.log_pi[number, :width].detach().numpy()) == pytest.approx(powers / powers.sum(), abs=1e-5)
        assert said.worth[number, :width].detach().numpy() == pytest.approx(worth, abs=1e-4)
        assert float(said.values[number].detach()) == pytest.approx(float(powers @ worth / powers.sum()), abs=1e-4)
        assert not said.log_pi[number, width:].exp().any()


@pytest.mark.parametrize("actor", ["returns", "visits"])
def test_the_actor_moves_towards_what_came_out_better_or_was_visited_more(actor: str) -> None:
    made = learner(actor=actor, entropy=0.0, lr=0.001, c=5.0)
    step = made.play()
    table = Table.of([step.seen], [step])
    before = made.look(table).log_pi.detach()
    returns = made.look(table).values.detach() + torch.tensor([5.0, -5.0, 5.0, -5.0])
    made.update(table, returns)
    change = made.look(table).log_pi.detach() - before
    picked = change[torch.arange(4), table.picked]
    if actor == "returns":
        assert (picked * torch.tensor([1.0, -1.0, 1.0, -1.0])).sum() > 0
    else:
        assert (table.shares * change.nan_to_num()).sum() > 0


def test_the_net_that_is_kept_is_the_running_mean_of_the_weights() -> None:
    made = learner(newest=0.25, epochs=3)
    weights, mean = [], 0.0
    step = made.play()
    table, returns = Table.of([step.seen], [step]), torch.arange(4.0)
    for number in range(1, 8):
        made.update(table, returns)
        weights.append(made.model.layers[0].weight.detach().numpy().copy())
        share = max(0.25, 1 / number)
        mean = (1 - share) * mean + share * weights[-1]
    net, card = made.net()
    assert net.layers[0].weight.detach().numpy() == pytest.approx(mean, abs=1e-6) and card.returns == made.returns
    assert np.abs(mean - weights[-1]).max() > 1e-4


def test_placements_are_drawn_by_the_visits() -> None:
    made = learner(environments=1, sims=12, temperature=0.5, c=5.0)
    start, rng, counts = made.world.envs.copy(), made.puct.walkers["rng"].copy(), 0.0
    for _ in range(400):
        made.world.envs[:], made.puct.walkers["rng"] = start, rng
        step = made.play()
        counts += np.arange(len(step.seen.inputs)) == step.picked[0]
    wanted = step.found.visits**2 / (step.found.visits**2).sum()
    assert np.abs(counts / 400 - wanted).max() < 0.1


def test_a_restored_learner_goes_on_bit_for_bit() -> None:
    whole, first, second = (learner(seed=5) for _ in range(3))
    first.advance()
    second.restore(first.arrays(), json.loads(json.dumps(first.notes())))
    for made in (whole, second):
        while made.done < made.steps:
            made.advance()
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name], name)


def test_a_training_that_was_stopped_ends_like_one_that_was_not(tmp_path: Path, stopped: Any) -> None:
    given = TINY | {"moves": 160, "checkpoint_every": 64, "measure_every": 0, "limit": 10}
    options = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words = ["train", "mcts-actor-critic", SMALL]
    whole, cut = tmp_path / "whole", tmp_path / "stopped"
    assert run(*words, "--out", str(whole), *options, "--seed", "3").returncode == 0
    stopped(cut, 96, "mcts-actor-critic", SMALL, given, seed=3)
    assert run(*words, "--out", str(cut), "--resume").returncode == 0
    for name in ("net.safetensors", "checkpoints/160.safetensors"):
        one, other = load_file(whole / name), load_file(cut / name)
        assert one.keys() == other.keys() and all((one[key] == other[key]).all() for key in one)
    lines = [[json.loads(line) for line in (folder / "metrics.jsonl").open()] for folder in (whole, cut)]
    told = [[line | {"seconds": 0} for line in each] for each in lines]
    assert told[0] == told[1] and [line["step"] for line in told[0]] == [32, 64, 96, 128, 160]


def test_it_learns_more_than_random_and_its_run_is_an_agent(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    random = play_at_once(AfterstateEncoder(games.make(SMALL)), lambda inputs: rng.random(len(inputs)), 100, 200, 1)
    options = ["--pieces", "6000", "--sims", "8", "--measure-sims", "8", "--limit", "100", "--measure-every", "0"]
    told = answer("train", "mcts-actor-critic", SMALL, "--out", str(tmp_path / "run"), *options, "--seed", "1")
    assert told["figures"]["lines"] - told["figures"]["lines_interval"] > 3 > random.scores.mean()
    card = read_card(tmp_path / "run")
    assert (card.kind, card.output, card.sizes[-1]) == ("afterstates", "policy-value", 2)
    game, spec = games.make(SMALL), f"mcts-actor-critic({str(tmp_path / 'run')!r}, sims=20, soften=1.0)"
    agent, alone = agents.make(spec, 3), agents.make(f"afterstate-net({str(tmp_path / 'run')!r})")
    for state in on_the_way(game, 10, seed=2):
        thought = agent.think(game, state)
        assert sorted(move.action for move in thought.moves) == rules.legal(game, state)
        assert sum(move.visits for move in thought.moves) == thought.simulations - 1 == 19
        assert sum(move.prior or 0.0 for move in thought.moves) == pytest.approx(1, abs=1e-5)
        priors = {move.action: move.prior for move in thought.moves}
        assert all(
            move.prior == pytest.approx(priors[move.action], abs=1e-5) for move in alone.think(game, state).moves
        )
        assert agent.think(game, state, Limit(simulations=5)).simulations == 5
        assert agent.think(game, state, Limit(seconds=0.0)).simulations < 20
    agent.begin(3)
    assert agents.make(spec, 3).think(game, state).moves == agent.think(game, state).moves
    told = answer("think", SMALL, spec, "--position", "####../####.. i")
    assert told["moves"][0]["visits"] > 0 and told["moves"][0]["prior"] > 0


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    assert "one player" in refusal(run("train", "mcts-actor-critic", "tictactoe", "--out", str(tmp_path / "x")))
    options = ["--pieces", "64", "--environments", "4", "--hidden", "4", "--limit", "9"]
    assert run("train", "a2c", SMALL, "--out", str(tmp_path / "a2c"), *options).returncode == 0
    with pytest.raises(InputError, match="mcts-actor-critic"):
        agents.make(f"mcts-actor-critic({str(tmp_path / 'a2c')!r})")
    card = json.loads((tmp_path / "a2c" / "net.json").read_text())
    (tmp_path / "a2c" / "net.json").write_text(json.dumps(card | {"output": "policy-value"}))
    reseal(tmp_path / "a2c")
    with pytest.raises(InputError, match="does not describe a net"):
        read_card(tmp_path / "a2c")
