"""Games of OpenSpiel as games of ours: what our rules say of them is what OpenSpiel says, and whatever plays ours plays
them, interpreted."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

import plyground as pg
from commands import refusal, run
from plyground import agents, games, manifest, position, rules
from plyground.agents.base import Limit
from plyground.check import check
from plyground.games.connect_four.openspiel import moves_to
from plyground.games.k_in_row.rules import MNK
from plyground.spec import InputError
from plyground.web.view import Shown

EXAMPLES = Path(__file__).parents[2] / "examples"
BREAKTHROUGH = 'openspiel("breakthrough(rows=6,columns=6)")'
TICTACTOE = 'openspiel("tic_tac_toe")'


@pytest.mark.parametrize(
    "name", ["breakthrough(rows=5,columns=4)", "pig(winscore=15)", "catch", "oware", "hex(board_size=4)"]
)
def test_a_game_says_what_openspiel_says(name: str) -> None:
    game, rng = games.make(f'openspiel("{name}")'), random.Random(name)
    assert [breach for _, breach in check(game, games=2) if breach] == []
    state, theirs = rules.new(game), pyspiel.load_game(name).new_initial_state()
    while not theirs.is_terminal():
        assert not game.over(state) and game.player(state) == theirs.current_player()
        assert game.text(state) == str(theirs).rstrip()
        if theirs.is_chance_node():
            first = theirs.get_game().num_distinct_actions()  # chance events have numbers of their own
            assert rules.outcomes(game, state) == [(first + k, odds) for k, odds in theirs.chance_outcomes()]
        else:
            assert rules.legal(game, state) == theirs.legal_actions()
            planes = np.zeros(game.planes(), np.float32)
            game.encode(state, planes)
            assert planes[:-1].ravel().tolist() == theirs.observation_tensor()
            assert (planes[-1] == theirs.current_player()).all()
        action = rng.choice(rules.playable(game, state))
        game.play(state, action)
        theirs.apply_action(action - first if theirs.is_chance_node() else action)
    assert game.over(state) and game.score(state) == theirs.returns()[0]


def test_states_that_are_not_kept_any_more_are_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from plyground.games.openspiel import rules as theirs

    game = games.make(TICTACTOE)
    state = position.read(game, "(1,1) (0,0) (2,2)")
    monkeypatch.setattr(theirs, "_states", type(theirs._states)())
    assert game.text(state) == "o..\n.x.\n..x" and game.player(state) == 1


def test_names_leave_out_who_moves_and_are_numbers_where_there_are_several() -> None:
    assert [games.make(TICTACTOE).name(action) for action in (0, 4)] == ["(0,0)", "(1,1)"]
    assert games.make('openspiel("ultimate_tic_tac_toe")').name(3) == "action-3"
    assert games.make(BREAKTHROUGH).name(2) == "a6a5"


def test_chance_events_do_not_bear_the_names_of_moves() -> None:
    game = games.make('openspiel("2048")')
    state = rules.new(game)
    for _ in range(2):
        tiles = [game.name(action) for action, _ in rules.outcomes(game, state)]
        assert all("-added-to-row-" in tile for tile in tiles)
        game.play(state, rules.outcomes(game, state)[0][0])
    assert [game.name(action) for action in rules.legal(game, state)] == ["right", "down", "left"]
    game = games.make('openspiel("pig")')
    state = position.read(game, "roll roll-3 roll roll-4")
    assert "scores: 0 0, turn total: 7" in game.text(state).lower()
    assert agents.make("openspiel-mcts(sims=20)").think(game, state).action in rules.legal(game, state)


@pytest.mark.parametrize(
    "name", ["hex(board_size=40)", "y(board_size=32)", "havannah(board_size=20)", "breakthrough(rows=40,columns=40)"]
)
def test_boards_with_more_columns_than_there_are_letters_have_names_and_a_text(name: str) -> None:
    game = games.make(f'openspiel("{name}")')
    state = rules.new(game)
    for _ in range(2):
        choices = rules.legal(game, state)
        names = [game.name(action) for action in choices]
        assert len(set(names)) == len(names) and any(name.startswith("action-") for name in names)
        game.play(state, choices[-1])
    assert game.text(state)


@pytest.mark.parametrize(
    "name, why",
    [
        ("kuhn_poker", "hidden"),
        ("goofspiel", "at once"),
        ("chinese_checkers(players=3)", "it has 3"),
        ("stones_and_gems", "it draws itself"),
        ("efg_game(filename=/etc/passwd)", "read from a file"),
        ("breakthrouh", "did you mean breakthrough?"),
        ("breakthrough(rosw=6)", "Unknown parameter 'rosw'"),
        ("connect_four(rows=0)", "rows is 1 to 100, not 0"),
        ("misere(game=hex(board_size=1000))", "board_size is 1 to 100"),
        ("nim(pile_sizes=0;0)", "over at the start"),
        ("clobber(rows=30,columns=40)", "columns_ <= 26"),
        ("checkers(rows=30,columns=30)", "columns_ <= 26"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(name: str, why: str, capfd: pytest.CaptureFixture) -> None:
    with pytest.raises(InputError, match=why) as refused:
        games.make(f'openspiel("{name}")')
    assert "\n" not in str(refused.value) and capfd.readouterr().err == ""


def test_without_openspiel_its_games_and_agents_are_left_out_and_one_line_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(manifest, "_installed", lambda module: False)
    assert "openspiel" not in games.registry() and "openspiel-mcts" not in agents.registry()
    with pytest.raises(InputError, match=r'^openspiel needs OpenSpiel: pip install "plyground\[peers\]"$'):
        games.make(BREAKTHROUGH)
    with pytest.raises(InputError, match=r"^openspiel-mcts needs OpenSpiel"):
        agents.make("openspiel-mcts")


class Interpreted(MNK):
    """Tic-tac-toe by rules that say of themselves that they do not compile."""

    def compiles(game):
        return False


@pytest.mark.parametrize("agent", ["uct(sims=60)", "rave(sims=60)"])
def test_searches_find_the_same_interpreted_as_compiled(agent: str) -> None:
    one, other = (pg.think(game, agent, seed=3).moves for game in (Interpreted(), "tictactoe"))
    assert [tuple(move) for move in one] == [tuple(move) for move in other]
    assert sum(move.visits for move in one) == 60


def test_a_game_of_theirs_is_thought_about_played_solved_and_shown() -> None:
    assert pg.think(BREAKTHROUGH, "uct(sims=3)").simulations == 3
    assert pg.match(BREAKTHROUGH, "win-block", "random", games=2).games == 2
    assert pg.tournament(TICTACTOE, ["random", "win-block", "openspiel-mcts(sims=20)"], games=2).table()
    assert pg.solve('openspiel("mnk(m=3,n=2,k=2)")').value == 1
    shown = Shown(games.make(TICTACTOE), TICTACTOE)
    state, last = shown.state("", ["(1,1)"])
    assert shown.view("", ["(1,1)"], state, last)["text"] == "...\n.x.\n..."
    envs = pg.vector_env(TICTACTOE, 2)
    envs.reset(seed=1)
    assert envs.step(envs.random_actions())[0].shape == (2, 4, 3, 3)


def test_a_board_is_drawn_only_where_planes_show_stones() -> None:
    assert Shown(games.make(TICTACTOE), TICTACTOE).board["shape"] == "text"  # their first plane has the free cells
    assert Shown(games.make('openspiel("y(board_size=5)")'), "y").board["shape"] == "cells"


def test_refusals_are_one_line_of_the_command_line_too() -> None:
    assert "OpenSpiel has no game 'ches'; did you mean chess?" in refusal(run("think", 'openspiel("ches")', "random"))


@pytest.mark.parametrize(
    "game, moves, best",
    [
        ("tictactoe", "a1 a2 b1 b2", "c1"),
        ("connect-four", "a b a b a b", "a"),
        ('gomoku(6,"exactly-five")', "a1 a2 b1 b2 c1 c2 d1 d2", "e1"),
        (TICTACTOE, "(0,0) (1,0) (0,1) (1,1)", "(0,2)"),
    ],
)
def test_its_search_takes_a_win_in_any_game(game: str, moves: str, best: str) -> None:
    """By its own rules, and, where more than five do not win, by ours."""
    thought = pg.think(game, "openspiel-mcts(sims=300)", moves, seed=1)
    made = games.make(game)
    assert made.name(thought.action) == best
    assert thought.value == 1 and thought.moves[0].proven and thought.moves[0].action == thought.action
    again = pg.think(game, "openspiel-mcts(sims=300)", moves, seed=1)
    assert [tuple(move) for move in again.moves] == [tuple(move) for move in thought.moves]


def test_its_search_refuses_points_on_the_way_in_one_line_and_people_meet_another_agent_there() -> None:
    game = games.make('openspiel("2048")')
    moves = "2-added-to-row-1,-column-1 2-added-to-row-1,-column-2"
    with pytest.raises(InputError, match="gives points on its way"):
        pg.think('openspiel("2048")', "openspiel-mcts(sims=20)", moves)
    assert agents.usual(game) == "uct" and agents.usual(games.make(TICTACTOE)) == "openspiel-mcts"


def test_its_search_makes_as_many_simulations_as_it_is_asked_for_and_two_at_least() -> None:
    game, by = games.make(TICTACTOE), agents.make("openspiel-mcts(sims=300)", 1)
    thoughts = []
    for limit in (Limit(), Limit(seconds=60.0), Limit(seconds=60.0, stop=lambda: False), Limit(stop=lambda: False)):
        by.begin(1)
        thoughts.append(by.think(game, rules.new(game), limit))
    assert all(thought.moves == thoughts[0].moves and thought.simulations == 300 for thought in thoughts)
    one = agents.make("openspiel-mcts(sims=1)", 1).think(game, rules.new(game))
    assert one.action in range(9) and one.simulations == 2


def test_its_search_chooses_at_random_and_judges_nothing_where_no_tree_was_grown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("plyground.games.openspiel.mcts.LEAST", 1)
    game = games.make(TICTACTOE)
    thought = agents.make("openspiel-mcts(sims=1)", 1).think(game, rules.new(game))
    assert thought.action in range(9) and thought.value is None


def test_its_search_ends_in_time_and_soon_where_it_may_be_stopped() -> None:
    game, by = games.make('openspiel("connect_four")'), agents.make("openspiel-mcts(sims=100000000)", 1)
    for limit, most in ((Limit(seconds=0.5), 0.5), (Limit(seconds=60.0, stop=lambda: False), 0.25)):
        begun = time.process_time()
        assert by.think(game, rules.new(game), limit).simulations > 200
        assert time.process_time() - begun < 3 * most
    assert by.think(game, rules.new(game), Limit(stop=lambda: True)).simulations == 2


@pytest.mark.parametrize("name", ["fox_and_hounds", "dice_race"])
def test_its_search_plays_games_of_files(name: str) -> None:
    game = games.make(str(EXAMPLES / f"{name}.py"))
    state = rules.new(game)
    while game.player(state) == rules.CHANCE:
        game.play(state, rules.outcomes(game, state)[0][0])
    thought = agents.make("openspiel-mcts(sims=5)").think(game, state)
    assert thought.action in rules.legal(game, state) and thought.simulations == 5


def test_stones_are_dropped_again_in_turns_or_it_is_said_that_they_cannot() -> None:
    game: Any = games.make("connect-four")
    rng = random.Random(1)
    for _ in range(50):
        state = rules.new(game)
        for _ in range(rng.randrange(30)):
            if game.over(state):
                break
            game.play(state, rng.choice(rules.legal(game, state)))
        if not game.over(state):
            again = rules.new(game)
            for action in moves_to(game, state):
                game.play(again, action)
            assert game.cells(again) == game.cells(state) and game.player(again) == game.player(state)
    hanging = game.read("......./......./......./......./X....../O...... X")
    assert moves_to(game, hanging) is None


def test_its_search_refuses_our_games_of_one_player_which_give_points_on_their_way() -> None:
    with pytest.raises(InputError, match="no game that gives points on its way"):
        agents.make("openspiel-mcts(sims=5)", 1).think(games.make("tetris"), rules.new(games.make("tetris")))
