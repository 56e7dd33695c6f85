"""The agent `gomoku-master`: a net's search between two looks for threats, the strongest for five in a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from ...agents.alphazero import AUTO, AlphaZero, Leaves, NetName, Threads
from ...agents.base import Limit, Move, Seed, Thought
from ...agents.tree_agent import Memory
from ...jit.interpreted import DISABLED
from ...nets import kinds, trained
from ...nets.files import read_card
from ...rules import after
from ...search.budget import Budget
from ...search.mcts.settings import Exploration, FirstPlayUrgency, Settings
from ...spec import About
from .agents import ATTACK, DEEPEST, GUARD, LEAST, RowAgent, Seconds, find_line, find_win, won_thought
from .levels import FULL, LEVELS, NAMES, Level, drawn, noticed, share
from .pattern_net.kept import BESIDE
from .tactics.tactician import Tactician

# Shares of the time for looks for threats.  Where the compiler is switched off a look takes hundreds of times as long
# and sees little; a simulation, which is the net's work, takes hardly longer.
FIRST_LOOK, LAST_LOOK = (0.05, 0.05) if DISABLED else (ATTACK, GUARD)
LEAST_PRIOR = (
    0.001  # of the likeliest move's, that a search by such a net looks at: memory for six times as many leaves
)
POLICY_TEMPERATURE = 1.3  # of such a net: 71.5 % (62 to 80) of 72 games against 1, at 0.1 s a move
LOOKED = 6  # moves that are tried whether they allow a win by threats


@dataclass
class GomokuMaster(RowAgent):
    """Five in a row: wins by threats first, then a net's search, and no move that allows such a win."""

    seconds: Seconds = 1.0
    level: Annotated[
        int,
        About("how strong it plays: the weaker, the more it overlooks, as people do", low=1, high=FULL, names=NAMES),
    ] = FULL
    net: NetName = AUTO
    threats: Annotated[
        int | None,
        About(
            "threes in a row looked ahead at every leaf of the net's search, at full strength; "
            "None: 2, and 0, fours alone, with a net that kernels run",
            low=-1,
            high=20,
        ),
    ] = None
    c: Exploration = Settings.c
    fpu: FirstPlayUrgency = Settings.fpu
    policy_temperature: Annotated[
        float | None,
        About(
            "of the softmax that makes priors of the net's logits; None: 1, and 1.3 with a net that kernels run",
            low=0.1,
            high=10,
        ),
    ] = None
    leaves: Leaves = 4
    threads: Threads = 1
    memory: Memory = 256
    seed: Seed = None

    plain = {"threats": -1}  # noqa: RUF012

    def __post_init__(self) -> None:
        super().__post_init__()
        same = ("net", "threats", "c", "fpu", "leaves", "threads", "memory", "seed")
        options = {name: getattr(self, name) for name in same}
        self._level = LEVELS[self.level - 1] if self.level < FULL else None
        if self._level:
            options |= {"sims": self._level.simulations or 1, "threats": self._level.threes, "keep": False}
        self._search = AlphaZero(seconds=1e-3, **options)
        self._search.stones = self._level.stones if self._level else None
        self._line: list[int] = []  # how play goes on, by the last thought
        self._searched = False  # was the net's search asked for it?

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._search.begin(int(self.rng.integers(2**62)))

    def read(self, game: Any) -> None:
        if not self._level:
            self._choose_net(game)
        self._search.read(game)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self._line, self._searched = [], False
        tactician = self.tactician(game, state)
        if self._level:
            thought = self._think_at(self._level, game, state, tactician, limit)
        else:
            thought = self._think_fully(game, state, tactician, limit)
        self._line = thought.line
        return thought

    def children(self, path: list[int]) -> list[Move]:
        """What the net's search knows of the actions after these, if it was asked in the last thought."""
        return self._search.children(path) if self._searched else []

    def line(self, action: int) -> list[int]:
        """How play would go on from this action."""
        if self._line[:1] == [action]:
            return self._line
        return self._search.line(action) if self._searched else [action]

    def _think_fully(self, game: Any, state: Any, tactician: Tactician, limit: Limit) -> Thought:
        self._choose_net(game)
        self._search.make_searches(game)
        budget = self.timed(limit)
        me = int(game.player(state))
        won = find_win(tactician, me, DEEPEST, budget.until(FIRST_LOOK))
        if won:
            line = find_line(tactician, state, won, budget.until(2 * FIRST_LOOK))
            return won_thought(won, line, budget.passed)
        self._search.seconds = budget.until(1 - LAST_LOOK).seconds
        self._searched = True
        thought = self._search.think(game, state, Limit(limit.simulations, None, limit.stop, limit.watch))
        best = thought.action
        if not (thought.moves and thought.moves[0].proven):
            best = self._search.chosen = self._safe(game, state, thought, tactician, budget)
        moves = sorted(thought.moves, key=lambda move: move.action != best)
        line = thought.line if best == thought.action else [best]
        return Thought(best, thought.value, thought.simulations, budget.passed, moves, line)

    def _choose_net(self, game: Any) -> None:
        """The net of this game; one that kernels run, if there is one and they are compiled, which then judges a leaf
        in less time than it takes to look for threes there."""
        net = trained.made_for(game) if self.net == AUTO else self.net
        if self.net == AUTO and not DISABLED and net + BESIDE in trained.names():
            net += BESIDE
        in_kernel = read_card(trained.find(net)).kind in kinds.known()
        threats = (0 if in_kernel else 2) if self.threats is None else self.threats
        self._search.net, self._search.threats = net, threats
        self._search.least = LEAST_PRIOR if in_kernel else 0.0
        self._search.transpositions = in_kernel
        usual = POLICY_TEMPERATURE if in_kernel else Settings.policy_temperature
        self._search.policy_temperature = usual if self.policy_temperature is None else self.policy_temperature

    def _safe(self, game: Any, state: Any, thought: Thought, tactician: Tactician, budget: Budget) -> int:
        """The first of the moves after which the other is not seen, in time, to win by threats."""
        other = 1 - int(game.player(state))
        tried = [move.action for move in thought.moves if move.visits and not move.proven][:LOOKED]
        for action in tried:
            then = after(game, state, action)
            if game.over(then) or budget.seconds_left <= LEAST:
                return action
            tactician.set(then)
            if not find_win(tactician, other, DEEPEST, budget.within(budget.seconds_left / 2)):
                return action
        return thought.action

    def _think_at(self, level: Level, game: Any, state: Any, tactician: Tactician, limit: Limit) -> Thought:
        """As somebody of this level thinks: looks for a short win, then draws between the moves that come to mind."""
        me = int(game.player(state))
        if level.simulations:
            self._search.make_searches(game)
        budget = Budget()
        allowed, overlooked = noticed(level, tactician.ranks(me), tactician.ranks(1 - me), self.rng)
        won = None if overlooked else tactician.win(me, level.threes, level.stones)
        if won and allowed[won.action]:
            return won_thought(won, tactician.line(state, won), budget.passed)
        if level.simulations and not overlooked:
            self._search.seconds = self.seconds
            self._searched = True
            thought = self._search.think(game, state, limit)
        else:
            thought = self._search.first_sight(game, state)
        shares = np.zeros(game.actions())
        for move in thought.moves:
            shares[move.action] = share(move)
        action = drawn(level, shares, allowed, self.rng)
        chosen = next((move for move in thought.moves if move.action == action), Move(action, 0, 0.0))
        moves = [chosen, *(move for move in thought.moves if move.action != action)]
        line = thought.line if action == thought.action else [action]
        return replace(thought, action=action, moves=moves, line=line, seconds=budget.passed)
