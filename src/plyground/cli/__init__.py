"""The command line.  Heavy parts are imported by the commands that need them: `--help` stays quick."""

from __future__ import annotations

import errno
import os
import sys

from ..spec import InputError
from . import arena, engine, laboratory, play, reproduce, score, serve, solve, train  # noqa: F401  (they add their commands)
from .base import app


def main() -> None:
    """Run a command; what a person got wrong is answered in one line and exit code 2."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        silence()
        code = 0
    except Exception as error:
        code = explained(error)
        if isinstance(error, OSError):
            silence()
    sys.exit(code or 0)


def silence() -> None:
    """Let what was printed but cannot be written go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def explained(error: Exception) -> int:
    """One line and an exit code for what a person or a game got wrong; anything else is a bug and is raised."""
    if isinstance(error, InputError):
        return refused(str(error))
    if hasattr(error, "format_message"):  # the argument parser's errors
        return refused(error.format_message() or "what shall I do?  `plyground --help` lists the commands")
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return refused(f"{error.filename or 'output'}: {error.strerror}")
    if type(error).__name__ == "Forfeit":
        return refused(f"the agent forfeits: {error}")
    if type(error).__name__ in ("Abort", "Quit"):  # the person has had enough
        return 130
    raise error


def refused(line: str) -> int:
    print("plyground:", " ".join(line.split()), file=sys.stderr)
    return 2
