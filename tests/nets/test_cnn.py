"""Nets of one convolution and plain layers: whoever runs them says what loops over windows say; misfits are refused."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from plyground import games
from plyground.learn.selfplay.weights import begun_with
from plyground.nets import files
from plyground.nets.card import Card, must_fit
from plyground.nets.evaluate import gpu_evaluator, onnx_evaluator
from plyground.nets.kinds import ATOMS
from plyground.nets.models import CNN
from plyground.spec import InputError
from reseal import reseal

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
POINTS = 2 * ATOMS + 1
SIZES = {"two": [2, 6, 7, 7, 3, 5, 8, 6], "flat": [3, 2, 9, 4, 3, 4], "alone": [1, 4, 4, 4, POINTS, 3, 8]}


def net(sizes: list[int], seed: int = 3) -> CNN:
    """A net with opinions."""
    torch.set_num_threads(1)
    made, rng = CNN(sizes, seed), torch.Generator().manual_seed(seed)
    for value in made.state_dict().values():
        value.add_(0.2 * torch.randn(value.shape, generator=rng))
    return made


def card(sizes: list[int], **told: Any) -> Card:
    returns = [1.0, 0.0, 1.0] if sizes[4] == POINTS else []
    return Card(sizes, "board", "policy-value", "connect-four", kind="cnn", returns=returns, **told)


def boards(sizes: list[int], n: int = 3) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 2, size=(n, *sizes[:3])).astype(np.float32)


def naive(made: CNN, planes: np.ndarray) -> np.ndarray:
    """What a net says, window by window: logits, then win - loss, or points."""
    weights: Any = {name: value.double().numpy() for name, value in made.state_dict().items()}
    window, said = weights["windows.weight"], []
    tall, broad = window.shape[2:]
    assert (tall, broad) == (min(4, planes.shape[2]), min(4, planes.shape[3]))
    for board in planes:
        corners = list(product(range(board.shape[1] - tall + 1), range(board.shape[2] - broad + 1)))
        x = np.array(
            [
                max(0.0, bias + (one * board[:, i : i + tall, j : j + broad]).sum())
                for one, bias in zip(window, weights["windows.bias"], strict=True)
                for i, j in corners
            ]
        )
        for number in range(len(made.sizes) - 6):
            x = np.maximum(0, weights[f"layers.{number}.weight"] @ x + weights[f"layers.{number}.bias"])
        logits, outcome = (weights[f"{head}.weight"] @ x + weights[f"{head}.bias"] for head in ("logits", "outcome"))
        chances = np.exp(outcome - outcome.max()) / np.exp(outcome - outcome.max()).sum()
        mean = chances @ (np.arange(-ATOMS, ATOMS + 1) if len(chances) > 3 else np.array([1, 0, -1]))
        said.append([*logits, np.sign(mean) * ((abs(mean) + 1) ** 2 - 1) if len(chances) > 3 else mean])
    return np.array(said)


@pytest.fixture(params=SIZES)
def sizes(request: pytest.FixtureRequest) -> list[int]:
    return SIZES[request.param]


def test_every_way_to_run_it_says_what_its_windows_say(sizes: list[int], tmp_path: Path) -> None:
    made, planes = net(sizes), boards(sizes)
    files.save(tmp_path, made, card(sizes))
    wanted = naive(made, planes)
    assert np.abs(wanted[0] - wanted[1]).max() > 1e-3
    near: Any = {"rtol": 1e-3, "atol": 1e-4}
    np.testing.assert_allclose(onnx_evaluator(tmp_path)(planes), wanted, **near)
    again = files.load(tmp_path)
    assert isinstance(again, CNN) and files.read_card(tmp_path) == card(sizes)
    np.testing.assert_allclose(naive(again, planes), wanted, atol=1e-12)
    if sizes[4] == 3:  # where half precision is enough
        np.testing.assert_allclose(gpu_evaluator(tmp_path, "cpu")(planes), wanted, rtol=0.05, atol=0.05)


def test_a_new_net_has_hardly_an_opinion_and_its_weights_follow_from_the_seed(sizes: list[int]) -> None:
    made, planes = CNN(sizes, 1), boards(sizes)
    assert np.abs(naive(made, planes)[:, :-1]).max() < 0.1
    one, other = CNN(sizes, 1).state_dict(), CNN(sizes, 2).state_dict()
    for name, value in made.state_dict().items():
        assert (one[name] == value).all() and (name.endswith("bias") or (other[name] != value).any())


def test_training_begins_with_the_weights_of_a_net_of_the_same_sizes(tmp_path: Path) -> None:
    sizes = SIZES["two"]
    files.save(tmp_path, net(sizes), card(sizes))
    begun = begun_with(str(tmp_path), sizes, False, 9, "cnn")
    for name, value in net(sizes).state_dict().items():
        assert (begun.state_dict()[name] == value).all()
    for other, kind in (([2, 7, 6, *sizes[3:]], "cnn"), ([*sizes[:6], 9, 6], "cnn"), ([84, 8, 7], "mlp")):
        with pytest.raises(InputError, match=f"not of the kind {kind}, or of other sizes"):
            begun_with(str(tmp_path), other, False, 9, kind)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"sizes": SIZES["two"][:5]}, "does not describe a net"),
        ({"sizes": [2, 6, 7, 7, 4, 5, 8, 6]}, "does not describe a net"),
        ({"sizes": [2, 6, 7, 7, 3, 5, 0, 6]}, "does not describe a net"),
        ({"sizes": [2, 6, 7, 7, POINTS, 5, 8, 6]}, "does not describe a net"),
        ({"returns": [1.0, 0.0, 1.0]}, "does not describe a net"),
        ({"cells": True}, "does not describe a net"),
        ({"output": "policy"}, "output 'policy'"),
        ({"sizes": [2, 6, 7, 7, 3, 5, 8, 7]}, "not the net that"),
        ({"sizes": [2, 6, 7, 7, 3, 5, 8]}, "not the net that"),
        ({"sizes": [2, 6, 7, 7, 3, 1 << 20, 1 << 20, 1 << 20]}, "not the net that"),
    ],
)
def test_a_card_that_tells_of_another_net_is_refused_in_one_line(tmp_path: Path, told: Any, why: str) -> None:
    sizes = SIZES["two"]
    files.save(tmp_path, net(sizes), card(sizes))
    path = tmp_path / "net.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | told))
    reseal(tmp_path)
    with pytest.raises(InputError, match=why):
        files.load(tmp_path)


def test_it_fits_its_board_alone() -> None:
    must_fit(card(SIZES["two"]), games.make("connect-four"))
    with pytest.raises(InputError, match="is for 2 planes of 6 x 7 and 7 actions"):
        must_fit(card(SIZES["two"]), games.make("connect-four(4,4,3)"))
