"""A slow, obvious twin of the fast policy of local patterns: features by name, straight from the planes.

`Patterns.number` tells which weight of the kernel's vector belongs to which feature.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from naive import Stream
from naive_puct import PUCT, Leaf, seen
from plyground import rules


class Patterns:
    """cells[action]: the cells that it may concern, in the order in which they fill; weights by feature."""

    def __init__(self, game: Any, cells: dict[int, list[int]], planes: list[int], weights: np.ndarray) -> None:
        self.game, self.cells, self.planes, self.weights = game, cells, planes, weights
        _, self.rows, self.columns = game.planes()
        self.codes = len(planes) + 2

    def board(self, state: Any) -> dict[tuple[int, int], int]:
        """What lies on the cells, by row and column: 0 nothing, else the first of the planes that tells of it."""
        planes = seen(self.game, state)
        found = {}
        for row in range(self.rows):
            for column in range(self.columns):
                told = [number for number, plane in enumerate(self.planes, 1) if planes[plane, row, column] != 0]
                found[row, column] = told[0] if told else 0
        return found

    def site(self, board: dict[tuple[int, int], int], action: int) -> tuple[int, int] | None:
        places = [divmod(cell, self.columns) for cell in self.cells.get(action, [])]
        free = [place for place in places if board[place] == 0]
        return (free or places[-1:] or [None])[0]

    def last_site(self, board: dict[tuple[int, int], int], action: int | None) -> tuple[int, int] | None:
        places = [divmod(cell, self.columns) for cell in self.cells.get(-1 if action is None else action, [])]
        filled = []
        for place in places:
            if filled and board[place] == 0:
                break
            filled.append(place)
        return filled[-1] if filled else None

    def features(self, state: Any, last: int | None) -> dict[int, list[tuple]]:
        """The names of the features of every legal action that are 1."""
        board, mover = self.board(state), int(self.game.player(state))
        edge, before = self.codes - 1, self.last_site(board, last)
        wins, blocks = (rules.winning(self.game, state, player) for player in (mover, 1 - mover))
        found = {}
        for action in rules.legal(self.game, state):
            names: list[tuple] = [("action", action)]
            if action in wins:
                names.append(("wins",))
            elif action in blocks:
                names.append(("blocks",))
            site = self.site(board, action)
            if site is not None:
                around = [(site[0] + dy, site[1] + dx) for dy in range(-2, 3) for dx in range(-2, 3)]
                names += [("cell", place, board.get(cell, edge)) for place, cell in enumerate(around)]
                if before in around:
                    names.append(("response", around.index(before)))
                near = [board.get((site[0] + dy, site[1] + dx), edge) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
                names.append(("pattern", *near[:4], *near[5:]))
            found[action] = names
        return found

    def number(self, name: tuple) -> int:
        """Where the weight of a feature stands."""
        actions = self.game.actions()
        kind, *rest = name
        if kind == "action":
            return int(rest[0])
        if kind in ("wins", "blocks"):
            return actions + (kind == "blocks")
        start = actions + 2
        if kind == "cell":
            return start + rest[0] * self.codes + rest[1]
        if kind == "response":
            return start + 25 * self.codes + rest[0]
        digits = sum(code * self.codes ** (7 - i) for i, code in enumerate(rest))
        return start + 25 * self.codes + 25 + digits % 65_537

    def chances(self, state: Any, last: int | None) -> dict[int, float]:
        """The probabilities of the legal actions."""
        logits = {}
        for action, names in self.features(state, last).items():
            logits[action] = math.fsum(float(self.weights[self.number(name)]) for name in names)
        powers = {action: math.exp(logit - max(logits.values())) for action, logit in logits.items()}
        return {action: power / sum(powers.values()) for action, power in powers.items()}

    def rolled_out(self, state: Any, last: int | None, stream: Stream) -> float:
        """The score of a game that is played to its end."""
        state = state.copy()
        while not self.game.over(state):
            chances = list(self.chances(state, last).items())
            x = stream.below(2**31) / 2**31
            last = chances[-1][0]
            for action, chance in chances[:-1]:
                x -= chance
                if x < 0:
                    last = action
                    break
            self.game.play(state, last)
        return float(self.game.score(state))


class PatternPUCT(PUCT):
    """The twin of PUCT whose roll-outs are by local patterns."""

    patterns: Patterns

    def descend(self, stream: Stream) -> Leaf:
        leaf = super().descend(stream)
        self.last = leaf.path[-1].action
        return leaf

    def rolled_out(self, state: Any, stream: Stream) -> float:
        return self.patterns.rolled_out(state, self.last, stream)
