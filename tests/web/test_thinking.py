"""The socket: thinking, solving, matches and the tree view."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

import own_games
import pytest
from websockets.sync.client import ClientConnection
from wire import ENDLESS, LONG, Server, answers, ask, send

from plyground import games, position, rules
from plyground.agents.base import Agent, Move, Thought
from plyground.agents.simple import Random
from plyground.arena.match import Plan, play_match
from plyground.jit.progress import NotCompiled, compilations
from plyground.spec import InputError
from plyground.warmup import SOLVER, Progress, Task
from plyground.web import jobs
from plyground.web import match as web_match
from plyground.web import state as web_state


def test_thinking_is_streamed_and_ends_with_the_thought(page: ClientConnection) -> None:
    ask(page, type="think", agent="uct(sims=1)")
    asked = {"game": "tictactoe", "moves": ["b2"], "start": "", "agent": "uct(solve=False)", "simulations": None}
    send(page, type="think", id=7, seconds=50, **asked)
    before: list[dict] = []
    while sum(one["type"] == "thinking" for one in before) < 3:
        before.append(json.loads(page.recv(timeout=120)))
    send(page, type="stop", id=7)
    *more, last = answers(page)
    before += more
    assert all(one["id"] == 7 for one in [*before, last])
    if before[0]["type"] == "compiling":  # a busy machine takes a while to load the kernels
        del before[0]
    assert {one["type"] for one in before} == {"thinking"}
    assert len(before) <= 1 + last["thought"]["seconds"] / 0.1
    thought = last["thought"]
    assert last["move"] == thought["move"] == thought["moves"][0]["name"] == thought["line"][0]
    assert len(thought["moves"]) == 8 and "b2" not in {move["name"] for move in thought["moves"]}
    assert sum(move["share"] for move in thought["moves"]) == pytest.approx(1)
    told = {"action", "name", "cells", "visits", "share", "value", "proven", "prior", "line"}
    assert set(thought["moves"][0]) == told
    counts = [one["thought"]["simulations"] for one in [*before, last]]
    assert counts == sorted(counts)


def test_a_page_hears_when_it_has_to_wait_for_the_compiler(
    page: ClientConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Random):
        def think(self, *args: Any) -> Any:
            with compilations.one("grow"):
                assert told.wait(120)
            return super().think(*args)

    def make(*_: Any) -> Slow:
        slow = Slow()
        slow.begin(0)
        return slow

    told = threading.Event()
    monkeypatch.setattr(jobs.agents, "make", make)
    send(page, type="think", id=1, game="tictactoe", agent="random")
    assert json.loads(page.recv(timeout=120))["type"] == "compiling"
    told.set()
    assert [answer["type"] for answer in answers(page)] == ["thought"]


class Missing(Random):
    """An agent whose kernels are not compiled yet."""

    compiled = False

    def think(self, *args: Any) -> Any:
        if not self.compiled:
            raise NotCompiled("grow")
        return super().think(*args)


class PlainPython(Random):
    """Stands for an interpreted agent, without its process."""

    outside = True
    all: ClassVar[list[PlainPython]] = []

    def __init__(self, text: str) -> None:
        self.text, self.closed = text, 0
        self.begin(0)
        self.all.append(self)

    def start(self) -> None:
        pass

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def missing(server: Server, monkeypatch: pytest.MonkeyPatch) -> Progress:
    """How far the kernels are that an agent waits for."""
    progress = Progress(Task("tictactoe", "random"), kernel="grow", share=0.4, seconds_left=3.2)

    def make(*_: Any) -> Missing:
        made = Missing()
        made.compiled = progress.ended.is_set()
        made.begin(0)
        return made

    monkeypatch.setattr(server.app.state.server.warmup, "want", lambda task: progress)
    monkeypatch.setattr(jobs.agents, "make", make)
    monkeypatch.setattr(jobs, "Interpreted", PlainPython)
    PlainPython.all.clear()
    return progress


def test_an_agent_that_is_not_compiled_plays_interpreted_and_says_so(page: ClientConnection, missing: Progress) -> None:
    asked = {"type": "think", "agent": "random", "seat": 0, "meanwhile": True}
    told = {"agent": "random, interpreted", "kernel": "grow", "share": 0.4, "seconds_left": 3.2}
    assert ask(page, id=1, **asked)["meanwhile"] == told
    assert ask(page, id=2, moves=["a1", "b2"], **asked)["meanwhile"] == told
    (stand_in,) = PlainPython.all  # one process for both moves
    assert stand_in.text == "random()" and not stand_in.closed
    missing.ended.set()
    last = ask(page, id=3, moves=["a1", "b2"], **asked)
    assert last["type"] == "thought" and "meanwhile" not in last
    until(lambda: stand_in.closed == 1)


class Unready(Random):
    """An agent that gets ready once its kernels are compiled."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.begin(0)

    def ready(self, game: Any) -> None:
        if not self.progress.ended.is_set():
            raise NotCompiled("grow")


def test_a_solution_and_a_match_too_wait_for_kernels_that_another_process_compiles(
    server: Server, page: ClientConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, progress, solver = [], Progress(Task("tictactoe", SOLVER), kernel="deepen"), jobs.solver

    def want(task: Task) -> Progress:
        wanted.append(task)
        return progress

    def unready(*args: Any) -> Any:
        if not progress.ended.is_set():
            raise NotCompiled("deepen")
        return solver(*args)

    monkeypatch.setattr(server.app.state.server.warmup, "want", want)
    monkeypatch.setattr(jobs, "solver", unready)
    monkeypatch.setattr(jobs.agents, "make", lambda *_: Unready(progress))
    asked: list[dict[str, Any]] = [
        {"type": "solve", "game": "tictactoe", "seconds": 20},
        {"type": "match", "game": "tictactoe", "agents": ["random", "random"], "games": 1},
    ]
    for number, request in enumerate(asked, 1):
        progress.ended.clear()
        send(page, id=number, **request)
        assert json.loads(page.recv(timeout=120))["type"] == "compiling"
        progress.ended.set()
        assert answers(page)[-1]["type"] == ("solution", "match")[number - 1]
    assert wanted == [Task("tictactoe", SOLVER), Task("tictactoe", "random()")]


def test_who_asks_for_no_stand_in_waits_and_hears_how_far_the_compiler_is(
    page: ClientConnection, missing: Progress
) -> None:
    send(page, type="think", id=1, game="tictactoe", agent="random")
    told = json.loads(page.recv(timeout=120))
    assert told == {"type": "compiling", "id": 1, "kernel": "grow", "share": 0.4, "seconds_left": 3.2}
    missing.share = 0.6
    assert json.loads(page.recv(timeout=120))["share"] == 0.6
    missing.ended.set()
    assert answers(page)[-1]["type"] == "thought" and not PlainPython.all


def test_kernels_that_do_not_compile_are_told_in_one_line_and_a_waiting_think_can_be_stopped(
    page: ClientConnection, missing: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(page, type="think", id=1, game="tictactoe", agent="random")
    assert json.loads(page.recv(timeout=120))["type"] == "compiling"
    send(page, type="stop", id=1)
    assert "stopped" in answers(page)[-1]["error"]
    missing.problem = "the rules do not compile: score"
    missing.ended.set()
    monkeypatch.setattr(jobs.agents, "make", lambda *_: Missing())
    assert ask(page, type="think", agent="random")["error"] == "the rules do not compile: score"


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


def test_an_agent_without_a_tree_keeps_no_memory_and_a_tree_as_much_as_it_has_grown(
    server: Server, page: ClientConnection
) -> None:
    ask(page, type="think", id=1, agent="alphabeta(depth=2)")
    ask(page, type="think", id=2, agent="uct(sims=50)")
    kept = {think: one for (_, think), one in server.state._kept.items()}
    assert (
        kept[1].megabytes == 0 and type(kept[1].agent) is Agent and "no tree" in ask(page, type="open", of=1)["error"]
    )
    assert kept[2].megabytes == 1 and kept[2].agent.memory == 256


def total(last: dict[str, Any]) -> int:
    return sum(move["visits"] for move in last["thought"]["moves"])


def test_an_agent_in_a_seat_goes_on_with_its_tree(page: ClientConnection) -> None:
    keeps = {"type": "think", "agent": "uct(sims=1000, keep=True, solve=False)"}
    first = ask(page, **keeps, id=1, seat=0)
    moves = first["thought"]["line"][:2]
    assert total(first) == 1000
    second = ask(page, **keeps, id=2, seat=0, moves=moves)
    assert second["thought"]["simulations"] == 1000 and total(second) > 1010
    assert "not kept" in ask(page, type="open", id=3, of=1)["error"]
    told = ask(page, type="open", id=4, of=2)["children"]
    assert sum(child["visits"] for child in told) == total(second)
    assert total(ask(page, **keeps, id=5, seat=1, moves=moves[:1])) == 1000  # the other seat has its own
    assert total(ask(page, **keeps, id=6, moves=moves)) == 1000  # so has one who advises
    assert total(ask(page, **keeps, id=7, seat=0, moves=moves)) > 2000
    assert total(ask(page, **keeps, id=8, seat=0, moves=[])) == 1000  # a new game, or a move taken back
    assert total(ask(page, **keeps, id=9, seat=0, moves=moves, seed=3)) == 1000
    assert total(ask(page, **keeps | {"agent": "uct(sims=1000, solve=False)"}, id=10, seat=0, moves=moves)) == 1000


class Waiting(Random):
    """Keeps something between moves, and counts its thoughts."""

    keep = True
    thoughts = closed = 0
    all: ClassVar[list[Waiting]] = []

    def think(self, game: Any, state: Any, *_: Any) -> Thought:
        self.thoughts += 1
        if state.tobytes() == position.read(game, "a3 a1").tobytes():
            raise InputError("not here")
        return Thought(next(action for action in range(9) if action in rules.legal(game, state)))

    def close(self) -> None:
        self.closed += 1

    @classmethod
    def make(cls, *_: Any) -> Waiting:
        cls.all.append(cls())
        return cls.all[-1]

    @classmethod
    def counts(cls) -> list[tuple[int, int]]:
        return [(one.thoughts, one.closed) for one in cls.all]


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> type[Waiting]:
    monkeypatch.setattr(Waiting, "all", [])
    monkeypatch.setattr(jobs.agents, "make", Waiting.make)
    return Waiting


def test_an_agent_waits_until_another_takes_its_seat(server: Server, waiting: type[Waiting]) -> None:
    numbers = count()
    with server.page() as page:

        def think(moves: str = "", **more: Any) -> dict:
            asked = {"type": "think", "agent": "random", "seat": 0} | more
            return ask(page, id=next(numbers), moves=moves.split(), **asked)

        think()
        think("a1 b2")
        assert waiting.counts() == [(2, 0)]
        think("a1", seat=1)
        assert waiting.counts() == [(2, 0), (1, 0)]
        think("a1 b2", agent="win-block")
        assert waiting.counts() == [(2, 1), (1, 0), (1, 0)]
        think("a1 b2", agent="win-block", game="mnk(3,3,3)")
        assert waiting.counts() == [(2, 1), (1, 0), (1, 1), (1, 0)]
        think(seat=None)
        assert waiting.counts()[-1] == (1, 1)  # it only advised
        assert "not here" in think("a3 a1", seat=1)["error"]
        assert waiting.counts()[1] == (1, 1) and waiting.counts()[-1] == (1, 1)
        assert "nobody" in think(agent="nobody")["error"]
        assert [closed for _, closed in waiting.counts()] == [1] * 6
        think()
        think("a1", seat=1)
        assert [closed for _, closed in waiting.counts()[6:]] == [0, 0]
    until(lambda: [closed for _, closed in waiting.counts()[6:]] == [1, 1])  # the page is gone


def test_an_agent_does_not_wait_for_ever(
    page: ClientConnection, waiting: type[Waiting], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_state, "IDLE", 0.3)
    ask(page, type="think", id=1, agent="random", seat=0)
    until(lambda: waiting.counts() == [(1, 1)])
    assert "not kept" in ask(page, type="open", id=2, of=1)["error"]
    ask(page, type="think", id=3, agent="random", seat=0)
    assert len(waiting.counts()) == 2


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_win_by_threats_is_told_with_its_line(page: ClientConnection) -> None:
    game, moves = games.make("gomoku(9)"), ["e5", "a1", "f6", "a9", "c6", "i9"]
    last = ask(page, type="think", game="gomoku(9)", moves=moves, agent="threats")
    thought = last["thought"]
    (move,) = thought["moves"]
    assert move["proven"] and thought["value"] == 1 and last["move"] == thought["line"][0] and len(thought["line"]) > 3
    state = position.read(game, " ".join(moves + thought["line"]))
    assert game.over(state) and game.score(state) == 1


def test_solving_gives_exact_values(page: ClientConnection) -> None:
    found = ask(page, type="solve", seconds=20)["solution"]
    assert found["value"] == 0 and found["complete"] and len(found["moves"]) == 9 and len(found["line"]) == 9
    found = ask(page, type="solve", moves=["b2", "a2"], seconds=20)["solution"]
    assert found["value"] == 1 and found["plies"] == 5 and found["moves"][0]["plies"] == 5
    values = {move["name"]: move["value"] for move in found["moves"]}
    assert len(values) == 7 and {-1, 0, 1} >= set(values.values())
    found = ask(page, type="solve", game="connect-four(8,6)", seconds=0.3)["solution"]
    assert found["value"] is None and not found["complete"] and found["at_least"] == -1 and found["at_most"] == 1
    assert found["why_unknown"] == "the time is up"


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
    assert last["interval"] == list(played.interval()) and last["games"] == 5 == last["of"]
    assert last["first"]["games"] == 3 and last["second"]["games"] == 2
    lives = [one["live"] for one in told if one["live"]]
    assert lives and all(len(live["cells"]) == 9 for live in lives)


def test_a_slow_move_of_a_match_is_told(page: ClientConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    class Quick(Random):
        def ready(self, game: Any) -> None:
            pass

    class Slow(Quick):
        def think(self, *args: Any) -> Any:
            go_on.wait(120)
            return super().think(*args)

    go_on = threading.Event()
    made = iter((Quick(), Slow()))
    monkeypatch.setattr(web_match.agents, "make", lambda text: next(made))
    monkeypatch.setattr(jobs, "LONG_MOVE", 0.1)
    send(page, type="match", id=1, game="tictactoe", agents=["random", "random"], games=1)
    while (told := json.loads(page.recv(timeout=120)))["type"] != "slow":
        assert told["type"] in ("match", "compiling")
    assert told | {"seconds": 0} == {"type": "slow", "id": 1, "agent": 1, "seconds": 0}
    assert json.loads(page.recv(timeout=120))["seconds"] >= 1 + told["seconds"]
    go_on.set()
    assert answers(page)[-1]["games"] == 1


def test_every_two_games_of_a_match_have_their_own_draw_which_can_be_shown_again(page: ClientConnection) -> None:
    send(page, type="match", id=1, game="line-taking(cells=12)", agents=["random", "random"], games=4)
    specs = [one["record"]["game"] for one in answers(page) if one["record"]]
    assert specs[0] == specs[1] != specs[2] == specs[3]
    assert ask(page, type="think", game=specs[2], agent="random")["type"] == "thought"


def test_a_users_game_given_to_the_server_is_played_and_solved(page: ClientConnection, own: dict[str, str]) -> None:
    heap = own["heap"]
    assert ask(page, type="think", game=heap, agent="uct(sims=500)")["thought"]["value"] == 1
    assert ask(page, type="solve", game=heap)["solution"]["value"] == 1
    send(page, type="match", id=1, game=heap, agents=["random", "win-block"], games=2)
    assert answers(page)[-1]["games"] == 2
    assert ask(page, type="solve", game=heap + "(6)")["solution"]["value"] == -1


def test_chance_events_are_listed_and_happen_in_a_match(page: ClientConnection) -> None:
    dice = own_games.DICE
    assert "chance" in ask(page, type="think", game=dice, moves=["1"], agent="random")["error"]
    assert ask(page, type="think", game=dice, moves=["1", "0"], agent="random")["type"] == "thought"
    send(page, type="match", id=1, game=dice, agents=["random", "random"], games=4)
    told = answers(page)
    assert all(len(one["record"]["moves"]) == 8 for one in told if one["record"])


def test_stop_ends_thinking_solving_and_matches_with_their_last_message(page: ClientConnection) -> None:
    asked = [
        LONG,
        {"type": "solve", "game": "connect-four(8,6)", "seconds": 50.0},
        {"type": "match", "game": "tictactoe", "agents": [ENDLESS, "random"], "games": 1000},
    ]
    for number, message in enumerate(asked):
        send(page, id=number, **message)
        assert json.loads(page.recv(timeout=120))["id"] == number
        send(page, type="stop", id=number)
        last = answers(page)[-1]
        assert last["type"] == ("thought", "solution", "match")[number] and last.get("done", True)
    send(page, type="stop", id=77)  # nothing of that id: nothing to stop
    assert ask(page, type="think", agent="random")["type"] == "thought"


def test_every_move_that_was_looked_at_tells_how_play_would_go_on(page: ClientConnection) -> None:
    last = ask(page, type="think", id=3, agent="uct(sims=3000, seed=1)", moves=["b2"])
    moves = last["thought"]["moves"]
    for move in moves:
        assert move["line"][0] == move["name"] and (len(move["line"]) > 1 or move["visits"] < 10 or move["proven"])
        if len(move["line"]) > 1 and not move["proven"]:  # the line follows the tree
            send(page, type="open", id=4, of=3, path=[move["name"]])
            replies = answers(page)[-1]["children"]
            assert move["line"][1] == max(replies, key=lambda reply: reply["visits"])["name"] or replies[0]["proven"]
    assert last["thought"]["line"] == moves[0]["line"]
    assert {tuple(move["line"]) for move in ask(page, type="think", agent="win-block")["thought"]["moves"]} <= {()}


def test_while_a_search_runs_only_the_foremost_moves_tell_their_lines(page: ClientConnection) -> None:
    send(page, type="think", id=1, game="gomoku(9)", agent="uct", seconds=0.8)
    *before, last = answers(page)
    for thought in [one["thought"] for one in before if one["type"] == "thinking"]:
        assert 0 < sum(bool(move["line"]) for move in thought["moves"]) <= 14
    assert sum(bool(move["line"]) for move in last["thought"]["moves"]) == 81


def test_a_prior_reaches_the_page(page: ClientConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    class Knowing(Random):
        def think(self, *_: Any) -> Thought:
            return Thought(4, 0.5, 3, 0.1, [Move(4, 2, 0.5, prior=0.75), Move(0, 1, 0.0)])

        def children(self, path: list[int]) -> list[Move]:
            return [] if path else [Move(4, 2, 0.5, prior=0.75)]

    monkeypatch.setattr(jobs.agents, "make", lambda *_: Knowing())
    found = ask(page, type="think", id=8, agent="random")["thought"]
    assert [move["prior"] for move in found["moves"]] == [0.75, None] and found["moves"][0]["line"] == []
    assert ask(page, type="open", of=8, path=[])["children"][0]["prior"] == 0.75
