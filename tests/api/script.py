"""A user's own script: it is run, and mypy checks it by all rules of `--strict`."""

from typing import Any, NamedTuple

import numpy as np

import plyground as pg


class Nim(NamedTuple):
    """Take one to three from a heap; who takes the last one wins."""

    heap: int = 7

    def fields(game) -> list[Any]:
        return [("left", np.int8), ("turn", np.int8)]

    def start(game, state: Any) -> None:
        state.left = game.heap

    def actions(game) -> int:
        return 3

    def player(game, state: Any) -> int:
        return int(state.turn)

    def legal(game, state: Any, out: Any) -> int:
        count = int(min(state.left, 3))
        for action in range(count):
            out[action] = action
        return count

    def play(game, state: Any, action: int) -> None:
        state.left -= action + 1
        state.turn = 1 - state.turn

    def over(game, state: Any) -> bool:
        return bool(state.left == 0)

    def score(game, state: Any) -> float:
        return 1.0 if state.turn == 1 else -1.0


class Last:
    """Plays the last legal action, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def think(self, game: pg.Game, state: pg.State, limit: pg.Limit) -> int:
        self.asked += 1
        return pg.legal(game, state)[-1]


def first(game: pg.Game, state: pg.State) -> int:
    return pg.legal(game, state)[0]


game = pg.make("tictactoe")
thought = pg.think(game, "uct(sims=300)", "b2 a1")
print(thought.move, thought.value, thought.line, [move.visits for move in thought.moves])
print(thought.to_json()["name"], thought.table())
here = pg.Position(game, "b2 a1").play("c3")
print(here.moves, here.player, here.over, here.think("uct(sims=50)").tree(1, 2))

two = pg.match("tictactoe", pg.agent("uct(sims=50)"), "random", games=4, openings=1, seed=1, jobs=2)  # two processes
same = pg.match("tictactoe", "uct(sims=50)", "random", games=4, openings=1, seed=1, jobs=1)
assert [r.actions for r in two.records] == [r.actions for r in same.records]
print(two.score, two.interval, two.elo, two.games)

last = Last()
own = pg.match(Nim(7), last, first, games=4)  # a class that no other process can import
assert last.asked and own.to_json()["game"] == "Nim(7)"
print(own)
print(pg.tournament(Nim, [first, last, lambda game, state: pg.legal(game, state)[0]], games=2).elo)
print(pg.solve(game, "a3 b3 a2").best, pg.odds(game, "random", "win-block").win)
print(pg.score("tetris(6,12)", first, games=2, moves=3).mean)
try:
    pg.match(Nim(7), first, "uct(simz=3)")
except pg.InputError as error:
    print(error)
