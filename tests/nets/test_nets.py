"""Nets on disk, the evaluators, and the encoding of states."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground import games, rules
from plyground.nets import files
from plyground.nets.card import Card, must_fit
from plyground.nets.evaluate import Encoder, onnx_evaluator, softmax, torch_evaluator, uniform_evaluator
from plyground.nets.models import MLP
from plyground.spec import InputError
from reseal import reseal

CARD = Card([9, 16, 8, 9], "signed", "policy", "tictactoe", command="plyground train ...")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("net")
    files.save(folder, MLP(CARD.sizes, seed=5), CARD)
    return folder


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    for path in kept.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def some(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 9)).astype(np.float32)


def test_a_net_comes_back_from_disk_as_it_was(kept: Path) -> None:
    assert {path.name for path in kept.iterdir()} == {"net.json", "net.safetensors", "net.onnx"}
    assert files.read_card(kept) == CARD
    net, again = MLP(CARD.sizes, seed=5), files.load(kept)
    for name, value in net.state_dict().items():
        assert (again.state_dict()[name] == value).all()


def test_every_way_to_run_a_net_says_the_same(kept: Path) -> None:
    inputs = some(7)
    by_torch = torch_evaluator(files.load(kept))(inputs)
    by_hand = inputs
    for weight, bias in files.read_weights(kept)[:-1]:
        by_hand = np.maximum(by_hand @ weight.T + bias, 0)
    weight, bias = files.read_weights(kept)[-1]
    assert by_torch.shape == (7, 9) and by_torch.dtype == np.float32
    np.testing.assert_allclose(onnx_evaluator(kept)(inputs), by_torch, atol=1e-6)
    np.testing.assert_allclose(by_hand @ weight.T + bias, by_torch, atol=1e-6)
    assert (uniform_evaluator(9)(inputs) == np.zeros((7, 9))).all()
    assert onnx_evaluator(kept)(inputs[:1]).shape == (1, 9)


def test_weights_follow_from_the_seed_alone() -> None:
    import torch

    torch.manual_seed(1)
    first = torch.rand(1)
    torch.manual_seed(1)
    one, other = MLP([9, 4, 9], seed=2), MLP([9, 4, 9], seed=2)
    assert torch.rand(1) == first  # nobody else's numbers were taken
    assert (one.layers[0].weight == other.layers[0].weight).all()
    assert (one.layers[0].weight != MLP([9, 4, 9], seed=3).layers[0].weight).any()


def test_a_trained_evaluator_follows_its_net() -> None:
    net = MLP([9, 9])
    evaluate = torch_evaluator(net)
    before = evaluate(some(1)).copy()
    net.layers[0].bias.data += 1
    np.testing.assert_allclose(evaluate(some(1)), before + 1, atol=1e-6)


def test_playing_a_net_does_not_import_torch(kept: Path) -> None:
    code = "import sys, numpy as np\nfrom plyground.nets.evaluate import onnx_evaluator\n"
    code += "from plyground.nets.files import read_weights\n"
    code += f"onnx_evaluator({str(kept)!r})(np.zeros((1, 9), np.float32)); read_weights({str(kept)!r})\n"
    code += "print('torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False"]


def edited(**values: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        told = json.loads((folder / "net.json").read_text())
        (folder / "net.json").write_text(json.dumps(told | values))

    return edit


def replaced(name: str, content: bytes | None) -> Callable[[Path], None]:
    def replace(folder: Path) -> None:
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)

    return replace


def reweighted(**arrays: np.ndarray) -> Callable[[Path], None]:
    def reweight(folder: Path) -> None:
        from safetensors.numpy import load, save

        path = folder / "net.safetensors"
        path.write_bytes(save(load(path.read_bytes()) | {name.replace("_", "."): a for name, a in arrays.items()}))

    return reweight


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (replaced("net.json", None), "does not hold a net"),
        (replaced("net.json", b"{"), "not JSON"),
        (replaced("net.json", b"[1]"), "does not describe a net"),
        (replaced("net.json", b"{}"), "does not describe a net"),
        (edited(sizes="9"), "does not describe a net"),
        (edited(sizes=[9, -1, 9]), "does not describe a net"),
        (edited(sizes=[9]), "does not describe a net"),
        (edited(game=3), "does not describe a net"),
        (edited(kind="placements", output="policy-value", returns=[10**400] * 3), "does not describe a net"),
        (edited(kind="rnn"), "no net of kind 'rnn'"),
        (edited(output="value"), "output 'value'"),
        (edited(sizes=[9, 16, 9]), "layer 1"),
        (edited(sizes=[9, 16, 8, 8, 9]), "layer 2"),
        (edited(sizes=[9, 16, 8]), "more than"),
        (replaced("net.safetensors", None), "there is no"),
        (replaced("net.safetensors", b"\x80\x04pickle"), "not a file of safetensors"),
        (reweighted(layers_0_bias=np.full(16, np.nan, np.float32)), "finite"),
        (reweighted(layers_0_bias=np.zeros(16)), "32-bit"),
    ],
)
def test_a_damaged_net_is_refused_in_one_line(copy: Path, damage: Callable[[Path], None], why: str) -> None:
    damage(copy)
    reseal(copy)
    with pytest.raises(InputError, match=why) as refused:
        files.load(copy)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (replaced("net.onnx", None), "there is no"),
        (replaced("net.onnx", b"no net"), "is not the net"),
        (edited(sizes=[18, 16, 8, 9]), "is not the net"),
    ],
)
def test_a_damaged_onnx_file_is_refused_in_one_line(copy: Path, damage: Callable[[Path], None], why: str) -> None:
    damage(copy)
    reseal(copy)
    with pytest.raises(InputError, match=why):
        onnx_evaluator(copy)


@pytest.mark.parametrize("name", ["net.json", "net.safetensors", "net.onnx"])
def test_a_flipped_bit_is_never_played_with(copy: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PATIENCE", (1, 0.0))
    whole = (copy / name).read_bytes()
    for bit in range(1, 8 * len(whole) - 8, 8 * len(whole) // 100):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (copy / name).write_bytes(damaged)
        with pytest.raises(InputError, match=name) as refused:
            (onnx_evaluator if name == "net.onnx" else files.load)(copy)
        assert "\n" not in str(refused.value)


def test_a_net_that_is_just_written_anew_is_waited_for(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = copy.parent / "other"
    files.save(other, MLP(CARD.sizes, seed=6), CARD)
    (copy / "net.onnx").write_bytes((other / "net.onnx").read_bytes())
    monkeypatch.setattr(
        files.time, "sleep", lambda _: (copy / "net.json").write_bytes((other / "net.json").read_bytes())
    )
    assert files.read(copy, "net.onnx")[0].digest == files.read_card(other).digest


def test_a_net_that_is_replaced_is_whole_at_every_moment(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever step is the last one: the card, and both files that it tells of, are those before or the new ones."""
    monkeypatch.setattr(files, "PATIENCE", (1, 0.0))
    left = 100

    def counted(do: Callable[..., Any]) -> Callable[..., Any]:
        def step(*what: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return do(*what, **more)

        return step

    for owner, name in ((os, "replace"), (Path, "unlink")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))
    found = []
    for steps in (*range(9), 100):
        folder = tmp_path / str(steps)
        shutil.copytree(kept, folder)
        left = steps
        with suppress(KeyboardInterrupt):
            files.save(folder, MLP(CARD.sizes, seed=6), CARD)
        left = 100
        whole = [files.read(folder, name) for name in ("net.safetensors", "net.onnx")]
        assert whole[0][0].digest == whole[1][0].digest
        found.append(whole[0][0].digest)
        files.save(folder, MLP(CARD.sizes, seed=6), CARD)
        assert {path.name for path in folder.iterdir()} == {"net.json", "net.safetensors", "net.onnx"}
        assert files.read_card(folder).digest == found[-1] or len(set(found)) == 1
    assert set(found[:3]) == {files.read_card(kept).digest} and len(set(found[3:])) == 1 and found[3] != found[0]


def test_what_a_net_that_was_replaced_waited_with_is_sealed(kept: Path, copy: Path) -> None:
    other = copy / "other"
    files.save(other, MLP(CARD.sizes, seed=6), CARD)
    card = files.read_card(other)
    for name, digest in card.files.items():  # as if the process had ended before the files took their places
        (copy / f".{name}.{digest[:16]}").write_bytes((other / name).read_bytes())
    (copy / "net.json").write_bytes((other / "net.json").read_bytes())
    assert files.seal_as_it_is(copy).files == card.files


def test_a_net_is_known_by_a_digest_of_all_its_files(kept: Path, copy: Path) -> None:
    assert files.read_card(kept).digest == files.read_card(copy).digest != ""
    files.save(copy, MLP(CARD.sizes, seed=6), CARD)
    assert files.read_card(kept).digest != files.read_card(copy).digest


def test_a_net_that_answers_what_is_no_number_is_refused_in_one_line(copy: Path) -> None:
    net = MLP(CARD.sizes)
    net.layers[-1].bias.data[2] = np.nan
    (copy / "net.onnx").write_bytes(files.as_onnx(net))
    reseal(copy)
    with pytest.raises(InputError, match="answers with what is no number") as refused:
        onnx_evaluator(copy)
    assert "\n" not in str(refused.value)


def test_a_net_for_another_board_is_refused() -> None:
    must_fit(CARD, games.make("tictactoe"))
    must_fit(CARD, games.make("mnk(3,3,2)"))
    with pytest.raises(InputError, match="trained for another game"):
        must_fit(replace(CARD, game="connect-four(3,3,3)"), games.make("tictactoe"))
    with pytest.raises(InputError, match="needs 16 and 16"):
        must_fit(CARD, games.make("tictactoe(4)"))
    with pytest.raises(InputError, match="two planes"):
        must_fit(CARD, games.make("line-taking"))


@pytest.mark.parametrize(
    ("name", "input"), [("tictactoe", "signed"), ("tictactoe", "planes"), ("line-taking", "planes")]
)
def test_states_are_encoded_as_the_rules_say(name: str, input: str) -> None:
    game = games.make(name, 1)
    rng = np.random.default_rng(4)
    states, planes = [], []
    for _ in range(6):
        state = rules.new(game)
        while not game.over(state):
            states.append(state.copy())
            planes.append(np.zeros(game.planes(), np.float32))
            game.encode(state, planes[-1])
            game.play(state, int(rng.choice(rules.legal(game, state))))
    expected = np.array(planes)
    if input == "signed":
        expected = expected[:, 0] - expected[:, 1]
    encoder = Encoder(game, input)
    together = np.array(states)
    assert (encoder(together) == expected.reshape(len(states), -1)).all()
    assert (encoder.one(states[3]) == encoder(together)[3]).all() and encoder.features == encoder.one(states[0]).size


def test_signed_inputs_are_seen_by_the_player_to_move() -> None:
    game = games.make("tictactoe")
    state = rules.new(game)
    game.play(state, 4)
    assert Encoder(game, "signed").one(state).tolist() == [[0, 0, 0, 0, -1, 0, 0, 0, 0]]
    game.play(state, 0)
    assert Encoder(game, "signed").one(state).tolist() == [[-1, 0, 0, 0, 1, 0, 0, 0, 0]]


def test_softmax_leaves_nothing_to_what_is_impossible() -> None:
    found = softmax(np.array([[0.0, -np.inf, 0.0], [1000.0, 0.0, -np.inf]]))
    np.testing.assert_allclose(found, [[0.5, 0, 0.5], [1, 0, 0]], atol=1e-9)


def test_onnxruntime_tells_nobody_what_is_run_and_keeps_no_number_of_the_machine(kept: Path, tmp_path: Path) -> None:
    code = "import sys\nfrom pathlib import Path\nfrom plyground.nets.sessions import onnx_session\n"
    code += "onnx_session(Path(sys.argv[1]).read_bytes())"
    folders = {name: str(tmp_path) for name in ("TMPDIR", "XDG_CACHE_HOME", "HOME")}
    ran = subprocess.run(
        [sys.executable, "-c", code, str(kept / "net.onnx")], env=os.environ | folders, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert not list(tmp_path.iterdir())


def test_a_net_that_is_a_pipe_or_too_large_is_refused_at_once(copy: Path) -> None:
    for name in ("net.onnx", "net.json"):
        whole = (copy / name).read_bytes()
        (copy / name).unlink()
        os.mkfifo(copy / name)
        with pytest.raises(InputError, match=f"{name} cannot be read: it is no plain file"):
            files.read(copy, "net.onnx")
        (copy / name).unlink()
        (copy / name).write_bytes(whole)
    os.truncate(copy / "net.onnx", 20 << 30)  # a file of holes
    with pytest.raises(InputError, match=r"net\.onnx cannot be read: it has more than 64 MiB"):
        files.read(copy, "net.onnx")
