"""The socket of a page: requests come in, work runs in threads, answers go out as they are found."""

from __future__ import annotations

import asyncio
import json
import logging
import time
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
from .fair_queue import Ticket
from .jobs import Job, KeptAgent
from .match import match
from .requests import LARGEST_BODY, REQUESTS, Match, Open, Review, Solve, Steps, Stop, Think, complaint
from .review import review
from .state import ServerState
from .steps import steps
from .visitors import LOCAL, Visitor

WAITING = 256  # answers that a page may leave unread before its requests have to wait
MOST_UNREAD = 32 << 20  # characters of these
UNHEARD = 30.0  # seconds in which a page has to take an answer in
SLOW = 0.3  # seconds after which the page hears that something is compiled, or that it waits for its turn
FAR = 50  # others before one who stands so far behind hear of it half as often
WORK: dict[type, Callable[[Job, Catalogue], tuple[dict[str, Any], KeptAgent | None]]] = {
    Think: jobs.think,
    Solve: jobs.solve,
    Match: match,
    Steps: steps,
    Review: review,
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
    """Answers on their way to the page.  Of a snapshot only the latest is kept.  A page that takes nothing in is given
    up."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: OrderedDict[Any, str] = OrderedDict()
        self._unread = 0  # characters that wait
        self._filled, self._room = asyncio.Event(), asyncio.Event()
        self._room.set()
        self.closed = False

    def put(self, message: dict[str, Any], latest: bool = False) -> None:
        """Send a message, from any thread."""
        text = json.dumps(message, allow_nan=False)
        key = (message["type"], message["id"]) if latest else object()
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._put, key, text)

    def put_here(self, message: dict[str, Any]) -> None:
        """Send a message, from the thread of the socket."""
        self._put(object(), json.dumps(message, allow_nan=False))

    def _put(self, key: Any, text: str) -> None:
        if self.closed:
            return
        self._unread += len(text) - len(self._waiting.pop(key, ""))
        self._waiting[key] = text
        self._filled.set()
        if len(self._waiting) >= WAITING:
            self._room.clear()

    async def room(self) -> None:
        """Wait until the page has read most of what was sent."""
        await self._room.wait()

    async def send(self, websocket: WebSocket) -> None:
        """Send what is put here, until the socket closes or its page does not listen."""
        try:
            while self._unread <= MOST_UNREAD:
                await self._filled.wait()
                while self._waiting and self._unread <= MOST_UNREAD:
                    _, text = self._waiting.popitem(last=False)
                    self._unread -= len(text)
                    if len(self._waiting) < WAITING:
                        self._room.set()
                    await asyncio.wait_for(websocket.send_text(text), UNHEARD)
                self._filled.clear()
        except TimeoutError:
            pass
        except (WebSocketDisconnect, RuntimeError, OSError):
            return
        finally:
            self.closed = True
            self._waiting.clear()
            self._room.set()
        log.info("a page was given up that has not listened")
        with suppress(WebSocketDisconnect, RuntimeError, OSError):  # it hears why, if it does listen at last
            await asyncio.wait_for(websocket.close(1008, "answers were not read in time"), 1.0)


class Session:
    """One socket from its opening to its end."""

    def __init__(self, websocket: WebSocket, server: ServerState, visitor: Visitor) -> None:
        self.websocket, self.server, self.visitor = websocket, server, visitor
        self.outbox = Outbox()
        self.owner = self if visitor.limits is LOCAL else visitor  # whose turn a search takes
        self.used = time.monotonic()
        self.jobs: dict[int, Job] = {}
        self.tickets: dict[int, Ticket] = {}  # of those that wait for their turn
        self.tasks: set[asyncio.Task] = set()
        self.idle: asyncio.TimerHandle | None = None  # closes agents that wait for a move
        self.closed = False

    @property
    def busy(self) -> bool:
        """Does the page wait for an answer?"""
        return bool(self.jobs)

    def retire(self, code: int, why: str) -> None:
        """Close the socket."""
        self._keep(asyncio.create_task(self.websocket.close(code, why)))

    async def run(self) -> None:
        """Answer until the page goes, or does not listen; then everything that it had asked for stops."""
        both = [asyncio.create_task(self.outbox.send(self.websocket)), asyncio.create_task(self._receive())]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.closed = self.outbox.closed = True
            for task in both:
                task.cancel()
            for job in list(self.jobs.values()):
                job.stop()
            for ticket in list(self.tickets.values()):
                self.server.searches.leave(ticket)
            if self.idle:
                self.idle.cancel()
            self.server.forget(id(self))

    async def _receive(self) -> None:
        """Answer what comes in, until the page goes."""
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self.outbox.room()
                got = await self.websocket.receive()
                if got["type"] == "websocket.disconnect":
                    break
                text, binary = got.get("text"), got.get("bytes") or b""
                if len(text.encode(errors="replace") if text else binary) > LARGEST_BODY:
                    await self.websocket.close(1009, "a message has at most 64 KiB")
                    break
                self.used = time.monotonic()
                await self._answer(text)

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
                if request.id in self.tickets:
                    self.server.searches.leave(self.tickets[request.id])
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

    async def _begin(self, request: Think | Solve | Match | Steps | Review) -> None:
        if request.id in self.jobs:
            raise InputError(f"the id {request.id} is in use")
        needed = 1
        if isinstance(request, Solve):
            needed = await asyncio.to_thread(guarded, jobs.slots_needed, self.server.catalogue, request)
            if needed > 1 and not self.visitor.limits.large_solutions:
                raise InputError("to solve this takes more memory than a visitor has here")
        limits = self.visitor.limits
        ticket, called = self.server.searches.enter(self.owner, needed, limits.searches, limits.waiting)
        self.tickets[request.id] = ticket
        job = self.jobs[request.id] = Job(request, self.outbox.put, self.server.warmup)
        job.let_pass = lambda: self.server.searches.let_pass(ticket, job.stopped, job.stands)
        self._keep(asyncio.create_task(self._work(job, ticket, called)))

    def _keep(self, task: asyncio.Task) -> None:
        """Let a task run to its end."""
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _turn(self, job: Job, ticket: Ticket, called: asyncio.Future[bool]) -> bool:
        """Wait for the turn of a job, and tell the page where it stands; False if it was stopped before."""
        await asyncio.wait([called], timeout=SLOW)
        while not called.done():
            standing = self.server.searches.standing(ticket)
            job.stands(standing)
            await asyncio.wait([called], timeout=jobs.QUEUE * (1 + standing.before // FAR))
        return called.result()

    async def _work(self, job: Job, ticket: Ticket, called: asyncio.Future[bool]) -> None:
        """Do a job in a thread when it is its turn, and tell the page if it has to wait for the compiler, for a process
        to start, or for a slow move of a match."""
        request, limits = job.request, self.server.limits
        its_turn = await self._turn(job, ticket, called)
        self.tickets.pop(request.id, None)
        if not its_turn or self.closed:
            self.jobs.pop(request.id, None)
            if its_turn:
                self.server.searches.give_back(ticket)
            self.complain(request.id, "stopped before it was its turn")
            return
        end = asyncio.get_running_loop().call_later(limits.work, job.stop) if limits.work else None
        future = asyncio.get_running_loop().run_in_executor(self.server.threads, self._do, job, ticket)
        said = None
        while not future.done():
            await asyncio.wait([future], timeout=SLOW)
            told = {} if future.done() else {"compiling": job.compiling(), "slow": job.slow()}
            for kind, what in told.items():
                if what and (kind, what) != said:
                    said = kind, what
                    job.tell(kind, **what)
        self.outbox.put_here({"id": request.id, **future.result()})
        if end:
            end.cancel()
        if self.idle:
            self.idle.cancel()
        if not self.closed:
            self.idle = asyncio.get_running_loop().call_later(state.IDLE, self._rest)

    def _rest(self) -> None:
        """Nothing was asked for a while: agents need not wait for their next move."""
        asyncio.get_running_loop().run_in_executor(self.server.threads, self.server.forget_idle)

    def _do(self, job: Job, ticket: Ticket) -> dict[str, Any]:
        """The part of a job that runs in a thread: its last message.  When that goes out, its slot is free again."""
        request, kept = job.request, None
        try:
            job.is_served()
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
            self.server.searches.give_back(ticket)
            if self.closed:
                self.server.forget(id(self))
        return last


def guarded(work: Callable, *args: Any) -> Any:
    """Call in a thread; whatever rules raise, even an exit, comes back as an error."""
    try:
        return work(*args)
    except Exception:
        raise
    except BaseException as error:
        raise RuntimeError(one_line(error)) from None
