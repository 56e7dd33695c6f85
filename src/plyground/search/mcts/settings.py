"""How a net searches: every coefficient of PUCT once.  Agents and learners take their defaults and words from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ...rules import record
from ...spec import About
from . import puct

Exploration = Annotated[float, About("weight of exploration", low=0, high=1e6)]
RAVE_C = 0.5  # exploration of RAVE where actions are played again and again: see docs/rave.md
RaveExploration = Annotated[
    float | None,
    About(
        f"weight of exploration; None: 0 where no action is played twice in a game, as stones are put, else {RAVE_C}",
        low=0,
        high=1e6,
    ),
]
FirstPlayUrgency = Annotated[
    float,
    About(
        "first-play urgency: what was never tried is worth so much less than its parent, if all else was tried",
        low=0,
        high=10,
    ),
]
Solve = Annotated[bool, About("back up proven wins and losses (MCTS-Solver)")]
PolicyTemperature = Annotated[
    float,
    About(
        "of the softmax that makes priors of a net's logits: above 1 what it thinks unlikely is tried sooner",
        low=0.1,
        high=10,
    ),
]
Least = Annotated[
    float,
    About(
        "share of the likeliest action's probability, by the net, below which one is not looked at, but at the root",
        low=0,
        high=1,
    ),
]
Transpositions = Annotated[
    bool,
    About("know a position again that other moves have led to: it is judged once, and what is learnt there is shared"),
]
Considered = Annotated[int, About("actions that sequential halving begins with", low=2, high=1024)]
RollOut = Annotated[float, About("lambda: share of a roll-out's result in a leaf's value", low=0, high=1)]

CONSIDERED = 16  # actions, if the root is to be chosen by Gumbel


@dataclass(frozen=True)
class Settings:
    """How a net searches a game; `puct.OPTIONS` is what the kernels read of it."""

    c: Exploration = 1.5
    fpu: FirstPlayUrgency = 0.2
    solve: Solve = True
    rule: str = "puct"  # or plain: see `puct.select`
    considered: int = 0  # actions that sequential halving begins with; 0: PUCT at the root too
    visit_scale: float = 50.0  # visits that are added to the most visited child's, for the weight of values at the root
    value_scale: float = 0.5  # weight of values against logits, at a Gumbel root
    rollout: RollOut = 0.0
    discount: float = 1.0  # one player: what a point is worth one move later
    policy_temperature: PolicyTemperature = 1.0
    least: Least = 0.0
    transpositions: Transpositions = False
    prover: Any = None  # what may know the result of a leaf before the net is asked: see `puct.proven_result`
    fast: Any = None  # the policy of roll-outs, `local_patterns.LocalPatterns`; None: win-block

    def record(self) -> np.ndarray:
        """As the kernels read them."""
        made = np.zeros(1, record(puct.OPTIONS))
        real = ("c", "fpu", "visit_scale", "value_scale", "rollout", "discount", "policy_temperature", "least")
        for name in (*real, "solve"):
            made[name] = getattr(self, name)
        made["rule"] = puct.PLAIN if self.rule == "plain" else puct.PUCT
        return made
