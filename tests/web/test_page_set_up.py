"""Positions on the page: edited, pasted, shared, kept over a reload; clocks; own games and their forms."""

from __future__ import annotations

import json
import re

from browsing import Reader, at, click, expect, needs_chromium, played, playwright, status, until

pytestmark = needs_chromium


def test_reload_keeps_the_position(reader: Reader) -> None:
    page = reader.page(at("mnk(4,4,3)"))
    click(page, 5, 6, 9)
    expect(page.locator("#board .stone > *")).to_have_count(3)
    page.click("#back")
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.reload()
    expect(page.locator("#board .stone > *")).to_have_count(2)
    assert len(played(page)) == 3
    page.click("#forward")
    expect(page.locator("#board .stone > *")).to_have_count(3)


def test_reload_keeps_a_position_whose_address_was_not_written_yet_since_many_came_in_a_rush(reader: Reader) -> None:
    reader.context.clock.install(time=0)
    page = reader.page(at("tictactoe", "b2 a1 c3"))
    page.clock.pause_at(1000)  # all of this takes no time
    expect(page.locator("#board .stone > *")).to_have_count(3)
    for _ in range(33):  # browsers refuse a hundred addresses in half a minute
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
    click(page, 3)
    expect(page.locator("#board .stone > *")).to_have_count(4)
    assert "a2" not in page.url
    page.reload()
    expect(page.locator("#board .stone > *")).to_have_count(4)
    assert played(page) == ["b2", "a1", "c3", "a2"]
    assert "a2" in page.url


def test_cells_that_are_clicked_before_the_server_has_answered_are_played_one_after_the_other(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    held: list[playwright.Route] = []
    answers = False
    page.route("**/api/position", lambda route: route.continue_() if answers else held.append(route))
    click(page, 4, 0, 8, 2)
    until(page, lambda: held)
    assert played(page) == []
    answers = True
    held[0].continue_()
    expect(page.locator("#board .stone > *")).to_have_count(4)
    assert played(page) == ["b2", "a3", "c1", "c3"]


def test_a_position_is_pasted_and_errors_are_told(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    page.keyboard.press("p")
    page.fill("#position-text", "X.O/.X./O.. X")
    page.click("text=Set up")
    expect(page.locator("#board .stone > *")).to_have_count(4)
    expect(page.locator(".toast").last).to_have_text("The position is set up.")
    page.keyboard.press("p")
    page.fill("#position-text", "b2 b2")
    page.click("text=Set up")
    expect(page.locator(".toast.error")).to_contain_text("not legal")
    reader.refused(page)


def test_a_position_is_edited_on_the_board(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2"))
    page.click("#edit")
    status(page, "Set up a position")
    expect(page.locator("#controls")).to_be_hidden()
    click(page, 0)
    expect(page.locator(".edit-note")).to_contain_text("X moves first")
    expect(page.locator("#edit-done")).to_be_disabled()
    page.keyboard.press("2")
    click(page, 2)
    expect(page.locator(".edit-note")).to_contain_text("O moves")
    click(page, 2)  # a second time takes it away
    expect(page.locator("#board .stone > *")).to_have_count(2)
    click(page, 8)
    page.click("text=Play from here")
    expect(page.locator("#controls")).to_be_visible()
    status(page, "O to move")
    assert page.locator("#board .stone > *").count() == 3 and played(page) == []
    expect(page).to_have_url(re.compile(re.escape("start=X..%2F.X.%2F..O+O")))
    click(page, 1)
    expect(page.locator(".moves .move")).to_have_text(["b3"])
    page.reload()
    expect(page.locator("#board .stone > *")).to_have_count(4)


def test_editing_by_keys_ends_without_a_trace(reader: Reader) -> None:
    page = reader.page(at("connect-four", "d", second="random"))
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.keyboard.press("e")
    page.keyboard.press("0")
    page.keyboard.press("u")  # undo has to wait
    page.click("#edit-clear")
    expect(page.locator("#board .stone > *")).to_have_count(0)
    expect(page.locator(".edit-note")).to_contain_text("This is a position")
    page.keyboard.press("Escape")
    expect(page.locator("#editor")).to_be_hidden()
    expect(page.locator("#board .stone > *")).to_have_count(2)
    status(page, "Blue to move")


def test_who_moves_can_be_chosen_where_the_stones_do_not_tell(reader: Reader) -> None:
    page = reader.page(at("line-taking(cells=12, seed=3)"))
    page.click("#edit")
    page.locator("#board .cell").first.click()
    page.click("[aria-label='Who moves'] button >> nth=2")
    expect(page.locator(".edit-note")).to_contain_text("Second moves")
    page.click("#edit-done")
    status(page, "Second to move")
    expect(page.locator("#board .used")).to_have_count(1)


def test_a_link_to_the_position_is_copied(reader: Reader) -> None:
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = reader.page(at("tictactoe", "b2 a1"))
    page.click("#share")
    expect(page.locator(".toast")).to_contain_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.evaluate("location.href")
    other = reader.context.new_page()
    other.goto(link)
    expect(other.locator("#board .stone > *")).to_have_count(2)


def test_branches_and_clocks_are_kept_on_reload(reader: Reader) -> None:
    reader.context.clock.install(time=0)
    page = reader.page(at("tictactoe"))
    page.clock.pause_at(1000)  # from now on time passes as is said here
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(1)
    page.clock.fast_forward(2300)
    click(page, 0)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.keyboard.press("u")
    expect(page.locator("#board .stone > *")).to_have_count(1)
    click(page, 8)
    expect(page.locator(".branch .move")).to_have_text(["c1"])
    clocks = page.locator(".clock")
    page.reload()
    expect(page.locator(".branch .move")).to_have_text(["c1"])
    assert played(page) == ["b2", "a3", "c1"]
    page.click(".moves .move >> nth=1")
    expect(clocks.nth(1)).to_have_text("0:02")
    page.goto("about:blank")
    page.goto(reader.address + at("tictactoe", "b2"))  # a link is another game, and has none of this
    expect(page.locator(".moves .move")).to_have_text(["b2"])
    page.goto(reader.address + at("tictactoe", "a1"))
    page.reload()
    expect(page.locator(".moves .move")).to_have_text(["a1"])


def test_a_link_keeps_its_address_until_its_game_is_there(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2"))
    expect(page.locator(".moves .move")).to_have_text(["b2"])
    held: list[playwright.Route] = []
    page.route("**/api/position", lambda route: held.append(route))
    page.goto(reader.address + at("tictactoe", "a1"))
    until(page, lambda: held)
    page.keyboard.press("f")  # draws the last game again
    assert "moves=a1" in page.url
    page.goto(reader.address + at("tictactoe", "c3"))
    until(page, lambda: len(held) > 1)
    held[1].continue_()
    expect(page.locator(".moves .move")).to_have_text(["c3"])
    with page.expect_response("**/api/position"):
        held[0].continue_()  # too late: the reader has followed another link
    page.wait_for_timeout(100)
    expect(page.locator(".moves .move")).to_have_text(["c3"])
    assert "moves=c3" in page.url


def test_a_clock_runs_on_over_a_reload_and_its_end_loses(reader: Reader) -> None:
    reader.context.clock.install(time=0)
    page = reader.page(at("tictactoe", "b2", second="human", more="&second-minutes=60"))
    page.clock.pause_at(1000)  # from now on time passes as is said here
    page.clock.run_for(250)
    left = page.locator(".clock").nth(1)
    expect(left).to_have_text(re.compile(r"4\d:\d\d"))
    before = left.inner_text()
    page.reload()
    expect(left).to_have_text(before)
    page.clock.fast_forward("45:00")
    status(page, "X wins on time")
    click(page, 0)
    assert page.locator("#board .stone > *").count() == 1
    assert page.input_value("#second-minutes") == "60"
    page.click("#undo")
    click(page, 8)
    expect(page.locator("#board .stone > *")).to_have_count(1)
    status(page, "O to move")


def test_budgets_of_a_seat_reach_the_search(reader: Reader) -> None:
    page = reader.context.new_page()
    asked: list[dict] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: asked.append(json.loads(frame))))

    def thinks() -> list[dict]:
        return [one for one in asked if one["type"] == "think"]

    page.goto(reader.address + at("tictactoe", second="uct", seconds="0.2", more="&second-simulations=321"))
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    (think,) = thinks()
    assert (think["seconds"], think["simulations"]) == (0.2, 321)
    page.fill("#second-simulations", "55")
    page.fill("#second-seconds", "")
    page.fill("#second-minutes", "2")
    page.keyboard.press("Tab")
    expect(page).to_have_url(re.compile("second-seconds=&second-simulations=55&second-minutes=2"))
    free = next(cell for cell in (0, 2, 6) if not page.locator(f"[data-cell='{cell}'] .stone > *").count())
    click(page, free)
    expect(page.locator("#board .stone > *")).to_have_count(4)
    until(page, lambda: len(thinks()) == 2)
    think = thinks()[-1]
    assert think["simulations"] == 55 and 5 < think["seconds"] <= 6  # a twentieth of what is left


def test_a_game_in_a_well(reader: Reader, own: dict[str, str]) -> None:
    page = reader.page(at(own["well"]))
    blocks = page.locator("#board .block.set")
    click(page, 0)  # upright in the first column, then lying, then upright again
    expect(page.locator("#board .selected")).to_have_count(2)
    first = page.eval_on_selector_all("#board .selected", "all => all.map(one => one.dataset.cell)")
    click(page, 0)
    second = page.eval_on_selector_all("#board .selected", "all => all.map(one => one.dataset.cell)")
    assert (sorted(first), sorted(second)) == (["30", "35"], ["35", "36"])
    click(page, 36)  # the piece itself is played
    expect(blocks).to_have_count(2)
    assert played(page) == ["l1"] and page.locator("#board .block.c1").count() == 2
    page.focus("#board [data-cell='2']")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(blocks).to_have_count(4)
    assert played(page) == ["l1", "u3"]
    assert page.get_attribute("[data-cell='37']", "aria-label") == "column 3 row 1, yellow, last move"
    page.keyboard.press("f")
    left, right = (page.locator(f"[data-cell='{cell}']").bounding_box() for cell in (35, 39))
    top = page.locator("[data-cell='0']").bounding_box()
    assert left["x"] > right["x"] and top["y"] < left["y"]  # pieces fall down in any case


def test_a_users_game_has_a_form_for_its_parameters(reader: Reader, own: dict[str, str]) -> None:
    page = reader.page(at(own["well"]))
    expect(page.locator("#board .cell")).to_have_count(40)
    page.locator("#game label", has_text="rows").wait_for()
    page.get_by_label("rows", exact=True).fill("3")
    page.keyboard.press("Tab")
    expect(page.locator("#board .cell")).to_have_count(15)
    assert page.input_value("[aria-label='Game spec']") == own["well"] + "(3)"
    page.reload()
    expect(page.locator("#board .cell")).to_have_count(15)
    assert page.input_value("[aria-label='Game']") == own["well"]
    page.select_option("[aria-label='Game']", own["heap"])
    expect(page.locator(".text-board")).to_contain_text("left = 4")


def test_five_in_a_row_is_met_with_the_strongest_agent_at_a_level_of_ones_choice(reader: Reader) -> None:
    page = reader.page("#play?game=gomoku(9)")
    opponent = page.get_by_label("Second player", exact=True)
    level = page.locator("#seats").get_by_label("level", exact=True)
    expect(opponent).to_have_value("gomoku-master")
    expect(level).to_have_value("8")
    level.select_option("1 beginner")
    expect(page).to_have_url(re.compile(r"second=gomoku-master%28level%3D1%29"))
    click(page, 40)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.select_option("[aria-label='Game']", "tictactoe")
    expect(opponent).to_have_value("uct")
    expect(level).to_have_count(0)
    page.select_option("[aria-label='Game']", "gomoku")
    expect(level).to_have_value("1")  # as it was chosen
    page.goto(reader.address + at("tictactoe", second="random"))
    expect(opponent).to_have_value("random")
    page.goto(reader.address + at("gomoku(9)", second="win-block"))
    expect(opponent).to_have_value("win-block")  # an address is obeyed


def test_a_clock_that_has_almost_ten_seconds_left_says_ten(reader: Reader) -> None:
    for minutes, text in ((0.1662, "0:10"), (0.1658, "0:09.9")):
        page = reader.page(at("tictactoe", more=f"&first-minutes={minutes}"))
        expect(page.locator(".clock").first).to_have_text(text)  # it does not run before the first move


LONG = """async () => {
    const { Game } = await import("/static/js/state.js");
    const cells = Array.from({ length: 200 }, (_, i) => i);
    const game = new Game("mnk(20,20,20)");
    for (let i = 0; i < 400; i++) {
        const node = game.child(game.at, `m${i}`);
        const legal = cells.map((cell) => ({ name: `m${cell}`, cells: [cell] }));
        node.view = { player: i % 2, over: false, score: null, alone: false, last: [i], legal, cells, glyphs: [] };
        const moves = cells.map((visits) => ({ name: `m${visits}`, visits, value: 0, prior: null }));
        node.thought = { value: 0.5, moves, line: [] };
        game.go(node);
        game.shorten();
    }
    const whole = game.path.filter((node) => node.view && !node.view.brief).length;
    const listed = game.path.slice(1).map(({ thought }) => thought.moves.length);
    return [whole, Math.min(...listed), listed.filter((count) => count > 40).length, game.path[1].view.last];
}"""


def test_a_long_game_takes_little_more_room_than_a_short_one_and_is_stepped_through(reader: Reader) -> None:
    names = [f"{column}{row}" for row in range(1, 10) for column in "abcdefghi"][:70]
    page = reader.page(at("mnk(9,9,9)", " ".join(names), more="&at=0"))
    shown = page.locator("#board .stone > *")
    rows = page.locator(".thought-table tbody tr")
    page.keyboard.press("2")
    page.click("#tree button")
    expect(page.locator("[role=treeitem]")).not_to_have_count(0)
    page.keyboard.press("End")
    expect(shown).to_have_count(70)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or ""))
    page.keyboard.press("Home")
    expect(shown).to_have_count(0)
    assert any('"moves":[]' in one for one in asked)  # what is far away is asked for again
    page.keyboard.press("1")
    expect(rows).to_have_count(14)  # what was thought of it has stayed
    for count in range(1, 30):
        page.keyboard.press("ArrowRight")
        expect(shown).to_have_count(count)
    assert played(page) == names
    assert page.locator(".moves .number").count() == 35
    whole, fewest, many, last = page.evaluate(LONG)
    assert whole == many == 21  # the shown place and twenty before it
    assert fewest == 14 and last == [0]
