"""The server of the page: HTTP routes, static files, and who may ask.

It listens on this machine only, and answers only pages that it has served itself: a foreign page's requests are
known by their Origin, a foreign name for this machine (DNS rebinding) by the Host.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException as StarletteHTTPException

from .. import agents, games
from ..spec import InputError, described
from .models import LARGEST_BODY, Play, Position, complaint
from .shelf import Shelf
from .socket import SOCKETS, Hall, Session, guarded, refused

STATIC = Path(__file__).parent / "static"
HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?")


class Json(Response):
    """JSON in ASCII, without NaN."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False).encode()


def failed(status: int, line: str) -> Json:
    return Json({"error": " ".join(line.split())}, status)


class Doorkeeper:
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
                safe["Content-Security-Policy"] = policy
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


def make_app(given: list[str]) -> FastAPI:
    """The server's application; `given` are the specs of users' own games.  InputError if one makes no sense."""
    hall = Hall(Shelf(given))
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, default_response_class=Json)
    app.state.hall = hall
    app.add_middleware(Doorkeeper)

    async def answer(work: Callable, *args: Any) -> Json:
        """Run in a thread; what is wrong with a request is one line."""
        try:
            return Json(await asyncio.to_thread(guarded, work, *args))
        except InputError as error:
            return failed(422, refused(error, ""))
        except Exception as error:
            return failed(422, refused(error, "a position"))

    @app.get("/api/games")
    async def list_games() -> Json:
        made = {name: games.maker(name) for name in games.REGISTRY}
        return Json({"games": described(made), "given": list(hall.shelf.given)})

    @app.get("/api/agents")
    async def list_agents() -> Json:
        return Json({"agents": described({name: agents.maker(name) for name in agents.REGISTRY if name != "human"})})

    @app.post("/api/position")
    async def position(request: Position) -> Json:
        return await answer(seen, hall.shelf, request)

    @app.post("/api/play")
    async def play(request: Play) -> Json:
        return await answer(seen, hall.shelf, request, request.move)

    @app.websocket("/api/socket")
    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        if not hall.sockets.take():
            await websocket.close(1008, f"at most {SOCKETS} sockets")
            return
        try:
            await Session(websocket, hall).run()
        finally:
            hall.sockets.give_back()

    @app.get("/")
    async def page() -> Response:
        index = STATIC / "index.html"
        if not index.is_file():
            return PlainTextResponse("Plyground's server runs; its page is not installed.\n")
        return FileResponse(index)

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Json:
        return failed(422, complaint(error.errors()))

    @app.exception_handler(StarletteHTTPException)
    async def not_there(_: Request, error: HTTPException) -> Json:
        return failed(error.status_code, str(error.detail))

    return app


def seen(shelf: Shelf, request: Position, move: str | None = None) -> dict[str, Any]:
    """The view of a position, after one more move if there is one."""
    shown = shelf.game(request.game)
    state, last = shown.state(request.start, request.moves)
    moves = [shown.names[shown.action(name)] for name in request.moves]
    if move is not None:
        if shown.game.over(state):
            raise InputError("the game is over")
        action = shown.action(move)
        last = shown.play(state, action)
        moves.append(shown.names[action])
    return shown.view(request.start, moves, state, last)
