"""Games in which every move is drawn at random, by the million: who wins them, and how long they are.

There are STREAMS streams of random numbers, and each plays a share of the games one after another, so that these are
the same whatever the number of threads, and on a GPU.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit.first_use import first_use
from ..jit.threads import SideBySide
from ..jit.watching import plain
from ..machine import cores
from ..rules import CHANCE, LONGEST, gives, inner, kernel, new, record
from ..spec import InputError
from .mcts.simulate import go_to_root, play_on, switches_of_rollouts
from .rng import streams
from .workspace import listed_type, position_type

STREAMS = 2**17
SHARE = 1000  # streams for which it is worth to wake a thread
TALLY = [  # of the games of a stream
    ("moves", np.int64),
    ("first", np.int64),  # games that the first player has won
    ("drawn", np.int64),
    ("second", np.int64),
    ("unfinished", np.int64),  # games that did not end within LONGEST moves
    ("score", np.float64),  # of all games together
    ("shortest", np.int64),  # moves of a game
    ("longest", np.int64),
]


def walker_type(game: Any) -> np.dtype:
    """What plays random games: a position, random numbers, lists of actions."""
    actions = game.actions()
    return record(
        [
            ("now", position_type(game, False)),
            ("rng", np.uint64),
            ("moves", listed_type(actions), (actions,)),
            ("weights", np.float64, (actions if gives(game, "chance") else 1,)),
        ]
    )


def start_type(game: Any) -> np.dtype:
    return record([("root", position_type(game, False))])


roll_out = inner(plain(play_on))  # inlined, as it is called in one place here


@inner
def play_one(game, walkers, starts, tally, switches):
    """Play one game and count it."""
    go_to_root(walkers, starts)
    over = roll_out(game, walkers[0], np.int64(CHANCE), np.int64(-1), np.int64(0), switches)
    now = walkers[0].now
    tally.moves += now.plies
    tally.shortest = min(tally.shortest, now.plies)
    tally.longest = max(tally.longest, now.plies)
    if over:
        score = game.score(now.state)
        tally.score += score
        if score > 0:
            tally.first += 1
        elif score < 0:
            tally.second += 1
        else:
            tally.drawn += 1
    else:
        tally.unfinished += 1


@kernel
def play_streams(game, walkers, starts, seeds, tallies, games, switches):
    """Play games[i] games in stream i, whose random numbers stand at seeds[i], and count them in tallies[i].

    walkers [1]; starts [1]; seeds uint64[n]; games int64[n]; switches: `simulate.switches_of_rollouts`.
    """
    for i in range(seeds.size):
        walkers[0].rng = seeds[i]
        for _ in range(games[i]):
            play_one(game, walkers, starts, tallies[i], switches)
        seeds[i] = walkers[0].rng


def new_starts(kind: np.dtype, game: Any) -> np.ndarray:
    """A record whose `root` is where games begin."""
    starts = np.zeros(1, kind)
    starts["root"]["state"][0] = new(game)
    return starts


def new_tallies(number: int) -> np.ndarray:
    """So many, of no games."""
    tallies = np.zeros(number, record(TALLY))
    tallies["shortest"] = LONGEST
    return tallies


def shares(games: int, number: int) -> np.ndarray:
    """How many of the games each stream plays, int64[number]."""
    return games // number + (np.arange(number) < games % number)


class Games:
    """Random games of one game, on the cores of this machine."""

    def __init__(self, game: Any, threads: int = 0) -> None:
        """threads: as many as there are cores if 0."""
        self._game, self._threads = game, threads or cores()
        self._starts = new_starts(start_type(game), game)
        self._switches = switches_of_rollouts(game)
        self.begin(0)
        with first_use():  # no game
            self._play(slice(0), shares(0, STREAMS))

    def begin(self, seed: int) -> None:
        """Begin the streams of a seed, which have played no games."""
        self._seeds, self._tallies = streams(seed, STREAMS), new_tallies(STREAMS)

    def play(self, games: int) -> None:
        """Play so many games more, shared out among the streams."""
        counts, used = shares(games, STREAMS), min(games, STREAMS)
        parts = max(1, min(self._threads, used // SHARE))

        def play(part: int) -> int:
            self._play(slice(used * part // parts, used * (part + 1) // parts), counts)
            return 0

        SideBySide(parts)(play)

    def tallies(self) -> np.ndarray:
        """What has become of the games of every stream."""
        return self._tallies

    def _play(self, rows: slice, counts: np.ndarray) -> None:
        walkers = np.zeros(1, walker_type(self._game))
        parts = (self._seeds[rows], self._tallies[rows], counts[rows])
        play_streams(self._game, walkers, self._starts, *parts, self._switches)


def random_games(game: Any, device: str = "cpu", threads: int = 0) -> Any:
    """What plays random games of a game on a device: `begin`, `play` and `tallies`, as `Games` has them."""
    if device == "cpu":
        return Games(game, threads)
    if device != "cuda":
        raise InputError(f"a device is cpu or cuda, not {device!r:.60}")
    from .mcts.cuda import CudaGames

    return CudaGames(game)
