"""The weights of a net: those that it begins with, and the average of what they were lately."""

from __future__ import annotations

from typing import Any

from ...nets import files, kinds, trained
from ...nets.later import models, torch
from ...spec import InputError

OF_ONE_BOARD = {"mlp": "MLP", "cnn": "CNN"}  # kinds of nets whose sizes tell all, and their names in `models`


def mix(net: models.ResNet, other: models.ResNet, share: float) -> None:
    """Move the weights of a net, and its running statistics, this share of the way to those of another."""
    pairs = list(zip(net.state_dict().values(), other.state_dict().values(), strict=True))
    moved, whole = ([pair for pair in pairs if pair[0].is_floating_point() == real] for real in (True, False))
    with torch.no_grad():
        torch._foreach_lerp_([one for one, _ in moved], [two for _, two in moved], share)
        for count, newest in whole:
            count.copy_(newest)


def begun_with(start: str, sizes: list[int], cells: bool, seed: int, kind: str = "resnet") -> Any:
    """A net without opinions, or with those of another that has no more blocks and channels."""
    other: Any = None
    if start:
        folder = trained.find(start)
        other = files.load(folder)
        if kind == "resnet" and isinstance(other, models.ResNet) and other.sizes[:4] == sizes[:4]:
            cells = other.cells  # its own policy head does: a game may have said less of its cells when it was trained
    if kind == "resnet":
        net: Any = models.ResNet(sizes, cells, seed)
    elif kind in OF_ONE_BOARD:
        net = getattr(models, OF_ONE_BOARD[kind])(sizes, seed)
    else:
        net = kinds.of(kind).model(sizes, seed)
    if start:
        if kind != "resnet":
            of_board = sizes if kind in OF_ONE_BOARD else sizes[4:]
            if other.kind != kind or other.sizes[-len(of_board) :] != of_board:
                raise InputError(f"start: the net in {folder} is not of the kind {kind}, or of other sizes")
            if kind == "mlp" and files.read_card(folder).output != trained.POLICY:
                raise InputError(f"start: the net in {folder} tells no policy")
            net.load_state_dict(other.state_dict())
            return net
        fits = isinstance(other, models.ResNet) and other.sizes[6:] == sizes[6:]
        if not fits or (other.sizes[:4] != sizes[:4] and not (cells and other.cells)):
            raise InputError(f"start: the net in {folder} is not for this game")
        blocks, channels = other.sizes[4:6]
        if blocks > sizes[4] or channels > sizes[5]:
            raise InputError(f"start: the net in {folder} has {blocks} blocks of {channels}")
        models.grow(net, other)
    return net
