"""The loop that every learner is trained by: figures, measurements, checkpoints, and at last the net."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import games
from ..manifest import warn
from ..nets import files
from ..spec import InputError
from ..user_files import digests, must_be_unchanged
from . import learner as learner_of
from . import registry
from .base import Learner, Stopped, chosen, usual_for
from .curve import draw
from .run import Run, as_json, command_line, must_be_free

TAKEN = 20  # how many times longer than taking a learner down a round lasts that may be left midway
SAVE_EVERY = 30.0  # seconds, at the least, between two times that the net is written, to be played with

Watch = Callable[[Learner, dict[str, Any]], None]


def must_have() -> None:
    """InputError unless what training needs is installed."""
    for name, needs in {"torch": "PyTorch", "safetensors": "safetensors", "onnx": "onnx", "tensorboard": "it"}.items():
        if not find_spec(name):
            raise InputError(f"training needs {needs}: pip install 'plyground[train]'")


def begin(folder: Path, algorithm: str, game: str, given: dict[str, Any], preset: str = "", seed: int = 0) -> Run:
    """A new run in a folder.  Whatever makes no sense is an InputError, before anything is written."""
    must_be_free(folder)
    with closing(prepared(algorithm, game, given, preset, seed)) as made:
        options = made.options
    return Run.create(folder, algorithm, game, asdict(options), seed, command_line())


def prepared(algorithm: str, game: str, given: dict[str, Any], preset: str = "", seed: int = 0) -> Learner:
    """A learner that has not learnt anything; InputError for whatever makes no sense."""
    must_have()
    kind = learner_of(algorithm)
    made = games.make(game, seed)
    must_suit(kind, algorithm, made)
    return kind(made, game, chosen(kind, given, preset, usual_for(algorithm, made)), seed)


def go_on(folder: Path, algorithm: str, game: str, given: dict[str, Any]) -> Run:
    """The run to go on with; InputError if it is not of this algorithm and game.

    given: what it is told now, which can only be where it goes on.
    """
    run = Run.open(folder)
    for word, asked in (("algorithm", algorithm), ("game", game)):
        if run.config[word] != asked:
            raise InputError(f"{folder} is a run of {run.config['algorithm']} for {run.config['game']}, not of {asked}")
    must_be_unchanged(run.config.get("files"), digests(algorithm, game), folder)
    taken: Any = learner_of(algorithm).options_type
    for word in given:
        if word not in taken.where:
            raise InputError(f"a run goes on with its own options: leave out --{word.replace('_', '-')}")
    run.config["options"] |= given
    return run


def must_suit(kind: type[Learner], algorithm: str, game: Any) -> None:
    """InputError unless this is a game for the learner; it names those that fit."""
    try:
        kind.must_suit(game)
    except InputError:
        fit = [name for name in registry() if suits(learner_of(name), game)]
        others = f"learners for this game are {', '.join(fit)}" if fit else "no learner fits this game"
        raise InputError(f"{algorithm} learns {kind.learns}; {others}") from None


def suits(kind: type[Learner], game: Any) -> bool:
    """Does this learner fit the game?"""
    try:
        kind.must_suit(game)
    except InputError:
        return False
    return True


def train(
    run: Run,
    watch: Watch = lambda learner, figures: None,
    enough: Callable[[], bool] = lambda: False,
    asked: Callable[[], bool] = lambda: False,
) -> Learner:
    """Train from the newest checkpoint of a run, or from its start, to the end, or until it is to stop.

    `watch` is told the learner and its latest figures; at first there are none.  Interrupted, by whatever, it can be
    called again.  `asked` says that somebody wants it to stop, `enough` that its time is over: both leave a round
    midway where the learner can be left there, `enough` only when this call has done something that is kept, so that
    one such call after another comes to the end.
    """
    must_have()
    with run.in_training():
        return _train(run, watch, enough, asked)


def _train(run: Run, watch: Watch, enough: Callable[[], bool], asked: Callable[[], bool]) -> Learner:
    with closing(resumed(run)) as made:
        run.keep_config()
        as_it_is = _train_on(made, run, watch, enough, asked)
        if as_it_is:
            save_net(run, made)
    if not as_it_is:
        with closing(resumed(run)) as made:
            save_net(run, made)
    draw(run.folder / "curve.svg", run.metrics(), made)
    return made


def _train_on(made: Learner, run: Run, watch: Watch, enough: Callable[[], bool], asked: Callable[[], bool]) -> bool:
    """Train, and keep everything; False if a round was left that is begun again, so that the learner is of no use.

    A measurement that is left is *owed*: the figures of its round are told, and told again with it when training goes
    on, so that nothing is missing in the end.
    """
    if made.done >= made.steps and made.owed is None:
        warn(f"{run.folder} has ended: all {made.steps:,} {made.unit} are done, and nothing is left to train")
    every, before_round = made.options, _BeforeRound(made)
    begun = time.perf_counter() - made.seconds
    saved = time.perf_counter()
    rounds, stopped, can_leave, measuring = 0, False, False, False
    made.is_enough = lambda: can_leave and (asked() or ((rounds > 0 or (made.gains and not measuring)) and enough()))
    watch(made, {})
    while (made.done < made.steps or made.owed) and not stopped:
        if made.owed is None:
            before, measuring = made.done, False
            can_leave = made.keeps_halves or before_round.take()
            try:
                figures: dict[str, Any] = made.advance()
            except Stopped:
                made.seconds = time.perf_counter() - begun
                made.leave()
                kept = (made.arrays(), made.notes()) if made.keeps_halves else before_round.taken
                if kept is not None:
                    run.save(before, kept[0], kept[1] | {"seconds": made.seconds})
                return made.keeps_halves
            rounds, due, games = rounds + 1, _passed(before, made.done, every.measure_every), made.samples()
        else:
            before, figures, games = (made.owed[word] for word in ("before", "figures", "games"))
            due, made.owed = True, None
        made.seconds = time.perf_counter() - begun
        ended = made.done >= made.steps
        stopped = not ended and (asked() or enough())
        if due or ended:
            can_leave = measuring = True
            try:
                made.now = "measuring"
                made.may_stop()
                figures = figures | made.measure()
            except Stopped:
                stopped, made.owed = True, {"before": before, "figures": as_json(figures), "games": games}
                made.leave()
                run.save(made.done, made.arrays(), made.notes() | {"seconds": made.seconds, "owed": made.owed})
            made.now = ""
        run.log(made.done, figures | {"seconds": round(made.seconds, 3)})
        run.keep_games(made.done, games)
        watch(made, figures)
        if made.owed is None and (ended or stopped or _passed(before, made.done, every.checkpoint_every)):
            if stopped:
                made.leave()
            run.save(made.done, made.arrays(), made.notes() | {"seconds": made.seconds})
            if time.perf_counter() - saved > SAVE_EVERY:
                save_net(run, made)
                saved = time.perf_counter()
    return True


class _BeforeRound:
    """A learner as it was before the round under way, where to take that down costs next to nothing."""

    def __init__(self, made: Learner) -> None:
        self._made, self._cost, self._since = made, 0.0, -math.inf
        self.taken: tuple[dict[str, Any], dict[str, Any]] | None = None  # None before the first step of all

    def take(self) -> bool:
        """Take it down, unless that takes long beside the time of a round; was it?"""
        if self._made.done == 0:
            return True
        begun = time.perf_counter()
        cheap = TAKEN * self._cost <= begun - self._since
        if cheap:
            arrays = {name: array.copy() for name, array in self._made.arrays().items()}
            self.taken = arrays, deepcopy(self._made.notes())
            self._cost = time.perf_counter() - begun
        self._since = time.perf_counter()
        return cheap


def save_net(run: Run, made: Learner) -> None:
    """Write the net as it is now, and what belongs to it, into the folder of the run."""
    net, card = made.net()
    files.save(run.folder, net, replace(card, command=run.config.get("command", "")))
    made.keep_parts(run.folder)


def resumed(run: Run) -> Learner:
    """The learner of a run, as it was at its newest checkpoint."""
    game, seed = run.config["game"], run.config["seed"]
    kind = learner_of(run.config["algorithm"])
    made = kind(games.make(game, seed), game, chosen(kind, run.config["options"]), seed)
    found = run.latest()
    if found is None:
        run.cut(-1)
        return made
    step, arrays, notes = found
    try:
        made.restore(arrays, notes)
        made.seconds, made.owed = float(notes["seconds"]), notes.get("owed")
    except (KeyError, TypeError, ValueError):
        raise InputError(f"checkpoint {step} of {run.folder} is not one of this learner and these options") from None
    run.cut(step, made.owed is not None)
    return made


def _passed(before: int, now: int, every: int) -> bool:
    """Has a multiple of `every` been reached meanwhile?"""
    return bool(every) and now // every > before // every
