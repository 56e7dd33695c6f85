"""The command line: its contract in JSON, and what people read."""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

import plyground
from commands import PLYGROUND, Ran, answer, refusal, run, run_alone
from plyground import games, position, rules

COMMANDS = ["games", "agents", "play", "match", "tournament", "think", "solve", "check", "bench", "reproduce"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command: str) -> None:
    ran = run(command, "--help")
    assert ran.returncode == 0 and "Examples:" in ran.stdout and f"plyground {command}" in ran.stdout
    assert "--json" in ran.stdout


def test_without_a_command_the_commands_are_listed() -> None:
    for ran in (run_alone(), run()):
        assert ran.returncode == 0 and all(command in ran.stdout for command in COMMANDS)


def test_the_version_is_told() -> None:
    assert run("--version") == Ran(0, f"plyground {plyground.__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("plyground tourn", ["tournament"]),
        ("plyground match tic", ["tictactoe"]),
        ("plyground think tictactoe win-b", ["win-block", "win-block-middle"]),
        ("plyground tournament tictactoe random win-block-", ["win-block-middle"]),
        ("plyground play tictactoe --agent rav", ["rave"]),
        ("plyground match ./mine", []),  # the shell offers files
    ],
)
def test_a_shell_completes_commands_games_and_agents(words: str, offered: list[str]) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1), "_PLYGROUND_COMPLETE": "complete_bash"}
    with patch.dict(os.environ, asked):
        ran = run()
    assert ran.returncode == 0 and ran.stdout.split() == offered


def test_completion_can_be_installed() -> None:
    assert "--install-completion" in run("--help").stdout
    shell_is_told = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "_PLYGROUND_COMPLETE=complete_bash" in run_alone("--show-completion", "bash", **shell_is_told).stdout


def test_the_installed_command_answers_and_refuses_like_the_function() -> None:
    words = ["think", "tictactoe", "win-block", "--position", "XX./OO./... X", "--json"]
    answers = [json.loads(ran.stdout) | {"seconds": 0} for ran in (run_alone(*words), run(*words))]
    assert answers[0] == answers[1]
    words[2] = "win-blok"
    assert refusal(run_alone(*words)) == refusal(run(*words))


def test_games_and_agents_are_listed_with_their_parameters() -> None:
    listed = {game["name"]: game for game in answer("games")["games"]}
    assert list(listed) == list(games.registry()) and ("openspiel" in listed) == bool(find_spec("pyspiel"))
    assert {"tictactoe", "mnk", "gomoku", "connect-four", "line-taking", "against-random", "tetris"} < set(listed)
    assert listed["gomoku"]["parameters"][1]["choices"] == ["freestyle", "exactly-five"]
    agents = {agent["name"]: agent for agent in answer("agents")["agents"]}
    assert {"random", "win-block", "win-block-middle", "uct", "rave", "human"} < set(agents)
    assert {"minimax", "alphabeta", "hybrid", "line-taking-master"} < set(agents)
    options = {p["name"]: p for p in agents["uct"]["parameters"]}
    assert all(option["about"] for option in options.values())
    assert options["c"]["default"] == 1.0
    assert "rollout='auto'" in run("agents").stdout


def test_think_tells_all_it_knows() -> None:
    found = answer("think", "tictactoe", "uct(sims=400)", "--position", "b2 a1", "--seed", "3")
    assert {"action", "value", "simulations", "seconds", "moves"} <= set(found)
    assert found["simulations"] == 400 and -1 <= found["value"] <= 1
    assert len(found["moves"]) == 7
    assert sum(move["visits"] for move in found["moves"]) == 400
    assert found["moves"][0]["action"] == found["action"] and found["moves"][0]["name"] == found["name"]
    again = answer("think", "tictactoe", "uct(sims=400)", "--position", "b2 a1", "--seed", "3")
    assert {**again, "seconds": 0} == {**found, "seconds": 0}


def test_think_takes_diagrams_and_sees_a_win_in_one() -> None:
    for diagram, best in [("XX./OO./... X", "c3"), ("XX./OO./X.. O", "c2")]:
        found = answer("think", "tictactoe", "uct(sims=200)", "--position", diagram)
        assert found["name"] == best and found["value"] == 1
    text = run("think", "tictactoe", "uct(sims=200)", "--position", "XX./OO./... X").stdout
    assert "c3, value +1.000" in text and "won" in text


def test_think_with_an_agent_that_does_not_search() -> None:
    found = answer("think", "tictactoe", "win-block", "--position", "XX./OO./... X")
    assert found["name"] == "c3" and found["value"] is None and found["moves"] == []


def test_match_counts_for_each_seat() -> None:
    found = answer("match", "tictactoe", "win-block", "random", "--games", "40", "--seed", "2")
    assert found["games"] == 40 == found["wins"] + found["draws"] + found["losses"]
    assert found["first"]["games"] == found["second"]["games"] == 20
    for key in ("wins", "draws", "losses"):
        assert found[key] == found["first"][key] + found["second"][key]
    assert found["interval"][0] <= found["score"] <= found["interval"][1]
    assert found["elo_interval"][0] <= found["elo"] <= (found["elo_interval"][1] or float("inf"))
    assert "records" not in found
    assert (
        answer("match", "tictactoe", "win-block", "random", "--games", "40", "--seed", "2", "--jobs", "1")["wins"]
        == found["wins"]
    )


def test_match_tells_the_moves_on_request() -> None:
    found = answer(
        "match", "tictactoe", "random", "random", "--games", "4", "--jobs", "1", "--moves", "--openings", "2"
    )
    assert [record["first"] for record in found["records"]] == ["random"] * 4
    assert found["records"][0]["moves"][:2] == found["records"][1]["moves"][:2]
    text = run("match", "tictactoe", "random", "win-block", "--games", "4", "--jobs", "1", "--moves").stdout
    assert (
        "moving first" in text
        and "Elo difference" in text
        and "95 % interval" in text
        and "s a move, the longest " in text
    )
    assert text.count(" first, score ") == 4


def test_match_draws_every_move_on_request() -> None:
    ran = run("match", "tictactoe", "win-block", "random", "--games", "2", "--show")
    assert ran.returncode == 0 and "game 1: win-block plays" in ran.stdout and "game 2: random plays" in ran.stdout
    boards = ran.stdout.count("   a b c")
    assert boards == ran.stdout.count(" plays ") >= 10
    assert "together" in ran.stdout
    assert "--moves tells them" in refusal(run("match", "tictactoe", "random", "random", "--show", "--json"))


def test_a_match_that_is_all_won_has_no_finite_elo() -> None:
    found = answer("match", "connect-four(7,6,2)", "uct(sims=200)", "random", "--games", "4", "--jobs", "1")
    assert (found["elo"] is None) == (found["score"] in (0, 1))


def test_solve_tells_the_value_of_every_move() -> None:
    found = answer("solve", "mnk(4,3,3)")
    assert (found["value"], found["complete"], found["moves"][0]["plies"]) == (1, True, 7) and not found["why_unknown"]
    assert len(found["moves"]) == 12 and len(found["line"]) == 7 and found["nodes"] > 0
    text = run("solve", "tictactoe", "--position", "a1 b2").stdout
    assert "drawn for the first player" in text and "line:" in text


def test_solve_stops_in_time_and_tells_what_is_known() -> None:
    found = answer("solve", "connect-four(8,6)", "--seconds", "0.3")
    assert found["value"] is None and not found["complete"] and found["at_least"] == -1
    assert found["why_unknown"] == "the time is up"
    text = run("solve", "connect-four(8,6)", "--seconds", "0.3").stdout
    assert "unknown for the first player" in text and "not all values are known: the time is up" in text


def test_solve_tells_exact_odds() -> None:
    found = answer("solve", "tictactoe", "--first", "random", "--second", "most-wins", "--position", "b2")
    assert (found["win"], found["draw"], found["loss"]) == ("11/105", "1/15", "29/35")
    found = answer("solve", "tictactoe", "--first", "win-block-middle", "--second", "random", "--position", "a1 a2")
    assert found["exact"] and len(found["moves"]) == 7
    text = run("solve", "tictactoe", "--first", "random", "--second", "most-wins", "--position", "b2").stdout
    assert "11/105 = 10.48%" in text


def test_play_against_an_agent_by_typing() -> None:
    ran = run(
        "play",
        "tictactoe",
        "--agent",
        "win-block",
        "--seed",
        "1",
        stdin="?\nnonsense\nb2\na1\na2\na3\nb1\nb3\nc1\nc2\nc3\n",
    )
    assert ran.returncode == 0
    assert "score" in ran.stdout and "'nonsense' is no legal move" in ran.stderr
    assert "win-block (second) plays" in ran.stdout


def test_the_opponent_is_named_after_the_game_or_by_its_option() -> None:
    one, other = (
        run("play", "tictactoe", *words, "--you", "random") for words in (["win-block"], ["--agent", "win-block"])
    )
    assert one.returncode == 0 and one.stdout == other.stdout and "win-block" in one.stdout
    assert "name one of them" in refusal(run("play", "tictactoe", "uct", "--agent", "random"))


def test_play_ends_when_the_person_leaves() -> None:
    for stdin in ("", "q\n"):
        ran = run("play", "tictactoe", "--agent", "random", stdin=stdin)
        assert ran.returncode == 0 and "good-bye" in ran.stderr


@pytest.mark.parametrize("game, agent", [("tictactoe", "uct"), ("gomoku(9)", "gomoku-master")])
def test_whom_a_person_meets_depends_on_the_game(game: str, agent: str) -> None:
    ran = run("play", game, "--seat", "second", stdin="q\n")
    assert ran.returncode == 0 and f"{agent} (first) plays" in ran.stdout


def test_think_ends_when_the_person_leaves() -> None:
    ran = run("think", "tictactoe", "human", stdin="q\n")
    assert ran.returncode == 130 and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "words, step",
    [
        (["match", "tictactoe", "random", "random", "--games", "8", "--jobs", "1"], "match.play_pair"),
        (["tournament", "tictactoe", "random", "random", "--games", "8", "--jobs", "1"], "match.play_pair"),
        (["score", "tetris(6,12)", "bcts", "--games", "8", "--moves", "3", "--jobs", "1"], "scores.play_one"),
    ],
    ids=lambda words: words[0],
)
def test_ctrl_c_tells_what_there_is_and_exits_with_130(words: list[str], step: str) -> None:
    module, _, name = f"plyground.arena.{step}".rpartition(".")
    usual = getattr(importlib.import_module(module), name)
    for some, told in ((2, "plyground: stopped after"), (0, "plyground: interrupted, and there is no result yet")):
        done: list[int] = []

        def play(*args: Any, some: int = some, done: list[int] = done) -> Any:
            if len(done) == some:
                raise KeyboardInterrupt
            done.append(1)
            return usual(*args)

        with patch(f"{module}.{name}", play):
            ran = run(*words)
        assert ran.returncode == 130 and told in ran.stderr and bool(ran.stdout) == bool(some)


def test_play_without_a_person_from_a_position() -> None:
    words = [
        "play",
        "tictactoe",
        "--you",
        "win-block",
        "--agent",
        "random",
        "--seat",
        "second",
        "--position",
        "X../.../... O",
    ]
    found = answer(*words)
    assert found["second"] == "win-block" and found["score"] in (-1, 0, 1) and len(found["moves"]) >= 4


# --- bench --------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks make the games they name, but run on boards whose kernels are there: 3 x 3, or Connect Four's."""
    from plyground.bench import exact, tree_search

    def make(spec: str) -> Any:
        made = games.make(spec)
        return made if spec == "connect-four" else games.make("mnk(3,3,2)")

    def read(game: Any, moves: str) -> Any:
        position.read(games.make("gomoku(15)"), moves)
        return rules.new(game)

    few = [(ours, theirs, sims // 50, promise) for ours, theirs, sims, promise in tree_search.PEERS]
    monkeypatch.setattr(tree_search, "PEERS", few)
    for module in (exact, tree_search):
        monkeypatch.setattr(module, "games", SimpleNamespace(make=make))
    monkeypatch.setattr(exact, "position", SimpleNamespace(read=read))


def test_bench_puts_exact_play_beside_plain_python(small: None) -> None:
    rows = answer("bench", "exact", "--seconds", "0.05")["exact"]
    assert len(rows) == 5 and all(row["plyground_per_s"] > 0 for row in rows)


@pytest.mark.parametrize("part", ["nodes", "rollouts"])
def test_bench_measures(part: str, small: None) -> None:
    rows = answer("bench", part, "--seconds", "0.05")[part]
    assert rows and all(row["at_most"] > 0 for row in rows)
    if part == "nodes":
        assert all(row["node_bytes"] <= row["at_most"] for row in rows)


def test_bench_tells_each_row_before_it_measures_the_next(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plyground import bench

    told: list[str] = []

    def part(seconds: float) -> Any:
        for game in ("nim", "hex"):
            yield {"game": game, "first_reply_s": 1.23456, "at_most": 3}
            told.append(capsys.readouterr().err.splitlines()[-1].strip())

    monkeypatch.setattr(bench, "part_of", lambda name: part)
    rows = bench.measure(["first-move"], 1.0, "")["first-move"]
    assert [row["game"] for row in rows] == ["nim", "hex"] and rows[0]["first_reply_s"] == 1.23456
    assert told == [f"plyground:   game {game}, first_reply_s 1.23, at_most 3" for game in ("nim", "hex")]


def test_bench_puts_self_play_beside_the_net_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from plyground.bench import selfplay

    monkeypatch.setattr(selfplay, "ON_CPU", [("tictactoe", 1, 8, 8)])
    monkeypatch.setattr(selfplay, "ON_GPU", [("tictactoe", 1, 8, 8)])
    (row,) = answer("bench", "selfplay", "--seconds", "0.05")["selfplay"]
    assert row["share"] > 0 and row["net_alone_per_s"] > 0 and row["at_least"] in (0.6, 0.85)


def test_bench_compares_with_openspiel(small: None) -> None:
    rows = answer("bench", "peers", "--seconds", "0.05")["peers"]
    promised = [row["at_least"] for row in rows]
    assert promised[:4] == [4, 250, 700, 10] and min(promised) == 2 and promised[-1] == 8
    assert all(row["ratio"] > 0 for row in rows) and all(row["openspiel_per_s"] > 0 for row in rows[:-1])
    assert rows[-1]["ratio"] ** (len(rows) - 1) == pytest.approx(math.prod(row["ratio"] for row in rows[:-1]))


# --- processes ----------------------------------------------------------------------------------------


def test_the_first_compilation_is_announced(tmp_path: Path) -> None:
    first = run_alone("think", "mnk(3,2,2)", "minimax", "--json", XDG_CACHE_HOME=str(tmp_path))
    again = run_alone("think", "mnk(3,2,2)", "minimax", "--json", XDG_CACHE_HOME=str(tmp_path))
    assert "compiling" in first.stderr and again.stderr == ""
    assert first.stdout and json.loads(again.stdout)


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ran = run_alone("games", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert ran.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_is_told_in_one_line() -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run([PLYGROUND, "games"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
        nosuch = subprocess.run([PLYGROUND, "nosuch"], stdout=subprocess.PIPE, stderr=full, text=True, timeout=300)
    assert ran.returncode == 2 and ran.stderr == "plyground: output: No space left on device\n"
    assert (nosuch.returncode, nosuch.stdout) == (2, "")


def test_json_stands_alone_whatever_a_rule_prints(tmp_path: Path) -> None:
    rule = "    def over(game, state):\n"
    told = (Path(__file__).parents[1] / "examples" / "dice_race.py").read_text()
    (tmp_path / "loud.py").write_text(told.replace(rule, f"{rule}        print('loud')\n"))
    ran = run("think", str(tmp_path / "loud.py"), "random", "--json")
    assert "action" in json.loads(ran.stdout) and "loud\n" in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="streams are closed by a shell's words")
@pytest.mark.parametrize(
    "closed, code, out, err",
    [
        (">&-", 2, "", "plyground: standard output is closed\n"),
        ("2>&-", 0, "{", ""),
        ("<&-", 0, "{", ""),
        ("<&- >&- 2>&-", 2, "", ""),
    ],
)
def test_a_closed_stream_is_told_or_does_no_harm(closed: str, code: int, out: str, err: str, tmp_path: Path) -> None:
    match = f"{PLYGROUND} match tictactoe random random --games 2 --json --out {tmp_path / 'm'} {closed}"
    ran = subprocess.run(["sh", "-c", match], capture_output=True, text=True, timeout=300)
    assert ran.returncode == code and ran.stdout[:1] == out and ran.stderr == err
    if not code:
        assert [json.loads(line)["pair"] for line in (tmp_path / "m" / "pairs.jsonl").read_text().splitlines()] == [0]


WRITE = {
    "match": "match tictactoe random random --games 2 --out PLACE",
    "tournament": "tournament tictactoe random win-block --games 2 --out PLACE",
    "a plot": "tournament tictactoe random win-block --games 2 --plot PLACE.svg",
    "score": "score tetris(4,6) random --games 1 --out PLACE",
    "train": "train reinforce tictactoe --games 50 --out PLACE",
    "reproduce": "reproduce uct-minimax --quick --out PLACE",
}
NEEDS = {"a plot": "matplotlib", "train": "torch", "reproduce": "matplotlib"}


@pytest.mark.parametrize("kind", WRITE)
@pytest.mark.parametrize("place", ["x" * 300, "file/within", "\udcff" * 300], ids=["too long", "not a folder", "bytes"])
def test_what_cannot_be_written_is_told_in_one_line(
    kind: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(NEEDS.get(kind, "json"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    ran = run(*(word.replace("PLACE", place) for word in WRITE[kind].split()))
    told = [line for line in ran.stderr.splitlines() if "compiling" not in line]
    assert ran.returncode == 2 and len(told) == 1 and place[:4] in told[0]
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


@pytest.mark.skipif(os.name != "posix", reason="the size of files is limited by the shell's word")
@pytest.mark.parametrize("kind", ["match", "train"])
def test_a_limit_of_the_size_of_files_is_told_in_one_line(kind: str, tmp_path: Path) -> None:
    pytest.importorskip(NEEDS.get(kind, "json"))
    words = WRITE[kind].replace("PLACE", str(tmp_path / "out"))
    ran = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; exec {PLYGROUND} {words.replace('--games 2', '--games 60')}"],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # which Python would leave half-written
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 2 and ran.stderr.splitlines()[-1].endswith(("File too large", "--resume goes on"))
    assert "Traceback" not in ran.stderr


def test_who_reads_no_further_is_no_obstacle() -> None:
    process = subprocess.Popen([PLYGROUND, "agents"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stderr and process.stdout.readline()
    process.stdout.close()
    process.wait(300)
    assert process.stderr.read() == ""
