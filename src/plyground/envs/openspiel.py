"""A game as a `pyspiel.Game`, on which OpenSpiel's own algorithms run."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from .. import rules
from .observations import observation_space, observed

FAR = 1e9  # no game of one player brings more points than this, or so OpenSpiel is told
_made: dict[Any, Any] = {}  # by class, parameters and name


def openspiel_game(game: Any, name: str, max_length: int = rules.LONGEST) -> Any:
    """The game of OpenSpiel; in this process `pyspiel.load_game` knows it, too, by its `get_type().short_name`."""
    key = type(game), game, name, max_length
    if key not in _made:
        _made[key] = _class(game, name, max_length)
    return _made[key]()


def _class(game: Any, name: str, max_length: int) -> Any:
    alone, chance = game.alone(), rules.gives(game, "chance")
    digest = hashlib.sha256(f"{name} {max_length}".encode()).hexdigest()[:8]
    modes = pyspiel.GameType.ChanceMode
    utilities = pyspiel.GameType.Utility
    models = pyspiel.GameType.RewardModel
    kind = pyspiel.GameType(
        short_name=f"plyground_{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')}_{digest}",
        long_name=f"{name} (Plyground)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if chance else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=utilities.GENERAL_SUM if alone else utilities.ZERO_SUM,
        reward_model=models.REWARDS if alone else models.TERMINAL,
        max_num_players=1 if alone else 2,
        min_num_players=1 if alone else 2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    about = pyspiel.GameInfo(
        num_distinct_actions=game.actions(),
        max_chance_outcomes=game.actions() if chance else 0,
        num_players=1 if alone else 2,
        min_utility=-FAR if alone else -1.0,
        max_utility=FAR if alone else 1.0,
        utility_sum=None if alone else 0.0,
        max_game_length=max_length,
    )

    class Game(pyspiel.Game):
        """The rules, as OpenSpiel asks for them."""

        rules_of_game = game

        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, about, params or {})

        def new_initial_state(self, state: Any = None) -> State:
            return State(self)

        def state_at(self, state: Any) -> State:
            """A state whose history begins at this state of our rules, and not at the start of the game."""
            return State(self, state)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
                return Observer(game, params)
            return IIGObserverForPublicInfoGame(iig_obs_type, params)

    Game.__name__ = Game.__qualname__ = kind.short_name
    pyspiel.register_game(kind, Game)
    return Game


class State(pyspiel.State):
    """A position of a game by our rules; its history may begin at any state of them."""

    def __init__(self, game: Any, first: Any = None) -> None:
        super().__init__(game)
        self.rules = game.rules_of_game
        self.first = rules.new(self.rules) if first is None else first
        self.state = self.first.copy()
        self.brought = 0.0  # points since the player's last action, in a game of one player

    def current_player(self) -> Any:
        if self.rules.over(self.state):
            return pyspiel.PlayerId.TERMINAL
        player = int(self.rules.player(self.state))
        return pyspiel.PlayerId.CHANCE if player == rules.CHANCE else player

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(rules.legal(self.rules, self.state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return rules.outcomes(self.rules, self.state)

    def _apply_action(self, action: int) -> None:
        alone, chance = self.rules.alone(), self.rules.player(self.state) == rules.CHANCE
        before = self.rules.score(self.state) if alone else 0.0
        self.rules.play(self.state, action)
        if alone:
            self.brought = float(self.rules.score(self.state) - before) + (self.brought if chance else 0.0)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"chance {action}" if player == pyspiel.PlayerId.CHANCE else str(self.rules.name(action))

    def is_terminal(self) -> bool:
        return bool(self.rules.over(self.state))

    def returns(self) -> list[float]:
        if self.rules.alone():
            return [float(self.rules.score(self.state))]
        score = float(self.rules.score(self.state)) if self.is_terminal() else 0.0
        return [score, -score]

    def rewards(self) -> list[float]:
        return [self.brought] if self.rules.alone() else self.returns()

    def __str__(self) -> str:
        return str(self.rules.text(self.state))

    def __deepcopy__(self, memo: Any) -> State:
        copied = State(self.get_game(), self.first)
        for action in self.history():
            copied.apply_action(action)
        return copied


class Observer:
    """The position as the player to move sees it."""

    def __init__(self, game: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported; passed {params}")
        self._game = game
        shape = observation_space(game).shape
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: State, player: int) -> None:
        self.dict["observation"][:] = observed(self._game, state.state)

    def string_from(self, state: State, player: int) -> str:
        return str(state)
