"""Screenshots of every view, to be looked at, and what axe-core finds there.

python tests/web/shots.py FOLDER [ADDRESS [WORD...]]: all pictures, or those whose names have one of the words; an
address "" is a server of its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import training
from axe import barriers
from playwright.sync_api import Browser, Page, sync_playwright

from plyground.bench.page import chromium

DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 360, "height": 740}
TALL = {"width": 390, "height": 844}  # a phone, too


NIM = f"{Path(__file__).parent.parent / 'toys.py'}:Dice"
WELL = f"{Path(__file__).parent / 'well.py'}:Dominoes"
REPORT = "<!doctype html><title>Solving tic-tac-toe</title><h1>A study</h1>"


def hash_of(game: str, moves: str = "", first: str = "human", second: str = "human", more: str = "") -> str:
    return f"#play?game={quote(game)}&moves={quote(moves)}&first={quote(first)}&second={quote(second)}{more}"


def gallery(page: Page) -> None:
    page.wait_for_selector(".pictures .card")


def play(page: Page) -> None:
    page.wait_for_timeout(300)


def analysis(page: Page) -> None:
    page.click("#analysis")
    page.wait_for_selector(".thought.best")
    page.wait_for_timeout(2500)


def line(page: Page) -> None:
    analysis(page)
    page.hover(".thought-table tr.best")
    page.wait_for_timeout(300)


def solve(page: Page) -> None:
    page.click("#solve")
    page.wait_for_selector(".verdict.won, .verdict.lost, .verdict.drawn")
    page.wait_for_selector("#solve:not(.busy)")
    page.wait_for_timeout(200)


def selection(page: Page) -> None:
    for cell in page.query_selector_all(".cell:not(.used)")[1:3]:
        cell.click()
    page.wait_for_timeout(300)


def tree(page: Page) -> None:
    page.click("#tab-tree")
    page.click("#tree button")
    page.wait_for_selector("[role=treeitem]")
    page.click("[role=treeitem] >> nth=0")
    page.wait_for_selector("[role=treeitem] [role=treeitem]")
    page.click("[role=treeitem] [role=treeitem] >> nth=0")
    page.wait_for_timeout(500)


def options(page: Page) -> None:
    page.click("[data-plays=second]")
    page.click(".seat >> nth=0 >> summary")
    page.wait_for_timeout(500)


def match(page: Page) -> None:
    page.click("#match-start")
    page.wait_for_selector("text=20 of 20 games played")
    page.wait_for_selector("#match-export:enabled")


def edit(page: Page) -> None:
    page.click("#edit")
    page.click("#board [data-cell='0']")
    page.wait_for_selector(".edit-note:not(:empty)")
    page.wait_for_timeout(300)


def position(page: Page) -> None:
    page.keyboard.press("p")
    page.wait_for_timeout(200)


def pick(page: Page) -> None:
    page.click("#board [data-cell='2']")
    page.wait_for_timeout(300)


def none(page: Page) -> None:
    page.route("**/api/studies", lambda route: route.fulfill(json={"folder": "runs/studies", "studies": []}))
    page.reload()
    page.wait_for_selector(".command")


def no_runs(page: Page) -> None:
    page.route("**/api/runs", lambda route: route.fulfill(json={"folder": "runs", "runs": []}))
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(".command")


def curves(page: Page) -> None:
    page.wait_for_selector(".learning")
    page.hover(".chart-host >> nth=0")
    page.wait_for_timeout(200)


def begins(page: Page) -> None:
    page.wait_for_selector("form .command")
    page.click("form summary >> visible=true >> nth=0")


def all_of_a_run(page: Page) -> None:
    page.wait_for_selector(".learning")
    page.click(".run summary")
    page.evaluate("scrollTo(0, 9999)")


def step(page: Page) -> None:
    page.wait_for_selector(".card-of-node")
    page.wait_for_timeout(3000)


def review(page: Page) -> None:
    page.keyboard.press("w")
    page.wait_for_selector("#export-json")
    page.keyboard.press("x")
    page.wait_for_timeout(500)


def retried(page: Page) -> None:
    review(page)
    page.keyboard.press("z")
    page.click("#board [data-cell='0']")
    page.wait_for_selector(".verdict-text:is(.right, .wrong)")
    page.evaluate("document.querySelector('.analysis').scrollIntoView({block: 'center'})")


def keys(page: Page) -> None:
    page.keyboard.press("?")


def tetris(page: Page) -> None:
    page.select_option("#tetris-pace", "fast")
    page.click("#tetris-auto")
    page.wait_for_timeout(6000)
    page.select_option("#tetris-pace", "slow")
    page.wait_for_selector(".candidate")


GOMOKU = "e5 f6 f5 d5 g5 h5 e4 e6 g6"
LOST = "d d d d d b"
REVIEWED = "h8 i9 h9 h7 g8 i10 i8 f8 g10 f11 j7 k6 h10 j10"
FOUR = "d3 c2 b2 c4 c3 c1 a1 b4 a4 d1 a2 b3 a3"
SHOTS: list[tuple[str, str, dict, str, Callable[[Page], None]]] = [
    ("games", "", DESKTOP, "light", gallery),
    ("games-dark", "", DESKTOP, "dark", gallery),
    ("phone-games", "", PHONE, "light", gallery),
    ("play-light", hash_of("tictactoe", "b2 a1 c3 a3 a2"), DESKTOP, "light", play),
    ("play-dark", hash_of("tictactoe", "b2 a1 c3 a3 a2"), DESKTOP, "dark", play),
    ("won-light", hash_of("tictactoe", "b2 a1 c3 a3 a2 c2 b3 b1 c1"), DESKTOP, "light", play),
    ("gomoku-analysis-light", hash_of("gomoku(9)", GOMOKU), DESKTOP, "light", analysis),
    ("gomoku-analysis-dark", hash_of("gomoku(9)", GOMOKU), DESKTOP, "dark", analysis),
    ("gomoku-line", hash_of("gomoku(9)", GOMOKU), DESKTOP, "light", line),
    ("gomoku15-dark", hash_of("gomoku(15)", "h8 h9 j9 g7 i8"), DESKTOP, "dark", play),
    ("connect-four-solved", hash_of("connect-four(6,5)", LOST), DESKTOP, "light", solve),
    ("connect-four-solved-dark", hash_of("connect-four(6,5)", "d d d d d b b f"), DESKTOP, "dark", solve),
    ("connect-four-dark", hash_of("connect-four", LOST), DESKTOP, "dark", analysis),
    ("line-taking", hash_of("line-taking"), DESKTOP, "light", selection),
    ("line-taking-dark", hash_of("line-taking"), DESKTOP, "dark", analysis),
    ("tree", hash_of("tictactoe", "b2 a1"), DESKTOP, "light", tree),
    ("options", hash_of("mnk(4,4,4)", "b2", "human", "uct(sims=300)"), DESKTOP, "light", options),
    ("match-light", "#match", DESKTOP, "light", match),
    ("match-dark", "#match", DESKTOP, "dark", match),
    ("edit", hash_of("connect-four", "d d e c"), DESKTOP, "light", edit),
    ("edit-dark", hash_of("tictactoe", "b2 a1"), DESKTOP, "dark", edit),
    ("position", hash_of("gomoku(9)", "e5 e4"), DESKTOP, "light", position),
    ("clocks", hash_of("tictactoe", "b2", "human", "uct", "&first-minutes=5&second-minutes=5"), DESKTOP, "light", play),
    ("steps-select-light", "#steps?tour=6", DESKTOP, "light", step),
    ("steps-tree-dark", "#steps?tour=9", DESKTOP, "dark", step),
    ("steps-policy", "#steps?game=tictactoe&agent=guided&at=50.select", DESKTOP, "light", step),
    ("steps-net", "#steps?game=connect-four&agent=alphazero&at=30.select", DESKTOP, "light", step),
    ("steps-alphabeta-dark", "#steps?tour=10", DESKTOP, "dark", step),
    ("phone-steps", "#steps?tour=6", PHONE, "light", step),
    ("phone-steps-dark", "#steps?tour=3", PHONE, "dark", step),
    ("review-light", hash_of("gomoku(15)", REVIEWED), DESKTOP, "light", review),
    ("review-dark", hash_of("mnk(4,4,4)", FOUR), DESKTOP, "dark", review),
    ("phone-review", hash_of("mnk(4,4,4)", FOUR), TALL, "light", retried),
    ("well", hash_of(WELL, "u1 l2 u5 l1 u4 l2 u5 l1 l3"), DESKTOP, "light", pick),
    ("well-dark", hash_of(WELL, "u1 l2 u5 l1 u4 l2 u5 l1"), DESKTOP, "dark", analysis),
    ("own-game", hash_of(NIM, "0"), DESKTOP, "light", play),
    ("studies", "#studies", DESKTOP, "light", play),
    ("studies-none-dark", "#studies", DESKTOP, "dark", none),
    ("runs", "#runs", DESKTOP, "light", curves),
    ("runs-dark", "#runs?run=seeds%2F1", DESKTOP, "dark", curves),
    ("runs-end", "#runs?run=dqn", DESKTOP, "light", all_of_a_run),
    ("runs-none", "#runs", DESKTOP, "light", no_runs),
    ("training", "#runs?new=training", DESKTOP, "light", begins),
    ("tournament-dark", "#runs?new=tournament", DESKTOP, "dark", begins),
    ("phone-tournament", "#runs?new=tournament", PHONE, "light", begins),
    ("phone-runs", "#runs", PHONE, "light", curves),
    ("phone-runs-dark", "#runs?run=seeds%2F1", PHONE, "dark", curves),
    ("docs", "docs", DESKTOP, "light", play),
    ("tetris", "#tetris?seed=3", DESKTOP, "light", tetris),
    ("tetris-dark", "#tetris?seed=3", DESKTOP, "dark", tetris),
    ("phone-tetris", "#tetris?seed=3", PHONE, "light", tetris),
    ("phone-edit", hash_of("tictactoe", "b2 a1"), PHONE, "light", edit),
    ("phone-well", hash_of(WELL, "u1 l2"), PHONE, "dark", play),
    ("phone-studies", "#studies", PHONE, "dark", play),
    ("tablet", hash_of("gomoku(15)", "h8 h9 j9"), {"width": 900, "height": 1000}, "light", play),
    ("keys", hash_of("tictactoe"), DESKTOP, "light", keys),
    ("phone-light", hash_of("tictactoe", "b2 a1 c3"), PHONE, "light", analysis),
    ("phone-dark", hash_of("connect-four", LOST), PHONE, "dark", play),
    ("phone-match", "#match", PHONE, "light", match),
]


def shoot(browser: Browser, address: str, folder: Path, only: list[str]) -> None:
    for name, where, size, scheme, act in SHOTS:
        if only and not any(word in name for word in only):
            continue
        page = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=1, service_workers="block")
        page.set_default_timeout(180_000)  # kernels may have to be compiled
        page.on("console", lambda m, name=name: print(name, m.type, m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error, name=name: print(name, "pageerror", error))
        page.goto(address + where)
        page.wait_for_selector(
            "#play:not([hidden]) :is(.board, .text-board), #match .board, "
            ":is(#games, #steps, #runs, #studies, [id^=view-]) > *, #View"
        )
        act(page)
        page.screenshot(path=folder / f"{name}.png", full_page=size is PHONE)
        for barrier in barriers(page):
            print(name, barrier, flush=True)
        page.close()


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    given = sys.argv[2] if len(sys.argv) > 2 else ""
    runs = Path(tempfile.mkdtemp())
    (runs / "studies" / "solved").mkdir(parents=True)
    (runs / "studies" / "solved" / "index.html").write_text(REPORT)
    training.run(runs / "dqn", training.lines(200), age=1)
    training.run(runs / "seeds" / "1", training.lines(15), seed=1)
    training.run(runs / "seeds" / "2", [], seed=2, game="gomoku(9)")
    command = [
        str(Path(sys.executable).parent / "plyground"),
        "serve",
        WELL,
        NIM,
        "--port",
        "0",
        "--no-warmup",
        "--runs",
        str(runs),
    ]
    server = None if given else subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = given
        while server and server.stdout and not address:
            found = re.search(r"http://\S+", server.stdout.readline())
            address = found[0].rstrip("/") + "/" if found else ""
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            shoot(browser, address, folder, sys.argv[3:])
            browser.close()
    finally:
        if server:
            server.terminate()


if __name__ == "__main__":
    main()
