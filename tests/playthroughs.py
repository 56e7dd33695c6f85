"""Whole games written down position by position: what every rule says there.

`tests/playthroughs/` keeps one file a game.  A change of the rules shows as a change of those files, to be looked at;
then `pytest tests/games/test_playthroughs.py --write-playthroughs` writes them anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from plyground import games, rules
from plyground.rules import CHANCE

FOLDER = Path(__file__).parent / "playthroughs"
LONGEST = 60  # plies that are written down
GAMES = {
    "tictactoe": "tictactoe",
    "mnk-5-4-3": "mnk(5,4,3)",
    "gomoku-7": "gomoku(7)",
    "exactly-five": 'gomoku(6,"exactly-five")',
    "connect-four": "connect-four",
    "connect-four-4-4-3": "connect-four(4,4,3)",
    "line-taking": "line-taking",
    "tetris": "tetris(6,8)",
    "tetris-simplified": 'tetris(6,8,"simplified")',
    "2048": "2048",
    "amazons-6": "amazons(6)",
    "ataxx-5": "ataxx(5)",
    "backgammon": "backgammon",
    "breakthrough": "breakthrough(5,4)",
    "chess": "chess",
    "chomp": "chomp(3,4)",
    "clobber": "clobber(4,4)",
    "domineering": "domineering(5,5)",
    "dots": "dots(2,2)",
    "draughts-6": "draughts(6)",
    "go-4": "go(4)",
    "havannah-4": "havannah(4)",
    "hex-5": "hex(5)",
    "kalah": "kalah",
    "lines-of-action-5": "lines-of-action(5)",
    "morris": "morris",
    "nim": "nim",
    "nim-misere": 'nim("1-3-5-7",True)',
    "othello-6": "othello(6)",
    "oware": "oware",
    "pentago": "pentago",
    "pig": "pig(20)",
    "quoridor-3": "quoridor(3)",
    "ultimate": "ultimate",
    "openspiel-breakthrough": 'openspiel("breakthrough(rows=4,columns=3)")',
    "tictactoe-against-random": 'against-random("tictactoe",0)',
}


def playthrough(spec: str) -> str:
    """Two games of random moves, in words."""
    game = games.make(spec, seed=1)
    return "\n".join([f"game: {spec}", f"actions: {game.actions()}", *_lines(game, 1), *_lines(game, 2)]) + "\n"


def _lines(game: Any, seed: int) -> Iterator[str]:
    state, draw = rules.new(game), _numbers(seed)
    for ply in range(LONGEST):
        player, over = int(game.player(state)), bool(game.over(state))
        yield f"\n# game {seed}, ply {ply}"
        yield from (f"    {line}" for line in game.text(state).splitlines())
        yield f"fields: {hashlib.sha256(state.tobytes()).hexdigest()[:16]}"
        if rules.gives(game, "encode"):
            planes = np.zeros(game.planes(), np.float32)
            game.encode(state, planes)
            yield f"planes: {planes.shape} {hashlib.sha256(planes.tobytes()).hexdigest()[:16]}"
        yield f"over: {over}"
        if over or game.alone():
            yield f"score: {float(game.score(state)):g}"
        if over:
            return
        yield f"player: {'chance' if player == CHANCE else player}"
        if player == CHANCE:
            found = rules.outcomes(game, state)
            yield "outcomes: " + " ".join(f"{game.name(action)}={weight:.6g}" for action, weight in found)
            actions = [action for action, _ in found]
        else:
            actions = rules.legal(game, state)
            yield "legal: " + " ".join(game.name(action) for action in actions)
            for seat in (0, 1) if rules.gives(game, "wins") else ():
                yield f"wins of {seat}: " + " ".join(map(game.name, sorted(rules.winning(game, state, seat))))
        action = actions[next(draw) % len(actions)]
        yield f"plays: {game.name(action)}"
        game.play(state, action)


def _numbers(seed: int) -> Iterator[int]:
    """The same numbers on every machine, with every version of every library."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33
