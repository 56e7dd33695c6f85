"""The command serve, the description of what it answers, and the reports of studies."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
import uvicorn
from asking import complaint, view
from fastapi.testclient import TestClient
from wire import Server

from commands import refusal, run
from plyground.agents.user_agent import Refused
from plyground.cli import explained, serve
from plyground.cli.base import app
from plyground.spec import InputError
from plyground.web import responses
from plyground.web.server import make_app
from plyground.web.state import ServerState

PLYGROUND = str(Path(sys.executable).parent / "plyground")


def test_the_page_or_a_message_stands_at_the_root(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200 and answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_serve_tells_its_address_and_ends_when_asked_to(own: dict[str, str]) -> None:
    with subprocess.Popen(
        [PLYGROUND, "serve", own["heap"], "--port", "0", "--no-warmup"], stdout=subprocess.PIPE, text=True
    ) as ran:
        try:
            assert ran.stdout
            address = ran.stdout.readline().split()[3]
            with urllib.request.urlopen(f"{address}api/games", timeout=120) as answer:
                assert [given["spec"] for given in json.load(answer)["given"]] == [own["heap"]]
        finally:
            ran.terminate()
        ran.wait(timeout=120)


def test_serve_refuses_in_one_line(own: dict[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = subprocess.run([PLYGROUND, "serve", "--port", port], capture_output=True, text=True, timeout=120)
        assert ran.returncode == 2 and f"port {port} cannot be had" in ran.stderr and ran.stderr.count("\n") == 1
    assert "there is no file" in refusal(run("serve", "nowhere.py:Game"))
    told = run("serve", "--help")
    assert told.returncode == 0 and "Examples:" in told.stdout and "plyground serve --open" in told.stdout
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['plyground', 'serve']\n"
    code += "from plyground.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 2 and "pip install 'plyground[web]'" in ran.stderr and ran.stderr.count("\n") == 1


def test_a_token_without_a_host_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)  # it would serve for ever
    begin = ["serve", "--no-warmup", "--port", "0"]
    assert "add --host 0.0.0.0" in refusal(run(*begin, "--token", "a-token-for-tests"))
    assert "add --host 0.0.0.0" in refusal(run(*begin, "--host", "localhost", "--token=a-token-for-tests"))


def test_the_bar_is_left_when_ctrl_c_ends_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    left = []

    class Bar:
        show = expect = staticmethod(lambda told: None)

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            left.append(self)

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, "Bar", Bar)
    monkeypatch.setattr(ServerState, "warm_up", lambda shared, changed: [])
    monkeypatch.setattr(uvicorn.Server, "run", interrupt)
    assert app(["serve", "--port", "0"], standalone_mode=False) == 130 and len(left) == 1
    assert not any(thread.name == "pictures" for thread in threading.enumerate())


def test_a_server_that_ends_begins_no_picture(own: dict[str, str]) -> None:
    app = make_app([own["heap"]])
    with TestClient(app, base_url="http://127.0.0.1:8000"):
        pass
    with pytest.raises(InputError, match="the server ends"):
        app.state.pictures.all()


def test_a_server_ends_while_rules_do_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, released = threading.Event(), threading.Event()

    def never(*_: object) -> dict:
        asked.set()
        released.wait(600)
        return {}

    monkeypatch.setattr("plyground.web.server.position_view", never)
    server = Server([])
    body = json.dumps({"game": "tictactoe", "moves": []}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/api/position", body, {"Content-Type": "application/json"}
    )

    def ask() -> None:
        with suppress(OSError):  # HTTPError, too: the server has ended
            urllib.request.urlopen(request, timeout=600)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    assert asked.wait(300)
    server.stop()
    assert not server.server.threads.end(0.01)
    released.set()
    assert server.server.threads.end(300)
    asking.join(300)


def test_the_link_of_all_addresses_leads_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for host in "0.0.0.0", "::" if socket.has_ipv6 else "0.0.0.0":
        with serve.listen(host, 0) as listener:
            port = listener.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port), timeout=120):  # by IPv4 at ::, too
                pass
    addresses = {socket.AF_INET: "192.168.1.5", socket.AF_INET6: "2001:db8::5"}
    monkeypatch.setattr(serve, "own_address", lambda family, example: addresses.get(family, ""))
    assert serve.link("::", 80, "x") == serve.link("0.0.0.0", 80, "x") == "http://192.168.1.5:80/?token=x"
    del addresses[socket.AF_INET]
    assert serve.link("::", 80, "x") == "http://[2001:db8::5]:80/?token=x"
    assert serve.link("0.0.0.0", 80, "x") == f"http://{socket.gethostname()}:80/?token=x"


def test_whatever_makes_an_agent_lose_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(Refused("it has no such option")) == 2
    assert capsys.readouterr().err == "plyground: the agent forfeits: it has no such option\n"


# --- the description --------------------------------------------------------------------------------------


def test_the_description_names_every_request_and_answer(client: TestClient) -> None:
    told = client.get("/openapi.json").json()
    paths = (
        "games",
        "agents",
        "pictures",
        "position",
        "play",
        "edit",
        "file",
        "studies",
        "runs",
        "learners",
        "tournaments",
    )
    runs = [f"/api/{one}/{{name}}{more}" for one in ("runs", "tournaments") for more in ("", "/resume", "/stop")]
    inner = (*runs, "/studies/{name}", "/api/views/tetris/figures")
    assert set(told["paths"]) == {*(f"/api/{path}" for path in paths), *inner}
    for path, methods in told["paths"].items():
        for method in methods.values():
            assert method["description"], path
            assert method["responses"]["403"]["content"]["application/json"]["schema"]["$ref"].endswith("/Refusal")
    asked = told["paths"]["/api/position"]["post"]
    assert asked["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/View")
    assert asked["responses"]["422"]["content"]["application/json"]["schema"]["$ref"].endswith("/Refusal")
    assert told["components"]["schemas"]["Position"]["required"] == ["game"]
    assert "docs.js" in client.get("/docs").text


def test_the_answers_are_as_described(client: TestClient, own: dict[str, str]) -> None:
    responses.Games.model_validate(client.get("/api/games").json())
    responses.Agents.model_validate(client.get("/api/agents").json())
    responses.StudyList.model_validate(client.get("/api/studies").json())
    responses.Refusal.model_validate(client.post("/api/position", json={"game": "xiangqi"}).json())
    for game, moves in (
        ("tictactoe", "b2"),
        ("line-taking", ""),
        (own["heap"], "1"),
        (own["dice"], "0"),
        (own["well"], ""),
    ):
        responses.View.model_validate(view(client, game, moves))
    for cells in [0] * 9, [2] * 9:
        responses.Edited.model_validate(client.post("/api/edit", json={"game": "tictactoe", "cells": cells}).json())


# --- studies ----------------------------------------------------------------------------------------------


def test_the_reports_in_the_folder_of_runs_are_listed(client: TestClient, runs: Path) -> None:
    os.utime(runs / "studies" / "a-study" / "index.html", (1e9, 1e9))
    found = client.get("/api/studies").json()
    assert found["folder"] == str(runs / "studies")
    made = "2001-09-09T01:46:40+00:00"
    assert found["studies"] == [{"name": "a-study", "title": "A study & its figures", "date": made}]


def test_a_report_is_served_so_that_it_can_do_nothing_but_be_read(client: TestClient) -> None:
    answer = client.get("/studies/a-study")
    assert answer.status_code == 200 and "Figures" in answer.text
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and policy.endswith("sandbox") and "script" not in policy


def test_nothing_outside_the_folder_of_studies_is_served(client: TestClient) -> None:
    names = [
        "linked",
        "Not-One",
        "empty",
        "nowhere",
        "%2e%2e",
        "..%2f..%2findex.html",
        "a-study/index.html",
        "%00",
        "a" * 300,
    ]
    for name in names:
        complaint(client.get(f"/studies/{name}"), 404)
