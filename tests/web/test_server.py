"""The server's HTTP side: views of positions, listings, and what is refused."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from plyground import games, rules
from plyground.spec import InputError
from plyground.web.server import make_app

PLYGROUND = str(Path(sys.executable).parent / "plyground")
HEAP = """
from typing import NamedTuple
import numpy as np

class Heap(NamedTuple):
    size: int = 4
    def fields(game): return [("left", np.int16), ("turn", np.int8)]
    def actions(game): return 2
    def start(game, state): state.left = game.size
    def player(game, state): return state.turn
    def legal(game, state, out):
        out[0] = 0
        out[1] = 1
        return 2 if state.left > 1 else 1
    def play(game, state, action):
        state.left -= action + 1
        state.turn = 1 - state.turn
    def over(game, state): return state.left <= 0
    def score(game, state): return 1.0 if state.turn == 1 else -1.0
"""
# the same with a board of its own
BOARD = """
    def board(game): return {"shape": "well", "rows": game.size, "cols": 1}
    def cells(game, state): return [3 if i >= state.left else 0 for i in range(game.size)]
    def where(game, state, action): return [int(state.left) - 1 - i for i in range(action + 1)]
    def left(game, state): return state.left
    def name(game, action): return "one" if action == 0 else "two"
"""
# two cells and planes, but none of the rules for a page
PLANES = """
from typing import NamedTuple
import numpy as np

class Two(NamedTuple):
    def fields(game): return [("cells", np.int8, (2,)), ("stones", np.int8)]
    def actions(game): return 2
    def player(game, state): return state.stones & 1
    def legal(game, state, out):
        count = 0
        for cell in range(2):
            if state.cells[cell] == 0:
                out[count] = cell
                count += 1
        return count
    def play(game, state, action):
        state.cells[action] = state.stones + 1
        state.stones += 1
    def over(game, state): return state.stones == 2
    def score(game, state): return 0.0
    def planes(game): return (2, 1, 2)
    def encode(game, state, planes):
        for cell in range(2):
            if state.cells[cell]:
                planes[0 if state.cells[cell] == state.stones % 2 + 1 else 1, 0, cell] = 1
"""
# rules that raise once a move was made
BROKEN = HEAP.replace("def over(game, state): return", "def over(game, state): return 1 // int(state.turn == 0) and")
EXITS = HEAP.replace("def over(game, state): return", "def over(game, state): return state.turn and exit(3) or")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Specs of users' own games."""
    folder = tmp_path_factory.mktemp("games")
    texts = {"heap": HEAP, "board": HEAP + BOARD, "broken": BROKEN, "exits": EXITS, "planes": PLANES}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    made = {name: f"{folder / name}.py:{'Two' if name == 'planes' else 'Heap'}" for name in texts}
    return made | {"dice": f"{Path(__file__).parent.parent / 'toys.py'}:Dice"}


@pytest.fixture(scope="module")
def client(own: dict[str, str]) -> TestClient:
    return TestClient(make_app(list(own.values())), base_url="http://127.0.0.1:8000")


def view(client: TestClient, game: str, moves: str = "", **more: Any) -> dict:
    path = "/api/play" if "move" in more else "/api/position"
    answer = client.post(path, json={"game": game, "moves": moves.split(), **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def complaint(answer: Any, *status: int) -> str:
    assert answer.status_code in (status or (422,)), answer.text
    assert set(answer.json()) == {"error"} and "\n" not in answer.json()["error"]
    assert "Traceback" not in answer.text
    return answer.json()["error"]


# --- views ------------------------------------------------------------------------------------------------


def test_a_position_is_shown_with_everything_about_it(client: TestClient) -> None:
    seen = view(client, "tictactoe", "b2 a1 c1")
    assert seen["cells"] == [0, 0, 0, 0, 1, 0, 2, 0, 1] and seen["last"] == [8] and seen["player"] == 1
    assert seen["board"] == {
        "shape": "cells",
        "rows": 3,
        "cols": 3,
        "columns": ["a", "b", "c"],
        "row_labels": ["3", "2", "1"],
    }
    assert {"action": 0, "name": "a3", "cells": [0]} in seen["legal"] and len(seen["legal"]) == 6
    assert seen["threats"] == {"0": ["a3"], "1": []} and seen["left"] == 6
    assert seen["diagram"] == ".../.X./O.X O" and seen["over"] is False and seen["score"] is None


def test_a_won_game_shows_its_row(client: TestClient) -> None:
    seen = view(client, "tictactoe", "a3 a1 b3 b1 c3")
    assert seen["over"] and seen["score"] == 1 and seen["row"] == [0, 1, 2] and seen["legal"] == []


def test_a_move_is_played_from_a_diagram(client: TestClient) -> None:
    seen = view(client, "tictactoe", start="X.O/.X./O.. X", move="C1")
    assert seen["over"] and seen["moves"] == ["c1"] and seen["start"] == "X.O/.X./O.. X" and seen["last"] == [8]
    assert view(client, "tictactoe", "c1", start="X.O/.X./O.. X")["cells"] == seen["cells"]


@pytest.mark.parametrize("game", ["gomoku(9)", "connect-four", "line-taking", "line-taking(cells=20, seed=3)"])
def test_the_view_of_every_position_is_that_of_the_rules(client: TestClient, game: str) -> None:
    made = games.make(game)
    state, names = rules.new(made), []
    for number in range(12):
        if made.over(state):
            break
        actions = rules.legal(made, state)
        action = actions[(7 * number) % len(actions)]
        cells = made.where(state, action)
        names.append(made.name(action))
        made.play(state, action)
        seen = view(client, game, " ".join(names[:-1]), move=names[-1])
        assert seen == view(client, game, " ".join(names))
        assert seen["cells"] == made.cells(state) and seen["last"] == cells and seen["text"] == made.text(state)
        assert [one["action"] for one in seen["legal"]] == ([] if made.over(state) else rules.legal(made, state))
        assert seen["left"] == (made.left(state) if rules.gives(made, "left") else None)
    assert seen["game"] == game and all(seen["board"]["columns"])


def test_a_users_game_is_shown_by_its_rules_by_its_planes_or_as_text(client: TestClient, own: dict[str, str]) -> None:
    seen = view(client, own["board"], "two")
    assert seen["board"]["shape"] == "well" and seen["cells"] == [0, 0, 3, 3] and seen["last"] == [3, 2]
    assert seen["left"] == 2
    seen = view(client, own["planes"], "1")
    assert seen["board"]["shape"] == "cells" and seen["cells"] == [0, 1] and seen["last"] == [1]
    assert view(client, own["planes"], "1 0")["cells"] == [2, 1]
    seen = view(client, own["heap"], "1")
    assert seen["board"]["shape"] == "text" and seen["cells"] == [] and "left = 2" in seen["text"]
    assert [one["name"] for one in seen["legal"]] == ["0", "1"] and seen["diagram"] == ""


def test_a_chance_event_lists_its_outcomes_with_their_probabilities(client: TestClient, own: dict[str, str]) -> None:
    seen = view(client, own["dice"], "0")
    assert seen["player"] == -1 and [one["probability"] for one in seen["legal"]] == [0.5, 0.5]
    assert view(client, own["dice"], "0 2")["player"] == 1
    complaint(client.post("/api/play", json={"game": own["dice"], "moves": ["0"], "move": "0"}))


def test_the_listings_are_those_of_the_command_line(client: TestClient, own: dict[str, str]) -> None:
    ran = [subprocess.run([PLYGROUND, what, "--json"], capture_output=True, text=True) for what in ("games", "agents")]
    found = client.get("/api/games").json()
    assert found["games"] == json.loads(ran[0].stdout)["games"] and found["given"] == list(own.values())
    listed = [agent for agent in json.loads(ran[1].stdout)["agents"] if agent["name"] != "human"]
    assert client.get("/api/agents").json()["agents"] == listed


def test_the_page_or_a_message_stands_at_the_root(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200 and answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body, says",
    [
        ({"game": "chess"}, "there is no game"),
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
    for path in ("/api/nothing", "/static/../server.py", "/static/%2e%2e/server.py", "/docs", "/openapi.json"):
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


# --- the command ------------------------------------------------------------------------------------------


def test_serve_tells_its_address_and_ends_when_asked_to(own: dict[str, str]) -> None:
    with subprocess.Popen([PLYGROUND, "serve", own["heap"], "--port", "0"], stdout=subprocess.PIPE, text=True) as ran:
        try:
            assert ran.stdout
            address = ran.stdout.readline().split()[3]
            with urllib.request.urlopen(f"{address}api/games", timeout=30) as answer:
                assert json.load(answer)["given"] == [own["heap"]]
        finally:
            ran.terminate()
        ran.wait(timeout=20)


def test_serve_refuses_in_one_line(own: dict[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, says in (["--port", port], f"port {port} cannot be had"), (["nowhere.py:Game"], "there is no file"):
            ran = subprocess.run([PLYGROUND, "serve", *words], capture_output=True, text=True, timeout=60)
            assert ran.returncode == 2 and says in ran.stderr and ran.stderr.count("\n") == 1
    ran = subprocess.run([PLYGROUND, "serve", "--help"], capture_output=True, text=True)
    assert ran.returncode == 0 and "Examples:" in ran.stdout and "plyground serve --open" in ran.stdout
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['plyground', 'serve']\n"
    code += "from plyground.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 2 and "pip install 'plyground[web]'" in ran.stderr and ran.stderr.count("\n") == 1
