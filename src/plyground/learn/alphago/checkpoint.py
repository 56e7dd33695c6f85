"""What AlphaGo's stages have made so far: games, positions and nets; how it is kept, restored and handed on."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from ...nets import fast_policy, files
from ...nets.card import Card, cells_are_actions, features, must_fit
from ...nets.later import models, torch
from ...rules import dtype
from ...search.mcts import local_patterns
from ...search.mcts.local_patterns import LocalPatterns
from ...spec import InputError
from .. import checkpoint
from ..base import Learner
from ..optimizer import uncompiled
from . import records
from .records import Records


class Checkpointed(Learner):
    """A learner in stages: `sl`, `rl` and `value` have a net each, `rollout` a fast policy."""

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.sizes = [*features(game, "board"), game.actions(), options.blocks, options.channels]
        self.cells = cells_are_actions(game)
        self.nets: dict[str, Any] = {}  # by stage: sl, rl, value; those that have begun
        self.adams: dict[str, Any] = {}
        self.pool: list[dict[str, np.ndarray]] = []  # weights of earlier policies, the oldest first
        self.places: tuple[np.ndarray, np.ndarray] | None = None  # what the fast policy knows of the game
        self.fast: LocalPatterns | None = None
        self.squares = np.zeros(0, np.float32)  # sums of its gradients' squares, for Adagrad
        self.records = records.record([])
        self.value_states, self.value_plies = np.zeros(0, dtype(game)), np.zeros(0, np.int32)
        self.value_scores = np.zeros(0, np.float32)  # for who moves
        self.span = 0  # plies of a long game of the policy

    def _take_up(self, folder: Path, anew: list[str]) -> None:
        """Take what another run has learnt, but the stages that are to be learnt anew."""
        for stage in ("sl", "rl", "value"):
            if (folder / stage).is_dir() and stage not in anew:
                card = files.read_card(folder / stage)
                must_fit(card, self.game)
                if card.kind != "resnet":
                    raise InputError(f"{folder / stage} is a net of kind {card.kind}, not one of this learner")
                self.nets[stage] = files.load(folder / stage).eval()
                self.sizes = list(card.sizes)
        if (folder / "rollout").is_dir() and "rollout" not in anew:
            known = fast_policy.load(folder / "rollout", self.game)
            self.places, self.fast = known[1:], local_patterns.with_room(self.game, *known)
        if not self.nets and self.fast is None:
            raise InputError(f"{folder} is not a run of alphago with stages to take up")

    def policy(self, stage: str) -> Any:
        """The policy of a stage, or of the other one where that is not there."""
        return self.nets.get(stage) or self.nets.get("sl") or self.nets["rl"]

    def _begun(self, stage: str) -> tuple[Any, Any]:
        """The net of a stage with its Adam; rl begins with the policy of sl, value with weights of its own."""
        if stage not in self.nets:
            made = deepcopy(self.policy("sl")) if stage == "rl" else models.ResNet(self.sizes, self.cells, self.seed)
            self.nets[stage] = made.eval()
        if stage not in self.adams:
            parameters = self.nets[stage].requires_grad_(True).parameters()
            decay = 0.0 if stage == "rl" else self.options.decay
            self.adams[stage] = uncompiled(torch.optim.AdamW)(parameters, lr=self.options.lr, weight_decay=decay)
        return self.nets[stage], self.adams[stage]

    def _fast_policy(self) -> LocalPatterns:
        """One that has learnt nothing."""
        self.places = fast_policy.places(self.game)
        return local_patterns.untaught(self.game, *self.places)

    def arrays(self) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {f"records.{name}": part for name, part in self.records._asdict().items()}
        for stage, net in self.nets.items():
            learns = stage in self.adams
            own = checkpoint.arrays_of(net, self.adams[stage]) if learns else checkpoint.weights_of(net, "net")
            found |= {f"{stage}.{name}": array for name, array in own.items()}
        for number, weights in enumerate(self.pool):
            found |= {f"pool.{number}.{name}": array for name, array in weights.items()}
        if self.fast is not None:
            found |= {"fast.weights": self.fast.weights, "fast.squares": self.squares}
        found["positions.states"] = np.frombuffer(self.value_states.tobytes(), np.uint8)
        return found | {"positions.plies": self.value_plies, "positions.scores": self.value_scores}

    def notes(self) -> dict[str, Any]:
        steps = {stage: checkpoint.steps(self.nets[stage], adam) for stage, adam in self.adams.items()}
        kept = {"nets": list(self.nets), "adams": steps, "pool": len(self.pool), "fast": self.fast is not None}
        return super().notes() | kept | {"span": self.span}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        super().restore(arrays, notes)
        self.records = Records(*(arrays[f"records.{name}"].copy() for name in Records._fields))
        for stage in notes["nets"]:
            if stage not in self.nets:
                self.nets[stage] = models.ResNet(self.sizes, self.cells, self.seed).eval()
            own = _under(arrays, stage)
            if stage in notes["adams"]:
                checkpoint.restore(*self._begun(stage), own, notes["adams"][stage])
            else:
                checkpoint.restore_weights(self.nets[stage], own, "net")
        self.pool = [_under(arrays, f"pool.{number}") for number in range(notes["pool"])]
        if notes["fast"]:
            self.fast = self.fast or self._fast_policy()
            self.fast.weights[:] = arrays["fast.weights"]
            self.squares = arrays["fast.squares"].copy()
        self.value_states = np.frombuffer(arrays["positions.states"].tobytes(), dtype(self.game)).copy()
        self.value_plies, self.value_scores = (arrays[f"positions.{name}"].copy() for name in ("plies", "scores"))
        self.span = notes["span"]

    def net(self) -> tuple[Any, Card]:
        """The newest policy; before there is any, one that knows nothing."""
        if self.nets.keys() & {"sl", "rl"}:
            return self.policy("rl"), self._card()
        return models.ResNet(self.sizes, self.cells, self.seed), self._card()

    def keep_parts(self, folder: Path) -> None:
        for stage, net in self.nets.items():
            files.save(folder / stage, net, self._card())
        if self.fast is not None and self.places is not None:
            kept = fast_policy.FastPolicy(self.fast.weights, *self.places)
            fast_policy.save(folder / "rollout", kept, self.game, self.name)

    def _card(self) -> Card:
        return Card(self.sizes, "board", "policy-value", self.name, kind="resnet", cells=self.cells)


def _under(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose names begin so, by the rest of their names."""
    return {name[len(prefix) + 1 :]: array.copy() for name, array in arrays.items() if name.startswith(f"{prefix}.")}
