"""A terminal that starts commands quickly: a process that has imported everything, and forks one for each.

What a command does there it would do in a process of its own: it has its standard streams, its exit code and its
signals, and may be killed.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

MEMORY = 8 << 30  # bytes that a command may map
LIMIT = 60.0  # seconds of work after which a command is interrupted
IDLE = 10  # times as long it may take if it does not work: others may have the machine
SETTING_UP = 600.0  # seconds, for commands that may have to compile first
PATIENCE = 60.0  # seconds that an interrupted one may still take, and that others may outlive theirs
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
MARK = "PLYGROUND_TRUST_COMMAND"  # in the environment of what a command starts: its number
HUNG, LEFT = "hung", "left processes behind"
TOUCHES = ("os.rename", "os.remove", "os.mkdir", "os.truncate")  # besides files that are opened to be written


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int  # negative: the signal that ended it
    out: str
    err: str
    problem: str = ""  # of the process: HUNG, LEFT
    interrupted: bool = False  # by us, since it took long
    seconds: float = 0.0


class Terminal:
    """Runs commands one after the other, each in a process of its own.

    `ready` are commands that load what is needed, once for all, and `imports` modules; interpreted, nothing is
    compiled.  `fresh` imports nothing before, for what is looked at when it is imported.
    """

    def __init__(
        self,
        interpreted: bool = False,
        ready: list[list[str]] | None = None,
        imports: str = "",
        environment: dict[str, str] | None = None,
        fresh: bool = False,
    ) -> None:
        ours, theirs = socket.socketpair()
        # interpreted, numbers that the compiler lets wrap around would be warned of
        plain = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore:overflow encountered"}
        given = os.environ | (plain if interpreted else {}) | (environment or {})
        given |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno()), json.dumps(ready or []), imports, str(fresh)],
            pass_fds=[theirs.fileno()],
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()
        self._socket = ours
        self._answers = ours.makefile("r")

    def run(
        self,
        words: list[str],
        stdin: str = "",
        folder: Path | None = None,
        kill_after: float | None = None,
        kill_at: int | None = None,
        limit: float = LIMIT,
    ) -> Ran:
        """Run `plyground WORDS` in a folder; kill it after so many seconds, or before it touches a file there for the
        n-th time."""
        asked = {"words": words, "stdin": stdin, "folder": str(folder or "."), "after": kill_after, "at": kill_at}
        return Ran(**self._ask(asked | {"limit": limit}))

    def ready(self, words: list[str], folder: Path) -> None:
        """Run a command in the terminal itself, so that all that it loads is there for those that follow."""
        self._ask({"ready": words, "folder": str(folder)})

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._socket.sendall((json.dumps(asked) + "\n").encode())
        line = self._answers.readline()
        if not line:
            raise RuntimeError(f"the terminal itself ended, with code {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        self._socket.close()
        self._answers.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def serve(number: int) -> None:
    """Fork a process for every command that the socket of this number names.  Ctrl-C is for whoever has asked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=number) as connection, connection.makefile("r") as asked:
        for line in asked:
            told = json.loads(line)
            if "ready" in told:
                here = os.getcwd()
                os.chdir(told["folder"])
                prepare([told["ready"]], "")
                os.chdir(here)
                connection.sendall(b"{}\n")
                continue
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
                child = os.fork()
                if child == 0:
                    connection.detach()
                    os.close(number)
                    leave(become(told, out.fileno(), err.fileno()))
                ran = wait_for(child, told, connection)
                for name, file in (("out", out), ("err", err)):
                    file.seek(0)
                    ran[name] = file.read().decode("utf-8", "replace")
            connection.sendall((json.dumps(ran) + "\n").encode())


def prepare(ready: list[list[str]], imports: str) -> None:
    """Import what commands need, and run those that load it."""
    import typer.main

    from .. import agents, cli, games
    from ..manifest import loaded

    typer.main.get_command = cache(typer.main.get_command)  # made once for all commands
    loaded(games.registry(), games.maker)
    loaded(agents.registry(), agents.maker)
    for name in imports.split():
        import_module(name)
    for words in ready:
        sys.argv = ["plyground", *words]
        try:
            cli.main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"plyground {words} failed") from None
    gc.collect()
    gc.freeze()  # so that processes go on sharing what is there now


def become(told: dict[str, Any], out: int, err: int) -> Any:
    """In the forked process: be the command, up to its exit code."""
    os.setpgid(0, 0)
    os.environ[MARK] = str(os.getpid())
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIES_WITH_PARENT, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source = tempfile.TemporaryFile()  # noqa: SIM115  it stays open
    source.write(told["stdin"].encode("utf-8", "surrogatepass"))
    source.seek(0)
    for number, file in enumerate((source.fileno(), out, err)):
        os.dup2(file, number)
    os.chdir(told["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = open(0, closefd=False, errors="surrogateescape")  # noqa: SIM115
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    sys.argv = ["plyground", *told["words"]]
    if told["at"] is not None:
        kill_at_touch(told["at"], told["folder"])
    from .. import cli

    try:
        cli.main()
    except SystemExit as end:
        return end.code
    except BaseException:
        traceback.print_exc()
        return 1


def leave(code: Any) -> None:
    """End this process as Python does, but for the tidying of its memory, which takes longer than most commands."""
    for thread in threading.enumerate():  # as at any end
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def kill_at_touch(number: int, folder: str) -> None:
    """Have this process killed just before it touches a file in the folder for the n-th time."""
    left, folder = number, os.path.realpath(folder)  # as the working directory is told

    def hear(event: str, given: tuple[Any, ...]) -> None:
        nonlocal left
        touches = event in TOUCHES or (event == "open" and isinstance(given[1], str) and set(given[1]) & set("wa+x"))
        if touches and isinstance(given[0], str | os.PathLike) and within(os.path.abspath(given[0]), folder):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)


def within(path: str, folder: str) -> bool:
    """Is this the folder, or something in it?"""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def wait_for(child: int, told: dict[str, Any], connection: socket.socket) -> dict[str, Any]:
    """Wait until the command has ended; end it where it was to be, or has to be, and with whoever has asked for it."""
    begun = time.monotonic()
    limit = told["limit"]
    interrupted, interrupted_at, problem, pause = False, 0.0, "", 0.001
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            break
        gone = time.monotonic() - begun
        if told["after"] is not None and gone >= told["after"]:
            os.kill(child, signal.SIGKILL)
        elif interrupted and gone > interrupted_at + IDLE * PATIENCE:
            problem = HUNG
            os.kill(child, signal.SIGKILL)
        elif not interrupted and gone > limit and (gone > IDLE * limit or worked(child) > limit):
            interrupted, interrupted_at = True, gone
            os.kill(child, signal.SIGINT)
        if select.select([connection], [], [], pause)[0]:  # nobody speaks before the answer: whoever asked is gone
            kill_all(child)
            os.kill(child, signal.SIGKILL)  # it may not have a group yet
            sys.exit()
        pause = min(1.5 * pause, 0.02)
    ended = time.monotonic()
    while not problem and (with_group(child, 0) or started_by(child)):
        if time.monotonic() - ended > PATIENCE:
            problem = LEFT
        time.sleep(0.01)
    if problem:
        kill_all(child)
    seconds = ended - begun
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "problem": problem, "interrupted": interrupted, "seconds": seconds}


def worked(process: int) -> float:
    """The seconds for which a process has had a processor; where nobody tells, no end of them."""
    try:
        told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("inf")
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def started_by(command: int) -> list[int]:
    """The processes that a command has started, and they in turn, in whatever session: they carry its mark.  Where
    nobody tells, none."""
    mark, found = f"{MARK}={command}\0".encode(), []
    for process in os.listdir("/proc") if sys.platform == "linux" else ():
        if process.isdigit():
            with suppress(OSError), open(f"/proc/{process}/environ", "rb") as told:
                if mark in told.read():
                    found.append(int(process))
    return found


def kill_all(command: int) -> None:
    """Kill a command with all that it has started."""
    for process in started_by(command):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    with_group(command, signal.SIGKILL)


def with_group(group: int, number: int) -> bool:
    """Send a signal to a group of processes; is there any?"""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    number, commands, modules, nothing = sys.argv[1:]
    if nothing == "False":
        prepare(json.loads(commands), modules)
    serve(int(number))
