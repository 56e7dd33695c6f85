"""Backgammon beside OpenSpiel, whose actions are two moves at once: turn by turn, the positions that can be reached."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pyspiel
import pytest

from plyground import games, rules
from plyground.check import check
from plyground.games.backgammon import BAR, DICE, OFF
from plyground.position import read
from plyground.rules import CHANCE, after, legal, outcomes
from plyground.spec import InputError

Checkers = tuple[int, ...]


def ours(state: Any) -> Checkers:
    return tuple(state.checkers.ravel().tolist())


def theirs(there: Any) -> Checkers:
    """Checkers on our points: their first player goes up, and they say how many are on a point by four numbers."""
    told = np.array(there.observation_tensor(0))
    counts = (told[:192].reshape(2, 24, 4) @ [1, 2, 3, 1] + 3 * (told[:192].reshape(2, 24, 4)[:, :, 3] > 0)).astype(int)
    bar, off = (told[192], told[195]), (told[193], told[196])
    points = counts[0, ::-1], counts[1]
    found = [[int(off[player]), *points[player].tolist(), int(bar[player])] for player in range(2)]
    return tuple(found[0] + found[1])


def turns(game: Any, state: Any, moves: int) -> dict[Checkers, Any]:
    """Where the player to move may be after so many moves, or at the end of its turn if that comes before."""
    found: dict[Checkers, Any] = {}
    for action in legal(game, state):
        then = after(game, state, action)
        if moves == 1 or then.dice[0] == 0 or game.over(then):
            found.setdefault(ours(then), then)
        else:
            found |= turns(game, then, moves - 1)
    return found


def thrown(there: Any) -> dict[int, tuple[int, float]]:
    """Our outcomes, with one of theirs and how probable they are; they tell the dice apart."""
    found: dict[int, tuple[int, float]] = {}
    for action, weight in there.chance_outcomes():
        words = there.action_to_string(CHANCE, action)
        low, high = sorted(map(int, re.findall(r"roll: (\d)(\d)", words)[0]))
        first, second = (low, high) if "O starts" in words else (high, low)
        number = DICE + 6 * (first - 1) + second - 1
        found[number] = action, weight + found.get(number, (0, 0.0))[1]
    return found


def play_beside(game: Any, there: Any, rng: random.Random) -> int:
    """Play one random game by both rules; return how many turns it had."""
    state, count = rules.new(game), 0
    while not game.over(state):
        assert ours(state) == theirs(there) and not there.is_terminal()
        if there.is_chance_node():
            assert game.player(state) == CHANCE
            known = thrown(there)
            assert dict(outcomes(game, state)) == pytest.approx({ours: weight for ours, (_, weight) in known.items()})
            action = rng.choice(list(known))
            game.play(state, action)
            there.apply_action(known[action][0])
        elif game.player(state) == CHANCE:  # the second half of a double, of which nothing can be played
            (action,) = there.legal_actions()
            assert there.action_to_string(there.current_player(), action) == "Pass"
            there.apply_action(action)
        else:
            count += 1
            assert game.player(state) == there.current_player()
            mine = turns(game, state, 2)
            known = {theirs(there.child(action)): action for action in there.legal_actions()}
            assert set(mine) == set(known), (game.text(state), set(mine) ^ set(known))
            chosen = rng.choice(sorted(mine))
            state = mine[chosen]
            there.apply_action(known[chosen])
    assert there.is_terminal() and ours(state) == theirs(there)
    if not game.hyper:  # OpenSpiel 2.0 looks for fifteen checkers there, too, and finds no winner
        assert there.returns() == [game.score(state), -game.score(state)]
    return count


@pytest.mark.parametrize("hyper, count", [(False, 1), (True, 4)])
def test_backgammon_is_that_of_openspiel(hyper: bool, count: int) -> None:
    game, rng = games.make(f"backgammon({hyper})"), random.Random(hyper)
    other = pyspiel.load_game(f"backgammon(hyper_backgammon={hyper})")
    played = [play_beside(game, other.new_initial_state(), rng) for _ in range(count)]
    assert min(played) > 3


def position(game: Any, mine: dict[int, int], other: dict[int, int], *dice: int) -> Any:
    """The first player to move with these dice; checkers by their points, as their player counts them."""
    state = rules.blank(game)
    for player, points in enumerate((mine, other)):
        for point, count in points.items():
            state.checkers[player, point] = count
        state.checkers[player, OFF] = 15 - sum(points.values())
    left = sorted(dice)[::-1] * (2 if dice[0] == dice[1] else 1)
    state.dice[: len(left)], state.begun = left, True
    return state


@pytest.mark.parametrize(
    "mine, other, dice, names",
    [
        ({10: 1}, {}, (6, 1), "10/4 10/9"),
        ({10: 1}, {21: 2}, (6, 1), "10/9"),  # both, and so the lower one first
        ({10: 1}, {16: 2}, (6, 1), "10/4"),
        ({10: 1}, {22: 2}, (6, 1), "10/4"),  # one of them is all, and so the higher one
        ({10: 1}, {16: 2, 21: 2}, (6, 1), "pass"),
        ({BAR: 2, 6: 1}, {5: 2}, (6, 5), "bar/19"),  # the bar first, and one of them stays there
        ({5: 1, 3: 1}, {}, (6, 4), "5/1 5/off6"),
        ({5: 1, 2: 1}, {}, (3, 3), "5/2"),  # two is not left by a three while there is one behind
        ({7: 1, 2: 1}, {}, (2, 1), "2/1 7/5 7/6"),
        ({24: 1}, {1: 1}, (4, 3), "24/20 24/21"),
    ],
)
def test_dice_are_used_as_the_rules_demand(mine: dict, other: dict, dice: tuple, names: str) -> None:
    game = games.make("backgammon")
    state = position(game, mine, other, *dice)
    assert sorted(game.name(action) for action in legal(game, state)) == sorted(names.split())


def test_a_double_is_played_four_times_and_a_blot_that_is_hit_goes_to_the_bar() -> None:
    game = games.make("backgammon")
    state = position(game, {24: 2}, {5: 1, 3: 2}, 4, 4)
    for left in (3, 2, 1):
        (action,) = [action for action in legal(game, state) if game.name(action) in ("24/20", "20/16", "16/12")][-1:]
        game.play(state, action)
        assert (
            state.dice.tolist() == [4] * left + [0] * (4 - left)
            and state.turn == 0
            and state.checkers[1, BAR] == 1
            and state.checkers[1, 5] == 0
        )
    game.play(state, legal(game, state)[0])
    assert not state.dice.any() and state.turn == 1 and not game.over(state)


def test_it_keeps_the_laws() -> None:
    assert [breach for _, breach in check(games.make("backgammon(True)"), games=2, compiled=False) if breach] == []


@pytest.mark.parametrize(
    ("moves", "dice"), [("31", "31"), ("31 8/5", "X 1"), ("31 6/5", "X 3"), ("31 8/5 6/5 44 6/2", "444")]
)
def test_a_diagram_tells_the_dice_that_are_left(moves: str, dice: str) -> None:
    game = games.make("backgammon")
    state = read(game, moves)
    assert game.diagram(state).endswith(dice) and read(game, game.diagram(state)).tobytes() == state.tobytes()


def test_a_diagram_is_read_with_its_dice_in_any_order_and_tells_who_has_won() -> None:
    game = games.make("backgammon")
    state = game.read(f"5{'.' * 24}/{'.' * 24}f O 13")
    assert game.diagram(state) == f"5{'.' * 24}/{'.' * 24}f O 31" and not game.over(state)
    assert game.score(game.read(f"5{'.' * 24}/{'.' * 25} X roll")) == -1


def test_moves_with_a_slash_are_no_diagram() -> None:
    with pytest.raises(InputError, match="move 4: there is no move '71'"):
        read(games.make("backgammon"), "31 8/5 6/5 71")
