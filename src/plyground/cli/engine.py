"""The command engine: one subcommand a protocol that a family of games speaks with other programs."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ..manifest import imported, registered
from ..spec import look_up
from .base import app, examples


class Protocols(TyperGroup):
    """The subcommands: nothing of a protocol is imported before it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(registered("engines"))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        known = registered("engines")
        run = imported(known[look_up("protocol", cmd_name, known)])
        one = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        one.command(cmd_name, epilog=examples(*run.examples))(run)
        return get_command(one)


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
