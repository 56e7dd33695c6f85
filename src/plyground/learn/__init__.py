"""The learners there are, by name.

A new one is one file here and one line in REGISTRY: its name, its module, and its class.
"""

from __future__ import annotations

import ast
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import spec, user_files
from ..manifest import load, registered
from ..spec import meant

if TYPE_CHECKING:
    from .base import Learner

# PyTorch's threads shall sleep while they wait: on a busy machine, spinning makes a step of learning 15 times as long
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

REGISTRY = {
    "a2c": "a2c:A2C",
    "actor-critic": "actor_critic:ActorCritic",
    "afterstate-dqn": "afterstate_dqn:AfterstateDQN",
    "alphago": "alphago.learner:AlphaGo",
    "alphazero": "alphazero:AlphaZero",
    "cma-es": "cma_es:CMAES",
    "cross-entropy": "cross_entropy:CrossEntropy",
    "distil": "distil:Distil",
    "dqn": "dqn:DQN",
    "mcts-actor-critic": "mcts_actor_critic:MCTSActorCritic",
    "ppo": "ppo:PPO",
    "reinforce": "reinforce:Reinforce",
}


def registry() -> dict[str, str]:
    """All learners by name: `package.module:Class`."""
    return registered("learners", {name: f"{__name__}.{where}" for name, where in REGISTRY.items()})


def looks_like_one(cls: type) -> bool:
    """Is this class meant for a learner?"""
    from .base import Learner

    return issubclass(cls, Learner) or hasattr(cls, "advance")


def adopt(cls: Any) -> type[Learner]:
    """A class from outside the package as a learner; TypeError, in one line, if it cannot be one."""
    from .base import Learner

    if not (isinstance(cls, type) and issubclass(cls, Learner)):
        said = "write `class Name(Learner):`, and `from plyground.learn.base import Learner` above it"
        raise TypeError(f"{getattr(cls, '__name__', cls)} is not a learner: {said}")
    known = [name for name in dir(Learner) if not name.startswith("_")]
    ours = next(base for base in cls.__mro__ if base.__module__.startswith("plyground."))
    for theirs in cls.__mro__[: cls.__mro__.index(ours)]:
        for name, what in vars(theirs).items():
            asked = (callable(what) or isinstance(what, property)) and not hasattr(ours, name)
            if asked and (near := meant(name, known)):
                raise TypeError(f"{theirs.__name__}.{name} is not a method of learners; did you mean {near}?")
    missing = [name for name in ("advance", "arrays", "net") if getattr(cls, name) is getattr(Learner, name)]
    if missing:
        raise TypeError(f"{cls.__name__} lacks the method{'s' * (len(missing) > 1)} {', '.join(missing)}")
    told = {*dir(cls.options_type), *cls.options_type.__dataclass_fields__}
    if cls.steps is Learner.steps and "games" not in told:
        raise TypeError(f"{cls.__name__} does not tell how long it trains: give it an option `games`, or `steps`")
    return cls


def about(name: str) -> str:
    """What an algorithm is, in a sentence of its file, which is read and not run: it may need PyTorch.

    Of ours that is the first line of the file; of one from a package the docstring of its class comes first.
    """
    module, _, thing = registry()[name].partition(":")
    try:
        found = find_spec(module)
        tree = ast.parse(Path((found and found.origin) or "").read_text(encoding="utf-8"))
    except (ImportError, OSError, ValueError, SyntaxError):
        return "cannot be loaded"
    classes: list[Any] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == thing]
    sources = [tree] if module.startswith("plyground.") else [*classes, tree]
    told = [text for source in sources if (text := ast.get_docstring(source))]
    return " ".join(told[0].partition("\n\n")[0].split()) if told else "says nothing of itself"


def learner(name: str) -> type[Learner]:
    """The class of the learners of this name, or of a user's own file."""
    try:
        if user_files.is_file(name):
            return user_files.load(name, user_files.Kind("learner", looks_like_one, adopt))
        where = registry()[spec.look_up("algorithm", name, registry())]
        found = load("learner", name, where)
        return found if where.startswith("plyground.") else adopt(found)
    except TypeError as error:
        raise spec.InputError(f"{name}: {error}") from None
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "plyground":
            raise
        needed = "PyTorch" if missing == "torch" else missing
        raise spec.InputError(f"training needs {needed}: pip install 'plyground[train]'") from None
