"""The options of AlphaGo's recipe, and the stages that it may be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...spec import About, InputError
from ..base import Options

STAGES = ("sl", "rollout", "rl", "value")


@dataclass(frozen=True)
class AlphaGoOptions(Options):
    stages: Annotated[str, About("which to run, in this order: sl,rollout,rl,value")] = ",".join(STAGES)
    start: Annotated[str, About("a run whose earlier stages are taken up", kind="run")] = ""
    games: Annotated[str, About("sl, rollout: files and folders of games to learn from, with ; between them")] = ""
    teacher: Annotated[str, About("the agent whose games are learnt from, where no files are given")] = "uct(sims=400)"
    teacher_games: Annotated[int, About("games that it plays against itself", low=2)] = 2_000
    opening: Annotated[int, About("at most so many random moves open each of them", low=0, high=1000)] = 4
    blocks: Annotated[int, About("residual blocks of the nets", low=0, high=64)] = 2
    channels: Annotated[int, About("channels of the nets", low=1, high=1024)] = 32
    batch: Annotated[int, About("positions in a step of learning", low=2)] = 256
    lr: Annotated[float, About("learning rate of Adam in sl and value; it falls to a tenth", low=0, high=10)] = 0.003
    decay: Annotated[float, About("weight decay", low=0, high=10)] = 0.0001
    epochs: Annotated[int, About("sl: times that all positions are gone through", low=1)] = 8
    fast_epochs: Annotated[int, About("rollout: the same for the fast policy", low=1)] = 4
    fast_lr: Annotated[float, About("rollout: learning rate of Adagrad", low=0, high=10)] = 0.1
    updates: Annotated[int, About("rl: updates of the policy", low=1)] = 100
    update_games: Annotated[int, About("rl: games of each of them", low=2, high=1 << 20)] = 128
    rl_lr: Annotated[float, About("rl: learning rate of Adam", low=0, high=10)] = 0.001
    pool_every: Annotated[int, About("rl: updates after which the policy joins the pool of opponents", low=1)] = 10
    value_games: Annotated[int, About("value: games, of each of which one position is learnt", low=2)] = 20_000
    value_epochs: Annotated[int, About("value: times that all positions are gone through", low=1)] = 8
    mirror: Annotated[bool, About("learn every position in a random mirror image")] = True
    threads: Annotated[int, About("threads; 0: one for each core", low=0, high=256)] = 0
    measure_every: Annotated[int, About("rounds between two measurements; 0: only at the end", low=0)] = 0
    checkpoint_every: Annotated[int, About("rounds between two checkpoints; a kill costs no more", low=1)] = 10


def named_stages(text: str) -> list[str]:
    """The stages that a text names, in their order."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in STAGES]
    if unknown or not words:
        raise InputError(f"stages are some of {','.join(STAGES)}, not {text!r}")
    return [stage for stage in STAGES if stage in words]
