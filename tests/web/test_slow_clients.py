"""Connections that keep the server waiting are dropped, and nobody else notices."""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from wire import LONG, Server, ask

from plyground.bench.misbehaviour import SMALL, frame
from plyground.web import serving
from plyground.web import socket as web_socket

GAME = {"game": "tictactoe"}
HOST = "Host: 127.0.0.1\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
UPGRADE += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


@pytest.fixture
def hasty(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that waits for nobody."""
    server.until(4)
    for name in ("REQUEST", "ANSWER", "REST"):
        monkeypatch.setattr(serving, name, 1)
    monkeypatch.setattr(web_socket, "UNHEARD", 0.5)
    usual = server.listener.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    server.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)  # its connections have it, too
    yield server
    server.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, usual // 2)  # the system doubles it
    server.until(4)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 45  # before uvicorn asks for a sign of life in vain
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def connected(server: Server, said: str, unread: int = 0) -> socket.socket:
    made = socket.socket()
    made.settimeout(60)
    if unread:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, unread)
    made.connect(("127.0.0.1", server.port))
    made.sendall(said.encode())
    return made


@pytest.mark.parametrize(
    "half",
    [
        "",
        "GET / HT",
        f"GET / HTTP/1.1\r\n{HOST}Accept: every",
        f"POST /api/position HTTP/1.1\r\n{HOST}Content-Length: 100\r\n\r\n{{",
    ],
)
def test_a_request_that_does_not_come_whole_is_ended(hasty: Server, half: str) -> None:
    with connected(hasty, half) as slow, hasty.page() as page:
        answer = slow.recv(1000)
        assert answer.startswith(b"HTTP/1.1 408 ") and b'{"error": "the request was not whole in time"}' in answer
        assert slow.recv(1000) == b""
        assert ask(page, type="think", agent="random")["type"] == "thought"


def test_a_request_whose_answer_takes_long_is_not_ended(hasty: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    look = hasty.server.look
    monkeypatch.setattr(hasty.server, "look", lambda passed: looks.append(look(passed)))

    def slow() -> list[Any]:
        until(lambda: len(looks) > 4)
        return []

    monkeypatch.setattr(hasty.state.catalogue.user_games, "described", slow)
    with connected(hasty, f"GET /api/games HTTP/1.1\r\n{HOST}\r\n") as patient:
        assert patient.recv(100).startswith(b"HTTP/1.1 200 ")


def test_answers_that_nobody_reads_are_given_up(hasty: Server) -> None:
    connections = hasty.server.server_state.connections
    until(lambda: not connections)
    with connected(hasty, f"GET /static/js/board.js HTTP/1.1\r\n{HOST}\r\n" * 50, SMALL), hasty.page() as page:
        until(lambda: any(one.transport.get_write_buffer_size() for one in connections))
        assert ask(page, type="think", agent="random")["type"] == "thought"
        until(lambda: len(connections) == 1)
        assert ask(page, type="think", agent="random")["type"] == "thought"


def test_a_socket_that_does_not_listen_is_given_up_with_all_that_it_asked_for(hasty: Server) -> None:
    open_now, connections = hasty.state.sessions.open, hasty.server.server_state.connections
    until(lambda: not open_now and not connections)
    with connected(hasty, f"GET /api/socket HTTP/1.1\r\n{HOST}{UPGRADE}\r\n", SMALL) as deaf, hasty.page() as page:
        deaf.sendall(frame(json.dumps(LONG | {"id": 1}).encode()) + frame(json.dumps(LONG | {"id": 2}).encode()))
        hasty.until(2)
        deaf.settimeout(1)
        with suppress(TimeoutError):  # the server listens no longer, either
            deaf.sendall(frame(json.dumps({"type": "think", "id": 3, "agent": "a" * 500, **GAME}).encode()) * 500)
        assert ask(page, type="think", agent="random")["type"] == "thought"
        until(lambda: len(open_now) == 1 and len(connections) == 1)
        hasty.until(4)
        assert ask(page, type="think", agent="random")["type"] == "thought"


class Connection:
    """A connection by which nothing comes."""

    def __init__(self) -> None:
        self.cycle = self.timeout_keep_alive_task = None
        self.closed = False
        self.transport: Any = SimpleNamespace(
            get_write_buffer_size=lambda: 0, is_closing=lambda: self.closed, write=lambda text: None, close=self.close
        )

    def close(self) -> None:
        self.closed = True


def test_of_too_many_connections_that_wait_the_oldest_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_WAITING", 3)
    server = serving.server_for(None)
    older, newer = [Connection() for _ in range(4)], [Connection() for _ in range(2)]
    server.server_state.connections |= set(older)  # type: ignore[arg-type]
    server.look()
    assert sum(one.closed for one in older) == 1
    server.server_state.connections |= set(newer)  # type: ignore[arg-type]
    server.look()
    assert sum(one.closed for one in older) == 3 and not any(one.closed for one in newer)
    for _ in range(serving.REQUEST):
        server.look()
    assert all(one.closed for one in [*older, *newer])


def test_what_uvicorn_logs_is_one_line_and_nothing_of_what_clients_do_wrong() -> None:
    def logged(wrong: Callable[[], Any]) -> logging.LogRecord | None:
        try:
            wrong()
        except Exception:
            record = logging.LogRecord("", logging.ERROR, "", 0, "That is %s\n", ("wrong",), sys.exc_info())
            return record if serving.one_line(record) else None
        return None

    record = logged([].pop)
    assert record and record.getMessage() == "That is wrong: IndexError: pop from empty list" and not record.exc_info
    assert logged(b"\xff".decode) is None


def test_a_second_ctrl_c_shows_no_traceback() -> None:
    def record(last: str) -> logging.LogRecord:
        return logging.LogRecord(
            "", logging.ERROR, "", 0, f"Traceback (most recent call last):\n  File\n{last}\n", (), None
        )

    assert not serving.one_line(record("asyncio.exceptions.CancelledError"))
    failed = record("ValueError: wrong")
    assert serving.one_line(failed) and failed.getMessage() == "ValueError: wrong"
