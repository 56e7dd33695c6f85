"""Solving: published values, agreement with plain minimax, what is known after an interruption."""

from __future__ import annotations

import numpy as np
import pytest

import toys
from plyground import games, position, rules
from plyground.exact.solve import STOPPED, TIME_UP, TOO_LONG, Answer, SearchSolver, Solution, megabytes, solver
from plyground.games.line_taking import solver as line_solver
from plyground.games.line_taking.solver import LineSolver
from plyground.report.solution import SolutionReport, in_words
from plyground.search.budget import Budget
from plyground.spec import InputError


def minimax(game, state, memo):
    """Score for player 0 and plies to the end, both sides best: wins soon and loses late."""
    if game.over(state):
        return game.score(state), 0
    key = state.tobytes()
    if key not in memo:
        sign = 1 - 2 * game.player(state)
        found = []
        for action in rules.legal(game, state):
            score, plies = minimax(game, rules.after(game, state, action), memo)
            found.append((sign * score, -sign * score * (plies + 1), score, plies + 1))
        memo[key] = max(found)[2:]
    return memo[key]


def random_positions(game, count, seed, fewest):
    """Positions of random games after at least so many moves that are not over."""
    rng = np.random.default_rng(seed)
    while count:
        state = rules.new(game)
        for _ in range(rng.integers(fewest, game.left(state) + 1)):
            if game.over(state):
                break
            game.play(state, int(rng.choice(rules.legal(game, state))))
        if not game.over(state):
            count -= 1
            yield state


@pytest.mark.parametrize(
    ("spec", "count", "fewest"),
    [("tictactoe", 200, 0), ("mnk(4,3,3)", 40, 5), ("mnk(4,4,4)", 40, 9), ("connect-four(4,4)", 40, 9)],
)
def test_values_and_distances_are_those_of_minimax(spec, count, fewest):
    game = games.make(spec)
    work, memo = SearchSolver(game, memory=8), {}
    for state in random_positions(game, count, 1, fewest):
        found = work.solve(state)
        sign = 1 - 2 * game.player(state)
        assert found.complete
        for answer in found.answers:
            score, plies = minimax(game, rules.after(game, state, answer.action), memo)
            assert answer.value == sign * score, (game.text(state), game.name(answer.action))
            assert (answer.plies == plies + 1 and answer.shortest) if score else answer.plies is None
        best = max(answer.value for answer in found.answers)
        assert found.value == best == found.answers[0].value
        if best > 0:
            assert found.answers[0].plies == min(a.plies for a in found.answers if a.value > 0)
        if best < 0:
            assert found.answers[0].plies == max(a.plies for a in found.answers)


@pytest.mark.parametrize(
    ("spec", "value", "plies"),
    [
        ("mnk(3,3,3)", 0, None),
        ("mnk(4,3,3)", 1, 7),
        ("mnk(4,4,4)", 0, None),
        ("mnk(5,5,4)", 0, None),
        ("mnk(6,5,4)", 1, 11),
        ("mnk(5,5,5)", 0, None),
        ("connect-four(4,4)", 0, None),
        ("connect-four(6,4)", -1, None),
    ],
)
def test_published_values(spec, value, plies):
    game = games.make(spec)
    found = SearchSolver(game, memory=128).solve(rules.new(game), distances=plies is not None)
    assert found.value == value
    if plies:
        assert (found.answers[0].plies, found.answers[0].shortest) == (plies, True)


def test_the_standard_board_is_solved_from_a_position_in_mid_game():
    game = games.make("connect-four")
    state = position.read(game, "d d d d d c d b b b b b b e e e")
    found = SearchSolver(game, memory=64).solve(state)
    assert found.complete
    for answer in found.answers:  # each move's value again, from the other side
        then = rules.after(game, state, answer.action)
        if not game.over(then):
            assert SearchSolver(game, memory=64).solve(then, distances=False).value == -answer.value


@pytest.mark.parametrize("spec", ["tictactoe", "mnk(4,3,3)", "connect-four(4,4)"])
def test_the_line_keeps_the_value_to_the_end(spec):
    game = games.make(spec)
    work = SearchSolver(game, memory=8)
    found = work.solve(rules.new(game))
    state = rules.new(game)
    for action in work.find_line():
        game.play(state, action)
    assert game.over(state) and game.score(state) == found.value
    assert found.answers[0].plies in (None, len(found.line))


def test_stopped_at_once_it_knows_only_bounds():
    game = games.make("connect-four(8,6)")
    found = solver(game, rules.new(game)).solve(rules.new(game), Budget(seconds=0.2))
    assert found.value is None and not found.complete and found.why == TIME_UP
    assert all(-1 <= a.low <= a.high <= 1 for a in found.answers) and found.seconds < 5


def test_an_interruption_leaves_what_is_known():
    game = games.make("connect-four(8,6)")
    work = solver(game, rules.new(game))

    def interrupt():
        if work.solution.nodes > 10_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.solve(rules.new(game), Budget(watch=interrupt))
    assert work.solution.nodes > 10_000 and work.solution.value is None and work.solution.why == STOPPED


def test_a_game_too_long_to_be_looked_through_says_so():
    game = toys.load("Corridor")(5000)
    found = SearchSolver(game, memory=1).solve(rules.new(game), Budget(seconds=60))
    assert found.value is None and found.why == TOO_LONG
    state = rules.new(game)
    state.steps = 4990
    found = SearchSolver(game, memory=1).solve(state)
    assert found.value == -1 and found.why == ""


def test_memory_that_cannot_be_had_is_told_in_one_line(monkeypatch):
    with pytest.raises(InputError, match="give less memory"):
        SearchSolver(games.make("tictactoe"), memory=10**9)

    def refuse(game, state):
        raise MemoryError

    monkeypatch.setattr(line_solver, "LineTable", refuse)
    game = games.make("line-taking(cells=33, seed=4)")
    with pytest.raises(InputError, match="takes 1,024 megabytes"):
        solver(game, rules.new(game)).solve(rules.new(game))


def test_one_legal_move_and_a_full_board_to_come():
    game = games.make("tictactoe")
    found = SearchSolver(game, memory=1).solve(game.read("XOX/XOO/OX. X"))
    assert [(game.name(a.action), a.value) for a in found.answers] == [("c1", 0)]


def test_the_second_player_sees_its_own_side():
    game = games.make("tictactoe")
    found = SearchSolver(game, memory=1).solve(game.read("XX./OO./X.. O"))
    assert found.value == 1 and game.name(found.answers[0].action) == "c2"
    assert all(a.value < 1 for a in found.answers[1:]) and min(a.value for a in found.answers) == -1


def test_line_taking_is_solved_by_its_table():
    game = games.make("line-taking(cells=12, seed=4)")
    state = rules.new(game)
    for action in (0, 1, 2):
        game.play(state, rules.legal(game, state)[action])
    table, search = solver(game, state), SearchSolver(game, memory=16)
    assert isinstance(table, LineSolver)
    by_table = {a.action: a.value for a in table.solve(state).answers}
    assert by_table == {a.action: a.value for a in search.solve(state, distances=False).answers}
    line = table.find_line()
    for action in line:
        game.play(state, action)
    assert game.over(state)


def test_a_table_that_is_stopped_tells_how_far_it_is_and_goes_on():
    game = games.make("line-taking(cells=27, seed=4)")
    state = rules.new(game)
    work = solver(game, state)
    found = work.solve(state, Budget(stop=lambda: work.table.share > 0.3))
    assert found.value is None and found.why == STOPPED and 0.3 * 2**27 < found.nodes < 2**27
    assert work.solve(state).complete and work.solution.nodes == 2**27


def test_a_solver_is_compiled_before_its_time_begins(monkeypatch):
    prepared = []
    monkeypatch.setattr(LineSolver, "prepare", lambda self: prepared.append(self))
    game = games.make("line-taking(cells=12, seed=4)")
    assert megabytes(game, rules.new(game)) < 1 and not prepared, "only asked for its size"
    made = solver(game, rules.new(game))
    assert prepared == [made]


def mean(game, state):
    """Expected score for player 0 when both sides do their best."""
    if game.over(state):
        return game.score(state)
    if game.player(state) == rules.CHANCE:
        return sum(p * mean(game, rules.after(game, state, a)) for a, p in rules.outcomes(game, state))
    sign = 1 - 2 * game.player(state)
    return sign * max(sign * mean(game, rules.after(game, state, a)) for a in rules.legal(game, state))


def test_a_game_of_chance_is_worth_the_mean_of_its_outcomes():
    game = toys.make("dice")
    state = rules.new(game)
    while game.player(state) == rules.CHANCE:
        game.play(state, rules.outcomes(game, state)[0][0])
    found = SearchSolver(game, memory=1).solve(state)
    sign = 1 - 2 * game.player(state)
    for answer in found.answers:
        assert answer.value == pytest.approx(sign * mean(game, rules.after(game, state, answer.action)), abs=1e-3)


def test_a_mean_of_nothing_is_not_called_a_draw():
    even = Answer(0, 0.0, 0.0)
    assert in_words(even, None, False) == "drawn"
    assert in_words(even, None, False, chance=True) == "worth 0"
    game = toys.make("dice")
    state = rules.new(game)
    while game.player(state) == rules.CHANCE:
        game.play(state, rules.outcomes(game, state)[0][0])
    report = SolutionReport(game, state, Solution([even]))
    assert "worth 0 for the" in str(report) and "drawn" not in str(report)
