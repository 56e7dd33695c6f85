"""The process in which an agent from a user's file, or an interpreted one, lives.

It reads requests, lets the agent answer, and writes answers.

Requests and answers are lines of JSON; an answer repeats the `id` of its request.

    make    file, args, named          the agent is made
    ready   game, begin                what its first move would wait for is compiled
    think   game, begin, state, ...    a thought; on the way, if wanted, thoughts so far
    choices, line, children            as in the interface of agents
    stop                               ends the thinking early; has no answer of its own

A line that is not JSON ends the process: an agent that is not at work is closed before.

Whatever the agent itself writes to its standard output goes to the error output, and its standard input is empty.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from .. import spec, user_files
from ..machine import bound_memory
from ..spec import InputError, meant
from .base import REQUIRED, Agent, Forfeit, Limit, adopt, own_methods
from .messages import read_game, read_state, written_moves, written_thought


def looks_like_one(cls: type) -> bool:
    """Is this class meant for an agent, even if its method is misspelt?"""
    near = (name in REQUIRED or meant(name, REQUIRED) for name in own_methods(cls))
    return not issubclass(cls, tuple) and (issubclass(cls, Agent) or any(near))


KIND = user_files.Kind("agent", looks_like_one, adopt)


class NoGame(Exception):
    """The game that was told cannot be had here: its file has changed.  The agent cannot help that."""


class Process:
    """An agent that answers requests."""

    def __init__(self, sink: IO[bytes]) -> None:
        self.sink = sink
        self.number = 0  # of the request that is answered
        self.at_work = False
        self.stopped = threading.Event()
        self.agent: Any = None
        self.file = ""
        self._game: tuple[Any, Any] = None, None  # as it was told, and as it is

    def serve(self, requests: Iterator[dict[str, Any]]) -> None:
        """Answer every request in turn."""
        for request in requests:
            self.number = request["id"]
            try:
                answer = {"is": getattr(self, f"do_{request['do']}")(**request["with"])}
            except (Forfeit, user_files.Broken) as forfeit:
                answer = {"forfeit": one_line(str(forfeit)) or "it gave up"}
            except NoGame as error:
                answer = {"no_game": one_line(str(error))}
            except InputError as error:
                answer = {"refused": one_line(str(error))}
            except BaseException as error:
                answer = {"failed": self.failure(error)}
            self.at_work = False
            self.say(answer)
        with suppress(BaseException):
            if self.agent is not None:
                self.agent.close()

    def say(self, answer: dict[str, Any]) -> None:
        self.sink.write(json.dumps({"id": self.number, **answer}).encode() + b"\n")
        self.sink.flush()

    def failure(self, error: BaseException) -> str:
        """An exception in one line, with the line of the file that it comes from."""
        text = one_line(f"{type(error).__name__}: {error}")
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.file]
        return f"{text} ({os.path.basename(self.file)}, line {lines[-1]})" if lines else text

    def game(self, told: Any) -> Any:
        if self._game[0] != told:
            try:
                made = read_game(told)
            except Exception as error:
                raise NoGame(error) from None
            self.agent.must_play(made)
            self._game = told, made
        return self._game[1]

    # --- requests ---

    def do_make(self, file: str, args: list[Any], named: dict[str, Any]) -> None:
        if not user_files.is_file(file):
            from . import maker

            build = maker(file)
            self.agent = build(**spec.bind(build, file, args, named))
            return
        path = os.path.realpath(user_files.split(file)[0])
        sys.path.insert(0, os.path.dirname(path))  # for whatever it imports later
        self.file = path
        build = user_files.load(file, KIND)
        self.agent = build(**spec.bind(build, file, args, named))

    def begin(self, seed: int | None) -> None:
        if seed is not None:
            self.agent.begin(seed)

    def do_ready(self, game: Any, begin: int | None) -> None:
        made = self.game(game)
        self.begin(begin)
        self.agent.ready(made)

    def do_think(
        self, game: Any, begin: int | None, state: str, seconds: float, simulations: int | None, watch: bool
    ) -> dict[str, Any]:
        made = self.game(game)
        self.begin(begin)
        self.stopped.clear()

        def look(thought: Any) -> None:
            self.say({"so_far": written_thought(thought)})

        limit = Limit(simulations, seconds, self.stopped.is_set, look if watch else None)
        return written_thought(self.agent.think(made, read_state(made, state), limit))

    def do_choices(self, game: Any, state: str) -> list[int]:
        made = self.game(game)
        return [int(action) for action in self.agent.choices(made, read_state(made, state))]

    def do_line(self, action: int) -> list[int]:
        return [int(one) for one in self.agent.line(action)]

    def do_children(self, path: list[int]) -> list[list[Any]]:
        return written_moves(self.agent.children(path))


def one_line(text: str) -> str:
    """A text without line breaks, and not too long."""
    return " ".join(text.split())[:200]


def main() -> None:
    """Serve the process that began this one."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    bound_memory(int(sys.argv[1]))
    process = Process(sink)
    requests: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def read() -> None:
        for line in source:
            if not line.startswith(b"{"):
                if process.at_work:
                    break
                requests.put(None)
                return
            request = json.loads(line)
            if request["do"] == "stop":
                process.stopped.set()
            else:
                process.at_work = True
                requests.put(request)
        os._exit(0)  # nobody listens any more

    threading.Thread(target=read, daemon=True).start()
    process.serve(iter(requests.get, None))
    os._exit(0)
