"""Loops over children by NumPy are the loops that are compiled, bit for bit."""

from typing import Any

import numpy as np
import pytest

from plyground import games, rules
from plyground.jit import interpreted
from plyground.jit.watching import Interpreter
from plyground.search import tree, vectorised
from plyground.search.mcts import guided, puct, skeleton
from plyground.search.tree import NONE, ROOT

OPTIONS = np.zeros(1, np.dtype(puct.OPTIONS, align=True))
RANGES = {"two players": (-1.0, 1.0), "one player": (-3.5, 120.25)}


def loop(function: Any) -> Any:
    """What is compiled, in plain Python."""
    return Interpreter().twin(function)


def grown(seed: int) -> tuple[Any, Any]:
    """A tree with children of the root, some of them visited, others waited for; and logits for all actions."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    nodes = tree.new(200, tree.node_type(puct.NODE))
    actions = rng.permutation(100)[:count].astype(np.int16)
    loop(tree.allocate_children)(nodes, nodes[ROOT], actions, count)
    children = nodes[nodes["first"][ROOT] :][:count]
    children["visits"] = rng.integers(0, 3, count) * rng.integers(0, 40, count)
    children["virtual_loss"] = rng.integers(0, 3, count)
    children["value"] = np.round(rng.uniform(-1, 1, count), int(rng.integers(0, 3))) * (children["visits"] > 0)
    children["prior"] = np.round(rng.dirichlet(np.ones(count)), int(rng.integers(1, 9)))
    root = nodes[ROOT]
    root.visits, root.virtual_loss = children["visits"].sum() + 1, children["virtual_loss"].sum()
    root.value = rng.uniform(-1, 1)
    return nodes, rng.normal(0, 3, 101).astype(np.float32)


@pytest.mark.parametrize("rule", [puct.PUCT, puct.PLAIN])
@pytest.mark.parametrize("values", RANGES)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_same_child_is_selected(rule: int, sign: int, values: str) -> None:
    made = np.zeros(1, puct.tree_type(games.make("tictactoe")))[0]
    made.lowest, made.highest = RANGES[values]
    OPTIONS["c"], OPTIONS["fpu"], OPTIONS["rule"] = 1.3, 0.2, rule
    options = OPTIONS.view(np.recarray)[0]
    with np.errstate(all="raise"):
        for seed in range(100):
            nodes, _ = grown(seed)
            here = vectorised.select(nodes, made, nodes[ROOT], sign, options)
            assert here == loop(puct.select)(nodes, made, nodes[ROOT], sign, options), seed


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_priors_are_the_same(temperature: float) -> None:
    for seed in range(100):
        nodes, logits = grown(seed)
        twin = nodes.copy()
        loop(guided.set_priors)(nodes, nodes[ROOT], logits, temperature)
        vectorised.set_priors(twin, twin[ROOT], logits, temperature)
        assert twin.tobytes() == nodes.tobytes()
        loop(skeleton.softmax)(nodes, nodes[ROOT], temperature)
        vectorised.softmax(twin, twin[ROOT], temperature)
        assert twin.tobytes() == nodes.tobytes()


def test_children_are_allocated_alike_also_where_there_is_no_room() -> None:
    for seed in range(20):
        nodes, _ = grown(seed)
        twin, actions = nodes.copy(), np.arange(90, dtype=np.int16)
        for count in (0, np.int8(3), 90, 90, 90):
            child = int(nodes["first"][ROOT])
            given = loop(tree.allocate_children)(nodes, nodes[child], actions, count)
            assert vectorised.allocate_children(twin, twin[child], actions, count) == given
            assert twin.tobytes() == nodes.tobytes()
        assert given == NONE


def test_a_subtree_is_transplanted_alike_also_where_there_is_no_room() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        nodes, known = tree.new(300, tree.node_type(puct.NODE)), [ROOT]
        while known and rng.random() < 0.95:
            node = nodes[known.pop(int(rng.integers(len(known))))]
            count = int(rng.integers(1, 20))
            if first := loop(tree.allocate_children)(nodes, node, rng.permutation(20).astype(np.int16), count):
                node.branches = count + rng.integers(0, 5)  # children that were added one by one may lack some
                nodes["visits"][first : first + count] = rng.integers(0, 100, count)
                known += range(first, first + count)
        for capacity in (0, 20, 100, 600):
            here, twin = (tree.new(capacity, nodes.dtype) for _ in range(2))
            node = int(rng.integers(ROOT, nodes["first"][NONE]))
            loop(tree.transplant)(nodes.copy(), node, here)
            vectorised.transplant(nodes.copy(), node, twin)
            assert twin.tobytes() == here.tobytes(), (seed, capacity)


def test_planes_are_written_anew() -> None:
    game = games.make("mnk(5,4,4)")
    state, planes = rules.new(game), np.ones((2, 4, 5), np.float32)
    game.play(state, 7)
    twin = planes.copy()
    loop(puct.put)(game, state, planes)
    vectorised.put(game, state, twin)
    assert planes.sum() == 1
    assert twin.tobytes() == planes.tobytes()


def test_where_there_is_a_compiler_nothing_takes_a_functions_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def function() -> None: ...

    def twin() -> None: ...

    monkeypatch.setattr(interpreted, "DISABLED", False)
    assert interpreted.interpreted_as(twin)(function) is function
    monkeypatch.setattr(interpreted, "DISABLED", True)
    assert interpreted.interpreted_as(twin)(function) is twin
    assert twin.py_func is function  # type: ignore[attr-defined]
