"""The commands about nets: which there are, how strong they are, and copies in 8-bit numbers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..spec import InputError
from .arena import Jobs
from .base import Json, Seed, app, examples
from .show import emit

if TYPE_CHECKING:
    from ..nets.card import Card


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


@app.command(
    epilog=examples(
        "plyground strength",
        "plyground strength connect-four --measure --games 100",
        """plyground strength runs/new --measure --against 'alphazero("connect-four", sims=100)'""",
    )
)
def strength(
    nets: Annotated[list[str] | None, typer.Argument(help="names of nets, or folders", metavar="NET...")] = None,
    measure: Annotated[bool, typer.Option("--measure", help="measure them now, and keep what is found")] = False,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="an opponent; uct of 1,000, 10,000 and 100,000 simulations if none is named", metavar="AGENT"
        ),
    ] = None,
    sims: Annotated[int, typer.Option(help="simulations a move of the net's search", min=1)] = 100,
    games: Annotated[int, typer.Option(help="against each opponent; 0: count mistakes alone", min=0)] = 40,
    mistakes: Annotated[bool, typer.Option(help="solve positions, two minutes at most, and count mistakes")] = True,
    seconds: Annotated[
        float | None,
        typer.Option(help="begin no game after so many, of each match; one known with more games stays", min=0),
    ] = None,
    jobs: Jobs = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Tell how strong nets are, as it was measured: the next net has something to beat.

    The share of positions in which the move loses value, by the exact solver, of the net alone and with its search; and
    Elo against searches by roll-outs, games in pairs from balanced openings of two random moves (random ones, where
    hardly any is balanced), seats changed.  It is kept in strength.json beside the net, with the command.
    """
    from ..api.learning import strength as asked
    from .reports import print_report

    if measure and not nets:
        raise InputError("--measure needs nets: name them, or give their folders")
    if not measure and against:
        raise InputError("--against names opponents to be met now: add --measure")
    found = asked(
        *(nets or ()),
        measure=measure,
        against=against or (),
        sims=sims,
        games=games,
        mistakes=mistakes,
        seconds=seconds,
        jobs=jobs,
        seed=seed,
    )
    print_report(found, json)
