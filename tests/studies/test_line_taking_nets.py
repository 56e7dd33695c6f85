"""The nets of the study line-taking: mistakes are counted by the exact table, and the page tells what was found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plyground.games.line_taking.table import LineTable
from plyground.rules import legal
from plyground.studies import line_taking, line_taking_nets
from plyground.studies.line_taking_nets import WAYS, findings, mistakes, sections, solved_positions


def test_solved_positions_have_so_many_cells_and_what_keeps_their_value() -> None:
    game, states, best = solved_positions(9, 12)
    assert set(states["left"]) == {9} and len({state["free"].tobytes() for state in states}) == 12
    for state, keeps in zip(states, best, strict=True):
        table = LineTable(game, state)
        table.fill()
        values = table.values(state)
        assert set(np.flatnonzero(keeps)) == {action for action in values if values[action] == max(values.values())}


@pytest.mark.parametrize("right", [True, False])
def test_who_plays_by_the_table_makes_no_mistake_and_who_plays_against_it_all(
    monkeypatch: pytest.MonkeyPatch, right: bool
) -> None:
    """A net that knows the truth, or its opposite; a search that believes its net, as no search is to be compiled."""
    game, states, best = solved_positions(7, 10)
    known = {state["free"].tobytes(): keeps for state, keeps in zip(states, best, strict=True)}
    planes = {}
    for state in states:
        seen = np.zeros(game.planes(), np.float32)
        game.encode(state, seen)
        planes[seen.tobytes()] = known[state["free"].tobytes()]

    def evaluate(inputs: np.ndarray) -> np.ndarray:
        sign = 1 if right else -1
        return np.array([[*(sign * planes[seen.tobytes()].astype(np.float32)), 0] for seen in inputs], np.float32)

    monkeypatch.setattr(
        line_taking_nets, "BatchedPUCT", lambda game, asked, *_: line_taking_nets.Greedy(game, "board", asked)
    )
    monkeypatch.setattr(line_taking_nets, "UCT", "random")
    found = mistakes(7, 10, evaluate=evaluate)
    everything = sum(not known[state["free"].tobytes()][legal(game, state)].all() for state in states)
    assert found["alone"] == found["search"] == found["endgames"] == (0 if right else everything)
    assert 0 < found["chance"] < found["positions"] == 10


def test_the_page_tells_mistakes_by_cells_and_scores() -> None:
    names = line_taking.parts(True)
    figures: dict[str, Any] = {}
    for i, name in enumerate(name for name in names if name.startswith("net, ")):
        figures[name] = {"positions": 10, **{way: i for way in WAYS}}
    figures |= {name: {"games": 4, "wins": 3, "draws": 0, "losses": 1} for name in names if name.startswith("net ")}
    assert len(figures) == 6
    (section,) = sections(figures)
    tables = [block for block in section.blocks if hasattr(block, "rows")]
    assert [row[0] for row in tables[0].rows] == ["8", "14", "20", "all up to 20"]
    assert tables[0].rows[-1][1].startswith("10.0 %") and tables[0].rows[-1][-1] == "30"
    assert {row[0].partition(",")[0] for row in tables[1].rows} == {"dqn", "transformer", "hexagons"}
    assert tables[2].rows[0][:2] == ["net v the study's alpha-beta", "4"]
    assert set(section.parts) == set(figures)
    by_cells, aim, solved = findings(figures)
    assert "75.0 % of 4 games" in solved and "0 %, 10 %, 20 %" in by_cells
    assert "errs in 10.0 % of 30 positions" in aim and "at most 2 % were aimed at" in aim
    assert findings({}) == sections({}) == []
