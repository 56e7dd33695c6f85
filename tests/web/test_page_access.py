"""The page for everybody: screen readers, phones, keys, no jumps, and studies to read."""

from __future__ import annotations

from browsing import FAST, Reader, Site, at, expect, needs_chromium, playwright

pytestmark = needs_chromium


def test_a_phone(browser: playwright.Browser, site: Site) -> None:
    someone = Reader(browser, site.address)
    page = someone.page(at("connect-four", second=FAST))
    page.set_viewport_size({"width": 360, "height": 740})
    for where in ("", "#match"):
        page.evaluate("where => { location.hash = where || location.hash }", where)
        page.wait_for_timeout(200)
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
