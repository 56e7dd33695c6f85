"""A person in front of the page: a browser, a server in a process of its own, and what one does there."""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from plyground.bench.page import chromium

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the page is tested with Playwright: pip install playwright"
)
CHROMIUM = chromium()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="the page is tested in Chromium, and there is none here")
expect = playwright.expect
PATIENCE = 300  # seconds: the first search of a kind may have to be compiled, on a busy machine
expect.set_options(timeout=1000 * PATIENCE)

FAST = "uct(sims=200, seed=1)"


class Site:
    """`plyground serve` in a process of its own."""

    def __init__(self, port: int = 0, *words: str) -> None:
        command = [str(Path(sys.executable).parent / "plyground"), "serve", "--no-warmup", "--port", str(port), *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        while not (found := re.search(r"http://[\d.]+:(\d+)", self.process.stdout.readline())):
            assert self.process.poll() is None, "the server did not start"
        self.address, self.port = found[0] + "/", int(found[1])

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def quiet_port() -> int:
    """A free port of those that the system gives to nobody by itself: a server can go away and come back to it."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Reader:
    """A person with a browser of their own; errors in the console are collected."""

    def __init__(self, browser: playwright.Browser, address: str, **options: object) -> None:
        options = {"service_workers": "block"} | options  # what a worker asks for, no test can answer
        self.context = browser.new_context(viewport={"width": 1300, "height": 900}, **options)
        self.context.set_default_timeout(1000 * PATIENCE)
        self.address, self.errors = address, list[str]()
        self.forgiven = "ERR_CONNECTION|WebSocket connection"  # while a server is away on purpose

    def page(self, where: str = "#play") -> playwright.Page:
        page = self.context.new_page()
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(self.address + where)
        page.wait_for_selector(
            "#games > *, #board > *, #match-board > *, #steps > *, #runs > *, #studies > *, [id^=view-] > *"
        )
        return page

    def refused(self, page: playwright.Page, line: str = "status of 4") -> None:
        """What the server has refused, which the browser writes down as an error, is none of the page's."""
        until(page, lambda: any(line in error for error in self.errors))
        self.errors = [error for error in self.errors if line not in error]


def until(page: playwright.Page, holds: Callable[[], Any]) -> None:
    """Wait for what no locator tells.  (Playwright's own wait makes code of text, which the page lets nobody do.)"""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "what was awaited has not come"
        page.wait_for_timeout(20)


def at(
    game: str, moves: str = "", first: str = "human", second: str = "human", seconds: str = "", more: str = ""
) -> str:
    """The address of a position."""
    seats = f"first={quote(first)}&second={quote(second)}&first-seconds={seconds}&second-seconds={seconds}"
    return f"#play?game={quote(game)}&moves={quote(moves)}&{seats}{more}"


def click(page: playwright.Page, *cells: int) -> None:
    for cell in cells:
        page.click(f"#board [data-cell='{cell}']")


def stones(page: playwright.Page) -> int:
    return page.locator("#board .stone > *").count()


def status(page: playwright.Page, text: str) -> None:
    expect(page.locator("#status-text")).to_contain_text(text)


def played(page: playwright.Page) -> list[str]:
    return page.locator(".moves .move").all_inner_texts()


def served(page: playwright.Page, answer: Callable[[Any, dict], None]) -> list[dict]:
    """Let `answer` take the server's place at the socket; what the page asks there."""
    asked: list[dict] = []

    def connect(socket: playwright.WebSocketRoute) -> None:
        def receive(text: str | bytes) -> None:
            message = json.loads(text)
            asked.append(message)
            if message["type"] != "stop":  # when the page leaves a position
                answer(lambda **said: socket.send(json.dumps({"id": message["id"], **said})), message)

        socket.on_message(receive)

    page.route_web_socket("**/api/socket", connect)
    return asked
