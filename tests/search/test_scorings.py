"""Scorings against slow, obvious ones: windows counted cell by cell, the study's words about line-taking."""

import random
from itertools import product

import pytest

import naive_depth_first as naive
import naive_games
import toys
from plyground import games, rules
from plyground.games.connect_four.scorings import Columns
from plyground.games.k_in_row.rules import MNK
from plyground.games.k_in_row.scorings import Patterns
from plyground.games.line_taking.scorings import LineTakingScores
from plyground.search.depth_first.iterative_deepening import Deepening
from plyground.search.scoring import MOST

games.make("mnk(3,3,3)")  # adopts the class
BOARDS = [MNK(3, 3, 3), MNK(4, 3, 3), MNK(3, 5, 4), MNK(6, 6, 5, True), MNK(5, 1, 2), MNK(2, 2, 1), MNK(7, 6, 4)]


def windows(game):
    """All sets of k cells in a line."""
    for row, col, (down, right) in product(range(game.n), range(game.m), naive_games.LINES):
        cells = [(row + i * down, col + i * right) for i in range(game.k)]
        if all(0 <= r < game.n and 0 <= c < game.m for r, c in cells):
            yield frozenset(r * game.m + c for r, c in cells)


def stones(state, window, player):
    return sum(int(state.cells[cell]) == player + 1 for cell in window)


def sides(game, state, window):
    """How many stones the player to move and the other have in a window."""
    me = int(game.player(state))
    return stones(state, window, me), stones(state, window, 1 - me)


def naive_judge(game, state, base, move):
    total = move
    lines = [(w, line) for w in set(windows(game)) for line in range(4 if game.k == 1 else 1)]  # of one cell: four
    for window, _ in lines:
        mine, theirs = sides(game, state, window)
        total += base ** (mine - 1) if mine and not theirs else 0
        total -= base ** (theirs - 1) if theirs and not mine else 0
    return total


def naive_promise(game, state, action, base):
    total = 0.0
    for window in set(windows(game)):
        if action in window:
            mine, theirs = sides(game, state, window)
            worth = (1.5 * base**mine if not theirs else 0) + (base**theirs if not mine else 0)
            total += worth * (4 if game.k == 1 else 1)
    return total


@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_patterns_count_the_windows_that_are_still_open(game):
    for scoring in (Patterns(), Patterns(base=3.0, move=0.5), Patterns(guess=0.5)):
        for state in naive.positions(game, random.Random(1), 10):
            wanted = naive_judge(game, state, scoring.base, scoring.move)
            assert scoring.judge(game, state) == pytest.approx(scoring.guess * wanted)
            for action in rules.legal(game, state)[:6]:
                wanted = naive_promise(game, state, action, scoring.base)
                assert scoring.promise(game, state, action) == pytest.approx(wanted)
            assert Patterns(guess=0).judge(game, state) == 0


@pytest.mark.parametrize("game", BOARDS[:4], ids=str)
def test_without_the_worth_of_the_move_a_position_is_worth_the_opposite_to_the_other(game):
    scoring = Patterns(move=0)
    for state in naive.positions(game, random.Random(2), 25):
        other = state.copy()
        other.lines[:] = state.lines[::-1]  # the stones change their colours, the same player moves
        assert scoring.judge(game, other) == -scoring.judge(game, state)


def test_patterns_are_the_same_for_mirror_images():
    game = MNK(4, 3, 3)
    for state in naive.positions(game, random.Random(3), 25):
        for actions, _ in game.symmetries():
            cells = "".join(".XO"[state.cells[actions.tolist().index(cell)]] for cell in range(12))
            image = game.read("/".join(cells[row : row + 4] for row in (0, 4, 8)))
            assert Patterns().judge(game, image) == Patterns().judge(game, state)
            for action in rules.legal(game, state):
                image_promise = Patterns().promise(game, image, int(actions[action]))
                assert image_promise == pytest.approx(Patterns().promise(game, state, action))


def test_no_guess_reaches_a_proven_result():
    game = MNK(30, 30, 30)
    state = rules.new(game)
    for col in range(29):
        game.play(state, col)
        game.play(state, 870 + col - col % 2 * 300)
    assert abs(Patterns().judge(game, state)) < MOST


def test_the_middle_columns_promise_most():
    for cols in (6, 7):
        game = games.make(f"connect-four({cols},6)")
        order = sorted(range(cols), key=lambda col: -Columns().promise(game, rules.new(game), col))
        assert set(order[: 2 - cols % 2]) == set(game.middle())
        assert set(order[-2:]) == {0, cols - 1}


# --- line-taking --------------------------------------------------------------------------------------


def study(free, complete):
    """The study's score for the side to move, in its own words, of a position with cells left."""
    if len(free) == 1:
        return -10_000
    groups, rest = [], set(free)
    while rest:
        group = {rest.pop()}
        while fresh := {naive_games.neighbour(cell, d) for cell in group for d in range(6)} & rest:
            group |= fresh
            rest -= fresh
        groups.append(len(group))
    if complete and max(groups) == 1:  # only single cells
        return -9_000 if len(groups) % 2 else 9_000
    if complete and sorted(groups) == [2, 2]:
        return -9_000
    return 0


def cells_of(game, state):
    rows = game.diagram(state).split(" ")[0].split("/")
    return {(x, y) for y in range(12) for x in range(12) if rows[y][x] == "o"}


def test_line_taking_scores_are_those_of_the_study():
    rng, seen = random.Random(4), {True: set(), False: set()}
    for seed in range(8):
        game = games.make(f"line-taking(cells={rng.randint(12, 20)}, seed={seed})")
        for state in naive.positions(game, rng, 12, low=3):
            for complete in (True, False):
                wanted = study(cells_of(game, state), complete)
                assert LineTakingScores(complete).judge(game, state) == wanted
                seen[complete].add(wanted)
    assert seen == {True: {-10_000, -9_000, 0, 9_000}, False: {-10_000, 0}}


def test_two_separate_pairs_are_lost_and_a_row_of_four_is_not_told():
    empty = "." * 12
    for rows, wanted in [("oo..oo......", -9_000), ("oooo........", 0), ("oo..oo.o....", 0), ("oo.o.o......", 0)]:
        board = "/".join([rows, *[empty] * 11])
        game = games.make(f'line-taking(region="{board}")')
        assert LineTakingScores().judge(game, rules.new(game)) == wanted
        search = Deepening(game, LineTakingScores(), full=True)  # compiled, too
        search.start(rules.new(game))
        assert search._value(-1, 0, -1e9, 1e9) == wanted


def test_what_the_study_scores_is_won_or_lost_indeed():
    rng = random.Random(5)
    game = games.make(toys.LINES)
    full = Deepening(game, LineTakingScores(), full=True)
    for state in naive.positions(game, rng, 60, low=1):
        guess = LineTakingScores().judge(game, state)
        if guess:
            assert guess * full.search(state).best.value > 0
