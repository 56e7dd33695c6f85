"""Roll-outs: the stream of random numbers, what is drawn from it, and who wins by it."""

import math
from collections import Counter

import numpy as np
import pytest

import naive
import toys
from plyground import games, rules
from plyground.search.budget import Budget
from plyground.search.rng import seeded, streams

TICTACTOE = games.make("tictactoe")
NO_TREE = {"nodes": 0}  # without room for a tree every simulation is a roll-out from the root


def rollouts(game, state, spec, number, seed=1):
    """Who played what in so many roll-outs."""
    search = toys.search(game, state, spec, seed, **NO_TREE)
    return [toys.recorded(search) for _ in range(number)]


def replayed(game, state, record):
    """Each position of a roll-out with who moved there, and how; at last, that the game is over."""
    state = state.copy()
    for player, action in record:
        assert not game.over(state)
        assert player == game.player(state)
        yield state, player, action
        game.play(state, action)
    assert game.over(state)


class Draws:
    """Draws from sets of equally likely things, put to a chi-square test."""

    def __init__(self):
        self.counts = {}

    def add(self, size, index):
        self.counts.setdefault(size, Counter())[index] += 1

    def check_uniform(self):
        square, freedom = 0.0, 0
        for size, counts in self.counts.items():
            expected = counts.total() / size
            if size > 1 and expected >= 5:
                square += sum((counts[i] - expected) ** 2 / expected for i in range(size))
                freedom += size - 1
        assert square <= limit(freedom)


def limit(freedom):
    """What chi-square exceeds once in a thousand times (Wilson and Hilferty, 1931)."""
    return freedom and freedom * (1 - 2 / (9 * freedom) + 3.09 * math.sqrt(2 / (9 * freedom))) ** 3


# --- random numbers -----------------------------------------------------------------------------------


def test_seeds_go_through_splitmix64():
    assert seeded(0) == 0xE220A8397B1DCDAF  # the first word of its reference implementation
    assert len({int(seeded(seed)) for seed in range(-1000, 1000)}) == 2000
    assert [hex(word) for word in streams(0, 3)] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4", "0x6c45d188009454f"]
    for seed in (0, 1, -7, 2**63 + 5, 2**70):
        assert streams(seed, 3).tolist() == [int(seeded(seed + i * 0x9E3779B97F4A7C15)) for i in range(3)]


def test_the_stream_is_xorshift64():
    stream = naive.Stream(0)
    stream.word = 88172645463325252  # the example in Marsaglia's paper
    words = (8748534153485358512, 3040900993826735515, 3453997556048239312)
    assert [(stream.below(2**32), stream.word) for _ in words] == [(word >> 32, word) for word in words]
    search = toys.search(TICTACTOE, rules.new(TICTACTOE), "rave", **NO_TREE)
    search.workspaces["rng"] = stream.word
    candidates = list(range(9))
    for player, action in toys.recorded(search):
        i = stream.below(len(candidates))
        assert candidates[i] == action
        assert player == len(candidates) % 2 ^ 1
        candidates[i] = candidates[-1]
        candidates.pop()
    assert search.workspaces["rng"][0] == stream.word


# --- random roll-outs ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "number"), [("tictactoe", 800), ("connect-four", 300), ("dice", 1500)])
def test_random_rollouts_are_uniform_over_the_legal_actions(name, number):
    """Tic-tac-toe and Connect Four have `still`, the dice have not."""
    game = toys.make(name)
    draws = Draws()
    for record in rollouts(game, rules.new(game), "rave", number):
        for state, player, action in replayed(game, rules.new(game), record):
            if player != rules.CHANCE:
                legal = rules.legal(game, state)
                draws.add(len(legal), legal.index(action))
    assert sum(counts.total() for counts in draws.counts.values()) > 5000
    draws.check_uniform()


def test_chance_events_have_the_probabilities_of_the_game():
    game = toys.make("dice")
    seen = [Counter() for _ in toys.DICE]
    for record in rollouts(game, rules.new(game), "rave", 2000):
        for state, player, action in replayed(game, rules.new(game), record):
            if player == rules.CHANCE:
                seen[state.die][action] += 1
    for counts, die in zip(seen, toys.DICE, strict=True):
        expected = {pips: p * counts.total() for pips, p in enumerate(die) if p}
        assert counts.total() > 1000
        assert counts.keys() == expected.keys()
        assert sum((counts[pips] - e) ** 2 / e for pips, e in expected.items()) < limit(len(expected) - 1)


@pytest.mark.parametrize(("cell", "mean"), [(0, 2 / 3), (2, 2 / 3), (6, 1 / 2), (7, 0), (8, 1 / 2)])
def test_random_play_has_its_exact_result(cell, mean):
    """The position of the study uct-minimax: X's wins less its losses if both play at random, counted by hand."""
    state = rules.after(TICTACTOE, TICTACTOE.read(".O./XXO/... X"), cell)
    search = toys.search(TICTACTOE, state, "uct", **NO_TREE)
    search.run(Budget(100_000))
    assert -search.value == pytest.approx(mean, abs=4 / math.sqrt(100_000))


def test_a_game_without_end_counts_as_drawn():
    for length, value in ((rules.LONGEST, -1), (rules.LONGEST + 1, 0)):
        game = toys.load("Corridor")(length)
        search = toys.search(game, rules.new(game), "uct", **NO_TREE)
        search.run(Budget(3))
        assert search.value == value


# --- win-block ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("diagram", [".../.../... X", "X.O/.../... X", "XX./OO./X.. O", "XOX/.../X.O O"])
def test_win_block_always_wins_or_blocks_and_else_plays_at_random(diagram):
    start = TICTACTOE.read(diagram)
    forced, free = Draws(), Draws()
    for record in rollouts(TICTACTOE, start, "rave(rollout='win-block')", 100):
        for state, player, action in replayed(TICTACTOE, start, record):
            choices = naive.winning(TICTACTOE, state, player) or naive.winning(TICTACTOE, state, 1 - player)
            if choices:
                assert action in choices
                forced.add(len(choices), choices.index(action))
            else:
                legal = rules.legal(TICTACTOE, state)
                free.add(len(legal), legal.index(action))
    assert forced.counts
    forced.check_uniform()
    free.check_uniform()


def test_win_block_blocks_either_of_two_threats_alike():
    start = TICTACTOE.read("XOX/.../X.O O")
    first = Counter(record[0][1] for record in rollouts(TICTACTOE, start, "rave(rollout='win-block')", 1000))
    assert first.keys() == {3, 4}
    assert np.square(first[3] - 500) / 250 < limit(1)
