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

AUTO = "auto"
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
    net: Annotated[
        str,
        About("a policy net that came with the program, or a folder; auto: the one for this game", kind="policy"),
    ] = field(default=AUTO, kw_only=True)

    live: ClassVar[tuple[str, ...]] = (*TreeSearch.live, "rollouts")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._known: tuple[str, Card, mlp.Layers] | None = None  # its name, its card and its weights
        if self.net != AUTO:
            self._read(self.net)

    def _read(self, net: str) -> tuple[Card, mlp.Layers]:
        """The net of this name, read once."""
        if self._known is None or self._known[0] != net:
            folder = trained.find(net)
            card = read_card(folder)
            if card.output != trained.POLICY:
                raise InputError(f"guided needs a net that tells a policy; {net} tells {card.output}")
            self._known = net, card, read_weights(folder)
        return self._known[1:]

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_be_for_two(game, "a policy net in UCT")
        must_encode(game)

    def kernel_options(self) -> dict[str, Any]:
        return super().kernel_options() | {"c": self.c or 0.0, "expand_all": True, "rollouts": self.rollouts}

    def exploration(self, game: Any) -> float:
        return usual_exploration(game) if self.c is None else self.c

    def net_for(self, game: Any) -> mlp.MLP:
        card, layers = self._read(trained.made_for(game, trained.POLICY) if self.net == AUTO else self.net)
        must_fit(card, game)
        return mlp.ready(game, layers, card.input == "signed")
