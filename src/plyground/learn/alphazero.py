"""AlphaZero: a net learns to say what its own search finds out, from games against itself.

After Silver and others (2017), in the way of today: Gumbel noise and sequential halving at the root, which make a few
simulations an improvement (Danihelka and others, 2022); full and quick searches in turn, of which only the full ones
teach the policy (playout-cap randomisation: Wu, 2019); win, draw and loss as the value; a replay window that grows;
every position in a random mirror image.  `docs/alphazero.md` tells what each of them is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..manifest import ask
from ..nets.later import models, torch
from ..search.mcts.settings import CONSIDERED, Considered, FirstPlayUrgency, Settings, Solve, ValueScale
from ..spec import About
from .selfplay.learner import SelfPlayLearner, SelfPlayOptions
from .selfplay.window import Batch


@dataclass(frozen=True)
class AlphaZeroOptions(SelfPlayOptions):
    formerly: ClassVar = SelfPlayOptions.formerly | {"quick": "quick_sims", "full": "full_share"}

    quick_sims: Annotated[
        int, About("simulations of a quick search (playout-cap randomisation)", low=1, high=100_000)
    ] = 12
    full_share: Annotated[
        float, About("share of the searches that are full, of `sims`, and teach the policy", low=0.01, high=1)
    ] = 0.5
    root: Annotated[str, About("how the root chooses", choices=("gumbel", "puct"))] = "gumbel"
    considered: Considered = CONSIDERED
    target: Annotated[
        str,
        About("what the policy learns: softmax(logit + value), or shares of visits", choices=("improved", "visits")),
    ] = "improved"
    value_scale: ValueScale = Settings.value_scale
    fpu: FirstPlayUrgency = Settings.fpu
    solve: Solve = Settings.solve
    noise: Annotated[float, About("share of Dirichlet noise at the root, for puct", low=0, high=1)] = 0.25
    concentration: Annotated[float, About("of that noise, over all actions", low=0.01, high=1000)] = 10.0
    blend: Annotated[float, About("share of the search's value in what the value learns", low=0, high=1)] = 0.3
    threats: Annotated[
        int, About("look for wins by threats at every leaf, so many threes deep; 0: fours, -1: none", low=-1, high=20)
    ] = -1
    resign: Annotated[float, About("give up below this value, twice in a row; -1: never", low=-1, high=0)] = -1.0


class AlphaZero(SelfPlayLearner):
    """A net with policy and value that learns from games of its own search against itself."""

    options_type = AlphaZeroOptions

    def search_settings(self) -> Settings:
        o = self.options
        considered = o.considered if o.root == "gumbel" else 0
        prover = ask(self.game, "prover", o.threats)
        return Settings(
            c=o.c, fpu=o.fpu, solve=o.solve, considered=considered, value_scale=o.value_scale, prover=prover
        )

    def play_setting(self) -> dict[str, Any]:
        o = self.options
        same = (
            "sims",
            "quick_sims",
            "full_share",
            "temperature_moves",
            "temperature",
            "noise",
            "concentration",
            "opening",
            "balance",
            "discount",
            "resign",
        )
        own = {"considered": self.settings.considered, "improve": o.target == "improved"}
        return {name: getattr(o, name) for name in same} | own | {"check": 0.1}

    def losses(self, net: models.ResNet, batch: Batch) -> dict[str, torch.Tensor]:
        logits, outcome = net(batch.planes.contiguous(memory_format=torch.channels_last))
        policy = -(batch.policy * torch.log_softmax(logits.float(), 1)).sum(1)
        target = self.options.blend * chances(batch.value) + (1 - self.options.blend) * chances(batch.score)
        value = -(target * torch.log_softmax(outcome.float(), 1)).sum(1)
        return {
            "policy_loss": (policy * batch.weight).sum() / batch.weight.sum().clamp(min=1),
            "value_loss": value.mean(),
        }


def chances(value: torch.Tensor) -> torch.Tensor:
    """Win, draw and loss [n, 3] with this mean and as few surprises as possible."""
    return torch.stack([value.clamp(min=0), 1 - value.abs(), (-value).clamp(min=0)], 1)
