"""The fast policy of roll-outs: its probabilities, roll-outs and learning against a naive twin; where actions lie."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive import Stream
from naive_patterns import PatternPUCT, Patterns
from naive_puct import something
from plyground import games, rules
from plyground.nets import fast_policy
from plyground.nets.evaluate import together
from plyground.search.budget import Budget
from plyground.search.mcts import local_patterns
from plyground.search.mcts.batched import NetSearch
from plyground.search.mcts.settings import Settings
from plyground.search.rng import seeded
from plyground.spec import InputError

FOUR, OTHELLO, KALAH = "connect-four(5,4,3)", "othello(4)", "kalah(3,2)"


def drawn(name: str) -> tuple[Any, Any, Patterns]:
    """A game, a policy of random weights, and its twin, which is told of cells by this test and not by the program."""
    game = games.make(name)
    policy = local_patterns.untaught(game, *fast_policy.places(game))
    policy.weights[:] = np.random.default_rng(1).normal(size=len(policy.weights))
    columns = game.planes()[2]
    cells = {action: [action] for action in range(game.actions())}
    if name == FOUR:  # a stone falls down its column; row 0 is at the top
        cells = {action: [row * columns + action for row in reversed(range(game.planes()[1]))] for action in cells}
    if name == OTHELLO:  # the middle is taken from the start, and the last action is a pass
        cells = {action: [action] for action in range(16) if action not in (5, 6, 9, 10)}
    if name == KALAH:
        cells = {}
    return game, policy, Patterns(game, cells, list(range(game.planes()[0])), policy.weights)


def positions(game: Any, number: int, seed: int = 2) -> tuple[list[Any], list[int | None]]:
    """Positions of random games, and the actions that led to them."""
    rng, states, lasts = np.random.default_rng(seed), [], []
    state, last = rules.new(game), None
    while len(states) < number:
        states.append(state.copy())
        lasts.append(last)
        last = int(rng.choice(rules.legal(game, state)))
        game.play(state, last)
        if game.over(state):
            state, last = rules.new(game), None
    return states, lasts


def told(lasts: list[int | None]) -> np.ndarray:
    return np.array([local_patterns.NONE if last is None else last for last in lasts], np.int32)


@pytest.mark.parametrize("name", [FOUR, OTHELLO, KALAH])
def test_probabilities_are_those_of_the_twin(name: str) -> None:
    """Either player to move, stones that fall, a pass as the only move (Othello), and moves that go on (Kalah)."""
    game, policy, twin = drawn(name)
    states, lasts = positions(game, 150)
    assert {int(game.player(state)) for state in states} == {0, 1}
    if name != FOUR:
        assert any(len(rules.legal(game, state)) == 1 for state in states)
    found = np.zeros((len(states), game.actions()))
    local_patterns.rate_each(game, together(states), told(lasts), policy, found)
    for state, last, row in zip(states, lasts, found, strict=True):
        wanted = twin.chances(state, last)
        assert row.sum() == pytest.approx(1) and {*np.flatnonzero(row)} == set(wanted)
        assert row[list(wanted)] == pytest.approx(list(wanted.values()), rel=1e-9)


def test_rollouts_are_those_of_the_twin() -> None:
    game, policy, twin = drawn(FOUR)
    states, lasts = positions(game, 40, 3)
    room, spare = local_patterns.workspace(seeded(9)), together(states[:1])
    means = np.zeros(len(states))
    local_patterns.roll_each(game, together(states), told(lasts), policy, 3, spare, room, means)
    stream = Stream(9)
    for state, last, mean in zip(states, lasts, means, strict=True):
        assert mean == pytest.approx(sum(twin.rolled_out(state, last, stream) for _ in range(3)) / 3)
    assert len(set(means)) > 3


@pytest.mark.parametrize("mix", [0.5, 1.0])
def test_a_tree_with_its_rollouts_is_that_of_the_twin(mix: float) -> None:
    """Leaves are worth (1 - mix) v + mix z, for who is to move at the root and for the other; with mix = 1 the value of
    the root is the mean of roll-outs alone."""
    game, policy, twin = drawn(FOUR)
    judge, settings = something(game), Settings(rollout=mix, fast=policy)
    search = NetSearch(game, judge, settings, 1, 5000, 4)
    for state in positions(game, 2)[0]:  # the first player's turn, then the second's
        search.seed(4)
        search.begin(state)
        search.run(Budget(60))
        other = PatternPUCT(game, state, judge, Settings(rollout=mix), seed=4)
        other.patterns = twin
        other.run(60)
        assert [(child.action, child.visits) for child in search.children] == [
            (child.action, child.visits) for child in other.root.children
        ]
        assert search.value == pytest.approx(other.root.mean * other.sign, abs=1e-9)


def test_the_first_leaf_by_hand() -> None:
    """v = 0.25 for who moves, z for player 0: with the second player to move, player 0's result is
    0.5 * -0.25 + 0.5 * z, and the root shows its opposite."""
    game, policy, twin = drawn(FOUR)
    state = positions(game, 2)[0][1]
    assert game.player(state) == 1

    def judge(planes: np.ndarray) -> np.ndarray:
        return np.append(np.zeros(game.actions()), 0.25).astype(np.float32)[None].repeat(len(planes), 0)

    search = NetSearch(game, judge, Settings(rollout=0.5, fast=policy), 1, 500, 7)
    search.begin(state)
    search.run(Budget(1))
    z = twin.rolled_out(state, None, Stream(8))  # the first walker's stream comes after the tree's
    assert abs(z) == 1 and search.value == -(0.5 * -0.25 + 0.5 * z)


def test_it_learns_what_is_taught() -> None:
    """The loss is that of the twin; a run through the positions lowers it; with a step of 0 nothing is learnt."""
    game, policy, twin = drawn(FOUR)
    states, lasts = positions(game, 60)
    actions = np.array([max(rules.legal(game, state)) for state in states], np.int32)
    given = (game, together(states), actions, told(lasts), np.arange(60), policy, np.zeros_like(policy.weights))
    before = policy.weights.copy()
    loss, hits = local_patterns.learn(*given, 0.0)
    chances = [twin.chances(state, last) for state, last in zip(states, lasts, strict=True)]
    assert loss == pytest.approx(-sum(math.log(one[a]) for one, a in zip(chances, actions.tolist(), strict=True)))
    assert hits == sum(max(one, key=lambda a: one[a]) == wanted for one, wanted in zip(chances, actions, strict=True))
    assert (policy.weights == before).all()
    for _ in range(20):
        local_patterns.learn(*given, 0.1)
    later, found = local_patterns.learn(*given, 0.0)
    assert later < loss / 10 and found > 55


def test_what_was_saved_is_read_again_and_damage_is_found(tmp_path: Path) -> None:
    game, policy, _ = drawn(FOUR)
    kept = fast_policy.FastPolicy(policy.weights, *fast_policy.places(game))
    fast_policy.save(tmp_path, kept, game, FOUR)
    for array, same in zip(fast_policy.load(tmp_path, game), kept, strict=True):
        np.testing.assert_array_equal(array, same)
    with pytest.raises(InputError, match="this game has"):
        fast_policy.load(tmp_path, games.make("tictactoe"))
    fast_policy.save(tmp_path, kept._replace(weights=kept.weights[1:]), game, FOUR)
    with pytest.raises(InputError, match="weights, not"):
        local_patterns.with_room(game, *fast_policy.load(tmp_path, game))
    path = tmp_path / "net.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    with pytest.raises(InputError, match="damaged"):
        fast_policy.load(tmp_path, game)
