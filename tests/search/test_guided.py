"""Policy-guided UCT: the naive twin visit for visit, the net against NumPy and PyTorch, priors, signs, values."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import naive
import toys
from plyground import agents, games, rules
from plyground.rules import kernel
from plyground.search.budget import Budget
from plyground.search.mcts import mlp
from plyground.search.mcts.driver import Search

TICTACTOE = games.make("tictactoe")


def layers(game: Any, hidden: tuple[int, ...] = (16, 16), signed: bool = True, scale: float = 3.0) -> mlp.Layers:
    """A random net with opinions of its own."""
    rng = np.random.default_rng(5)
    sizes = (math.prod(game.planes()) // (2 if signed else 1), *hidden, game.actions())
    drawn = [(rng.normal(size=(b, a)) / math.sqrt(a), rng.normal(size=b) / 3) for a, b in pairwise(sizes)]
    return [(scale * w.astype(np.float32), b.astype(np.float32)) for w, b in drawn]


def opinion(game: Any, preferred: dict[int, float]) -> mlp.Layers:
    """A net that thinks the same of every state: these logits, else 0."""
    bias = np.array([preferred.get(action, 0.0) for action in range(game.actions())], np.float32)
    return [(np.zeros((game.actions(), math.prod(game.planes()) // 2), np.float32), bias)]


def search(game: Any, state: Any, net: mlp.Layers, options: str = "", signed: bool = True, seed: int = 1) -> Search:
    agent: Any = agents.make(f"uct(expand='all', {options})")
    heavy = agent.rollout == "win-block"
    made = Search(game, agent.kernel_options(), seed, heavy, False, 20_000, mlp.ready(game, net, signed))
    made.begin(state)
    return made


# --- the net ------------------------------------------------------------------------------------------


def policy(game: Any, state: Any, net: mlp.Layers, signed: bool = True) -> dict[int, float]:
    """P(a|s) of the legal actions, by plain NumPy."""
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    h = ((planes[0] - planes[1]) if signed else planes).ravel()
    for number, (w, b) in enumerate(net):
        h = w @ (np.maximum(h, 0) if number else h) + b
    legal = rules.legal(game, state)
    powers = np.exp(h[legal].astype(float) - h[legal].max())
    return dict(zip(legal, powers / powers.sum(), strict=True))


@kernel
def _run(game, states, net, out):
    for i in range(states.size):
        mlp.encode(game, states[i], net)
        mlp.forward(net.sizes, net.theta, net.signals, net.awake)
        for j in range(out.shape[1]):
            out[i, j] = net.signals[net.sizes.size - 1, j]


def positions(game: Any, count: int) -> np.ndarray:
    """Some states of random games."""
    rng = np.random.default_rng(1)
    found = np.zeros(count, rules.dtype(game))
    state = rules.new(game)
    for i in range(count):
        found[i] = state
        game.play(state, int(rng.choice(rules.legal(game, state))))
        state = rules.new(game) if game.over(state) else state
    return found


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("hidden", [(), (7,), (64, 64), (33, 5, 12)])
def test_the_net_is_that_of_pytorch(hidden: tuple[int, ...], signed: bool) -> None:
    torch = pytest.importorskip("torch")
    net = layers(TICTACTOE, hidden, signed, scale=1.0)
    modules: list = []
    for w, b in net:
        line = torch.nn.Linear(w.shape[1], w.shape[0])
        line.weight.data, line.bias.data = torch.from_numpy(w), torch.from_numpy(b)
        modules += [torch.nn.ReLU(), line]
    states = positions(TICTACTOE, 50)
    planes = np.zeros((50, 2, 3, 3), np.float32)
    for i, state in enumerate(states):
        TICTACTOE.encode(state, planes[i])
    inputs = (planes[:, 0] - planes[:, 1] if signed else planes).reshape(50, -1)
    out = np.zeros((50, 9), np.float32)
    _run(TICTACTOE, states, mlp.ready(TICTACTOE, net, signed), out)
    with torch.no_grad():
        wanted = torch.nn.Sequential(*modules[1:])(torch.from_numpy(inputs)).numpy()
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)


def test_other_weights_can_be_written_into_a_net() -> None:
    one, other = layers(TICTACTOE, (8, 4)), layers(TICTACTOE, (8, 4), scale=1.0)
    net = mlp.ready(TICTACTOE, one, True)
    mlp.write(net, other)
    for mine, wanted in zip(net, mlp.ready(TICTACTOE, other, True), strict=True):
        np.testing.assert_array_equal(mine, wanted)


# --- the search ---------------------------------------------------------------------------------------


class Guided(naive.UCT):
    """Q + c P sqrt(ln N / (n + 1)); all children at once, and ties to the higher prior."""

    def __init__(self, game: Any, state: Any, net: mlp.Layers, options: str, signed: bool, seed: int) -> None:
        super().__init__(game, state, f"uct(expand='all', {options})", seed)
        self.net, self.signed = net, signed

    def choose(self, node: naive.Node, at: naive.Game, sign: int) -> naive.Node:
        if not node.children:
            self.expand(node, rules.legal(self.game, at.state))
            priors = policy(self.game, at.state, self.net, self.signed)
            for child in node.children:
                child.prior = priors[child.action]  # type: ignore[attr-defined]
        return max(node.children, key=lambda child: (self.bound(child, node.visits, sign), child.prior))  # type: ignore[attr-defined]

    def bound(self, child: Any, total: int, sign: int) -> float:
        if child.proof:
            return sign * child.proof * math.inf
        c, n, log = self.options["c"], child.visits, math.log(total) if total else 0.0
        bonus = c * math.sqrt(log) * child.prior / math.sqrt(n + 1)  # the kernel's last bit decides ties
        assert math.isclose(bonus, c * child.prior * math.sqrt(log / (n + 1)))
        return sign * child.mean + bonus


@pytest.mark.parametrize(
    ("name", "moves", "options", "signed", "simulations"),
    [
        ("tictactoe", [], "", True, 300),
        ("tictactoe", [4], "c=5, solve=False", False, 300),
        ("tictactoe", [0, 4], "c=2, rollouts=3, draw=0.4", True, 100),
        ("tictactoe", [4, 0, 8], "c=9, win=2, loss=-3, draw=-0.5", True, 300),
        ("tictactoe", [4], "c=4, discount=0.9", False, 300),
        ("tictactoe", [], "c=0", True, 200),
        ("tictactoe", [], "c=8, rollout='win-block'", True, 80),
        ("connect-four", [3, 3], "c=4", False, 100),
        ("connect-four", [], "c=4, solve=False", True, 60),
    ],
)
@pytest.mark.parametrize("opinions", ["random", "none"])
def test_kernel_equals_naive_twin_visit_for_visit(name, moves, options, signed, simulations, opinions) -> None:
    game = games.make(name)
    state = rules.new(game)
    for move in moves:
        game.play(state, move)
    net = layers(game, signed=signed, scale=3.0 if opinions == "random" else 0.0)
    net = net if opinions == "random" else [(w, 0 * b) for w, b in net]
    kernel, twin = search(game, state, net, options, signed, 7), Guided(game, state, net, options, signed, 7)
    assert kernel.run(Budget(simulations)) == twin.run(simulations)
    assert toys.held(kernel.nodes) == naive.held(twin.root)
    assert int(kernel.workspaces[0].rng) == twin.stream.word
    for child in kernel.children:
        prior = next(c.prior for c in twin.root.children if c.action == child.action)  # type: ignore[attr-defined]
        assert child.prior == pytest.approx(prior, rel=1e-4)


def test_priors_are_probabilities_of_the_legal_actions_for_either_seat() -> None:
    net = layers(TICTACTOE)
    for diagram in ("X../.O./... X", "X../.O./..X O"):
        state = TICTACTOE.read(diagram)
        made = search(TICTACTOE, state, net)
        made.run(Budget(200))
        found = {child.action: child.prior for child in made.children}
        assert found == pytest.approx(policy(TICTACTOE, state, net), rel=1e-4)
        for reply in found:  # and one move deeper, seen by the other player
            deeper = {child.action: child.prior for child in made.children_after([reply])}
            then = rules.after(TICTACTOE, state, reply)
            if deeper:
                assert deeper == pytest.approx(policy(TICTACTOE, then, net), rel=1e-4)


def test_huge_logits_do_not_overflow() -> None:
    made = search(TICTACTOE, rules.new(TICTACTOE), opinion(TICTACTOE, {0: 3e4, 1: -3e4}))
    made.run(Budget(50))
    priors = {child.action: child.prior for child in made.children}
    assert priors == pytest.approx({action: float(action == 0) for action in range(9)})


def test_the_first_visits_go_to_what_the_net_prefers() -> None:
    made = search(TICTACTOE, rules.new(TICTACTOE), opinion(TICTACTOE, {6: 3.0, 2: 2.0}), "c=50")
    order: list[int] = []
    for _ in range(30):
        made.run(Budget(1))
        order += [child.action for child in made.children if child.visits and child.action not in order]
    assert order[:2] == [6, 2]


def test_a_stronger_opinion_gets_more_visits_and_none_gets_them_evenly() -> None:
    visits = {}
    for logit in (0.0, 1.0, 2.0):
        made = search(TICTACTOE, rules.new(TICTACTOE), opinion(TICTACTOE, {1: logit}), "c=20, solve=False")
        made.run(Budget(3000))
        visits[logit] = {child.action: child.visits for child in made.children}
    assert visits[0.0][1] < visits[1.0][1] < visits[2.0][1]
    assert min(visits[0.0].values()) > 100


@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize(("diagram", "best"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5)])
def test_a_win_is_found_by_either_seat_against_the_opinion_of_the_net(diagram: str, best: int, solve: bool) -> None:
    made = search(TICTACTOE, TICTACTOE.read(diagram), opinion(TICTACTOE, {best: -3.0}), f"c=3, solve={solve}")
    made.run(Budget(5000))
    assert toys.best(made) == best
    assert 0.9 < made.value <= 1


@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize("diagram", ["XOX/.../X.O O", "OXO/..X/O.X X"])
def test_a_lost_position_has_value_minus_one_for_either_seat(diagram: str, solve: bool) -> None:
    made = search(TICTACTOE, TICTACTOE.read(diagram), layers(TICTACTOE, scale=1.0), f"c=9, solve={solve}")
    made.run(Budget(15_000))
    assert -1 <= made.value < -0.9


@pytest.mark.parametrize(("diagram", "value"), [("XOX/XOO/OX. X", 0), ("XOO/OXX/OX. X", 1)], ids=["draws", "wins"])
def test_the_last_cell_of_a_board(diagram: str, value: int) -> None:
    made = search(TICTACTOE, TICTACTOE.read(diagram), layers(TICTACTOE))
    made.run(Budget(50))
    (child,) = made.children
    assert made.value == child.value == value
    assert child.prior == 1.0
    assert bool(child.proof) == (value == 1)


def test_a_full_tree_grows_no_more_and_goes_on_counting() -> None:
    agent: Any = agents.make("uct(expand='all', solve=False)")
    made = Search(TICTACTOE, agent.kernel_options(), 1, False, False, 12, mlp.ready(TICTACTOE, layers(TICTACTOE), True))
    made.begin(rules.new(TICTACTOE))
    assert made.run(Budget(500)) == 500
    assert made.visits == 500
    assert sum(child.visits for child in made.children) == 500
    assert sum(child.prior or 0.0 for child in made.children) == pytest.approx(1)


def test_a_subtree_is_kept_with_its_priors() -> None:
    made = search(TICTACTOE, rules.new(TICTACTOE), layers(TICTACTOE, scale=1.0), "c=9")
    made.run(Budget(1000))
    best = toys.best(made)
    before = made.children_after([best])
    made.begin(rules.after(TICTACTOE, rules.new(TICTACTOE), best), [best])
    assert len(made.children) == 8
    assert made.children == before
    assert sum(child.prior or 0.0 for child in made.children) == pytest.approx(1)


def test_searches_without_a_net_have_no_priors() -> None:
    agent: Any = agents.make("uct")
    made = Search(TICTACTOE, agent.kernel_options(), 1, False, False, 1000)
    made.begin(rules.new(TICTACTOE))
    made.run(Budget(100))
    assert {child.prior for child in made.children} == {None}
    assert "prior" not in made.nodes.dtype.names
