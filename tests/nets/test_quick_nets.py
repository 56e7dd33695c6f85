"""Nets in 8-bit numbers: made of the exact ones, close to them, used by agents, gone when the net is trained again."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import answer
from plyground import games
from plyground.nets import quantised, trained
from plyground.nets.evaluate import Encoder, onnx_evaluator, together
from plyground.nets.files import QUICK, load, read_card, save
from plyground.spec import InputError
from reseal import reseal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("net")
    for name in ("net.json", "net.onnx", "norm.safetensors"):
        shutil.copy(trained.find("mnk-4-4-4") / name, place)
    reseal(place)
    return place


def test_a_quick_net_says_nearly_the_same(folder: Path) -> None:
    said = answer("quicken", str(folder))
    assert said["same"] > 0.9 and said["apart"] < 0.1
    assert (folder / QUICK).exists()
    game, card = games.make("mnk(4,4,4)"), read_card(folder)
    exact, rough = onnx_evaluator(folder), onnx_evaluator(folder, quick=True)
    planes = Encoder(game, card.input)(together(quantised.some_states(game, exact, card.input, 1)[:64]))
    assert np.abs(exact(planes) - rough(planes)).max() > 0  # it is another net


def test_a_file_that_the_library_may_not_write_whole_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which Python would leave half-written
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (folder / "net.onnx").stat().st_size + 64  # what it writes on the way is a little larger
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        with pytest.raises(InputError, match=r"could not make .*quick\.onnx: "):
            quantised.quicken(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_net_that_is_saved_anew_has_no_quick_one(folder: Path) -> None:
    (folder / QUICK).touch()
    save(folder, load(folder), read_card(folder))
    assert {path.name for path in folder.iterdir()} == {"net.json", "net.onnx", "net.safetensors"}


def test_a_card_without_a_net_is_refused(tmp_path: Path) -> None:
    shutil.copy(trained.find("tictactoe") / "net.json", tmp_path)
    with pytest.raises(InputError, match=r"there is no .*net\.onnx"):
        quantised.quicken(tmp_path)


def test_the_shipped_quick_nets_are_close_to_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantised, "GAMES", 8)  # and 320 positions
    game = games.make("gomoku(9)")
    states = quantised.some_states(game, onnx_evaluator(trained.find("gomoku-9")), "board", 2)[:200]
    planes = Encoder(game, "board")(together(states))
    for name in ("gomoku-9", "gomoku-15"):
        folder = trained.find(name)
        exact, rough = onnx_evaluator(folder), onnx_evaluator(folder, quick=True)
        values = np.corrcoef(exact(planes)[:, -1], rough(planes)[:, -1])[0, 1]
        assert values > 0.98
