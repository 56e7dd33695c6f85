"""Specs are parsed, never evaluated, and what is wrong with them is said in one line."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyground import agents, games
from plyground.spec import About, InputError, bind, nearest, parameters, parse


@dataclass
class Maker:
    """Something with options."""

    size: Annotated[int, About("how large", low=1, high=10)]
    weight: Annotated[float, About("how heavy", low=0)] = 1.5
    mode: Annotated[str, About("how", choices=("slow", "fast"))] = "slow"
    limit: Annotated[int | None, About("how long")] = None
    loud: Annotated[bool, About("how loud")] = False


def bound(text: str) -> dict:
    name, args, named = parse(text)
    return bind(Maker, name, args, named)


def test_values_are_given_by_place_and_by_name() -> None:
    assert parse('uct(1000, c=1.4, rollout="win-block")') == ("uct", [1000], {"c": 1.4, "rollout": "win-block"})
    assert parse("win-block") == ("win-block", [], {})
    assert bound("maker(3, 2, loud=True)") == {"size": 3, "weight": 2.0, "loud": True}
    assert bound("maker(size=3, limit=None)") == {"size": 3, "limit": None}
    assert parse("f(-3, (1, 2))") == ("f", [-3, (1, 2)], {})


def test_a_spec_is_read_again_where_python_miscounts_for_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = [], ast.parse

    def miscount(*args: Any, **named: Any) -> ast.AST:
        reads.append(args)
        if len(reads) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=39, after=32)")
        return read(*args, **named)

    monkeypatch.setattr(ast, "parse", miscount)
    assert parse("uct(1000)") == ("uct", [1000], {}) and len(reads) == 3


def test_parameters_are_read_from_the_annotations() -> None:
    described = {p.name: p for p in parameters(Maker)}
    assert described["limit"].optional and described["limit"].type is int
    assert described["mode"].about.choices == ("slow", "fast")


@pytest.mark.parametrize(
    "text, says",
    [
        ("maker(0)", "size is 1 to 10, not 0"),
        ("maker(11)", "size is 1 to 10, not 11"),
        ("maker(True)", "size is a whole number, not True"),
        ("maker(1.5)", "size is a whole number"),
        ("maker('1')", "size is a whole number"),
        ("maker(3, -1)", "weight is at least 0"),
        ("maker(3, float)", "cannot read the values"),
        ("maker(3, mode='fats')", "did you mean fast?"),
        ("maker(3, wieght=1)", "no option wieght; did you mean weight?"),
        ("maker(3, size=4)", "size is given twice"),
        ("maker(size=3, size=4)", "maker: size is given twice"),
        ("maker()", "needs size"),
        ("maker(1, 2, 'slow', 4, True, 6)", "at most 5 values"),
        ("maker(**{'size': 3})", "cannot read"),
        ("maker(*[3])", "cannot read"),
        ("maker(__import__('os').getcwd())", "cannot read the values"),
        ("maker(3)(4)", "cannot read"),
        ("maker(3); maker(4)", "cannot read"),
        ("", "cannot read"),
        ("maker(" + "(" * 5000, "at most 2000 characters"),
        ("maker(" + "[" * 900 + "]" * 900 + ")", "cannot read"),
    ],
)
def test_a_bad_spec_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        bound(text)
    assert says in str(refused.value) and "\n" not in str(refused.value)


@given(st.text(max_size=60))
def test_no_text_makes_anything_but_a_game_or_a_refusal(text: str) -> None:
    if ".py:" in text:
        return
    for make in (games.make, agents.make):
        with pytest.raises(InputError):
            make("x" + text)


def test_a_text_that_cannot_be_read_is_answered_with_an_example_that_fits() -> None:
    with pytest.raises(InputError, match=r"like gomoku\(15\), or your own game's file and class, like file.py:Game"):
        games.make("afile:Game")
    with pytest.raises(InputError, match=r"like uct\(sims=1000\)"):
        agents.make("uct:1000")


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean gomoku"):
        games.make("gomuko")
    with pytest.raises(InputError, match="did you mean win-block"):
        agents.make("win-blok")
    with pytest.raises(InputError, match="did you mean sims"):
        agents.make("uct(sim=3)")


class Plain:
    """Takes what its constructor takes."""

    def __init__(self, size: int, often=1.5, *, who=None, rest: Annotated[str, About("the rest")] = "x", **more):
        pass


def test_the_constructor_of_a_plain_class_tells_its_parameters() -> None:
    told = {p.name: (p.type, p.about.text) for p in parameters(Plain)}
    assert told == {"size": (int, ""), "often": (float, ""), "who": (object, ""), "rest": (str, "the rest")}
    assert bind(Plain, "plain", [3], {"who": (1, 2)}) == {"size": 3, "who": (1, 2)}


def test_files_with_and_without_a_name_are_specs() -> None:
    assert parse("a/b.py:C(1, x=2)") == ("a/b.py:C", [1], {"x": 2})
    assert parse(" my files/nim (1).py ") == ("my files/nim (1).py", [], {})
    assert parse("b.py('c.py:D(3)')") == ("b.py", ["c.py:D(3)"], {})
    assert parse("hybrid(then='b.py:C(1)')") == ("hybrid", [], {"then": "b.py:C(1)"})


@pytest.mark.parametrize(
    ("word", "words", "meant"),
    [
        ("--learning-rate", ["--learners", "--lr"], "; did you mean --lr?"),
        ("simulations", ["positions", "sims"], "; did you mean sims?"),
        ("--epochs", ["--blocks"], ""),
        ("--episodes", ["--epsilon", "--updates", "--games"], "; did you mean --games?"),
        ("gomoku9", ["gomoku-15", "gomoku-9"], "; did you mean gomoku-9?"),
        ("gama", ["gamma", "games"], "; did you mean gamma?"),
    ],
)
def test_what_others_call_an_option_is_known(word: str, words: list[str], meant: str) -> None:
    assert nearest(word, words) == meant
