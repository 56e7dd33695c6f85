"""What each part of AlphaZero is worth: nets trained for equal time in another way, against the net of the defaults."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import Any

import numpy as np
import torch

from .. import games
from ..learn import measure
from ..learn.alphazero import AlphaZero
from ..learn.base import chosen, usual_for
from ..learn.selfplay.elo import duel
from ..learn.selfplay.learner import Lesson
from ..nets.evaluate import Greedy
from ..nets.inference import Inference
from ..nets.models import ResNet
from ..search.mcts.batched import BatchedPUCT
from ..search.mcts.settings import Settings

SMALL: tuple[str, dict[str, Any]] = "mnk(5,5,4)", {"threats": 0}
LARGE: tuple[str, dict[str, Any]] = (
    "gomoku(9)",
    {
        "parallel_games": 2048,
        "round": 20_000,
        "batch": 1024,
        "replay_ratio": 3.0,
        "window": 50_000,
        "growth": 0.5,
        "lr": 0.003,
    },
)
SEEDS = 0, 1
MOST = 3_000_000  # positions that a net can learn from in its time
GAMES = 256  # of the match against the defaults
GATE_GAMES = 64
SEARCHED = 32  # simulations where mistakes are counted
ACCEPTED = 0.55  # score against the net before with which a gate lets the newest net play

DEFAULTS = "the defaults"
GATE = "a gate: the newest net plays if it scores 55 % against the one before"
INSTEAD: dict[str, dict[str, Any]] = {
    DEFAULTS: {},
    "PUCT with Dirichlet noise at the root, shares of visits as the target": {"root": "puct", "target": "visits"},
    "shares of visits as the target": {"target": "visits"},
    "full searches only": {"full_share": 1.0},
    "half the simulations": {"sims": 0.5, "quick_sims": 0.5},
    "twice the simulations": {"sims": 2.0, "quick_sims": 2.0},
    "no mirror images": {"mirror": False},
    "no proofs": {"solve": False, "threats": -1},
    "proofs, but no look for threats": {"threats": -1},
    "the value learns results only": {"blend": 0.0},
    "sooner is better (discount 0.98)": {"discount": 0.98},
    "a window that does not grow": {"growth": 0.0},
    "a constant learning rate": {"last_lr": 1.0},
    "no random openings": {"opening": 0},
    "giving up below -0.9": {"resign": -0.9},
    GATE: {},
}


class Timed(AlphaZero):
    """Learns for so many seconds, and its learning rate falls with the time."""

    seconds_in_all: float
    begun: float
    _until: int  # positions after which training would end at this pace

    @property
    def steps(self) -> int:
        return self._until

    def advance(self) -> dict[str, float]:
        self._until = self.done + self.options.round
        return super().advance()

    def learn(self, lesson: Lesson) -> dict[str, float]:
        gone = (time.perf_counter() - self.begun) / self.seconds_in_all
        self._until = max(self.played, round(self.played / min(1.0, gone)))
        return super().learn(lesson)

    def train(self, seconds: float) -> None:
        """Learn.  The first round is a gift, since it may compile."""
        self.seconds_in_all, self.begun = seconds, time.perf_counter()
        self.advance()
        self.begun = time.perf_counter()
        while time.perf_counter() - self.begun < seconds:
            self.advance()


class Gated(Timed):
    """The net that plays is the newest one that won a match against the one before."""

    champion: dict[str, Any] | None = None

    def _begin_round(self, net: ResNet) -> None:
        if self.champion is None or self._wins():
            self.champion = deepcopy(self.model.state_dict())
        best = deepcopy(net)
        best.load_state_dict(self.champion)
        super()._begin_round(best)

    def _wins(self) -> bool:
        before = deepcopy(self.model)
        before.load_state_dict(self.champion or {})
        return score(self.game, self.model, before, self.device, self.settings, GATE_GAMES, self.done)[0] >= ACCEPTED


def score(
    game: Any, one: ResNet, other: ResNet, device: str, settings: Settings, number: int, seed: int
) -> tuple[float, int, int, int]:
    """Of a match between two nets, seats balanced: the score of the first; wins, draws, losses."""
    if device == "cpu":
        torch.set_num_threads(1)  # the batches are small
    judges = [Inference(net.eval(), device) for net in (one, other)]
    for judge in judges:
        judge.prepare(np.zeros((number, *game.planes()), np.float32))
    first, second = duel(game, judges[0], judges[1], settings, number, seed)
    wins, draws, losses = (getattr(first, word) + getattr(second, word) for word in ("wins", "draws", "losses"))
    return (wins + draws / 2) / number, wins, draws, losses


def learner(name: str, seed: int, device: str, threads: int = 0) -> Timed:
    """A learner that does one thing in another way."""
    name_of_game, own = LARGE if device == "cuda" else SMALL
    game = games.make(name_of_game)
    given = own | {"positions": MOST, "device": device, "threads": threads}
    proven = usual_for("alphazero", game)
    usual = chosen(AlphaZero, given, usual=proven)
    for option, value in INSTEAD[name].items():
        given[option] = round(value * getattr(usual, option)) if option in ("sims", "quick_sims") else value
    kind = Gated if name == GATE else Timed
    return kind(game, name_of_game, chosen(AlphaZero, given, usual=proven), seed)


def row(name: str, seed: int, found: Timed, base: ResNet) -> dict[str, Any]:
    """What came of it: how far it got, its mistakes where the truth is known, its score against the defaults."""
    told: dict[str, Any] = {"instead of the defaults": name, "seed": seed, "positions": found.done}
    known = measure.positions(found.game)
    if known is not None:
        judge = Inference(found.model.eval(), found.device)
        told["mistakes_alone"] = known.mistakes(Greedy(found.game, "board", judge))
        search = BatchedPUCT(found.game, judge, Settings(considered=16), 256, SEARCHED)
        told["mistakes_searched"] = known.mistakes(search)
    if name != DEFAULTS:
        told["score"], *rest = score(found.game, found.model, base, found.device, Settings(), GAMES, seed)
        told |= dict(zip(("won", "drawn", "lost"), rest, strict=True))
    return told


def tricks(seconds: float) -> list[dict[str, Any]]:
    """Each net learns for `seconds`; on a GPU Gomoku on 9x9, else four in a row on 5x5."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = []
    for seed in SEEDS:
        base: ResNet | None = None
        for name in INSTEAD:
            found = learner(name, seed, device)
            found.train(seconds)
            base = base or found.model
            rows.append(row(name, seed, found, base))
    return rows
