"""The commands with a game of one player."""

from __future__ import annotations

import pytest

from commands import answer, refusal, run


def test_a_game_is_played_and_its_score_told() -> None:
    found = answer("play", "tetris(6,6)", "--you", "random", "--seed", "3")
    assert found["score"] > 0 and found["score"] % 10 == 0
    ran = run("play", "tetris(6,6)", "--you", "random", "--seed", "3")
    assert ran.stdout.rstrip().endswith(f"\nscore {found['score']:g}")
    assert "wins" not in ran.stdout


def test_a_thought_tells_what_placements_are_worth() -> None:
    found = answer("think", "tetris(6,20)", "uct(sims=500)", "--position", "####.#/####.# iz")
    assert found["simulations"] == 500 and found["value"] > 100


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("match", "tetris", "random", "random"),
            "a match is for games of two players; `plyground score GAME AGENT`",
        ),
        (("solve", "tetris", "--position", "t z"), "for games of two players"),
        (("solve", "tetris", "--first", "random", "--position", "t z"), "solving is for games of two players"),
        (("think", "tetris", "alphabeta", "--position", "t z"), "for games of two players"),
        (
            ("think", "tetris", "uct"),
            "a chance event is due in this position: add its outcome; outcomes are i o t s",
        ),
        (("think", "tetris", "uct", "--position", "...#/# t"), "rows are 10 signs"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(words: tuple, says: str) -> None:
    assert says in refusal(run(*words))


def test_bench_puts_the_controller_beside_one_that_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from plyground.games.tetris import bench

    monkeypatch.setattr(bench, "GAMES", bench.GAMES[:1])
    monkeypatch.setattr(bench, "PIECES", 60)
    (row,) = answer("bench", "tetris", "--seconds", "0.05")["tetris"]
    assert row["game"] == 'tetris(10,20,"simplified")' and row["at_least"] == 1_000_000
    assert min(row["in_games_per_s"], row["rated_per_s"], row["limit_per_s"]) > 0 and row["share_of_limit"] > 0


def test_small_scores_are_told_with_decimals_and_the_median_of_two_lies_between_them() -> None:
    from plyground.arena.scores import Played, Standing, Task
    from plyground.report.score import ScoreReport

    games = [Played(number, score, 5, 0.1, True) for number, score in enumerate((3.0, 8.0))]
    told = repr(ScoreReport(Standing(Task("g", "a", 2), games)))
    row = next(line for line in told.splitlines() if line.startswith("score "))
    assert row.split()[1] == "5.50" and row.split()[-3:] == ["3", "5.50", "8"], row
