"""The command line.  Heavy parts are imported by the commands that need them: `--help` stays quick."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import nullcontext, suppress
from typing import Any, TextIO

from ..spec import InputError, nearest
from . import (  # noqa: F401  (they add their commands)
    arena,
    engine,
    laboratory,
    nets,
    play,
    reproduce,
    review,
    score,
    serve,
    solve,
    sweep,
    train,
    trust,
    warmup,
)
from .base import app
from .show import only_json

UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}  # a stream that has no name can take no more


def main() -> None:
    """Run a command; what a person got wrong, or the system refuses, is answered in one line and exit code 2."""
    try:
        must_have_streams()
        with only_json() if "--json" in sys.argv else nullcontext():
            code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = interrupted()
    except BrokenPipeError:
        code = 0
    except Exception as error:
        code = explained(error)
    flush()
    sys.exit(code or 0)


def flush() -> None:
    """Write what was printed; what cannot be written goes nowhere, and is not tried again when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def must_have_streams() -> None:
    """InputError where nobody could read the results.  No file that is opened later takes a stream's place."""
    closed = [stream is None for stream in (sys.stdin, sys.stdout, sys.stderr)]
    sys.stdin, sys.stdout, sys.stderr = (
        open_nowhere(number) if stream is None else stream
        for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr))
    )
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # names of files may hold anything
    if closed[1]:
        raise InputError("standard output is closed")


def open_nowhere(number: int) -> TextIO:
    """A standard stream that was closed, 0, 1 or 2: nothing comes from it, and what is written is lost."""
    os.dup2(os.open(os.devnull, os.O_RDWR), number)
    os.set_inheritable(number, True)
    return os.fdopen(number, "w" if number else "r", closefd=False)


def explained(error: Exception) -> int:
    """One line and an exit code for what a person or a game got wrong; anything else is a bug and is raised."""
    if isinstance(error, InputError):
        return refused(str(error))
    context: Any = getattr(error, "ctx", None)
    if context and hasattr(error, "possibilities"):  # the argument parser's: no such option
        name = str(getattr(error, "option_name", ""))
        known = [word for option in context.command.params for word in option.opts if word.startswith("-")]
        return refused(f"there is no option {name}{nearest(name, known) or ': --help lists them'}")
    if hasattr(error, "format_message"):  # its other errors
        return refused(error.format_message() or "what shall I do?  `plyground --help` lists the commands")
    if isinstance(error, OSError):
        name = "output" if error.filename is None and error.errno in UNWRITABLE else error.filename
        return refused(f"{name}: {error.strerror}" if name is not None else error.strerror or str(error))
    kinds = {kind.__name__ for kind in type(error).__mro__}  # by name: their modules are slow to import
    if "Forfeit" in kinds:
        return refused(f"the agent forfeits: {error}")
    if kinds & {"Interrupted", "Abort", "Quit"}:  # the person has had enough
        return interrupted()
    if isinstance(error, ArithmeticError | LookupError | ValueError | TypeError) and (file := users_file()):
        why = f"{type(error).__name__}: {error}"
        return refused(f"a rule in {file} has failed ({why}); `plyground check {file} --games 5000` looks for the line")
    raise error


def users_file() -> str:
    """The file of a user's own that the command names, if there is one."""
    from ..user_files import is_file, split

    names = [word.partition("(")[0] for word in sys.argv[1:]]
    return next((split(name)[0] for name in names if is_file(name)), "")


def interrupted() -> int:
    """Whatever tells what it has found so far does so before."""
    tell("interrupted, and there is no result yet")
    return 130


def refused(line: str) -> int:
    tell(" ".join(line.split()))
    return 2


def tell(line: str) -> None:
    """A line for the person, if it can be written."""
    with suppress(OSError):
        print("plyground:", line, file=sys.stderr, flush=True)
