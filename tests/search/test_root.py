"""The root of a search by a net: sequential halving, Gumbel and Dirichlet noise, and what is learnt from a search."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import commands
import naive_puct
from naive_puct import something
from plyground import games, rules
from plyground.rules import kernel
from plyground.search.budget import Budget
from plyground.search.mcts.batched import NetSearch
from plyground.search.mcts.root import draw_gumbel, draw_noise, gamma, improved, most_visited, schedule, visited
from plyground.search.mcts.settings import Settings
from plyground.search.rng import seeded
from plyground.search.tree import NONE, ROOT

TICTACTOE = games.make("tictactoe")


@kernel
def _improved(nodes, trees, sign, options, policy):
    improved(nodes, trees[0], sign, options[0], policy)


@kernel
def _visited(nodes, sign, policy, temperature):
    visited(nodes, sign, policy, temperature)


@kernel
def _most_visited(nodes, trees, sign, options):
    return most_visited(nodes, trees[0], sign, options[0])


@kernel
def _noise(trees, nodes, share, concentration):
    draw_noise(trees[0], nodes, share, concentration)


@kernel
def _gumbel(trees):
    draw_gumbel(trees[0])


@kernel
def _gamma(trees, shape, out):
    for i in range(out.size):
        out[i] = gamma(trees[0], shape)


def grown(diagram: str, sims: int, given: dict[str, Any] | None = None) -> tuple[NetSearch, naive_puct.PUCT]:
    """A search and its twin, of the same position."""
    settings = Settings(**given or {})
    state = TICTACTOE.read(diagram)
    made = NetSearch(TICTACTOE, something(TICTACTOE), settings, 1, 3000, 1)
    made.begin(state)
    twin = naive_puct.PUCT(TICTACTOE, state, something(TICTACTOE), settings)
    made.run(Budget(sims))
    twin.run(sims)
    return made, twin


# --- sequential halving -------------------------------------------------------------------------------


def visits_of(considered: int, simulations: int) -> list[int]:
    """The visits that actions have at last, the best of them first, if a schedule is followed."""
    visits = [0] * considered
    for wanted in schedule(considered, simulations):
        visits[visits.index(wanted)] += 1  # the first, and so the better one, of those that have as many
    return visits


def test_the_example_of_four_actions_and_sixteen_simulations() -> None:
    """Two rounds of eight: 2 visits for each of four, then 4 for each of two (Karnin and others, 2013)."""
    assert schedule(4, 16) == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    assert visits_of(4, 16) == [6, 6, 2, 2]
    assert visits_of(16, 64) == [15, 15, 7, 7] + [3] * 4 + [1] * 8


@pytest.mark.parametrize("considered", [1, 2, 3, 4, 5, 8, 16, 19])
@pytest.mark.parametrize("simulations", [1, 2, 7, 16, 50, 200])
def test_the_budget_is_spent_and_the_better_half_looked_at_again(considered: int, simulations: int) -> None:
    visits = visits_of(considered, simulations)
    assert sum(visits) == len(schedule(considered, simulations)) == simulations
    assert visits == sorted(visits, reverse=True)
    rounds = math.ceil(math.log2(considered))
    if considered > 2 and simulations >= rounds * considered:
        assert len([n for n in visits if n > visits[-1]]) == max(2, considered // 2)
        assert min(visits) == simulations // (rounds * considered)


def test_the_best_by_noise_and_opinion_is_visited_most_if_all_values_are_alike() -> None:
    settings = Settings(considered=4, solve=False)
    game = games.make("mnk(4,3,4)")  # nobody wins within the search

    def judge(planes: np.ndarray) -> np.ndarray:
        return np.repeat(np.append(np.linspace(1, 0, 12), 0.0)[None], len(planes), axis=0).astype(np.float32)

    made = NetSearch(game, judge, settings, 1, 3000, 1)
    made.begin(rules.new(game))
    made.trees["gumbel"][0][11] = 9.0
    made.run(Budget(17))  # one of them judges the root
    visits = {child.action: child.visits for child in made.children if child.visits}
    assert set(visits) == {11, 0, 1, 2} and sum(visits.values()) == 16
    assert sorted([visits[11], visits[0]]) == [6, 6] and visits[1] == visits[2] == 2
    assert made.nodes[_most_visited(made.nodes, made.trees, 1, made.options)].action == 11


# --- what is learnt -----------------------------------------------------------------------------------


@pytest.mark.parametrize("diagram", ["... ... ...", "X../.O./... X", "X../.O./..X O", "XO./.X./..O X"])
@pytest.mark.parametrize("sims", [1, 5, 60])
def test_the_improved_policy_is_softmax_of_logits_and_completed_values(diagram: str, sims: int) -> None:
    diagram = ".../.../... X" if diagram.startswith("...") else diagram
    made, twin = grown(diagram, sims, {"solve": False, "considered": 4, "value_scale": 0.07, "visit_scale": 20.0})
    children = twin.root.children
    priors = np.array([child.prior for child in children])
    q = np.array([twin.sign * child.mean for child in children])
    n = np.array([child.visits for child in children])
    v = twin.opinion
    if n.sum():  # the mixed value of appendix D
        v = (v + n.sum() * (priors * q)[n > 0].sum() / priors[n > 0].sum()) / (1 + n.sum())
    completed = np.where(n > 0, q, v)
    logits = np.log(priors) + 0.07 * (20 + n.max()) * (completed + 1) / 2
    wanted = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    policy = np.full(9, 7.0, np.float32)
    _improved(made.nodes, made.trees, made.sign, made.options, policy)
    assert policy.sum() == pytest.approx(1, abs=1e-6)
    for child, share in zip(children, wanted, strict=True):
        assert policy[child.action] == pytest.approx(share, rel=1e-4, abs=1e-7)
    assert {a for a in range(9) if policy[a] == 0} == set(range(9)) - {child.action for child in children}


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_shares_of_the_visits(temperature: float) -> None:
    made, twin = grown("X../.O./... X", 80, {"solve": False})
    policy = np.full(9, 7.0, np.float32)
    _visited(made.nodes, made.sign, policy, temperature)
    powers = {child.action: child.visits ** (1 / temperature) for child in twin.root.children}
    for action in range(9):
        assert policy[action] == pytest.approx(powers.get(action, 0) / sum(powers.values()), rel=1e-5)
    assert policy.sum() == pytest.approx(1)


@pytest.mark.parametrize(("diagram", "winning"), [("XX./OO./... X", [2]), ("XX./OO./X.. O", [5])])
def test_proven_wins_share_everything(diagram: str, winning: list[int]) -> None:
    made, _ = grown(diagram, 2000, {"c": 9.0})
    assert made.value == 1
    for learnt in (policies(made)[0], policies(made)[1]):
        assert np.flatnonzero(learnt).tolist() == winning and learnt[winning[0]] == 1


def test_proven_losses_get_no_share_of_the_visits_unless_everything_loses() -> None:
    made, _ = grown("X../OO./..X X", 600, {"c": 20.0})
    lost = [child.action for child in made.children if child.proof == -1]
    assert len(lost) == 4 and not policies(made)[1][lost].any()
    made, twin = grown("XOX/.../X.O O", 5000)
    assert made.value == -1
    assert policies(made)[1][[c.action for c in twin.root.children]] == pytest.approx(
        [child.prior for child in twin.root.children]
    )


def policies(made: NetSearch) -> list[np.ndarray]:
    found = [np.zeros(9, np.float32) for _ in range(2)]
    _improved(made.nodes, made.trees, made.sign, made.options, found[0])
    _visited(made.nodes, made.sign, found[1], 1.0)
    return found


# --- noise --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 3.5])
def test_gamma_numbers_have_the_moments_of_theory(shape: float) -> None:
    made, _ = grown("X../.O./... X", 1)
    numbers = np.zeros(20_000)
    _gamma(made.trees, shape, numbers)
    assert numbers.min() >= 0
    assert numbers.mean() == pytest.approx(shape, rel=0.06)
    assert numbers.var() == pytest.approx(shape, rel=0.12)


def test_gumbel_numbers_have_the_moments_of_theory() -> None:
    made, _ = grown("X../.O./... X", 1)
    drawn = []
    for _ in range(1500):
        _gumbel(made.trees)
        drawn.append(made.trees["gumbel"][0].copy())
    assert np.mean(drawn) == pytest.approx(0.5772, abs=0.04)
    assert np.var(drawn) == pytest.approx(math.pi**2 / 6, rel=0.07)
    assert np.abs(np.corrcoef(np.array(drawn).T) - np.eye(9)).max() < 0.12


def test_dirichlet_noise_is_mixed_into_the_priors_of_the_root() -> None:
    made, _ = grown("X../.O./... X", 30)
    root = made.nodes[ROOT]
    here = slice(root.first, root.first + root.width)
    before = made.nodes["prior"].copy()
    k, concentration, share = 7, 10.0, 0.25
    drawn = []
    for _ in range(3000):
        made.nodes["prior"] = before
        _noise(made.trees, made.nodes, share, concentration)
        assert made.nodes["prior"][here].sum() == pytest.approx(1, abs=1e-5)
        drawn.append((made.nodes["prior"][here] - (1 - share) * before[here]) / share)
    a = concentration / k  # of each action; Dirichlet: mean 1 / k, variance (1 / k) (1 - 1 / k) / (k a + 1)
    assert np.mean(drawn, axis=0) == pytest.approx(np.full(k, 1 / k), rel=0.05)
    assert np.var(drawn, axis=0) == pytest.approx(np.full(k, (1 / k) * (1 - 1 / k) / (k * a + 1)), rel=0.15)
    rest = np.ones(made.nodes.size, bool)
    rest[here] = False
    assert (made.nodes["prior"] == before)[rest].all()


# --- the same everywhere ------------------------------------------------------------------------------


def answers() -> list[list[float]]:
    """Numbers that both ways to run the kernels have to find, to the last bit."""
    made, _ = grown("X../.O./... X", 40, {"considered": 5, "value_scale": 0.1})
    made.trees["rng"] = seeded(9)
    found = [*policies(made)]
    _noise(made.trees, made.nodes, 0.25, 10.0)
    found += [made.nodes["prior"][: made.nodes[NONE].first], *policies(made)]
    _gumbel(made.trees)
    found.append(made.trees["gumbel"][0])
    return [[float(x) for x in array] for array in found]


def test_interpreted_equals_compiled() -> None:
    assert commands.interpreted(__file__) == answers()


if __name__ == "__main__":
    print(json.dumps(answers()))
