"""The trees themselves: their blocks and sums, their limits, and that the compiler changes not a byte of them."""

import hashlib
import json

import numpy as np
import pytest

import commands
import toys
from plyground import games, rules
from plyground.search import tree
from plyground.search.budget import Budget
from plyground.search.mcts import puct, rave, uct
from plyground.search.tree import NONE, ROOT, SMALLEST

TICTACTOE, LINES = games.make("tictactoe"), games.make(toys.LINES)
GROWN = [
    ("tictactoe", "uct(solve=False)"),
    ("tictactoe", "uct(expand='all', solve=False)"),
    ("tictactoe", "rave(solve=False)"),
    (toys.LINES, "uct(solve=False)"),
    ("dice", "uct(solve=False)"),
    ("dice", "rave(solve=False)"),
]


@pytest.fixture(scope="module", params=GROWN, ids=lambda param: f"{param[0].partition('(')[0]}-{param[1]}")
def grown(request):
    """A search without proofs, after 1,000 simulations."""
    name, spec = request.param
    game = toys.make(name)
    search = toys.search(game, rules.new(game), spec)
    assert search.run(Budget(1000)) == 1000
    return search


def inner(nodes):
    """The indices of all nodes that have children."""
    found, todo = [], [ROOT]
    while todo:
        at = todo.pop()
        if nodes[at].width:
            found.append(at)
            todo.extend(range(nodes[at].first, nodes[at].first + nodes[at].width))
    return found


def check_blocks(nodes):
    """Children lie side by side in blocks that share no node with another block, nor with the free rest."""
    owner = {}
    for at in inner(nodes):
        width, branches = int(nodes[at].width), int(nodes[at].branches)
        size = SMALLEST
        while size < width:
            size *= 2
        block = range(nodes[at].first, nodes[at].first + min(size, branches))
        assert width <= len(block)
        assert block[0] > ROOT
        assert block[-1] < nodes[NONE].first <= nodes.size
        for index in block:
            assert owner.setdefault(index, at) == at
        assert not nodes[block[width:]]["visits"].any()


# --- layout -------------------------------------------------------------------------------------------


def test_a_node_of_uct_takes_at_most_32_bytes():
    assert tree.node_type(uct.NODE).itemsize <= 32
    assert tree.node_type(uct.NODE + rave.NODE).itemsize <= 48
    assert tree.node_type(puct.NODE).itemsize <= 32


def test_children_lie_in_blocks_of_their_own(grown):
    assert len(inner(grown.nodes)) > 20
    check_blocks(grown.nodes)


def test_every_child_has_a_legal_action_of_its_own(grown):
    game = grown.game
    for path in toys.held(grown.nodes):
        state = rules.new(game)
        for action in path:
            game.play(state, action)
        actions = grown.actions(list(path))
        assert len(set(actions)) == len(actions)
        if game.over(state):
            assert not actions
        elif game.player(state) == rules.CHANCE:
            assert {outcome for outcome, _ in rules.outcomes(game, state)}.issuperset(actions)
        else:
            assert set(rules.legal(game, state)).issuperset(actions)


def test_visits_of_children_add_up_to_those_of_the_parent(grown):
    nodes = grown.nodes
    assert nodes[ROOT].visits == 1000
    for at in inner(nodes):
        children = nodes[nodes[at].first : nodes[at].first + nodes[at].width]
        own = 0 if at == ROOT else 1  # the roll-out of the simulation that added the node
        assert children["visits"].sum() + own == nodes[at].visits
        total = float((children["visits"] * children["value"]).sum())
        result = nodes[at].value * nodes[at].visits - total
        assert result == pytest.approx(0 if at == ROOT else round(result), abs=1e-9)
        assert abs(result) <= 1 + 1e-9
        visited = children[children["visits"] > 0]
        assert visited["spread"] == pytest.approx(1 / np.sqrt(visited["visits"]))


def test_children_anywhere_in_the_tree_are_seen_by_the_player_who_moves_there(grown):
    nodes, game = grown.nodes, grown.game
    assert grown.children_after([]) == grown.children
    seen = set()
    for path in list(toys.held(nodes))[:200]:
        state = rules.new(game)
        for action in path:
            game.play(state, action)
        player = int(game.player(state)) if not game.over(state) else 0
        at = grown.find(list(path))
        sign = -1 if player == 1 else 1  # where nature moves, by the first player
        for i, child in enumerate(grown.children_after(list(path))):
            node = nodes[nodes[at].first + i]
            assert (child.action, child.visits, child.value) == (node.action, node.visits, sign * node.value)
            seen.add(player)
    assert {0, 1} <= seen
    assert grown.children_after([game.actions()]) == []


# --- room ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["uct", "uct(expand='all')", "rave", "uct(solve=False)"])
@pytest.mark.parametrize("game", [TICTACTOE, toys.make("dice")], ids=["tictactoe", "dice"])
def test_a_tree_never_outgrows_its_room(game, spec):
    for room in range(21):
        search = toys.search(game, rules.new(game), spec, nodes=room)
        whole = np.zeros(room + 100, search.nodes.dtype)
        search.set_nodes(whole[: room + 2])
        search.begin(rules.new(game))
        assert search.run(Budget(300)) == 300
        assert search.nodes[NONE].first <= room + 2
        assert not whole[room + 2 :].view(np.int8).any()
        check_blocks(search.nodes)
        assert search.nodes[ROOT].visits == 300
        assert sum(child.visits for child in search.children) == (300 if search.children else 0)
        assert {child.action for child in search.children}.issubset(rules.legal(game, rules.new(game)))


def test_a_full_tree_goes_on_to_learn():
    search = toys.search(TICTACTOE, TICTACTOE.read("XX./OO./... X"), "uct(solve=False)", nodes=8)
    search.run(Budget(2000))
    assert toys.best(search) == 2
    assert search.value > 0.9


def test_a_tree_grows_no_deeper_than_its_paths():
    game = toys.load("Corridor")(3000)
    search = toys.search(game, rules.new(game), "uct")
    assert search.run(Budget(2000)) == 2000
    assert len(search.line(0)) == 1023
    assert search.value == -1


# --- transplant ---------------------------------------------------------------------------------------


def test_a_transplant_keeps_the_subtree(grown):
    before = toys.held(grown.nodes)
    first = grown.line(toys.best(grown))[:2]
    at = grown.find(first)
    new = tree.new(grown.nodes.size - 2, grown.nodes.dtype)
    tree.transplant(grown.nodes.copy(), at, new)
    below = {path[2:]: values for path, values in before.items() if list(path[:2]) == first}
    assert len(below) > 10
    assert toys.held(new) == below
    check_blocks(new)


def test_a_transplanted_tree_grows_on():
    search = toys.search(TICTACTOE, rules.new(TICTACTOE), "uct(solve=False)")
    search.run(Budget(2000))
    path = search.line(toys.best(search))[:2]
    kept = toys.held(search.nodes)[tuple(path)][0]
    state = rules.after(TICTACTOE, rules.after(TICTACTOE, rules.new(TICTACTOE), path[0]), path[1])
    search.begin(state, path)
    assert search.run(Budget(500)) == 500
    assert search.nodes[ROOT].visits == kept + 500
    assert sum(child.visits for child in search.children) == kept + 499
    check_blocks(search.nodes)


def test_a_transplant_into_a_smaller_tree_keeps_what_fits():
    search = toys.search(TICTACTOE, rules.new(TICTACTOE), "uct(solve=False)")
    search.run(Budget(2000))
    before = toys.held(search.nodes)
    for room in (0, 5, 9, 30, 100):
        new = tree.new(room, search.nodes.dtype)
        tree.transplant(search.nodes.copy(), ROOT, new)
        check_blocks(new)
        kept = toys.held(new)
        assert kept.items() <= before.items()
        assert len(kept) == 1 if room < 9 else len(kept) >= 10


# --- the same everywhere ------------------------------------------------------------------------------


def test_the_same_seed_grows_the_same_tree_and_another_another(grown):
    def tree_of(seed):
        agent_options = {name: grown.options[name] for name in grown.options.dtype.names}
        again = type(grown)(grown.game, agent_options, seed, False, grown.switches.shared is not None, 50_000)
        again.begin(rules.new(grown.game))
        again.run(Budget(1000))
        return toys.held(again.nodes)

    assert tree_of(1) == toys.held(grown.nodes)
    assert tree_of(2) != toys.held(grown.nodes)


CASES = [
    ("tictactoe", "uct"),
    ("tictactoe", "uct(expand='all', count='root', discount=0.9, draw=0.3)"),
    ("tictactoe", "uct(rollout='win-block', rollouts=2)"),
    ("tictactoe", "rave"),
    ("tictactoe", "rave(c=0.5, schedule='mse', rollout='win-block')"),
    ("connect-four", "uct"),
    ("connect-four", "uct(rollout='win-block')"),
    ("connect-four", "rave(k=50, c=0.3)"),
    (toys.LINES, "uct"),
    (toys.LINES, "rave(schedule='mse')"),
    ("dice", "uct"),
    ("dice", "rave"),
]


def digest(name, spec):
    """A digest of every byte of the tree after 60 simulations, or what went wrong."""
    game = toys.make(name)
    try:
        search = toys.search(game, rules.new(game), spec, seed=5)
        search.run(Budget(60))
    except Exception as error:
        return repr(error)
    used = int(search.nodes["first"][NONE])
    return hashlib.sha256(search.nodes[:used].tobytes() + bytes(search.workspaces["rng"])).hexdigest()


@pytest.fixture(scope="module")
def interpreted():
    """The digests of all cases, from a process without the compiler."""
    return commands.interpreted(__file__)


@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{name[:12]}-{spec}" for name, spec in CASES])
def test_interpreted_equals_compiled_byte_for_byte(interpreted, case):
    assert interpreted[case] == digest(*CASES[case])


if __name__ == "__main__":
    print(json.dumps([digest(*case) for case in CASES]))
