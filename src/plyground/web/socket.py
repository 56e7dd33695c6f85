"""The socket of a page: requests come in, work runs in threads, answers go out as they are found."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from ..agents.base import Forfeit
from ..spec import InputError
from . import jobs, state
from .catalogue import Catalogue
from .jobs import Job, KeptAgent
from .match import match
from .requests import LARGEST_BODY, REQUESTS, Match, Open, Solve, Stop, Think, complaint
from .state import ServerState
from .visitors import Visitor

WAITING = 256  # answers that a page may leave unread before its requests have to wait
SLOW = 0.3  # seconds after which the page hears that something is compiled
WORK: dict[type, Callable[[Job, Catalogue], tuple[dict[str, Any], KeptAgent | None]]] = {
    Think: jobs.think,
    Solve: jobs.solve,
    Match: match,
}

log = logging.getLogger("plyground")


def one_line(error: BaseException) -> str:
    """What went wrong, for the page: never a traceback."""
    if isinstance(error, Forfeit):
        error = InputError(f"the agent forfeits: {error}")
    text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:500]


def refused(error: BaseException, what: str) -> str:
    """One line for the page and, if it is not the page's fault, for the log."""
    line = one_line(error)
    if not isinstance(error, InputError | Forfeit):
        log.warning("%s failed: %s", what, line)
        return f"that failed: {line}"
    return line


class Outbox:
    """Answers on their way to the page.  Of a snapshot only the latest is kept."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: OrderedDict[Any, str] = OrderedDict()
        self._filled, self._room = asyncio.Event(), asyncio.Event()
        self._room.set()
        self.closed = False

    def put(self, message: dict[str, Any], latest: bool = False) -> None:
        """Send a message, from any thread."""
        text = json.dumps(message, allow_nan=False)
        key = (message["type"], message["id"]) if latest else object()
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._put, key, text)

    def _put(self, key: Any, text: str) -> None:
        if self.closed:
            return
        self._waiting.pop(key, None)
        self._waiting[key] = text
        self._filled.set()
        if len(self._waiting) >= WAITING:
            self._room.clear()

    async def room(self) -> None:
        """Wait until the page has read most of what was sent."""
        await self._room.wait()

    async def send(self, websocket: WebSocket) -> None:
        """Send what is put here, until the socket closes."""
        try:
            while True:
                await self._filled.wait()
                while self._waiting:
                    _, text = self._waiting.popitem(last=False)
                    if len(self._waiting) < WAITING:
                        self._room.set()
                    await websocket.send_text(text)
                self._filled.clear()
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass
        finally:
            self.closed = True
            self._waiting.clear()
            self._room.set()


class Session:
    """One socket from its opening to its end."""

    def __init__(self, websocket: WebSocket, server: ServerState, visitor: Visitor) -> None:
        self.websocket, self.server, self.visitor = websocket, server, visitor
        self.outbox = Outbox()
        self.jobs: dict[int, Job] = {}
        self.tasks: set[asyncio.Task] = set()
        self.idle: asyncio.TimerHandle | None = None  # closes agents that wait for a move
        self.closed = False

    async def run(self) -> None:
        """Answer until the page goes; then everything that it had asked for stops."""
        sender = asyncio.create_task(self.outbox.send(self.websocket))
        try:
            while True:
                await self.outbox.room()
                got = await self.websocket.receive()
                if got["type"] == "websocket.disconnect":
                    break
                text, binary = got.get("text"), got.get("bytes") or b""
                if len(text.encode(errors="replace") if text else binary) > LARGEST_BODY:
                    await self.websocket.close(1009, "a message has at most 64 KiB")
                    break
                await self._answer(text)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self.closed = self.outbox.closed = True
            for job in list(self.jobs.values()):
                job.stop()
            sender.cancel()
            if self.idle:
                self.idle.cancel()
            self.server.forget(id(self))

    def complain(self, asked: Any, line: str) -> None:
        self.outbox.put({"type": "error", "id": asked, "error": line})

    async def _answer(self, text: str | None) -> None:
        """Answer one message, or begin the work that it asks for."""
        asked = None
        try:
            if text is None:
                raise InputError("messages are JSON texts, not binary")
            try:
                message = json.loads(text)
            except (ValueError, RecursionError):
                raise InputError("the message is not JSON") from None
            if not isinstance(message, dict):
                raise InputError("a message is a JSON object")
            if type(message.get("id")) is int and abs(message["id"]) <= 2**53:
                asked = message["id"]
            request = self.visitor.within(REQUESTS.validate_python(message))
            if isinstance(request, Stop):
                if request.id in self.jobs:
                    self.jobs[request.id].stop()
            elif isinstance(request, Open):
                kept = self.server.kept(id(self), request.of)
                found = await asyncio.to_thread(guarded, jobs.children, request, kept)
                self.outbox.put({"type": "children", "id": asked, "path": request.path, "children": found})
            else:
                await self._begin(request)
        except ValidationError as error:
            self.complain(asked, complaint(error))
        except Exception as error:
            self.complain(asked, refused(error, "a request"))

    async def _begin(self, request: Think | Solve | Match) -> None:
        if request.id in self.jobs:
            raise InputError(f"the id {request.id} is in use")
        needed = 1
        if isinstance(request, Solve):
            needed = await asyncio.to_thread(guarded, jobs.slots_needed, self.server.catalogue, request)
            if needed > 1 and not self.visitor.limits.large_solutions:
                raise InputError("to solve this takes more memory than a visitor has here")
        if not self.visitor.searches.take():
            raise InputError(f"busy: you have {self.visitor.limits.searches} searches running; stop one or wait")
        job = self.jobs[request.id] = Job(request, self.outbox.put, self.server.warmup)
        task = asyncio.create_task(self._work(job, needed))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _work(self, job: Job, slots: int) -> None:
        """Do a job in a thread when it is its turn, and tell the page if it has to wait for the compiler, or for
        a process to start."""
        request = job.request
        limits = self.server.limits
        if not await self.server.searches.wait(slots, limits.patience):
            self.jobs.pop(request.id, None)
            self.visitor.searches.give_back()
            self.complain(request.id, f"busy: {limits.slots} searches are running; stop one or wait")
            return
        if self.closed:
            self._leave(slots)
            return
        end = asyncio.get_running_loop().call_later(limits.work, job.stop) if limits.work else None
        future = asyncio.get_running_loop().run_in_executor(self.server.threads, self._do, job, slots)
        said = None
        while not future.done():
            await asyncio.wait([future], timeout=SLOW)
            told = None if future.done() else job.compiling()
            if told and told != said:
                said = told
                job.tell("compiling", **told)
        if end:
            end.cancel()
        if self.idle:
            self.idle.cancel()
        if not self.closed:
            self.idle = asyncio.get_running_loop().call_later(state.IDLE, self._rest)

    def _leave(self, slots: int) -> None:
        """Called from any thread: a search has ended."""
        self.visitor.searches.give_back()
        self.server.searches.give_back(slots)

    def _rest(self) -> None:
        """Nothing was asked for a while: agents need not wait for their next move."""
        asyncio.get_running_loop().run_in_executor(self.server.threads, self.server.forget_idle)

    def _do(self, job: Job, slots: int) -> None:
        """The part of a job that runs in a thread.  When its last message goes out, its slot is free again."""
        request, kept = job.request, None
        try:
            if isinstance(request, Think):
                job.earlier = self.server.take(id(self), request.seat)
            last, kept = WORK[type(request)](job, self.server.catalogue)
            if kept:
                self.server.keep(id(self), request.id, kept)
        except BaseException as error:  # a game's rules may raise anything
            last = {"type": "error", "error": refused(error, request.type)}
        finally:
            if job.earlier and job.earlier is not kept:
                job.earlier.agent.close()
            self.jobs.pop(request.id, None)
            self._leave(slots)
            if self.closed:
                self.server.forget(id(self))
        self.outbox.put({"id": request.id, **last})


def guarded(work: Callable, *args: Any) -> Any:
    """Call in a thread; whatever rules raise, even an exit, comes back as an error."""
    try:
        return work(*args)
    except Exception:
        raise
    except BaseException as error:
        raise RuntimeError(one_line(error)) from None
