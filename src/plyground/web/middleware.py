"""Who may ask: only pages that the server has served itself.

A foreign page's requests are known by their Origin, a foreign name for this machine (DNS rebinding) by the Host.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import WebSocket
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders

from .requests import LARGEST_BODY

HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?")


class Json(JSONResponse):
    """JSON in ASCII, without NaN."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False).encode()


def failed(status: int, line: str) -> Json:
    return Json({"error": " ".join(line.split())}, status)


class SameOrigin:
    """Lets in only what the server's own page asks for, and bodies of a bounded size; adds the security headers."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not HOST.fullmatch(host) or origin not in (None, f"http://{host}"):
            await self._refuse(scope, receive, send)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self._answer(host, scope, receive, send)

    async def _refuse(self, scope: Any, receive: Any, send: Any) -> None:
        line = "this server answers only its own page, at 127.0.0.1 or localhost"
        if scope["type"] == "http":
            await failed(403, line)(scope, receive, send)
            return
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()  # the page hears a close code only from an open socket
        await websocket.close(1008, line)

    async def _answer(self, host: str, scope: Any, receive: Any, send: Any) -> None:
        policy = (
            f"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws://{host};"
            " object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )

        async def send_safely(message: Any) -> None:
            if message["type"] == "http.response.start":
                safe = MutableHeaders(scope=message)
                safe.setdefault("Content-Security-Policy", policy)
                safe["X-Content-Type-Options"] = "nosniff"
                safe["Referrer-Policy"] = "no-referrer"
                safe.setdefault("Cache-Control", "no-cache")
            await send(message)

        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > LARGEST_BODY:
                await failed(413, "a request has at most 64 KiB")(scope, receive, send_safely)
                return
        bodies = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Any:
            return bodies.pop() if bodies else await receive()

        await self.app(scope, receive_again, send_safely)
