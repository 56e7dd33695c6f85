"""The command warmup: kernels compiled before they are asked for."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..manifest import NOTHING
from ..progress import progress as progress_bar
from ..spec import InputError
from .base import app, examples

if TYPE_CHECKING:
    from ..warmup import Progress, Task


class Bar:
    """A bar on stderr for tasks of a warm-up, with the time that is left; it goes when all are done."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._bar = self._stack.enter_context(progress_bar())
        self._line: Any = None
        self._tasks: list[Progress] = []

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def expect(self, tasks: list[Progress]) -> list[Progress]:
        """These are the tasks."""
        self._tasks = tasks
        self._line = self._bar.add_task("compiling", total=len(tasks))
        self._go_if_done()  # they may have ended before anybody could show it
        return tasks

    def show(self, one: Progress) -> None:
        """One of them has come further."""
        if self._line is None:
            return
        told = f"{one.task.game}: {one.kernel} {one.share:.0%}" if one.kernel else one.task.game
        self._bar.update(self._line, completed=sum(each.done for each in self._tasks), description=told)
        self._go_if_done()

    def _go_if_done(self) -> None:
        if all(each.ended.is_set() for each in self._tasks):
            self._stack.close()


@app.command(
    epilog=examples(
        "plyground warmup",
        "plyground warmup tictactoe",
        'plyground warmup "gomoku(20)"',
        'plyground warmup connect-four --agent "alphazero(sims=50)"',
        "plyground warmup --into build/kernels",
    )
)
def warmup(
    game: Annotated[
        str, typer.Argument(help="a game like gomoku(20); every game there is, if none is named", metavar="[GAME]")
    ] = "",
    agent: Annotated[
        str, typer.Option(help="an agent like rave; the one that people meet in the game, if none is named")
    ] = "",
    into: Annotated[
        Path | None,
        typer.Option(
            help="a folder for kernels that a wheel brings along, compiled for all processors of this kind; those that "
            "wheels have, if no game is named",
            metavar="FOLDER",
        ),
    ] = None,
) -> None:
    """Compile what the agents of games need, before it is asked for, on all cores; what is there already is left.

    Later moves, on the page, in matches and by the engine, then begin at once.
    """
    from .. import agents, games
    from ..jit.versions import PLAIN
    from ..warmup import Task, beforehand, packed

    if agent and not game:
        raise InputError("--agent needs a game: plyground warmup GAME --agent rave")
    if PLAIN:
        raise InputError("this version of Numba keeps no kernels: each process compiles its own")
    everything = beforehand if into is None else packed
    tasks = [Task(game, agent or agents.usual(games.make(game)))] if game else everything()
    if agent:
        agents.maker(agents.spec.parse(agent)[0]).must_play(games.make(game))
    found = done(tasks) if into is None else pack(tasks, into)
    for one in found:
        compiled = f"{one.kernels} kernel{'s' * (one.kernels != 1)} compiled"
        print(f"{one.task.game}, {one.task.agent}: {one.problem or (compiled if one.kernels else 'ready already')}")
    failed = [one for one in found if one.problem]
    if failed:
        raise InputError(f"{failed[0].task.game}, {failed[0].task.agent}: {failed[0].problem}")


def done(tasks: list[Task], environment: Mapping[str, str] = NOTHING) -> list[Progress]:
    """Do these tasks, in processes with these variables, behind a bar."""
    from ..warmup import WarmUp

    with Bar() as bar:
        work = WarmUp(bar.show, environment)
        found = bar.expect(work.begin(tasks, nice=0))
        try:
            for one in found:
                one.ended.wait()
        finally:
            work.close()
    return found


def pack(tasks: list[Task], into: Path) -> list[Progress]:
    """Do these tasks on an empty cache, for all processors of this kind, and keep the kernels."""
    from ..jit import cache, shipped

    if not (environment := shipped.environment()):
        raise InputError("kernels for all processors of a kind: it is not known here which this one is of")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        found = done(tasks, environment | {"XDG_CACHE_HOME": home})
        kept = shipped.keep(Path(home) / "plyground" / "kernels" / cache.versions(), into)
    print(f"{len(kept)} kernels for {environment['NUMBA_CPU_NAME']} in {kept[0].parent if kept else into}")
    return found
