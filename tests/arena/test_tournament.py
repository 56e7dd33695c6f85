"""Tournaments: who plays whom, what is added up for whom, and that processes change nothing."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from plyground import games, rules
from plyground.agents import REGISTRY
from plyground.agents.base import Agent, Forfeit, Limit, Thought
from plyground.agents.simple import Random
from plyground.arena.openings import draw
from plyground.arena.tournament import Standings, Tournament, play_tournament
from plyground.report.tournament import TournamentReport
from plyground.spec import InputError


def outcome(standings: Standings) -> list:
    return [(n, r.number, r.first, r.actions) for n, result in enumerate(standings.results) for r in result.records]


def test_everybody_meets_everybody_or_only_the_first() -> None:
    four = ("a", "b", "c", "d")
    assert Tournament("tictactoe", four, 2).pairings == list(combinations(range(4), 2))
    assert Tournament("tictactoe", four, 2, gauntlet=True).pairings == [(0, 1), (0, 2), (0, 3)]
    with pytest.raises(InputError, match="two agents"):
        Tournament("tictactoe", ("a",), 2)


def test_agents_of_the_same_name_have_labels_of_their_own() -> None:
    assert Tournament("tictactoe", ("uct", "random", "uct"), 2).labels == ["uct #1", "random", "uct #2"]
    standings = play_tournament(Tournament("mnk(1,1,1)", ("random", "random", "random"), 4))
    assert [agent["label"] for agent in TournamentReport(standings).to_json()["agents"]] == [
        "random #1",
        "random #2",
        "random #3",
    ]
    assert all(standings.tally(agent).score == 0.5 for agent in range(3))


def test_an_odd_number_of_games_gives_the_first_seat_to_the_first_agent_once_more() -> None:
    # on 1x1 whoever moves first wins
    standings = play_tournament(Tournament("mnk(1,1,1)", ("random", "win-block", "win-block-middle"), 5))
    assert standings.table[:, :, 0].tolist() == [[0, 3, 3], [2, 0, 3], [2, 2, 0]]
    assert standings.tally(0, 1).counts() == {"games": 5, "wins": 3, "draws": 0, "losses": 2}
    assert standings.tally(2).counts() == {"games": 10, "wins": 4, "draws": 0, "losses": 6}
    assert standings.complete and standings.ratings().advantage > 300


def test_what_is_added_up_is_what_was_played() -> None:
    standings = play_tournament(Tournament("tictactoe", ("random", "win-block", "win-block-middle"), 20, opening=1))
    for agent in range(3):
        points, games = 0.0, 0
        for pairing, result in zip(standings.tournament.pairings, standings.results, strict=True):
            for record in result.records:
                if agent in pairing:
                    seat = pairing.index(agent) if record.first == 0 else 1 - pairing.index(agent)
                    points += (1 + (record.score if seat == 0 else -record.score)) / 2
                    games += 1
        assert standings.tally(agent).games == games == 40
        assert standings.tally(agent).score * games == points
    told = TournamentReport(standings).to_json()
    assert [agent["label"] for agent in told["agents"]][-1] == "random"
    assert sum(agent["score"] for agent in told["agents"]) == pytest.approx(1.5)
    assert np.mean([agent["elo"] for agent in told["agents"]]) == pytest.approx(0, abs=1e-9)


def test_all_pairings_have_the_same_openings_but_not_the_same_games() -> None:
    standings = play_tournament(Tournament("gomoku(7)", ("random", "random", "random"), 8, seed=2, opening=3))
    openings = [[tuple(r.actions[:3]) for r in result.records] for result in standings.results]
    assert openings[0] == openings[1] == openings[2]
    assert openings[0][0::2] == openings[0][1::2] and len(set(openings[0])) == 4
    played = {tuple(r.actions) for result in standings.results for r in result.records}
    assert len(played) == 24


def test_pairings_share_the_draws_of_a_game_that_is_drawn_anew() -> None:
    spec = "line-taking(cells=12)"
    standings = play_tournament(Tournament(spec, ("random", "random", "random"), 4, seed=2))
    drawn = [games.make(spec, seed=draw(2, pair)) for pair in (0, 1)]
    assert drawn[0] != drawn[1]
    for record in [record for result in standings.results for record in result.records]:
        game = drawn[record.number // 2]
        state = rules.new(game)
        for action in record.actions:
            assert action in rules.legal(game, state)
            game.play(state, action)
        assert game.over(state) and game.score(state) == record.score


def test_the_number_of_processes_does_not_change_a_tournament() -> None:
    tournament = Tournament("tictactoe", ("uct(sims=20)", "win-block", "random"), 7, seed=4, opening=1)
    assert outcome(play_tournament(tournament, jobs=2)) == outcome(play_tournament(tournament))


def test_a_tournament_of_two_is_a_match() -> None:
    standings = play_tournament(Tournament("tictactoe", ("win-block", "random"), 60, opening=1))
    ratings = standings.ratings()
    assert ratings.elo[0] == pytest.approx(-ratings.elo[1]) and ratings.elo[0] > 50
    assert ratings.superiority(0, 1) > 0.99


def test_draws_alone_leave_everybody_equal() -> None:
    standings = play_tournament(Tournament("mnk(2,1,2)", ("random", "win-block", "random"), 4))
    report = TournamentReport(standings)
    told = report.to_json()
    assert [agent["elo"] for agent in told["agents"]] == pytest.approx([0, 0, 0], abs=1e-6)
    assert all(agent["draws"] == 8 for agent in told["agents"])
    assert all(row[1] == "+0" for row in report.table().rows)


def test_a_gauntlet_is_counted_from_its_first_agent() -> None:
    standings = play_tournament(Tournament("tictactoe", ("win-block", "random", "random"), 10, gauntlet=True))
    told = TournamentReport(standings).to_json()
    assert told["anchor"] == "win-block" and standings.ratings().elo[0] == 0
    assert standings.tally(1, 2).games == 0 and standings.tally(0).games == 20


def test_every_match_has_games_whenever_it_is_interrupted() -> None:
    def tired(standings: Standings) -> None:
        if standings.games == 12:
            raise KeyboardInterrupt

    for jobs in (1, 2):
        standings = play_tournament(Tournament("tictactoe", ("random", "win-block", "random"), 20), jobs, tired)
        assert standings.games == 12 and not standings.complete
        assert jobs == 2 or [len(result.records) for result in standings.results] == [4, 4, 4]
    with pytest.raises(KeyboardInterrupt):
        play_tournament(Tournament("tictactoe", ("random", "random"), 2), watch=lambda _: None, folder=Tired())


class Tired:
    """Has had enough before the first pair is kept."""

    pairs: dict = {}  # noqa: RUF012

    def add(self, *_: Any) -> None:
        raise KeyboardInterrupt


class Timid(Random):
    """Gives up when it is the second player."""

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        if game.player(state) == 1:
            raise Forfeit("it is afraid")
        return super().think(game, state, limit)


def test_forfeits_are_counted_for_the_agent_that_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert issubclass(Timid, Agent)
    monkeypatch.setattr("plyground.agents.simple.Timid", Timid, raising=False)
    monkeypatch.setitem(REGISTRY, "timid", "simple:Timid")
    standings = play_tournament(Tournament("tictactoe", ("random", "timid", "win-block"), 6))
    assert [len(standings.forfeits(agent)) for agent in range(3)] == [0, 6, 0]
    forfeits = {agent["label"]: agent["forfeits"] for agent in TournamentReport(standings).to_json()["agents"]}
    assert forfeits == {"random": 0, "timid": 6, "win-block": 0}


def test_games_that_repeat_are_noticed_only_where_nothing_is_left_to_chance() -> None:
    assert play_tournament(Tournament("mnk(1,1,1)", ("random", "win-block"), 9)).results[0].repeats() == 7
    assert play_tournament(Tournament("tictactoe", ("random", "win-block"), 200)).results[0].repeats() == 0
