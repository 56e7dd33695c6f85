"""Sweeps over the options of a learner, and how strong nets are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cluster import workers
from ..cluster.versions import TRAINING
from ..progress import progress, sweep_progress, training_progress
from ..spec import InputError
from .given import GameLike, Named, as_arguments, spec_of, whole

if TYPE_CHECKING:
    from ..arena.parallel import Jobs
    from ..learn.sweep import Sweep
    from ..report.strength import StrengthReport
    from ..report.sweep import SweepReport


def sweep(
    algorithm: str,
    game: GameLike,
    vary: Mapping[str, Sequence[Any]],
    *,
    out: str | Path,
    seeds: int = 3,
    seed: int = 0,
    preset: str = "",
    figure: str = "",
    jobs: int = 1,
    ray: str = "",
    resume: bool = False,
    **options: Any,
) -> SweepReport:
    """Train by an algorithm with every combination of these values of its options, and so many seeds of each.

    Every run has a folder in `out`, beside sweep.svg; `resume` goes on with the sweep there, with more seeds if told.
    `jobs` runs train at once, each in a process; with `ray`, the address of a Ray cluster (HOST:PORT, "auto" or
    "local") whose machines share the folder, one on each of its cores.  `figure` is what is compared; the first of the
    learning curve unless told.

        found = pg.sweep("dqn", "tictactoe", {"lr": [0.001, 0.003]}, seeds=6, out="runs/sweep", games=2000)
        found.plot()
    """
    from ..learn import learner as learner_of
    from ..learn.sweep import Sweep, read_vary

    spec = spec_of(game, whole("seed", seed))
    if isinstance(spec, Named):
        raise InputError(f"training keeps its game by its spec: save {spec} in a file, and name it file.py:Class")
    if not (isinstance(vary, Mapping) and all(isinstance(values, list | tuple) for values in vary.values())):
        raise InputError('vary is a dictionary of lists, like {"lr": [0.001, 0.003]}')
    texts = [f"{option}={'|'.join(map(str, values))}|" for option, values in vary.items()]
    wanted = Sweep(
        algorithm, spec, read_vary(learner_of(algorithm), texts), whole("seeds", seeds), seed, options, preset
    )
    wanted.must_make_sense()
    jobs = 0 if ray and jobs == 1 else jobs  # 1 unless told
    with as_arguments(), workers(jobs, ray, specs=wanted.specs, libraries=TRAINING) as those:
        return run_to_the_end(wanted, Path(out), resume, those, figure)


def run_to_the_end(wanted: Sweep, folder: Path, resume: bool, jobs: Jobs, figure: str = "") -> SweepReport:
    """Train all runs of a sweep that have not ended, with a bar, and draw sweep.svg where matplotlib is installed."""
    from ..learn.sweep import SweepFolder, run_sweep, steps_of
    from ..report.sweep import SweepReport

    kept = SweepFolder.resume(folder, wanted.plan()) if resume else SweepFolder.create(folder, wanted.plan())
    runs = len(wanted.tasks)

    def watching(run: str) -> Any:
        return training_progress(wanted.algorithm, f"{len(kept.ended) + 1}/{runs} {run}")

    with kept:
        several = jobs != 1 and runs - len(kept.ended) > 1
        with sweep_progress(runs, lambda: steps_of(wanted, kept)) if several else nullcontext() as ended:
            for done, _ in enumerate(run_sweep(wanted, kept, jobs, watching), 1):
                if ended:
                    ended(done)
    report = SweepReport(wanted, folder, kept.ended, figure)
    if find_spec("matplotlib") and report.figure:
        report.save(folder / "sweep.svg")
    return report


def strength(
    *nets: str,
    measure: bool = False,
    against: str | Sequence[str] = (),
    sims: int = 100,
    games: int = 40,
    mistakes: bool = True,
    seconds: float | None = None,
    jobs: int = 0,
    seed: int = 0,
) -> StrengthReport:
    """How strong nets are, as it was measured: those of these names or folders, or all that came with the program.

    With `measure` they are measured now, which is kept beside them: mistakes where the truth is known, and so many
    games against each opponent; `mistakes=False` leaves the former as they are, `games=0` the latter.

    >>> strength("hex-7").rows()[0]["game"]
    'hex(7)'

        pg.strength("runs/new", measure=True, against=["uct(sims=1000)"])
    """
    from ..learn import strength as strengths
    from ..nets import trained
    from ..nets.files import read_card
    from ..report.strength import StrengthReport

    if measure and not nets:
        raise InputError("measure=True needs nets: name them, or give their folders")
    if not measure and against:
        raise InputError("`against` names opponents to be met now: add measure=True")
    if not (games or mistakes):
        raise InputError("nothing is to be measured: neither games nor mistakes")
    rivals = (against,) if isinstance(against, str) else tuple(against)
    folders = {name: trained.find(name) for name in map(str, nets or trained.names())}
    for name in folders if measure else ():
        with workers(jobs) as those, progress() as bar:
            task = bar.add_task(name, total=1)

            def watch(what: str, done: int, of: int, bar: Any = bar, task: Any = task, name: str = name) -> None:
                bar.update(task, description=f"{name}: {what}", completed=done, total=of)

            met = rivals or strengths.OPPONENTS
            strengths.measured(name, met, sims, games, seconds, seed, those, watch, mistakes)
    return StrengthReport([(name, read_card(folder), strengths.read(folder)) for name, folder in folders.items()])
