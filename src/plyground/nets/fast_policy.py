"""A fast policy of local patterns on disk, and what it has to know of a game.

`search.mcts.local_patterns` runs it.  `net.safetensors` has its weights, the cells of every action and which planes
tell of cells; `net.json` is its card, with digests, as that of any net.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..rules import after, gives, legal, new
from ..spec import InputError
from .card import LOCAL_PATTERNS, Card, cells_are_actions, must_fit
from .files import WEIGHTS, read, unpacked, write

POSITIONS = 400  # of random games, from which is learnt where actions lie
CELLS = 32  # that one action may have, at most
NONE = -1  # in the place of a cell: there is none


class FastPolicy(NamedTuple):
    """What is kept of a fast policy."""

    weights: np.ndarray  # float32[features]
    sites: np.ndarray  # int32[actions, most]: cells of an action, in the order in which they fill; then NONE
    local: np.ndarray  # bool[planes]: those that tell of cells, not of the whole board


def save(folder: Path, policy: FastPolicy, game: Any, name: str) -> None:
    """Write a policy for a game, whose spec is its name."""
    from safetensors.numpy import save as packed

    arrays = policy._asdict() | {"local": policy.local.astype(np.uint8)}
    sizes = [*game.planes(), *policy.sites.shape, len(policy.weights)]
    write(folder, Card(sizes, "board", "policy", name, kind=LOCAL_PATTERNS), {WEIGHTS: packed(arrays)})


def load(folder: Path, game: Any) -> FastPolicy:
    """The policy of a folder, for this game; InputError if it is of another, or none."""
    card, content = read(folder, WEIGHTS)
    path = Path(folder) / WEIGHTS
    if card.kind != LOCAL_PATTERNS:
        raise InputError(f"{folder} holds a {card.kind}, not a policy of local patterns")
    must_fit(card, game)
    arrays = unpacked(content, path)
    depth, rows, columns = game.planes()
    wanted = {"weights": (card.sizes[-1],), "sites": tuple(card.sizes[3:5]), "local": (depth,)}
    if len(card.sizes) != 6 or {name: array.shape for name, array in arrays.items()} != wanted:
        raise InputError(f"{path} is not the policy that its card tells of")
    weights, sites, local = arrays["weights"], arrays["sites"], arrays["local"] != 0
    fits = weights.dtype == np.float32 and sites.dtype == np.int32 and bool(np.isfinite(weights).all())
    if not fits or not ((sites >= NONE) & (sites < rows * columns)).all():
        raise InputError(f"{path} is not a policy of this game")
    return FastPolicy(weights.copy(), sites.copy(), local)


def places(game: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where actions lie, and which planes tell of cells: `sites` and `local` of FastPolicy.

    Found in positions of random games, by the rule `where` if its board is that of the planes, else by the one cell on
    which something lies after the action that did not before.  An action may have several cells, as a stone that falls
    down a column has, if the first on which nothing lies is always the one.
    """
    depth, rows, columns = game.planes()
    state, rng = new(game), np.random.default_rng(0)
    local = np.zeros(depth, np.bool_)
    seen: dict[int, list[tuple[int, np.ndarray]]] = {}  # by action: its cell, and on which cells something lies
    known = range(game.actions()) if cells_are_actions(game) else None
    shown = game.board() if gives(game, "where", "board") else {}
    shown = (shown.get("rows"), shown.get("cols")) == (rows, columns)
    for _ in range(POSITIONS):
        if game.over(state):
            state = new(game)
        planes = encoded(game, state)
        local |= (planes != planes[:, :1]).any(axis=1)
        actions = legal(game, state)
        if known is None:
            for action in actions:
                cell = where(game, state, action, planes) if not shown else (game.where(state, action) or [NONE])[-1]
                seen.setdefault(action, []).append((cell, planes))
        game.play(state, int(rng.choice(actions)))
    cells = {action: [action] for action in known} if known else {}
    for action, found in seen.items():
        order = list(dict.fromkeys(cell for cell, _ in found))
        empty = [(cell, ~(planes[local] != 0).any(axis=0)) for cell, planes in found]
        first = [next((one for one in order if free[one]), order[-1]) for _, free in empty]
        always = len(order) == 1 or first == [cell for cell, _ in empty]
        if NONE not in order and len(order) <= CELLS and always:
            cells[action] = order
    sites = np.full((game.actions(), max([1, *map(len, cells.values())])), NONE, np.int32)
    for action, order in cells.items():
        sites[action, : len(order)] = order
    return sites, local


def where(game: Any, state: Any, action: int, planes: np.ndarray) -> int:
    """The only cell on which something lies after an action that did not before, or NONE."""
    behind = encoded(game, after(game, state, action))
    partial = (planes != planes[:, :1]).any(axis=1) | (behind != behind[:, :1]).any(axis=1)
    before, later = ((one[partial] != 0).any(axis=0) for one in (planes, behind))
    found = np.flatnonzero(later & ~before)
    return int(found[0]) if len(found) == 1 else NONE


def encoded(game: Any, state: Any) -> np.ndarray:
    """What a net sees of a position: float32[planes, cells]."""
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    return planes.reshape(len(planes), -1)
