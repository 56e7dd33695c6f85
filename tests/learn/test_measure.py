"""What is measured is true: all positions of tic-tac-toe, samples of larger games, matches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground import agents, games, rules
from plyground.arena.statistics import Tally
from plyground.exact.odds import chances, distribution
from plyground.exact.solve import solver
from plyground.learn import measure
from plyground.nets.evaluate import together
from plyground.position import read


def test_all_positions_of_tic_tac_toe_are_known() -> None:
    game = games.make("tictactoe")
    known = measure.positions(game)
    assert known is not None and known.complete and known is measure.positions(game)
    assert len(known.states) == 4520 == len({state.tobytes() for state in known.states})
    assert (known.best.sum(axis=1) > 0).all()
    search = solver(game, rules.new(game), memory=16)
    for i in range(0, 4520, 97):
        found = search.solve(known.states[i], distances=False)
        kept = sorted(answer.action for answer in found.answers if answer.value == found.value)
        assert np.flatnonzero(known.best[i]).tolist() == kept


def test_a_perfect_player_makes_no_mistakes_and_a_contrary_one_makes_all() -> None:
    game = games.make("tictactoe")
    known = measure.positions(game)
    assert known is not None
    answers = dict(zip((state.tobytes() for state in known.states), known.best, strict=True))

    def worst(state: np.ndarray) -> int:
        actions = rules.legal(game, state)
        return next((action for action in actions if not answers[state.tobytes()][action]), actions[0])

    assert known.mistakes(measure.one_by_one(lambda state: int(answers[state.tobytes()].argmax()))) == 0
    can_err = np.mean([known.best[i].sum() < len(rules.legal(game, s)) for i, s in enumerate(known.states)])
    assert known.mistakes(measure.one_by_one(worst)) == can_err > 0.4


def test_a_sample_is_solved_and_always_the_same() -> None:
    game = games.make("tictactoe")
    assert measure.all_positions(game, most=5000) is None
    known = measure.positions(game)
    one, other = (measure.sampled(game, 30, seed=1) for _ in range(2))
    assert one is not None and other is not None and known is not None and not one.complete
    assert (one.states == other.states).all() and (one.best == other.best).all() and len(one.states) == 30
    answers = dict(zip((state.tobytes() for state in known.states), known.best, strict=True))
    assert all((answers[state.tobytes()] == best).all() for state, best in zip(one.states, one.best, strict=True))


def test_games_of_two_classes_are_not_taken_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "all_positions", type)
    one, other = games.make("mnk(4,3,3)"), games.make("connect-four(4,3,3)")
    assert one[:3] == other[:3] and measure.positions(one) is type(one) and measure.positions(other) is type(other)
    measure._solved.cache_clear()


def test_chance_leaves_no_truth_to_compare_with() -> None:
    assert measure.positions(games.make('against-random("tictactoe")')) is None


@pytest.mark.parametrize("opponent", ["random", "win-block", "win-block-middle"])
def test_matches_agree_with_the_exact_odds(opponent: str) -> None:
    game = games.make("tictactoe")
    first_free = measure.one_by_one(lambda state: rules.legal(game, state)[0])
    tallies = measure.matches(game, first_free, opponent, 300, seed=5)
    agent = agents.make(opponent)

    def fixed(game: object, state: np.ndarray) -> dict[int, float]:
        return {rules.legal(game, state)[0]: 1.0}

    for seat, tally in enumerate(tallies):
        seats = (fixed, agent) if seat == 0 else (agent, fixed)
        wins, draws, _ = (float(x) for x in chances(distribution(game, rules.new(game), *seats).total, seat))
        assert tally.games == 300
        low, high = tally.interval(z=4)
        assert low <= wins + draws / 2 <= high
    assert tallies == measure.matches(game, first_free, opponent, 300, seed=5)
    figures = measure.figures("random", tallies)
    assert figures["random_first_wins"] == tallies[0].wins / 300 and len(figures) == 8
    assert 0 < figures["random_first_wins_interval"] < 0.06  # of 300 games, whatever their results


def test_states_stand_together_as_they_were() -> None:
    game = games.make("tictactoe")
    state = rules.new(game)
    game.play(state, 3)
    assert together([rules.new(game), state])[1].tobytes() == state.tobytes()


def test_the_positions_that_came_with_the_program_are_right() -> None:
    game = games.make("connect-four")
    known = measure.shipped(game)
    assert known is not None and len(known.states) > 200 and not known.complete
    late = [i for i, state in enumerate(known.states) if state["moves"] >= 22]
    assert len(late) >= 20
    for i in late[:20]:
        found = solver(game, known.states[i], memory=16).solve(known.states[i], distances=False)
        kept = sorted(answer.action for answer in found.answers if answer.value == found.value)
        assert np.flatnonzero(known.best[i]).tolist() == kept
    assert measure.shipped(games.make("tictactoe")) is None


def test_a_match_may_be_against_a_function() -> None:
    game = games.make("tictactoe")
    first = measure.one_by_one(lambda state: rules.legal(game, state)[0])
    as_first, as_second = measure.matches(game, first, lambda states, _: first(states), 3)
    assert (as_first.wins, as_second.losses) == (3, 3)  # a3 b3 c3 a2 b2 c2 a1: the first to play always wins


def test_a_match_may_begin_with_openings_that_both_seats_play() -> None:
    """In each of them who is to move wins at once: the second player, the first, the second."""
    game = games.make("tictactoe")
    texts = ["c3 a1 b3 a2 c1", "a1 b3 a2 c3", "a1 b3 a2 c3 c1"]
    states = together([read(game, text) for text in texts])

    def move(state: Any) -> int:
        return [*rules.winning(game, state, int(game.player(state))), *rules.legal(game, state)][0]

    wins = measure.one_by_one(move)
    first, second = measure.matches(game, wins, lambda states, _: wins(states), 3, openings=states)
    assert (first, second) == (Tally(1, 0, 2), Tally(2, 0, 1))
