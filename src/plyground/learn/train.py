"""The loop that every learner is trained by: figures, measurements, checkpoints, and at last the net."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
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
from .base import Learner, chosen, usual_for
from .curve import draw
from .run import Run, command_line, must_be_free

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


def go_on(folder: Path, algorithm: str, game: str, given: list[str]) -> Run:
    """The run to go on with; InputError if it is not of this algorithm and game."""
    run = Run.open(folder)
    for word, asked in (("algorithm", algorithm), ("game", game)):
        if run.config[word] != asked:
            raise InputError(f"{folder} is a run of {run.config['algorithm']} for {run.config['game']}, not of {asked}")
    must_be_unchanged(run.config.get("files"), digests(algorithm, game), folder)
    if given:
        raise InputError(f"a run goes on with its own options: leave out --{given[0].replace('_', '-')}")
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
    run: Run, watch: Watch = lambda learner, figures: None, enough: Callable[[], bool] = lambda: False
) -> Learner:
    """Train from the newest checkpoint of a run, or from its start, to the end, or until `enough` says so.

    `watch` is told the learner and its latest figures.  Interrupted, by whatever, it can be called again.
    """
    must_have()
    with run.in_training():
        return _train(run, watch, enough)


def _train(run: Run, watch: Watch, enough: Callable[[], bool]) -> Learner:
    with closing(resumed(run)) as made:
        return _train_on(made, run, watch, enough)


def _train_on(made: Learner, run: Run, watch: Watch, enough: Callable[[], bool]) -> Learner:
    if made.done >= made.steps:
        warn(f"{run.folder} has ended: all {made.steps:,} {made.unit} are done, and nothing is left to train")
    every = made.options
    begun = time.perf_counter() - made.seconds
    saved = time.perf_counter()
    stopped = False
    while made.done < made.steps and not stopped:
        before = made.done
        figures: dict[str, Any] = made.advance()
        made.seconds = time.perf_counter() - begun
        ended = made.done >= made.steps
        stopped = not ended and enough()
        if ended or _passed(before, made.done, every.measure_every):
            figures |= made.measure()
        run.log(made.done, figures | {"seconds": round(made.seconds, 3)})
        run.keep_games(made.done, made.samples())
        watch(made, figures)
        if ended or stopped or _passed(before, made.done, every.checkpoint_every):
            run.save(made.done, made.arrays(), made.notes() | {"seconds": made.seconds})
            if time.perf_counter() - saved > SAVE_EVERY:
                save_net(run, made)
                saved = time.perf_counter()
    save_net(run, made)
    draw(run.folder / "curve.svg", run.metrics(), made)
    return made


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
        made.seconds = float(notes["seconds"])
    except (KeyError, TypeError, ValueError):
        raise InputError(f"checkpoint {step} of {run.folder} is not one of this learner and these options") from None
    run.cut(step)
    return made


def _passed(before: int, now: int, every: int) -> bool:
    """Has a multiple of `every` been reached meanwhile?"""
    return bool(every) and now // every > before // every
