"""The games in `examples/`: they keep the laws, and what `check` says of games written slowly."""

from __future__ import annotations

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


def sequences(game: Any, state: Any, plies: int) -> int:
    if plies == 0 or game.over(state):
        return 1
    return sum(sequences(game, rules.after(game, state, action), plies - 1) for action in rules.legal(game, state))


@pytest.mark.parametrize("name, counts", [("othello", [4, 12, 56]), ("breakthrough", [22, 484]), ("hex", [49, 2352])])
def test_moves_are_counted_right(name: str, counts: list[int]) -> None:
    """Othello's by the published perft."""
    game = games.make(str(FOLDER / f"{name}.py"))
    assert [sequences(game, rules.new(game), plies + 1) for plies in range(len(counts))] == counts


def test_a_rule_that_makes_lists_and_sets_is_told_what_to_write_instead() -> None:
    def over(game, state):
        return helper(state)[0] <= 0

    (told,) = advice(heap(over=over))
    place = f"test_examples.py:{helper.__code__.co_firstlineno + 1}, `return [state.left, *{{1, 2}}]`)"
    assert told.startswith("over makes a list and a set at every call (") and place in told
    assert "keep in the state what it finds out" in told


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
        run("bench", "peers", "--file", str(FOLDER / "hex.py"), "--peer", "hxe(board_size=7)")
    )
