"""The socket's bounds: nonsense, strangers, floods, and many at once."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from wire import LONG, Server, answers, ask, send

from plyground import agents
from plyground.spec import parameters
from plyground.web import jobs, sessions
from plyground.web.catalogue import Catalogue
from plyground.web.runs import Runs

SERVED = {"before": 0, "seconds": 0.0}  # waits no longer


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


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
        ({"type": "think", "agent": "threats(limit=1000000000)"}, "at most 10000000"),
        ({"type": "think", "agent": 'hybrid(then="uct(memory=9999)")'}, "at most 512"),
        ({"type": "think", "agent": 'hybrid(before="human")'}, "human"),
        ({"type": "think", "agent": 'alphabeta(scoring="/tmp/own.py:Scoring")'}, "may not name a file"),
        ({"type": "think", "agent": "hybrid(then='alphabeta(scoring=\"own.py:S\")')"}, "may not name a file"),
        ({"type": "think", "agent": 'guided(net="/etc")'}, "one in the folder runs"),
        ({"type": "think", "agent": "hybrid(then='guided(net=\"runs/../../etc\")')"}, "one in the folder runs"),
        (
            {"type": "match", "agents": ["random", 'guided(net="runs/x/../../..")'], "games": 2},
            "one in the folder runs",
        ),
        ({"type": "think", "agent": "uct(sims=__import__('os'))"}, "cannot read the values"),
        ({"type": "think", "agent": "line-taking-master"}, "line-taking"),
        ({"type": "think", "agent": "uct", "game": "xiangqi"}, "there is no game"),
        ({"type": "think", "agent": "uct", "moves": ["b2", "b2"]}, "not legal"),
        ({"type": "think", "agent": "uct", "moves": ["a3", "a1", "b3", "b1", "c3"]}, "over"),
        ({"type": "think", "agent": "uct", "start": "nonsense/"}, "rows"),
        ({"type": "solve", "seconds": 1e9}, "seconds"),
        ({"type": "match", "agents": ["uct"], "games": 2}, "agents"),
        ({"type": "match", "agents": ["random", "human"], "games": 2}, "human"),
        ({"type": "match", "agents": ["random", "random"], "games": 1001}, "games"),
        ({"type": "match", "agents": ["random", "random"], "games": 0}, "games"),
        ({"type": "match", "agents": ["random", "random"], "games": 2, "game": "tetris"}, "games of two players"),
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
        answer = json.loads(page.recv(timeout=120))
        assert answer["type"] == "error" and answer["id"] is None
    assert ask(page, type="think", agent="random")["type"] == "thought"


def test_a_large_message_closes_its_socket_only(server: Server, page: ClientConnection) -> None:
    with server.page() as other:
        other.send("x" * (64 * 1024 + 1))
        with pytest.raises(ConnectionClosed):
            other.recv(timeout=120)
        assert other.close_code == 1009
    assert ask(page, type="think", agent="random")["type"] == "thought"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_foreign_page_is_turned_away(server: Server, origin: str) -> None:
    with server.page(origin=origin) as foreign:
        with pytest.raises(ConnectionClosed):
            foreign.recv(timeout=120)
        assert foreign.close_code == 1008


def test_a_foreign_host_is_turned_away_and_the_own_page_let_in(server: Server) -> None:
    with connect(
        f"ws://evil.example:{server.port}/api/socket", sock=socket.create_connection(("127.0.0.1", server.port))
    ) as foreign:
        with pytest.raises(ConnectionClosed):
            foreign.recv(timeout=120)
        assert foreign.close_code == 1008
    with server.page(origin=f"http://127.0.0.1:{server.port}") as own:
        assert ask(own, type="think", agent="random")["type"] == "thought"


def test_huge_budgets_in_a_spec_are_cut(page: ClientConnection) -> None:
    spec = "uct(sims=2147483647, seconds=86400, solve=False)"
    assert ask(page, type="think", agent=spec, simulations=500)["thought"]["simulations"] == 500
    assert ask(page, type="think", agent=spec, seconds=0.2)["thought"]["seconds"] < 10


def test_no_option_of_an_agent_is_a_text_of_which_nobody_knows_whether_it_names_a_file() -> None:
    known = {"scoring", "to"}  # ingredients (which refuse files here), names of opponents
    for name in agents.registry():
        for option in parameters(agents.maker(name)):
            if option.type is str and not option.about.choices:
                assert option.name in known or option.about.kind in ("run", "net", "policy", "command", "agent"), (
                    f"{name}: {option.name}"
                )


def test_every_agent_gets_a_bounded_memory_and_time() -> None:
    catalogue = Catalogue([], Runs(Path("runs")))
    assert catalogue.agent("line-taking-master") == ("line-taking-master(memory=512)", True)
    assert "memory=512" in catalogue.agent('hybrid(then="line-taking-master")').text
    for spec, bounded in ("uct", False), ("uct(sims=5)", True), ('hybrid(then="uct")', False), ("random", True):
        checked = catalogue.agent(spec)
        assert checked.bounded == bounded
        limit = jobs.bounds(checked, None, None)
        assert limit.seconds == (60 if bounded else 5) and limit.simulations == 10_000_000
    assert jobs.bounds(catalogue.agent("uct"), 2.0, 30) == jobs.Limit(30, 2.0)


def heard(page: ClientConnection, number: int) -> dict:
    """The next message about a request, of all that come."""
    while (message := json.loads(page.recv(timeout=120)))["id"] != number:
        pass
    return message


def test_four_searches_run_at_once_and_others_wait_for_their_turn_and_are_told(
    server: Server, page: ClientConnection
) -> None:
    with server.page(close_timeout=0.2) as other:
        for number in range(4):
            send(page if number % 2 else other, id=number, **LONG)
            server.until(3 - number)
        for number in (8, 9):
            send(page, type="think", id=number, agent="random", game="tictactoe")
        told = [heard(page, 8), heard(page, 9)]
        assert [(one["type"], one["before"]) for one in told] == [("waiting", 0), ("waiting", 1)]
        assert all(one["seconds"] is None or one["seconds"] > 0 for one in told)
        send(page, id=1, type="think", agent="random", game="tictactoe")
        while (refused := heard(page, 1))["type"] != "error":
            pass
        assert "in use" in refused["error"]
    last = {8: {}, 9: {}}  # the other page has gone, and its searches with it
    while any(one.get("type") != "thought" for one in last.values()):
        message = json.loads(page.recv(timeout=120))
        if message["id"] in last:
            before = last[message["id"]]
            assert message["type"] == "waiting" or before in ({}, {"type": "waiting", "id": message["id"], **SERVED})
            last[message["id"]] = message
    server.until(2)
    for number in (1, 3):
        send(page, type="stop", id=number)
    assert {answers(page)[-1]["id"] for _ in range(2)} == {1, 3}
    server.until(4)


def test_a_search_that_is_stopped_or_whose_page_goes_leaves_the_queue(server: Server, page: ClientConnection) -> None:
    with server.page(close_timeout=0.2) as other, server.page(close_timeout=0.2) as gone:
        for number in range(4):
            send(page, id=number, **LONG)
        server.until(0)
        send(gone, type="think", id=1, agent="random", game="tictactoe")
        assert heard(gone, 1)["before"] == 0
        send(other, type="think", id=1, agent="random", game="tictactoe")
        assert heard(other, 1)["before"] == 1
        gone.close()
        while (told := heard(other, 1))["before"]:
            pass
        assert told["type"] == "waiting"
        send(other, type="stop", id=1)
        assert answers(other)[-1]["error"] == "stopped before it was its turn"
        for number in range(4):
            send(page, type="stop", id=number)
        server.until(4)


def test_a_match_lets_others_pass_and_goes_on(server: Server, page: ClientConnection) -> None:
    with server.page(close_timeout=0.2) as other:
        for number in range(4):
            send(page, type="match", id=number, game="tictactoe", agents=["uct(seconds=0.01)"] * 2, games=1000)
        server.until(0)
        assert ask(other, type="think", id=1, agent="random")["type"] == "thought"
        record = None
        while record is None:
            message = json.loads(page.recv(timeout=120))
            record = message.get("record")
        for number in range(4):
            send(page, type="stop", id=number)
        assert sum(bool(answers(page)[-1]["done"]) for _ in range(4)) == 4
    server.until(4)


def test_two_pages_think_at_once_and_hear_only_their_own_answers(server: Server, page: ClientConnection) -> None:
    with server.page() as other:
        asked = {"type": "think", "game": "tictactoe", "agent": "uct(solve=False)", "seconds": 0.4}
        send(page, id=1, **asked)
        send(other, id=2, moves=["b2"], **asked)
        one, two = answers(page), answers(other)
    assert {message["id"] for message in one} == {1} and len(one[-1]["thought"]["moves"]) == 9
    assert {message["id"] for message in two} == {2} and len(two[-1]["thought"]["moves"]) == 8


def test_more_sockets_than_there_may_be_are_told_to_come_again_unless_one_is_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_now = server.state.sessions.open
    until(lambda: not open_now)
    monkeypatch.setattr(server.state.sessions, "limits", server.state.limits._replace(all_sockets=3))
    with ExitStack() as stack:
        pages = [stack.enter_context(server.page()) for _ in range(4)]
        with pytest.raises(ConnectionClosed):
            pages[3].recv(timeout=120)
        assert pages[3].close_code == 1013 and "at most 3 sockets" in (pages[3].close_reason or "")
        assert [ask(one, type="think", agent="random")["type"] for one in pages[:3]] == 3 * ["thought"]
        send(pages[0], id=9, **LONG)  # it works; the next one has waited for the longest time
        server.until(3)
        monkeypatch.setattr(sessions, "LEAST", 0.0)
        assert ask(stack.enter_context(server.page()), type="think", agent="random")["type"] == "thought"
        with pytest.raises(ConnectionClosed):
            pages[1].recv(timeout=120)
        assert pages[1].close_code == 4000 and "not used" in (pages[1].close_reason or "")
        assert ask(pages[2], type="think", agent="random")["type"] == "thought"
        send(pages[0], type="stop", id=9)
        assert answers(pages[0])[-1]["type"] == "thought"
    until(lambda: not open_now)


def test_twenty_games_at_once_by_script_are_all_played_to_their_end(server: Server) -> None:
    async def play() -> list[str]:
        moves: list[str] = []
        async with connect_async(server.url) as page:
            asked = {"type": "think", "id": 1, "game": "tictactoe", "moves": moves, "agent": "uct(sims=200)"}
            while True:
                await page.send(json.dumps(asked))
                answer = {"type": "thinking"}
                while answer["type"] in ("thinking", "compiling", "waiting"):
                    answer = json.loads(await asyncio.wait_for(page.recv(), 120))
                if answer["type"] == "error":
                    assert "over" in answer["error"]
                    return moves
                moves.append(answer["move"])

    async def all_of_them() -> list[list[str]]:
        return await asyncio.gather(*(play() for _ in range(20)))

    with ThreadPoolExecutor(1) as pool:  # in this thread the loop of a browser's driver may run
        assert all(5 <= len(moves) <= 9 for moves in pool.submit(asyncio.run, all_of_them()).result())


def test_a_page_that_asks_without_listening_does_not_stop_the_others(server: Server, page: ClientConnection) -> None:
    with server.page(close_timeout=0.2) as deaf:
        for _ in range(2_000):
            deaf.send("nonsense")
        assert ask(page, type="think", agent="random")["type"] == "thought"


def test_a_search_that_waits_gets_its_turn_when_another_ends(server: Server, page: ClientConnection) -> None:
    with server.page() as other:
        for number in range(4):
            send(page, id=number, **LONG)
        server.until(0)
        for number in range(2):
            send(other, id=number, type="think", game="tictactoe", agent="random")
        send(page, type="stop", id=2)
        assert [answers(other)[-1] for _ in range(2)] and server.free == 1
    for number in (0, 1, 3):
        send(page, type="stop", id=number)
    server.until(4)


def test_a_flood_of_searches_leaves_the_server_answering(server: Server, page: ClientConnection) -> None:
    with server.page(close_timeout=0.2) as flood:
        for number in range(300):
            send(flood, id=number, **LONG)
        errors = 0
        while errors < 200:  # four run, 64 wait, the others hear at once that they cannot
            message = json.loads(flood.recv(timeout=120))
            errors += message["type"] == "error" and message["error"].startswith("busy: 64 searches of yours wait")
        send(page, type="think", id=1, agent="random", game="tictactoe")
        assert heard(page, 1)["before"] <= 1  # not the 64, but one of them in a round
    server.until(4)
    assert answers(page)[-1]["type"] == "thought"
