"""The master of line-taking: it never gives a won position away, and keeps to its limits."""

import random
import time

import pytest

from plyground import agents, games, rules
from plyground.agents.base import Limit
from plyground.games.line_taking.table import LineTable
from plyground.spec import InputError

SIDE = 12
FULL = "/".join(["o" * SIDE] * SIDE)


@pytest.fixture(scope="module", autouse=True)
def ready():
    """Compile the table's and the search's kernels before anything is timed."""
    game = games.make("line-taking(cells=33, seed=1)")
    agents.make("line-taking-master(seconds=0.01)").think(game, rules.new(game))


def solved(game):
    table = LineTable(game, rules.new(game))
    assert table.fill()
    return table


def winner(game, chooses):
    """Who wins when these choose in turn."""
    state = rules.new(game)
    while not game.over(state):
        game.play(state, chooses[game.player(state)](state))
    return 0 if game.score(state) > 0 else 1


def at_random(game, seed):
    rng = random.Random(seed)
    return lambda state: rng.choice(rules.legal(game, state))


def perfect(game, seed):
    """Plays by a table of its own, whatever wins."""
    rng, table = random.Random(seed), solved(game)

    def choose(state):
        values = table.values(state)
        return rng.choice([action for action in values if values[action] == max(values.values())])

    return choose


@pytest.mark.parametrize("opponent", [at_random, perfect])
@pytest.mark.parametrize("seat", [0, 1])
def test_whom_a_person_meets_never_loses_a_won_position(opponent, seat):
    agent = agents.make(agents.usual(games.make("line-taking")), 3)
    for seed in range(12):
        game = games.make(f"line-taking(cells={12 + seed}, seed={seed})")
        table, other = solved(game), opponent(game, seed)
        agent.begin(seed)
        won = []

        def master(state, game=game, table=table, won=won):
            thought = agent.think(game, state)
            won.append(table.won(state))
            assert thought.value == (1 if won[-1] else -1)
            assert {move.action: move.value for move in thought.moves} == table.values(state)
            assert all(move.proven for move in thought.moves)
            assert thought.moves[0].action == thought.action
            return thought.action

        ended = winner(game, [master, other] if seat == 0 else [other, master])
        assert won == sorted(won)  # once won, always won
        assert (ended == seat) == won[-1]
        if opponent is perfect:
            assert won[-1] == won[0]


def test_a_lost_position_is_made_hard():
    """The answer that wins is a small share of what the opponent can do."""
    agent = agents.make("line-taking-master", 1)
    seen = 0
    for seed in range(200):
        game = games.make(f"line-taking(cells=13, seed={seed})")
        table, start = solved(game), rules.new(game)
        if not table.won(start):
            thought = agent.think(game, start)
            assert table.chances(start)[thought.action] == min(table.chances(start).values())
            assert thought.value == -1
            seen += 1
    assert seen > 3


def test_the_table_serves_the_whole_game_and_the_next_one_on_the_same_cells():
    game = games.make("line-taking(cells=20, seed=2)")
    agent, state = agents.make("line-taking-master"), rules.new(game)
    agent.think(game, state)
    table = agent._table
    while not game.over(state):
        game.play(state, agent.think(game, state).action)
    agent.begin(2)
    agent.think(game, rules.new(game))
    assert agent._table is table
    other = games.make("line-taking(cells=20, seed=3)")
    agent.think(other, rules.new(other))
    assert agent._table is not table


def test_a_seed_fixes_the_choices():
    game = games.make("line-taking(cells=16, seed=4)")
    chosen = [agents.make("line-taking-master(seed=5)", other).think(game, rules.new(game)).action for other in (1, 2)]
    assert chosen[0] == chosen[1]


def in_time(think, most):
    """A thought within so many seconds, of a few: a busy machine may hold one up."""
    thoughts = []
    while not thoughts or (thoughts[-1].seconds > most and len(thoughts) < 8):
        thoughts.append(think())
    assert thoughts[-1].seconds <= most
    return thoughts[-1]


@pytest.mark.parametrize("seconds", [0.2, 1.0])
@pytest.mark.parametrize("spec", ["line-taking(cells=20, seed=1)", "line-taking(cells=33, seed=1)"])
def test_a_decision_keeps_to_its_seconds(spec, seconds):
    game = games.make(spec)
    state = rules.new(game)
    for options, limit in [(f"(seconds={seconds})", Limit()), ("", Limit(seconds=seconds))]:

        def think(options=options, limit=limit):
            return agents.make("line-taking-master" + options).think(game, state, limit)

        assert in_time(think, seconds).action in rules.legal(game, state)


def test_no_time_at_all_still_gives_a_legal_move():
    game = games.make("line-taking(cells=33, seed=1)")
    agent, state = agents.make("line-taking-master(seconds=0)"), rules.new(game)
    assert in_time(lambda: agent.think(game, state), 0.05).action in rules.legal(game, state)


def test_what_fits_the_time_is_solved():
    game = games.make("line-taking(cells=24, seed=1)")
    assert agents.make("line-taking-master(seconds=2)").think(game, rules.new(game)).moves[0].proven


def test_a_speed_that_was_measured_says_what_is_tried():
    game = games.make("line-taking(cells=29, seed=1)")
    agent = agents.make("line-taking-master(seconds=0.2)")
    agent._speed = 1e6
    thought = agent.think(game, rules.new(game))
    assert agent._table is None and thought.simulations > 0


@pytest.mark.parametrize("cells", [20, 33])
def test_a_stop_is_heard(cells):
    game = games.make(f"line-taking(cells={cells}, seed=3)")
    begun = time.perf_counter()
    thought = agents.make("line-taking-master(seconds=60)").think(
        game, rules.new(game), Limit(stop=lambda: time.perf_counter() > begun + 0.1)
    )
    assert time.perf_counter() - begun < 20  # the machine may be busy; 60 s were allowed
    assert thought.action in rules.legal(game, rules.new(game))


def test_the_whole_board_gets_a_legal_move_in_time():
    game = games.make(f"line-taking(region='{FULL}')")
    state, agent = rules.new(game), agents.make("line-taking-master(seconds=0.5)")
    for _ in range(3):
        thought = in_time(lambda: agent.think(game, state), 0.5)
        assert thought.action in rules.legal(game, state)
        assert {move.action for move in thought.moves} == set(rules.legal(game, state))
        game.play(state, thought.action)


def test_a_game_that_starts_too_large_is_solved_on_the_way():
    """With memory for 23 cells, 25 are searched and what is left of them is known."""
    game = games.make("line-taking(cells=25, seed=6)")
    agent, state = agents.make("line-taking-master(seconds=0.4, memory=1)", 1), rules.new(game)
    known = []
    while not game.over(state):
        thought = agent.think(game, state)
        known.append(thought.moves[0].proven)
        game.play(state, thought.action)
    assert known[2:] == [True] * len(known[2:])


def test_a_winning_move_of_a_position_too_large_is_found_by_what_it_leaves():
    """Values found without a table of the whole position agree with the whole table."""
    agent, proven = agents.make("line-taking-master(seconds=1, memory=1)"), 0
    for seed in range(6):
        game = games.make(f"line-taking(cells=24, seed={seed})")
        values = solved(game).values(rules.new(game))
        agent.begin(seed)
        thought = agent.think(game, rules.new(game))
        known = {move.action: move.value for move in thought.moves if move.proven}
        assert known.items() <= values.items()
        assert thought.value != -1 or max(values.values()) == -1
        proven += thought.value == values[thought.action]
    assert proven >= 3


def test_who_takes_the_last_cell_loses():
    for row, player_wins in (("o", False), ("oo", True), ("o.o", True), ("o.o.o", False)):
        board = "/".join([row.ljust(SIDE, "."), *["." * SIDE] * (SIDE - 1)])
        game = games.make(f"line-taking(region='{board}')")
        thought = agents.make("line-taking-master").think(game, rules.new(game))
        assert thought.value == (1 if player_wins else -1) and thought.action in rules.legal(game, rules.new(game))
        if len(row) == 1:
            assert len(thought.moves) == 1
        if row == "oo":  # one of them is taken, and the last is left to the other
            assert not game.over(rules.after(game, rules.new(game), thought.action))


def test_another_game_is_refused():
    game = games.make("tictactoe")
    with pytest.raises(InputError, match="line-taking"):
        agents.make("line-taking-master").think(game, rules.new(game))


@pytest.mark.parametrize("spec", ["seconds=-1", "memory=0", "threads=0", "sims=10"])
def test_options_that_make_no_sense_are_refused(spec):
    with pytest.raises(InputError):
        agents.make(f"line-taking-master({spec})")
