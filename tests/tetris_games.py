"""Games of Tetris by the compiled rules, and their replay by the naive twin.

As a program: `PYTHONPATH=tests python tests/tetris_games.py 1000000` replays so many placements of every rule set.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from naive_tetris import ORDER, Twin
from plyground import games, rules
from plyground.games.tetris.features import BCTS
from plyground.jit.first_use import compiling
from plyground.rules import CHANCE, kernel
from plyground.search.depth_first.lookahead import judged, workspace_type
from plyground.search.rng import below, outcome, seeded

SPECS = (
    "tetris",
    "tetris(10,20,'simplified')",
    "tetris(10,10)",
    "tetris(10,10,'simplified')",
    "tetris(10,5,bag='seven')",
)
NARROW = ("tetris(6,12)", "tetris(7,12,'simplified')", "tetris(4,5)")


@kernel
def drive(game, scoring, workspaces, states, before, actions, after):
    """Play game after game; in every second one all placements are drawn, in the others one of four is.

    states[3] is where games begin.
    """
    workspace = workspaces[0]
    number = 0
    states[0] = states[3]
    for i in range(actions.size):
        if game.over(states[0]):
            states[0] = states[3]
            number += 1
        while game.player(states[0]) == CHANCE:
            game.play(states[0], outcome(game, states[0], workspace))
        count = judged(game, scoring, workspace, states, None)
        chosen = below(workspace, count)
        if number % 2 == 0 and below(workspace, 4) > 0:
            for k in range(count):
                if workspace.points[0, k] > workspace.points[0, chosen]:
                    chosen = k
        before[i] = states[0]
        actions[i] = workspace.actions[0, chosen]
        game.play(states[0], np.int64(actions[i]))
        after[i] = states[0]


def driven(game: Any, placements: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """So many placements: the states before, the actions, and the states after them."""
    workspaces = np.zeros(1, workspace_type(game, BCTS))
    workspaces["rng"] = seeded(seed)
    before, after = (np.zeros(placements, rules.dtype(game)) for _ in range(2))
    actions = np.zeros(placements, np.int16)
    with compiling():
        drive(game, BCTS, workspaces, np.zeros(4, rules.dtype(game)), before, actions, after)
    return before, actions, after


def replay(spec: str, placements: int, seed: int = 0, legal_every: int = 100) -> dict[str, int]:
    """Replay placements of the compiled rules by the twin; compare every state, and now and then what is legal.

    What is legal is compared whenever the pile reaches the rows in which pieces turn, too.  Return what was seen.
    """
    game = games.make(spec)
    seen = {"games": 0, "lines": 0, "crowded": 0, "blocked": 0}
    twin, most = None, {piece: len(Twin(game.cols, game.rows, game.reference).placements(piece)) for piece in ORDER}
    offset = 0 if game.reference else 2  # rows of the twin above those of the board
    for i, (before, action, after) in enumerate(zip(*driven(game, placements, seed), strict=True)):
        if twin is None or twin.lost:
            twin = Twin(game.cols, game.rows, game.reference)
            seen["games"] += 1
        piece, coming = ORDER[before["piece"] - 1], ORDER[before["next"] - 1] if before["next"] else None
        turn, col = divmod(int(action) - 7, game.cols)
        crowded = game.reference and twin.crowded()
        if crowded or i % legal_every == 0:
            found = twin.placements(piece)
            state = record(game, before)
            places = {a: cells_of(game, state, a, offset) for a in rules.legal(game, state)}
            drawn = {frozenset((r, c) for r, c in cells if r >= offset): cells for cells in found}
            assert len(set(places.values())) == len(places) and set(places.values()) == set(drawn), game.diagram(state)
            cells = drawn[places[int(action)]]
            fell = found[cells]
            seen["crowded"] += crowded
            seen["blocked"] += len(places) < most[piece]
        else:
            cells, fell = twin.straight(piece, turn, col)
        lines = twin.lines
        twin.put(cells, fell, coming)
        seen["lines"] += twin.lines - lines
        assert after["columns"].tolist() == twin.columns()
        assert (after["lines"], after["lost"]) == (twin.lines, twin.lost)
        if game.reference:
            assert (after["score"], after["combo"] + 1) == (twin.score, twin.combo)
    return seen


def record(game: Any, state: Any) -> Any:
    """A state that was kept in an array, as the rules take it."""
    made = rules.blank(game)
    for name in state.dtype.names:
        made[name] = state[name]
    return made


def cells_of(game: Any, state: Any, action: int, offset: int) -> frozenset:
    return frozenset((cell // game.cols + offset, cell % game.cols) for cell in game.where(state, action))


if __name__ == "__main__":
    for spec in SPECS + NARROW:
        print(spec, replay(spec, int(sys.argv[1]), seed=int(sys.argv[1])), flush=True)
