"""Any game with a random opponent as nature."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from plyground import agents, games, rules
from plyground.check import check
from plyground.exact import odds
from plyground.rules import CHANCE
from plyground.spec import InputError


@pytest.mark.parametrize("spec", ['against-random("tictactoe")', 'against-random("tictactoe", seat=0)'])
def test_it_keeps_the_laws(spec: str) -> None:
    assert [breach for _, breach in check(games.make(spec), games=5) if breach] == []


def test_the_seat_of_nature_is_the_one_asked_for() -> None:
    for seat in (0, 1):
        game = games.make(f'against-random("tictactoe", seat={seat})')
        state = rules.new(game)
        assert game.player(state) == (CHANCE if seat == 0 else 0)
        game.play(state, 4)
        assert game.player(state) == (CHANCE if seat == 1 else 1)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_odds_are_those_of_the_best_response_to_random(seat: int) -> None:
    base, game = games.make("tictactoe"), games.make(f'against-random("tictactoe", seat={seat})')
    seats = ("random", "most-wins") if seat == 0 else ("most-wins", "random")
    wanted = odds.distribution(base, rules.new(base), *seats).total
    found = odds.distribution(
        game, rules.new(game), "most-wins" if seat else "random", "random" if seat else "most-wins"
    )
    assert odds.chances(found.total) == odds.chances(wanted)
    assert odds.chances(wanted, 1 - seat)[0] == (Fraction(887, 945) if seat == 0 else Fraction(191, 192))


def test_uct_finds_what_beats_a_random_opponent_most_often() -> None:
    game = games.make('against-random("tictactoe")')
    state = game.read(".O./XXO/... X")
    agent = agents.make('uct(sims=50000, c=1.0, rollout="random", solve=False, loss=0.0)', seed=1)
    values = {move.action: move.value for move in agent.think(game, state).moves}
    exact = {0: 1.0, 2: 7 / 8, 6: 1.0, 7: 1 / 2, 8: 7 / 8}
    assert values[0] == pytest.approx(1, abs=0.02) and values[6] == pytest.approx(1, abs=0.02)
    assert all(values[a] <= exact[a] + 0.05 for a in exact) and values[7] < values[2]


def test_outcomes_are_equally_likely() -> None:
    game = games.make('against-random("tictactoe", seat=0)')
    found = rules.outcomes(game, rules.new(game))
    assert [action for action, _ in found] == list(range(9)) and np.allclose([p for _, p in found], 1 / 9)


def test_a_game_with_chance_or_an_unknown_one_is_refused() -> None:
    with pytest.raises(InputError, match="without chance"):
        games.make("""against-random('against-random("tictactoe")')""")
    with pytest.raises(InputError, match="tictactoe"):
        games.make('against-random("tictactoo")')


UNSEEN = """
import numpy as np
from typing import NamedTuple

class One(NamedTuple):
    def fields(game): return [("cells", np.int8, (1,))]
    def actions(game): return 1
    def player(game, state): return 0
    def legal(game, state, out):
        out[0] = 0
        return 1
    def play(game, state, action): state.cells[0] = 1
    def over(game, state): return state.cells[0] == 1
    def score(game, state): return 1.0
    def board(game): return {"shape": "cells", "rows": 1, "cols": 1}
    def cells(game, state): return state.cells
    def where(game, state, action): return [0]
    def read(game, diagram): raise ValueError
"""


def test_nets_see_it_as_they_see_the_base_if_they_do(tmp_path: Path) -> None:
    game, base = games.make('against-random("tictactoe", seat=0)'), games.make("tictactoe")
    state = game.read("X.O/.X./... O")
    seen, wanted = (np.zeros((2, 3, 3), np.float32) for _ in range(2))
    game.encode(state, seen)
    base.encode(state, wanted)
    assert np.array_equal(seen, wanted) and game.planes() == base.planes() and rules.gives(game, "encode")
    (tmp_path / "one.py").write_text(UNSEEN)
    unseen = games.make(f"against-random('{tmp_path}/one.py:One')")
    assert not rules.gives(unseen, "encode") and rules.gives(unseen, "board")
