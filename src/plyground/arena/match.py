"""Matches: games between two agents, seats balanced, played in parallel processes.

Games come in pairs: both have the same opening (and, where a game is drawn at random, the same draw), and
the agents change seats in between.  Every game has its own seed, made from the match's seed and its
number, so the results do not depend on how many processes play.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import agents, games
from ..agents.base import Absent, Agent, Forfeit, Limit, Unmade
from ..rules import CHANCE, LONGEST, after, drawn_outcome, must_be_for_two, new, playable
from ..spec import InputError, parse
from .openings import draw, draw_opening, moves
from .parallel import in_parallel, possible
from .results import Plan, Record, Result

if TYPE_CHECKING:
    from .match_folder import MatchFolder
    from .sprt import Trial

Show = Callable[[int, str, str, str], None]  # the number of the game, who plays, what, and the position after it


class Game(NamedTuple):
    """A game as the rules saw it: seconds, longest and moves are those of the players."""

    actions: list[int]
    score: float  # for player 0
    seconds: tuple[float, float]
    longest: tuple[float, float]
    moves: tuple[int, int]
    reason: str = ""  # why the loser had to give the game up, if the rules did not end it


def play_game(
    game: Any,
    players: tuple[Agent, Agent],
    rng: np.random.Generator,
    opening: list[int],
    limits: tuple[Limit, Limit] = (Limit(), Limit()),
    watch: Callable[[Any, int], None] | None = None,
) -> Game:
    """Play one game by the rules; `watch` is told every state with what is played there, and ends it by raising.

    An agent that forfeits has lost.
    """
    state = new(game)
    actions: list[int] = []
    thoughts: tuple[list[float], list[float]] = [], []  # seconds of the moves of either player
    lost, reason = 0, ""  # by whom, if the rules do not end the game, and why
    while not game.over(state):
        if len(actions) == LONGEST:
            raise InputError(f"the game has not ended after {LONGEST} moves; run `plyground check` on it")
        player = int(game.player(state))
        if len(actions) < len(opening):
            action = opening[len(actions)]
        elif player == CHANCE:
            action = drawn_outcome(game, state, rng)
        else:
            begun = time.perf_counter()
            try:
                action = players[player].think(game, state, limits[player]).action
            except Forfeit as forfeit:
                lost, reason = player, str(forfeit) or "it gave up"
                break
            finally:
                thoughts[player].append(time.perf_counter() - begun)
        if watch:
            watch(state, action)
        game.play(state, action)
        actions.append(action)
    first, second = thoughts
    longest = max(first, default=0.0), max(second, default=0.0)
    score = (2.0 * lost - 1.0) if reason else float(game.score(state))
    return Game(actions, score, (sum(first), sum(second)), longest, (len(first), len(second)), reason)


def recorded(number: int, first: int, played: Game, names: list[str], opening: int = 0) -> Record:
    """A game of a match, in which this agent moved first."""
    seconds, longest, moves = played.seconds, played.longest, played.moves
    if first == 1:
        seconds, longest, moves = seconds[::-1], longest[::-1], moves[::-1]
    return Record(number, first, played.actions, names, opening, played.score, seconds, longest, moves, played.reason)


def begin_game(seed: int, number: int, both: list[Agent], pairing: int = 0) -> tuple[int, np.random.Generator]:
    """Make both agents ready for a game of a match: which of them moves first, and the numbers for chance events."""
    seeds = np.random.default_rng([seed, number // 2, number, pairing]).integers(2**62, size=3)
    for agent, one in zip(both, seeds, strict=False):
        agent.begin(int(one))
    return number % 2, np.random.default_rng(seeds[2])


def play_pair(players: Players, plan: Plan, pair: int, show: Show | None = None) -> list[Record]:
    """Play the two games of a pair (one if the match has an odd number of games); `show` is told every move."""
    game = players.game_of(plan.game, draw(plan.seed, pair))
    if plan.book:
        opening = moves(game, plan.book[pair % len(plan.book)])
    else:
        opening = draw_opening(game, plan.opening, np.random.default_rng([plan.seed, pair]))
    both = players.both(plan)
    records = []
    for number in range(2 * pair, min(2 * pair + 2, plan.games)):
        first, rng = begin_game(plan.seed, number, both, plan.pairing)
        watch = partial(_show, show, plan, game, number) if show else None
        played = play_game(game, (both[first], both[1 - first]), rng, opening, watch=watch)
        records.append(recorded(number, first, played, [game.name(a) for a in played.actions], len(opening)))
    return records


def must_follow_the_rules(game: Any, records: list[Record]) -> None:
    """InputError unless the games of a pair that was kept can be played again."""
    for record in records:
        why = _breach(game, record)
        if why:
            raise InputError(f"game {record.number + 1} of those that are kept was not played by the rules: {why}")


def _breach(game: Any, record: Record) -> str:
    """What a record tells that the rules do not; empty if nothing."""
    state = new(game)
    for ply, (action, name) in enumerate(zip(record.actions, record.names, strict=True), 1):
        if game.over(state) or action not in playable(game, state) or game.name(action) != name:
            return f"its move {ply}, {name}, is none"
        game.play(state, action)
    if record.reason:
        return "it had ended before it was given up" if game.over(state) else ""
    if not game.over(state):
        return "it has not ended"
    return "" if float(game.score(state)) == record.score else f"its score is {float(game.score(state)):g}"


def _show(show: Show, plan: Plan, game: Any, number: int, state: Any, action: int) -> None:
    player = int(game.player(state))
    who = "nature" if player == CHANCE else plan.agents[(number + player) % 2]
    show(number, who, game.name(action), game.text(after(game, state, action)))


_Chair = tuple[str, int, float | None]  # a spec, a number if both agents have the same, and the seconds of a move


class Players:
    """The games and agents of one call of `play_pairs`, made once, so that trees and nets are not made for every game.

    A match keeps its rules, if their file is changed, too; the next one reads all files again.  Every process that
    plays has games and agents of its own.  go_on: as in `play_pairs`.
    """

    def __init__(self, go_on: bool = False) -> None:
        self.go_on = go_on
        self._make, self._is_drawn = lru_cache(4)(games.make), lru_cache(4)(games.is_drawn)
        self._agents: dict[_Chair, Agent] = {}
        self._ready: set[tuple[_Chair, str]] = set()  # agents and games

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes its own, and keeps them for all that it plays."""
        return _players_of_this_process, (self.go_on,)

    def game_of(self, text: str, seed: int) -> Any:
        """The game of a spec."""
        return self._make(text, seed if self._is_drawn(text) else None)

    def both(self, plan: Plan, here: bool = True) -> list[Agent]:
        """The agents of a match.

        Before their first game they are made ready: what has to be compiled or loaded for it costs no move time.  If
        they will not play here, those that think in a process of their own are not.
        """
        one, other = plan.agents
        chairs: list[_Chair] = [(one, 0, plan.move_seconds), (other, int(one == other), plan.move_seconds)]
        for chair in chairs:
            if chair not in self._agents:
                self._agents[chair] = self._made_agent(chair)
            if (chair, plan.game) not in self._ready and (here or not self._agents[chair].outside):
                self._agents[chair].ready(self.game_of(plan.game, plan.seed))
                self._ready.add((chair, plan.game))
        return [self._agents[chair] for chair in chairs]

    def _made_agent(self, chair: _Chair) -> Agent:
        try:
            return agents.make(chair[0], move_seconds=chair[2])
        except Unmade as failed:
            if not self.go_on:
                raise
            return Absent(str(failed))

    def close(self) -> None:
        """End the processes of agents that have one."""
        for agent in self._agents.values():
            agent.close()


@lru_cache(1)
def _players_of_this_process(go_on: bool) -> Players:
    """A process that plays for another one does so for a single call of `play_pairs`."""
    return Players(go_on)


def play_pairs(
    plans: list[Plan],
    jobs: int = 1,
    folder: MatchFolder | None = None,
    show: Show | None = None,
    go_on: bool = False,
) -> Iterator[tuple[int, list[Record]]]:
    """The games of matches of the same game, pair by pair as they end: the number of the match, and the records.

    The matches take turns, so that none is behind whenever this ends.  Pairs that a folder keeps come first; those
    that are played now are added to it.  go_on: an agent whose file fails forfeits its games; else there is no match.
    """
    players = Players(go_on)
    for plan in plans:
        must_make_sense(plan)
    tasks = sorted((pair, number) for number, plan in enumerate(plans) for pair in range(plan.pairs))
    done = folder.pairs if folder else {}
    for task in tasks:
        if task in done:
            plan = plans[task[1]]
            must_follow_the_rules(players.game_of(plan.game, draw(plan.seed, task[0])), done[task])
            yield task[1], done[task]
    todo = [task for task in tasks if task not in done]
    jobs = 1 if show else possible(plans, min(jobs, len(todo)))
    try:
        if todo:
            for plan in plans:
                players.both(plan, here=jobs <= 1)  # compiled once, before there are several processes
        if jobs > 1:
            players.close()
        for task, records in in_parallel(partial(_play_task, players, plans, show), todo, jobs):
            if folder:
                folder.add(task, records)
            yield task[1], records
    finally:
        players.close()


def _play_task(players: Players, plans: list[Plan], show: Show | None, task: tuple[int, int]) -> list[Record]:
    pair, number = task
    return play_pair(players, plans[number], pair, show)


def must_make_sense(plan: Plan) -> None:
    """InputError for a match that cannot be played."""
    if plan.games < 1:
        raise InputError(f"a match has at least one game, not {plan.games}")
    if plan.opening < 0:
        raise InputError(f"an opening has 0 or more moves, not {plan.opening}")
    if "human" in [parse(agent)[0] for agent in plan.agents]:
        raise InputError("a human cannot play a match; use `plyground play`")
    must_be_for_two(games.make(plan.game, seed=plan.seed), "a match")


def play_match(
    plan: Plan,
    jobs: int = 1,
    watch: Callable[[Result], None] = lambda result: None,
    show: Show | None = None,
    folder: MatchFolder | None = None,
    trial: Trial | None = None,
) -> Result:
    """Play a match; `watch` is called whenever a pair of games has ended, `show` (in one process) for every move.

    It ends when the trial, if there is one, is decided; games that it has not counted are left out.  Interrupted by
    the keyboard, it returns the games that have ended, and says so.
    """
    result = Result(plan)
    try:
        for _, records in play_pairs([plan], jobs, folder, show):
            result.records.extend(records)
            decided = trial is not None and trial.add(records)
            watch(result)
            if decided:
                break
    except KeyboardInterrupt:
        if not result.records:
            raise
        result.interrupted = True
    result.records.sort(key=lambda record: record.number)
    if trial and trial.accepted:
        result.records = result.records[: trial.games]
    return result
