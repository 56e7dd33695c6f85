"""Search by a net: its naive twin visit for visit, what is proven, full trees, and the compiler changes nothing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

import commands
import naive_puct
import toys
import turns
from naive_puct import nothing, something
from plyground import games, rules
from plyground.games.k_in_row.rules import MNK
from plyground.search.budget import Budget
from plyground.search.mcts.batched import BatchedPUCT, NetSearch
from plyground.search.mcts.settings import Settings
from plyground.search.mcts.transpositions import PROBES
from plyground.search.tree import NONE, ROOT
from plyground.spec import InputError

TICTACTOE = games.make("tictactoe")


def played(game: Any, actions: list[int]) -> Any:
    state = rules.new(game)
    for action in actions:
        game.play(state, action)
    return state


def search(game: Any, state: Any, judge: Any, settings: Settings, leaves: int = 1, nodes: int = 5000) -> NetSearch:
    made = NetSearch(game, judge, settings, leaves, nodes, seed=1)
    made.begin(state)
    return made


def held(nodes: np.ndarray, at: int = ROOT, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple]:
    """What `naive_puct.held` tells, of a compiled tree."""
    node = nodes[at]
    value = None if node.proof else float(node.value)
    found = {path: (int(node.visits), int(node.proof), value, float(node.prior))}
    for child in range(node.first, node.first + node.width):
        found |= held(nodes, child, (*path, int(nodes[child].action)))
    return found


CASES: list[tuple[str, list[int], dict[str, Any], int, int]] = [  # game, moves, settings, leaves, simulations
    ("tictactoe", [], {}, 1, 300),
    ("tictactoe", [4], {"c": 3.0, "fpu": 0.0, "solve": False}, 1, 200),
    ("tictactoe", [0, 4, 8], {"fpu": 1.0}, 4, 200),
    ("tictactoe", [4], {"rule": "plain", "c": 1.0}, 1, 150),
    ("tictactoe", [4, 0], {"least": 0.6}, 1, 300),
    ("tictactoe", [4], {"policy_temperature": 2.0}, 1, 200),
    ("chance", [], {"policy_temperature": 0.5, "least": 0.1}, 2, 100),
    ("tictactoe", [], {"rule": "plain", "solve": False}, 8, 150),
    ("tictactoe", [], {"considered": 4}, 1, 64),
    ("tictactoe", [0], {"considered": 16}, 3, 90),
    ("connect-four", [3, 3], {}, 1, 150),
    ("connect-four", [0], {"considered": 5, "value_scale": 0.1, "visit_scale": 10.0}, 1, 100),
    ("mnk(4,3,3)", [5], {}, 1, 200),
    ("mnk(4,3,3)", [], {"c": 0.7}, 16, 200),
    ("chance", [], {}, 1, 200),
    ("chance", [0, 2], {"solve": False, "fpu": 0.5}, 5, 200),
    ("chance", [], {"considered": 3}, 1, 60),
    ("chance", [], {"rule": "plain"}, 2, 100),
    ("tictactoe", [4], {"rollout": 0.5}, 1, 100),
    ("tictactoe", [], {"rollout": 1.0, "rule": "plain", "solve": False}, 3, 100),
    ("chance", [], {"rollout": 0.3}, 2, 100),
    ("twice", [], {"solve": False}, 1, 200),
    ("twice", [1], {"c": 2.5}, 1, 200),
    ("twice", [2, 0], {}, 3, 100),
    ("alone", [], {"discount": 0.9}, 1, 200),
    ("alone", [0, 2], {"fpu": 0.5}, 5, 200),
    ("alone", [], {"considered": 3, "discount": 0.5}, 1, 60),
    ("tictactoe", [], {"transpositions": True}, 1, 400),
    ("tictactoe", [4], {"transpositions": True, "solve": False, "least": 0.3}, 1, 300),
    ("tictactoe", [0], {"transpositions": True}, 5, 300),
    ("connect-four", [3, 3], {"transpositions": True, "rollout": 0.5}, 1, 300),
    ("mnk(4,3,3)", [], {"transpositions": True, "considered": 4, "rule": "plain"}, 3, 300),
    ("chance", [], {"transpositions": True}, 2, 300),
    ("twice", [], {"transpositions": True}, 1, 200),
]
NAMES = [f"{name}-{moves}-{given}-{leaves}" for name, moves, given, leaves, _ in CASES]


@pytest.mark.parametrize("opinions", [nothing, something])
@pytest.mark.parametrize(("name", "moves", "given", "leaves", "simulations"), CASES, ids=NAMES)
def test_kernel_equals_naive_twin_visit_for_visit(name, moves, given, leaves, simulations, opinions) -> None:
    game, settings = turns.make(name), Settings(**given)
    state, judge = played(game, moves), opinions(game)
    made = search(game, state, judge, settings, leaves)
    twin = naive_puct.PUCT(game, state, judge, settings, leaves)
    noise = np.random.default_rng(3).gumbel(size=game.actions()).astype(np.float32)
    made.trees["gumbel"][0] = noise
    twin.noise = [float(x) for x in noise]
    assert made.run(Budget(simulations)) == twin.run(simulations)
    assert held(made.nodes) == naive_puct.held(twin.root)
    assert made.walkers["rng"].tolist() == [stream.word for stream in twin.streams]
    assert not made.nodes["virtual_loss"].any()
    assert made.trees["value"][0] == np.float32(twin.opinion)


class Uncompiled(MNK):
    """Tic-tac-toe whose rules only Python runs."""

    def compiles(game) -> bool:
        return False


@pytest.mark.parametrize("given", [{}, {"considered": 4}, {"rollout": 0.5}], ids=str)
def test_a_game_that_does_not_compile_has_the_same_trees(given: dict[str, Any]) -> None:
    trees = []
    for game in (TICTACTOE, Uncompiled(*TICTACTOE)):
        made = search(game, rules.new(game), something(TICTACTOE), Settings(**given))
        made.run(Budget(60))
        trees.append(held(made.nodes))
    assert trees[0] == trees[1]


def test_trees_side_by_side_are_the_trees_one_by_one() -> None:
    settings = Settings(considered=4)
    batched = BatchedPUCT(TICTACTOE, something(TICTACTOE), settings, 3, 40, seed=1)
    lines = [[], [4], [0, 4], [4, 0, 1, 7, 3], [0, 1, 2, 3, 4, 5, 7]]  # the last two batches are smaller
    states = np.array([played(TICTACTOE, line) for line in lines]).view(rules.dtype(TICTACTOE))
    chosen = batched(states)
    for state, action in zip(states, chosen, strict=True):
        twin = naive_puct.PUCT(TICTACTOE, state, something(TICTACTOE), settings)
        twin.run(40)
        assert twin.choice() == action
    assert len(set(batched(states[[0] * 30], noise=True).tolist())) > 2


# --- what is proven -----------------------------------------------------------------------------------


def liar(game: Any, best: int, value: float) -> Any:
    """A net that thinks nothing of an action, and this of every position."""
    answer = np.zeros(game.actions() + 1, np.float32)
    answer[best], answer[-1] = -3.0, value
    return lambda planes: np.repeat(answer[None], len(planes), axis=0)


@pytest.mark.parametrize("value", [-0.9, 0.9])
@pytest.mark.parametrize(("diagram", "best"), [("XX./OO./... X", 2), ("XX./OO./X.. O", 5)])
def test_a_win_is_found_by_either_seat_against_the_opinion_of_the_net_and_ends_the_search(
    diagram: str, best: int, value: float
) -> None:
    made = search(TICTACTOE, TICTACTOE.read(diagram), liar(TICTACTOE, best, value), Settings(c=20.0))
    assert made.run(Budget(2000)) < 2000
    assert made.value == 1 and made.visits < 2000
    assert [child.action for child in made.children if child.proof == 1] == [best]
    assert made.run(Budget(100)) == 0


@pytest.mark.parametrize(("diagram", "block"), [("X../OO./..X X", 5), ("XX./.O./... O", 2)])
def test_a_proven_loss_is_avoided_by_either_seat(diagram: str, block: int) -> None:
    state = TICTACTOE.read(diagram)
    made = search(TICTACTOE, state, liar(TICTACTOE, block, 0.0), Settings(c=20.0))
    made.run(Budget(600))
    proofs = {child.action: child.proof for child in made.children}
    assert proofs.pop(block) == 0 and set(proofs.values()) == {-1}
    assert max(made.children, key=lambda child: child.visits).action == block
    batched = BatchedPUCT(TICTACTOE, liar(TICTACTOE, block, 0.0), Settings(c=20.0), 1, 600)
    assert batched(np.array([state]).view(rules.dtype(TICTACTOE))).tolist() == [block]


@pytest.mark.parametrize("diagram", ["XOX/.../X.O O", "OXO/..X/O.X X"])
def test_a_lost_position_is_proven_lost_for_either_seat(diagram: str) -> None:
    made = search(TICTACTOE, TICTACTOE.read(diagram), something(TICTACTOE), Settings())
    assert made.run(Budget(5000)) < 5000
    assert made.value == -1 and {child.proof for child in made.children} == {-1}


@pytest.mark.parametrize(("diagram", "value"), [("XOX/XOO/OX. X", 0), ("XOO/OXX/OX. X", 1)], ids=["draws", "wins"])
def test_the_last_cell_of_a_board(diagram: str, value: int) -> None:
    """A full board: the net, which says 0.9, is asked about the root alone."""
    made = search(TICTACTOE, TICTACTOE.read(diagram), liar(TICTACTOE, 0, 0.9), Settings())
    assert made.run(Budget(50)) == (50 if value == 0 else 2)
    (child,) = made.children
    assert (child.prior, child.value, child.visits) == (1.0, value, made.visits - 1)
    assert bool(child.proof) == (value == 1)
    assert made.value == (1 if value else pytest.approx(0.9 / 50))


def test_a_draw_is_never_proven() -> None:
    state = TICTACTOE.read("XOX/XO./O.. X")
    made = search(TICTACTOE, state, nothing(TICTACTOE), Settings())
    assert made.run(Budget(400)) == 400
    assert made.value == pytest.approx(0, abs=0.1) and made.nodes["proof"][ROOT] == 0


def test_perspectives_when_a_player_moves_twice() -> None:
    """The net knows who stands well: player 0, always.  It says so to whoever moves."""
    game = turns.make("twice")
    knows = {naive_puct.seen(game, state).tobytes(): int(game.player(state)) for state in reachable(game)}

    def judge(planes: np.ndarray) -> np.ndarray:
        signs = [1 - 2 * knows[board.tobytes()] for board in planes]
        return np.array([[0, 0, 0, 0.5 * sign] for sign in signs], np.float32)

    made = search(game, rules.new(game), judge, Settings(solve=False))
    made.run(Budget(13))  # not yet to the end of any game
    deep = [value for path, (visits, _, value, _) in held(made.nodes).items() if visits and len(path) < 4]
    assert len(deep) == 13 and {round(value, 6) for value in deep} == {0.5}


def reachable(game: Any) -> list[Any]:
    found, todo = [], [rules.new(game)]
    while todo:
        state = todo.pop()
        if not game.over(state):
            found.append(state)
            todo += [rules.after(game, state, action) for action in rules.legal(game, state)]
    return found


# --- room ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tictactoe", "chance"])
@pytest.mark.parametrize("room", [0, 2, 3, 8, 9, 10, 17, 25, 60])
def test_a_full_tree_grows_no_more_and_goes_on_counting(name: str, room: int) -> None:
    game, settings = turns.make(name), Settings(solve=False)
    made = search(game, rules.new(game), something(game), settings, leaves=2, nodes=room)
    twin = naive_puct.PUCT(game, rules.new(game), something(game), settings, leaves=2, room=room)
    assert made.run(Budget(150)) == twin.run(150) == 150
    assert made.nodes[NONE].first <= room + 2
    assert held(made.nodes) == naive_puct.held(twin.root)
    assert made.visits == 150 and made.expanded == bool(made.children)


def test_a_tree_grows_no_deeper_than_its_paths_and_stays_within_the_scores() -> None:
    game = turns.load("Steps")(5000)
    made = search(game, rules.new(game), lambda planes: np.full((len(planes), 3), 0.9, np.float32), Settings())
    assert made.run(Budget(700)) == 700
    assert len(made.line(0)) > 1000
    values = made.nodes["value"][: made.nodes[NONE].first]
    assert np.abs(values).max() <= 0.9 + 1e-6


def test_a_subtree_is_kept_and_grown_on() -> None:
    made = search(TICTACTOE, rules.new(TICTACTOE), something(TICTACTOE), Settings(solve=False))
    made.run(Budget(300))
    best = max(made.children, key=lambda child: child.visits).action
    before, visits = made.children_after([best]), held(made.nodes)[best,][0]
    made.begin(played(TICTACTOE, [best]), [best])
    assert made.children == before and made.visits == visits
    assert made.run(Budget(50)) == 50 and made.visits == visits + 50
    made.begin(played(TICTACTOE, [4]))
    assert made.visits == 0 and made.children == []


# --- transpositions -----------------------------------------------------------------------------------


def blocks(game: Any, made: NetSearch) -> tuple[dict[bytes, set[int]], int]:
    """Where the children of every position of a tree begin that has some, and how many nodes have children."""
    found: dict[bytes, set[int]] = {}
    todo, parents = [(ROOT, made.root.copy())], set[int]()
    while todo:
        at, state = todo.pop()
        node = made.nodes[at]
        if at in parents or not node.width:
            continue
        parents.add(at)
        found.setdefault(state.tobytes(), set()).add(int(node.first))
        for child in range(node.first, node.first + node.width):
            todo.append((child, rules.after(game, state, int(made.nodes[child].action))))
    return found, len(parents)


@pytest.mark.parametrize("name", ["tictactoe", "mnk(4,3,3)"])
def test_a_position_has_one_set_of_children_also_in_the_tree_that_is_kept(name: str) -> None:
    game = games.make(name)
    plain = search(game, rules.new(game), something(game), Settings(solve=False), nodes=20_000)
    plain.run(Budget(1000))
    assert max(map(len, blocks(game, plain)[0].values())) > 1
    made = search(game, rules.new(game), something(game), Settings(solve=False, transpositions=True), nodes=20_000)
    made.run(Budget(1000))
    for _ in range(2):
        found, parents = blocks(game, made)
        assert {len(firsts) for firsts in found.values()} == {1} and len(found) < parents
        seen = made.variant.seen[made.variant.seen["first"] != NONE]
        assert set(seen["first"].tolist()) >= {first for firsts in found.values() for first in firsts}
        best = max(made.children, key=lambda child: child.visits).action
        before = held(made.nodes)
        made.begin(rules.after(game, made.root, best), [best])
        after = held(made.nodes)
        assert after.keys() == {path[1:] for path in before if path[:1] == (best,)}
        assert all(after[path[1:]] == was for path, was in before.items() if path[:1] == (best,) and path[1:])
        visits = made.visits
        assert visits == 1 + sum(child.visits for child in made.children) >= before[best,][0]
        assert made.run(Budget(100)) == 100 and made.visits == visits + 100
        assert not made.nodes["virtual_loss"].any()
    made.begin(rules.new(game))
    assert made.visits == 0 and not made.variant.seen["first"].any()


def test_a_position_that_is_met_again_asks_the_net_no_more() -> None:
    asked = list[bytes]()

    def judge(planes: np.ndarray) -> np.ndarray:
        asked.extend(board.tobytes() for board in planes)
        return something(TICTACTOE)(planes)

    for given in ({}, {"transpositions": True}):
        asked.clear()
        search(TICTACTOE, rules.new(TICTACTOE), judge, Settings(solve=False, **given)).run(Budget(400))
        assert (len(asked) == len(set(asked))) == bool(given)


def test_where_positions_come_again_a_search_ends() -> None:
    game = turns.load("Circle")()
    for solve in (False, True):
        made = search(game, rules.new(game), nothing(game), Settings(solve=solve, transpositions=True))
        made.run(Budget(2000))
        assert made.visits <= 2000 and abs(made.value) <= 1
        assert len(made.line(0)) <= 12
        found, _ = blocks(game, made)
        assert {len(firsts) for firsts in found.values()} == {1}


def test_a_table_that_is_full_judges_positions_again() -> None:
    made = search(TICTACTOE, rules.new(TICTACTOE), something(TICTACTOE), Settings(solve=False, transpositions=True))
    made.variant = made.variant._replace(seen=made.variant.seen[: 1 + PROBES].copy())
    assert made.run(Budget(400)) == 400
    assert max(map(len, blocks(TICTACTOE, made)[0].values())) > 1
    assert (made.variant.seen["first"][:PROBES] != NONE).all()


def test_nothing_is_simulated_if_nothing_may_be() -> None:
    made = search(TICTACTOE, rules.new(TICTACTOE), something(TICTACTOE), Settings())
    assert made.run(Budget(0)) == made.visits == 0


def test_a_game_that_no_net_can_see_is_refused() -> None:
    with pytest.raises(InputError, match="encodes"):
        NetSearch(toys.make("nim"), nothing(TICTACTOE), Settings(), 1, 100, 1)


# --- the same everywhere ------------------------------------------------------------------------------


def digest(number: int) -> str:
    """A digest of every byte of a tree, or what went wrong."""
    name, moves, given, leaves, simulations = CASES[number]
    game = turns.make(name)
    try:
        made = search(game, played(game, moves), something(game), Settings(**given), leaves, 2000)
        made.run(Budget(min(simulations, 60)))
    except Exception as error:
        return repr(error)
    content = made.nodes[: made.nodes[NONE].first].tobytes() + made.walkers["rng"].tobytes()
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module")
def interpreted() -> list[str]:
    """The digests of all cases, from a process without the compiler."""
    return commands.interpreted(__file__)


@pytest.mark.parametrize("case", range(len(CASES)), ids=NAMES)
def test_interpreted_equals_compiled_byte_for_byte(interpreted: list[str], case: int) -> None:
    assert interpreted[case] == digest(case)


if __name__ == "__main__":
    print(json.dumps([digest(number) for number in range(len(CASES))]))
