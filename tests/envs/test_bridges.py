"""Games as environments of Gymnasium and PettingZoo, by the checks of those libraries and by hand."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import plyground as pg
import plyground.envs
from plyground import games

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "2048": "2048(2)",
    "breakthrough": "breakthrough(5,4)",
    "havannah": "havannah(3)",
    "hex": "hex(4)",
    "othello": "othello(4)",
    "amazons": "amazons(6)",
    "ataxx": "ataxx(4)",
    "domineering": "domineering(4,4)",
    "clobber": "clobber(3,4)",
    "draughts": "draughts(6)",
    "go": "go(4)",
    "lines-of-action": "lines-of-action(5)",
    "quoridor": "quoridor(3)",
}
GAMES = [*(SMALL.get(name, name) for name in games.registry()), *map(str, sorted(EXAMPLES.glob("*.py")))]


@pytest.fixture(autouse=True)
def calm() -> Any:
    """The checks warn of what they would rather see: bounds of observations, a second mode of drawing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("game", GAMES, ids=lambda game: Path(game).stem)
def test_every_game_passes_the_checks_of_both_libraries(game: str, capsys: pytest.CaptureFixture) -> None:
    check_env(pg.env(game, seat=None, render_mode="ansi"), skip_render_check=False)
    api_test(pg.aec_env(game), num_cycles=30)
    seed_test(lambda: pg.aec_env(game), num_cycles=20)


def test_gymnasium_makes_games_by_name_with_their_parameters() -> None:
    env = gymnasium.make("plyground/gomoku", n=7, rule="exactly-five", opponent="win-block", seat=1)
    assert env.unwrapped.game.exact
    assert env.observation_space.shape == (2, 7, 7)
    assert env.reset(seed=1)[1]["action_mask"].sum() == 48
    assert gymnasium.make("plyground/game", game="connect-four").action_space.n == 7
    many = gymnasium.make_vec("plyground/tictactoe", num_envs=4)
    assert many.reset(seed=1)[0].shape == (4, 2, 3, 3)


def test_a_learner_wins_loses_and_draws_from_its_own_view() -> None:
    """The opponent takes the first free cell."""
    for seat, actions, wanted in (
        (0, [4, 3, 5], 1.0),  # 4 0 3 1 5: the middle row
        (1, [3, 4, 5], -1.0),  # 0 3 1 4 2: the opponent has the upper row
        (0, [4, 2, 3, 7, 8], 0.0),  # 4 0 2 1 3 5 7 6 8
    ):
        env = pg.env("tictactoe", lambda game, state: pg.legal(game, state)[0], seat)
        env.reset(seed=1)
        rewards = []
        for action in actions:
            _, reward, over, truncated, info = env.step(action)
            rewards.append(reward)
            if over:
                break
        assert over and not truncated and rewards[-1] == wanted and not any(rewards[:-1]), (seat, rewards)
        assert not info["action_mask"].any()


def test_an_action_that_is_not_legal_loses_and_ends_the_game() -> None:
    env = pg.env("tictactoe")
    env.reset(seed=1)
    env.step(4)
    _, reward, over, _, _ = env.step(4)
    assert (reward, over) == (-1.0, True)
    with pytest.raises(pg.InputError, match="call reset"):
        env.step(0)


def test_one_player_gets_the_points_of_every_action() -> None:
    env = pg.env("tetris", seed=3)
    env.reset()
    total, over = 0.0, False
    while not over:
        choices = np.flatnonzero(env.action_masks())
        _, reward, over, _, _ = env.step(int(choices[0]))
        total += reward
    assert total == env.game.score(env.state)


def test_the_environment_of_the_study_goes_on_from_any_state() -> None:
    env = pg.env("tictactoe", opponent=None)
    state = pg.state("tictactoe", "a1 b2 a2 c3")
    env.reset(seed=1, options={"state": state})
    assert env.action_masks().sum() == 5
    _, reward, over, _, _ = env.step(0)  # a3
    assert (reward, over) == (1.0, True)
    env.set_to_state(state)
    assert env.action_masks().sum() == 5 and pg.legal(env.game, state) == pg.legal(env.game, env.state)


def test_a_game_that_takes_too_long_is_truncated() -> None:
    env = pg.env("tictactoe", opponent=None, max_steps=2)
    env.reset()
    assert [env.step(action)[2:4] for action in (0, 1)] == [(False, False), (False, True)]


def test_pettingzoo_pays_both_players() -> None:
    env = pg.aec_env("tictactoe")
    env.reset(seed=1)
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and all(env.terminations.values())


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda: pg.env("tictactoe", seat=2), "a seat is 0 or 1"),
        (lambda: pg.env("tetris", "uct"), "a game of one player has no opponent"),
        (lambda: pg.env("tictactoe", "dellacherie"), "no other game"),
        (lambda: pg.vector_env("tictactoe", 0), "1 or more environments"),
        (lambda: pg.vector_env("tictactoe", 4, dtype=str), "whole numbers"),
        (lambda: pg.vector_env("tictactoe", 4, seat=7), "a seat is 0 or 1"),
    ],
)
def test_what_is_refused(call: Any, told: str) -> None:
    with pytest.raises(pg.InputError, match=told):
        call()


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith(("pettingzoo", "plyground.envs.aec"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(pg.InputError, match=r'pip install "plyground\[envs\]"'):
        pg.aec_env("tictactoe")
