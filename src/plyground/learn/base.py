"""What a learner is: the algorithm that trains a net, one unit of training after another.

A learner draws all its random numbers from streams of its own that begin with its seed.  `arrays` and `notes` tell
everything it will need to go on from here, so that one that was restored and one that was never interrupted do the
same, bit for bit.

Steps may take long.  A learner that calls `may_stop` now and then within `advance` and `measure` is left there when
training is to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from ..manifest import families, family_of, loaded
from ..rules import must_be_for_two, must_encode
from ..spec import About, InputError

if TYPE_CHECKING:
    from ..nets.card import Card
    from ..nets.files import Net


@dataclass(frozen=True)
class Options:
    """What every learner can be told, beside its own options."""

    formerly: ClassVar[dict[str, str]] = {}  # options under the names of older versions: what they are called now
    where: ClassVar[tuple[str, ...]] = ()  # those that say on which machines; a run may go on elsewhere

    measure_every: Annotated[int, About("steps between two measurements; 0: only at the end", low=0)] = 1000
    checkpoint_every: Annotated[int, About("steps between two checkpoints; a kill costs no more", low=1)] = 1000


@dataclass(frozen=True)
class Asked:
    """What every training can be told, whatever its learner is."""

    seconds: Annotated[
        float | None, About("stop after so many, compiling included; --resume goes on", low=0, high=1e9)
    ] = None
    seed: Annotated[int, About("where all random choices come from", low=0, high=2**63 - 1)] = 0


class Stopped(Exception):
    """A learner was left within `advance` or `measure`, since training is to stop."""


class Learner:
    """Trains a net for one game."""

    options_type: ClassVar[type[Options]] = Options
    learns: ClassVar[str] = (  # which games it fits
        "games of two players, with chance or without, that give the rules `planes` and `encode`"
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {}  # options by a name; those that are given win over them
    example: ClassVar[str] = "tictactoe"  # a game to try it on
    unit: ClassVar[str] = "games"  # what a step is
    searched_by: ClassVar[str] = ""  # the agent that plays its nets by a search, if there is one
    curve: ClassVar[tuple[str, ...]] = ()  # the figures that the learning curve shows
    shares: ClassVar[bool] = True  # they lie between 0 and 1
    keeps_halves: ClassVar[bool] = False  # left within `advance`, it goes on there; else that is begun again
    now: str = ""  # what it is about, for whoever watches
    is_enough: Callable[[], bool] = staticmethod(lambda: False)  # is training to stop?
    owed: dict[str, Any] | None = None  # steps that are done, but not yet measured; see `train`

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        self.game, self.name, self.options, self.seed = game, name, options, seed
        self.done = 0  # steps
        self.seconds = 0.0  # of training, all processes together

    @classmethod
    def must_suit(cls, game: Any) -> None:
        """InputError unless this learner fits the game: see `learns`."""
        must_be_for_two(game, "this learner")
        must_encode(game)

    @property
    def steps(self) -> int:
        """How many steps the whole training has; required of a learner without an option `games`."""
        return self.options.games

    def advance(self) -> dict[str, float]:
        """Train some steps, add them to `done`, and tell figures about them."""
        raise TypeError(f"{type(self).__name__} does not learn")

    def may_stop(self) -> None:
        """Leave `advance` or `measure` here if training is to stop.  Nothing that `advance` has done so far counts
        then, unless the learner `keeps_halves`; `measure` may have changed nothing yet.
        """
        if self.is_enough():
            raise Stopped

    @property
    def gains(self) -> bool:
        """Is what `advance` has done so far kept, if it is left now?"""
        return self.keeps_halves

    def leave(self) -> None:
        """Training stops here, and what is under way beside it, too; then `arrays` is asked, and nothing more."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Weights, moments, memories: what goes into a checkpoint as arrays."""
        raise TypeError(f"{type(self).__name__} keeps nothing")

    def notes(self) -> dict[str, Any]:
        """Counters and random states: what goes into a checkpoint as JSON, `done` among it."""
        return {"done": self.done}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.done = notes["done"]

    def measure(self) -> dict[str, float]:
        """How well the net plays now.  Touches none of the random streams that training draws from."""
        return {}

    def samples(self) -> list[dict[str, Any]]:
        """Some games played since the last call, for people to look at."""
        return []

    def headline(self, figures: dict[str, Any]) -> str:
        """The figures that matter, in a few words; `figures` are the latest of each name."""
        shown = [f"{word} {figures[word]:.1%}" for word in self.curve if figures.get(word) is not None]
        return ", ".join(shown) or type(self).__name__.lower()

    def under_way(self) -> tuple[int, str]:
        """Steps of what `advance` is about that are not in `done` yet, and what it is about, in a few words.

        Another thread asks for it.
        """
        return 0, self.now

    def planned(self) -> str:
        """Who would do what, and where, in a few lines."""
        return "this process learns"

    def close(self) -> None:
        """Let go of what is outside of this process."""

    def net(self) -> tuple[Net, Card]:
        """The net as it is now."""
        raise TypeError(f"{type(self).__name__} has no net")

    def keep_parts(self, folder: Path) -> None:
        """Write whatever has been learnt besides that net into the folder of the run."""


def stream_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a stream of random numbers, as JSON can hold it."""
    return rng.bit_generator.state  # type: ignore[return-value]


def stream(state: dict[str, Any]) -> np.random.Generator:
    """A stream of random numbers that goes on from a state."""
    rng = np.random.Generator(np.random.PCG64())
    rng.bit_generator.state = state
    return rng


def proven(algorithm: str) -> dict[str, dict[str, Any]]:
    """The options of a learner that need no tuning, by the spec of a game: families of games bring them along."""
    found: dict[str, dict[str, Any]] = {}
    for family in families():
        where = [family.presets[algorithm]] if algorithm in family.presets else []
        for options in loaded(where, family.load).values():
            found |= options
    return found


def usual_for(algorithm: str, game: Any) -> dict[str, Any]:
    """The options that this game begins with: those of its family, and those proven for this very game."""
    from ..games import make

    made = {name: make(name) for name in proven(algorithm)}
    same = (name for name, other in made.items() if type(other) is type(game) and other == game)
    return {**family_of(game).defaults.get(algorithm, {}), **proven(algorithm).get(next(same, ""), {})}


def chosen(learner: type[Learner], given: dict[str, Any], preset: str = "", usual: dict[str, Any] | None = None) -> Any:
    """The options of a learner: those that are given, else of the preset, else the usual ones for the game."""
    from ..spec import bind, look_up

    values = usual or {}
    if preset:
        values = values | learner.presets[look_up("preset", preset, learner.presets)]
    given = {learner.options_type.formerly.get(name, name): value for name, value in given.items()}
    return learner.options_type(**bind(learner.options_type, "train", [], values | given))


def widths(text: str) -> list[int]:
    """The hidden layers of a net, from `64` or `64,64`."""
    try:
        found = [int(word) for word in text.split(",")] if text.strip() else []
    except ValueError:
        found = [0]
    if not all(0 < width <= 4096 for width in found) or len(found) > 16:
        raise InputError(f"hidden layers are written like 256 or 64,64 (1 to 4096 each), not {text!r}")
    return found
