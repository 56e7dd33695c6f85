"""The command line: its contract in JSON, and one line with exit code 2 for whatever is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLYGROUND = str(Path(sys.executable).parent / "plyground")
COMMANDS = ["games", "agents", "play", "match", "think", "solve", "check", "bench"]


def run(*words: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PLYGROUND, *words], input=stdin, capture_output=True, text=True, env=os.environ | environment, timeout=300
    )


def answer(*words: str, **more: str) -> dict:
    ran = run(*words, "--json", **more)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\n") == 1
    return json.loads(ran.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command: str) -> None:
    ran = run(command, "--help")
    assert ran.returncode == 0 and "Examples:" in ran.stdout and f"plyground {command}" in ran.stdout
    assert "--json" in ran.stdout


def test_without_a_command_the_commands_are_listed() -> None:
    ran = run()
    assert ran.returncode == 0 and all(command in ran.stdout for command in COMMANDS)


def test_games_and_agents_are_listed_with_their_parameters() -> None:
    games = {game["name"]: game for game in answer("games")["games"]}
    assert {"tictactoe", "mnk", "gomoku", "connect-four", "line-taking"} == set(games)
    assert games["gomoku"]["parameters"][1]["choices"] == ["freestyle", "exactly-five"]
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
    found = answer("match", "tictactoe", "random", "random", "--games", "4", "--moves", "--openings", "2")
    assert [record["first"] for record in found["records"]] == ["random"] * 4
    assert found["records"][0]["moves"][:2] == found["records"][1]["moves"][:2]
    text = run("match", "tictactoe", "random", "win-block", "--games", "4", "--moves").stdout
    assert "moving first" in text and "Elo difference" in text and "95 % interval" in text and "ms a move" in text
    assert text.count(" first, score ") == 4


def test_a_match_that_is_all_won_has_no_finite_elo() -> None:
    found = answer("match", "connect-four(4,4,2)", "uct(sims=200)", "random", "--games", "4", "--jobs", "1")
    assert (found["elo"] is None) == (found["score"] in (0, 1))


def test_solve_tells_the_value_of_every_move() -> None:
    found = answer("solve", "mnk(4,3,3)")
    assert (found["value"], found["complete"], found["moves"][0]["plies"]) == (1, True, 7)
    assert len(found["moves"]) == 12 and len(found["line"]) == 7 and found["nodes"] > 0
    text = run("solve", "tictactoe", "--position", "a1 b2").stdout
    assert "drawn for the first player" in text and "line:" in text


def test_solve_stops_in_time_and_tells_what_is_known() -> None:
    found = answer("solve", "connect-four", "--seconds", "0.3")
    assert found["value"] is None and not found["complete"] and found["at_least"] == -1
    assert "unknown for the first player" in run("solve", "connect-four", "--seconds", "0.3").stdout


def test_solve_tells_exact_odds() -> None:
    found = answer("solve", "tictactoe", "--first", "random", "--second", "most-wins", "--position", "b2")
    assert (found["win"], found["draw"], found["loss"]) == ("11/105", "1/15", "29/35")
    found = answer("solve", "tictactoe", "--first", "win-block-middle", "--second", "random")
    assert found["exact"] and len(found["moves"]) == 9
    assert "737/1260 = 58.49%" in run("solve", "tictactoe", "--first", "random", "--second", "random").stdout


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


def test_play_ends_when_the_person_leaves() -> None:
    for stdin in ("", "q\n"):
        ran = run("play", "tictactoe", "--agent", "random", stdin=stdin)
        assert ran.returncode == 0 and "good-bye" in ran.stderr


def test_think_ends_when_the_person_leaves() -> None:
    ran = run("think", "tictactoe", "human", stdin="q\n")
    assert ran.returncode == 130 and "Traceback" not in ran.stderr


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


def test_check_says_ok_or_names_the_breach(tmp_path: Path) -> None:
    assert answer("check", "tictactoe", "--games", "3")["ok"]
    (tmp_path / "bad.py").write_text(BAD)
    ran = run("check", f"{tmp_path / 'bad.py'}:Bad")
    assert ran.returncode == 1 and "broken" in ran.stdout and "Traceback" not in ran.stderr
    assert "legal offers nothing" in ran.stdout


BAD = """
from typing import NamedTuple
import numpy as np

class Bad(NamedTuple):
    def fields(game): return [("moves", np.int16)]
    def actions(game): return 3
    def player(game, state): return state.moves % 2
    def legal(game, state, out): return 0
    def play(game, state, action): state.moves += 1
    def over(game, state): return state.moves == 5
    def score(game, state): return 0.0
"""
RAISES = BAD.replace("return 0\n", "raise KeyError('oh')\n")
ENDLESS = BAD.replace("return 0\n", "out[0] = 1; return 1\n").replace("== 5", "< 0")
UNCOMPILED = BAD.replace("return 0\n", "out[0] = 1; return 1\n").replace(
    "state.moves == 5", "format(state.moves, 'd') == '5'"
)


@pytest.mark.parametrize(
    "text", [BAD, RAISES, ENDLESS, UNCOMPILED], ids=["no move", "raises", "never ends", "does not compile"]
)
@pytest.mark.parametrize(
    "words",
    [["match", "GAME", "uct(sims=10)", "random", "--games", "2"], ["think", "GAME", "uct(sims=10)"]],
    ids=["match", "think"],
)
def test_a_users_broken_game_is_refused_before_it_does_harm(words: list[str], text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text)
    refused(*[word.replace("GAME", f"{tmp_path / 'bad.py'}:Bad") for word in words])


def refused(*words: str, stdin: str = "") -> str:
    ran = run(*words, stdin=stdin)
    lines = [line for line in ran.stderr.splitlines() if "compiling" not in line]
    assert ran.returncode == 2, (words, ran)
    assert len(lines) == 1 and lines[0].startswith("plyground: "), ran.stderr
    assert ran.stdout == "" and "Traceback" not in ran.stderr
    return lines[0]


@pytest.mark.parametrize(
    "words, says",
    [
        (["frobnicate"], "No such command"),
        (["think"], "Missing argument"),
        (["think", "tictactoe", "uct", "--frob"], "No such option"),
        (["think", "tictactoe", "uct", "--seed", "-1"], "seed"),
        (["think", "tictactoe", "uct", "--seed", "x"], "seed"),
        (["think", "tictactoes", "uct"], "did you mean tictactoe?"),
        (["think", "tictactoe", "uctt"], "did you mean uct?"),
        (["think", "tictactoe", "uct(sims=-5)"], "sims is 1 to"),
        (["think", "tictactoe", "uct(sims=0)"], "sims is 1 to"),
        (["think", "tictactoe", "uct(seconds=-1)"], "seconds is 0 to"),
        (["think", "tictactoe", "uct(memory=0)"], "memory is 1 to"),
        (["think", "tictactoe", "uct(threads=0)"], "threads is 1 to"),
        (["think", "mnk(0,3,3)", "uct"], "m is 1 to 30"),
        (["think", "mnk(1000,1000,5)", "uct"], "m is 1 to 30"),
        (["think", "mnk(3,3,4)", "uct"], "k is 1 to 3"),
        (["think", "tictactoe(0)", "uct"], "n is 1 to 19"),
        (["think", "connect-four(100,100)", "uct"], "cols is 1 to"),
        (["think", "gomoku(15, rule='renju')", "uct"], "rule is one of"),
        (["think", "line-taking(cells=5)", "uct"], "12 to 33"),
        (["think", "line-taking(region='oo/oo')", "uct"], "12 rows"),
        (["think", "tictactoe", "uct", "--position", "XXX/OOO/..."], "over before the last move"),
        (["think", "tictactoe", "uct", "--position", "XXX/OO./..."], "the game is over"),
        (["think", "tictactoe", "uct", "--position", "XXXXX/OOO/..."], "3 rows of 3"),
        (["think", "tictactoe", "uct", "--position", "XXX/XX./..."], "5 X and 0 O"),
        (["think", "tictactoe", "uct", "--position", "X../.../... X"], "it is O's turn"),
        (["think", "tictactoe", "uct", "--position", "b2 b2"], "is not legal"),
        (["think", "tictactoe", "uct", "--position", "b2 z9"], "there is no move 'z9'"),
        (
            ["think", "connect-four", "uct", "--position", "X....../......./......./......./......./......."],
            "hangs in the air",
        ),
        (["match", "tictactoe", "uct", "random", "--games", "-2"], "at least one game"),
        (["match", "tictactoe", "uct", "random", "--games", "0"], "at least one game"),
        (["match", "tictactoe", "uct", "human"], "human"),
        (["match", "tictactoe", "uct", "random", "--openings", "-1"], "0 or more"),
        (["match", "line-taking", "win-block-middle", "random"], "middle"),
        (["play", "tictactoe", "--seat", "third"], "first or second"),
        (["solve", "tictactoe", "--first", "uct", "--second", "random"], "does not tell its move probabilities"),
        (["solve", "tictactoe", "--first", "most-wins", "--second", "never-lose"], "fixed policy"),
        (["solve", "tictactoe", "--position", "XXX/OO./... O"], "the game is over"),
        (["solve", "tictactoe", "--seconds", "-1"], "--seconds"),
        (["think", "tictactoe", "alphabeta(depth=0)"], "depth"),
        (["think", "tictactoe", 'alphabeta(scoring="line-taking")'], "is for LineTaking games"),
        (["think", "tictactoe", "line-taking-master"], "plays line-taking"),
        (["check", "nowhere.py:Game"], "there is no file"),
        (["bench", "frob"], "no benchmark"),
        (["bench", "scaling", "--plot", "/nowhere/x.svg"], "no folder"),
        (["check", "nowhere.py"], "name the class"),
        (["bench", "scaling", "--plot", "x.doc"], ".svg"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_bad_input_is_answered_in_one_line(words: list[str], says: str) -> None:
    assert says in refused(*words)


def test_bench_puts_exact_play_beside_plain_python() -> None:
    rows = answer("bench", "exact", "--seconds", "0.05")["exact"]
    assert len(rows) == 5 and all(row["plyground_per_s"] > 0 for row in rows)


@pytest.mark.parametrize("part", ["nodes", "rollouts"])
def test_bench_measures(part: str) -> None:
    rows = answer("bench", part, "--seconds", "0.05")[part]
    assert rows and all(row["at_most"] > 0 for row in rows)
    if part == "nodes":
        assert all(row["node_bytes"] <= row["at_most"] for row in rows)


def test_bench_compares_with_openspiel() -> None:
    rows = answer("bench", "peers", "--seconds", "0.05")["peers"]
    assert [row["at_least"] for row in rows] == [4, 250, 700, 10]
    assert all(row["ratio"] > 0 and row["openspiel_per_s"] > 0 for row in rows)


def test_the_first_compilation_is_announced(tmp_path: Path) -> None:
    first = run("think", "mnk(3,2,2)", "uct(sims=10)", "--json", XDG_CACHE_HOME=str(tmp_path))
    again = run("think", "mnk(3,2,2)", "uct(sims=10)", "--json", XDG_CACHE_HOME=str(tmp_path))
    assert "compiling" in first.stderr and again.stderr == ""
    assert first.stdout and json.loads(again.stdout)


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ran = run("games", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert ran.returncode == 0
