"""The prover of endgames: who wins is what plain minimax says, and where the end is too far it says nothing."""

from functools import lru_cache

import numpy as np
import pytest

from plyground.games import make
from plyground.games.endgames import Endgames, prover_for, prover_of
from plyground.rules import after, dtype, kernel, legal, new


def minimax(game, state, known):
    """The value for player 0, by all lines to their end; what is known of positions is looked up."""
    if game.over(state):
        return game.score(state)
    here = state.tobytes()
    if here not in known:
        best = max if game.player(state) == 0 else min
        known[here] = best(minimax(game, after(game, state, action), known) for action in legal(game, state))
    return known[here]


@lru_cache(None)
def endings(spec, plies, games, seed=1):
    """States of random games, so many plies before their end."""
    game, rng, found = make(spec), np.random.default_rng(seed), []
    while len(found) < games:
        past = [new(game)]
        while not game.over(past[-1]):
            past.append(after(game, past[-1], int(rng.choice(legal(game, past[-1])))))
        found += past[-1 - plies : -plies]
    return game, found


@kernel
def prove(prover, game, states, rooms, moves):
    return prover.prove(states[0], game.player(states[0]), rooms[0], moves)


def proven(prover, game, state):
    """What the prover says, and the move it names."""
    states, moves = np.array([state], dtype(game)), np.zeros(game.actions(), np.int16)
    value = prove(prover, game, states, prover.empty.copy(), moves)
    assert states[0].tobytes() == state.tobytes()  # which is left as it was
    return value, int(moves[0])


@pytest.mark.parametrize(("spec", "plies", "deepest"), [("othello(4)", 5, 10), ("kalah(3,2)", 6, 20)])
def test_who_wins_is_what_minimax_says(spec, plies, deepest):
    game, states = endings(spec, plies, 30)
    prover, seen, known = prover_of(game, deepest), set(), {}
    for state in states:
        sign = 1 - 2 * game.player(state)
        truth = sign * minimax(game, state, known)
        value, move = proven(prover, game, state)
        assert value == truth
        if value:
            assert sign * minimax(game, after(game, state, move), known) == truth
        seen.add(int(value))
    assert {-1, 1} <= seen


def test_an_end_that_is_too_far_is_left_to_the_net():
    game, states = endings("othello(4)", 5, 30)
    prover = prover_of(game, 10)
    assert proven(prover, game, new(game))[0] == 0  # twelve plies before it
    hurried = [proven(prover._replace(limit=3), game, state)[0] for state in states]
    assert hurried.count(0) > 15


def test_othello_and_kalah_have_it_and_others_not():
    assert isinstance(prover_for(make("othello")), Endgames)
    assert isinstance(prover_for(make("kalah")), Endgames)
    assert prover_for(make("othello"), -1) is None
    assert prover_for(make("hex(5)")) is None
