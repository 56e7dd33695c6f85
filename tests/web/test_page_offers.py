"""What the page offers and what it leaves out: agents that can play, moves that matter, what is proven, phones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from browsing import Reader, Site, at, click, expect, needs_chromium, playwright, served, status, until

from plyground import agents, games

pytestmark = needs_chromium
PHONE = {"width": 390, "height": 800}
CELLS = [f"{column}{row}" for row in range(9, 0, -1) for column in "abcdefghi"]  # of gomoku(9)
MOVE = {"visits": 0, "share": 0.0, "value": 0.0, "proven": False, "prior": None, "line": []}
WATCH_CLOCK = """() => { const clock = document.querySelectorAll(".clock")[1];
    window.clock = [clock.textContent];
    new MutationObserver(() => window.clock.push(clock.textContent)).observe(clock, { childList: true }); }"""
UNKNOWN = {"value": None, "at_least": -1.0, "at_most": 1.0, "plies": None, "shortest": False}


def thought(shares: dict[str, float]) -> dict:
    """A thought about gomoku(9); moves that are not named have a thousandth of the visits each."""
    moves = [
        MOVE | {"action": i, "name": name, "cells": [i], "share": share, "visits": round(1000 * share)}
        for i, name in enumerate(CELLS)
        for share in [shares.get(name, 0.001)]
    ]
    best = max(shares, key=lambda name: shares[name])
    return {"value": 0.1, "simulations": 1000, "seconds": 0.5, "move": best, "moves": moves, "line": [best]}


def solution(proven: dict[str, float]) -> dict:
    moves = [
        UNKNOWN | {"name": name, "cells": [i]} | ({"value": proven[name], "plies": 5} if name in proven else {})
        for i, name in enumerate(CELLS)
    ]
    told = {"complete": False, "why_unknown": "the time is up", "line": [], "nodes": 1000, "seconds": 19.9}
    return UNKNOWN | told | {"moves": moves}


def offered(page: playwright.Page, label: str) -> list[str]:
    return page.locator(f"[aria-label='{label}'] option").all_text_contents()


def test_only_agents_that_can_play_the_game_are_offered(reader: Reader, own: dict[str, str]) -> None:
    page = reader.page(at("line-taking", second="line-taking-master"))
    assert "line-taking-master" in offered(page, "Second player")
    page.select_option("#game select[aria-label=Game]", "connect-four")
    expect(page.locator("#board .falling, #board.falling, .board.falling")).to_be_visible()
    for label in ("First player", "Second player", "Agent for analysis"):
        names = offered(page, label)
        assert {"uct", "alphabeta", "alphazero"} <= set(names)
        assert not {"line-taking-master", "gomoku-master", "threats", "bcts", "afterstate-net", "one-ply"} & set(names)
    expect(page.locator("[aria-label='Second player']")).to_have_value(agents.usual(games.make("connect-four")))
    page.select_option("#game select[aria-label=Game]", own["heap"])
    expect(page.locator(".text-board")).to_be_visible()
    assert not {"alphazero", "net", "gomoku-master", "win-block-middle"} & set(offered(page, "Second player"))
    page.select_option("#game select[aria-label=Game]", "gomoku")
    expect(page.locator(".board.intersections")).to_be_visible()
    assert {"gomoku-master", "gomoku-classic", "threats"} <= set(offered(page, "Second player"))


def test_a_match_offers_the_same_and_replaces_those_that_cannot_play(reader: Reader) -> None:
    page = reader.context.new_page()
    settings = {"game": "gomoku(9)", "agents": ["threats", "win-block"], "games": 2, "seed": 1, "seconds": ""}
    page.add_init_script(f"localStorage.setItem('match', {json.dumps(json.dumps(settings))})")
    page.goto(reader.address + "#match")
    expect(page.locator("#match [aria-label='First agent']")).to_have_value("threats")
    page.select_option("#match select[aria-label=Game]", "connect-four")
    usual = agents.usual(games.make("connect-four"))
    expect(page.locator("#match [aria-label='First agent']")).to_have_value(usual)
    expect(page.locator("#match [aria-label='Second agent']")).to_have_value("win-block")
    assert not {"threats", "gomoku-master", "dellacherie"} & set(offered(page, "First agent"))


def test_the_server_says_who_can_play(client: Any) -> None:
    def listed(game: str) -> set[str]:
        return {agent["name"] for agent in client.get("/api/agents", params={"game": game}).json()["agents"]}

    assert "gomoku-master" in listed("gomoku(15)") and "gomoku-master" not in listed("gomoku(30)")  # no net so large
    assert "human" not in listed("tictactoe") and "external" not in listed("gomoku(15)")
    assert client.get("/api/agents", params={"game": "nothing"}).status_code == 422


def test_analysis_and_hints_are_by_the_strongest_agent_of_the_game(reader: Reader) -> None:
    page = reader.context.new_page()

    def think(say: Callable[..., None], message: dict) -> None:
        shares = {"e5": 0.6, "d4": 0.2} if message["seconds"] == 1 else {"e5": 0.4, "d4": 0.3, "f6": 0.1}
        say(type="thought", move="e5", thought=thought(shares))

    asked = served(page, think)
    page.goto(reader.address + at("gomoku(9)"))
    strongest = agents.usual(games.make("gomoku(9)"))
    assert strongest != "uct"
    analyst = page.locator("[aria-label='Agent for analysis']")
    expect(analyst).to_have_value(strongest)
    page.click("#hint")
    expect(page.locator(".hint")).to_have_count(1)
    page.click("#analysis")
    expect(page.locator(".thought")).to_have_count(3)  # the others have a hundredth of it, at most
    assert [message["agent"] for message in asked] == [strongest, f"{strongest}(seconds=20)"]
    page.click("#tab-with")
    analyst.select_option("threats")
    page.select_option("#game select[aria-label=Game]", "tictactoe")
    expect(analyst).to_have_value("uct")
    page.select_option("#game select[aria-label=Game]", "gomoku")
    expect(analyst).to_have_value("threats")


@pytest.mark.parametrize("known", [{"value": 1.0, "proven": True}, {"prior": 0.5}])
def test_what_is_known_without_visits_is_drawn_and_none_are_listed(reader: Reader, known: dict[str, Any]) -> None:
    page = reader.context.new_page()
    moves = [
        MOVE | {"action": i, "name": name, "cells": [i]} | (known if name == "d4" else {word: 0.0 for word in known})
        for i, name in enumerate(CELLS)
    ]
    told = thought({"d4": 0.5}) | {"moves": moves, "simulations": 0}
    served(page, lambda say, _: say(type="thought", move="d4", thought=told))
    page.goto(reader.address + at("gomoku(9)"))
    page.wait_for_selector(".board")
    page.click("#analysis")
    expect(page.locator(".thought.best .reading")).to_have_text("50%" if "prior" in known else "100")
    assert page.locator("th:visible").all_inner_texts() == ["Move", "Prior" if "prior" in known else "Value"]


def test_solving_shows_what_is_proven_and_says_if_nothing_is(reader: Reader) -> None:
    page = reader.context.new_page()

    def solve(say: Callable[..., None], _: dict) -> None:
        say(type="solving", solution=solution({}))
        expect(page.locator("#status-note")).to_have_text("nothing proven yet")
        assert page.locator(".verdict, .thought-table tbody tr").count() == 0
        say(type="solving", solution=solution({"e5": 1.0}))
        expect(page.locator(".verdict")).to_have_count(1)
        expect(page.locator("#status-note")).to_have_text("")
        expect(page.locator(".thought-table tbody tr")).to_contain_text(["e5"])
        say(type="solution", solution=solution({}))

    served(page, solve)
    page.goto(reader.address + at("gomoku(9)"))
    page.wait_for_selector(".board")
    page.click("#solve")
    expect(page.locator("#status-note")).to_have_text("nothing proven in 20 s: the time is up")
    assert page.locator(".verdict").count() == 0
    page.click("#solve")
    expect(page.locator("#status-note")).to_have_text("")


def test_no_clock_runs_while_an_agent_is_compiled(reader: Reader) -> None:
    page = reader.context.new_page()

    def think(say: Callable[..., None], _: dict) -> None:
        say(type="compiling")
        status(page, "White to move · preparing…")
        page.wait_for_timeout(1300)
        assert page.locator(".clock").all_text_contents() == ["0:00", "0:00"]
        page.evaluate(WATCH_CLOCK)
        say(type="thinking", thought=thought({"d4": 0.5}) | {"seconds": 3.0})
        status(page, "White to move · random thinks")
        until(page, lambda: set(page.evaluate("window.clock")) > {"0:00"})
        assert next(text for text in page.evaluate("window.clock") if text != "0:00") == "0:03"
        say(type="thought", move="d4", thought=thought({"d4": 0.5}))

    served(page, think)
    page.goto(reader.address + at("gomoku(9)", second="random"))
    page.wait_for_selector(".board")
    click(page, 40)
    status(page, "Black to move")


def test_a_phone_shows_header_and_board_first_then_moves_and_thoughts(browser: playwright.Browser, site: Site) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        for view in ("play", "match", "play"):
            page.goto("about:blank")
            page.goto(f"{site.address}#{view}")
            expect(page.locator(f"#{'board' if view == 'play' else 'match-board'} .board")).to_be_visible()
            page.wait_for_load_state("networkidle")
            assert page.evaluate("scrollY") == 0
        tops = {name: page.locator(f"#play .{name}").bounding_box()["y"] for name in ("centre", "setup", "side")}
        assert tops["centre"] < tops["side"] < tops["setup"]
        page.evaluate("scrollTo(0, 900)")
        page.evaluate("location.hash = '#tetris'")
        expect(page.locator(".tetris-notice")).to_have_text("Tap to start")
        assert page.evaluate("scrollY") == 0
        page.tap(".tetris-well")
        expect(page.locator(".tetris-notice")).to_be_hidden()
    finally:
        context.close()


def test_moves_are_numbered_by_turns_of_the_first_player(reader: Reader) -> None:
    """Who moves twice goes on with the same number, chance has none of its own, and alone every move has one."""
    written = """async ([movers, alone]) => {
        const { MoveList } = await import("/static/js/moves.js");
        const root = { children: [], parent: null, ply: 0, view: { player: movers[0], alone } };
        let here = root;
        movers.forEach((_, i) => {
            const view = { player: movers[i + 1] ?? 0, alone };
            const node = { move: "m" + i, parent: here, children: [], ply: i + 1, view };
            here.children.push(node);
            here = node;
        });
        const host = document.createElement("div");
        new MoveList(host, {}).show({ root, at: here });
        return [...host.querySelectorAll(".number, .move")].map((part) => part.textContent).join(" ");
    }"""

    page = reader.page()

    def numbered(movers: list[int], alone: bool = False) -> str:
        return page.evaluate(written, [movers, alone])

    assert numbered([0, 1, 0, 1]) == "1. m0 m1 2. m2 m3"
    assert numbered([0, 0, 1, 1, 0]) == "1. m0 m1 m2 m3 2. m4"
    assert numbered([-1, 0, -1, 1, -1, 0]) == "m0 1. m1 m2 m3 m4 2. m5"
    assert numbered([1, 0, 1]) == "1… m0 2. m1 m2"
    assert numbered([0, 0, 0], alone=True) == "1. m0 2. m1 3. m2"
