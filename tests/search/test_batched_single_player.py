"""Search by a net in games of one player: its naive twin visit for visit, its ends, and what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mining
from learn.wells import SMALL, on_the_way
from naive_alone import Twin, something
from plyground import games, rules
from plyground.agents.mcts_actor_critic import search_settings
from plyground.games.tetris.features import FAST
from plyground.nets.afterstates import AfterstateEncoder
from plyground.search.budget import Budget
from plyground.search.mcts import single_player
from plyground.search.mcts.batched_single_player import BatchedSinglePlayerPUCT, Roots
from plyground.search.tree import NONE, ROOT

RETURNS = [0.9, 0.1, 0.5]


def held(nodes: np.ndarray, at: int = ROOT, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple]:
    node = nodes[at]
    found = {path: (int(node.visits), pytest.approx(float(node.value), abs=1e-9))}
    for child in range(node.first, node.first + node.width):
        found |= held(nodes, child, (*path, int(nodes[child].action)))
    return found


def grown(
    game: Any, states: np.ndarray, sims: int, c: float = 1.0, rollout: float = 0.0, seed: int = 3
) -> BatchedSinglePlayerPUCT:
    encoder = AfterstateEncoder(game)
    settings = search_settings(encoder.afterstates, RETURNS, c, 1.5, rollout)
    made = BatchedSinglePlayerPUCT(game, encoder.features, settings, 4, sims, encoder.afterstates.fast, seed)
    made.search(states, something)
    return made


@pytest.mark.parametrize(
    ("name", "c", "rollout", "sims"),
    [
        (SMALL, 1.0, 0.0, 80),
        (SMALL, 5.0, 0.4, 60),
        ("tetris(6,4)", 0.3, 0.0, 80),
        ('tetris(6,5,"simplified","seven")', 1.0, 0.5, 60),
    ],
)
def test_trees_are_those_of_the_naive_twin_visit_for_visit(name: str, c: float, rollout: float, sims: int) -> None:
    game = games.make(name)
    encoder = AfterstateEncoder(game)
    settings = search_settings(encoder.afterstates, RETURNS, c, 1.5, rollout)
    states = on_the_way(game, 24)[20:]
    made, ended = grown(game, states, sims, c, rollout), 0
    for number, state in enumerate(states):
        twin = Twin(game, encoder, something, settings, FAST, 3 * 1_000_003 + number)
        for _ in range(sims):
            twin.simulate(state)
        assert held(made.nodes[number]) == {path: (node.visits, node.value) for path, node in twin.nodes.items()}
        ended += sum(node.visits > 0 and not node.outcome and not node.children for node in twin.nodes.values())
    assert ended > 0 or name == SMALL  # the end of the game was met in the tree


@pytest.mark.parametrize(("name", "sims"), [("Pig", 200), ("Descent", 60), ("Mine", 100)])
def test_chance_may_move_never_once_or_often_and_an_end_need_not_be_a_loss(name: str, sims: int) -> None:
    """Games in which chance scores and ends the game, in which there is none, and in which it moves twice."""
    file = mining.__file__ if name == "Mine" else f"{Path(mining.__file__).parent}/learn/one_player_toys.py"
    game = games.make(f"{file}:{name}")
    encoder = AfterstateEncoder(game)
    settings = search_settings(encoder.afterstates, RETURNS, 1.0, 1.5, 0.0)
    state = rules.new(game)
    made = BatchedSinglePlayerPUCT(game, encoder.features, settings, 1, sims, None, 3)
    twin = Twin(game, encoder, something, settings, None, 3 * 1_000_003)
    made.search(np.array([state]), something)
    for _ in range(sims):
        twin.simulate(state)
    assert held(made.nodes[0]) == {path: (node.visits, node.value) for path, node in twin.nodes.items()}
    assert any(node.visits > 1 and not node.children for node in twin.nodes.values())  # the game's end was met


def test_a_tree_that_is_full_ends_its_search() -> None:
    game = games.make(f"{mining.__file__}:Mine(30)")
    encoder = AfterstateEncoder(game)
    made = BatchedSinglePlayerPUCT(
        game, encoder.features, search_settings(encoder.afterstates, RETURNS, 1.0, 1.5, 0.0), 1, 50
    )
    made.nodes = made.nodes[:, :60].copy()
    found = made.search(np.array([rules.new(game)]), something)
    assert 1 < found.visits.sum() < 49 and made.nodes[0, NONE]["first"] <= 60


def test_every_visit_of_the_root_but_the_first_goes_to_a_placement_and_priors_are_chances() -> None:
    game = games.make(SMALL)
    made = grown(game, on_the_way(game, 3), 40)
    found = made.roots(3)
    starts = np.cumsum([0, *found.widths[:-1]])
    assert np.add.reduceat(found.visits, starts).tolist() == [39] * 3
    assert np.add.reduceat(found.priors, starts) == pytest.approx(1)


def test_outcomes_are_drawn_by_their_share() -> None:
    game = games.make(SMALL)
    made = grown(game, on_the_way(game, 1), 400, c=0.1)
    nodes = made.nodes[0]
    first = nodes[ROOT].first
    action = max(range(first, first + nodes[ROOT].width), key=lambda child: nodes[child].visits)
    begin = nodes[action].first
    visits = [int(nodes[begin + i].visits) for i in range(nodes[action].width)]
    assert len(visits) == 7 and max(visits) - min(visits) <= 1 and sum(visits) == nodes[action].visits > 50


def test_a_placement_that_ends_the_game_is_tried_only_if_all_do() -> None:
    game = games.make('tetris(6,4,"simplified")')
    some, all_lost = game.read("##.###/##.###/##.### i"), game.read("##.#.#/##.#.#/##.#.#/##.#.# o")
    made = grown(game, np.array([some, all_lost]), 30)
    found = made.roots(2)
    ends = [game.over(rules.after(game, some, action)) for action in found.actions[: found.widths[0]].tolist()]
    assert any(ends) and not all(ends)
    assert all((visits == 0) == end for visits, end in zip(found.visits[: found.widths[0]], ends, strict=True) if end)
    rest = slice(found.widths[0], None)
    assert found.visits[rest].sum() == 29 and not found.values[rest].any() and found.worth[1] == 0


def test_more_visits_are_preferred_then_the_higher_value_and_last_what_ends_the_game() -> None:
    visits, values, priors = np.array([3, 5, 5, 0, 0]), np.array([9.0, 1.0, 2.0, -1.0, 0.0]), np.ones(5)
    priors[4] = 0
    found = Roots(np.arange(5), visits, values, priors, np.array([5]), np.zeros(1))
    assert np.argsort(-found.preference()).tolist() == [2, 1, 0, 3, 4]


def test_a_search_that_is_stopped_has_judged_its_root() -> None:
    game = games.make(SMALL)
    made = grown(game, on_the_way(game, 1), 50)
    found = made.search(on_the_way(game, 1), something, Budget(stop=lambda: True))
    assert found.visits.sum() == 0 and found.priors.sum() == pytest.approx(1) and found.values.any()
    assert made.search(on_the_way(game, 1), something, Budget(7)).visits.sum() == 6
    with pytest.raises(ValueError, match="simulations"):
        grown(game, on_the_way(game, 1), single_player.MOST + 1)


def test_a_fast_policy_can_be_compiled_whatever_else_was_imported() -> None:
    """Kernels can call `rate` only where the module was imported that says so."""
    code = "import sys, plyground.search.mcts.batched_single_player; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "plyground.search.depth_first.lookahead" in found.stdout.split()
