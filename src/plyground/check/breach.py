"""A broken law: which rule breaks it, how, and where that is written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .. import boards
from ..jit.errors import place, source
from ..jit.user_classes import name_of

HINTS = [  # what NumPy says, and what to do about it
    (
        "numpy boolean",
        "comparisons of fields are NumPy booleans, and so are fields of np.bool_: write `not`, or int()",
    ),
    ("out of bounds for axis", "compiled rules do not look whether an index is within its array"),
    ("out of bounds for", "take a wider type in `fields`"),
]


class Breach(Exception):
    """A law is broken by a rule; the message says how, in one line.  The place is the rule's unless it is told."""

    def __init__(self, rule: str, message: str, place: str = "") -> None:
        super().__init__(message)
        self.rule, self.place = rule, place

    def with_place(self, game: Any) -> str:
        """The message with the file and the line."""
        where = self.place or place_of_rule(game, self.rule)
        return f"{self} ({where})" if where else str(self)


def rules_of(game: Any) -> dict[CodeType, str]:
    """The rules and methods of a game by their code; not the defaults."""
    own = {name: method for name, method in vars(type(game)).items() if isinstance(method, FunctionType)}
    given = (name for name in own if name in type(game)._gives and own[name].__module__ != boards.__name__)
    return {own[name].__code__: name for name in given}


def place_of_rule(game: Any, rule: str) -> str:
    """`file.py:59`, where a game writes a rule; nothing if it does not."""
    for code, name in rules_of(game).items():
        if name == rule:
            return place(code.co_filename, code.co_firstlineno)
    return ""


def raised(game: Any, error: Exception, where: str) -> Breach:
    """An error that a rule raised as a breach, with the line of the user's file on which it arose."""
    if isinstance(error, Breach):
        return error
    rules, rule, file, spot = rules_of(game), "", "", ""
    for frame, line in walk_tb(error.__traceback__):
        if frame.f_code in rules:
            rule, file = rules[frame.f_code], frame.f_code.co_filename
        if file and frame.f_code.co_filename == file:
            spot = f"{place(file, line)}, `{source(file, line)[:100]}`"
    said = " ".join(str(error).split()).replace(type(game).__name__, name_of(type(game)))
    hint = next((f"; {hint}" for words, hint in HINTS if words in said), "")
    told = " ".join(f"{rule or 'a rule'} raised {type(error).__name__} {where}".split())
    return Breach(rule, f"{told}: {said}{hint}", spot)


class Overflows:
    """The first line on which a small integer wrapped around."""

    def __init__(self) -> None:
        self.spot = ""

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note it while rules run interpreted; NumPy says nothing of it meanwhile."""
        with np.errstate(over="call", call=self._note):
            yield

    def _note(self, *_: Any) -> None:
        frame = sys._getframe(1)
        file, line = frame.f_code.co_filename, frame.f_lineno
        self.spot = self.spot or f"{place(file, line)}, `{source(file, line)[:100]}`"
