"""The agent `guided`: UCT with the policy of a net as its prior.  PyTorch is not needed: the net runs in the kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np

from ..nets import trained
from ..nets.card import Card, must_fit
from ..nets.files import read_card, read_weights
from ..rules import CHANCE, drawn_outcome, legal, must_be_for_two, must_encode, new
from ..search.mcts import mlp
from ..spec import About, InputError
from .tree_search import TreeSearch

MOST, NINE = 16.0, 9  # the weight of exploration, and how many actions it suits
PLIES = 64  # of the game in which they are counted


def usual_exploration(game: Any) -> float:
    """The weight of exploration that suits a game: MOST, and less in proportion where no position of a random game has
    NINE actions, since it is shared out by the priors.  With too much of it a search plays what its priors say.
    """
    kind: Any = type(game)  # games of two classes may be equal as tuples
    return MOST * min(1.0, _most_actions(kind, game) / NINE)


@lru_cache
def _most_actions(kind: Any, game: Any) -> int:
    """The most actions that a position of a random game has, as far as NINE."""
    rng, state, most = np.random.default_rng(0), new(game), 0
    for _ in range(PLIES):
        if most >= NINE or game.over(state):
            break
        if game.player(state) == CHANCE:
            action = drawn_outcome(game, state, rng)
        else:
            actions = legal(game, state)
            most, action = max(most, len(actions)), int(rng.choice(actions))
        game.play(state, action)
    return most


@dataclass
class Guided(TreeSearch):
    """UCT guided by the policy of a net: Q + c P sqrt(ln N / (n + 1))."""

    c: Annotated[
        float,
        About(
            "weight of exploration, shared out by the priors; 16, less where there are fewer actions than nine",
            low=0,
            high=1e6,
        ),
    ] = None  # type: ignore[assignment]
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
        return super().kernel_options() | {"c": self.c or 0.0, "expand_all": True, "rollouts": self.rollouts}

    def exploration(self, game: Any) -> float:
        return usual_exploration(game) if self.c is None else self.c

    def net_for(self, game: Any) -> mlp.MLP:
        must_fit(self.card, game)
        return mlp.ready(game, self._layers, self.card.input == "signed")
