"""The conformance check names the broken law, and a good game keeps them all."""

from __future__ import annotations

import inspect
import os
import random
import re
import warnings
from typing import Any

import numpy as np
import pytest

import toys
from plyground import games, rules
from plyground.check import check
from plyground.check.advice import advice
from plyground.jit.user_classes import name_of

THIS = os.path.relpath(__file__)


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


def differs(game: Any) -> str:
    """How compiled and interpreted rules of a game differ."""
    return breaches(game, compiled=True)["compiled and interpreted rules agree"]


def raises(game, state, out):
    raise ZeroDivisionError("division by\nzero")


def never_won(game, state):
    return 0.0


def always_decisive(game):
    return True


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
    "a draw where there is none": (
        {"score": never_won, "decisive": always_decisive},
        "decisive says that no game is drawn, but the score is 0",
    ),
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


def board(game):
    return {"shape": "cells", "rows": 1, "cols": game.size}


def cells(game, state):
    return [3] * (game.size - max(state.left, 0)) + [0] * max(state.left, 0)


def glyphs(game, state):
    return [str(cell) * bool(cell) for cell in game.cells(state)]


def caption(game, state):
    return f"{state.left} left"


def where(game, state, action):
    return [game.size - state.left]


def row(game, state):
    return [game.size - 1]


def planes(game):
    return (2, 1, game.size)


def encode(game, state, planes):
    for cell in range(max(state.left, 0)):
        planes[0, 0, cell] = 1


def symmetries(game):
    return [(np.arange(2), np.arange(game.size))]


def middle(game):
    return [0]


def left(game, state):
    return max(int(state.left), 0)


def read(game, diagram):
    state = rules.blank(game)
    state.left, state.turn = diagram.count("."), diagram.endswith("O")
    return state


DRAWN = {
    rule.__name__: rule
    for rule in (board, cells, glyphs, caption, where, row, planes, encode, symmetries, middle, left, read)
}


def test_a_game_with_all_that_is_drawn_keeps_every_law() -> None:
    assert breaches(broken(**DRAWN)) == {}


WRONG_ANSWERS = {  # rule: what it returns instead, and what is said of it
    "legal": [
        ([0, 1], "legal returns how many actions it wrote into `out`, 0 to 2, not [0, 1] at the start"),
        (None, "legal returns how many actions it wrote into `out`, 0 to 2, not None at the start"),
        (3, "0 to 2, not 3"),
    ],
    "play": [((1, 2), "play returns nothing: it changes the state that it is given, not (1, 2) at the start")],
    "player": [(None, "player is 0, 1 or -1, not None at the start")],
    "score": [(None, "score is a number from -1 to 1, not None after")],
    "over": [(None, "over is True or False, not None at the start")],
    "still": [(None, "still is True or False, not None at the start")],
    "hope": [("no", "hope is True or False, not 'no' at the start")],
    "wins": [([0], "wins returns how many actions it wrote into `out`, 0 to 2, not [0] at the start")],
    "fields": [([("left", "nonsense")], "fields returns a list of fields like")],
    "board": [
        ((1, 5), 'board returns a dict like {"shape": "cells", "rows": 3, "cols": 3}, not (1, 5)'),
        ({"shape": "cells", "rows": 1}, 'board returns a dict like {"shape": "cells", "rows": 3, "cols": 3}, not'),
        ({"shape": "round", "rows": 1, "cols": 5}, "the shape of a board is one of cells, intersections, hexagons"),
        ({"shape": "cells", "rows": 1.0, "cols": 5}, "the rows of a board are a whole number from 1 on, not 1.0"),
    ],
    "cells": [
        (None, "cells returns a list of 5 numbers, one for each cell, not None at the start"),
        ([[0, 0, 0, 0, 0]], "one for each cell, which are whole numbers, not [[0, 0, 0, 0, 0]] at the start"),
        ([0, 0], "cells gives 2 values at the start; it is 5 of -1 to 3"),
        ([0, 0, 7, 0, 0], "cells gives 5 values, 7 among them at the start; it is 5 of -1 to 3"),
    ],
    "glyphs": [
        ("abcde", "glyphs returns a list of 5 texts, one for each cell, \"\" for none, not 'abcde' at the start"),
        (["K", ""], "glyphs returns a list of 5 texts"),
        ([1, 2, 3, 4, 5], 'one for each cell, "" for none, not [1, 2, 3, 4, 5] at the start'),
        ([" K", " ", "", "", ""], "not so ' K' at the start"),
        (["too long", "", "", "", ""], "a text on a cell has at most 6 characters, not so 'too long' at the start"),
    ],
    "caption": [
        (3, "caption returns a text of one line, not 3 at the start"),
        ("two\nlines", "caption returns a text of one line"),
    ],
    "where": [
        (3, "where returns a list of cells, not 3 of 0 at the start"),
        ([5], "where places 0 off the board at the start: [5]; cells are 0 to 4"),
    ],
    "row": [
        (None, "row returns a list of cells, not None after"),
        ([9], "row names cells off the board after"),
    ],
    "planes": [
        ((1, 5), "planes returns three whole numbers from 1 on, (planes, height, width), not (1, 5)"),
        ((2, 0, 5), "(planes, height, width), not (2, 0, 5)"),
    ],
    "symmetries": [
        (np.arange(2), "symmetries returns a list of pairs (actions, cells) of index arrays, not array([0, 1])"),
        ([(np.arange(2), np.arange(4))], "symmetry 0 is no permutation of the cells 0 to 4"),
        ([(np.arange(2), np.arange(5)), ([0, 0], np.arange(5))], "symmetry 1 is no permutation of the actions 0 to 1"),
    ],
    "middle": [(0, "middle returns a list of actions, not 0"), ([7], "middle lists [7]; actions are 0 to 1")],
    "left": [(None, "left returns how many cells are free, not None at the start")],
    "text": [(None, "text returns a text, not None at the start")],
    "diagram": [("a\nb", "diagram returns one line of text, not 'a\\nb' at the start")],
    "read": [(None, "read returns a state: fill `rules.blank(game)`, not None at the start")],
    "name": [(None, "the name of action 0 is None, not one word in small letters")],
}


def returning(rule: str, value: Any) -> Any:
    """A rule, of the right signature, that returns a value, and the line on which it stands."""
    namespace: dict[str, Any] = {"value": value, "__name__": __name__}
    takes = ", ".join(inspect.signature(rules.RULES[rule]).parameters)
    exec(compile(f"def {rule}({takes}):\n    return value", "mine.py", "exec"), namespace)
    return namespace[rule]


@pytest.mark.parametrize(
    "rule, value, says", [(rule, *one) for rule, several in WRONG_ANSWERS.items() for one in several], ids=str
)
def test_an_answer_of_the_wrong_type_or_shape_is_told_as_such(rule: str, value: Any, says: str) -> None:
    """Once, with the rule and its place, and not again by all that builds on it."""
    found = breaches(broken(**DRAWN | {rule: returning(rule, value)}))
    told = [breach for breach in found.values() if says in breach]
    assert len(told) == 1 and told[0].endswith("(mine.py:1)"), found
    assert all("raised" not in breach for breach in found.values()), found


def test_every_breach_names_the_file_and_the_line() -> None:
    for changes, _ in CASES.values():
        for breach in breaches(broken(**changes), games=3).values():
            assert re.search(r"\(\S+\.py:\d+(, `.*`)?\)$", breach), breach


def test_what_a_rule_raises_is_told_with_the_line_that_raised_it() -> None:
    def legal(game, state, out):
        return helper(state)

    def helper(state):
        return 1 // (state.left - state.left)

    legal.__globals__["helper"] = helper
    (told,) = breaches(broken(legal=legal)).values()
    line = helper.__code__.co_firstlineno + 1
    spot = f"test_check.py:{line}, `return 1 // (state.left - state.left)`)"
    assert told.startswith("legal raised ") and told.endswith(spot)


def test_what_a_rule_raises_is_told_with_the_name_that_its_class_was_given() -> None:
    def legal(game, state, out):
        return game.lgal(state)

    game = broken(legal=legal)
    (told,) = breaches(game).values()
    assert f"'{name_of(type(game))}' object has no attribute 'lgal'" in told and "_" not in name_of(type(game))


def test_a_diagram_that_loses_something_is_told_with_the_field_and_both_values() -> None:
    def forgets(game, diagram):
        state = read(game, diagram)
        state.turn = 0
        return state

    (told,) = breaches(broken(**DRAWN | {"read": forgets})).values()
    assert re.search(r"the diagram '.* O' after \S+ does not give the state back: turn = 0, not 1 \(", told)


def test_a_numpy_boolean_that_is_negated_is_hinted_at() -> None:
    def player(game, state):
        return -(state.turn == 1)

    (told,) = breaches(broken(player=player)).values()
    assert "player raised TypeError" in told and "comparisons of fields are NumPy booleans" in told


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

    told = differs(toys.heap(play=wraps))
    assert told.startswith("play leaves turn = 0 compiled, turn = 1 interpreted, after ")
    line = wraps.__code__.co_firstlineno + 3
    assert f"wrap around interpreted, and are widened first compiled: write int(...) in {THIS}:{line}, `" in told
    assert told.endswith(f"({THIS}:{wraps.__code__.co_firstlineno})")


def test_hints_are_not_mixed_with_warnings_of_numpy() -> None:
    def play(game, state, action):
        state.left -= action + 1
        state.turn = 1 - state.turn + 0 * (np.int8(100) + np.int8(100))

    with warnings.catch_warnings(action="error"):
        list(advice(broken(play=play, still=None)))


def test_a_boolean_that_is_flipped_is_hinted_at() -> None:
    def score(game, state):
        return -1.0 if ~bool(state.turn) else 1.0

    told = differs(toys.heap(score=score))
    assert told.startswith("score answers 1.0 compiled, -1.0 interpreted, after ") and "`~` of True or False is" in told
    assert f" in {THIS}:{score.__code__.co_firstlineno + 1}, `return -1.0 if ~bool(state.turn) else 1.0` (" in told


def test_booleans_that_are_added_are_hinted_at() -> None:
    def score(game, state):
        return 0.5 * ((state.turn == 1) + (state.left <= 0))

    told = differs(toys.heap(score=score))
    assert told.startswith("score answers 1.0 compiled, 0.5 interpreted, after ") and "two NumPy booleans" in told


def test_a_compiled_hope_that_differs_is_a_breach() -> None:
    def wraps(game, state, player):
        return np.int8(100) + np.int8(100) > 0

    told = differs(toys.heap(hope=wraps))
    assert told.startswith("hope answers True compiled, False interpreted, at the start")


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
        ({"legal": None, "leagl": lambda game, state, out: 0}, f"leagl is not a rule; did you mean legal? ({THIS}:"),
        ({"play": lambda game, state: None}, f"play takes (state); the rule takes (state, action) ({THIS}:"),
    ],
)
def test_a_class_that_cannot_be_a_game_is_refused(body: dict, says: str) -> None:
    with pytest.raises(TypeError) as refused:
        broken(**body)
    assert says in str(refused.value)


def test_a_method_that_others_call_may_be_named_nearly_as_a_rule() -> None:
    def start(game, state):
        state.left = game.actinos()

    game = broken(start=start, actinos=lambda game: 3)
    assert rules.new(game).left == 3


def test_a_class_that_is_no_named_tuple_is_refused() -> None:
    with pytest.raises(TypeError, match="NamedTuple"):
        rules.adopt(int)


def test_the_rule_that_changes_the_state_is_blamed_and_not_the_one_that_is_asked_before() -> None:
    def player(game, state):
        state.turn ^= 2
        return state.turn & 1

    game = broken(player=player)
    assert breaches(game)["asking changes nothing, and a copy plays alike"].startswith("player changes the state")


def test_random_numbers_in_play_are_pointed_to_chance() -> None:
    def play(game, state, action):
        state.left -= random.choice([1] * 9 + [int(state.left)])
        state.turn = 1 - state.turn

    told = breaches(broken(play=play), games=20)["asking changes nothing, and a copy plays alike"]
    assert "it draws random numbers; let `player` be -1 there and `chance` tell the outcomes" in told
