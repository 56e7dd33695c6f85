"""Vectorised environments: many games at once, in each of which a learner meets an opponent; stepped by compiled code.

The learner chooses an action in every environment; the opponent's reply comes within the same call if it plays at
random or win-block.  Any other opponent is asked: its environment `waits`, and the next call is given its action.
When a game has ended the next one begins at once, so that afterwards the learner is to move everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..jit.first_use import first_use
from ..nets.evaluate import Encoder, legal_all, together
from ..rules import CHANCE, dtype, gives, inner, kernel, new, record
from ..search.rng import FINE, below, outcome, seeded
from ..spec import InputError

RANDOM, WIN_BLOCK, ASKED = range(3)  # how an opponent plays
FIRST, SECOND, BOTH = range(3)  # where the learner sits
LEAVE = -1  # in the place of an action: nothing is played here
LONGEST = 512  # actions that are kept of a game
WINS, DRAWS, LOSSES, INVALID = range(4)  # what is counted

Ask = Callable[[np.ndarray, np.ndarray], np.ndarray]  # states and numbers of opponents to actions

SETTING: list = [
    ("win", np.float64),  # what the learner gets
    ("draw", np.float64),
    ("loss", np.float64),
    ("invalid", np.float64),  # for an action that is not legal; it then chooses again
    ("seats", np.int8),
    ("starts", np.float64),  # share of games that begin with random moves, as many as chance will have it
    ("opponents", np.int64, (2,)),  # how many there are if it sits first, and second: each game is against one of them
    ("others", np.int64),  # the number of the first opponent of a learner that sits second
]


def environment_type(game: Any) -> np.dtype:
    actions = game.actions()
    return record(
        [
            ("state", dtype(game)),
            ("rng", np.uint64),
            ("reward", np.float32),  # for the learner's last action, with whatever the replies to it brought
            ("opponent", np.int32),  # its number
            ("plies", np.int32),
            ("seat", np.int8),  # the learner's
            ("waits", np.bool_),  # for the action of an opponent that is asked
            ("ended", np.bool_),  # the learner's last action, or the reply to it, ended a game
            ("fresh", np.bool_),  # the learner has not moved in this game
            ("moves", np.int16, (actions,)),
            ("weights", np.float64, (actions,)),
            ("played", np.int16, (LONGEST,)),  # the actions of this game
            ("last", np.int16, (LONGEST,)),  # those of the game that ended last
            ("length", np.int32),  # of that game
            ("score", np.float32),  # of that game, for player 0
            ("sat", np.int8),  # where the learner sat in that game
        ]
    )


@kernel
def begin_all(game, envs, first, setting, kinds, tally, chance, heavy):
    """Begin a game in every environment.

    The arguments are those of `step`.
    """
    for i in range(envs.size):
        begin(game, envs, i, first, setting[0], kinds, tally, chance, heavy)


@kernel
def step(game, envs, actions, first, setting, kinds, tally, chance, heavy):
    """Play actions[i] in environment i, for the learner or for an opponent that is asked.

    envs: environment_type[n]; actions int64[n], LEAVE where nothing is played; setting: one record of SETTING;
    first: states that games begin with; kinds int8[opponents]: how each of them plays; tally int64[4]: what is counted.
    `chance` and `heavy` are True or None: does the game have chance events, does an opponent play win-block.
    """
    for i in range(envs.size):
        action = np.int64(actions[i])
        if action == LEAVE:
            continue
        env = envs[i]
        if not env.waits:  # the learner chose
            env.reward, env.ended, env.fresh = 0.0, False, False
            if not is_legal(game, env, action):
                env.reward = setting[0].invalid
                tally[INVALID] += 1
                continue
        play(game, env, action)
        reply(game, env, kinds, chance, heavy)
        if game.over(env.state):
            if env.fresh:
                seat_first(game, envs, i, first)
            else:
                finish(game, env, setting[0], tally)
                begin(game, envs, i, first, setting[0], kinds, tally, chance, heavy)


@inner
def is_legal(game, env, action):
    found = False
    for i in range(game.legal(env.state, env.moves)):
        found |= env.moves[i] == action
    return found


@inner
def play(game, env, action):
    """Play an action that is legal, and note it."""
    if env.plies < LONGEST:
        env.played[env.plies] = action
    env.plies += 1
    game.play(env.state, action)


@inner
def reply(game, env, kinds, chance, heavy):
    """Play on until the learner is to move, or an opponent that is asked, or the game is over."""
    env.waits = False
    while not game.over(env.state):
        player = game.player(env.state)
        if player == env.seat:
            break
        action = np.int64(LEAVE)
        if chance is not None:
            if player == CHANCE:
                action = outcome(game, env.state, env)
        if action == LEAVE:
            kind = kinds[env.opponent]
            if kind == ASKED:
                env.waits = True
                break
            count = 0
            if heavy is not None:
                if kind == WIN_BLOCK:
                    count = game.wins(env.state, player, env.moves)
                    if count == 0:
                        count = game.wins(env.state, 1 - player, env.moves)
            if count == 0:
                count = game.legal(env.state, env.moves)
            action = np.int64(env.moves[below(env, count)])
        play(game, env, action)


@inner
def finish(game, env, setting, tally):
    """Reward the learner for the end of a game, and count it."""
    score = game.score(env.state) * (1 - 2 * env.seat)
    side = setting.win if score > 0 else setting.loss
    env.reward = setting.draw + (side - setting.draw) * abs(score)
    env.ended = True
    env.score = game.score(env.state)
    env.sat = env.seat
    tally[WINS if score > 0 else LOSSES if score < 0 else DRAWS] += 1
    env.length = min(env.plies, LONGEST)
    for i in range(env.length):
        env.last[i] = env.played[i]


@inner
def begin(game, envs, i, first, setting, kinds, tally, chance, heavy):
    """Begin a game: draw the opponent and the seat, play random moves at the start if chance will have it."""
    env = envs[i]
    env.seat = below(env, 2) if setting.seats == BOTH else setting.seats
    env.opponent = setting.others if env.seat == 1 else 0
    if setting.opponents[env.seat] > 1:
        env.opponent += below(env, setting.opponents[env.seat])
    set_up(game, envs, i, first)
    if setting.starts > 0:
        if below(env, FINE) < setting.starts * FINE:
            wanted = below(env, game.actions())
            for _ in range(wanted):
                if game.player(env.state) == CHANCE:
                    break
                count = game.legal(env.state, env.moves)
                play(game, env, np.int64(env.moves[below(env, count)]))
                if game.over(env.state):  # too far
                    set_up(game, envs, i, first)
    reply(game, env, kinds, chance, heavy)
    if game.over(env.state):
        seat_first(game, envs, i, first)


@inner
def set_up(game, envs, i, first):
    """Set up the first position."""
    envs["state"][i] = first[below(envs[i], first.size) if first.size > 1 else 0]
    envs[i].plies = 0
    envs[i].fresh = True


@inner
def seat_first(game, envs, i, first):
    """The opponent ended a game before the learner's first move.  That one does not count; let the learner begin."""
    set_up(game, envs, i, first)
    envs[i].seat = game.player(envs[i].state)


class Batch:
    """A batch of environments of one game.

    `inputs` float32[n, features] is what the learner sees now, `legal` bool[n, actions] what it may play; `rewards`
    and `ended` tell what its last action brought, `tally` counts wins, draws, losses and invalid actions.
    """

    def __init__(
        self,
        game: Any,
        number: int,
        seed: int,
        *,
        input: str | None = None,
        opponents: list[str] | None = None,
        others: list[str] | None = None,
        ask: Ask | None = None,
        seats: int = FIRST,
        rewards: tuple[float, float, float, float] = (1.0, 0.0, -1.0, -1.0),
        starts: float = 0.0,
        first: np.ndarray | None = None,
    ) -> None:
        """`opponents` are "random", "win-block", or anything else, which is asked; `ask` answers for these.  `others`
        play in their place where the learner sits second.  `first` are states that games begin with, each as likely as
        any other; None: the start of the game.

        Without an `input` nothing is encoded: the states are in `envs["state"]`.
        """
        names = (opponents or ["random"]) + (others or [])
        ours = len(names) - len(others or [])
        if "win-block" in names and not gives(game, "wins"):
            raise InputError("win-block within a batch needs a game that lists its wins")
        self.game, self._encode, self._ask = game, Encoder(game, input) if input else None, ask
        self.envs = np.zeros(number, environment_type(game))
        self.envs["rng"] = [seeded(seed * 1_000_003 + i) for i in range(number)]
        self.setting = np.zeros(1, record(SETTING))
        values = (*rewards, seats, starts, (ours, len(others or names)), ours if others else 0)
        for (name, *_), value in zip(SETTING, values, strict=True):
            self.setting[name] = value
        self.kinds = np.array([{"random": RANDOM, "win-block": WIN_BLOCK}.get(name, ASKED) for name in names], np.int8)
        self.tally = np.zeros(4, np.int64)
        self.legal = np.zeros((number, game.actions()), np.bool_)
        self._first = together([new(game)]) if first is None else first
        self._moves = np.zeros(game.actions(), np.int16)
        self._flags = [True if on else None for on in (gives(game, "chance"), "win-block" in names)]
        self._rest = (self._first, self.setting, self.kinds, self.tally, *self._flags)
        with first_use():
            begin_all(game, self.envs, *self._rest)
            step(game, self.envs, np.full(number, LEAVE), *self._rest)
        self._answer()

    def begin_from(self, states: np.ndarray) -> None:
        """Let the game in every environment go on from another state, in which a player is to move.

        If that is not the learner, its opponent has to be one that is asked.
        """
        seats = self.envs["seat"]
        self.envs["state"], self.envs["plies"], self.envs["fresh"] = states, 0, False
        self.envs["waits"] = [self.game.player(state) != seat for state, seat in zip(states, seats, strict=True)]
        self._answer()

    def step(self, actions: np.ndarray) -> None:
        """Play the learner's actions int64[n]; afterwards it is to move everywhere."""
        step(self.game, self.envs, actions, *self._rest)
        self._answer()

    def _answer(self) -> None:
        """Let opponents that are asked move, and look at where the learner is then."""
        while self._ask is not None and self.envs["waits"].any():
            waits = np.flatnonzero(self.envs["waits"])
            actions = np.full(len(self.envs), LEAVE)
            actions[waits] = self._ask(self.envs["state"][waits], self.envs["opponent"][waits])
            step(self.game, self.envs, actions, *self._rest)
        self.look()

    def look(self) -> None:
        """See where the learner is now, if there is an input to see it by."""
        if self._encode:
            self.inputs = self._encode(self.envs["state"])
            self.legal[:] = False
            legal_all(self.game, self.envs["state"], self._moves, self.legal)

    @property
    def rewards(self) -> np.ndarray:
        return self.envs["reward"]

    @property
    def ended(self) -> np.ndarray:
        return self.envs["ended"]
