"""The learner ppo: advantages by their definition, a run that beats random play, one that was stopped, one player, and
what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import toys
import turns
from commands import answer, refusal, run
from plyground import games, rules
from plyground.arena.statistics import Tally
from plyground.learn import measure
from plyground.learn.base import chosen
from plyground.learn.ppo import PPO, advantages
from plyground.nets.evaluate import together
from plyground.nets.files import read_card, save
from plyground.spec import InputError

TINY = {"moves": 512, "boards": 16, "length": 8, "batch": 64, "hidden": "16", "threads": 1}
WORDS = [word for name, value in TINY.items() for word in (f"--{name}", str(value))]

pytestmark = pytest.mark.usefixtures("measured_quickly", "nets_in_this_process")


def learner(game: Any, seed: int = 0, **given: Any) -> PPO:
    torch.set_num_threads(1)
    return PPO(game, "a game", chosen(PPO, TINY | given), seed)


def trained(made: PPO) -> PPO:
    while made.done < made.steps:
        made.advance()
    return made


def test_advantages_are_the_sums_that_define_them() -> None:
    rng, steps, n, discount, trace = np.random.default_rng(0), 7, 5, 0.9, 0.7
    rewards, values = rng.normal(size=(steps, n)), rng.normal(size=(steps + 1, n))
    players, ended = rng.integers(0, 2, (steps + 1, n)), rng.random((steps, n)) < 0.2
    told = (torch.from_numpy(part) for part in (rewards, values, players, ended))
    found = advantages(*told, discount, trace).numpy()
    for b in range(n):
        for t in range(steps):
            wanted, factor = 0.0, 1.0
            for later in range(t, steps):
                sign = 0.0 if ended[later, b] else 1.0 if players[later + 1, b] == players[later, b] else -1.0
                wanted += factor * (rewards[later, b] + discount * sign * values[later + 1, b] - values[later, b])
                factor *= discount * trace * sign
            assert found[t, b] == pytest.approx(wanted, abs=1e-6)


def test_a_short_run_beats_random_play() -> None:
    """Score of 200 games of the policy alone, its 95 % interval above 55 %; random play scores 50 % against itself."""
    sizes = {"boards": 64, "length": 16, "batch": 256, "hidden": "64,64"}
    made = learner(games.make("tictactoe"), moves=24_000, lr=0.003, **sizes)
    figures = trained(made).advance()
    assert set(figures) >= {"policy_loss", "value_loss", "entropy", "lr", "games"} and figures["games"] > 50
    first, second = measure.matches(made.game, made.choices(), "random", 100, 3)
    both = Tally(first.wins + second.wins, first.draws + second.draws, first.losses + second.losses)
    scores = np.repeat([1, 0.5, 0], [both.wins, both.draws, both.losses])
    assert scores.mean() - 1.96 * scores.std() / len(scores) ** 0.5 > 0.55


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been() -> None:
    game = games.make("tictactoe")
    whole, half = learner(game, 1), learner(game, 1)
    for _ in range(2):
        half.advance()
    again = learner(game, 1)
    again.restore(half.arrays(), half.notes())
    one, other = trained(whole).arrays(), trained(again).arrays()
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], name)


def test_a_step_is_the_same_however_many_cores_share_it() -> None:
    game = games.make("tictactoe")
    one, three = learner(game), learner(game, threads=3)
    assert len(three.copies) == 2
    moves, _ = one.play()
    for rows in (slice(0, 50), slice(50, 100), slice(100, 102)):  # the last of fewer moves than cores
        told = [made.step({name: part[rows] for name, part in moves.items()}, 0.5) for made in (one, three)]
        assert told[0] == pytest.approx(told[1], rel=1e-4, abs=1e-6)
    ours, theirs = (made.model.state_dict() for made in (one, three))
    begun = learner(game).model.state_dict()
    for name, weights in ours.items():
        torch.testing.assert_close(weights, theirs[name], rtol=1e-3, atol=1e-5)
        assert (weights != begun[name]).any()


def test_opponents_take_each_others_places_and_a_run_that_was_stopped_knows_whose_turn_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three stages of 512 moves together, by 128 at a time: the second begins at 256, the third at 384."""
    monkeypatch.setattr("plyground.learn.ppo.LEAST", 8)  # 16 boards are played in two groups
    game, told = games.make("tictactoe"), "> random; win-block > uct(sims=5)"
    whole, met = learner(game, opponents=told, threads=2), []
    while whole.done < whole.steps:
        whole.advance()
        met.append([type(board.opponent).__name__ for board in whole.boards if board.opponent])
    assert met == [[], [], ["Random", "WinBlock"] * 2, ["UCT"] * 2]
    for stopped in (256, 384):  # just before others take their places, and among them
        half, again = (learner(game, opponents=told, threads=2) for _ in range(2))
        while half.done < stopped:
            half.advance()
        again.restore(half.arrays(), half.notes())
        one, other = whole.arrays(), trained(again).arrays()
        assert one.keys() == other.keys()
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], name)


@pytest.mark.parametrize("net", ["mlp", "cnn", "resnet"])
def test_it_begins_with_the_net_of_another_run(net: str, tmp_path: Path) -> None:
    sizes: Any = {"net": net, "hidden": "8", "channels": 4, "blocks": 1}
    first = trained(learner(games.make("tictactoe"), 1, **sizes))
    save(tmp_path, *first.net())
    begun = learner(first.game, 2, start=str(tmp_path), **sizes)
    for name, value in begun.net()[0].state_dict().items():
        np.testing.assert_array_equal(value, first.net()[0].state_dict()[name], name)
    boards = [rules.new(first.game), rules.after(first.game, rules.new(first.game), 4)]
    np.testing.assert_array_equal(*(made.choices().outputs(together(boards)) for made in (first, begun)))
    with pytest.raises(InputError, match="start: the net in"):
        learner(games.make("connect-four"), start=str(tmp_path), **sizes)


def test_it_does_not_begin_with_a_net_that_tells_no_policy(tmp_path: Path) -> None:
    net, card = learner(games.make("tictactoe")).net()
    save(tmp_path, net, replace(card, output="q"))
    with pytest.raises(InputError, match="tells no policy"):
        learner(games.make("tictactoe"), start=str(tmp_path))


def test_it_learns_games_of_one_player_and_of_chance() -> None:
    made = learner(turns.make("alone"), moves=4_000, lr=0.01, boards=32)
    before, after = made.measure(), trained(made).measure()
    assert after["net_points"] - after["net_points_interval"] > before["net_points"]
    for net in ("resnet", "cnn"):
        assert learner(turns.make("alone"), net=net, channels=4).net()[1].returns == [0.997, 0.0, 1.0]


@pytest.mark.parametrize("net", ["resnet", "cnn"])
def test_its_net_plays_alone_and_with_a_search(net: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = [*WORDS, "--net", net, "--channels", "8"]
    told = answer("train", "ppo", "tictactoe", "--out", str(folder), *words)
    assert told["moves"] == 512 and 0 <= told["figures"]["random_first_wins"] <= 1
    assert read_card(folder).output == "policy-value"
    for agent in (f'net("{folder}")', f'alphazero("{folder}", sims=10)'):
        assert answer("think", "tictactoe", agent)["action"] in range(9)


def test_any_seed_will_do_and_a_discount_of_nothing_is_one() -> None:
    game = games.make("tictactoe")
    for seed in (10**9, 2**63):
        assert learner(game, seed, discount=0.0, moves=128).advance()["games"] > 0
    assert learner(game, discount=0.0).discount == 0
    assert learner(game).discount == 1


def test_all_copies_of_a_net_are_what_a_checkpoint_tells() -> None:
    """A net that was begun with may have been trained further since; what it normalises by, a step does not copy."""
    sizes: Any = {"net": "resnet", "blocks": 1, "channels": 4, "threads": 2}
    made, again = (learner(games.make("tictactoe"), **sizes) for _ in range(2))
    with torch.no_grad():
        for name, value in made.model.state_dict().items():
            if name.endswith("running_mean"):
                value.fill_(0.5)
    again.restore(made.arrays(), made.notes())
    for name, value in made.model.state_dict().items():
        for copy in (again.model, *again.copies):
            torch.testing.assert_close(copy.state_dict()[name], value, rtol=0, atol=0)


def test_opponents_end_with_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Any] = []
    made = learner(games.make("tictactoe"), opponents="uct(sims=5)")
    monkeypatch.setattr(made.boards[1].opponent, "close", lambda: closed.append(1))
    made.close()
    assert closed == [1]


def test_what_it_cannot_do_is_refused_in_one_line(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "x")]
    assert "did you mean" in refusal(run("train", "ppo", "tictactoe", "--opponents", "random; win-blok", *out))
    few = ["--opponents", "random > random; win-block", "--boards", "2"]
    assert "need a board each, 3 boards, not 2" in refusal(run("train", "ppo", "tictactoe", *few, *out))
    assert "ppo learns games" in refusal(run("train", "ppo", f"{toys.__file__}:Nim", *out))
