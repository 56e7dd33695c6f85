"""The table of line-taking beside a recursion over the game's own rules, a known law and known counts."""

import os
import random
import subprocess
import sys
import threading
from itertools import combinations, product

import numpy as np
import pytest

from plyground import games, rules
from plyground.games.line_taking.table import LineTable, cells_of
from plyground.search import budget
from plyground.search.budget import Budget
from plyground.spec import InputError

SIDE = 12


def make(*rows):
    rows = [row.ljust(SIDE, ".") for row in rows]
    region = "/".join(rows + ["." * SIDE] * (SIDE - len(rows)))
    return games.make(f"line-taking(region='{region}')")


def drawn(cells, seed):
    """A region of a few cells, grown from a random place of the board; now and then with a hole between two parts."""
    rng = random.Random(seed)
    free = {(rng.randrange(SIDE), rng.randrange(SIDE))}
    while len(free) < cells:
        x, y = rng.choice(sorted(free))
        far = 2 if rng.random() < 0.1 else 1
        x, y = x + rng.randint(-far, far), y + rng.randint(-far, far)
        if 0 <= x < SIDE and 0 <= y < SIDE:
            free.add((x, y))
    return make(*("".join("o" if (x, y) in free else "." for x in range(SIDE)) for y in range(SIDE)))


def filled(game):
    table = LineTable(game, rules.new(game))
    assert table.fill()
    return table


def solver(game):
    """Whether the player to move wins a state, and the value of each action, by the interpreted rules alone."""
    known = {}

    def solve(state):
        key = state.tobytes()
        if key not in known:
            children = {action: rules.after(game, state, action) for action in rules.legal(game, state)}
            values = {action: -1 if solve(child)[0] else 1 for action, child in children.items()}
            won = game.score(state) == 1 - 2 * game.player(state) if game.over(state) else 1 in values.values()
            known[key] = won, values
        return known[key]

    return solve


def subsets(game):
    """Every set of the free cells as a position."""
    start = rules.new(game)
    cells = np.flatnonzero(start.free)
    for number in range(1 << len(cells)):
        state = start.copy()
        state.free[:] = 0
        for i, cell in enumerate(cells):
            state.free[cell] = number >> i & 1
        state.left = number.bit_count()
        state.turn = state.left % 2
        yield state


def agrees(game):
    table, solve = filled(game), solver(game)
    for state in subsets(game):
        assert table.covers(state)
        assert (table.won(state), table.values(state)) == solve(state)


@pytest.mark.parametrize("seed", range(24))
def test_every_position_of_small_regions_is_as_the_rules_say(seed):
    agrees(drawn(1 + seed % 8, seed))


@pytest.mark.parametrize(("cells", "seed"), [(9, 1), (10, 3), (11, 4)])
def test_every_position_of_regions_that_need_several_words_is_as_the_rules_say(cells, seed):
    agrees(drawn(cells, seed))


@pytest.mark.parametrize(
    "rows",
    [
        ["o"],
        ["ooo"],
        ["oooooo"],
        ["ooooooo"],
        ["oo...o", "", "o...oo"],
        ["oo", "oo", *[""] * 8, "." * 10 + "oo", "." * 10 + "oo"],
        ["." * 10 + "oo", "." * 11 + "o", *[""] * 8, "o", "oo"],
        [*[""] * 11, "ooo......ooo"],
    ],
    ids=["one", "three", "six in a row", "seven in a row", "apart", "two corners", "other corners", "last row"],
)
def test_lines_parts_and_corners_are_as_the_rules_say(rows):
    agrees(make(*rows))


@pytest.mark.parametrize(("pairs", "singles"), [ps for ps in product(range(7), range(7)) if ps != (0, 0)])
def test_pairs_and_single_cells_follow_the_known_law(pairs, singles):
    """The mover loses iff there is no pair and the singles are odd, or there is a pair and both are even."""
    lines = ["oo"] * pairs + ["o"] * singles
    rows = ["..".join(lines[i : i + 3]) for i in range(0, len(lines), 3)]
    game = make(*[row for line in rows for row in (line, "")])
    lost = singles % 2 == 1 if pairs == 0 else pairs % 2 == singles % 2 == 0
    assert filled(game).won(rules.new(game)) == (not lost)


@pytest.mark.parametrize("seed", range(4))
def test_random_positions_of_large_regions_are_won_iff_a_move_leads_to_a_lost_one(seed):
    """The law that defines the table, by the game's own rules, where no recursion reaches; several parts."""
    game = games.make(f"line-taking(cells={26 + seed % 2}, seed={seed})")
    table, rng = filled(game), random.Random(seed)
    for _ in range(60):
        state = rules.new(game)
        for _ in range(rng.randrange(12)):
            if not game.over(state):
                game.play(state, rng.choice(rules.legal(game, state)))
        children = {a: rules.after(game, state, a) for a in rules.legal(game, state)}
        values = {a: -1 if table.won(child) else 1 for a, child in children.items()}
        assert table.values(state) == values
        assert table.won(state) == (1 in values.values() or game.over(state))


def test_the_first_player_wins_nearly_all_regions_of_12_to_18_cells():
    """Of 440 with 12 to 22 cells an independent program found 412 won."""
    won = 0
    for cells, seed in product(range(12, 19), range(20)):
        game = games.make(f"line-taking(cells={cells}, seed={seed})")
        won += filled(game).won(rules.new(game))
    assert 0.87 < won / 140 < 0.99


def test_a_large_table_agrees_with_the_tables_of_its_parts():
    game = games.make("line-taking(cells=20, seed=5)")
    whole, rng = filled(game), random.Random(5)
    for _ in range(20):
        state = rules.new(game)
        for _ in range(3):
            game.play(state, rng.choice(rules.legal(game, state)))
        part = LineTable(game, state)
        assert part.fill()
        assert part.won(state) == whole.won(state) and part.values(state) == whole.values(state)


def test_chances_are_the_shares_of_winning_answers():
    game = games.make("line-taking(cells=14, seed=3)")
    table, start = filled(game), rules.new(game)
    for action, share in table.chances(start).items():
        answers = list(table.values(rules.after(game, start, action)).values())
        assert share == answers.count(1) / len(answers)
    single = make("oo")
    state = rules.new(single)
    ends = {action: len(cells_of(action)) == 2 for action in rules.legal(single, state)}
    assert filled(single).chances(state) == {action: float(end) for action, end in ends.items()}


def test_a_table_covers_the_positions_of_its_cells_and_no_others():
    game, other = make("oooo"), make("ooooo")
    table = filled(game)
    assert table.covers(rules.after(game, rules.new(game), rules.legal(game, rules.new(game))[0]))
    assert not table.covers(rules.new(other))


def test_too_many_cells_are_refused_in_one_line():
    game = make("o" * 12, "o" * 12, "o" * 12)
    with pytest.raises(InputError, match=r"\A36 free cells are too many[^\n]+\Z"):
        LineTable(game, rules.new(game))
    with pytest.raises(InputError):
        LineTable(make("ooooo"), rules.new(make("ooooo")), most=4)


def test_a_stopped_table_goes_on_where_it_stopped(monkeypatch):
    monkeypatch.setattr(budget, "PACE", 0)  # a watcher is told after every part
    game = games.make("line-taking(cells=28, seed=1)")
    table, shares = LineTable(game, rules.new(game)), []
    assert not table.fill(Budget(stop=lambda: table.share > 0.3, watch=lambda: shares.append(table.share)))
    assert 0.3 < table.share < 1
    assert not table.fill(Budget(seconds=0))
    assert table.fill(Budget(watch=lambda: shares.append(table.share)))
    assert table.share == 1 == shares[-1] and shares == sorted(shares)
    assert (table._lost == filled(game)._lost).all()


def test_one_thread_and_several_fill_the_same_table():
    game = games.make("line-taking(cells=27, seed=2)")
    tables = [LineTable(game, rules.new(game)) for _ in range(2)]
    assert tables[0].fill(threads=1) and tables[1].fill(threads=3)
    assert (tables[0]._lost == tables[1]._lost).all()


def test_tables_can_be_filled_side_by_side():
    made = [games.make(f"line-taking(cells=22, seed={seed})") for seed in range(4)]
    tables = [LineTable(game, rules.new(game)) for game in made]
    threads = [threading.Thread(target=table.fill) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for game, table in zip(made, tables, strict=True):
        assert (table._lost == filled(game)._lost).all()


DIGEST = """
import hashlib
from plyground import games, rules
from plyground.games.line_taking.table import LineTable
for cells, seed in {regions}:
    game = games.make(f"line-taking(cells={{cells}}, seed={{seed}})")
    table = LineTable(game, rules.new(game))
    table.fill()
    print(table.cells, hashlib.sha256(table._lost.tobytes()).hexdigest())
"""


def test_compiled_and_interpreted_fill_the_same_table():
    command = [sys.executable, "-c", DIGEST.format(regions=[(12, 1), (14, 2)])]
    said = [
        subprocess.run(command, env=os.environ | extra, capture_output=True, text=True, check=True).stdout
        for extra in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    assert said[0] == said[1] and len(said[0].splitlines()) == 2


def test_moves_take_what_the_rules_take():
    game = make(*["o" * SIDE] * SIDE)
    start = rules.new(game)
    sets = set()
    for action in rules.legal(game, start):
        taken = frozenset(np.flatnonzero(start.free != rules.after(game, start, action).free).tolist())
        assert cells_of(action) == taken
        sets.add(taken)
    assert all(len(one & two) < max(len(one), len(two)) for one, two in combinations(list(sets)[:200], 2))
