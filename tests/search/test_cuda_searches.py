"""Many searches at once on a GPU grow the trees that the same searches grow on a CPU, node by node.

Without a GPU, numba-cuda's simulator runs the kernels, interpreted, in a process of its own: run by itself the file
prints what was found there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plyground as pg
from commands import has_gpu, simulated
from plyground import agents, games, rules
from plyground.agents.tree_search import UCT
from plyground.arena.match import Plan, play_match
from plyground.nets.evaluate import together
from plyground.search.budget import Budget
from plyground.search.mcts.driver import Search
from plyground.spec import InputError

RACE = str(Path(__file__).parents[2] / "examples/dice_race.py")
CASES = [("tictactoe", ""), ("tictactoe", 'choose="value", expand="all"'), ("connect-four(4,4,3)", 'rollout="random"')]
CASES += [("mnk(4,3,3)", "solve=False, rollouts=2"), (RACE, "")]
STATES, SIMS = 3, 24


def positions(game: Any, number: int) -> list[Any]:
    """States after some random moves, in which a player is to move."""
    rng, found = np.random.default_rng(1), []
    while len(found) < number:
        state = rules.new(game)
        for _ in range(2 * len(found)):
            if not game.over(state):
                game.play(state, int(rng.choice(rules.playable(game, state))))
        if not game.over(state) and game.player(state) != rules.CHANCE:
            found.append(state)
    return found


def first_difference(spec: str, options: str, number: int = STATES, sims: int = SIMS) -> str:
    from plyground.search.mcts.cuda import BLOCKS_OF_CHILDREN, CudaSearches

    game = games.make(spec)
    agent: Any = agents.make(f"uct(sims={sims}{', ' if options else ''}{options})", 1)
    told, heavy = agent.tuned(game), agent.is_heavy(game)
    many = CudaSearches(game, told, heavy, agent.choose == "value", number + 1, sims)
    states = positions(game, number)
    for seed in (9, 10):  # the second time the trees are not new
        seeds = np.arange(seed, seed + number, dtype=np.uint64)
        chosen = many.run(together(states), seeds)
        nodes = many.searches.nodes
        trees = nodes if isinstance(nodes, np.ndarray) else nodes.copy_to_host()
        for i, state in enumerate(states):
            one = Search(game, told, 0, heavy, False, BLOCKS_OF_CHILDREN * sims)
            one.begin(state)
            one.seed(int(seeds[i]))
            one.run(Budget(sims))
            if one.nodes.tobytes() != trees[i].tobytes():
                return f"tree {i}"
            agent._searches = [one]
            if agent._thought(game, state, sims, Budget(sims)).action != chosen[i]:
                return f"action {i}"
    return ""


def played() -> list[int]:
    """An environment whose opponent searches all games at once, in parts where there is no room for more."""
    env: Any = pg.vector_env("tictactoe", 3, opponent="uct(sims=30, device='cuda', memory=1, seed=2)", seat=1)
    env.reset(seed=1)
    return [int(env.step(env.random_actions())[4]["action_mask"].sum()) for _ in range(3)]


def matches() -> list[list[list[int]]]:
    """The games of a match between searches that are run at once, and one by one on the CPU."""
    plan = Plan("tictactoe", ("uct(sims=12, device='cuda')", "uct(sims=6, device='cuda', memory=1)"), 7, 3, 2)
    at_once = play_match(plan)
    UCT.many = False  # type: ignore[assignment, method-assign]
    return [[record.actions for record in result.records] for result in (at_once, play_match(plan))]


@pytest.fixture(scope="module")
def found() -> Any:
    return simulated(__file__)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str((Path(case[0]).name, *case[1:])))
def test_in_the_simulator_trees_are_those_of_the_cpu(case: tuple, found: Any) -> None:
    assert found[str(case)] == ""


def test_an_opponent_searches_all_games_at_once(found: Any) -> None:
    assert found["played"][0] == 3 * 6 and len(found["played"]) == 3


def test_a_match_of_searches_at_once_has_the_games_of_one_by_one(found: Any) -> None:
    at_once, one_by_one = found["matches"]
    assert at_once == one_by_one and len(at_once) == 7 and len({str(game) for game in at_once}) > 1


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
@pytest.mark.parametrize("case", CASES, ids=lambda case: str((Path(case[0]).name, *case[1:])))
def test_on_a_gpu_trees_are_those_of_the_cpu(case: tuple) -> None:
    assert first_difference(*case, sims=1000) == ""


def test_what_is_refused() -> None:
    game = games.make("tictactoe")
    for options in ({"seconds": 1.0}, {"threads": 2}, {"keep": True}, {"check": True}):
        agent = UCT(device="cuda", **options)  # type: ignore[arg-type]
        agent.begin(1)
        with pytest.raises(InputError, match="device cuda: for games of two players, without seconds, threads"):
            agent.think_in_each(game, [rules.new(game)])


if __name__ == "__main__":
    differences = {str(case): first_difference(*case) for case in CASES}
    print(json.dumps(differences | {"played": played(), "matches": matches()}))
