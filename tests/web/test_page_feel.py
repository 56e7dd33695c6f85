"""How it feels to play: a first visit, opponents by their level, the end of a game, what moves and what is heard."""

from __future__ import annotations

from browsing import Reader, click, expect, needs_chromium, status
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
    assert "second=uct%28sims%3D8%29" in page.url
    page.goto("about:blank")
    page.goto(reader.address)
    status(page, "X to move")  # no first visit any more
