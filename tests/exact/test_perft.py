"""Counts of lines: known numbers, chance, games that end on the way, positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import toys
from commands import run
from plyground import games, position, rules
from plyground.exact import perft as module
from plyground.exact.perft import perft
from plyground.spec import InputError


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are small."""
    for game in (games.make("tictactoe"), toys.Dice()):
        rules.adopt(type(game))
        monkeypatch.setattr(type(game), "compiles", lambda game: False)


def lines(game: Any, state: Any, depth: int) -> int:
    """By the definition."""
    if depth == 0 or game.over(state):
        return int(depth == 0)
    return sum(lines(game, rules.after(game, state, action), depth - 1) for action in rules.playable(game, state))


def test_lines_that_end_on_the_way_do_not_count() -> None:
    game = games.make("tictactoe")
    state = position.read(game, "b2 a1 c3 a3")
    found = [perft(game, state, depth) for depth in range(7)]
    assert found == [lines(game, state, depth) for depth in range(7)]
    assert found[:3] == [1, 5, 20] and found[3] < 60 and found[6] == 0


def test_outcomes_of_chance_count_as_moves() -> None:
    game = toys.Dice()
    found = [perft(game, rules.new(game), depth) for depth in range(1, 5)]
    assert found == [lines(game, rules.new(game), depth) for depth in range(1, 5)] and found[1] > found[0]


def test_the_count_goes_on_where_it_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOME", 7)
    game = games.make("tictactoe")
    assert perft(game, rules.new(game), 3) == 504


def test_rules_that_do_not_compile_are_refused_in_one_line(tmp_path: Path) -> None:
    text = toys.heap_file(4).replace("state.left -= action + 1", "state.left -= sum(1 for _ in range(action + 1))")
    (tmp_path / "heap.py").write_text(text)
    with pytest.raises(InputError, match=r"do not compile: play, .*a generator expression"):
        game = games.make(f"{tmp_path / 'heap.py'}:Heap")
        perft(game, rules.new(game), 2)


def test_the_command_tells_one_count_a_depth() -> None:
    found = json.loads(run("perft", "tictactoe", "3", "--position", "b2", "--json").stdout)
    assert [(one["moves"], one["lines"]) for one in found["perft"]] == [(1, 8), (2, 56), (3, 336)]
    assert run("perft", "tictactoe", "2").stdout.split()[:5:4] == ["1", "2"]
    assert run("perft", "tictactoe", "0").returncode == 2
