"""Agents and scorings of users' own files, given to `serve`: listed, chosen, and no others than those."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Reader, at, click, expect, needs_chromium, playwright
from fastapi.testclient import TestClient
from wire import Server, answers, ask, send

from plyground.spec import InputError
from plyground.web.catalogue import Catalogue
from plyground.web.given import sorted_out
from plyground.web.runs import Runs
from plyground.web.server import make_app
from toys import heap_file

AGENT = '''import os
import time
from plyground import rules
from plyground.agents.base import Move, Thought


class Last:
    """Plays one of the last legal actions."""

    thoughts = 0

    def __init__(self, back: int = 1):
        self.back = back
        while os.path.exists("SLOWLY"):
            time.sleep(0.01)

    @classmethod
    def must_play(cls, game):
        from plyground.spec import InputError
        if game.actions() != 9:
            raise InputError("nine actions, please")

    def think(self, game, state, limit):
        self.thoughts += 1
        action = rules.legal(game, state)[-self.back]
        return Thought(action, 0.5, os.getpid(), 0.1, [Move(action, self.thoughts, 0.5)], [action])
'''
SCORING = '''from typing import NamedTuple


class Corner(NamedTuple):
    """Likes the first cell."""

    weight: int = 3

    def judge(scoring, game, state):
        return 0.0
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("given")
    slow = AGENT.replace("SLOWLY", str(made / "slowly"))
    (made / "last.py").write_text(slow)
    (made / "corner.py").write_text(SCORING)
    (made / "both.py").write_text(AGENT + SCORING)
    (made / "other.py").write_text(AGENT)
    (made / "empty.py").write_text("VALUE = 3\n")
    return made


@pytest.fixture(scope="module")
def own_server(folder: Path) -> Iterator[Server]:
    made = Server([f"{folder}/last.py:Last", f"{folder}/corner.py"])
    yield made
    made.stop()


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_is_given_is_known_by_what_its_file_holds(folder: Path) -> None:
    given = sorted_out(["tictactoe", f"{folder}/last.py", f"{folder}/both.py", f"{folder}/corner.py:Corner"])
    assert given.games == ["tictactoe"]
    assert given.agents == [f"{folder}/last.py", f"{folder}/both.py"]
    assert given.scorings == [f"{folder}/both.py", f"{folder}/corner.py:Corner"]
    for text, says in (f"{folder}/last.py(3)", "on the page"), (f"{folder}/nothing.py", "no file"):
        with pytest.raises(InputError, match=says):
            sorted_out([text])
    with pytest.raises(InputError, match="holds no game"):
        make_app([f"{folder}/empty.py"])


def test_they_are_listed_where_they_can_be_chosen(folder: Path, own_server: Server) -> None:
    client = TestClient(own_server.app, base_url="http://127.0.0.1:8000")

    def listed(**more: str) -> dict[str, Any]:
        return {one["name"]: one for one in client.get("/api/agents", params=more).json()["agents"]}

    name = f"{folder}/last.py:Last"
    found = listed()
    assert found[name]["about"].startswith("Plays one of the last")
    assert [(one["name"], one["type"], one["default"]) for one in found[name]["parameters"]] == [("back", "int", 1)]
    assert name in listed(game="tictactoe") and name not in listed(game="connect-four")
    scoring = next(one for one in found["alphabeta"]["parameters"] if one["name"] == "scoring")
    assert {"auto", "none", f"{folder}/corner.py"} <= set(scoring["choices"])


def test_an_agent_whose_file_breaks_is_left_out_and_stops_no_other(tmp_path: Path) -> None:
    for name in "a.py", "b.py":
        (tmp_path / name).write_text(AGENT)
    client = TestClient(make_app([f"{tmp_path}/a.py", f"{tmp_path}/b.py"]), base_url="http://127.0.0.1:8000")

    def listed(**more: str) -> list[str]:
        answer = client.get("/api/agents", params=more)
        assert answer.status_code == 200, answer.text
        return [one["name"] for one in answer.json()["agents"]]

    whole = listed(game="tictactoe")
    assert whole[-2:] == [f"{tmp_path}/a.py", f"{tmp_path}/b.py"]
    (tmp_path / "a.py").write_text(AGENT.replace("def think(", "def think"))
    assert listed(game="tictactoe") == [*whole[:-2], whole[-1]] and whole[-2] not in listed()
    (tmp_path / "a.py").write_text(AGENT.replace("game.actions() != 9", "{}[game.actions()]"))
    assert listed(game="tictactoe") == [*whole[:-2], whole[-1]] and whole[-2] in listed()
    (tmp_path / "a.py").write_text(AGENT)
    assert listed(game="tictactoe") == whole


def test_options_of_users_agents_mean_what_they_say_there(tmp_path: Path) -> None:
    text = AGENT.replace("back: int = 1", "back: int = 1, then: str = 'left', limit: int = 10**9")
    (tmp_path / "free.py").write_text(text)
    catalogue = Catalogue([f"{tmp_path}/free.py"], Runs(tmp_path))
    assert catalogue.agent(f"{tmp_path}/free.py").text == f"{tmp_path}/free.py()"
    assert (
        "then='right', limit=1000000000" in catalogue.agent(f"{tmp_path}/free.py(then='right', limit=1000000000)").text
    )


def test_an_agent_of_a_file_thinks_on_the_page_in_a_process_that_lasts_as_long_as_its_seat(
    folder: Path, own_server: Server
) -> None:
    name = f"{folder}/last.py:Last"
    with own_server.page() as page:
        (folder / "slowly").touch()
        send(page, type="think", id=1, game="tictactoe", agent=name, seat=0)
        waits = json.loads(page.recv(timeout=120))
        (folder / "slowly").unlink()
        (first,) = answers(page)
        assert (waits["type"], waits["id"]) == ("compiling", 1)  # the clock of the page waits, too
        assert first["move"] == "c1" and first["thought"]["line"] == ["c1"]
        pid = first["thought"]["simulations"]
        send(page, type="think", id=2, game="tictactoe", agent=name, seat=0, moves=["c1", "b2"])
        (again,) = answers(page)
        second = again["thought"]
        assert (second["simulations"], second["moves"][0]["visits"]) == (pid, 2) and is_there(pid)
        third = ask(page, type="think", id=3, agent=f"{name}(back=2)", seat=0, moves=["c1", "b2"])
        assert third["move"] == "a1" and third["thought"]["simulations"] != pid and not is_there(pid)
        alone = ask(page, type="think", id=4, agent=f"hybrid(before='{name}', then='random')")["thought"]
        assert not is_there(alone["simulations"])
        assert ask(page, type="think", id=5, agent=name)["move"] == "c1"
        assert "process" in ask(page, type="open", id=6, of=5)["error"]
    corner = f"{folder}/corner.py"
    with own_server.page() as page:
        assert ask(page, type="think", agent=f"minimax(depth=1, scoring='{corner}(5)')")["type"] == "thought"


@pytest.mark.parametrize(
    "agent",
    [
        "{folder}/other.py:Last",
        "{folder}/last.py",
        "hybrid(then='{folder}/other.py:Last')",
        "alphabeta(scoring='{folder}/both.py:Corner')",
        "alphabeta(scoring='{folder}/last.py:Last')",
    ],
)
def test_files_that_were_not_given_are_not_touched(folder: Path, own_server: Server, agent: str) -> None:
    with own_server.page() as page:
        said = ask(page, type="think", agent=agent.format(folder=folder))["error"]
    assert "serve" in said, said


@needs_chromium
def test_a_reader_plays_against_an_agent_of_a_file(
    folder: Path, own_server: Server, browser: playwright.Browser
) -> None:
    reader = Reader(browser, f"http://127.0.0.1:{own_server.port}/")
    try:
        page = reader.page(at("tictactoe", second="random"))
        page.locator("#seats select:visible").last.select_option(label="last.py:Last")
        click(page, 4)
        expect(page.locator("#board .stone > *")).to_have_count(2)
        expect(page.locator("#board [data-cell='8'] .stone > *")).to_have_count(1)
        expect(page.locator(".toast.error")).to_have_count(0)
    finally:
        reader.context.close()
    assert reader.errors == []


def test_a_file_gives_all_that_it_holds_and_its_things_go_by_either_name(tmp_path: Path) -> None:
    heaps = heap_file(4) + "\n\n" + heap_file(4).partition("\n\n\n")[2].replace("class Heap", "class Pile")
    (tmp_path / "two.py").write_text(AGENT + AGENT.replace("class Last", "class Other"))
    (tmp_path / "games.py").write_text(heaps)
    (tmp_path / "one.py").write_text(heap_file(4))
    two, both, one = (str(tmp_path / name) for name in ("two.py", "games.py", "one.py"))
    given = sorted_out([two, both, one])
    assert given.agents == [f"{two}:Last", f"{two}:Other"]
    assert given.games == [f"{both}:Heap", f"{both}:Pile", one]
    catalogue = Catalogue([f"{two}:Last", one], Runs(tmp_path))
    assert catalogue.game(f"{one}:Heap") is catalogue.game(one)
    assert catalogue.game(f"{one}:Heap(3)").game.size == 3
    with pytest.raises(InputError, match="has to be named"):
        catalogue.agent(f"{two}:Other")
    with pytest.raises(InputError, match="has to be named"):
        catalogue.game(f"{both}:Heap")
    alone = tmp_path / "alone.py"
    alone.write_text(AGENT)
    assert Catalogue([str(alone)], Runs(tmp_path)).agent(f"{alone}:Last").text == f"{alone}:Last()"
