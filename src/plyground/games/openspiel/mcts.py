"""The agent `openspiel-mcts`: the tree search that OpenSpiel has in C++, in any game."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from ...agents.base import Agent, Limit, Move, Seed, Thought, must_be_a_decision
from ...manifest import ask
from ...rules import legal
from ...search.budget import Budget, least
from ...spec import About, InputError
from .rules import OpenSpiel, library

LEAST = 2  # simulations: the first one makes no children
GROWTH = 100  # times the simulations of the tree before, at most
HELD = 0.25  # seconds that it may keep all other threads waiting


def same(game: OpenSpiel) -> tuple[str, Callable[[Any], list[int]]]:
    """The game in OpenSpiel, and what was played in a state."""
    return game.spec, lambda state: library(game.spec).played(state.moves[: state.count].tolist())


def opponent(game: OpenSpiel) -> str:
    """The agent that a person meets: the one that does not run interpreted, if it plays this game."""
    return "openspiel-mcts" if library(game.spec).paid_at_end else "uct"


@dataclass
class OpenSpielMCTS(Agent):
    """OpenSpiel's tree search (UCT in C++): on its own rules in games that it has, too, else on ours, much slower."""

    sims: Annotated[int, About("simulations a move", low=1, high=2**31 - 1)] = 1000
    c: Annotated[float, About("weight of exploration, as OpenSpiel takes it", low=0, high=1e6)] = 2.0
    rollouts: Annotated[int, About("roll-outs from every new node, averaged", low=1, high=100_000)] = 1
    solve: Annotated[bool, About("prove wins and losses")] = True
    memory: Annotated[int, About("most megabytes for the tree", low=1, high=65536)] = 1000
    seed: Seed = None

    @classmethod
    def must_play(cls, game: Any) -> None:
        at_end = library(game.spec).paid_at_end if isinstance(game, OpenSpiel) else not game.alone()
        if not at_end:
            raise InputError("openspiel-mcts plays no game that gives points on its way: take uct")

    def ready(self, game: Any) -> None:
        """Nothing is to be compiled."""
        self.must_play(game)
        position_of(game, None)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.must_play(game)
        must_be_a_decision(game, state)
        begun = time.perf_counter()
        theirs = position_of(game, state)
        root = self._searched(theirs, max(LEAST, least(self.sims, limit.simulations)), limit)
        if not root.children:  # so little memory that none was made
            action = int(self.rng.choice(legal(game, state)))
            return Thought(action, None, root.explore_count, time.perf_counter() - begun)
        best, mover = root.best_child(), int(game.player(state))
        kind = theirs.get_game()
        most = 1.0 if game.alone() else max(abs(kind.min_utility()), abs(kind.max_utility()))  # counts as 1 here
        moves = [_move(child, mover, most) for child in root.children]
        moves.sort(key=lambda move: (move.action == best.action, move.visits), reverse=True)
        value = moves[0].value if moves[0].visits else None
        return Thought(best.action, value, root.explore_count, time.perf_counter() - begun, moves, [best.action])

    def _searched(self, theirs: Any, sims: int, limit: Limit) -> Any:
        """The root of a tree of so many simulations, or of as many as the limit allows.

        OpenSpiel's search is deaf until it is through, counts no simulations where it looks at the clock, and keeps all
        threads waiting.  So under a limit smaller trees are grown first: they tell its speed, and between them it can
        be stopped.  Where somebody waits who may stop it, one by OpenSpiel's own rules takes HELD seconds at most.
        """
        import pyspiel

        seeds = self.rng.integers(2**31 - 1, size=2).tolist()

        def grown(size: int) -> Any:
            rollouts = pyspiel.RandomRolloutEvaluator(self.rollouts, seeds[0])
            bot = pyspiel.MCTSBot(theirs.get_game(), rollouts, self.c, size, self.memory, self.solve, seeds[1], False)
            return bot.mcts_search(theirs)

        if limit.seconds is None and limit.stop is None:
            return grown(sims)
        held = (
            HELD if limit.stop and limit.seconds is not None and type(theirs).__module__.startswith("pyspiel") else None
        )
        budget, size = Budget(None, least(limit.seconds, held), limit.stop), LEAST
        while True:
            before = budget.passed
            root = grown(size)
            speed = size / max(budget.passed - before, 1e-9)
            more = int(min(sims, GROWTH * size, speed * max(budget.seconds_left, 0.0)))
            if more <= size or budget.over():
                return root
            size = more


def _move(child: Any, mover: int, most: float) -> Move:
    """What its search knows of an action."""
    value = child.outcome[mover] if child.outcome else child.total_reward / max(child.explore_count, 1)
    return Move(child.action, child.explore_count, value / most, bool(child.outcome))


def position_of(game: Any, state: Any) -> Any:
    """A state of OpenSpiel: of its own game where that is the same as ours, else of our game by its rules.

    No state: the start of the game.
    """
    import pyspiel

    known = ask(game, "openspiel")
    moves = known[1](state) if known and state is not None else []
    if known and moves is not None:
        theirs = pyspiel.load_game(known[0]).new_initial_state()
        for action in moves:
            theirs.apply_action(action)
        return theirs
    try:
        from ...envs.openspiel import openspiel_game
    except ImportError as error:
        raise InputError(f'openspiel-mcts needs {error.name} here: pip install "plyground[envs]"') from None
    ours = openspiel_game(game, f"{type(game).__name__}{tuple(game)}")
    return ours.new_initial_state() if state is None else ours.state_at(state)
