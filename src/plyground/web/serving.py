"""The server that runs the application: uvicorn, and a watch over connections that keep it waiting.

uvicorn bounds heads, messages and idle connections, and asks sockets for signs of life.  It has no limit for a request
that never comes whole, or for an answer that is never read: a look at all connections every second has.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from typing import Any

import uvicorn

from ..machine import cores, most_files
from .requests import LARGEST_BODY
from .threads import Threads

EVERY = 1.0  # seconds between two looks
REQUEST = 20  # seconds in which a request has to be whole
ANSWER = 30  # seconds in which an answer has to be read
REST = 10  # seconds in which a connection that is closed has to be read to its end
FILES = 4_096  # connections and files at once, where the system allows it
MOST_WAITING = 512  # connections by which nothing whole is asked
MOST_UNREAD = 64 << 20  # bytes of answers to one connection
REQUESTS = min(32, cores() + 4)  # that are answered at once, each in a thread; as many as asyncio itself has
LATE = "the request was not whole in time"


def server_for(app: Any) -> Server:
    """The server of an application, with all its limits."""
    most_files(FILES)
    logging.getLogger("uvicorn.error").addFilter(one_line)
    config = uvicorn.Config(
        app,
        http="h11",  # the same limits everywhere
        log_level="error",
        access_log=False,
        h11_max_incomplete_event_size=16 * 1024,  # bytes of a head
        timeout_keep_alive=5,  # seconds between two requests
        ws_max_size=LARGEST_BODY,
        ws_per_message_deflate=False,  # messages are short
        ws_ping_interval=20,
        ws_ping_timeout=40,
        timeout_graceful_shutdown=3,
    )
    return Server(config)


def one_line(record: logging.LogRecord) -> bool:
    """What uvicorn logs, in one line, but not what a client has done wrong, nor that a second Ctrl-C came."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, (UnicodeDecodeError, asyncio.CancelledError)):
        return False
    told = record.getMessage().strip()
    if told.startswith("Traceback"):  # of the application, as text
        record.msg, record.args = told.splitlines()[-1], ()
        return "CancelledError" not in record.msg
    if error:
        record.msg, record.args = f"{record.getMessage().strip()}: {type(error).__name__}: {error}", ()
        record.exc_info = None
    return True


class Server(uvicorn.Server):
    """A server that nobody can keep waiting.

    While the server itself is kept from its work, nobody is late: not more than some seconds count from look to look.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._looked = time.monotonic()
        self._late: dict[tuple[Any, Any, str], float] = {}  # seconds by connection, request, and in which way late
        self.threads = Threads(REQUESTS, "request")

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer in threads whose end is not waited for when the server is told to end."""
        asyncio.get_running_loop().set_default_executor(self.threads)
        await super().serve(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times a second."""
        passed = time.monotonic() - self._looked
        if passed >= EVERY or len(self.server_state.connections) > FILES // 4:
            self._looked += passed
            self.look(min(passed, 2 * EVERY))
        return await super().on_tick(counter)

    def look(self, passed: float = EVERY) -> None:
        """Look at all connections, so many seconds after the last time, and drop those that are late."""
        late: dict[tuple[Any, Any, str], float] = {}
        waiting = []
        for connection in list(self.server_state.connections):
            transport: asyncio.Transport | None = getattr(connection, "transport", None)
            if transport is None:
                continue
            unread = transport.get_write_buffer_size()
            cycle = getattr(connection, "cycle", None)  # the request that is answered; a socket has none
            if unread > MOST_UNREAD:
                transport.abort()
            elif unread and (transport.is_closing() or hasattr(connection, "cycle")):
                key = connection, cycle, "unread"
                late[key] = self._late.get(key, 0.0) + passed
                if late[key] > (REST if transport.is_closing() else ANSWER):
                    transport.abort()
            elif incomplete(connection):
                key = connection, cycle, "incomplete"
                late[key] = self._late.get(key, 0.0) + passed
                waiting.append((late[key], transport))
        waiting.sort(key=lambda one: -one[0])
        for number, (seconds, transport) in enumerate(waiting):
            if seconds > REQUEST or len(waiting) - number > MOST_WAITING:
                refuse(transport)
        self._late = late


def incomplete(connection: Any) -> bool:
    """Is a request waited for that has not come whole?  uvicorn itself ends a connection between two requests."""
    if not hasattr(connection, "cycle") or connection.transport.is_closing():
        return False
    cycle = connection.cycle
    if cycle is not None and not cycle.response_complete:
        return cycle.more_body and not cycle.response_started
    return connection.timeout_keep_alive_task is None


def refuse(transport: asyncio.Transport) -> None:
    """End a connection whose request does not come."""
    body = json.dumps({"error": LATE})
    head = ["HTTP/1.1 408 Request Timeout", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    transport.write("\r\n".join([*head, "Connection: close", "", body]).encode())
    transport.close()
