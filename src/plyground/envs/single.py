"""One game as a `gymnasium.Env`: a learner in one seat, an agent in the other."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .. import rules
from ..agents.base import Agent
from ..spec import InputError
from .kernel import ILLEGAL
from .observations import mask_of, observation_space, observed
from .opponents import reply


class GameEnv(gymnasium.Env[np.ndarray, np.int64]):
    """A game by its rules as they are written, without the compiler; `GameVectorEnv` is the fast one.

    An observation is the position as the player to move sees it; `info["action_mask"]` says what may be played (as
    `action_masks()` does, where a library asks for that).  The reward comes at the end: 1 won, -1 lost, 0 drawn for the
    learner; in a game of one player it is the points that an action brought.  An action that is not legal ends the
    game with reward -1.  Without an opponent the learner plays for whoever is to move, `info["player"]`.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # as gymnasium has it

    def __init__(
        self,
        game: Any,
        opponent: Agent | None = None,
        seat: int | None = 0,
        *,
        max_steps: int = rules.LONGEST,
        render_mode: str | None = None,
        seed: int = 0,
    ) -> None:
        """seat: the learner's; None: drawn for every game.  max_steps: of the learner, then the game is truncated."""
        self.game, self.opponent, self.render_mode = game, opponent, render_mode
        self.observation_space = observation_space(game)
        self.action_space = spaces.Discrete(game.actions())
        self._wanted, self._limit, self._seed = seat, max_steps, seed
        self._chance: np.random.Generator | None = None
        self.seat, self.state = seat or 0, None  # of the learner; of the game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin a game, or go on from `options["state"]`; a seed fixes all that chance decides."""
        super().reset(seed=seed)
        if seed is not None or self._chance is None:
            self._chance = np.random.default_rng(self._seed if seed is None else seed)
        if self.opponent is not None:
            self.opponent.begin(int(self._chance.integers(2**31)))
        self.seat = int(self._chance.integers(2)) if self._wanted is None else self._wanted
        given = (options or {}).get("state")
        self.set_to_state(rules.new(self.game) if given is None else given)
        if given is None and self.game.over(self.state):  # before the learner's first move; so let it begin
            self.state = rules.new(self.game)
            self._let_nature_move()
            self.seat = self.game.player(self.state)
        return self._seen(), self._info()

    def set_to_state(self, state: Any) -> None:
        """Let the game go on from a copy of this state; nature and the opponent move if it is their turn."""
        self.state, self._steps = state.copy(), 0
        self._go_on()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action: `observation, reward, terminated, truncated, info`."""
        game, state = self.game, self.state
        if state is None or game.over(state):
            raise InputError("call reset before the first step, and when a game has ended")
        mover, points = game.player(state), game.score(state) if game.alone() else 0.0
        self._steps += 1
        if action not in rules.legal(game, state):
            seen, info = self._seen(), self._info()
            self.state = None
            return seen, ILLEGAL, True, False, info
        game.play(state, int(action))
        self._go_on()
        over = bool(game.over(state))
        if game.alone():
            reward = float(game.score(state) - points)
        else:
            reward = float(game.score(state) * (1 - 2 * mover)) if over else 0.0
        return self._seen(), reward, over, not over and self._steps >= self._limit, self._info()

    def render(self) -> str | None:
        """The position on several lines, for people."""
        return self.game.text(self.state) if self.render_mode == "ansi" and self.state is not None else None

    def action_masks(self) -> np.ndarray:
        """bool[actions]: what may be played now."""
        return self._mask().astype(bool)

    def close(self) -> None:
        if self.opponent is not None:
            self.opponent.close()

    def _go_on(self) -> None:
        """Let nature and the opponent move until the learner is to move, or the game is over."""
        self._let_nature_move()
        while self.opponent is not None and not self.game.over(self.state):
            if self.game.player(self.state) == self.seat:
                break
            self.game.play(self.state, reply(self.opponent, self.game, self.state))
            self._let_nature_move()

    def _let_nature_move(self) -> None:
        while not self.game.over(self.state) and self.game.player(self.state) == rules.CHANCE:
            self._chance = self._chance or np.random.default_rng(self._seed)
            self.game.play(self.state, rules.drawn_outcome(self.game, self.state, self._chance))

    def _mask(self) -> np.ndarray:
        over = self.state is None or self.game.over(self.state)
        return mask_of(self.game, [] if over else rules.legal(self.game, self.state))

    def _seen(self) -> np.ndarray:
        return observed(self.game, self.state)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "player": int(self.game.player(self.state))}
