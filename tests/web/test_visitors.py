"""A server for others: nobody comes in without its token, and no visitor gets more than a share of the machine."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from wire import Server, ask, send

from commands import refusal, run
from plyground.spec import InputError
from plyground.web import requests
from plyground.web.server import make_app
from plyground.web.sessions import Sessions
from plyground.web.visitors import GUESTS, LOCAL, MOST_AT_ADDRESS, MOST_VISITORS, Access, Visitor

TOKEN = "a-token-for-tests"
LIMITS = GUESTS._replace(slots=3, waiting=1, work=2.0)
PLYGROUND = str(Path(sys.executable).parent / "plyground")


def guest(**more: Any) -> TestClient:
    """A browser that has not been here before."""
    return TestClient(make_app([], access=Access(TOKEN)), base_url="http://class.example:8000", **more)


@pytest.fixture(scope="module")
def classroom() -> Iterator[Server]:
    made = Server([], access=Access(TOKEN, LIMITS))
    yield made
    made.stop()


def page(server: Server, cookie: str) -> ClientConnection:
    return connect(server.url, additional_headers={"Cookie": cookie}, close_timeout=0.2)


def cookie(server: Server) -> str:
    """The cookie of a new visitor."""
    return server.app.user_middleware[0].kwargs["access"].welcome({"headers": []}).partition(";")[0]


# --- the token ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/api/games", "/static/js/api.js", "/openapi.json", "/studies/x", "/nowhere"])
@pytest.mark.parametrize("token", [None, "", "a-token-for-test", "a-token-for-testsx", "\xff", "a" * 5_000])
def test_without_the_token_every_request_is_refused_in_one_line(path: str, token: str | None) -> None:
    answer = guest().get(path, params=None if token is None else {"token": token})
    assert answer.status_code == 403 and "with its token" in answer.json()["error"]
    assert "set-cookie" not in answer.headers


def test_a_browser_without_the_token_sees_a_page_that_says_what_to_do() -> None:
    answer = guest().get("/", headers={"Accept": "text/html,application/xhtml+xml"})
    assert answer.status_code == 403 and answer.headers["content-type"].startswith("text/html")
    assert "Open the whole link" in answer.text and "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("words", ["", "?token=", "?token=wrong-wrong-wrong"])
def test_without_the_token_a_socket_is_closed(words: str) -> None:
    with guest().websocket_connect(f"/api/socket{words}") as opened, pytest.raises(WebSocketDisconnect) as closed:
        opened.receive_text()
    assert closed.value.code == 1008 and "with its token" in closed.value.reason


def test_the_link_gives_a_cookie_that_lets_in_and_is_sent_on_without_the_token() -> None:
    browser = guest(follow_redirects=False)
    answer = browser.get("/", params={"token": TOKEN})
    assert answer.status_code == 303 and answer.headers["location"] == "/" and TOKEN not in str(answer.headers)
    given = answer.headers["set-cookie"]
    assert "HttpOnly" in given and "SameSite=Lax" in given
    assert browser.get("/").status_code == browser.get("/api/games").status_code == 200
    with browser.websocket_connect("/api/socket", headers={"cookie": given.partition(";")[0]}) as opened:
        opened.send_json({"type": "think", "id": 1, "game": "tictactoe", "agent": "random"})
        assert opened.receive_json()["type"] in ("compiling", "thought")
    again = browser.get("/", params={"token": TOKEN})
    assert again.headers["set-cookie"] == given  # the same visitor


def test_a_cookie_that_somebody_else_has_signed_lets_nobody_in() -> None:
    theirs = Access("another-token-altogether").welcome({"headers": []}).partition("=")[2].partition(";")[0]
    mine = Access(TOKEN)
    name, _, signed = mine.welcome({"headers": []}).partition(";")[0].partition("=")[2].partition(".")
    for value in (theirs, f"{name}x.{signed}", f"{name}.{signed[:-1]}", f".{mine._signed('')}", name, "", "\xe9.\xe9"):
        assert guest(headers={"cookie": f"{mine.cookie}={value}".encode("latin-1")}).get("/").status_code == 403
    assert guest(headers={"cookie": f"{mine.cookie}={name}.{signed}"}).get("/").status_code == 200


def test_programs_bring_the_token_with_every_request() -> None:
    assert guest(headers={"authorization": f"Bearer {TOKEN}"}).get("/api/games").status_code == 200
    assert guest().get("/api/games", params={"token": TOKEN}).status_code == 200
    assert guest(headers={"authorization": "Bearer wrong-wrong-wrong"}).get("/api/games").status_code == 403


def test_a_foreign_page_and_a_strange_host_are_turned_away_with_the_token_too() -> None:
    signed = {"authorization": f"Bearer {TOKEN}"}
    for headers in {"origin": "http://evil.example"}, {"origin": "null"}, {"host": "a;b"}, {"host": "evil\r\n.example"}:
        assert guest(headers=signed | headers).get("/api/games").status_code == 403
    for origin in "http://class.example:8000", "https://class.example:8000":
        assert guest(headers=signed | {"origin": origin}).get("/api/games").status_code == 200


def test_a_token_is_long_and_fits_into_a_link() -> None:
    for token in "", "short", "with space in it", "x" * 129:
        with pytest.raises(InputError, match="12 to 128 letters"):
            Access(token)


# --- the limits ---------------------------------------------------------------------------------------------


def test_a_visitor_has_two_searches_at_once_and_others_have_theirs(classroom: Server) -> None:
    first, second = cookie(classroom), cookie(classroom)
    long = {"type": "match", "game": "tictactoe", "agents": ["uct(seconds=2, solve=False)"] * 2, "games": 20}
    with page(classroom, first) as one, page(classroom, first) as again, page(classroom, second) as other:
        send(one, id=1, **long)
        send(again, id=2, **long)
        classroom.until(1)
        send(again, type="think", id=3, game="tictactoe", agent="random")
        while (told := json.loads(again.recv(timeout=120)))["id"] != 3:
            pass
        assert told["type"] == "waiting" and classroom.free == 1
        assert ask(one, type="think", id=4, agent="random")["error"].startswith("busy: 1 searches of yours wait")
        assert ask(other, type="think", id=5, agent="random")["type"] == "thought"
        while told["id"] != 3 or told["type"] != "thought":  # when one of the first two has ended
            told = json.loads(again.recv(timeout=120))
    classroom.until(3)


def test_a_search_ends_when_its_time_is_up(classroom: Server) -> None:
    with page(classroom, cookie(classroom)) as opened:
        match = {"type": "match", "agents": ["uct(seconds=1, solve=False)"] * 2, "games": 20}
        assert ask(opened, **match)["games"] < 20  # 2 seconds here, and some for a move
        assert ask(opened, **match | {"games": 21})["error"] == "a match has at most 20 games here, not 21"
        assert "memory is at most 128 here" in ask(opened, type="think", agent="uct(memory=129)")["error"]
    classroom.until(3)


def test_a_visitor_has_four_sockets_and_one_more_takes_the_place_of_one_that_does_not_work(classroom: Server) -> None:
    mine = cookie(classroom)
    with ExitStack() as stack:
        pages = [stack.enter_context(page(classroom, mine)) for _ in range(4)]
        for one in pages[0], *pages[2:]:
            assert ask(one, type="think", agent="random")["type"] == "thought"
        pages.append(stack.enter_context(page(classroom, mine)))
        assert ask(pages[4], type="think", agent="random")["type"] == "thought"
        with pytest.raises(ConnectionClosed):
            pages[1].recv(timeout=120)
        assert pages[1].close_code == 4000
        other = stack.enter_context(page(classroom, cookie(classroom)))
        assert ask(other, type="think", agent="random")["type"] == "thought"


class OpenSocket:
    """A socket that works, or does not."""

    def __init__(self, visitor: Visitor, busy: bool, used: float = 0.0) -> None:
        self.visitor, self.busy, self.used, self.code = visitor, busy, used, 0

    def retire(self, code: int, why: str) -> None:
        self.code = code


def test_a_socket_that_works_makes_no_room() -> None:
    open_now, mine = Sessions(GUESTS._replace(sockets=2, all_sockets=3)), Visitor(GUESTS)
    works, waits = OpenSocket(mine, True), OpenSocket(mine, False, used=1.0)
    open_now.admit(works)
    open_now.admit(waits)
    open_now.admit(OpenSocket(mine, True))
    assert (works.code, waits.code, mine.sockets) == (0, 4000, 2)
    with pytest.raises(InputError, match="at most 2 sockets of one visitor"):
        open_now.admit(OpenSocket(mine, False))
    lately = OpenSocket(Visitor(GUESTS), False, used=time.monotonic())
    open_now.admit(lately)
    with pytest.raises(InputError, match="at most 3 sockets; try again"):
        open_now.admit(OpenSocket(Visitor(GUESTS), False))
    lately.used -= 61
    open_now.admit(OpenSocket(Visitor(GUESTS), False))
    assert lately.code == 4000 and lately.visitor.idle and not mine.idle and len(open_now.open) == 3


def test_more_requests_at_once_than_a_visitor_has_are_answered_with_429(monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app([], access=Access(TOKEN, GUESTS._replace(requests=1)))
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> list[Any]:
        begun.set()
        assert go_on.wait(120)
        return []

    monkeypatch.setattr(app.state.server.catalogue.user_games, "described", slow)
    client = TestClient(app, base_url="http://class.example", headers={"authorization": f"Bearer {TOKEN}"})
    asking = threading.Thread(target=client.get, args=["/api/games"])
    asking.start()
    assert begun.wait(120)
    answer = client.get("/api/agents")
    go_on.set()
    asking.join(120)
    assert answer.status_code == 429 and "at most 1 requests at once" in answer.json()["error"]
    assert client.get("/api/games").status_code == 200


def test_budgets_are_cut_to_what_a_visitor_has() -> None:
    visitor, game = Visitor(GUESTS), {"id": 1, "game": "tictactoe"}
    think = requests.Think(type="think", agent="uct", seconds=60.0, simulations=10**7, **game)
    assert (visitor.within(think).seconds, visitor.within(think).simulations) == (10.0, 1_000_000)
    usual = visitor.within(requests.Think(type="think", agent="uct", **game))
    assert (usual.seconds, usual.simulations) == (5.0, 1_000_000)
    assert visitor.within(requests.Solve(type="solve", seconds=60.0, **game)).seconds == 10.0
    match = requests.Match(type="match", agents=["uct", "uct"], games=20, seconds=60.0, **game)
    assert visitor.within(match).seconds == 10.0
    assert Visitor(LOCAL).within(think) is think and Visitor(LOCAL).within(match) is match


def test_a_position_that_needs_much_memory_is_not_solved_for_visitors(classroom: Server) -> None:
    large = {"type": "solve", "game": "line-taking(cells=33)"}
    with page(classroom, cookie(classroom)) as opened:
        assert "more memory than a visitor has" in ask(opened, **large)["error"]


def test_of_many_visitors_only_those_who_do_nothing_are_forgotten() -> None:
    access = Access(TOKEN)
    busy = access._remembered("busy")
    busy.sockets += 1
    for number in range(MOST_VISITORS + 50):
        access._remembered(str(number))
    assert access._remembered("busy") is busy and len(access._visitors) <= MOST_VISITORS


def test_who_throws_cookies_away_is_not_more_than_forty_visitors() -> None:
    access = Access(TOKEN)

    def cookies(*clients: str) -> list[str]:
        return [access.welcome({"headers": [], "client": (client, 1)}) for client in clients]

    forty = cookies(*["192.0.2.1"] * MOST_AT_ADDRESS)
    assert len(set(forty)) == MOST_AT_ADDRESS == 40
    assert cookies(*["192.0.2.1", "::ffff:192.0.2.1"] * MOST_AT_ADDRESS) == forty * 2  # in turn
    assert not set(cookies("192.0.2.2")) & set(forty)  # others have theirs
    near = cookies(*(f"2001:db8::{number:x}" for number in range(100)))
    assert len(set(near)) == MOST_AT_ADDRESS and not set(cookies("2001:db8:0:1::1")) & set(near)
    for number in range(MOST_VISITORS + 50):
        access.welcome({"headers": [], "client": (f"10.0.{number // 250}.{number % 250}", 1)})
    assert len(access._names) <= MOST_VISITORS


# --- the command --------------------------------------------------------------------------------------------


def test_serve_for_others_prints_the_link_and_a_warning() -> None:
    words = [PLYGROUND, "serve", "--port", "0", "--host", "0.0.0.0", "--token", TOKEN]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        assert ran.stdout and ran.stderr
        address = ran.stdout.readline().split()[3]
        warning = ran.stderr.readline()
        ran.kill()
    assert address.endswith(f"/?token={TOKEN}") and "0.0.0.0" not in address
    assert "everybody who has this link" in warning and "nothing is encrypted" in warning


def test_serve_for_others_refuses_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    def think(self, game, state, limit):\n        return 0\n")
    outside = ["serve", "--port", "0", "--host", "0.0.0.0"]
    assert "agents from files" in refusal(run(*outside, str(tmp_path / "mine.py")))
    assert "external programs" in refusal(run(*outside, "--external", "a=true"))
    assert "12 to 128 letters" in refusal(run(*outside, "--token", "short"))
    assert "is not an address of this machine" in refusal(run("serve", "--port", "0", "--host", "192.0.2.77"))
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"port {port} cannot be had" in refusal(run("serve", "--port", port, "--host", "0.0.0.0"))
