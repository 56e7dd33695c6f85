"""The page as a reader and as scripts feel it: until it can be used, while a search thinks, with many games at once."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from ..spec import InputError

if TYPE_CHECKING:
    from playwright.sync_api import Page

GAMES = 20  # at once
AGENT = "uct(sims=1000)"
# the first has no window to draw and takes two thirds of the time
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
# the overlay is drawn anew as one change of its children
COUNT = """() => { window.changes = 0; new MutationObserver(() => window.changes++)
    .observe(document.querySelector('#board .over'), {childList: true}); }"""
FIRST, MOVES = 100, 500  # moves after which the page's memory is looked at
LONG_GAME, MOVER = "mnk(23,23,9)", "uct(sims=50)"  # it lasts for some hundred moves
PLAYED = "[document.querySelectorAll('#moves .move').length, document.querySelector('#status').matches('.over')]"
FRAMES = """(ms) => new Promise((done) => {
    let begun = 0, frames = 0;
    const count = (now) => {
        begun ||= now;
        if (now - begun >= ms) return done((1000 * frames) / (now - begun));
        frames++;
        requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
})"""


def page(seconds: float) -> list[dict[str, Any]]:
    """How quick the page is, beside what is wanted; what needs a browser is left out where there is none."""
    if not find_spec("fastapi") or not find_spec("websockets"):
        raise InputError("the page needs more: pip install 'plyground[web]'")
    with served() as server:
        rows = in_browser(server.address, seconds)
        answers = asyncio.run(many_games(f"ws{server.address[4:]}api/socket", seconds))
    late = answers[int(0.95 * len(answers))]
    return [
        *rows,
        row(f"{AGENT}, {GAMES} games at once: median answer, ms", 1000 * median(answers), ""),
        row(f"{AGENT}, {GAMES} games at once: 95th percentile, ms", 1000 * late, "at most 200"),
    ]


def row(what: str, measured: float | None, wanted: str) -> dict[str, Any]:
    return {"what": what, "measured": measured, "wanted": wanted}


class Served(NamedTuple):
    """A server that runs."""

    address: str
    process: int  # its number


@contextmanager
def served(warmup: bool = False, cache: str = "") -> Iterator[Served]:
    """A fresh server, with its kernels in this folder or where they usually are."""
    command = [str(Path(sys.executable).parent / "plyground"), "serve", "--port", "0"]
    command += [] if warmup else ["--no-warmup"]
    environment = os.environ | ({"XDG_CACHE_HOME": cache} if cache else {})
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout
            found = re.search(r"http://\S+", process.stdout.readline())
            if not found:
                raise InputError("the server of the page did not start")
            yield Served(found[0], process.pid)
        finally:
            process.kill()


def chromium() -> str | None:
    """The Chromium of this machine."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


def in_browser(address: str, seconds: float) -> list[dict[str, Any]]:
    """What a reader feels: none of it where there is no browser."""
    browser_here = chromium()
    if not find_spec("playwright") or not browser_here:
        print("plyground: no Chromium with Playwright here: only scripts are measured", file=sys.stderr)
        return []
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_here, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1300, "height": 900})
        shown.set_default_timeout(120_000)  # kernels may have to be compiled
        rows = [
            row("page can be used after, ms", until_usable(shown, address), "at most 1,000"),
            row("overlays a second while a search thinks", overlays(shown, address, seconds), "at least 5"),
            row("frames a second while steps are animated", frames_of_steps(shown, address, seconds), "60"),
            row("frames a second of Tetris", frames_of_tetris(shown, address, seconds), "60"),
        ]
        shown.close()
        early, late = memory(browser.new_page(), address)
        rows.append(row(f"memory of the page after {FIRST} moves, MB", early, ""))
        rows.append(row(f"memory of the page after {MOVES} moves, MB", late, "the same"))
        browser.close()
    return rows


def until_usable(shown: Page, address: str) -> float:
    """Milliseconds from the first request until the page can be used."""
    shown.goto(address)
    mark = "performance.getEntriesByName('interactive')"
    while not shown.evaluate(f"{mark}.length"):
        shown.wait_for_timeout(20)
    return shown.evaluate(f"{mark}[0].startTime - performance.getEntriesByType('navigation')[0].requestStart")


def overlays(shown: Page, address: str, seconds: float) -> float:
    """How often a second the overlay of a search on a 9x9 board is drawn anew."""
    shown.goto(f"{address}#play?game=gomoku(9)&first=human&second=human")
    shown.wait_for_selector("#board [data-cell='80']")
    shown.click("#analysis")
    shown.wait_for_selector(".thought")
    shown.evaluate(COUNT)
    shown.wait_for_timeout(1000 * seconds)
    return shown.evaluate("window.changes") / seconds


def frames_of_steps(shown: Page, address: str, seconds: float) -> float:
    """Frames a second while the steps of a search play on by themselves: cards move, roll-outs are played out."""
    shown.goto(f"{address}#steps?game=tictactoe&agent=uct&at=40")
    shown.wait_for_selector(".card-of-node")
    shown.click("#steps-play")
    frames = shown.evaluate(FRAMES, 1000 * seconds)
    shown.click("#steps-play")
    return frames


def frames_of_tetris(shown: Page, address: str, seconds: float) -> float:
    """Frames a second while an agent's keys move the pieces."""
    shown.goto(f"{address}#tetris?seed=3")
    shown.click("#tetris-auto")
    shown.wait_for_selector(".tetris-well .block:not(.piece, .ghost)")
    return shown.evaluate(FRAMES, 1000 * seconds)


def memory(shown: Page, address: str) -> tuple[float, float]:
    """Megabytes that the page's scripts hold without garbage, after the first moves and in the end: two agents play one
    game after another, as fast as the page shows them."""
    shown.add_init_script("localStorage.setItem('options', JSON.stringify({ delay: 0, sound: false }))")
    shown.goto(f"{address}#play?game={LONG_GAME}&first={MOVER}&second={MOVER}")
    shown.wait_for_selector("#board [data-cell]")
    devtools = shown.context.new_cdp_session(shown)
    devtools.send("Performance.enable")

    def held() -> float:
        devtools.send("HeapProfiler.collectGarbage")
        figures = devtools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in figures if one["name"] == "JSHeapUsedSize") / 1e6

    moves = before = 0
    early = 0.0
    shown.keyboard.press(" ")  # lets the agents move
    while moves < MOVES:
        shown.wait_for_timeout(50)
        now, over = shown.evaluate(PLAYED)
        moves += now - before
        before = now
        if not early and moves >= FIRST:
            early = held()
        if over:
            shown.keyboard.press("g")  # a new game
            shown.wait_for_selector("#moves .move", state="detached")
            shown.keyboard.press(" ")
            before = 0
    return early, held()


async def many_games(address: str, seconds: float) -> list[float]:
    """Seconds that every move took, sorted: all games ask for their next move at once, again and again."""
    taken: list[float] = []
    await play(address, [])  # compiles
    end = time.perf_counter() + seconds
    while not taken or time.perf_counter() < end:
        await asyncio.gather(*(play(address, taken) for _ in range(GAMES)))
    return sorted(taken)


async def play(address: str, taken: list[float]) -> None:
    """One game of tic-tac-toe, its agent in both seats."""
    from websockets.asyncio.client import connect

    moves: list[str] = []
    async with connect(address) as socket:
        while True:
            begun = time.perf_counter()
            think = {"type": "think", "id": 1, "game": "tictactoe", "moves": moves, "agent": AGENT}
            await socket.send(json.dumps(think))
            answer = {"type": "thinking"}
            while answer["type"] in ("thinking", "compiling", "waiting"):
                answer = json.loads(await socket.recv())
            if answer["type"] == "error":
                if "over" in answer["error"]:
                    return
                raise InputError(answer["error"])
            taken.append(time.perf_counter() - begun)
            moves.append(answer["move"])
