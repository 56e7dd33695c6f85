"""Positions of a search's tree, beside a walk over the same tree in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground import games, rules
from plyground.nets.evaluate import onnx_evaluator
from plyground.nets.trained import find
from plyground.search.mcts.batched import BatchedPUCT
from plyground.search.mcts.collect import ILLEGAL, collect, position_type, room_to_walk
from plyground.search.mcts.settings import Settings
from plyground.search.tree import ROOT

SIMS = 300


@pytest.fixture(scope="module")
def forest() -> BatchedPUCT:
    """A tree for the start of tic-tac-toe, and one for a position of the other player, in which much is proven."""
    game = games.make("tictactoe")
    made = BatchedPUCT(game, onnx_evaluator(find("tictactoe")), Settings(), 2, SIMS, 1)
    states = np.array([rules.new(game), rules.after(game, rules.new(game), 1)])
    made.search(states)
    return made


def collected(forest: BatchedPUCT, tree: int, least: int, share: float, room: int = SIMS) -> np.ndarray:
    game = forest.game
    found = np.zeros(room, position_type(game))
    own = forest.trees[tree : tree + 1]
    count = collect(game, own, forest.nodes[tree], room_to_walk(game, SIMS), least, share, found, 0)
    return found[:count]


def walked(forest: BatchedPUCT, tree: int, least: int) -> dict[bytes, dict[str, Any]]:
    """Positions that the net has judged, with so many visits, that are not proven: by what leads there."""
    game, nodes, found = forest.game, forest.nodes[tree], {}

    def visit(at: int, state: Any, path: tuple[int, ...]) -> None:
        node = nodes[at]
        children = nodes[node["first"] : node["first"] + node["width"]]
        if node["visits"] >= least and node["width"] and not node["proof"]:
            planes = np.zeros(game.planes(), np.float32)
            game.encode(state, planes)
            policy = np.full(game.actions(), ILLEGAL, np.float32)
            policy[rules.legal(game, state)] = 0
            for child in children:
                policy[child["action"]] += child["visits"] / max(1, children["visits"].sum())
            sign = 1 if game.player(state) == 0 else -1
            found[path] = {"planes": planes, "policy": policy, "value": sign * node["value"], "weight": node["visits"]}
        if not node["proof"]:
            for i, child in enumerate(children):
                if child["visits"]:
                    action = int(child["action"])
                    visit(int(node["first"]) + i, rules.after(game, state, action), (*path, action))

    visit(ROOT, forest.trees["root"][tree].copy(), ())
    return found


def key(position: Any) -> tuple[bytes, int, float]:
    return position["planes"].tobytes(), int(position["weight"]), round(float(position["value"]), 5)


@pytest.mark.parametrize(("tree", "least"), [(0, 1), (0, 20), (1, 1), (1, 5)])
def test_what_is_collected_is_what_a_walk_over_the_tree_finds(forest: BatchedPUCT, tree: int, least: int) -> None:
    ours = sorted(collected(forest, tree, least, 0.0), key=key)
    theirs = sorted(walked(forest, tree, least).values(), key=key)
    assert len(ours) == len(theirs) > 3
    for one, other in zip(ours, theirs, strict=True):
        assert (one["planes"] == other["planes"]).all() and one["weight"] == other["weight"]
        assert one["value"] == pytest.approx(other["value"], abs=1e-6)
    alike = sum(
        any(np.allclose(one["policy"], other["policy"], atol=1e-6) for other in theirs if key(other) == key(one))
        for one in ours
    )
    assert alike == len(ours)


def test_of_the_others_a_share_is_drawn(forest: BatchedPUCT) -> None:
    often, judged = len(walked(forest, 0, 20)), len(walked(forest, 0, 1))
    assert len(collected(forest, 0, 20, 1.0)) == judged
    drawn = [len(collected(forest, 0, 20, 0.5)) for _ in range(8)]
    assert len(set(drawn)) > 1, "another draw every time"
    assert often + 0.4 * (judged - often) < np.mean(drawn) < often + 0.6 * (judged - often)


def test_no_more_is_written_down_than_there_is_room_for(forest: BatchedPUCT) -> None:
    assert len(collected(forest, 0, 1, 1.0, room=7)) == 7
