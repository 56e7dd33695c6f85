"""Nets with policy and value: PyTorch, folded and ONNX say the same, on any board; what is broken is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from naive_puct import seen
from plyground import games, rules
from plyground.learn.selfplay.weights import begun_with
from plyground.nets import files, kinds, trained
from plyground.nets.card import KINDS, Card, cells_are_actions, must_fit
from plyground.nets.evaluate import Greedy, onnx_evaluator, symmetric
from plyground.nets.inference import Inference
from plyground.nets.models import InferenceNet, ResNet, grow, pooled
from plyground.spec import InputError
from reseal import reseal

pytestmark = pytest.mark.usefixtures("nets_in_this_process")
CELLS = [2, 6, 6, 36, 2, 8]
COLUMNS = [2, 6, 7, 7, 2, 8]
ONE = np.ones(5, np.float32)


def net(sizes: list[int], cells: bool, seed: int = 3) -> ResNet:
    """A net with opinions, whose running means are not those of a new one."""
    torch.set_num_threads(1)
    made = ResNet(sizes, cells, seed)
    rng = torch.Generator().manual_seed(seed)
    for name, value in made.state_dict().items():
        if name.endswith("running_var"):
            value.uniform_(0.5, 2, generator=rng)
        elif value.dtype == torch.float32:
            value.add_(0.2 * torch.randn(value.shape, generator=rng))
    return made.eval()


def card(sizes: list[int], cells: bool, game: str = "mnk(6,6,4)") -> Card:
    return Card(sizes, "board", "policy-value", game, kind="resnet", cells=cells)


def boards(n: int, height: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 2, size=(n, 2, height, width)).astype(np.float32)


def by_hand(made: ResNet, planes: np.ndarray) -> np.ndarray:
    """What a net in eval mode says, as one array: logits, win - loss."""
    with torch.no_grad():
        logits, outcome = (out.numpy() for out in made(torch.from_numpy(planes)))
    powers = np.exp(outcome - outcome.max(axis=1, keepdims=True))
    chances = powers / powers.sum(axis=1, keepdims=True)
    return np.concatenate([logits, chances[:, :1] - chances[:, 2:]], axis=1)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for name, sizes, cells in (("cells", CELLS, True), ("columns", COLUMNS, False)):
        found[name] = tmp_path_factory.mktemp(name)
        files.save(found[name], net(sizes, cells), card(sizes, cells, "connect-four" if name == "columns" else "x"))
    return found


# --- what they say ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(6, 6), (19, 19), (3, 3), (5, 8)])
def test_one_set_of_weights_serves_boards_of_any_size(kept: dict[str, Path], size: tuple[int, int]) -> None:
    planes = boards(3, *size)
    wanted = by_hand(net(CELLS, True), planes)
    assert wanted.shape == (3, size[0] * size[1] + 1)
    np.testing.assert_allclose(onnx_evaluator(kept["cells"])(planes), wanted, atol=2e-5)
    np.testing.assert_allclose(Inference(net(CELLS, True), half=False)(planes), wanted, atol=2e-5)
    assert wanted[:, :-1].std() > 0.01 and np.abs(wanted[0] - wanted[1]).max() > 1e-3


def test_the_size_of_the_board_is_seen() -> None:
    """Of a board that is all alike, means and maxima are the same; what is scaled by the size is not."""
    one, other = (pooled(torch.full((1, 1, side, side), 2.0))[0].tolist() for side in (6, 18))
    assert one == pytest.approx([2, 2 * (6 - 9) / 9, 2]) and other == pytest.approx([2, 2 * (18 - 9) / 9, 2])


@pytest.mark.parametrize(("sizes", "cells"), [(CELLS, True), (COLUMNS, False), ([1, 12, 12, 100, 0, 4], False)])
def test_folding_the_normalisation_changes_nothing(sizes: list[int], cells: bool) -> None:
    made = net(sizes, cells)
    planes = np.random.default_rng(2).normal(size=(4, *sizes[:3])).astype(np.float32)
    before = {name: value.clone() for name, value in made.state_dict().items()}
    with torch.no_grad():
        said = InferenceNet(made)(torch.from_numpy(planes)).numpy()
    np.testing.assert_allclose(said, by_hand(made, planes), atol=3e-5)
    assert all((made.state_dict()[name] == value).all() for name, value in before.items())
    made.train()
    with torch.no_grad():
        again = InferenceNet(made)(torch.from_numpy(planes)).numpy()  # even while it is being trained
    assert (again == said).all() and made.training


def test_onnx_says_what_pytorch_says_for_batches_of_any_size(kept: dict[str, Path]) -> None:
    evaluate = onnx_evaluator(kept["columns"])
    for n in (1, 2, 17):
        planes = boards(n, 6, 7)
        np.testing.assert_allclose(evaluate(planes), by_hand(net(COLUMNS, False), planes), atol=2e-5)


def test_a_new_net_has_no_opinion_and_its_weights_follow_from_the_seed() -> None:
    made = ResNet(CELLS, True, seed=1).eval()
    said = by_hand(made, boards(2, 6, 6))
    np.testing.assert_allclose(said, np.zeros((2, 37)), atol=1e-6)
    same, other = ResNet(CELLS, True, seed=1), ResNet(CELLS, True, seed=2)
    assert (made.stem.weights.weight == same.stem.weights.weight).all()
    assert (made.stem.weights.weight != other.stem.weights.weight).any()


def test_judging_takes_newer_weights() -> None:
    first, second = net(COLUMNS, False, 1), net(COLUMNS, False, 2)
    judging, planes = Inference(first, half=False), boards(5, 6, 7)
    before = judging(planes).copy()
    judging.take(second)
    np.testing.assert_allclose(judging(planes), by_hand(second, planes), atol=2e-5)
    assert np.abs(judging(planes) - before).max() > 0.01


def test_a_net_comes_back_from_disk_as_it_was(kept: dict[str, Path]) -> None:
    for name, sizes, cells in (("cells", CELLS, True), ("columns", COLUMNS, False)):
        again: Any = files.load(kept[name])
        assert again.cells == cells
        for key, value in net(sizes, cells).state_dict().items():
            assert (again.state_dict()[key] == value).all()


def test_a_net_kept_in_half_precision_is_read_in_full(kept: dict[str, Path], tmp_path: Path) -> None:
    def halve(arrays: dict[str, np.ndarray]) -> None:
        arrays |= {name: array.astype(np.float16) for name, array in arrays.items() if array.dtype == np.float32}

    reweighted(halve)(copied(kept["columns"], tmp_path))
    reseal(tmp_path)
    found = files.load(tmp_path).state_dict()
    for name, weights in files.load(kept["columns"]).state_dict().items():
        assert found[name].dtype == weights.dtype
        assert torch.allclose(found[name].float(), weights.float(), rtol=1e-3, atol=1e-4), name


def test_a_net_without_blocks_comes_back_too(tmp_path: Path) -> None:
    sizes = [2, 3, 3, 9, 0, 4]
    files.save(tmp_path, net(sizes, True), card(sizes, True))
    assert files.load(tmp_path).sizes == sizes and onnx_evaluator(tmp_path)(boards(1, 3, 3)).shape == (1, 10)


# --- symmetry -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "which"), [("mnk(6,6,4)", "cells"), ("mnk(5,4,3)", "cells"), ("connect-four", "columns")]
)
def test_mirrored_positions_get_mirrored_answers(kept: dict[str, Path], name: str, which: str) -> None:
    game = games.make(name)
    plain = onnx_evaluator(kept[which])
    evaluate = symmetric(game, plain)
    lines = [[], [1], [1, 3, 2, 2, 0]]
    for line in lines:
        answers, unlike = [], []
        for moves, _ in game.symmetries():
            state = rules.new(game)
            for action in line:
                game.play(state, int(moves[action]))
            (said,) = evaluate(seen(game, state)[None])
            answers.append(np.append(said[:-1][np.array(moves)], said[-1]))
            unlike.append(plain(seen(game, state)[None])[0, -1])
        for answer in answers[1:]:
            np.testing.assert_allclose(answer, answers[0], atol=2e-5)
        if line:
            assert np.std(unlike) > 1e-5  # the net alone does not know
            assert answers[0][-1] == pytest.approx(np.mean(unlike), abs=2e-5)


def test_a_game_without_symmetries_is_judged_as_it_is() -> None:
    game = games.make("line-taking", 1)
    assert not rules.gives(game, "symmetries") or len(game.symmetries()) > 1

    def evaluate(planes: np.ndarray) -> np.ndarray:
        return planes

    if not rules.gives(game, "symmetries"):
        assert symmetric(game, evaluate) is evaluate


def test_the_value_is_no_action() -> None:
    game = games.make("tictactoe")
    answers = np.array([[0, 0, 3, 0, 0, 0, 0, 0, 0, 9]], np.float32)
    greedy = Greedy(game, "board", lambda planes: np.repeat(answers, len(planes), axis=0))
    state = np.array([rules.new(game)]).view(rules.dtype(game))
    assert greedy(state).tolist() == [2] and greedy.outputs(state).shape == (1, 9)


# --- a net whose weights are kept once ----------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped(kept: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net as those that come with the program; one channel was normalised to nothing."""
    whole, shelf = (tmp_path_factory.mktemp(name) for name in ("whole", "shelf"))
    made = net(CELLS, True)
    made.stem.norm.weight.data[3] = 0
    files.save(whole, made, card(CELLS, True))
    trained.ship(whole, shelf)
    return shelf


def test_weights_that_are_only_in_the_onnx_are_those_from_before_normalisation_was_fused(shipped: Path) -> None:
    assert {path.name for path in shipped.iterdir()} == {"net.json", "net.onnx", "norm.safetensors"}
    made, again = net(CELLS, True), files.load(shipped)
    assert made.stem.norm.eps == files.EPSILON
    made.stem.norm.weight.data[3] = 0
    for name, value in made.state_dict().items():
        if name == "stem.weights.weight":
            value[3] = 0  # nothing is known of it, and nothing depends on it
        np.testing.assert_allclose(again.state_dict()[name].numpy(), value.numpy(), rtol=1e-6, atol=1e-7)
    planes = boards(5, 6, 6)
    np.testing.assert_allclose(by_hand(again.eval(), planes), onnx_evaluator(shipped)(planes), atol=1e-5)
    np.testing.assert_allclose(by_hand(again.train(), planes), by_hand(made.train(), planes), atol=1e-4)


def test_training_begins_with_a_net_whose_weights_are_kept_once(shipped: Path) -> None:
    larger = begun_with(str(shipped), [*CELLS[:4], 3, 12], True, 1).eval()
    planes = boards(5, 6, 6)
    np.testing.assert_allclose(by_hand(larger, planes), onnx_evaluator(shipped)(planes), atol=1e-4)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda folder: (folder / "net.onnx").unlink(), r"there is no .*net\.onnx"),
        (lambda folder: (folder / "net.onnx").write_bytes(b"no net"), r"net\.onnx is not a file of ONNX"),
        (lambda folder: (folder / "norm.safetensors").write_bytes(b"no net"), "not a file of safetensors"),
        (lambda folder: (folder / "norm.safetensors").unlink(), r"there is no .*net\.safetensors"),
        (lambda folder: edited(sizes=[*CELLS[:4], 3, 8])(folder), "is not the net"),
        (lambda folder: edited(sizes=[*CELLS[:5], 16])(folder), "is not the net"),
        (lambda folder: reweighted(lambda norm: norm.pop("stem.norm.bias"), "norm")(folder), "is not the net"),
        (
            lambda folder: reweighted(lambda norm: norm.pop("stem.norm.running_var"), "norm")(folder),
            "is not of the net",
        ),
        (
            lambda folder: reweighted(lambda norm: norm.update({"value.norm.weight": ONE}), "norm")(folder),
            "is not of the net",
        ),
        (lambda folder: reweighted(lambda norm: norm["value.norm.bias"].fill(np.inf), "norm")(folder), "finite"),
        (lambda folder: reweighted(lambda norm: norm["value.norm.running_var"].fill(-1), "norm")(folder), "finite"),
    ],
)
def test_a_damaged_net_whose_weights_are_kept_once_is_refused_in_one_line(
    shipped: Path, tmp_path: Path, damage: Callable[[Path], Any], why: str
) -> None:
    damage(copied(shipped, tmp_path))
    reseal(tmp_path)
    with pytest.raises(InputError, match=why) as refused:
        files.load(tmp_path)
    assert "\n" not in str(refused.value)


# --- refusals -----------------------------------------------------------------------------------------


def edited(**values: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        told = json.loads((folder / "net.json").read_text())
        (folder / "net.json").write_text(json.dumps(told | values))

    return edit


def reweighted(change: Callable[[dict[str, np.ndarray]], Any], file: str = "net") -> Callable[[Path], None]:
    def reweight(folder: Path) -> None:
        from safetensors.numpy import load, save

        path = folder / f"{file}.safetensors"
        arrays = load(path.read_bytes())
        change(arrays)
        path.write_bytes(save(arrays))

    return reweight


def copied(folder: Path, to: Path) -> Path:
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (edited(sizes=COLUMNS[:5]), "does not describe a net"),
        (edited(sizes=[*COLUMNS[:5], 0]), "does not describe a net"),
        (edited(sizes=[*COLUMNS[:4], -1, 8]), "does not describe a net"),
        (edited(cells="yes"), "does not describe a net"),
        (edited(input="signed"), "input 'signed'"),
        (edited(output="policy"), "output 'policy'"),
        (edited(kind="mlp"), "no net of kind 'mlp'"),
        (edited(sizes=[*COLUMNS[:4], 3, 8]), "is not the net"),
        (edited(sizes=[*COLUMNS[:5], 16]), "is not the net"),
        (edited(sizes=[*COLUMNS[:5], 1 << 20]), "is not the net"),  # more weights than there is memory for
        (edited(sizes=[*COLUMNS[:4], 1 << 20, 8]), "is not the net"),
        (edited(sizes=[1 << 20] * 4 + [2, 8]), "is not the net"),
        (edited(cells=True), "is not the net"),
        (reweighted(lambda arrays: arrays.pop("stem.weights.weight")), "is not the net"),
        (reweighted(lambda arrays: arrays["outcome.bias"].fill(np.inf)), "finite"),
        (lambda folder: (folder / "net.safetensors").write_bytes(b"\x80\x04pickle"), "not a file of safetensors"),
        (lambda folder: (folder / "net.safetensors").unlink(), "there is no"),
    ],
)
def test_a_damaged_net_is_refused_in_one_line(
    kept: dict[str, Path], tmp_path: Path, damage: Callable[[Path], Any], why: str
) -> None:
    damage(copied(kept["columns"], tmp_path))
    reseal(tmp_path)
    with pytest.raises(InputError, match=why) as refused:
        files.load(tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("sizes", [[3, 6, 7, 7, 2, 8], [2, 6, 7, 8, 2, 8], [2, 5, 7, 7, 2, 8]])
def test_a_net_for_playing_must_be_what_its_card_says(kept: dict[str, Path], tmp_path: Path, sizes: list[int]) -> None:
    edited(sizes=sizes)(copied(kept["columns"], tmp_path))
    reseal(tmp_path)
    with pytest.raises(InputError, match="is not the net"):
        onnx_evaluator(tmp_path)


def test_nets_fit_their_games_alone() -> None:
    columns, cells = card(COLUMNS, False, "connect-four"), card(CELLS, True)
    must_fit(columns, games.make("connect-four"))
    for name in ("mnk(6,6,4)", "tictactoe", "gomoku(15)", "mnk(5,7,3)"):
        must_fit(cells, games.make(name))
    for one, name in ((columns, "connect-four(5,6,4)"), (columns, "mnk(7,6,4)"), (cells, "connect-four")):
        with pytest.raises(InputError, match="this game has 2 planes of"):
            must_fit(one, games.make(name))
    for name, why in (("line-taking", "planes"), ('against-random("tictactoe")', "for another game")):
        with pytest.raises(InputError, match=why):
            must_fit(cells, games.make(name, 1))


def test_cells_are_actions_only_where_they_are() -> None:
    assert cells_are_actions(games.make("tictactoe")) and cells_are_actions(games.make("mnk(5,7,3)"))
    assert cells_are_actions(games.make("hex(3)"))  # though the board that is drawn has other cells
    assert not cells_are_actions(games.make("connect-four"))


def test_a_card_must_tell_the_truth_when_a_net_is_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not what its card says"):
        files.save(tmp_path, net(CELLS, True), card(COLUMNS, False))


def test_weights_without_pytorch_are_for_plain_layers_only(kept: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="but a resnet"):
        files.read_weights(kept["cells"])


def test_a_net_is_found_by_its_folder_or_file(kept: dict[str, Path]) -> None:
    assert trained.find(str(kept["cells"])) == trained.find(str(kept["cells"] / "net.onnx")) == kept["cells"]
    for name in trained.names():
        assert files.read_card(trained.find(name)).kind in (*KINDS, *kinds.known())
    with pytest.raises(InputError, match="there is no net 'nowhere'"):
        trained.find("nowhere")


@pytest.mark.parametrize(("blocks", "channels"), [(2, 8), (3, 8), (2, 12), (5, 20)])
def test_a_net_grown_from_a_smaller_one_answers_the_same_and_can_learn_more(blocks: int, channels: int) -> None:
    small = ResNet([2, 5, 5, 25, 2, 8], True, seed=1)
    torch.manual_seed(0)
    for weights in small.state_dict().values():
        if weights.is_floating_point():
            weights.uniform_(0.1, 0.5)
    net = ResNet([2, 5, 5, 25, blocks, channels], True, seed=2)
    grow(net, small)
    planes = torch.rand(6, 2, 5, 5)
    for grown, known in zip(net.eval()(planes), small.eval()(planes), strict=True):
        assert torch.allclose(grown, known, rtol=1e-5)
    sum(answer.square().sum() for answer in net.train()(planes)).backward()  # type: ignore[union-attr]
    silent = [name for name, weights in net.named_parameters() if not weights.grad.abs().sum()]  # type: ignore[union-attr]
    assert all(".first" in name or "second.weights" in name or "whole" in name for name in silent), silent


SHIPPED = [name for name in trained.names() if files.read_card(trained.find(name)).kind == "resnet"]


@pytest.mark.parametrize("name", SHIPPED)
def test_training_goes_on_from_every_net_that_came_with_the_program(name: str) -> None:
    """As it is, also where its game has begun to say that cells are actions after the net was trained."""
    told = files.read_card(trained.find(name))
    game = games.make(told.game)
    larger = [*told.sizes[:4], told.sizes[4] + 1, *told.sizes[5:]]
    grown = begun_with(name, larger, cells_are_actions(game), 0).eval()
    planes = torch.rand(3, *told.sizes[:3])
    for answer, known in zip(grown(planes), files.load(trained.find(name)).eval()(planes), strict=True):
        assert torch.allclose(answer, known, atol=1e-3)


def test_a_larger_net_cannot_begin_a_smaller_one() -> None:
    with pytest.raises(InputError, match="6 blocks of 64"):
        begun_with("gomoku-9", [2, 9, 9, 81, 6, 32], True, 0)
