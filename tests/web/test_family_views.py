"""Views that families of games bring along: served, announced, loaded when their game is chosen."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import complaint
from browsing import Reader, expect, needs_chromium, playwright
from fastapi.testclient import TestClient
from wire import Server

import plyground.games
from plyground import manifest, web
from plyground.web import responses
from plyground.web.server import make_app

FAMILY = '''"""A family with a view: a heap from which one or two are taken."""

from plyground.manifest import Manifest

MANIFEST = Manifest(__name__, games={"two-heaps": "rules:Heaps"}, view="view:VIEW")
'''
RULES = '''from typing import NamedTuple

import numpy as np


class Heaps(NamedTuple):
    """Take one or two; who takes the last one wins."""

    size: int = 7

    def fields(game):
        return {"left": np.int64, "player": np.int64}

    def start(game, state):
        state.left = game.size

    def actions(game):
        return 2

    def plies(game):
        return game.size

    def limits(game):
        if not 1 <= game.size <= 99:
            raise ValueError("a heap has 1 to 99")

    def player(game, state):
        return state.player

    def over(game, state):
        return state.left == 0

    def score(game, state):
        return 1.0 if state.player == 1 else -1.0

    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return min(2, state.left)

    def play(game, state, action):
        state.left -= action + 1
        state.player = 1 - state.player
'''
VIEW = '''from pathlib import Path

from plyground.manifest import View


def size(game) -> dict[str, int]:
    """How large the heap is."""
    return {"size": game.size}


VIEW = View("heaps", "Heaps", Path(__file__).parent, "heaps.js", ("heaps.css",), requests={"size": size})
'''
SCRIPT = """import { able } from "../../static/js/api.js";
import { fill, h } from "../../static/js/dom.js";

/** A number, and the agents that play with it. */
export function mount(element, page) {
  const number = h("button", { class: "heap-size", type: "button" });
  const names = h("p", { class: "heap-agents" });
  fill(element, number, names);
  number.addEventListener("click", () => (location.hash = page.address("tictactoe")));
  return {
    keys: [["H", "a key of heaps"]],
    left: 0,
    async open(words) {
      const spec = words.get("game") ?? "two-heaps";
      const { size } = await page.request("size", spec);
      number.textContent = `${size} ${page.shows(spec)} ${page.shows("tictactoe")}`;
      names.textContent = `${(await able(spec)).join(" ")} ${page.games.length > 3} left ${this.left}`;
      page.keepAddress({ game: spec, seen: "yes" });
    },
    leave() {
      this.left++;
    },
    focus() {
      number.focus();
    },
  };
}
"""
GAMES = re.compile(r"tetris|gomoku|line.?taking|\bmnk\b|connect.?four", re.IGNORECASE)


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A family in a package that is none of ours, with a view of its own."""
    folder = tmp_path / "heaps_family"
    folder.mkdir()
    for name, text in {"__init__": FAMILY, "rules": RULES, "view": VIEW}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "heaps.js").write_text(SCRIPT)
    (folder / "heaps.css").write_text(".heap-size { color: rgb(1, 2, 3); }")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plyground.games, "FAMILIES", [*plyground.games.FAMILIES, "heaps_family"])
    manifest.ours.cache_clear()
    yield folder
    manifest.ours.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "heaps_family"]:
        del sys.modules[name]


def test_the_view_of_a_family_is_announced_and_served(family: Path) -> None:
    client = TestClient(make_app([]), base_url="http://127.0.0.1:8000")
    told = responses.Games.model_validate(client.get("/api/games").json())
    assert {game.name: game.view for game in told.games if game.view} == {"tetris": "tetris", "two-heaps": "heaps"}
    view = next(view for view in told.views if view.name == "heaps")
    assert (view.title, view.script, view.styles) == ("Heaps", "views/heaps/heaps.js", ["views/heaps/heaps.css"])
    script = client.get(f"/{view.script}")
    assert script.text == SCRIPT and script.headers["content-type"].startswith("text/javascript")
    assert "default-src 'self'" in script.headers["content-security-policy"]
    assert script.headers["x-content-type-options"] == "nosniff"
    assert client.get("/api/views/heaps/size", params={"game": "two-heaps(9)"}).json() == {"size": 9}
    assert "shows only two-heaps" in complaint(client.get("/api/views/heaps/size", params={"game": "tictactoe"}))
    assert "1 to 99" in complaint(client.get("/api/views/heaps/size", params={"game": "two-heaps(100)"}))
    assert "/api/views/heaps/size" in client.get("/openapi.json").json()["paths"]
    for path in "views/heaps/../../secret", "views/heaps/nothing.js", "views/nothing/heaps.js":
        assert client.get(f"/{path}").status_code == 404
    assert client.get(f"/{view.script}", headers={"origin": "http://elsewhere"}).status_code == 403


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"heaps.js"', '"nothing.js"', "its view has no file nothing.js"),
        ('View("heaps"', 'View("tetris"', "a view cannot be called 'tetris'"),
        ('View("heaps"', 'View("play"', "a view cannot be called 'play'"),
        ("VIEW = View(", "VIEW = tuple, (", "its view is not a View but"),
        ("VIEW = View(", "VIEWS = View(", "cannot be loaded: AttributeError"),
        ("import View", "import Vew", "cannot be loaded: ImportError"),
    ],
)
def test_a_view_that_cannot_be_offered_is_named_and_left_out(
    family: Path, old: str, new: str, says: str, capsys: pytest.CaptureFixture
) -> None:
    manifest.warn.cache_clear()
    (family / "view.py").write_text(VIEW.replace(old, new).replace("requests=", "" if "tuple" in new else "requests="))
    client = TestClient(make_app([]), base_url="http://127.0.0.1:8000")
    (line,) = {line for line in capsys.readouterr().err.splitlines() if "heaps_family" in line}
    assert says in line
    told = client.get("/api/games").json()
    assert [view["name"] for view in told["views"]] == ["tetris"]
    assert {game["name"]: game["view"] for game in told["games"]}["two-heaps"] == ""
    assert client.get("/").status_code == 200


@needs_chromium
def test_the_page_loads_a_view_when_its_game_is_chosen(family: Path, browser: playwright.Browser) -> None:
    server = Server([])
    reader = Reader(browser, f"http://127.0.0.1:{server.port}/")
    try:
        page = reader.page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.select_option("#game select[aria-label=Game]", "two-heaps")
        expect(page.locator(".heap-size")).to_have_text("7 true false")
        expect(page.locator(".heap-agents")).to_have_text(re.compile(r"random.*uct.* true left 0"))
        assert [url for url in asked if url.endswith("heaps.js")] and not [url for url in asked if "tetris" in url]
        expect(page.locator(".heap-size")).to_have_css("color", "rgb(1, 2, 3)")
        expect(page).to_have_title("Heaps · Plyground")
        expect(page.locator("#nav-play")).to_have_attribute("aria-current", "page")
        expect(page).to_have_url(re.compile(r"#heaps\?game=two-heaps&seen=yes$"))
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_contain_text("a key of heaps")
        page.keyboard.press("Escape")
        page.evaluate("document.getElementById('skip').click()")
        expect(page.locator(".heap-size")).to_be_focused()
        page.click(".heap-size")
        expect(page.locator("#board [data-cell]").first).to_be_visible()  # else both addresses are read as one
        expect(page.locator("#board [data-cell]")).to_have_count(9)
        page.evaluate("location.hash = '#heaps?game=two-heaps(12)'")
        expect(page.locator(".heap-agents")).to_have_text(re.compile("left 1$"))
        expect(page.locator(".heap-size")).to_have_text("12 true false")
        page.evaluate("location.hash = '#heaps?game=two-heaps(100)'")
        expect(page.locator(".toast.error")).to_contain_text("1 to 99")
        reader.refused(page)
    finally:
        reader.context.close()
        server.stop()
    assert reader.errors == []


def test_the_page_and_its_server_name_no_game() -> None:
    folder = Path(web.__file__).parent
    found = [
        f"{path.relative_to(folder)}: {line.strip()}"
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".js", ".css", ".html", ".svg")
        for line in path.read_text().splitlines()
        if GAMES.search(line)
    ]
    assert found == []
