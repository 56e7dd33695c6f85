"""The agents `threats` and `gomoku-classic`: five in a row by threats alone, and by alpha-beta on top of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np

from ...agents.base import Agent, Limit, Move, Seed, Thought, paced
from ...agents.tree_search import same
from ...jit.first_use import first_use
from ...nets.trained import made_for
from ...rules import after
from ...search.budget import least
from ...spec import About, InputError
from .tactics import board, classic
from .tactics.board import inside, outside
from .tactics.prover import LONGEST, SHORTEST, in_rows
from .tactics.tactician import Tactician, Win

Seconds = Annotated[float | None, About("seconds a move; None: 1, or as many as a clock gives", low=0, high=86400)]
SLICE = 0.01  # seconds between two looks at the clock
DEEPEST = 12  # stones of the attacker, in a win by threats
ATTACK, GUARD = 0.15, 0.15  # shares of the time for looking for a win, and for one that a move would allow
ENDLESS = 2**60
ENTRY = 16  # bytes of a position in the table


def until(work: Callable[[], Any], end: float, halt: Callable[[], None], look: Callable[[], bool]) -> Any:
    """Let a kernel work beside this thread until it is ready, the clock says `end` or `look` says so; then halt it."""
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(work)
        try:
            while not run.done():
                wait([run], max(0.0, min(SLICE, end - time.perf_counter())))
                if time.perf_counter() >= end or look():
                    break
        finally:
            halt()
        return run.result()


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


def win_until(
    tactician: Tactician, player: int, deepest: int, end: float, look: Callable[[], bool], most: int = ENDLESS
) -> Win | None:
    """A win of this player by threats, if one is found in time and with at most so many stones."""
    tactician.allow(most)
    return until(lambda: tactician.win(player, deepest, None), end, lambda: tactician.allow(0), look)


def line_until(
    tactician: Tactician, state: Any, win: Win, end: float, look: Callable[[], bool], most: int = ENDLESS
) -> list[int]:
    """How a win goes on, as far as that is found in time and with at most so many stones for a move."""
    tactician.allow(most)
    return until(lambda: tactician.line(state, win), end, lambda: tactician.allow(0), look)


def stops(limit: Limit) -> Callable[[], bool]:
    """Shall the search end here?"""
    return lambda: bool(limit.stop and limit.stop())


def won_thought(win: Win, line: list[int], begun: float) -> Thought:
    """A win that is certain."""
    return Thought(win.action, 1.0, 1, time.perf_counter() - begun, [Move(win.action, 1, 1.0, True)], line)


@dataclass
class Threats(RowAgent):
    """Wins by continuous threats where it sees how, stops those of the other, else makes the most of its lines."""

    depth: Annotated[int, About("threes in a row to look ahead", low=0, high=30)] = 8
    limit: Annotated[int, About("most stones tried for a move", low=1, high=10**9)] = 200_000
    seed: Seed = None

    looked = 20  # moves that are tried whether they stop the other

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        tactician = self.tactician(game, state)
        begun = time.perf_counter()
        end, stop = begun + least(limit.seconds, math.inf), stops(limit)
        me = int(game.player(state))
        won = win_until(tactician, me, self.depth, end, stop, self.limit)
        if won:
            return won_thought(won, line_until(tactician, state, won, end, stop, self.limit), begun)
        order = tactician.best_first(me, self.rng) if state.stones else game.middle()
        action = order[0]
        for tried in order[: self.looked]:
            tactician.set(after(game, state, tried))
            if not win_until(tactician, 1 - me, self.depth, end, stop, self.limit // self.looked):
                action = tried
                break
        return Thought(action, None, 1, time.perf_counter() - begun, [Move(action, 1, 0.0)], [action])


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
                self._deepen(0, 0, 0)
        return tactician

    def _deepen(self, number: int, player: int, depth: int) -> None:
        rooms = self._rooms[number : number + 1]
        classic.deepen(rooms, self._made.tables, self._table, player, depth)  # type: ignore[union-attr]

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        tactician = self._prepare(game, state)
        begun = time.perf_counter()  # compiling is not thinking
        seconds = least(self.seconds, limit.seconds)
        seconds = 1.0 if seconds is None else seconds
        me = int(game.player(state))
        if not state.stones:
            action = game.middle()[0]
            return Thought(action, 0.0, 1, time.perf_counter() - begun, [Move(action, 1, 0.0)], [action])
        deepest, stop = DEEPEST if self.threats else 0, stops(limit)
        won = win_until(tactician, me, deepest, begun + ATTACK * seconds, stop)
        if won:
            return won_thought(won, line_until(tactician, state, won, begun + 2 * ATTACK * seconds, stop), begun)
        tell = paced(limit.watch, lambda: self._thought(tactician, state, begun))

        def look() -> bool:
            tell()
            return stop()

        self._rooms["banned"] = 0
        end = begun + seconds * (1 - GUARD * self.threats)
        while True:
            self._search(tactician, state, me, end, look)
            room: Any = self._rooms[0]
            if room.banned[int(room.best)]:  # whatever it plays loses
                break
            now, last = time.perf_counter(), begun + seconds
            if not self.threats or abs(room.value) > classic.SURE or now + SLICE >= last or stop():
                break
            tactician.set(after(game, state, int(outside(tactician.board, int(room.best)))))
            refuted = win_until(tactician, 1 - me, deepest, now + (last - now) / 2, stop)
            tactician.set(state)
            if not refuted:
                break
            self._rooms["banned"][:, int(room.best)] = 1
            end = time.perf_counter() + (last - time.perf_counter()) / 2
        return self._thought(tactician, state, begun)

    def _search(self, tactician: Tactician, state: Any, me: int, end: float, look: Callable[[], bool]) -> None:
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

        until(helped, end, halt, look)

    def _thought(self, tactician: Tactician, state: Any, begun: float) -> Thought:
        """What the search knows.  It leaves moves out, so that a win or a loss that it sees is not proven."""
        room: Any = self._rooms[0]
        here = tactician.board
        best = int(outside(here, int(room.best)))
        values = {a: int(room.values[inside(here, a)]) for a in range(state.cells.size)}
        known = sorted((a for a in values if values[a] > -classic.MATE and a != best), key=lambda a: -values[a])
        moves = [Move(best, int(room.nodes), judged(int(room.value))), *(Move(a, 0, judged(values[a])) for a in known)]
        nodes = int(self._rooms["nodes"].sum())
        return Thought(best, moves[0].value, nodes, time.perf_counter() - begun, moves, [best])


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
