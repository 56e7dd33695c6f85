"""A game as a PettingZoo environment: agents move in turns, `player_0` and `player_1`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .. import rules
from .kernel import ILLEGAL
from .observations import mask_of, observation_space, observed


class GameAECEnv(AECEnv):
    """Agents are the seats of the game.  What one observes is `{"observation", "action_mask"}`, as in PettingZoo's own
    classic games; the mask of a player who is not to move is empty.  Rewards come at the end, or, in a game of one
    player, with every action: the points that it brought."""

    def __init__(
        self, game: Any, name: str, *, max_steps: int = rules.LONGEST, render_mode: str | None = None, seed: int = 0
    ) -> None:
        """name: what people call the game.  max_steps: actions after which a game is truncated."""
        super().__init__()
        self.metadata = {"render_modes": ["ansi"], "name": name, "is_parallelizable": False}
        self.game, self.render_mode, self._limit = game, render_mode, max_steps
        self.possible_agents = [f"player_{seat}" for seat in range(1 if game.alone() else 2)]
        mask = spaces.Box(0, 1, (game.actions(),), np.int8)
        seen = spaces.Dict({"observation": observation_space(game), "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {agent: spaces.Discrete(game.actions()) for agent in self.possible_agents}
        self._chance = np.random.default_rng(seed)
        self.state_of_game: Any = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Begin a game; a seed fixes what nature does."""
        if seed is not None:
            self._chance = np.random.default_rng(seed)
        self.state_of_game, self._steps = rules.new(self.game), 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._let_nature_move()
        self._select()

    def step(self, action: Any) -> None:
        """Play an action of the player to move."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        game, state, mover = self.game, self.state_of_game, self.agent_selection
        points = game.score(state) if game.alone() else 0.0
        self._cumulative_rewards[mover] = 0.0
        self._steps += 1
        game.play(state, int(action))
        self._let_nature_move()
        over = bool(game.over(state))
        self._clear_rewards()
        for seat, agent in enumerate(self.possible_agents):
            if game.alone():
                self.rewards[agent] = float(game.score(state) - points)
            elif over:
                self.rewards[agent] = float(game.score(state) * (1 - 2 * seat))
            self.terminations[agent] = over
            self.truncations[agent] = not over and self._steps >= self._limit
        self._select()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What this player may play, and the position as it is seen by whoever is to move."""
        game, state = self.game, self.state_of_game
        mine = not game.over(state) and agent == self.agent_selection
        mask = mask_of(game, rules.legal(game, state) if mine else [])
        return {"observation": observed(game, state), "action_mask": mask}

    def render(self) -> str | None:
        """The position on several lines, for people."""
        return self.game.text(self.state_of_game) if self.render_mode == "ansi" else None

    def close(self) -> None: ...

    def _let_nature_move(self) -> None:
        game, state = self.game, self.state_of_game
        while not game.over(state) and game.player(state) == rules.CHANCE:
            game.play(state, rules.drawn_outcome(game, state, self._chance))

    def _select(self) -> None:
        """The next agent: whoever is to move, or, when the game has ended, each in turn."""
        if not self.game.over(self.state_of_game):
            self.agent_selection = self.possible_agents[self.game.player(self.state_of_game)]
        else:
            self.agent_selection = self.possible_agents[0]


def aec(game: Any, name: str, **options: Any) -> AECEnv:
    """The environment as PettingZoo wraps its own: an action that is not legal ends the game with reward -1."""
    made = wrappers.TerminateIllegalWrapper(GameAECEnv(game, name, **options), illegal_reward=ILLEGAL)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))
