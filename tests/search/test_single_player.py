"""Searches in games of one player: the naive twin visit for visit, exact values, horizons, ranges; and Lookahead."""

from __future__ import annotations

import numpy as np
import pytest

import mining
import toys
from plyground import agents, games, rules
from plyground.check import check
from plyground.rules import CHANCE
from plyground.search.budget import Budget
from plyground.spec import InputError


def mine(days: int = 4, unit: float = 1.0):
    return mining.load()(days, unit)


def small_tetris():
    """A small well, in which a game is soon over, with a piece to place."""
    game = games.make("tetris(6,4)")
    return game, game.read("##..##/.####. to")


@pytest.mark.parametrize(
    ("spec", "simulations"),
    [
        ("uct", 400),
        ("uct(c=0.3, expand='all')", 200),
        ("uct(rollouts=3, count='root')", 100),
        ("uct(horizon=2)", 300),
        ("uct(horizon=1, rollouts=2)", 200),
        ("uct(c=0)", 200),
    ],
)
@pytest.mark.parametrize("which", ["mine", "tetris"])
def test_kernel_equals_naive_twin_visit_for_visit(which: str, spec: str, simulations: int) -> None:
    game, state = (mine(), rules.new(mine())) if which == "mine" else small_tetris()
    kernel, twin = toys.search(game, state, spec, seed=7), mining.Alone(game, state, spec, seed=7)
    assert kernel.run(Budget(simulations)) == twin.run(simulations)
    assert toys.held(kernel.nodes) == mining.naive.held(twin.root)
    assert int(kernel.workspaces[0].rng) == twin.stream.word


def test_values_converge_to_expectimax() -> None:
    game = mine(3)
    state = rules.new(game)
    search = toys.search(game, state, "uct(c=0.5)")
    search.run(Budget(300_000))
    wanted = {a: toys.exact(game, rules.after(game, state, a)) for a in rules.legal(game, state)}
    assert max(wanted.values()) > 3
    for child in search.children:
        assert child.value == pytest.approx(wanted[child.action], abs=0.1 + 20 / child.visits**0.5)
    assert toys.best(search) == max(wanted, key=lambda action: wanted[action])
    assert search.value == pytest.approx(max(wanted.values()), abs=0.05)


@pytest.mark.parametrize("unit", [1 / 1024, 4096.0])
def test_the_unit_of_the_score_does_not_change_the_tree(unit: float) -> None:
    visits = []
    for game in (mine(), mine(unit=unit)):
        search = toys.search(game, rules.new(game), "uct")
        search.run(Budget(3000))
        visits.append({path: known[0] for path, known in toys.held(search.nodes).items()})
    assert visits[0] == visits[1]


def test_where_all_results_are_equal_no_action_is_forgotten() -> None:
    game = mine(unit=0.0)
    search = toys.search(game, rules.new(game), "uct")
    search.run(Budget(1000))
    assert min(child.visits for child in search.children) > 400


def test_a_simulation_plays_as_many_moves_as_the_horizon_says() -> None:
    game = games.make("tetris(6,20)")
    state = game.read("...... tz")
    for horizon in (1, 2, 5):
        search = toys.search(game, state, f"uct(horizon={horizon})")
        search.run(Budget(300))
        assert search.workspaces["now"]["plies"][0] == 2 * horizon  # a chance event follows every move
        assert 10 * horizon * 10 <= search.value <= 10 * horizon * 20


def test_nothing_is_proven_though_a_game_ends_with_a_score_of_one() -> None:
    game = mine(days=2)
    search = toys.search(game, rules.new(game), "uct")
    assert search.run(Budget(2000)) == 2000
    assert not search.nodes["proof"].any()


@pytest.mark.parametrize("spec", ["uct(sims=3000, horizon=1)", "uct(sims=3000, horizon=1, threads=2)"])
def test_the_placement_that_clears_most_is_found(spec: str) -> None:
    game = games.make("tetris(6,20)")
    thought = agents.make(spec, seed=1).think(game, game.read("####.#/####.# iz"))
    assert game.name(thought.action) == "r1c5"
    assert {game.name(move.action): move.value for move in thought.moves}["r1c5"] == 10 * 18 + 100 * 4


def test_rave_searches_them_too() -> None:
    game = mine(3)
    state = rules.new(game)
    thought = agents.make("rave(sims=20000, c=0.5, k=50)", seed=1).think(game, state)
    wanted = {a: toys.exact(game, rules.after(game, state, a)) for a in rules.legal(game, state)}
    assert thought.action == max(wanted, key=lambda action: wanted[action])
    assert thought.value == pytest.approx(max(wanted.values()), abs=0.3)


def test_a_kept_tree_goes_on_after_a_placement_and_what_chance_brings() -> None:
    game = games.make("tetris(6,20)")
    state = game.read("...... tz")
    agent = agents.make("uct(sims=2000, keep=True, horizon=3)", seed=1)
    first = agent.think(game, state)
    game.play(state, first.action)
    game.play(state, agent.children([first.action])[0].action)
    again = agent.think(game, state)
    assert sum(move.visits for move in again.moves) > 2000


@pytest.mark.parametrize("option", ["win=2", "draw=0.5", "loss=0", "discount=0.9", "check=True"])
def test_options_that_make_no_sense_for_one_player_are_refused(option: str) -> None:
    game, state = small_tetris()
    with pytest.raises(InputError, match=f"{option.split('=')[0]} makes no sense in a game of one player"):
        agents.make(f"uct({option})").think(game, state)


def test_a_horizon_makes_no_sense_for_two_players() -> None:
    game = games.make("tictactoe")
    with pytest.raises(InputError, match="horizon makes no sense in a game of two players"):
        agents.make("uct(horizon=3)").think(game, rules.new(game))


@pytest.mark.parametrize("spec", ["minimax(depth=2)", "alphabeta", "best-response"])
def test_searches_for_two_players_are_refused(spec: str) -> None:
    game, state = small_tetris()
    with pytest.raises(InputError, match="for games of two players; `plyground score"):
        agents.make(spec).think(game, state)


# --- the check ----------------------------------------------------------------------------------------


def test_a_game_of_one_player_keeps_the_laws() -> None:
    assert [breach for _, breach in check(mine(), games=20) if breach] == []


def endless(game, state):
    return float("inf")


def second(game, state):
    return 1


@pytest.mark.parametrize(
    ("rule", "wrong", "says"),
    [
        ("score", endless, "score is a number that is finite, not inf at the start"),
        ("player", second, "player is 0 or -1, not 1 at the start"),
    ],
)
def test_a_breach_is_named(rule: str, wrong, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining.load(), rule, wrong)
    found = [breach for _, breach in check(mine(), games=3, compiled=False) if breach]
    assert any(says in breach for breach in found), found


def unlike(game, state, planes):
    planes[0, 0, 0] = state.day + 10 * (state.price == 3)


def test_positions_encoded_alike_have_to_earn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    cls = mining.load()
    monkeypatch.setattr(cls, "encode", unlike, raising=False)
    monkeypatch.setattr(cls, "planes", lambda game: (1, 1, 1), raising=False)
    monkeypatch.setattr(cls, "_gives", cls._gives | {"encode", "planes"})
    found = dict(check(mine(), games=20, compiled=False))
    assert "leads to another end" in found["positions encoded alike are alike"]


# --- one and two moves ahead --------------------------------------------------------------------------


def worth(game, scoring, state, depth: int) -> dict[int, float]:
    """What actions are worth, by the definition."""

    def rated(state) -> dict[int, float]:
        actions, room = np.array(rules.legal(game, state)), np.zeros(1, rules.record(scoring.room(game)))[0]
        points = np.zeros(len(actions))
        scoring.rate(game, state, actions, len(actions), points, room)
        return dict(zip(actions.tolist(), points.tolist(), strict=True))

    found = rated(state)
    for action in found if depth == 2 else ():
        then = rules.after(game, state, action)
        if not game.over(then):
            assert game.player(then) == CHANCE
            means = [(p, rated(rules.after(game, then, outcome))) for outcome, p in rules.outcomes(game, then)]
            found[action] = scoring.gain(game, state, action) + sum(p * max(best.values()) for p, best in means)
    return found


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("position", ["##..######/.########. to", ".###....../##.######./##.####..#/##.######. sz"])
def test_looking_ahead_is_what_the_definition_says(depth: int, position: str) -> None:
    from plyground.games.tetris.features import BCTS
    from plyground.search.depth_first.lookahead import Lookahead

    game = games.make("tetris(10,4)")
    state = game.read(position)
    found = dict(Lookahead(game, BCTS, depth).judge(state))
    assert found == pytest.approx(worth(game, BCTS, state, depth))
