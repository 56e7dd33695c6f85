"""The prover of line-taking: who wins with few cells left is what the table of the whole region says."""

import numpy as np

from plyground.games import make
from plyground.games.line_taking.endgames import MOST, prover_for, prover_of
from plyground.games.line_taking.table import LineTable
from plyground.rules import after, dtype, kernel, legal, new


@kernel
def prove(prover, states, rooms, moves):
    return prover.prove(states[0], 0, rooms[0], moves)


def test_who_wins_is_what_the_table_says():
    prover, rng, seen = prover_of(10), np.random.default_rng(1), set()
    for seed in range(12):
        game = make("line-taking(cells=14)", seed)
        table = LineTable(game, new(game))
        table.fill()
        state, room = new(game), prover.empty.copy()
        while not game.over(state):
            moves = np.zeros(game.actions(), np.int16)
            value = prove(prover, np.array([state], dtype(game)), room, moves)
            if game.left(state) > 10:
                assert value == 0
            else:
                values = table.values(state)
                assert value == max(values.values()) == values[int(moves[0])]
                seen.add(int(value))
            state = after(game, state, int(rng.choice(legal(game, state))))
    assert seen == {-1, 1}


def test_only_line_taking_has_it_and_none_is_given_where_none_is_wanted():
    game = make("line-taking")
    assert prover_for(game, -1) is None
    assert prover_for(make("tictactoe")) is None
    assert prover_for(game, 100).limit == MOST
    assert prover_for(game, 0) is prover_for(game)
