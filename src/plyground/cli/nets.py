"""The commands about nets: which there are, and copies in 8-bit numbers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..spec import InputError
from .base import Json, Seed, app, examples
from .show import emit

if TYPE_CHECKING:
    from ..nets.files import Card


@app.command(epilog=examples("plyground quicken runs/gomoku", "plyground quicken runs/gomoku --json"))
def quicken(
    net: Annotated[str, typer.Argument(help="the folder of a net with convolutions: a run of alphazero")],
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Put a copy in 8-bit numbers beside a net, which agents then play with: about twice as fast on a CPU."""
    from ..nets import quantised, trained

    if net in trained.names():
        raise InputError(f"{net} came with the program and stays as it is; to change it, copy {trained.find(net)}")
    found = quantised.quicken(trained.find(net), seed)
    if json:
        emit({"net": net, **found})
    else:
        print(f"{net}: both prefer the same action in {found['same']:.1%}, values differ by {found['apart']:.3f}")


def sealed_anew(folder: Path) -> Card:
    """The card of a net with new digests; the old card stays if the net cannot be run."""
    from .. import atomic
    from ..nets import files
    from ..nets.evaluate import onnx_evaluator

    before = (folder / files.CARD).read_bytes()
    card = files.seal_as_it_is(folder)
    try:
        if files.ONNX in card.files or files.WEIGHTS not in card.files:
            onnx_evaluator(folder).close()
    except InputError:
        atomic.write(folder / files.CARD, before)
        raise
    return card


@app.command(epilog=examples("plyground nets", "plyground nets runs/gomoku", "plyground nets --seal runs/gomoku"))
def nets(
    folders: Annotated[list[str] | None, typer.Argument(help="folders of nets, or names", metavar="NET...")] = None,
    seal: Annotated[bool, typer.Option("--seal", help="take the net as it is, and give it new digests")] = False,
    json: Json = False,
) -> None:
    """Tell of nets, those that came with the program or others: the digest by which one is known, game, strength.

    A net whose files are damaged is refused wherever it is used.  One without digests, of an older version or made by
    other means, gets them by --seal.
    """
    from ..nets import files, trained

    named = folders or trained.names()
    if seal and (not folders or set(named) & set(trained.names())):
        raise InputError("--seal needs the folder of a net of yours; those that came with the program stay as they are")
    found = []
    for name in named:
        folder = trained.find(name)
        card = sealed_anew(folder) if seal else files.read_card(folder)
        for file in card.files:
            files.read(folder, file)
        found.append({"net": name, **asdict(card)})
    if json:
        emit({"nets": found} if len(found) != 1 or not folders else found[0])
        return
    for one in found:
        print(f"{one['net']:<14} {one['digest'][:12]}  {one['game']}")
        for word in ("strength", "command"):
            if one[word]:
                print(f"{'':<14} {one[word]}")
