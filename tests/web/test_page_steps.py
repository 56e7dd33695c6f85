"""A search step by step on the page: its tree and figures, its controls, its addresses, its tour."""

from __future__ import annotations

import json
import math
import re
from urllib.parse import quote

import pytest
from browsing import Reader, at, expect, needs_chromium, playwright

import plyground as pg
from plyground.search.mcts.steps.events import Selection

pytestmark = needs_chromium

WORDS, TITLE, TABLE = ".step-words", "#steps-title", ".step-table tbody tr"


def steps(agent: str, moves: str = "b2", where: str = "0", more: str = "") -> str:
    return f"#steps?game=tictactoe&agent={quote(agent)}&moves={quote(moves)}&seed=3&at={quote(where)}{more}"


def cards(page) -> dict[str, str]:
    """The texts of all cards by the moves that lead there."""
    shown = page.eval_on_selector_all(".card-of-node", "all => all.map(one => [one.dataset.key, one.ariaLabel])")
    return {" ".join(json.loads(key)): text for key, text in shown}


def test_the_page_shows_the_figures_of_the_search(reader: Reader) -> None:
    page = reader.page(steps("uct(c=0.7)", where="20.select"))
    expect(page.locator(TITLE)).to_have_text("Simulation 21 · select")
    search = pg.steps("tictactoe", "uct(c=0.7)", "b2", seed=3)
    search.skip(20)
    selection = next(event for event in next(search).events if isinstance(event, Selection))
    name = search.game.name
    rows = {
        cells[0]: cells[1:]
        for cells in page.eval_on_selector_all(TABLE, "all => all.map(r => [...r.cells].map(c => c.innerText))")
    }
    for seen in selection.children:
        visits, q, exploration, total = rows[name(seen.action)]
        assert int(visits) == seen.visits
        told = [float(text.replace("−", "-")) for text in (q, exploration, total)]
        assert told == pytest.approx([seen.q, seen.exploration, seen.total], abs=6e-4)
    chosen = name(selection.action)
    assert page.inner_text(".step-table tr.best td >> nth=0") == chosen
    expect(page.locator(".card-of-node.now")).to_have_attribute("data-key", json.dumps([chosen]))
    shown = cards(page)
    for seen in selection.children:
        assert f"N {seen.visits}" in shown.get(name(seen.action), f"N {seen.visits}")
    assert "N 20" in shown[""] and not reader.errors


def test_keys_go_forward_and_back_through_the_phases(reader: Reader) -> None:
    page = reader.page(steps("uct", where="12"))
    expect(page.locator(TITLE)).to_have_text("After 12 simulations")
    phases, texts = [], []
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        expect(page.locator(TITLE)).to_contain_text("Simulation 13")
        expect(page.locator(WORDS)).not_to_have_text(texts[-1] if texts else "")
        if "played on" in page.inner_text(WORDS):
            expect(page.locator(".step-sum")).to_contain_text("result")  # the roll-out has ended on the board
        phases.append(page.inner_text(".phases .on"))
        texts.append(page.inner_text(WORDS))
        if "The root takes" in texts[-1]:
            break
    assert phases[0] == "Select" and phases[-1] == "Back up" and {"Expand", "Simulate"} <= set(phases)
    assert "N 13" in cards(page)[""]
    page.keyboard.press("ArrowLeft")
    expect(page.locator(WORDS)).to_have_text(texts[-2])
    page.keyboard.press("ArrowDown")
    expect(page.locator(WORDS)).to_have_text(texts[-1])
    page.keyboard.press("j")
    expect(page.locator(TITLE)).to_have_text("After 62 simulations")
    page.evaluate("localStorage.setItem('step-speed', '5')")
    page.reload()
    expect(page.locator(TITLE)).to_have_text("After 62 simulations")
    page.keyboard.press(" ")
    expect(page.locator(TITLE)).to_contain_text(re.compile(r"Simulation (6[4-9]|[7-9]\d|\d{3,})"))
    page.keyboard.press(" ")
    expect(page.locator("#steps-play")).to_have_text("Play")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("to the end of the simulation")
    assert not reader.errors


def test_an_option_changes_on_the_way_and_the_address_keeps_it(reader: Reader) -> None:
    page = reader.page(steps("uct(c=0.7)", where="20"))
    expect(page.locator(TITLE)).to_have_text("After 20 simulations")
    page.fill(".live input >> nth=0", "0")
    page.keyboard.press("Tab")
    expect(page.locator(f"{TABLE} >> nth=0 >> td >> nth=3")).to_have_text("0.000")
    expect(page.locator(TITLE)).to_have_text("Simulation 21 · select")
    expect(page).to_have_url(re.compile(r"at=20\.1&changes="))
    before = page.inner_text(WORDS)
    page.reload()
    expect(page.locator(WORDS)).to_have_text(before)
    expect(page.locator(f"{TABLE} >> nth=0 >> td >> nth=3")).to_have_text("0.000")
    page.click(".steps-setup summary")
    page.locator(".steps-setup .options").get_by_label("expand").select_option("all")  # not under way
    expect(page.locator(TITLE)).to_have_text("After 0 simulations")
    assert not reader.errors


def test_the_tour_has_ten_stops_and_each_has_a_link(reader: Reader) -> None:
    page = reader.page("#steps?tour=4")
    expect(page.locator(".tour h2")).to_have_text("4. Back up")
    expect(page.locator(TITLE)).to_have_text("Simulation 1 · back up")
    page.click(".tour nav a >> nth=0")
    for number in range(1, 11):
        expect(page.locator(".tour h2")).to_contain_text(f"{number}. ")
        expect(page).to_have_url(re.compile(rf"#steps\?tour={number}$"))
        if number == 9:
            expect(page.locator(TITLE)).to_have_text("After 400 simulations")
            expect(page.locator(f"{TABLE} >> nth=0 >> td >> nth=0")).to_have_text("a3")
        page.click("#tour-next")
    expect(page.locator(".tour")).to_be_hidden()
    expect(page.locator(".card-of-node.cut").first).to_be_visible()  # alpha-beta, where the tour has ended
    expect(page.locator(WORDS)).to_contain_text("Cut-off")
    assert not reader.errors


def test_a_position_leads_to_its_steps_and_a_phone_shows_them_whole(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a1"))
    page.keyboard.press("2")
    page.click("#watch-steps")
    expect(page.locator(TITLE)).to_have_text("After 0 simulations")
    assert page.input_value("#steps-moves") == "b2 a1"
    page.set_viewport_size({"width": 360, "height": 740})
    page.click("#steps-next")
    expect(page.locator(".card-of-node")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    small = "all => all.filter(one => Math.min(one.offsetWidth, one.offsetHeight) < 44).length"
    assert page.eval_on_selector_all(".steps .controls button", small) == 0
    assert not reader.errors


def test_while_a_search_is_compiled_its_position_is_seen_and_why_one_waits(reader: Reader) -> None:
    page = reader.context.new_page()
    go_on = []

    def slow(socket: playwright.WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def ask(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "steps" and not go_on:
                socket.send(json.dumps({"type": "compiling", "id": message["id"]}))
                go_on.append(lambda: server.send(text))
            else:
                server.send(text)

        socket.on_message(ask)

    page.route_web_socket("**/api/socket", slow)
    page.goto(reader.address + "#steps?game=tictactoe&moves=b2")
    expect(page.locator("#steps-title")).to_have_text("Preparing…")
    expect(page.locator(".step-words")).to_contain_text("is compiled, once")
    expect(page.locator("#steps-board .stone > *")).to_have_count(1)
    page.keyboard.press("ArrowRight")  # there is nothing to step through yet
    page.keyboard.press("j")
    go_on[0]()
    expect(page.locator("#steps-title")).to_have_text("After 0 simulations")
    go_on.clear()
    page.goto(reader.address + "#steps?game=connect-four&agent=alphabeta(depth=1)")
    expect(page.locator("#steps-board [data-cell]")).to_have_count(42)
    expect(page.locator(".card-of-node, .fields.live *")).to_have_count(0)  # nothing of the search before
    go_on[0]()
    expect(page.locator(".card-of-node")).to_have_count(1)


def test_a_search_whose_connection_is_lost_is_asked_for_again(reader: Reader) -> None:
    page = reader.context.new_page()
    lost = []

    def connect(socket: playwright.WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def ask(text: str | bytes) -> None:
            if lost or json.loads(text)["type"] != "steps":
                server.send(text)
            else:
                lost.append(text)
                socket.close()

        socket.on_message(ask)

    page.route_web_socket("**/api/socket", connect)
    page.goto(reader.address + steps("uct", where="20.select"))
    expect(page.locator(TITLE)).to_have_text("Simulation 21 · select")
    assert lost


def test_dice_fall_before_a_search_and_what_cannot_be_searched_leaves_nothing_behind(reader: Reader) -> None:
    page = reader.page("#steps?game=pig(9)&agent=minimax(depth=1)&moves=roll")
    expect(page.locator("#steps-moves")).to_have_value(re.compile(r"^roll d[1-6]$"))
    expect(page.locator(TITLE)).to_have_text("Before the search")
    page.keyboard.press("ArrowRight")
    expect(page.locator(TITLE)).to_contain_text("step 1")
    before = page.input_value("#steps-moves")
    page.locator("#steps-board button").first.click()  # the board shows where the search is: nothing is played
    assert page.input_value("#steps-moves") == before
    expect(page.locator(TITLE)).to_contain_text("step 1")
    page = reader.page(steps("uct"))
    expect(page.locator(TITLE)).to_have_text("After 0 simulations")
    page.goto(reader.address + "#steps?game=connect-four&agent=guided")
    expect(page.locator(WORDS)).to_contain_text("no net came with the program for this game")
    expect(page.locator("#steps-board [data-cell]")).to_have_count(42)
    expect(page.locator(".card-of-node")).to_have_count(0)


def test_whoever_pauses_and_plays_on_sees_one_step_at_a_time(reader: Reader) -> None:
    page = reader.page(steps("alphabeta(depth=2)", "b2 a1 c3"))
    expect(page.locator(TITLE)).to_have_text("Before the search")
    number = "Number(document.querySelector('#steps-title').textContent.match(/step (\\d+)/)[1])"
    for _ in range(9):
        page.click("#steps-play")  # it plays in the end
    expect(page.locator(TITLE)).to_contain_text("step")
    before, begun = page.evaluate(f"[{number}, performance.now()]")
    page.wait_for_timeout(1500)
    after, ended = page.evaluate(f"[{number}, performance.now()]")
    assert after - before <= 1 + (ended - begun) / 1100  # milliseconds of a step


def test_a_search_that_was_left_before_it_came_is_there_on_return(reader: Reader) -> None:
    page = reader.page()
    page.route("**/api/position", lambda route: None)  # the answer stays away
    with page.expect_request("**/api/position"):
        page.evaluate("location.hash = '#steps?game=tictactoe&moves=a1'")
    page.evaluate("location.hash = '#studies'")
    expect(page.locator("#steps")).to_be_hidden()
    page.unroute("**/api/position")
    page.evaluate("location.hash = '#steps'")
    expect(page.locator(TITLE)).to_have_text("After 0 simulations")
    expect(page.locator(".card-of-node")).to_have_count(1)


def test_a_policy_that_came_with_the_program_guides_a_search_that_is_watched(reader: Reader) -> None:
    page = reader.page(steps("uct", where="20.select"))
    expect(page.locator(TITLE)).to_have_text("Simulation 21 · select")
    page.locator(".steps-setup select[aria-label=Agent]").select_option("guided")
    expect(page.locator(TITLE)).to_have_text("After 0 simulations")
    page.click("#steps-jump")
    page.click("#steps-next")  # where the jump has led to
    expect(page.locator(TITLE)).to_have_text("Simulation 51 · select")
    expect(page.locator(".steps-right .card .help").last).to_have_text("sum = Q + c · P · √(ln N / (n + 1))")
    rows = page.eval_on_selector_all(TABLE, "all => all.map(r => [...r.cells].map(c => c.innerText))")
    assert sum(float(row[3]) for row in rows) == pytest.approx(1, abs=0.01)
    for _, n, _, prior, exploration, _ in rows:
        wanted = 16 * float(prior) * math.sqrt(math.log(50) / (int(n) + 1))
        assert float(exploration) == pytest.approx(wanted, abs=0.05)


def test_the_formula_of_a_net_gives_the_figures_beside_it(reader: Reader) -> None:
    page = reader.page(steps("alphazero", where="20.select"))
    expect(page.locator(TITLE)).to_have_text("Simulation 21 · select")
    expect(page.locator(".steps-right .card .help").last).to_have_text("sum = Q + c · P · √(N + 1) / (1 + n)")
    for _, n, _, prior, exploration, _ in page.eval_on_selector_all(
        TABLE, "all => all.map(r => [...r.cells].map(c => c.innerText))"
    ):
        assert float(exploration) == pytest.approx(1.5 * float(prior) * math.sqrt(21) / (1 + int(n)), abs=5e-3)
