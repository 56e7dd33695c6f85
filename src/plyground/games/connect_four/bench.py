"""Benchmarks of Connect Four solved: the empty board from nothing, random positions, and a check of the agent."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from ... import agents, games
from ...exact.solve import SearchSolver
from ...rules import legal, new
from .book import complete
from .scores import Position, Scores, book_for, new_table, plies, prepare
from .solver import MEMORY

EMPTY_MEMORY = 1024.0  # megabytes for the table of the empty board
STONES = (0, 2, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24)
SOON = 8  # stones from which on a position takes no minutes without a book
FEWEST = 10  # positions of each number of stones
CHECKED, CHECKED_FROM = 1000, 18  # positions, and their fewest stones: general alpha-beta solves them soon


def connect_four(seconds: float) -> list[dict[str, Any]]:
    """The empty board, how long random positions take, and moves of the agent checked by the general solver.

    Times are those of the processor, on one core; the agent's are those of the clock.
    """
    prepare()
    return [*empty_board(), *random_positions(seconds), check()]


def row(case: str, times: list[float], nodes: int, found: str = "") -> dict[str, Any]:
    """What is told of some positions that took so long and so many nodes together."""
    return {
        "case": case,
        "positions": len(times),
        "mean_s": float(np.mean(times)),
        "p99_s": float(np.quantile(times, 0.99)),
        "worst_s": max(times),
        "nodes": nodes / len(times),
        "nodes_per_s": nodes / sum(times),
        "found": found,
    }


def empty_board() -> list[dict[str, Any]]:
    """The empty board, without a book: who wins, and how soon, with what the first search has left in the table."""
    game = games.make("connect-four")
    scores = Scores(game, new_table(game, EMPTY_MEMORY))
    rows, begun = [], time.thread_time()
    for question, most in (("who wins", 1), ("score", 42)):
        score = scores.within(Position(0, 0, 42), -most, most) or 0
        found = f"score {score}, {plies(score, 42)} plies" if most > 1 else f"{score:+d}"
        rows.append(row(f"empty board, no book, {question}", [time.thread_time() - begun], scores.nodes, found))
    return rows


def drawn(game: Any, stones: int, rng: random.Random) -> Any:
    """A position of a random game with so many stones in which nobody has won."""
    while True:
        state = new(game)
        while not game.over(state) and state.moves < stones:
            game.play(state, rng.choice(legal(game, state)))
        if not game.over(state):
            return state


def random_positions(seconds: float) -> list[dict[str, Any]]:
    """How long the answer takes: who wins, and the score, with the book and an empty table each time."""
    game = games.make("connect-four")
    scores = Scores(game, new_table(game, MEMORY), book_for(game))
    rows = []
    for stones in STONES if complete() else [stones for stones in STONES if stones >= SOON]:
        for question, most in (("who wins", 1), ("score", 42)):
            rng, end, before = random.Random(stones), time.perf_counter() + seconds, scores.nodes
            times: list[float] = []
            while len(times) < FEWEST or time.perf_counter() < end:
                position = Position.of(game, drawn(game, stones, rng))
                scores.table[:] = 0
                begun = time.thread_time()
                scores.within(position, -most, most)
                times.append(time.thread_time() - begun)
            rows.append(row(f"{stones} stones, {question}", times, scores.nodes - before))
    return rows


def check() -> dict[str, Any]:
    """Does the agent keep the value of random positions, by the general solver, which knows nothing of this one?"""
    game, rng = games.make("connect-four"), random.Random(1)
    agent = agents.make("connect-four-master", 1)
    general = SearchSolver(game, 256)
    kept, nodes, times = 0, 0, []
    for _ in range(CHECKED):
        state = drawn(game, rng.randint(CHECKED_FROM, 40), rng)
        truth = general.solve(state, distances=False)
        thought = agent.think(game, state)
        kept += next(answer for answer in truth.answers if answer.action == thought.action).value == truth.value
        nodes += thought.simulations
        times.append(thought.seconds)
    return row(f"the agent, {CHECKED_FROM} stones or more", times, nodes, f"value kept in {kept}")
