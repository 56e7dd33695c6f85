"""What the server refuses over HTTP: nonsense, strangers, rules that raise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asking import complaint, view
from fastapi.testclient import TestClient

from plyground.spec import InputError
from plyground.web.server import make_app


@pytest.mark.parametrize(
    "body, says",
    [
        ({"game": "xiangqi"}, "there is no game"),
        ({"game": "gomoku(99)"}, "n is"),
        ({"game": "__import__('os')"}, "cannot read"),
        ({"game": "tictactoe", "moves": ["b2", "b2"]}, "not legal"),
        ({"game": "tictactoe", "moves": ["z9"]}, "there is no move"),
        ({"game": "tictactoe", "moves": ["a3", "a1", "b3", "b1", "c3", "c1"]}, "the game is over"),
        ({"game": "tictactoe", "start": "XXX/.../..."}, "X moves first"),
        ({"game": "tictactoe", "start": "../../etc/passwd"}, "rows"),
        ({"game": "tictactoe", "moves": "b2"}, "list"),
        ({"game": "tictactoe", "moves": [1]}, "string"),
        ({"game": "tictactoe", "moves": ["b2"] * 10_001}, "10000"),
        ({"game": 3}, "string"),
        ({}, "required"),
        ([], "dictionary"),
        ({"game": "\ud800"}, ""),
        ({"game": "tests/toys.py:Nim"}, "plyground serve"),
        ({"game": "/etc/passwd.py:Game"}, "plyground serve"),
    ],
)
def test_a_position_that_makes_no_sense_is_refused_in_one_line(client: TestClient, body: Any, says: str) -> None:
    answer = client.post("/api/position", content=json.dumps(body), headers={"content-type": "application/json"})
    assert says in complaint(answer)


@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 30_000, '{"game": NaN}', "9" * 5_000, b"\xff\xfe", "null"])
def test_what_is_not_json_is_refused(client: TestClient, text: str | bytes) -> None:
    for path in ("/api/position", "/api/play"):
        complaint(client.post(path, content=text, headers={"content-type": "application/json"}), 400, 422)


def test_an_illegal_move_is_refused(client: TestClient) -> None:
    for moves, move in (["b2"], "b2"), (["b2"], "nowhere"), (["a3", "a1", "b3", "b1", "c3"], "c1"):
        complaint(client.post("/api/play", json={"game": "tictactoe", "moves": moves, "move": move}))


def test_a_large_body_is_refused_however_it_is_sent(client: TestClient) -> None:
    large = b" " * (64 * 1024 + 1)
    assert "64 KiB" in complaint(client.post("/api/position", content=large), 413)
    assert "64 KiB" in complaint(client.post("/api/position", content=iter([large[:60_000], large[60_000:]])), 413)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost@evil", ""])
def test_a_foreign_host_is_refused(client: TestClient, host: str) -> None:
    assert "own page" in complaint(client.get("/api/games", headers={"host": host}), 403)
    complaint(client.get("/", headers={"host": host}), 403)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8000", ""]
)
def test_a_foreign_origin_is_refused(client: TestClient, origin: str) -> None:
    complaint(client.post("/api/position", json={"game": "tictactoe"}, headers={"origin": origin}), 403)


def test_the_own_origin_is_let_in(client: TestClient) -> None:
    headers = {"origin": "http://localhost:8000", "host": "localhost:8000"}
    assert client.post("/api/position", json={"game": "tictactoe"}, headers=headers).status_code == 200


def test_other_paths_and_methods_are_refused(client: TestClient) -> None:
    for path in ("/api/nothing", "/static/../server.py", "/static/%2e%2e/server.py", "/redoc", "/studies/", "/studies"):
        complaint(client.get(path), 404)
    complaint(client.get("/api/position"), 405)


@pytest.mark.parametrize("name", ["broken", "exits"])
def test_rules_that_raise_do_not_end_the_server(client: TestClient, own: dict[str, str], name: str) -> None:
    view(client, own[name])
    complaint(client.post("/api/play", json={"game": own[name], "move": "1"}))
    assert view(client, "tictactoe")["left"] == 9


def test_a_game_that_cannot_be_made_is_refused_at_the_start() -> None:
    with pytest.raises(InputError, match="there is no file"):
        make_app(["nowhere.py:Game"])


@pytest.mark.parametrize("game, value", [("heap", 10**20), ("heap", 2**31), ("well", 2**63), ("well", -1)])
def test_values_that_a_users_rules_cannot_bear_are_the_users_line(
    client: TestClient, own: dict[str, str], game: str, value: int, caplog: pytest.LogCaptureFixture
) -> None:
    spec = f"{own[game].partition('(')[0]}({value})"
    line = complaint(client.post("/api/position", json={"game": spec}))
    assert line.startswith(spec) and "plyground check" in line and not caplog.records
