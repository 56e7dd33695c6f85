"""Agents with the mistakes that were found in the studies: they show where the studies' figures come from.

None of them is meant to be strong.  `faulty-uct` and `faulty-guided` are written in plain Python, as a listing of the
studies would be.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Annotated, Any

from ..agents.base import Agent, Limit, Move, Seed, Thought, same
from ..agents.simple import Drawing, win_or_block, wins_now
from ..agents.tree_search import UCT
from ..nets.card import must_fit
from ..nets.evaluate import Evaluator, Greedy, onnx_evaluator, softmax, together
from ..nets.files import read_card
from ..nets.trained import find
from ..rules import after, gives, legal, must_be_for_two, must_encode
from ..search.budget import Budget
from ..search.mcts.tree_view import Child
from ..spec import About, InputError

MOST = 50_000  # positions that faulty-uct remembers from move to move


@dataclass
class WinOnly(Drawing):
    """Faulty win-block: wins at once if it can, but never blocks."""

    def choices(self, game: Any, state: Any) -> list[int]:
        return wins_now(game, state) or legal(game, state)


@dataclass
class MiddleOnly(Drawing):
    """Faulty win-block-middle: takes the middle, but neither wins nor blocks on purpose."""

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not gives(game, "middle"):
            raise InputError("middle-only needs a game that names its middle; take random")

    def choices(self, game: Any, state: Any) -> list[int]:
        self.must_play(game)
        actions = legal(game, state)
        return [a for a in game.middle() if a in actions] or actions


@dataclass
class InvertedUCT(UCT):
    """Faulty UCT: the tree walks to what is good for the opponent; plays the move of the highest win rate."""

    c: Annotated[float, About("weight of exploration", low=0, high=1e6)] = 1.4

    def kernel_options(self) -> dict[str, Any]:
        return super().kernel_options() | {"win": self.loss, "loss": self.win, "solve": False}

    def _rank(self, child: Child) -> tuple:
        return (-child.value, child.visits) if child.visits else (-math.inf,)

    def _thought(self, game: Any, state: Any, simulations: int, budget: Budget) -> Thought:
        thought = super()._thought(game, state, simulations, budget)
        moves = [Move(m.action, m.visits, -m.value, m.proven) for m in thought.moves]
        return replace(thought, moves=moves, value=None if thought.value is None else -thought.value)


@dataclass(eq=False)
class Position:
    """What the rules say of a state, asked once."""

    state: Any
    sign: int  # 1 if player 0 moves, -1 if player 1
    score: float  # player 0's; 0 in an open game
    actions: list[int]  # none if the game is over
    after: list[Position] = field(default_factory=list)  # what they lead to, once it was asked for
    priors: list[float] = field(default_factory=list)  # of the actions, once a net was asked


@dataclass(eq=False)
class Node:
    """A node of faulty-uct's tree."""

    action: int
    here: Position
    children: list[Node] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0  # of the results, for player 0
    prior: float | None = None  # of the action, by a net


@dataclass
class FaultyUCT(Agent):
    """UCT with the studies' slips: no roll-outs, moves chosen with their bonus, a wrong bonus, or wrong signs."""

    sims: Annotated[int, About("simulations a move", low=1, high=1_000_000)] = 80
    c: Annotated[float, About("weight of exploration", low=0, high=1e6)] = 2.0
    count: Annotated[str, About("whose visits stand in the logarithm", choices=("parent", "root"))] = "root"
    check: Annotated[bool, About("play an immediate win or block without searching")] = True
    rollout: Annotated[str, About("none: an open game counts as drawn", choices=("none", "random"))] = "none"
    bonus: Annotated[str, About("under the root of the bonus", choices=("ln(N)/n", "ln(N/n)"))] = "ln(N)/n"
    choose: Annotated[str, About("bound: by value and bonus, as in the tree", choices=("bound", "visits", "value"))] = (
        "bound"
    )
    backup: Annotated[
        str,
        About(
            "leaf: the last node gets the searcher's result whoever moved there, then signs alternate upwards",
            choices=("mover", "leaf"),
        ),
    ] = "mover"
    seed: Seed = None

    def __post_init__(self) -> None:
        self._game: Any = None
        self._positions: dict[bytes, Position] = {}

    @classmethod
    def must_play(cls, game: Any) -> None:
        if gives(game, "chance"):
            raise InputError("faulty-uct knows no chance events")

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        begun = time.perf_counter()
        self.must_play(game)
        if game != self._game or type(game) is not type(self._game) or len(self._positions) > MOST:
            self._game, self._positions = game, {}
        urgent = win_or_block(game, state) if self.check else []
        if urgent:
            return Thought(int(self.rng.choice(urgent)), seconds=time.perf_counter() - begun)
        draw = Random(int(self.rng.integers(2**62)))
        root = Node(-1, self._position(state))
        sims = min(self.sims, limit.simulations or self.sims)
        for _ in range(sims):
            self._simulate(root, draw)
        sign = root.here.sign
        tried = [child for child in root.children if child.visits]
        keys: dict[str, Callable[[Node], float]] = {
            "bound": lambda child: self._bound(child, root, root, sign),
            "visits": lambda child: child.visits,
            "value": lambda child: sign * child.total / child.visits,
        }
        best = max(tried, key=keys[self.choose])
        moves = [Move(n.action, n.visits, sign * n.total / n.visits, False, n.prior) for n in tried]
        moves.sort(key=lambda move: -move.visits)
        value = sign * best.total / best.visits
        return Thought(best.action, value, sims, time.perf_counter() - begun, moves, [best.action])

    def _simulate(self, root: Node, draw: Random) -> None:
        path = [root]
        while path[-1].children:
            node = path[-1]
            bounds = [self._bound(child, node, root, node.here.sign) for child in node.children]
            path.append(node.children[bounds.index(max(bounds))])
        leaf = path[-1]
        if leaf.here.actions:
            leaf.children = self._children(leaf.here, draw)
            path.append(leaf.children[0])
        result = self._play_out(path[-1].here, draw)
        flipped = root.here.sign * result  # as `leaf` sees it
        for depth in reversed(range(len(path))):
            mover = path[max(depth - 1, 0)].here.sign
            path[depth].visits += 1
            path[depth].total += result if self.backup == "mover" else mover * flipped
            flipped = -flipped

    def _children(self, here: Position, draw: Random) -> list[Node]:
        """New nodes for all actions; of those with equal bounds, the first will be tried first."""
        if not here.after:
            here.after = [self._position(after(self._game, here.state, action)) for action in here.actions]
        children = [Node(action, then) for action, then in zip(here.actions, here.after, strict=True)]
        draw.shuffle(children)
        return children

    def _bound(self, child: Node, parent: Node, root: Node, sign: int) -> float:
        if child.visits == 0:
            return math.inf
        return sign * child.total / child.visits + self.c * self._spread(child.visits, parent, root)

    def _spread(self, n: int, parent: Node, root: Node) -> float:
        total = (root if self.count == "root" else parent).visits
        return math.sqrt(math.log(total) / n if self.bonus == "ln(N)/n" else math.log(max(1.0, total / n)))

    def _play_out(self, here: Position, draw: Random) -> float:
        if self.rollout == "none" or not here.actions:
            return here.score
        game, state = self._game, here.state.copy()
        while not game.over(state):
            game.play(state, draw.choice(legal(game, state)))
        return float(game.score(state))

    def _position(self, state: Any) -> Position:
        key = state.tobytes()
        if key not in self._positions:
            game = self._game
            over = game.over(state)
            actions = [] if over else legal(game, state)
            score = float(game.score(state)) if over else 0.0
            self._positions[key] = Position(state.copy(), 1 - 2 * int(game.player(state)), score, actions)
        return self._positions[key]


@dataclass
class FaultyGuided(FaultyUCT):
    """UCT guided by the policy of a net, Q + c P sqrt(ln N / (n + 1)), with the slips of faulty-uct."""

    net: Annotated[str, About("folder of a run, or of a net, that tells a policy", kind="run")] = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        folder = find(self.net)
        self._card = read_card(folder)
        if self._card.output != "policy":
            raise InputError(f"faulty-guided needs a net that tells a policy; {self.net} tells {self._card.output}")
        self.listen(onnx_evaluator(folder))

    @classmethod
    def must_play(cls, game: Any) -> None:
        super().must_play(game)
        must_be_for_two(game, "this net")
        must_encode(game)

    def listen(self, evaluate: Evaluator) -> None:
        """Ask this net from now on; it has changed, or is another one of the same sizes."""
        self._evaluate = evaluate
        self._greedy: Greedy | None = None
        for position in self._positions.values():
            position.priors = []

    def _children(self, here: Position, draw: Random) -> list[Node]:
        if not here.priors:
            here.priors = self._priors(here)
        priors = dict(zip(here.actions, here.priors, strict=True))
        children = super()._children(here, draw)
        for child in children:
            child.prior = priors[child.action]
        return sorted(children, key=lambda child: -priors[child.action])

    def _priors(self, here: Position) -> list[float]:
        if self._greedy is None or not same(self._greedy.game, self._game):
            must_fit(self._card, self._game)
            self._greedy = Greedy(self._game, self._card.input, self._evaluate)
        return softmax(self._greedy.outputs(together([here.state]))[0])[here.actions].tolist()

    def _bound(self, child: Node, parent: Node, root: Node, sign: int) -> float:
        value = sign * child.total / child.visits if child.visits else 0.0
        return value + self.c * (child.prior or 0.0) * self._spread(child.visits + 1, parent, root)
