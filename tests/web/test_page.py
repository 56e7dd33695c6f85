"""The page in a browser: people's ways through it, from the first click to a server that goes away."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason="the page is tested with Playwright: pip install playwright"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the page is tested in Chromium, and there is none here")
expect = playwright.expect
expect.set_options(timeout=40_000)  # the first search of a kind may have to be compiled

FAST = "uct(sims=200, seed=1)"


class Server:
    """`plyground serve` in a process of its own."""

    def __init__(self, port: int = 0) -> None:
        command = [str(Path(sys.executable).parent / "plyground"), "serve", "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        while not (found := re.search(r"http://[\d.]+:(\d+)", self.process.stdout.readline())):
            assert self.process.poll() is None, "the server did not start"
        self.address, self.port = found[0] + "/", int(found[1])

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


class Reader:
    """A person with a browser of their own; errors in the console are collected."""

    def __init__(self, browser: playwright.Browser, address: str, **options: object) -> None:
        self.context = browser.new_context(viewport={"width": 1300, "height": 900}, **options)
        self.context.set_default_timeout(40_000)
        self.address, self.errors = address, list[str]()
        self.forgiven = "ERR_CONNECTION|WebSocket connection"  # while a server is away on purpose

    def page(self, where: str = "") -> playwright.Page:
        page = self.context.new_page()
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(self.address + where)
        page.wait_for_selector("#board > *, #match-board > *")
        return page


@pytest.fixture
def reader(browser: playwright.Browser, server: Server) -> Iterator[Reader]:
    someone = Reader(browser, server.address)
    yield someone
    someone.context.close()
    assert someone.errors == []


def at(game: str, moves: str = "", first: str = "human", second: str = "human", seconds: str = "") -> str:
    """The address of a position."""
    seats = f"first={quote(first)}&second={quote(second)}&first-seconds={seconds}&second-seconds={seconds}"
    return f"#play?game={quote(game)}&moves={quote(moves)}&{seats}"


def click(page: playwright.Page, *cells: int) -> None:
    for cell in cells:
        page.click(f"#board [data-cell='{cell}']")


def stones(page: playwright.Page) -> int:
    return page.locator("#board .stone > *").count()


def status(page: playwright.Page, text: str) -> None:
    expect(page.locator("#status-text")).to_contain_text(text)


def played(page: playwright.Page) -> list[str]:
    return page.locator(".moves .move").all_inner_texts()


def test_a_game_by_mouse(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    for number, cell in enumerate((4, 0, 2, 6, 3, 5, 1, 7), 1):
        click(page, cell)
        expect(page.locator("#board .stone > *")).to_have_count(number)
    click(page, 8)
    status(page, "Drawn")
    expect(page.locator("#live")).to_contain_text("plays c1")


def test_a_game_by_keyboard(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    for keys in (
        "b Enter",
        "ArrowLeft Enter",
        "ArrowUp Enter",
        "ArrowRight Enter",
        "ArrowRight ArrowDown ArrowDown Space",
    ):
        before = stones(page)
        for key in keys.split():
            page.keyboard.press(key)
        expect(page.locator("#board .stone > *")).to_have_count(before + 1)
    status(page, "X wins")
    assert page.locator("#board .cell.row").count() == 3
    assert played(page) == ["b2", "a2", "a3", "b3", "c1"]


def test_the_overlay_shows_the_thought_of_the_server(reader: Reader) -> None:
    page = reader.context.new_page()
    thoughts: list[dict] = []

    def receive(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "thought":
            thoughts.append(message["thought"])

    page.on("websocket", lambda socket: socket.on("framereceived", receive))
    page.add_init_script("localStorage.setItem('options', JSON.stringify({seconds: 0.3, mode: 'value'}))")
    page.goto(reader.address + at("tictactoe", "b2 a1"))
    page.click("#analysis")
    page.wait_for_selector("#analysis:not(.busy) >> nth=0")
    expect(page.locator(".thought")).to_have_count(7)
    while not thoughts:
        page.wait_for_timeout(50)
    page.wait_for_timeout(200)
    shown = page.eval_on_selector_all(".thought", "all => all.map(one => ({...one.dataset}))")
    told = {move["name"]: move for move in thoughts[-1]["moves"]}
    assert {one["name"]: int(one["visits"]) for one in shown} == {name: move["visits"] for name, move in told.items()}
    assert all(float(one["value"]) == pytest.approx(told[one["name"]]["value"]) for one in shown)
    assert page.get_attribute(".thought.best", "data-name") == thoughts[-1]["move"]


def test_the_overlay_is_renewed_five_times_a_second(reader: Reader) -> None:
    page = reader.page(at("gomoku(9)"))
    page.click("#analysis")
    page.wait_for_selector(".thought")
    page.evaluate(
        "() => { window.changes = 0; new MutationObserver(() => window.changes++)"
        ".observe(document.querySelector('.over'), {childList: true}); }"
    )
    page.wait_for_timeout(1500)
    assert page.evaluate("window.changes") >= 7
    page.click("#analysis")


def test_undo_and_branches(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    click(page, 4, 0)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.keyboard.press("u")
    expect(page.locator("#board .stone > *")).to_have_count(1)
    click(page, 8)
    expect(page.locator(".branch .move")).to_have_text(["c1"])
    assert played(page) == ["b2", "a3", "c1"]
    page.click(".moves .move >> nth=1")
    expect(page.locator("[data-cell='0'] .stone > *")).to_have_count(1)
    page.click("#start")
    expect(page.locator("#board .stone > *")).to_have_count(0)
    page.click("#end")
    expect(page.locator("[data-cell='0'] .stone > *")).to_have_count(1)


def test_undo_against_an_agent_goes_back_to_the_own_turn(reader: Reader) -> None:
    page = reader.page(at("tictactoe", second="random"))
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.click("#undo")
    expect(page.locator("#board .stone > *")).to_have_count(0)
    status(page, "X to move")


def test_agent_against_agent(reader: Reader) -> None:
    page = reader.page(at("tictactoe", first=FAST, second="win-block"))
    status(page, "paused")
    page.evaluate(
        "() => { const s = document.querySelector('.pace input'); s.value = 0; s.dispatchEvent(new Event('input')); }"
    )
    page.click("#step")
    expect(page.locator("#board .stone > *")).to_have_count(1)
    status(page, "paused")
    page.click("#run")
    expect(page.locator("#status-text")).to_have_text(re.compile("wins|Drawn"))
    assert len(played(page)) >= 5
    assert page.locator(".graph .dot").count() >= 3


def test_reload_keeps_the_position(reader: Reader) -> None:
    page = reader.page(at("mnk(4,4,3)"))
    click(page, 5, 6, 9)
    expect(page.locator("#board .stone > *")).to_have_count(3)
    page.click("#back")
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.reload()
    expect(page.locator("#board .stone > *")).to_have_count(2)
    assert len(played(page)) == 3
    page.click("#forward")
    expect(page.locator("#board .stone > *")).to_have_count(3)


def test_two_tabs_do_not_disturb_each_other(reader: Reader) -> None:
    one, two = reader.page(at("tictactoe", second="random")), reader.page(at("connect-four", second="random"))
    click(one, 4)
    click(two, 3)
    expect(one.locator("#board .stone > *")).to_have_count(2)
    expect(two.locator("#board .stone > *")).to_have_count(2)
    one.bring_to_front()
    assert played(one)[0] == "b2" and played(two)[0] == "d"


def test_a_server_that_goes_away_and_comes_back(browser: playwright.Browser) -> None:
    first = Server()
    someone = Reader(browser, first.address)
    page = someone.page(at("tictactoe", second="random"))
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    first.stop()
    expect(page.locator("#offline")).to_be_visible()
    free = next(cell for cell in (0, 2, 6, 8, 1) if not page.locator(f"[data-cell='{cell}'] .stone > *").count())
    click(page, free)
    time.sleep(0.3)
    second = Server(first.port)
    try:
        expect(page.locator("#board .stone > *")).to_have_count(4)
        expect(page.locator("#offline")).to_be_hidden()
    finally:
        second.stop()
    someone.context.close()
    assert [line for line in someone.errors if not re.search(someone.forgiven, line)] == []


def test_a_phone(browser: playwright.Browser, server: Server) -> None:
    someone = Reader(browser, server.address)
    page = someone.page(at("connect-four", second=FAST))
    page.set_viewport_size({"width": 360, "height": 740})
    for where in ("", "#match"):
        page.evaluate("where => { location.hash = where || location.hash }", where)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    someone.context.close()
    assert someone.errors == []


def test_a_game_on_hexagons(reader: Reader) -> None:
    page = reader.page(at("line-taking(cells=12, seed=3)"))
    cells = page.locator("#board .cell")
    cells.first.click()
    expect(page.locator("#board .selected")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#board .selected")).to_have_count(0)
    for _ in range(12):
        cell = page.locator("#board .cell:not(.used)").first
        number = cell.get_attribute("data-cell")
        cell.click()
        page.wait_for_timeout(30)
        if page.locator("#board .selected").count():
            page.click("#confirm")
        expect(page.locator(f"#board [data-cell='{number}']")).to_have_class(re.compile("used"))
    status(page, "First wins")


def test_connect_four_by_columns(reader: Reader) -> None:
    page = reader.page(at("connect-four"))
    for number, cell in enumerate((3, 4, 3, 11, 3, 18), 1):  # anywhere in the columns d and e
        click(page, cell)
        expect(page.locator("#board .stone > *")).to_have_count(number)
    page.hover("#board [data-cell='3']")
    expect(page.locator("#board .preview")).to_have_count(1)
    click(page, 3)
    status(page, "Blue wins")
    assert played(page) == ["d", "e"] * 3 + ["d"]


def test_exact_values_and_a_move_that_throws_away_the_win(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a2 a1"))  # O must take c3
    page.click("#solve")
    expect(page.locator(".verdict")).to_have_count(6)
    assert page.locator(".verdict.drawn").count() + page.locator(".verdict.lost").count() == 6
    click(page, 0)
    status(page, "X to move")
    expect(page.locator(".verdict.won").first).to_be_visible()
    lost = page.locator(".verdict:not(.won)").first.get_attribute("data-name")
    page.click(f".thought-table tr[data-name='{lost}'] button")
    expect(page.locator(".toast")).to_contain_text("throws away the win")


def test_a_tree_opens_node_by_node(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a1"))
    page.keyboard.press("2")
    page.click("#tree button")
    page.wait_for_selector("[role=treeitem]")
    assert page.locator("[role=treeitem]").count() == 7
    page.keyboard.press("Tab")
    page.locator("[role=treeitem]").first.click()
    expect(page.locator("[role=treeitem] [role=treeitem]")).to_have_count(6)


def test_a_position_is_pasted_and_errors_are_told(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    page.keyboard.press("p")
    page.fill("#position-text", "X.O/.X./O.. X")
    page.click("text=Set up")
    expect(page.locator("#board .stone > *")).to_have_count(4)
    page.keyboard.press("p")
    page.fill("#position-text", "b2 b2")
    page.click("text=Set up")
    expect(page.locator(".toast.error")).to_contain_text("not legal")
    reader.errors = [line for line in reader.errors if "status of 4" not in line]  # the browser logs a refusal


def test_a_match_of_four_games(reader: Reader) -> None:
    page = reader.context.new_page()
    settings = {"game": "tictactoe", "agents": [FAST, "random"], "games": 4, "seed": 1, "seconds": ""}
    page.add_init_script(f"localStorage.setItem('match', {json.dumps(json.dumps(settings))})")
    page.goto(reader.address + "#match")
    page.click("#match-start")
    expect(page.locator("#match-status")).to_have_text("4 of 4 games played")
    assert page.locator(".games li").count() == 4
    with page.expect_download() as saved:
        page.click("#match-export")
    assert len(json.loads(Path(saved.value.path()).read_text())["records"]) == 4
    page.click(".games li button >> nth=0")
    expect(page.locator("#status-text")).to_have_text(re.compile("wins|Drawn"))


def test_the_list_of_keys(reader: Reader) -> None:
    page = reader.page()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("analysis on or off")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
