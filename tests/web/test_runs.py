"""Runs over HTTP: which there are, how they go, what is made of files that are torn, strange, large or elsewhere."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest
import training
from asking import complaint
from fastapi.testclient import TestClient
from wire import Server, ask

from plyground import agents
from plyground.agents.simple import Random
from plyground.spec import About, InputError
from plyground.web import responses
from plyground.web.catalogue import Catalogue
from plyground.web.runs import ALL_FIGURES, Runs, thinned
from plyground.web.server import make_app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of runs, beside one that nobody may look into."""
    training.run(tmp_path / "runs" / "dqn", training.lines(40))
    training.run(tmp_path / "outside", training.lines(1))
    return tmp_path / "runs"


@pytest.fixture
def client(folder: Path) -> TestClient:
    return TestClient(make_app([], str(folder)), base_url="http://127.0.0.1:8000")


def told(client: TestClient, name: str) -> dict:
    answer = client.get(f"/api/runs/{name}")
    assert answer.status_code == 200, answer.text
    responses.Run.model_validate(answer.json())
    return answer.json()


def listed(client: TestClient) -> dict[str, dict]:
    found = client.get("/api/runs").json()
    responses.RunList.model_validate(found)
    return {one["name"]: one for one in found["runs"]}


def test_runs_are_listed_with_what_they_are_the_last_changed_first(client: TestClient, folder: Path) -> None:
    training.run(folder / "seeds" / "dqn.1", [], age=5, seed=1)
    training.run(folder / "seeds" / "dqn.2", training.lines(3), age=50, seed=2)
    (folder / "no-run").mkdir()
    (folder / "config.json").write_text("{}")
    found = listed(client)
    assert list(found) == ["seeds/dqn.1", "seeds/dqn.2", "dqn"]
    one = found["dqn"]
    assert (one["algorithm"], one["game"], one["seed"], one["date"]) == ("dqn", "tictactoe", 7, "2026-01-02")
    assert (one["step"], one["steps"], one["path"], one["net"]) == (2000, 10_000, str(folder / "dqn"), False)
    assert found["seeds/dqn.1"]["growing"] and found["seeds/dqn.1"]["step"] is None
    assert not found["seeds/dqn.2"]["growing"]
    assert client.get("/api/runs").json()["folder"] == str(folder)


def test_a_run_grows_until_it_is_still_for_half_a_minute_or_has_its_net(client: TestClient, folder: Path) -> None:
    for age, growing in (29.0, True), (31.0, False):
        training.aged(folder / "dqn", age)
        assert listed(client)["dqn"]["growing"] == growing
    training.aged(folder / "dqn", 3.0)
    (folder / "dqn" / "net.json").write_text("{}")
    assert (listed(client)["dqn"]["growing"], listed(client)["dqn"]["net"]) == (False, True)
    os.utime(folder / "dqn" / "metrics.jsonl", (2e9, 2e9))  # it was resumed
    assert listed(client)["dqn"]["growing"]


def test_no_folder_is_no_run(tmp_path: Path) -> None:
    client = TestClient(make_app([], str(tmp_path / "none")), base_url="http://127.0.0.1:8000")
    assert client.get("/api/runs").json() == {"folder": str(tmp_path / "none"), "runs": []}


def test_a_run_tells_its_figures_and_its_last_games(client: TestClient, folder: Path) -> None:
    found = told(client, "dqn")
    assert found["config"] == training.CONFIG
    assert found["metrics"] == training.lines(40)
    assert found["last"]["mistakes"] == training.lines(40)[-1]["mistakes"] and not found["cut"]
    assert [game["step"] for game in found["games"]] == list(range(2000, 2000 - 12 * 50, -50))
    assert found["games"][0] == {"step": 2000, "moves": training.DRAWN.split(), "score": 0, "seat": 1}
    assert found["board"] == "tictactoe"
    shown = client.post("/api/position", json={"game": found["board"], "moves": found["games"][1]["moves"]}).json()
    assert shown["over"] and shown["score"] == 1


def test_a_game_with_random_parts_is_shown_as_its_run_has_drawn_it(client: TestClient, folder: Path) -> None:
    training.run(folder / "lines", [], game="line-taking")
    training.run(folder / "own", [], game="/etc/passwd.py:Game")
    training.run(folder / "older", [], game="checkers(3)")
    assert told(client, "lines")["board"] == "line-taking(seed=7)"
    assert told(client, "own")["board"] == told(client, "older")["board"] == ""


def test_many_figures_become_at_most_five_hundred_lines_that_lose_none(client: TestClient, folder: Path) -> None:
    training.run(folder / "long", training.lines(1234))
    found = told(client, "long")["metrics"]
    assert len(found) == 412 and found[-1]["step"] == 1234 * 50
    assert all("mistakes" in line for line in found if line["step"] % 500 < 150 and line["step"] > 500)
    for count in (1, 499, 500, 501, 5000):
        thin = thinned(training.lines(count), 500)
        assert len(thin) <= 500 and thin[-1]["step"] == 50 * count
    assert thinned([{"step": 1, "a": 1.0}, {"step": 2, "a": 3.0, "b": 5.0}], 1) == [{"step": 2, "a": 2.0, "b": 5.0}]


def test_of_a_large_file_only_the_end_is_read(client: TestClient, folder: Path) -> None:
    large = training.run(folder / "large", []) / "metrics.jsonl"
    with large.open("w") as file:
        file.write('{"step": 1, "wins": 0.5}\n')
        file.seek(50_000_000)
        file.write("\n" + "".join(json.dumps(line) + "\n" for line in training.lines(100)))
    found = told(client, "large")
    assert found["cut"] and found["metrics"] == training.lines(100)
    assert listed(client)["large"]["step"] == 5000
    large.write_text(json.dumps({"step": 3, "text": "x" * ALL_FIGURES}) + "\n" + '{"step": 4}')
    assert told(client, "large")["metrics"] == [{"step": 4}]


STRANGE = [
    b"",
    b"\x00\xff\xfe",
    b'{"step": 1, "wins": 0.5}\n{"step": 2, "wi',
    b'{"step": "2"}\n{"step": 2.5}\n{"step": true}\n[1]\nnull\n3\n' + b"[" * 5000 + b'\n{"step": 1, "wins": 0.5}\n',
    b'{"step": 1, "wins": 0.5, "a": NaN, "b": Infinity, "c": 1e999, "d": "x", "e": [1], "f": null, "g": true}\n',
    b'{"step": 1, "wins": 0.5, "a": 1' + b"0" * 400 + b', "\\ud800": "x"}\n',
]


@pytest.mark.parametrize("text", STRANGE)
def test_of_torn_and_strange_files_what_is_whole_is_told(client: TestClient, folder: Path, text: bytes) -> None:
    for name in ("metrics.jsonl", "games.jsonl"):
        (folder / "dqn" / name).write_bytes(text)
    found = told(client, "dqn")
    assert found["metrics"] in ([], [{"step": 1, "wins": 0.5}]) and found["games"] == []
    assert bool(found["metrics"]) == (b'"wins": 0.5' in text)
    assert listed(client)["dqn"]["step"] == (1 if found["metrics"] else None)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 9000, '{"a":' * 3000, " " * 70_000 + "{}", "\udcff{}"])
def test_a_config_that_says_nothing_is_listed_and_refused(client: TestClient, folder: Path, text: str) -> None:
    (folder / "dqn" / "config.json").write_bytes(text.encode(errors="surrogateescape"))
    assert (listed(client)["dqn"]["algorithm"], listed(client)["dqn"]["step"]) == ("", 2000)
    assert "does not describe a run" in complaint(client.get("/api/runs/dqn"))


def test_of_a_strange_config_what_is_plain_is_told(client: TestClient, folder: Path) -> None:
    strange = '{"algorithm": 3, "game": ["x"], "seed": 1.5, "date": {"x": NaN, "y": [[]], "z": "ok"}, "options": 7}'
    (folder / "dqn" / "config.json").write_text(strange)
    found = told(client, "dqn")
    assert found["config"] == {"algorithm": 3, "seed": 1.5, "date": {"z": "ok"}, "options": 7}
    assert (found["algorithm"], found["game"], found["seed"], found["steps"]) == ("", "", None, None)


def test_nothing_outside_the_folder_of_runs_is_told(client: TestClient, folder: Path) -> None:
    (folder / "linked").symlink_to(folder.parent / "outside")
    (folder / "dangling").symlink_to(folder.parent / "nowhere")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "up").mkdir()
    (folder / "up" / "linked").symlink_to(folder.parent / "outside")
    os.mkfifo(folder / "up" / "config.json")
    (folder / "again").symlink_to(folder / "dqn")
    assert set(listed(client)) == {"dqn", "again"}
    names = ["linked", "dangling", "circle", "up", "up/linked", "nowhere", "dqn/checkpoints", "dqn/config.json"]
    names += ["%2e%2e/outside", "dqn/%2e%2e/%2e%2e/outside", "..%2foutside", "%2e", "%00", "a" * 300, "dqn/", "a/b/c"]
    names += [str(folder.parent / "outside"), "", "d%20qn", "%2fetc"]
    for name in names:
        complaint(client.get(f"/api/runs/{name}"), 404)
    for file in ("metrics.jsonl", "games.jsonl"):
        (folder / "dqn" / file).unlink()
        (folder / "dqn" / file).symlink_to(folder.parent / "outside" / file)
    found = told(client, "dqn")
    assert found["metrics"] == found["games"] == []


# --- agents that read runs --------------------------------------------------------------------------------


@dataclass
class Reading(Random):
    """Reads a run."""

    run: Annotated[str, About("a run", kind="run")] = ""


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> str:
    """An agent that reads a run."""
    module = ModuleType("plyground.agents.reading")
    module.__dict__["Reading"] = Reading
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(agents.REGISTRY, "reading", "reading:Reading")
    return "reading"


def test_an_agent_may_read_a_run_in_the_folder_only(
    folder: Path, reading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    training.run(folder / "seeds" / "one", [])
    (folder / "linked").symlink_to(folder.parent / "outside")
    (folder / "again").symlink_to(folder / "dqn")
    for runs in (Path("runs"), folder):
        catalogue = Catalogue([], Runs(runs))
        for name in ("runs/dqn", "runs/../runs/dqn/", "runs/seeds/one", str(folder / "dqn"), "./runs/again"):
            found = catalogue.agent(f"{reading}({name!r})").text
            assert found.startswith(f"reading(run={str(runs)!r}"[:-1])
            assert catalogue.agent(f"hybrid(then='reading({json.dumps(name)})')").bounded
        for name in (
            "outside",
            str(folder.parent / "outside"),
            "runs/../outside",
            "/etc",
            "",
            "dqn",
            "~",
            "\x00",
            "runs",
        ):
            with pytest.raises(InputError, match=r"in (the folder )?.*runs"):
                catalogue.agent(f"{reading}({name!r})")
        for name in ("runs/linked", "runs/nothing", "runs/a b", "runs/dqn/config.json", "runs/x/y/z"):
            with pytest.raises(InputError, match="there is no run"):
                catalogue.agent(f"{reading}({name!r})")
    with pytest.raises(InputError, match="like 'runs/dqn'"):
        Catalogue([], Runs(Path("runs"))).agent("hybrid(then='reading(\"/etc\")')")
    (folder / "dqn" / "net.json").symlink_to(folder.parent / "outside" / "config.json")
    with pytest.raises(InputError, match="links to files outside"):
        Catalogue([], Runs(folder)).agent(f"{reading}({str(folder / 'dqn')!r})")


def test_what_is_outside_makes_no_difference_to_the_answer(folder: Path, reading: str) -> None:
    catalogue = Catalogue([], Runs(folder))

    def says(name: str) -> str:
        with pytest.raises(InputError) as refused:
            catalogue.agent(f"{reading}({str(folder / name)!r})")
        return str(refused.value).replace(name, "NAME")

    (folder / "one").symlink_to(folder.parent / "outside")
    (folder / "two").symlink_to(folder.parent / "nothing")
    assert says("one") == says("two") == says("three")
    assert says("../outside") == says("../nothing")


def test_the_form_is_offered_the_runs_that_hold_a_net(folder: Path, reading: str) -> None:
    client = TestClient(make_app([], str(folder)), base_url="http://127.0.0.1:8000")

    def choices() -> list[str]:
        found = client.get("/api/agents").json()
        responses.Agents.model_validate(found)
        return next(one for one in found["agents"] if one["name"] == reading)["parameters"][-1]["choices"]

    assert choices() == []
    (folder / "dqn" / "net.json").write_text("{}")
    assert choices() == [str(folder / "dqn")]


def test_a_net_plays_from_the_folder_of_runs_and_from_nowhere_else(folder: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    from plyground.nets import files
    from plyground.nets.card import Card
    from plyground.nets.models import MLP

    for where in (folder / "dqn", folder.parent / "outside"):
        files.save(where, MLP([9, 9]), Card([9, 9], "signed", "q", "tictactoe"))
    server = Server([], str(folder))
    try:
        with server.page() as page:
            assert ask(page, type="think", agent=f'net("{folder}/dqn")')["type"] == "thought"
            refused = ask(page, type="think", agent=f'net("{folder.parent}/outside")')
            assert refused["type"] == "error" and "one in the folder" in refused["error"]
            played = ask(page, type="match", agents=[f'net("{folder}/dqn")', "random"], games=2)
            assert played["done"] and played["games"] == 2
    finally:
        server.stop()


def test_nets_that_came_with_the_program_are_offered_and_may_be_named(client: TestClient, folder: Path) -> None:
    offered = {agent["name"]: agent for agent in client.get("/api/agents").json()["agents"]}
    (net,) = [option for option in offered["alphazero"]["parameters"] if option["name"] == "net"]
    assert net["kind"] == "net" and {"auto", "tictactoe", "gomoku-9"} <= set(net["choices"])
    catalogue = Catalogue([], Runs(folder))
    assert "gomoku-9" in catalogue.agent('alphazero("gomoku-9", sims=5)').text
    assert catalogue.agent("alphazero(sims=5)").bounded
    for elsewhere in ("../outside", "/etc", str(folder.parent / "outside")):
        with pytest.raises(InputError):
            catalogue.agent(f"alphazero({elsewhere!r})")
