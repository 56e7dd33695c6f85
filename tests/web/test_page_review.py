"""A review on the page: the mistakes of a game, another try at them, files that hold it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Reader, at, click, expect, needs_chromium, played, playwright, served, status, until

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
    expect(page.locator(".verdict-text")).to_contain_text("4… b4: blunder, costs 50% for sure; better: d4")
    assert len(played(page)) == 13 and page.locator(".ghost").count() >= 3
    page.keyboard.press("z")
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator(".verdict-text")).to_contain_text("O to move: find something better than b4")
    click(page, cell("b4"))
    expect(page.locator(".verdict-text.wrong")).to_contain_text("the move of the game")
    page.keyboard.press("z")
    click(page, cell("a4"))
    expect(page.locator(".verdict-text")).to_have_text(
        "Not yet. a4: that costs something, too. Try again (Z), or see what was better (X)."
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


def test_another_try_stays_at_its_mistake_until_that_is_solved(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a2 c2 a1 a3 c1 b1 b3 c3"))  # a2 loses, c2 gives the win away
    page.keyboard.press("w")
    expect(page.locator("#export-json")).to_be_visible()
    told = page.locator(".verdict-text")
    for mistake in ("1… a2: blunder", "2. c2: blunder"):
        page.keyboard.press("x")
        expect(told).to_contain_text(mistake)
    page.keyboard.press("z")
    click(page, 5)
    expect(told).to_contain_text("Not yet. c2: that is the move of the game")
    page.keyboard.press("z")  # the same one again
    expect(told).to_have_text("X to move: find something better than c2.")
    assert not page.locator(".verdict-text.wrong").count()
    expect(page.locator("#next-mistake")).to_have_text("What was better")
    click(page, 5)
    expect(told).to_contain_text("Not yet. c2")
    page.keyboard.press("x")  # what was better there
    expect(told).to_contain_text("2. c2: blunder, costs 50% for sure; better: a3")
    page.keyboard.press("z")
    click(page, 0)
    expect(told).to_have_text("Right. a3: nothing lost.")
    expect(page.locator("#next-mistake")).to_have_text("Next mistake")
    page.keyboard.press("x")  # solved: the next one
    expect(told).to_contain_text("1… a2: blunder")


def test_another_try_is_judged_by_the_agent_where_the_review_has_no_word_for_it(reader: Reader) -> None:
    page = reader.context.new_page()
    fine = {"kind": "", "cost": 0.0, "player": 0, "line": [], "best": "b2", "exact": False, "good": []}
    wrong = fine | {"kind": "mistake", "cost": 0.2, "player": 1, "line": ["a1"], "best": "a1"}
    whole = {"values": [0.0, 0.0, 0.4], "reviewed": [fine, wrong], "lost": [0.0, 0.2], "share": 1, "by": "uct"}

    def answer(say: Callable[..., None], asked: dict) -> None:
        judged = {"c1": fine | {"cost": 0.01}, "c3": wrong | {"cost": 0.3}}.get(asked["moves"][-1])
        say(type="review", complete=True, text="", **(whole | ({"reviewed": [judged]} if judged else {})))

    asked = served(page, answer)
    page.goto(reader.address + at("tictactoe", "b2 a2"))
    page.wait_for_selector(".board")
    page.keyboard.press("w")
    expect(page.locator(".mistakes li")).to_have_count(1)
    told = page.locator(".verdict-text")
    for tried, said in (8, "Right. c1: hardly anything lost."), (2, "Not yet. c3: costs 30%."):
        page.keyboard.press("z")
        expect(told).to_have_text("O to move: find something better than a2.")
        click(page, tried)
        expect(told).to_contain_text(said)
    assert [one["agent"] for one in asked if one.get("since") == 1] == ["uct", "uct"]


def test_a_review_ends_without_a_word_when_another_game_is_shown(reader: Reader) -> None:
    page = reader.context.new_page()
    says: list[Callable[..., None]] = []
    served(page, lambda say, _: says.append(say))
    page.goto(reader.address + at("tictactoe", "b2"))
    page.wait_for_selector(".board")
    page.keyboard.press("w")
    expect(page.locator("#review")).to_have_text("Stop")
    until(page, lambda: says)  # it is asked for
    page.keyboard.press("g")
    expect(page.locator("#review")).to_have_text("Review this game")
    move = {"kind": "blunder", "cost": 0.5, "player": 0, "line": [], "exact": True, "good": []}
    told = {"values": [0.0, -1.0], "reviewed": [move], "lost": [0.5, None], "share": 1, "by": "uct", "complete": True}
    says[-1](type="review", **told)
    page.wait_for_timeout(200)
    expect(page.locator("#review-panel .help").first).to_contain_text("An agent goes through the game")
    assert not page.locator(".toast.error, .mistakes .blunder").count()


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
    reader.refused(page)
    for text in ("{broken", '{"game": 3}'):
        page.evaluate(DROP, ["x.json", text])
        expect(page.locator(".toast.error").last).to_have_text("x.json: there is no game in the file")
    page.evaluate(DROP, ["moves.txt", "a1 b2"])
    expect(page.locator(".moves .move")).to_have_count(2)
    page.keyboard.press("w")
    expect(page.locator("#export-json")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("next mistake")


def test_a_file_is_dropped_on_a_page_that_has_shown_no_game_yet(reader: Reader) -> None:
    page = reader.page("#studies")
    page.evaluate(DROP, ["x.sgf", "(;FF[4]GM[4]SZ[4]RU[4 in a row];B[aa];W[bb];B[cc])"])
    expect(page.locator(".moves .move")).to_have_count(3)
    status(page, "O to move · paused")
    page.go_back()
    expect(page.locator("#studies")).to_be_visible()
    page.evaluate(DROP, ["moves.txt", "a1 z9"])
    expect(page.locator(".toast.error")).to_contain_text("z9")
    reader.refused(page)
    expect(page.locator("#studies")).to_be_visible()


def test_a_review_that_loses_its_connection_says_so(reader: Reader) -> None:
    page = reader.context.new_page()
    asked: list[playwright.WebSocketRoute] = []

    def connect(socket: playwright.WebSocketRoute) -> None:
        socket.on_message(lambda text: asked.append(socket))

    page.route_web_socket("**/api/socket", connect)
    page.goto(reader.address + at("tictactoe", "b2"))
    page.wait_for_selector(".board")
    page.keyboard.press("w")
    expect(page.locator("#review")).to_have_text("Stop")
    until(page, lambda: asked)
    asked[-1].close()
    expect(page.locator(".verdict-text")).to_have_text("The review has ended before its time.")
    expect(page.locator("#review")).to_have_text("Review this game")
