"""The agents `threats` and `gomoku-classic`: five in a row by threats alone, and by alpha-beta on top of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np

from ...agents.base import Agent, Limit, Move, Seed, Thought, same
from ...jit.first_use import first_use
from ...nets.trained import made_for
from ...rules import after
from ...search.budget import Budget
from ...spec import About, InputError
from .tactics import board, classic
from .tactics.board import inside, outside
from .tactics.prover import LONGEST, SHORTEST, in_rows
from .tactics.tactician import Tactician, Win

Seconds = Annotated[float | None, About("seconds a move; None: 1, or as many as a clock gives", low=0, high=86400)]
SECONDS = 1.0  # a move, if nobody says how many
LEAST = 0.01  # seconds: with no more left, no search is begun
DEEPEST = 12  # stones of the attacker, in a win by threats
ATTACK, GUARD = 0.15, 0.15  # shares of the time for looking for a win, and for one that a move would allow
ENDLESS = 2**60
ENTRY = 16  # bytes of a position in the table


class RowAgent(Agent):
    """What they share: a board that knows its patterns."""

    def __post_init__(self) -> None:
        self._tactician: Tactician | None = None

    def begin(self, seed: int) -> None:
        super().begin(seed)
        if self._tactician:
            self._tactician.forget()

    @classmethod
    def must_play(cls, game: Any) -> None:
        if not in_rows(game):
            raise InputError(f"this agent plays games of {SHORTEST} to {LONGEST} in a row, such as gomoku(15)")

    def tactician(self, game: Any, state: Any) -> Tactician:
        """What looks for threats in this position."""
        self.must_play(game)
        if self._tactician is None or not same(self._tactician.game, game):
            self._tactician = Tactician(game)
        self._tactician.set(state)
        return self._tactician

    def timed(self, limit: Limit) -> Budget:
        """What a move of an agent that always has a time limit may take, from now on: compiling is not thinking."""
        budget = limit.budget(None, self.seconds)
        if budget.seconds is None:
            budget.seconds = SECONDS
        return budget


def find_win(tactician: Tactician, player: int, deepest: int, budget: Budget, most: int = ENDLESS) -> Win | None:
    """A win of this player by threats, if one is found in time and with at most so many stones."""
    tactician.allow(most)
    return budget.run(lambda: tactician.win(player, deepest, None), lambda: tactician.allow(0))


def find_line(tactician: Tactician, state: Any, win: Win, budget: Budget, most: int = ENDLESS) -> list[int]:
    """How a win goes on, as far as that is found in time and with at most so many stones for a move."""
    tactician.allow(most)
    return budget.run(lambda: tactician.line(state, win), lambda: tactician.allow(0))


def won_thought(win: Win, line: list[int], seconds: float) -> Thought:
    """A win that is certain, and was found in so many seconds."""
    return Thought(win.action, 1.0, 1, seconds, [Move(win.action, 1, 1.0, True)], line)


@dataclass
class Threats(RowAgent):
    """Wins by continuous threats where it sees how, stops those of the other, else makes the most of its lines."""

    depth: Annotated[int, About("threes in a row to look ahead", low=0, high=30)] = 8
    limit: Annotated[int, About("most stones tried for a move", low=1, high=10**9)] = 200_000
    seed: Seed = None

    looked = 20  # moves that are tried whether they stop the other

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        tactician = self.tactician(game, state)
        budget = limit.budget()
        me = int(game.player(state))
        won = find_win(tactician, me, self.depth, budget, self.limit)
        if won:
            line = find_line(tactician, state, won, budget, self.limit)
            return won_thought(won, line, budget.passed)
        order = tactician.best_first(me, self.rng) if state.stones else game.middle()
        action = order[0]
        for tried in order[: self.looked]:
            tactician.set(after(game, state, tried))
            if not find_win(tactician, 1 - me, self.depth, budget, self.limit // self.looked):
                action = tried
                break
        return Thought(action, None, 1, budget.passed, [Move(action, 1, 0.0)], [action])


@dataclass
class GomokuClassic(RowAgent):
    """Alpha-beta with patterns and threats, no net."""

    seconds: Seconds = 1.0
    depth: Annotated[int, About("deepest search", low=1, high=40)] = 40
    memory: Annotated[int, About("megabytes for the table of positions", low=1, high=4096)] = 64
    threats: Annotated[bool, About("look for wins by threes, of either side")] = True
    threads: Annotated[int, About("searches side by side that share the table", low=1, high=64)] = 1
    seed: Seed = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._made: Tactician | None = None

    def begin(self, seed: int) -> None:
        super().begin(seed)
        if self._made:
            self._table[:] = 0
            for name in ("refuted", "history", "killers"):
                self._rooms[name] = 0

    def _prepare(self, game: Any, state: Any) -> Tactician:
        tactician = self.tactician(game, state)
        if self._made is not tactician:
            self._made = tactician
            self._rooms = np.zeros(self.threads, classic.room_type(tactician.shape))
            self._rooms["board"] = board.new(tactician.shape)
            self._table = classic.new_table(1 << (self.memory * 2**20 // ENTRY).bit_length() - 1)
            with first_use():
                board.set_up(self._rooms[:1], tactician.tables, state.cells)
                self._deepen(0, 0, 0)
        return tactician

    def _deepen(self, number: int, player: int, depth: int) -> None:
        rooms = self._rooms[number : number + 1]
        classic.deepen(rooms, self._made.tables, self._table, player, depth)  # type: ignore[union-attr]

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        tactician = self._prepare(game, state)
        budget = self.timed(limit)
        watch = limit.budget(thought=lambda: self._thought(tactician, state, budget.passed)).watch
        me = int(game.player(state))
        if not state.stones:
            action = game.middle()[0]
            return Thought(action, 0.0, 1, budget.passed, [Move(action, 1, 0.0)], [action])
        deepest = DEEPEST if self.threats else 0
        won = find_win(tactician, me, deepest, budget.until(ATTACK))
        if won:
            line = find_line(tactician, state, won, budget.until(2 * ATTACK))
            return won_thought(won, line, budget.passed)
        self._rooms["banned"] = 0
        searching = budget.until(1 - GUARD * self.threats)
        while True:
            self._search(tactician, state, me, replace(searching, watch=watch))
            room: Any = self._rooms[0]
            if room.banned[int(room.best)]:  # whatever it plays loses
                break
            if not self.threats or abs(room.value) > classic.SURE or budget.seconds_left <= LEAST or budget.over():
                break
            tactician.set(after(game, state, int(outside(tactician.board, int(room.best)))))
            refuted = find_win(tactician, 1 - me, deepest, budget.within(budget.seconds_left / 2))
            tactician.set(state)
            if not refuted:
                break
            self._rooms["banned"][:, int(room.best)] = 1
            searching = budget.within(budget.seconds_left / 2)
        return self._thought(tactician, state, budget.passed)

    def _search(self, tactician: Tactician, state: Any, me: int, budget: Budget) -> None:
        """Alpha-beta, deeper and deeper, until the time is over."""
        for number in range(self.threads):
            board.set_up(self._rooms[number : number + 1], tactician.tables, state.cells)
        self._rooms["stop"] = False

        def halt() -> None:
            self._rooms["stop"] = True

        def helped() -> None:
            with ThreadPoolExecutor(self.threads) as pool:
                for number in range(1, self.threads):
                    pool.submit(self._deepen, number, me, self.depth)
                self._deepen(0, me, self.depth)
                halt()

        budget.run(helped, halt)

    def _thought(self, tactician: Tactician, state: Any, seconds: float) -> Thought:
        """What the search knows by now.  It leaves moves out, so that a win or a loss that it sees is not proven."""
        room: Any = self._rooms[0]
        here = tactician.board
        best = int(outside(here, int(room.best)))
        values = {a: int(room.values[inside(here, a)]) for a in range(state.cells.size)}
        known = sorted((a for a in values if values[a] > -classic.MATE and a != best), key=lambda a: -values[a])
        moves = [Move(best, int(room.nodes), judged(int(room.value))), *(Move(a, 0, judged(values[a])) for a in known)]
        nodes = int(self._rooms["nodes"].sum())
        return Thought(best, moves[0].value, nodes, seconds, moves, [best], counts="positions")


def judged(points: int) -> float:
    """A value between -1 and 1."""
    if abs(points) > classic.SURE:
        return 1.0 if points > 0 else -1.0
    return float(np.tanh(points / classic.SCALE))


def opponent(game: Any) -> str:
    """The agent that a person meets: the strongest there is for five in a row, none of ours for other rows."""
    if not in_rows(game) or game.k != 5:
        return ""
    try:
        made_for(game)
    except InputError:
        return "gomoku-classic"
    return "gomoku-master" if find_spec("onnxruntime") else "gomoku-classic"
