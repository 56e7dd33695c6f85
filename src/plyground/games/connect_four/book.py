"""The opening book of Connect Four: the scores of all positions with as many stones, made by the program's own solver.

A position and its mirror image are one.  Scores of positions with fewer stones follow from these, and are in the book,
too.  A book may be incomplete: what is not known is searched.

    python -m plyground.games.connect_four.book --stones 10 --journal book.journal --out book.bin

makes it: see `making`.
"""

from __future__ import annotations

import json
import lzma
import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ... import atomic
from ...manifest import warn
from ...spec import InputError

COLS, ROWS = 7, 6
HIGH = ROWS + 1
FLOOR = sum(1 << col * HIGH for col in range(COLS))
COLUMN = (1 << ROWS) - 1
CELLS = FLOOR * COLUMN
LARGEST = 2 << 20  # bytes of a book
MOST_STONES = 12
UNKNOWN = 127
FILE = Path(__file__).with_name("book.bin")


class Layer(NamedTuple):
    """All positions with as many stones in which nobody has four in a row, one of each pair of mirror images."""

    mine: np.ndarray  # int64[position]; those that follow one position stand together
    taken: np.ndarray  # int64[position]


def key(mine: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """A number for each position."""
    return mine + taken + FLOOR


def mirrored(cells: np.ndarray) -> np.ndarray:
    """The mirror image of sets of cells."""
    image = np.zeros_like(cells)
    for col in range(COLS):
        image |= (cells >> col * HIGH & COLUMN) << (COLS - 1 - col) * HIGH
    return image


def canonical(mine: np.ndarray, taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each position or its mirror image: whichever has the smaller number."""
    image, image_taken = mirrored(mine), mirrored(taken)
    turned = key(image, image_taken) < key(mine, taken)
    return np.where(turned, image, mine), np.where(turned, image_taken, taken)


def have_four(stones: np.ndarray) -> np.ndarray:
    """Do these stones hold four in a row?  bool[position]"""
    found = np.zeros(stones.shape, bool)
    for step in (1, HIGH - 1, HIGH, HIGH + 1):
        pair = stones & stones >> step
        found |= pair & pair >> 2 * step != 0
    return found


def moved(layer: Layer, col: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a stone in this column makes of each position: the stones of who has laid it, all stones, is it allowed?"""
    stone = layer.taken + (1 << col * HIGH) & COLUMN << col * HIGH
    return layer.mine | stone, layer.taken | stone, stone != 0


def next_layer(layer: Layer) -> Layer:
    """The positions with one stone more."""
    mine, taken = [], []
    for col in range(COLS):
        own, all_stones, allowed = moved(layer, col)
        allowed &= ~have_four(own)
        mine.append(np.where(allowed, all_stones ^ own, -1))
        taken.append(all_stones)
    family = np.stack(mine, 1).ravel()  # position by position, column by column
    there = family >= 0
    first, second = canonical(family[there], np.stack(taken, 1).ravel()[there])
    _, index = np.unique(key(first, second), return_index=True)
    index.sort()
    return Layer(first[index], second[index])


def layers(stones: int) -> list[Layer]:
    """The positions with 0, 1, ... so many stones."""
    found = [Layer(np.zeros(1, np.int64), np.zeros(1, np.int64))]
    for _ in range(stones):
        found.append(next_layer(found[-1]))
    return found


class Known(NamedTuple):
    """Scores of one layer, to be looked up."""

    keys: np.ndarray  # int64[position], rising
    scores: np.ndarray  # int8[position]

    @classmethod
    def of(cls, layer: Layer, scores: np.ndarray) -> Known:
        """The scores of a layer, given in its order."""
        keys = key(*layer)
        order = np.argsort(keys)
        return cls(keys[order], scores[order].astype(np.int8))

    def look_up(self, mine: np.ndarray, taken: np.ndarray) -> np.ndarray:
        """The scores of canonical positions, UNKNOWN where there is none."""
        wanted = key(mine, taken)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, self.scores[at], UNKNOWN)


def score_before(layer: Layer, stones: int, after: Known) -> np.ndarray:
    """The scores of a layer by those of the next: the best of what each move leads to, UNKNOWN if one is not known."""
    best = np.full(len(layer.mine), -UNKNOWN, np.int8)
    for col in range(COLS):
        own, taken, allowed = moved(layer, col)
        scores = -after.look_up(*canonical(taken ^ own, taken))  # the other is to move
        scores = np.where(have_four(own), COLS * ROWS - stones + 1 >> 1, scores)
        unknown = scores == -UNKNOWN
        scores = np.where(unknown, UNKNOWN, scores)
        best = np.where(allowed, np.maximum(best, scores), best).astype(np.int8)
    return best


class Book(NamedTuple):
    """Scores of positions with few stones."""

    layers: list[Known]  # by the number of stones

    @classmethod
    def of(cls, stones: int, scores: np.ndarray) -> Book:
        """The book that follows from the scores of the layer of so many stones, given in its order."""
        found = layers(stones)
        known = [Known.of(found[-1], scores)]
        for count in range(stones - 1, -1, -1):
            known.insert(0, Known.of(found[count], score_before(found[count], count, known[0])))
        return cls(known)

    @property
    def stones(self) -> int:
        """Of the positions from which all others follow."""
        return len(self.layers) - 1

    @property
    def known(self) -> int:
        """How many positions with so many stones it knows."""
        return int((self.layers[-1].scores != UNKNOWN).sum())

    @property
    def complete(self) -> bool:
        return self.known == len(self.layers[-1].keys)

    def score(self, mine: int, taken: int) -> int | None:
        """The score of a position; None if it is not in the book."""
        stones = taken.bit_count()
        if stones > self.stones:
            return None
        found = self.layers[stones].look_up(*canonical(np.array([mine]), np.array([taken])))[0]
        return None if found == UNKNOWN else int(found)


def differences(one: Book, other: Book) -> list[tuple[int, int]]:
    """By the number of stones: positions whose scores both books know, and of how many these are not the same."""
    found = []
    for mine, theirs in zip(one.layers, other.layers, strict=False):
        both = (mine.scores != UNKNOWN) & (theirs.scores != UNKNOWN)
        found.append((int(both.sum()), int((both & (mine.scores != theirs.scores)).sum())))
    return found


def write(path: Path, book: Book) -> int:
    """Write a book; how many bytes it has.

    A line of JSON, then, compressed, of each layer how much larger each key is than the one before, and all scores.
    """
    steps = [np.diff(layer.keys, prepend=0).astype("<i8").tobytes() for layer in book.layers]
    scores = [layer.scores.tobytes() for layer in book.layers]
    packed = lzma.compress(b"".join(steps + scores), preset=9)
    positions = [len(layer.keys) for layer in book.layers]
    head = {"positions": positions, "known": book.known, "crc": zlib.crc32(packed)}
    content = json.dumps(head).encode() + b"\n" + packed
    if len(content) > LARGEST:
        raise InputError(f"a book of {len(content):,} bytes is too large: at most {LARGEST:,}")
    atomic.write(path, content)
    return len(content)


def read(path: Path) -> Book:
    """The book of a file; InputError if it was damaged."""
    try:
        head, _, packed = atomic.read(path, LARGEST).partition(b"\n")
        told = json.loads(head)
        if told["crc"] != zlib.crc32(packed):
            raise ValueError
        content, positions = lzma.decompress(packed), np.array(told["positions"])
        ends = np.cumsum(positions)[:-1]
        steps = np.frombuffer(content, "<i8", positions.sum())
        scores = np.frombuffer(content, np.int8, offset=steps.nbytes)
        pairs = zip(np.split(steps, ends), np.split(scores, ends), strict=True)
        return Book([Known(np.cumsum(one), other) for one, other in pairs])
    except OSError as error:
        raise InputError(f"{path}: no book of Connect Four: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, lzma.LZMAError):
        raise InputError(
            f"{path}: no book of Connect Four, or a damaged one: make it anew, or install the package again"
        ) from None


@cache
def shipped() -> Book | None:
    """The book that came with the program."""
    if FILE.exists():
        return read(FILE)
    warn(f"{FILE} is missing, the opening book of Connect Four: first moves are searched instead, which takes long")
    return None


@cache
def complete() -> bool:
    """Did a book come with the program that knows all its positions?  Only its head is read."""
    try:
        with FILE.open("rb") as file:
            head = json.loads(file.readline(LARGEST))
        return head["known"] == head["positions"][-1]
    except (OSError, ValueError, LookupError, TypeError):  # there is none, or it was damaged: `read` says so
        return False


if __name__ == "__main__":
    from .making import main

    main()
