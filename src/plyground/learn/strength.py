"""How strong a net is: mistakes where the truth is known, and Elo against searches by roll-outs.

What was measured is kept beside the net, in `strength.json`, which tells by a digest of the net's files and game which
net it is of.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__, agents, atomic, games, sealed
from ..arena.match import play_pairs
from ..arena.openings import Balance, draw_balanced
from ..arena.parallel import Jobs
from ..arena.results import Plan, Result
from ..arena.statistics import Tally, elo
from ..nets import trained
from ..nets.card import Card
from ..nets.files import read as read_file
from ..nets.files import read_card
from ..rules import must_be_for_two
from ..spec import InputError
from . import measure
from .opponents import must_be_patient, thoughts
from .run import command_line

STRENGTH = "strength.json"
OPPONENTS = tuple(f"uct(sims={sims})" for sims in (1_000, 10_000, 100_000))
SIMS = 100  # of the net's search
GAMES = 40  # against each opponent
OPENING = 2  # plies that are drawn before a game
SOLVING = 120.0  # seconds in which positions are solved, where a game has too many to solve all of them
ALONE = 0  # simulations of a net without a search

Watch = Callable[[str, int, int], None]  # what is being measured, how much of it is done, and of how much


@dataclass(frozen=True)
class Mistakes:
    """In how many positions whose truth is known the move of a net loses value."""

    sims: int  # simulations of its search; 0: the net alone
    positions: int
    mistakes: int
    complete: bool  # all positions of the game in which somebody moves; else a sample
    seed: int = 0
    command: str = ""
    date: str = ""
    version: str = __version__

    def __post_init__(self) -> None:
        if not (self.sims >= 0 and 0 <= self.mistakes <= self.positions and self.positions > 0):
            raise ValueError

    @property
    def share(self) -> float:
        return self.mistakes / self.positions

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval for positions like those of the sample (Wilson's); None where all were looked at."""
        return None if self.complete else Tally(self.mistakes, 0, self.positions - self.mistakes).interval()

    def to_json(self) -> dict[str, Any]:
        """With what follows of it, as JSON can hold it."""
        return asdict(self) | {"share": self.share, "interval": self.interval}


@dataclass(frozen=True)
class Contest:
    """Games of a net, with its search, against an opponent, seats changed."""

    sims: int
    opponent: str
    wins: int
    draws: int
    losses: int
    low: float  # 95 % interval of the score
    high: float
    opening: int  # plies that were drawn before each pair of games
    balanced: bool  # drawn until a search called them balanced
    seed: int = 0
    command: str = ""
    date: str = ""
    version: str = __version__

    def __post_init__(self) -> None:
        counted = min(self.sims, self.wins, self.draws, self.losses, self.opening) >= 0 and self.tally.games
        if not counted or not 0 <= self.low <= self.tally.score <= self.high <= 1:
            raise ValueError

    @property
    def tally(self) -> Tally:
        return Tally(self.wins, self.draws, self.losses)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference of ratings, and its 95 % interval; infinite where all games were won, or lost."""
        return elo(self.tally.score), elo(self.low), elo(self.high)

    def to_json(self) -> dict[str, Any]:
        """With what follows of it, as JSON can hold it: None for what is infinite."""
        now, low, high = (value if math.isfinite(value) else None for value in self.elo)
        return asdict(self) | {"score": self.tally.score, "elo": now, "elo_interval": [low, high]}


@dataclass(frozen=True)
class Strength:
    """What has been measured of a net."""

    net: str  # its `net_digest`
    mistakes: tuple[Mistakes, ...] = ()
    contests: tuple[Contest, ...] = ()
    stale: bool = field(default=False, compare=False)  # something was measured, but of another net in this folder

    def with_mistakes(self, found: Mistakes) -> Strength:
        """What is measured anew takes the place of what was."""
        others = [one for one in self.mistakes if one.sims != found.sims]
        return replace(self, mistakes=tuple(sorted([*others, found], key=lambda one: one.sims)))

    def with_contest(self, found: Contest, count: int = 0) -> Strength:
        """The same, but a match that ended before `count` games, in want of time, leaves one that has more."""
        same = [one for one in self.contests if (one.sims, one.opponent) == (found.sims, found.opponent)]
        if any(count > found.tally.games < one.tally.games for one in same):
            return self
        return replace(self, contests=(*(one for one in self.contests if one not in same), found))


def net_digest(card: Card) -> str:
    """By which a net that was measured is known: of its files and of its game, not of the words about it."""
    return sealed.digest_of({"game": card.game, "files": card.files})


def read(folder: Path) -> Strength:
    """What is known of the net in a folder; InputError if one of the net's files, or the record, is damaged."""
    path, card = folder / STRENGTH, read_card(folder)
    net = net_digest(card)
    for name in card.files:
        read_file(folder, name)
    if not path.exists():
        return Strength(net)
    try:
        told = sealed.read(path, "the strength of a net")
        mistakes = tuple(Mistakes(**_checked(Mistakes, one)) for one in told["mistakes"])
        contests = tuple(Contest(**_checked(Contest, one)) for one in told["contests"])
        known = Strength(told["net"], mistakes, contests)
    except InputError as error:
        raise InputError(f"{error}; delete it, and measure anew") from None
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path} does not describe the strength of a net; delete it, and measure anew") from None
    # Older versions told the digest of the whole card: where that is still the same, so is the net.
    return replace(known, net=net) if known.net in (net, card.digest) else Strength(net, stale=True)


def _checked(kind: Any, told: dict[str, Any]) -> dict[str, Any]:
    """The values of a record, of the types that it has; TypeError for others."""
    kinds = {"int": int, "float": float, "str": str, "bool": bool}
    for name, value in told.items():
        if type(value) is not kinds[kind.__dataclass_fields__[name].type]:
            raise TypeError
    return told


def write(folder: Path, known: Strength) -> None:
    """Keep what is known beside the net."""
    told = {
        "net": known.net,
        "mistakes": [asdict(one) for one in known.mistakes],
        "contests": [asdict(one) for one in known.contests],
    }
    try:
        atomic.write(folder / STRENGTH, sealed.text(json.loads(json.dumps(told)), indent=1))
    except OSError as error:
        raise InputError(f"{folder / STRENGTH} cannot be written: {error.strerror}") from None


# --- measuring ----------------------------------------------------------------------------------------


def measured(
    net: str,
    opponents: tuple[str, ...] = OPPONENTS,
    sims: int = SIMS,
    count: int = GAMES,
    seconds: float | None = None,
    seed: int = 0,
    jobs: Jobs = 1,
    watch: Watch = lambda what, done, of: None,
    mistakes: bool = True,
) -> Strength:
    """Measure a net, and keep what is found beside it, one thing after the other.

    count: games against each opponent; 0: mistakes alone are measured.
    mistakes: whether they are; else those that are known stay.
    seconds: of a match, after which no further pair of games begins; one that is known stays if it has more games.
    """
    folder = trained.find(net)
    card, known = read_card(folder), read(folder)
    game = games.make(card.game)
    must_be_for_two(game, "the strength of a net")
    for opponent in opponents:  # what makes no sense, or cannot be written, is told before anything is measured
        must_be_patient(opponent)
        with closing(agents.make(opponent)) as agent:
            agent.must_play(game)
    write(folder, known)
    searches = card.output == "policy-value"
    players = [spec_of(net, ALONE), *([spec_of(net, sims)] if searches else [])]
    truth = None
    if mistakes:
        watch("solved positions", 0, 1)
        truth = measure.positions(game, card.game, seconds=SOLVING)
    for player, number in zip(players, (ALONE, sims), strict=False):
        if truth is not None:
            known = known.with_mistakes(mistakes_of(game, truth, player, number, seed, watch))
            write(folder, known)
    for opponent in opponents if count else ():
        found = contest_of(card, players[-1], sims if searches else ALONE, opponent, count, seconds, seed, jobs, watch)
        known = known.with_contest(found, count)
        write(folder, known)
    return known


def spec_of(net: str, sims: int) -> str:
    """The agent that plays a net, alone or with a search."""
    return f"alphazero({json.dumps(net)}, sims={sims})" if sims else f"net({json.dumps(str(trained.find(net)))})"


def mistakes_of(game: Any, truth: measure.Positions, player: str, sims: int, seed: int, watch: Watch) -> Mistakes:
    """Ask a player in every position whose truth is known."""
    rng, of = np.random.default_rng(seed), len(truth.states)
    agent, wrong = agents.make(player, seed), 0
    try:
        for begin in range(0, of, 64):
            part = slice(begin, begin + 64)
            chosen = thoughts(agent, game, truth.states[part], rng)
            wrong += int((~truth.best[part][np.arange(len(chosen)), chosen]).sum())
            watch(f"mistakes, {sims} simulations", min(begin + 64, of), of)
    finally:
        agent.close()
    return Mistakes(sims, of, wrong, truth.complete, seed, command_line(), _today())


def contest_of(
    card: Card,
    player: str,
    sims: int,
    opponent: str,
    count: int,
    seconds: float | None,
    seed: int,
    jobs: Jobs,
    watch: Watch,
) -> Contest:
    """Play pairs of games from balanced openings, or from random ones where hardly any is balanced."""
    plan = Plan(card.game, (player, opponent), count, seed, OPENING)
    with suppress(InputError):  # none was found
        plan = replace(plan, book=tuple(draw_balanced(card.game, plan.pairs, OPENING, seed, Balance(), jobs)))
    result, begun = Result(plan), time.monotonic()
    watch(f"against {opponent}", 0, count)
    pairs: Any = play_pairs([plan], jobs)
    with closing(pairs):
        for _, records in pairs:
            result.records.extend(records)
            watch(f"against {opponent}", len(result.records), count)
            if seconds is not None and time.monotonic() - begun >= seconds:
                break
    tally, (low, high) = result.tally(), result.interval()
    counts = tally.wins, tally.draws, tally.losses
    return Contest(sims, opponent, *counts, low, high, OPENING, bool(plan.book), seed, command_line(), _today())


def _today() -> str:
    return time.strftime("%Y-%m-%d")
