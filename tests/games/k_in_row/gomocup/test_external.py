"""Programs by others as agents: what they are told, and what happens when they crash, hang, cheat or shout."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from commands import answer, refusal, run
from plyground import agents, games, rules
from plyground.agents.base import Forfeit, Limit
from plyground.arena.match import Plan, play_match
from plyground.spec import InputError

FAKE = f"{sys.executable} {Path(__file__).parent / 'fake_engine.py'}"


def fake(*ways: str, **options: float) -> str:
    more = "".join(f", {name}={value!r}" for name, value in ({"grace": 60.0} | options).items())
    return f"external({' '.join([FAKE, *ways])!r}{more})"


def processes(marker: str) -> list[int]:
    """Those whose command line has this in it, but for our own."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if marker.encode() in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def none_is_left(marker: str) -> bool:
    end = time.monotonic() + 300
    while processes(marker):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "heard.txt"


def heard(log: Path) -> list[str]:
    """What the program was told, but for the INFO."""
    return [line for line in log.read_text().splitlines() if not line.startswith("INFO")]


def test_a_game_goes_on_by_begin_and_turn(log: Path) -> None:
    game, agent = games.make("gomoku(7)"), agents.make(fake(f"log={log}"))
    state = rules.new(game)
    for reply in ("b7", "c6"):
        game.play(state, agent.think(game, state).action)
        game.play(state, {game.name(a): a for a in range(49)}[reply])
    agent.think(game, state)
    agent.close()
    assert heard(log) == ["START 7", "BEGIN", "TURN 1,0", "TURN 2,1", "END"]


def test_a_second_player_gets_the_first_move_by_turn(log: Path) -> None:
    game, agent = games.make("gomoku(7)"), agents.make(fake(f"log={log}"))
    state = rules.after(game, rules.new(game), 0)
    assert agent.think(game, state).action == 1
    agent.close()
    assert heard(log) == ["START 7", "TURN 0,0", "END"]


@pytest.mark.parametrize("moves, told", [("a1 b2", "0,6,1 1,5,2"), ("a1 b2 c3", "0,6,2 1,5,1 2,4,2")])
def test_an_opening_is_told_by_board_stones_by_turns(log: Path, moves: str, told: str) -> None:
    from plyground.position import read

    game, agent = games.make("gomoku(7)"), agents.make(fake(f"log={log}"))
    agent.think(game, read(game, moves))
    agent.close()
    assert sorted(heard(log)[2:-2]) == sorted(told.split())
    whose = [line[-1] for line in heard(log)[2:-2]]
    assert whose == [word[-1] for word in told.split()]
    assert heard(log)[1] == "BOARD" and heard(log)[-2] == "DONE"


def test_a_new_game_and_another_position_begin_by_restart(log: Path) -> None:
    game, agent = games.make("gomoku(7)"), agents.make(fake(f"log={log}"))
    agent.think(game, rules.new(game))
    agent.begin(1)
    agent.think(game, rules.new(game))
    agent.think(game, rules.after(game, rules.new(game), 30))  # not what follows its move
    agent.close()
    assert heard(log) == ["START 7", "BEGIN", "RESTART", "BEGIN", "RESTART", "TURN 2,4", "END"]


def test_a_program_that_cannot_restart_and_another_board_are_started_anew(log: Path) -> None:
    agent = agents.make(fake("no-restart", f"log={log}"))
    for spec in ("gomoku(7)", "gomoku(7)", "mnk(9,6,5)"):
        agent.begin(0)
        game = games.make(spec)
        agent.think(game, rules.new(game))
    agent.close()
    starts = [line for line in heard(log) if "START" in line]
    assert starts == ["START 7", "RESTART", "START 7", "RECTSTART 9,6"]


def test_limits_and_rule_are_told_before_the_move(log: Path) -> None:
    game = games.make('gomoku(7, rule="exactly-five")')
    agent = agents.make(fake(f"log={log}", seconds=0.5, memory=100))
    agent.think(game, rules.new(game), Limit(seconds=0.25))
    agent.close()
    lines = log.read_text().splitlines()
    infos = dict(line.split()[1:] for line in lines if line.startswith("INFO"))
    assert infos["timeout_turn"] == "250" and infos["rule"] == "1" and infos["max_memory"] == str(100 << 20)
    assert infos["time_left"] == "2147483647" and "folder" in infos and not Path(infos["folder"]).exists()
    assert lines.index("BEGIN") > max(i for i, line in enumerate(lines) if line.startswith("INFO"))


@pytest.mark.parametrize("ways", [["chat"], ["flood"], ["suggest"], ["late"]], ids=lambda ways: ways[0])
def test_remarks_floods_suggestions_and_delays_within_grace_do_no_harm(ways: list[str]) -> None:
    game, agent = games.make("gomoku(5)"), agents.make(fake(*ways, seconds=0.1))
    state = rules.new(game)
    assert agent.think(game, state).action == 0
    game.play(state, 0)
    game.play(state, 1)
    assert agent.think(game, state).action == 2
    agent.close()


@pytest.mark.parametrize(
    "ways, options, why",
    [
        (["crash"], {}, "exit code 1: I have crashed"),
        (["hang"], {"seconds": 0.1, "grace": 0.2}, "did not answer within 0.1 s and 0.2 s of grace"),
        (["babble"], {"seconds": 0.1, "grace": 0.2}, "did not answer within 0.1 s and 0.2 s of grace"),
        (["dither"], {"seconds": 0.1, "grace": 0.2}, "did not answer within 0.1 s and 0.2 s of grace"),
        (["illegal"], {}, "0,0, where a stone lies already"),
        (["outside"], {}, "5,0, which is not on the board"),
        (["small"], {}, "'ERROR too large' to START 5"),
        (["late"], {"seconds": 0.1, "grace": 0.0}, "did not answer within"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_goes_wrong_is_a_forfeit_with_its_reason(ways: list[str], options: dict, why: str) -> None:
    game, agent = games.make("gomoku(5)"), agents.make(fake(*ways, "this-one", **options))
    state = rules.new(game)
    with pytest.raises(Forfeit, match=why):
        for cell in (24, 23):
            game.play(state, agent.think(game, state).action)
            game.play(state, cell)
    assert none_is_left("this-one")


def test_a_program_that_floods_can_be_stopped() -> None:
    game, agent = games.make("gomoku(5)"), agents.make(fake("babble", "babbling-one"))
    state = rules.new(game)
    game.play(state, agent.think(game, state).action)
    game.play(state, 24)
    begun = time.monotonic()
    with pytest.raises(Forfeit, match="it was stopped before it had chosen"):
        agent.think(game, state, Limit(stop=lambda: time.monotonic() > begun + 0.3))
    assert none_is_left("babbling-one")


def test_a_program_that_does_not_answer_to_start_can_be_stopped() -> None:
    game, agent = games.make("gomoku(5)"), agents.make(fake("deaf", "deaf-one"))
    begun = time.monotonic()
    with pytest.raises(Forfeit, match="did not answer to START"):
        agent.think(game, rules.new(game), Limit(stop=lambda: time.monotonic() > begun + 0.3))
    assert none_is_left("deaf-one")


def test_forfeits_are_losses_in_either_seat_and_counted() -> None:
    result = play_match(Plan("gomoku(5)", (fake("crash"), "random"), 4))
    assert [record.result for record in result.records] == [-1] * 4
    assert [record.score for record in result.records] == [-1, 1, -1, 1]
    assert len(result.forfeits(0)) == 4 and result.forfeits(1) == []
    assert all("I have crashed" in record.reason for record in result.records)
    assert [len(record.actions) for record in result.records] == [2, 3, 2, 3]
    other = play_match(Plan("gomoku(5)", ("random", fake("outside")), 2))
    assert other.tally().wins == 2 and len(other.forfeits(1)) == 2 and other.forfeits(0) == []


def test_the_commands_say_why_an_agent_forfeits() -> None:
    told = answer("match", "gomoku(5)", fake("outside"), "random", "--games", "2", "--moves")
    assert told["forfeits"] == [2, 0] and "not on the board" in told["records"][0]["reason"]
    text = run("match", "gomoku(5)", fake("outside"), "random", "--games", "2", "--moves").stdout
    assert "forfeited 2 of them; the last: it answered 5,0" in text
    assert "forfeits: it answered 5,0" in refusal(run("think", "gomoku(5)", fake("outside")))
    played = answer("play", "gomoku(5)", "--you", fake("outside"), "--agent", "random")
    assert played["score"] == -1 and "not on the board" in played["reason"]
    assert "five in a row" in refusal(run("think", "pig", fake()))


@pytest.mark.parametrize("command", ["", "no-such-program", "/nowhere/engine x", "'unclosed", "cat\0"])
def test_a_program_that_is_not_there_is_refused(command: str) -> None:
    with pytest.raises(InputError):
        agents.make(f"external({command!r})")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked up in /proc")
def test_a_hybrid_closes_the_programs_it_plays_with() -> None:
    hybrid = agents.make(f"hybrid({fake('closed')!r}, {fake('closed')!r}, from_cells=24)")
    game = games.make("gomoku(5)")
    state = rules.new(game)
    for action in range(2):
        hybrid.think(game, state)
        state = rules.after(game, state, action)
    assert processes("fake_engine.py\0closed")
    hybrid.close()
    assert none_is_left("fake_engine.py\0closed")


# --- no process is left behind ------------------------------------------------------------------------------


def match_alone(*ways: str, jobs: int, games: str) -> subprocess.Popen:
    code = (
        "import sys\nfrom plyground.arena.match import Plan, play_match\n"
        "if __name__ == '__main__':\n    play_match(Plan('gomoku(5)', (sys.argv[1], 'random'), int(sys.argv[2])), "
        "int(sys.argv[3]))\n"
    )
    words = [sys.executable, "-c", code, fake(*ways, seconds=60), games, str(jobs)]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(marker: str, count: int = 1) -> None:
    end = time.monotonic() + 300
    while len(processes(f"fake_engine.py\0{marker}")) < count:
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    "how, jobs", [(signal.SIGKILL, 1), (signal.SIGKILL, 2), (signal.SIGTERM, 1), (signal.SIGINT, 2)], ids=str
)
def test_no_program_outlives_a_player_that_is_killed(how: signal.Signals, jobs: int) -> None:
    marker = f"orphan-{how.name}-{jobs}"
    player = match_alone(marker, "hang", jobs=jobs, games="4")
    wait_for(marker, jobs + (jobs > 1))
    folders = set(Path(tempfile.gettempdir()).glob("plyground-*"))
    player.send_signal(how)
    player.wait(120)
    assert none_is_left(marker)
    assert len(folders - set(Path(tempfile.gettempdir()).glob("plyground-*"))) >= jobs


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked up in /proc")
def test_no_program_is_left_after_a_match_in_processes() -> None:
    player = match_alone("program-of-workers", jobs=2, games="8")  # "workers" is said of others, such as Ray's
    assert player.wait(120) == 0
    assert none_is_left("program-of-workers")
