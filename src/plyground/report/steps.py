"""What is told of a search that is run step by step: as text, and as the page draws it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from ..agents.base import Agent
from ..rules import CHANCE
from ..search.depth_first import steps as depth_first
from ..search.depth_first.stack import PROVEN, WIN, distance
from ..search.depth_first.steps import Cut, Deepen, DepthFirstSteps, Enter
from ..search.mcts.steps import MCTSSteps
from ..search.mcts.steps import events as mcts
from ..search.mcts.steps.events import BackUp, Evaluation, Expansion, Node, Path, Rollout, Seen, Selection
from ..search.mcts.steps.events import Simulation as Recorded
from ..spec import InputError, bind
from ..tables import Table
from .base import Report, flat

Names = Callable[[int], str]  # what people call an action
MOST = 2_000  # steps of a depth-first search that are recorded, unless told otherwise
WIDE = 12  # children in a table
LEAST_SCORE = WIN / 100  # values from here on are shares of a won game, those below are points of a scoring
WHY = {
    mcts.BOUND: "has the highest sum",
    mcts.UNTRIED: "was never tried, and what was never tried comes first",
    mcts.DRAWN: "is drawn by its probability",
    mcts.HALVING: "has the highest score of those whose turn it is (sequential halving)",
}
LEFT = {
    depth_first.SEARCHED: "",
    depth_first.OVER: "the game is over",
    depth_first.SCORED: "the depth is spent: the scoring says so",
    depth_first.THREAT: "by threats, without a search",
    depth_first.HOPELESS: "who cannot win any more draws at best",
    depth_first.KNOWN: "the table knows it",
}


def number(value: float | None) -> float | None:
    """A number as JSON can hold it."""
    return None if value is None or not math.isfinite(value) else float(value)


# --- tree search ------------------------------------------------------------------------------------------


class SimulationReport(Report):
    """One simulation of a tree search: what was selected and why, what was added, played out, and carried up."""

    def __init__(self, simulation: Recorded, name: Names, most: int | None = None) -> None:
        self.number, self.events = simulation.number, simulation.events
        self._name, self._most = name, most

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, "events": [self._event(event) for event in self.events]}

    def rows(self) -> list[dict[str, Any]]:
        """The children that selections saw, one after the other."""
        return [
            {"node": self._at(event.path), **self._child(seen), "chosen": seen.action == event.action}
            for event in self.events
            if isinstance(event, Selection)
            for seen in event.children
        ]

    def parts(self) -> Iterator[str | Table]:
        yield f"simulation {self.number}"
        for event in self.events:
            if isinstance(event, Selection):
                chosen = self._name(event.action)
                yield f"select    {self._at(event.path)}: {chosen} {WHY[event.why]}"
                yield self._table(event)
            elif isinstance(event, Expansion):
                added = [self._name(action) for action in event.actions]
                more = f" and {len(added) - WIDE} more" if len(added) > WIDE else ""
                yield f"expand    {self._at(event.path)}: {' '.join(added[:WIDE])}{more}"
            elif isinstance(event, Rollout):
                played = " ".join(self._name(action) for action in event.actions)
                how = f"{played}: " if played else "the game is over: "
                yield f"simulate  {self._at(event.path)}, then {how}{event.result:+g} for player 0"
            elif isinstance(event, Evaluation):
                who = "a proof says" if event.proof else "the net says"
                if event.rollout is not None:
                    who = f"the net and a roll-out, {event.rollout:+g}, say"
                yield f"evaluate  {self._at(event.path)}: {who} {event.value:+z.3f} for player 0"
            else:
                for up in event.updates:
                    proof = " proven" if up.proof else ""
                    after = f"{up.proof:+d}" if up.proof else f"{up.after:+z.3f}"
                    yield f"back up   {self._at(up.path)}: {up.sign * event.result:+g}, N {up.visits}, Q {after}{proof}"

    def table(self) -> Table:
        """The children that the first selection saw."""
        for event in self.events:
            if isinstance(event, Selection):
                return self._table(event)
        raise InputError("nothing was selected in this simulation")

    def _at(self, path: Path) -> str:
        return " ".join(self._name(action) for action in path) or "root"

    def _table(self, event: Selection) -> Table:
        told = [
            column for column in ("prior", "share", "probability") if getattr(event.children[0], column) is not None
        ]
        rows = Table(["move", "N", "Q", *told, *([] if event.player == CHANCE else ["exploration", "sum"]), ""])
        for seen in foremost(event.children, event.action, WIDE):
            figures = [f"{getattr(seen, column):.3f}" for column in told]
            if event.player != CHANCE:
                figures += [signed(seen.exploration), signed(seen.total)]
            q = signed(seen.q if seen.q is not None else seen.value) if seen.visits or seen.q is not None else "-"
            mark = "chosen" if seen.action == event.action else ""
            rows.add(self._name(seen.action), f"{seen.visits:,}", q, *figures, mark)
        return rows

    def _event(self, event: mcts.Event) -> dict[str, Any]:
        if isinstance(event, Selection):
            return {
                "type": "select",
                "path": self._names(event.path),
                "player": event.player,
                "move": self._name(event.action),
                "why": event.why,
                "children": [self._child(seen) for seen in foremost(event.children, event.action, self._most)],
                "of": len(event.children),
            }
        if isinstance(event, Expansion):
            moves, priors = event.actions[: self._most], event.priors and event.priors[: self._most]
            told = {"path": self._names(event.path), "player": event.player, "moves": self._names(moves)}
            return {"type": "expand", **told, "priors": priors, "of": len(event.actions)}
        if isinstance(event, Rollout):
            told = {"path": self._names(event.path), "moves": self._names(event.actions)}
            return {"type": "simulate", **told, "result": event.result}
        if isinstance(event, Evaluation):
            told = {"type": "evaluate", "path": self._names(event.path), "value": event.value, "proof": event.proof}
            return told if event.rollout is None else told | {"rollout": event.rollout}
        return self._back_up(event)

    def _back_up(self, event: BackUp) -> dict[str, Any]:
        updates = [one._asdict() | {"path": self._names(one.path)} for one in event.updates]
        shared = [one._asdict() | {"path": self._names(one.path)} for one in event.shared[: self._most]]
        return {"type": "back up", "result": event.result, "updates": updates, "shared": shared}

    def _child(self, seen: Seen) -> dict[str, Any]:
        told = seen._asdict() | {"action": None, "total": number(seen.total), "move": self._name(seen.action)}
        return known(told)

    def _names(self, path: Path) -> list[str]:
        return [self._name(action) for action in path]


def foremost(children: tuple[Seen, ...], chosen: int, most: int | None) -> list[Seen]:
    """The children with the highest sums, or the most visits, in the order of the tree; the chosen one among them."""
    if most is None or len(children) <= most:
        return list(children)

    def rank(seen: Seen) -> tuple:
        return seen.action == chosen, -math.inf if seen.total is None else seen.total, seen.visits

    kept = {seen.action for seen in sorted(children, key=rank, reverse=True)[:most]}
    return [seen for seen in children if seen.action in kept]


def signed(value: float | None) -> str:
    """A figure of a bound; a proven one is beyond all others."""
    if value is None:
        return "-"
    return f"{value:+z.3f}" if abs(value) < 1e6 else "won" if value > 0 else "lost"


def known(told: dict[str, Any]) -> dict[str, Any]:
    """Without what is not known."""
    return {name: value for name, value in told.items() if value is not None}


def node_json(node: Node, name: Names) -> dict[str, Any]:
    """A node of the tree, as the page draws it."""
    total = None if node.q is None or node.exploration is None else node.q + node.exploration
    return known(node._asdict() | {"path": [name(action) for action in node.path], "total": total})


class SimulationsReport(Report):
    """Some simulations, one after the other, and the tree that they leave."""

    def __init__(self, simulations: list[SimulationReport], search: TreeSteps) -> None:
        self.simulations, self._search = simulations, search

    def to_json(self) -> dict[str, Any]:
        tree = [node_json(node, self._search.game.name) for node in self._search.tree()]
        return {"simulations": [one.to_json() for one in self.simulations], "tree": tree}

    def rows(self) -> list[dict[str, Any]]:
        return [{"simulation": one.number, **row} for one in self.simulations for row in one.rows()]

    def parts(self) -> Iterator[str | Table]:
        for one in self.simulations:
            yield from one.parts()
            yield ""
        yield repr(self._search)


class TreeSteps:
    """A tree search that runs one simulation at a time.  Iterate over it, or call `next`."""

    def __init__(self, agent: Agent, steps: MCTSSteps, game: Any) -> None:
        self.agent, self.steps, self.game = agent, steps, game

    @property
    def done(self) -> int:
        """Simulations so far."""
        return self.steps.done

    def __iter__(self) -> Iterator[SimulationReport]:
        return self

    def __next__(self) -> SimulationReport:
        simulation = self.steps.simulate()
        if simulation is None:
            raise StopIteration
        return SimulationReport(simulation, self.game.name)

    def first(self, simulations: int, skip: int = 0) -> SimulationsReport:
        """The next simulations, so many at most, after others that are skipped."""
        self.skip(skip)
        return SimulationsReport([one for _, one in zip(range(simulations), self, strict=False)], self)

    def skip(self, simulations: int) -> int:
        """So many simulations by the compiled kernel, which tells nothing; how many there were."""
        return self.steps.skip(simulations)

    def tree(self, most: int = 100) -> list[Node]:
        """The most visited nodes, each after its parent, with their terms; paths are actions."""
        return self.steps.tree(most)

    def change(self, **options: Any) -> None:
        """Go on with other options, such as c."""
        own: Any = type(self.agent)
        same = {one.name: getattr(self.agent, one.name) for one in fields(own) if one.init}
        other = own(**bind(own, own.__name__.lower(), [], same | options))
        other.begin(0)
        self.agent.change(other)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        nodes = [node for node in self.tree(WIDE + 1) if len(node.path) <= 1]
        lines = [f"{self.done} simulations; root N {nodes[0].visits} Q {signed(nodes[0].value)}"]
        for node in sorted(nodes[1:], key=lambda node: -node.visits):
            terms = ""
            if node.q is not None and node.exploration is not None:
                terms = f"  sum {signed(node.q + node.exploration)} = {signed(node.q)} {signed(node.exploration)}"
            lines.append(f"  {self.game.name(node.path[0])}  N {node.visits}  Q {signed(node.value)}{terms}")
        return "\n".join(lines)


# --- minimax and alpha-beta -------------------------------------------------------------------------------


class WindowSteps(Report):
    """The steps of minimax or alpha-beta: nodes entered and left, windows, cut-offs."""

    def __init__(
        self, steps: DepthFirstSteps, name: Names, most: int = MOST, stop: Callable[[], bool] | None = None
    ) -> None:
        self.events, self.complete = steps.run(most, stop)
        self.player = steps.player
        self._name = name

    def first(self, simulations: int = 1, skip: int = 0) -> WindowSteps:
        """All of it: a depth-first search has no simulations."""
        return self

    def __iter__(self) -> Iterator[depth_first.Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def to_json(self) -> dict[str, Any]:
        told = [self._event(event) for event in self.events]
        return {"events": told, "complete": self.complete, "player": self.player}

    def rows(self) -> list[dict[str, Any]]:
        return [flat(self._event(event)) for event in self.events]

    def parts(self) -> Iterator[str | Table]:
        for event in self.events:
            if isinstance(event, Deepen):
                yield f"depth {event.depth}"
                continue
            indent = "  " * len(event.path)
            at = self._name(event.path[-1]) if event.path else "root"
            if isinstance(event, Enter):
                window = "" if event.alpha is None else f"  window {valued(event.alpha)} to {valued(event.beta)}"
                yield f"{indent}{at}{window}"
            elif isinstance(event, Cut):
                side = "beta" if event.player == 0 else "alpha"
                left = f", {len(event.left_out)} more moves left out" if event.left_out else ""
                yield f"{indent}  cut-off: {self._name(event.action)} reaches {side} {valued(event.bound)}{left}"
            else:
                best = "" if event.best is None else f" by {self._name(event.best)}"
                why = f" ({LEFT[event.why]})" if LEFT[event.why] else ""
                yield f"{indent}{at} = {valued(event.value)}{best}{why}"
        if not self.complete:
            yield f"and so on: these are the first {len(self.events):,} steps"

    def _event(self, event: depth_first.Event) -> dict[str, Any]:
        if isinstance(event, Deepen):
            return {"type": "deepen", "depth": event.depth}
        path = [self._name(action) for action in event.path]
        told: dict[str, Any]
        if isinstance(event, Enter):
            window = None if event.alpha is None else [valued(event.alpha), valued(event.beta)]
            told = {"player": event.player, "depth": event.depth, "window": window}
            return {"type": "enter", "path": path, **told}
        if isinstance(event, Cut):
            told = {"player": event.player, "move": self._name(event.action), "value": valued(event.value)}
            left = [self._name(action) for action in event.left_out]
            return {"type": "cut", "path": path, **told, "bound": valued(event.bound), "left_out": left}
        best = None if event.best is None else self._name(event.best)
        sign = (event.value > 0) - (event.value < 0)
        told = {"value": valued(event.value), "raw": event.value, "sign": sign, "why": event.why, "best": best}
        return {"type": "leave", "path": path, **told}


def step_by_step(agent: Agent, game: Any, state: Any) -> TreeSteps | WindowSteps:
    """The search of an agent from a state, to be told step by step."""
    found = agent.step_by_step(game, state)
    return WindowSteps(found, game.name) if isinstance(found, DepthFirstSteps) else TreeSteps(agent, found, game)


def valued(value: float | None) -> str:
    """A value of a depth-first search, player 0's: a proven win or loss with its plies, a score, or points."""
    if value is None or math.isinf(value):
        return "∞" if value is None or value > 0 else "−∞"
    if abs(value) >= PROVEN:
        return f"{'won' if value > 0 else 'lost'} in {distance(value)}"
    text = f"{value / WIN:+z.3f}" if abs(value) >= LEAST_SCORE else f"{value:+g}" if value else "0"
    return text.replace("-", "−")  # as in −∞
