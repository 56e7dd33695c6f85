"""Who may ask: only pages that the server has served itself, and on a server for others only who has its token.

A foreign page's requests are known by their Origin.  A foreign name for this machine (DNS rebinding) is known by the
Host; a server for others may have any name, but gets no cookie by a foreign one.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import WebSocket
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.datastructures import Headers, MutableHeaders

from .requests import LARGEST_BODY
from .visitors import LOCAL, Access, Visitor

HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?")
NO_TOKEN = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Plyground</title>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem">
<h1 style="font-size: 1.4rem">Almost there</h1>
<p>This Plyground is for a class or a group, and its link ends with a token: <code>/?token=...</code></p>
<p>Open the whole link, as whoever started the server has sent it to you. Your browser remembers it from then on,
until the server is started anew.</p></body></html>"""
PLAIN_PAGE = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'", "Cache-Control": "no-store"}
ANY_HOST = re.compile(r"([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?")


class Json(JSONResponse):
    """JSON in ASCII, without NaN."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False).encode()


def failed(status: int, line: str) -> Json:
    return Json({"error": " ".join(line.split())}, status)


class SameOrigin:
    """Lets in only what the server's own page asks for, and bodies of a bounded size; adds the security headers.

    With `access`, only visitors whom it knows; who comes by the link is sent on with a cookie.
    """

    def __init__(self, app: Any, access: Access | None = None) -> None:
        self.app, self.access = app, access
        self._local = Visitor(LOCAL)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        named = (ANY_HOST if self.access else HOST).fullmatch(host)
        own = (None, f"http://{host}", f"https://{host}") if self.access else (None, f"http://{host}")
        visitor = self.access.visitor(scope) if self.access else self._local
        if not named or origin not in own:
            where = "" if self.access else ", at 127.0.0.1 or localhost"
            await self._refuse(403, f"this server answers only its own page{where}", scope, receive, send)
        elif visitor is None:
            if scope["type"] == "http" and scope["path"] == "/" and "text/html" in headers.get("accept", ""):
                await HTMLResponse(NO_TOKEN, 403, PLAIN_PAGE)(scope, receive, send)
                return
            line = "this server is for those who have its link: open the whole link, with its token"
            await self._refuse(403, line, scope, receive, send)
        elif scope["type"] == "websocket":
            await self.app(scope | {"visitor": visitor}, receive, send)
        elif self.access and scope["path"] == "/" and self.access.has_token(scope):
            cookie = {"Set-Cookie": self.access.welcome(scope), "Cache-Control": "no-store"}
            await RedirectResponse("/", 303, cookie | {"Referrer-Policy": "no-referrer"})(scope, receive, send)
        elif not visitor.requests.take():
            line = f"a visitor has at most {visitor.limits.requests} requests at once: wait for their answers"
            await self._refuse(429, line, scope, receive, send)
        else:
            try:
                await self._answer(host, scope, receive, send)
            finally:
                visitor.requests.give_back()

    async def _refuse(self, status: int, line: str, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await failed(status, line)(scope, receive, send)
            return
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()  # the page hears a close code only from an open socket
        await websocket.close(1008, line)

    async def _answer(self, host: str, scope: Any, receive: Any, send: Any) -> None:
        policy = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
            f" connect-src 'self' ws://{host} wss://{host};"
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
