"""Self-play from Python: groups of desks, each with a batch of leaves in flight.

A group plays until it has made enough samples: its threads let the searches go on to the next leaf of every desk, then
the net judges all of them at once.  While the net works for one group the other walks its trees.  What a group plays
depends on its seed and the nets alone; the order of its samples depends on the number of its threads as well.  What it
would need to go on is in `arrays`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from ..first_use import first_use
from ..rules import dtype, record
from ..search.forest import Evaluator, Settings, flags, room_for, table
from . import selfplay_kernel as compiled
from .selfplay_kernel import LONGEST, LOST, SETTING, TALLY, desk_type, sample_type

SLACK = 96  # samples of one desk that may come at once
MOST = 1_000_000  # samples that there is room for


class Group:
    """Desks whose leaves are judged together."""

    def __init__(
        self, game: Any, settings: Settings, setting: dict[str, Any], desks: int, seed: int, threads: int = 1
    ) -> None:
        self.game, self.settings = game, settings
        self.setting = np.zeros(1, record(SETTING))
        for name, _ in SETTING:
            self.setting[name] = setting[name]
        sims, quick = int(setting["sims"]), int(setting["quick"])
        self.trees, self.walkers, self.nodes, self.planes, self.answers = room_for(
            game, settings, desks, max(sims, quick), seed
        )
        self.desks = np.zeros(desks, desk_type())
        self.policies = np.zeros((desks, LONGEST, game.actions()), np.float32)
        considered = int(setting["considered"])
        tables = [table(considered, max(sims, quick)).copy() for _ in range(2)]
        for which, number in enumerate((quick, sims)):
            tables[which][:, :number] = table(considered, number)
        self._tables = np.stack(tables)
        self._options, self._flags, self._blank = settings.record(), flags(game, settings), np.zeros(1, dtype(game))
        bounds = np.linspace(0, desks, min(threads, desks) + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self.tally = np.zeros((len(self._parts), TALLY + 1), np.int64)
        self.samples = np.zeros((len(self._parts), 0), sample_type(game))
        with first_use():
            compiled.begin_all(
                game, self.trees, self.walkers, self.nodes, self.desks, self.setting, self._blank, self._flags[0]
            )
            self._turn(slice(0, 0), 0)

    def play(self, evaluate: Evaluator, positions: int) -> tuple[np.ndarray, np.ndarray]:
        """Play until so many samples are there: the samples, and what was counted (see `selfplay_kernel`)."""
        room = min(positions, MOST) // len(self._parts) + SLACK * (len(self.desks) // len(self._parts) + 1)
        if self.samples.shape[1] < room:
            self.samples = np.zeros((len(self._parts), room), self.samples.dtype)
        self.tally[:] = 0
        self.walkers["waits"] = False
        self.desks["length"] = 0
        compiled.search_again(self.trees, self.nodes, self.desks, self.setting)
        while self.tally[:, [TALLY, LOST]].sum() < positions:
            if self._pool:
                list(self._pool.map(self._turn, self._parts, range(len(self._parts))))
            else:
                self._turn(self._parts[0], 0)
            self.answers[:] = evaluate(self.planes)
        found = [samples[:count] for samples, count in zip(self.samples, self.tally[:, TALLY], strict=True)]
        return np.concatenate(found), self.tally.sum(axis=0)

    def _turn(self, part: slice, number: int) -> None:
        """Let the desks of one thread go on to their next leaves."""
        compiled.play_on(
            self.game,
            self.trees[part],
            self.walkers[part],
            self.nodes[part],
            self.desks[part],
            self.policies[part],
            self._options,
            self._tables,
            self.setting,
            self.planes[part],
            self.answers[part],
            self.samples[number],
            self.tally[number],
            self._blank,
            *self._flags,
        )

    def last_game(self) -> tuple[list[int], float] | None:
        """The actions and the score of a game that ended while `play` was called last, or None."""
        ended = np.flatnonzero(self.desks["length"])
        if not len(ended):
            return None
        desk = self.desks[ended[0]]
        return desk["last"][: desk["length"]].tolist(), float(desk["score"])

    def arrays(self) -> dict[str, np.ndarray]:
        """The games in progress, as a checkpoint holds them."""
        plies = int(self.desks["plies"].max(initial=0))
        states = {"desks": self.desks, "roots": self.trees["root"].copy()}
        found = {name: part.view(np.uint8).reshape(len(part), -1) for name, part in states.items()}
        found |= {"trees.rng": self.trees["rng"].copy(), "walkers.rng": self.walkers["rng"].copy()}
        return found | {"policies": self.policies[:, :plies].copy()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.desks[:] = arrays["desks"].copy().view(self.desks.dtype).ravel()
        self.trees["root"] = arrays["roots"].copy().view(self.trees["root"].dtype).ravel()
        self.trees["rng"], self.walkers["rng"] = arrays["trees.rng"], arrays["walkers.rng"]
        self.policies[:, : arrays["policies"].shape[1]] = arrays["policies"]
