"""Line-taking: drawn regions, the naive twin, and small positions solved by hand or by a known law."""

import random
from functools import cache
from itertools import product

import pytest

from naive_games import SIDE, NaiveLineTaking, by_name, encoded, is_connected, same
from plyground import games, rules
from plyground.spec import InputError

BOARD = {(x, y) for x in range(SIDE) for y in range(SIDE)}
FULL = "/".join(["o" * SIDE] * SIDE)


def region(*rows):
    """The diagram of a region whose first rows are given."""
    rows = [row.ljust(SIDE, ".") for row in rows]
    return "/".join(rows + ["." * SIDE] * (SIDE - len(rows)))


def make(*rows):
    return games.make(f"line-taking(region='{region(*rows)}')")


def free_cells(game, state):
    """The free cells (x, y) as the encoded state shows them."""
    plane = encoded(game, state)[0]
    return {(x, y) for x, y in BOARD if plane[y, x] == 1}


@pytest.fixture(scope="module")
def cells_of():
    """The cells that an action takes, found by playing every action on a full board."""
    game = games.make(f"line-taking(region='{FULL}')")
    state = rules.new(game)
    return {
        action: frozenset(BOARD - free_cells(game, rules.after(game, state, action)))
        for action in rules.legal(game, state)
    }


# --- regions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", range(12, 34))
def test_a_drawn_region_has_the_wanted_number_of_cells_and_is_connected(cells):
    for seed in range(3):
        game = games.make(f"line-taking({cells}, seed={seed})")
        free = free_cells(game, rules.new(game))
        assert len(free) == cells
        assert is_connected(free)


def test_the_number_of_cells_is_drawn_too():
    numbers = []
    for seed in range(150):
        game = games.make(f"line-taking(seed={seed})")
        numbers.append(sum(row.bit_count() for row in game.region))
    assert min(numbers) in (12, 13) and max(numbers) in (32, 33)
    assert len(set(numbers)) > 15


def test_a_seed_draws_the_same_region_again_and_another_seed_another():
    assert games.make("line-taking(seed=7)") == games.make("line-taking", seed=7) == games.make("line-taking(seed=7)")
    assert len({games.make("line-taking(20)", seed=seed) for seed in range(50)}) == 50
    assert games.make("line-taking(seed=7)", seed=8) == games.make("line-taking(seed=7)")


def test_a_given_region_is_the_start_position():
    game = make("..o", "..oo", ".o")
    assert free_cells(game, rules.new(game)) == {(2, 0), (2, 1), (3, 1), (1, 2)}
    assert game.diagram(rules.new(game)) == region("..o", "..oo", ".o") + " 1"
    assert games.make(f"line-taking(region='{region('..o', '..oo', '.o')}')", seed=5) == game


@pytest.mark.parametrize(
    "bad",
    [
        region(),  # nothing is free
        "ooo",
        "/".join(["o" * SIDE] * (SIDE - 1)),
        "/".join(["o" * SIDE] * (SIDE + 1)),
        FULL + "o",
        region("oxo"),
        region("o o"),
    ],
)
def test_a_region_that_makes_no_sense_is_refused_in_one_line(bad):
    with pytest.raises(InputError, match=r"\A[^\n]+\Z"):
        games.make(f"line-taking(region='{bad}')")


@pytest.mark.parametrize("values", ["1", "11", "34", "1000", "-1", "12.0", "seed=-1", "seed='x'", "region=12", "k=3"])
def test_parameters_that_make_no_game_are_refused_in_one_line(values):
    with pytest.raises(InputError, match=r"\A[^\n]+\Z"):
        games.make(f"line-taking({values})")


# --- moves --------------------------------------------------------------------------------------------


def test_a_full_board_has_869_moves_no_two_of_which_take_the_same_cells(cells_of):
    """Single cells 12 x 12; pairs 12 x 11 along rows and 11 x 23 between them; threes 12 x 10 and 2 x 10 x 11."""
    assert len(cells_of) == 144 + (132 + 253) + (120 + 220)
    assert set(cells_of.values()) == NaiveLineTaking(BOARD).legal()
    assert len(set(cells_of.values())) == len(cells_of)


def test_drawn_regions_start_with_about_the_81_moves_of_the_study(cells_of):
    """About 140 as it lists them, most sets of cells twice; 81 different ones."""
    listed = different = 0
    for seed in range(100):
        game = games.make(f"line-taking(seed={seed})")
        legal = rules.legal(game, rules.new(game))
        assert len({cells_of[action] for action in legal}) == len(legal)
        listed += len(NaiveLineTaking(free_cells(game, rules.new(game))).listed())
        different += len(legal)
    assert 130 < listed / 100 < 150
    assert 75 < different / 100 < 90


@pytest.mark.parametrize("start", [*range(25), "full"])
def test_random_games_agree_with_the_naive_twin(start, cells_of):
    game = games.make(f"line-taking(region='{FULL}')" if start == "full" else f"line-taking(seed={start})")
    rng, state = random.Random(start), rules.new(game)
    twin = NaiveLineTaking(free_cells(game, state))
    while not twin.over():
        assert not game.over(state)
        assert game.player(state) == twin.player
        legal = rules.legal(game, state)
        assert len(legal) == len(twin.legal())
        assert {cells_of[action] for action in legal} == twin.legal()
        assert {action for action in cells_of if game.still(state, action)} == set(legal)
        action = rng.choice(legal)
        game.play(state, action)
        twin.play(cells_of[action])
        assert free_cells(game, state) == twin.free
        assert same(game.read(game.diagram(state)), state)
    assert game.over(state)
    assert rules.legal(game, state) == []
    assert game.score(state) == twin.score()


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (["o"], 1),
        (["o.o"], 2),  # not side by side
        (["ooo"], 6),
        (["oooo"], 9),  # never four at once
        (["oo", "o"], 6),  # a triangle: no three in a line
        (["o", "oo"], 5),  # bent
        (["o", "o", ".o"], 6),  # down to the right: straight though the columns are not
        (["...........o", "o"], 2),  # rows do not run on into the next
    ],
)
def test_moves_are_up_to_three_cells_side_by_side_on_one_line(rows, count):
    game = make(*rows)
    assert len(rules.legal(game, rules.new(game))) == count


# --- ends ---------------------------------------------------------------------------------------------


def test_who_takes_the_last_cell_loses():
    game = make("o.o")
    state = rules.after(game, rules.new(game), by_name(game, "a1"))
    assert not game.over(state) and game.player(state) == 1
    game.play(state, by_name(game, "c1"))
    assert game.over(state) and game.score(state) == 1


@pytest.mark.parametrize(("rows", "name"), [(["o"], "a1"), (["oo"], "a1e2"), (["ooo"], "a1e3")])
def test_the_first_player_loses_by_taking_everything(rows, name):
    game = make(*rows)
    state = rules.after(game, rules.new(game), by_name(game, name))
    assert game.over(state) and game.score(state) == -1


@pytest.mark.parametrize(("pairs", "singles"), [ps for ps in product(range(4), range(4)) if ps != (0, 0)])
def test_pairs_and_single_cells_are_lost_as_the_known_law_says(pairs, singles):
    """The mover loses iff there is no pair and the singles are odd, or both numbers are even and there is a pair."""
    lines = ["oo"] * pairs + ["o"] * singles
    rows = ["...".join(lines[i : i + 2]) for i in range(0, len(lines), 2)]
    game = make(*[row for line in rows for row in (line, "")])

    @cache
    def mover_wins(diagram):
        state = game.read(diagram)
        if game.over(state):
            return game.score(state) == 1 - 2 * game.player(state)
        children = [rules.after(game, state, action) for action in rules.legal(game, state)]
        return not all(mover_wins(game.diagram(child)) for child in children)

    lost = singles % 2 == 1 if pairs == 0 else pairs % 2 == singles % 2 == 0
    assert mover_wins(game.diagram(rules.new(game))) == (not lost)


# --- what people read and write -----------------------------------------------------------------------


def test_every_action_has_a_name_of_its_own():
    game = make("o")
    names = [game.name(action) for action in range(game.actions())]
    assert len(set(names)) == game.actions()
    assert all(name and name == "".join(name.split()) for name in names)


def test_a_name_says_first_cell_direction_and_number(cells_of):
    game = make("o")
    assert cells_of[by_name(game, "c2")] == {(2, 1)}
    assert cells_of[by_name(game, "c2e3")] == {(2, 1), (3, 1), (4, 1)}
    assert cells_of[by_name(game, "c2se3")] == {(2, 1), (3, 2), (3, 3)}
    assert cells_of[by_name(game, "c2sw2")] == {(2, 1), (2, 2)}


def test_the_text_shows_free_cells_taken_cells_and_others():
    game = make("oo", ".o")
    state = rules.after(game, rules.new(game), by_name(game, "a1"))
    lines = game.text(state).splitlines()
    assert lines[0].split() == ["1", "x", "o", *"." * 10]
    assert lines[1].split() == ["2", ".", "o", *"." * 10]
    assert lines[1].index("o") == lines[0].index("o") + 1  # odd rows lie half a cell to the right
    assert lines[-1].split() == list("abcdefghijkl")


def test_a_diagram_says_who_moves():
    game = make("ooo")
    assert [game.player(game.read(region("oo") + mover)) for mover in ("", " 1", " 2")] == [0, 0, 1]


@pytest.mark.parametrize("bad", ["", "ooo", region("oo") + " 3", region("oo") + " X", region("oX"), FULL + "/o"])
def test_a_diagram_that_makes_no_sense_is_refused_in_one_line(bad):
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        make("ooo").read(bad)
