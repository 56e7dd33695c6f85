"""The agent `openspiel-mcts`: the tree search that OpenSpiel has in C++, in any game."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from ...agents.base import Agent, Limit, Move, Seed, Thought, must_be_a_decision
from ...manifest import ask
from ...search.budget import least
from ...spec import About, InputError
from .rules import OpenSpiel


def same(game: OpenSpiel) -> tuple[str, Callable[[Any], list[int]]]:
    """The game in OpenSpiel, and what was played in a state."""
    return game.spec, lambda state: state.moves[: state.count].tolist()


def opponent(game: OpenSpiel) -> str:
    """The agent that a person meets: the one that does not run interpreted."""
    return "openspiel-mcts"


@dataclass
class OpenSpielMCTS(Agent):
    """OpenSpiel's tree search (UCT in C++): on its own rules in games that it has, too, else on ours, much slower."""

    sims: Annotated[int, About("simulations a move", low=1, high=2**31 - 1)] = 1000
    c: Annotated[float, About("weight of exploration, as OpenSpiel takes it", low=0, high=1e6)] = 2.0
    rollouts: Annotated[int, About("roll-outs from every new node, averaged", low=1, high=100_000)] = 1
    solve: Annotated[bool, About("prove wins and losses")] = True
    memory: Annotated[int, About("most megabytes for the tree", low=1, high=65536)] = 1000
    seed: Seed = None

    def ready(self, game: Any) -> None:
        """Nothing is to be compiled."""
        position_of(game, None)

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        import pyspiel

        must_be_a_decision(game, state)
        begun = time.perf_counter()
        theirs = position_of(game, state)
        seeds = self.rng.integers(2**31 - 1, size=2).tolist()
        bot = pyspiel.MCTSBot(
            theirs.get_game(),
            pyspiel.RandomRolloutEvaluator(self.rollouts, seeds[0]),
            self.c,
            least(self.sims, limit.simulations),
            self.memory,
            self.solve,
            seeds[1],
            False,
            pyspiel.ChildSelectionPolicy.UCT,
            -1.0 if limit.seconds is None else max(limit.seconds, 1e-3),
        )
        root = bot.mcts_search(theirs)
        best, mover = root.best_child(), int(game.player(state))
        kind = theirs.get_game()
        most = 1.0 if game.alone() else max(abs(kind.min_utility()), abs(kind.max_utility()))  # counts as 1 here
        moves = [_move(child, mover, most) for child in root.children]
        moves.sort(key=lambda move: (move.action == best.action, move.visits), reverse=True)
        value = moves[0].value if moves[0].visits else None
        return Thought(best.action, value, root.explore_count, time.perf_counter() - begun, moves, [best.action])


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
