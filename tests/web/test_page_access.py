"""The page for everybody: screen readers, phones, keys, no jumps, and studies to read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from browsing import FAST, Reader, Site, at, click, expect, needs_chromium, playwright, until
from fastapi.testclient import TestClient

from plyground.web.server import STATIC

pytestmark = needs_chromium

NAMED = {
    "button",
    "link",
    "textbox",
    "combobox",
    "spinbutton",
    "checkbox",
    "slider",
    "tab",
    "treeitem",
    "gridcell",
    "grid",
}
NAMED |= {"DisclosureTriangle", "dialog", "tabpanel", "toolbar", "region", "navigation", "timer", "tree"}
# what has jumped and how far; rows of the table of moves may change places
SHIFTS = """window.shifts = [];
    const moved = (node) => node instanceof Element ? node : node?.parentElement;
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) {
        const all = one.sources.map((source) => moved(source.node));
        const nodes = all.filter((node) => !node?.closest(".thought-table"));
        if (nodes.length) window.shifts.push([one.value, ...nodes.map((node) => node?.id || node?.className)]);
      }
    }).observe({ type: "layout-shift", buffered: true });"""


def test_a_phone(browser: playwright.Browser, site: Site) -> None:
    someone = Reader(browser, site.address)
    page = someone.page(at("connect-four", second=FAST))
    page.set_viewport_size({"width": 360, "height": 740})
    for where, there in (
        ("", "#board [data-cell]"),
        ("#match", "#match-board [data-cell]"),
        ("#runs", "#runs .learning"),
    ):
        page.evaluate("where => { location.hash = where || location.hash }", where)
        expect(page.locator(there).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    someone.context.close()
    assert someone.errors == []


def test_the_list_of_keys(reader: Reader) -> None:
    page = reader.page()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("analysis on or off")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def heard(page: playwright.Page) -> list[tuple[str, str]]:
    """What a screen reader finds: the role and the name of everything that is not ignored."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes if not node["ignored"]
    ]


def test_a_screen_reader_finds_a_name_for_everything(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2", second="uct(sims=50)"))
    expect(page.locator("#board .stone > *")).to_have_count(2)

    def all_named() -> list[tuple[str, str]]:
        found = heard(page)
        assert [role for role, name in found if role in NAMED and not name] == []
        return found

    page.click("#tab-tree")
    page.click("#tree button")
    page.wait_for_selector("[role=treeitem]")
    assert any(role == "treeitem" and "visits" in name for role, name in all_named())
    page.click("#tab-thoughts")
    page.click(".seat >> nth=1 >> summary")
    page.click("#analysis")
    page.wait_for_selector(".thought")
    roles = {role for role, _ in all_named()}
    assert {"grid", "gridcell", "tab", "combobox", "spinbutton", "checkbox", "slider", "navigation", "main"} <= roles
    page.click("#analysis")
    page.click("#edit")
    assert ("button", "Play from here") in all_named()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert ("dialog", "Keys") in all_named()
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    assert ("dialog", "Position") in all_named()
    page.keyboard.press("Escape")
    there = {
        "match": "Start the match",
        "steps": "Take the tour",
        "runs": "Games it played last",
        "studies": "A study & its figures",
    }
    for where, button in there.items():
        page.click(f"#nav-{where}")
        page.wait_for_selector(f"#{where} > *")
        expect(page.get_by_text(button)).to_be_visible()
        assert button in {name for _, name in all_named()}


def test_a_screen_reader_hears_the_cells_the_moves_and_the_result(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "a3 a1 b3"))
    cells = [name for role, name in heard(page) if role == "gridcell"]
    told = {"a3": "first player", "b3": "first player, last move", "a1": "second player"}
    assert cells == [
        f"{name}, {told.get(name, 'empty')}" for name in ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    ]
    assert page.get_attribute("#live", "role") == "status"
    page.keyboard.press("b")
    for key, name in ("ArrowDown", "b1, empty"), ("ArrowUp", "b2, empty"), ("ArrowUp", "b3, first player, last move"):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == name
    click(page, 7)
    expect(page.locator("#live")).to_have_text("O plays b1. X to move.")
    click(page, 2)
    expect(page.locator("#live")).to_have_text("X plays c3. X wins.")
    assert ("gridcell", "c3, first player, last move, winning row") in heard(page)


def test_nothing_jumps(reader: Reader) -> None:
    page = reader.context.new_page()
    page.add_init_script(SHIFTS)
    page.goto(reader.address + at("tictactoe", second=FAST))
    page.wait_for_selector(".board")
    page.wait_for_timeout(500)
    assert sum(value for value, *_ in page.evaluate("window.shifts")) < 0.001, page.evaluate("window.shifts")
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.click("#analysis")
    page.wait_for_selector(".thought")
    page.click("#solve")
    page.wait_for_selector(".verdict")
    page.wait_for_timeout(900)
    page.click("#undo")
    page.wait_for_timeout(900)
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, *_ in shifts) < 0.02, shifts  # a line of text that becomes longer is no jump


def test_the_page_is_told_to_load_all_its_modules_at_once(client: TestClient) -> None:
    page = client.get("/").text
    later = {"docs.js", "gallery.js", "offline.js"}  # when they are first needed
    loaded = {path.name for path in (STATIC / "js").glob("*.js")} - later
    assert set(re.findall(r"static/js/(\w+\.js)", page)) == loaded
    answer = client.get("/static/js/main.js")
    assert client.get("/static/js/main.js", headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def test_a_reader_is_told_why_the_first_search_takes_a_while(reader: Reader) -> None:
    page = reader.context.new_page()
    go_on: list[Callable[[], None]] = []

    def slow(socket: playwright.WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def ask(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "think":
                socket.send(json.dumps({"type": "compiling", "id": message["id"]}))
                go_on.append(lambda: server.send(text))

        socket.on_message(ask)

    page.route_web_socket("**/api/socket", slow)
    page.goto(reader.address + at("tictactoe"))
    page.wait_for_selector(".board")
    page.click("#analysis")
    expect(page.locator("#status-note.calm")).to_have_text("Preparing…")
    expect(page.locator("#live")).to_contain_text("Preparing")
    go_on[0]()
    page.wait_for_selector(".thought")
    expect(page.locator("#status-note")).to_have_text("")


def test_a_reader_is_told_how_many_are_before_in_the_queue(reader: Reader) -> None:
    page = reader.context.new_page()
    go_on: list[Callable[[], None]] = []

    def crowded(socket: playwright.WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def ask(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "think":
                socket.send(json.dumps({"type": "waiting", "id": message["id"], "before": 3, "seconds": 4.2}))
                go_on.append(lambda: server.send(text))

        socket.on_message(ask)

    page.route_web_socket("**/api/socket", crowded)
    page.goto(reader.address + at("tictactoe", second=FAST))
    page.wait_for_selector(".board")
    click(page, 4)
    expect(page.locator("#status-text")).to_have_text("O to move · 3 others before you, about 4 s…")
    go_on[0]()
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.click("#analysis")
    expect(page.locator("#status-note.calm")).to_have_text("3 others before you, about 4 s…")
    go_on[1]()
    page.wait_for_selector(".thought")
    expect(page.locator("#status-note")).to_have_text("")


def test_a_socket_that_made_room_is_opened_again_when_it_is_needed(reader: Reader) -> None:
    page = reader.context.new_page()
    sockets: list[playwright.WebSocketRoute] = []

    def served(socket: playwright.WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/api/socket", served)
    page.goto(reader.address + at("tictactoe", second=FAST))
    page.wait_for_selector(".board")
    until(page, lambda: sockets)
    sockets[0].close(code=4000, reason="not used: another socket needs its place")
    page.wait_for_timeout(600)  # longer than the page waits before it connects again
    assert len(sockets) == 1
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    assert len(sockets) == 2


def test_studies_are_listed_and_lead_back_to_positions(reader: Reader) -> None:
    page = reader.page("#studies")
    page.click("text=A study & its figures")
    expect(page).to_have_url(re.compile("/studies/a-study$"))  # before, there are other paragraphs
    expect(page.locator("p")).to_have_css("color", "rgb(1, 2, 3)")
    assert page.title() == "A study & its figures"  # its script did not run
    page.click("text=the position")
    expect(page.locator("#board .stone > *")).to_have_count(4)
    expect(page.locator("#status-text")).to_contain_text("X to move")
    reader.refused(page, "Blocked script execution")


def test_without_studies_the_page_says_how_to_make_one(browser: playwright.Browser, tmp_path: Path) -> None:
    site = Site(0, "--runs", str(tmp_path / "none"))
    someone = Reader(browser, site.address)
    try:
        page = someone.page("#studies")
        expect(page.locator("#studies")).to_contain_text("plyground reproduce STUDY")
        expect(page.locator("#studies")).to_contain_text(str(tmp_path / "none" / "studies"))
        page.goto(site.address + "docs")
        expect(page.locator("#paths")).to_contain_text("POST /api/edit")
        expect(page.locator("#View")).to_contain_text("the first player's, once the game is over")
    finally:
        someone.context.close()
        site.stop()
    assert someone.errors == []
