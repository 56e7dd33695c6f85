"""A server in this process, and pages that talk to its socket."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from traceback import format_stack
from typing import Any

from websockets.sync.client import ClientConnection, connect

from plyground.web.server import make_app
from plyground.web.serving import server_for
from plyground.web.state import ServerState
from plyground.web.visitors import Access

ENDS = ("thought", "solution", "children", "steps", "review", "error")
ENDLESS = "uct(seconds=50, solve=False)"  # on a board so small that it would soon be solved
LONG = {"type": "think", "game": "tictactoe", "agent": ENDLESS}


class Server:
    """A server in a thread of this process."""

    def __init__(self, given: list[str], runs: str = "runs", access: Access | None = None) -> None:
        self.app = make_app(given, runs, access=access)
        self.state: ServerState = self.app.state.server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server = server_for(self.app)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self.thread.start()

    @property
    def free(self) -> int:
        return self.state.searches.free

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/api/socket"

    def page(self, **more: Any) -> ClientConnection:
        return connect(self.url, **more)

    def until(self, free: int) -> None:
        """Wait until so many slots are free."""
        end = time.monotonic() + 120
        while self.free != free:
            assert time.monotonic() < end, f"{self.free} slots are free, not {free}"
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(120)
        assert not self.thread.is_alive(), self._where()

    @staticmethod
    def _where() -> str:
        """What all threads of this process are at."""
        frames, names = sys._current_frames(), {one.ident: one.name for one in threading.enumerate()}
        return "\n".join(f"{names.get(at)}:\n{''.join(format_stack(frame))}" for at, frame in frames.items())


def send(page: ClientConnection, **message: Any) -> None:
    page.send(json.dumps(message))


def answers(page: ClientConnection) -> list[dict]:
    """All answers up to the last one of a request."""
    found: list[dict] = []
    while not found or not (found[-1]["type"] in ENDS or found[-1].get("done")):
        found.append(json.loads(page.recv(timeout=120)))
    return found


def ask(page: ClientConnection, **message: Any) -> dict:
    send(page, **{"id": 1, "game": "tictactoe"} | message)
    return answers(page)[-1]
