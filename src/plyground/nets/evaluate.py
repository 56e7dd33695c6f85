"""The only door between searches or agents and the libraries that run nets.

An *evaluator* turns inputs float32[n, ...] into outputs float32[n, outputs]; an `Encoder` makes the inputs of many
states at once.  Neither knows the other, so a test can put anything in the place of a net.  A net with a policy and a
value answers float32[n, actions + 1]: the logits, then the value for the player to move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..jit.first_use import first_use
from ..rules import dtype, gives, kernel
from ..spec import InputError
from . import kinds
from .card import PLAIN, features
from .files import ONNX, QUICK, load, read, read_arrays, read_card
from .onnx_graph import must_be_plain
from .sessions import GuardedSession, Session
from .trained import shipped

if TYPE_CHECKING:
    from torch.nn import Module

Evaluator = Callable[[np.ndarray], np.ndarray]


def onnx_evaluator(folder: Path, threads: int = 1, quick: bool = False) -> Any:
    """The net of a folder, run by onnxruntime; `quick`: in 8-bit numbers, where it is there so.

    One that did not come with the program runs in a process of its own; a net of a family's own kind is run by that
    family's code.
    """
    card = read_card(folder)
    if card.kind in kinds.known():
        return kinds.of(card.kind).evaluator(card.sizes, read_arrays(Path(folder), card))
    name = QUICK if quick and QUICK in card.files else ONNX
    (card, content), path = read(folder, name), Path(folder) / name
    try:
        must_be_plain(content)
    except ValueError as error:
        raise InputError(f"{path} is not the net that its card tells of: {error}") from None
    try:
        ours = Path(folder).resolve() in {one.resolve() for one in shipped().values()}
        session = Session(content, threads) if ours else GuardedSession(content, threads, str(path))
        first, last = session.takes, session.gives
        if card.kind in PLAIN:
            fits = [first[-1], last[-1]] == [card.sizes[0], card.sizes[-1]]
        else:
            fits = len(first) == 4 and first[1] == card.sizes[0]
            fits = fits and (card.cells or [*first[2:], last[-1]] == [*card.sizes[1:3], card.sizes[3] + 1])
        if not fits:
            raise ValueError
        seen = card.sizes[:1] if card.kind in PLAIN else card.sizes[:3]
        if not np.isfinite(session(np.zeros((1, *seen), np.float32))).all():
            raise InputError(f"{path} answers with what is no number: train it again, or take another net")
    except InputError:
        raise
    except Exception:  # whatever onnxruntime says of a file that is broken
        raise InputError(f"{path} is not the net that its card tells of") from None
    return session


def gpu_evaluator(folder: Path, device: str = "cuda") -> Any:
    """The net of a folder, run by PyTorch on a GPU, in half precision; for nets with convolutions."""
    card = read_card(folder)
    if card.kind not in ("resnet", "cnn"):
        raise InputError(f"device cuda: for nets with convolutions, and {folder} holds one of kind {card.kind}")
    try:
        import torch

        from .inference import Inference
    except ModuleNotFoundError:
        raise InputError("nets on a GPU are run by PyTorch: pip install 'plyground[cuda]'") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("device cuda: PyTorch finds no GPU here; install one that is made for CUDA")
    net: Any = load(folder)
    return Inference(net, device)


def torch_evaluator(net: Module) -> Evaluator:
    """A net that PyTorch runs, as it is now and as it will be when it has been trained further."""
    import torch

    def evaluate(inputs: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return net(torch.from_numpy(inputs)).numpy()

    return evaluate


def symmetric(game: Any, evaluate: Evaluator) -> Evaluator:
    """The mean of what a net with policy and value says of a position and of all its mirror images."""
    symmetries = game.symmetries() if gives(game, "symmetries") else []
    if len(symmetries) < 2:
        return evaluate
    moves, cells = (np.array(table) for table in zip(*symmetries, strict=True))
    back = np.argsort(cells, axis=1)  # the image of a board: cell i goes to cells[i]

    def mean(planes: np.ndarray) -> np.ndarray:
        n, depth, height, width = planes.shape
        flat = planes.reshape(n, depth, height * width)
        images = np.concatenate([flat[:, :, source] for source in back])
        answers = evaluate(images.reshape(len(back) * n, depth, height, width)).reshape(len(back), n, -1)
        logits = sum(answers[i][:, moves[i]] for i in range(len(moves))) / len(moves)
        return np.concatenate([logits, answers[:, :, moves.shape[1] :].mean(axis=0)], axis=1).astype(np.float32)

    return mean


def uniform_evaluator(outputs: int) -> Evaluator:
    """A net without any opinion."""
    return lambda inputs: np.zeros((len(inputs), outputs), np.float32)


@kernel
def encode_all(game, states, planes):
    """Encode states[i] into planes[i], which are zero; a game is encoded by the player to move."""
    for i in range(states.size):
        game.encode(states[i], planes[i])


class Encoder:
    """Makes a net's inputs of many states of one game."""

    def __init__(self, game: Any, input: str) -> None:
        self.game, self.input = game, input
        self._made = features(game, input)
        self.features = math.prod(self._made)
        self.shape = game.planes()
        with first_use():  # no state
            encode_all(game, np.zeros(0, dtype(game)), np.zeros((0, *self.shape), np.float32))

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """float32[n, ...] of an array of n states."""
        planes = np.zeros((len(states), *self.shape), np.float32)
        encode_all(self.game, states, planes)
        if self.input == "signed":
            planes = planes[:, 0] - planes[:, 1]
        return planes.reshape(len(states), *self._made)

    def one(self, state: Any) -> np.ndarray:
        """float32[1, ...] of a single state."""
        return self(together([state]))


def together(states: Sequence[Any]) -> np.ndarray:
    """An array of single states."""
    made = np.zeros(len(states), states[0].dtype)
    for i, state in enumerate(states):
        made[i] = state
    return made


@kernel
def legal_all(game, states, moves, legal):
    """legal bool[n, actions], False before: what may be played in states[i].

    states [n]; moves int[actions]: to work in.
    """
    for i in range(states.size):
        for j in range(game.legal(states[i], moves)):
            legal[i, moves[j]] = True


class Greedy:
    """Chooses, in many states at once, the legal action that a net says most for."""

    def __init__(self, game: Any, input: str, evaluate: Evaluator) -> None:
        self.game, self.encode, self.evaluate = game, Encoder(game, input), evaluate
        self._moves = np.zeros(game.actions(), np.int16)

    def outputs(self, states: np.ndarray) -> np.ndarray:
        """What the net says of every action, float32[n, actions]; -inf where it is not legal."""
        legal = np.zeros((len(states), self.game.actions()), np.bool_)
        legal_all(self.game, states, self._moves, legal)
        said = self.evaluate(self.encode(states))
        return np.where(legal, said[:, : self.game.actions()], np.float32(-np.inf))  # a value may stand last

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """The actions int64[n]; of several that are equal, the first."""
        return self.outputs(states).argmax(axis=1)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of logits[..., actions]; those of -inf are 0."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
