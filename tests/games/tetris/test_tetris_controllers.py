"""The controllers of Tetris: their features by the definitions, the games they play, and a published mean."""

from __future__ import annotations

import numpy as np
import pytest

import naive
import naive_tetris
from plyground import agents, games, rules
from plyground.agents.linear import play_games
from plyground.games.tetris.features import BCTS, DELLACHERIE, LOST, Linear
from plyground.rules import CHANCE
from plyground.search.depth_first.lookahead import Lookahead
from plyground.spec import InputError
from tetris_games import cells_of, driven, record

REFERENCE, SIMPLIFIED = games.make("tetris"), games.make("tetris(10,20,'simplified')")
ONE_BY_ONE = [Linear(*(float(i == k) for i in range(8))) for k in range(8)]


@pytest.mark.parametrize("game", [REFERENCE, SIMPLIFIED], ids=["reference", "simplified"])
def test_features_are_those_of_the_literature(game) -> None:
    """One weight is 1 and the others are 0, so that a controller tells one feature of every placement."""
    before, _, _ = driven(game, 1500, seed=5)
    tellers = [Lookahead(game, weights) for weights in ONE_BY_ONE]
    seen = []
    for kept in before[::23]:
        state = record(game, kept)
        twin = naive_tetris.Twin(game.cols, game.rows, game.reference)
        for row in range(len(twin.grid)):
            twin.grid[-1 - row] = [bool(column >> row & 1) for column in state.columns]
        told = [dict(teller.judge(state)) for teller in tellers]
        for action in rules.legal(game, state)[::3]:
            if told[0][action] != LOST:
                cells = sorted(cells_of(game, state, action, 0 if game.reference else 2))
                seen.append(naive_tetris.features(twin, cells))
                assert [points[action] for points in told] == seen[-1], (game.diagram(state), game.name(action))
    assert len(seen) > 300 and (np.array(seen).max(0) >= [10, 4, 60, 40, 30, 15, 30, 8]).all()


def test_the_example_of_the_well_feature_is_counted_as_its_authors_do() -> None:
    """MDPTetris counts the wells of this well as 20."""
    rows = "........ ...X.... ...XX... .X.XX... .XXXXX.X .XXXXX.X XXXXX..X ...XXX.X X.X..X.X"
    state = SIMPLIFIED.read(
        "/".join(f"{row}##" for row in rows.replace("X", "#").split()) + " o"
    )  # two columns as wall
    wells = {SIMPLIFIED.name(a): points for a, points in Lookahead(SIMPLIFIED, ONE_BY_ONE[5]).judge(state)}
    assert wells["r0c4"] == 20  # on top of the pile, where it makes no well


def test_the_weights_are_the_published_ones() -> None:
    assert DELLACHERIE == (-1, 1, -1, -1, -4, -1, 0, 0)
    assert BCTS == (-12.63, 6.60, -9.22, -19.77, -13.08, -10.49, -1.61, -24.04)


@pytest.mark.parametrize("game", [REFERENCE, SIMPLIFIED], ids=["reference", "simplified"])
def test_a_placement_that_ends_the_game_is_worth_least(game) -> None:
    before, _, after = driven(game, 400, seed=2)
    ends = 0
    for kept in before[np.flatnonzero(after["lost"])][:12]:
        state = record(game, kept)
        for action, points in Lookahead(game, BCTS).judge(state):
            lost = game.over(rules.after(game, state, action))
            ends += lost
            assert (points == LOST) == lost
    assert ends > 10


def test_a_played_game_is_one_decision_after_another() -> None:
    played, pieces = Lookahead(REFERENCE, BCTS, seed=9).play(25)
    state, judge = rules.new(REFERENCE), Lookahead(REFERENCE, BCTS)
    nature = naive.UCT.__new__(naive.UCT)
    nature.game, nature.stream = REFERENCE, naive.Stream(9)
    for _ in range(pieces):
        while REFERENCE.player(state) == CHANCE:
            REFERENCE.play(state, nature.drawn(state))
        REFERENCE.play(state, max(judge.judge(state), key=lambda one: one[1])[0])  # the first among equals
    assert state.tobytes() == played.tobytes() and pieces == 25


def test_games_depend_on_the_seed_and_end_at_the_limit() -> None:
    game = games.make("tetris(10,6,'simplified')")
    one, same, other = (play_games(game, BCTS, 3, 200, seed=seed) for seed in (1, 1, 2))
    assert one.moves.tolist() == same.moves.tolist() != other.moves.tolist()
    assert one.states["lines"].tolist() == one.scores.tolist()
    assert ((one.moves < 200) <= one.ended).all() and (one.moves <= 200).all()
    assert not play_games(SIMPLIFIED, BCTS, 1, 500).ended[0]


def test_bcts_clears_as_many_lines_as_was_published() -> None:
    """3,800 lines a game on 10 x 10 (Gabillon, Ghavamzadeh and Scherrer, 2013), simplified; games vary as much."""
    found = play_games(games.make("tetris(10,10,'simplified')"), BCTS, 60, 10**7, seed=1)
    assert found.ended.all()
    assert abs(found.scores.mean() - 3800) < 3 * 3800 / 60**0.5


@pytest.mark.parametrize("spec", ["dellacherie", "bcts", "linear-tetris", "linear-tetris(-2, 1, holes=-9)"])
def test_agents_fill_the_gap(spec: str) -> None:
    thought = agents.make(spec).think(REFERENCE, REFERENCE.read("####.#####/####.##### iz"))
    assert REFERENCE.name(thought.action) == "r1c5"
    assert [move.value for move in thought.moves] == sorted((move.value for move in thought.moves), reverse=True)
    assert thought.value == thought.moves[0].value and thought.simulations == len(thought.moves) == 17


def test_two_pieces_ahead_all_that_may_come_is_looked_at() -> None:
    state = REFERENCE.read("#######.../#######... oi")
    found = {depth: agents.make(f"bcts(depth={depth})").think(REFERENCE, state) for depth in (1, 2)}
    assert found[1].simulations == 9 and found[2].simulations == 9 * (1 + 7 * 17)  # squares, then bars for each preview
    assert found[1].value != found[2].value


def test_the_general_controller_is_dellacherie_unless_told_otherwise() -> None:
    game = games.make("tetris")
    assert agents.make("linear-tetris").scoring(game) == DELLACHERIE
    told = ", ".join(str(weight) for weight in BCTS)
    assert agents.make(f"linear-tetris({told})").scoring(game) == BCTS


def test_other_games_and_depths_are_refused() -> None:
    game = games.make("tictactoe")
    with pytest.raises(InputError, match="plays tetris and no other game"):
        agents.make("bcts").think(game, rules.new(game))
    with pytest.raises(InputError, match="games of one player"):
        play_games(game, BCTS, 1, 1)
    with pytest.raises(InputError, match="depth is 1 to 2"):
        agents.make("bcts(depth=3)")
