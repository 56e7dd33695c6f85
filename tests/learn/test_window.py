"""The window of positions: what is drawn, in which image, what is forgotten, and what a checkpoint keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive_puct import seen
from plyground import games, rules
from plyground.learn.selfplay.kernel import sample_type
from plyground.learn.selfplay.window import Batch, Window


def positions(game: Any, count: int, seed: int = 0) -> tuple[np.ndarray, list[list[int]]]:
    """Samples of random games whose policies can be told apart, and the actions that led to each."""
    rng = np.random.default_rng(seed)
    samples, lines = np.zeros(count, sample_type(game)), []
    line: list[int] = []
    state = rules.new(game)
    for i in range(count):
        samples[i]["planes"] = seen(game, state)
        legal = rules.legal(game, state)
        samples[i]["policy"][legal] = rng.dirichlet(np.ones(len(legal)))
        samples[i]["action"] = rng.choice(legal)
        samples[i]["score"], samples[i]["value"], samples[i]["weight"] = rng.normal(size=3)
        lines.append(list(line))
        game.play(state, int(samples[i]["action"]))
        line.append(int(samples[i]["action"]))
        if game.over(state):
            state, line = rules.new(game), []
    return samples, lines


def numbered(game: Any, numbers: range) -> np.ndarray:
    samples = np.zeros(len(numbers), sample_type(game))
    samples["value"] = list(numbers)
    return samples


def values(batch: Batch) -> set[int]:
    return {int(x) for x in batch.value}


@pytest.mark.parametrize("name", ["tictactoe", "connect-four(5,4,3)", "mnk(4,3,3)", "line-taking"])
def test_an_image_is_what_encoding_the_mirrored_game_gives(name: str) -> None:
    game = games.make(name, 1)
    symmetries = game.symmetries() if rules.gives(game, "symmetries") else [(range(game.actions()), None)]
    samples, lines = positions(game, 12)
    window = Window(game, 12, "cpu")
    window.add(samples)
    images: dict[bytes, tuple[Any, int]] = {}  # a line and a symmetry, by the planes they lead to
    for number, line in enumerate(lines):
        for actions, _ in symmetries:
            state = rules.new(game)
            for action in line:
                game.play(state, int(actions[action]))
            images.setdefault(seen(game, state).tobytes() + bytes([number]), (actions, number))
    batch = window.draw(600, 12, np.random.default_rng(5))
    by_value = {float(np.float32(sample["value"])): number for number, sample in enumerate(samples)}
    met = set()
    for planes, policy, score, value, weight, action in zip(*batch, strict=True):
        number = by_value[float(value)]
        sample = samples[number]
        assert planes.numpy().tobytes() + bytes([number]) in images
        assert (float(score), float(weight)) == (sample["score"], sample["weight"])
        fitting = []
        for moves, cells in symmetries:
            wanted = np.zeros_like(sample["policy"])
            wanted[np.array(moves)] = sample["policy"]
            turned = sample["planes"].copy()
            if cells is not None:
                turned.reshape(len(turned), -1)[:, cells] = sample["planes"].reshape(len(turned), -1)
            fitting.append(
                np.allclose(policy.numpy(), wanted, rtol=2e-3, atol=1e-5)
                and (planes.numpy() == turned).all()
                and int(action) == moves[int(sample["action"])]
            )
        assert any(fitting)
        met.add((number, fitting.index(True)))
    if name == "connect-four(5,4,3)":
        assert len({which for _, which in met}) == 2
    assert len({number for number, _ in met}) == 12


def test_a_window_need_not_turn_anything() -> None:
    game = games.make("tictactoe")
    samples, _ = positions(game, 9)
    window = Window(game, 9, "cpu")
    window.add(samples)
    batch = window.draw(100, 9, np.random.default_rng(1), turned=False)
    known = {sample["planes"].tobytes() for sample in samples}
    assert {planes.numpy().tobytes() for planes in batch.planes} == known


def test_the_oldest_are_written_over_and_only_the_newest_drawn() -> None:
    game, rng = games.make("tictactoe"), np.random.default_rng(2)
    window = Window(game, 10, "cpu")
    window.add(numbered(game, range(4)))
    assert len(window) == 4 and values(window.draw(200, 100, rng)) == {0, 1, 2, 3}
    window.add(numbered(game, range(4, 13)))
    assert len(window) == 10 and window.written == 13
    assert values(window.draw(400, 100, rng)) == set(range(3, 13))
    assert values(window.draw(200, 4, rng)) == {9, 10, 11, 12}
    assert values(window.draw(50, 1, rng)) == {12}
    window.add(numbered(game, range(13, 48)))  # more than there is room for
    assert values(window.draw(400, 100, rng)) == set(range(38, 48))


def test_a_restored_window_draws_the_same() -> None:
    game = games.make("tictactoe")
    for count in (5, 23):  # with room left, and written over
        window, other = Window(game, 10, "cpu"), Window(game, 10, "cpu")
        samples, _ = positions(game, count)
        window.add(samples)
        other.add(numbered(game, range(7)))
        other.restore(window.arrays(), window.written)
        for each in (window, other):
            each.add(numbered(game, range(3)))
        one, same = (each.draw(64, 8, np.random.default_rng(3)) for each in (window, other))
        assert all((a == b).all() for a, b in zip(one, same, strict=True))


def test_a_window_of_another_size_is_refused() -> None:
    game = games.make("tictactoe")
    window = Window(game, 10, "cpu")
    window.add(numbered(game, range(6)))
    with pytest.raises(ValueError, match="positions"):
        Window(game, 10, "cpu").restore(window.arrays(), 8)
