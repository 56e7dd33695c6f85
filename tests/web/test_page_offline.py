"""The page without its server, and as an installed app."""

from __future__ import annotations

import json
import re
import time

from browsing import Reader, Site, at, click, expect, needs_chromium, playwright
from fastapi.testclient import TestClient

from plyground.web.server import STATIC

KEPT = """async () => {
    const asked = async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url.split('?')[1]);
    const lengths = (await asked('positions')).map((text) => JSON.parse(decodeURIComponent(text)).moves.length);
    const players = (await asked('page')).includes('game=tictactoe');
    return players && [0, 1, 2, 3].every((length) => lengths.includes(length));
}"""


def test_the_app_is_described_and_its_worker_keeps_all_files(client: TestClient) -> None:
    answer = client.get("/static/app.webmanifest")
    assert answer.headers["content-type"].startswith("application/manifest+json")
    assert {"name", "start_url", "scope", "display", "icons"} <= set(answer.json())
    assert 'rel="manifest"' in client.get("/").text
    script = client.get("/service-worker.js").text
    names = json.loads(re.search(r"const FILES = (.*);", script)[1])  # type: ignore[index]
    assert {path.relative_to(STATIC.parent).as_posix() for path in STATIC.rglob("*.*")} <= set(names)
    assert [name for name in names if client.get(f"/{name.removeprefix('./')}").status_code != 200] == []
    assert client.get("/service-worker.js").text == script


def until(page: playwright.Page, holds: str) -> None:
    """Wait; the page lets nobody make code of text, as Playwright's own wait does."""
    end = time.monotonic() + 120
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(50)


@needs_chromium
def test_a_game_is_stepped_through_without_the_server(browser: playwright.Browser) -> None:
    site = Site()
    someone = Reader(browser, site.address, service_workers="allow")
    someone.errors = []
    try:
        page = someone.page(at("tictactoe", "b2 a1"))
        until(page, "!!navigator.serviceWorker.controller")
        expect(page.locator("#board .stone > *")).to_have_count(2)
        click(page, 2)
        expect(page.locator("#board .stone > *")).to_have_count(3)
        until(page, KEPT)  # who can play is asked again, too
        site.stop()
        expect(page.locator("#offline")).to_be_visible()
        page.evaluate("document.activeElement.blur()")  # on the board arrows choose a cell
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#board .stone > *")).to_have_count(2)
        page.keyboard.press("End")
        expect(page.locator("#board .stone > *")).to_have_count(3)
        page.close()
        again = someone.context.new_page()
        again.goto(someone.address + "#last")  # as the installed app begins
        expect(again.locator("#board .stone > *")).to_have_count(3)
        expect(again.locator("#offline")).to_be_visible()
        for there in 2, 1, 0:
            again.keyboard.press("ArrowLeft")
            expect(again.locator("#board .stone > *")).to_have_count(there)
    finally:
        someone.context.close()
        site.stop()
