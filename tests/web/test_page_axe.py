"""axe-core finds nothing serious in any view: light, dark, on a phone, where all controls are large enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe import barriers
from browsing import FAST, Reader, Site, at, click, expect, needs_chromium, playwright, status

pytestmark = needs_chromium
# controls on a phone that a finger would miss; moves in a text are as wide as their names
SMALL = """() => [...document.querySelectorAll('button, select, summary, input:not([type=checkbox])')]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.5).map((one) => one.outerHTML)"""
DESKTOP, PHONE = {"width": 1300, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def page(browser: playwright.Browser, site: Site) -> Iterator[playwright.Page]:
    """One page for all views: nothing moves, so that no colour is seen on its way to another."""
    someone = Reader(browser, site.address, reduced_motion="reduce")
    yield someone.page("#match")
    someone.context.close()
    assert someone.errors == []


def games(page: playwright.Page) -> None:
    page.wait_for_selector(".pictures .card")
    page.evaluate("document.querySelectorAll('.pictures .card:nth-child(n + 4)').forEach((card) => card.remove())")


def thoughts(page: playwright.Page) -> None:
    page.click("#analysis")
    page.wait_for_selector(".thought.best")
    page.click("#analysis")


def tree(page: playwright.Page) -> None:
    page.click("#tab-tree")
    page.wait_for_selector("[role=treeitem]")


def solved(page: playwright.Page) -> None:
    page.click("#tab-thoughts")
    page.click(".seat >> nth=1 >> summary")
    page.click("#solve")
    page.wait_for_selector(".tag.drawn")
    page.click("#solve")


def review(page: playwright.Page) -> None:
    expect(page.locator("#board .stone > *")).to_have_count(4)  # the position is there, not the one before
    click(page, 2)
    status(page, "X wins")
    page.keyboard.press("w")
    page.wait_for_selector("#export-json")
    page.keyboard.press("x")


def edit(page: playwright.Page) -> None:
    expect(page.locator("#board .stone > *")).to_have_count(2)
    expect(page.locator(".moves .move")).to_have_count(2)
    page.click("#edit")
    click(page, 0)
    page.wait_for_selector(".edit-note:not(:empty)")


def keys(page: playwright.Page) -> None:
    page.keyboard.press("Escape")
    page.keyboard.press("?")


def position(page: playwright.Page) -> None:
    page.keyboard.press("Escape")
    page.keyboard.press("p")


def match(page: playwright.Page) -> None:
    page.click("#match-start")
    page.wait_for_selector("#match-export:enabled")


def steps(page: playwright.Page) -> None:
    page.wait_for_selector(".card-of-node")
    page.wait_for_selector(".step-sum:not(:empty)")


def runs(page: playwright.Page) -> None:
    page.wait_for_selector(".learning")
    page.click(".run details.options summary")


def standings(page: playwright.Page) -> None:
    labels = [f"gomoku-master(level={level}, seconds=0.25)" for level in (1, 2, 3)]
    row = {"elo": 0.0, "interval": [-9.0, 9.0], "score": 0.5, "wins": 1, "draws": 0, "losses": 1}
    ratings = [row | {"label": label} for label in labels]
    pairings = [{"agents": [0, 1], "wins": 1, "draws": 0, "losses": 1}]
    told = {"name": "t", "game": "tictactoe", "games": 2, "of": 6, "seed": 0, "stoppable": False, "problem": ""}
    told |= {"ratings": ratings, "labels": labels, "pairings": pairings}
    page.route("**/api/tournaments/t", lambda route: route.fulfill(json=told))
    page.evaluate("location.hash = '#runs?tournament=t'")
    page.wait_for_selector("table.ratings")


def training(page: playwright.Page) -> None:
    page.wait_for_selector("#begin-training")


def tournament(page: playwright.Page) -> None:
    page.wait_for_selector("#begin-tournament")


def tetris(page: playwright.Page) -> None:
    page.wait_for_selector(".tetris-well")


def studies(page: playwright.Page) -> None:
    page.wait_for_selector("#studies .studies a")


# each after the one before, on the same page
VIEWS: list[tuple[str, str, Callable[[playwright.Page], None]]] = [
    ("thoughts", at("tictactoe", "b2 a1", second=FAST), thoughts),
    ("tree", "", tree),
    ("solved", "", solved),
    ("review", at("tictactoe", "a3 a1 b3 b1"), review),
    ("edit", at("tictactoe", "b2 a1"), edit),
    ("keys", "", keys),
    ("position", "", position),
    ("match", "#match", match),
    ("steps", "#steps?tour=6", steps),
    ("runs", "#runs?run=dqn", runs),
    ("standings", "", standings),
    ("training", "#runs?new=training", training),
    ("tournament", "#runs?new=tournament", tournament),
    ("studies", "#studies", studies),
    ("tetris", "#tetris?seed=3", tetris),
    ("games", "#games", games),  # last: it has more elements than all the others
]


@pytest.mark.parametrize(("where", "act"), [pytest.param(*view[1:], id=view[0]) for view in VIEWS])
def test_nothing_serious(page: playwright.Page, where: str, act: Callable[[playwright.Page], None]) -> None:
    if where:
        page.keyboard.press("Escape")
        page.evaluate("(where) => { location.hash = where }", where)
    act(page)
    assert barriers(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert barriers(page, "color-contrast") == []
    page.set_viewport_size(PHONE)
    assert barriers(page, "target-size", "scrollable-region-focusable") == []
    assert page.evaluate(SMALL) == []
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


def test_nothing_serious_in_the_description_of_requests(reader: Reader) -> None:
    page = reader.context.new_page()
    page.goto(reader.address + "docs")
    expect(page.locator("#paths")).to_contain_text("POST /api/edit")
    assert barriers(page) == []
