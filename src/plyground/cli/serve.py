"""The command serve: the page."""

from __future__ import annotations

import errno
import logging
import os
import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import ExitStack
from typing import Annotated

import typer

from ..spec import InputError
from .base import app, examples, made
from .warmup import Bar

ADDRESS = "127.0.0.1"  # this machine only
LOCAL = (ADDRESS, "localhost")
EVERYWHERE = ("0.0.0.0", "::")  # all addresses of this machine
ENDING = 5.0  # seconds that requests and searches have to come to their end when the server has ended
SWITCH = 0.0005  # seconds after which a search in Python lets the page be answered, a tenth of Python's own
WARNING = (
    "plyground: everybody who has this link can use this machine's time and memory, within bounds, and sees its runs; "
    "nothing is encrypted: use it only in a network that you trust"
)


@app.command(
    epilog=examples(
        "plyground serve --open",
        "plyground serve --port 0",
        "plyground serve --host 0.0.0.0",
        "plyground serve path/to/file.py:Game path/to/file.py:Agent",
        'plyground serve --external "wine=/opt/wine/pbrain-wine"',
    )
)
def serve(
    context: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(help="your own games, agents and scorings, path/to/file.py:Name", metavar="[FILES]..."),
    ] = None,
    port: Annotated[int, typer.Option(help="where the page is; 0 takes any that is free", min=0, max=65535)] = 8000,
    runs: Annotated[str, typer.Option(help="the folder of runs, with the reports of studies")] = "runs",
    external: Annotated[
        list[str] | None,
        typer.Option(
            help='a program to play against (Gomocup, UCI, GTP): "name=command"; may be repeated',
            metavar="NAME=COMMAND",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="the address to listen at; any but 127.0.0.1 is for others, too, who need the link with its token: "
            "0.0.0.0 takes all addresses of this machine"
        ),
    ] = ADDRESS,
    token: Annotated[
        str, typer.Option(help="with --host: the token of the link; a new one if not told", envvar="PLYGROUND_TOKEN")
    ] = "",
    train: Annotated[
        bool | None,
        typer.Option(
            help="let the page start trainings and tournaments; with --host only if it is told", show_default=False
        ),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="show the page in your browser")] = False,
    warmup: Annotated[
        bool, typer.Option(help="compile in the background what the games need, so that no move waits for it")
    ] = True,
) -> None:
    """Start the page, to play, to watch searches, to solve and to let agents play.

    It is for this machine only, unless --host says otherwise.
    """
    try:
        from ..jit.versions import PLAIN
        from ..web.given import sorted_out
        from ..web.server import make_app
        from ..web.serving import server_for
        from ..web.visitors import Access
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("plyground"):
            raise
        raise InputError(f"the page needs more ({error.name} is missing): pip install 'plyground[web]'") from None
    source = context.get_parameter_source("token")
    if host in LOCAL and source and source.name == "COMMANDLINE":
        raise InputError("--token is for a server that others reach: add --host 0.0.0.0")
    given = sorted_out(files or [])
    access = None if host in LOCAL else Access(token or secrets.token_urlsafe(16))
    if access and (given.agents or external):
        raise InputError(
            "with --host, agents from files and external programs are not offered: each search of each visitor would "
            "start a process"
        )
    for game in given.games:
        made(game)
    starts = access is None if train is None else train
    application = make_app(files or [], runs, programs(external or []), access, starts)
    listener = listen(ADDRESS if host in LOCAL else host, port)
    address = link(host, listener.getsockname()[1], access.token if access else "")
    print(f"Plyground is at {address} (Ctrl-C ends it)", flush=True)
    if access:
        print(WARNING, file=sys.stderr, flush=True)
    if open:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    sys.setswitchinterval(SWITCH)
    logging.basicConfig(stream=sys.stderr, format="plyground: %(message)s")
    server = server_for(application)
    try:
        with ExitStack() as shown:  # however it ends, the terminal is left as it was
            application.state.pictures.begin()  # while a browser comes
            shown.callback(application.state.pictures.close)
            if application.state.commands:
                shown.callback(application.state.commands.close)
            if warmup and not PLAIN:
                bar = shown.enter_context(Bar())
                bar.expect(application.state.server.warm_up(bar.show))
            server.run(sockets=[listener])
    except KeyboardInterrupt:
        if not all([threads.end(ENDING) for threads in (server.threads, application.state.server.threads)]):
            sys.stdout.flush()
            os._exit(130)  # some rules do not answer, and Python would wait for them
        raise typer.Exit(130) from None


def programs(given: list[str]) -> dict[str, str]:
    """The commands of external programs by their names; InputError if one cannot be started."""
    from ..child import words_of

    found = {}
    for text in given:
        name, _, command = (part.strip() for part in text.partition("="))
        if not name or not command:
            raise InputError(f"--external is NAME=COMMAND, not {text!r}")
        words_of(command)
        found[name] = command
    return found


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        if os.name == "posix":  # elsewhere it would share a port that somebody listens at
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and host in EVERYWHERE:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)  # those of the older kind, too
        listener.bind(where)
    except (socket.gaierror, UnicodeError):
        raise InputError(f"there is no host {host!r}: --host is an address of this machine, or 0.0.0.0") from None
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise InputError(f"{host} is not an address of this machine: --host 0.0.0.0 takes all of them") from None
        raise InputError(f"port {port} cannot be had ({error.strerror}): choose another with --port") from None
    listener.listen(128)
    return listener


def link(host: str, port: int, token: str) -> str:
    """The address of the page; with the token, where there is one."""
    if host in LOCAL:
        host = ADDRESS
    elif host in EVERYWHERE:
        host = address_for_others(host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/{f'?token={token}' if token else ''}"


def address_for_others(host: str) -> str:
    """The address by which others in the network reach this machine; its name, if it has none.

    Who listens at :: is reached by an IPv4 address, too, which is easier to type.
    """
    found = own_address(socket.AF_INET, "192.0.2.1")
    if not found and ":" in host:
        found = own_address(socket.AF_INET6, "2001:db8::1")
    return found or socket.gethostname()


def own_address(family: socket.AddressFamily, example: str) -> str:
    """The address from which this machine would send to one that exists in examples only; "" if it cannot."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((example, 9))  # nothing is sent
            return str(probe.getsockname()[0])
    except OSError:
        return ""
