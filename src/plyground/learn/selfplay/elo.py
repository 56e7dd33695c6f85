"""How much stronger a net has become: matches against an older self, whose place it takes when it wins most of them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from ...arena.openings import draw_opening
from ...arena.statistics import Tally, elo
from ...nets.evaluate import Evaluator, together
from ...nets.later import inference, models, torch
from ...rules import CHANCE, drawn_outcome, new
from ...search.mcts.batched import BatchedPUCT
from ...search.mcts.settings import Settings
from .. import measure

GAMES, SIMS, CONSIDERED = 64, 16, 8  # of a match; a seat each half
ENOUGH = 0.7  # score with which the older self is left behind
DRAWN = 50  # openings that are looked at, at most, for each that is wanted


def balanced(game: Any, judge: Evaluator, number: int, opening: int, bound: float, seed: int) -> np.ndarray:
    """So many positions after at most `opening` random moves for whose players the net says no more than the bound.

    Where too few are found the next best are taken.
    """
    rng = np.random.default_rng([seed, 11])
    states, values = list[Any](), np.zeros(0)
    for _ in range(DRAWN):
        fresh = [drawn(game, opening, rng) for _ in range(number)]
        planes = np.zeros((number, *game.planes()), np.float32)
        for state, seen in zip(fresh, planes, strict=True):
            game.encode(state, seen)
        states, values = states + fresh, np.append(values, np.abs(judge(planes)[:, -1]))
        if (values <= bound).sum() >= number:
            break
    fits = np.argsort(np.maximum(values, bound), kind="stable")  # those within the bound as they came
    return together([states[i] for i in fits[:number]])


def drawn(game: Any, opening: int, rng: np.random.Generator) -> Any:
    """A position after random moves, at most so many, in which a player is to move."""
    while True:
        state = new(game)
        for action in draw_opening(game, int(rng.integers(opening + 1)), rng):
            game.play(state, action)
        while not game.over(state) and game.player(state) == CHANCE:
            game.play(state, drawn_outcome(game, state, rng))
        if not game.over(state):
            return state


def duel(
    game: Any,
    one: Evaluator,
    other: Evaluator,
    settings: Settings,
    number: int,
    seed: int,
    openings: np.ndarray | None = None,
    sims: int = 0,
) -> tuple[Tally, Tally]:
    """So many games of one net against another, all at once, a few simulations a move: moving first, and second.

    openings: the positions that half of the games begin with, and then the other half, seats changed; sims: 0 for as
    many as usual.
    """
    how = replace(settings, considered=CONSIDERED, rollout=0.0)
    searches = [BatchedPUCT(game, asked, how, number, sims or SIMS, seed + i) for i, asked in enumerate((one, other))]

    def choices(states: np.ndarray) -> np.ndarray:
        return searches[0](states, noise=True)

    def replies(states: np.ndarray, _: np.ndarray) -> np.ndarray:
        return searches[1](states, noise=True)

    return measure.matches(game, choices, replies, number // 2, seed, openings)


class OlderSelf:
    """An older net, and its Elo above the first one.

    Where self-play keeps balanced openings alone (a `balance` below 1), matches begin with such ones, too.
    """

    def __init__(self, net: models.ResNet, opening: int = 0, balance: float = 1.0) -> None:
        self.net, self.elo = deepcopy(net).cpu().eval(), 0.0
        self.opening, self.balance = opening, balance

    def measure(
        self, game: Any, net: models.ResNet, judge: Evaluator, device: str, settings: Settings, seed: int
    ) -> dict[str, float]:
        """Play a match against the older self; the Elo so far."""
        older = inference.Inference(self.net, device)
        older.prepare(np.zeros((GAMES, *game.planes()), np.float32))
        openings = None
        if self.balance < 1:
            openings = balanced(game, older, GAMES // 2, self.opening, self.balance, seed)
        first, second = duel(game, judge, older, settings, GAMES, seed, openings)
        score = ((first.score + second.score) / 2 * GAMES + 0.5) / (GAMES + 1)  # never all or nothing
        reached = self.elo + elo(score)
        if score >= ENOUGH:
            self.net.load_state_dict(net.state_dict())
            self.elo = reached
        return {"elo": reached}

    def arrays(self) -> dict[str, np.ndarray]:
        return {f"older.{name}": value.cpu().numpy().copy() for name, value in self.net.state_dict().items()}

    def restore(self, arrays: dict[str, np.ndarray], reached: float) -> None:
        kept = {name: arrays[f"older.{name}"] for name in self.net.state_dict()}
        self.net.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in kept.items()})
        self.elo = float(reached)
