"""The options that learners by self-play share; some have defaults of their own in one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ...search.mcts.settings import Exploration, Settings
from ...spec import About
from ..base import Options

ONE_PLAYER_DISCOUNT = 0.997  # as in MuZero: points of the next 300 moves count

Sims = Annotated[int, About("simulations of a search", low=1, high=100_000)]
LearningRate = Annotated[float, About("learning rate of Adam at first", low=0, high=10)]
WindowSize = Annotated[int, About("replay window: the newest positions, which are learnt from, at first", low=1)]
Growth = Annotated[float, About("share of all positions so far in the replay window, later", low=0, high=1)]
ReplayRatio = Annotated[float, About("how often a position is learnt from", low=0, high=1000)]
Opening = Annotated[int, About("at most so many random moves open a game", low=0, high=100)]
Balance = Annotated[
    float, About("draw them again where the net says more than this for either player; 1: never", low=0, high=1)
]
Average = Annotated[
    int, About("steps over which the weights of the net that plays and is kept are averaged; 1: the newest", low=1)
]
ValueWeight = Annotated[float, About("weight of the value's loss against the policy's", low=0, high=100)]
CheckpointEvery = Annotated[int, About("positions between two checkpoints; a kill costs no more", low=1)]
Threats = Annotated[
    int,
    About(
        "look for wins by threats at every leaf, so many threes deep; 0: fours, -1: none; "
        "unless -1, some games are solved near their end",
        low=-1,
        high=20,
    ),
]


@dataclass(frozen=True)
class SelfPlayOptions(Options):
    formerly: ClassVar = Options.formerly | {
        "desks": "parallel_games",
        "uses": "replay_ratio",
        "warm": "temperature_moves",
    }
    where: ClassVar[tuple[str, ...]] = ("ray", "actors")

    positions: Annotated[int, About("positions of self-play to learn from, in all", low=1)] = 100_000
    round: Annotated[int, About("new positions between two times of learning", low=1)] = 2_000
    net: Annotated[str, About("kind of net: resnet, or one that only some games have, like patterns")] = "resnet"
    blocks: Annotated[int, About("residual blocks of the net", low=0, high=64)] = 4
    channels: Annotated[int, About("channels of the net", low=1, high=1024)] = 32
    sims: Sims = 32
    c: Exploration = Settings.c
    temperature_moves: Annotated[int, About("moves of a game that are drawn, not the best", low=0)] = 30
    temperature: Annotated[float, About("they are drawn by visits ** (1 / temperature)", low=0.01, high=100)] = 1.0
    opening: Opening = 2
    balance: Balance = 1.0
    discount: Annotated[
        float | None,
        About(
            "factor on a result for every move until it: sooner is better; one player: on points, for every move; "
            f"None: 1, and {ONE_PLAYER_DISCOUNT} for one player",
            low=0.5,
            high=1,
        ),
    ] = None
    parallel_games: Annotated[int, About("games played at once, shared out among the cores", low=2)] = 256
    batch: Annotated[int, About("positions in a step of learning", low=2)] = 256
    lr: LearningRate = 0.003
    last_lr: Annotated[float, About("share of it that is left at the end", low=0, high=1)] = 0.05
    warmup: Annotated[int, About("positions over which it rises from 0 before that", low=0)] = 0
    average: Average = 1
    decay: Annotated[float, About("weight decay", low=0, high=10)] = 0.0001
    replay_ratio: ReplayRatio = 4.0
    window: WindowSize = 10_000
    growth: Growth = 0.5
    mirror: Annotated[bool, About("learn every position in a random mirror image")] = True
    start: Annotated[str, About("a net to begin with, by its name or folder; it may be smaller", kind="net")] = ""
    device: Annotated[str, About("where the net runs", choices=("auto", "cpu", "cuda"))] = "auto"
    ray: Annotated[str, About("play on a Ray cluster: HOST:PORT, auto or local")] = ""
    actors: Annotated[int, About("with ray: processes that play; 0: one for each core of the cluster", low=0)] = 0
    lag: Annotated[
        int,
        About("1: a round is played while the net learns from the one before; with the net before that", low=0, high=1),
    ] = 0
    threads: Annotated[int, About("threads that play, at most 16 on a GPU; 0: one for each core", low=0, high=256)] = 0
    learners: Annotated[
        int, About("processes that learn, each on a GPU of this machine and from its part of a batch", low=1, high=64)
    ] = 1
    measure_every: Annotated[int, About("positions between two measurements; 0: only at the end", low=0)] = 20_000
    checkpoint_every: CheckpointEvery = 20_000
