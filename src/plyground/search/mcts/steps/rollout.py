"""UCT, RAVE and policy-guided UCT step by step: what their kernel, `simulate.grow`, does in one simulation."""

from __future__ import annotations

from typing import Any

from ....jit.watching import Interpreter
from ....rules import CHANCE
from ...tree import NONE
from .. import guided, rave, simulate, uct
from ..driver import Search
from ..simulate import grow
from .base import MCTSSteps
from .events import BOUND, UNTRIED, BackUp, Evaluation, Expansion, Rollout, Shared


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
                simulate.select_child: self._watch_select_child,
                simulate.expand: self._watch_expand,
                simulate.chance_child: self._watch_chance,
                simulate.draw_action: self._watch_draw_action,
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
        rule = rave if search.switches.shared else guided if search.switches.net else uct
        self._rule = self.interpreter.twin(rule.select)
        self._quiet = False  # is a selection only looked at?

    def _run(self, simulations: int, compiled: bool) -> int:
        self._moves, self._results = [], []
        run = grow if compiled else self._grow
        search = self.search
        return int(run(search.game, search.workspaces, search.workspaces, search.nodes, search.switches, simulations))

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

    def _watch_select_child(self, twin: Any) -> Any:
        def select_child(
            nature: Any,
            shared: Any,
            net: Any,
            game: Any,
            workspace: Any,
            trail: Any,
            nodes: Any,
            node: Any,
            player: int,
        ) -> Any:
            self._mover = int(player)
            child = twin(nature, shared, net, game, workspace, trail, nodes, node, player)
            if child != NONE:
                self._path.append(int(nodes[child].action))
            return child

        return select_child

    def _watch_expand(self, twin: Any) -> Any:
        def expand(workspace: Any, trail: Any, nodes: Any, parent: Any, count: int) -> Any:
            child = twin(workspace, trail, nodes, parent, count)
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

    def _watch_draw_action(self, twin: Any) -> Any:
        def draw_action(nature: Any, heavy: Any, shrinks: Any, game: Any, workspace: Any, *how: Any) -> Any:
            found = twin(nature, heavy, shrinks, game, workspace, *how)
            if not self._moves or workspace.now.plies <= self._plies:
                self._moves.append([])
            self._plies = int(workspace.now.plies)
            if found[0] >= 0:
                self._moves[-1].append(int(found[0]))
            return found

        return draw_action

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
