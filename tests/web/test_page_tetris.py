"""Tetris on the page: a person at the keys, an agent at the keys, the best games."""

from __future__ import annotations

import json
import re

from browsing import Reader, expect, needs_chromium, playwright, until

pytestmark = needs_chromium

Cells = list[tuple[float, float]]


def piece(page: playwright.Page) -> Cells:
    """Column and row of the cells of the falling piece."""
    read = "all => all.map((one) => [one.x.baseVal.value, one.y.baseVal.value].map((at) => Math.floor(at / 30)))"
    return sorted((col, row) for col, row in page.locator(".tetris-well .piece").evaluate_all(read))


def columns(page: playwright.Page) -> list[float]:
    return [col for col, _ in piece(page)]


def figure(page: playwright.Page, name: str) -> int:
    return int(page.inner_text(f"[data-figure={name}]").replace(",", ""))


def settle(page: playwright.Page) -> None:
    """Let two frames pass, in which what has changed is drawn."""
    page.clock.run_for(40)


def test_a_person_plays(reader: Reader) -> None:
    reader.context.clock.install(time=0)
    page = reader.page("#tetris?seed=3")
    notice = page.locator(".tetris-notice")
    expect(notice).to_have_text("Press a key to start")
    page.clock.pause_at(1000)  # from now on time passes as is said here, and no key is held for long
    page.keyboard.press("a")
    expect(notice).to_be_hidden()
    page.keyboard.press("p")
    settle(page)
    at = columns(page)
    for key, moved in ("ArrowLeft", -1), ("d", 1), ("ArrowRight", 1), ("a", -1):
        page.keyboard.press("p")
        page.keyboard.press(key)
        page.keyboard.press("p")
        settle(page)
        assert columns(page) == [col + moved for col in at], key
        at = columns(page)
    expect(notice).to_have_text("Paused")
    still = piece(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press(" ")
    page.clock.run_for(900)  # two falls
    assert piece(page) == still and figure(page, "score") == 0
    page.keyboard.press("p")
    page.keyboard.press("w")
    page.keyboard.press(" ")
    settle(page)
    assert figure(page, "score") % 10 == 0 and figure(page, "score") > 0
    before = piece(page)
    for _ in range(100):
        if piece(page) != before:
            break
        page.clock.run_for(50)
    assert piece(page) == [(col, row + 1) for col, row in before]


def test_the_best_games_are_kept_and_not_trusted(reader: Reader) -> None:
    page = reader.page("#tetris?game=tetris(5,5)&seed=1")
    nasty = "<img src=x onerror=document.title='hacked'>"
    stored = {"tetris(5,5)": [{"score": 7, "lines": 1, "level": 1, "who": nasty}, {"score": nasty}, None]}
    page.evaluate("(text) => localStorage.setItem('tetris-scores', text)", json.dumps(stored))
    expect(page.locator(".tetris-notice")).to_have_text("Press a key to start")
    for _ in range(9):
        page.keyboard.press(" ")
    expect(page.locator(".tetris-notice")).to_have_text("Game over")
    best = page.locator(".tetris-best li")
    expect(best).to_have_count(2)
    expect(best.nth(0)).to_contain_text(f"{figure(page, 'score')}")
    expect(best.nth(0)).to_contain_text("you")
    expect(best.nth(1)).to_contain_text(nasty)
    page.evaluate("localStorage.setItem('tetris-scores', '[nonsense')")
    page.keyboard.press("n")
    expect(page.locator(".tetris-notice")).to_be_hidden()
    expect(best).to_have_text(["No game has ended yet."])
    expect(page.locator("[data-figure=score]")).to_have_text("0")


def test_nothing_is_pressed_in_vain_before_the_well_is_there(reader: Reader) -> None:
    page = reader.context.new_page()
    held: list[playwright.Route] = []
    page.route("**/api/views/tetris/figures*", lambda route: held.append(route))
    page.goto(reader.address + "#tetris?game=tetris(6,12)&seed=2")
    for name in "pause", "new", "auto":
        expect(page.locator(f"#tetris-{name}")).to_be_disabled()
    page.click(".tetris-frame", force=True)
    until(page, lambda: held)
    held[0].continue_()
    expect(page.locator(".tetris-notice")).to_have_text("Press a key to start")
    page.click("#tetris-pause")
    expect(page.locator("#tetris-pause")).to_have_text("Pause")


def test_an_agent_plays(reader: Reader) -> None:
    page = reader.page("#tetris?game=tetris(6,12)&seed=2")
    page.select_option("#tetris-pace", "slow")
    page.click("#tetris-auto")
    expect(page.locator(".candidate")).to_have_count(3)
    assert all(re.fullmatch(r"-?\d+(\.\d+)?k?", text) for text in page.locator(".candidate text").all_text_contents())
    page.select_option("#tetris-pace", "at once")
    expect(page.locator("[data-figure=lines]")).not_to_have_text(re.compile("^[0-4]$"))
    page.click("#tetris-auto")
    expect(page.locator(".candidate")).to_have_count(0)
    expect(page.locator("#tetris-auto")).to_have_text("AI plays")
    page.click("#view-tetris summary")
    page.fill("[aria-label='Agent: spec']", "alphabeta")
    page.keyboard.press("Tab")
    page.click("#tetris-auto")
    expect(page.locator(".toast.error")).to_be_visible()
    expect(page.locator("#tetris-auto")).to_have_text("AI plays")


def test_the_list_of_games_leads_to_it_and_away(reader: Reader) -> None:
    page = reader.page()
    page.select_option("#game select[aria-label=Game]", "tetris")
    expect(page.locator(".tetris-well")).to_be_visible()
    expect(page.locator("#nav-play")).to_have_attribute("aria-current", "page")
    page.get_by_label("rules", exact=True).select_option("simplified")
    expect(page.locator("#view-tetris.simplified")).to_be_visible()
    assert "simplified" in page.evaluate("decodeURIComponent(location.hash)")
    page.click("text=Analyse this position")
    expect(page.locator("#board [data-cell]").first).to_be_visible()
    expect(page.locator("#status-text")).not_to_be_empty()
    page.go_back()
    page.locator("#view-tetris select[aria-label=Game]").select_option("tictactoe")
    expect(page.locator("#board [data-cell]")).to_have_count(9)
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate("location.hash = '#tetris'")
    expect(page.locator(".tetris-touch")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.click(".tetris-touch [data-key=hard]")
    page.click(".tetris-touch [data-key=hard]")
    expect(page.locator(".tetris-well .block:not(.piece, .ghost)")).to_have_count(4)
    page.evaluate("location.hash = '#runs'")
    expect(page.locator("#runs")).to_be_visible()
    page.evaluate("location.hash = '#tetris'")
    expect(page.locator(".tetris-notice")).to_have_text("Paused")
