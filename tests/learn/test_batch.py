"""Environments against a twin that plays the interpreted rules move by move, with the same random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground import games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.learn.batch import BOTH, FINE, FIRST, SECOND, Batch
from plyground.search.rng import seeded
from plyground.spec import InputError

REWARDS = (10.0, 5.0, -10.0, -5.0)


class Twin:
    """One environment, written as one would say it."""

    def __init__(self, game: Any, seed: int, opponents: list[str], seats: int, starts: float) -> None:
        self.game, self.opponents, self.seats, self.starts = game, opponents, seats, starts
        self.rng = int(seeded(seed))
        self.tally = [0, 0, 0, 0]
        self.begin()

    def below(self, n: int) -> int:
        x = self.rng
        x ^= x << 13 & 2**64 - 1
        x ^= x >> 7
        x ^= x << 17 & 2**64 - 1
        self.rng = x
        return (x >> 32) * n >> 32

    def begin(self) -> None:
        self.seat = self.below(2) if self.seats == BOTH else self.seats
        self.opponent = self.opponents[self.below(len(self.opponents)) if len(self.opponents) > 1 else 0]
        self.state = rules.new(self.game)
        if self.starts and self.below(FINE) < self.starts * FINE:
            for _ in range(self.below(self.game.actions())):
                choices = rules.legal(self.game, self.state)
                self.game.play(self.state, choices[self.below(len(choices))])
                if self.game.over(self.state):
                    self.state = rules.new(self.game)
        self.reply()
        if self.game.over(self.state):
            self.state, self.seat = rules.new(self.game), 0

    def reply(self) -> None:
        while not self.game.over(self.state) and self.game.player(self.state) != self.seat:
            choices = rules.legal(self.game, self.state)
            if self.opponent == "win-block":
                mine, theirs = (rules.winning(self.game, self.state, p) for p in (1 - self.seat, self.seat))
                choices = mine or theirs or choices
            self.game.play(self.state, choices[self.below(len(choices))])

    def step(self, action: int) -> None:
        self.reward, self.ended = 0.0, False
        if action not in rules.legal(self.game, self.state):
            self.reward = REWARDS[3]
            self.tally[3] += 1
            return
        self.game.play(self.state, action)
        self.reply()
        if self.game.over(self.state):
            score = self.game.score(self.state) * (1 if self.seat == 0 else -1)
            result = {1: 0, 0: 1, -1: 2}[int(score)]
            self.reward, self.ended = REWARDS[result], True
            self.last = self.game.score(self.state), self.seat
            self.tally[result] += 1
            self.begin()


@pytest.mark.parametrize(
    ("name", "opponents", "seats", "starts"),
    [
        ("tictactoe", ["random"], FIRST, 0.0),
        ("tictactoe", ["win-block"], SECOND, 0.0),
        ("tictactoe", ["random", "win-block"], BOTH, 0.5),
        ("connect-four(4,4,3)", ["random", "win-block"], BOTH, 0.5),
        ("mnk(3,3,2)", ["random"], BOTH, 1.0),
    ],
)
def test_environments_go_as_the_rules_say(name: str, opponents: list[str], seats: int, starts: float) -> None:
    game = games.make(name)
    batch = Batch(game, 5, 3, input="signed", opponents=opponents, seats=seats, rewards=REWARDS, starts=starts)
    twins = [Twin(game, 3 * 1_000_003 + i, opponents, seats, starts) for i in range(5)]
    rng = np.random.default_rng(0)
    for _ in range(60):
        for i, twin in enumerate(twins):
            assert batch.envs["state"][i].tobytes() == twin.state.tobytes()
            assert batch.envs["seat"][i] == twin.seat == game.player(twin.state)
            assert np.flatnonzero(batch.legal[i]).tolist() == rules.legal(game, twin.state)
            planes = np.zeros(game.planes(), np.float32)
            game.encode(twin.state, planes)
            assert (batch.inputs[i] == (planes[0] - planes[1]).ravel()).all()
        actions = rng.integers(game.actions(), size=5)  # some of them are not legal
        batch.step(actions)
        for i, twin in enumerate(twins):
            twin.step(int(actions[i]))
            assert (batch.rewards[i], batch.ended[i]) == (twin.reward, twin.ended)
            if twin.ended:
                assert (batch.envs["score"][i], batch.envs["sat"][i]) == twin.last
    assert batch.tally.tolist() == np.sum([twin.tally for twin in twins], axis=0).tolist()
    assert batch.tally.sum() > 50


def test_an_opponent_that_is_asked_moves_in_both_seats_and_is_told_who_it_is() -> None:
    game = games.make("tictactoe")
    told: list[tuple[int, int]] = []

    def first_free(states: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        told.extend((int(game.player(state)), int(number)) for state, number in zip(states, numbers, strict=True))
        return np.array([rules.legal(game, state)[0] for state in states])

    batch = Batch(game, 8, 1, input="signed", opponents=["random", "mine"], ask=first_free, seats=BOTH)
    for _ in range(30):
        assert not batch.envs["waits"].any()
        assert (batch.envs["seat"] == [game.player(state) for state in batch.envs["state"]]).all()
        batch.step(np.array([rules.legal(game, state)[-1] for state in batch.envs["state"]]))
    assert {number for _, number in told} == {1} and {player for player, _ in told} == {0, 1}
    assert batch.tally[:3].sum() > 40 and batch.tally[3] == 0


def test_whoever_sits_second_may_meet_others() -> None:
    game = games.make("tictactoe")
    batch = Batch(game, 16, 1, input="signed", opponents=["random"], others=["random", "win-block"], seats=BOTH)
    met = set()
    for _ in range(20):
        met |= set(zip(batch.envs["seat"].tolist(), batch.envs["opponent"].tolist(), strict=True))
        batch.step(batch.legal.argmax(axis=1))
    assert met == {(0, 0), (1, 1), (1, 2)}


def test_a_game_that_ends_before_the_learner_moves_does_not_count() -> None:
    game = games.make("mnk(3,3,1)")  # the first stone wins
    for ask in (None, lambda states, numbers: np.zeros(len(states), np.int64)):
        opponents = ["mine" if ask else "random"]
        batch = Batch(game, 4, 0, input="signed", opponents=opponents, ask=ask, seats=SECOND, rewards=REWARDS)
        assert not batch.tally.any() and (batch.envs["seat"] == 0).all()
        batch.step(np.zeros(4, np.int64))
        assert batch.rewards.tolist() == [10.0] * 4 and batch.ended.all() and batch.tally.tolist() == [4, 0, 0, 0]


def test_a_full_board_is_rewarded_as_drawn() -> None:
    batch = Batch(MNK(3, 3, 4), 3, 0, input="signed", rewards=REWARDS)  # nobody can have four in a row
    for left in (7, 5, 3, 1):
        batch.step(batch.legal.argmax(axis=1))
        assert batch.rewards.tolist() == [0.0] * 3 and (batch.legal.sum(axis=1) == left).all()
    batch.step(batch.legal.argmax(axis=1))
    assert batch.rewards.tolist() == [5.0] * 3 and batch.tally.tolist() == [0, 3, 0, 0]


def test_chance_events_are_drawn() -> None:
    batch = Batch(games.make('against-random("tictactoe")'), 6, 0, seats=FIRST)
    for _ in range(20):
        batch.step(np.array([rules.legal(batch.game, state)[0] for state in batch.envs["state"]]))
    assert batch.tally[:3].sum() > 20 and len({state.tobytes() for state in batch.envs["state"]}) > 1


def test_win_block_needs_a_game_that_lists_its_wins() -> None:
    with pytest.raises(InputError, match="lists its wins"):
        Batch(games.make("line-taking"), 1, 0, opponents=["win-block"])
