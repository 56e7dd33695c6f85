"""REINFORCE with a search: its loss against PyTorch's, its games, what a run keeps, and that it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from plyground import agents, games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.learn import reinforce
from plyground.learn.base import chosen
from plyground.learn.gradient import layers_of
from plyground.learn.reinforce import Played, Reinforce, pick
from plyground.learn.run import Run
from plyground.learn.train import begin, train
from plyground.nets.files import read_weights
from plyground.search.mcts.tree_view import Child
from plyground.spec import InputError

TICTACTOE = games.make("tictactoe")
SMALL = {"width": 8, "sims": 60, "games": 12}


def learner(game: str = "tictactoe", seed: int = 0, preset: str = "", **given: Any) -> Reinforce:
    return Reinforce(games.make(game), game, chosen(Reinforce, SMALL | given, preset), seed)


def trained(made: Reinforce) -> Reinforce:
    while made.done < made.steps:
        made.advance()
    return made


def weights(made: Reinforce) -> np.ndarray:
    return np.concatenate([array.ravel() for pair in layers_of(made.model) for array in pair])


def replayed(score: float) -> Played:
    """The game b2 a1 c3: the first player's moves 4 and 8, the second's 0."""
    states = np.zeros(3, rules.dtype(TICTACTOE))
    state = rules.new(TICTACTOE)
    for i, action in enumerate((4, 0, 8)):
        states[i] = state
        TICTACTOE.play(state, action)
    return Played(states, [4, 0, 8], [0, 1, 0], [4, 0, 8], score, 0)


@pytest.mark.parametrize("score", [1.0, -1.0, 0.0])
def test_the_loss_is_minus_log_pi_times_the_reward_over_legal_moves(score: float) -> None:
    made = learner()
    total = 0.0
    for board, legal, action, reward in [
        ([0] * 9, range(9), 4, score),
        ([0, 0, 0, 0, -1, 0, 0, 0, 0], [0, 1, 2, 3, 5, 6, 7, 8], 0, -score),
        ([-1, 0, 0, 0, 1, 0, 0, 0, 0], [1, 2, 3, 5, 6, 7, 8], 8, score),
    ]:
        with torch.no_grad():
            logits = made.model(torch.tensor([board], dtype=torch.float32))[0].numpy().astype(float)
        pi = np.exp(logits[action]) / sum(np.exp(logits[a]) for a in legal)
        total -= np.log(pi) * reward
    assert made.learn(replayed(score)) == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize(("score", "winner"), [(1.0, 0), (-1.0, 1)])
def test_the_winners_moves_become_likelier_and_the_losers_less_likely(score: float, winner: int) -> None:
    made = learner()

    def likely() -> np.ndarray:
        game = replayed(score)
        with torch.no_grad():
            pi = torch.softmax(made.model(torch.from_numpy(made._encode(game.states))), 1).numpy()
        return pi[np.arange(3), game.actions]

    before = likely()
    for _ in range(5):
        made.learn(replayed(score))
    assert ((likely() > before) == (np.array([0, 1, 0]) == winner)).all()


def test_a_draw_teaches_nothing_by_itself() -> None:
    made = learner()
    before = weights(made)
    assert made.learn(replayed(0.0)) == 0.0
    np.testing.assert_array_equal(weights(made), before)


def test_the_search_plays_whole_games_by_the_rules_and_is_guided_by_the_net() -> None:
    made = learner(opening=0, temperature=0.0)
    played = made.play(3, made._searches[0].search)
    state = rules.new(TICTACTOE)
    for kept, action, mover in zip(played.states, played.actions, played.movers, strict=True):
        assert kept.tobytes() == state.tobytes() and TICTACTOE.player(state) == mover
        assert action in rules.legal(TICTACTOE, state)
        TICTACTOE.play(state, action)
    assert TICTACTOE.over(state) and TICTACTOE.score(state) == played.score
    assert sum(child.prior or 0.0 for child in made._searches[0].search.children) == pytest.approx(1)


def test_random_moves_of_the_opening_are_not_learnt_from() -> None:
    made = learner(opening=4)
    lengths = {
        len(game.moves) - len(game.actions) for game in (made.play(n, made._searches[0].search) for n in range(12))
    }
    assert lengths <= set(range(5)) and len(lengths) > 2


def test_picks_by_visits_but_wins_at_once_and_never_loses_if_it_need_not() -> None:
    rng = np.random.default_rng(1)
    some = [Child(0, 70, -1.0, -1), Child(1, 20, 0.1, 0), Child(2, 10, 0.2, 0)]
    assert pick(some, 0.0, rng) == 1
    drawn = [pick(some, 1.0, rng) for _ in range(600)]
    assert drawn.count(0) == 0 and drawn.count(1) == pytest.approx(400, abs=60)
    assert pick([*some, Child(3, 1, 1.0, 1)], 1.0, rng) == 3
    assert pick(some[:1], 1.0, rng) == 0


def test_the_same_seed_learns_the_same_and_another_does_not() -> None:
    one, same, other = (trained(learner(seed=seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(weights(one), weights(same))
    assert (weights(one) != weights(other)).any()


def test_games_played_together_do_not_depend_on_the_threads() -> None:
    one, same = (trained(learner(together=3, games=7)) for _ in range(2))
    np.testing.assert_array_equal(weights(one), weights(same))
    assert one.done == 7


def test_a_restored_learner_goes_on_bit_for_bit() -> None:
    whole, first, second = learner(), learner(), learner()
    for _ in range(5):
        first.advance()
    second.restore(first.arrays(), first.notes())
    for made in (whole, second):
        trained(made)
    np.testing.assert_array_equal(weights(whole), weights(second))
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name], name)


def test_a_run_is_measured_and_its_net_guides_an_agent(tmp_path: Path) -> None:
    given = {"width": 8, "depth": 1, "sims": 30, "games": 4, "measure_every": 0}
    run = begin(tmp_path / "run", "reinforce", "tictactoe", given, seed=3)
    made = train(run)
    last = Run.open(tmp_path / "run").metrics()[-1]
    for name in ("random_first_wins", "random_second_losses", "net_random_first_wins", "mistakes", "net_mistakes"):
        assert 0 <= last[name] <= 1
    assert [w.shape for w, _ in read_weights(tmp_path / "run")] == [(8, 9), (9, 8)]
    thought = agents.make(f"guided(net={str(tmp_path / 'run')!r}, sims=50)").think(TICTACTOE, rules.new(TICTACTOE))
    assert len(thought.moves) == 9
    assert isinstance(made, Reinforce)


def test_it_learns_to_win_without_a_search() -> None:
    made = learner(seed=1, width=32, sims=100, games=300, c=9.0)
    before = made.measure()
    after = trained(made).measure()
    assert after["net_random_first_wins"] > before["net_random_first_wins"] + 0.1
    assert after["net_mistakes"] < before["net_mistakes"]
    assert after["random_first_losses"] <= 0.02


def test_a_game_without_an_end_is_left_and_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Pig a policy may roll for ever."""
    monkeypatch.setattr(reinforce, "LONGEST", 4)
    made = learner(width=4, sims=2, games=1)
    before = [layer.weight.clone() for layer in made.model.layers]
    told = made.advance()
    assert (told["plies"], told["draws"], told["loss"]) == (4, 1, 0)
    assert all((layer.weight == was).all() for layer, was in zip(made.model.layers, before, strict=True))


class Uncompiled(MNK):
    """Rules that only Python runs: it takes a moment, and compiling them takes seconds."""

    def compiles(game) -> bool:
        return False


def test_few_simulations_are_enough_where_there_are_many_actions() -> None:
    """The tree has room for all children of its root."""
    options = chosen(Reinforce, {"width": 4, "sims": 1, "games": 1})
    made = Reinforce(Uncompiled(9, 9, 5), "mnk(9,9,5)", options, 0)
    assert made.advance()["loss"] is not None and made.done == 1


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match="planes"):
        learner(game="line-taking(cells=12)", input="signed")
    with pytest.raises(InputError, match="lr"):
        learner(lr=-1.0)
