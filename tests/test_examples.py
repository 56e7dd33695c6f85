"""The games in `examples/`: they keep the laws, and what `check` says of games written slowly."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from commands import refusal, run
from plyground import games, rules
from plyground.check import check
from plyground.check.advice import advice
from toys import heap


def helper(state):
    return [state.left, *{1, 2}]


FOLDER = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.name)
def test_every_example_keeps_every_law_and_needs_no_advice(file: Path) -> None:
    game = games.make(str(file))
    assert [breach for _, breach in check(game, games=3, compiled=False) if breach] == []
    assert list(advice(game, 2)) == []


def test_the_hounds_enclose_the_fox() -> None:
    """As is known of them, whoever begins; here by a search over all positions, which may come again."""
    game = games.make(f"{FOLDER / 'fox_and_hounds.py'}:FoxAndHounds(4)")
    todo, states = [rules.new(game)], dict[bytes, Any]()
    while todo:
        state = todo.pop()
        if state.tobytes() not in states:
            states[state.tobytes()] = state
            todo += [
                rules.after(game, state, action) for action in ([] if game.over(state) else rules.legal(game, state))
            ]
    won, before = {key for key, state in states.items() if game.over(state) and game.score(state) == 1}, -1
    while len(won) > before:
        before = len(won)
        for key, state in states.items():
            if key not in won and not game.over(state):
                then = [rules.after(game, state, action).tobytes() in won for action in rules.legal(game, state)]
                if any(then) if game.player(state) == 0 else all(then):
                    won.add(key)
    assert rules.new(game).tobytes() in won and len(won) < len(states)


def test_the_race_is_worth_what_every_way_it_can_go_adds_up_to() -> None:
    @cache
    def worth(mine: int, other: int) -> Fraction:
        """For who moves, with so far to go for each."""

        def then(steps: int) -> Fraction:
            return Fraction(1) if steps >= mine else -worth(other, mine - steps)

        step = sum(map(then, range(1, 7)), Fraction(0)) / 6
        return max(step, (then(1) + then(8)) / 2)

    game, known = games.make(f"{FOLDER / 'dice_race.py'}:DiceRace(9)"), dict[bytes, float]()

    def value(state: Any) -> float:
        """For the first player, by the rules."""
        key = state.tobytes()
        if key not in known:
            if game.over(state):
                known[key] = game.score(state)
            elif game.player(state) == rules.CHANCE:
                found = rules.outcomes(game, state)
                known[key] = sum(weight * value(rules.after(game, state, action)) for action, weight in found)
            else:
                best = min if game.player(state) else max
                known[key] = best(value(rules.after(game, state, action)) for action in rules.legal(game, state))
        return known[key]

    assert value(rules.new(game)) == pytest.approx(float(worth(9, 9))) and 0 < worth(9, 9) < 1


def test_a_rule_that_makes_lists_and_sets_is_told_what_to_write_instead() -> None:
    def over(game, state):
        return helper(state)[0] <= 0

    (told,) = advice(heap(over=over))
    place = f"test_examples.py:{helper.__code__.co_firstlineno + 1}, `return [state.left, *{{1, 2}}]`)"
    assert told.startswith("over makes a list and a set at every call (") and place in told
    assert "keep in the state what it finds out" in told


def test_a_board_that_the_page_cannot_draw_is_told_with_what_it_lacks() -> None:
    def board(game):
        return {"shape": "cells", "rows": 1, "cols": 5}

    def cells(game, state):
        return [1] * state.left + [0] * (5 - state.left)

    (told,) = advice(heap(board=board, cells=cells))
    assert told.startswith("the page draws no board by `board` and `cells` alone: give `where`, the cells that")
    (told,) = advice(heap(board=board))
    assert told.endswith(
        "give `cells`, what lies on each cell, and `where`, the cells that an action concerns, for people to click"
    )
    assert list(advice(heap(board=board, cells=cells, where=lambda game, state, action: [action]))) == []


def test_still_is_advised_where_no_action_comes_back() -> None:
    assert list(advice(games.make("tictactoe"))) == []

    def legal(game, state, out):
        for action in range(state.left):
            out[action] = action
        return state.left

    def play(game, state, action):
        state.left -= 1
        state.turn = 1 - state.turn

    (told,) = advice(heap(legal=legal, play=play, actions=lambda game: 5))
    assert "give `still`" in told


@pytest.mark.parametrize(
    "words, says",
    [
        (["peers", "--file", "hex.py"], "--file and --peer go together"),
        (["rollouts", "--file", "hex.py", "--peer", "hex"], "--file and --peer go together"),
    ],
)
def test_a_benchmark_of_ones_own_game_says_what_it_needs(words: list[str], says: str) -> None:
    assert says in refusal(run("bench", *words))


def test_a_game_that_openspiel_does_not_have_is_refused() -> None:
    pytest.importorskip("pyspiel")
    assert "did you mean hex?" in refusal(
        run("bench", "peers", "--file", str(FOLDER / "y.py"), "--peer", "hxe(board_size=7)")
    )
