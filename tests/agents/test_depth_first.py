"""The agents minimax, alphabeta and hybrid: what they choose, within which limits."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import naive_depth_first as naive
import toys
from plyground import agents, games, rules
from plyground.agents.base import Limit
from plyground.arena.match import Plan, play_match
from plyground.exact.odds import distribution
from plyground.spec import InputError

TICTACTOE = games.make("tictactoe")
START = rules.new(TICTACTOE)
ALL = pytest.mark.parametrize("agent", ["minimax", "alphabeta", 'alphabeta(variant="hard")', "alphabeta(memory=0)"])


def think(spec, state=START, game=TICTACTOE, limit=Limit(), seed=0):
    return agents.make(spec, seed).think(game, state, limit)


@ALL
@pytest.mark.parametrize(
    ("diagram", "name"), [("XX./OO./... X", "c3"), ("XX./OO./X.. O", "c2"), ("X../OO./X.. X", "c2")]
)
def test_wins_and_blocks(agent, diagram, name):
    assert TICTACTOE.name(think(agent, TICTACTOE.read(diagram)).action) == name


@ALL
def test_wins_fast_although_other_moves_win_too(agent):
    state = TICTACTOE.read("XX./O../O.. X")  # b2 would make three threats
    thought = think(agent, state)
    assert TICTACTOE.name(thought.action) == "c3"
    assert think(agent, TICTACTOE.read("XX./OX./O.. O")).value == -1


@ALL
def test_loses_slowly(agent):
    """In lost positions where some moves lose sooner than others."""
    known = naive.solved(TICTACTOE, START)
    states = np.frombuffer(b"".join(known), rules.dtype(TICTACTOE)).view(np.recarray)
    tried = {0: 0, 1: 0}
    for state in states:
        player = TICTACTOE.player(state)
        if TICTACTOE.over(state) or known[state.tobytes()][0] != 2 * player - 1 or tried[player] == 5:
            continue
        plies = {a: known[rules.after(TICTACTOE, state, a).tobytes()][1] for a in rules.legal(TICTACTOE, state)}
        if len(set(plies.values())) > 1:
            thought = think(agent, state)
            assert thought.value == -1 and plies[thought.action] == max(plies.values())
            tried[player] += 1
    assert tried == {0: 5, 1: 5}


@ALL
def test_the_empty_board_is_a_draw(agent):
    thought = think(agent.replace("alphabeta(", "alphabeta(depth=9, ").replace(", )", ")"), START)
    assert thought.value == 0 or agent == "alphabeta"  # six plies do not see the end
    assert len(thought.moves) == 9 and thought.moves[0].action == thought.action and thought.line[0] == thought.action


@pytest.mark.parametrize("agent", ["minimax", "alphabeta(depth=9)"])
def test_values_with_chance_are_the_means_that_exact_odds_give(agent):
    game = toys.make("dice")
    for state in naive.positions(game, random.Random(4), 6):
        sign = 1 - 2 * int(game.player(state))
        odds = distribution(game, state, "optimal", "optimal", exact=True)
        thought = think(agent, state, game)
        assert thought.value == pytest.approx(sign * mean(odds.total), abs=1e-4)
        after = {move.action: move.value for move in thought.moves if agent == "minimax"}
        assert after == pytest.approx({a: sign * mean(odds.moves[a]) for a in after}, abs=1e-4)
        assert thought.note == ""


def mean(odds):
    """Of the scores, by their probabilities."""
    return float(sum(score * p for score, p in odds.items()))


def test_without_a_scoring_a_thought_says_that_open_positions_count_as_nothing():
    plain = "threats=False, order=False, mirrors=False, memory=0"
    for spec in ('minimax(depth=2, scoring="none")', f'alphabeta(depth=2, scoring="none", {plain})'):
        thought = think(spec)
        assert "count as 0" in thought.note
        assert {math.copysign(1, value) for value in (thought.value, *(m.value for m in thought.moves))} == {1}
        assert think(spec, TICTACTOE.read("XOX/XOO/OX. X")).note == ""
    assert think('alphabeta(depth=2, scoring="patterns")').note == ""


def test_more_seconds_look_further_than_the_default_depth():
    thought = think("alphabeta(seconds=60)", START)  # ends by itself: the whole tree is known before
    assert thought.value == 0 and thought.seconds < 60


def test_stop_and_limits_are_honoured():
    game = games.make("connect-four")
    agent = agents.make("alphabeta(depth=30)")
    assert agent.think(game, rules.new(game), Limit(seconds=0.2)).action in range(7)
    asked = []
    thought = agent.think(game, rules.new(game), Limit(stop=lambda: asked.append(1) or len(asked) > 3))
    assert len(asked) >= 4 and thought.action in range(7)


@pytest.mark.parametrize("spec", ["alphabeta(depth=30)", "uct(seconds=60)"])
def test_a_watcher_hears_how_the_search_gets_on_and_nothing_of_the_next_one(spec):
    game = games.make("connect-four")
    agent, heard = agents.make(spec), []

    def grown():
        return len({thought.simulations for thought in heard}) == 3

    agent.think(game, rules.new(game), Limit(watch=heard.append, stop=grown))
    counts, last = [thought.simulations for thought in heard], heard[-1]
    assert counts == sorted(counts) and last.simulations > 0 and last.seconds > 0 and last.moves and last.line
    agent.think(game, rules.new(game), Limit(seconds=0.3))
    assert len(heard) == len(counts)


def test_no_time_at_all_still_gives_a_legal_move():
    game = games.make("connect-four")
    thought = think("alphabeta(seconds=0)", rules.new(game), game)
    assert thought.action in rules.legal(game, rules.new(game))


def test_the_study_plays_at_random_until_eleven_cells_are_left():
    game = games.make("line-taking(cells=14, seed=2)")
    state = rules.new(game)
    spec = 'alphabeta(depth=6, from_cells=11, scoring="line-taking")'
    chosen = {think(spec, state, game, seed=seed).action for seed in range(12)}
    assert len(chosen) > 3 and think(spec, state, game).simulations == 0
    while state.left > 11:
        game.play(state, rules.legal(game, state)[0])
    thought = think(spec, state, game)
    assert thought.simulations > 0 and {think(spec, state, game, seed=s).action for s in range(4)} == {thought.action}


def test_hybrid_hands_over_when_few_cells_are_left():
    agent = 'hybrid(before="win-block", then="minimax", from_cells=6)'
    assert think(agent).simulations == 0
    assert think(agent, TICTACTOE.read("XO./.X./..O X")).simulations > 0


@pytest.mark.parametrize("agent", ["minimax", "alphabeta(depth=9)", 'alphabeta(depth=9, variant="hard", window=50)'])
def test_never_loses_tic_tac_toe(agent):
    for opponent in ("random", "win-block"):
        tally = play_match(Plan("tictactoe", (agent, opponent), 20, 1, 0), 1).tally()
        assert tally.losses == 0 and tally.games == 20


def test_two_plies_beat_random_at_connect_four():
    tally = play_match(Plan("connect-four", ("alphabeta(depth=4)", "random"), 20, 1, 0), 1).tally()
    assert tally.wins >= 18


def test_an_agent_goes_on_with_another_game():
    agent = agents.make("alphabeta")
    agent.think(TICTACTOE, START)
    other = games.make("connect-four")
    assert agent.think(other, rules.new(other)).action in range(7)
    assert agent.think(TICTACTOE, TICTACTOE.read("XX./OO./... X")).action == 2


def test_a_scoring_of_another_game_is_refused():
    with pytest.raises(InputError, match="is for line-taking, not for this game"):
        think('alphabeta(scoring="line-taking")')
    with pytest.raises(InputError, match="did you mean patterns"):
        think('alphabeta(scoring="patern")')


def test_a_users_scoring_is_used(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from typing import NamedTuple\n\n\nclass Corner(NamedTuple):\n    worth: float = 100.0\n\n"
        "    def judge(scoring, game, state):\n"
        "        mine = state.stones & 1\n"
        "        return scoring.worth * ((state.cells[0] == mine + 1) * 1.0 - (state.cells[0] == 2 - mine) * 1.0)\n"
    )
    spec = f'alphabeta(depth=1, threats=False, memory=0, scoring="{file}:Corner")'
    thought = think(spec)
    assert thought.action == 0 and thought.value > 0
    file.write_text("class Corner:\n    pass\n")
    with pytest.raises(InputError, match="not a scoring"):
        think(spec)
