"""Vector environments against a twin that plays the interpreted rules move by move, with the same random numbers.

Run by itself the file prints what the twin and the kernels say of many games without the compiler.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList

from commands import interpreted
from plyground import agents, games, rules
from plyground.envs import opponent_of
from plyground.envs.single import GameEnv
from plyground.envs.vector import GameVectorEnv
from plyground.nets.trained import shipped
from plyground.rules import CHANCE
from plyground.search.rng import FINE, streams
from plyground.spec import InputError

ROOT = Path(__file__).parents[2]
STEPS = 40


class First(NamedTuple):
    """Whoever moves first wins with its first move."""

    def fields(game):
        return [("turn", np.int8)]

    def actions(game):
        return 2

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        out[0], out[1] = 0, 1
        return 2

    def play(game, state, action):
        state.turn = 1

    def over(game, state):
        return state.turn == 1

    def score(game, state):
        return 1.0


class Toss(NamedTuple):
    """Nature says who moves first, and after every move who moves next; who plays 1 twice in a row loses."""

    def fields(game):
        return [("turn", np.int8), ("last", np.int8), ("lost", np.int8), ("moves", np.int8)]

    def start(game, state):
        state.turn, state.lost = CHANCE, -1

    def actions(game):
        return 3

    def player(game, state):
        return state.turn

    def legal(game, state, out):
        out[0], out[1] = 1, 2
        return 2

    def chance(game, state, out, weights):
        out[0], out[1] = 0, 1
        weights[0], weights[1] = 0.25, 0.75
        return 2

    def play(game, state, action):
        if state.turn == CHANCE:
            state.turn = action
        else:
            state.moves += 1
            if action == 1 and state.last == 1:
                state.lost = state.turn
            state.last = action
            state.turn = CHANCE

    def over(game, state):
        return state.lost >= 0 or state.moves == 9

    def score(game, state):
        return 0.0 if state.lost < 0 else 1.0 if state.lost == 1 else -1.0


OWN = {"first": First(), "toss": Toss()}


def game_of(name: str) -> Any:
    if name in OWN:
        rules.adopt(type(OWN[name]))
        return OWN[name]
    return games.make(name)


class Twin:
    """One environment, written as one would say it."""

    def __init__(self, game: Any, rng: int, opponent: Any, seat: int | None, limit: int) -> None:
        self.game, self.opponent, self.wanted, self.limit = game, opponent, seat, limit
        self.rng = rng
        self.begin()

    def below(self, n: int) -> int:
        x = self.rng
        x ^= x << 13 & 2**64 - 1
        x ^= x >> 7
        x ^= x << 17 & 2**64 - 1
        self.rng = x
        return (x >> 32) * n >> 32

    def nature(self) -> None:
        x = self.below(FINE) / FINE
        outcomes = rules.outcomes(self.game, self.state)
        passed = np.cumsum([weight for _, weight in outcomes[:-1]]) <= x
        self.game.play(self.state, outcomes[int(passed.sum())][0])

    def go_on(self) -> None:
        while not self.game.over(self.state):
            player = self.game.player(self.state)
            if player == CHANCE:
                self.nature()
            elif not self.opponent or player == self.seat:
                return
            else:
                choices = self.opponent.choices(self.game, self.state)
                self.game.play(self.state, choices[self.below(len(choices))])

    def begin(self) -> None:
        self.state, self.steps = rules.new(self.game), 0
        if self.opponent:
            self.seat = self.below(2) if self.wanted is None else self.wanted
        self.go_on()
        if self.game.over(self.state):
            self.state = rules.new(self.game)
            while self.game.player(self.state) == CHANCE:
                self.nature()
            self.seat = self.game.player(self.state)

    def step(self, action: int) -> tuple[float, bool, bool]:
        self.steps += 1
        if action not in rules.legal(self.game, self.state):
            self.begin()
            return -1.0, True, False
        mover, points = self.game.player(self.state), self.game.score(self.state)
        self.game.play(self.state, action)
        self.go_on()
        over = bool(self.game.over(self.state))
        reward = self.game.score(self.state) - points if self.game.alone() else 0.0
        if over and not self.game.alone():
            reward = self.game.score(self.state) * (1 if mover == 0 else -1)
        truncated = not over and self.steps == self.limit
        if over or truncated:
            self.last = self.state
            self.begin()
        return float(reward), over, truncated


def first_difference(name: str, opponent: str | None, seat: int | None) -> str:
    """Play many steps by kernels and by twins; tell where they differ, and in what."""
    game, limit, number = game_of(name), 12, 4
    agent = opponent_of(game, opponent, 0)
    env = GameVectorEnv(game, number, agent, seat, max_steps=limit, seed=4)
    twins = [Twin(game, int(rng), agent, seat, limit) for rng in streams(4, number)]
    chosen = np.random.default_rng(1)
    seen, infos = env.reset()
    for step in range(STEPS):
        for i, twin in enumerate(twins):
            planes = np.zeros(seen.shape[1:], np.float32)
            if rules.gives(game, "encode", "planes"):
                game.encode(twin.state, planes)
            else:
                names = [name for name in twin.state.dtype.names if not name.startswith("_gap")]
                planes[:] = np.concatenate([np.ravel(twin.state[name]) for name in names])
            if not (seen[i] == planes).all():
                return f"{step}: observation {i}"
            if np.flatnonzero(infos["action_mask"][i]).tolist() != sorted(rules.legal(game, twin.state)):
                return f"{step}: mask {i}"
            if infos["player"][i] != game.player(twin.state):
                return f"{step}: player {i}"
        illegal = chosen.random(number) < 0.05
        actions = [
            int(chosen.integers(-3, game.actions() + 3)) if odd else int(chosen.choice(np.flatnonzero(mask)))
            for odd, mask in zip(illegal, infos["action_mask"], strict=True)
        ]
        seen, *told, infos = env.step(np.array(actions))
        for i, twin in enumerate(twins):
            wanted = twin.step(actions[i])
            if (float(told[0][i]), bool(told[1][i]), bool(told[2][i])) != (float(np.float32(wanted[0])), *wanted[1:]):
                return f"{step}: outcome {i}, {[part[i] for part in told]}, {wanted}"
    return ""


SEATS = [(None, 0), ("random", 0), ("random", 1), ("random", None)]
CASES = [(name, *seat) for name in ("tictactoe", "first", "toss") for seat in SEATS]
CASES += [("connect-four", None, 0), ("kalah", None, 0), ("kalah", "random", None), ("tetris", None, 0)]
CASES += [("tictactoe", "win-block", None), ("tictactoe", "win-block-middle", 1)]  # a game that lists its wins
CASES += [("kalah", "win-block", None), ("toss", "win-block", 1), ("first", "win-block", None)]  # and games that do not


@pytest.fixture(scope="module")
def without_compiler() -> dict[str, Any]:
    return interpreted(__file__)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_twin_sees_and_gets_the_same(case: tuple, without_compiler: dict[str, Any]) -> None:
    assert without_compiler[str(case)] == ""


COMPILED = [("tictactoe", None, 0), ("toss", "random", None), ("tictactoe", "win-block-middle", None)]
COMPILED += [("first", "win-block", None)]


@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_compiled_too(case: tuple) -> None:
    assert first_difference(*case) == ""


def told_apart(name: str, limit: int) -> str:
    """Play by Gymnasium's own loop over single environments, and by ours; tell where they differ, and in what."""
    game, number = game_of(name), 3
    single = [lambda: GameEnv(game, max_steps=limit)] * number
    ours, theirs = GameVectorEnv(game, number, max_steps=limit), SyncVectorEnv(single, autoreset_mode="SameStep")
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    (seen, infos), (also, more) = ours.reset(seed=1), theirs.reset(seed=1)
    told, same = [seen], [also]
    for step in range(STEPS):
        for i, (one, other) in enumerate(zip(told, same, strict=True)):
            if not np.array_equal(one, other):
                return f"{step}: part {i}"
        if found := first_other_info(infos, more):
            return f"{step}: {found}"
        actions = ours.random_actions()
        actions[step % number] += 100 * (step % 5 == 4)  # which is not legal
        (*told, infos), (*same, more) = ours.step(actions), theirs.step(actions)
    return ""


def first_other_info(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """The name of the first information that differs where Gymnasium has it."""
    if ours.keys() != theirs.keys():
        return f"{sorted(ours)} and not {sorted(theirs)}"
    for name, value in theirs.items():
        if isinstance(value, dict):
            if found := first_other_info(ours[name], value):
                return f"{name}, {found}"
            continue
        rows = slice(None) if name.startswith("_") else theirs[f"_{name}"]
        if ours[name][rows].tolist() != np.array(value[rows].tolist()).tolist():
            return name
    return ""


@pytest.mark.parametrize("limit", [6, 100])
def test_of_games_that_have_ended_gymnasium_s_own_loop_tells_the_same(limit: int) -> None:
    assert told_apart("tictactoe", limit) == ""


def test_gymnasium_makes_lists_of_what_it_is_told() -> None:
    env = DictInfoToList(GameVectorEnv(game_of("tictactoe"), 2, max_steps=1))
    assert [sorted(info) for info in env.reset(seed=1)[1]] == [["action_mask", "player"]] * 2
    infos = env.step(np.array([0, 1]))[-1]
    assert [info["final_info"]["player"] for info in infos] == [1, 1]


def test_an_opponent_that_is_asked_moves_wherever_it_is_its_turn() -> None:
    """The same games whether the first legal action is played by an agent or, here, by hand."""
    game = games.make("tictactoe")
    against = GameVectorEnv(game, 5, opponent_of(game, lambda game, state: rules.legal(game, state)[0], 0), 1)
    _, infos = against.reset(seed=2)
    assert (infos["player"] == 1).all()
    assert infos["action_mask"].tolist() == [[0] + [1] * 8] * 5
    _, rewards, ended, _, infos = against.step(np.array([1, 3, 4, 5, 0]))
    assert rewards.tolist() == [0, 0, 0, 0, -1] and ended.tolist() == [False] * 4 + [True]
    assert infos["action_mask"].sum(axis=1).tolist() == [6, 6, 6, 6, 8]
    assert infos["_final_obs"].tolist() == ended.tolist() and infos["final_obs"][4].sum() == 1
    _, rewards, ended, _, infos = against.step(np.array([4, 8, 8, 8, 1]))
    assert rewards.tolist() == [0, -1, -1, -1, 0]  # the agent has a row on top where it could


def test_a_net_is_asked_for_all_games_at_once_and_says_what_it_says_of_each() -> None:
    game, rng = games.make("connect-four"), np.random.default_rng(1)
    agent = agents.make(f"net({str(shipped()['connect-four'])!r})")
    states = [rules.new(game) for _ in range(6)]
    for plies, state in enumerate(states):
        for _ in range(2 * plies):
            game.play(state, int(rng.choice(rules.legal(game, state))))
    wanted = [agent.think(game, state).action for state in states]
    assert agent.think_in_each(game, states) == wanted and len(set(wanted)) > 1
    assert agent.think_in_each(game, []) == []


def asked_first() -> list:
    """An agent that wins before the learner has moved lets it begin: who moves, what that brings, whether it ends."""
    game = game_of("first")
    env = GameVectorEnv(game, 3, opponent_of(game, lambda game, state: 1, 0), 1)
    _, infos = env.reset(seed=1)
    _, rewards, ended, _, _ = env.step(np.zeros(3, int))
    return [infos["player"].tolist(), rewards.tolist(), ended.tolist()]


def test_an_agent_that_wins_before_the_learner_has_moved_lets_it_begin(without_compiler: dict[str, Any]) -> None:
    assert without_compiler["asked"] == [[0, 0, 0], [1, 1, 1], [True, True, True]]


def test_threads_and_the_next_process_play_the_same_games() -> None:
    game, told = game_of("toss"), []
    for threads in (1, 3):
        env = GameVectorEnv(game, 2000, opponent_of(game, "random", 0), None, threads=threads, seed=9)
        seen, infos = env.reset()
        for _ in range(20):
            actions = env.random_actions()
            assert infos["action_mask"][np.arange(2000), actions].all()
            seen, rewards, _, _, infos = env.step(actions)
        told.append((seen, rewards))
        env.close()
    assert all((one == other).all() for one, other in zip(*told, strict=True))


def test_copies_are_kept_and_what_is_not_copied_is_written_over() -> None:
    game = games.make("tictactoe")
    for copy in (True, False):
        env = GameVectorEnv(game, 2, copy=copy)
        before, _ = env.reset(seed=1)
        env.step(np.array([0, 1]))
        assert before.any() != copy


def test_reset_begins_anew_only_where_it_is_told_to() -> None:
    env = GameVectorEnv(games.make("tictactoe"), 3)
    env.reset(seed=1)
    env.step(np.array([0, 1, 2]))
    seen, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert infos["action_mask"].sum(axis=1).tolist() == [8, 9, 8] and seen.sum() == 2


def test_the_first_reset_begins_all_games_whatever_it_is_told() -> None:
    env = GameVectorEnv(games.make("tictactoe"), 3)
    _, infos = env.reset(seed=1, options={"reset_mask": np.array([True, False, False])})
    assert infos["action_mask"].sum() == 27 and env.random_actions().max() < 9


def test_after_an_opponent_has_failed_nothing_is_played_for_it() -> None:
    game = games.make("tictactoe")
    env = GameVectorEnv(game, 2, opponent_of(game, lambda game, state: 0, 0), 0)
    env.reset(seed=1)
    with pytest.raises(InputError, match="the opponent"):
        env.step(np.array([0, 0]))
    with pytest.raises(InputError, match="again after an opponent has failed"):
        env.step(np.array([1000, 1000]))


@pytest.mark.parametrize("wrong", [{"dtype": "bool"}, {"dtype": "float16"}, {"num_envs": 0}, {"threads": -1}], ids=str)
def test_sizes_and_types_that_make_no_sense_are_told_by_gymnasium_too(wrong: dict[str, Any]) -> None:
    values: dict[str, Any] = {"num_envs": 2} | wrong
    with pytest.raises(InputError, match=r"float32 or float64|1 or more environments"):
        gymnasium.make_vec("plyground/tictactoe", **values)


def test_what_is_refused() -> None:
    env = GameVectorEnv(games.make("tictactoe"), 2)
    with pytest.raises(InputError, match="call reset"):
        env.step(np.array([0, 1]))
    with pytest.raises(InputError, match="call reset"):
        env.random_actions()
    with pytest.raises(InputError, match="a seed is 0 or more, not -1"):
        env.reset(seed=-1)
    env.reset(seed=np.int64(5))  # type: ignore[arg-type]
    for actions in ([0], [0.5, 1.0], [[0, 1]]):
        with pytest.raises(InputError, match="actions are 2 whole numbers"):
            env.step(actions)
    with pytest.raises(InputError, match="reset_mask is 2 booleans"):
        env.reset(options={"reset_mask": [True]})


if __name__ == "__main__":
    print(json.dumps({str(case): first_difference(*case) for case in CASES} | {"asked": asked_first()}))
