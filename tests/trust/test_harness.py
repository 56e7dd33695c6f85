"""What the campaign is made of: it finds what is wrong, makes it small, keeps it, and can kill."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import answer, refusal, run
from plyground import games, trust
from plyground.bench import load
from plyground.games.k_in_row.gomocup import trial
from plyground.spec import InputError
from plyground.trust import Result, boards, commands, files, kills, messages, oracles, pages
from plyground.trust import terminal as forks
from plyground.trust.base import LAST, Campaign, Failure, explore
from plyground.trust.terminal import Ran, Terminal
from plyground.trust.texts import harmless, texts
from plyground.web.requests import TYPES


def campaign(folder: Path, inputs: int = 700, seconds: float = 60.0) -> Campaign:
    return Campaign("door", 1, inputs, seconds, folder)


def large(number: int) -> str:
    return f"{number} is large" if number > 1000 else ""


def test_a_failure_is_told_once_and_small_and_others_are_looked_for(tmp_path: Path) -> None:
    found = campaign(tmp_path)
    explore(found, "numbers", st.integers(), lambda n: large(n) or (f"{n} is negative" if n < 0 else ""), str)
    assert {(failure.shown, failure.what) for failure in found.failures} == {
        ("1001", "1001 is large"),
        ("-1", "-1 is negative"),
    }
    assert found.counts["numbers"] >= 700 and not found.going()


def test_what_failed_comes_first_the_next_time_that_there_is_time_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explore(campaign(tmp_path), "numbers", st.integers(), large, str)
    tried: list[int] = []

    def see(number: int) -> str:
        tried.append(number)
        return ""

    ending, going = campaign(tmp_path), iter([True])
    monkeypatch.setattr(ending, "going", lambda: next(going, False))  # when the round has begun, time is up
    explore(ending, "numbers", st.integers(), see)
    assert not tried
    explore(campaign(tmp_path, inputs=5), "numbers", st.integers(), see)
    assert tried[0] == 1001


def test_a_campaign_is_bounded_in_time_and_shares_it_out(tmp_path: Path) -> None:
    whole = campaign(tmp_path, inputs=100, seconds=0.0)
    explore(whole, "numbers", st.integers(), large)
    assert not whole.going() and not whole.counts
    whole = campaign(tmp_path, inputs=100)
    part = whole.share(0.25)
    part.count("numbers", 25)
    assert not part.going() and whole.going() and whole.left == 75


@pytest.mark.parametrize(
    "ran, says",
    [
        (Ran(0, "{}", ""), ""),
        (Ran(0, "", ""), "is not JSON"),
        (Ran(2, "", "plyground: no\n"), ""),
        (Ran(130, "", "plyground: interrupted\n"), ""),
        (Ran(1, "", "Traceback (most recent call last):\n...\nKeyError: 3\n"), "traceback: KeyError: 3"),
        (Ran(1, "", ""), "exit code 1"),
        (Ran(-11, "", ""), "exit code -11"),
        (Ran(2, "", "what?\n"), "not in a line of its own"),
        (Ran(0, "", "x.py:3: RuntimeWarning: overflow\n"), "a warning"),
        (Ran(0, "{'a': NaN}", ""), "is not JSON"),
        (Ran(0, "", "", problem="hung"), "hung"),
        (Ran(130, "", "plyground: interrupted\n", interrupted=True), "does not end by itself"),
    ],
)
def test_a_command_is_judged_by_what_a_terminal_sees(ran: Ran, says: str) -> None:
    found = commands.wrong_with(["think", "tictactoe", "uct", "--json"], ran)
    assert says in found and bool(found) == bool(says)


def test_a_command_may_take_as_long_as_it_is_told_and_a_person_may_leave_a_game() -> None:
    interrupted = Ran(130, "", "plyground: interrupted\n", interrupted=True)
    assert commands.wrong_with(["match", "tictactoe", "random", "random", "--games", "1000000"], interrupted) == ""
    assert commands.wrong_with(["play", "tictactoe", "--json"], Ran(0, "", "")) == ""


def test_what_is_slow_interpreted_has_to_end_by_itself_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = Ran(130, "", "plyground: interrupted\n", interrupted=True)
    drawn = (["think", "mnk(4,3,3)", "best-response"], "")
    monkeypatch.setattr(commands, "in_process", lambda drawn: f"compiled: {drawn[0][0]}")
    assert commands.judged(drawn, interrupted) == "compiled: think"
    assert commands.judged((["match", "tictactoe", "random", "random"], ""), interrupted) == ""
    assert "hung" in commands.judged(drawn, Ran(-9, "", "", problem="hung", interrupted=True))
    assert "exit code 1" in commands.judged(drawn, Ran(1, "", ""))


def test_a_file_that_is_missing_is_a_difference(tmp_path: Path) -> None:
    work, ran = kills.Work([], [], ("games.jsonl",)), Ran(0, "{}", "")
    (tmp_path / kills.OUT).mkdir()
    without = kills.result(tmp_path, work, ran)
    (tmp_path / kills.OUT / "games.jsonl").write_text('{"a": 1, "seconds": 2}\n{"a": 1, "seconds": 3}\n')
    whole = kills.result(tmp_path, work, ran)
    assert whole["games.jsonl"] == ['{"a": 1}']
    assert "games.jsonl is None" in kills.apart(whole, without) and kills.apart(whole, whole) == ""


@pytest.mark.parametrize(
    "status, body, says",
    [
        (200, b"{}", ""),
        (422, b'{"error": "no"}', ""),
        (500, b"Internal Server Error", "status 500"),
        (422, b'{"error": "that failed: KeyError: 3"}', "own mistake"),
        (404, b"<html>", "not told in JSON"),
        (200, b'{"a": NaN}', "no JSON"),
    ],
)
def test_a_request_is_judged_by_its_answer(status: int, body: bytes, says: str) -> None:
    found = pages.wrong_with(status, {"content-type": "application/json"}, body)
    assert says in found and bool(found) == bool(says)


PONG = json.dumps({"type": "error", "id": pages.PING_ID, "error": "no"})
THOUGHT = json.dumps({"type": "thought", "id": 1})


@pytest.mark.parametrize(
    "answers, closed, says",
    [
        ([THOUGHT, PONG], None, ""),
        ([THOUGHT, PONG], 1000, ""),
        ([], 1009, ""),
        ([], 1011, "closed with 1011"),
        ([], None, "it ended after 0 answers"),
        ([THOUGHT], 1000, "it ended after 1 answers"),
        ([PONG], 1000, "it ended after 1 answers"),
    ],
)
def test_a_socket_is_judged_by_whether_it_answers_all(answers: list[str], closed: int | None, says: str) -> None:
    found = pages.wrong_with_talk(['{"type": "think", "id": 1}'], answers, closed)
    assert says in found and bool(found) == bool(says)


def test_an_engine_that_says_nothing_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")
    assert trial.in_process((["BEGIN"], "")) == "its answer to START 9 is []"


def test_every_kind_of_message_that_the_socket_takes_is_drawn() -> None:
    drawn: set[str] = set()

    @settings(max_examples=200, deadline=None, derandomize=True, database=None)
    @given(messages.conversations({}))
    def see(conversation: list[bytes | str]) -> None:
        drawn.update(kind for kind in TYPES for message in conversation if f'"type": "{kind}"' in str(message))

    see()
    assert drawn == set(TYPES)


def test_small_games_of_openspiel_are_drawn_at_all_doors() -> None:
    pytest.importorskip("pyspiel")
    small = [board for board in boards.small() if board.startswith("openspiel")]
    assert small and all(games.make(board).actions() < 10 for board in small)


@settings(max_examples=200, deadline=None)
@given(texts())
def test_no_word_names_a_file_elsewhere(text: str) -> None:
    word = harmless(text)
    assert ".." not in word and "\0" not in word
    assert not word.startswith("/") or word in ("/dev/null", "/dev/full", "/proc/none")


@pytest.fixture(scope="module")
def terminal() -> Any:
    with Terminal(interpreted=True) as made:
        yield made


def test_a_forked_command_is_like_one_in_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    words = ["think", "tictactoe", "uct(sims=20, seed=1)", "--json"]
    ran = terminal.run(words, folder=tmp_path)
    here = answer(*words[:-1])
    assert kills.timeless(json.loads(ran.out)) == kills.timeless(here) and ran.code == 0
    ran = terminal.run(["think", "tictacto", "uct"], folder=tmp_path)
    assert (ran.code, ran.out) == (2, "") and "did you mean tictactoe?" in ran.err
    assert terminal.run(["think", "tictactoe", "uct(seconds=500, solve=False)"], limit=0.5).interrupted


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="/proc tells who was started by whom")
def test_what_a_command_leaves_behind_in_a_session_of_its_own_is_seen(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = "subprocess.Popen(['sh', '-c', 'sleep 1; touch ended'], start_new_session=True)"
    (tmp_path / "own.py").write_text(f"import subprocess\n{started}\n{commands.OWN}")
    assert terminal.run(["check", "own.py", "--games", "1"], folder=tmp_path).problem == ""
    assert (tmp_path / "ended").exists()  # it was waited for
    monkeypatch.setattr(forks, "PATIENCE", 0.2)
    leaves = ["sh", "-c", f"export {forks.MARK}=$$; setsid sleep 600 &"]
    ours, theirs = socket.socketpair()
    with ours, theirs, subprocess.Popen(leaves, process_group=0) as process:
        ran = forks.wait_for(process.pid, {"after": None, "limit": 60.0}, ours)
        assert ran["problem"] == forks.LEFT
    end = time.monotonic() + 300
    while forks.started_by(process.pid):
        assert time.monotonic() < end


def test_interpreted_commands_tell_what_compiled_ones_do(terminal: Terminal, tmp_path: Path) -> None:
    ran = terminal.run(["solve", "mnk(2,2,2)", "--json"], folder=tmp_path)
    assert json.loads(ran.out)["moves"][0]["shortest"] is True
    ran = terminal.run(["check", "mnk(2,2,2)", "--games", "2", "--json"], folder=tmp_path)
    laws = {one["law"] for one in json.loads(ran.out)["laws"]}
    assert ran.code == 0 and "compiled and interpreted rules agree" not in laws and len(laws) > 10


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches of eight games."""
    usual = kills.WORKS["match"]
    words = [*usual.words[:5], "8", *usual.words[6:]]
    match = kills.Work(words, usual.again, usual.files, touches=8)
    monkeypatch.setitem(kills.WORKS, "match", match)
    reading = files.Reading(files.half("match", 7), files.again("match"), 1.0, match)
    monkeypatch.setitem(files.READINGS, "match folders", reading)


@pytest.mark.usefixtures("short")
def test_work_is_killed_at_a_moment_and_before_a_file_and_goes_on_to_the_same_end(
    terminal: Terminal, tmp_path: Path
) -> None:
    trying = campaign(tmp_path)
    killer = kills.Killer(trying, "match", terminal)
    killer.usual()
    ran = killer.run(tmp_path, again=False, kill_at=7)
    assert ran.code == -signal.SIGKILL and 0 < len((tmp_path / "out" / "pairs.jsonl").read_bytes().splitlines()) < 4
    assert killer.once(0, [{"kill_at": 3}, {"kill_at": 7}]) == 2 and not trying.failures
    (tmp_path / "link").symlink_to(tmp_path / "there", target_is_directory=True)
    (tmp_path / "there").mkdir()
    assert killer.run(tmp_path / "link", again=False, kill_at=7).code == -signal.SIGKILL
    assert all(set(moment) <= {"kill_after", "kill_at"} for moment in killer.moments(1, 2.0))
    killer.right["printed"]["games"] = 9
    killer.once(1, [{"kill_after": 0.0}])
    assert trying.failures[0].what == "printed games is 8, not 9"


@pytest.mark.parametrize(
    "ends, moments, says",
    [
        (Ran(-signal.SIGKILL, "", "", problem="hung"), [{"kill_at": 3}], "hung"),
        (Ran(-signal.SIGKILL, "", ""), [], "exit code -9"),  # memory was short, for example
    ],
)
def test_work_that_others_have_killed_is_a_failure_and_none_of_our_kills(
    ends: Ran, moments: list[dict[str, Any]], says: str, tmp_path: Path
) -> None:
    class Ends:
        turns = 0

        def run(self, *_: Any, **how: Any) -> Ran:
            self.turns += 1
            assert self.turns < 9, "it goes on for ever"
            return ends

    trying = campaign(tmp_path)
    assert kills.Killer(trying, "match", Ends()).once(0, moments) == 0  # type: ignore[arg-type]
    assert says in trying.failures[0].what


@pytest.mark.usefixtures("short")
def test_damaged_files_are_refused_or_make_no_difference(terminal: Terminal, tmp_path: Path) -> None:
    one = files.Damaged("match folders", terminal, tmp_path)
    for how, which in ("flip", 0.0), ("flip", 1.0), ("truncate", 0.0), ("delete", 1.0), ("swap", 0.0), ("double", 0.0):
        assert one.tried((how, which, 0.4, 3)) == ""
    one.right["printed"]["games"] = 9
    assert "silently different: printed games is 8, not 9" in one.tried(("double", 0.0, 0.0, 0))


def test_a_line_that_is_always_told_tells_nothing_of_damage(tmp_path: Path) -> None:
    usual = files.said(Ran(0, "", f"plyground: 12 figures of {tmp_path}/a are kept\nchatter\n"), tmp_path)
    again = files.said(Ran(0, "", "plyground: 3 figures of /elsewhere/a are kept\n"), Path("/elsewhere"))
    assert again == usual and len(usual) == 1
    damaged = files.said(Ran(0, "", f"plyground: {tmp_path}/b is damaged\n"), tmp_path)
    assert not damaged <= usual


@pytest.mark.parametrize("how", ["flip", "truncate", "empty", "delete", "double", "insert", "swap"])
def test_damage_changes_something(how: str, tmp_path: Path) -> None:
    def content() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    (tmp_path / "one").write_bytes(b"a file")
    (tmp_path / "other").write_bytes(b"another")
    before = content()
    files.damage(tmp_path, (how, 0.0, 0.3, 7))
    assert content() != before


class Theirs:
    """Rules of a game of two moves."""

    moves = 0

    def current_player(self) -> int:
        return self.moves % 2 if self.moves < 2 else oracles.OVER

    def player_return(self, player: int) -> float:
        return 0.0 if self.moves < 2 else 1.0 if player == 0 else -1.0

    def legal_actions(self) -> list[int]:
        return [0, 1]

    def apply_action(self, action: int) -> None:
        self.moves += 1


def test_a_game_is_compared_line_by_line() -> None:
    both = [0, 1]
    right: list[oracles.Line] = [([0, 0, 2, 1], 0.0, both), ([1, 0, 4, 0], 0.0, [1, 0]), ([0, 1, 4, 0], 1.0, [])]
    assert oracles.difference(right, Theirs()) == ""
    for ply, wrong, says in [
        (0, ([0, 0, 2, 1], 0.0, [0]), "legal is [0], not [0, 1], after []"),
        (1, ([0, 0, 4, 0], 0.0, both), "the player is 0, not 1, after [1]"),
        (1, ([1, 1, 4, 0], 0.0, both), "over is True, not False"),
        (2, ([0, 1, 4, 0], -1.0, []), "the score is -1.0, not 1.0"),
    ]:
        assert says in oracles.difference([*right[:ply], wrong, *right[ply + 1 :]], Theirs())


def test_games_written_down_by_the_kernel_are_those_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    ours = "tictactoe"
    found = list(oracles.written(games.make(ours), 1))
    assert len(found) > 300 and len({str(one) for one in found}) > 250
    theirs = pyspiel.load_game(oracles.pairs()[ours])
    assert [what for one in found if (what := oracles.difference(one, theirs.new_initial_state()))] == []


# --- the command ----------------------------------------------------------------------------------------------


def pretended(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    def one_door(result: Result, seconds: float, seed: int, inputs: int, folder: Path, running: Any = None) -> None:
        result.counts["things"] = inputs
        result.failures += [Failure(result.door, "things", seed, "an input", "it broke")] * fails

    monkeypatch.setattr(trust, "one_door", one_door)


def test_the_command_tells_counts_and_failures_and_fails_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["trust", "--only", "cli,kills", "--inputs", "500", "--seed", "7", "--out", str(tmp_path / "out")]
    pretended(monkeypatch, fails=False)
    told = answer(*words)
    assert told["doors"] == [
        {"door": "cli", "what": "things", "inputs": 500, "failures": 0, "seconds": 0.0},
        {"door": "kills", "what": "things", "inputs": 5, "failures": 0, "seconds": 0.0},
    ]
    pretended(monkeypatch, fails=True)
    ran = run(*words)
    assert ran.returncode == 1 and "cli, things, seed 7: it broke\n    an input" in ran.stdout
    assert f"plyground trust --only cli,kills --seed 7 --out {tmp_path / 'out'}" in ran.stdout
    assert len((tmp_path / "out" / trust.FAILURES).read_text().splitlines()) == 2


def test_a_door_that_dies_is_a_failure_with_its_last_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    found = Result("cli")
    trust.one_door(found, 1.0, 3, 1, tmp_path)
    assert "the door itself ended with code 1" in found.failures[0].what and found.failures[0].seed == 3


def test_what_something_else_prints_at_a_door_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    door = tmp_path / "door"
    told = json.dumps({"counts": {"things": 7}})
    door.write_text(f"#!/bin/sh\necho hello\necho 3\nprintf '\\377\\n'\necho '{told}'\n")
    door.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(door))
    found = Result("cli")
    trust.one_door(found, 1.0, 3, 1, tmp_path / "out")
    assert [failure.shown for failure in found.failures] == ["hello", "3", "\ufffd"] and found.counts == {"things": 7}


def test_only_a_missing_package_keeps_a_door_from_being_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def does_not_start(seconds: float) -> None:
        raise InputError("the server of the page did not start")

    monkeypatch.setattr(load, "run", does_not_start)
    with pytest.raises(InputError, match="did not start"):
        trust.main("load", "1", "0", "1", str(tmp_path))
    capsys.readouterr()
    monkeypatch.setattr(trust, "find_spec", lambda name: None if name == "websockets" else name)
    trust.main("load", "1", "0", "1", str(tmp_path))
    found = Result("load")
    trust.take(found, capsys.readouterr().out, 0)
    assert found.rows()[0]["what"] == "not tried, without websockets: pip install 'plyground[trust]'"


def test_what_is_not_there_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no door 'windows'" in refusal(run("trust", "--only", "windows"))
    monkeypatch.setattr(trust, "find_spec", lambda name: None)
    assert "pip install 'plyground[trust]'" in refusal(run("trust", "--out", str(tmp_path)))


def started_with(mark: str) -> dict[str, str]:
    """The processes that have this among their environment, each with its folder for temporary files."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            told = path.read_text(errors="replace").split("\0")
            if mark in told:
                found[path.parent.name] = next((one for one in told if one.startswith("TMPDIR=")), "")
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="/proc tells who was started by whom")
def test_an_interrupted_campaign_tells_what_it_has_tried_and_leaves_nothing_behind(tmp_path: Path) -> None:
    name, value = "CAMPAIGN", str(tmp_path)
    words = [sys.executable, "-m", "plyground", "trust", "--only", "gomocup,cli", "--out", str(tmp_path / "out")]
    with subprocess.Popen(words, env=os.environ | {name: value}, stdout=-1, stderr=-1, text=True) as process:
        while not (tmp_path / "out" / "gomocup" / LAST).exists():  # a door is being tried
            assert process.poll() is None
            time.sleep(0.05)
        rooms = {Path(room[7:]) for room in started_with(f"{name}={value}").values() if "plyground-trust-" in room}
        process.send_signal(signal.SIGINT)
        told, said = process.communicate()
    assert process.returncode == 130 and "interrupted" in said
    assert "gomocup" in told and "cli" in told and "failures" in told
    assert rooms and not [room for room in rooms if room.exists()]
    end = time.monotonic() + 300  # what the doors have started hears of their end, and ends
    while started_with(f"{name}={value}"):
        assert time.monotonic() < end
        time.sleep(0.05)
