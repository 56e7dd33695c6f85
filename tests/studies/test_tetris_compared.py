"""The Tetris part of the study gomoku-tetris: what it says follows its figures, and how they are computed."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest

from plyground.studies import tetris_compared, tetris_runs
from plyground.studies.report import Table
from plyground.studies.tetris_compared import DQN, MAIN, MCTS, OTHER, PLAIN, STUDY, WELLS, mean
from plyground.studies.tetris_runs import agent, controller, training
from studies.tetris_figures import made_up


@pytest.mark.parametrize("quick", [True, False])
def test_what_was_found_follows_the_figures(quick: bool) -> None:
    parts = tetris_compared.parts(quick)
    end = {DQN: 50.0, PLAIN: 80.0, MCTS: 80.5, STUDY: 20.0}
    middle = {DQN: 60.0, PLAIN: 10.0, MCTS: 30.0, STUDY: 8.0}
    found = made_up(parts, end, middle)
    time, placements, search, losses, beside, points = tetris_compared.findings(found, quick)
    assert "clears more lines than DQN (50 ±" in time and "cannot be told from actor-critic (80 ±" in time
    assert "clears fewer lines than DQN (60 ±" in placements and "clears more lines than actor-critic (10" in placements
    assert "alone clears 1 ±" in search and "search 80 ±" in search
    assert "clears fewer lines than the one above (20" in losses
    assert beside.split(". ")[0].endswith("2 ahead`, cross-entropy, 1 ahead, UCT")  # 70 and 40, but not 90
    assert "80 lines and 805 points" in points
    learners, others = tetris_compared.sections(found, quick)
    assert {*learners.parts, *others.parts} == set(parts)
    tables = [block for block in (*learners.blocks, *others.blocks) if isinstance(block, Table)]
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    assert [row[1].partition("\n")[0][:3] for row in tables[0].rows] == ["60 ", "10 ", "30 ", "8 ±"]
    assert "about 4,000 placements" in tables[0].columns[1]


def test_the_error_of_a_mean_is_that_of_games_or_of_seeds() -> None:
    alike = mean([{"lines": [0, 10]}, {"lines": [10, 0]}])
    assert alike.value == 5 and alike.interval == pytest.approx(1.96 * (50 / 4) ** 0.5)
    apart = mean([{"lines": [0, 0]}, {"lines": [10, 10]}])
    assert apart.seeds == [0, 10] and apart.interval == pytest.approx(1.96 * (50 / 2) ** 0.5)


def test_learners_train_for_their_time_and_are_measured_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr(tetris_runs, "time", SimpleNamespace(process_time=lambda: next(seconds)))
    options = {"environments": 4, "limit": 20, "hidden": "8"}
    made = training(WELLS[MAIN], "mcts-actor-critic", options | {"sims": 4, "measure_sims": 4}, 5, [64, 128], 3, 1)
    assert [point["pieces"] for point in made["curve"]] == [64, 128, 320]  # a second for 64 pieces
    assert [point["seconds"] for point in made["curve"]] == [1, 2, 5]
    assert [len(point["search"]["lines"]) for point in made["curve"]] == [3, 3, 6]
    plain = training(WELLS[MAIN], "a2c", options, 1, [], 3, 1)
    assert len(plain["curve"]) == 1 and "search" not in plain["curve"][0]


def test_games_of_controllers_and_agents_are_counted() -> None:
    played = controller(WELLS[OTHER], "bcts", 1, 3, 30, 1)
    assert played["unfinished"] == 1 and all(9 <= lines <= 20 for lines in played["lines"])
    assert all(score >= 100 * lines for score, lines in zip(played["scores"], played["lines"], strict=True))
    random = agent(WELLS[MAIN], "random", 3, 500, 1)
    assert random["unfinished"] == 0 and sum(random["lines"]) < 9 and random["scores"] == random["lines"]
    assert agent(WELLS[MAIN], "random", 2, 3, 1)["unfinished"] == 1 and random["seconds_a_piece"] > 0
