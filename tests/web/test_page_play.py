"""Games on the page: by mouse, by keys, by agents; boards of every shape; a server that goes away."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from browsing import (
    FAST,
    Reader,
    Site,
    at,
    click,
    expect,
    needs_chromium,
    played,
    playwright,
    quiet_port,
    status,
    stones,
    until,
)

from plyground import agents, games

pytestmark = needs_chromium


def test_a_game_by_mouse(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    for number, cell in enumerate((4, 0, 2, 6, 3, 5, 1, 7), 1):
        click(page, cell)
        expect(page.locator("#board .stone > *")).to_have_count(number)
    click(page, 8)
    status(page, "Drawn")
    expect(page.locator("#live")).to_contain_text("plays c1")


def test_a_game_by_keyboard(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    for keys in (
        "b Enter",
        "ArrowLeft Enter",
        "ArrowUp Enter",
        "ArrowRight Enter",
        "ArrowRight ArrowDown ArrowDown Space",
    ):
        before = stones(page)
        for key in keys.split():
            page.keyboard.press(key)
        expect(page.locator("#board .stone > *")).to_have_count(before + 1)
    status(page, "X wins")
    assert page.locator("#board .cell.row").count() == 3
    assert played(page) == ["b2", "a2", "a3", "b3", "c1"]


def test_a_piece_that_is_clicked_shows_where_it_can_go(reader: Reader, own: dict[str, str]) -> None:
    def marked(kind: str) -> list[int]:
        read = "all => all.map((one) => Number(one.dataset.cell))"
        return page.eval_on_selector_all(f"#board .cell.{kind}", read)

    page = reader.page(at(own["pieces"]))
    click(page, 58)
    assert (marked("selected"), marked("target")) == ([58], [49, 51])
    click(page, 56)  # another piece
    assert (marked("selected"), marked("target")) == ([56], [49])
    click(page, 28)  # nothing can go there
    assert (marked("selected"), marked("target")) == ([], [])
    click(page, 49)  # an empty cell: who can go there?
    assert (marked("selected"), marked("target")) == ([49], [56, 58])
    click(page, 28, 58, 51)
    status(page, "Fox to move")
    assert played(page) == ["c1-d2"] and (marked("selected"), marked("target")) == ([], [])
    assert marked("last") == [51, 58]


def test_what_a_pawn_becomes_is_chosen_by_a_button(reader: Reader) -> None:
    page = reader.page(at("chess", more="&start=" + quote("4k3/P7/8/8/8/8/8/4K3 w - - 0 1")))
    click(page, 8)
    expect(page.locator("#board .loose button")).to_have_count(0)
    click(page, 0)
    expect(page.locator("#board .loose button")).to_have_text(["a7a8n", "a7a8b", "a7a8r", "a7a8q"])
    page.click("#board .loose button >> nth=3")
    status(page, "Black to move")
    expect(page.locator("#board [data-cell='0'] .glyph:not(.body)")).to_have_text("\u2655")


def test_moves_without_cells_are_buttons_below_the_board(reader: Reader) -> None:
    page = reader.page(at("2048", "a1=2 d4=4"))
    expect(page.locator("#board .loose button")).to_have_text(["up", "right", "down", "left"])
    page.click("#board .loose button >> nth=0")
    expect(page.locator(".moves .move")).to_have_count(4)  # the next tile falls by itself
    assert played(page)[2] == "up"
    expect(page.locator("[data-cell='0'] .glyph")).to_have_text("2")


def test_a_line_below_the_board_tells_what_it_does_not_show(reader: Reader) -> None:
    page = reader.page(at("quoridor(3)"))
    expect(page.locator("#board .caption")).to_have_text("walls left: X 1, O 1")


def test_a_game_of_one_player_has_one_seat_and_points(reader: Reader, own: dict[str, str]) -> None:
    page = reader.page(at(own["alone"], "0 3"))
    status(page, "Player to move · 4 points")
    expect(page.locator(".seat:visible")).to_have_count(1)
    expect(page.locator("[aria-label='You play'] button:visible")).to_have_text(["yes", "no"])
    expect(page.locator("[data-plays=first]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#game .help").first).to_contain_text("Throw a die as often as you like")
    expect(page.locator("#solve")).to_be_disabled()
    page.click(".text-moves button >> nth=1")
    status(page, "Game over · 4 points")
    page.select_option("[aria-label='Game']", "tictactoe")
    expect(page.locator(".seat:visible")).to_have_count(2)
    status(page, "X to move")


def test_undo_and_branches(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    click(page, 4, 0)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.keyboard.press("u")
    expect(page.locator("#board .stone > *")).to_have_count(1)
    click(page, 8)
    expect(page.locator(".branch .move")).to_have_text(["c1"])
    assert played(page) == ["b2", "a3", "c1"]
    page.click(".moves .move >> nth=1")
    expect(page.locator("[data-cell='0'] .stone > *")).to_have_count(1)
    page.click("#start")
    expect(page.locator("#board .stone > *")).to_have_count(0)
    page.click("#end")
    expect(page.locator("[data-cell='0'] .stone > *")).to_have_count(1)


def test_undo_against_an_agent_goes_back_to_the_own_turn(reader: Reader) -> None:
    page = reader.page(at("tictactoe", second="random"))
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.click("#undo")
    expect(page.locator("#board .stone > *")).to_have_count(0)
    status(page, "X to move")


def test_an_agent_that_keeps_its_tree_goes_on_with_it(reader: Reader) -> None:
    keeps = "uct(sims=2000, keep=True, solve=False)"
    agents.make(keeps).ready(games.make("tictactoe"))  # its kernels are there: nobody stands in for it
    page = reader.page()
    thoughts: list[dict] = []

    def hear(frame: str | bytes) -> None:
        told = json.loads(frame)
        if told["type"] == "thought":
            thoughts.append(told["thought"])

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    page.goto("about:blank")
    page.goto(reader.address + at("tictactoe", second=keeps))
    for cell, number in (4, 2), (1, 4):
        page.click(f"#board .cell:not(:has(.stone > *)) >> nth={cell}")
        expect(page.locator("#board .stone > *")).to_have_count(number)
    until(page, lambda: len(thoughts) == 2)
    visits = [sum(move["visits"] for move in thought["moves"]) for thought in thoughts]
    assert visits[0] == 2000 < visits[1]


def test_agent_against_agent(reader: Reader) -> None:
    page = reader.page(at("tictactoe", first=FAST, second="win-block"))
    status(page, "paused")
    page.evaluate(
        "() => { const s = document.querySelector('.pace input'); s.value = 0; s.dispatchEvent(new Event('input')); }"
    )
    page.click("#step")
    expect(page.locator("#board .stone > *")).to_have_count(1)
    status(page, "paused")
    page.click("#run")
    expect(page.locator("#status-text")).to_have_text(re.compile("wins|Drawn"))
    assert len(played(page)) >= 5
    assert page.locator(".graph .dot").count() >= 3


def test_two_tabs_do_not_disturb_each_other(reader: Reader) -> None:
    one, two = reader.page(at("tictactoe", second="random")), reader.page(at("connect-four", second="random"))
    click(one, 4)
    click(two, 3)
    expect(one.locator("#board .stone > *")).to_have_count(2)
    expect(two.locator("#board .stone > *")).to_have_count(2)
    one.bring_to_front()
    assert played(one)[0] == "b2" and played(two)[0] == "d"


def test_a_server_that_goes_away_and_comes_back(browser: playwright.Browser) -> None:
    first = Site(quiet_port())
    someone = Reader(browser, first.address)
    page = someone.page(at("tictactoe", second="random"))
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    first.stop()
    expect(page.locator("#offline")).to_be_visible()
    free = next(cell for cell in (0, 2, 6, 8, 1) if not page.locator(f"[data-cell='{cell}'] .stone > *").count())
    click(page, free)
    second = Site(first.port)
    try:
        expect(page.locator("#board .stone > *")).to_have_count(4)
        expect(page.locator("#offline")).to_be_hidden()
    finally:
        second.stop()
    someone.context.close()
    assert [line for line in someone.errors if not re.search(someone.forgiven, line)] == []


def test_a_game_on_hexagons(reader: Reader) -> None:
    page = reader.page(at("line-taking(cells=12, seed=3)"))
    cells = page.locator("#board .cell")
    cells.first.click()
    expect(page.locator("#board .selected")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#board .selected")).to_have_count(0)
    for _ in range(12):
        cell = page.locator("#board .cell:not(.used)").first
        number = cell.get_attribute("data-cell")
        cell.click()
        if page.locator("#board .selected").count():
            page.click("#confirm")
        expect(page.locator(f"#board [data-cell='{number}']")).to_have_class(re.compile("used"))
    status(page, "First wins")


HALF_WAY = """() => { const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, { duration, ...more }) {
      const one = animate.call(this, frames, { duration, ...more });
      one.pause();
      one.currentTime = duration / 2;
      return one;
    }; }"""
UNDER_THE_DISC = """stone => { const { x, y, width, height } = stone.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2).closest("[data-cell]")?.dataset.cell; }"""


def test_a_disc_that_falls_takes_no_click_from_the_cell_behind_it(reader: Reader) -> None:
    page = reader.page(at("connect-four"))
    page.evaluate(HALF_WAY)
    click(page, 3)
    expect(page.locator("#board .stone > *")).to_have_count(1)
    under = page.eval_on_selector("#board .stone > *", UNDER_THE_DISC)
    assert under == "3"  # it comes down to 38


def test_connect_four_by_columns(reader: Reader) -> None:
    page = reader.page(at("connect-four"))
    for number, cell in enumerate((3, 4, 3, 11, 3, 18), 1):  # anywhere in the columns d and e
        click(page, cell)
        expect(page.locator("#board .stone > *")).to_have_count(number)
    page.hover("#board [data-cell='3']")
    expect(page.locator("#board .preview")).to_have_count(1)
    click(page, 3)
    status(page, "Blue wins")
    assert played(page) == ["d", "e"] * 3 + ["d"]


def test_a_view_that_is_left_does_not_write_over_the_address_of_the_next(reader: Reader) -> None:
    """The page hears of a new address a moment after it stands there; what is drawn meanwhile must not replace it."""
    page = reader.page()
    expect(page.locator("#board [data-cell]").first).to_be_visible()
    page.evaluate(
        "() => { location.hash = '#studies'; document.querySelector('#flip, [title*=\"Turn the board\"]').click() }"
    )
    expect(page.locator("#studies")).to_be_visible()
    page.go_back()
    expect(page.locator("#board [data-cell]").first).to_be_visible()


@pytest.mark.parametrize(
    ("game", "piece", "targets"),
    [("chess", 57, [40, 42]), ("draughts", 42, [33, 35]), ("breakthrough", 49, [40, 41, 42])],
)
def test_pieces_are_black_and_white_and_show_where_they_can_go(
    reader: Reader, game: str, piece: int, targets: list[int]
) -> None:
    page = reader.page(at(game))
    expect(page.locator("#seats .chip.white")).to_have_count(1)
    expect(page.locator("#seats .chip.black")).to_have_count(1)
    click(page, piece)
    found = page.eval_on_selector_all("#board .cell.target", "all => all.map((one) => Number(one.dataset.cell))")
    assert sorted(found) == targets


def test_the_edges_of_hex_have_the_colours_of_their_owners(reader: Reader) -> None:
    page = reader.page(at("hex(3)"))
    tops = "all => all.map((one) => one.getBBox().y)"
    own, others = (page.eval_on_selector_all(f"#board .edge.p{player}", tops) for player in (0, 1))
    assert (len(own), len(others)) == (12, 10)
    assert not any(min(others) < top < max(others) for top in own)  # above and below, the other's on the left and right


def test_dice_passes_and_second_moves_are_told_as_what_they_are(reader: Reader) -> None:
    page = reader.page(at("backgammon", "31"))
    expect(page.locator("#board .die")).to_have_count(2)
    expect(page.locator("#board .stone .disc.p0")).to_have_count(4)  # heaps of the first player's checkers
    expect(page.locator("#board .heap-count >> nth=0")).to_have_text("5")
    expect(page.locator(".moves .dice")).to_have_attribute("aria-label", "dice 3 and 1")
    page = reader.page(at("pig", "roll d5"))
    expect(page.locator("#board .dice")).to_have_attribute("aria-label", "dice 5")
    page = reader.page(at("kalah", "c"))
    status(page, "to move again")
    page = reader.page(at("go(5)", "pass"))
    status(page, "Black has passed")
