"""Environments on a GPU play the games that those on a CPU play, and tell the same of them.

Without a GPU, numba-cuda's simulator runs the kernels, interpreted, in a process of its own: run by itself the file
prints what was found there.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import plyground as pg
from commands import has_gpu, simulated
from plyground import games
from plyground.envs import cuda, opponent_of
from plyground.envs.vector import GameVectorEnv
from plyground.spec import InputError

RACE = str(Path(__file__).parents[2] / "examples" / "dice_race.py")
CASES = [("tictactoe", None, 0), ("tictactoe", "random", 1), ("tictactoe", "win-block-middle", None)]
CASES += [("connect-four(4,4,3)", None, 0), ("connect-four(4,4,3)", "win-block", None), ("tetris", None, 0)]
CASES += [("othello", None, 0), (RACE, None, 0), (RACE, "win-block", None)]
LIMIT = 6  # steps of a game, after which it is truncated


def first_difference(
    spec: str, opponent: str | None, seat: int | None, number: int = 5, steps: int = 9, kind: Any = np.float32
) -> str:
    """Play by both with the same actions, some of which are not legal; tell where they differ, and in what."""
    from plyground.envs.cuda import CudaVectorEnv

    game = games.make(spec)
    agent, options = opponent_of(game, opponent, 0), {"max_steps": LIMIT, "dtype": kind, "seed": 3}
    here, there = (made(game, number, agent, seat, **options) for made in (GameVectorEnv, CudaVectorEnv))

    def differ(one: tuple, other: tuple) -> str:
        (*told, infos), (*also, more) = one, other
        for i, (array, tensor) in enumerate(zip(told, also, strict=True)):
            if not np.array_equal(array, on_host(tensor)):
                return f"part {i}"
        return other_info(infos, more)

    none = {"reset_mask": np.zeros(number, np.bool_)}  # the first time all begin, whatever is said
    begun = 11  # some games end, and others take too many steps
    if found := differ(here.reset(seed=begun, options=none), there.reset(seed=begun, options=none)):
        return f"reset: {found}"
    for step in range(steps):
        actions = here.random_actions()
        if not np.array_equal(actions, on_host(there.random_actions())):
            return f"{step}: random actions"
        actions[step % number] += 1000 * ((step % 7 == 3) - (step % 5 == 2))
        if found := differ(here.step(actions), there.step(actions)):
            return f"{step}: {found}"
        if step in (3, 7):
            some, anew = {"reset_mask": np.arange(number) % 2 == 0}, 8 if step == 3 else None
            if found := differ(here.reset(seed=anew, options=some), there.reset(seed=anew, options=some)):
                return f"reset of some: {found}"
    return ""


def other_info(here: dict[str, Any], there: dict[str, Any]) -> str:
    """The name of the first information that differs where it holds."""
    for name, array in here.items():
        if isinstance(array, dict):
            if found := other_info(array, there[name]):
                return f"{name}, {found}"
            continue
        rows = slice(None) if name.startswith("_") else here[f"_{name}"]
        if not np.array_equal(array[rows], on_host(there[name])[rows]):
            return name
    return ""


def on_host(tensor: Any) -> np.ndarray:
    return tensor if isinstance(tensor, np.ndarray) else tensor.cpu().numpy()


def refused() -> list[str]:
    """What is answered where something cannot be done."""
    wrong: list[Any] = [
        lambda: pg.vector_env("tictactoe", 2, "uct(sims=5)", device="cuda"),
        lambda: pg.vector_env("tictactoe", 2, device="cuda").step(np.zeros(2, np.int64)),
    ]
    wrong += [lambda: pg.vector_env("tictactoe", 2, device="cuda").random_actions()]
    begun: Any = pg.vector_env("tictactoe", 2, device="cuda")
    begun.reset()
    wrong += [lambda: begun.step(np.zeros(3, np.int64)), lambda: begun.step(np.zeros(2))]
    wrong += [lambda: begun.reset(options={"reset_mask": np.ones(3, np.bool_)})]
    return [_told(call) for call in wrong]


def _told(call: Any) -> str:
    try:
        call()
    except InputError as error:
        return str(error)
    return "nothing"


@pytest.fixture(scope="module")
def found() -> Any:
    return simulated(__file__)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str((Path(case[0]).name, *case[1:])))
def test_in_the_simulator_the_games_are_those_of_the_cpu(case: tuple, found: Any) -> None:
    assert found[str(case)] == ""


def test_bytes_large_rows_and_several_blocks(found: Any) -> None:
    assert found["bytes"] == "" and found["not staged"] == "" and found["blocks"] == ""


def test_what_is_refused(found: Any) -> None:
    wanted = [
        "random, win-block or win-block-middle",
        "call reset",
        "call reset",
        "2 whole numbers",
        "not float64",
        "2 booleans",
    ]
    for words, told in zip(wanted, found["refused"], strict=True):
        assert words in told


def test_a_device_that_is_none_and_a_machine_without_a_gpu() -> None:
    with pytest.raises(InputError, match="a device is cpu or cuda, not 'tpu'"):
        pg.vector_env("tictactoe", 2, device="tpu")
    if not has_gpu():
        with pytest.raises(InputError, match=r"no GPU|pip install"):
            pg.vector_env("tictactoe", 2, device="cuda")


def test_rules_that_make_arrays_are_compiled_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    class NumbaError(Exception):
        pass

    class Kernel:
        def __getitem__(self, shape: Any) -> Any:
            if wrong[len(made) - 1]:
                raise wrong[len(made) - 1]
            return lambda *arguments: done.append(arguments)

    made: list[Any] = []
    done: list[tuple] = []
    config = SimpleNamespace(ENABLE_CUDASIM=False)
    nothing: Any = SimpleNamespace(cuda=SimpleNamespace(config=config), torch=None)
    monkeypatch.setattr(cuda.gpu, "letting_make_arrays", lambda cuda: nullcontext())
    launch = cuda.Launch(nothing, lambda: made.append(1) or Kernel(), 1, 1, ("arrays",))  # type: ignore[func-returns-value]
    wrong: list[Any] = [NumbaError("no arrays"), None]
    launch()
    launch()
    assert len(made) == 2 and done == [("arrays",)] * 2
    made, wrong = [], [NumbaError("no arrays"), NumbaError("no lists")]
    launch = cuda.Launch(nothing, lambda: made.append(1) or Kernel(), 1, 1, ())  # type: ignore[func-returns-value]
    with pytest.raises(InputError, match="no lists and sets"):
        launch()
    made, wrong, config.ENABLE_CUDASIM = [], [ValueError("of a rule's own"), None], True
    launch = cuda.Launch(nothing, lambda: made.append(1) or Kernel(), 1, 1, ())  # type: ignore[func-returns-value]
    with pytest.raises(ValueError, match="of a rule's own"):
        launch()


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
@pytest.mark.parametrize("case", CASES, ids=lambda case: str((Path(case[0]).name, *case[1:])))
def test_on_a_gpu_the_games_are_those_of_the_cpu(case: tuple) -> None:
    assert first_difference(*case, number=1000, steps=200) == ""
    assert first_difference(*case, number=1000, steps=50, kind=np.uint8) == ""


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
def test_on_a_gpu_environments_step_in_threads() -> None:
    def played(env: Any) -> np.ndarray:
        env.reset(seed=2)
        seen = [on_host(env.step(env.random_actions())[0]).copy() for _ in range(20)]
        return np.array(seen)

    envs = [pg.vector_env("tictactoe", 100, opponent, device="cuda") for opponent in (None, "random", "win-block")]
    with ThreadPoolExecutor(len(envs)) as pool:
        together = list(pool.map(played, envs))
    for env, seen in zip(envs, together, strict=True):
        assert np.array_equal(seen, played(env))


if __name__ == "__main__":
    os.environ["PYTHONWARNINGS"] = "ignore"
    cuda.TILES = (8,)  # a thread of the simulator is one of Python's
    found: dict[str, Any] = {str(case): first_difference(*case) for case in CASES}
    found["bytes"] = first_difference("tictactoe", None, 0, kind=np.uint8)
    found["blocks"] = first_difference("tictactoe", "random", None, number=9)
    cuda.SHARED = 0
    found["not staged"] = first_difference("tictactoe", None, 0)
    print(json.dumps(found | {"refused": refused()}))
