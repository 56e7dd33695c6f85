"""A search of one tree that is run one simulation at a time, whatever its algorithm."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import Any

from ....jit.watching import Interpreter
from ....rules import CHANCE, after, outcomes
from ...tree import ROOT
from .events import DRAWN, BackUp, Event, Expansion, Node, Path, Seen, Selection, Simulation, Update


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
