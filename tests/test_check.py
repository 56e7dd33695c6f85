"""The conformance check names the broken law, and a good game keeps them all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import toys
from plyground import games, rules
from plyground.check import check


def still(game, state, action):
    return state.left > action


def wins(game, state, player, out):
    if state.left > 2:
        return 0
    out[0] = state.left - 1
    return 1


def broken(**changes: Any) -> Any:
    """A good game with some rules changed, or taken away by None."""
    return toys.heap(**{"still": still, "wins": wins} | changes)


def breaches(game: Any, compiled: bool = False, games: int = 10) -> dict[str, str]:
    return {law: breach for law, breach in check(game, games=games, compiled=compiled) if breach}


def raises(game, state, out):
    raise ZeroDivisionError("division by\nzero")


def never_ends(game, state, action):
    state.turn = 1 - state.turn


def offers_nothing(game, state, out):
    return 0


def offers_twice(game, state, out):
    out[0] = 0
    out[1] = 0
    return 2


def offers_too_high(game, state, out):
    out[0] = 7
    return 1


def writes_too_much(game, state, out):
    out[5] = 1
    return 1


def third_player(game, state):
    return 2


def endless_score(game, state):
    return float("inf")


def score_of_two(game, state):
    return 2.0


def over_text(game, state):
    return "no" if state.left > 0 else ""


def meddling(game, state, out):
    state.left -= 1
    out[0] = 0
    return 1


def never_still(game, state, action):
    return False


def always_still(game, state, action):
    return True


def misses_wins(game, state, player, out):
    return 0


def same_name(game, action):
    return "take"


def long_name(game, action):
    return f"take {action}"


def misspelt_field(game, state, action):
    state.lefft -= 1


def idle_threat(game, state, player, out):
    out[0] = state.left - 1 if state.left <= 2 else 0
    return 1 if state.left <= 2 or (state.left == 4 and player != state.turn) else 0


def unanswerable_threat(game, state, player, out):
    out[0] = state.left - 1 if state.left <= 2 else 7
    return 1 if state.left <= 2 or player != state.turn else 0


def no_hope(game, state, player):
    return False


def tiny_planes(game):
    return (1, 1, 1)


def encodes_the_turn(game, state, planes):
    planes[0, 0, 0] = state.turn


def encodes_what_is_legal(game, state, planes):
    planes[0, 0, 0] = min(state.left, 2)


CASES = {
    "a rule raises": ({"legal": raises}, "legal raised ZeroDivisionError at the start: division by zero"),
    "the game never ends": ({"play": never_ends}, "a random game has not ended after 300 moves; after "),
    "the position of a game that never ends is told": ({"play": never_ends}, "it stands at left = 5, turn = 0"),
    "no move is offered": ({"legal": offers_nothing}, "legal offers nothing at the start, but the game is not over"),
    "a move is offered twice": ({"legal": offers_twice}, "legal offers 0 twice"),
    "a move is out of range": ({"legal": offers_too_high}, "actions are 0 to 1"),
    "legal writes past its array": ({"legal": writes_too_much}, "legal raised IndexError"),
    "a third player": ({"player": third_player}, "player is 0, 1 or -1, not 2"),
    "a score without bounds": ({"score": endless_score}, "score is a number from -1 to 1"),
    "a score of two": ({"score": score_of_two}, "score is a number from -1 to 1, not 2.0"),
    "an end that is a text": ({"over": over_text}, "over is True or False, not 'no'"),
    "asking changes the state": ({"legal": meddling}, "changes the state"),
    "still is too generous": ({"still": always_still}, "still says True of 1"),
    "still is too strict": ({"still": never_still}, "still says False of 0"),
    "wins are missed": ({"wins": misses_wins}, "wins lists []"),
    "a threat goes away": ({"wins": idle_threat}, "0 would win for player 0 after 0, but not after 1"),
    "a threat cannot be answered": ({"wins": unanswerable_threat}, "player 0 cannot play it"),
    "hope is given up too soon": ({"hope": no_hope}, "hope says that player"),
    "positions with other actions are encoded alike": (
        {"planes": tiny_planes, "encode": encodes_the_turn},
        "is encoded like that at the start, but other actions are legal",
    ),
    "positions with another end are encoded alike": (
        {"planes": tiny_planes, "encode": encodes_what_is_legal},
        "but 1 leads to another end",
    ),
    "names are not unique": ({"name": same_name}, "two actions have the name 'take'"),
    "names are not words": ({"name": long_name}, "not one word"),
    "a field is misspelt": ({"play": misspelt_field}, "play raised AttributeError"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_breach_is_named_in_one_line(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyground.check.played.LONGEST", 300)
    changes, says = CASES[case]
    found = " | ".join(breaches(broken(**changes)).values())
    assert says in found and "\n" not in found


def test_the_game_that_is_not_broken_keeps_every_law() -> None:
    assert breaches(broken(), compiled=True) == {}


SPECS = {
    "tictactoe": 10,
    "mnk(4,3,3)": 10,
    "gomoku(6, rule='exactly-five')": 3,
    "connect-four": 5,
    "connect-four(4,4,3)": 10,
    "line-taking(cells=12)": 10,
}


@pytest.mark.parametrize("spec", SPECS)
def test_every_game_of_the_package_keeps_every_law(spec: str) -> None:
    assert breaches(games.make(spec), True, SPECS[spec]) == {}


def test_rules_that_do_not_compile_are_a_breach() -> None:
    def over(game, state):
        return format(state.left, "d") == "x" or state.left <= 0

    found = breaches(broken(over=over), compiled=True)
    assert list(found) == ["compiled and interpreted rules agree"]
    assert found["compiled and interpreted rules agree"].startswith("does not compile: ")
    assert "\n" not in found["compiled and interpreted rules agree"]


def test_compiled_rules_that_differ_are_a_breach() -> None:
    def wraps(game, state, action):
        # interpreted, a small NumPy integer wraps around; compiled, it is widened first
        state.left -= action + 1
        state.turn = np.int8(100) + np.int8(100) > 0
        state.turn = 1 - state.turn

    with np.errstate(over="ignore"):
        assert "compiled and interpreted rules agree" in breaches(broken(play=wraps), compiled=True)


def test_a_compiled_hope_that_differs_is_a_breach() -> None:
    def wraps(game, state, player):
        return np.int8(100) + np.int8(100) > 0

    with np.errstate(over="ignore"):
        assert "compiled and interpreted rules agree" in breaches(broken(hope=wraps), compiled=True)


def test_the_hopeless_may_win_against_bad_play() -> None:
    """On 4 x 4 who moves second cannot force four in a row, and yet it wins some random games."""
    game = games.make("mnk(4,4,4)")
    assert not game.hope(rules.new(game), 1)
    assert breaches(game) == {}


def test_a_wrong_symmetry_is_a_breach() -> None:
    game = games.make("mnk(3,3,2)")
    right = game.symmetries()
    shift = (np.roll(np.arange(9), 1), np.roll(np.arange(9), 1))
    for wrong, says in [
        (right[1:], "identity"),
        ([*right, shift], "symmetry 8"),
        ([right[0], (np.zeros(9, int), right[0][1])], "permutation"),
    ]:
        cls = type(game)
        kept = cls.symmetries
        try:
            cls.symmetries = lambda game, wrong=wrong: wrong
            assert says in breaches(game)["symmetries leave the rules unchanged"]
        finally:
            cls.symmetries = kept


@pytest.mark.parametrize(
    "body, says",
    [
        ({"legal": None}, "lacks the rule legal"),
        ({"legal": None, "leagl": lambda game, state, out: 0}, "leagl is not a rule; did you mean legal?"),
        ({"play": lambda game, state: None}, "play takes (state); the rule takes (state, action)"),
    ],
)
def test_a_class_that_cannot_be_a_game_is_refused(body: dict, says: str) -> None:
    with pytest.raises(TypeError) as refused:
        broken(**body)
    assert says in str(refused.value)


def test_a_class_that_is_no_named_tuple_is_refused() -> None:
    with pytest.raises(TypeError, match="NamedTuple"):
        rules.adopt(int)
