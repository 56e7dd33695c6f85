"""Loops over the children of a node by NumPy, for where the compiler is switched off: the same numbers, bit for bit.

An agent plays interpreted while its kernels are being compiled.  On large boards loops of this kind, over hundreds of
children in plain Python, would take most of its time; the net takes it now, as it does where all is compiled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SMALLEST = 4  # children in a node's first block, as `tree` has it


def total(numbers: Any) -> float:
    """Their sum, added up one by one as a loop does: NumPy's `sum` takes another order."""
    return float(np.add.accumulate(numbers, dtype=np.float64)[-1]) if len(numbers) else 0.0


def children(nodes: Any, parent: Any) -> Any:
    """The children of a node, as a part of the tree."""
    first = int(parent.first)
    return nodes[first : first + int(parent.width)]


def words(nodes: Any) -> Any:
    """int64[node, word]: nodes as numbers, which NumPy copies ten times as fast as records."""
    return nodes.view(np.int64).reshape(nodes.size, nodes.itemsize // 8)


def allocate_children(nodes: Any, node: Any, actions: Any, count: int) -> int:
    """See `tree.allocate_children`."""
    block, count = int(nodes["first"][0]), int(count)
    if block + count > nodes.size:
        return 0
    nodes["first"][0] = block + count
    node.first, node.width, node.branches = block, count, count
    new = nodes[block : block + count]
    words(new)[:] = 0
    new["action"] = actions[:count]
    return block


def transplant(old: Any, node: int, new: Any) -> None:
    """See `tree.transplant`: of every level only the nodes that have children are looked at."""
    new[1] = old[node]
    source, target, first, width, moved = words(old), words(new), new["first"], new["width"], old["visits"]
    at = 1
    while at < (end := int(first[0])):
        for parent in (at + np.flatnonzero(width[at:end])).tolist():
            children, count, block = int(first[parent]), int(width[parent]), int(first[0])
            size = min(max(SMALLEST, 1 << (count - 1).bit_length()), int(new["branches"][parent]))
            if moved[children] < 0:
                first[parent] = -moved[children]
            elif block + size <= new.size:
                first[0], first[parent] = block + size, block
                target[block : block + count] = source[children : children + count]
                moved[children] = -block
            else:  # no room: this node has to begin again
                first[parent] = width[parent] = 0
        at = end


def set_priors(nodes: Any, parent: Any, logits: Any, temperature: float) -> None:
    """See `guided.set_priors`."""
    found = children(nodes, parent)
    found["prior"] = logits[found["action"]]
    softmax(nodes, parent, temperature)


def softmax(nodes: Any, parent: Any, temperature: float) -> None:
    """See `skeleton.softmax`; exponentials by the C library: NumPy's own may differ in the last bit."""
    priors = children(nodes, parent)["prior"]
    logits = priors.astype(np.float64)
    priors[:] = list(map(math.exp, ((logits - logits.max(initial=-np.inf)) / temperature).tolist()))
    priors[:] = priors / np.float64(total(priors))


def select(nodes: Any, tree: Any, parent: Any, sign: int, options: Any) -> int:
    """See `puct.select`; its rule PUCT is 0.  Most children were never tried: these differ in their priors alone."""
    found = children(nodes, parent)
    visits, losses, priors = found["visits"], found["virtual_loss"], found["prior"].astype(np.float64)
    through = int(parent.visits) + int(parent.virtual_loss)
    n = visits + losses
    tried = n.nonzero()[0]
    n, visits, losses, values = n[tried], visits[tried], losses[tried], found["value"][tried]
    unit = (tree.highest - tree.lowest) / 2 if tree.highest > tree.lowest else 1.0
    loss = tree.lowest if sign > 0 else -tree.highest
    q = (sign * values * visits + loss * losses) / n
    if options.rule == 0:
        weight = unit * options.c * math.sqrt(through)
        score = weight * priors
        prior = priors[tried]
        score += sign * parent.value - unit * options.fpu * math.sqrt(total(prior[visits > 0]))
        score[tried] = q + weight * prior / (1 + n)
        return int(parent.first) + int(score.argmax())
    weight = unit * options.c * math.sqrt(math.log(max(through - 1, 1)))
    score = np.full(priors.size, weight)
    score[tried] = q + weight / np.sqrt(1 + n)
    return int(parent.first) + int(np.where(score == score.max(), priors, -1.0).argmax())


def put(game: Any, state: Any, planes: Any) -> None:
    """See `puct.put`."""
    planes[:] = 0
    game.encode(state, planes)
