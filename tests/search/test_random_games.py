"""Random games are those of a slow and obvious twin, whatever plays them, and as long and as often won as they must be.

Without a GPU, numba-cuda's simulator runs its kernel, interpreted, in a process of its own: run by itself the file
prints what was found there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plyground as pg
from commands import has_gpu, simulated
from plyground import games, rules
from plyground.search import random_games
from plyground.search.random_games import STREAMS, Games
from plyground.search.rng import streams
from plyground.spec import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = ["tictactoe", "connect-four(4,4,3)", "othello", "pig", str(EXAMPLES / "dice_race.py")]
ON_GPU = [*CASES, "gomoku(15)", "chess", "backgammon", "go", "2048"]  # Go makes arrays


class Generator:
    """xorshift64, number by number."""

    def __init__(self, state: Any) -> None:
        self.x = int(state)

    def below(self, n: int) -> int:
        self.x ^= self.x << 13 & 2**64 - 1
        self.x ^= self.x >> 7
        self.x ^= self.x << 17 & 2**64 - 1
        return (self.x >> 32) * n >> 32


def play(game: Any, rng: Generator) -> tuple[int, float]:
    """A random game: how many moves it has, and its score.  Where actions only go, those that are left are kept in the
    order that they have when the last one takes the place of one that has gone."""
    state, moves, left = rules.new(game), 0, []
    while not game.over(state):
        moves += 1
        if game.player(state) == rules.CHANCE:
            outcomes = rules.outcomes(game, state)
            x, action = rng.below(2**31) / 2**31, outcomes[-1][0]
            for one, weight in outcomes[:-1]:
                x -= weight
                if x < 0:
                    action = one
                    break
            game.play(state, action)
            left = []
            continue
        left = left or rules.legal(game, state)
        while True:
            place = rng.below(len(left))
            action = left[place]
            if not rules.gives(game, "still") or game.still(state, action):
                break
            left[place] = left[-1]
            left.pop()
        game.play(state, action)
        if not rules.gives(game, "still"):
            left = []
        elif not game.still(state, action):
            left[place] = left[-1]
            left.pop()
    return moves, float(game.score(state))


@pytest.mark.parametrize("spec", CASES, ids=lambda spec: Path(spec).name)
def test_the_games_are_those_of_the_naive_twin(spec: str) -> None:
    game, number = games.make(spec), 40
    played = Games(game, 1)
    played.begin(5)
    played.play(STREAMS + number)
    tallies = played.tallies()
    for i, seed in enumerate(streams(5, number)):  # the first streams have played two games
        rng = Generator(seed)
        found = [play(game, rng) for _ in range(2)]
        assert tallies["moves"][i] == sum(moves for moves, _ in found)
        assert (tallies["shortest"][i], tallies["longest"][i]) == (min(found)[0], max(found)[0])
        assert tallies["score"][i] == sum(score for _, score in found)
        assert tallies["first"][i] == sum(score > 0 for _, score in found)
        assert tallies["second"][i] == sum(score < 0 for _, score in found)
        assert tallies["first"][i] + tallies["drawn"][i] + tallies["second"][i] == 2


def test_threads_and_pieces_change_nothing() -> None:
    game, found = games.make("tictactoe"), []
    for threads, pieces in ((1, (3 * STREAMS + 7,)), (3, (3 * STREAMS + 7,)), (2, (STREAMS, 2 * STREAMS + 7))):
        played = Games(game, threads)
        played.begin(1)
        for piece in pieces:
            played.play(piece)
        found.append(played.tallies().tobytes())
    assert found[0] == found[1] == found[2]


def test_tic_tac_toe_is_won_as_often_as_can_be_worked_out() -> None:
    told = pg.random_games("tictactoe", 1_000_000, seed=3)
    for count, share in ((told.first, 737 / 1260), (told.drawn, 8 / 63), (told.second, 121 / 420)):
        assert abs(count / 1_000_000 - share) < 5 * (share * (1 - share) / 1_000_000) ** 0.5
    assert (told.shortest, told.longest) == (5, 9) and told.unfinished == 0
    assert told.first + told.drawn + told.second == told.games
    assert told.mean == (told.first - told.second) / told.games
    assert told.to_json()["length"] == told.moves / 1_000_000 and f"{told.first / 10_000:.2f}%" in repr(told)
    assert told.rows()[0]["seed"] == 3


def test_a_game_for_one_has_points() -> None:
    told = pg.random_games("2048", 2000)
    assert "first" not in repr(told) and told.mean > 500 and told.alone


def test_what_is_refused() -> None:
    for options in ({"games": 0}, {"threads": -1}, {"device": "tpu"}, {"games": 1.5}):
        with pytest.raises(InputError):
            pg.random_games("tictactoe", **options)
    with pytest.raises(InputError, match="cannot be"):
        pg.random_games('openspiel("tic_tac_toe")', 10)


def difference(spec: str, number: int, pieces: tuple[int, ...]) -> str:
    """What differs between the games of a CPU and of a GPU, by its name."""
    from plyground.search.mcts.cuda import CudaGames

    game, found = games.make(spec), []
    for player in (Games(game), CudaGames(game, number)):
        player.begin(2)
        for piece in pieces:
            player.play(piece)
        found.append(player.tallies())
    return ", ".join(name for name in found[0].dtype.names if not np.array_equal(found[0][name], found[1][name]))


def test_in_the_simulator_the_games_are_those_of_the_cpu() -> None:
    assert simulated(__file__) == [""] * len(CASES) * 2


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
@pytest.mark.parametrize("spec", ON_GPU, ids=lambda spec: Path(spec).name)
def test_on_a_gpu_the_games_are_those_of_the_cpu(spec: str) -> None:
    assert difference(spec, STREAMS, (5000, 2000)) == ""


if __name__ == "__main__":
    from plyground.search.mcts import cuda

    random_games.STREAMS = 10
    cuda.THREADS_OF_GAMES = (8,)  # type: ignore[assignment]  # a thread of the simulator is one of Python's
    found = [difference(spec, 10, (13, 5)) for spec in CASES]
    cuda.THREADS_OF_GAMES, cuda.THREADS = (), (8,)  # type: ignore[assignment]  # nothing fits
    print(json.dumps(found + [difference(spec, 10, (13, 5)) for spec in CASES]))
