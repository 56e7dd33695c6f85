"""The agent `guided`: UCT with the policy of a net as its prior.  PyTorch is not needed: the net runs in the kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from ..nets import trained
from ..nets.files import Card, must_fit, read_card, read_weights
from ..rules import must_be_for_two, must_encode
from ..search.mcts import mlp
from ..spec import About, InputError
from .tree_search import TreeSearch


@dataclass
class Guided(TreeSearch):
    """UCT guided by the policy of a net: Q + c P sqrt(ln N / (n + 1))."""

    c: Annotated[float, About("weight of exploration, shared out by the priors", low=0, high=1e6)] = 16.0
    rollouts: Annotated[int, About("roll-outs from every new node, averaged", low=1, high=100_000)] = 1
    net: Annotated[str, About("folder of a run, or of a net, that tells a policy", kind="run")] = field(kw_only=True)

    live: ClassVar[tuple[str, ...]] = (*TreeSearch.live, "rollouts")

    def __post_init__(self) -> None:
        super().__post_init__()
        folder = trained.find(self.net)
        self.card: Card = read_card(folder)
        if self.card.output != "policy":
            raise InputError(f"guided needs a net that tells a policy; {self.net} tells {self.card.output}")
        self._layers = read_weights(folder)

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_for_two(game, "a policy net in UCT")
        must_encode(game)

    def kernel_options(self) -> dict[str, Any]:
        return super().kernel_options() | {"expand_all": True, "rollouts": self.rollouts}

    def net_for(self, game: Any) -> mlp.MLP:
        must_fit(self.card, game)
        return mlp.ready(game, self._layers, self.card.input == "signed")
