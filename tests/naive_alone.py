"""A slow, obvious twin of the search by a net in games of one player: a dict of nodes by their path, plain Python.

It draws from the same stream as the kernel: an index at every chance event in the tree, where the look for the outcome
that is most behind begins; in a roll-out, outcomes as in `naive`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from naive import Stream
from plyground import rules
from plyground.nets.afterstates import AfterstateEncoder
from plyground.search.depth_first.lookahead import Lookahead
from plyground.search.mcts.batched_single_player import Settings

Path = tuple[int, ...]  # an action, an outcome or several or none, an action, ...
Judge = Callable[[np.ndarray], np.ndarray]


def something(inputs: np.ndarray) -> np.ndarray:
    """A net whose opinion on a placement is a fixed but meaningless function of what it is told."""
    seeds = [zlib.crc32(np.ascontiguousarray(row, np.float32).tobytes()) for row in inputs]
    drawn = [np.random.default_rng(seed) for seed in seeds]
    return np.array([[1.5 * rng.normal(), rng.uniform(0, 2)] for rng in drawn], np.float32)


class Node:
    def __init__(self) -> None:
        self.visits, self.value, self.prior, self.reward = 0, 0.0, 0.0, 0.0
        self.outcome = False  # of a chance event
        self.children: list[int] = []  # actions, or outcomes


class Twin:
    def __init__(
        self, game: Any, encoder: AfterstateEncoder, judge: Judge, settings: Settings, fast: Any, seed: int
    ) -> None:
        self.game, self.encoder, self.judge, self.settings, self.stream = game, encoder, judge, settings, Stream(seed)
        self.fast = Lookahead(game, fast) if fast else None
        self.nodes: dict[Path, Node] = {(): Node()}
        self.seen: list[float] = []  # values of actions

    def simulate(self, root: Any) -> None:
        state, path = root.copy(), ()
        while self.nodes[path].children:
            path = (*path, self.select(path))
            self.game.play(state, path[-1])
            while not self.game.over(state) and self.game.player(state) == rules.CHANCE:
                before = self.game.score(state)
                path = (*path, self.draw(path, state))
                self.game.play(state, path[-1])
                self.nodes[path].reward = self.settings.point * (self.game.score(state) - before)
                self.nodes[path].outcome = True
            if self.game.over(state):
                return self.back_up(path, 0.0)
        value, z = self.expand(path, state), 0.0
        if self.settings.rollout:
            z = self.roll_out(state)
        self.back_up(path, value + self.settings.rollout * (z - value))
        return None

    def select(self, path: Path) -> int:
        children = {action: self.nodes[*path, action] for action in self.nodes[path].children}
        n = max(self.nodes[path].visits - 1, 1)
        low, span = min(self.seen), max(self.seen) - min(self.seen)
        bounds = {}
        for action, node in children.items():
            if node.prior >= 0:
                q = (node.value - low) / span if span else 0.0
                bounds[action] = q + self.settings.c * math.sqrt(math.log(n)) * node.prior / math.sqrt(1 + node.visits)
        return max(bounds, key=lambda action: bounds[action])

    def draw(self, path: Path, state: Any) -> int:
        likely = rules.outcomes(self.game, state)
        for one, _ in likely:
            self.nodes.setdefault((*path, one), Node())
        self.nodes[path].children = [one for one, _ in likely]
        start = self.stream.below(len(likely))
        turned = likely[start:] + likely[:start]
        behind = [p * (self.nodes[path].visits + 1) - self.nodes[*path, one].visits for one, p in turned]
        return next(one for (one, _), far in zip(turned, behind, strict=True) if far > max(behind) - 1e-9)

    def expand(self, path: Path, state: Any) -> float:
        """What the net expects there: the mean of its actions by its policy."""
        o, game = self.settings, self.game
        seen = self.encoder(np.array([state]))
        said = self.judge(seen.inputs)
        self.nodes[path].children = seen.actions.tolist()
        over = [game.over(rules.after(game, state, action)) for action in seen.actions.tolist()]
        ends = [end and o.end_is_loss for end in over]
        powers = [
            0.0 if end and not all(ends) else math.exp(float(logit) / o.soften)
            for end, logit in zip(ends, said[:, 0], strict=True)
        ]
        mean = 0.0
        for i, action in enumerate(seen.actions.tolist()):
            node = self.nodes[*path, action] = Node()
            node.prior = powers[i] / sum(powers) if not ends[i] or all(ends) else -1.0
            if not ends[i]:
                gained = game.score(rules.after(game, state, action)) - game.score(state)
                node.reward = o.point * gained + (0.0 if over[i] else o.alive)
                node.value = node.reward + (0.0 if over[i] else o.gamma * float(said[i, 1]))
            if node.prior >= 0:
                mean += node.prior * node.value
                self.seen.append(node.value)
        return mean

    def back_up(self, path: Path, result: float) -> None:
        drawn = 0.0
        for depth in range(len(path), -1, -1):
            node = self.nodes[path[:depth]]
            node.visits += 1
            if depth and not node.outcome:  # an action: what the net said counts as one more result
                result = node.reward + drawn + self.settings.gamma * result
                drawn = 0.0
                node.value += (result - node.value) / (node.visits + 1)
                self.seen.append(node.value)
            else:
                node.value += (result - node.value) / node.visits
                drawn += node.reward

    def roll_out(self, state: Any) -> float:
        o, game, found = self.settings, self.game, 0.0
        for step in range(o.horizon):
            before, judged = game.score(state), self.fast.judge(state)
            game.play(state, max(judged, key=lambda one: one[1])[0])
            if game.over(state):
                break
            found += o.gamma**step * (o.alive + o.point * (game.score(state) - before))
            x = self.stream.below(2**31) / 2**31
            found_so_far = np.cumsum([p for _, p in rules.outcomes(game, state)])
            game.play(state, rules.outcomes(game, state)[int((found_so_far <= x).sum())][0])
        return found
