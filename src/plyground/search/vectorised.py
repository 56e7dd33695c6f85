"""Loops over the children of a node by NumPy, for where the compiler is switched off: the same numbers, bit for bit.

An agent plays interpreted while its kernels are being compiled.  On large boards loops of this kind, over hundreds of
children in plain Python, would take most of its time; the net takes it now, as it does where all is compiled.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def total(numbers: Any) -> float:
    """Their sum, added up one by one as a loop does: NumPy's `sum` takes another order."""
    return float(np.add.accumulate(numbers, dtype=np.float64)[-1]) if len(numbers) else 0.0


def children(nodes: Any, parent: Any) -> Any:
    """The children of a node, as a part of the tree."""
    first = int(parent.first)
    return nodes[first : first + int(parent.width)]


def allocate_children(nodes: Any, node: Any, actions: Any, count: int) -> int:
    """See `tree.allocate_children`."""
    block, count = int(nodes["first"][0]), int(count)
    if block + count > nodes.size:
        return 0
    nodes["first"][0] = block + count
    node.first, node.width, node.branches = block, count, count
    new = nodes[block : block + count]
    new[:] = nodes[0]
    new["first"], new["action"] = 0, actions[:count]
    return block


def set_priors(nodes: Any, parent: Any, logits: Any) -> None:
    """See `guided.set_priors`."""
    found = children(nodes, parent)
    found["prior"] = logits[found["action"]]
    softmax(nodes, parent, 1.0)


def softmax(nodes: Any, parent: Any, temperature: float) -> None:
    """See `skeleton.softmax`; exponentials by the C library: NumPy's own may differ in the last bit."""
    priors = children(nodes, parent)["prior"]
    logits = priors.astype(np.float64)
    priors[:] = [math.exp(x) for x in ((logits - logits.max(initial=-np.inf)) / temperature).tolist()]
    priors[:] = priors / np.float64(total(priors))


def select(nodes: Any, parent: Any, sign: int, options: Any) -> int:
    """See `puct.select`; its rule PUCT is 0."""
    found = children(nodes, parent)
    visits, losses, priors = (found[name].astype(np.float64) for name in ("visits", "virtual_loss", "prior"))
    n, through = visits + losses, int(parent.visits) + int(parent.virtual_loss)
    if options.rule == 0:
        fresh = sign * parent.value - options.fpu * math.sqrt(total(priors[visits > 0]))
        bonus = options.c * math.sqrt(through) * priors / (1 + n)
    else:
        fresh = 0.0
        bonus = options.c * math.sqrt(math.log(max(through - 1, 1))) / np.sqrt(1 + n)
    score = np.full(n.size, fresh)
    np.divide(sign * found["value"] * visits - losses, n, out=score, where=n > 0)
    score += bonus
    if options.rule == 0:
        return int(parent.first) + int(np.argmax(score))
    return int(parent.first) + int(np.argmax(np.where(score == score.max(), priors, -1.0)))


def put(game: Any, state: Any, planes: Any) -> None:
    """See `puct.put`."""
    planes[:] = 0
    game.encode(state, planes)
