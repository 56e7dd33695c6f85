"""Actor-critic with MCTS: a study's way to learn a game from playing it against oneself.

selection     Q + c sqrt(ln N(s) / (1 + N(s,a))); of actions that are alike, the one the policy net prefers
leaf          V = (1 - lambda) v(s) + lambda z, with z from a roll-out: win at once, else block, else at random
actor         ascends log pi(a|s) (z - v(s)) for the move played, z being the result of the game
critic        minimises (z - v(s))^2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..nets.later import models, torch
from ..search.mcts.settings import Exploration, RollOut, Settings
from ..spec import About
from .selfplay.learner import SelfPlayLearner
from .selfplay.options import Growth, LearningRate, ReplayRatio, SelfPlayOptions, Sims, WindowSize
from .selfplay.window import Batch


@dataclass(frozen=True)
class ActorCriticOptions(SelfPlayOptions):
    sims: Sims = 100
    c: Exploration = 0.7
    rollout: RollOut = 0.5
    solve: Annotated[bool, About("back up proven wins and losses; the study does not")] = False
    entropy: Annotated[float, About("weight of the policy's entropy, which keeps it open", low=0, high=10)] = 0.01
    lr: LearningRate = 0.001
    window: WindowSize = 4_000
    growth: Growth = 0.0
    replay_ratio: ReplayRatio = 2.0


class ActorCritic(SelfPlayLearner):
    """The study's actor-critic: MCTS plays, its moves and results teach a policy and a value."""

    options_type = ActorCriticOptions
    presets: ClassVar = SelfPlayLearner.presets | {"study": {"sims": 1600, "entropy": 0.0}}

    def search_settings(self) -> Settings:
        o = self.options
        return Settings(c=o.c, fpu=0.0, solve=o.solve, rule="plain", rollout=o.rollout)

    def play_setting(self) -> dict[str, Any]:
        o = self.options
        drawn = {
            "temperature_moves": o.temperature_moves,
            "temperature": o.temperature,
            "opening": o.opening,
            "balance": o.balance,
            "discount": self.discount,
        }
        search = {"sims": o.sims, "quick_sims": o.sims, "full_share": 1.0, "considered": 0, "improve": False}
        return drawn | search | {"noise": 0.0, "concentration": 1.0, "resign": -1.0, "check": 0.0, "trace_decay": 1.0}

    @staticmethod
    def losses(options: ActorCriticOptions, net: models.ResNet, batch: Batch) -> dict[str, torch.Tensor]:
        logits, outcome = net(batch.planes.contiguous(memory_format=torch.channels_last))
        log_pi = torch.log_softmax(logits.float(), 1)
        chances = torch.softmax(outcome.float(), 1)
        value = chances[:, 0] - chances[:, 2]
        advantage = (batch.score - value).detach()
        actor = -(log_pi.gather(1, batch.action[:, None])[:, 0] * advantage).mean()
        openness = -(log_pi.exp() * log_pi).sum(1).mean()
        return {
            "policy_loss": actor - options.entropy * openness,
            "value_loss": ((batch.score - value) ** 2).mean(),
        }
