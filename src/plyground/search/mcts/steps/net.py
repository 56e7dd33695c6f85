"""PUCT by a net step by step: what its kernel, `skeleton.run_to_leaves`, does in one simulation."""

from __future__ import annotations

from typing import Any

from ....jit.watching import Interpreter
from ....rules import CHANCE
from ...tree import NONE, ROOT
from .. import puct, skeleton
from ..batched import NetSearch
from ..root import gumbel_score, select_gumbel
from .base import MCTSSteps
from .events import BOUND, HALVING, Evaluation, Expansion, Rollout, Selection


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
                gumbel_score: self._watch_gumbel_score,
                puct.chance_child: self._watch_chance,
                skeleton.step: self._watch_step,
                skeleton.expand_and_back_up: self._watch_expand,
                skeleton.back_up: self._watch_back_up,
            }
        )
        self._kernel = self.interpreter.twin(skeleton.run_to_leaves)
        self._rule = self.interpreter.twin(puct.select)
        self._gumbel_scores: dict[int, float] = {}

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
        self._rule(self.search.nodes, self.search.trees[0], node, sign, self.search.options[0])
        node.virtual_loss -= 1
        self._quiet = False

    # --- watchers --------------------------------------------------------------------------------------

    def _watch_select(self, twin: Any) -> Any:
        def select(nodes: Any, made: Any, parent: Any, sign: int, options: Any) -> Any:
            self._bounds = []
            child = twin(nodes, made, parent, sign, options)
            if not self._quiet:
                self._note_selection(parent, 0 if sign > 0 else 1, int(child), BOUND)
            return child

        return select

    def _watch_gumbel_score(self, twin: Any) -> Any:
        def gumbel_score(node: Any, *how: Any) -> Any:
            found = twin(node, *how)
            self._gumbel_scores[int(node.action)] = float(found)
            return found

        return gumbel_score

    def _watch_gumbel(self, twin: Any) -> Any:
        def select(nodes: Any, made: Any, sign: int, options: Any, visits: int) -> Any:
            self._gumbel_scores = {}
            child = twin(nodes, made, sign, options, visits)
            if child != NONE:
                self._bounds = []
                seen = self._seen(nodes[ROOT], sign)
                scored = [one._replace(q=self._gumbel_scores.get(one.action), exploration=0.0) for one in seen]
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
                proven = bool(walker.known != 0)
                rolled = None if proven or variant.rolls is None else float(walker.rolled)
                self._events.append(Evaluation(tuple(self._path), float(result), proven, rolled))
            given = variant, made, walker, nodes, options, result
            self._backed_up(twin, path, walker.players[:depth].tolist(), given, result)

        return back_up
