"""The odds of a position: how likely each result is when each seat plays by a known policy.

A *policy* is a function (game, state) -> {action: probability}, the probabilities being fractions that add up to 1.
A seat plays by such a function, by an agent that tells the actions between which it does not care (`choices`), or by
one of these names:

    random      any legal action
    win-block   an action that wins at once, else one with which the opponent would, else any
    optimal     any action of the best minimax value
    most-wins   the best response that wins most often against the other seat's policy, and then loses least often
    never-lose  the best response that loses least often, and then wins most often

Odds are fractions, without rounding.  For some hundred thousand positions and more `odds_kernel` computes the same in
floating point.  A seat wins if the score has its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, Protocol, runtime_checkable

from ..rules import CHANCE, LONGEST, after, gives, legal, must_be_for_two, outcomes, winning
from ..spec import InputError, look_up
from .odds_kernel import POLICIES, Walk

Number = Fraction | float
Distribution = dict[float, Fraction]  # probability of each score, player 0's
Policy = Callable[[Any, Any], Mapping[int, Fraction]]


@runtime_checkable
class Chooser(Protocol):
    """An agent, of which nothing is asked but the actions between which it does not care."""

    def choices(self, game: Any, state: Any) -> list[int]: ...


OPTIMAL = "optimal"
RESPONSES = ("most-wins", "never-lose")
FEW = 10_000  # positions for which fractions take some seconds
MOST = {True: 300_000, False: 10_000_000}  # positions, by whether they are counted in fractions
FINEST = 10**9  # denominators up to here are found in a float: 1/6 is 1/6 again
PAUSE = 256  # positions between two calls of `watch`


class TooMany(InputError):
    """There are more positions than allowed."""


@dataclass(frozen=True)
class Odds:
    """The probability of every score of player 0, now and after each legal action (or outcome, if nature moves)."""

    total: dict[float, Number]
    moves: dict[int, dict[float, Number]]
    positions: int  # different ones before the end of the game; symmetric ones count once in floating point
    exact: bool  # fractions, or floating point


def chances(distribution: Mapping[float, Any], player: int = 0) -> tuple[Any, Any, Any]:
    """The probabilities that the player wins, draws and loses."""
    shares: list[Any] = [Fraction(0)] * 3  # drawn, won by player 0, lost
    for score, p in distribution.items():
        result = (score > 0) - (score < 0)
        shares[result] = shares[result] + p if shares[result] else p
    drawn, *decided = shares
    return decided[player], drawn, decided[1 - player]


def distribution(
    game: Any,
    state: Any,
    first: Any = "random",
    second: Any = "random",
    *,
    exact: bool | None = None,
    limit: int | None = None,
    watch: Callable[[int], Any] | None = None,
    known: dict[bytes, Any] | None = None,
) -> Odds:
    """The odds of a state when player 0 plays by `first` and player 1 by `second`.

    `exact` asks for fractions or (False) floating point, which knows the policies by name alone; None takes fractions
    for few positions and floating point for many, if it can.  More than `limit` positions are an InputError.
    `watch` is told the number of positions done and may raise whatever shall end the work.  `known` keeps what
    fractions were found, for later calls with the same game and seats.
    """
    must_be_for_two(game, "solving")
    seats = policy(first), policy(second)
    if all(isinstance(seat, str) and seat in RESPONSES for seat in seats):
        raise InputError("a best response needs a fixed policy to respond to: let one seat play another way")
    if "win-block" in seats and not gives(game, "wins"):
        raise InputError("win-block, by its name, needs a game that lists its wins; pass the agent instead")
    named = all(isinstance(seat, str) for seat in seats)
    if exact is False and not named:
        raise InputError(f"floating point knows the policies {', '.join(POLICIES)}; take fractions for any other")
    if game.over(state):
        return Odds({float(game.score(state)): Fraction(1)}, {}, 0, True)
    if exact is not False:
        most = MOST[True] if limit is None else limit
        few = min(FEW, most) if exact is None and named else most
        try:
            return _Fractions(game, seats, few, watch, {} if known is None else known).odds(state)
        except TooMany:
            if few == most:
                raise
    walk = Walk(game, state, seats)  # type: ignore[arg-type]
    walk.run(MOST[False] if limit is None else limit, watch)
    return Odds({**walk.total}, {action: {**d} for action, d in walk.moves.items()}, walk.positions, False)


# --- policies -----------------------------------------------------------------------------------------


def policy(what: Any) -> str | Policy:
    """What a seat plays by, from one of the names, from an agent that tells its choices, or from a policy."""
    if isinstance(what, str):
        return look_up("policy", what, POLICIES)
    if callable(what):
        return what
    if not isinstance(what, Chooser):
        raise InputError(f"{what!r} tells no probabilities of its moves: name one of {', '.join(POLICIES)}")
    return lambda game, state: uniform(what.choices(game, state))


def uniform(actions: Iterable[int]) -> dict[int, Fraction]:
    """Each of these actions with the same probability."""
    actions = list(actions)
    return dict.fromkeys(actions, Fraction(1, len(actions)))


def _named(name: str, game: Any, state: Any) -> dict[int, Fraction]:
    """The probabilities of the policies `random` and `win-block`."""
    actions = legal(game, state)
    if name == "win-block":
        me = game.player(state)
        wins = winning(game, state, me) or winning(game, state, 1 - me)
        actions = [action for action in actions if action in wins] or actions
    return uniform(actions)


def _checked(policy: Policy, game: Any, state: Any) -> dict[int, Fraction]:
    """The probabilities that a policy tells, if they are some."""
    told = {action: fraction(p) for action, p in policy(game, state).items()}
    strange = set(told) - set(legal(game, state))
    if strange or any(p.numerator < 0 for p in told.values()) or total((p, 1) for p in told.values()) != 1:
        what = f"plays {min(strange)}, which is not legal" if strange else "has probabilities that do not add up to 1"
        raise InputError(f"a policy {what}")
    return {action: p for action, p in told.items() if p}


def fraction(x: Number) -> Fraction:
    """A fraction as it is; of a float the one that is meant, the nearest with a denominator of at most 10^9."""
    return x if isinstance(x, Fraction) else Fraction(x).limit_denominator(FINEST) or Fraction(x)


# --- fractions ----------------------------------------------------------------------------------------


def total(pairs: Iterable[tuple[Fraction, Fraction | int]]) -> Fraction:
    """The sum of p * q, over one denominator: a fraction is made lowest once, not after every step."""
    products = [(p.numerator * q.numerator, p.denominator * q.denominator) for p, q in pairs]
    whole = lcm(*(below for _, below in products))
    return Fraction(sum(above * (whole // below) for above, below in products), whole)


@dataclass
class _Known:
    """What is known of a position."""

    distribution: Distribution
    value: Fraction | None = None  # minimax, if a seat needs it


@dataclass
class _Frame:
    """A position on the way from the root: its moves with their probabilities, and what the first of them lead to."""

    state: Any
    player: int
    moves: list[tuple[int, Fraction]]
    known: list[_Known] = field(default_factory=list)


class _Fractions:
    """A walk, depth first, over all positions that can come; each is visited once."""

    def __init__(
        self,
        game: Any,
        seats: tuple[Any, Any],
        limit: int,
        watch: Callable[[int], Any] | None,
        known: dict[bytes, _Known],
    ) -> None:
        self.game, self.seats, self.limit, self.watch = game, seats, limit, watch
        self.minimax = OPTIMAL in seats
        self.known = known  # equal states have equal bytes

    def odds(self, state: Any) -> Odds:
        root = self.opened(state, whole=True)
        total = self.walked(root)
        moves = {action: then.distribution for (action, _), then in zip(root.moves, root.known, strict=True)}
        return Odds({**total.distribution}, {a: {**moves[a]} for a in sorted(moves)}, len(self.known), True)

    def walked(self, root: _Frame) -> _Known:
        """What there is to know of the root.  The stack is our own: Python's is for a thousand moves at most."""
        stack = [root]
        while True:
            frame = stack[-1]
            if len(frame.known) < len(frame.moves):
                then = after(self.game, frame.state, frame.moves[len(frame.known)][0])
                found = self.ended(then) or self.known.get(then.tobytes())
                if found:
                    frame.known.append(found)
                elif len(stack) == LONGEST:
                    raise InputError(
                        f"games of more than {LONGEST:,} moves, or positions that come again, have no odds"
                    )
                else:
                    stack.append(self.opened(then))
                continue
            stack.pop()
            found = self.known[frame.state.tobytes()] = self.folded(frame)
            if self.watch and len(self.known) % PAUSE == 0:
                self.watch(len(self.known))
            if not stack:
                return found
            if len(self.known) >= self.limit:
                raise TooMany(
                    f"more than {self.limit:,} positions: begin from a later one, allow more, or take floating point"
                )
            stack[-1].known.append(found)

    def ended(self, state: Any) -> _Known | None:
        """What is known of a position in which the game is over; None while it is not."""
        if not self.game.over(state):
            return None
        score = float(self.game.score(state)) + 0.0  # not -0.0
        return _Known({score: Fraction(1)}, Fraction(score))

    def opened(self, state: Any, whole: bool = False) -> _Frame:
        """The moves of a position; those that nobody plays are left out unless the whole is asked for."""
        game, player = self.game, int(self.game.player(state))
        if player == CHANCE:
            weights = {outcome: fraction(p) for outcome, p in outcomes(game, state)}
            total = sum(weights.values())  # 1, unless a probability is no fraction of this size
            return _Frame(state, player, [(outcome, p / total) for outcome, p in weights.items()])
        seat = self.seats[player]
        if not isinstance(seat, str):
            told = _checked(seat, game, state)
        elif seat == OPTIMAL or seat in RESPONSES:
            told = dict.fromkeys(legal(game, state), Fraction(0))
        else:
            told = _named(seat, game, state)
        if whole or self.minimax:
            told = {action: told.get(action, Fraction(0)) for action in legal(game, state)}
        return _Frame(state, player, list(told.items()))

    def folded(self, frame: _Frame) -> _Known:
        """What is known of a position, from what is known of all its moves."""
        player, known = frame.player, frame.known
        weights = [p for _, p in frame.moves]
        seat = "chance" if player == CHANCE else self.seats[player]
        value = None
        if self.minimax:
            values = [then.value or Fraction(0) for then in known]
            if player == CHANCE:
                value = sum((p * v for p, v in zip(weights, values, strict=True)), Fraction(0))
            else:
                value = max(values) if player == 0 else min(values)
            if seat == OPTIMAL:
                weights = [Fraction(v == value, values.count(value)) for v in values]
        if isinstance(seat, str) and seat in RESPONSES:
            return _Known(max((then.distribution for then in known), key=lambda d: merit(d, player, seat)), value)
        parts: dict[float, list[tuple[Fraction, Fraction]]] = {}
        for p, then in zip(weights, known, strict=True):
            if p:
                for score, q in then.distribution.items():
                    parts.setdefault(score, []).append((p, q))
        return _Known({score: total(pairs) for score, pairs in parts.items()}, value)


def merit(distribution: Distribution, player: int, response: str) -> tuple[Fraction, Fraction]:
    """What a best response makes as large as possible: first the one, then the other."""
    win, _, loss = chances(distribution, player)
    return (win, -loss) if response == "most-wins" else (-loss, win)
