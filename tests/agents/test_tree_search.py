"""The agents uct and rave: what they choose, within which limits, and what they keep."""

import time

import numpy as np
import pytest

import toys
from plyground import agents, games, rules
from plyground.agents import tree_agent
from plyground.agents.base import Limit
from plyground.search.budget import Budget
from plyground.search.mcts.driver import Search
from plyground.search.mcts.settings import RAVE_C
from plyground.spec import InputError

TICTACTOE = games.make("tictactoe")
START = rules.new(TICTACTOE)
WIN, BLOCK = TICTACTOE.read("XX./OO./... X"), TICTACTOE.read("X../OO./X.. X")
BOTH = pytest.mark.parametrize("agent", ["uct", "rave"])


def think(spec, state=START, limit=Limit(), game=TICTACTOE, seed=0):
    return agents.make(spec, seed).think(game, state, limit)


def visits(thought):
    return {move.action: move.visits for move in thought.moves}


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("uct(sims=40)", "connect-four"),
        ("uct(sims=3, choose='value')", "tictactoe"),
        ("uct(sims=200, expand='all')", "tictactoe"),
        ("rave(sims=30)", "tictactoe"),
        ("guided(sims=30)", "tictactoe"),
    ],
)
def test_in_many_games_it_chooses_what_it_chooses_in_one_after_another(spec, name):
    game = games.make(name)
    states, rng = [], np.random.default_rng(1)
    for _ in range(3):
        state = rules.new(game)
        while not game.over(state):
            states.append(state)
            state = rules.after(game, state, int(rng.choice(rules.legal(game, state))))
    one, other = (agents.make(spec, 7) for _ in range(2))
    assert one.think_in_each(game, states) == [other.think(game, state).action for state in states]


def test_in_many_games_it_refuses_what_it_refuses_in_one():
    agent = agents.make("uct(sims=5, horizon=3)", 0)
    with pytest.raises(InputError, match="horizon makes no sense"):
        agent.think_in_each(TICTACTOE, [START])


# --- choice -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(("diagram", "action"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5), ("X../OO./X.. X", 5)])
def test_wins_and_blocks(agent, diagram, action):
    assert think(f"{agent}(sims=2000)", TICTACTOE.read(diagram)).action == action


@BOTH
def test_a_proven_win_has_value_one_and_ends_the_search(agent):
    thought = think(f"{agent}(sims=10000)", WIN)
    assert (thought.action, thought.value) == (2, 1)
    assert thought.simulations < 1000
    best = thought.moves[0]
    assert (best.action, best.value, best.proven) == (2, 1, True)


@BOTH
@pytest.mark.parametrize("diagram", ["XOX/.../X.O O", "OXO/..X/O.X X"])
def test_a_proven_loss_has_value_minus_one(agent, diagram):
    state = TICTACTOE.read(diagram)
    thought = think(f"{agent}(sims=10000)", state)
    assert thought.value == -1
    assert thought.action in rules.legal(TICTACTOE, state)
    assert all(move.proven and move.value == -1 for move in thought.moves)


@pytest.mark.parametrize("agent", ["uct", "uct(expand='all')", "rave"])
def test_never_chooses_a_proven_loss_while_something_else_is_left(agent):
    """Action 1 loses at once, action 0 wins in the end."""
    game = toys.table("0101", {"1": -1, "00": 1, "01": 1})
    for sims in (1, 2, 3):
        for seed in range(10):
            thought = think(agent, rules.new(game), Limit(simulations=sims), game, seed)
            assert thought.action == 0


def test_the_final_choice_goes_by_visits_or_by_value():
    differ = 0
    for seed in range(20):
        by_visits, by_value = (
            think(f"uct(sims=60, c=2, choose='{by}')", seed=seed).moves for by in ("visits", "value")
        )
        assert sorted(by_visits) == sorted(by_value)
        assert by_visits == sorted(by_visits, key=lambda move: (move.visits, move.value), reverse=True)
        assert by_value == sorted(by_value, key=lambda move: (move.value, move.visits), reverse=True)
        differ += by_visits[0] != by_value[0]
    assert differ


@BOTH
def test_a_thought_tells_every_move_and_how_play_goes_on(agent):
    thought = think(f"{agent}(sims=2000)")
    assert {move.action for move in thought.moves} == set(range(9))
    assert sum(visits(thought).values()) == thought.simulations == 2000
    assert thought.policy == pytest.approx({action: n / 2000 for action, n in visits(thought).items()})
    assert -1 <= thought.value <= 1
    assert thought.line[0] == thought.action
    state = START.copy()
    for action in thought.line:
        assert action in rules.legal(TICTACTOE, state)
        TICTACTOE.play(state, action)


def test_a_principal_line_follows_the_proof():
    game = toys.make("lost in two")
    state = rules.after(game, rules.new(game), 1)
    thought = think("uct(sims=1000)", state, game=game)
    assert thought.value == 1
    assert thought.line[0] == 1
    assert thought.line[2] == thought.line[1]


def test_the_only_legal_move_is_played():
    corridor = toys.make("corridor")
    assert think("uct", rules.new(corridor), game=corridor).action == 0
    assert think("rave", TICTACTOE.read("XOX/XOO/OX. X")).action == 8


def test_a_state_is_left_as_it_was():
    before = START.tobytes()
    think("uct(sims=500)")
    assert START.tobytes() == before


def test_rollouts_are_win_block_where_a_game_lists_its_wins_and_random_elsewhere():
    nim = toys.make("nim")
    for game, same, other in ((TICTACTOE, "win-block", "random"), (nim, "random", None)):
        unsaid = think("uct(sims=200)", rules.new(game), game=game)
        assert unsaid.moves == think(f"uct(sims=200, rollout='{same}')", rules.new(game), game=game).moves
        if other:
            assert unsaid.moves != think(f"uct(sims=200, rollout='{other}')", rules.new(game), game=game).moves


def test_win_block_rollouts_need_a_game_that_lists_its_wins():
    game = toys.make("nim")
    with pytest.raises(InputError, match="wins"):
        think("uct(rollout='win-block')", rules.new(game), game=game)


# --- check --------------------------------------------------------------------------------------------


@BOTH
def test_check_wins_and_blocks_without_a_simulation(agent):
    for state, action in ((WIN, 2), (BLOCK, 5)):
        thought = think(f"{agent}(sims=1000, check=True)", state)
        assert (thought.action, thought.simulations) == (action, 0)
        assert thought.policy == {action: 1}
    assert think(f"{agent}(sims=1000, check=True)").simulations == 1000


def test_check_tells_nothing_of_the_position_before():
    agent = agents.make("uct(sims=100, check=True)", 0)
    agent.think(TICTACTOE, START)
    assert len(agent.children([])) == 9
    agent.think(TICTACTOE, WIN)
    assert agent.children([]) == []


def test_check_takes_either_of_two_blocks():
    state = TICTACTOE.read("XOX/.../X.O O")
    assert {think("uct(check=True)", state, seed=seed).action for seed in range(20)} == {3, 4}


# --- limits -------------------------------------------------------------------------------------------


@BOTH
def test_simulations_are_bounded_by_the_agent_and_by_the_limit(agent):
    assert think(agent).simulations == 1000
    assert think(f"{agent}(sims=700)").simulations == 700
    assert think(f"{agent}(sims=700)", limit=Limit(simulations=300)).simulations == 300
    assert think(f"{agent}(sims=200)", limit=Limit(simulations=300)).simulations == 200
    assert think(agent, limit=Limit(simulations=1)).simulations == 1


@pytest.mark.parametrize(
    ("spec", "limit"), [("uct(seconds=0.2, solve=False)", Limit()), ("uct(solve=False)", Limit(seconds=0.2))]
)
def test_a_time_limit_ends_the_search_soon(spec, limit):
    agent = agents.make(spec)
    agent.think(TICTACTOE, START, Limit(simulations=1))  # compiles
    begun = time.perf_counter()
    thought = agent.think(TICTACTOE, START, limit)
    assert 0.15 < time.perf_counter() - begun < 60
    assert thought.simulations > 1


def test_no_time_is_time_for_a_simulation():
    assert think("uct", limit=Limit(seconds=0)).simulations >= 1
    assert think("uct(threads=2)", limit=Limit(seconds=0)).simulations >= 2


def test_no_simulation_is_still_a_legal_move():
    assert think("uct", limit=Limit(simulations=0)).action in range(9)


def test_stop_ends_the_search():
    asked = []
    thought = think("uct(sims=100000000)", limit=Limit(stop=lambda: len(asked) == 3 or asked.append(0)))
    assert len(asked) == 3
    assert 0 < thought.simulations < 100_000_000


@pytest.mark.parametrize("spec", ["uct", "uct(expand='all')", "rave"])
@pytest.mark.parametrize("room", range(21))
def test_a_tree_of_a_few_nodes_still_gives_a_legal_action(spec, room):
    agent = agents.make(spec)
    agent._searches = [Search(TICTACTOE, agent.kernel_options(), 1, False, agent.shared, room)]
    thought = agent.think(TICTACTOE, WIN, Limit(simulations=200))
    assert thought.action in rules.legal(TICTACTOE, WIN)
    assert agent._searches[0].nodes["first"][0] <= room + 2


@pytest.mark.parametrize("spec", ["uct(memory=1)", "uct(memory=1, threads=2, keep=True)", "rave(memory=2)"])
def test_trees_keep_to_the_memory(spec):
    agent = agents.make(spec)
    thought = agent.think(TICTACTOE, START, Limit(simulations=50_000))
    assert thought.simulations == 50_000
    used = sum(search.nodes.nbytes for search in agent._searches) * (2 if agent.keep else 1)
    assert 0.99 * agent.memory * 2**20 < used <= agent.memory * 2**20 + 1024


# --- seeds and threads --------------------------------------------------------------------------------


@BOTH
def test_the_seed_decides_everything(agent):
    same, again, other = (think(f"{agent}(sims=300)", seed=seed) for seed in (1, 1, 2))
    assert same.moves == again.moves
    assert same.moves != other.moves
    assert think(f"{agent}(sims=300, seed=5)", seed=1).moves == think(f"{agent}(sims=300, seed=5)", seed=2).moves


@BOTH
def test_two_threads_add_up_two_trees(agent):
    thought = think(f"{agent}(sims=501, threads=2, solve=False, rollout='random')", seed=4)
    stream = np.random.default_rng(4)
    options = agents.make(f"{agent}(solve=False)").kernel_options()
    wanted, total = dict.fromkeys(range(9), 0), 0.0
    for sims in (250, 251):
        search = Search(TICTACTOE, options, int(stream.integers(2**62)), False, agent == "rave", 10_000)
        search.begin(START)
        search.run(Budget(sims))
        total += sims * search.value
        for child in search.children:
            wanted[child.action] += child.visits
    assert visits(thought) == wanted
    assert thought.simulations == 501
    assert thought.value == pytest.approx(total / 501)


def test_more_threads_than_simulations_do_no_harm():
    for seed in range(10):
        thought = think("uct(sims=1, threads=4, rollout='random')", seed=seed)
        assert thought.simulations == 1
        assert thought.value == thought.moves[0].value


# --- keep ---------------------------------------------------------------------------------------------


@BOTH
def test_keep_goes_on_with_the_old_visits_after_two_plies(agent):
    kept = agents.make(f"{agent}(sims=1000, keep=True, solve=False)", 3)
    first = kept.think(TICTACTOE, START)
    mine, reply = first.line[:2]
    old = toys.held(kept._searches[0].nodes)[mine, reply][0]
    assert old > 10
    state = rules.after(TICTACTOE, rules.after(TICTACTOE, START, mine), reply)
    second = kept.think(TICTACTOE, state)
    assert second.simulations == 1000
    assert sum(visits(second).values()) == 1000 + old - 1
    assert set(visits(second)) == set(rules.legal(TICTACTOE, state))


def test_keep_adds_to_the_same_position_and_begins_anew_elsewhere():
    kept = agents.make("uct(sims=500, keep=True, solve=False)", 3)
    kept.think(TICTACTOE, START)
    assert sum(visits(kept.think(TICTACTOE, START)).values()) == 1000
    assert sum(visits(kept.think(TICTACTOE, TICTACTOE.read("XO./.X./..O X"))).values()) == 500
    kept.begin(3)
    assert sum(visits(kept.think(TICTACTOE, START)).values()) == 500


def test_keep_goes_on_after_a_search_that_was_broken_off():
    kept = agents.make("uct(sims=100000, keep=True, solve=False)", 3)
    with pytest.raises(IndexError):
        kept.think(TICTACTOE, START, Limit(stop=[].pop))
    assert kept.think(TICTACTOE, rules.after(TICTACTOE, START, 4), Limit(simulations=9)).simulations == 9


def test_keep_finds_a_position_without_trying_all_pairs_of_moves(monkeypatch):
    """On 15 x 15 there are 50,000 pairs, and seconds would pass before a search of a tenth of a second begins."""
    kept = agents.make("uct(sims=500, keep=True, solve=False)", 3)
    mine, reply = kept.think(TICTACTOE, START).line[:2]
    state = rules.after(TICTACTOE, rules.after(TICTACTOE, START, mine), reply)
    tried = []
    monkeypatch.setattr(tree_agent, "after", lambda *args: tried.append(args) or rules.after(*args))
    assert sum(visits(kept.think(TICTACTOE, state)).values()) > 500
    assert len(tried) <= 9 + 8


def test_without_keep_every_decision_begins_anew():
    agent = agents.make("uct(sims=500, solve=False)", 3)
    for _ in range(2):
        assert sum(visits(agent.think(TICTACTOE, START)).values()) == 500


def test_an_agent_that_keeps_its_tree_plays_whole_games():
    game = games.make("connect-four")
    players = [agents.make("uct(sims=200, keep=True)", seat) for seat in (0, 1)]
    state = rules.new(game)
    while not game.over(state):
        thought = players[game.player(state)].think(game, state)
        assert thought.action in rules.legal(game, state)
        game.play(state, thought.action)


@pytest.mark.parametrize(
    "game, c", [("tictactoe", 0.0), ("gomoku(9)", 0.0), ("connect-four", RAVE_C), (f"{toys.__file__}:Heap", RAVE_C)]
)
def test_rave_explores_where_actions_come_back(game: str, c: float) -> None:
    made = games.make(game)
    assert agents.make("rave").exploration(made) == c
    assert agents.make("rave(c=0.3)").exploration(made) == 0.3
    assert agents.make("rave(c=0)").exploration(made) == 0


def test_rave_visits_every_action_where_they_come_back() -> None:
    """Without exploration an action whose shared value is low may starve."""
    heap = games.make(f"{toys.__file__}:Heap(40)")
    thought = agents.make("rave(sims=400)", seed=1).think(heap, rules.new(heap))
    assert min(move.visits for move in thought.moves) > 20
