"""The agents with the studies' mistakes do make them, and no others."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground import agents, games
from plyground.agents.base import Limit, Thought
from plyground.arena.match import Plan, play_match
from plyground.nets.evaluate import uniform_evaluator
from plyground.rules import legal, new
from plyground.spec import InputError
from reseal import reseal

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
TICTACTOE = games.make("tictactoe")


def choices(agent: str, diagram: str) -> list[str]:
    return sorted(TICTACTOE.name(a) for a in agents.make(agent).choices(TICTACTOE, TICTACTOE.read(diagram)))  # type: ignore[attr-defined]


def test_win_only_wins_but_does_not_block() -> None:
    assert choices("win-only", "XX./OO./... X") == ["c3"]
    assert choices("win-only", "XX./.O./... O") == choices("random", "XX./.O./... O")


def test_middle_only_takes_the_middle_and_nothing_else() -> None:
    assert choices("middle-only", "XX./O../... O") == ["b2"]
    assert choices("middle-only", "XX./OO./... X") == choices("random", "XX./OO./... X")
    with pytest.raises(InputError, match="middle"):
        game = games.make("line-taking(cells=12)")
        agents.make("middle-only").think(game, new(game))


def test_inverted_uct_gives_most_visits_to_what_it_thinks_worst() -> None:
    state = TICTACTOE.read("X../.O./..X O")  # corners lose, edges draw
    found = agents.make('inverted-uct(sims=3000, rollout="random")', seed=1).think(TICTACTOE, state)
    by_visits = max(found.moves, key=lambda move: move.visits)
    assert found.action == found.moves[0].action == max(found.moves, key=lambda move: move.value).action
    assert by_visits.value < found.moves[0].value
    right = agents.make('uct(sims=3000, rollout="random", solve=False)', seed=1).think(TICTACTOE, state)
    assert right.moves[0].value == pytest.approx(max(move.value for move in right.moves), abs=0.1)


def test_inverted_uct_tells_values_from_the_view_of_the_player_to_move() -> None:
    state = TICTACTOE.read("XX./OO./... X")  # c3 wins at once
    found = agents.make('inverted-uct(sims=500, rollout="random")', seed=1).think(TICTACTOE, state)
    assert TICTACTOE.name(found.action) == "c3" and found.moves[0].value == 1.0


@pytest.mark.parametrize("player", [0, 1])
def test_without_roll_outs_only_ended_games_count(player: int) -> None:
    diagram = "XX./OO./... X" if player == 0 else "XX./OO./X.. O"
    agent = agents.make('faulty-uct(sims=400, check=False, choose="value")', seed=2)
    found = agent.think(TICTACTOE, TICTACTOE.read(diagram))
    assert found.value == 1.0 and TICTACTOE.name(found.action) == ("c3" if player == 0 else "c2")
    start = agents.make("faulty-uct(sims=9, check=False)", seed=2).think(TICTACTOE, new(TICTACTOE))
    assert all(move.value == 0 for move in start.moves) and sum(move.visits for move in start.moves) == 9


def test_the_move_is_chosen_by_value_and_bonus() -> None:
    state = TICTACTOE.read("X../.../..O X")
    found = agents.make("faulty-uct(sims=200, check=False)", seed=3).think(TICTACTOE, state)
    bounds = {m.action: m.value + 2.0 * math.sqrt(math.log(200) / m.visits) for m in found.moves}
    assert found.action == max(bounds, key=bounds.__getitem__)


def test_the_wrong_bonus_lets_bad_moves_be_tried_more_often() -> None:
    state = TICTACTOE.read(".O./XXO/... X")
    options = 'sims=4000, count="parent", check=False, rollout="random", choose="value"'
    visits = {}
    for bonus in ("ln(N)/n", "ln(N/n)"):
        found = agents.make(f'faulty-uct({options}, bonus="{bonus}")', seed=4).think(TICTACTOE, state)
        visits[bonus] = {move.action: move.visits for move in found.moves}
    assert visits["ln(N/n)"][7] > 2 * visits["ln(N)/n"][7]


def test_with_roll_outs_and_the_right_bonus_it_is_uct() -> None:
    """The same values as the kernel's, within what chance allows."""
    state = TICTACTOE.read(".O./XXO/... X")
    faulty = 'faulty-uct(sims=5000, c=2.0, count="parent", check=False, rollout="random", choose="visits")'
    kernel = 'uct(sims=5000, c=2.0, expand="all", rollout="random", solve=False)'
    found = [agents.make(spec, seed=5).think(TICTACTOE, state) for spec in (faulty, kernel)]
    values = [{move.action: move.value for move in thought.moves} for thought in found]
    shares = [{move.action: move.visits / 5000 for move in thought.moves} for thought in found]
    for action in legal(TICTACTOE, state):
        assert shares[0][action] == pytest.approx(shares[1][action], abs=0.03)
    for action in (0, 6):
        assert values[0][action] == pytest.approx(values[1][action], abs=0.03)


def test_faulty_uct_keeps_to_limits_and_seeds() -> None:
    agent = agents.make("faulty-uct(sims=80, check=False)", seed=1)
    assert agent.think(TICTACTOE, new(TICTACTOE), Limit(simulations=10)).simulations == 10
    first = [agents.make("faulty-uct", seed=6).think(TICTACTOE, new(TICTACTOE)) for _ in range(2)]
    assert first[0].moves == first[1].moves
    seen = Counter(agents.make("faulty-uct", seed=s).think(TICTACTOE, new(TICTACTOE)).action for s in range(20))
    assert len(seen) > 1
    with pytest.raises(InputError, match="chance"):
        game = games.make('against-random("tictactoe")')
        agents.make("faulty-uct").think(game, new(game))


def test_faulty_uct_never_loses_to_an_immediate_win_it_could_block() -> None:
    state = TICTACTOE.read("XX./O../... O")
    for seed in range(5):
        assert TICTACTOE.name(agents.make("faulty-uct", seed=seed).think(TICTACTOE, state).action) == "c3"


def test_best_responses_reach_the_exact_ceiling() -> None:
    """89/96 moving first and 7/15 moving second against win-block; 400 games each lie within four deviations."""
    found = play_match(Plan("tictactoe", ('best-response("win-block")', "win-block"), 800, 3))
    for seat, share in ((0, 89 / 96), (1, 7 / 15)):
        tally = found.tally(seat)
        assert tally.wins / tally.games == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / tally.games))


def test_a_best_response_that_never_loses_does_not() -> None:
    found = play_match(
        Plan("tictactoe", ('best-response("win-block-middle", "never-lose")', "win-block-middle"), 100, 3)
    )
    assert found.tally().losses == 0


@pytest.mark.parametrize("to", ["uct", "most-wins", "nobody", "human"])
def test_a_best_response_needs_a_known_policy(to: str) -> None:
    with pytest.raises(InputError):
        agents.make(f'best-response("{to}")')


@pytest.mark.parametrize("backup", ["mover", "leaf"])
def test_signs_that_alternate_from_the_leaf_lose_to_random(backup: str) -> None:
    """Whose result it is then depends on how deep the leaf lies: the study's UCT lost a fifth of its games."""
    spec = (
        f'faulty-uct(sims=40, c=1.4, count="parent", check=False, rollout="random", choose="visits", backup="{backup}")'
    )
    tally = play_match(Plan("tictactoe", (spec, "random"), 60, 1)).tally()
    assert tally.losses <= 3 if backup == "mover" else tally.losses >= 9


@pytest.fixture(scope="module")
def opinions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of two nets that have seen nothing: one with opinions, and one that has none, all its weights being 0."""
    pytest.importorskip("torch")
    from plyground.nets.card import Card
    from plyground.nets.files import save
    from plyground.nets.models import MLP

    folders = {}
    for name in ("some", "none"):
        net = MLP([9, 16, 9], seed=3)
        for weights in net.parameters():
            weights.data *= 2 * (name == "some")
        folders[name] = tmp_path_factory.mktemp(name)
        save(folders[name], net, Card([9, 16, 9], "signed", "policy", "tictactoe"))
    return folders


@pytest.mark.parametrize("backup", ["mover", "leaf"])
def test_a_net_without_opinions_shares_the_bonus_out_equally(opinions: dict[str, Path], backup: str) -> None:
    """Two moves are left, and every result is known: a1 wins; after b1 it is the opponent who wins with a1."""
    state, sims, c = TICTACTOE.read("OXX/OXO/..X O"), 60, 1.4

    def think(sims: int) -> Thought:
        options = f'sims={sims}, c={c}, count="parent", check=False, rollout="random", backup="{backup}"'
        return agents.make(f"faulty-guided(net={str(opinions['none'])!r}, {options})", seed=1).think(TICTACTOE, state)

    results: dict[str, list[int]] = {"a1": [], "b1": []}  # by hand
    for simulation in range(sims):
        bounds = {
            name: sum(known) / max(1, len(known)) + c / 2 * math.sqrt(math.log(simulation) / (len(known) + 1))
            for name, known in results.items()
            if simulation
        }
        name = max(bounds, key=bounds.__getitem__) if bounds else TICTACTOE.name(think(1).action)
        deeper = name == "b1" and bool(results[name])  # the last node is the opponent's move, and b1 gets minus its -1
        results[name].append(1 if name == "a1" or (deeper and backup == "leaf") else -1)
    found = {TICTACTOE.name(move.action): move for move in think(sims).moves}
    assert {name: (len(known), sum(known) / len(known)) for name, known in results.items()} == {
        name: (move.visits, pytest.approx(move.value)) for name, move in found.items()
    }
    assert [move.prior for move in found.values()] == [0.5, 0.5]


def test_without_its_slips_faulty_guided_is_guided(opinions: dict[str, Path]) -> None:
    """The same priors, and the same shares of the visits within what chance allows."""
    state, net = TICTACTOE.read(".O./XXO/... X"), f"net={str(opinions['some'])!r}, sims=5000, c=4.0"
    faulty = f'faulty-guided({net}, count="parent", check=False, rollout="random", choose="visits")'
    found = [agents.make(spec, seed=5) for spec in (faulty, f'guided({net}, rollout="random", solve=False)')]
    shares, priors = [], []
    for agent in found:
        moves = agent.think(TICTACTOE, state).moves
        shares.append({move.action: move.visits / 5000 for move in moves})
        priors.append({move.action: move.prior or 0.0 for move in moves})
    assert priors[0] == pytest.approx(priors[1], rel=1e-4) and max(priors[1].values()) > 2 / len(priors[1])
    assert shares[0] == pytest.approx(shares[1], abs=0.03)


def test_faulty_guided_listens_to_a_net_that_has_changed(opinions: dict[str, Path]) -> None:
    agent: Any = agents.make(f"faulty-guided(net={str(opinions['some'])!r}, check=False, sims=200)", seed=1)
    before = agent.think(TICTACTOE, new(TICTACTOE)).moves
    agent.listen(uniform_evaluator(9))
    after = agent.think(TICTACTOE, new(TICTACTOE)).moves
    assert max(move.prior for move in before) > 0.12
    assert [move.prior for move in after] == pytest.approx([1 / 9] * 9)


def test_faulty_guided_refuses_what_does_not_fit(opinions: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="faulty-guided needs net"):
        agents.make("faulty-guided")
    with pytest.raises(InputError, match="there is no"):
        agents.make(f"faulty-guided(net={str(tmp_path / 'nothing')!r})")
    four = games.make("tictactoe(4)")
    with pytest.raises(InputError, match="this game needs 16 and 16"):
        agents.make(f"faulty-guided(net={str(opinions['none'])!r})").think(four, new(four))
    (tmp_path / "net.json").write_text((opinions["none"] / "net.json").read_text().replace('"policy"', '"q"'))
    reseal(tmp_path)
    with pytest.raises(InputError, match="needs a net that tells a policy"):
        agents.make(f"faulty-guided(net={str(tmp_path)!r})")
