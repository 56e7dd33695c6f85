"""A review on the page: the mistakes of a game, another try at them, files that hold it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browsing import Reader, at, click, expect, needs_chromium, played, status

import plyground as pg
from plyground import game_files

pytestmark = needs_chromium
GAME = "d3 c2 b2 c4 c3 c1 a1 b4 a4 d1 a2 b3 a3"  # the eighth move loses a draw: d4 keeps it
DROP = """([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); }"""


def cell(name: str) -> int:
    return 4 * (4 - int(name[1])) + "abcd".index(name[0])


def test_a_game_is_reviewed_a_mistake_tried_again_and_the_review_saved(reader: Reader, tmp_path: Path) -> None:
    page = reader.page(at("mnk(4,4,4)", GAME, second="uct(sims=50)"))
    page.click("#tab-review-panel")
    page.click("#review")
    expect(page.locator(".mistakes li")).to_have_count(1)
    expect(page.locator("#export-json")).to_be_visible()
    expect(page.locator(".mistakes .cost")).to_contain_text("50%")
    expect(page.locator("#review-panel .help").first).to_have_text("By the solver.")
    assert "??" in page.locator(".moves .move").nth(7).inner_text() and page.locator(".graph .slip").count() == 1
    assert "".join(played(page)).count("?") == 2
    truth = pg.review("mnk(4,4,4)", GAME).values
    page.click(".moves .move >> nth=0")
    expect(page.locator("#graph-note")).to_contain_text(f"{(truth[1] + 1) / 2:.0%}")  # type: ignore[operator]

    page.keyboard.press("x")  # the position before it, with the better line
    status(page, "O to move")
    assert len(played(page)) == 13 and page.locator(".ghost").count() >= 3
    expect(page.locator(".verdict-text")).to_contain_text("4… b4: blunder, costs 50% for sure; better: d4")
    page.keyboard.press("z")
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator(".verdict-text")).to_contain_text("O to move: find something better than b4")
    click(page, cell("b4"))
    expect(page.locator(".verdict-text.wrong")).to_contain_text("the move of the game")
    page.keyboard.press("z")
    click(page, cell("a4"))
    expect(page.locator(".verdict-text")).to_have_text(
        "Not yet. a4: that loses as well. Try again (Z), or see what was better (X)."
    )
    page.click("#retry")
    click(page, cell("d4"))
    expect(page.locator(".verdict-text.right")).to_have_text("Right. d4: nothing lost.")
    page.wait_for_timeout(400)
    status(page, "X to move")  # nobody answers

    for ending in ("sgf", "json", "txt"):
        with page.expect_download() as saved:
            page.click(f"#export-{ending}")
        saved.value.save_as(tmp_path / f"mine.{ending}")
    names = pg.make("mnk(4,4,4)").name
    assert " ".join(map(names, game_files.read(tmp_path / "mine.sgf").actions)) == GAME
    assert "BM[1]" in (tmp_path / "mine.sgf").read_text() and "1 blunder" in (tmp_path / "mine.txt").read_text()
    assert json.loads((tmp_path / "mine.json").read_text())["mistakes"] == [7]

    page.keyboard.press("g")
    expect(page.locator(".mistakes li")).to_have_count(0)
    for ending in ("sgf", "json"):  # dropped onto the page
        page.evaluate(DROP, [f"mine.{ending}", (tmp_path / f"mine.{ending}").read_text()])
        status(page, "X wins")
        assert [name.strip("?!") for name in played(page)] == GAME.split()
        page.keyboard.press("g")
        status(page, "X to move")


@pytest.mark.parametrize("width", [1300, 390])
def test_files_are_pasted_and_what_is_none_is_said(reader: Reader, width: int) -> None:
    page = reader.page(at("tictactoe"))
    page.set_viewport_size({"width": width, "height": 844})
    page.keyboard.press("w")
    expect(page.locator(".toast")).to_contain_text("no move to review")
    page.keyboard.press("p")
    page.fill("#position-text", "(;FF[4]GM[4]SZ[4]RU[4 in a row]\n;B[aa];W[bb];B[cc])")
    page.click("#position .primary")
    expect(page.locator("#position")).to_be_hidden()
    assert played(page) == ["a4", "b3", "c2"]
    page.evaluate(DROP, ["x.sgf", "nothing"])
    expect(page.locator(".toast.error")).to_contain_text("x.sgf: there is no game in the file")
    reader.errors = [line for line in reader.errors if "422" not in line]
    page.evaluate(DROP, ["moves.txt", "a1 b2"])
    expect(page.locator(".moves .move")).to_have_count(2)
    page.keyboard.press("w")
    expect(page.locator("#export-json")).to_be_visible(timeout=90_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("next mistake")
