"""The agents there are, by name, and the making of an agent from a spec."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .. import spec
from .base import Agent

REGISTRY = {
    "random": "simple:Random",
    "win-block": "simple:WinBlock",
    "win-block-middle": "simple:WinBlockMiddle",
    "one-ply": "one_ply:OnePly",
    "uct": "tree_search:UCT",
    "rave": "tree_search:RAVE",
    "guided": "guided:Guided",
    "alphazero": "alphazero:AlphaZero",
    "threats": "gomoku:Threats",
    "gomoku-classic": "gomoku:GomokuClassic",
    "gomoku-master": "gomoku_master:GomokuMaster",
    "line-taking-master": "line_taking_master:LineTakingMaster",
    "dellacherie": "tetris:Dellacherie",
    "bcts": "tetris:BuildingControllers",
    "linear-tetris": "tetris:LinearTetris",
    "tetris-net": "tetris_net:TetrisNet",
    "mcts-actor-critic": "tetris_mcts:MCTSActorCritic",
    "minimax": "depth_first:Minimax",
    "alphabeta": "depth_first:AlphaBeta",
    "hybrid": "depth_first:Hybrid",
    "best-response": "best_response:BestResponse",
    "net": "net:Net",
    "win-only": "faulty:WinOnly",
    "middle-only": "faulty:MiddleOnly",
    "inverted-uct": "faulty:InvertedUCT",
    "faulty-uct": "faulty:FaultyUCT",
    "faulty-guided": "faulty:FaultyGuided",
    "external": "external:External",
    "human": "human:Human",
}


def maker(name: str) -> type[Agent]:
    """The class of the agents of this name, with its options annotated."""
    module, _, what = REGISTRY[spec.look_up("agent", name, REGISTRY)].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), what)


def able(game: Any) -> list[str]:
    """The agents that play this game.  Nothing is compiled; a net that an agent is given may still not fit."""
    found = []
    for name in REGISTRY:
        with suppress(spec.InputError):
            maker(name).must_play(game)
            found.append(name)
    return found


def usual(game: Any) -> str:
    """The agent that a person meets in this game unless another is chosen."""
    from ..nets.trained import made_for
    from ..tactics.prover import in_rows

    if not in_rows(game) or game.k != 5:
        return "uct"
    try:
        made_for(game)
    except spec.InputError:
        return "gomoku-classic"
    return "gomoku-master" if find_spec("onnxruntime") else "gomoku-classic"


def make(text: str, seed: int = 0) -> Agent:
    """The agent of a spec like `uct(sims=1000)`, ready for a game."""
    name, args, named = spec.parse(text)
    build = maker(name)
    agent = build(**spec.bind(build, name, args, named))
    agent.begin(seed)
    return agent
