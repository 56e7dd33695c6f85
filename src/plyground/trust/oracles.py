"""Random games, move by move, beside OpenSpiel's rules of the same games.

Ours are played compiled, many at once, and written down; OpenSpiel then has to agree with every line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import games
from ..manifest import ask, families
from ..rules import CHANCE, dtype, kernel
from .base import Campaign

PLIES = 8000  # written down at once
OVER = -4  # who is to move, in OpenSpiel, when the game is over
SLICE = 2.0  # seconds of one game before the next has its turn
Line = tuple[list[int], float, list[int]]  # player, over, where the legal actions end, action; score; legal actions


@kernel
def write_games(game, states, seed, lines, scores, legal, out, weights):
    """Play random games until one does not fit any more; return how many lines the whole ones have.

    states [2]: one to work in, and a zeroed one; seed: of the random numbers; lines int32[plies, 4]: player, over,
    where the legal actions end in `legal`, the action that is played then; scores float64[plies]; legal
    int16[many]: the legal actions of all positions, or the outcomes where chance moves; out int32[actions], weights
    float64[actions].
    """
    random = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    count = end = whole = 0
    while True:
        states[0] = states[1]
        state = states[0]
        game.start(state)
        over = False
        while not over:
            if count == lines.shape[0]:
                return whole
            over = game.over(state)
            lines[count, 0] = game.player(state)
            lines[count, 1] = over
            scores[count] = game.score(state)
            if not over:
                nature = game.player(state) == CHANCE
                found = game.chance(state, out, weights) if nature else game.legal(state, out)
                for i in range(found):
                    legal[end + i] = out[i]
                end += found
                random ^= random << np.uint64(13)
                random ^= random >> np.uint64(7)
                random ^= random << np.uint64(17)
                action = out[int((random >> np.uint64(33)) % np.uint64(found))]
                lines[count, 3] = action
                game.play(state, action)
            lines[count, 2] = end
            count += 1
        whole = count


class OurNumbers:
    """A first state of OpenSpiel's whose actions have our numbers, as the game's family tells them.  So have the
    players: with us the first one begins."""

    def __init__(self, game: Any, theirs: Any, numbers: Callable[[Any, Any], dict[int, tuple[int, ...]]]) -> None:
        self.game, self.theirs, self.numbers = game, theirs, numbers
        self.current_player, self.player_return = theirs.current_player, theirs.player_return
        if theirs.current_player() == 1:
            self.current_player = self._turned_player
            self.player_return = lambda player: theirs.player_return(1 - player)

    def _turned_player(self) -> int:
        player = self.theirs.current_player()  # may be slow: it looks whether the game is over
        return 1 - player if player in (0, 1) else player

    def legal_actions(self) -> list[int]:
        self.now = self.numbers(self.game, self.theirs)
        return list(self.now)

    def apply_action(self, action: int) -> None:
        """One of the legal actions that were asked for last."""
        for one in self.now[action]:
            self.theirs.apply_action(one)


class OurTurns:
    """A first state of OpenSpiel's, in whose game an action is a whole turn, played move by move: the game's family
    tells our moves of each; none, where they still have to say that nothing can be played."""

    def __init__(self, game: Any, theirs: Any, turns: Callable[[Any, Any], list[tuple[tuple[int, ...], int]]]) -> None:
        self.game, self.theirs, self.turns = game, theirs, turns
        self.current_player, self.player_return = theirs.current_player, theirs.player_return
        self.left = turns(game, theirs)  # what is left of the turns that begin as this one, and their actions

    def legal_actions(self) -> list[int]:
        return list({moves[0] for moves, _ in self.left})

    def apply_action(self, action: int) -> None:
        self.left = [(moves[1:], one) for moves, one in self.left if moves[0] == action]
        while self.left and not self.left[0][0]:
            self.theirs.apply_action(self.left[0][1])
            self.left = [] if self.theirs.is_terminal() else self.turns(self.game, self.theirs)


def beside(game: Any, theirs: Any) -> Any:
    """A state of OpenSpiel's, whose actions have our numbers."""
    turns, numbers = ask(game, "openspiel_turns"), ask(game, "openspiel_actions")
    return OurTurns(game, theirs, turns) if turns else OurNumbers(game, theirs, numbers) if numbers else theirs


def written(game: Any, seed: int) -> Iterator[list[Line]]:
    """Random games: of every position the player, whether it is over, where it stands, the action; the score; what is
    legal."""
    size = game.actions()
    states, out, weights = np.zeros(2, dtype(game)), np.zeros(size, np.int32), np.zeros(size)
    lines, scores = np.zeros((PLIES, 4), np.int32), np.zeros(PLIES)
    legal = np.zeros(PLIES * size, np.int16)
    count = write_games(game, states, seed, lines, scores, legal, out, weights)
    told, points = lines[:count].tolist(), scores[:count].tolist()
    allowed = legal[: told[-1][2]].tolist()
    begin, one = 0, []
    for line, score in zip(told, points, strict=True):
        one.append((line, score, allowed[begin : line[2]]))
        begin = line[2]
        if line[1]:
            yield one
            one = []


def difference(one: list[Line], theirs: Any) -> str:
    """The first thing in which OpenSpiel's state, from the start on, differs from a game of ours."""
    whose, score_of, allowed, apply = (
        theirs.current_player,
        theirs.player_return,
        theirs.legal_actions,
        theirs.apply_action,
    )
    for ply, ((player, over, _, action), score, legal) in enumerate(one):
        right = whose()
        if over != (right == OVER):
            wrong = f"over is {bool(over)}, not {right == OVER}"
        elif score != score_of(0):
            wrong = f"the score is {score}, not {score_of(0)}"
        elif over:
            return ""
        elif player != right:
            wrong = f"the player is {player}, not {right}"
        elif legal != (there := allowed()) and (len(legal) != len(there) or set(legal) != set(there)):
            wrong = f"legal is {legal}, not {there}"
        else:
            apply(action)
            continue
        return f"{wrong}, after {[line[3] for line, _, _ in one[:ply]]}"
    return "it has no end"


def pairs() -> dict[str, str]:
    """Our games, and the same in OpenSpiel, as families of games bring them along."""
    return {ours: theirs for family in families() for ours, theirs in family.in_openspiel.items()}


def run(campaign: Campaign) -> None:
    """Play each game in turn; the number of inputs is for each of them."""
    import pyspiel

    each, known = campaign.inputs, pairs()
    campaign.inputs *= len(known)
    made = {ours: (games.make(ours), pyspiel.load_game(theirs)) for ours, theirs in known.items()}
    turn, waiting = 0, list(known)
    while campaign.going() and waiting:
        for ours in list(waiting):
            end = time.monotonic() + SLICE
            while campaign.going() and campaign.counts[ours] < each and time.monotonic() < end:
                turn += 1
                compare(campaign, (ours, known[ours]), *made[ours], turn, each)
            if campaign.counts[ours] >= each or any(failure.kind == ours for failure in campaign.failures):
                waiting.remove(ours)


def compare(campaign: Campaign, named: tuple[str, str], game: Any, other: Any, turn: int, most: int) -> None:
    """Compare a batch of games; `named` says what they are called, here and there."""
    ours = named[0]
    seed = campaign.seed * 1_000_000 + turn
    for one in written(game, seed):
        if campaign.counts[ours] >= most:
            return
        what = difference(one, beside(game, other.new_initial_state()))
        campaign.count(ours)
        if what:
            campaign.fail(ours, " beside ".join(named), what, seed)
            return
