"""Benchmarks of Connect Four solved: the empty board from nothing, random positions, and a check of the agent."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from ... import agents, games
from ...exact.solve import SearchSolver
from ...rules import legal, new
from .scores import Position, Scores, book_for, new_table, plies, prepare
from .solver import MEMORY

EMPTY_MEMORY = 1024.0  # megabytes for the table of the empty board
STONES = (0, 2, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24)
FEWEST = 10  # positions of each number of stones
CHECKED, CHECKED_FROM = 1000, 18  # positions, and their fewest stones: general alpha-beta solves them soon


def connect_four(seconds: float) -> list[dict[str, Any]]:
    """The empty board, how long random positions take, and moves of the agent checked by the general solver.

    Times are those of the processor, on one core.
    """
    prepare()
    return [empty_board(), *random_positions(seconds), check()]


def empty_board() -> dict[str, Any]:
    """The score of the empty board, without a book."""
    game = games.make("connect-four")
    scores = Scores(game, new_table(game, EMPTY_MEMORY))
    position = Position(0, 0, 42)
    begun, cpu = time.perf_counter(), time.thread_time()
    who = scores.within(position, -1, 1)
    first = time.thread_time() - cpu
    score = scores.score(position)
    used = time.thread_time() - cpu
    return {
        "case": "empty board, no book",
        "score": score,
        "plies": plies(score or 0, 42),
        "who_wins": who,
        "who_wins_s": first,
        "cpu_s": used,
        "wall_s": time.perf_counter() - begun,
        "nodes": scores.nodes,
        "nodes_per_s": scores.nodes / used,
    }


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
    table = new_table(game, MEMORY)
    scores = Scores(game, table, book_for(game))
    rows = []
    for stones in STONES:
        if stones <= 8 and (scores.book is None or not scores.book.complete):
            continue  # minutes each
        rng, end = random.Random(stones), time.perf_counter() + seconds
        used: dict[str, list[float]] = {"who wins": [], "score": []}
        nodes: list[int] = []
        while len(nodes) < FEWEST or time.perf_counter() < end:
            position = Position.of(game, drawn(game, stones, rng))
            for question in used:
                table[:] = 0
                before, cpu = scores.nodes, time.thread_time()
                if question == "score":
                    scores.score(position)
                else:
                    scores.within(position, -1, 1)
                used[question].append(time.thread_time() - cpu)
            nodes.append(scores.nodes - before)
        for question, times in used.items():
            rows.append(
                {
                    "case": f"{stones} stones, {question}",
                    "positions": len(times),
                    "mean_s": float(np.mean(times)),
                    "of_100_99_s": float(np.quantile(times, 0.99)),
                    "worst_s": max(times),
                }
            )
        rows[-1] |= {"nodes": float(np.mean(nodes)), "nodes_per_s": sum(nodes) / sum(used["score"])}
    return rows


def check() -> dict[str, Any]:
    """Does the agent keep the value of random positions, by the general solver, which knows nothing of this one?"""
    game, rng = games.make("connect-four"), random.Random(1)
    agent = agents.make("connect-four-master", 1)
    general = SearchSolver(game, 256)
    kept = 0
    for _ in range(CHECKED):
        state = drawn(game, rng.randint(CHECKED_FROM, 40), rng)
        truth = general.solve(state, distances=False)
        action = agent.think(game, state).action
        kept += next(answer for answer in truth.answers if answer.action == action).value == truth.value
    return {"case": f"value kept, {CHECKED_FROM} stones or more", "positions": CHECKED, "kept": kept}
