"""What the learners of Tetris share: many games at once, and how many lines a controller clears.

They learn to rate placements (`scorings.sight`).  A placement that ends the game is never chosen if there is another;
it earns nothing, and any other one earns

    r = piece + point * what it scores
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import torch

from ..games.tetris.agents import Games
from ..games.tetris.placements import Eyes, Seen
from ..jit.first_use import first_use
from ..nets.files import SIGHTS, Card
from ..nets.models import Placements
from ..rules import CHANCE, dtype, inner, kernel, new, record
from ..search.rng import outcome, seeded
from ..spec import About, InputError
from .base import Learner, Options, widths

MEASURED = 40  # games in which a net is measured
APART = 1_000_003  # between the seeds of two sets of games

Pick = Callable[[np.ndarray, Seen], np.ndarray]  # states, and their placements, to the number of one for each
Rate = Callable[[np.ndarray], np.ndarray]  # what is known of placements, float32[n, numbers], to their worth [n]


@dataclass(frozen=True)
class TetrisOptions(Options):
    pieces: Annotated[int, About("placements of training", low=1)] = 200_000
    input: Annotated[str, About("what the net is told of a placement; see docs/tetris-learning.md", choices=SIGHTS)] = (
        "features"
    )
    hidden: Annotated[str, About("units of the hidden layers, like 64 or 64,64")] = "32,32"
    lr: Annotated[float, About("Adam's learning rate", low=0, high=10)] = 0.003
    gamma: Annotated[float, About("what a reward one placement later is worth", low=0, high=1)] = 0.95
    piece: Annotated[float, About("reward for a placement that does not end the game")] = 0.1
    point: Annotated[float, About("reward for a line, or for 100 points in the reference game")] = 0.1
    limit: Annotated[int, About("pieces after which a game that is measured is ended", low=1)] = 1_000
    measure_every: Annotated[int, About("placements between two measurements; 0: only at the end", low=0)] = 20_000
    checkpoint_every: Annotated[int, About("placements between two checkpoints", low=1)] = 10_000


class TetrisLearner(Learner):
    """Learns to place pieces."""

    curve: ClassVar[tuple[str, ...]] = ("lines",)
    shares = False
    example = "'tetris(6,12,\"simplified\")'"
    unit = "pieces"

    @property
    def steps(self) -> int:
        return self.options.pieces

    def headline(self, figures: dict[str, Any]) -> str:
        if figures.get("lines") is None:
            return self.unit
        return f"{figures['lines']:,.1f} ± {figures['lines_interval']:,.1f} lines a game"


class NetLearner(TetrisLearner):
    """Learns by a net, in many games at once."""

    output = "q"  # what the net tells
    outputs = 1  # in so many numbers

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.eyes = Eyes(game, options.input)
        self.world = World(self.eyes, options.environments, seed)
        self.sizes = [self.eyes.numbers, *widths(options.hidden), self.outputs]
        self.model = Placements(self.sizes, seed)
        torch.set_num_threads(1)  # small matrices: a second thread costs more than it does

    def rewards(self, inputs: np.ndarray, lost: np.ndarray) -> np.ndarray:
        """What placements earn."""
        return np.where(lost, 0, self.options.piece + self.options.point * inputs[:, -1]).astype(np.float32)

    def measure(self) -> dict[str, float]:
        """Lines of games in which the net always takes the placement that it says most for."""
        return told(self.alone(MEASURED))

    def alone(self, number: int) -> Games:
        """Games by the net without any search, with other pieces than those of training."""
        return play_at_once(self.eyes, self.rate, number, self.options.limit, -1 - self.seed)

    def rate(self, inputs: np.ndarray) -> np.ndarray:
        return rated(self.model, inputs)

    def net(self) -> tuple[Placements, Card]:
        return self.model, Card(self.sizes, self.options.input, self.output, self.name, kind="placements")


def rated(net: Placements, inputs: np.ndarray) -> np.ndarray:
    """What a net says of placements: float32[n]."""
    return judged(net, inputs)[:, 0]


def judged(net: Placements, inputs: np.ndarray) -> np.ndarray:
    """All that it says: float32[n, outputs].  In memory that PyTorch took, which does not change how it rounds."""
    with torch.inference_mode():
        said = net(torch.tensor(inputs)).numpy()
    if not np.isfinite(said).all():
        raise InputError("the net says numbers that are none: it learns too fast, take a smaller --lr")
    return said


def best(seen: Seen, worth: np.ndarray) -> np.ndarray:
    """The number of the best sensible placement in each state; of several that are equal, the first."""
    worth = np.where(seen.sensible, worth, -np.inf)
    starts = seen.starts
    tops = np.flatnonzero(worth == np.maximum.reduceat(worth, starts)[seen.owners])
    return tops[np.flatnonzero(np.diff(seen.owners[tops], prepend=-1))]


# --- games ---


def environment_type(game: Any) -> np.dtype:
    return record(
        [
            ("state", dtype(game)),
            ("after", dtype(game)),  # the state when the last piece was placed, before chance drew
            ("rng", np.uint64),
            ("moves", np.int16, (game.actions(),)),
            ("weights", np.float64, (game.actions(),)),
            ("ended", np.bool_),  # the last placement ended a game
            ("lines", np.int64),  # of the game that ended last
            ("score", np.float64),  # of that game
        ]
    )


@kernel
def step(game, envs, actions, fresh):
    """Place a piece in every game; where that ends it, begin the next one.  A negative action just begins.

    fresh: one state at the start of the game
    """
    for i in range(envs.size):
        env = envs[i]
        if actions[i] < 0:
            env.state = fresh[0]
        else:
            game.play(env.state, actions[i])
        env.after = env.state
        env.ended = game.over(env.state)
        if env.ended:
            env.lines, env.score = env.state.lines, game.score(env.state)
            env.state = fresh[0]
        draw(game, env)


@inner
def draw(game, env):
    """Let chance draw until a piece is to be placed."""
    while game.player(env.state) == CHANCE:
        game.play(env.state, outcome(game, env.state, env))


class World:
    """Many games at once; each draws its pieces from a stream of its own."""

    def __init__(self, eyes: Eyes, number: int, seed: int) -> None:
        self.eyes, self.game = eyes, eyes.game
        self.envs = np.zeros(number, environment_type(self.game))
        self.envs["rng"] = [seeded(seed * APART + i) for i in range(number)]
        self._fresh = np.zeros(1, dtype(self.game))
        self._fresh[0] = new(self.game)
        with first_use():  # no game
            step(self.game, self.envs[:0], np.zeros(0, np.int64), self._fresh)
        self.step(np.full(number, -1))

    def look(self) -> Seen:
        """The placements there are in every game."""
        return self.eyes(self.envs["state"])

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Place a piece in every game; which of them ended by that, bool[n].  The next ones have begun."""
        step(self.game, self.envs, actions, self._fresh)
        return self.envs["ended"].copy()

    def arrays(self) -> dict[str, np.ndarray]:
        return {"environments": self.envs.view(np.uint8).reshape(len(self.envs), -1)}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.envs.view(np.uint8).reshape(len(self.envs), -1)[:] = arrays["environments"]


def play_at_once(eyes: Eyes, rate: Rate, games: int, limit: int, seed: int) -> Games:
    """Games of at most so many pieces, in which the placement that is rated best is always taken."""
    return play_by(eyes, lambda states, seen: best(seen, rate(seen.inputs)), games, limit, seed)


def play_by(eyes: Eyes, pick: Pick, games: int, limit: int, seed: int) -> Games:
    """Games of at most so many pieces, in which something picks a placement in all of them at once."""
    world, numbers = World(eyes, games, seed), np.arange(games)
    found = Games(np.zeros(games, np.int64), np.zeros(games), np.full(games, limit), np.zeros(games, np.bool_))
    for number in range(limit):
        seen = world.look()
        ended = world.step(seen.actions[pick(world.envs["state"], seen)])
        over = numbers[ended]
        found.lines[over], found.scores[over] = world.envs["lines"][ended], world.envs["score"][ended]
        found.pieces[over], found.lost[over] = number + 1, True
        world.envs, numbers = world.envs[~ended], numbers[~ended]
        if not len(numbers):
            break
    for i, state in zip(numbers, world.envs["state"], strict=True):
        found.lines[i], found.scores[i] = state["lines"], eyes.game.score(state)
    return found


def told(played: Games) -> dict[str, float]:
    """The mean of the lines and half of its 95 % interval, the mean score, the share of games that the limit ended."""
    interval = 1.96 * played.lines.std(ddof=1) / len(played.lines) ** 0.5
    figures = {"lines": played.lines.mean(), "lines_interval": interval}
    figures |= {"score": played.scores.mean(), "unfinished": (~played.lost).mean()}
    return {name: float(value) for name, value in figures.items()}
