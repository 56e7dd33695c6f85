"""Levels of gomoku-master: stronger ones win, weak ones overlook what people overlook, the same seed plays the same."""

from __future__ import annotations

import numpy as np
import pytest

from plyground import agents, games, position, rules
from plyground.agents.alphazero import AlphaZero
from plyground.agents.gomoku_master import GomokuMaster
from plyground.agents.levels import FULL, LEVELS, NAMES
from plyground.arena.match import Plan, play_match
from plyground.spec import InputError, parameters

pytest.importorskip("onnxruntime")
GAME = games.make("gomoku(9)")

OPEN_THREE = "d5 a1 e5 a9 f5"  # O has to stop it on b5, c5, g5 or h5
FOUR = "c5 b5 d5 a1 e5 a9 f5"  # X wins on g5
QUIET = "e5 f6 f4 e6"


def answers(level: int, moves: str, seeds: int) -> list[str]:
    """What a level plays in a position, by many seeds."""
    agent, state, found = agents.make(f"gomoku-master(level={level})"), position.read(GAME, moves), []
    for seed in range(seeds):
        agent.begin(seed)
        found.append(GAME.name(agent.think(GAME, state).action))
    return found


def score(first: str, second: str, count: int) -> float:
    return play_match(Plan("gomoku(9)", (first, second), count, 1)).tally().score


def test_a_beginner_beats_random_moves() -> None:
    assert score("gomoku-master(level=1)", "random", 8) == 1


def test_a_middle_level_beats_win_block_and_a_beginner() -> None:
    assert score("gomoku-master(level=4)", "win-block", 4) == 1
    assert score("gomoku-master(level=4)", "gomoku-master(level=1)", 8) >= 0.75


def test_an_open_three_is_overlooked_often_by_beginners_and_never_by_experts() -> None:
    stops = {"b5", "c5", "g5", "h5"}
    seen = [sum(name in stops for name in answers(level, OPEN_THREE, 60)) for level in (1, 4)]
    assert 60 * 0.1 < seen[0] < 60 * 0.5 < 60 * 0.65 < seen[1] < 60
    assert set(answers(7, OPEN_THREE, 3)) <= stops


@pytest.mark.parametrize("moves", [FOUR, f"{FOUR} i1"], ids=["of the other", "its own"])
def test_a_four_is_hardly_ever_overlooked(moves: str) -> None:
    seen = [sum(name == "g5" for name in answers(level, moves, 60)) for level in (1, 4)]
    assert 60 * 0.8 < seen[0] < 60 and seen[1] == 60


def test_other_moves_are_those_that_look_best_to_the_net() -> None:
    sight = AlphaZero().first_sight(GAME, position.read(GAME, QUIET))
    assert sum(move.prior for move in sight.moves) == pytest.approx(1) and sight.moves[0].prior > 0.1
    best = [GAME.name(move.action) for move in sight.moves]
    for number in (1, 3):
        found = answers(number, QUIET, 40)
        assert set(found) <= set(best[: LEVELS[number - 1].choices]) and len(set(found)) > 3
    often = [np.mean([name == best[0] for name in answers(number, QUIET, 40)]) for number in (1, 4)]
    assert often[0] < often[1]


def test_a_level_searches_as_much_as_it_says() -> None:
    state = position.read(GAME, QUIET)
    for number in (1, 6):
        thought = agents.make(f"gomoku-master(60, {number})").think(GAME, state)
        assert thought.simulations == max(1, LEVELS[number - 1].simulations)


@pytest.mark.parametrize("level", [1, 5])
def test_a_seed_decides_a_whole_game(level: int) -> None:
    def game(seed: int) -> list[int]:
        agent, state, actions = agents.make(f"gomoku-master(60, {level})", seed), rules.new(GAME), []
        while not GAME.over(state) and len(actions) < 16:
            thought = agent.think(GAME, state)
            assert thought.action == thought.moves[0].action == thought.line[0]
            actions.append(thought.action)
            GAME.play(state, thought.action)
        return actions

    assert game(4) == game(4) != game(5)


@pytest.mark.parametrize("agent", ["threats", "gomoku-master(9)", "gomoku-master(9, 7)"])
def test_a_win_by_threats_comes_with_its_line(agent: str) -> None:
    state, winner = position.read(GAME, "e5 a1 f6 a9 c6 i9"), agents.make(agent)
    thought = winner.think(GAME, state)
    assert thought.value == 1 and thought.moves[0].proven and len(thought.line) > 3
    for action in thought.line:
        assert action in rules.legal(GAME, state)
        GAME.play(state, action)
    assert GAME.over(state) and GAME.score(state) == 1


def test_every_level_has_a_name_and_others_are_refused() -> None:
    (level,) = [option for option in parameters(GomokuMaster) if option.name == "level"]
    assert (level.about.low, level.about.high, level.default) == (1, len(NAMES), FULL) and level.about.names == NAMES
    assert len(set(NAMES)) == len(LEVELS) + 1 == FULL
    with pytest.raises(InputError, match="1 to 8"):
        agents.make("gomoku-master(level=9)")
