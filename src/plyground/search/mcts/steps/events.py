"""What is told of a simulation: what it selected and why, added, played out, and carried up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Path = tuple[int, ...]  # actions from the root
BOUND, UNTRIED, DRAWN, HALVING = "bound", "untried", "drawn", "halving"  # why a child is chosen


class Seen(NamedTuple):
    """What a selection sees of one child, for the player to move; None: not looked at, or not known to this search.

    `q` is the term of its value in the bound: Q, in RAVE mixed with Q~, in PUCT first-play urgency where nothing was
    tried, at a Gumbel root all that is scored.  `exploration` is the other term.
    """

    action: int
    visits: int
    value: float  # Q: the mean result, or tree.CERTAIN times the proof
    proof: int = 0
    q: float | None = None
    exploration: float | None = None
    prior: float | None = None
    probability: float | None = None  # of an outcome of chance
    shared: float | None = None  # Q~ of RAVE, its visits, and its share b in `q`
    shared_visits: int | None = None
    share: float | None = None

    @property
    def total(self) -> float | None:
        """The bound: the sum of both terms."""
        return None if self.q is None or self.exploration is None else self.q + self.exploration


@dataclass(frozen=True)
class Selection:
    """At a node of the tree a child is chosen."""

    path: Path
    player: int  # who moves there
    children: tuple[Seen, ...]
    action: int  # that leads to the chosen child
    why: str  # BOUND, UNTRIED, DRAWN or HALVING


@dataclass(frozen=True)
class Expansion:
    """A node gets children: one, or one for each action, with their priors if a net tells some."""

    path: Path
    player: int
    actions: tuple[int, ...]
    priors: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Rollout:
    """The game is played on from a node, at random or by simple rules, to its end or as far as the horizon."""

    path: Path
    actions: tuple[int, ...]
    result: float  # as player 0 sees it


@dataclass(frozen=True)
class Evaluation:
    """A net says what a node is worth, or a proof does; with roll-outs of leaves the value is a mix of both."""

    path: Path
    value: float  # for player 0
    proof: bool = False
    rollout: float | None = None  # what came of a roll-out, for player 0


class Update(NamedTuple):
    """A node takes a result into its mean; values are for the player who chose the node, at the root who moves."""

    path: Path
    sign: int  # of the result for that player
    visits: int  # afterwards
    before: float
    after: float
    proof: int


class Shared(NamedTuple):
    """RAVE: a child's Q~ takes the result, since its action was played later on; the value is as `Update`'s."""

    path: Path
    visits: int
    value: float


@dataclass(frozen=True)
class BackUp:
    """The result goes up the path, from the last node to the root."""

    result: float  # for player 0
    updates: tuple[Update, ...]
    shared: tuple[Shared, ...] = ()


Event = Selection | Expansion | Rollout | Evaluation | BackUp


@dataclass(frozen=True)
class Simulation:
    """One simulation, in the order in which the kernel has gone through it."""

    number: int
    events: tuple[Event, ...]


class Node(NamedTuple):
    """A node of the tree as it stands; values are for the player who chose it, at the root for who moves."""

    path: Path
    visits: int
    value: float
    proof: int
    prior: float | None
    q: float | None  # the terms by which it is chosen next time
    exploration: float | None
    hidden: int  # children with visits that are not told
