"""A game's file that changes while the page is served is read again, if what is new can be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import own_games
import pytest
from asking import complaint, view
from fastapi.testclient import TestClient

from plyground.web.catalogue import Catalogue
from plyground.web.jobs import Job
from plyground.web.match import match
from plyground.web.requests import Match
from plyground.web.runs import Runs
from plyground.web.server import make_app
from plyground.web.user_games import UserGames


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a heap of four, from which one or two are taken."""
    (tmp_path / "heap.py").write_text(own_games.HEAP)
    return tmp_path / "heap.py"


@pytest.fixture
def page(file: Path, runs: Path) -> TestClient:
    return TestClient(make_app([f"{file}:Heap"], str(runs)), base_url="http://127.0.0.1:8000")


def refused(page: TestClient, game: str, moves: str = "") -> str:
    return complaint(page.post("/api/position", json={"game": game, "moves": moves.split()}))


def parameters(page: TestClient) -> list[Any]:
    (given,) = page.get("/api/games").json()["given"]
    return [(option["name"], option["default"]) for option in given["parameters"]]


def test_new_rules_are_there_at_the_next_request(page: TestClient, file: Path) -> None:
    spec = f"{file}:Heap"
    assert "left = 2" in view(page, spec, "1")["text"] and "left = 7" in view(page, f"{spec}(9)", "1")["text"]
    assert parameters(page) == [("size", 4)]
    file.write_text(own_games.HEAP.replace("state.left -= action + 1", "state.left -= 1").replace("= 4", "= 6"))
    assert parameters(page) == [("size", 6)]
    assert "left = 5" in view(page, spec, "1")["text"] and "left = 8" in view(page, f"{spec}(9)", "1")["text"]


def test_a_game_in_play_goes_on_by_the_new_rules_or_is_refused(page: TestClient, file: Path) -> None:
    spec = f"{file}:Heap"
    assert view(page, spec, "1 1")["over"]
    file.write_text(own_games.HEAP.replace("return 2 if state.left > 1 else 1", "return 1"))
    assert refused(page, spec, "1 1") == "move 1, 1, is not legal there"
    assert "left = 3" in view(page, spec, "0")["text"]


def test_new_rules_that_cannot_be_used_are_refused_until_they_can(page: TestClient, file: Path) -> None:
    spec = f"{file}:Heap"
    for text, says in [
        (own_games.HEAP.replace("def play(", "def plya("), "lacks the rule play"),
        (own_games.HEAP.replace("def play(", "def play"), "cannot be imported: SyntaxError"),
        (own_games.BROKEN, "over raised ZeroDivisionError"),
    ]:
        file.write_text(text)
        assert says in refused(page, spec) and says in refused(page, spec)
        assert parameters(page) == [("size", 4)]
    file.unlink()
    assert "there is no file" in refused(page, spec)
    file.write_text(own_games.HEAP)
    assert "left = 2" in view(page, spec, "1")["text"]


def test_a_match_ends_by_the_rules_with_which_it_began(file: Path, runs: Path) -> None:
    lengths: list[int] = []

    def tell(message: dict[str, Any], latest: bool) -> None:
        if message["record"]:
            lengths.append(len(message["record"]["moves"]))
            file.write_text(own_games.HEAP.replace("= 4", "= 40"))

    request = Match(type="match", id=1, game=f"{file}:Heap", agents=["random", "random"], games=4)
    catalogue = Catalogue([request.game], Runs(runs))
    match(Job(request, tell), catalogue)
    assert len(lengths) == 4 and max(lengths) <= 4
    assert catalogue.game(request.game).game.size == 40


def test_a_file_that_has_not_changed_is_not_read_again(file: Path) -> None:
    own, spec = UserGames([f"{file}:Heap"]), f"{file}:Heap"
    before = own.classes[spec]
    own.read_again(f"{spec}(7)")
    assert own.classes[spec] is before
    file.write_text(own_games.HEAP + "\n")
    own.read_again(f"{spec}(7)")
    assert own.classes[spec] is not before
