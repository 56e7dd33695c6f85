"""Folders: stopped by Ctrl-C or kill -9 and gone on with, nothing is lost and nothing changes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from commands import answer, refusal, run
from plyground import game_files, sealed
from plyground.arena.journal import LOCK

TIMES = ("seconds_per_move", "longest_move")
ROUND = ["tournament", "gomoku(8)", "random", "win-block", "random", "--games", "13", "--openings", "2", "--seed", "5"]
TEST = ["match", "tictactoe", "win-block", "random", "--sprt", "0,60", "--openings", "1"]


def timeless(told: Any) -> Any:
    """What was said, without the times."""
    if isinstance(told, dict):
        return {name: timeless(value) for name, value in told.items() if name not in TIMES}
    return [timeless(value) for value in told] if isinstance(told, list) else told


def lines(folder: Path) -> list[str]:
    file = folder / "pairs.jsonl"
    return file.read_text().splitlines(keepends=True) if file.exists() else []


# a command whose process sends itself a signal as soon as so many more pairs are kept
STOPPED = """
import os, sys
from plyground.arena.journal import Journal
from plyground.cli import main
more, how = int(sys.argv.pop(1)), int(sys.argv.pop(1))
append = Journal.append
def append_and_stop(self, line):
    global more
    append(self, line)
    more -= 1
    if more == 0:
        os.kill(os.getpid(), how)
Journal.append = append_and_stop
main()
"""


def stopped(folder: Path, more: int, how: int, *words: str) -> tuple[int, str, str]:
    """Play in a process of its own until so many more pairs are kept, then stop it."""
    command = [sys.executable, "-c", STOPPED, str(more), str(int(how)), *words, "--out", str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True)
    return ran.returncode, ran.stdout, ran.stderr


def test_a_tournament_that_is_stopped_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    usual = answer(*ROUND, "--jobs", "1", "--out", str(tmp_path / "whole"))
    folder = tmp_path / "stopped"
    code, out, err = stopped(folder, 2, signal.SIGINT, *ROUND, "--jobs", "1")
    assert code == 130 and "points against" in out and f"--resume goes on with {folder}" in err
    kept = lines(folder)
    assert 2 <= len(kept) < 21
    code, out, _ = stopped(folder, 2, signal.SIGKILL, *ROUND, "--jobs", "2", "--resume")
    assert code == -signal.SIGKILL and out == ""
    assert lines(folder)[: len(kept)] == kept and len(lines(folder)) < 21
    with open(folder / "pairs.jsonl", "a") as file:
        file.write('{"match": 0, "pair": 9, "rec')
    found = answer(*ROUND, "--jobs", "1", "--out", str(folder), "--resume")
    assert timeless(found) == timeless(usual) and found["complete"]
    assert len(lines(folder)) == 21 and all(json.loads(line) for line in lines(folder))
    again = run(*ROUND, "--out", str(folder), "--resume")
    assert again.returncode == 0 and len(lines(folder)) == 21


def test_a_test_that_is_stopped_comes_to_the_same_verdict(tmp_path: Path) -> None:
    usual = answer(*TEST, "--jobs", "1", "--out", str(tmp_path / "whole"))
    whole = lines(tmp_path / "whole")
    assert usual["sprt"]["accepted"] == "H1" and len(whole) == sum(usual["sprt"]["pairs"])
    folder = tmp_path / "stopped"
    folder.mkdir()
    (folder / "plan.json").write_bytes((tmp_path / "whole" / "plan.json").read_bytes())
    (folder / "pairs.jsonl").write_text("".join([whole[3], whole[0], whole[-1]]) + whole[1][:50])
    assert timeless(answer(*TEST, "--out", str(folder), "--resume")) == timeless(usual)
    assert timeless(answer(*TEST, "--jobs", "1", "--out", str(folder), "--resume")) == timeless(usual)


def test_balanced_openings_are_drawn_once_and_kept(tmp_path: Path) -> None:
    words = ["tournament", "tictactoe", "random", "win-block", "--games", "6", "--openings", "2", "--balanced"]
    words += ["--judge", "uct(sims=50)", "--bound", "0.4", "--jobs", "1", "--out", str(tmp_path)]
    first = answer(*words)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert len(plan["openings"]) == 3 and first["openings"] == plan["openings"]
    plan["openings"] = ["b2", "a1", "c3"]
    del plan["digest"]
    (tmp_path / "plan.json").write_text(sealed.text(plan))
    (tmp_path / "pairs.jsonl").write_text("")
    assert answer(*words, "--resume")["openings"] == ["b2", "a1", "c3"]
    names = [json.loads(line)["records"][0]["names"][0] for line in lines(tmp_path)]
    assert names == ["b2", "a1", "c3"]


@pytest.mark.parametrize("words", [["--bound", "inf"], ["--bound", "nan"], ["--move-seconds", "inf"]])
def test_numbers_that_no_plan_can_hold_are_refused(words: list[str], tmp_path: Path) -> None:
    asked = ["match", "tictactoe", "random", "random", "--games", "2", "--jobs", "1", "--out", str(tmp_path / "m")]
    assert f"{words[0].strip('-').replace('-', ' ')} is a finite number" in refusal(run(*asked, *words))
    assert not (tmp_path / "m").exists()


def test_a_folder_with_another_plan_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.write_text("b2\n")
    usual = ["match", "tictactoe", "random", "win-block", "--games", "4", "--jobs", "1", "--out", str(tmp_path / "m")]
    assert "there is no" in refusal(run(*usual, "--resume"))
    answer(*usual)
    kept = lines(tmp_path / "m")
    assert "holds games already: --resume goes on" in refusal(run(*usual))
    others = [
        (["--games", "6"], "its games is 4, not 6"),
        (["--seed", "1"], "its seed is 0, not 1"),
        (["--openings", "1"], "its openings is 0, not 1"),
        (["--sprt", "0,10"], "its sprt is null, not [0.0, 10.0, 0.05, 0.05]"),
        (["--openings-file", str(book)], "its openings file is false, not true"),
    ]
    for more, says in others:
        assert f"has another plan: {says}" in refusal(run(*usual, "--resume", *more))
    for words, says in (
        (["match", "tictactoe", "win-block", "random", *usual[4:]], "its agents is"),
        (["match", "mnk(3,3,3)", *usual[2:]], "its game is tictactoe, not mnk(3,3,3)"),
        (["tournament", *usual[1:]], "its kind is match, not tournament"),
    ):
        assert says in refusal(run(*words, "--resume"))
    assert lines(tmp_path / "m") == kept
    (tmp_path / "b").mkdir()
    answer(*usual[:-1], str(tmp_path / "b"), "--openings-file", str(book))
    book.write_text("a1\n")
    words = [*usual[:-1], str(tmp_path / "b"), "--openings-file", str(book), "--resume"]
    assert "its openings are not those of" in refusal(run(*words))


@pytest.mark.parametrize(
    "line",
    ["{}", "[]", "7", "nonsense", '{"match": 0, "pair": 1}', '{"match": 0, "pair": -1, "records": []}']
    + ['{"match": 0, "pair": 1, "records": [{"number": 2}]}', '{"match": 0, "pair": 1, "records": []}', "[" * 100_000],
    ids=lambda line: line[:45],
)
def test_a_line_that_is_no_pair_is_refused_by_its_number(line: str, tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "random", "--games", "2", "--jobs", "1", "--out", str(tmp_path)]
    answer(*words)
    with suppress(ValueError, TypeError, RecursionError):
        line = sealed.text(json.loads(line))[:-1]  # whole, but none all the same
    with open(tmp_path / "pairs.jsonl", "a") as file:
        file.write(line + "\n")
    assert "pairs.jsonl, line 2, is not a pair of games" in refusal(run(*words, "--resume"))


@pytest.mark.parametrize(
    "field, value",
    [
        ("score", float("nan")),
        ("score", "1"),
        ("first", 2),
        ("actions", ["a"]),
        ("actions", 3),
        ("seconds", [1]),
        ("moves", None),
    ]
    + [("reason", 0), ("number", -1), ("number", 1), ("seconds", [1, float("inf")]), ("names", [1])],
)
def test_a_record_that_makes_no_sense_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "random", "--games", "2", "--jobs", "1", "--out", str(tmp_path)]
    answer(*words)
    pair = sealed.opened(json.loads(lines(tmp_path)[0]))
    pair["records"][0][field] = value
    whole = pair | {"digest": sealed.digest(json.dumps(pair, sort_keys=True).encode())}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(whole) + "\n")
    assert "line 1, is not a pair of games" in refusal(run(*words, "--resume"))


@pytest.mark.parametrize("file", ["plan.json", "pairs.jsonl"])
def test_a_flipped_bit_is_never_taken_for_a_game(file: str, tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "win-block", "--games", "4", "--jobs", "1", "--out", str(tmp_path)]
    answer(*words)
    whole = (tmp_path / file).read_bytes()
    for bit in range(5, 8 * len(whole) - 8, 8 * len(whole) // 40):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        with suppress(ValueError):  # the e of a number may be a capital: every line says the same
            if [json.loads(line) for line in damaged.splitlines()] == [json.loads(line) for line in whole.splitlines()]:
                continue
        (tmp_path / file).write_bytes(damaged)
        ran = run(*words, "--resume", "--json")
        assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and file in ran.stderr


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda record: record["actions"].append(0) or record["names"].append("a3"), "its move"),
        (lambda record: record["actions"].pop() + len(record["names"].pop()), "it has not ended"),
        (lambda record: record.update(score=-record["score"] or 1.0), "its score is"),
        (lambda record: record["names"].__setitem__(0, "z9"), "its move 1, z9, is none"),
        (lambda record: record.update(reason="a crash"), "it had ended before it was given up"),
        (lambda record: record["actions"].__setitem__(1, record["actions"][0]), "its move 2"),
    ],
    ids=["goes on", "is cut", "other score", "other name", "given up", "twice the same"],
)
def test_games_that_are_kept_are_played_again_by_the_rules(
    change: Callable[[dict[str, Any]], Any], says: str, tmp_path: Path
) -> None:
    words = ["match", "tictactoe", "random", "win-block", "--games", "2", "--jobs", "1", "--out", str(tmp_path)]
    answer(*words)
    pair = sealed.opened(json.loads(lines(tmp_path)[0]))
    change(pair["records"][1])
    (tmp_path / "pairs.jsonl").write_text(sealed.text(pair))
    told = refusal(run(*words, "--resume"))
    assert "game 2 of those that are kept was not played by the rules" in told and says in told


def test_a_torn_plan_and_a_place_that_cannot_be_written_to_are_refused(tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "random", "--games", "2", "--jobs", "1", "--out"]
    (tmp_path / "plan.json").write_text(sealed.text({"plan": 3, "openings": []}))
    assert "does not describe a match" in refusal(run(*words, str(tmp_path), "--resume"))
    (tmp_path / "plan.json").write_text('{"plan": {}, "openings": []}')
    assert "does not describe a match" in refusal(run(*words, str(tmp_path), "--resume"))
    (tmp_path / "plan.json").write_text('{"plan": {')
    assert "is not JSON" in refusal(run(*words, str(tmp_path), "--resume"))
    assert "cannot be written to" in refusal(run(*words, str(tmp_path / "plan.json" / "x")))


def test_two_processes_cannot_play_in_the_same_folder(tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "random", "--games", "2", "--jobs", "1", "--out", str(tmp_path)]
    answer(*words)
    with FileLock(tmp_path / LOCK):
        assert "another process plays in" in refusal(run(*words, "--resume"))
    assert answer(*words, "--resume")["games"] == 2


def test_games_are_saved_as_files(tmp_path: Path) -> None:
    words = ["gomoku(7)", "random", "win-block", "--games", "3", "--jobs", "1", "--openings", "2", "--out"]
    answer("match", *words, str(tmp_path / "m"))
    answer("match", *words, str(tmp_path / "m"), "--resume", "--save")
    answer("tournament", *words, str(tmp_path / "t"), "--save")
    records = [record for line in lines(tmp_path / "m") for record in json.loads(line)["records"]]
    for folder in ("m", "t"):
        files = sorted((tmp_path / folder / "games").iterdir())
        assert [file.name for file in files] == [f"{n:05}.{end}" for n in (1, 2, 3) for end in ("psq", "sgf")]
        for file in files:
            saved, record = game_files.read(file), records[int(file.stem) - 1]
            assert saved.actions == record["actions"] and saved.score == record["score"]
            assert saved.players == (("random", "win-block"), ("win-block", "random"))[record["first"]]
    answer("tournament", words[0], "random", *words[1:], str(tmp_path / "three"), "--save")
    names = {file.name for file in (tmp_path / "three" / "games").glob("*.sgf")}
    assert names == {f"{match:03}-{n:05}.sgf" for match in (1, 2, 3) for n in (1, 2, 3)}
