"""What the tests of the page share: users' own games, servers, a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import own_games
import pytest
import training
from fastapi.testclient import TestClient
from websockets.sync.client import ClientConnection
from wire import Server

from plyground.web.server import make_app

if TYPE_CHECKING:
    from browsing import Reader, Site
    from playwright.sync_api import Browser

REPORT = """<!doctype html><title>A study &amp; its
figures</title><style>p {{ color: rgb(1, 2, 3) }}</style><p>Figures</p>
<script>document.title = "hacked"</script><svg width="9" height="9"><circle r="4" /></svg>
<a href="/#play?game=tictactoe&amp;start=.O.%2FXXO%2F...+X">the position</a>"""


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Specs of users' own games."""
    return own_games.write(tmp_path_factory.mktemp("games"))


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with one run, one report, and things that are none."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("a-study", "Not-One", "empty"):
        (folder / "studies" / name).mkdir(parents=True)
    for name in ("a-study", "Not-One"):
        (folder / "studies" / name / "index.html").write_text(REPORT.format())
    (folder / "index.html").write_text("outside")
    (folder / "studies" / "linked").symlink_to(folder)
    training.run(folder / "dqn", training.lines(40))
    return folder


@pytest.fixture(scope="session")
def client(own: dict[str, str], runs: Path) -> TestClient:
    return TestClient(make_app(list(own.values()), str(runs)), base_url="http://127.0.0.1:8000")


@pytest.fixture(scope="session")
def server(own: dict[str, str]) -> Iterator[Server]:
    made = Server([own["heap"], own["dice"], own["well"]])
    yield made
    made.stop()


@pytest.fixture
def page(server: Server) -> Iterator[ClientConnection]:
    server.until(4)
    with server.page() as opened:
        yield opened


# --- in a browser -----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def site(own: dict[str, str], runs: Path) -> Iterator[Site]:
    from browsing import Site

    running = Site(0, own["heap"], own["well"], own["pieces"], own["alone"], "--runs", str(runs))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from browsing import CHROMIUM, playwright

    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture
def reader(browser: Browser, site: Site) -> Iterator[Reader]:
    from browsing import Reader

    someone = Reader(browser, site.address)
    yield someone
    someone.context.close()
    assert someone.errors == []
