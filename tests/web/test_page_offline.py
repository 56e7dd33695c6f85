"""The page without its server, and as an installed app."""

from __future__ import annotations

import json
import re
from pathlib import Path

from browsing import Reader, Site, at, click, expect, needs_chromium, playwright, quiet_port, until
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


@needs_chromium
def test_a_game_is_stepped_through_without_the_server(browser: playwright.Browser) -> None:
    site = Site()
    someone = Reader(browser, site.address, service_workers="allow")
    someone.errors = []
    try:
        page = someone.page(at("tictactoe", "b2 a1"))
        until(page, lambda: page.evaluate("!!navigator.serviceWorker.controller"))
        expect(page.locator("#board .stone > *")).to_have_count(2)
        click(page, 2)
        expect(page.locator("#board .stone > *")).to_have_count(3)
        until(page, lambda: page.evaluate(KEPT))  # who can play is asked again, too
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


@needs_chromium
def test_views_that_need_the_server_say_that_it_is_away_and_come_with_it(
    browser: playwright.Browser, runs: Path
) -> None:
    site = Site(quiet_port(), "--runs", str(runs))
    someone = Reader(browser, site.address)
    try:
        page, other = someone.page("#play"), someone.page("#runs")
        expect(other.locator(".run h2")).to_have_text("dqn")
        page.click("#nav-steps")
        expect(page.locator(".card-of-node")).to_have_count(1)
        page.route("**/api/pictures", lambda route: route.abort("connectionrefused"))  # only the view itself is known
        page.click("[href='#games']")
        expect(page.locator("#games h1")).to_be_visible()
        page.click("#nav-play")
        site.stop()
        for view in "runs", "studies", "games":
            expect(page.locator("#offline")).to_be_visible()
            page.click(f"[href='#{view}']")
            away = f"The server is away: the {view} appear here when it is back."
            expect(page.locator(f"#{view}")).to_contain_text(away)
        page.goto(page.url.partition("#")[0] + "#steps?game=nim")
        expect(page.locator("#steps-title")).to_have_text("The server is away")
        expect(page.locator(".card-of-node")).to_have_count(0)
        page.click("#nav-play")
        for width in (1300, 360):
            page.set_viewport_size({"width": width, "height": 800})
            banner, below = (page.locator(one).bounding_box() for one in ("#offline", "#status"))
            assert banner and below and banner["y"] + banner["height"] <= below["y"]
        page.set_viewport_size({"width": 1300, "height": 800})
        expect(other.locator("#offline")).to_be_visible()
        expect(other.locator(".run h2")).to_have_text("dqn")  # what was shown stays
        site = Site(site.port, "--runs", str(runs))
        page.unroute("**/api/pictures")
        page.click("[href='#games']")
        expect(page.locator(".pictures .card")).not_to_have_count(0)
        page.click("#nav-studies")
        expect(page.locator("#studies li a")).to_have_text("A study & its figures")
        expect(page.locator("#studies .away")).to_have_count(0)
        page.click("#nav-runs")
        expect(page.locator(".run h2")).to_have_text("dqn")
        expect(page.locator("#offline")).to_be_hidden()
    finally:
        someone.context.close()
        site.stop()
    assert [line for line in someone.errors if not re.search(someone.forgiven, line)] == []
