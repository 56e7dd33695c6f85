"""Matches: seats, openings, seeds, and who is counted as the winner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from plyground import games, rules
from plyground.agents.base import Agent
from plyground.arena import match
from plyground.arena.match import Plan, Result, draw_opening, play_match
from plyground.arena.statistics import Tally
from plyground.spec import InputError


def replayed_score(game, actions: list[int]) -> float:
    state = rules.new(game)
    for action in actions:
        assert not game.over(state) and action in rules.legal(game, state)
        game.play(state, action)
    assert game.over(state)
    return game.score(state)


def test_seats_are_balanced_and_an_odd_game_goes_to_the_first_seat() -> None:
    result = play_match(Plan("tictactoe", ("random", "random"), 7))
    assert [record.first for record in result.records] == [0, 1, 0, 1, 0, 1, 0]
    assert result.tally(0).games == 4 and result.tally(1).games == 3


def test_results_are_the_first_agents_in_either_seat() -> None:
    # on 1x1 whoever moves first wins
    result = play_match(Plan("mnk(1,1,1)", ("random", "win-block"), 10))
    assert (result.tally(0).wins, result.tally(0).losses) == (5, 0)
    assert (result.tally(1).wins, result.tally(1).losses) == (0, 5)
    assert result.tally().score == 0.5


def test_drawn_games_are_draws_in_either_seat() -> None:
    result = play_match(Plan("mnk(2,1,2)", ("random", "win-block"), 6))
    assert [record.score for record in result.records] == [0] * 6
    for seat in (0, 1):
        assert result.tally(seat).counts() == {"games": 3, "wins": 0, "draws": 3, "losses": 0}
    assert result.tally().score == 0.5


def test_the_stronger_agent_scores_more_whichever_it_is() -> None:
    strong = play_match(Plan("tictactoe", ("win-block", "random"), 200))
    weak = play_match(Plan("tictactoe", ("random", "win-block"), 200))
    assert strong.interval()[0] > 0.6 and weak.interval()[1] < 0.4


def test_the_interval_is_by_pairs() -> None:
    # on 1x1 every pair is equal, whoever plays; the last pair lacks a game
    low, high = play_match(Plan("mnk(1,1,1)", ("random", "random"), 100)).interval()
    alone = Tally(50, 0, 50).interval()
    assert alone[0] < low - 0.05 < low < 0.5 < high < high + 0.05 < alone[1]
    low, high = play_match(Plan("mnk(1,1,1)", ("random", "random"), 101)).interval()
    assert low < 51 / 101 < high


def test_recorded_moves_replay_to_the_recorded_score() -> None:
    game = games.make("connect-four")
    result = play_match(Plan("connect-four", ("random", "win-block"), 20, seed=3, opening=3))
    for record in result.records:
        assert replayed_score(game, record.actions) == record.score
        assert record.names == [game.name(action) for action in record.actions]
        assert sum(record.moves) == len(record.actions) - record.opening


def test_both_games_of_a_pair_have_the_same_opening_and_pairs_differ() -> None:
    result = play_match(Plan("gomoku(7)", ("random", "random"), 12, seed=1, opening=4))
    openings = [tuple(record.actions[:4]) for record in result.records]
    assert openings[0::2] == openings[1::2]
    assert len(set(openings)) == 6
    assert all(record.opening == 4 for record in result.records)


def test_an_opening_never_ends_the_game() -> None:
    import numpy as np

    game = games.make("tictactoe")
    for seed in range(50):
        opening = draw_opening(game, 8, np.random.default_rng(seed))
        state = rules.new(game)
        for action in opening:
            game.play(state, action)
        assert not game.over(state)


def test_a_drawn_game_is_drawn_anew_for_every_pair() -> None:
    result = play_match(Plan("line-taking(cells=12)", ("random", "random"), 8, seed=5))
    firsts = [{name[:2] for name in record.names} for record in result.records]
    assert len({frozenset(cells) for cells in firsts}) >= 4


def outcome(result: Result) -> list:
    return [(r.number, r.first, r.actions, r.score) for r in result.records]


def test_the_number_of_processes_does_not_change_a_match() -> None:
    plan = Plan("tictactoe", ("uct(sims=30)", "win-block"), 30, seed=11, opening=1)
    alone = play_match(plan, jobs=1)
    assert outcome(play_match(plan, jobs=2)) == outcome(alone)
    assert outcome(play_match(Plan(plan.game, plan.agents, 30, seed=12, opening=1))) != outcome(alone)


def test_in_every_process_agents_are_made_ready_before_their_first_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that plays a pair knows nothing of what the one that began the match has made ready."""
    done: list[tuple[str, Any]] = []
    monkeypatch.setattr(Agent, "ready", lambda agent, game: done.append((game.text(rules.new(game)), agent)))
    players = match.Players()
    plan = Plan("tictactoe", ("random", "random"), 4)
    for pair in (0, 1):
        match.play_pair(players, plan, pair)
        assert len(done) == 2 and done[0][1] is not done[1][1]
    match.play_pair(players, replace(plan, game="mnk(4,4,4)"), 0)
    assert len(done) == 4 and len({board for board, _ in done}) == 2


def test_watchers_see_every_pair() -> None:
    seen: list[int] = []
    play_match(Plan("tictactoe", ("random", "random"), 10), watch=lambda result: seen.append(len(result.records)))
    assert seen == [2, 4, 6, 8, 10]


def test_moves_are_counted_for_the_agent_not_for_the_seat() -> None:
    result = play_match(Plan("mnk(1,1,1)", ("random", "win-block"), 4))
    assert [record.moves for record in result.records] == [(1, 0), (0, 1), (1, 0), (0, 1)]
    assert all(
        (seconds > 0) == (moves > 0) for r in result.records for seconds, moves in zip(r.seconds, r.moves, strict=True)
    )


@pytest.mark.parametrize(
    "plan",
    [
        Plan("tictactoe", ("random", "random"), 0),
        Plan("tictactoe", ("random", "random"), -2),
        Plan("tictactoe", ("random", "random"), 2, opening=-1),
        Plan("tictactoe", ("human", "random"), 2),
        Plan("tictactoe", ("nobody", "random"), 2),
        Plan("line-taking", ('uct(rollout="win-block")', "random"), 2),
    ],
)
def test_a_match_that_makes_no_sense_is_refused(plan: Plan) -> None:
    with pytest.raises(InputError):
        play_match(plan)


@pytest.mark.parametrize("opponent", ["random", "win-block", "win-block-middle", "uct(sims=1000)"])
def test_uct_with_1000_simulations_does_not_lose_at_tictactoe(opponent: str) -> None:
    # 2,000 games each are played by hand; here enough to notice a search that has gone wrong
    result = play_match(Plan("tictactoe", ("uct(sims=1000)", opponent), 100, seed=1))
    assert result.tally().losses == 0
    if opponent.startswith("uct"):
        assert result.tally().wins == 0


def test_an_interrupted_match_keeps_the_games_that_have_ended() -> None:
    def tired(result: Result) -> None:
        if len(result.records) == 4:
            raise KeyboardInterrupt

    for jobs in (1, 2):
        result = play_match(Plan("tictactoe", ("random", "random"), 100), jobs, tired)
        assert len(result.records) == 4


def test_every_match_makes_its_agents_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they are made of, a scoring's file for one, may have changed since the last match."""
    made: list[str] = []
    usual = match.agents.make
    monkeypatch.setattr(match.agents, "make", lambda text, **more: made.append(text) or usual(text, **more))
    for often in (1, 2):
        play_match(Plan("tictactoe", ("random", "win-block"), 4))
        assert made == ["random", "win-block"] * often
