"""Tree search step by step: what a simulation looks at, adds, plays and carries up, told by the search itself.

The kernels run interpreted (`jit.watching`), one simulation at a time, on the tree and the random numbers of the
search, and the functions that make up a simulation are watched.  No formula is written down again here: the terms of
a bound are what `bound` of the algorithm returned to its `select`.  Between two simulations the compiled kernel may go
on with the same tree (`skip`), and the tree after so many simulations is the compiled kernel's, visit for visit.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from ...jit.watching import Interpreter
from ...rules import CHANCE, after, outcomes
from ..tree import NONE, ROOT
from . import guided, puct, rave, simulate, skeleton, uct
from .batched import NetSearch
from .driver import Search
from .root import select_gumbel, standing
from .simulate import grow

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
    """A net says what a node is worth, or a proof does."""

    path: Path
    value: float  # for player 0
    proof: bool = False


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


class MCTSSteps:
    """A search of one tree that is run one simulation at a time."""

    search: Any
    interpreter: Interpreter

    def __init__(self, search: Any) -> None:
        self.search, self.done = search, 0
        self.player = int(search.game.player(search.root))
        self._events: list[Event] = []
        self._bounds: list[tuple[tuple[float, float], tuple]] = []
        self._path: list[int] = []

    def simulate(self) -> Simulation | None:
        """One simulation more; None if there is none: the root is proven."""
        self._events, self._path = [], []
        if not self._run(1, compiled=False):
            return None
        self.done += 1
        return Simulation(self.done, tuple(self._events))

    def skip(self, simulations: int) -> int:
        """So many simulations by the compiled kernel, which tells nothing; return how many there were."""
        ran = self._run(simulations, compiled=True) if simulations else 0
        self.done += ran
        return ran

    def __iter__(self) -> Iterator[Simulation]:
        while simulation := self.simulate():
            yield simulation

    def tree(self, most: int = 100) -> list[Node]:
        """The most visited nodes of the tree, each after its parent."""
        nodes, game = self.search.nodes, self.search.game
        order, found = count(), list[Node]()
        root = Node((), *self._held(ROOT, self._sign(self.player)), None, None, None, 0)
        waiting = [(0, next(order), ROOT, root, self.search.root.copy())]
        while waiting and len(found) < most:
            _, _, index, node, state = heapq.heappop(waiting)
            here = nodes[index]
            player = CHANCE if game.over(state) else int(game.player(state))
            children = self._looked_at(index, player) if here.width else []
            visited = [(i, seen) for i, seen in enumerate(children, int(here.first)) if seen.visits]
            found.append(node._replace(hidden=len(visited)))
            for i, seen in visited:
                held = self._held(i, self._sign(player))
                child = Node((*node.path, seen.action), *held, seen.prior, seen.q, seen.exploration, 0)
                # a child has no more visits than its parent, so that it cannot come before it
                heapq.heappush(waiting, (-seen.visits, next(order), i, child, after(game, state, seen.action)))
        told: dict[Path, int] = {}
        for node in found[1:]:
            told[node.path[:-1]] = told.get(node.path[:-1], 0) + 1
        return [node._replace(hidden=node.hidden - told.get(node.path, 0)) for node in found]

    # --- what both kinds of search differ in -----------------------------------------------------------

    def _run(self, simulations: int, compiled: bool) -> int:
        raise TypeError(f"{type(self).__name__} does not run")

    def _select(self, node: Any, sign: int) -> None:
        """Let the algorithm look at the children of a node, as the next simulation would."""
        raise TypeError(f"{type(self).__name__} does not select")

    # --- what is told ----------------------------------------------------------------------------------

    @staticmethod
    def _sign(player: int) -> int:
        """What turns player 0's values to those of a player; nature sees them as player 0."""
        return -1 if player == 1 else 1

    def _held(self, index: int, sign: int) -> tuple[int, float, int]:
        node = self.search.nodes[index]
        return int(node.visits), float(sign * node.value) + 0.0, int(sign * node.proof)

    def _looked_at(self, index: int, player: int) -> list[Seen]:
        """The children of a node, with their bounds."""
        self._bounds = []
        node = self.search.nodes[index]
        if player != CHANCE:
            self._select(node, self._sign(player))
        return self._seen(node, self._sign(player))

    def _seen(self, parent: Any, sign: int) -> list[Seen]:
        """The children of a node, each with what `bound` has returned of it since `_bounds` began."""
        found = []
        for i in range(int(parent.width)):
            node = self.search.nodes[parent.first + i]
            names = node.dtype.names
            seen = Seen(int(node.action), int(node.visits), float(sign * node.value) + 0.0, int(sign * node.proof))
            if "prior" in names:
                seen = seen._replace(prior=float(node.prior))
            if "rave_visits" in names:
                seen = seen._replace(shared=float(sign * node.rave_value) + 0.0, shared_visits=int(node.rave_visits))
            if i < len(self._bounds):
                (q, exploration), given = self._bounds[i]
                seen = seen._replace(q=float(q), exploration=float(exploration))
                if seen.shared is not None:
                    seen = seen._replace(share=float(given[3]))
            found.append(seen)
        return found

    def _note_selection(self, parent: Any, player: int, child: int, why: str) -> None:
        seen = self._seen(parent, self._sign(player))
        action = int(self.search.nodes[child].action)
        self._events.append(Selection(tuple(self._path), player, tuple(seen), action, why))

    def _note_draw(self, game: Any, state: Any, parent: Any, child: int) -> None:
        """Chance has drawn a child of a node, in this state."""
        chances, known = dict(outcomes(game, state)), {seen.action: seen for seen in self._seen(parent, 1)}
        told = [known.get(action, Seen(action, 0, 0.0))._replace(probability=p) for action, p in chances.items()]
        action = int(self.search.nodes[child].action)
        self._events.append(Selection(tuple(self._path), CHANCE, tuple(told), action, DRAWN))

    def _note_expansion(self, parent: Any, player: int, first: int) -> None:
        """A node has got children, from the one with this index on to its last."""
        added = [self.search.nodes[i] for i in range(first, int(parent.first + parent.width))]
        self._events.append(Expansion(tuple(self._path), player, tuple(int(node.action) for node in added)))

    def _backed_up(self, twin: Any, path: list[int], players: list[int], args: tuple, result: float) -> None:
        """Let a result go up a path of nodes, and tell what it has changed."""
        signs = [self._sign(player) for player in [self.player, *players]]
        before = [self._held(index, sign)[1] for index, sign in zip(path, signs, strict=True)]
        twin(*args)
        updates = []
        for depth in reversed(range(len(path))):
            visits, value, proof = self._held(path[depth], signs[depth])
            updates.append(Update(tuple(self._path[:depth]), signs[depth], visits, before[depth], value, proof))
        self._events.append(BackUp(float(result), tuple(updates)))

    def _watch_bound(self, twin: Any) -> Any:
        def bound(*args: Any) -> Any:
            self._bounds.append((twin(*args), args))
            return self._bounds[-1][0]

        return bound


class RolloutSteps(MCTSSteps):
    """UCT, RAVE and policy-guided UCT, simulation by simulation."""

    search: Search

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self._moves: list[list[int]] = []  # of each roll-out
        self._results: list[float] = []
        self._plies = 0  # at which the last move of a roll-out was played
        self.interpreter = Interpreter(
            {
                simulate.descend: self._watch_descend,
                simulate.expand: self._watch_expand,
                simulate.chance_child: self._watch_chance,
                simulate.roll_out: self._watch_roll_out,
                simulate.reward: self._watch_reward,
                simulate.rescale: self._watch_rescale,
                simulate.back_up: self._watch_back_up,
                guided.advise: self._watch_advise,
                rave.share: self._watch_share,
                **{module.select: self._watch_select for module in (uct, rave, guided)},
                **{module.bound: self._watch_bound for module in (uct, rave, guided)},
            }
        )
        self._grow = self.interpreter.twin(grow)
        rule = rave if search.shared else guided if search.net is not None else uct
        self._rule = self.interpreter.twin(rule.select)
        self._quiet = False  # is a selection only looked at?

    def _run(self, simulations: int, compiled: bool) -> int:
        self._moves, self._results = [], []
        run = grow if compiled else self._grow
        search = self.search
        return int(run(search.game, search.workspaces, search.nodes, simulations, *search.flags))

    def _select(self, node: Any, sign: int) -> None:
        self._quiet = True
        self._rule(self.search.workspaces[0], self.search.nodes, node, sign)
        self._quiet = False

    # --- watchers: each stands in the place of a function of the kernel ---------------------------------

    def _watch_select(self, twin: Any) -> Any:
        def select(workspace: Any, nodes: Any, parent: Any, sign: int) -> Any:
            self._bounds = []
            child = twin(workspace, nodes, parent, sign)
            if not self._quiet:
                why = BOUND if int(child) < int(parent.first) + len(self._bounds) else UNTRIED
                self._note_selection(parent, 0 if sign > 0 else 1, int(child), why)
            return child

        return select

    def _watch_descend(self, twin: Any) -> Any:
        def descend(game: Any, workspace: Any, nodes: Any, node: Any, player: int, *how: Any) -> Any:
            self._mover = int(player)
            child = twin(game, workspace, nodes, node, player, *how)
            if child != NONE:
                self._path.append(int(nodes[child].action))
            return child

        return descend

    def _watch_expand(self, twin: Any) -> Any:
        def expand(workspace: Any, nodes: Any, parent: Any, count: int) -> Any:
            child = twin(workspace, nodes, parent, count)
            if child != NONE:
                self._note_expansion(parent, self._mover, int(child))
            return child

        return expand

    def _watch_advise(self, twin: Any) -> Any:
        def advise(game: Any, workspace: Any, nodes: Any, parent: Any, net: Any) -> None:
            twin(game, workspace, nodes, parent, net)
            self._add_priors(nodes, parent)

        return advise

    def _add_priors(self, nodes: Any, parent: Any) -> None:
        event = self._events[-1]
        priors = [float(nodes[i].prior) for i in range(parent.first, parent.first + parent.width)]
        assert isinstance(event, Expansion)
        self._events[-1] = Expansion(event.path, event.player, event.actions, tuple(priors))

    def _watch_chance(self, twin: Any) -> Any:
        def chance_child(game: Any, workspace: Any, nodes: Any, node: Any) -> Any:
            width = int(node.width)
            child = twin(game, workspace, nodes, node)
            if child != NONE:
                self._bounds = []
                self._note_draw(game, workspace.now.state, node, int(child))
                if node.width > width:
                    self._note_expansion(node, CHANCE, int(child))
            return child

        return chance_child

    def _watch_roll_out(self, twin: Any) -> Any:
        def roll_out(game: Any, workspace: Any, *how: Any) -> Any:
            found = twin(game, workspace, *how)
            if not self._moves or workspace.now.plies <= self._plies:
                self._moves.append([])
            self._plies = int(workspace.now.plies)
            if found[0] >= 0:
                self._moves[-1].append(int(found[0]))
            return found

        return roll_out

    def _watch_reward(self, twin: Any) -> Any:
        def reward(workspace: Any, score: float) -> Any:
            self._results.append(float(twin(workspace, score)))
            return self._results[-1]

        return reward

    def _watch_rescale(self, twin: Any) -> Any:
        def rescale(workspace: Any, result: float) -> None:
            self._results.append(float(result))
            twin(workspace, result)

        return rescale

    def _watch_back_up(self, twin: Any) -> Any:
        def back_up(workspace: Any, nodes: Any, depth: int, result: float) -> None:
            path = [int(i) for i in workspace.path[: depth + 1]]
            proof = int(nodes[path[-1]].proof)
            if proof and not self._moves:
                self._events.append(Evaluation(tuple(self._path), float(proof), True))
            else:
                moves = self._moves or [[]]
                results = self._results if len(self._results) == len(moves) else [float(result)] * len(moves)
                for one, came in zip(moves, results, strict=True):
                    self._events.append(Rollout(tuple(self._path), tuple(one), came))
            self._backed_up(twin, path, workspace.players[:depth].tolist(), (workspace, nodes, depth, result), result)

        return back_up

    def _watch_share(self, twin: Any) -> Any:
        def share(workspace: Any, nodes: Any, depth: int, result: float) -> None:
            twin(workspace, nodes, depth, result)
            told = []
            for d in range(depth):
                node, player = nodes[workspace.path[d]], int(workspace.players[d])
                for i in range(node.first, node.first + node.width) if player != CHANCE else ():
                    kid = nodes[i]
                    if workspace.seen[player, kid.action] == workspace.stamp:
                        path = (*self._path[:d], int(kid.action))
                        value = float(self._sign(player) * kid.rave_value)
                        told.append(Shared(path, int(kid.rave_visits), value))
            event = self._events[-1]
            assert isinstance(event, BackUp)
            self._events[-1] = BackUp(event.result, event.updates, tuple(told))

        return share


class NetSteps(MCTSSteps):
    """PUCT by a net, simulation by simulation; one leaf at a time."""

    search: NetSearch

    def __init__(self, search: NetSearch, planned: int) -> None:
        super().__init__(search)
        self._planned = planned
        self._quiet = False
        search.plan(planned)
        self.interpreter = Interpreter(
            {
                puct.select: self._watch_select,
                puct.bound: self._watch_bound,
                select_gumbel: self._watch_gumbel,
                standing: self._watch_standing,
                puct.chance_child: self._watch_chance,
                skeleton.step: self._watch_step,
                skeleton.expand_and_back_up: self._watch_expand,
                skeleton.back_up: self._watch_back_up,
            }
        )
        self._kernel = self.interpreter.twin(skeleton.run_to_leaves)
        self._rule = self.interpreter.twin(puct.select)
        self._standings: dict[int, float] = {}

    def _run(self, simulations: int, compiled: bool) -> int:
        search = self.search
        before = int(search.trees["done"][0])
        search.trees["wanted"] = before + simulations
        if self._planned_out(before + simulations):
            search.trees["wanted"] = self._planned
        while waiting := (search.next_leaves() if compiled else search.next_leaves(self._interpreted)):
            search.judge(search.evaluate, waiting)
        return int(search.trees["done"][0]) - before

    def _interpreted(self, game: Any, variant: Any, *rest: Any) -> int:
        """The kernel, watched."""
        return self._kernel(game, self.interpreter.methods(variant), *rest)

    def _planned_out(self, wanted: int) -> bool:
        """Does sequential halving, which shares out so many simulations, have an end before these?"""
        return int(self.search.trees["considered"][0]) > 0 and wanted > self._planned

    def _select(self, node: Any, sign: int) -> None:
        self._quiet = True
        node.virtual_loss += 1  # who stands there counts
        self._rule(self.search.nodes, node, sign, self.search.options[0])
        node.virtual_loss -= 1
        self._quiet = False

    # --- watchers --------------------------------------------------------------------------------------

    def _watch_select(self, twin: Any) -> Any:
        def select(nodes: Any, parent: Any, sign: int, options: Any) -> Any:
            self._bounds = []
            child = twin(nodes, parent, sign, options)
            if not self._quiet:
                self._note_selection(parent, 0 if sign > 0 else 1, int(child), BOUND)
            return child

        return select

    def _watch_standing(self, twin: Any) -> Any:
        def standing(node: Any, *how: Any) -> Any:
            found = twin(node, *how)
            self._standings[int(node.action)] = float(found)
            return found

        return standing

    def _watch_gumbel(self, twin: Any) -> Any:
        def select(nodes: Any, made: Any, sign: int, options: Any, visits: int) -> Any:
            self._standings = {}
            child = twin(nodes, made, sign, options, visits)
            if child != NONE:
                self._bounds = []
                seen = self._seen(nodes[ROOT], sign)
                scored = [one._replace(q=self._standings.get(one.action), exploration=0.0) for one in seen]
                action = int(nodes[child].action)
                self._events.append(Selection((), 0 if sign > 0 else 1, tuple(scored), action, HALVING))
            return child

        return select

    def _watch_chance(self, twin: Any) -> Any:
        def chance_child(game: Any, walker: Any, nodes: Any, node: Any, action: int) -> Any:
            width = int(node.width)
            child = twin(game, walker, nodes, node, action)
            if child != NONE:
                if width == 0:
                    self._note_expansion(node, CHANCE, int(node.first))
                self._bounds = []
                self._note_draw(game, walker.now, node, int(child))
            return child

        return chance_child

    def _watch_step(self, twin: Any) -> Any:
        def step(game: Any, walker: Any, nodes: Any, child: int) -> Any:
            self._path.append(int(nodes[child].action))
            return twin(game, walker, nodes, child)

        return step

    def _watch_expand(self, twin: Any) -> Any:
        def expand_and_back_up(game: Any, variant: Any, made: Any, walker: Any, nodes: Any, *rest: Any) -> None:
            leaf = nodes[walker.path[walker.depth]]
            width, place = int(leaf.width), len(self._events)
            twin(game, variant, made, walker, nodes, *rest)
            if leaf.width > width:
                first, end = int(leaf.first), int(leaf.first + leaf.width)
                actions = tuple(int(nodes[i].action) for i in range(first, end))
                priors = tuple(float(nodes[i].prior) for i in range(first, end))
                added = Expansion(tuple(self._path), int(game.player(walker.now)), actions, priors)
                self._events.insert(place, added)

        return expand_and_back_up

    def _watch_back_up(self, twin: Any) -> Any:
        def back_up(variant: Any, made: Any, walker: Any, nodes: Any, options: Any, result: float) -> None:
            depth = int(walker.depth)
            path = [int(i) for i in walker.path[: depth + 1]]
            if self.search.game.over(walker.now):
                self._events.append(Rollout(tuple(self._path), (), float(result)))
            else:
                proven = walker.known != 0
                self._events.append(Evaluation(tuple(self._path), float(result), bool(proven)))
            given = variant, made, walker, nodes, options, result
            self._backed_up(twin, path, walker.players[:depth].tolist(), given, result)

        return back_up


def steps_of(search: Any, planned: int) -> MCTSSteps:
    """The steps of a search that has begun; `planned`: simulations that a Gumbel root shares out."""
    return NetSteps(search, planned) if isinstance(search, NetSearch) else RolloutSteps(search)
