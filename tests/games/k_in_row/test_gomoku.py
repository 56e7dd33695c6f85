"""The agents of five in a row, and the net's search with threats: legal, alert to what wins and loses, and one seed."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import commands
from commands import answer, refusal, run
from plyground import agents, games, position, rules
from plyground.agents.base import Limit, Thought
from plyground.exact.solve import solver
from plyground.games.k_in_row.tactics.prover import usual_threes
from plyground.search.budget import Budget

SMALL, LARGE = games.make("mnk(5,5,4)"), games.make("gomoku(15)")
FOURS = games.make("mnk(6,6,4)")
THREATS, CLASSIC = "threats(depth=4)", "gomoku-classic(seconds=0.05, memory=1)"
SPECS = [THREATS, CLASSIC]


def choice(spec: str, game: Any, text: str, seed: int = 1) -> str:
    thought = agents.make(spec, seed).think(game, position.read(game, text))
    assert thought.action == thought.moves[0].action == thought.line[0]
    return game.name(thought.action)


def play(game: Any, specs: list[str], plies: int, seed: int = 1, opening: str = "") -> Any:
    """The position after so many plies of legal moves, or at the end of the game."""
    players = [agents.make(spec, seed + seat) for seat, spec in enumerate(specs)]
    state = position.read(game, opening)
    while not game.over(state) and state.stones < plies:
        thought = players[int(game.player(state))].think(game, state)
        assert thought.action in rules.legal(game, state)
        game.play(state, thought.action)
    return state


# --- legal moves --------------------------------------------------------------------------------------


@pytest.mark.parametrize("specs", [[THREATS, CLASSIC], [CLASSIC, THREATS]], ids=["threats first", "classic first"])
def test_whole_games_on_a_small_board_and_openings_on_a_large_one(specs: list[str]) -> None:
    assert SMALL.over(play(SMALL, specs, 25))
    assert play(LARGE, specs, 10, opening="a15 o1 o15").stones == 10


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    ("diagram", "moves"),
    [
        ("XXOOX/OOXXO/XXOOX/OOXXO/XXOO. X", "e1"),
        ("XXOOX/OOXXO/XXOOX/OOXXO/XXO.. O", "d1 e1"),
        ("XXOO./OOXX./XXOO./OOXX./....X O", "e5 e4 e3 e2 a1 b1 c1 d1"),
    ],
    ids=["one cell", "two", "eight"],
)
def test_the_last_cells_of_a_board(spec: str, diagram: str, moves: str) -> None:
    assert choice(spec, SMALL, diagram) in moves.split()


def test_the_first_move_of_the_classic_search_is_in_the_middle() -> None:
    for game in (SMALL, LARGE):
        assert agents.make(CLASSIC, 1).think(game, rules.new(game)).action in game.middle()


def test_boards_of_every_size_without_the_compiler() -> None:
    assert commands.interpreted(__file__) == {"legal": True, "threats": [False, True, True]}


# --- what wins and what loses -------------------------------------------------------------------------

WANTED = {
    "five, by the first player": ("h8 h9 i8 i9 j8 j9 k8 k9", "g8 l8"),
    "five, by the second player": ("h8 a1 i8 a2 j8 a3 a15 a4 o15", "a5"),
    "five rather than a block": ("a1 h8 a2 i8 a3 j8 a4 k8", "a5"),
    "a block of a five": ("h8 g8 i8 a15 j8 o1 k8", "l8"),
    "a block by the first player": ("a1 h8 a15 i8 o1 j8 g8 k8", "l8"),
    "an open four": ("h8 a15 i8 o15 j8 o1", "g8 k8"),
    "four and three": ("d14 c14 e14 a1 f14 o1 g13 a15 g12 o15", "g14"),
    "an open three stopped": ("h8 a1 i8 a15 j8", "f8 g8 k8 l8"),
    "an open three stopped by the first player": ("a1 h8 a15 i8 o1 j8", "f8 g8 k8 l8"),
    "a split three stopped": ("h8 a1 i8 a15 k8", "g8 j8 l8"),
    "two threes": ("f12 a1 f11 a15 d10 o1 e10 o15", "f10"),
}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("moves", "wanted"), WANTED.values(), ids=WANTED.keys())
def test_wins_are_taken_and_losses_stopped(spec: str, moves: str, wanted: str) -> None:
    assert choice(spec, LARGE, moves) in wanted.split()


@pytest.mark.parametrize("spec", [THREATS, "gomoku-classic(seconds=1, memory=1)"])
def test_a_win_is_said_to_be_certain_with_its_line(spec: str) -> None:
    state = position.read(LARGE, WANTED["two threes"][0])
    thought = agents.make(spec, 1).think(LARGE, state)
    assert thought.value == 1 and thought.moves[0].proven
    for action in thought.line:
        state = rules.after(LARGE, state, action)
    assert LARGE.over(state) and LARGE.score(state) == 1


def test_little_time_is_enough_for_what_wins_at_once() -> None:
    thought = agents.make(CLASSIC, 1).think(
        LARGE, position.read(LARGE, WANTED["five rather than a block"][0]), Limit(seconds=0)
    )
    assert LARGE.name(thought.action) == "a5"


def test_what_the_classic_search_calls_proven_is_true() -> None:
    rng, exact, proven = np.random.default_rng(2), solver(SMALL, rules.new(SMALL)), 0
    for _ in range(15):
        state = play(SMALL, ["random", "random"], int(rng.integers(3, 14)), int(rng.integers(1000)))
        if SMALL.over(state):
            continue
        best = agents.make(CLASSIC, 1).think(SMALL, state).moves[0]
        known = {known.action: known for known in exact.solve(state, distances=False).answers}[best.action]
        proven += best.proven
        assert not best.proven or known.low <= best.value <= known.high, SMALL.diagram(state)
    assert proven > 4


def test_of_other_moves_than_the_best_bounds_are_not_called_proven_wins() -> None:
    state = SMALL.read(".X.../X..../...../..O../....O X")
    known = {known.action: known for known in solver(SMALL, state).solve(state, distances=False).answers}
    moves = agents.make("gomoku-classic(seconds=60, depth=8, threats=False)", 1).think(SMALL, state).moves
    assert [move for move in moves if move.value == 1 and known[move.action].high < 1]  # bounds, not values
    assert not any(move.proven for move in moves)


# --- seeds, refusals, strength ------------------------------------------------------------------------


def test_one_seed_plays_one_way() -> None:
    state = position.read(LARGE, "h8 a1 i10")
    found = {seed: [agents.make(THREATS, seed).think(LARGE, state).action for _ in range(2)] for seed in range(6)}
    assert all(one == same for one, same in found.values())
    spec = "gomoku-classic(seconds=60, depth=3, threats=False, memory=1)"
    first, second = (agents.make(spec, 1).think(LARGE, state) for _ in range(2))
    assert first.moves == second.moves and first.simulations == second.simulations


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("threats(limit=2000)", "n14 h15 g4 a14 g3 l4 h2 m4 h1 m3"),
        ("gomoku-classic(seconds=60, depth=3, threats=False, memory=1)", "n12 c6 m11 h2 h10 i1 l10"),
    ],
)
def test_a_new_game_knows_nothing_of_those_before(spec: str, moves: str) -> None:
    agent, state = agents.make(spec, 7), position.read(LARGE, moves)
    first = replace(agent.think(LARGE, state), seconds=0)
    agent.think(LARGE, position.read(LARGE, WANTED["an open three stopped"][0]))
    agent.begin(7)
    assert replace(agent.think(LARGE, state), seconds=0) == first


def test_threats_keeps_to_time_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[float] = []

    def work_until(budget: Budget, work: Any, halt: Any) -> Any:
        ends.append(budget.begun + (budget.seconds or 0))
        return None if budget.over() else work()

    monkeypatch.setattr(Budget, "run", work_until)
    agent, state = agents.make(THREATS, 1), position.read(LARGE, WANTED["two threes"][0])
    begun = time.perf_counter()
    assert agent.think(LARGE, state, Limit(seconds=60)).value == 1
    assert ends and begun + 60 < max(ends) < time.perf_counter() + 60
    stopped = agent.think(LARGE, state, Limit(stop=lambda: True))
    assert stopped.value is None and stopped.action in rules.legal(LARGE, state)


@pytest.mark.parametrize("threads", [1, 2])
def test_classic_tells_what_it_thinks_until_it_is_stopped_or_interrupted(threads: int) -> None:
    spec = f"gomoku-classic(seconds=600, threads={threads}, memory=1)"
    agent, state = agents.make(spec), position.read(LARGE, "h8 a1")
    heard: list[Thought] = []
    agent.think(LARGE, state, Limit(watch=heard.append, stop=lambda: len(heard) == 3))
    counts = [thought.simulations for thought in heard]
    assert len(heard) == 3 and counts == sorted(counts) and 0 < heard[0].seconds < heard[-1].seconds < 300

    def interrupt(_: Thought) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        agent.think(LARGE, state, Limit(watch=interrupt))


@pytest.mark.parametrize("spec", ["threats", "gomoku-classic"])
@pytest.mark.parametrize("game", ["tictactoe", "connect-four", "mnk(8,8,7)"])
def test_other_games_are_refused_in_one_line(spec: str, game: str) -> None:
    assert "in a row" in refusal(run("think", game, spec))


def test_threats_beats_win_block() -> None:
    for seat in range(2):
        specs = [THREATS, "win-block"] if seat == 0 else ["win-block", THREATS]
        end = play(LARGE, specs, 225, seed=5)
        assert LARGE.over(end) and LARGE.score(end) == 1 - 2 * seat


# --- a net's search with threats ----------------------------------------------------------------------


@pytest.mark.parametrize("threats", [0, 2])
def test_alphazero_with_threats_plays_whole_games(threats: int) -> None:
    spec = f"alphazero('mnk-6-6-4', sims=20, threats={threats})"
    assert FOURS.over(play(FOURS, [spec, spec], 36))


def test_where_four_make_a_row_alphazero_looks_two_threes_deep_by_itself() -> None:
    known = {"mnk(6,6,4)": 2, "gomoku(9)": 0, "tictactoe": 0, "connect-four": 0}
    assert {name: usual_threes(games.make(name)) for name in known} == known
    state = position.read(FOURS, "d4")
    for options, sees in [("", True), (", threats=2", True), (", threats=-1", False)]:
        thought = agents.make(f"alphazero('mnk-6-6-4', sims=150{options})", 1).think(FOURS, state)
        assert (thought.value == -1 and all(move.proven for move in thought.moves)) == sees  # the second player is lost


def test_alphazero_with_threats_knows_a_win_at_once() -> None:
    two_threes = position.read(FOURS, "b4 a1 c2 e1")
    for threats, sure in ((0, False), (2, True)):
        thought = agents.make(f"alphazero('mnk-6-6-4', sims=2, threats={threats})", 1).think(FOURS, two_threes)
        assert thought.moves[0].proven == sure
    told = answer("think", "mnk(6,6,4)", "alphazero('mnk-6-6-4', sims=2)", "--position", "b4 b2 c4 d1")
    assert told["value"] == 1 and told["simulations"] == 1


def interpreted() -> dict[str, Any]:
    """What is found without the compiler: legal moves on many boards, and wins seen by alphazero's options."""
    legal = True
    for name in ("gomoku(5)", "mnk(20,5,5)", "gomoku(8, rule='exactly-five')", "gomoku(20)"):
        game = games.make(name)
        state = play(game, ["threats(depth=1)"] * 2, 5)
        legal = legal and int(state.stones) == 5
    seen = []
    for threats in (-1, 0, 2):
        agent = agents.make(f"alphazero('gomoku-9', sims=2, threats={threats})", 1)
        seen.append(agent.think(SMALL, SMALL.read("...../.XX../...../.O.../...O. X")).moves[0].proven)
    return {"legal": legal, "threats": seen}


if __name__ == "__main__":
    print(json.dumps(interpreted()))
