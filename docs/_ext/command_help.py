"""The directive `command-help`: what every command of the command line says with --help, one section each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def helps() -> Iterator[tuple[str, str]]:
    """The commands and their help, in the order in which `plyground --help` lists them."""
    from plyground.cli import app

    return helps_of("plyground", typer.main.get_command(app), None)


def helps_of(name: str, command: Any, parent: Any) -> Iterator[tuple[str, str]]:
    """The help of a command and of all commands in it."""
    with command.make_context(name.split()[-1], [], parent=parent, resilient_parsing=True) as asked:
        yield name, command.get_help(asked)
        for inner in command.list_commands(asked) if hasattr(command, "list_commands") else ():
            yield from helps_of(f"{name} {inner}", command.get_command(asked, inner), asked)


class CommandHelp(SphinxDirective):
    """Puts the help of all commands into the page."""

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # the commands may have changed where the page has not
        made: list[nodes.Node] = []
        for name, text in helps():
            section = nodes.section(ids=[nodes.make_id(name)])
            section += nodes.title(text=name)
            section += nodes.literal_block(text, text, language="text")
            made.append(section)
        return made


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
