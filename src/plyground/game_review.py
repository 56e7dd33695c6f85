"""A review of a game: what each move was worth beside the best there was, by a solver where it reaches, else an agent.

What is compared is always for the player who moved, whoever is next: the value of the position before, and that of the
position after the move.  From the last position to the first, since the end is what a solver reaches:

1. The solver says of a move that it has lost nothing, or how much at least, as far as its time goes.
2. An agent thinks about the other positions.  A move that seems to cost much is looked at again: the agent thinks about
   the position after the best move for as long as it did about the one after the move that was played, so that two
   numbers are compared that were come by in the same way.

Nature makes no mistakes, and who has one move only makes none either.  Where chance comes after a move, the position
that came is luck: the move is judged by what the search from before it says of both moves.  So it is in games of one
player, whose values are points; an agent with other values says there which move was best, and no move's cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from .agents.base import Agent, Forfeit, Limit, Thought
from .exact.solve import Answer, Solution, Solver, solver
from .rules import CHANCE, after, legal, playable
from .search.budget import Budget
from .spec import InputError

INACCURACY, MISTAKE, BLUNDER = 0.05, 0.1, 0.2  # shares of the points that such a move costs at least
KINDS = (("blunder", BLUNDER), ("mistake", MISTAKE), ("inaccuracy", INACCURACY))
SECONDS = 60.0  # of a whole review
EXACT = 0.4  # share of the time that the solver may take for all positions
SOLVED = 1 / 30  # and for one
MANY = 60  # moves in a position, of which a solver proves nothing in such a time
GIVE_UP = 2  # positions that it cannot judge, after which it does not try earlier ones
UNBOUNDED = 2.0  # seconds of the solver for a position, where nobody bounds the time
LOOKED = 10  # visits of a move whose value in a search is more than noise
AGAIN = 1.5  # thoughts that a position takes, with second looks
MEMORY = 64  # megabytes of the solver's table


@dataclass
class ReviewedMove:
    """One move.  Values are for the player who made it; points in a game of one player."""

    number: int  # how many came before
    player: int
    action: int
    kind: str = ""  # inaccuracy, mistake, blunder; forced, if there was no other; chance; "" for a good one
    value: float | None = None  # of the position before; None: not known
    after: float | None = None  # of the position that it led to
    cost: float | None = None  # share of the points that it has lost, in [0, 1]; None: not known
    best: int | None = None  # the action that was best
    line: list[int] = field(default_factory=list)  # how play would have gone on, the best action first
    exact: bool = False  # does the solver say so?
    good: list[int] = field(default_factory=list)  # the actions that lose nothing, where the solver knows them

    @property
    def bad(self) -> bool:
        return self.kind in dict(KINDS)


@dataclass
class Review:
    """A game from some state on, move by move."""

    game: Any
    start: Any  # state
    actions: list[int]
    moves: list[ReviewedMove]
    values: list[float | None]  # of all positions, the last one too, for the first player
    ended: bool  # by the rules, after the last move
    done: float = 0.0  # share of the work
    seconds: float = 0.0
    complete: bool = False  # was everything looked at?
    problem: str = ""  # why not, if neither time nor somebody ended it

    @property
    def mistakes(self) -> list[ReviewedMove]:
        """Those that cost points, the dearest first."""
        return sorted((move for move in self.moves if move.bad), key=lambda move: -(move.cost or 0.0))


def kind_of(cost: float) -> str:
    """What a move is called that costs such a share of the points."""
    return next((name for name, least in KINDS if cost >= least), "")


def review(
    game: Any,
    start: Any,
    actions: list[int],
    agent: Agent,
    *,
    seconds: float | None = SECONDS,
    since: int = 0,
    seed: int = 0,
    stop: Callable[[], bool] = lambda: False,
    watch: Callable[[Review], None] = lambda review: None,
    solved: bool = True,
    ready: Callable[[], None] | None = None,
) -> Review:
    """Review the moves of a game that begins in `start`; those before number `since` are not looked at.

    seconds: for all of it; None: as long as the agent takes.  Every thought begins with the same `seed`, so that a
    position is judged the same whatever was looked at before.  solved: shall a solver be asked, where there is one?
    ready: makes the agent ready before its first thought, if it is needed at all; it costs no time.
    """
    work = Reviewer(game, start, actions, agent, Budget(None, seconds, stop), since, seed)
    work.ready = ready or (lambda: agent.ready(game))
    return work.run(watch, solved)


class Reviewer:
    """The work of one review."""

    def __init__(
        self, game: Any, start: Any, actions: list[int], agent: Agent, budget: Budget, since: int, seed: int
    ) -> None:
        self.game, self.agent, self.budget, self.seed = game, agent, budget, seed
        self.ready: Callable[[], None] | None = None  # what the agent's first thought waits for
        self.states = [start]
        for action in actions:
            if game.over(self.states[-1]) or action not in playable(game, self.states[-1]):
                raise InputError(f"move {len(self.states)}, {game.name(action)}, is not legal there")
            self.states.append(after(game, self.states[-1], action))
        self.players = [int(game.player(state)) for state in self.states]
        self.alone = bool(game.alone())
        self.truths: dict[int, Solution] = {}
        self.thoughts: dict[int, Thought] = {}
        self.open: list[int] = []  # numbers of moves that are to be judged, the last one first
        self.seconds: float | None = None  # of one thought
        self.cut = False  # did the time end, or the agent give up, before a thought?
        moves = [ReviewedMove(number, self.players[number], action) for number, action in enumerate(actions)]
        ended = bool(game.over(self.states[-1]))
        self.review = Review(game, start, actions, moves, [None] * len(self.states), ended)
        for move in moves[since:]:
            if move.player == CHANCE:
                move.kind = "chance"
            elif len(legal(game, self.states[move.number])) == 1:
                move.kind, move.cost, move.best = "forced", 0.0, move.action
            else:
                self.open.insert(0, move.number)

    def run(self, watch: Callable[[Review], None], solved: bool) -> Review:
        """Judge all moves, or as many as the budget allows."""
        whole = len(self.open) or 1

        def told() -> None:
            self._evaluate()
            self.review.done, self.review.seconds = 1 - len(self.open) / whole, self.budget.passed
            begun = time.perf_counter()
            watch(self.review)
            self.budget.begun += time.perf_counter() - begun  # who is told may let others pass

        if solved:
            self._ask_solver(told)
        while self.open and not self._over():
            thoughts = AGAIN * len(self.open) + 1
            self.seconds = None if self.budget.seconds is None else max(0.0, self.budget.seconds_left / thoughts)
            move = self.review.moves[self.open[0]]
            if not self._judge_by_agent(move):
                break
            self.open.pop(0)
            told()
        self.review.complete = not self.open
        told()
        return self.review

    def _over(self) -> bool:
        return self.budget.over()

    # --- the solver ------------------------------------------------------------------------------------

    def _ask_solver(self, told: Callable[[], None]) -> None:
        """Ask for exact values from the last position backwards, until the solver finds no more in time."""
        few = [number for number in self.open if len(legal(self.game, self.states[number])) <= MANY]
        if self.alone or not few:
            return
        begun = time.perf_counter()
        try:
            work = solver(self.game, self.states[few[0]], MEMORY)
        except InputError:
            return  # it has none: chance, or no memory
        finally:
            self.budget.begun += time.perf_counter() - begun
        budget, failed = self.budget.until(EXACT), 0
        each = UNBOUNDED if self.budget.seconds is None else SOLVED * self.budget.seconds
        for number in few:
            if failed == GIVE_UP or budget.over():
                break
            try:
                known = work.solve(self.states[number], budget.within(each), distances=False)
                self.truths[number] = Solution(list(known.answers), [], known.nodes, known.seconds, known.why)
                exact = self._judge_by_solver(self.review.moves[number], work)
            except InputError:
                break  # no memory, or more cells than it knows
            if exact:
                failed = 0
                self.open.remove(number)
                told()
            else:
                failed += 1

    def _judge_by_solver(self, move: ReviewedMove, work: Solver) -> bool:
        """Does the solver say what a move has cost?"""
        truth = self.truths[move.number]
        played = next(answer for answer in truth.answers if answer.action == move.action)
        if played.high < truth.low:  # at least so much is lost
            best = truth.answers[0]
            move.value, move.after = truth.low, played.high
            move.best, move.line = best.action, self._best_line(best, work)
            move.good = [answer.action for answer in truth.answers if answer.low >= truth.high]
        elif played.low >= truth.high:
            move.value = move.after = truth.high
            move.best = move.action
        else:
            return False
        move.cost, move.exact = (move.value - move.after) / 2, True
        move.kind = kind_of(max(move.cost, INACCURACY) if move.cost > 0 else 0.0)  # however little, it is lost for sure
        return True

    def _best_line(self, best: Answer, work: Solver) -> list[int]:
        """How best play goes on, as far as little time finds it."""
        seconds = UNBOUNDED if self.budget.seconds is None else SOLVED * self.budget.seconds
        line = work.find_line(self.budget.within(seconds / 2)) if best.value is not None else []
        return list(line) or [best.action]

    # --- an agent --------------------------------------------------------------------------------------

    def _think(self, state: Any) -> Thought | None:
        """What the agent thinks of a state; None if the time is up before."""
        if self._over():
            self.cut = True
            return None
        if self.ready:
            begun = time.perf_counter()
            self.ready()
            self.budget.begun += time.perf_counter() - begun  # compiling is not thinking
            self.ready = None
        self.agent.begin(self.seed)
        try:
            thought = self.agent.think(self.game, state, Limit(None, self.seconds, self.budget.stop))
        except Forfeit as forfeit:
            if not (self.budget.stop and self.budget.stop()):  # else it was ended
                self.review.problem = f"the agent forfeits: {forfeit}"
            self.cut = True
            return None
        if self.alone and not self.agent.in_points:
            thought = replace(thought, value=None)
        return None if self.budget.stop and self.budget.stop() else thought

    def _thought(self, number: int) -> Thought | None:
        """What the agent thinks of a position of the game; it is asked once."""
        if number not in self.thoughts:
            thought = self._think(self.states[number])
            if thought is None:
                return None
            self.thoughts[number] = thought
        return self.thoughts[number]

    def _value(self, number: int, player: int) -> float | None:
        """What a position of the game is worth to a player: the rules', the solver's, or the agent's word."""
        state = self.states[number]
        if self.game.over(state):
            return self._for(player, 0, float(self.game.score(state)))
        if self.players[number] == CHANCE:
            return None
        if (truth := self.truths.get(number)) and truth.value is not None:
            return self._for(player, self.players[number], truth.value)
        move = self.review.moves[number] if number < len(self.review.moves) else None
        if move and move.kind == "forced":
            return self._value(number + 1, player)
        thought = self._thought(number)
        return None if thought is None else self._for(player, self.players[number], judged(thought))

    def _for(self, player: int, whose: int, value: float | None) -> float | None:
        """A value of one player, to another."""
        return value if value is None or self.alone or player == whose else 0.0 - value

    def _judge_by_agent(self, move: ReviewedMove) -> bool:
        """Say what a move has cost, as far as the agent judges; False if that was ended on the way."""
        thought = self._thought(move.number)
        if thought is None:
            return False
        self._say(move, thought, *self._compared(move, thought))
        return not ((self.cut and move.cost is None) or (self.budget.stop and self.budget.stop()))

    def _compared(self, move: ReviewedMove, thought: Thought) -> tuple[float | None, float | None]:
        """The values of the best move and of the one that was played, come by in the same way."""
        values = known_values(thought)
        here, then = judged(thought), move.number + 1
        if move.action == thought.action:
            return here, here
        if self.alone or (self.players[then] == CHANCE and not self.game.over(self.states[then])):
            return values.get(thought.action, here), values.get(move.action)
        played = self._value(then, move.player)
        if here is None or played is None or self._share(here, here - played) < INACCURACY:
            return here, played
        state = after(self.game, self.states[move.number], thought.action)
        if self.game.over(state):
            return self._for(move.player, 0, float(self.game.score(state))), played
        if int(self.game.player(state)) == CHANCE:
            return here, values.get(move.action, played)
        second = self._think(state)
        if second is None or (value := judged(second)) is None:
            return here, played
        found = self._for(move.player, int(self.game.player(state)), value)
        assert found is not None
        return (here if thought.moves[:1] and thought.moves[0].proven else found), played

    def _say(self, move: ReviewedMove, thought: Thought, best: float | None, played: float | None) -> None:
        """Write down what was found; within what the solver knows."""
        move.best, move.line = thought.action, list(thought.line or [thought.action])
        move.value, move.after = best, played
        if best is None or played is None:
            return
        move.after = min(best, played)
        if truth := self.truths.get(move.number):
            answer = next(answer for answer in truth.answers if answer.action == move.action)
            move.value = min(max(best, truth.low), truth.high)
            move.after = min(max(played, answer.low), answer.high, move.value)
        move.cost = self._share(move.value or 0.0, (move.value or 0.0) - move.after)
        move.kind = kind_of(move.cost)
        if not move.bad:
            move.line = move.line if move.best != move.action else []

    def _share(self, value: float, lost: float) -> float:
        """The share of the points that is lost: of those between a loss and a win, or of those that one player had to
        expect."""
        most = max(abs(value), 1e-9) if self.alone else 2.0
        return min(1.0, max(0.0, lost / most))

    def _evaluate(self) -> None:
        """Fill in what all positions are worth to the first player, as far as that is known by now."""
        for number, state in enumerate(self.states):
            self.review.values[number] = self._known(number, state)
        for move in reversed(self.review.moves):  # a forced move changes nothing
            if move.kind == "forced":
                known = self.review.values[move.number + 1]
                move.value = move.after = None if known is None else self._for(move.player, 0, known)
                self.review.values[move.number] = known

    def _known(self, number: int, state: Any) -> float | None:
        if self.game.over(state):
            return float(self.game.score(state))
        player = self.players[number]
        if player == CHANCE:
            return None
        if (truth := self.truths.get(number)) and truth.value is not None:
            return self._for(0, player, truth.value)
        if number < len(self.review.moves) and (value := self.review.moves[number].value) is not None:
            return self._for(0, player, value)
        thought = self.thoughts.get(number)
        return None if thought is None else self._for(0, player, judged(thought))


def judged(thought: Thought) -> float | None:
    """What a thought says that a position is worth, for the player to move: what its best move is, if it was tried."""
    if thought.value is None:
        return None
    return known_values(thought).get(thought.action, float(thought.value))


def known_values(thought: Thought) -> dict[int, float]:
    """The values of the moves that a thought has looked at."""
    if thought.value is None:
        return {}  # the agent does not judge
    searched = any(move.visits for move in thought.moves)
    return {
        move.action: float(move.value)
        for move in thought.moves
        if move.proven or not searched or move.visits >= min(LOOKED, thought.simulations)
    }
