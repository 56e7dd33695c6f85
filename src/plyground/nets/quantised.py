"""A net in 8-bit numbers beside the exact one: half as large or less, and about twice as fast on a CPU.

Only the convolutions within the net are changed, those from channels to as many channels: the first and the last are
cheap, and there small numbers matter.  Their ranges are taken from positions of games that the net plays against
itself.  Its answers differ a little; `quicken` says how much.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import atomic, games
from ..rules import legal, new
from ..spec import InputError
from .evaluate import Encoder, onnx_evaluator, softmax, together
from .files import ONNX, QUICK, read, read_card, write
from .sessions import keep_onnxruntime_quiet

GAMES, PLIES, BATCH = 64, 40, 16  # of the games whose positions tell the ranges
HELD = 400  # positions on which both nets are compared


def quicken(folder: Path, seed: int = 0) -> dict[str, float]:
    """Write the quick net into the folder of a net; how often both prefer the same action, how far values differ."""
    card = read_card(folder)
    if card.kind != "resnet":
        raise InputError(f"only nets of the kind resnet become quicker by this; {folder} has one of kind {card.kind}")
    game = games.make(card.game)
    exact = onnx_evaluator(folder)
    planes = Encoder(game, card.input)(together(some_states(game, exact, card.input, seed)))
    held, shown = planes[:HELD], planes[HELD : 2 * HELD]
    with tempfile.TemporaryDirectory() as place:
        whole, made = Path(place) / ONNX, Path(place) / QUICK
        atomic.write(whole, read(folder, ONNX)[1], durable=False)
        try:
            _quantise(whole, made, shown)
        except InputError:
            raise
        except Exception as error:  # a file that was not written whole it may only find unreadable
            why = " ".join(str(error).split())
            raise InputError(f"the library could not make {made}: {type(error).__name__}: {why}") from None
        write(Path(folder), card, {QUICK: made.read_bytes()})
    quick = onnx_evaluator(folder, quick=True)
    one, other, actions = exact(held), quick(held), game.actions()
    same = (one[:, :actions].argmax(1) == other[:, :actions].argmax(1)).mean()
    return {"same": float(same), "apart": float(np.sqrt(((one - other)[:, actions] ** 2).mean()))}


def some_states(game: Any, evaluate: Any, input: str, seed: int) -> list[Any]:
    """Positions of games in which the net draws its moves, in a random order."""
    rng, encode = np.random.default_rng(seed), Encoder(game, input)
    tables, found = [new(game) for _ in range(GAMES)], []
    for _ in range(PLIES):
        tables = [new(game) if game.over(state) else state for state in tables]
        found += [state.copy() for state in tables]
        said = evaluate(encode(together(tables)))
        for state, logits in zip(tables, said, strict=True):
            actions = legal(game, state)
            game.play(state, int(rng.choice(actions, p=softmax(logits[actions].astype(float)))))
    return [found[i] for i in rng.permutation(len(found))]


def _quantise(exact: Path, quick: Path, planes: np.ndarray) -> None:
    try:
        import onnx

        keep_onnxruntime_quiet()
        from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ModuleNotFoundError:
        raise InputError("making a quick net needs onnx: pip install 'plyground[train]'") from None

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self.batches = iter(np.split(planes, len(planes) // BATCH))

        def get_next(self) -> dict[str, np.ndarray] | None:
            batch = next(self.batches, None)
            return None if batch is None else {"inputs": batch}

    ready = quick.with_suffix(".ready")
    quant_pre_process(str(exact), str(ready), skip_symbolic_shape=True)
    graph = onnx.load(str(ready)).graph
    shapes = {weights.name: list(weights.dims) for weights in graph.initializer}
    within = [n.name for n in graph.node if n.op_type == "Conv" and shapes[n.input[1]][0] == shapes[n.input[1]][1]]
    kinds = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(str(ready), str(quick), Reader(), per_channel=True, nodes_to_quantize=within, **kinds)
