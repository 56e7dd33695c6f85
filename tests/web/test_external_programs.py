"""External programs on the page: only those that the server was started with, by the names it gave them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from wire import Server, answers, ask, send

from commands import refusal, run
from plyground.spec import InputError
from plyground.web.catalogue import Catalogue
from plyground.web.runs import Runs
from plyground.web.server import make_app

FAKE = f"{sys.executable} {Path(__file__).parent.parent / 'games/k_in_row/gomocup/fake_engine.py'}"
PROGRAMS = {"fake": FAKE, "broken": f"{FAKE} outside"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    made = Server([])
    made.app.state.server.catalogue.programs = dict(PROGRAMS)
    yield made
    made.stop()


@pytest.mark.parametrize(
    "spec",
    [
        "external({command!r})",
        "external(command={command!r}, seconds=1)",
        "external({command!r}, grace=3600.0)",
        "best-response(to='external({command!r})')",
        "hybrid(before='external(\"{command}\")')",
        "hybrid(then='external(\"{command}\")')",
        "external('fake; {command}')",
        "external('')",
    ],
)
@pytest.mark.parametrize("programs", [{}, PROGRAMS], ids=["none", "some"])
def test_no_command_of_a_visitor_is_started(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, spec: str, programs: dict[str, str]
) -> None:
    made = tmp_path / "made"
    text = spec.format(command=f"touch {made}")
    with pytest.raises(InputError):
        Catalogue([], Runs(tmp_path), programs).agent(text)
    monkeypatch.setattr(server.app.state.server.catalogue, "programs", programs)
    with server.page() as page:
        for words in ({"type": "think", "agent": text}, {"type": "match", "agents": [text, "random"], "games": 1}):
            assert ask(page, **words, game="gomoku(5)")["type"] == "error"
    assert not made.exists()


def test_programs_are_listed_by_name_only_if_there_are_any() -> None:
    def listed(programs: dict[str, str]) -> dict:
        client = TestClient(make_app([], programs=programs), base_url="http://127.0.0.1:8000")
        return {agent["name"]: agent for agent in client.get("/api/agents").json()["agents"]}

    assert "external" not in listed({})
    (command,) = [option for option in listed(PROGRAMS)["external"]["parameters"] if option["name"] == "command"]
    assert command["choices"] == ["fake", "broken"] and FAKE not in str(listed(PROGRAMS))


def test_a_program_that_was_given_plays_on_the_page(server: Server) -> None:
    with server.page() as page:
        thought = ask(page, type="think", game="gomoku(5)", agent='external("fake")', moves=["a5"])
        assert thought["type"] == "thought" and thought["move"] == "b5"
        send(page, type="match", id=2, game="gomoku(5)", agents=['external("broken")', "random"], games=2)
        told = answers(page)
        records = [one["record"] for one in told if one.get("record")]
        assert told[-1]["losses"] == 2 and all("not on the board" in record["reason"] for record in records)
        refused = ask(page, type="think", game="gomoku(5)", agent='external("broken")')
        assert refused["type"] == "error" and "forfeits: it answered 5,0" in refused["error"]


def test_stopping_a_program_that_thinks_ends_it_and_is_no_loss(server: Server) -> None:
    server.app.state.server.catalogue.programs["slow"] = f"{FAKE} hang"
    with server.page() as page:
        words = {"type": "match", "game": "gomoku(5)", "agents": ['external("slow", seconds=30)', "random"], "games": 2}
        send(page, id=1, **words)
        server.until(3)
        send(page, type="stop", id=1)
        assert answers(page)[-1]["games"] == 0
    server.until(4)


@pytest.mark.parametrize("given", ["fake", "=x", "fake=", "fake=/no/such/program"])
def test_a_program_that_cannot_be_started_is_refused_by_serve(given: str) -> None:
    refusal(run("serve", "--port", "0", "--external", given))
