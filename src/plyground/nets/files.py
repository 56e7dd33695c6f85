"""A net on disk: `net.safetensors` (weights), `net.json` (what it is) and `net.onnx` (to play without PyTorch).

The weights of a net with convolutions need not be kept twice: where `net.safetensors` is missing, they are those of
`net.onnx`, into which batch normalisation was fused, taken apart again by the statistics in `norm.safetensors`.

`net.json` tells the digests of the others and of itself: by the last a net is known, and damage is found.

Nothing is ever unpickled.  What is read is checked here, so that the rest of the house can rely on it.
"""

from __future__ import annotations

import io
import logging
import math
import time
import warnings
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import atomic, sealed
from ..spec import InputError
from . import kinds, onnx_graph
from .card import PLAIN, Card, read_from

if TYPE_CHECKING:
    from .models import CNN, MLP, ResNet

    Net = MLP | ResNet | CNN

WEIGHTS, CARD, ONNX = "net.safetensors", "net.json", "net.onnx"
NORM = "norm.safetensors"  # what batch normalisation knows, beside a net whose weights are only in `net.onnx`
EPSILON = 1e-5  # that PyTorch's batch normalisation adds to a variance
QUICK = "quick.onnx"  # the same net in 8-bit numbers, where there is one
FILES = WEIGHTS, NORM, ONNX, QUICK  # that a card may tell of
PATIENCE = 3, 0.2  # how often, and after how many seconds, a net is read again that may just be written anew


def save(folder: Path, net: Net, card: Card) -> None:
    """Write the files of a net: three, or two of a kind that is played without ONNX."""
    from safetensors.torch import save as packed

    if (net.sizes, net.kind) != (card.sizes, card.kind):
        raise ValueError(f"a {net.kind} of {net.sizes} is not what its card says: a {card.kind} of {card.sizes}")
    weights = packed({name: value.detach().cpu().contiguous() for name, value in net.state_dict().items()})
    contents = {WEIGHTS: weights}
    if card.kind not in kinds.known():
        contents[ONNX] = as_onnx(net)
    write(folder, replace(card, files={}), contents)


def write(folder: Path, card: Card, contents: dict[str, bytes]) -> None:
    """Put a net into a folder, all at once: at any moment a whole one is there, that before or this one.

    The files lie under names of their own until the card tells of them; then they take their places, and those that it
    does not tell of are removed.  Files of the card that have no new content stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    digests = {name: sealed.digest(content) for name, content in contents.items()}
    told = {name: digest for name, digest in card.files.items() if name not in contents} | digests
    for name, content in contents.items():
        atomic.write(_waiting(folder, name, digests[name]), content)
    _tell(folder, card, told)
    _settle(folder, told)
    for name in FILES:
        for path in folder.glob(f".{name}.*"):  # of others that were ended on the way
            path.unlink(missing_ok=True)
        if name not in told:
            (folder / name).unlink(missing_ok=True)


def _tell(folder: Path, card: Card, digests: dict[str, str]) -> None:
    """Write the card of a net whose files have these digests."""
    atomic.write(folder / CARD, sealed.text(asdict(card) | {"files": digests}, indent=1))


def _waiting(folder: Path, name: str, digest: str) -> Path:
    """Where a file lies until it takes its place; there, too, it is found by who reads the net."""
    return folder / f".{name}.{digest[:16]}"


def _settle(folder: Path, digests: dict[str, str]) -> None:
    """Let the files that a card tells of take their places."""
    for name, digest in digests.items():
        with suppress(FileNotFoundError):
            atomic.move(_waiting(folder, name, digest), folder / name)


def as_onnx(net: Net) -> bytes:
    """A net to be played without PyTorch; batches, and the boards of nets whose actions are cells, of any size."""
    import torch

    from .models import MLP, InferenceNet, ResNet

    free: dict[str, Any] = {"inputs": {0: "n"}, "outputs": {0: "n"}}
    if isinstance(net, ResNet) and net.cells:
        free = {"inputs": {0: "n", 2: "height", 3: "width"}, "outputs": {0: "n", 1: "answers"}}
    asked = deepcopy(net).cpu().eval() if isinstance(net, MLP) else InferenceNet(net).cpu()
    names: dict[str, Any] = {"input_names": ["inputs"], "output_names": ["outputs"], "dynamic_axes": free}
    onnx: Any = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        torch.onnx.export(asked, (net.example(),), onnx, dynamo=False, **names)
    return onnx.getvalue()


def read_card(folder: Path) -> Card:
    """What the net in a folder is."""
    path = Path(folder) / CARD
    if (path.parent / "checkpoints").is_dir() and not path.exists():
        raise InputError(f"{folder} does not hold a net yet: `plyground train ... --resume` goes on with its training")
    return read_from(sealed.read(path, "a net"), path)


def seal_as_it_is(folder: Path) -> Card:
    """Give a net new digests, whatever is in its files: one by other means, or of an older version without any."""
    path = folder / CARD
    card = replace(read_from(sealed.read_json(path, "a net"), path), strength="")  # that was another net's, perhaps
    with suppress(InputError):
        _settle(folder, read_card(folder).files)
    present = [name for name in FILES if (folder / name).exists()]
    _tell(folder, card, {name: sealed.digest(_content(folder / name) or b"") for name in present})
    return read_card(folder)


def read(folder: Path, name: str) -> tuple[Card, bytes]:
    """The card of a net, and one of its files; InputError unless that is the one the card tells of."""
    path, (times, seconds) = Path(folder) / name, PATIENCE
    for tries_left in reversed(range(times)):
        card = read_card(folder)
        if name not in card.files:
            break
        digest = card.files[name]
        for place in (path, _waiting(Path(folder), name, digest)):
            content = _content(place)
            if content is not None and sealed.digest(content) == digest:
                return card, content
        if tries_left:
            time.sleep(seconds)  # it may be written anew at this moment
    if not path.exists():
        raise InputError(f"there is no {path}")
    raise InputError(f"{path} is damaged, or not of this net: its digest is not the one in {CARD}")


def _content(path: Path) -> bytes | None:
    """What is in a file; None if there is none."""
    try:
        return atomic.read(path, onnx_graph.LARGEST if path.suffix == ".onnx" else atomic.LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def read_weights(folder: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """The weights float32[outputs, inputs] and biases float32[outputs] of each layer, without PyTorch."""
    path = Path(folder) / WEIGHTS
    card, content = read(folder, WEIGHTS)
    if card.kind not in PLAIN:
        raise InputError(f"{path} is not a net of plain layers, but a {card.kind}")
    arrays = unpacked(content, path)
    layers = []
    for number, (a, b) in enumerate(pairwise(card.sizes)):
        weight, bias = (arrays.pop(f"layers.{number}.{name}", None) for name in ("weight", "bias"))
        if weight is None or bias is None or weight.shape != (b, a) or bias.shape != (b,):
            raise InputError(
                f"{path}: layer {number} is not the one of {a} inputs and {b} outputs that {CARD} tells of"
            )
        if weight.dtype != np.float32 or bias.dtype != np.float32 or not (_finite(weight) and _finite(bias)):
            raise InputError(f"{path}: layer {number} is not of finite 32-bit numbers")
        layers.append((weight, bias))
    if arrays:
        raise InputError(f"{path} holds more than {CARD} tells of: {min(arrays)}")
    return layers


def unpacked(content: bytes, path: Path) -> dict[str, np.ndarray]:
    """The arrays in what was read from a file of safetensors."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return load(content)
    except (SafetensorError, ValueError, KeyError, TypeError):
        raise InputError(f"{path} is not a file of safetensors, or not a whole one") from None


def load(folder: Path) -> Net:
    """The net of a folder as a PyTorch module."""
    import torch

    from .models import CNN, MLP, ActionMLP, ResNet

    card = read_card(folder)
    if card.kind in PLAIN:
        layers = read_weights(folder)
        net = MLP(card.sizes) if card.kind == "mlp" else ActionMLP(card.sizes)
        for layer, (weight, bias) in zip(net.layers, layers, strict=True):
            layer.weight.data, layer.bias.data = torch.from_numpy(weight.copy()), torch.from_numpy(bias.copy())
        return net
    if card.kind in kinds.known():
        arrays = read_arrays(Path(folder), card)
        made = kinds.of(card.kind).model(card.sizes, 0)
        made.load_state_dict({name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items()})
        return made
    arrays, source = read_convolutions(Path(folder), card)
    if not all(_finite(array) for array in arrays.values()):
        raise InputError(f"{source} is not of finite numbers")
    weights = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
    try:
        if card.kind == "resnet" and card.sizes[4] > len(arrays):
            raise RuntimeError("there are not as many blocks")
        with torch.device("meta"):  # shapes alone: a card may tell of more than there is memory for
            made = ResNet(card.sizes, card.cells) if card.kind == "resnet" else CNN(card.sizes)
        for name, shaped in made.state_dict().items():
            weights[name] = weights[name].to(shaped.dtype)  # kept in half precision, perhaps
        made.load_state_dict(weights, assign=True)
    except (KeyError, RuntimeError):
        raise InputError(f"{source} is not the net that {CARD} tells of") from None
    return made


def read_arrays(folder: Path, card: Card) -> dict[str, np.ndarray]:
    """The arrays of a net of a family's own kind."""
    path = folder / WEIGHTS
    arrays, shapes = unpacked(read(folder, WEIGHTS)[1], path), kinds.of(card.kind).shapes(card.sizes)
    if {name: array.shape for name, array in arrays.items()} != shapes:
        raise InputError(f"{path} is not the net that {CARD} tells of")
    if not all(array.dtype.kind == "f" and _finite(array) for array in arrays.values()):
        raise InputError(f"{path} is not of finite numbers")
    return arrays


def read_convolutions(folder: Path, card: Card) -> tuple[dict[str, np.ndarray], Path]:
    """The arrays of a net with convolutions, and the file that they come from."""
    if NORM not in card.files:
        return unpacked(read(folder, WEIGHTS)[1], folder / WEIGHTS), folder / WEIGHTS
    fused, norm = read_onnx(folder), unpacked(read(folder, NORM)[1], folder / NORM)
    try:
        with np.errstate(all="ignore"):
            return taken_apart(fused, norm), folder / ONNX
    except (KeyError, ValueError):
        raise InputError(f"{folder / NORM} is not of the net in {ONNX}") from None


def taken_apart(fused: dict[str, np.ndarray], norm: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of a net from those of its `InferenceNet` and what its normalisation knows.

    Fused weights are w g / sqrt(variance + epsilon), with g the weights of the normalisation, channel by channel.
    """
    found = fused | norm
    for layer in [name.removesuffix("weights.weight") for name in fused if name.endswith("weights.weight")]:
        scale = norm[f"{layer}norm.weight"] / np.sqrt(norm[f"{layer}norm.running_var"].astype(np.float64) + EPSILON)
        weight = np.where(scale, fused[f"{layer}weights.weight"].T / np.where(scale, scale, 1), 0).T
        found[f"{layer}weights.weight"] = weight.astype(np.float32)
        found.pop(f"{layer}weights.bias", None)
    return found


def read_onnx(folder: Path) -> dict[str, np.ndarray]:
    """The 32-bit arrays in the file of ONNX that `as_onnx` has made of an `InferenceNet`."""
    path = folder / ONNX
    try:
        import onnx
    except ModuleNotFoundError:
        raise InputError(f"reading the weights in {path} needs onnx: pip install 'plyground[train]'") from None
    _, content = read(folder, ONNX)
    try:
        graph = onnx.load_model_from_string(content).graph
        return {
            one.name.removeprefix("net."): np.frombuffer(one.raw_data, "<f4").reshape(one.dims)
            for one in graph.initializer
            if one.data_type == onnx.TensorProto.FLOAT
        }
    except Exception:  # whatever onnx says of a file that is broken
        raise InputError(f"{path} is not a file of ONNX, or not a whole one") from None


def _finite(array: np.ndarray) -> bool:
    return math.isfinite(float(np.abs(array).max(initial=0)))
