"""Records: what states, trees and all that kernels work on are made of."""

from __future__ import annotations

import copyreg
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np


class RecordClass(type):
    """The class of the classes of records, one for the names of fields."""


class Record(np.void, metaclass=RecordClass):  # type: ignore[misc]  # final in its stub alone, like that of `np.record`
    """A record whose fields are its attributes, as those of `np.record` are, but in a tenth of the time."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise AttributeError(f"there is no field {name}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except ValueError:
            if name in (self.dtype.names or ()):
                raise
            raise AttributeError(f"there is no field {name}") from None


@cache
def class_of(names: tuple[str, ...]) -> RecordClass:
    """The class of records with fields of these names.  They are read without a function of Python's.

    What all records have, like `copy`, stays what it is.
    """
    fields = {name: property(itemgetter(name)) for name in names if not hasattr(Record, name)}
    return RecordClass(
        "Record", (Record,), {"__slots__": (), "__module__": __name__, "__match_args__": names, **fields}
    )


def _reduced(kind: Any) -> Any:
    """How pickle finds the class again: the one above by its name, the others by those of their fields."""
    return "Record" if kind is Record else (class_of, (kind.__match_args__,))


copyreg.pickle(RecordClass, _reduced)


def with_attributes(plain: Any) -> np.dtype:
    """A type of records, such that their fields are attributes."""
    return np.dtype((class_of(plain.names), plain))


def record(fields: list) -> np.dtype:
    """A record type of aligned fields without gaps, so that equal records have equal bytes."""
    plain: Any = np.dtype(fields)
    whole: list = []
    end, widest = 0, 1

    def fill(width: int) -> int:
        if gap := -end % width:
            whole.append((f"_gap{end}", np.int8, (gap,)))
        return end + gap

    for name in plain.names:
        kind = plain[name]
        width = _alignment(kind)
        end, widest = fill(width), max(widest, width)
        whole.append((name, kind))
        end += kind.itemsize
    fill(widest)
    return with_attributes(np.dtype(whole, align=True))


def odd(kind: Any, words: str = "") -> np.dtype:
    """The same record of whole words, an odd number of them, eight bytes each: then neighbours do not stand in each
    other's way in a GPU's memory of a block, which is 16 such words wide.

    words: the name of a field of whole words, which has besides them the name `FIELD_words`.
    """
    fields: Any = dict(kind.fields)
    if words:
        field, offset = fields[words][:2]
        fields[f"{words}_words"] = (np.dtype((np.int64, (field.itemsize // 8,))), offset)
    spec: Any = {
        "names": list(fields),
        "formats": [one[0] for one in fields.values()],
        "offsets": [one[1] for one in fields.values()],
        "itemsize": (-(-kind.itemsize // 8) | 1) * 8,
    }
    return with_attributes(np.dtype(spec, align=True))


def _alignment(kind: Any) -> int:
    """Of a field; NumPy forgets that of records within records."""
    kind = kind.base
    return max(_alignment(kind[name]) for name in kind.names) if kind.names else kind.alignment
