"""What a net is, and which games it fits: the card that lies beside its weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from .. import __version__, games, sealed
from ..rules import after, gives, legal, must_encode, new
from ..spec import About, InputError
from . import kinds
from .kinds import ATOMS

INPUTS = ("signed", "planes")
AUTO = "auto"  # of a learner's options: the input that fits the game
Input = Annotated[
    str,
    About("signed: mine 1, theirs -1; planes: every plane; auto: signed where there are two", choices=(AUTO, *INPUTS)),
]
AFTERSTATES = "afterstates"  # plain layers, too, but asked about one action after the other; see `nets.afterstates`
LOCAL_PATTERNS = "local-patterns"  # a fast policy, which roll-outs draw from; see `nets.fast_policy`
KINDS = {  # inputs and outputs of each; which inputs there are of afterstates, the game tells
    "mlp": (INPUTS, ("policy", "q")),
    AFTERSTATES: ((), ("policy", "q", "policy-value")),
    "resnet": (("board",), ("policy-value",)),
    "cnn": (("board",), ("policy-value",)),
    LOCAL_PATTERNS: (("board",), ("policy",)),
}
FORMERLY = {"placements": AFTERSTATES}  # kinds under the names of older versions
PLAIN = ("mlp", AFTERSTATES)
LARGEST = 1 << 20  # numbers in one layer


@dataclass(frozen=True)
class Card:
    """What a net is."""

    sizes: list[int]  # mlp: numbers in each layer, from the input to the output; resnet, cnn: see models.ResNet, CNN
    input: str  # signed: first plane minus second, so theirs are -1; planes: all in a row; board: as they are
    output: str  # policy: logits of the actions; q: what each action is worth; policy-value: logits, then the value
    game: str  # the spec of the game it was trained for
    scale: float = 1.0  # what a win is worth, by which values are divided
    kind: str = "mlp"
    cells: bool = False  # of a resnet: every cell is an action, and the board may have any size
    returns: list[float] = field(default_factory=list)  # one player: discount, rewards of going on and of a point
    version: str = __version__
    command: str = ""  # that made it
    strength: str = ""  # as it was measured, in words
    files: dict[str, str] = field(default_factory=dict, compare=False)  # digests of the net's other files
    digest: str = field(default="", compare=False)  # by which the net is known; empty until it is written


def features(game: Any, input: str) -> tuple[int, ...]:
    """The shape of what a net of this input is given for a state."""
    must_encode(game)
    planes, height, width = game.planes()
    if input == "signed" and planes != 2:
        raise InputError(
            f"input signed needs a game of two planes, mine and theirs; this one has {planes}: take planes"
        )
    if input == "board":
        return planes, height, width
    return (height * width * (1 if input == "signed" else planes),)


def input_of(game: Any, asked: str) -> str:
    """The input of plain layers that is asked for; auto: signed where a game has two planes, mine and theirs."""
    if asked != AUTO:
        return asked
    must_encode(game)
    return "signed" if game.planes()[0] == 2 else "planes"


def cells_are_actions(game: Any) -> bool:
    """Is the action of a cell's number a move onto that cell?"""
    _, height, width = game.planes()
    if game.actions() != height * width:
        return False
    state = new(game)
    if gives(game, "where") and all(game.where(state, action) == [action] for action in legal(game, state)):
        return True
    return all(touched(game, state, action) == {action} for action in legal(game, state))


def touched(game: Any, state: Any, action: int) -> set[int]:
    """The cells that an action changes, as a net sees them; planes that say something of the whole board say none."""
    before, behind = (np.zeros(game.planes(), np.float32) for _ in range(2))
    game.encode(state, before)
    game.encode(after(game, state, action), behind)
    changed = (before != behind).reshape(len(before), -1)
    return {int(cell) for plane in changed if not plane.all() for cell in np.flatnonzero(plane)}


def must_fit(card: Card, game: Any) -> None:
    """InputError unless the net takes this game's states and tells of its actions, and was not made for another game.

    Games of one file are one: a net may be tried on boards of other sizes, with rows of other lengths.
    """
    if card.kind == AFTERSTATES:
        raise InputError(f"the net of {card.game} rates afterstates: the agent afterstate-net plays it")
    if card.kind not in PLAIN:
        if bool(card.returns) != bool(game.alone()):
            players = "one player" if card.returns else "two players"
            raise InputError(f"the net of {card.game} is for games of {players}; take one of this game")
        planes, height, width = features(game, card.input)
        shape = [planes, height, width, game.actions()]
        if card.sizes[:4] != shape and not (card.cells and card.sizes[0] == planes and cells_are_actions(game)):
            told = "{} planes of {} x {} and {} actions"
            raise InputError(
                f"the net of {card.game} is for {told.format(*card.sizes)}; this game has {told.format(*shape)}"
            )
    else:
        takes, gives_ = math.prod(features(game, card.input)), game.actions()
        if (card.sizes[0], card.sizes[-1]) != (takes, gives_):
            raise InputError(
                f"the net of {card.game} has {card.sizes[0]} inputs and {card.sizes[-1]} outputs; "
                f"this game needs {takes} and {gives_}"
            )
    made = games.registry().get(card.game.partition("(")[0].strip(), "").partition(":")[0]
    home = type(game).__module__
    if made and home.startswith(f"{games.__name__}.") and home != made:
        raise InputError(f"the net of {card.game} was trained for another game than this one; take one of this game")


def read_from(told: dict[str, Any], path: Path) -> Card:
    """The card that a file tells, if it makes sense."""
    try:
        known = {one.name for one in fields(Card)}
        card = Card(**{name: told[name] for name in known & told.keys()} | {"digest": sealed.digest_of(told)})
        card = replace(card, kind=FORMERLY.get(card.kind, card.kind))
        if card.kind in kinds.known():
            kinds.of(card.kind).must_make_sense(card.sizes)
        least = [1] * max(2, len(card.sizes))
        if card.kind == "resnet":  # no block is enough; the atoms of points have one size
            least = [1, 1, 1, 1, 0, 1, 2 * ATOMS + 1][: max(6, len(card.sizes))]
        if card.kind == "cnn":
            least = [1] * max(6, len(card.sizes))
        sizes_make_sense = len(card.sizes) == len(least) and all(
            type(n) is int and low <= n <= LARGEST for n, low in zip(card.sizes, least, strict=True)
        )
        texts = (card.kind, card.input, card.output, card.game, card.version, card.command, card.strength)
        scale_makes_sense = type(card.scale) in (int, float) and 0 < card.scale < math.inf
        words = all(isinstance(text, str) for text in (*texts, *card.files, *card.files.values()))
        words = words and type(card.cells) is bool
        needed = 3 if (card.kind, card.output) == (AFTERSTATES, "policy-value") else 0
        if card.kind == "resnet":
            needed = 3 if len(card.sizes) == 7 else 0
            sizes_make_sense = sizes_make_sense and card.sizes[6:] in ([], [2 * ATOMS + 1])
        if card.kind == "cnn":
            needed = 0 if card.sizes[4:5] == [3] else 3
            sizes_make_sense = sizes_make_sense and card.sizes[4] in (3, 2 * ATOMS + 1) and not card.cells
        returns_make_sense = len(card.returns) == needed and all(math.isfinite(number) for number in card.returns)
        if not sizes_make_sense or not scale_makes_sense or not words or not returns_make_sense:
            raise ValueError
    except (TypeError, ValueError, OverflowError, AttributeError):
        raise InputError(f"{path} does not describe a net") from None
    inputs, outputs = KINDS["resnet"] if card.kind in kinds.known() else KINDS.get(card.kind, ((), ()))
    if (inputs and card.input not in inputs) or card.output not in outputs:
        raise InputError(
            f"{path}: no net of kind {card.kind!r}, input {card.input!r} and output {card.output!r} is known"
        )
    return card
