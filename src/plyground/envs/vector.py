"""Vector environments: many games at once as one `gymnasium.vector.VectorEnv`, at the speed of compiled code."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .. import rules
from ..agents.base import Agent
from ..jit.first_use import first_use
from ..machine import cores
from ..rules import bound
from ..search.rng import streams
from .kernel import DRAWN, LEAVE, Scratch, arrays_of, begin_all, draw_all, new_batch, part, stepping, workspace_type
from .many import ManyGames
from .observations import write_fields
from .opponents import middle_of, replies, setting_of

SHARE = 512  # environments for which it is worth to wake a thread


class GameVectorEnv(ManyGames):
    """Many games at once on a CPU, in threads."""

    def __init__(
        self,
        game: Any,
        num_envs: int,
        opponent: Agent | None = None,
        seat: int | None = 0,
        *,
        threads: int = 0,
        max_steps: int = rules.LONGEST,
        dtype: Any = np.float32,
        copy: bool = True,
        seed: int = 0,
    ) -> None:
        """threads: 0 for one a core.  max_steps: actions of the learner after which a game is truncated.  copy: return
        copies; otherwise the next step writes over what this one returned."""
        super().__init__(game, num_envs, opponent, dtype, copy, seed)
        self.batch = new_batch(game, num_envs, self.single_observation_space.shape, dtype, self._planes)
        self.arrays = arrays_of(self.batch)
        setting = setting_of(game, opponent)
        self._asked = opponent if setting.asked else None
        self._ranges = _ranges(num_envs, threads or cores())
        self._pool = ThreadPoolExecutor(len(self._ranges) - 1) if len(self._ranges) > 1 else None
        self._actions, self._drawn = np.zeros(num_envs, np.int64), np.zeros(num_envs, np.int64)
        self._chosen, self._everywhere = np.ones(num_envs, np.bool_), np.ones(num_envs, np.bool_)
        encode = True if self._planes else None
        rest = (max_steps, encode, setting, np.zeros(1, rules.dtype(game)), DRAWN if seat is None else seat)
        with first_use(3):
            own = [(rows, part(self.batch, rows), _scratch(game, opponent)) for rows in self._ranges]
            self._begin = [bound(begin_all, game, batch, self._chosen[rows], *rest, room) for rows, batch, room in own]
            step = stepping(game)
            self._step = [bound(*step, batch, self._actions[rows], *rest, room) for rows, batch, room in own]
            self._draw = bound(draw_all, self.batch.envs, self.batch.masks, self._drawn)
        if self._asked:
            self._asked.ready(game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin a game everywhere, or where `options["reset_mask"]` says; a seed fixes all that chance decides."""
        chosen = self._chosen_by(options, seed)
        if seed is not None or not self._begun:
            self._seed = self._seed if seed is None else seed
            self.batch.envs["rng"] = streams(self._seed, self.num_envs)
            if self._asked:
                self._asked.begin(self._seed)
        self._chosen[:] = chosen | (not self._begun)  # at first there is no game to go on with
        self._begun = False  # unless the opponent answers
        self._in_threads(self._begin)
        self._answer()
        self._begun = True
        return self._observed(), self._told()

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action everywhere: `observations, rewards, terminations, truncations, infos`."""
        chosen = np.asarray(actions)
        self._must_be_actions(chosen)
        self._actions[:] = chosen
        self._begun = False  # unless the opponent answers
        self._in_threads(self._step)
        self._answer()
        self._begun = True
        observations, array = self._observed(), self._array
        infos = self._told(ended=not self._copy or bool(self.batch.ended.any()))
        return observations, array("rewards"), array("terminated"), array("truncated"), infos

    def random_actions(self) -> np.ndarray:
        """A legal action for every environment, each as likely as any other, by its own random numbers."""
        self._must_have_begun()
        self._draw()
        return self._drawn.copy() if self._copy else self._drawn

    def close_extras(self, **kwargs: Any) -> None:
        if self._pool:
            self._pool.shutdown()
        if self._asked:
            self._asked.close()

    def _in_threads(self, calls: list[Callable[[], None]]) -> None:
        """Let every thread do its range of environments, this one the first."""
        if self._pool is None:
            calls[0]()
            return
        waiting = [self._pool.submit(call) for call in calls[1:]]
        calls[0]()
        for one in waiting:
            one.result()

    def _answer(self) -> None:
        """Ask the opponent wherever it is to move, until it is nowhere."""
        while self._asked and self.batch.waits.any():
            here = np.flatnonzero(self.batch.waits)
            self._actions[:] = LEAVE
            self._actions[here] = replies(self._asked, self.game, self.batch.envs["state"][here])
            self._in_threads(self._step)

    def _array(self, name: str) -> np.ndarray:
        return self.arrays[name].copy() if self._copy else self.arrays[name]

    def _observed(self) -> np.ndarray:
        if not self._planes:
            write_fields(self.game, self.batch.envs["state"], self.arrays["observations"])
            write_fields(self.game, self.batch.finals, self.arrays["final_observations"])
        return self._array("observations")


def _scratch(game: Any, opponent: Agent | None) -> Scratch:
    """Room for one thread."""
    workspaces, middle = np.zeros(1, workspace_type(game, setting_of(game, opponent))), middle_of(opponent, game)
    workspaces["middle"][0, : len(middle)], workspaces["middles"] = middle, len(middle)
    return Scratch(workspaces, np.zeros(2, rules.dtype(game)))


def _ranges(number: int, threads: int) -> list[slice]:
    """The environments that each thread does, where it is worth to wake one."""
    parts = max(1, min(threads, number // SHARE))
    return [slice(number * i // parts, number * (i + 1) // parts) for i in range(parts)]
