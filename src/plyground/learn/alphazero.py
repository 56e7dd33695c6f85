"""AlphaZero: a net learns to say what its own search finds out, from games against itself.

After Silver and others (2017), in the way of today: Gumbel noise and sequential halving at the root, which make a few
simulations an improvement (Danihelka and others, 2022); full and quick searches in turn, of which only the full ones
teach the policy (playout-cap randomisation: Wu, 2019); win, draw and loss as the value; a replay window that grows;
every position in a random mirror image.  Chance events are nodes of the tree, drawn by their probability, whose value
is the mean of what came of them.  Where one plays, the value is a distribution of returns on a scale of square roots,
and the tree scales what it compares (MuZero: Schrittwieser and others, 2020).  With a `teacher` it is that net's games
and searches which are learnt from; searches of one simulation are its bare judgements (distillation: Hinton and others,
2015).  `docs/alphazero.md` tells what each of them is worth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..manifest import ask
from ..nets.kinds import ATOMS
from ..nets.later import models, torch
from ..rules import must_encode
from ..search.mcts.settings import CONSIDERED, Considered, FirstPlayUrgency, Settings, Solve
from ..spec import About, InputError
from .selfplay.distillation import teacher_for
from .selfplay.learner import SelfPlayLearner
from .selfplay.options import SelfPlayOptions, Threats, ValueWeight
from .selfplay.window import Batch

OUTCOMES = 3  # of a game of two: win, draw, loss
ONE_PLAYER_VALUE_SCALE = 0.1  # values differ by less than those of two players, and most of that is chance


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
    value_scale: Annotated[
        float | None,
        About(
            "weight of values against logits, at a Gumbel root; "
            f"None: {Settings.value_scale}, and {ONE_PLAYER_VALUE_SCALE} for one player",
            low=0,
            high=100,
        ),
    ] = None
    fpu: FirstPlayUrgency = Settings.fpu
    solve: Solve = Settings.solve
    noise: Annotated[float, About("share of Dirichlet noise at the root, for puct", low=0, high=1)] = 0.25
    concentration: Annotated[float, About("of that noise, over all actions", low=0.01, high=1000)] = 10.0
    blend: Annotated[float, About("share of the search's value in what the value learns", low=0, high=1)] = 0.3
    trace: Annotated[
        float, About("one player: share of what came later in the return, against the search's value", low=0, high=1)
    ] = 0.9
    threats: Threats = -1
    value_weight: ValueWeight = 1.0
    teacher: Annotated[
        str,
        About("distillation: a net, by its name or folder, that plays in the place of the learner", kind="net"),
    ] = ""
    resign: Annotated[float, About("give up below this value, twice in a row; -1: never", low=-1, high=0)] = -1.0


class AlphaZero(SelfPlayLearner):
    """A net with policy and value that learns from games of its own search, against itself where two play."""

    options_type = AlphaZeroOptions
    learns = "games of one player and of two, with chance or without, that give the rules `planes` and `encode`"

    def __init__(self, game: Any, name: str, options: AlphaZeroOptions, seed: int) -> None:
        if options.teacher and options.ray:
            raise InputError("a teacher plays on this machine: leave out --ray")
        teacher = teacher_for(game, options.teacher) if options.teacher else None  # before anything is compiled
        super().__init__(game, name, options, seed)
        self.teacher = teacher and teacher.to(self.device)

    @classmethod
    def must_suit(cls, game: Any) -> None:
        must_encode(game)

    def search_settings(self) -> Settings:
        o = self.options
        considered = o.considered if o.root == "gumbel" else 0
        same = {name: getattr(o, name) for name in ("c", "fpu", "solve")}
        usual = ONE_PLAYER_VALUE_SCALE if self.alone else Settings.value_scale
        same["value_scale"] = usual if o.value_scale is None else o.value_scale
        prover = ask(self.game, "prover", o.threats)
        return Settings(considered=considered, discount=self.discount, prover=prover, **same)

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
        )
        own = {"considered": self.settings.considered, "improve": o.target == "improved", "discount": self.discount}
        own["trace_decay"] = o.trace
        two = {"balance": o.balance, "resign": o.resign} if not self.alone else {"balance": 1.0, "resign": -math.inf}
        return {name: getattr(o, name) for name in same} | own | two | {"check": 0.1}

    @staticmethod
    def losses(options: AlphaZeroOptions, net: models.ResNet, batch: Batch) -> dict[str, torch.Tensor]:
        logits, outcome = net(batch.planes.contiguous(memory_format=torch.channels_last))
        policy = -(batch.policy * torch.log_softmax(logits.float(), 1)).sum(1)
        spread = chances if outcome.shape[1] == OUTCOMES else chances_of_points
        target = options.blend * spread(batch.value) + (1 - options.blend) * spread(batch.score)
        value = -(target * torch.log_softmax(outcome.float(), 1)).sum(1)
        return {
            "policy_loss": (policy * batch.weight).sum() / batch.weight.sum().clamp(min=1),
            "value_loss": options.value_weight * value.mean(),
        }


def chances(value: torch.Tensor) -> torch.Tensor:
    """Win, draw and loss [n, 3] with this mean and as few surprises as possible."""
    return torch.stack([value.clamp(min=0), 1 - value.abs(), (-value).clamp(min=0)], 1)


def chances_of_points(points: torch.Tensor) -> torch.Tensor:
    """Chances of the atoms [n, 2 * ATOMS + 1] of a value in points: those of the two next to it, whose mean it is."""
    place = models.squashed(points).clamp(-ATOMS, ATOMS) + ATOMS
    below = place.floor().clamp(max=2 * ATOMS - 1)
    share = (place - below)[:, None]
    made = torch.zeros(len(points), 2 * ATOMS + 1, device=points.device)
    made.scatter_(1, below.long()[:, None], 1 - share)
    return made.scatter_(1, below.long()[:, None] + 1, share)
