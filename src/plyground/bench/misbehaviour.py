"""Clients of the page's server who misbehave: they say nothing, write or read too slowly or not at all, send what is no
message, or ask for work and go.  Each tells what came of it; `Unexpected` if the server should not have let that be.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from ..spec import InputError

DROPPED = 90.0  # seconds after which a server has to have dropped whoever is too slow
HALF_OPEN = 50  # connections of one client
SMALL = 4096  # bytes that a deaf client's machine takes in
LONG = {"type": "match", "game": "mnk(15,15,5)", "agents": ["random", "random"], "games": 1000}  # megabytes of answers
WORK = {"type": "think", "game": "tictactoe", "agent": "uct(seconds=50, solve=False)", "seconds": 50.0}
JUNK = (
    b"\x16\x03\x01\x02\x00\x01",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\n\r\n",
    b"\r\n" * 999,
    b"\xff" * 70_000,
)
TEXTS = (
    "",
    "{",
    "[]",
    "null",
    '{"type": []}',
    '{"type": "think", "id": 1e999}',
    "\ud7ff" * 999,
    '{"type": "stop", "id": 7}',
)


class Unexpected(InputError):
    """What no server should do."""


class Stream:
    """A connection, and what is read and written by it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def write(self, content: bytes) -> None:
        self.writer.write(content)

    async def answer(self) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next((int(line[15:]) for line in head.splitlines() if line.startswith("content-length:")), 0)
        return int(head.split()[1]), await self.reader.readexactly(length)

    def pause(self) -> None:
        """Read no more."""
        transport = self.writer.transport
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()

    def vanish(self) -> None:
        """Go without a word."""
        self.writer.transport.abort()


class Target:
    """The server, as clients see it."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname and parts.port
        self.host, self.port = parts.hostname, parts.port
        self.socket = f"ws://{self.host}:{self.port}/api/socket"

    async def connect(self, unread: int = 0) -> Stream:
        """A connection; its machine takes in no more than so many bytes that nobody has read."""
        plain = socket.socket()
        plain.setblocking(False)
        if unread:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, unread)
        await asyncio.get_running_loop().sock_connect(plain, (self.host, self.port))
        return Stream(*await asyncio.open_connection(sock=plain))

    def head(self, line: str, *more: str) -> bytes:
        """The head of a request, with these headers besides."""
        return "\r\n".join([line, f"Host: {self.host}:{self.port}", *more, "", ""]).encode()

    async def raw_socket(self, unread: int = 0) -> Stream:
        """A WebSocket whose frames are written by hand."""
        stream = await self.connect(unread)
        asked = "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"
        stream.write(self.head("GET /api/socket HTTP/1.1", *asked, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
        status, _ = await stream.answer()
        if status != 101:
            raise Unexpected(f"a socket is answered by {status}")
        return stream


def frame(content: bytes, code: int = 1, told: int | None = None) -> bytes:
    """A frame of a client, masked by zeros; `told`: the length that it tells, if it is not the true one."""
    length = len(content) if told is None else told
    size = bytes([0x80 | length]) if length < 126 else b"\xff" + length.to_bytes(8, "big")
    return bytes([0x80 | code]) + size + bytes(4) + content


async def dropped(stream: Stream) -> str:
    """How a connection is ended by the server; Unexpected if it is not."""
    try:
        said = await asyncio.wait_for(stream.reader.read(1 << 16), DROPPED)
        if said.startswith(b"HTTP/"):
            return f"dropped with status {said.split()[1].decode()}"
        return "dropped"
    except TimeoutError:
        raise Unexpected(f"not dropped within {DROPPED:.0f} s") from None
    except OSError:
        return "dropped"
    finally:
        stream.vanish()


async def says_nothing(server: Target, rng: random.Random) -> str:
    """Connections by which nothing is asked, or half of it."""
    half = server.head("GET / HTTP/1.1")[:-2]
    streams = [await server.connect() for _ in range(HALF_OPEN)]
    for stream in streams:
        stream.write(half[: rng.randrange(len(half))])
    return (await asyncio.gather(*map(dropped, streams)))[0]


async def writes_slowly(server: Target, rng: random.Random) -> str:
    """The head of a request, or its body, byte by byte."""
    stream = await server.connect()
    body = "Content-Type: application/json", "Content-Length: 60000"
    stream.write(rng.choice([b"", server.head("POST /api/position HTTP/1.1", *body)]))
    waiting = asyncio.create_task(dropped(stream))
    try:
        while not waiting.done():
            stream.write(b"x")
            await asyncio.wait([waiting], timeout=1)
        return waiting.result()
    finally:
        waiting.cancel()


async def reads_nothing(server: Target, rng: random.Random) -> str:
    """Asks for megabytes by a socket, or for a file again and again, and does not listen."""
    if rng.random() < 0.5:
        stream, sign_of_life = await server.raw_socket(SMALL), frame(b"", code=10)
        for number in range(8):
            stream.write(frame(json.dumps(LONG | {"id": number}).encode()))
    else:
        stream, sign_of_life = await server.connect(SMALL), b"\r\n"
        stream.write(server.head("GET /static/js/board.js HTTP/1.1") * 500)
    stream.pause()
    try:
        for _ in range(int(DROPPED)):
            await asyncio.sleep(1)
            if stream.writer.is_closing():
                return "dropped"
            stream.write(sign_of_life)  # a machine that has dropped the connection says so
    finally:
        stream.vanish()
    raise Unexpected(f"not dropped within {DROPPED:.0f} s")


async def talks_nonsense(server: Target, rng: random.Random) -> str:
    """What is no request, and what is no message."""
    stream = await server.connect()
    stream.write(rng.choice(JUNK))
    stream.writer.write_eof()
    await dropped(stream)
    stream = await server.raw_socket()
    for text in rng.choices(TEXTS, k=20):
        stream.write(frame(text.encode()))
    stream.write(bytes(rng.randrange(256) for _ in range(99)) + frame(b"", 8))
    await dropped(stream)
    return "answered"


async def says_too_much(server: Target, rng: random.Random) -> str:
    """A message that is too long, or would be."""
    stream = await server.raw_socket()
    stream.write(frame(b"x" * (1 << 20)) if rng.random() < 0.5 else frame(b"x", told=1 << 40))
    return await dropped(stream)


async def asks_and_goes(server: Target, rng: random.Random) -> str:
    """Work that nobody waits for."""
    stream = await server.raw_socket()
    for number in range(3):
        stream.write(frame(json.dumps(WORK | {"id": number}).encode()))
    await asyncio.sleep(rng.random())
    stream.vanish()
    return "gone"


Misbehaviour = Callable[[Target, random.Random], Awaitable[str]]
KINDS: tuple[Misbehaviour, ...] = (
    says_nothing,
    writes_slowly,
    reads_nothing,
    talks_nonsense,
    says_too_much,
    asks_and_goes,
)
