"""What vector environments have in common, wherever they are stepped."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..agents.base import Agent
from ..spec import InputError
from .observations import has_planes, must_be_seed, observation_space


class ManyGames(VectorEnv):
    """n games at once; whatever it returns has n rows.

    A learner that has an opponent sits at `seat`; None: one that is drawn for every game.  Without an opponent it plays
    for whoever is to move, `infos["player"]`, and a reward is for the player whose action it was.  In a game of one
    player a reward is the points that an action brought.  An action that is not legal (`infos["action_mask"]` tells)
    ends the game with reward -1.  A game that has ended is followed by the next one in the same step; then
    `infos["final_obs"]` and `infos["final_info"]` tell of its last position, where `infos["_final_obs"]` says so.
    """

    _everywhere: Any  # bool[n], all of them

    def __init__(self, game: Any, num_envs: int, opponent: Agent | None, dtype: Any, copy: bool, seed: int) -> None:
        self.game, self.num_envs, self.opponent = game, num_envs, opponent
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space: Any = observation_space(game, dtype)
        self.single_action_space = spaces.Discrete(game.actions())
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._planes, self._copy, self._seed, self._begun = has_planes(game), copy, seed, False
        self._known: dict[bool, dict[str, Any]] = {}  # what `_told` says

    def _chosen_by(self, options: dict[str, Any] | None, seed: int | None) -> Any:
        """Where `reset` begins a game: everywhere, unless `options["reset_mask"]` says; InputError if that, or the
        seed, makes no sense."""
        must_be_seed(seed)
        mask = (options or {}).get("reset_mask")
        chosen = np.ones(self.num_envs, np.bool_) if mask is None else mask
        if tuple(getattr(chosen, "shape", ())) != (self.num_envs,) or not str(chosen.dtype).endswith("bool"):
            raise InputError(f"reset_mask is {self.num_envs} booleans, one for each environment")
        return chosen

    def _array(self, name: str) -> Any:
        """One of the arrays of `kernel.Batch`, a copy of it if copies are returned."""
        raise NotImplementedError

    def _told(self, ended: bool = False) -> dict[str, Any]:
        """`_infos`; if no copies are returned, of arrays that are always the same."""
        if self._copy:
            return self._infos(ended)
        if ended not in self._known:
            self._known[ended] = self._infos(ended)
        infos = self._known[ended].copy()
        if ended:
            infos["final_info"] = infos["final_info"].copy()
        return infos

    def _infos(self, ended: bool = False) -> dict[str, Any]:
        """What is known besides observations, as Gymnasium has it: beside every array, under the same name with a `_`,
        where it holds; of games that have `ended`, too."""
        array, here = self._array, self._everywhere
        infos = {"action_mask": array("masks"), "_action_mask": here, "player": array("players"), "_player": here}
        if ended:
            mask, player, here = array("final_masks"), array("final_players"), array("ended")
            infos["final_obs"] = array("final_observations")
            infos["final_info"] = {"action_mask": mask, "_action_mask": here, "player": player, "_player": here}
            infos["_final_obs"] = infos["_final_info"] = here
        return infos

    def _must_be_actions(self, actions: Any) -> None:
        """InputError unless these are actions, and there is a game to play them in."""
        self._must_have_begun()
        if tuple(actions.shape) != (self.num_envs,) or not _are_whole(actions.dtype):
            kind = str(actions.dtype).removeprefix("torch.")
            raise InputError(f"actions are {self.num_envs} whole numbers, not {kind} of shape {tuple(actions.shape)}")

    def _must_have_begun(self) -> None:
        if not self._begun:
            raise InputError("call reset before the first step, and again after an opponent has failed")


@cache
def _are_whole(kind: Any) -> bool:
    """Are numbers of this type, NumPy's or PyTorch's, whole ones?  To spell its name takes long."""
    return str(kind).removeprefix("torch.").removeprefix("u").startswith("int")
