"""The command serve: the page."""

from __future__ import annotations

import logging
import socket
import sys
import threading
import webbrowser
from typing import Annotated

import typer

from ..spec import InputError
from .base import app, examples, made

ADDRESS = "127.0.0.1"  # this machine only


@app.command(
    epilog=examples(
        "plyground serve --open",
        "plyground serve --port 0",
        "plyground serve path/to/file.py:Game path/to/file.py:Agent",
        'plyground serve --external "wine=/opt/wine/pbrain-wine"',
    )
)
def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="your own games, agents and scorings, path/to/file.py:Name", metavar="[FILES]..."),
    ] = None,
    port: Annotated[int, typer.Option(help="where the page is; 0 takes any that is free", min=0, max=65535)] = 8000,
    runs: Annotated[str, typer.Option(help="the folder of runs, with the reports of studies")] = "runs",
    external: Annotated[
        list[str] | None,
        typer.Option(help='a Gomocup program to play against: "name=command"; may be repeated', metavar="NAME=COMMAND"),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="show the page in your browser")] = False,
    warmup: Annotated[
        bool, typer.Option(help="compile in the background what the games need, so that no move waits for it")
    ] = True,
) -> None:
    """Start the page, for this machine only, to play, to watch searches, to solve and to let agents play."""
    try:
        import uvicorn

        from ..jit.versions import PLAIN
        from ..web.given import sorted_out
        from ..web.server import make_app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("plyground"):
            raise
        raise InputError(f"the page needs more ({error.name} is missing): pip install 'plyground[web]'") from None
    for game in sorted_out(files or []).games:
        made(game)
    application = make_app(files or [], runs, programs(external or []))
    listener = listen(port)
    address = f"http://{ADDRESS}:{listener.getsockname()[1]}/"
    print(f"Plyground is at {address} (Ctrl-C ends it)", flush=True)
    if warmup and not PLAIN:
        application.state.server.warm_up()
    if open:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    logging.basicConfig(stream=sys.stderr, format="plyground: %(message)s")
    config = uvicorn.Config(
        application,
        log_level="error",
        access_log=False,
        ws_max_size=64 * 1024,
        ws_per_message_deflate=False,  # the page is on this machine
        timeout_graceful_shutdown=3,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def programs(given: list[str]) -> dict[str, str]:
    """The commands of external programs by their names; InputError if one cannot be started."""
    from ..agents.program import words_of

    found = {}
    for text in given:
        name, _, command = (part.strip() for part in text.partition("="))
        if not name or not command:
            raise InputError(f"--external is NAME=COMMAND, not {text!r}")
        words_of(command)
        found[name] = command
    return found


def listen(port: int) -> socket.socket:
    """A socket that listens there."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        raise InputError(f"port {port} cannot be had ({error.strerror}): choose another with --port") from None
    listener.listen(128)
    return listener
