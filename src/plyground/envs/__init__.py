"""Environments for other people's learners: Gymnasium, PettingZoo, and many games at once.

Importing this package tells Gymnasium of every game: `gymnasium.make("plyground/NAME")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from .. import agents, games
from ..agents.base import Agent
from ..agents.given import given
from ..spec import InputError
from .observations import must_be_seed

if TYPE_CHECKING:
    from .cuda import CudaVectorEnv
    from .vector import GameVectorEnv

NUMBERS = ["float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
ANY = "game"  # the environment that is told which game


def opponent_of(game: Any, opponent: Any, seed: int) -> Agent | None:
    """The agent that is given, ready to play; a game of one player has none."""
    if game.alone() or opponent is None:
        if opponent not in (None, "random"):
            raise InputError("a game of one player has no opponent")
        return None
    made = agents.make(opponent, seed) if isinstance(opponent, str) else given(opponent)
    made.must_play(game)
    made.begin(seed)
    return made


def must_be_seat(seat: Any) -> None:
    if seat not in (None, 0, 1):
        raise InputError(f"a seat is 0 or 1, or None if it is drawn for every game, not {seat!r:.60}")


def _game(name: str, values: dict[str, Any]) -> Any:
    return games.make(f"{name}({', '.join(f'{word}={value!r}' for word, value in values.items())})" if values else name)


def make_env(
    game: str, *, opponent: Any = "random", seat: int | None = 0, seed: int = 0, **values: Any
) -> gymnasium.Env:
    """What `gymnasium.make("plyground/NAME", ...)` makes; `values` are options of the environment and parameters of the
    game."""
    from .single import GameEnv

    options = {name: values.pop(name) for name in ("max_steps", "render_mode") if name in values}
    made = _game(game, values)
    must_be_seat(seat)
    return GameEnv(made, opponent_of(made, opponent, seed), seat, seed=seed, **options)


def make_vector_env(
    game: str, num_envs: int, *, opponent: Any = None, seat: int | None = 0, seed: int = 0, **values: Any
) -> Any:
    """What `gymnasium.make_vec("plyground/NAME", num_envs, ...)` makes."""
    names = ("device", "max_steps", "threads", "dtype", "copy")
    options = {name: values.pop(name) for name in names if name in values}
    made = _game(game, values)
    must_be_seat(seat)
    return vector_env_of(made, num_envs, opponent_of(made, opponent, seed), seat, seed=seed, **options)


def vector_env_of(
    game: Any, num_envs: int, opponent: Agent | None, seat: int | None, *, device: str = "cpu", **options: Any
) -> GameVectorEnv | CudaVectorEnv:
    """So many environments on a device."""
    threads = options.get("threads", 0)
    if num_envs < 1 or threads < 0:
        raise InputError(f"there are 1 or more environments and 0 or more threads, not {num_envs} and {threads}")
    kind = np.dtype(options.get("dtype", np.float32))
    if kind.name not in NUMBERS:
        raise InputError(f"observations are whole numbers (uint8, say), float32 or float64, not {kind}")
    must_be_seed(options.get("seed"))
    if device == "cpu":
        from .vector import GameVectorEnv

        return GameVectorEnv(game, num_envs, opponent, seat, **options)
    if device != "cuda":
        raise InputError(f"a device is cpu or cuda, not {device!r:.60}")
    from .cuda import CudaVectorEnv

    options.pop("threads", None)  # a GPU has its own
    return CudaVectorEnv(game, num_envs, opponent, seat, **options)


def _tell_gymnasium() -> None:
    for name in [ANY, *games.registry()]:
        gymnasium.register(
            f"plyground/{name}",
            f"{__name__}:make_env",
            vector_entry_point=f"{__name__}:make_vector_env",
            kwargs={} if name == ANY else {"game": name},
        )


_tell_gymnasium()
