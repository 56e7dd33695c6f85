"""Levels of gomoku-master: stronger ones win, weak ones overlook what people overlook, the same seed plays the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from plyground import agents, games, position, rules
from plyground.agents.alphazero import AlphaZero
from plyground.agents.base import Limit, Move, Thought
from plyground.arena.match import Plan, play_match
from plyground.games.k_in_row import master
from plyground.games.k_in_row.levels import FULL, LEVELS, NAMES
from plyground.games.k_in_row.master import GomokuMaster
from plyground.games.k_in_row.tactics.tactician import Win
from plyground.search.budget import Budget
from plyground.spec import InputError, parameters

pytest.importorskip("onnxruntime")
GAME = games.make("gomoku(9)")

OPEN_THREE = "d5 a1 e5 a9 f5"  # O has to stop it on b5, c5, g5 or h5
FOUR = "c5 b5 d5 a1 e5 a9 f5"  # X wins on g5
QUIET = "e5 f6 f4 e6"
THREE_TWOS = "e5 a1 f6 a9 c6 i9"  # X wins by threats


@cache
def answers(level: int, moves: str, seeds: int) -> tuple[str, ...]:
    """What a level plays in a position, by many seeds."""
    agent, state, found = agents.make(f"gomoku-master(level={level})"), position.read(GAME, moves), []
    for seed in range(seeds):
        agent.begin(seed)
        found.append(GAME.name(agent.think(GAME, state).action))
    return tuple(found)


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


def test_a_new_game_knows_nothing_of_those_before() -> None:
    agent = agents.make("gomoku-master(60, 7)", 7)
    state = GAME.read("........./...X...../.O.XX..../.OO....../........./........./........./........./......... X")
    first = replace(agent.think(GAME, state), seconds=0)
    agent.begin(7)
    assert replace(agent.think(GAME, state), seconds=0) == first


# --- full strength ------------------------------------------------------------------------------------


def refuting(monkeypatch: pytest.MonkeyPatch, found: list[bool], look: Callable[[], Any] = lambda: None) -> None:
    """Let looks for a win by threats find one or none, in this order."""
    told = iter(found)

    def find_win(*given: Any) -> Win | None:
        look()
        return Win(0, 0, [0]) if next(told) else None

    monkeypatch.setattr(master, "find_win", find_win)


@pytest.mark.parametrize(
    ("clock", "found", "wanted"),
    [([0, 9], [True], 11), ([0, 0, 0, 0], [True, True, True], 10), ([0, 0, 0], [True, False], 11), ([9], [], 10)],
    ids=["the time is over", "all are refuted", "one is not", "no time at all"],
)
def test_the_guard_plays_what_it_has_not_refuted(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], found: list[bool], wanted: int
) -> None:
    agent, state = agents.make("gomoku-master(1)"), position.read(GAME, QUIET)
    tactician = agent.tactician(GAME, state)
    refuting(monkeypatch, found, lambda: clock.pop(0))
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    thought = Thought(10, moves=[Move(10, 5, 0.0), Move(11, 4, 0.0), Move(12, 3, 0.0), Move(13, 0, 0.0)])
    assert agent._safe(GAME, state, thought, tactician, Budget(seconds=1.0, begun=0.0)) == wanted
    assert len(clock) == 1


def test_the_guard_prefers_what_was_not_tried_to_what_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, state = agents.make("gomoku-master(1)"), position.read(GAME, QUIET)
    refuting(monkeypatch, [False])
    thought = Thought(13, moves=[Move(13, 0, 0.0), Move(10, 5, -1.0, True)])
    assert agent._safe(GAME, state, thought, agent.tactician(GAME, state), Budget()) == 13


def test_the_tree_is_kept_after_the_move_that_the_guard_has_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, state = agents.make("gomoku-master(60)"), position.read(GAME, "e5")
    refuting(monkeypatch, [False, True, False, False, False])  # an attack; the best move, the next; and so on
    thought = agent.think(GAME, state, Limit(simulations=200))
    best = max(thought.moves, key=lambda move: move.visits)
    reply = max(agent.children([thought.action]), key=lambda move: move.visits)
    assert thought.action != best.action and reply.visits > 2
    state = rules.after(GAME, rules.after(GAME, state, thought.action), reply.action)
    again = agent.think(GAME, state, Limit(simulations=1))
    assert again.simulations == 1 and sum(move.visits for move in again.moves) >= reply.visits


def test_after_a_win_by_threats_nothing_is_told_of_another_position() -> None:
    agent = agents.make("gomoku-master(60)")
    agent.think(GAME, position.read(GAME, QUIET), Limit(simulations=30))
    assert agent.children([])
    won = agent.think(GAME, position.read(GAME, THREE_TWOS))
    assert won.value == 1 and agent.children([]) == [] and agent.line(won.action) == won.line
    assert agent.line(won.action + 1) == [won.action + 1]


@pytest.mark.parametrize("agent", ["threats", "gomoku-master(9)", "gomoku-master(9, 7)"])
def test_a_win_by_threats_comes_with_its_line(agent: str) -> None:
    state, winner = position.read(GAME, THREE_TWOS), agents.make(agent)
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


@pytest.mark.parametrize(
    ("spec", "game", "net", "threats", "least", "temperature"),
    [
        ("gomoku-master", "gomoku(15)", "gomoku-15-patterns", 0, 0.001, 1.3),
        ("gomoku-master", "gomoku(20)", "gomoku-15-patterns", 0, 0.001, 1.3),
        ("gomoku-master", "gomoku(9)", "gomoku-9", 2, 0, 1),
        ('gomoku-master(net="gomoku-15")', "gomoku(15)", "gomoku-15", 2, 0, 1),
        ("gomoku-master(threats=1, policy_temperature=2)", "gomoku(15)", "gomoku-15-patterns", 1, 0.001, 2),
    ],
)
def test_a_net_that_kernels_run_is_taken_where_there_is_one(spec, game, net, threats, least, temperature):
    agent = agents.make(spec)
    assert isinstance(agent, GomokuMaster)
    agent._choose_net(games.make(game))
    found = agent._search
    assert (found.net, found.threats, found.least) == (net, threats, least)
    assert found.policy_temperature == temperature
