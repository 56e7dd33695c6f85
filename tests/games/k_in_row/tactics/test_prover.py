"""The prover in a net's search: it contradicts no solver, drops no move that is needed, and spares the net."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import numpy as np
import pytest
from naive_threats import random_position

import commands
from naive_puct import something
from plyground import games, rules
from plyground.exact.solve import solver
from plyground.games.k_in_row.rules import MNK
from plyground.games.k_in_row.tactics.prover import LIMITS, prover_for
from plyground.games.k_in_row.tactics.tactician import Tactician
from plyground.search.budget import Budget
from plyground.search.mcts.batched import BatchedPUCT, NetSearch
from plyground.search.mcts.settings import Settings
from plyground.search.tree import NONE, ROOT

MNK = rules.adopt(MNK)
GAME, EXACTLY = MNK(5, 5, 4), MNK(5, 5, 4, True)
WON = "...../.XX../...../.O.../...O. X"  # an open four to make
BOTH_ENDS = ".OOO./XX..X/X..../.O.../..... X"  # two cells on which the other wins
FORCED = "OOO../X..../.X.../...../....X X"  # one cell to block
THREATENED = "...../.OO../...../X...X/..... X"  # an open four of the other to stop
ANSWERED = "...../.OO../...../XX.../...OX X"  # the same, with fours of one's own to make


class Judge:
    """A net without any opinion that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, planes: np.ndarray) -> np.ndarray:
        self.asked += len(planes)
        return np.zeros((len(planes), GAME.actions() + 1), np.float32)


def search(
    deepest: int, leaves: int = 1, judge: Any = None, nodes: int = 20_000, game: Any = GAME, **given: Any
) -> NetSearch:
    settings = Settings(prover=prover_for(game, deepest), **given)
    return NetSearch(game, judge or Judge(), settings, leaves, nodes, seed=1)


def proof(made: NetSearch) -> int:
    """What is proven of the root, for the player to move."""
    return made.sign * int(made.nodes["proof"][ROOT])


@pytest.mark.parametrize(
    ("game", "deepest", "leaves", "considered"),
    [(GAME, 0, 1, 0), (GAME, 3, 4, 0), (GAME, 2, 1, 8), (EXACTLY, 2, 4, 0)],
    ids=["fours", "threes", "gumbel", "exactly four"],
)
def test_what_is_proven_and_what_is_left_out_agrees_with_the_exact_solver(
    game: Any, deepest: int, leaves: int, considered: int
) -> None:
    made, rng = search(deepest, leaves, game=game, considered=considered), np.random.default_rng(3)
    exact, proofs, narrowed = solver(game, rules.new(game)), set(), 0
    for _ in range(40):
        state = random_position(game, rng, int(rng.integers(3, 20)))
        known = {answer.action: answer for answer in exact.solve(state, distances=False).answers}
        best = max(answer.low for answer in known.values())
        made.begin(state)
        made.run(Budget(100))
        assert not made.nodes["virtual_loss"].any()
        proofs.add(proof(made))
        if proof(made):
            assert proof(made) == best, game.diagram(state)
            continue
        for child in made.children:
            assert not child.proof or known[child.action].low <= child.proof <= known[child.action].high
        left_out = known.keys() - {child.action for child in made.children}
        assert all(known[action].low == -1 for action in left_out) or best == 1, game.diagram(state)
        assert any(known[child.action].high >= best for child in made.children)
        narrowed += bool(left_out)
    assert proofs == {-1, 0, 1} and narrowed > 3


def test_every_win_by_fours_is_proven_at_once_and_the_net_is_not_asked() -> None:
    judge = Judge()
    made, tactician, rng, won = search(0, 2, judge), Tactician(GAME), np.random.default_rng(4), 0
    for _ in range(80):
        state = random_position(GAME, rng, int(rng.integers(4, 18)))
        tactician.set(state)
        win = tactician.win(int(GAME.player(state)), 0, LIMITS[0])
        made.begin(state)
        judge.asked = 0
        simulations = made.run(Budget(30))
        assert (win is None) == (judge.asked > 0 or proof(made) == -1)
        if win:
            won += 1
            assert simulations == 1 and made.value == 1
            assert [(child.action, child.proof) for child in made.children] == [(win.action, 1)]
    assert 20 < won < 70


def test_a_win_by_threes_is_proven_at_once_if_that_is_asked_for() -> None:
    state = GAME.read("...../.X.../...../..X../O...O X")
    for deepest in (0, 3):
        judge = Judge()
        made = search(deepest, 1, judge)
        made.begin(state)
        made.run(Budget(1))
        assert (proof(made), judge.asked) == ((0, 1) if deepest == 0 else (1, 0))


def test_a_position_that_is_lost_at_once_still_gives_a_move() -> None:
    judge = Judge()
    made = search(0, 1, judge)
    made.begin(GAME.read(BOTH_ENDS))
    assert made.run(Budget(30)) == 1 and judge.asked == 0 and made.value == -1
    assert [GAME.name(child.action) for child in made.children] in (["a5"], ["e5"])
    batched = BatchedPUCT(GAME, judge, made.settings, 1, 30)
    states = np.array([GAME.read(BOTH_ENDS)]).view(rules.dtype(GAME))
    assert batched(states).tolist() == [made.children[0].action]


@pytest.mark.parametrize(
    ("diagram", "kept"),
    [(FORCED, {"d5"}), (THREATENED, {"a4", "d4", "e4"}), (ANSWERED, {"a4", "d4", "e4", "c2", "d2"})],
)
def test_a_five_to_come_leaves_one_move_and_an_open_four_to_come_a_few(diagram: str, kept: set[str]) -> None:
    made = search(0)
    made.begin(GAME.read(diagram))
    made.run(Budget(1))
    assert {GAME.name(child.action) for child in made.children} == kept
    assert sum(child.prior or 0 for child in made.children) == pytest.approx(1)


def test_without_proofs_what_is_proven_counts_as_a_result_and_no_more() -> None:
    proving, plain, rng = search(2), search(2, solve=False), np.random.default_rng(5)
    found: list[int] = []
    while found.count(1) < 5 or found.count(-1) < 5:
        state = random_position(GAME, rng, int(rng.integers(8, 16)))
        for made in (proving, plain):
            made.begin(state)
            made.run(Budget(60))
        if proof(proving):
            found.append(proof(proving))
            assert not plain.nodes["proof"].any() and plain.visits == 60
            assert plain.value * proof(proving) > 0, GAME.diagram(state)
            assert {child.action for child in plain.children} >= {child.action for child in proving.children}


def test_a_full_tree_and_the_last_cell() -> None:
    for nodes in (0, 1, 5):
        made = search(0, 2, nodes=nodes)
        made.begin(GAME.read(WON))
        assert made.run(Budget(20)) >= 1
    made = search(0)
    made.begin(GAME.read("XXOOX/OOXXO/XXOOX/OOXXO/XXOO. X"))
    assert made.run(Budget(10)) == 10 and [child.value for child in made.children] == [0]


@pytest.mark.parametrize("diagram", [WON, BOTH_ENDS], ids=["won", "lost"])
def test_after_a_proven_move_the_search_begins_anew(diagram: str) -> None:
    state = GAME.read(diagram)
    made = search(0)
    made.begin(state)
    made.run(Budget(30))
    (first,) = made.children
    made.begin(rules.after(GAME, state, first.action), [first.action])
    assert made.run(Budget(30)) > 0 and made.children and made.value == -first.value


def test_walkers_side_by_side_do_not_mix_up_their_boards() -> None:
    """One walker or several: once everything is proven, the same is."""
    rng = np.random.default_rng(9)
    one, many, proven = search(2), search(2, 7), 0
    for _ in range(20):
        state = random_position(GAME, rng, int(rng.integers(10, 20)))
        for made in (one, many):
            made.begin(state)
            made.run(Budget(400))
        if proof(one) and proof(many):
            assert proof(one) == proof(many)
            proven += 1
    assert proven > 10


def test_a_new_seed_forgets_what_the_walkers_have_looked_at() -> None:
    settings = Settings(prover=prover_for(GAME, 2)._replace(limit=40))  # so few that what is remembered makes room
    made, found = NetSearch(GAME, Judge(), settings, 1, 20_000, seed=1), []
    for _ in range(2):
        made.seed(1)
        made.begin(GAME.read(".O.X./...X./...../...O./..... X"))
        made.run(Budget(30))
        found.append(made.children)
    assert found[0] == found[1]


# --- for whom it is -----------------------------------------------------------------------------------


class Misere(NamedTuple):
    """A game with the fields of another."""

    m: int
    n: int
    k: int
    exact: bool


def test_only_games_of_four_to_six_in_a_row_have_a_prover() -> None:
    assert prover_for(GAME) is not None and prover_for(games.make("gomoku(9)"), 2) is not None
    assert prover_for(GAME, -1) is None
    for name in ("tictactoe", "mnk(7,7,7)", "connect-four", "line-taking"):
        assert prover_for(games.make(name)) is None, name


def test_rules_of_one_s_own_have_none_even_if_they_look_alike() -> None:
    alike: Any = Misere(*GAME)
    assert alike == GAME and prover_for(alike) is None and prover_for(GAME) is not None
    alike = type("MNK", (Misere,), {})(*GAME)
    assert prover_for(alike) is None


# --- the same everywhere ------------------------------------------------------------------------------

CASES: list[tuple[str, int, int, dict[str, Any]]] = [  # position, deepest, leaves, settings
    ("...../..X../...../.O.../..... X", 0, 1, {}),
    ("...../..X../.O.../...../X...O X", 2, 3, {}),
    (THREATENED, 0, 2, {"considered": 4}),
    (WON, 0, 1, {}),
    (BOTH_ENDS, 3, 1, {}),
]


def digest(number: int) -> str:
    """A digest of every byte of a tree."""
    diagram, deepest, leaves, given = CASES[number]
    made = search(deepest, leaves, something(GAME), **given)
    made.begin(GAME.read(diagram))
    made.run(Budget(25))
    return hashlib.sha256(made.nodes[: made.nodes[NONE].first].tobytes()).hexdigest()


def test_interpreted_equals_compiled_byte_for_byte() -> None:
    assert commands.interpreted(__file__) == [digest(number) for number in range(len(CASES))]


if __name__ == "__main__":
    print(json.dumps([digest(number) for number in range(len(CASES))]))
