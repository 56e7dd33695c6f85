"""The socket: a review of a game, bounded, with progress, the same as Python's; and files of games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asking import complaint
from fastapi.testclient import TestClient
from websockets.sync.client import ClientConnection
from wire import Server, answers, ask, send

import plyground as pg
from plyground.web.requests import Review
from plyground.web.visitors import GUESTS, LOCAL, Visitor

LOST = ["b2", "a2", "a1", "a3", "c3"]


def asked(page: ClientConnection, **message: Any) -> dict:
    return ask(page, type="review", **{"agent": "uct(sims=50)", "moves": LOST} | message)


def test_a_review_is_that_of_python(page: ClientConnection) -> None:
    told = asked(page)
    same = pg.review("tictactoe", " ".join(LOST), "uct(sims=50)").to_json()
    assert told["type"] == "review" and told["complete"] and told["mistakes"] == [1]
    assert {name: told[name] for name in ("reviewed", "values", "lost")} == {
        name: same[name] for name in ("reviewed", "values", "lost")
    }
    assert "blunder" in told["text"] and told["files"][".sgf"].count("BM[1]") == 1 and ".psq" in told["files"]


def test_it_tells_how_far_it_is_and_a_single_move_can_be_judged(page: ClientConnection, own: dict[str, str]) -> None:
    send(page, type="review", id=4, game="tictactoe", moves=LOST, agent="uct(sims=50)")
    told = answers(page)
    assert [one["type"] for one in told][-1] == "review" and all(one["share"] <= 1 for one in told if "share" in one)
    one = asked(page, moves=["b2", "a1"], since=1)
    assert [move["cost"] for move in one["reviewed"]] == [None, 0.0]
    chance = asked(page, game=own["dice"], moves=["0", "2"], agent="uct(sims=200)")
    assert [move["kind"] == "chance" for move in chance["reviewed"]] == [False, True] and chance["files"] == {}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"moves": []}, "moves"),
        ({"moves": ["b2", "b2"]}, "move 2, b2, is not legal there"),
        ({"moves": ["z9"]}, "there is no move 'z9'"),
        ({"agent": "human"}, "a human plays by the board"),
        ({"seconds": 61.0}, "seconds"),
    ],
)
def test_what_makes_no_sense_is_one_line(page: ClientConnection, message: dict, said: str) -> None:
    told = asked(page, **message)
    assert told["type"] == "error" and said in told["error"] and "\n" not in told["error"]


def test_a_review_is_stopped_and_its_slot_is_free_again(server: Server, page: ClientConnection) -> None:
    moves = ["h8", "h9", "i9", "g7", "j10", "g10"]
    send(page, type="review", id=7, game="gomoku(15)", moves=moves, agent="uct(sims=10000000)", seconds=60.0)
    send(page, type="stop", id=7)
    last = answers(page)[-1]
    assert last["type"] in ("review", "error") and not last.get("complete")
    server.until(4)


def test_guests_have_less_time() -> None:
    request = Review(type="review", id=1, game="tictactoe", moves=["b2"], agent="uct")
    assert Visitor(GUESTS).within(request).seconds == GUESTS.review < Visitor(LOCAL).within(request).seconds == 60.0


def test_files_are_read_by_their_names_or_by_what_they_hold(client: TestClient, tmp_path: Path) -> None:
    told = pg.review("mnk(4,4,4)", "a1 b2 c3", "random")
    for ending in (".sgf", ".psq"):
        told.save(tmp_path / f"mine{ending}")
        text = (tmp_path / f"mine{ending}").read_text()
        for name in (f"mine{ending}", ""):
            found = client.post("/api/file", json={"name": name, "text": text}).json()
            assert (found["game"], found["moves"]) == ("mnk(4,4,4)", ["a1", "b2", "c3"])
    assert "games are kept in files" in complaint(client.post("/api/file", json={"name": "x.exe", "text": "?"}))
    assert "this is no game" in complaint(client.post("/api/file", json={"text": "b2 a1"}))
    assert "x.sgf: there is no game" in complaint(client.post("/api/file", json={"name": "x.sgf", "text": ""}))
