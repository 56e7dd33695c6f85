"""Self-play from Python: groups of parallel games, each group on a thread of its own, with a batch of leaves in flight.

A group plays until it has made enough samples: its searches go on to the next leaf of every game, then the net judges
all of them at once.  While the net works for one group the others walk their trees.  What a group plays depends on its
seed and the nets alone.  What it would need to go on is in `arrays`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import heartbeat
from ...jit.first_use import first_use
from ...nets.evaluate import together
from ...nets.later import inference, torch
from ...rules import new, record
from ...search.mcts.batched import Evaluator, room_for, table, variant_for
from ...search.mcts.settings import Settings
from ...search.tree import NONE
from ..starts import starts_of
from . import kernel as compiled
from .kernel import LONGEST, LOST, SETTING, TALLY, sample_type, slot_type

if TYPE_CHECKING:
    from .measurement import Measured, Measurement

SLACK = 96  # samples of one slot that may come at once
LARGEST = 1 << 30  # bytes of the trees of a round that is kept when it is left midway
LOOK = 0.1  # seconds between two looks whether a round is to be left
MOST = 1_000_000  # samples that there is room for
GROUPS = 16  # at most, on a GPU: it takes their batches side by side, and is idle with few of them


def groups_on(device: str, cores: int) -> int:
    """How many groups play best on a CPU or a GPU, where there are so many cores."""
    return min(cores, GROUPS) if device == "cuda" else cores


class Played(NamedTuple):
    """What came of a round: samples, what was counted (see `kernel`), and a game that has ended, if one has."""

    samples: np.ndarray
    tally: np.ndarray
    game: tuple[list[int], float] | None


class Group:
    """Games in parallel whose leaves are judged together."""

    def __init__(
        self,
        game: Any,
        settings: Settings,
        setting: dict[str, Any],
        slots: int,
        seed: int,
        starts: np.ndarray | None = None,
    ) -> None:
        """starts: positions that games begin with; None: the start of the game."""
        self.game, self.settings = game, settings
        self.setting = np.zeros(1, record(SETTING))
        for name, _ in SETTING:
            self.setting[name] = setting[name]
        sims, quick = int(setting["sims"]), int(setting["quick_sims"])
        self.trees, self.walkers, self.nodes, self.planes, self.answers = room_for(
            game, settings, slots, max(sims, quick), seed
        )
        self.slots = np.zeros(slots, slot_type(game))
        self.policies = np.zeros((slots, LONGEST, game.actions()), np.float32)
        considered = int(setting["considered"])
        tables = np.stack([table(considered, max(sims, quick))] * 2)
        for which, number in enumerate((quick, sims)):
            tables[which, :, :number] = table(considered, number)
        self._options, self._starts = settings.record(), together([new(game)]) if starts is None else starts
        self._variant = variant_for(game, settings, tables)
        self.tally = np.zeros(TALLY + 1)
        self.samples = np.zeros(0, sample_type(game))
        self.stopped = False  # by whoever has no use for the rest
        self.midway = False  # was a round left, of which `play` has to go on?
        with first_use():
            parts = self.trees, self.walkers, self.nodes, self.slots
            compiled.begin_all(game, self._variant, *parts, self.setting, self._starts)
            self._play_on(0)

    @heartbeat.expected()
    def play(self, evaluate: Evaluator, positions: int) -> Played:
        """Play until so many samples are there, or go on with a round that was left midway."""
        room = min(positions, MOST) + SLACK * len(self.slots)
        if len(self.samples) < room:
            found, self.samples = self.samples, np.zeros(room, self.samples.dtype)
            self.samples[: len(found)] = found
        if not self.midway:
            self.tally[:] = 0
            self.walkers["waits"] = False
            self.slots["length"] = 0
            compiled.search_again(self.trees, self.nodes, self.slots, self.setting, self._variant.alone)
        self.midway = False
        while self.tally[TALLY] + self.tally[LOST] < positions and not self.stopped:
            self._play_on(len(self.slots))
            self.answers[:] = evaluate(self.planes)
            heartbeat.beat()
        return Played(self.samples[: int(self.tally[TALLY])].copy(), self.tally.copy(), self._last_game())

    def _play_on(self, number: int) -> None:
        """Let so many games go on to their next leaves."""
        compiled.play_on(
            self.game,
            self._variant,
            self.trees[:number],
            self.walkers[:number],
            self.nodes[:number],
            self.slots[:number],
            self.policies[:number],
            self._options,
            self.setting,
            self.planes[:number],
            self.answers[:number],
            self.samples,
            self.tally,
            self._starts,
        )

    def _last_game(self) -> tuple[list[int], float] | None:
        """The actions and the score of a game that ended while `play` was called last, or None; of one player, the
        actions since it was written down last."""
        ended = np.flatnonzero(self.slots["length"])
        if not len(ended):
            return None
        slot = self.slots[ended[0]]
        return slot["last"][: slot["length"]].tolist(), float(slot["score"])

    def arrays(self) -> dict[str, np.ndarray]:
        """The games in progress, as a checkpoint holds them; of a round that was left midway, its searches, too."""
        plies = int(self.slots["plies"].max(initial=0))
        states = {"slots": self.slots.copy(), "roots": self.trees["root"].copy()}
        if self.midway:
            used = int(self.nodes["first"][:, NONE].max())
            states |= {"trees": self.trees, "walkers": self.walkers, "nodes": self.nodes[:, :used]}
            states |= {"samples": self.samples[: int(self.tally[TALLY])]}
        found = {name: as_bytes(part) for name, part in states.items()}
        if self.midway:
            found |= {"tally": self.tally.copy(), "planes": self.planes.copy(), "answers": self.answers.copy()}
        found |= {"trees.rng": self.trees["rng"].copy(), "walkers.rng": self.walkers["rng"].copy()}
        policies = self.policies[:, :plies].copy()
        policies[np.arange(plies) >= self.slots["plies"][:, None]] = 0  # of games before, which nobody needs
        return found | {"policies": policies}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.midway = "nodes" in arrays
        if self.midway:
            self.trees[:] = of_bytes(arrays["trees"], self.trees)
            self.walkers[:] = of_bytes(arrays["walkers"], self.walkers)
            nodes = of_bytes(arrays["nodes"], self.nodes).reshape(len(self.nodes), -1)
            self.nodes[:, : nodes.shape[1]] = nodes
            self.samples = of_bytes(arrays["samples"], self.samples)
            self.tally[:], self.planes[:], self.answers[:] = (arrays[name] for name in ("tally", "planes", "answers"))
        slots = arrays["slots"]
        self.slots[:] = slots.copy().view(self.slots.dtype).ravel()
        self.trees["root"] = arrays["roots"].copy().view(self.trees["root"].dtype).ravel()
        self.trees["rng"], self.walkers["rng"] = arrays["trees.rng"], arrays["walkers.rng"]
        self.policies[:, : arrays["policies"].shape[1]] = arrays["policies"]


def as_bytes(records: np.ndarray) -> np.ndarray:
    """Records [n, ...] as uint8[n, bytes]."""
    packed = np.ascontiguousarray(records)
    return packed.view(np.uint8).reshape(len(records), -1) if packed.size else np.zeros((len(records), 0), np.uint8)


def of_bytes(packed: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The records of bytes, of the same type as others, in a row."""
    return np.frombuffer(packed.tobytes(), like.dtype).copy()


@dataclass(frozen=True)
class Stage:
    """What is played: a game by its spec and seed, how it is searched and played, and how many games at once."""

    name: str
    seed: int
    settings: Settings
    setting: dict[str, Any]
    parallel_games: int

    def group(self, game: Any, number: int, of: int) -> Group:
        """One of so many groups that share the games."""
        slots = max(1, self.parallel_games // of)
        seed = self.seed * 64 + number
        return Group(game, self.settings, self.setting, slots, seed, starts_of(self.name, game, seed))


class Threads:
    """Groups that play at once, each on a thread of its own.  On a GPU each has a graph of the net of its own, too."""

    def __init__(self, stage: Stage, game: Any, number: int, device: str) -> None:
        self._stage, self._game, self._device = stage, game, device
        self._begin(number)

    def _begin(self, number: int) -> None:
        self.groups = [self._stage.group(self._game, i, number) for i in range(number)]
        self.judges: list[inference.Inference] = []
        self._pool: ThreadPoolExecutor | None = None
        self._playing: list[Future[Played]] = []
        self._before: list[dict[str, np.ndarray]] | None = None

    @property
    def number(self) -> int:
        return len(self.groups)

    @property
    def busy(self) -> bool:
        """Is a round being played?"""
        return bool(self._playing)

    def begin(self, net: Any, positions: int, ahead: bool = False) -> None:
        """Begin to play so many positions with a net, all groups together; `ahead` of whoever learns meanwhile."""
        self.take(net)
        if ahead or (self._device == "cpu" and not self.can_be_kept):
            self._before = [group.arrays() for group in self.groups]

        def one(group: Group, judge: Evaluator) -> Played:
            if self._device == "cpu":
                torch.set_num_threads(1)
            return group.play(judge, math.ceil(positions / len(self.groups)))

        self._pool = self._pool or ThreadPoolExecutor(len(self.groups))
        self._playing = [self._pool.submit(one, *pair) for pair in zip(self.groups, self.judges, strict=True)]

    def end(self, may_stop: Callable[[], None] = lambda: None) -> list[Played]:
        """What came of the round that is being played, when it is there, or whatever `may_stop` raises before."""
        if self.can_be_kept or self._before is not None:
            while wait(self._playing, LOOK).not_done:
                may_stop()
        found = [one.result() for one in self._playing]
        self._playing, self._before = [], None
        return found

    @property
    def can_be_kept(self) -> bool:
        """Is a round kept that is left midway?  Else it is played again, from where it began."""
        return sum(group.nodes.nbytes for group in self.groups) <= LARGEST

    def leave(self) -> None:
        """Leave the round that is being played, if there is one and it can be: `arrays` tells where it is then."""
        if self._playing and (self.can_be_kept or self._before is not None):
            self._stop()
            for one in self._playing:
                one.result()
            if self.can_be_kept:
                for group in self.groups:  # those that have played enough, too: nobody has taken it
                    group.midway = True
                self._before = None

    def _stop(self) -> None:
        for group in self.groups:
            group.stopped = True

    def tally(self) -> np.ndarray | None:
        """What is counted of the round that is being played, as far as it has come."""
        return np.sum([group.tally for group in self.groups], axis=0)

    def take(self, net: Any) -> None:
        """Play with this net from now on."""
        if not self.judges:
            one = inference.Inference(net, self._device)
            rest = self.groups[1:]
            self.judges = [
                one,
                *(inference.Inference(net, self._device) if self._device == "cuda" else one for _ in rest),
            ]
        for judge in dict.fromkeys(self.judges):
            judge.take(net)
            judge.prepare(self.groups[0].planes)

    def arrays(self) -> list[dict[str, np.ndarray]]:
        """The games in progress, group by group, as they were before the round that is being played, or left."""
        return self._before or [group.arrays() for group in self.groups]

    def restore(self, arrays: list[dict[str, np.ndarray]]) -> None:
        if len(arrays) != len(self.groups):  # it began on another machine
            self._begin(len(arrays))
        for group, own in zip(self.groups, arrays, strict=True):
            group.restore(own)

    def measure(self, task: Measurement) -> bool:
        """Nobody is free to: whoever learns has to."""
        return False

    def measured(self, wait: bool = False) -> Measured | None:
        """Nothing, therefore."""

    def figures(self) -> dict[str, float]:
        """Who plays, for curves."""
        return {}

    def summary(self) -> str:
        """What there is to say of those who play, in a few words."""
        return ""

    def planned(self, positions: int) -> str:
        """Who would play, and where, so many positions a round."""
        return f"threads that play on this machine: {len(self.groups)}; the net runs on {self._device}"

    def close(self) -> None:
        """Nobody waits for a round that is being played."""
        self._stop()
        if self._pool:
            self._pool.shutdown()
