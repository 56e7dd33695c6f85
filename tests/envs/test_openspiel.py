"""Games as games of OpenSpiel: its own tests and algorithms run on our rules, and say what they say of its games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, mcts, minimax

import plyground as pg

EXAMPLES = Path(__file__).parents[2] / "examples"
SAME = [
    ("tictactoe", "tic_tac_toe"),
    ("connect-four", "connect_four"),
    ("mnk(4,3,3)", "mnk(m=4,n=3,k=3)"),
    ("gomoku(6)", "gomoku(size=6)"),
    ("othello", "othello"),
    ("hex(5)", "hex(board_size=5)"),
    (f"{EXAMPLES / 'y.py'}(5)", "y(board_size=5)"),
]
ENCODED = SAME[:4]


@pytest.mark.parametrize(
    "game",
    [
        "tictactoe",
        "connect-four",
        "line-taking",
        "tetris",
        "kalah",
        str(EXAMPLES / "dice_race.py"),
    ],
    ids=lambda game: Path(game).stem,
)
def test_openspiel_finds_nothing_wrong_with_a_game(game: str) -> None:
    pyspiel.random_sim_test(pg.openspiel(game), num_sims=1, serialize=True, verbose=False)


def same(ours: str, theirs: str) -> Any:
    return pytest.param(ours, theirs, id=theirs.partition("(")[0])


def stones(theirs: Any, player: int) -> np.ndarray:
    """The stones of a player, as OpenSpiel lets one observe them: its planes are free cells, the second player's stones
    and the first's, or the stones of both players and then the free cells, in rows from the bottom."""
    name = theirs.get_game().get_type().short_name
    seen = np.array(theirs.observation_tensor(0)).reshape(3, -1)
    if name in ("tic_tac_toe", "mnk"):
        return seen[2 - player]
    return seen[player].reshape(6, 7)[::-1].ravel() if name == "connect_four" else seen[player]


@pytest.mark.parametrize("ours, theirs", [same(*pair) for pair in SAME])
def test_the_same_game_goes_the_same_way(ours: str, theirs: str) -> None:
    rng = np.random.default_rng(1)
    one, other = pg.openspiel(ours).new_initial_state(), pyspiel.load_game(theirs).new_initial_state()
    while not other.is_terminal():
        assert not one.is_terminal() and one.current_player() == other.current_player()
        assert one.legal_actions() == other.legal_actions() and one.returns() == other.returns()
        action = int(rng.choice(other.legal_actions()))
        one.apply_action(action)
        other.apply_action(action)
    assert one.is_terminal() and one.returns() == other.returns()


@pytest.mark.parametrize("ours, theirs", [same(*pair) for pair in SAME])
def test_environments_reward_and_observe_as_openspiel_does(ours: str, theirs: str) -> None:
    """Some games of random moves: a reward is the mover's return, and what is seen are the mover's stones first."""
    rng, env, ended = np.random.default_rng(2), pg.env(ours, None), set()
    for seed in range(3 if "othello" in theirs else 8):
        seen, info = env.reset(seed=seed)
        other = pyspiel.load_game(theirs).new_initial_state()
        over = False
        while not over:
            mover = other.current_player()
            assert info["player"] == mover and np.flatnonzero(info["action_mask"]).tolist() == other.legal_actions()
            if (ours, theirs) in ENCODED:
                both = np.stack([stones(other, mover), stones(other, 1 - mover)])
                assert (seen.reshape(2, -1) == both).all()
            action = int(rng.choice(other.legal_actions()))
            seen, reward, over, _, info = env.step(action)
            other.apply_action(action)
            assert over == other.is_terminal() and reward == other.returns()[mover]
        ended.add((mover, reward))
    assert len(ended) > 1


def test_values_and_exploitability_are_those_of_its_own_games() -> None:
    def told(game: Any) -> list[float]:
        value, _ = minimax.alpha_beta_search(game)
        return [value, exploitability.exploitability(game, policy.UniformRandomPolicy(game))]

    assert told(pg.openspiel("mnk(4,1,2)")) == pytest.approx(told(pyspiel.load_game("mnk(m=4,n=1,k=2)")))
    assert told(pg.openspiel("mnk(4,1,2)"))[1] > 0


def test_its_tree_search_takes_a_win() -> None:
    game = pg.openspiel("tictactoe")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    random = np.random.RandomState(1)
    assert mcts.MCTSBot(game, 1.4, 50, mcts.RandomRolloutEvaluator(1, random), random_state=random).step(state) == 2


def test_it_is_known_by_its_name_and_sees_what_the_player_to_move_sees() -> None:
    game = pg.openspiel("connect-four")
    assert str(pyspiel.load_game(game.get_type().short_name)) == str(game)
    state = game.new_initial_state()
    state.apply_action(3)
    seen = np.reshape(state.observation_tensor(1), (2, 6, 7))
    assert seen[1, 5, 3] == 1 and seen.sum() == 1
    assert "d" in state.action_to_string(1, 3)
