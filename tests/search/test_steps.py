"""Searches step by step: the compiled kernel's tree visit for visit, and every figure by its formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import toys
import turns
from naive_puct import something
from plyground import agents, games, position, rules
from plyground.jit.watching import Interpreter
from plyground.rules import CHANCE
from plyground.search.budget import Budget
from plyground.search.depth_first.iterative_deepening import Deepening
from plyground.search.depth_first.steps import Cut, Deepen, Enter, Leave
from plyground.search.mcts import mlp, simulate
from plyground.search.mcts.batched import NetSearch
from plyground.search.mcts.driver import Search
from plyground.search.mcts.settings import Settings
from plyground.search.mcts.steps import steps_of
from plyground.search.mcts.steps.events import BOUND, DRAWN, BackUp, Evaluation, Expansion, Rollout, Selection
from plyground.search.tree import CERTAIN
from plyground.spec import InputError
from search.test_guided import layers

TICTACTOE = games.make("tictactoe")


def rollout_search(name: str, spec: str) -> Search:
    game = toys.make(name)
    if spec == "guided":
        made = Search(game, {"c": 3.0, "win": 1.0, "loss": -1.0, "discount": 1.0, "expand_all": True, "solve": True},
                      7, False, False, 20_000, mlp.ready(game, layers(game), True))  # fmt: skip
        made.begin(rules.new(game))
        return made
    return toys.search(game, rules.new(game), spec, seed=7)


def net_search(name: str, settings: dict[str, Any]) -> NetSearch:
    game = turns.make(name)
    made = NetSearch(game, something(game), Settings(**settings), 1, 5000, seed=1)
    made.begin(rules.new(game))
    return made


def taken(steps: Any, number: int) -> list[Any]:
    return [simulation for _, simulation in zip(range(number), steps, strict=False)]


def same_tree(one: Any, other: Any) -> bool:
    """Byte for byte, so also visit for visit."""
    return bool(one.nodes.tobytes() == other.nodes.tobytes())


# --- the kernel's tree ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spec", "simulations"),
    [
        ("tictactoe", "uct", 60),
        ("tictactoe", "uct(c=0.3, expand='all', solve=False)", 40),
        ("tictactoe", "uct(count='root', rollouts=3, draw=0.4)", 30),
        ("tictactoe", "uct(rollout='win-block', rollouts=2)", 20),
        ("tictactoe", "rave", 40),
        ("tictactoe", "rave(schedule='mse', c=0.5)", 30),
        ("tictactoe", "guided", 30),
        ("dice", "uct", 80),  # chance
        ("corridor", "uct", 10),  # one legal move
        ("twice", "uct", 30),  # extra turns, and a root that gets proven
        ("tetris(6,20)", "uct", 6),  # one player
    ],
)
def test_steps_grow_the_tree_of_the_compiled_kernel(name: str, spec: str, simulations: int) -> None:
    stepped, compiled = rollout_search(name, spec), rollout_search(name, spec)
    told = taken(steps_of(stepped, 0), simulations)
    assert len(told) == compiled.run(Budget(simulations))
    assert same_tree(stepped, compiled) and stepped.workspaces["rng"] == compiled.workspaces["rng"]
    assert [one.number for one in told] == list(range(1, len(told) + 1))
    must_add_up(stepped, told)


@pytest.mark.parametrize(
    ("name", "settings", "simulations"),
    [
        ("tictactoe", {}, 60),
        ("tictactoe", {"rule": "plain", "c": 1.0}, 30),
        ("tictactoe", {"considered": 4}, 40),
        ("chance", {}, 60),
        ("twice", {"solve": False}, 40),
    ],
)
def test_steps_of_a_net_grow_the_tree_of_the_compiled_kernel(name: str, settings: dict, simulations: int) -> None:
    stepped, compiled = net_search(name, settings), net_search(name, settings)
    told = taken(steps_of(stepped, simulations), simulations)
    assert len(told) == compiled.run(Budget(simulations))
    assert same_tree(stepped, compiled)
    must_add_up(stepped, told)


def must_add_up(search: Any, told: list[Any]) -> None:
    """What the steps told makes the whole tree: visits, values and priors, from nothing."""
    game, visits, totals, priors = search.game, {(): 0}, {(): 0.0}, {}
    for simulation in told:
        (leaf,) = {event.path for event in simulation.events if isinstance(event, Rollout | Evaluation)}
        for event in simulation.events:
            if isinstance(event, Selection):
                assert (*event.path, event.action) == leaf[: len(event.path) + 1]
            elif isinstance(event, Expansion):
                assert event.path == leaf[: len(event.path)]
                for action in event.actions:
                    assert visits.setdefault((*event.path, action), 0) == 0
                priors |= zip([(*event.path, action) for action in event.actions], event.priors or (), strict=False)
            elif isinstance(event, Rollout):
                assert_playable(search, event)
            elif isinstance(event, BackUp):
                assert [up.path for up in event.updates] == [leaf[:d] for d in range(len(leaf), -1, -1)]
                for up in event.updates:
                    visits[up.path] += 1
                    totals[up.path] = totals.get(up.path, 0.0) + up.sign * event.result
                    assert up.visits == visits[up.path]
                    if not up.proof:
                        assert up.after == pytest.approx(totals[up.path] / up.visits, abs=1e-6)
    held = toys.held(search.nodes)
    assert {path: one[0] for path, one in held.items() if path in visits} == visits
    assert all(one[0] == 0 for path, one in held.items() if path not in visits)
    for node in steps_of(search, 1).tree(20):
        known, _, value, *_ = held[node.path]
        assert node.visits == known and (value is None or abs(node.value) == pytest.approx(abs(value)))
        assert node.prior == pytest.approx(priors.get(node.path, node.prior))
    assert game.player(search.root) == told[0].events[0].player or not told


def assert_playable(search: Any, event: Rollout) -> None:
    """A roll-out plays legal moves from its node on; its result is the score of the end, where games end."""
    state = search.root.copy()
    for action in event.path + event.actions:
        assert action in rules.playable(search.game, state)
        search.game.play(state, action)
    if search.game.over(state) and event.actions and search.workspaces["options"]["draw"][0] == 0:
        assert event.result == search.game.score(state)


def test_a_compiled_kernel_goes_on_where_steps_have_stopped_and_the_other_way_round() -> None:
    stepped, compiled = rollout_search("tictactoe", "uct"), rollout_search("tictactoe", "uct")
    steps = steps_of(stepped, 0)
    taken(steps, 5)
    assert steps.skip(30) == 30
    assert taken(steps, 5)[-1].number == steps.done == 40
    compiled.run(Budget(40))
    assert same_tree(stepped, compiled)


# --- the formulas -----------------------------------------------------------------------------------------


def selections(told: list[Any]) -> list[Selection]:
    return [event for one in told for event in one.events if isinstance(event, Selection) and event.why == BOUND]


def chosen_is_highest(event: Selection) -> None:
    best = max(seen.total for seen in event.children if seen.total is not None and seen.proof >= 0)
    (chosen,) = [seen for seen in event.children if seen.action == event.action]
    assert chosen.total == best


def test_uct_tells_the_terms_of_ucb1() -> None:
    found = selections(taken(steps_of(rollout_search("tictactoe", "uct(c=0.7)"), 0), 60))
    assert found
    for event in found:
        n = sum(seen.visits for seen in event.children) + bool(event.path)  # a new node had a roll-out of its own
        for seen in event.children:
            assert seen.q == pytest.approx(seen.value, abs=1e-6)
            assert seen.exploration == pytest.approx(0.7 * math.sqrt(math.log(n) / seen.visits), abs=1e-6)
        chosen_is_highest(event)


def test_rave_tells_the_mixture_of_both_values() -> None:
    found = selections(taken(steps_of(rollout_search("tictactoe", "rave(k=50, c=0)"), 0), 40))
    assert any(event.path for event in found)
    for event in found:
        n = sum(seen.visits for seen in event.children) + bool(event.path)
        for seen in event.children:
            b = math.sqrt(50 / (3 * n + 50)) if seen.visits and seen.shared_visits else float(not seen.visits)
            assert seen.share == pytest.approx(b, abs=1e-6)
            assert seen.q == pytest.approx((1 - b) * seen.value + b * seen.shared, abs=1e-6)
        chosen_is_highest(event)


def test_guided_uct_tells_exploration_by_the_prior() -> None:
    told = taken(steps_of(rollout_search("tictactoe", "guided"), 0), 30)
    for event in selections(told):
        n = sum(seen.visits for seen in event.children) + bool(event.path)
        for seen in event.children:
            expected = 3.0 * seen.prior * math.sqrt(math.log(max(n, 1)) / (seen.visits + 1))
            assert seen.exploration == pytest.approx(expected, abs=1e-6)
        assert sum(seen.prior for seen in event.children) == pytest.approx(1)
    (expansion,) = [event for event in told[0].events if isinstance(event, Expansion)]
    assert expansion.priors and sum(expansion.priors) == pytest.approx(1)


def test_puct_tells_first_play_urgency_and_exploration() -> None:
    stepped = net_search("tictactoe", {"c": 1.3, "fpu": 0.4})
    found = selections(taken(steps_of(stepped, 60), 60))
    held = [event for event in found if any(not seen.visits for seen in event.children)]
    assert held
    for event in found:
        n = sum(seen.visits for seen in event.children) + 1  # the leaf's own evaluation
        tried = math.sqrt(sum(seen.prior for seen in event.children if seen.visits))
        untried = {seen.q for seen in event.children if not seen.visits}
        for seen in event.children:
            assert seen.exploration == pytest.approx(1.3 * seen.prior * math.sqrt(n + 1) / (1 + seen.visits), abs=1e-6)
            assert not seen.visits or abs(seen.q) > 1 or seen.q == pytest.approx(seen.value, abs=1e-6)
        assert len(untried) <= 1
        if untried and not event.path:
            root = sum(s.visits * s.value for s in event.children) + first_value(stepped)
            assert untried.pop() == pytest.approx(root / n - 0.4 * tried, abs=1e-6)
        chosen_is_highest(event)


def first_value(search: NetSearch) -> float:
    """What the net says of the root, for who moves there."""
    planes = np.zeros((1, *search.game.planes()), np.float32)
    search.game.encode(search.root, planes[0])
    return float(search.evaluate(planes)[0, -1])


def test_chance_is_drawn_by_its_probability_and_nobody_chooses() -> None:
    told = taken(steps_of(rollout_search("dice", "uct"), 0), 40)
    drawn = [event for one in told for event in one.events if isinstance(event, Selection) and event.player == CHANCE]
    assert drawn
    for event in drawn:
        assert event.why == DRAWN and sum(seen.probability for seen in event.children) == pytest.approx(1)
        assert all(seen.total is None for seen in event.children)


def test_gumbel_shares_out_the_simulations_that_were_planned() -> None:
    steps = steps_of(net_search("tictactoe", {"considered": 4}), 12)
    assert len(taken(steps, 99)) == 12
    assert {event.why for one in taken(steps_of(net_search("tictactoe", {"considered": 4}), 12), 12)
            for event in one.events if isinstance(event, Selection) and not event.path} >= {"halving"}  # fmt: skip


def test_a_proven_root_ends_the_steps_and_says_so() -> None:
    game = TICTACTOE
    stepped = toys.search(game, position.read(game, "b2 b3 a1 a2"), "uct", seed=1)
    told = taken(steps_of(stepped, 0), 500)
    assert told[-1].events[-1].updates[-1].proof == 1 and abs(told[-1].events[-1].updates[-1].after) == CERTAIN
    assert len(told) < 500


def test_a_net_is_asked_once_for_every_leaf_that_is_open() -> None:
    told = taken(steps_of(net_search("tictactoe", {}), 20), 20)
    for one in told:
        assert sum(isinstance(event, Evaluation | Rollout) for event in one.events) == 1


# --- agents -----------------------------------------------------------------------------------------------


def test_options_change_under_way_if_the_kernel_can_take_them() -> None:
    agent, state = agents.make("uct(c=1.0)"), rules.new(TICTACTOE)
    steps = agent.step_by_step(TICTACTOE, state)
    steps.skip(20)
    agent.change(agents.make("uct(c=0.0)"))
    (event,) = [event for event in steps.simulate().events if isinstance(event, Selection) and not event.path]
    assert all(seen.exploration == 0 for seen in event.children)
    with pytest.raises(InputError, match="expand: not to be changed"):
        agent.change(agents.make("uct(c=0.0, expand='all')"))
    with pytest.raises(InputError, match="not to be changed"):
        agent.change(agents.make("rave"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("win-block", "does not search step by step"),
        ("uct(threads=2)", "threads=1"),
        ("alphazero(leaves=2)", "leaves=1"),
    ],
)
def test_what_cannot_be_shown_step_by_step_is_refused(spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        agents.make(spec).step_by_step(TICTACTOE, rules.new(TICTACTOE))


# --- minimax and alpha-beta -------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["minimax(depth=3)", "alphabeta(depth=3)", "alphabeta(depth=3, threats=False)",
                                  "alphabeta(depth=4, variant='hard', memory=0, order=False)"])  # fmt: skip
def test_depth_first_steps_are_those_of_the_compiled_kernel(spec: str) -> None:
    state = position.read(TICTACTOE, "a1 b2")
    agent: Any = agents.make(spec)
    events, complete = agent.step_by_step(TICTACTOE, state).run(10_000)
    compiled = agent.find(agent._search_of(TICTACTOE), state, Budget())
    assert complete and sum(isinstance(event, Enter) for event in events) == compiled.nodes
    deepest = max(event.depth for event in events if isinstance(event, Deepen))
    last = max(i for i, event in enumerate(events) if event == Deepen(deepest))
    values = {
        event.path[0]: event.value for event in events[last:] if isinstance(event, Leave) and len(event.path) == 1
    }
    assert values[compiled.best.action] == compiled.best.value
    assert must_nest(events) > 0


def must_nest(events: list[Any]) -> int:
    """Nodes are left in the order in which they were entered, within their windows; returns how many there were."""
    entered, children = [], {}
    for event in events:
        if isinstance(event, Enter):
            entered.append(event)
            children[event.path] = []
        elif isinstance(event, Cut):
            here = entered[-1]
            assert event.path == here.path and event.bound == (here.beta if event.player == 0 else here.alpha)
            assert event.value >= event.bound if event.player == 0 else event.value <= event.bound
            assert not {event.action, *children[here.path]} & set(event.left_out)
        elif isinstance(event, Leave):
            here = entered.pop()
            assert event.path == here.path
            if len(event.path) > 1:
                children[event.path[:-1]].append(event.path[-1])
    assert not entered
    return len(children)


def test_minimax_without_a_window_looks_at_every_node_and_alpha_beta_at_fewer() -> None:
    state, counts = position.read(TICTACTOE, "a1 b2 c3"), []
    for spec in ("minimax(depth=3, scoring='none')", "alphabeta(depth=3, threats=False, memory=0, scoring='none')"):
        events, _ = agents.make(spec).step_by_step(TICTACTOE, state).run(10_000)
        begins = max(i for i, event in enumerate(events) if event == Deepen(3))
        counts.append(sum(isinstance(event, Enter) for event in events[begins:]))
    assert counts[0] == 6 + 6 * 5 + 6 * 5 * 4 > counts[1]


def test_depth_first_steps_end_when_there_are_enough() -> None:
    steps = agents.make("minimax(depth=4)").step_by_step(TICTACTOE, rules.new(TICTACTOE))
    events, complete = steps.run(100)
    assert len(events) == 100 and not complete
    assert steps.run(100)[0] == events


def test_depth_first_steps_of_chance_have_no_window_there() -> None:
    game = toys.make("dice")
    events, complete = agents.make("alphabeta(depth=2, memory=0)").step_by_step(game, rules.new(game)).run(10_000)
    after = [event for event in events if isinstance(event, Enter) and event.player == CHANCE]
    assert complete and after
    compiled = Deepening(game, memory=0).search(rules.new(game), 2)
    assert sum(isinstance(event, Enter) for event in events) == compiled.nodes


# --- the interpreter --------------------------------------------------------------------------------------


def test_an_interpreted_twin_calls_what_watches_in_the_place_of_a_function() -> None:
    seen = []

    def watch(twin: Any) -> Any:
        def reward(workspace: Any, score: float) -> float:
            seen.append(float(score))
            return float(twin(workspace, score))

        return reward

    search = rollout_search("tictactoe", "uct")
    grow = Interpreter({simulate.reward: watch}).twin(simulate.grow)
    assert grow(search.game, search.workspaces, search.workspaces, search.nodes, search.switches, 5) == 5
    assert len(seen) == 5 and set(seen) <= {-1.0, 0.0, 1.0}
