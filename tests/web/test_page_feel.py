"""How it feels to play: a first visit, opponents by their level, the end of a game, what moves and what is heard."""

from __future__ import annotations

import re

import pytest
from browsing import Reader, at, click, expect, needs_chromium, status
from fastapi.testclient import TestClient

from plyground import agents, games
from plyground.agents.levels import FULL, levels
from plyground.web import responses

pytestmark = needs_chromium


def test_every_game_of_two_has_levels_up_to_the_agent_that_one_meets() -> None:
    for name in ("tictactoe", "chess", "gomoku"):
        game = games.make(name)
        found = levels(game)
        assert found[0].name == "beginner" and found[-1].name == FULL
        assert all(agents.plays(agents.maker(one.agent.partition("(")[0]), game) for one in found)
    assert len(found) == 8  # the game's own
    assert levels(games.make("2048")) == []


def test_every_game_has_a_picture(client: TestClient, own: dict[str, str]) -> None:
    told = client.get("/api/pictures").json()
    responses.Pictures.model_validate(told)
    found = {one["game"]: one for one in told["games"]}
    assert set(found) == {*own.values(), *games.registry()} - {"against-random", "openspiel"}
    assert sum(cell > 0 for cell in found["gomoku"]["view"]["cells"]) == 14
    assert found["chess"]["view"]["moves"] == []
    assert found[own["alone"]]["about"].startswith("Throw a die")


def test_a_first_visit_is_one_click_from_the_first_stone(reader: Reader) -> None:
    page = reader.page("")
    expect(page.locator(".pictures .card svg.board")).not_to_have_count(0)
    page.click("[data-level=novice]")
    page.click(".pictures .card:has(strong:text-is('tictactoe'))")
    status(page, "X to move")
    expect(page.locator(".level:visible")).to_have_value("uct(sims=40)")
    click(page, 4)
    expect(page.locator("#board .stone > *")).to_have_count(2)
    page.select_option(".level:visible", label="beginner")
    expect(page).to_have_url(re.compile(re.escape("second=uct%28sims%3D8%29")))
    page.goto("about:blank")
    page.goto(reader.address)
    status(page, "X to move")  # no first visit any more


def test_a_game_that_is_won_ends_with_a_rematch_on_the_other_side(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a1 b3 a2", second="uct(sims=8)"))
    expect(page.locator("#rematch")).to_be_hidden()
    click(page, 7)
    expect(page.locator("#status-text")).to_have_text("You won · X wins")
    page.click("#rematch")
    expect(page.locator("[data-plays=second]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#board .stone > *")).to_have_count(1)  # the agent has begun
    status(page, "O to move")
    expect(page.locator("#evaluation")).to_have_attribute("aria-valuetext", re.compile(r"^X \d+%$"))


def test_a_game_is_resigned_by_two_clicks_and_a_draw_is_taken_by_who_is_no_better(reader: Reader) -> None:
    page = reader.page(at("tictactoe", "b2 a1 c3", second="uct(sims=300)"))  # who moves has to defend
    expect(page.locator("#board .stone > *")).to_have_count(4)
    page.click("#draw")
    expect(page.locator("#status-text")).to_have_text("Drawn by agreement")
    page = reader.page(at("hex(3)", "a1 b2 c3 a2", second="random"))  # where somebody always wins
    expect(page.locator("#resign")).to_be_visible()
    expect(page.locator("#draw")).to_be_hidden()
    page = reader.page(at("tictactoe", "a1 b2 b1 c1 c3", second="uct(sims=300)"))  # it wins
    expect(page.locator("#board .stone > *")).to_have_count(6)
    status(page, "You lost")
    reader.context.clock.install(time=0)
    page = reader.page(at("tictactoe", "a1 b2", second="uct(sims=300)"))
    page.clock.pause_at(1000)  # the page waits three seconds for the second click
    page.click("#resign")
    expect(page.locator("#resign")).to_have_text("Sure?")
    page.click("#resign")
    expect(page.locator("#status-text")).to_have_text("You lost · O wins by resignation")
    page.reload()
    expect(page.locator("#status-text")).to_have_text("You lost · O wins by resignation")


HEARD = """window.heard = 0; window.AudioContext = class { state = "running"; currentTime = 0; };
window.OscillatorNode = class { frequency = { exponentialRampToValueAtTime() {} };
    connect(next) { return next; } start() { window.heard++; } stop() {} };
window.GainNode = class { gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} }; connect() {} };
window.moved = 0; const animate = Element.prototype.animate;
Element.prototype.animate = function (...all) { window.moved++; return animate.apply(this, all); };"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_moves_are_seen_and_heard_unless_the_system_asks_for_quiet(reader: Reader, motion: str) -> None:
    page = reader.context.new_page()
    page.emulate_media(reduced_motion=motion)
    page.add_init_script(HEARD)
    page.goto(reader.address + at("breakthrough(6,6)"))
    click(page, 24, 18)
    expect(page.locator(".moves .move")).to_have_count(1)
    asked = int(motion == "no-preference")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", str(motion == "no-preference").lower())
    assert page.evaluate("[window.heard, window.moved]") == [asked, asked]
    page.keyboard.press("q")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", str(motion != "no-preference").lower())
    page.click("#back")  # what is only looked at makes no sound
    expect(page.locator(".moves .move[aria-current]")).to_have_count(0)
    assert page.evaluate("window.heard") == asked


def test_stones_have_the_numbers_of_their_moves(reader: Reader) -> None:
    page = reader.page(at("go(5)", "b1 a1 c3 c4 a2"))  # the stone on a1 is taken
    page.keyboard.press("i")
    expect(page.locator("#numbers")).to_have_attribute("aria-pressed", "true")
    numbers = page.locator("#board .stone-number")
    expect(numbers).to_have_count(4)
    assert sorted(numbers.all_text_contents()) == ["1", "3", "4", "5"]
    page.keyboard.press("i")
    expect(numbers).to_have_count(0)


def test_back_goes_through_a_game_and_to_the_game_before(reader: Reader) -> None:
    page = reader.page(at("tictactoe", second="uct(sims=8)"))
    stones = page.locator("#board .stone > *")
    for cell, count in ((4, 2), (1, 4)):
        click(page, cell if not page.locator(f"[data-cell='{cell}'] .stone > *").count() else 3)
        expect(stones).to_have_count(count)
    page.go_back()
    expect(stones).to_have_count(2)
    page.go_forward()
    expect(stones).to_have_count(4)
    line = page.locator(".moves .move").all_inner_texts()
    page.click("#new-game")
    expect(stones).to_have_count(0)
    expect(page.locator(".toast")).to_contain_text("Back brings it again")
    page.go_back()
    expect(stones).to_have_count(4)
    assert page.locator(".moves .move").all_inner_texts() == line
    page.go_forward()
    expect(page.locator(".moves .move")).to_have_count(0)  # the new game, not the start of the other
    status(page, "X to move")
    page.go_back()
    expect(stones).to_have_count(4)
    page.click(".brand")
    page.click(".pictures .card:has(strong:text-is('tictactoe'))")
    expect(page.locator(".moves .move")).to_have_count(0)
    page.go_back()
    page.go_back()
    expect(stones).to_have_count(4)
