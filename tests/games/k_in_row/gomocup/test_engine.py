"""The Gomocup engine, talked to in this process: every command, nonsense, any stones, swap2, agents that fail."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyground import agents, rules
from plyground.agents import user_agent
from plyground.agents.base import Agent, Limit, Thought
from plyground.child import Gone
from plyground.games.k_in_row.gomocup import bench, trial
from plyground.games.k_in_row.gomocup import brain as brain_module
from plyground.games.k_in_row.gomocup.brain import AGENT, NET, Brain, Choice, StandIn, Task, engine_agent
from plyground.games.k_in_row.gomocup.engine import Engine
from plyground.games.k_in_row.gomocup.instant import Board
from plyground.games.k_in_row.tactics import classic
from plyground.jit.progress import NotCompiled, compilations, may_compile
from plyground.search.mcts import skeleton
from plyground.trust.protocol_lines import protocol_lines

MOVE = re.compile(r"\d+,\d+")


class Asleep(Brain):
    """A brain that never wakes up."""

    def wake(self, board: Board, memory: int) -> None:
        pass

    def think(self, board: Board, until: float, memory: int, stop: Callable[[], bool]) -> Task:
        return Task(board, until, 0, False, stop)


class Talk:
    """An engine and what it says."""

    def __init__(self, brain: Brain | None = None, **more: Any) -> None:
        self.said: list[str] = []
        self.engine = Engine(brain or Asleep(), self.said.append, **more)

    def ask(self, *lines: str) -> list[str]:
        """What comes of these lines, but for messages."""
        begun = len(self.said)
        for line in lines:
            assert self.engine.hear(line)
        return [line for line in self.said[begun:] if not line.startswith("MESSAGE ")]

    @property
    def board(self) -> Board:
        assert self.engine.board
        return self.engine.board


@pytest.fixture(autouse=True)
def compiled_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents are believed to be compiled, so that nobody is hired at once to stand in."""
    monkeypatch.setattr(brain_module, "compiled_before", lambda: True)


@pytest.fixture
def talk() -> Talk:
    made = Talk()
    made.ask("START 15", "INFO timeout_turn 0")
    return made


def test_start_is_answered_by_ok_alone() -> None:
    assert Talk().ask("START 15") == ["OK"] and Talk().ask("start 20\r\n") == ["OK"]
    assert Talk().ask("RECTSTART 20,10") == ["OK"]


@pytest.mark.parametrize(
    "line", ["START", "START x", "START 4", "START 21", "START 99999999", "START -5", "START 15 15"]
)
def test_boards_that_make_no_sense_are_an_error(line: str) -> None:
    assert re.match("ERROR ", *Talk().ask(line))
    assert re.match("ERROR ", *Talk().ask(line.replace("START", "RECTSTART")))


def test_without_a_board_there_is_no_move() -> None:
    for line in ("BEGIN", "TURN 7,7", "RESTART", "TAKEBACK 7,7", "BOARD", "SWAP2BOARD"):
        assert re.match("ERROR ", *Talk().ask(line)), line


def test_about_names_the_engine_and_unknown_is_unknown(talk: Talk) -> None:
    assert re.fullmatch(r'name="Plyground", version="[\d.]+", .*', *talk.ask("ABOUT"))
    for line in ("PLAY 7,7", "DONE", "XYZZY", "7,7,1", "\x00\xff", "STARTX 15"):
        assert re.match("UNKNOWN ", *talk.ask(line)), line
    assert talk.ask("", "   ", "\r\n") == []


def test_info_is_answered_by_silence_whatever_it_says(talk: Talk) -> None:
    keys = ["timeout_turn", "timeout_match", "time_left", "max_memory", "game_type", "rule", "folder", "nonsense"]
    assert talk.ask("INFO evaluate 7,7", "INFO folder /tmp") == []
    assert talk.ask(*(f"INFO {key} {value}" for key in keys for value in ("0", "1000", "7,7", "/tmp/x", "", "x"))) == []
    assert talk.ask("INFO", "info TIMEOUT_TURN 5") == []
    assert talk.engine.clock.turn == 0.005


def test_begin_turn_and_end(talk: Talk) -> None:
    assert talk.ask("BEGIN") == ["7,7"]
    (move,) = talk.ask("TURN 8,8")
    assert MOVE.fullmatch(move) and len(talk.board.stones) == 3
    assert not talk.engine.hear("END") and not talk.engine.hear("end\r\n")


@pytest.mark.parametrize("line", ["TURN", "TURN 15,0", "TURN -1,3", "TURN 7", "TURN a,b", "TURN 7,7,7", "TURN 7,7"])
def test_a_turn_that_is_no_free_cell_is_an_error_and_changes_nothing(talk: Talk, line: str) -> None:
    talk.ask("BEGIN")
    assert re.match("ERROR ", *talk.ask(line)) and len(talk.board.stones) == 1


def test_restart_clears_the_board_and_keeps_its_size() -> None:
    talk = Talk()
    talk.ask("RECTSTART 8,6", "BEGIN")
    assert talk.ask("RESTART") == ["OK"] and not talk.board.stones and talk.board.cols == 8


def test_takeback_takes_a_stone_back(talk: Talk) -> None:
    talk.ask("BEGIN", "TURN 8,8")
    assert talk.ask("TAKEBACK 8,8") == ["OK"] and (8, 8) not in talk.board.stones
    assert re.match("ERROR ", *talk.ask("TAKEBACK 8,8")) and re.match("ERROR ", *talk.ask("TAKEBACK x"))
    assert MOVE.fullmatch(*talk.ask("TURN 8,8"))


def test_board_sets_the_stones_in_any_order(talk: Talk) -> None:
    lines = ["3,3,1", "4,3,1", "5,3,1", "6,3,1", "2,3,2", "9,9,2", "9,8,2", " 9 , 7 , 2 "]
    assert talk.ask("BOARD", *lines, "DONE") == ["7,3"]
    assert talk.ask("BOARD", "DONE") == ["7,7"]
    assert talk.ask("BOARD", "0,0,2", "INFO time_left 500", "1,1,1", "DONE") and len(talk.board.stones) == 3


@pytest.mark.parametrize("stones", ["3,3,2 4,4,2 5,5,2", "3,3,1 4,4,1", "3,3,3 4,4,3 5,5,1", "0,0,1"])
def test_stones_that_no_game_leads_to_are_played_on_with_a_message(talk: Talk, stones: str) -> None:
    assert MOVE.fullmatch(*talk.ask("BOARD", *stones.split(), "DONE"))
    assert any("I move nevertheless" in line for line in talk.said) or "3,3,3" in stones


@pytest.mark.parametrize("line", ["7,7", "7,7,4", "7,7,0", "15,1,1", "x", "1,1,1"])
def test_a_bad_stone_is_an_error_and_the_old_board_stays(talk: Talk, line: str) -> None:
    talk.ask("BEGIN")
    assert re.match("ERROR BOARD", *talk.ask("BOARD", "1,1,1", "2,2,2", line, "DONE"))
    assert list(talk.board.stones) == [(7, 7)]


def test_another_command_ends_a_block_that_was_left_open(talk: Talk) -> None:
    assert talk.ask("BOARD", "1,1,1", "START 9") == ["OK"] and talk.board.cols == 9
    assert re.match("UNKNOWN ", *talk.ask("DONE"))


def test_a_full_board_and_a_game_that_is_over_do_no_harm() -> None:
    talk = Talk()
    talk.ask("START 5", "INFO timeout_turn 0")
    cells = [f"{x},{y},{1 + (x + y // 2) % 2}" for y in range(5) for x in range(5)]
    assert talk.ask("BOARD", *cells, "DONE") == ["ERROR the board is full"]
    assert talk.ask("BOARD", *cells[:-1], "DONE") == ["4,4"]
    assert MOVE.fullmatch(*talk.ask("BOARD", *(f"{x},0,2" for x in range(5)), "DONE"))


def test_rules_that_are_not_known_are_told_once_and_five_is_played(talk: Talk) -> None:
    talk.ask("INFO rule 4", "BEGIN", "TURN 3,3")
    assert sum("rule 4 is not known" in line for line in talk.said) == 1 and not talk.board.exact
    talk.ask("INFO rule 9", "RESTART")
    assert talk.board.exact
    talk.ask("INFO rule 0")
    assert not talk.board.exact


def test_exactly_five_is_kept_to(talk: Talk) -> None:
    six = [f"{x},7,1" for x in (2, 3, 4, 6, 7)] + [f"{x},{x % 3 + 10},2" for x in (1, 4, 7, 10, 13)]
    assert talk.ask("BOARD", *six, "DONE") == ["5,7"]
    assert talk.ask("INFO rule 1", "BOARD", *six, "DONE") != ["5,7"]


@settings(max_examples=120, deadline=None)
@given(lines=st.lists(protocol_lines(), max_size=25))
def test_no_line_ends_or_breaks_the_engine(lines: list[str]) -> None:
    assert trial.tried((lines, "")) == ""


# --- with an agent --------------------------------------------------------------------------------------------


@dataclass
class Judging(Agent):
    """Plays the first free cell and thinks what it was told of the position."""

    value: float = 0.0
    problem: str = ""
    strange: bool = False

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if self.problem:
            raise RuntimeError(self.problem)
        action = rules.legal(game, state)[0]
        if self.strange:
            action = int(next(cell for cell in range(game.actions()) if state.cells[cell]))
        return Thought(action, self.value, 17, 0.1, line=[action])


@pytest.fixture
def judging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(agents.REGISTRY, "judging", "judging:Judging")
    monkeypatch.setattr(agents, "maker", lambda name: Judging)


def awake(spec: str) -> Talk:
    talk = Talk(Brain(spec))
    talk.ask("START 15", "INFO timeout_turn 20000")
    return talk


@pytest.mark.usefixtures("judging")
def test_the_agents_move_is_played_and_told() -> None:
    talk = awake("judging(value=0.25)")
    assert talk.ask("TURN 7,7") == ["0,0"]
    assert "MESSAGE value +0.250, 17 simulations in 0.100 s, line 0,0" in talk.said


@pytest.mark.usefixtures("judging")
@pytest.mark.parametrize("spec", ['judging(problem="oh\\nno")', "judging(strange=True)"])
def test_an_agent_that_fails_or_cheats_does_not_end_the_engine(spec: str) -> None:
    talk = awake(spec)
    assert MOVE.fullmatch(*talk.ask("TURN 7,7"))
    assert any(line.startswith("MESSAGE quick move") for line in talk.said)


@pytest.mark.usefixtures("judging")
@pytest.mark.parametrize("value, answers", [(0.5, "0,0"), (-0.5, "SWAP"), (0.0, r"0,0 \d+,\d+")])
def test_swap2_after_three_stones_goes_by_the_value(value: float, answers: str) -> None:
    talk = awake(f"judging(value={value})")
    (answer,) = talk.ask("SWAP2BOARD", "7,7", "8,7", "9,9", "DONE")
    assert re.fullmatch(answers, answer) and not talk.board.stones


@pytest.mark.usefixtures("judging")
@pytest.mark.parametrize("value, answer", [(0.5, "0,0"), (-0.5, "SWAP"), (0.0, "0,0")])
def test_swap2_after_five_stones_takes_a_side(value: float, answer: str) -> None:
    talk = awake(f"judging(value={value})")
    assert talk.ask("SWAP2BOARD", "7,7", "8,7", "9,9", "8,8", "8,6", "DONE") == [answer]


@pytest.mark.parametrize("size", ["START 15", "START 20", "START 5", "RECTSTART 5,20"])
def test_swap2_begins_with_three_different_cells_of_the_board(size: str) -> None:
    talk = Talk()
    (_, answer) = talk.ask(size, "INFO timeout_turn 0", "SWAP2BOARD", "DONE")
    cells = [tuple(map(int, cell.split(","))) for cell in answer.split()]
    assert len(set(cells)) == 3 and all(talk.board.on(cell) for cell in cells)


@pytest.mark.parametrize("lines", [["7,7"], ["7,7", "8,8"], ["7,7", "7,7", "8,8"], ["x", "1,1", "2,2"], ["1,1"] * 4])
def test_swap2_with_other_stones_is_an_error(talk: Talk, lines: list[str]) -> None:
    assert re.match("ERROR SWAP2BOARD", *talk.ask("SWAP2BOARD", *lines, "DONE"))


def test_swap2_judges_with_the_side_to_move_as_white() -> None:
    """After three stones of which black has an open three, white to move: whoever may choose takes black."""
    talk = Talk(Brain("uct(sims=3000)"))
    talk.ask("START 9", "INFO timeout_turn 60000")
    black_ahead = ["4,4", "0,0", "3,4", "0,8", "5,4"]  # three black stones in the middle, white's in corners
    assert talk.ask("SWAP2BOARD", *black_ahead, "DONE") == ["SWAP"]
    assert talk.ask("SWAP2BOARD", "0,0", "4,4", "0,8", "3,4", "8,8", "DONE") != ["SWAP"]


def test_the_engine_wins_what_is_won_with_its_own_agent() -> None:
    talk = Talk(Brain("uct(sims=300)"))
    talk.ask("START 9", "INFO timeout_turn 60000")
    assert talk.ask("BOARD", "1,1,1", "2,1,1", "3,1,1", "5,5,2", "5,6,2", "4,1,1", "0,1,2", "DONE") == ["5,1"]
    assert any("simulations" in line for line in talk.said)


class Waking(Asleep):
    """A brain that is ready a moment after it was woken."""

    def wake(self, board: Board, memory: int) -> None:
        threading.Timer(0.2, lambda: setattr(self, "ready", True)).start()


def test_ok_waits_for_the_agent_if_the_driver_waits_for_ok() -> None:
    brain = Waking()
    assert Talk(brain, asked=lambda: False, start=60.0).ask("START 15") == ["OK"] and brain.ready
    brain = Waking()
    assert Talk(brain, asked=lambda: True, start=60.0).ask("START 15") == ["OK"] and not brain.ready
    assert Talk(asked=lambda: False, start=0.0).ask("START 15") == ["OK"]  # and no longer than it may


def test_ok_does_not_wait_for_an_agent_that_cannot_get_ready() -> None:
    brain = Brain("no-such-agent")
    assert Talk(brain, asked=lambda: False, start=3600.0).ask("START 15") == ["OK"] and not brain.ready


class PlainPython(StandIn):
    """Stands in without a process, while its brain compiles."""

    closed = False

    def wake(self, board: Board, memory: int) -> None:
        self.ready = True

    def think(self, board: Board, until: float, memory: int, stop: Callable[[], bool]) -> Task:
        return Task(board, until, 0, False, stop, choice=Choice((3, 4), 0.5, 12, 0.1, interpreted=True))

    def close(self) -> None:
        self.closed = True


@pytest.mark.usefixtures("judging")
def test_while_the_agent_is_compiled_it_plays_interpreted_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = threading.Event()
    warm_up, hired = Brain._warm_up, list[StandIn]()

    def missing(brain: Brain, board: Board) -> None:
        if not may_compile.get():
            raise NotCompiled("run_to_leaves")
        warm_up(brain, board)

    def compiling(brain: Brain, board: Board) -> None:
        with compilations.one("run_to_leaves", functions=10):
            compilations.function_done()
            hired.append(brain.stand_in)  # type: ignore[arg-type]
            assert compiled.wait(300)

    monkeypatch.setattr(brain_module, "SETTLED", 0.0)
    monkeypatch.setattr(Brain, "_warm_up", missing)
    monkeypatch.setattr(Brain, "_make_kernels", compiling)
    monkeypatch.setattr(brain_module, "StandIn", PlainPython)
    talk = Talk(Brain("judging(value=0.25)"))
    talk.ask("START 15", "INFO timeout_turn 20000")
    until(lambda: hired)
    assert talk.ask("TURN 7,7") == ["3,4"]
    assert "MESSAGE interpreted while it is being compiled: value +0.500, 12 simulations in 0.100 s" in talk.said
    assert "MESSAGE compiling run_to_leaves, 7% done" in talk.said
    compiled.set()
    until(lambda: talk.engine.brain.ready)
    assert talk.ask("TURN 9,9") == ["0,0"]
    until(lambda: hired[0].closed)  # type: ignore[attr-defined]
    assert talk.engine.brain.stand_in is None


@pytest.mark.usefixtures("judging")
def test_where_nothing_was_ever_compiled_who_stands_in_is_ready_before_the_compiler_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(brain_module, "StandIn", PlainPython)
    monkeypatch.setattr(brain_module, "SOON", 3600.0)
    hired, make_agent = list[StandIn | None](), Brain._make_agent

    def making(brain: Brain, task: Task) -> None:
        hired.append(brain.stand_in)
        make_agent(brain, task)

    monkeypatch.setattr(Brain, "_make_agent", making)
    for known in (False, True):
        monkeypatch.setattr(brain_module, "compiled_before", lambda known=known: known)
        brain = Brain("judging(value=0.25)")
        brain.wake(Board(15, 15), 0)
        until(lambda brain=brain: brain.ready)
        until(lambda brain=brain: brain.stand_in is None)
    assert hired[0] and hired[0].ready and hired[1] is None


@pytest.mark.usefixtures("judging")
def test_a_rule_that_comes_right_after_ok_spares_the_compiler_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up, compiled, read = Brain._warm_up, list[bool](), list[bool]()

    def missing(brain: Brain, board: Board) -> None:
        if not may_compile.get():
            raise NotCompiled("run_to_leaves")
        warm_up(brain, board)

    monkeypatch.setattr(Brain, "_warm_up", missing)
    monkeypatch.setattr(Brain, "_make_kernels", lambda brain, board: compiled.append(board.exact))
    monkeypatch.setattr(brain_module, "StandIn", PlainPython)
    monkeypatch.setattr(Judging, "read", lambda agent, game: read.append(game.exact))
    monkeypatch.setattr(brain_module, "SETTLED", 3600.0)
    brain = Brain("judging(value=0.25)")
    brain.wake(Board(15, 15), 0)
    until(lambda: read)  # while a rule may still be named
    brain.wake(Board(15, 15, exact=True), 0)
    monkeypatch.setattr(brain_module, "SETTLED", 0.0)
    until(lambda: brain.ready)
    assert compiled == [True] and read == [False, True]


class Unable(PlainPython):
    """Cannot be made."""

    awake = True  # type: ignore[assignment]

    def wake(self, board: Board, memory: int) -> None: ...


@pytest.mark.usefixtures("judging")
def test_nobody_waits_for_one_who_cannot_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brain_module, "StandIn", Unable)
    monkeypatch.setattr(brain_module, "HEAD_START", 3600.0)
    monkeypatch.setattr(brain_module, "compiled_before", lambda: False)
    brain = Brain("judging(value=0.25)")
    brain.wake(Board(15, 15), 0)
    until(lambda: brain.ready)


@pytest.mark.usefixtures("judging")
@pytest.mark.parametrize(("number", "longest", "waits"), [(1, 3600.0, True), (2, 3600.0, False), (1, 0.02, False)])
def test_on_a_single_core_the_compiler_waits_while_who_stands_in_thinks_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, number: int, longest: float, waits: bool
) -> None:
    monkeypatch.setattr(brain_module, "StandIn", PlainPython)
    monkeypatch.setattr(brain_module, "cores", lambda: number)
    monkeypatch.setattr(brain_module, "GIVING_WAY", longest)
    hired, goes_on = list[StandIn](), threading.Event()

    def missing(brain: Brain, board: Board) -> None:
        if not may_compile.get():
            raise NotCompiled("run_to_leaves")

    def compiling(brain: Brain, board: Board) -> None:
        assert brain.stand_in
        brain.stand_in.thinking = True
        hired.append(brain.stand_in)
        with compilations.one("run_to_leaves"):
            goes_on.set()

    monkeypatch.setattr(brain_module, "SETTLED", 0.0)
    monkeypatch.setattr(Brain, "_warm_up", missing)
    monkeypatch.setattr(Brain, "_make_kernels", compiling)
    brain = Brain("judging(value=0.25)")
    brain.wake(Board(15, 15), 0)
    until(lambda: hired)
    assert goes_on.wait(0.1 if waits else 300) != waits
    hired[0].thinking = False
    assert goes_on.wait(300)
    until(lambda: compilations.watch is None)


def test_a_kernel_in_the_cache_tells_that_something_was_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(brain_module.platformdirs, "user_cache_path", lambda *_, **__: tmp_path)
    assert not brain_module.compiled_before()
    folder = tmp_path / "kernels" / "some-versions"
    folder.mkdir(parents=True)
    (folder / "grow-0123").touch()
    assert not brain_module.compiled_before()
    (folder / "run_to_leaves-0123").touch()
    assert brain_module.compiled_before()
    monkeypatch.setattr(brain_module.platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "empty")
    assert not brain_module.compiled_before()
    monkeypatch.setattr(brain_module, "PACKED", tmp_path / "kernels")  # they came with the package
    assert brain_module.compiled_before()
    compiled = skeleton.run_to_end, skeleton.run_to_leaves, classic.deepen
    assert tuple(kernel.__name__ for kernel in compiled) == brain_module.KERNELS


@pytest.mark.parametrize(
    "spec, tables, cores, made",
    [
        (NET, 0, 2, True),
        (NET, 1, 2, False),
        (NET, 0, 1, False),
        ("random", 0, 2, False),
    ],
)
def test_where_there_is_no_table_of_a_net_yet_a_process_makes_it_meanwhile(
    spec: str, tables: int, cores: int, made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[list[str]]()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(brain_module, "Child", begun.append)
    monkeypatch.setattr(brain_module, "cores", lambda: cores)
    folder = tmp_path / "plyground" / "tables"
    folder.mkdir(parents=True)
    for number in range(tables):
        (folder / str(number)).touch()
    Brain(spec)._make_table(Board(15, 20, True))
    StandIn(spec)._make_table(Board(15, 20, True))
    assert len(begun) == made
    if made:
        words = begun[0]
        words[words.index("-c") + 1] += "; assert 'numba' not in sys.modules"  # which takes longer than the table
        subprocess.run(words, check=True)
        assert len([*folder.iterdir()]) == 1


def test_a_move_waits_most_of_its_time_for_somebody_to_get_ready() -> None:
    brain = Asleep()
    brain.stand_in = PlainPython("random")
    talk = Talk(brain)
    talk.ask("START 15", "INFO timeout_turn 60000")
    threading.Timer(0.2, lambda: setattr(brain.stand_in, "ready", True)).start()
    assert talk.ask("TURN 7,7") == ["3,4"]
    brain.stand_in.ready = False
    talk.ask("INFO timeout_turn 200")
    assert talk.ask("TURN 9,9") != ["3,4"] and "MESSAGE quick move: the agent is not ready yet" in talk.said


class Scripted:
    """An engine that answers by a script."""

    answers: ClassVar[list[str]] = []

    def __init__(self, *_: object) -> None:
        self.heard: list[str] = []
        self.left = iter(Scripted.answers)

    def say(self, line: str) -> None:
        self.heard.append(line)

    def answer(self, seconds: float, stop: Any) -> str | None:
        return next(self.left, None)

    def end(self) -> None:
        pass


def test_the_benchmark_tells_how_every_move_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "Program", Scripted)
    monkeypatch.setattr(bench, "REPLY", 0.0)
    remarks = ["the middle of an empty board", "quick move: the agent is not ready yet"]
    remarks += [
        "interpreted while it is being compiled: value +0.1, 33 simulations in 0.7 s",
        "140 simulations in 0.9 s",
    ]
    said = [line for i, remark in enumerate(remarks) for line in (f"MESSAGE {remark}", f"{i},{2 * i}")]
    monkeypatch.setattr(Scripted, "answers", ["OK", *said])
    monkeypatch.setattr(bench, "MOVES", 4)
    rows = bench.engine(0.0)
    assert [(row["found"], row["simulations"]) for row in rows] == [
        ("the middle", 0),
        ("quick", 0),
        ("interpreted", 33),
        ("compiled", 140),
    ]


class Silent:
    """A process that never answers, and knows how many there were."""

    all: ClassVar[list[Silent]] = []

    def __init__(self, *_: object) -> None:
        self.ended = threading.Event()
        Silent.all.append(self)

    def say(self, line: str) -> None:
        pass

    def answer(self, seconds: float, stop: Any) -> str:
        assert self.ended.wait(300)
        raise Gone("it ended")

    def end(self) -> None:
        self.ended.set()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> list[Silent]:
    Silent.all.clear()
    monkeypatch.setattr(user_agent, "Program", Silent)
    return Silent.all


def test_a_stand_in_that_is_dismissed_starts_nothing_again_and_its_thread_ends(silent: list[Silent]) -> None:
    stand_in = StandIn("random")
    stand_in.wake(Board(15, 15), 0)
    until(lambda: silent)
    waiting = stand_in._ask(Board(15, 15), time.monotonic() + 3600, 0, lambda: False)
    stand_in.close()
    assert waiting.done.wait(300) and waiting.choice is None and stand_in._thread
    stand_in._thread.join(300)
    assert not stand_in._thread.is_alive() and len(silent) == 1 and silent[0].ended.is_set()
    assert stand_in.think(Board(15, 15), time.monotonic() + 3600, 0, lambda: False).choice is None  # at once


@pytest.mark.parametrize(
    ("cores", "spec", "threads"), [(2, NET, None), (4, NET, 2), (4, "gomoku-master(threads=1)", 1), (4, "random", None)]
)
def test_where_a_core_is_left_the_net_of_a_stand_in_takes_it(
    cores: int, spec: str, threads: int | None, silent: list[Silent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brain_module, "cores", lambda: cores)
    stand_in = StandIn(spec)
    stand_in.wake(Board(15, 15), 0)
    until(lambda: silent)
    assert stand_in._agent.named.get("threads") == threads
    stand_in.close()


def test_a_stand_in_that_is_dismissed_before_it_has_begun_starts_nothing(
    silent: list[Silent], monkeypatch: pytest.MonkeyPatch
) -> None:
    making, go_on, interpreted = threading.Event(), threading.Event(), user_agent.Interpreted

    def slowly(*given: Any) -> Any:
        making.set()
        assert go_on.wait(300)
        return interpreted(*given)

    monkeypatch.setattr(user_agent, "Interpreted", slowly)
    stand_in = StandIn("random")
    stand_in.wake(Board(15, 15), 0)
    assert making.wait(300)
    stand_in.close()
    go_on.set()
    assert stand_in._thread
    stand_in._thread.join(300)
    assert not stand_in._thread.is_alive() and not silent


class Choosing(Asleep):
    """A brain that chooses this cell, if any, while something happens."""

    def __init__(self, cell: tuple[int, int] | None, meanwhile: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.cell, self.meanwhile, self.ready = cell, meanwhile, True

    def think(self, board: Board, until: float, memory: int, stop: Callable[[], bool]) -> Task:
        self.meanwhile()
        return Task(board, until, 0, False, stop, choice=Choice(self.cell) if self.cell else None)


@pytest.mark.parametrize(("cell", "move"), [((5, 5), "5,5"), (None, "4,4")])
def test_who_stands_in_ends_its_move_and_where_it_cannot_the_agent_has_the_time(
    cell: tuple[int, int] | None, move: str
) -> None:
    brain = Choosing((4, 4))

    def compiled() -> None:
        brain.ready, brain.stand_in = True, None

    brain.ready, brain.stand_in = False, Choosing(cell, compiled)  # type: ignore[assignment]
    assert Talk(brain).ask("START 9", "INFO timeout_turn 60000", "TURN 1,1") == ["OK", move]


def test_a_stand_in_that_is_not_needed_any_more_answers_what_it_was_asked_first() -> None:
    stand_in, thinking, go_on = StandIn("random"), threading.Event(), threading.Event()

    def do(task: Task) -> None:
        thinking.set()
        assert go_on.wait(300)
        task.choice = Choice((3, 3))

    stand_in._do = do  # type: ignore[method-assign]
    stand_in.ready = True
    asked = stand_in._ask(Board(15, 15), time.monotonic() + 3600, 0, lambda: False)
    assert thinking.wait(300)
    ending = threading.Thread(target=stand_in.finish)
    ending.start()
    until(lambda: stand_in._closed)
    later = stand_in._ask(Board(15, 15), time.monotonic() + 3600, 0, lambda: False)
    assert later.done.is_set() and later.choice is None and not asked.done.is_set()
    go_on.set()
    assert asked.done.wait(300) and asked.choice == Choice((3, 3))
    ending.join(300)
    assert not ending.is_alive() and stand_in._thread and not stand_in._thread.is_alive()


def until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_memory_goes_to_an_agent_that_asks_for_it() -> None:
    assert engine_agent("uct(keep=True)", 77).memory == 77
    assert engine_agent("uct(memory=5)", 77).memory == 5
    assert engine_agent("random", 77).memory == 0


def test_the_engines_agent_is_known() -> None:
    assert isinstance(engine_agent(AGENT, 64), Agent)


@pytest.mark.usefixtures("judging")
def test_a_rule_that_comes_after_the_size_is_got_ready_for_before_it_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """As drivers tell it: START, then INFO rule.  Exactly five has kernels of its own."""
    warm_up, boards, told = Brain._warm_up, list[tuple[int, bool, bool]](), threading.Event()

    def slow(brain: Brain, board: Board) -> None:
        told.wait(300)
        warm_up(brain, board)
        boards.append((board.cols, board.exact, brain.ready))

    monkeypatch.setattr(Brain, "_warm_up", slow)
    monkeypatch.setattr(Brain, "_hire", lambda brain, task: None)
    brain = Brain("judging(value=0.25)")
    talk = Talk(brain, asked=lambda: True, start=0.0)
    assert talk.ask("START 15") == ["OK"]
    time.sleep(0.1)  # it has begun, in most runs
    talk.ask("INFO rule 1", "INFO rule 1")
    told.set()
    talk.engine.wait(time.monotonic() + 300, lambda: brain.ready)
    assert brain.ready and boards[-1] == (15, True, True)
    assert all(not ready for _, exact, ready in boards if not exact)  # it has been overtaken
