"""Benchmark of vector environments: steps a second with random actions, observations and masks, on one core and, where
there is one, on a GPU."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from statistics import median
from typing import Any

import numpy as np

from .. import games
from ..spec import InputError

BATCH, ON_GPU = 1024, 2**20  # environments
# game, the same in Pgx, in PettingZoo, in OpenSpiel
GAMES = [
    ("tictactoe", "tic_tac_toe", "tictactoe_v3", "tic_tac_toe"),
    ("connect-four", "connect_four", "connect_four_v3", "connect_four"),
    ("2048", "2048", "", "2048"),
    ("othello", "othello", "", "othello"),
    ("hex", "hex", "", "hex(board_size=11)"),
    ("go", "go_9x9", "", "go(board_size=9)"),
    ("go(19)", "go_19x19", "go_v5", "go(board_size=19)"),
    ("chess", "chess", "chess_v6", "chess"),
    ("backgammon", "backgammon", "", "backgammon"),
    ("gomoku(9)", "", "", "mnk(m=9,n=9,k=5)"),
    ("gomoku(15)", "", "", "mnk(m=15,n=15,k=5)"),
]
Runner = Callable[[], int]  # takes some steps and says how many


def environments(seconds: float) -> list[dict[str, Any]]:
    """Ours and those of other libraries that are installed, in turns, by the time that they have one core; ours on a
    GPU."""
    with one_core():
        rows = [_beside(seconds, *row) for row in GAMES]
    return [row | {"on_gpu": _on_gpu(seconds, row["game"])} for row in rows]


def _on_gpu(seconds: float, spec: str) -> int | str:
    """Steps a second on a GPU, if there is one."""
    try:
        from ..envs.cuda import CudaVectorEnv

        env = CudaVectorEnv(games.make(spec), ON_GPU, copy=False, dtype=np.uint8)
    except InputError:
        return "-"
    env.reset()

    def run(number: int) -> float:
        begun = time.perf_counter()
        for _ in range(number):
            *_, infos = env.step(env.random_actions())
        infos["player"].sum().item()  # all that was queued is done
        return time.perf_counter() - begun

    run(3)  # compiled, and recorded
    passed, steps = 0.0, 0
    while passed < seconds:
        passed, steps = passed + run(50), steps + 50
    return round(ON_GPU * steps / passed)


def _beside(seconds: float, ours: str, *theirs: str) -> dict[str, Any]:
    sides: dict[str, Runner] = {"plyground": _ours(ours)}
    for (library, make), name in zip(LIBRARIES.items(), theirs, strict=True):
        with suppress(ImportError):
            if name:
                sides[library] = make(name)
    for run in sides.values():
        run()  # whatever is compiled
    speeds: dict[str, list[float]] = {name: [] for name in sides}
    end = time.perf_counter() + seconds * len(sides)
    while len(speeds["plyground"]) < 3 or time.perf_counter() < end:
        for name, run in sides.items():
            steps, begun = 0, time.process_time()
            while time.process_time() < begun + seconds / 10:
                steps += run()
            speeds[name].append(steps / (time.process_time() - begun))
    row: dict[str, Any] = {"game": ours, "steps_per_second": round(median(speeds["plyground"]))}
    for name in LIBRARIES:
        each = zip(speeds["plyground"], speeds[name], strict=True) if name in speeds else None
        row[f"times_{name}"] = round(median(mine / other for mine, other in each), 1) if each else "-"
    return row


@contextmanager
def one_core() -> Iterator[None]:
    """Let all of this process run on one core meanwhile, where the system lets it choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _ours(spec: str) -> Runner:
    from ..envs.vector import GameVectorEnv

    env = GameVectorEnv(games.make(spec), BATCH, threads=1, copy=False, dtype=np.uint8)
    env.reset(seed=1)

    def run() -> int:
        for _ in range(20):
            env.step(env.random_actions())
        return 20 * BATCH

    return run


def _pgx(name: str) -> Runner:
    if "jax" not in sys.modules:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax, pgx, wrappers = (import_module(module) for module in ("jax", "pgx", "pgx.experimental.wrappers"))
    env = pgx.make(name)
    step = jax.vmap(wrappers.auto_reset(env.step, env.init))

    @jax.jit
    def steps(key: Any, state: Any) -> Any:
        def one(carry: Any, _: Any) -> Any:
            key, state = carry
            key, drawing, resetting = jax.random.split(key, 3)
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
            actions = jax.random.categorical(drawing, logits, axis=-1)
            return (key, step(state, actions, jax.random.split(resetting, BATCH))), None

        return jax.lax.scan(one, (key, state), None, length=20)[0]

    key = jax.random.PRNGKey(0)
    held = [key, jax.jit(jax.vmap(env.init))(jax.random.split(key, BATCH))]

    def run() -> int:
        held[:] = steps(*held)
        jax.block_until_ready(held[1].observation)
        return 20 * BATCH

    return run


def _pettingzoo(name: str) -> Runner:
    env = import_module(f"pettingzoo.classic.{name}").env()
    rng = np.random.default_rng(1)

    def run() -> int:
        env.reset(seed=1)
        for _ in range(50):
            seen, _, over, truncated, _ = env.last()
            if over or truncated:
                env.reset()
                continue
            env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
        return 50

    return run


def _openspiel(name: str) -> Runner:
    import pyspiel

    game = pyspiel.load_game(name)
    rng = np.random.default_rng(1)

    def let_nature_move(state: Any) -> Any:
        while state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=weights)))
        return state

    held = [let_nature_move(game.new_initial_state())]

    def run() -> int:
        for _ in range(100):
            state = held[0]
            state.apply_action(int(rng.choice(np.flatnonzero(state.legal_actions_mask()))))
            if let_nature_move(state).is_terminal():
                held[0] = state = let_nature_move(game.new_initial_state())
            state.observation_tensor(state.current_player())
            state.legal_actions_mask()
        return 100

    return run


LIBRARIES: dict[str, Callable[[str], Runner]] = {"pgx": _pgx, "pettingzoo": _pettingzoo, "openspiel": _openspiel}
