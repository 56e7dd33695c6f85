"""AlphaGo's recipe, which the study tictactoe-mcts sums up: trained here, and its four stages measured."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

from .deep_runs import trained
from .lab import match

MIXES = (0.0, 0.5, 1.0)
ONCE = ("rl_score", "rl_score_interval", "accuracy", "fast_accuracy", "value_error", "rollout_error")
CURVES = ("accuracy", "fast_accuracy", "value_error")
BINS = 8


def recipe(
    game: str, options: dict[str, Any], sims: int, count: int, positions: int, rollouts: int, seed: int
) -> dict[str, Any]:
    """Train all stages, and measure: predictions, the improved policy, values by moves, and mixes at the leaves."""
    quiet = {"measure_every": 0, "checkpoint_every": 1_000_000}
    with trained("alphago", game, "", quiet | options, seed) as (run, seconds):
        lines = run.metrics()
        found: dict[str, Any] = {name: line[name] for line in lines for name in ONCE if line.get(name) is not None}
        found["curves"] = {name: [line[name] for line in lines if line.get(name) is not None] for name in CURVES}
        found |= measured(Path(run.folder), game, sims, count, positions, rollouts)
        return found | {"seconds": seconds, "options": options, "sims": sims}


def measured(folder: Path, game: str, sims: int, count: int, positions: int, rollouts: int) -> dict[str, Any]:
    """What is measured of a run that has ended: errors of values, and matches of mixes with one another."""
    from ..learn.alphago.errors import errors_by_moves
    from ..learn.run import Run
    from ..learn.train import resumed

    made: Any = resumed(Run.open(folder))
    errors = errors_by_moves(made, BINS, positions, rollouts)
    made.close()
    agents = {mix: f'alphago("{folder}", sims={sims}, mix={mix})' for mix in MIXES}
    pairs = {
        f"{one} v {other}": match(game, agents[one], agents[other], count, 1, opening=2)
        for one, other in combinations(MIXES, 2)
    }
    return {"errors": errors, "pairs": pairs}
