"""The commands match and tournament: what they say, draw and refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import answer, refusal, run

THREE = [
    "tournament",
    "tictactoe",
    "random",
    "win-block",
    "win-block",
    "--games",
    "8",
    "--openings",
    "1",
    "--jobs",
    "1",
]


def test_tournament_prints_ratings_and_a_cross_table() -> None:
    ran = run(*THREE)
    assert ran.returncode == 0
    for words in ("Elo", "95 %", "above next", "points against", "counted from their mean", "moving first is worth"):
        assert words in ran.stdout
    rows = [line.split() for line in ran.stdout.splitlines() if "random" in line]
    assert len(rows) == 2 and rows[0][0] == "3." and float(rows[0][2]) < 0
    assert "win-block #1" in ran.stdout and "win-block #2" in ran.stdout and "24 games" in ran.stdout
    assert "forfeits" not in ran.stdout and "repeat" not in ran.stdout


def test_tournament_tells_all_in_json() -> None:
    found = answer(*THREE)
    assert found["complete"] and found["games"] == 24 and found["anchor"] == "mean"
    assert [set(p["agents"]) for p in found["pairings"]][2] == {"win-block #1", "win-block #2"}
    elos = [agent["elo"] for agent in found["agents"]]
    assert elos == sorted(elos, reverse=True) and found["agents"][-1]["label"] == "random"
    for agent in found["agents"]:
        assert agent["interval"][0] < agent["elo"] < agent["interval"][1]
        assert agent["games"] == 16 and len(agent["superiority"]) == 2
    low, high = found["first_player"]["interval"]
    assert low < found["first_player"]["elo"] < high


def test_games_that_repeat_are_said() -> None:
    ran = run("match", "mnk(1,1,1)", "random", "win-block", "--games", "10", "--jobs", "1")
    assert "8 games repeat others move for move" in ran.stdout
    ran = run("tournament", "mnk(1,1,1)", "random", "win-block", "random", "--games", "4", "--jobs", "1")
    assert "6 games repeat others move for move" in ran.stdout


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_tournament_draws_a_picture(ending: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / f"table.{ending}"
    assert run(*THREE, "--gauntlet", "--plot", str(file)).returncode == 0
    content = file.read_bytes()
    if ending == "png":
        assert content.startswith(b"\x89PNG")
    else:
        assert b"<svg" in content and b"win-block #2" in content and b"Elo with 95 % intervals" in content


def test_match_says_which_hypothesis_it_accepts() -> None:
    words = ["match", "tictactoe", "win-block", "random", "--openings", "1", "--jobs", "1", "--sprt"]
    text = run(*words, "0,60").stdout
    assert "SPRT: H1 accepted: +60 Elo rather than +0" in text and "(-2.94 to 2.94)" in text
    found = answer(*words, "-200,0", "--alpha", "0.01", "--beta", "0.1")
    assert found["sprt"]["accepted"] == "H1" and found["sprt"]["bounds"] == pytest.approx([-2.293, 4.500], abs=0.001)
    assert found["games"] == 2 * sum(found["sprt"]["pairs"]) < 10_000
    ran = run(*words, "0,1", "--games", "6")
    assert "not decided between +0 Elo (H0) and +1 Elo (H1)" in ran.stdout and ran.stderr == ""
    assert "sprt" not in answer(*words[:-1], "--games", "2")


@pytest.mark.parametrize(
    "words, says",
    [
        (["tournament", "tictactoe", "random"], "at least two agents"),
        (["tournament", "tictactoe"], "AGENT"),
        (["tournament", "tictactoe", "random", "human"], "human"),
        (["tournament", "tictactoe", "random", "utc"], "did you mean uct?"),
        (["tournament", "tictactoe", "random", "random", "--games", "0"], "at least one game"),
        (["tournament", "tictactoe", "random", "random", "--openings", "-1"], "0 or more"),
        (["tournament", "tictactoe", "random", "random", "--plot", "x.doc"], ".svg or .png"),
        (["tournament", "tictactoe", "random", "random", "--plot", "/nowhere/x.svg"], "no folder"),
        (["tournament", "tictactoe", "random", "random", "--balanced"], "--openings says how many"),
        (["tournament", "tictactoe", "random", "random", "--judge", "uct"], "--balanced"),
        (["tournament", "tictactoe", "random", "random", "--resume"], "--out FOLDER"),
        (["tournament", "tictactoe", "random", "random", "--save"], "--out FOLDER"),
        (["tournament", "tetris", "random", "random"], "for games of two players"),
        (["match", "tetris", "random", "random", "--out", "nowhere"], "for games of two players"),
        (["match", "connect-four", "random", "random", "--save", "--out", "nowhere"], "cannot be kept in a file"),
        (["match", "tictactoe", "random", "random", "--openings-file", "x", "--openings", "1"], "leave out"),
        (["match", "tictactoe", "random", "random", "--openings-file", "x", "--balanced"], "leave out"),
        (["match", "tictactoe", "random", "random", "--openings-file", "/nowhere/x"], "cannot be read"),
        (["match", "line-taking", "random", "random", "--openings-file", "x"], "fixed seed"),
        (["match", "tictactoe", "random", "random", "--sprt", "10"], "two Elo differences"),
        (["match", "tictactoe", "random", "random", "--sprt", "10,0"], "the smaller one first"),
        (["match", "tictactoe", "random", "random", "--sprt", "0,10", "--alpha", "0.7"], "--alpha"),
        (["match", "tictactoe", "random", "random", "--sprt", "0,10", "--games", "0"], "at least one game"),
    ],
    ids=lambda value: " ".join(value)[:70] if isinstance(value, list) else "",
)
def test_bad_input_is_answered_in_one_line(words: list[str], says: str, tmp_path: Path) -> None:
    if "--out" in words:
        words = [*words[:-1], str(tmp_path / "out")]
    assert says in refusal(run(*words))
    assert not (tmp_path / "out").exists()


def test_the_table_of_many_agents_loses_no_column() -> None:
    ran = run("tournament", "mnk(1,1,1)", *["random"] * 30, "--games", "2", "--jobs", "1")
    assert ran.returncode == 0, ran.stderr
    assert "…" not in ran.stdout and ran.stdout.count("1/2") + ran.stdout.count("½") == 30 * 29


def test_a_folder_does_not_go_on_with_a_file_that_has_changed(tmp_path: Path) -> None:
    agent = tmp_path / "first one.py"
    text = "from plyground import rules\nclass First:\n    def think(self, game, state, limit):\n"
    agent.write_text(text + "        return rules.legal(game, state)[0]\n")
    words = [
        "match",
        "mnk(2,2,2)",
        f"{agent}:First",
        "random",
        "--games",
        "2",
        "--jobs",
        "1",
        "--out",
        str(tmp_path / "out"),
    ]
    assert run(*words).returncode == 0
    assert run(*words, "--resume").returncode == 0
    agent.write_text(text + "        return rules.legal(game, state)[-1]\n")
    assert "has changed since" in refusal(run(*words, "--resume"))
