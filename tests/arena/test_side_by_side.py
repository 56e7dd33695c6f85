"""Matches whose games are played side by side have the games that are played one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plyground as pg
from plyground import agents, rules
from plyground.agents.base import Forfeit
from plyground.agents.net import Net
from plyground.arena.match import Players, play_pairs
from plyground.arena.results import Plan
from plyground.nets.trained import shipped

RACE = str(Path(__file__).parents[2] / "examples/dice_race.py")


class Drawing:
    """Draws a legal action; tells how many games it was asked of at once."""

    many = True

    def __init__(self, many: bool = True, wrong: str = "") -> None:
        self.many, self.wrong = many, wrong
        self.asked: list[int] = []

    def think(self, game: Any, state: Any, limit: Any) -> int:
        return self.think_in_each(game, [state], [self.rng])[0]  # type: ignore[attr-defined]

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        self.asked.append(len(states))
        if self.wrong == "forfeits" and int(states[0]["stones"]) > 3:
            raise Forfeit("it had enough")
        chosen = [int(rng.choice(rules.legal(game, state))) for state, rng in zip(states, rngs, strict=True)]
        return [99] * len(chosen) if self.wrong == "illegal" and int(states[0]["stones"]) > 3 else chosen


def told(report: Any) -> list[tuple]:
    """All of the games but the clock."""
    return [(r.number, r.first, r.actions, r.names, r.opening, r.score, r.moves, r.reason) for r in report.records]


def both_ways(game: str, **options: Any) -> tuple[Any, Any, Drawing]:
    """The same match side by side and one by one, and an agent of the first."""
    one, other = Drawing(), Drawing()
    at_once = pg.match(game, one, other, seed=4, **options)
    return at_once, pg.match(game, Drawing(many=False), Drawing(many=False), seed=4, **options), one


@pytest.mark.parametrize("game", ["tictactoe", RACE], ids=lambda game: Path(game).stem)
def test_games_side_by_side_are_those_of_one_by_one(game: str) -> None:
    at_once, one_by_one, agent = both_ways(game, games=9, openings=0 if game == RACE else 2)
    assert told(at_once) == told(one_by_one) and len({str(record.actions) for record in at_once.records}) > 3
    assert max(agent.asked) > 3


@pytest.mark.parametrize("wrong", ["forfeits", "illegal"])
def test_an_agent_that_forfeits_or_breaks_the_rules_has_lost(wrong: str) -> None:
    at_once = pg.match("tictactoe", Drawing(wrong=wrong), Drawing(), games=6)
    one_by_one = pg.match("tictactoe", Drawing(False, wrong), Drawing(False), games=6)
    assert told(at_once) == told(one_by_one) and at_once.records[0].reason


def test_both_have_to_be_able_to() -> None:
    one, other = Drawing(), Drawing(many=False)
    pg.match("tictactoe", one, other, games=4)
    assert set(one.asked) == {1}


def test_matches_take_turns_and_the_pairs_that_are_kept_are_not_played_again() -> None:
    plans = [Plan("tictactoe", (spec, spec), 10, pairing=number) for number, spec in enumerate(["random", "win-block"])]
    wanted = sorted((number, str([r.actions for r in pair])) for number, pair in play_pairs(plans))
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("random", "win-block"):
            patch.setattr(type(agents.make(kind)), "many", True)
        found = list(play_pairs(plans, at_once=2))
    assert [number for number, _ in found] == [0, 0, 1, 1, 0, 0, 1, 1, 0, 1]
    assert sorted((number, str([r.actions for r in pair])) for number, pair in found) == wanted


def test_nets_play_side_by_side_what_they_play_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    net = f"net({str(shipped()['connect-four'])!r})"
    plan = Plan("connect-four", (net, net), 6, seed=2, opening=3)
    assert Players().at_once(plan)
    at_once = [[record.actions for record in pair] for _, pair in play_pairs([plan])]
    monkeypatch.setattr(Net, "many", False)
    assert at_once == [[record.actions for record in pair] for _, pair in play_pairs([plan])]
    assert len(np.unique([len(actions) for pair in at_once for actions in pair])) > 1
