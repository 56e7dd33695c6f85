"""Games for other people's learners and algorithms: `pip install "plyground[envs]"`, or `[peers]` for OpenSpiel."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..rules import LONGEST
from ..spec import InputError
from .given import AgentLike, GameLike, game_of, name_of, whole

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from ..envs.cuda import CudaVectorEnv
    from ..envs.single import GameEnv
    from ..envs.vector import GameVectorEnv
    from ..report.random_games import RandomGamesReport


def env(
    game: GameLike,
    opponent: AgentLike | None = "random",
    seat: int | None = 0,
    *,
    max_steps: int = LONGEST,
    render_mode: str | None = None,
    seed: int = 0,
) -> GameEnv:
    """A `gymnasium.Env` of any game: a learner in one seat, an agent in the other.

    seat: the learner's; None if it is drawn for every game.  Without an opponent it plays for whoever is to move.
    max_steps: of the learner, after which a game is truncated.

    >>> observation, info = env("connect-four", "uct(sims=50)").reset(seed=1)
    >>> observation.shape, info["action_mask"]
    ((2, 6, 7), array([1, 1, 1, 1, 1, 1, 1], dtype=int8))
    """
    with _needs("gymnasium"):
        from ..envs import must_be_seat, opponent_of
        from ..envs.single import GameEnv
    rules, seed = game_of(game, seed), whole("seed", seed)
    must_be_seat(seat)
    agent = opponent_of(rules, opponent, seed)
    return GameEnv(rules, agent, seat, max_steps=whole("max_steps", max_steps), render_mode=render_mode, seed=seed)


def aec_env(game: GameLike, *, max_steps: int = LONGEST, render_mode: str | None = None, seed: int = 0) -> AECEnv:
    """A PettingZoo AEC environment of any game: its agents, `player_0` and `player_1`, move in turns.

    >>> pettingzoo = aec_env("tictactoe")
    >>> pettingzoo.reset(seed=1)
    >>> pettingzoo.agent_selection, pettingzoo.last()[0]["action_mask"].sum()
    ('player_0', np.int64(9))
    """
    with _needs("pettingzoo"):
        from ..envs.aec import aec
    rules = game_of(game, seed)
    return aec(rules, name_of(rules), max_steps=whole("max_steps", max_steps), render_mode=render_mode, seed=seed)


def vector_env(
    game: GameLike,
    num_envs: int,
    opponent: AgentLike | None = None,
    seat: int | None = 0,
    *,
    device: str = "cpu",
    threads: int = 0,
    max_steps: int = LONGEST,
    dtype: Any = np.float32,
    copy: bool = True,
    seed: int = 0,
) -> GameVectorEnv | CudaVectorEnv:
    """A `gymnasium.vector.VectorEnv`: many games at once, stepped by compiled code.

    opponent: None if the learner plays for whoever is to move; "random", "win-block" and "win-block-middle" play within
    the compiled code, any other agent is asked.  device: "cuda" steps the games on a GPU; what is returned there are
    tensors, and no opponent is asked.  threads: 0 for one a core.  dtype: of observations.  copy: return
    copies; otherwise the next step writes over what this one returned.

    >>> games = vector_env("tictactoe", 1000)
    >>> observations, infos = games.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = games.step(games.random_actions())
    >>> observations.shape, infos["action_mask"].sum()
    ((1000, 2, 3, 3), np.int64(8000))
    """
    with _needs("gymnasium"):
        from ..envs import must_be_seat, opponent_of, vector_env_of
    rules, seed, number = game_of(game, seed), whole("seed", seed), whole("num_envs", num_envs)
    must_be_seat(seat)
    return vector_env_of(
        rules,
        number,
        opponent_of(rules, opponent, seed),
        seat,
        device=device,
        threads=whole("threads", threads),
        max_steps=whole("max_steps", max_steps),
        dtype=np.dtype(dtype),
        copy=copy,
        seed=seed,
    )


def random_games(
    game: GameLike, games: int = 100_000, *, device: str = "cpu", threads: int = 0, seed: int = 0
) -> RandomGamesReport:
    """Play games in which every move is drawn at random: who wins them, and how long they are.

    device: "cuda" plays them on a GPU, billions of moves a second; the same games.  threads: 0 for one a core.

    >>> random_games("tictactoe", 1_000_000).table()
            first   drawn  second  mean score  moves  least  most
    games  58.49%  12.72%  28.78%        0.30   7.63      5     9
    """
    from ..report.random_games import RandomGamesReport
    from ..search import random_games as playing

    rules, seed, number = game_of(game, seed), whole("seed", seed), whole("games", games)
    if number < 1 or whole("threads", threads) < 0:
        raise InputError(f"there are 1 or more games and 0 or more threads, not {games} and {threads}")
    if not rules.compiles():
        raise InputError("random games by the million are compiled, which the rules of this game cannot be")
    player = playing.random_games(rules, device, threads)
    player.begin(seed)
    begun = time.perf_counter()
    player.play(number)
    found = player.tallies()
    seconds = time.perf_counter() - begun
    sums = {name: found[name].sum().item() for name in ("moves", "first", "drawn", "second", "unfinished", "score")}
    ends = {"shortest": found["shortest"].min().item(), "longest": found["longest"].max().item()}
    return RandomGamesReport(name_of(rules), number, seed, **sums, **ends, seconds=seconds, alone=rules.alone())


def openspiel(game: GameLike, *, max_length: int = LONGEST, seed: int | None = None) -> Any:
    """A `pyspiel.Game` of any game, on which OpenSpiel's own algorithms run; it asks the rules interpreted.

    max_length: how many actions a game has at most, which some of these algorithms want to know.

    >>> state = openspiel("tictactoe").new_initial_state()
    >>> state.apply_action(4)
    >>> state.legal_actions(), state.current_player()
    ([0, 1, 2, 3, 5, 6, 7, 8], 1)
    """
    with _needs("pyspiel", "peers"):
        from ..envs.openspiel import openspiel_game
    rules = game_of(game, seed)
    return openspiel_game(rules, name_of(rules), whole("max_length", max_length))


@contextmanager
def _needs(library: str, extra: str = "envs") -> Iterator[None]:
    """Say in one line what to install where a library is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise InputError(f'this needs {library}: pip install "plyground[{extra}]"') from None
