"""The games in `examples/`: they keep the laws, and what `check` says of games written slowly."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import refusal, run
from plyground import games, rules
from plyground.check import check
from plyground.check.advice import advice
from toys import heap


def helper(state):
    return [state.left, *{1, 2}]


FOLDER = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.name)
def test_every_example_keeps_every_law_and_needs_no_advice(file: Path) -> None:
    game = games.make(str(file))
    assert [breach for _, breach in check(game, games=3, compiled=False) if breach] == []
    assert list(advice(game, 2)) == []


def sequences(game: Any, state: Any, plies: int) -> int:
    if plies == 0 or game.over(state):
        return 1
    return sum(sequences(game, rules.after(game, state, action), plies - 1) for action in rules.legal(game, state))


@pytest.mark.parametrize("name, counts", [("othello", [4, 12, 56]), ("breakthrough", [22, 484]), ("hex", [49, 2352])])
def test_moves_are_counted_right(name: str, counts: list[int]) -> None:
    """Othello's by the published perft."""
    game = games.make(str(FOLDER / f"{name}.py"))
    assert [sequences(game, rules.new(game), plies + 1) for plies in range(len(counts))] == counts


def slid(row: list[int]) -> tuple[list[int], int]:
    """A row of 2048 after its tiles, as numbers, have slid to its beginning, and the points that this brings."""
    left = [tile for tile in row if tile]
    made, points = list[int](), 0
    while left:
        tile = left.pop(0)
        if left[:1] == [tile]:
            left.pop(0)
            tile *= 2
            points += tile
        made.append(tile)
    return made + [0] * (len(row) - len(made)), points


def turned(rows: list[list[int]], times: int) -> list[list[int]]:
    """The board turned left by quarters."""
    for _ in range(times):
        rows = [list(row) for row in zip(*rows, strict=True)][::-1]
    return rows


@pytest.mark.parametrize("size", [3, 4])
def test_2048_plays_as_its_naive_twin(size: int) -> None:
    """To the left as a list says, and to the other sides on the board turned."""
    game, rng = games.make(f"{FOLDER / 'twenty48.py'}:Twenty48({size})"), np.random.default_rng(size)
    state, rows, points = rules.new(game), [[0] * size for _ in range(size)], 0
    while not game.over(state):
        assert [[2**tile if tile else 0 for tile in row] for row in state.tiles.tolist()] == rows
        assert game.score(state) == points
        if game.player(state) == rules.CHANCE:
            outcomes, weights = zip(*rules.outcomes(game, state), strict=True)
            free = [(y, x) for y in range(size) for x in range(size) if not rows[y][x]]
            expected = [(2, cell, 0.9 / len(free)) for cell in free] + [(4, cell, 0.1 / len(free)) for cell in free]
            assert list(weights) == pytest.approx([weight for *_, weight in expected])
            which = int(rng.integers(len(outcomes)))
            number, (y, x), _ = expected[which]
            rows[y][x] = number
            assert game.name(int(outcomes[which])) == f"{'abcd'[x]}{size - y}={number}"
            game.play(state, int(outcomes[which]))
            continue
        after = {}
        for side in range(4):  # to the left, up, to the right, down
            lines = [slid(row) for row in turned(rows, side)]
            moved = turned([line for line, _ in lines], -side % 4)
            if moved != rows:
                after[side] = moved, sum(gain for _, gain in lines)
        assert rules.legal(game, state) == sorted(after)
        action = int(rng.choice(sorted(after)))
        rows, gain = after[action]
        points += gain
        game.play(state, action)
    assert points > 0


def test_the_race_is_worth_what_every_way_it_can_go_adds_up_to() -> None:
    @cache
    def worth(mine: int, other: int) -> Fraction:
        """For who moves, with so far to go for each."""

        def then(steps: int) -> Fraction:
            return Fraction(1) if steps >= mine else -worth(other, mine - steps)

        step = sum(map(then, range(1, 7)), Fraction(0)) / 6
        return max(step, (then(1) + then(8)) / 2)

    game, known = games.make(f"{FOLDER / 'dice_race.py'}:DiceRace(9)"), dict[bytes, float]()

    def value(state: Any) -> float:
        """For the first player, by the rules."""
        key = state.tobytes()
        if key not in known:
            if game.over(state):
                known[key] = game.score(state)
            elif game.player(state) == rules.CHANCE:
                found = rules.outcomes(game, state)
                known[key] = sum(weight * value(rules.after(game, state, action)) for action, weight in found)
            else:
                best = min if game.player(state) else max
                known[key] = best(value(rules.after(game, state, action)) for action in rules.legal(game, state))
        return known[key]

    assert value(rules.new(game)) == pytest.approx(float(worth(9, 9))) and 0 < worth(9, 9) < 1


def test_a_rule_that_makes_lists_and_sets_is_told_what_to_write_instead() -> None:
    def over(game, state):
        return helper(state)[0] <= 0

    (told,) = advice(heap(over=over))
    place = f"test_examples.py:{helper.__code__.co_firstlineno + 1}, `return [state.left, *{{1, 2}}]`)"
    assert told.startswith("over makes a list and a set at every call (") and place in told
    assert "keep in the state what it finds out" in told


def test_still_is_advised_where_no_action_comes_back() -> None:
    assert list(advice(games.make("tictactoe"))) == []

    def legal(game, state, out):
        for action in range(state.left):
            out[action] = action
        return state.left

    def play(game, state, action):
        state.left -= 1
        state.turn = 1 - state.turn

    (told,) = advice(heap(legal=legal, play=play, actions=lambda game: 5))
    assert "give `still`" in told


@pytest.mark.parametrize(
    "words, says",
    [
        (["peers", "--file", "hex.py"], "--file and --peer go together"),
        (["rollouts", "--file", "hex.py", "--peer", "hex"], "--file and --peer go together"),
    ],
)
def test_a_benchmark_of_ones_own_game_says_what_it_needs(words: list[str], says: str) -> None:
    assert says in refusal(run("bench", *words))


def test_a_game_that_openspiel_does_not_have_is_refused() -> None:
    pytest.importorskip("pyspiel")
    assert "did you mean hex?" in refusal(
        run("bench", "peers", "--file", str(FOLDER / "hex.py"), "--peer", "hxe(board_size=7)")
    )
