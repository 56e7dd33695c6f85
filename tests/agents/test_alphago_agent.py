"""The agent alphago: with mix = 0 the tree of alphazero, other mixes, its steps, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import answer, refusal, run
from plyground import agents, games, rules
from plyground.nets import fast_policy
from plyground.nets.evaluate import together
from plyground.search.mcts import local_patterns
from plyground.search.mcts.steps.events import Evaluation

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
NAME = "connect-four(5,4,3)"
GAME = games.make(NAME)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose nets for policy and value are one net of random opinions."""
    torch = pytest.importorskip("torch")
    from plyground.nets.card import Card
    from plyground.nets.files import save
    from plyground.nets.models import ResNet

    torch.set_num_threads(1)
    made = tmp_path_factory.mktemp("run")
    sizes = [*GAME.planes(), GAME.actions(), 1, 8]
    net = ResNet(sizes, False, seed=4)
    rng = torch.Generator().manual_seed(2)
    for layer in (net.logits, net.outcome):
        layer.weight.data = torch.randn(layer.weight.shape, generator=rng)
    for stage in ("sl", "value"):
        save(made / stage, net, Card(sizes, "board", "policy-value", NAME, kind="resnet"))
    places = fast_policy.places(GAME)
    weights = local_patterns.untaught(GAME, *places).weights
    weights[:] = np.random.default_rng(1).normal(size=len(weights))
    fast_policy.save(made / "rollout", fast_policy.FastPolicy(weights, *places), GAME, NAME)
    return made


def tree(spec: str, moves: list[int]) -> list[Any]:
    """The children of the root, and of the root's best child."""
    agent = agents.make(spec, 3)
    state = rules.new(GAME)
    for action in moves:
        GAME.play(state, action)
    thought = agent.think(GAME, state)
    found = [thought.value, *thought.moves, *agent.children([thought.action])]
    agent.close()
    return found


@pytest.mark.parametrize("moves", [[], [3], [3, 3, 2]])
def test_with_a_mix_of_0_it_grows_the_tree_of_alphazero_bit_for_bit(folder: Path, moves: list[int]) -> None:
    own = tree(f'alphago("{folder}", sims=150, mix=0)', moves)
    assert own == tree(f'alphazero("{folder / "sl"}", sims=150)', moves)
    assert own != tree(f'alphago("{folder}", sims=150, mix=0.5)', moves)


def test_its_steps_are_its_search(folder: Path) -> None:
    """Simulations that are watched one by one, interpreted, leave the tree that compiled ones leave."""
    spec = f'alphago("{folder}", sims=12)'
    agent = agents.make(spec, 3)
    steps = agent.step_by_step(GAME, rules.new(GAME))
    for _ in range(12):
        told = steps.simulate()
        for event in told.events:
            if isinstance(event, Evaluation) and not event.proof:
                assert abs(event.rollout) <= 1 and abs(event.value - 0.5 * event.rollout) <= 0.5  # the rest is v / 2
    watched = {child.action: (child.visits, child.value) for child in steps.search.children}
    other = agents.make(spec, 3)
    thought = other.think(GAME, rules.new(GAME))
    assert {move.action: (move.visits, move.value) for move in thought.moves} == watched
    agent.close(), other.close()


def test_it_thinks_by_the_command_and_says_what_it_lacks(folder: Path, tmp_path: Path) -> None:
    assert "the net and a roll-out, " in run("steps", NAME, f'alphago("{folder}", sims=20)').stdout
    told = answer("think", NAME, f'alphago("{folder}", sims=20, mix=1.0)')
    assert told["simulations"] == 20 and told["moves"][0]["prior"] > 0
    assert "has no stage rl" in refusal(run("think", NAME, f'alphago("{folder}", prior="rl")'))
    assert "has no stage sl" in refusal(run("think", NAME, f'alphago("{tmp_path}")'))
    assert "this game has" in refusal(run("think", "tictactoe", f'alphago("{folder}")'))
    assert "without chance" in refusal(run("think", "pig", f'alphago("{folder}")'))


def test_the_fast_policy_plays_alone(folder: Path) -> None:
    told = answer("think", NAME, f'net("{folder / "rollout"}")')
    policy = local_patterns.with_room(GAME, *fast_policy.load(folder / "rollout", GAME))
    chances = np.zeros((1, GAME.actions()))
    local_patterns.rate_each(GAME, together([rules.new(GAME)]), np.full(1, -1, np.int32), policy, chances)
    assert told["action"] == chances[0].argmax()
    assert [move["prior"] for move in told["moves"]] == pytest.approx(sorted(chances[0], reverse=True), abs=1e-4)
