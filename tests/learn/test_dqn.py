"""Deep Q-learning: its updates against PyTorch's, its options, and that it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from plyground import games, rules, sealed
from plyground.learn import gradient
from plyground.learn.base import chosen
from plyground.learn.dqn import DQN, DQNOptions
from plyground.learn.dqn_kernel import seen_from
from plyground.learn.run import Run
from plyground.learn.train import begin, train
from plyground.nets.files import read_weights
from plyground.spec import InputError

MANY = {"environments": 8, "memory": 3000, "batch": 64, "updates": 0.2}


def learner(game: str = "tictactoe", seed: int = 0, preset: str = "", **given: Any) -> DQN:
    return DQN(games.make(game), game, chosen(DQN, given, preset), seed)


def reference(net: Any, target: Any, some: np.ndarray, masking: bool, double: bool) -> torch.Tensor:
    """The loss of a batch, as a textbook has it."""
    inputs, then = (torch.from_numpy(some[name].copy()) for name in ("inputs", "then"))
    legal = torch.from_numpy(some["legal"].astype(bool))
    with torch.no_grad():
        shown = net(then) if double else target(then)
        if masking:
            shown = shown.masked_fill(~legal, -torch.inf)
        value = target(then).gather(1, shown.argmax(1, keepdim=True))[:, 0]
        value = torch.where(torch.from_numpy(some["factor"].copy()) > 0, value, 0)
        y = torch.from_numpy(some["gain"].copy()) + torch.from_numpy(some["factor"].copy()) * value
    q = net(inputs).gather(1, torch.from_numpy(some["action"].astype(np.int64))[:, None])[:, 0]
    return ((q - y) ** 2).mean()


@pytest.mark.parametrize(
    ("masking", "double", "target_every"), [(False, False, 0), (True, False, 3), (True, True, 3), (False, True, 4)]
)
def test_updates_are_those_of_autograd_and_adam(masking: bool, double: bool, target_every: int) -> None:
    made = learner(
        hidden="16", masking=masking, double=double, target_every=target_every, batch=0, short_term=False, epsilon=0.9
    )
    made.advance()  # fills the memory and changes nothing else
    net, target = (gradient.unpacked(made.sizes, made.theta) for _ in range(2))
    adam = torch.optim.Adam(net.parameters(), lr=0.001)
    rng = np.random.default_rng(3)
    for number in range(1, 11):
        picked = rng.integers(len(made.replay), size=(1, 30, 200)[number % 3])
        if not target_every:
            target.load_state_dict(net.state_dict())
        loss = reference(net, target, made.replay.memory[picked], masking, double)
        assert made.learn(picked) == pytest.approx(loss.item(), rel=1e-4)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if target_every and number % target_every == 0:
            target.load_state_dict(net.state_dict())
    np.testing.assert_allclose(made.theta, gradient.packed(net), atol=2e-5)
    np.testing.assert_allclose(
        made.workspace.target, gradient.packed(target) if target_every else made.theta, atol=2e-5
    )


@pytest.fixture
def nothing_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernels are compiled to learn by."""
    monkeypatch.setattr(DQN, "_compile", lambda learner: None)


@pytest.mark.usefixtures("nothing_learnt")
def test_every_side_of_the_board_is_a_symmetry_of_inputs_and_actions() -> None:
    game = games.make("tictactoe")
    state, other = rules.new(game), rules.new(game)
    for input in ("signed", "planes"):
        from plyground.nets.evaluate import Encoder

        encoder = Encoder(game, input)
        cells, actions = seen_from(game, encoder.features, True)
        assert len(cells) == 8 and (cells[0] == np.arange(encoder.features)).all()
        for cell, side in zip(cells, actions, strict=True):
            state, other = rules.new(game), rules.new(game)
            for action in (1, 5, 6):
                game.play(state, action)
                game.play(other, int(side[action]))
            turned = np.zeros(encoder.features, np.float32)
            turned[cell] = encoder.one(state)[0]
            assert (turned == encoder.one(other)[0]).all()
    assert len(learner("line-taking", symmetries=True).workspace.spots) == 1  # the game tells no other side


@pytest.mark.usefixtures("nothing_learnt")
def test_every_game_begins_with_a_region_of_its_own_where_they_are_drawn() -> None:
    made = learner("line-taking", environments=8)
    assert made.drawn and len({state["free"].tobytes() for state in made.world.envs["state"]}) == 8
    assert not learner("line-taking(seed=3)").drawn


def test_updates_from_every_side_teach_every_side() -> None:
    made = learner(
        symmetries=True, masking=True, hidden="64", batch=64, games=400, **{"epsilon": 1.0, "epsilon_end": 1.0}
    )
    while made.done < made.steps:
        made.advance()
    says = gradient.Evaluate(made.sizes, made.theta)(np.zeros((1, 9), np.float32))[0]
    corners, edges = says[[0, 2, 6, 8]], says[[1, 3, 5, 7]]
    assert corners.std() < 0.3 and edges.std() < 0.3  # the same from all sides, nearly


def test_the_defaults_are_the_studys() -> None:
    o = DQNOptions()
    assert (o.games, o.hidden, o.gamma, o.lr, o.batch) == (10_000, "256", 0.9, 0.001, 100)
    assert (o.win, o.draw, o.loss, o.invalid, o.masking) == (10, 5, -10, -5, None)
    assert (o.short_term, o.updates, o.target_every, o.double, o.n_step) == (True, 1, 0, False, 1)
    assert (o.seat, o.opponent, o.input, o.environments) == ("first", "random", "auto", 1)
    made = learner()
    assert made.input == "signed" and not made.masking
    assert made.sizes == [9, 256, 9] and made.epsilon() == 0.9
    made.done = 1000
    assert made.epsilon() == pytest.approx((0.9 * 0.05) ** 0.5)
    for made.done in (2000, 9000):
        assert made.epsilon() == 0.05


def test_one_update_a_move_and_one_from_memory_a_game() -> None:
    made = learner(games=50, hidden="8")
    assert made.net()[1].scale == 10
    figures = made.advance()
    assert made.done == 50 and made.replay.written + 50 == made.updates
    assert figures["wins"] + figures["draws"] + figures["losses"] == pytest.approx(1)
    assert figures["invalid"] > 0  # chosen, punished, and chosen again
    kept = made.replay.memory[: len(made.replay)]
    punished = kept[kept["gain"] == -5]
    assert len(punished) == round(figures["invalid"] * 50)
    assert (punished["inputs"] == punished["then"]).all() and (punished["factor"] == np.float32(0.9)).all()
    assert (punished["inputs"][np.arange(len(punished)), punished["action"]] != 0).all()  # the cell was taken
    assert set(kept["gain"][kept["factor"] == 0]) <= {10, 5, -10}


def test_a_game_that_has_ended_is_told_once() -> None:
    made = learner(environments=200, games=1000, hidden="8")
    for _ in range(3):
        before = made.done
        made.advance()
        assert len(made.samples()) == 1
        assert 0 < np.count_nonzero(made.world.envs["length"]) <= made.done - before


def test_masked_it_never_chooses_an_illegal_action() -> None:
    made = learner(masking=True, games=100, hidden="8")
    assert made.advance()["invalid"] == 0 and not (made.replay.memory["gain"] == -5).any()


def test_without_memory_only_moves_are_learnt_from() -> None:
    made = learner(batch=0, games=50, hidden="8")
    made.advance()
    assert made.updates == made.replay.written


@pytest.mark.parametrize(
    "options",
    [
        {"opponent": "self", "older_every": 50, "seat": "both"},
        {"opponent": "random+uct(sims=5)+self", "older_every": 50, "seat": "second", "n_step": 3},
        {"opponent": "win-block", "starts": 0.5, "seat": "both", "n_step": 2, "symmetries": True, "input": "planes"},
    ],
)
def test_a_restored_learner_goes_on_like_the_other(options: dict[str, Any]) -> None:
    given = {
        "hidden": "16",
        "masking": True,
        "target_every": 20,
        "double": True,
        "epsilon_games": 100,
        **MANY,
        **options,
    }
    one, other = learner(**given), learner(**given)
    for _ in range(3):
        one.advance()
    other.restore({name: array.copy() for name, array in one.arrays().items()}, one.notes())
    for _ in range(3):
        assert one.advance() == other.advance()
        one.measure()  # touches no stream of the training
    assert all((a == b).all() for a, b in zip(one.arrays().values(), other.arrays().values(), strict=True))
    assert one.notes() == other.notes() and len(one.opponents.nets) == (5 if "self" in given["opponent"] else 0)


def test_it_learns_to_beat_random(tmp_path: Path) -> None:
    run = begin(tmp_path, "dqn", "tictactoe", {"games": 1500, "epsilon_games": 600, "checkpoint_every": 500})
    train(run)
    last = run.metrics()[-1]
    assert last["random_first_wins"] > 0.9 and last["mistakes"] < 0.4
    assert [weight.shape for weight, _ in read_weights(tmp_path)] == [(256, 9), (9, 256)]
    moves = (tmp_path / "games.jsonl").read_text().splitlines()
    assert len(moves) == 30 and '"moves": "' in moves[0]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"memory": 50}, "at least a batch"),
        ({"opponent": "human"}, "patience"),
        ({"opponent": "random+nobody"}, "no agent 'nobody'"),
        ({"hidden": "64;64"}, "hidden layers"),
        ({"gamma": 1.5}, "gamma is 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        learner(**options)


def test_a_checkpoint_of_another_learner_is_refused(tmp_path: Path) -> None:
    run = begin(tmp_path, "dqn", "tictactoe", {"games": 60, "hidden": "8"})
    train(run)
    config = sealed.read(tmp_path / "config.json", "a run")
    config["options"]["hidden"] = "9"
    (tmp_path / "config.json").write_text(sealed.text(config))
    with pytest.raises(InputError, match="not one of this learner"):
        train(Run.open(tmp_path))
