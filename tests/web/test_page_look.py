"""Looking inside on the page: overlay, lines, trees, exact values, matches."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from browsing import FAST, Reader, at, click, expect, needs_chromium, status, until

pytestmark = needs_chromium


def test_the_overlay_shows_the_thought_of_the_server(reader: Reader) -> None:
    page = reader.context.new_page()
    thoughts: list[dict] = []

    def receive(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "thought":
            thoughts.append(message["thought"])

    page.on("websocket", lambda socket: socket.on("framereceived", receive))
    page.add_init_script("localStorage.setItem('options', JSON.stringify({seconds: 0.3, mode: 'value'}))")
    page.goto(reader.address + at("tictactoe", "b2 a1"))
    page.click("#analysis")
    until(page, lambda: thoughts)
    expect(page.locator(".thought")).to_have_count(7)
    page.wait_for_selector("#analysis:not(.busy)")  # the last one is drawn, too
    shown = page.eval_on_selector_all(".thought", "all => all.map(one => ({...one.dataset}))")
    told = {move["name"]: move for move in thoughts[-1]["moves"]}
    assert {one["name"]: int(one["visits"]) for one in shown} == {name: move["visits"] for name, move in told.items()}
    assert all(float(one["value"]) == pytest.approx(told[one["name"]]["value"]) for one in shown)
    assert page.get_attribute(".thought.best", "data-name") == thoughts[-1]["move"]


def test_the_overlay_is_renewed_five_times_a_second(reader: Reader) -> None:
    page = reader.context.new_page()
    page.add_init_script("localStorage.setItem('options', JSON.stringify({analyst: 'uct', seconds: 60}))")
    page.goto(reader.address + at("gomoku(9)"))
    page.click("#analysis")
    page.wait_for_selector(".thought")
    page.evaluate(
        "() => { window.times = []; new MutationObserver(() => window.times.push(performance.now()))"
        ".observe(document.querySelector('.over'), {childList: true}); }"
    )
    often = "window.times.some((time, i) => window.times[i + 6] - time <= 1500)"
    until(page, lambda: page.evaluate(often))  # a busy machine may come to it a little later
    page.click("#analysis")


def test_the_mean_of_what_chance_may_bring_is_no_win_and_no_draw(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    told = page.evaluate(
        """async () => {
            const { verdict, verdictWords } = await import("/static/js/overlay.js");
            const moves = [0.034, -0.422, 0].map((value) => ({ value, mean: true, plies: null }));
            moves.push(...[1, 0, -1].map((value) => ({ value, mean: false, plies: null })));
            return moves.map((move) => [verdict(move).text, verdictWords(move)]);
        }"""
    )
    means = [["+.03", "worth +0.034"], ["\u2212.42", "worth \u22120.422"], ["0", "worth 0"]]
    assert told == [*means, ["W", "won"], ["D", "drawn"], ["L", "lost"]]


def test_exact_values_and_a_move_that_throws_away_the_win(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a2 a1"))  # O must take c3
    page.click("#solve")
    expect(page.locator(".verdict:is(.drawn, .lost)")).to_have_count(6)
    expect(page.locator(".verdict")).to_have_count(6)
    click(page, 0)
    status(page, "X to move")
    expect(page.locator(".verdict.won").first).to_be_visible()
    page.wait_for_selector("#solve:not(.busy)")
    lost = page.locator(".verdict:not(.won)").first.get_attribute("data-name")
    page.click(f".thought-table tr[data-name='{lost}'] button")
    expect(page.locator(".toast")).to_contain_text("throws away the win")


def test_a_tree_opens_node_by_node(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a1"))
    page.keyboard.press("2")
    page.click("#tree button")
    page.wait_for_selector("[role=treeitem]")
    expect(page.locator("[role=treeitem]")).to_have_count(7)
    page.keyboard.press("Tab")
    page.locator("[role=treeitem]").first.click()
    expect(page.locator("[role=treeitem] [role=treeitem]")).to_have_count(6)


def test_a_match_of_four_games(reader: Reader) -> None:
    page = reader.context.new_page()
    settings = {"game": "tictactoe", "agents": [FAST, "random"], "games": 4, "seed": 1, "seconds": ""}
    page.add_init_script(f"localStorage.setItem('match', {json.dumps(json.dumps(settings))})")
    page.goto(reader.address + "#match")
    page.click("#match-start")
    expect(page.locator("#match-status")).to_have_text("4 of 4 games played")
    expect(page.locator(".games li")).to_have_count(4)
    with page.expect_download() as saved:
        page.click("#match-export")
    assert len(json.loads(Path(saved.value.path()).read_text())["records"]) == 4
    page.click(".games li button >> nth=0")
    expect(page.locator("#status-text")).to_have_text(re.compile("wins|Drawn"))


def test_every_move_shows_its_line_in_the_table_and_on_the_board(reader: Reader) -> None:
    page = reader.context.new_page()
    analyst = "uct(sims=20000, seed=1)"  # as far, however slow the machine is
    page.add_init_script(f"localStorage.setItem('options', JSON.stringify({{seconds: 60, analyst: '{analyst}'}}))")
    page.goto(reader.address + at("gomoku(9)", "e5"))
    page.click("#analysis")
    page.wait_for_selector(".thought")
    page.wait_for_selector("#analysis:not(.busy)")
    rows = page.locator(".thought-table tbody tr")
    for number in (0, 1, 7):
        rows.nth(number).hover()
        name = rows.nth(number).get_attribute("data-name")
        expect(page.locator(".line-text")).to_have_text(re.compile(f"^Line: {name} "))
        assert page.locator(".ghost").count() >= 2
    page.hover("#status")
    expect(page.locator(".ghost")).to_have_count(0)
    spot = page.locator(".thought:not(.best)").last
    name = spot.get_attribute("data-name")
    row, col = 9 - int(name[1:]), ord(name[0]) - ord("a")
    page.hover(f"#board [data-cell='{9 * row + col}']")
    expect(page.locator(".line-text")).to_have_text(re.compile(f"^Line: {name}"))


def test_priors_are_offered_only_if_there_are_some(reader: Reader) -> None:
    page = reader.page(at("tictactoe"))
    expect(page.locator("#mode-value")).to_be_visible()
    expect(page.locator("#mode-prior")).to_be_hidden()
    for mode in ("value", "off", "visits"):
        page.keyboard.press("v")
        expect(page.locator(f"#mode-{mode}")).to_have_attribute("aria-pressed", "true")


def test_a_proven_win_shows_its_line_numbered_on_the_board(reader: Reader) -> None:
    page = reader.context.new_page()
    page.add_init_script("localStorage.setItem('options', JSON.stringify({seconds: 1, analyst: 'threats'}))")
    page.goto(reader.address + at("gomoku(9)", "e5 a1 f6 a9 c6 i9"))
    page.click("#analysis")
    expect(page.locator(".thought-head .tag")).to_have_text("proven win")
    line = page.inner_text(".line-text").removeprefix("Line: ").split()
    assert len(line) > 3 and page.locator(".thought.best").get_attribute("data-name") == line[0]
    assert page.locator(".ghost-number").all_text_contents() == [str(number + 1) for number in range(len(line))]
    sides = page.eval_on_selector_all(".ghost", "all => all.map((one) => one.classList.contains('p1'))")
    assert sides == [number % 2 == 1 for number in range(len(line))]
    page.click("#mode-off")
    expect(page.locator(".ghost")).to_have_count(0)
