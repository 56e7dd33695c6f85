"""Of rules that do not compile one line tells which rule, where, and what the compiler has against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import typeof

from commands import refusal, run, run_alone
from plyground import games, rules
from plyground.check.compiled import compiled_play
from plyground.jit.errors import reason
from toys import heap_file

pytestmark = pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaWarning")  # pytest lets them through again

CHANGES = "        state.left -= action + 1\n"  # a line of the rule `play`
ANSWERS = "return 1.0 if state.turn == 1 else -1.0"  # the rule `score`
HELPERS = """

def helper(state):
    return deeper(state)


def deeper(state):
    return (state.left,) + 3
"""


def write(tmp_path: Path, line: str) -> str:
    """The spec of a game whose rule `play` begins with this line."""
    text = heap_file().replace(CHANGES, f"        {line}\n{CHANGES}")
    (tmp_path / "heap.py").write_text(text + HELPERS)
    return f"{tmp_path / 'heap.py'}:Heap"


def line_of(tmp_path: Path, text: str) -> int:
    lines = (tmp_path / "heap.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def complaint(spec: str) -> str:
    game: Any = games.make(spec)
    with pytest.raises(Exception) as refused:
        compiled_play.compile((typeof(game), typeof(np.zeros(1, rules.dtype(game))), typeof(0)))
    return reason(refused.value)


CASES = {
    'print("hi", {})': "nothing tells what this empty dict holds; write it with numbers",
    'x = (1, "a")[action]': "Numba cannot call getitem(Tuple(int, str), int64); write it with numbers",
    'x = sorted([3, "a"], key=str)': "Numba cannot compile this; write it with numbers",
    "x = any(i == action for i in range(3))": "a generator expression does not compile; write a loop",
    "x = action and unheard(3)": "there is no unheard",
    "x = game.joined(state)": "compiled rules find no joined in Heap",
    "x = state.lefft": "there is no field lefft",
    'x = 1 if action else "a"': "this may be int or str; let it have one type",
    "x = game.still(state)": "Numba cannot call still(Heap, state)",
}


@pytest.mark.parametrize("line", CASES)
def test_the_rule_the_place_and_the_reason_are_told_in_one_line(line: str, tmp_path: Path) -> None:
    spec = write(tmp_path, line)
    told = complaint(spec)
    assert told.startswith(f"play, {tmp_path / 'heap.py'}:{line_of(tmp_path, line)}, `{line}`: {CASES[line]}")
    assert "\n" not in told and "plyground" not in told.replace(str(tmp_path), "")


def test_a_function_that_a_rule_calls_is_named_and_named_again(tmp_path: Path) -> None:
    spec = write(tmp_path, "x = helper(state)")
    place = f"{tmp_path / 'heap.py'}:{line_of(tmp_path, '+ 3')}"
    for _ in range(2):  # Numba remembers what did not compile
        assert complaint(spec).startswith(
            f"play, {place}, in deeper, `return (state.left,) + 3`: Numba cannot call add("
        )


def test_a_rule_that_may_answer_nothing_is_refused_by_check_and_by_a_search(tmp_path: Path) -> None:
    (tmp_path / "heap.py").write_text(heap_file().replace(ANSWERS, "return {1: 1.0}.get(state.turn, -1.0)"))
    spec = f"{tmp_path / 'heap.py'}:Heap"
    ran = run("check", spec)
    (broken,) = [line for line in ran.stdout.splitlines() if line.startswith("broken")]
    where = f"score, {tmp_path / 'heap.py'}:{line_of(tmp_path, 'def score')}, `def score(game, state):`: "
    says = f"{where}it may answer None instead of float64; let it always return a number"
    assert ran.returncode == 1 and broken.endswith(f"does not compile: {says}")
    assert refusal(run("think", spec, "uct(sims=10)")).endswith(f"the rules do not compile: {says}")


def test_a_rule_that_only_some_agents_ask_is_compiled_by_check_too_and_nothing_else_is_said(tmp_path: Path) -> None:
    more = "\n    def still(game, state, action):\n        return {}.get(action, True)\n"
    (tmp_path / "heap.py").write_text(heap_file() + more)
    ran = run_alone("check", f"{tmp_path / 'heap.py'}:Heap")
    assert ran.returncode == 1 and "does not compile: still, " in ran.stdout
    assert ran.stderr == ""  # Numba would warn of unsafe casts, and name a file of the package


def test_a_scoring_that_does_not_compile_is_told_as_such(tmp_path: Path) -> None:
    lines = ["from typing import NamedTuple", "class Mine(NamedTuple):", "    weight: float = 1.0"]
    lines += ["    def judge(scoring, game, state):", "        return {}.get(state.turn, 0.0)"]
    (tmp_path / "mine.py").write_text("\n".join(lines))
    told = refusal(run("think", "tictactoe", f'alphabeta(depth=1, scoring="{tmp_path}/mine.py:Mine")'))
    assert told.startswith(f"plyground: the scoring does not compile: judge, {tmp_path}/mine.py:5, `return {{}}.get(")
