"""What the learners of games of one player share: many games at once, and how much a controller scores.

They see an action through its afterstate (`nets.afterstates`), and learn to rate these.  An action earns

    r = alive, unless it ends the game  +  point * what it scores

and what chance scores after it.  Where the end of the game is a loss (`Afterstates.end_is_loss`), an action that ends
it earns nothing, and is never chosen if there is another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..agents.linear import APART, Games
from ..jit.first_use import first_use
from ..nets.afterstates import AfterstateEncoder, Successors, afterstates, must_be_seen
from ..nets.card import AFTERSTATES, Card
from ..nets.later import models, torch
from ..rules import CHANCE, dtype, inner, kernel, new, record
from ..search.rng import outcome, seeded
from ..spec import About, InputError
from .base import Learner, Options, widths

MEASURED = 40  # games in which a net is measured

Pick = Callable[[np.ndarray, Successors], np.ndarray]  # states, and their actions, to the number of one for each
Rate = Callable[[np.ndarray], np.ndarray]  # afterstates float32[n, numbers] to their worth float32[n]


@dataclass(frozen=True)
class OnePlayerOptions(Options):
    moves: Annotated[int, About("moves of training", low=1)] = 200_000
    input: Annotated[str, About("what the net sees of an action, if the game has several; the first unless told")] = ""
    hidden: Annotated[str, About("units of the hidden layers, like 64 or 64,64")] = "32,32"
    lr: Annotated[float, About("Adam's learning rate", low=0, high=10)] = 0.003
    gamma: Annotated[float, About("discount: what a reward one move later is worth", low=0, high=1)] = 0.99
    alive: Annotated[float, About("reward for a move that does not end the game")] = 0.0
    point: Annotated[float, About("reward for a point, or for as many as the game's family counts as one")] = 1.0
    limit: Annotated[int, About("moves after which a game that is measured is ended", low=1)] = 1_000
    measure_every: Annotated[int, About("moves between two measurements; 0: only at the end", low=0)] = 20_000
    checkpoint_every: Annotated[int, About("moves between two checkpoints", low=1)] = 10_000

    formerly: ClassVar = {"pieces": "moves", "piece": "alive"}


class OnePlayerLearner(Learner):
    """Learns a game of one player."""

    shares = False
    learns = "games of one player, with chance or without, that give the rules `planes` and `encode`"
    example = "'tetris(6,12,\"simplified\")'"
    unit = "moves"

    @classmethod
    def must_suit(cls, game: Any) -> None:
        must_be_seen(game)

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.counts = afterstates(game).counts or "score"
        self.curve = (self.counts,)  # type: ignore[misc]

    @property
    def steps(self) -> int:
        return self.options.moves

    def headline(self, figures: dict[str, Any]) -> str:
        if figures.get(self.counts) is None:
            return self.unit
        interval, what = figures[f"{self.counts}_interval"], "points" if self.counts == "score" else self.counts
        return f"{figures[self.counts]:,.1f} ± {interval:,.1f} {what} a game"

    def figures_of(self, played: Games) -> dict[str, float]:
        """The mean of what counts and half of its 95 % interval, the mean score, the share that the limit ended."""
        counted = played.scores if self.counts == "score" else played.states[self.counts]
        interval = 1.96 * counted.std(ddof=1) / len(counted) ** 0.5
        figures = {self.counts: counted.mean(), f"{self.counts}_interval": interval}
        figures |= {"score": played.scores.mean(), "unfinished": (~played.ended).mean()}
        return {name: float(value) for name, value in figures.items()}


class NetLearner(OnePlayerLearner):
    """Learns by a net, in many games at once."""

    output = "q"  # what the net tells
    outputs = 1  # in so many numbers

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.encoder = AfterstateEncoder(game, options.input)
        self.world = AfterstateWorld(self.encoder, options.environments, seed)
        self.sizes = [self.encoder.numbers, *widths(options.hidden), self.outputs]
        self.model = models.ActionMLP(self.sizes, seed)
        torch.set_num_threads(1)  # small matrices: a second thread costs more than it does

    def rewards(self, inputs: np.ndarray, ended: np.ndarray, lost: np.ndarray) -> np.ndarray:
        """What actions earn by themselves: float32[n] of their afterstates."""
        earned = np.where(ended, np.float32(0), np.float32(self.options.alive)) + self.options.point * inputs[:, -1]
        return np.where(lost, 0, earned).astype(np.float32)

    def drawn(self) -> np.ndarray:
        """What chance has given after the last actions: float32[games]."""
        return (self.options.point / self.encoder.afterstates.unit * self.world.envs["drawn"]).astype(np.float32)

    def measure(self) -> dict[str, float]:
        """Scores of games in which the net always takes the action that it says most for."""
        return self.figures_of(self.unsearched(MEASURED))

    def unsearched(self, number: int) -> Games:
        """Games by the net without any search, with other chance events than those of training."""

        def rate(inputs: np.ndarray) -> np.ndarray:
            self.may_stop()
            return self.rate(inputs)

        return play_at_once(self.encoder, rate, number, self.options.limit, -1 - self.seed)

    def rate(self, inputs: np.ndarray) -> np.ndarray:
        return rated(self.model, inputs)

    def net(self) -> tuple[models.ActionMLP, Card]:
        return self.model, Card(self.sizes, self.encoder.input, self.output, self.name, kind=AFTERSTATES)


def rated(net: models.ActionMLP, inputs: np.ndarray) -> np.ndarray:
    """What a net says of actions: float32[n]."""
    return judged(net, inputs)[:, 0]


def judged(net: models.ActionMLP, inputs: np.ndarray) -> np.ndarray:
    """All that it says: float32[n, outputs].  In memory that PyTorch took, which does not change how it rounds."""
    with torch.inference_mode():
        said = net(torch.tensor(inputs)).numpy()
    if not np.isfinite(said).all():
        raise InputError("the net says numbers that are none: it learns too fast, take a smaller --lr")
    return said


def best(seen: Successors, worth: np.ndarray) -> np.ndarray:
    """int64[states]: the number of the best sensible action in each state; of several that are equal, the first."""
    worth = np.where(seen.sensible, worth, -np.inf)
    starts = seen.starts
    tops = np.flatnonzero(worth == np.maximum.reduceat(worth, starts)[seen.owners])
    return tops[np.flatnonzero(np.diff(seen.owners[tops], prepend=-1))]


# --- games ---


def environment_type(game: Any) -> np.dtype:
    """The record of one of many games."""
    return record(
        [
            ("state", dtype(game)),
            ("after", dtype(game)),  # the state when the last action was played, before chance moved
            ("last", dtype(game)),  # how the game ended that ended last
            ("rng", np.uint64),
            ("moves", np.int16, (game.actions(),)),
            ("weights", np.float64, (game.actions(),)),
            ("ended", np.bool_),  # the last action, or chance after it, ended a game
            ("drawn", np.float64),  # points that chance gave after the last action
        ]
    )


@kernel
def step(game, envs, actions, fresh):
    """Play an action in every game; where that ends it, begin the next one.  A negative action just begins.

    envs: environment_type[n]; actions int64[n]; fresh: one state at the start of the game
    """
    for i in range(envs.size):
        env = envs[i]
        if actions[i] < 0:
            env.state = fresh[0]
        else:
            game.play(env.state, actions[i])
        env.after = env.state
        draw(game, env)
        env.drawn = game.score(env.state) - game.score(env.after)
        env.ended = game.over(env.state)
        if env.ended:
            env.last = env.state
            env.state = fresh[0]
            draw(game, env)


@inner
def draw(game, env):
    """Let chance move until the player does, or the game is over."""
    while not game.over(env.state) and game.player(env.state) == CHANCE:
        game.play(env.state, outcome(game, env.state, env))


class World:
    """Many games at once, in each of which chance draws from a stream of its own."""

    def __init__(self, game: Any, number: int, seed: int) -> None:
        self.game = game
        self.envs = np.zeros(number, environment_type(self.game))
        self.envs["rng"] = [seeded(seed * APART + i) for i in range(number)]
        self._fresh = np.zeros(1, dtype(self.game))
        self._fresh[0] = new(self.game)
        with first_use():  # no game
            step(self.game, self.envs[:0], np.zeros(0, np.int64), self._fresh)
        self.step(np.full(number, -1))

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Play an action in every game; which of them ended by that, bool[n].  The next ones have begun."""
        step(self.game, self.envs, actions, self._fresh)
        return self.envs["ended"].copy()

    def counted(self, ended: np.ndarray, counts: str) -> list[float]:
        """What those games came to that have just ended: their scores, or what else counts."""
        last = self.envs["last"][ended]
        return [self.game.score(state) for state in last] if counts == "score" else last[counts].tolist()

    def arrays(self) -> dict[str, np.ndarray]:
        return {"environments": self.envs.view(np.uint8).reshape(len(self.envs), -1)}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.envs.view(np.uint8).reshape(len(self.envs), -1)[:] = arrays["environments"]


class AfterstateWorld(World):
    """The same, in which the actions of every game are seen by their afterstates."""

    def __init__(self, encoder: AfterstateEncoder, number: int, seed: int) -> None:
        self.encoder = encoder
        super().__init__(encoder.game, number, seed)

    def look(self) -> Successors:
        """The actions there are in every game."""
        return self.encoder(self.envs["state"])


def play_at_once(encoder: AfterstateEncoder, rate: Rate, games: int, limit: int, seed: int) -> Games:
    """Games of at most so many moves, in which the action that is rated best is always taken."""
    return play_by(encoder, lambda states, seen: best(seen, rate(seen.inputs)), games, limit, seed)


def play_by(encoder: AfterstateEncoder, pick: Pick, games: int, limit: int, seed: int) -> Games:
    """Games of at most so many moves, in which something picks an action in all of them at once."""
    world, numbers, found = AfterstateWorld(encoder, games, seed), np.arange(games), Games.of(encoder.game, games)
    for move in range(limit):
        seen = world.look()
        ended = world.step(seen.actions[pick(world.envs["state"], seen)])
        for i, state in zip(numbers[ended], world.envs["last"][ended], strict=True):
            found.enter(int(i), encoder.game, state, move + 1)
        world.envs, numbers = world.envs[~ended], numbers[~ended]
        if not len(numbers):
            break
    for i, state in zip(numbers, world.envs["state"], strict=True):
        found.enter(int(i), encoder.game, state, limit)
    return found
