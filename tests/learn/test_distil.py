"""The learner distil: what it learns, by NumPy; whole runs, being stopped, nets that kernels run, what it refuses."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from commands import answer
from learn.test_stopping import must_be_alike
from plyground import games
from plyground.learn.alphazero import chances
from plyground.learn.base import chosen
from plyground.learn.distil import Distil
from plyground.learn.run import Run
from plyground.learn.selfplay.learner import Lesson
from plyground.learn.selfplay.trees import TreeGroup
from plyground.learn.selfplay.window import Batch
from plyground.learn.train import begin, train
from plyground.nets.files import load
from plyground.nets.models import InferenceNet
from plyground.nets.trained import find
from plyground.rules import legal, new
from plyground.search.mcts.collect import ILLEGAL
from plyground.spec import InputError

TINY: dict[str, Any] = {"blocks": 1, "channels": 8, "sims": 24, "leaves": 6, "visits": 8, "often": 8, "batch": 32}
TINY |= {"round": 80, "positions": 240, "parallel_games": 4, "threads": 2, "device": "cpu", "average": 3}


def learner(game: str = "tictactoe", seed: int = 0, **given: Any) -> Distil:
    return Distil(games.make(game), game, chosen(Distil, TINY | given), seed)


def test_it_learns_what_the_teacher_and_its_searches_say_of_positions_of_its_trees() -> None:
    made = learner()
    made._begin_round(made.player)
    samples, _ = made._end_round()
    assert len(samples) == 80 and (samples["weight"] >= 1).all() and (samples["weight"] >= 16).any()
    made.window.add(samples)
    figures = made._judge(len(samples))
    with torch.inference_mode():
        answers = InferenceNet(load(find("tictactoe")))(torch.from_numpy(samples["planes"].copy())).numpy()
    for i, sample in enumerate(samples):
        legal_here = sample["policy"] != ILLEGAL
        empty = sample["planes"].sum(0).ravel() == 0
        assert (legal_here == empty).all()
        teacher = np.where(legal_here, np.exp(answers[i, :-1] - answers[i, :-1].max()), 0)
        teacher /= teacher.sum()
        visits = sample["weight"]
        share = 0.5 * visits / (visits + 8) if visits >= 8 else 0
        wanted = (1 - share) * answers[i, -1] + share * sample["value"]
        mixed = 0.5 * teacher + 0.5 * sample["policy"] if visits >= 16 else teacher
        assert made.window.rest[i, 0] == pytest.approx(wanted, abs=0.02)
        np.testing.assert_allclose(made.window.policy[i].float(), np.where(legal_here, mixed, -1), atol=0.02)
    assert figures["explained"] <= 1e-6 and figures["divergence"] > 0, "it has no opinions as yet"


def test_its_losses_leave_out_what_may_not_be_played() -> None:
    made = learner()
    torch.nn.init.normal_(made.model.logits.weight)
    policy = torch.full((1, 9), -1.0)
    policy[0, 3:5] = torch.tensor([0.25, 0.75])
    rest = torch.tensor([[0.5, 0.0, 0.0, 0.0]]).unbind(1)
    batch = Batch(torch.ones(1, 2, 3, 3), policy, *rest)  # type: ignore[arg-type]
    with torch.no_grad():
        logits, outcome = made.model.eval()(batch.planes)
        found = made.losses(made.options, made.model, batch)
    log_pi = (logits[0, 3:5] - logits[0, 3:5].logsumexp(0)).numpy()
    assert found["policy_loss"] == pytest.approx(-(np.array([0.25, 0.75]) * log_pi).sum(), abs=1e-4)
    value = -(chances(batch.score) * outcome.log_softmax(1)).sum()
    assert found["value_loss"] == pytest.approx(2.0 * float(value), abs=1e-4)


def test_a_run_comes_nearer_to_its_teacher_and_its_net_plays(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["--positions", "1600", "--round", "400", "--lr", "0.01", "--average", "10", "--threads", "1"]
    words += [
        word for name in ("sims", "leaves", "blocks", "channels", "batch") for word in (f"--{name}", str(TINY[name]))
    ]
    told = answer("train", "distil", "tictactoe", *words, "--out", str(out), "--json")
    assert told["positions"] == 1600
    lines = Run.open(out).metrics()
    assert lines[-1]["divergence"] < 0.8 * lines[0]["divergence"] and lines[-1]["explained"] > lines[0]["explained"]
    assert answer("think", "tictactoe", f'alphazero("{out}", sims=20)', "--json")["simulations"] == 20


@pytest.mark.usefixtures("unplayed")
@pytest.mark.parametrize("lag", [0, 1])
def test_a_run_that_was_left_ends_like_one_that_was_not(
    lag: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = TINY | {"lag": lag, "checkpoint_every": 80}
    train(begin(tmp_path / "whole", "distil", "tictactoe", given, seed=1))
    learning: list[Any] = []

    def watch(made: Any, figures: Any) -> None:
        learning[:] = [made]

    def at_a_step() -> bool:
        return bool(learning[0].lesson) and learning[0].lesson.step == 3

    parts = begin(tmp_path / "parts", "distil", "tictactoe", given, seed=1)
    made = train(parts, watch, asked=at_a_step)
    assert made.done < made.steps and "lesson" in parts.latest()[2]  # type: ignore[index]
    flag: list[bool] = []
    move = TreeGroup._go_on

    def until_stopped(group: TreeGroup, i: int) -> None:
        flag.append(True)
        while not group.stopped:
            time.sleep(0.001)
        move(group, i)

    with monkeypatch.context() as patched:
        patched.setattr(TreeGroup, "_go_on", until_stopped)
        made = train(parts, asked=lambda: bool(flag))
    assert made.done < made.steps
    train(parts)
    must_be_alike(tmp_path / "whole", tmp_path / "parts")


def test_a_net_that_kernels_run_searches_there_and_learns() -> None:
    made = learner(net="patterns", round=40, positions=80)
    figures = [made.advance(), made.advance()]
    assert [len(group.games) for group in made.players.groups] == [1, 1]
    assert figures[0]["policy_loss"] > 0 and figures[1]["simulations"] > 0
    assert made.net()[1].kind == "patterns"


def test_games_begin_where_both_may_win_and_go_on_where_the_last_round_ended() -> None:
    made = learner(opening=6, balance=0.0)
    made.players.begin(made.player, 8)
    made.players.end()
    before = [group.arrays() for group in made.players.groups]
    games_before = [group.games.copy() for group in made.players.groups]
    assert all((one["plies"] <= 9).all() for one in games_before)
    other = learner(opening=6, balance=0.0)
    other.players.restore(before)
    for group, known in zip(other.players.groups, games_before, strict=True):
        assert (group.games == known).all() and group.rounds == 1
    for one in games_before[0]:
        state = new(made.game)
        for action in one["actions"][: one["plies"]]:
            assert action in legal(made.game, state)
            made.game.play(state, int(action))
        assert state == one["state"]


def test_a_lesson_is_judged_once() -> None:
    made = learner()
    lesson = Lesson(80, [], {"explained": 0.5}, step=10**6)
    made.done = 80
    assert "policy_loss" not in made.learn(lesson) and lesson.figures == {"explained": 0.5}


@pytest.mark.parametrize(
    ("game", "given", "said"),
    [
        ("tictactoe", {"teacher": "connect-four"}, "the net of connect-four"),
        ("mnk(3,2,2)", {}, "no net came with the program for this game"),
        ("tictactoe", {"ray": "local"}, "has no option ray"),
    ],
)
def test_what_cannot_teach_is_refused(game: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        learner(game, **given)


@pytest.mark.parametrize("game", ["backgammon", "2048(3)"])
def test_games_of_chance_and_of_one_player_are_refused(game: str) -> None:
    with pytest.raises(InputError):
        Distil.must_suit(games.make(game))
