"""Matches: games between two agents, seats balanced, played in parallel processes.

Games come in pairs: both have the same opening (and, where a game is drawn at random, the same draw), and
the agents change seats in between.  Every game has its own seed, made from the match's seed and its
number, so the results do not depend on how many processes play, nor on how many games are played at once: agents
that choose in `many` games at once play them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import agents, games
from ..agents.base import Absent, Agent, Unmade
from ..child import NoProgram
from ..rules import CHANCE, after, must_be_for_two, new, playable
from ..spec import InputError, parse
from .openings import draw, draw_opening, moves
from .parallel import Jobs, at_most, in_parallel, possible
from .playing import Game, play_game
from .results import Plan, Record, Result
from .side_by_side import Table, play_side_by_side

if TYPE_CHECKING:
    from .match_folder import MatchFolder
    from .sprt import Trial

AT_ONCE = 4096  # pairs that are played side by side
UNTIL_DECIDED = 32  # pairs, where a trial may end the match
Show = Callable[[int, str, str, str], None]  # the number of the game, who plays, what, and the position after it


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
    opening, both = _opening(game, plan, pair), players.both(plan)
    records = []
    for number in range(2 * pair, min(2 * pair + 2, plan.games)):
        first, rng = begin_game(plan.seed, number, both, plan.pairing)
        watch = partial(_show, show, plan, game, number) if show else None
        played = play_game(game, (both[first], both[1 - first]), rng, opening, watch=watch)
        records.append(recorded(number, first, played, [game.name(a) for a in played.actions], len(opening)))
    return records


def play_pairs_at_once(players: Players, plan: Plan, pairs: list[int]) -> list[list[Record]]:
    """Play the games of these pairs side by side."""
    game, both = players.game_of(plan.game, plan.seed), players.both(plan)
    tables = {}
    for pair in pairs:
        opening = _opening(game, plan, pair)
        for number in range(2 * pair, min(2 * pair + 2, plan.games)):
            first, chance = begin_game(plan.seed, number, both, plan.pairing)
            tables[number] = Table(first, [getattr(agent, "rng", None) for agent in both], chance, opening)
    played = play_side_by_side(game, both, list(tables.values()))
    records = [
        recorded(number, table.first, one, [game.name(a) for a in one.actions], len(table.opening))
        for (number, table), one in zip(tables.items(), played, strict=True)
    ]
    return [list(of_pair) for _, of_pair in groupby(records, lambda record: record.number // 2)]


def _opening(game: Any, plan: Plan, pair: int) -> list[int]:
    """The moves that both games of a pair begin with."""
    if plan.book:
        return moves(game, plan.book[pair % len(plan.book)])
    return draw_opening(game, plan.opening, np.random.default_rng([plan.seed, pair]))


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
    plays has games and agents of its own.  go_on: as in `play_pairs`; elsewhere: do other machines play, which may have
    programs that this one has not?
    """

    def __init__(self, go_on: bool = False, elsewhere: bool = False) -> None:
        self.go_on, self.elsewhere = go_on, elsewhere
        self._make, self._is_drawn = lru_cache(4)(games.make), lru_cache(4)(games.is_drawn)
        self._agents: dict[_Chair, Agent] = {}
        self._ready: set[tuple[_Chair, str]] = set()  # agents and games

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes its own, and keeps them for all that it plays."""
        return _players_of_this_process, (self.go_on,)

    def game_of(self, text: str, seed: int) -> Any:
        """The game of a spec."""
        return self._make(text, seed if self._is_drawn(text) else None)

    def at_once(self, plan: Plan) -> bool:
        """Are the games of a match played side by side?  They are all of one game, and both agents can."""
        return not self._is_drawn(plan.game) and all(agent.many for agent in self.both(plan, here=False))

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
        except NoProgram as failed:
            if not self.elsewhere:
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
    jobs: Jobs = 1,
    folder: MatchFolder | None = None,
    show: Show | None = None,
    go_on: bool = False,
    at_once: int = AT_ONCE,
) -> Iterator[tuple[int, list[Record]]]:
    """The games of matches of the same game, pair by pair as they end: the number of the match, and the records.

    The matches take turns, so that none is behind whenever this ends.  Pairs that a folder keeps come first; those
    that are played now are added to it.  go_on: an agent whose file fails forfeits its games; else there is no match.
    at_once: most pairs that are played side by side, by agents that can.
    """
    players = Players(go_on, elsewhere=not isinstance(jobs, int))
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
    try:
        together = [number for number, plan in enumerate(plans) if todo and not show and players.at_once(plan)]
        alone = [task for task in todo if task[1] not in together]
        jobs = 1 if show else possible(plans, at_most(jobs, len(alone)))
        if alone:
            for plan in plans:
                players.both(plan, here=jobs == 1)  # compiled once, before there are several processes
        if jobs != 1:
            players.close()
        for task, records in chain(
            _side_by_side(players, plans, [task for task in todo if task[1] in together], at_once),
            in_parallel(partial(_play_task, players, plans, show), alone, jobs),
        ):
            if folder:
                folder.add(task, records)
            yield task[1], records
    finally:
        players.close()


def _side_by_side(
    players: Players, plans: list[Plan], tasks: list[tuple[int, int]], at_once: int
) -> Iterator[tuple[tuple[int, int], list[Record]]]:
    """Each task with its records, so many pairs of a match at once; the matches take turns."""
    for _, some in groupby(tasks, lambda task: task[0] // at_once):
        here = list(some)
        for number in sorted({number for _, number in here}):
            pairs = [pair for pair, one in here if one == number]
            for pair, records in zip(pairs, play_pairs_at_once(players, plans[number], pairs), strict=True):
                yield (pair, number), records


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
    jobs: Jobs = 1,
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
        for _, records in play_pairs([plan], jobs, folder, show, at_once=UNTIL_DECIDED if trial else AT_ONCE):
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
