"""A slow, obvious twin of PUCT: node objects and plain Python, one walker after the other.

Its numbers are float64 but for the priors, which are float32 as a net's answers are.  Where sums could be rounded in
several ways it takes the kernel's, since the last bit decides ties.  Chance events are drawn as in `naive`, each walker
from a stream of its own; a roll-out begins when its walker has reached the leaf.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from naive import Stream
from plyground import rules
from plyground.rules import CHANCE
from plyground.search.mcts.settings import Settings

CERTAIN = 1e9
Judge = Callable[[np.ndarray], np.ndarray]  # planes [n, ...] to answers: logits of the actions, then the value


def nothing(game: Any) -> Judge:
    """A net without any opinion."""
    return lambda planes: np.zeros((len(planes), game.actions() + 1), np.float32)


def something(game: Any, strength: float = 1.5) -> Judge:
    """A net whose opinion on a position is a fixed but meaningless function of its planes."""

    def one(planes: np.ndarray) -> np.ndarray:
        rng = np.random.default_rng(zlib.crc32(np.ascontiguousarray(planes, np.float32).tobytes()))
        return np.append(strength * rng.normal(size=game.actions()), rng.uniform(-0.9, 0.9)).astype(np.float32)

    return lambda planes: np.stack([one(board) for board in planes])


def seen(game: Any, state: Any) -> np.ndarray:
    """The planes of a state."""
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    return planes


def softmax(logits: list[float], temperature: float = 1.0) -> list[float]:
    """Probabilities, as float32."""
    powers = [float(np.float32(math.exp((x - max(logits)) / temperature))) for x in logits]
    return [float(np.float32(power / total(powers))) for power in powers]


def total(numbers: list[float]) -> float:
    """Their sum, one after the other: Python's own may be more exact."""
    found = 0.0
    for number in numbers:
        found += number
    return found


class Node:
    def __init__(self, action: int | None = None, prior: float = 0.0) -> None:
        self.action, self.prior = action, prior
        self.visits, self.mean = 0, 0.0  # for player 0
        self.virtual_loss = 0
        self.proof = 0
        self.position = Position([], True, 0.0)

    @property
    def children(self) -> list[Node]:
        return self.position.children

    @property
    def value(self) -> float:
        return CERTAIN * self.proof if self.proof else self.mean


class Position:
    """What nodes share whose positions are the same, where transpositions are known."""

    def __init__(self, children: list[Node], whole: bool, judged: float) -> None:
        self.children = children
        self.whole = whole  # there is a child for every action
        self.judged = math.floor(judged * 32767 + 0.5) / 32767  # what the net said of it, for player 0
        self.shared = False

    @property
    def visits(self) -> int:
        return 1 + sum(child.visits for child in self.children)

    @property
    def mean(self) -> float:
        values = (child.visits * (child.proof or child.mean) for child in self.children)
        return total([self.judged, *values]) / self.visits


class Leaf:
    """A simulation that waits for the net."""

    def __init__(self, path: list[Node], movers: list[int], state: Any, grows: bool) -> None:
        self.path, self.movers, self.state, self.grows = path, movers, state, grows
        self.rolled = 0.0  # result of the roll-out for player 0


class PUCT:
    """The search of one state."""

    def __init__(
        self, game: Any, state: Any, judge: Judge, settings: Settings, leaves: int = 1, room: int = 10**9, seed: int = 1
    ) -> None:
        self.game, self.state, self.judge, self.settings, self.room = game, state, judge, settings, room
        self.streams = [Stream(seed + 1 + walker) for walker in range(leaves)]
        self.noise = [0.0] * game.actions()  # Gumbel
        self.root = Node()
        self.opinion = 0.0  # of the net on the root, for the player to move
        self.sign = 1 - 2 * int(game.player(state))
        self.done = 0
        self.seen: dict[tuple[int, bytes], Position] = {}
        self.alone = bool(game.alone())
        self.low, self.high = (math.inf, -math.inf) if self.alone else (-1.0, 1.0)  # of all values

    def run(self, simulations: int) -> int:
        """Simulate so often, or until the root is proven; return how often."""
        self.wanted, self.done = simulations, 0
        self.plan: Iterator[int] | None = None
        self.halves = self.settings.considered > 0 and self.root.visits == 0
        waiting: list[Leaf] = []
        while True:
            if waiting:
                answers = self.judge(np.stack([seen(self.game, leaf.state) for leaf in waiting]))
                for leaf, answer in zip(waiting, answers, strict=True):
                    self.learn(leaf, [float(x) for x in answer])
            waiting = [leaf for leaf in map(self.next_leaf, self.streams) if leaf]
            if not waiting:
                return self.done

    def next_leaf(self, stream: Stream) -> Leaf | None:
        """Simulate until the net is needed; nobody else goes while the first one waits at the root."""
        while self.done < self.wanted and not self.root.proof and (self.root.children or not self.root.virtual_loss):
            self.done += 1
            leaf = self.descend(stream)
            if self.settings.transpositions and self.knows(leaf):
                self.back_up(leaf, float(leaf.path[-1].proof or leaf.path[-1].mean))
                continue
            if not self.game.over(leaf.state) and not leaf.path[-1].proof:
                if self.settings.rollout:
                    leaf.rolled = self.rolled_out(leaf.state.copy(), stream)
                return leaf
            end = leaf.path[-1]
            result = float(end.proof or self.game.score(leaf.state))
            if self.alone:
                result = self.returned(leaf, 0.0)
            elif self.settings.solve and leaf.grows and not end.proof and abs(result) == 1:
                end.proof = int(result)
            self.back_up(leaf, result)
        return None

    def descend(self, stream: Stream) -> Leaf:
        leaf = Leaf([self.root], [], self.state.copy(), True)
        self.root.virtual_loss += 1
        while not self.game.over(leaf.state) and not leaf.path[-1].proof:
            node, mover = leaf.path[-1], int(self.game.player(leaf.state))
            if mover == CHANCE:
                action = self.drawn(leaf.state, stream)
                if leaf.grows and not node.children:
                    self.add(node, [(outcome, 0.0) for outcome, _ in rules.outcomes(self.game, leaf.state)])
                leaf.grows = leaf.grows and bool(node.children)
                if not leaf.grows:
                    self.game.play(leaf.state, action)
                    continue
                child = next(child for child in node.children if child.action == action)
            elif node.children and leaf.grows:
                child = self.choose(node, 1 - 2 * mover)
            else:
                break
            leaf.path.append(child)
            leaf.movers.append(mover)
            child.virtual_loss += 1
            self.game.play(leaf.state, child.action)
            if child.position.shared and child.position.visits > child.visits:
                break
        return leaf

    def knows(self, leaf: Leaf) -> bool:
        """Was the position met before, by other moves?  Then the leaf takes what is known of it."""
        node = leaf.path[-1]
        if node.proof or self.game.over(leaf.state) or not leaf.grows or node is self.root:
            return False
        if not node.children and (known := self.seen.get(self.key(leaf))):
            node.position, known.shared = known, True
        if node.position.shared:
            node.proof = proven(node, int(self.game.player(leaf.state)))
            node.mean = node.position.mean
        return node.position.shared

    def key(self, leaf: Leaf) -> tuple[int, bytes]:
        return int(self.game.player(leaf.state)), leaf.state.tobytes()

    def drawn(self, state: Any, stream: Stream) -> int:
        outcomes = rules.outcomes(self.game, state)
        x = stream.below(2**31) / 2**31
        for outcome, probability in outcomes[:-1]:
            x -= probability
            if x < 0:
                return outcome
        return outcomes[-1][0]

    def rolled_out(self, state: Any, stream: Stream) -> float:
        """The score of a game played to its end: a win at once, else a block, else anything."""
        while not self.game.over(state):
            mover = int(self.game.player(state))
            if mover == CHANCE:
                self.game.play(state, self.drawn(state, stream))
                continue
            mine, theirs = (rules.winning(self.game, state, player) for player in (mover, 1 - mover))
            choices = mine or theirs or rules.legal(self.game, state)
            self.game.play(state, choices[stream.below(len(choices))])
        return float(self.game.score(state))

    def add(self, node: Node, children: list[tuple[int, float]], whole: bool = True, judged: float = 0.0) -> None:
        if len(children) <= self.room:
            self.room -= len(children)
            node.position = Position([Node(action, prior) for action, prior in children], whole, judged)

    def learn(self, leaf: Leaf, answer: list[float]) -> None:
        """What the net says of a leaf: its value, and the priors of its children."""
        node = leaf.path[-1]
        if node is self.root:
            self.opinion = answer[-1]
        result = answer[-1] if self.game.player(leaf.state) == 0 else -answer[-1]
        if self.alone:
            result = self.returned(leaf, result)
        if self.settings.rollout:
            result += self.settings.rollout * (leaf.rolled - result)
        if leaf.grows and not node.children:
            actions, whole = rules.legal(self.game, leaf.state), True
            if self.settings.least and node is not self.root:
                highest = max(math.exp(answer[action]) for action in actions)
                likely = [action for action in actions if math.exp(answer[action]) >= self.settings.least * highest]
                whole, actions = len(likely) == len(actions), likely
            priors = softmax([answer[action] for action in actions], self.settings.policy_temperature)
            self.add(node, list(zip(actions, priors, strict=True)), whole, result)
            self.seen.setdefault(self.key(leaf), node.position)
        self.back_up(leaf, result)

    def returned(self, leaf: Leaf, value: float) -> float:
        """The points of the first move, those of the next, discounted, and so on; at last what the leaf is worth.

        The points of a move are those until the next one, chance in between."""
        state, scores = self.state.copy(), [float(self.game.score(self.state))]
        for node in leaf.path[1:]:
            self.game.play(state, node.action)
            scores.append(float(self.game.score(state)))
        scores[-1] = float(self.game.score(leaf.state))  # chance may have moved on without a node
        found, moves = 0.0, 0
        for before, after, mover in zip(scores, scores[1:], leaf.movers, strict=False):
            moves += mover != CHANCE
            found += self.power(moves - 1) * (after - before)
        return found + self.power(moves) * value

    def power(self, moves: int) -> float:
        """discount ** moves, one factor after the other."""
        return math.prod([self.settings.discount] * moves)

    def back_up(self, leaf: Leaf, result: float) -> None:
        for depth in reversed(range(len(leaf.path))):
            node = leaf.path[depth]
            if depth < len(leaf.movers) and leaf.path[depth + 1].proof and not node.proof:
                node.proof = proven(node, leaf.movers[depth])
            node.virtual_loss -= 1
            node.visits += 1
            node.mean += (result - node.mean) / node.visits
            if self.alone:
                self.low, self.high = min(self.low, node.mean), max(self.high, node.mean)

    # --- selection ---

    def choose(self, node: Node, sign: int) -> Node:
        if node is self.root and self.halves:
            if self.plan is None:
                self.plan = halving(min(self.settings.considered, len(node.children)), self.wanted)
            visits = next(self.plan)
            equal = [child for child in node.children if child.visits + child.virtual_loss == visits]
            if equal:
                return max(equal, key=lambda child: self.hopes(child, sign))
        rule = self.plain if self.settings.rule == "plain" else self.puct
        return max(node.children, key=lambda child: rule(node, child, sign))

    def puct(self, node: Node, child: Node, sign: int) -> float:
        """Q + c P sqrt(N) / (1 + n), where N counts the walker itself."""
        tried = total([child.prior for child in node.children if child.visits])
        unit = (self.high - self.low) / 2 or 1.0
        fresh = sign * node.value - unit * self.settings.fpu * math.sqrt(tried)
        n = child.visits + child.virtual_loss
        bonus = unit * self.settings.c * math.sqrt(node.visits + node.virtual_loss) * child.prior / (1 + n)
        return mean(child, sign, fresh, self.loss(sign)) + bonus

    def loss(self, sign: int) -> float:
        """The worst that may happen to a player."""
        return self.low if sign == 1 else -self.high

    def plain(self, node: Node, child: Node, sign: int) -> tuple[float, float]:
        """Q + c sqrt(ln N / (1 + n)), where the walker itself is not counted; the higher prior decides ties."""
        log = math.log(max(node.visits + node.virtual_loss - 1, 1))
        n = child.visits + child.virtual_loss
        bonus = self.settings.c * math.sqrt(log) / math.sqrt(1 + n)
        assert math.isclose(bonus, self.settings.c * math.sqrt(log / (1 + n)))
        return mean(child, sign, 0.0, self.loss(sign)) + bonus, child.prior

    def hopes(self, child: Node, sign: int) -> float:
        """Noise + logit + scaled value."""
        assert child.action is not None
        hope = self.noise[child.action] + math.log(child.prior + 1e-9)
        between = (worth(child, sign) - self.loss(sign)) / (self.high - self.low or 2.0)
        return hope + self.scale() * between if child.visits else hope

    def scale(self) -> float:
        most = max(child.visits for child in self.root.children)
        return self.settings.value_scale * (self.settings.visit_scale + most)

    def choice(self) -> int:
        """The action to play: the most visited, but a proven win first and a proven loss last."""
        best = max(self.root.children, key=lambda c: (self.sign * c.proof, c.visits, self.hopes(c, self.sign)))
        assert best.action is not None
        return best.action


def mean(child: Node, sign: int, fresh: float, loss: float) -> float:
    """Q for the player to move; every walker below counts as a loss."""
    n = child.visits + child.virtual_loss
    return (sign * child.value * child.visits + loss * child.virtual_loss) / n if n else fresh


def worth(child: Node, sign: int) -> float:
    return float(sign * child.proof) if child.proof else sign * child.mean


def proven(node: Node, mover: int) -> int:
    """Won if one action wins, lost if all of them lose; chance proves nothing."""
    good = 1 - 2 * mover
    if mover == CHANCE:
        return 0
    proofs = {child.proof for child in node.children}
    return good if good in proofs else -good if proofs == {-good} and node.position.whole else 0


def halving(considered: int, simulations: int) -> Iterator[int]:
    """Sequential halving: round after round the visits that whoever is next has; for ever."""
    rounds, visits, left = math.ceil(math.log2(considered)) if considered > 1 else 1, 0, considered
    while True:
        for _ in range(max(1, simulations // (rounds * left))):
            yield from [visits] * left
            visits += 1
        left = max(2, left // 2) if considered > 1 else 1


def held(node: Node, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple]:
    """Visits, proof, value (unless proven) and prior of every node, by the actions that lead there."""
    found = {path: (node.visits, node.proof, None if node.proof else node.mean, node.prior)}
    for child in node.children:
        assert child.action is not None
        found |= held(child, (*path, child.action))
    return found
