"""What games of training begin with: one position, or many where a game is drawn."""

from plyground import games
from plyground.learn import measure
from plyground.learn.starts import starts_of
from plyground.rules import legal


def test_a_game_that_is_drawn_begins_with_many_positions_unless_its_seed_is_given():
    game = games.make("line-taking", 3)
    drawn = starts_of("line-taking", game, 0, 30)
    assert len({state["free"].tobytes() for state in drawn}) == 30
    assert all(12 <= left <= 33 for left in drawn["left"])
    assert set(starts_of("line-taking(cells=15)", game, 0, 10)["left"]) == {15}
    assert (starts_of("line-taking", game, 1, 5)["free"] != drawn["free"][:5]).any()
    assert len(starts_of("line-taking(seed=3)", game, 0)) == 1
    assert len(starts_of("tictactoe", games.make("tictactoe"), 0)) == 1


def test_mistakes_are_counted_on_many_regions_where_many_are_learnt():
    game = games.make("line-taking(cells=12)", 1)
    found = measure.positions(game, "line-taking(cells=12)", 30)
    assert len({state["free"].tobytes() for state in found.states}) > 25
    for state, best in zip(found.states, found.best, strict=True):
        assert best.any() and set(legal(game, state)) >= set(best.nonzero()[0])
