"""What the page shows is what it means: visits are counts, proofs have their colour, one scale; and it fits a phone."""

from __future__ import annotations

import re

import pytest
from browsing import Reader, at, expect, needs_chromium, played, served, status

pytestmark = needs_chromium
GOMOKU = "h8 i9 h9 h7 g8 i10 i8 f8 g10 f11 j7 k6 h10 j10"
PHONE = {"width": 390, "height": 844}
APART = """all => all.filter(one => { const tops = [...one.children].map(part => part.getBoundingClientRect().top);
    return Math.max(...tops) - Math.min(...tops) > 12; }).length"""
CONTROLS = "button, a[href]:not(.skip), select, input, textarea, summary"  # the cells of a board are confirmed
SMALL = """all => all.filter(one => !one.closest(".board, p")).map(one => one.type === "checkbox" ? one.labels[0] : one)
    .filter(one => one.offsetParent && Math.min(one.offsetWidth, one.offsetHeight) < 44)
    .map(one => `${one.id || one.className || one.textContent} ${one.offsetWidth} x ${one.offsetHeight}`)"""
FORMS = "#runs?new=training", "#runs?new=tournament"
VIEWS = "", "#match", "#steps?tour=2", "#runs", *FORMS, "#studies", "#tetris?seed=3"


def settled(reader: Reader, where: str, analyst: str, seconds: float = 0.5, **size: int):
    page = reader.context.new_page()
    options = f"{{seconds: {seconds}, mode: 'visits', analyst: '{analyst}'}}"
    page.add_init_script(f"localStorage.setItem('options', JSON.stringify({options}))")
    page.set_viewport_size(size or {"width": 1300, "height": 900})
    page.goto(reader.address + where)
    page.wait_for_selector("#board [data-cell]")
    return page


def test_visits_are_counts_proven_losses_are_not_green_and_the_analysis_remains(reader: Reader) -> None:
    page = settled(reader, at("tictactoe", "a1 b2 c3"), "uct(sims=3000, seed=1)", 60)  # corners lose
    page.click("#analysis")
    page.wait_for_selector(".thought .reading")
    page.wait_for_selector("#analysis:not(.busy)")
    texts = page.locator(".thought .reading").all_text_contents()
    assert texts and all(re.fullmatch(r"[\d.]+[kM]?", text) for text in texts)
    lost = page.locator(".thought-table td.proven.lost").first
    colour = "(one) => getComputedStyle(one, '::after').color"
    assert lost.evaluate(colour) != page.evaluate("getComputedStyle(document.querySelector('.tag, .proven')).color")
    good = page.evaluate(
        "(() => { const one = document.createElement('b'); one.style.color = 'var(--good)';"
        "document.body.append(one); return getComputedStyle(one).color; })()"
    )
    assert lost.evaluate(colour) != good
    head = page.inner_text(".thought-head strong")
    best = page.inner_text(".thought-table tr.best td >> nth=3").rstrip(" ✓")
    page.click("#analysis")
    expect(page.locator(".thought-head strong")).to_have_text(head)  # stopped, and still there
    expect(page.locator(".thought")).to_have_count(0)
    page.click("#tab-tree")
    expect(page.locator("[role=treeitem]").first).to_be_visible()
    expect(page.locator("#tree .tree-row").first).to_contain_text("root")
    assert f"Q {best}" in page.locator("[role=treeitem]").first.inner_text().replace("\n", " ")
    expect(page.locator("#tree .legend-text")).to_contain_text("N visits")


def test_the_tree_grows_while_the_analysis_runs_and_priors_fit(reader: Reader) -> None:
    page = settled(reader, at("gomoku(9)", "e5"), "uct", 60)  # longer than a busy machine takes to look twice
    page.click("#tab-tree")
    page.click("#analysis")
    root = page.locator("#tree .tree-row .n").first
    expect(root).to_be_visible()
    before = root.inner_text()
    expect(root).not_to_have_text(before)
    wide = page.eval_on_selector_all(
        "#tree .tree-row", "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    )
    assert wide == 0 and page.eval_on_selector_all("#tree .tree-row", APART) == 0
    page.click("#analysis")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_stones_are_seen_and_numbers_stay_with_their_moves_and_toasts_cover_nothing(
    reader: Reader, scheme: str
) -> None:
    reader.context.clock.install(time=0)
    page = settled(reader, at("gomoku(15)", GOMOKU), "uct")
    page.clock.pause_at(1000)  # what is said in a line stays
    page.emulate_media(color_scheme=scheme)
    status(page, "Black to move")
    assert page.eval_on_selector(".chip.black circle", "one => getComputedStyle(one).stroke") != "none"
    assert page.locator(".with-number").count() == 7 and page.eval_on_selector_all(".with-number", APART) == 0
    page.keyboard.press("y")
    toast = page.locator(".toast").bounding_box()
    assert toast and toast["y"] + toast["height"] <= page.locator("#play").bounding_box()["y"] + 1  # type: ignore[index]
    links = page.locator(".bar nav").bounding_box()
    assert links and links["x"] + links["width"] <= toast["x"]
    for size in ({"width": 1180, "height": 820}, PHONE):
        page.set_viewport_size(size)
        page.evaluate("scrollTo(0, 0)")
        page.evaluate("import('/static/js/dom.js').then(({ toast }) => toast('Said in a line.'))")
        toast = page.locator(".toast").last.bounding_box()
        above, below = (page.locator(one).bounding_box() for one in (".bar", "#status"))
        assert toast and above and below
        assert above["y"] + above["height"] <= toast["y"] and toast["y"] + toast["height"] <= below["y"]


def test_a_phone_has_board_moves_and_thoughts_first_and_confirms_a_tap(reader: Reader, browser, site) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.add_init_script("localStorage.setItem('options', JSON.stringify({seconds: 1, analyst: 'uct'}))")
    page.goto(site.address + at("gomoku(15)", "h8"))
    page.wait_for_selector("#board [data-cell]")
    for part in ("#board", "#moves", "#thoughts"):
        box = page.locator(part).bounding_box()
        assert box and box["y"] < 1.5 * PHONE["height"], part
    assert page.locator("#thoughts").bounding_box()["y"] + 120 < 1.5 * PHONE["height"]  # type: ignore[index]
    assert page.eval_on_selector_all(CONTROLS, SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.tap("#board [data-cell='100']")
    expect(page.locator("#confirm")).to_be_visible()
    assert played(page) == ["h8"]
    page.tap("#board [data-cell='101']")
    page.tap("#board [data-cell='101']")
    expect(page.locator(".moves .move")).to_have_count(2)
    page.tap("#analysis")
    page.wait_for_selector(".thought .reading")
    scale = (
        "document.querySelector('#board svg').clientWidth / document.querySelector('#board svg').viewBox.baseVal.width"
    )
    shown = page.eval_on_selector_all(".thought .reading", "all => all.map(one => one.style.fontSize)")
    sizes = [float(size.removesuffix("px")) * page.evaluate(scale) for size in shown]
    assert sizes and min(sizes) >= 9.9
    context.close()


@pytest.mark.parametrize("where", VIEWS)
def test_every_control_is_large_enough_for_a_finger(reader: Reader, where: str) -> None:
    page = reader.page(where)
    if not where:
        page.wait_for_selector(".pictures .card")
    page.set_viewport_size({"width": 360, "height": 740})
    closed = page.locator("details:not([open]) > summary:visible")
    while closed.count():
        closed.first.click()
    assert page.eval_on_selector_all(CONTROLS, SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_threats_show_an_open_three_and_a_won_row_is_whole(reader: Reader) -> None:
    page = reader.page(at("gomoku(15)", "h8 a1 i8 a15 j8"))
    page.click("#threats")
    assert page.eval_on_selector_all("#board .double0", "all => all.map((one) => one.dataset.cell)") == ["111", "115"]
    page = reader.page(at("pig"))
    expect(page.locator("#threats")).to_be_disabled()  # nothing lists them there
    look = "(one) => [getComputedStyle(one.firstChild).fill, getComputedStyle(one.querySelector('.disc')).stroke]"
    for game, moves, count in (
        ("gomoku(9)", "a1 a9 b1 b9 c1 c9 e1 e9 f1 f9 d1", 6),
        ("connect-four", "d c d c d c d", 4),
    ):
        page = reader.page(at(game, moves))
        seen = page.eval_on_selector_all("#board .cell.row", f"all => all.map({look})")
        assert len(seen) == count and len({tuple(one) for one in seen}) == 1 and seen[0][0] != "none"


def test_what_a_board_does_not_show_is_said_of_the_sides_by_the_names_that_they_have(reader: Reader) -> None:
    page = reader.page(at("backgammon", "41"))
    status(page, "First to move")
    view = {"caption": "X moves by 4 1, O waits", "board": {"shape": "cells", "sides": ["First", "Second"]}}
    said = page.evaluate("async (view) => (await import('/static/js/look.js')).captionOf(view)", view)
    assert said == "First moves by 4 1, Second waits"


def test_what_is_compiled_is_told_below_who_moves_on_a_phone(reader: Reader) -> None:
    page = reader.context.new_page()
    page.set_viewport_size(PHONE)
    told = {"type": "compiling", "kernel": "run_to_end", "share": 0.26, "seconds_left": 12}
    served(page, lambda say, _: say(**told))
    page.goto(reader.address + at("gomoku(9)", "e5"))
    page.wait_for_selector("#board [data-cell]")
    page.click("#analysis")
    note, text = page.locator("#status-note"), page.locator("#status-text")
    expect(note).to_have_text("Compiling run_to_end, 26% done, about 12 s left…")
    for one in (note, text):
        assert one.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    below, above = note.bounding_box(), text.bounding_box()
    assert below and above and below["y"] >= above["y"] + above["height"] - 1
    assert "Turn on Analysis" not in page.inner_text("#thoughts")
