"""The server of the page: its requests, drawn from its own OpenAPI schema, and its sockets.

Most are asked of the application in this process, without a network; some of a server at a port, as a browser does.
Whatever is asked, the answer is JSON and one line, never an error of the server's own.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..bench.page import served
from .base import Campaign, explore
from .messages import conversations, requests

HOST = b"127.0.0.1:8000"
LIMIT = 60.0  # seconds that an answer may take
OVER_PORT = 0.03  # share of the inputs that go through a port
FAILED = "that failed"  # how the server begins a line about a mistake of its own
REASONS = (1008, 1009)  # codes of a socket that is closed to a page that does not listen, or says too much
ENDS = ("thought", "solution", "children", "steps", "review", "error")


class Asking:
    """The application, asked as its server would: by ASGI."""

    def __init__(self, folder: Path) -> None:
        from ..web.server import make_app

        self.app = make_app([], str(folder))
        self.loop = asyncio.new_event_loop()

    @property
    def schema(self) -> dict[str, Any]:
        """What may be asked."""
        return self.app.openapi()

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(work, LIMIT))

    def request(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer."""
        return self.wait(self._request(asked))

    async def _request(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        parts = [asked["body"][: len(asked["body"]) // 2], asked["body"][len(asked["body"]) // 2 :]]
        messages = [
            {"type": "http.request", "body": part, "more_body": more} for part, more in zip(parts, (1, 0), strict=True)
        ]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope_of(asked, "http"), receive, send)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in sent[0]["headers"]}
        return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])

    def talk(self, messages: list[bytes | str]) -> tuple[list[str], int | None]:
        """What a socket answers to these messages, up to the last of its answers, and the code it is closed with."""
        return self.wait(self._talk(messages))

    async def _talk(self, messages: list[bytes | str]) -> tuple[list[str], int | None]:
        incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        answers: list[str] = []
        closed: list[int] = []
        heard = asyncio.Event()

        async def send(message: Any) -> None:
            if message["type"] == "websocket.send":
                answers.append(message.get("text") or "")
            elif message["type"] == "websocket.close":
                closed.append(message.get("code", 1000))
            heard.set()

        scope = scope_of({"path": "/api/socket", "query": b"", "headers": [], "method": "GET"}, "websocket")
        socket = asyncio.create_task(self.app(scope, incoming.get, send))
        await incoming.put({"type": "websocket.connect"})
        for message in messages:
            await incoming.put({"type": "websocket.receive", "text" if isinstance(message, str) else "bytes": message})
        await incoming.put({"type": "websocket.receive", "text": PING})
        while not socket.done() and not closed and not ended(answers, messages):
            heard.clear()
            waiting = asyncio.create_task(heard.wait())
            await asyncio.wait([waiting, socket], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        await incoming.put({"type": "websocket.disconnect", "code": 1000})
        await socket
        return answers, closed[0] if closed else None


PING_ID = 2**53 - 1
PING = json.dumps({"type": "open", "id": PING_ID, "of": PING_ID})  # is always answered, and by an error


def ended(answers: list[str], messages: list[bytes | str]) -> bool:
    """Has everything been answered that begins some work, and the last message?"""
    told = [json.loads(answer) for answer in answers]
    ids = [one.get("id") for one in told if one["type"] in ENDS or one.get("done")]
    return PING_ID in ids and len(ids) > sum(answerable(message) for message in messages)


def answerable(message: bytes | str) -> bool:
    """Is there an end of an answer to this message?  Only to the wish to stop something there is none."""
    try:
        told = json.loads(message) if isinstance(message, str) else None
    except (ValueError, RecursionError):
        return True
    if not isinstance(told, dict) or told.get("type") != "stop":
        return True
    return type(told.get("id")) is not int or not 0 <= told["id"] <= 2**53


def scope_of(asked: dict[str, Any], kind: str) -> dict[str, Any]:
    """The scope of ASGI for a request."""
    headers = [(b"host", HOST), *asked["headers"]]
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": asked["method"],
        "scheme": "http" if kind == "http" else "ws",
        "path": asked["path"],
        "raw_path": quote(asked["path"], safe="/%", errors="replace").encode(),
        "root_path": "",
        "query_string": asked["query"],
        "headers": headers,
        "client": ("127.0.0.1", 40_000),
        "server": ("127.0.0.1", 8000),
        "subprotocols": [],
    }


def wrong_with(status: int, headers: dict[str, str], body: bytes) -> str:
    """What is wrong with an answer."""
    told = body[:300].decode("utf-8", "replace")
    if status >= 500:
        return f"status {status}: {told}"
    if FAILED in told:
        return f"the server's own mistake: {told}"
    if status >= 400:
        try:
            line = json.loads(body or b"null")
        except ValueError:
            return f"status {status} is not told in JSON: {told}"
        if body and (not isinstance(line, dict) or "\n" in str(line.get("error", "\n"))):
            return f"status {status} is not one line: {told}"
    elif "json" in headers.get("content-type", "") and body:
        try:
            json.loads(body, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
        except ValueError as error:
            return f"no JSON: {error}"
    return ""


def wrong_with_talk(messages: list[bytes | str], answers: list[str], closed: int | None) -> str:
    """What is wrong with the answers of a socket, which may be closed for a reason before it has answered all."""
    for answer in answers:
        try:
            told = json.loads(answer, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
        except ValueError as error:
            return f"no JSON: {error}"
        if told["type"] == "error" and (FAILED in told["error"] or "\n" in told["error"]):
            return f"the server's own mistake: {told['error'][:300]}"
    if closed in REASONS:
        return ""
    if closed not in (None, 1000):
        return f"closed with {closed}"
    return "" if ended(answers, messages) else f"it ended after {len(answers)} answers, before the last"


def shown(value: Any) -> str:
    return repr(value)


def http(campaign: Campaign) -> None:
    """Try requests."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        application = Asking(Path(folder))

        def tried(asked: dict[str, Any]) -> str:
            try:
                return wrong_with(*application.request(asked))
            except TimeoutError:
                return f"no answer in {LIMIT:.0f} s"
            except Exception as error:
                return f"raised {type(error).__name__}: {error}"

        schema = application.schema
        explore(campaign.share(1 - OVER_PORT), "requests", requests(schema), tried, shown)
    with served() as server:
        explore(campaign, "requests at a port", requests(schema), lambda asked: over_port(server.address, asked), shown)


def over_port(address: str, asked: dict[str, Any]) -> str:
    """The same, of a server at a port."""
    from http.client import HTTPConnection, HTTPException

    host, port = address.removeprefix("http://").rstrip("/").split(":")
    connection = HTTPConnection(host, int(port), timeout=LIMIT)
    query = f"?{quote(asked['query'], safe='=&%')}" if asked["query"] else ""
    headers = {name.decode("latin-1"): value for name, value in asked["headers"] if name != b"content-length"}
    try:
        path = quote(asked["path"], safe="/%", errors="replace") + query
        connection.request(asked["method"], path, asked["body"], headers)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return wrong_with(answer.status, told, answer.read())
    except (HTTPException, ValueError) as error:
        return f"no answer: {type(error).__name__}: {error}" if isinstance(error, HTTPException) else ""
    except TimeoutError:
        return f"no answer in {LIMIT:.0f} s"
    except OSError as error:
        return f"no answer: {error}"
    finally:
        connection.close()


def socket(campaign: Campaign) -> None:
    """Try conversations; every message is an input."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        application = Asking(Path(folder))

        def tried(messages: list[bytes | str]) -> str:
            try:
                return wrong_with_talk(messages, *application.talk(messages))
            except TimeoutError:
                return f"no last answer in {LIMIT:.0f} s"
            except Exception as error:
                return f"raised {type(error).__name__}: {error}"

        explore(campaign.share(1 - OVER_PORT), "messages", conversations(application.schema), tried, shown, len)
        schema = application.schema
    with served() as server:
        where = f"ws{server.address[4:]}api/socket"
        explore(campaign, "messages at a port", conversations(schema), lambda said: over_wire(where, said), shown, len)


def over_wire(address: str, messages: list[bytes | str]) -> str:
    """The same, of a server at a port."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    answers: list[str] = []
    end = time.monotonic() + LIMIT
    try:
        with connect(address, max_size=None) as page:
            for message in [*messages, PING]:
                page.send(message)
            while not ended(answers, messages):
                answers.append(str(page.recv(timeout=max(0.0, end - time.monotonic()))))
            return wrong_with_talk(messages, answers, None)
    except ConnectionClosed as error:
        return wrong_with_talk(messages, answers, error.rcvd.code if error.rcvd else 1006)
    except TimeoutError:
        return f"no last answer in {LIMIT:.0f} s"
