"""The socket: thinking, solving, matches and the tree view, for one page or many, well behaved or not."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from numba.core import event
from test_server import HEAP
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from plyground.agents.simple import Random
from plyground.arena.match import Plan, play_match
from plyground.web import jobs
from plyground.web.server import make_app
from plyground.web.shelf import Shelf

ENDS = ("thought", "solution", "children", "error")
ENDLESS = "uct(seconds=50, solve=False)"  # on a board so small that it would soon be solved
LONG = {"type": "think", "game": "tictactoe", "agent": ENDLESS}
DICE = Path(__file__).parent.parent / "toys.py"


class Server:
    """A server in a thread of this process."""

    def __init__(self, given: list[str]) -> None:
        self.app = make_app(given)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        config = uvicorn.Config(self.app, log_level="error", ws_max_size=64 * 1024, timeout_graceful_shutdown=2)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self.thread.start()

    @property
    def free(self) -> int:
        return self.app.state.hall.searches.free

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/api/socket"

    def page(self, **more: Any) -> ClientConnection:
        return connect(self.url, **more)

    def until(self, free: int) -> None:
        """Wait until so many slots are free."""
        end = time.monotonic() + 30
        while self.free != free:
            assert time.monotonic() < end, f"{self.free} slots are free, not {free}"
            time.sleep(0.01)


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("games") / "heap.py"
    file.write_text(HEAP)
    return f"{file}:Heap"


@pytest.fixture(scope="module")
def server(heap: str) -> Iterator[Server]:
    made = Server([heap, f"{DICE}:Dice"])
    yield made
    made.server.should_exit = True
    made.thread.join(10)
    assert not made.thread.is_alive()


@pytest.fixture
def page(server: Server) -> Iterator[ClientConnection]:
    server.until(4)
    with server.page() as opened:
        yield opened


def send(page: ClientConnection, **message: Any) -> None:
    page.send(json.dumps(message))


def answers(page: ClientConnection) -> list[dict]:
    """All answers up to the last one of a request."""
    found: list[dict] = []
    while not found or not (found[-1]["type"] in ENDS or found[-1].get("done")):
        found.append(json.loads(page.recv(timeout=60)))
    return found


def ask(page: ClientConnection, **message: Any) -> dict:
    send(page, **{"id": 1, "game": "tictactoe"} | message)
    return answers(page)[-1]


# --- what a page asks for ---------------------------------------------------------------------------------


def test_thinking_is_streamed_and_ends_with_the_thought(page: ClientConnection) -> None:
    ask(page, type="think", agent="uct(sims=1)")
    asked = {"game": "tictactoe", "moves": ["b2"], "start": "", "agent": "uct(solve=False)", "simulations": None}
    send(page, type="think", id=7, seconds=0.7, **asked)
    *before, last = answers(page)
    assert {one["type"] for one in before} == {"thinking"} and all(one["id"] == 7 for one in [*before, last])
    assert 2 <= len(before) <= 8
    thought = last["thought"]
    assert last["move"] == thought["move"] == thought["moves"][0]["name"] == thought["line"][0]
    assert len(thought["moves"]) == 8 and "b2" not in {move["name"] for move in thought["moves"]}
    assert sum(move["share"] for move in thought["moves"]) == pytest.approx(1)
    assert set(thought["moves"][0]) == {"action", "name", "cells", "visits", "share", "value", "proven", "prior"}
    counts = [one["thought"]["simulations"] for one in [*before, last]]
    assert counts == sorted(counts)


def test_a_page_hears_when_it_has_to_wait_for_the_compiler(
    page: ClientConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Random):
        def think(self, *args: Any) -> Any:
            with event.trigger_event("numba:compile"):
                time.sleep(0.8)
            return super().think(*args)

    def make(*_: Any) -> Slow:
        slow = Slow()
        slow.begin(0)
        return slow

    monkeypatch.setattr(jobs.agents, "make", make)
    send(page, type="think", id=1, game="tictactoe", agent="random")
    assert [answer["type"] for answer in answers(page)] == ["compiling", "thought"]


def test_the_tree_view_tells_what_the_thought_told(page: ClientConnection) -> None:
    last = ask(page, type="think", id=3, agent="uct(sims=3000, seed=1)", moves=["b2"])
    send(page, type="open", id=4, of=3, path=[])
    (root,) = answers(page)
    told = {m["name"]: (m["visits"], m["value"], m["proven"]) for m in last["thought"]["moves"]}
    assert {c["name"]: (c["visits"], c["value"], c["proven"]) for c in root["children"]} == told
    assert root["id"] == 4 and root["path"] == []
    best = root["children"][0]
    assert best["children"]
    send(page, type="open", id=5, of=3, path=[best["name"]])
    (deeper,) = answers(page)
    replies = deeper["children"]
    # who replies sees the values from the other side
    mean = sum(c["visits"] * c["value"] for c in replies) / sum(c["visits"] for c in replies)
    assert best["proven"] or mean == pytest.approx(-best["value"], abs=0.05)
    assert sum(c["visits"] for c in replies) <= best["visits"]
    send(page, type="open", id=6, of=3, path=["b2"])
    assert answers(page)[-1]["children"] == []
    assert "not kept" in ask(page, type="open", of=99, path=[])["error"]
    assert "no move" in ask(page, type="open", of=3, path=["zz"])["error"]


def test_the_trees_of_the_last_four_thinks_are_kept(page: ClientConnection) -> None:
    for number in range(5):
        ask(page, type="think", id=number, agent="uct(sims=50)")
    assert [ask(page, type="open", of=number, path=[])["type"] for number in range(5)] == ["error"] + 4 * ["children"]
    ask(page, type="think", id=5, agent="random")
    assert "no tree" in ask(page, type="open", of=5, path=[])["error"]


def test_solving_gives_exact_values(page: ClientConnection) -> None:
    found = ask(page, type="solve", seconds=20)["solution"]
    assert found["value"] == 0 and found["complete"] and len(found["moves"]) == 9 and len(found["line"]) == 9
    found = ask(page, type="solve", moves=["b2", "a2"], seconds=20)["solution"]
    assert found["value"] == 1 and found["plies"] == 5 and found["moves"][0]["plies"] == 5
    values = {move["name"]: move["value"] for move in found["moves"]}
    assert len(values) == 7 and {-1, 0, 1} >= set(values.values())
    found = ask(page, type="solve", game="gomoku(9)", seconds=0.3)["solution"]
    assert found["value"] is None and not found["complete"] and found["at_least"] == -1 and found["at_most"] == 1


def test_a_match_is_the_one_that_the_command_plays(page: ClientConnection) -> None:
    both = ("uct(sims=60)", "win-block")
    send(page, type="match", id=1, game="tictactoe", agents=both, games=5, seed=3, seconds=None)
    told = answers(page)
    played = play_match(Plan("tictactoe", both, 5, 3))
    records = [one["record"] for one in told if one["record"]]
    assert [record["moves"] for record in records] == [record.names for record in played.records]
    assert [record["first"] for record in records] == [0, 1, 0, 1, 0]
    last, tally = told[-1], played.tally()
    assert (last["wins"], last["draws"], last["losses"]) == (tally.wins, tally.draws, tally.losses)
    assert last["interval"] == list(tally.interval()) and last["games"] == 5 == last["of"]
    assert last["first"]["games"] == 3 and last["second"]["games"] == 2
    lives = [one["live"] for one in told if one["live"]]
    assert lives and all(len(live["cells"]) == 9 for live in lives)


def test_every_two_games_of_a_match_have_their_own_draw_which_can_be_shown_again(page: ClientConnection) -> None:
    send(page, type="match", id=1, game="line-taking(cells=12)", agents=["random", "random"], games=4)
    specs = [one["record"]["game"] for one in answers(page) if one["record"]]
    assert specs[0] == specs[1] != specs[2] == specs[3]
    assert ask(page, type="think", game=specs[2], agent="random")["type"] == "thought"


def test_a_users_game_given_to_the_server_is_played_and_solved(page: ClientConnection, heap: str) -> None:
    assert ask(page, type="think", game=heap, agent="uct(sims=500)")["thought"]["value"] == 1
    assert ask(page, type="solve", game=heap)["solution"]["value"] == 1
    send(page, type="match", id=1, game=heap, agents=["random", "win-block"], games=2)
    assert answers(page)[-1]["games"] == 2
    assert "plyground serve" in ask(page, type="think", game=heap + "(5)", agent="uct")["error"]


def test_chance_events_are_listed_and_happen_in_a_match(page: ClientConnection) -> None:
    dice = f"{DICE}:Dice"
    assert "chance" in ask(page, type="think", game=dice, moves=["1"], agent="random")["error"]
    assert ask(page, type="think", game=dice, moves=["1", "0"], agent="random")["type"] == "thought"
    send(page, type="match", id=1, game=dice, agents=["random", "random"], games=4)
    told = answers(page)
    assert all(len(one["record"]["moves"]) == 8 for one in told if one["record"])


def test_stop_ends_thinking_solving_and_matches_with_their_last_message(page: ClientConnection) -> None:
    asked = [
        LONG,
        {"type": "solve", "game": "gomoku(9)", "seconds": 50.0},
        {"type": "match", "game": "tictactoe", "agents": [ENDLESS, "random"], "games": 1000},
    ]
    for number, message in enumerate(asked):
        send(page, id=number, **message)
        assert json.loads(page.recv(timeout=30))["id"] == number
        send(page, type="stop", id=number)
        last = answers(page)[-1]
        assert last["type"] == ("thought", "solution", "match")[number] and last.get("done", True)
    send(page, type="stop", id=77)  # nothing of that id: nothing to stop
    assert ask(page, type="think", agent="random")["type"] == "thought"


# --- bounds and abuse -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message, says",
    [
        ({"type": "dance"}, "one of the types"),
        ({"type": ["think"]}, "one of the types"),
        ({}, "one of the types"),
        ({"type": "think"}, "agent: field required"),
        ({"type": "think", "agent": "uct", "seconds": 61}, "seconds"),
        ({"type": "think", "agent": "uct", "seconds": -1}, "seconds"),
        ({"type": "think", "agent": "uct", "seconds": float("nan")}, "seconds"),
        ({"type": "think", "agent": "uct", "seconds": "1"}, "seconds"),
        ({"type": "think", "agent": "uct", "simulations": 10_000_001}, "simulations"),
        ({"type": "think", "agent": "uct", "simulations": True}, "simulations"),
        ({"type": "think", "agent": "uct", "id": "one"}, "id"),
        ({"type": "think", "agent": "nobody"}, "there is no agent"),
        ({"type": "think", "agent": "human"}, "human"),
        ({"type": "think", "agent": "uct(memory=513)"}, "at most 512"),
        ({"type": "think", "agent": "uct(threads=64)"}, "at most 16"),
        ({"type": "think", "agent": 'hybrid(then="uct(memory=9999)")'}, "at most 512"),
        ({"type": "think", "agent": 'hybrid(before="human")'}, "human"),
        ({"type": "think", "agent": 'alphabeta(scoring="/tmp/own.py:Scoring")'}, "may not name a file"),
        ({"type": "think", "agent": "hybrid(then='alphabeta(scoring=\"own.py:S\")')"}, "may not name a file"),
        ({"type": "think", "agent": "uct(sims=__import__('os'))"}, "cannot read the values"),
        ({"type": "think", "agent": "line-taking-master"}, "line-taking"),
        ({"type": "think", "agent": "uct", "game": "chess"}, "there is no game"),
        ({"type": "think", "agent": "uct", "moves": ["b2", "b2"]}, "not legal"),
        ({"type": "think", "agent": "uct", "moves": ["a3", "a1", "b3", "b1", "c3"]}, "over"),
        ({"type": "think", "agent": "uct", "start": "nonsense/"}, "rows"),
        ({"type": "solve", "seconds": 1e9}, "seconds"),
        ({"type": "match", "agents": ["uct"], "games": 2}, "agents"),
        ({"type": "match", "agents": ["random", "human"], "games": 2}, "human"),
        ({"type": "match", "agents": ["random", "random"], "games": 1001}, "games"),
        ({"type": "match", "agents": ["random", "random"], "games": 0}, "games"),
        ({"type": "open", "of": -1}, "of"),
    ],
)
def test_a_message_that_makes_no_sense_is_answered_in_one_line(
    page: ClientConnection, message: dict, says: str
) -> None:
    answer = ask(page, **message)
    assert answer["type"] == "error" and says in answer["error"] and "\n" not in answer["error"]
    assert answer["id"] == (1 if message.get("id") is None else None)
    assert ask(page, type="think", agent="random")["type"] == "thought"


def test_what_is_no_message_is_answered_and_the_socket_stays_open(page: ClientConnection) -> None:
    for junk in ("", "{", "nonsense", "[]", "3", "null", "[" * 60_000, "9" * 5_000, b"\x00\xff", b"{}", '"\\ud800"'):
        page.send(junk)
        answer = json.loads(page.recv(timeout=10))
        assert answer["type"] == "error" and answer["id"] is None
    assert ask(page, type="think", agent="random")["type"] == "thought"


def test_a_large_message_closes_its_socket_only(server: Server, page: ClientConnection) -> None:
    with server.page() as other:
        other.send("x" * (64 * 1024 + 1))
        with pytest.raises(ConnectionClosed):
            other.recv(timeout=10)
        assert other.close_code == 1009
    assert ask(page, type="think", agent="random")["type"] == "thought"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_foreign_page_is_turned_away(server: Server, origin: str) -> None:
    with server.page(origin=origin) as foreign:
        with pytest.raises(ConnectionClosed):
            foreign.recv(timeout=10)
        assert foreign.close_code == 1008


def test_a_foreign_host_is_turned_away_and_the_own_page_let_in(server: Server) -> None:
    with connect(
        f"ws://evil.example:{server.port}/api/socket", sock=socket.create_connection(("127.0.0.1", server.port))
    ) as foreign:
        with pytest.raises(ConnectionClosed):
            foreign.recv(timeout=10)
        assert foreign.close_code == 1008
    with server.page(origin=f"http://127.0.0.1:{server.port}") as own:
        assert ask(own, type="think", agent="random")["type"] == "thought"


def test_huge_budgets_in_a_spec_are_cut(page: ClientConnection) -> None:
    spec = "uct(sims=2147483647, seconds=86400, solve=False)"
    assert ask(page, type="think", agent=spec, simulations=500)["thought"]["simulations"] == 500
    assert ask(page, type="think", agent=spec, seconds=0.2)["thought"]["seconds"] < 10


def test_every_agent_gets_a_bounded_memory_and_time() -> None:
    shelf = Shelf([])
    assert shelf.agent("line-taking-master") == ("line-taking-master(memory=512)", True)
    assert "memory=512" in shelf.agent('hybrid(then="line-taking-master")').text
    for spec, bounded in ("uct", False), ("uct(sims=5)", True), ('hybrid(then="uct")', False), ("random", True):
        checked = shelf.agent(spec)
        assert checked.bounded == bounded
        limit = jobs.bounds(checked, None, None)
        assert limit.seconds == (60 if bounded else 5) and limit.simulations == 10_000_000
    assert jobs.bounds(shelf.agent("uct"), 2.0, 30) == jobs.Limit(30, 2.0)


def test_four_searches_run_at_once_and_others_are_told_to_wait(server: Server, page: ClientConnection) -> None:
    with server.page() as other:
        for number in range(4):
            send(page if number % 2 else other, id=number, **LONG)
            server.until(3 - number)
        refused = ask(page, type="think", id=9, agent="random")
        assert refused["id"] == 9 and refused["type"] == "error" and refused["error"].startswith("busy")
        send(page, id=1, type="think", agent="random", game="tictactoe")
        refused = answers(page)[-1]
        assert refused["id"] == 1 and "in use" in refused["error"]
    server.until(2)  # the other page has gone, and its searches with it
    for number in (1, 3):
        send(page, type="stop", id=number)
    assert {answers(page)[-1]["id"] for _ in range(2)} == {1, 3}
    server.until(4)


def test_two_pages_think_at_once_and_hear_only_their_own_answers(server: Server, page: ClientConnection) -> None:
    with server.page() as other:
        asked = {"type": "think", "game": "tictactoe", "agent": "uct(solve=False)", "seconds": 0.4}
        send(page, id=1, **asked)
        send(other, id=2, moves=["b2"], **asked)
        one, two = answers(page), answers(other)
    assert {message["id"] for message in one} == {1} and len(one[-1]["thought"]["moves"]) == 9
    assert {message["id"] for message in two} == {2} and len(two[-1]["thought"]["moves"]) == 8


def test_more_than_sixty_four_sockets_are_turned_away_and_the_others_stay(server: Server) -> None:
    with ExitStack() as stack:
        pages = [stack.enter_context(server.page()) for _ in range(70)]
        turned = []
        for opened in pages[64:]:
            with pytest.raises(ConnectionClosed):
                opened.recv(timeout=10)
            turned.append(opened.close_code)
        assert turned == 6 * [1008]
        assert ask(pages[0], type="think", agent="random")["type"] == "thought"
        assert ask(pages[63], type="think", agent="random")["type"] == "thought"
    end = time.monotonic() + 10
    while server.app.state.hall.sockets.free < 64 and time.monotonic() < end:
        time.sleep(0.01)
    assert server.app.state.hall.sockets.free == 64


def test_twenty_games_at_once_by_script_are_all_played_to_their_end(server: Server) -> None:
    async def play() -> list[str]:
        moves: list[str] = []
        async with connect_async(server.url) as page:
            asked = {"type": "think", "id": 1, "game": "tictactoe", "moves": moves, "agent": "uct(sims=200)"}
            while True:
                await page.send(json.dumps(asked))
                answer = {"type": "thinking"}
                while answer["type"] in ("thinking", "compiling"):
                    answer = json.loads(await asyncio.wait_for(page.recv(), 60))
                if answer["type"] == "thought":
                    moves.append(answer["move"])
                elif "over" in answer["error"]:
                    return moves
                else:
                    assert answer["error"].startswith("busy")
                    await asyncio.sleep(0.01)

    async def all_of_them() -> list[list[str]]:
        return await asyncio.gather(*(play() for _ in range(20)))

    assert all(5 <= len(moves) <= 9 for moves in asyncio.run(all_of_them()))


def test_a_page_that_asks_without_listening_does_not_stop_the_others(server: Server, page: ClientConnection) -> None:
    with server.page(close_timeout=0.2) as deaf:
        for _ in range(2_000):
            deaf.send("nonsense")
        assert ask(page, type="think", agent="random")["type"] == "thought"
