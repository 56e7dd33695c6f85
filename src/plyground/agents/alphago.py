"""The agent `alphago`: tree search by a policy net, a value net and roll-outs of a fast policy.

After Silver and others (2016).  The nets are run by onnxruntime, the fast policy within the kernel; PyTorch is not
needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ..manifest import ask
from ..nets import fast_policy
from ..nets.card import must_fit
from ..nets.evaluate import Evaluator, onnx_evaluator
from ..nets.files import read_card
from ..rules import gives, must_be_for_two
from ..search import tree
from ..search.mcts import puct
from ..search.mcts.batched import NetSearch
from ..search.mcts.local_patterns import with_room
from ..search.mcts.settings import Exploration, FirstPlayUrgency, RollOut, Settings, Solve
from ..spec import About, InputError
from .alphazero import NetAgent, Simulations, Threats
from .base import Seed
from .tree_agent import Choose, Keep, Memory, Seconds


@dataclass
class AlphaGo(NetAgent):
    """Tree search by AlphaGo's recipe: a policy net's priors, and leaves by a value net and by roll-outs of a fast
    policy."""

    run: Annotated[str, About("the folder of a run of `train alphago`", kind="run")]
    sims: Simulations = None
    seconds: Seconds = None
    mix: RollOut = 0.5
    prior: Annotated[str, About("whose policy the tree begins with", choices=("sl", "rl"))] = "sl"
    c: Exploration = Settings.c
    fpu: FirstPlayUrgency = Settings.fpu
    choose: Choose = "visits"
    threats: Threats = -1
    solve: Solve = Settings.solve
    keep: Keep = True
    memory: Memory = 256
    threads: Annotated[int, About("threads of the nets", low=1, high=64)] = 1
    seed: Seed = None

    def __post_init__(self) -> None:
        super().__post_init__()
        folder = Path(self.run)
        parts = {"policy": self.prior} | ({"value": "value"} if self.mix < 1 else {})
        for needed in (*parts.values(), *(["rollout"] if self.mix > 0 else [])):
            if not (folder / needed).is_dir():
                raise InputError(f"{folder} has no stage {needed}: `plyground train alphago` makes it; see also mix")
        self._cards = {name: read_card(folder / part) for name, part in parts.items()}
        for card in self._cards.values():
            if card.output != "policy-value":
                raise InputError(f"alphago needs nets with policy and value; one of {folder} tells {card.output}")
        self._nets: dict[str, Any] = {}
        for name, part in parts.items():
            self._nets[name] = onnx_evaluator(folder / part, self.threads)

    @classmethod
    def must_play(cls, game: Any) -> None:
        super().must_play(game)
        must_be_for_two(game, "alphago")
        if gives(game, "chance"):
            raise InputError("alphago plays games without chance")

    def close(self) -> None:
        for net in self._nets.values():
            net.close()
        super().close()

    def searches(self, game: Any) -> list[Any]:
        self.must_play(game)
        for card in self._cards.values():
            must_fit(card, game)
        fast = None
        if self.mix > 0:
            fast = with_room(game, *fast_policy.load(Path(self.run) / "rollout", game))
        prover = ask(game, "prover", self.threats)
        settings = Settings(prover=prover, rollout=self.mix, fast=fast, **self.tuned(game))
        nodes = self.nodes_of_each(tree.node_type(puct.NODE).itemsize)
        return [NetSearch(game, self.judge(), settings, 1, nodes, self._seeds[0])]

    def judge(self) -> Evaluator:
        """What the nets say of positions: the logits of the one, the value of the other."""
        policy, value = self._nets["policy"], self._nets.get("value")
        if value is None:
            return policy  # type: ignore[no-any-return]

        def both(planes: np.ndarray) -> np.ndarray:
            answers = np.array(policy(planes))
            answers[:, -1] = value(planes)[:, -1]
            return answers

        return both
