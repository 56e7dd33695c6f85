"""The learners there are, by name.

A new one is one file here and one line in REGISTRY: its name, its module, and its class.
"""

from __future__ import annotations

import ast
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .. import spec
from ..manifest import imported, registered

if TYPE_CHECKING:
    from .base import Learner

# PyTorch's threads shall sleep while they wait: on a busy machine, spinning makes a step of learning 15 times as long
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

REGISTRY = {
    "a2c": "a2c:A2C",
    "actor-critic": "actor_critic:ActorCritic",
    "afterstate-dqn": "afterstates:AfterstateDQN",
    "alphazero": "alphazero:AlphaZero",
    "cross-entropy": "cross_entropy:CrossEntropy",
    "dqn": "dqn:DQN",
    "mcts-actor-critic": "mcts_actor_critic:MCTSActorCritic",
    "reinforce": "reinforce:Reinforce",
}


def registry() -> dict[str, str]:
    """All learners by name: `package.module:Class`."""
    return {name: f"{__name__}.{where}" for name, where in REGISTRY.items()} | registered("learners")


def about(name: str) -> str:
    """What an algorithm is, from the first line of its file, which is read and not run: it may need PyTorch."""
    found = find_spec(registry()[name].partition(":")[0])
    file = Path((found and found.origin) or "")
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def learner(name: str) -> type[Learner]:
    """The class of the learners of this name."""
    where = registry()[spec.look_up("algorithm", name, registry())]
    try:
        return imported(where)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("plyground"):
            raise
        raise spec.InputError("training needs PyTorch: pip install 'plyground[train]'") from None
