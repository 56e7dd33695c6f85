"""What an agent is, and what it says when it has thought.

`Agent` is the interface: whoever asks an agent calls these methods and no others, and what an agent does not answer
itself the default answers.  A class of a user's own is an agent by `adopt`, which refuses misspelt methods.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from types import FunctionType
from typing import Annotated, Any, NamedTuple

import numpy as np

from .. import heartbeat, rules
from ..search.budget import Budget, least
from ..spec import About, InputError, meant

Seed = Annotated[int | None, About("fixes the random numbers", low=0)]  # an option that many agents have
RunFolder = Annotated[str, About("the folder of the run that trained it", kind="run")]  # of those that play a net
Policy = dict[int, float]  # probability of each action
STEPPED = "uct", "rave", "guided", "alphazero", "alphago", "minimax", "alphabeta"  # whose search is shown step by step


@dataclass(frozen=True)
class Limit:
    """Bounds on one decision, over and above the agent's own budget."""

    simulations: int | None = None
    seconds: float | None = None
    stop: Callable[[], bool] | None = None  # asked now and then: shall the search end here?
    watch: Callable[[Thought], None] | None = None  # told now and then what the search thinks so far

    def budget(
        self,
        steps: int | None = None,
        seconds: float | None = None,
        thought: Callable[[], Thought] | None = None,
        usual: int | None = None,
    ) -> Budget:
        """What a search may spend, which begins now: this limit, and the agent's own bounds.

        thought: what the search thinks so far, for the watcher.  usual: steps, if nobody bounds steps or time.
        """
        watch = self.watch
        tell = (lambda: watch(thought())) if watch and thought else None
        made = Budget(least(steps, self.simulations), least(seconds, self.seconds), self.stop, tell)
        if made.steps is None and made.seconds is None:
            made.steps = usual
        return made


class Move(NamedTuple):
    """What an agent knows of one action.  Values are for the player to move, 1 won and -1 lost."""

    action: int
    visits: int
    value: float
    proven: bool = False
    prior: float | None = None  # probability before the search, by an agent that has such an opinion


@dataclass(frozen=True)
class Thought:
    """One decision.  `value` is for the player to move; None if the agent does not judge."""

    action: int
    value: float | None = None
    simulations: int = 0
    seconds: float = 0.0
    moves: list[Move] = field(default_factory=list)  # best first
    line: list[int] = field(default_factory=list)  # how play would go on
    note: str = ""  # what somebody who reads the values has to know of them
    counts: str = "simulations"  # what the number of them counts, where it is something else

    @property
    def policy(self) -> Policy:
        """Each action's share of the visits."""
        total = sum(move.visits for move in self.moves)
        return {m.action: m.visits / total for m in self.moves} if total else {self.action: 1.0}


class Forfeit(Exception):
    """The agent gives the game up, or has to: the message is one line that says why.  The game counts as its loss."""


def must_be_a_decision(game: Any, state: Any) -> None:
    """InputError, in one line, unless a player is to move: nature's outcomes are drawn, and not chosen."""
    if game.player(state) == rules.CHANCE:
        raise InputError("a chance event is due in this state: play one of its rules.outcomes before an agent thinks")


class Unmade(InputError):
    """An agent cannot be made, since its file, or the constructor in it, fails."""


class Agent:
    """Chooses actions: the interface, with a default for whatever is not required.

    An agent belongs to one game at a time; `begin` makes it ready for another.
    """

    seed: int | None = None  # fixed by its spec
    keep: bool = False  # does it go on at the next move of a game with what it has thought before?
    seconds: float | None = None  # a move, where its spec bounds them
    memory: int = 0  # megabytes that its spec lets it keep between moves
    last_told: Any = None  # the last thought that a report was made of
    plain: Mapping[str, Any] = {}
    in_points: bool = True  # are its values in a game of one player the points to expect, if it has any?
    outside: bool = False  # does it think in a process of its own, which `close` ends?
    many: bool = False  # does `think_in_each` choose in many games at once, faster, what `think` chooses in each?

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        """Required.  Choose an action in a state that is not over and in which nature does not move; raise Forfeit to
        lose instead."""
        raise TypeError(f"{type(self).__name__} does not think")

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        """Choose an action in each of many states of different games, as `think` does, by the random numbers of each
        game, which `begin` made for it (None: by those of the last).  Default: one after another."""
        chosen = []
        for number, state in enumerate(states):
            if rngs is not None:
                self.rng = rngs[number]
            chosen.append(self.think(game, state).action)
        return chosen

    def begin(self, seed: int) -> None:
        """A new game begins, whose random numbers come from this seed; one in the spec wins over it.  Default: draw
        them from `self.rng`."""
        self.rng = np.random.default_rng(seed if self.seed is None else self.seed)

    @classmethod
    def must_play(cls, game: Any) -> None:
        """Raise InputError, in one line, if no agent of this kind plays this game, whatever its options.  Nothing is
        compiled for it.  Default: it plays any game."""

    def ready(self, game: Any) -> None:
        """Compile and load whatever the first move in this game would wait for.  Default: think for a moment at the
        start of the game."""
        state = first_decision(game)
        if state is not None:
            with suppress(Forfeit):  # it will lose its games
                self.think(game, state, Limit(simulations=1, seconds=0.01))

    def read(self, game: Any) -> None:
        """Read what this game needs from disk, and compile nothing.  Default: nothing is needed."""

    @heartbeat.expected()
    def play_alone(self, game: Any, seed: int, moves: int) -> tuple[Any, int]:
        """Play a game of one player to its end, or for so many moves; return its last state and how many moves there
        were.  Default: `think` before every move."""
        state, rng, played = rules.new(game), np.random.default_rng(seed), 0
        while not game.over(state) and played < moves:
            chance = game.player(state) == rules.CHANCE
            drawn = rules.drawn_outcome(game, state, rng) if chance else self.think(game, state, Limit()).action
            game.play(state, drawn)
            played += not chance
            heartbeat.beat()
        return state, played

    def choices(self, game: Any, state: Any) -> list[int]:
        """The actions between which the agent does not care: it draws one of them, each as likely as any other.  Exact
        odds and best responses ask.  Default: InputError, it does not tell."""
        raise InputError(f"{type(self).__name__} does not tell its move probabilities")

    def line(self, action: int) -> list[int]:
        """How the last thought expects play to go on from this action, the action first.  Default: it expects
        nothing."""
        return []

    def children(self, path: list[int]) -> list[Move]:
        """What the tree of the last thought knows of the actions after these, for the player to move there.  Default:
        InputError, it grows no tree."""
        raise InputError("this agent grows no tree to look into")

    @property
    def held(self) -> int:
        """The megabytes that it keeps between moves.  Default: as many as its spec lets it."""
        return self.memory

    def step_by_step(self, game: Any, state: Any) -> Any:
        """Its search of a state, from nothing, to be run one step at a time: `search.mcts.steps.MCTSSteps` or
        `search.depth_first.steps.DepthFirstSteps`.  Default: InputError, it does not search by steps."""
        raise InputError(f"{type(self).__name__} does not search step by step; {', '.join(STEPPED)} do")

    def close(self) -> None:
        """The agent is not needed any more, or not for a while: let go of whatever lives outside this process.
        Default: nothing does."""


class Absent(Agent):
    """Stands for an agent that could not be made: it gives up every game for this reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        raise Forfeit(self.reason)


METHODS = {name: static for name, static in vars(Agent).items() if isinstance(static, FunctionType | classmethod)}
REQUIRED = [name for name, method in METHODS.items() if (method.__doc__ or "").startswith("Required")]


def gives(agent: Any, *methods: str) -> bool:
    """Does an agent, or a class of agents, answer all these itself and not by the default?"""
    cls = agent if isinstance(agent, type) else type(agent)
    return all(inspect.getattr_static(cls, name, METHODS[name]) is not METHODS[name] for name in methods)


def adopt(cls: Any) -> type[Agent]:
    """Make a class from outside the package an agent: complete it by the defaults.

    Returns a class that inherits from it and from Agent, whose `think` returns a Thought even where the original
    returns an action.  Raises TypeError, in one line, for a class that cannot be an agent.
    """
    if not isinstance(cls, type) or issubclass(cls, tuple):
        raise TypeError(f"{getattr(cls, '__name__', cls)} is not an agent: write `class Name:` with a method `think`")
    for name in own_methods(cls):
        if near := meant(name, METHODS):
            raise TypeError(f"{cls.__name__}.{name} is not a method of agents; did you mean {near}?")
        if name in METHODS:
            has, want = _takes(cls, name), _takes(Agent, name)
            if has != want:
                raise TypeError(f"{cls.__name__}.{name} takes ({', '.join(has)}); an agent's takes ({', '.join(want)})")
    missing = [name for name in REQUIRED if not gives(cls, name)]
    if missing:
        raise TypeError(f"{cls.__name__} lacks the method{'s' * (len(missing) > 1)} {', '.join(missing)}")
    thinks: Callable[..., Any] = cls.think  # type: ignore[attr-defined]

    @wraps(thinks)
    def think(self: Any, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        return as_thought(thinks(self, game, state, limit))

    bases = (cls,) if issubclass(cls, Agent) else (cls, Agent)
    return type(cls.__name__, bases, {"think": think, "__doc__": cls.__doc__, "__module__": cls.__module__})


def as_thought(said: Any) -> Thought:
    """What `think` of an agent from outside returned, a thought or only an action; TypeError if it is neither."""
    if isinstance(said, int | np.integer) and not isinstance(said, bool):
        return Thought(int(said))
    if not isinstance(said, Thought):
        raise TypeError(f"think returned {said!r:.60}, neither an action nor a Thought")
    return said


def own_methods(cls: type) -> list[str]:
    """The public methods of a class and of those that it inherits from, but for the package's own."""
    outside = [one for one in cls.__mro__ if one is not object and not one.__module__.startswith("plyground.")]
    kinds = FunctionType | classmethod | staticmethod
    found = {name: None for one in outside for name, what in vars(one).items() if isinstance(what, kinds)}
    return [name for name in found if not name.startswith("_")]


def _takes(cls: type, name: str) -> list[str]:
    """The names of what a method takes, without the agent itself."""
    static = inspect.getattr_static(cls, name)
    names = list(inspect.signature(getattr(cls, name)).parameters)
    return names[1:] if isinstance(static, FunctionType) else names


def first_decision(game: Any) -> Any:
    """The first state of a game in which somebody chooses; None if there is none."""
    state, rng = rules.new(game), np.random.default_rng(0)
    while not game.over(state) and game.player(state) == rules.CHANCE:
        game.play(state, rules.drawn_outcome(game, state, rng))
    return None if game.over(state) else state


def same(game: Any, other: Any) -> bool:
    """Are these one game?  Tuples of different classes can be equal."""
    return type(game) is type(other) and game == other
