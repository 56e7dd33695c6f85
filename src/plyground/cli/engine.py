"""The command engine: one subcommand a protocol that a family of games speaks with other programs."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ..manifest import load, loaded, registered
from ..spec import look_up
from .base import app, examples


class Protocols(TyperGroup):
    """The subcommands: nothing of a protocol is imported before it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(loaded(registered("engines"), protocol))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        run = protocol(cmd_name)
        one = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        one.command(cmd_name, epilog=examples(*getattr(run, "examples", ())))(run)
        return get_command(one)


def protocol(name: str) -> Any:
    """The command that serves a protocol."""
    known = registered("engines")
    return load("protocol", name, known[look_up("protocol", name, known)])


engine = typer.Typer(cls=Protocols, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(
    engine,
    name="engine",
    short_help="Be an engine for other programs.",
    epilog=examples("plyground engine gomocup --help"),
)


@engine.callback()
def protocols() -> None:
    """Be an engine for other programs, by a protocol on standard input and output."""
