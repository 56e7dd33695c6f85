"""Nets over cells: NumPy says what PyTorch says, and a turned region is judged as the one in training."""

import numpy as np
import pytest
import torch

from plyground.games import make
from plyground.games.line_taking.cells_net import evaluator, geometry, model
from plyground.games.line_taking.cells_net.geometry import AXIAL, CELLS, DIRECTIONS, IMAGES, KINDS, MATRICES
from plyground.games.line_taking.cells_net.kind import HEXAGONS, TRANSFORMER
from plyground.games.line_taking.rules import LineTaking
from plyground.nets import files, kinds
from plyground.nets.card import Card
from plyground.nets.evaluate import onnx_evaluator
from plyground.nets.models import InferenceNet
from plyground.rules import after, legal, new
from plyground.spec import InputError

SIZES = {"transformer": [*(1, 12, 12, 1008), 2, 16, 2], "hexagons": [*(1, 12, 12, 1008), 2, 16]}


def made(name):
    """A net with opinions."""
    net = kinds.of(name).model(SIZES[name], 3).eval()
    torch.manual_seed(1)
    with torch.no_grad():
        for weights in net.parameters():
            weights.add_(0.3 * torch.randn_like(weights))
    return net


def positions(number=24):
    """States of random games on random regions."""
    rng, found = np.random.default_rng(0), []
    for seed in range(number):
        game = make("line-taking", seed)
        state = new(game)
        for _ in range(int(rng.integers(8))):
            if game.left(state) > 4:
                state = after(game, state, int(rng.choice(legal(game, state))))
        found.append((game, state))
    return found


def planes_of(found):
    planes = np.zeros((len(found), 1, 12, 12), np.float32)
    for (game, state), seen in zip(found, planes, strict=True):
        game.encode(state, seen)
    return planes


@pytest.mark.parametrize("name", SIZES)
def test_numpy_says_what_pytorch_says_and_knows_what_is_legal(name, tmp_path):
    net, found = made(name), positions()
    planes = planes_of(found)
    with torch.no_grad():
        answers = InferenceNet(net)(torch.from_numpy(planes)).numpy()
    files.save(tmp_path, net, Card(SIZES[name], "board", "policy-value", "line-taking", kind=name))
    run = onnx_evaluator(tmp_path)
    assert np.allclose(run(planes), answers, atol=1e-4)
    assert np.allclose(run(planes[:1]), answers[:1], atol=1e-4)  # whatever stands beside it
    for (game, state), logits in zip(found, answers[:, :-1], strict=True):
        assert set(np.flatnonzero(logits > model.ILLEGAL)) == set(legal(game, state))
    again = files.load(tmp_path)
    assert all(torch.equal(one, other) for one, other in zip(again.parameters(), net.parameters(), strict=True))


@pytest.mark.parametrize("name", SIZES)
def test_in_training_a_position_is_seen_in_each_of_twelve_symmetries(name):
    net = made(name)
    game = make("line-taking(cells=12)", 5)
    state = new(game)
    cells = np.flatnonzero(planes_of([(game, state)]).ravel())
    with torch.no_grad():
        logits, outcomes = net.train()(torch.from_numpy(planes_of([(game, state)] * 12)))
        net.eval()
        for which in range(12):
            there = turned(cells, which)
            image = torch.zeros(1, 1, CELLS)
            image[0, 0, list(there.values())] = 1
            seen, outcome = net(image.view(1, 1, 12, 12))
            assert torch.allclose(outcome[0], outcomes[which], atol=1e-4)
            for action in legal(game, state):
                same = image_of(game, state, action, which, there)
                assert torch.isclose(seen[0, same], logits[which, action], atol=1e-4)
    assert not torch.allclose(outcomes[0], outcomes[1], atol=1e-3)


def turned(cells, which):
    """Where each cell of a region lies after a symmetry, moved so that it fits on the board."""
    at = {tuple(one): cell for cell, one in enumerate(AXIAL)}
    image = AXIAL[cells] @ MATRICES[which].T
    for shift in np.ndindex(40, 40):
        places = [at.get(tuple(one)) for one in image + np.array(shift) - 20]
        if None not in places:
            return dict(zip(cells, places, strict=True))
    raise AssertionError("it fits nowhere")


def image_of(game, state, action, which, there):
    """The action that takes the images of the cells that an action takes."""
    board = np.zeros((12, 12), int)
    board.ravel()[list(there.values())] = 1
    other = LineTaking(tuple(int((row << np.arange(12)).sum()) for row in board))
    taken = {there[cell] for cell in game.where(state, action)}
    return next(one for one in legal(other, new(other)) if set(other.where(new(other), one)) == taken)


def test_tables_agree_with_the_rules():
    assert make("line-taking").actions() == geometry.CELLS * KINDS
    for matrix, image in zip(MATRICES, IMAGES, strict=True):
        assert (DIRECTIONS[image] == DIRECTIONS @ matrix.T).all()
    same = ("COUNTS", "HEAD", "ILLEGAL", "SILENT", "SUMS")
    assert all(getattr(evaluator, name) == getattr(model, name) for name in same)


def test_whatever_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="for line-taking"):
        TRANSFORMER.sizes(make("tictactoe"))
    assert HEXAGONS.shapes(SIZES["hexagons"]).keys() == made("hexagons").state_dict().keys()
    for sizes in ([1, 12, 12, 1008, 2, 16], [1, 12, 12, 1008, 2, 16, 3], [2, 12, 12, 1008, 2, 16, 2]):
        with pytest.raises(ValueError):
            TRANSFORMER.must_make_sense(sizes)
    HEXAGONS.must_make_sense(SIZES["hexagons"])
