"""Games whose searches are learnt from, position by position: what a net will be asked in a search, and not only what
is played.

A group searches its games side by side, takes positions of every tree (`search.mcts.collect`) and plays on.  A net that
kernels can run is asked there, and a group has one game then; else the leaves of all its trees make a batch.  What a
round of a group does depends on the net, the games in progress, and a stream of random numbers of that round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...jit.first_use import first_use
from ...nets import kinds
from ...nets.evaluate import Evaluator
from ...rules import dtype, legal, record
from ...search.mcts.batched import BatchedPUCT
from ...search.mcts.collect import collect, position_type, room_to_walk
from ...search.mcts.settings import Settings
from ...search.tree import ROOT
from ..starts import starts_of
from .kernel import DRAWS, GAMES, KEPT_ANYWAY, LONGEST, PLIES, SIMULATIONS, TALLY
from .workers import Played, Stage, Threads, as_bytes, of_bytes

RARE = 0.02  # of the visits of the most visited action: one with fewer is not drawn


def game_type(game: Any) -> np.dtype:
    """What is known of a game in progress."""
    return record([("state", dtype(game)), ("plies", np.int32), ("actions", np.int16, (LONGEST,))])


class TreeGroup:
    """Some games; the same to `Threads` as a `workers.Group`."""

    midway = False  # a round that is left is begun again

    def __init__(
        self,
        game: Any,
        settings: Settings,
        setting: dict[str, Any],
        slots: int,
        seed: list[int],
        starts: np.ndarray,
    ) -> None:
        """setting: options of the learner, `distil.DistilOptions`; starts: positions that games begin with."""
        self.game, self.setting, self.seed, self.starts = game, setting, seed, starts
        self.forest = BatchedPUCT(game, None, settings, slots, setting["sims"])
        self.nodes, self.planes = self.forest.nodes, self.forest.inputs
        self.walk = room_to_walk(game, setting["sims"])
        self.games = np.zeros(slots, game_type(game))
        self.rounds = 0
        self.rng = np.random.default_rng(seed)
        self.tally = np.zeros(TALLY + 1)
        self.ended: tuple[list[int], float] | None = None  # the game that ended last: its actions, and its score
        self.stopped = False  # by whoever has no use for the rest

    def play(self, judge: Evaluator, wanted: int) -> Played:
        """Search and play until there are so many positions."""
        self.rng = np.random.default_rng([*self.seed, self.rounds])
        self.tally[:], self.ended = 0, None
        self.take(judge)
        found = np.zeros(wanted, position_type(self.game))
        if self.rounds == 0:
            for i in range(len(self.games)):
                self._begin(i)
        while self.tally[TALLY] < wanted and not self.stopped:
            self._seed()
            self.forest.search(self.games["state"])
            self.tally[SIMULATIONS] += self.forest.trees["done"].sum()
            for i in range(len(self.games)):
                self.tally[TALLY] = self._collect(i, found, int(self.tally[TALLY]))
                self._go_on(i)
        self.rounds += 1
        return Played(found[: int(self.tally[TALLY])], self.tally.copy(), self.ended)

    def take(self, judge: Evaluator) -> None:
        """Search by this net from now on."""
        self.forest.take(judge)
        with first_use():
            self._collect(0, np.zeros(0, position_type(self.game)), 0)

    def _seed(self) -> None:
        self.forest.seed(self.rng.integers(2**62, size=len(self.games)).tolist())

    def _collect(self, i: int, found: np.ndarray, count: int) -> int:
        """Take positions of a tree; how many there are then."""
        tree, setting = self.forest.trees[i : i + 1], self.setting
        share = setting["leaves"] / setting["sims"]
        return collect(self.game, tree, self.forest.nodes[i], self.walk, setting["visits"], share, found, count)

    def _begin(self, i: int) -> None:
        """Begin a game: with random moves, after which it is open."""
        one, game, bound = self.games[i], self.game, self.setting["balance"]
        wanted = self.rng.integers(self.setting["opening"] + 1)
        while True:
            self.games["state"][i] = self.starts[self.rng.integers(len(self.starts))]
            one["plies"] = 0
            while one["plies"] < wanted and not game.over(one["state"]):
                self._play(i, int(self.rng.choice(legal(game, one["state"]))))
            if game.over(one["state"]):
                wanted = self.rng.integers(wanted + 1)  # too far
            elif bound >= 1 or self._looks_worth(i) <= bound or self.rng.integers(KEPT_ANYWAY) == 0:
                return

    def _looks_worth(self, i: int) -> float:
        """How far from a draw a position looks at first, to the net or a prover."""
        self._seed()
        self.forest.search(self.games["state"][i : i + 1], sims=1)
        return abs(float(self.forest.nodes[0, ROOT]["value"]))

    def _play(self, i: int, action: int) -> None:
        one = self.games[i]
        one["actions"][one["plies"]] = action
        one["plies"] += 1
        self.game.play(one["state"], action)

    def _go_on(self, i: int) -> None:
        """Play the move that a search has found, or begin another game where all is decided."""
        game, one, nodes = self.game, self.games[i], self.forest.nodes[i]
        root = nodes[ROOT]
        decided = bool(root["proof"]) or abs(root["value"]) > self.setting["decided"]
        if not decided:
            self._play(i, self._chosen(nodes[root["first"] : root["first"] + root["width"]], int(one["plies"])))
            if not game.over(one["state"]) and one["plies"] < LONGEST:
                return
        over = game.over(one["state"])
        score = float(game.score(one["state"])) if over else float(np.sign(root["value"])) if decided else 0.0
        self.tally[GAMES] += 1
        self.tally[DRAWS] += score == 0
        self.tally[PLIES] += one["plies"]
        self.ended = one["actions"][: one["plies"]].tolist(), score
        self._begin(i)

    def _chosen(self, children: np.ndarray, plies: int) -> int:
        """The most visited action, or one drawn by visits."""
        visits = children["visits"].astype(float)
        drawn = plies < self.setting["temperature_moves"] or self.rng.random() < self.setting["random_moves"]
        if not drawn or not visits.any():
            return int(children["action"][visits.argmax()])
        weights = np.where(visits < RARE * visits.max(), 0, visits) ** (1 / self.setting["temperature"])
        return int(children["action"][self.rng.choice(len(visits), p=weights / weights.sum())])

    def arrays(self) -> dict[str, np.ndarray]:
        """The games in progress, as a checkpoint holds them."""
        return {"games": as_bytes(self.games).copy(), "rounds": np.array([self.rounds])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.games[:] = of_bytes(arrays["games"], self.games)
        self.rounds = int(arrays["rounds"][0])


@dataclass(frozen=True)
class TreeStage(Stage):
    """What is searched: see `Stage`."""

    in_kernels: bool = False  # is the net run there?

    def group(self, game: Any, number: int, of: int) -> Any:
        slots = 1 if self.in_kernels else max(1, self.parallel_games // of)
        seed = self.seed * 64 + number
        starts = starts_of(self.name, game, seed)
        return TreeGroup(game, self.settings, self.setting, slots, [self.seed, 3, number], starts)


class TreeThreads(Threads):
    """Groups that search at once.  A round that is left is begun again when training goes on."""

    @property
    def can_be_kept(self) -> bool:
        return False

    def begin(self, net: Any, positions: int, ahead: bool = False) -> None:
        super().begin(net, positions, True)

    def take(self, net: Any) -> None:
        made = kinds.in_training(net)
        if made is None:
            super().take(net)
        else:
            self.judges = [made] * len(self.groups)
        one: Any = self.groups[0]
        one.take(self.judges[0])  # what the others need is compiled before they begin
