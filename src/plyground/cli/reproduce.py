"""The command reproduce: a study, run again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..cluster import described, workers
from ..cluster.versions import TRAINING
from ..spec import InputError
from .arena import Actors, DryRun, Jobs, Ray, Resource
from .base import Json, app, examples
from .show import emit


@app.command(
    epilog=examples(
        "plyground reproduce --list", "plyground reproduce uct-minimax", "plyground reproduce line-taking --quick"
    )
)
def reproduce(
    study: Annotated[str, typer.Argument(help="the study; --list names them", metavar="STUDY")] = "",
    list_: Annotated[bool, typer.Option("--list", help="name the studies")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="fewer games and simulations: under two minutes")] = False,
    out: Annotated[str, typer.Option(help="folder for page and figures; runs/studies/STUDY if none is given")] = "",
    fresh: Annotated[bool, typer.Option("--fresh", help="compute everything anew")] = False,
    part: Annotated[str, typer.Option(help="compute this figure alone, anew, and print it")] = "",
    jobs: Jobs = 0,
    ray: Ray = "",
    actors: Actors = 0,
    resource: Resource = "",
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Run a study again, with its own settings and with our best, and write a page about it.

    Interrupted, it keeps the figures that are there; the same command goes on.
    """
    from .. import studies

    if list_:
        titles = {name: studies.study(name).TITLE for name in studies.REGISTRY}
        if json:
            emit({"studies": [{"name": name, "title": title} for name, title in titles.items()]})
        else:
            print("\n".join(f"{name:<16} {title}" for name, title in titles.items()))
        return
    if not study:
        raise InputError(f"name a study: {', '.join(studies.REGISTRY)}")
    module = studies.study(study)
    from ..progress import progress
    from ..spec import look_up
    from ..studies import plot
    from ..studies.lab import FIGURES, Lab
    from ..studies.page import write

    parts = module.parts(quick)
    if part:
        if ray:
            raise InputError("--part computes one figure, here: leave out --ray")
        value, seconds = parts[look_up("part", part, parts)].compute()
        emit({"study": study, "part": part, "value": value, "seconds": seconds})
        return
    plot.must_have()
    folder = Path(out or f"runs/studies/{study}{'-quick' if quick else ''}")
    if fresh and not dry_run:
        (folder / FIGURES).unlink(missing_ok=True)
    lab = Lab(study, parts, folder, quick)
    if dry_run:
        with workers(jobs, ray, actors, resource, libraries=TRAINING) as those:
            return print(described(those, lab.planned([*parts] if fresh else lab.missing)))
    if lab.found:
        note = f"{len(lab.found)} of {len(parts)} figures are kept from an earlier run; --fresh computes them anew"
        print(f"plyground: {note}", file=sys.stderr)
    try:
        with workers(jobs, ray, actors, resource, libraries=TRAINING) as those, progress() as bar:
            task = bar.add_task(study, total=len(parts))
            lab.run(those, lambda name: bar.update(task, advance=1, description=name[:40]))
    except KeyboardInterrupt:
        kept = f"{len(lab.found)} of {len(parts)} figures are kept in {folder}"
        print(f"plyground: interrupted; {kept}, and the same command goes on", file=sys.stderr)
        raise typer.Exit(130) from None
    page = write(lab, module, folder)
    if json:
        emit({**lab.summary(), "page": str(page)})
    else:
        print(f"{page}\n{page.parent / 'figures.json'}")
