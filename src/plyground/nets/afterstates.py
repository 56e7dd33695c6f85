"""What nets and controllers see of the actions in a game of one player: the *afterstate*, before chance moves.

The rules say which state every action leaves (Sutton and Barto, 2018, section 6.8).  So a net need not have an output
for each action: it is shown one afterstate after the other, as a vector of numbers, and gives each its worth.  The
vector comes from the game's own rules `planes` and `encode`; a family of games may bring better ones (see `Afterstates`
and the manifest).  The last number of a vector is always what the action itself scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..jit.first_use import first_use
from ..manifest import ask
from ..rules import dtype, gives, kernel, let_kernels_call, record
from ..spec import InputError, nearest
from .card import AFTERSTATES, Card

ENCODED = "encoded"  # the input that every game has which encodes its states


class Features:
    """What kernels ask of the features of an action: a `NamedTuple` with these methods."""

    def room(features, game):
        """The fields of a record in which `see` may work; asked outside kernels."""

    def numbers(features, game):
        """How many numbers there are about an action; asked outside kernels."""

    def see(features, game, state, action, after, room, out):
        """Write the numbers about an action of `state`, which leaves the state `after`, into out float32[numbers].

        The last one is what the action scores, in units of `Afterstates.unit`.
        """


let_kernels_call("see", Features.see)


class Encoded(NamedTuple):
    """The afterstate as the game encodes it, all planes in a row, and the points of the action."""

    planes: int
    height: int
    width: int

    def room(features, game):
        return [("unused", np.int8)]

    def numbers(features, game):
        return features.planes * features.height * features.width + 1

    def see(features, game, state, action, after, room, out):
        out[:] = 0
        game.encode(after, out[: out.size - 1].reshape((features.planes, features.height, features.width)))
        out[out.size - 1] = game.score(after) - game.score(state)


class Weighted(NamedTuple):
    """A scoring for `Lookahead`: what an action is worth is the sum of its features times weights."""

    features: Any
    weights: np.ndarray  # float64[numbers]

    def room(scoring, game):
        after, inputs = ("after", dtype(game)), ("inputs", np.float32, (len(scoring.weights),))
        return [after, inputs, ("room", record(scoring.features.room(game)))]

    def rate(scoring, game, state, actions, count, points, room):
        for k in range(count):
            room.after = state
            game.play(room.after, np.int64(actions[k]))
            scoring.features.see(game, state, np.int64(actions[k]), room.after, room.room, room.inputs)
            points[k] = 0.0
            for i in range(scoring.weights.size):
                points[k] += scoring.weights[i] * room.inputs[i]

    def gain(scoring, game, state, action):
        return 0.0


@dataclass(frozen=True)
class Afterstates:
    """How the actions of a game are seen: what a family tells by `afterstates` in its manifest, or the default."""

    features: Mapping[str, Any]  # by the name of the input; the first one is the usual
    unit: float = 1.0  # points that the last number of a vector counts as one
    end_is_loss: bool = False  # an action that ends the game earns nothing, and is chosen only if all do
    counts: str = ""  # the field of a state that people count, if it is not the score
    controller: Callable[[np.ndarray], Any] | None = None  # weights to a scoring for `Lookahead`, if not `Weighted`
    weights: int = 0  # how many that takes, each of a number of the first input
    fast: Any = None  # a scoring that plays roll-outs

    def linear(self, game: Any) -> tuple[Callable[[np.ndarray], Any], int]:
        """What makes a linear controller of float64[weights] for the first input, and how many weights it takes."""
        if self.controller is not None:
            return self.controller, self.weights
        features = next(iter(self.features.values()))
        return partial(Weighted, features), features.numbers(game)


def afterstates(game: Any) -> Afterstates:
    """Those of a game of one player; InputError if nobody says how its states look."""
    must_be_seen(game)
    told = ask(game, "afterstates")
    return Afterstates({ENCODED: Encoded(*game.planes())}) if told is None else told


def must_be_seen(game: Any) -> None:
    """InputError unless this is a game of one player whose afterstates can be seen."""
    if not game.alone():
        raise InputError("this is for games of one player, and two play this one")
    if not gives(game, "encode", "planes"):
        raise InputError("a net needs a game that encodes its states; the rules `planes` and `encode` do")


class Successors(NamedTuple):
    """The afterstates of all actions of some states, those of a state together."""

    inputs: np.ndarray  # float32[n, numbers]: their afterstates
    owners: np.ndarray  # int64[n]: the state's number
    actions: np.ndarray  # int64[n]
    ended: np.ndarray  # bool[n]: the game is over then
    lost: np.ndarray  # bool[n]: and that is a loss

    @property
    def starts(self) -> np.ndarray:
        """int64[states]: where the actions of each state begin; every state has some."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    @property
    def sensible(self) -> np.ndarray:
        """bool[n]: it does not lose the game, or all actions of its state do."""
        safe = np.logical_or.reduceat(~self.lost, self.starts)
        return ~self.lost | ~safe[self.owners]


@kernel
def see_all(game, features, states, after, workspace, inputs, owners, actions, ended):
    """Look at all actions in these states; return how many there are.

    after: one state to work in; workspace: see `AfterstateEncoder`.  The others as in `Successors`, from the front.

    features: see `Features`; states [n]; inputs float32[many, numbers], owners, actions int64[many], ended bool[many].
    """
    count = 0
    for i in range(states.size):
        for k in range(game.legal(states[i], workspace[0].moves)):
            action = np.int64(workspace[0].moves[k])
            after[0] = states[i]
            game.play(after[0], action)
            features.see(game, states[i], action, after[0], workspace[0].room, inputs[count])
            owners[count], actions[count], ended[count] = i, action, game.over(after[0])
            count += 1
    return count


class AfterstateEncoder:
    """Makes a net's inputs of all actions in many states of one game."""

    def __init__(self, game: Any, input: str = "") -> None:
        self.game, self.afterstates = game, afterstates(game)
        self.input = input or next(iter(self.afterstates.features))
        if self.input not in self.afterstates.features:
            known = list(self.afterstates.features)
            raise InputError(f"input is one of {', '.join(known)}{nearest(self.input, known)}")
        self.features = self.afterstates.features[self.input]
        self.numbers = self.features.numbers(game)
        fields = [("moves", np.int16, (game.actions(),)), ("room", record(self.features.room(game)))]
        self._workspace = np.zeros(1, record(fields))
        self._after = np.zeros(1, dtype(game))
        with first_use():  # no state
            self(self._after[:0])

    def __call__(self, states: np.ndarray) -> Successors:
        """All actions in states in which the player moves."""
        states, room = np.ascontiguousarray(states), len(states) * self.game.actions()
        inputs = np.empty((room, self.numbers), np.float32)
        owners, actions, ended = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.bool_)
        found = see_all(self.game, self.features, states, self._after, self._workspace, inputs, owners, actions, ended)
        ended = ended[:found]
        lost = ended if self.afterstates.end_is_loss else np.zeros(found, np.bool_)
        return Successors(inputs[:found], owners[:found], actions[:found], ended, lost)


def encoder_of(card: Card, game: Any) -> AfterstateEncoder:
    """The encoder that a net has learnt by; InputError unless the net rates afterstates, and those of this game."""
    if card.kind != AFTERSTATES:
        raise InputError(f"the net of {card.game} does not rate afterstates: the agent net or alphazero plays it")
    made = AfterstateEncoder(game, card.input)
    if card.sizes[0] != made.numbers or card.sizes[-1] != (2 if card.output == "policy-value" else 1):
        raise InputError(
            f"the net of {card.game} is for another game: it takes {card.sizes[0]} numbers about an action, "
            f"and this one has {made.numbers}"
        )
    return made
