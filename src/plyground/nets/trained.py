"""The nets that come with the program: one folder each, with the command that made it and how strong it is."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import games
from ..manifest import families, family_of, loaded
from ..spec import InputError, nearest
from .files import CARD, NORM, ONNX, QUICK, WEIGHTS, read, read_card, unpacked, write

BOTH, POLICY = "policy-value", "policy"  # what a net tells
LARGER, SMALLER = 2, 4  # times as many actions, or a share of them, that a net is still trusted with


@lru_cache(1)
def shipped() -> dict[str, Path]:
    """The folders of all nets that came with the program, by name; families of games bring them along."""
    bringing = {family.package: family for family in families() if family.nets}
    folders = loaded(bringing, lambda package: bringing[package].folder / bringing[package].nets).values()
    return dict(sorted((path.parent.name, path.parent) for folder in folders for path in folder.glob(f"*/{CARD}")))


def names(output: str = "") -> list[str]:
    """All nets that came with the program, or those that tell this."""
    return [name for name, folder in shipped().items() if not output or read_card(folder).output == output]


def find(net: str) -> Path:
    """The folder of a net: one that came with the program, or a folder of the user's."""
    if net in shipped():
        return shipped()[net]
    folder = Path(net).expanduser()
    folder = folder.parent if folder.is_file() else folder
    if not folder.is_dir():
        near = nearest(net, names()) or f": neither a folder nor one of {', '.join(names())}"
        raise InputError(f"there is no net {net!r}{near}")
    return folder


def made_for(game: Any, output: str = BOTH) -> str:
    """The name of the net that came with the program for this game, or for the board most like it.

    output: what it tells, a policy and a value or a policy alone.
    """
    found = {}
    variable = family_of(game).variable
    for name in names(output):
        card = read_card(shipped()[name])
        made = games.make(card.game)
        if type(made) is not type(game):
            continue
        unlike = {one for one, value in made._asdict().items() if value != getattr(game, one)}
        ours, theirs = game.actions(), made.actions()
        near = ours <= LARGER * theirs and theirs <= SMALLER * ours
        if not unlike or (unlike <= variable and near and (card.cells or ours == theirs)):
            found[name] = sum(apart(getattr(made, one), getattr(game, one)) for one in unlike)
    if not found:
        raise InputError(
            f"no net came with the program for this game, only {', '.join(names(output))}; train one, or name one"
        )
    return min(found, key=lambda name: found[name])


def apart(one: Any, other: Any) -> float:
    """How unlike two parameters of a game are."""
    return abs(one - other) if isinstance(one, int | float) else 1


def ship(folder: Path, target: Path) -> None:
    """Put a net with convolutions among those that come with the program: no weights are kept twice."""
    from safetensors.numpy import save as packed

    if read_card(folder).kind != "resnet":
        raise InputError(f"the net in {folder} has no convolutions: its files go along as they are")
    card, weights = read(folder, WEIGHTS)
    norm = {name: array for name, array in unpacked(weights, folder / WEIGHTS).items() if ".norm." in f".{name}"}
    contents = {name: read(folder, name)[1] for name in (ONNX, QUICK) if name in card.files}
    write(target, replace(card, files={}), contents | {NORM: packed(norm)})
