"""What the source of a rule says: which functions it reaches, and on which lines something is written."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..jit.errors import place, source
from ..rules import COMPILED, RULES


def reached(game: Any, rule: str) -> list[FunctionType]:
    """A rule, and the game's methods and the functions of its module that it calls, directly or by others.

    Names of rules that are asked outside kernels, such as `cells`, stand for fields of the state here.
    """
    methods = {name: method for name, method in vars(type(game)).items() if name in COMPILED or name not in RULES}
    found: list[FunctionType] = []
    open_ = [getattr(type(game), rule)]
    while open_:
        function = open_.pop()
        if not isinstance(function, FunctionType) or function in found:
            continue
        found.append(function)
        for name in function.__code__.co_names:
            open_ += [function.__globals__.get(name), methods.get(name)]
    return found


def parsed(function: FunctionType) -> ast.AST | None:
    """The syntax tree of a function with the line numbers of its file; None if that cannot be read."""
    linecache.checkcache(function.__code__.co_filename)
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError):
        return None
    return ast.increment_lineno(tree, first - 1)


def written(game: Any, rule: str, holds: Callable[[ast.AST], bool]) -> list[str]:
    """The lines, `file.py:59, `source``, on which a rule or what it calls has a node of this kind."""
    found: list[str] = []
    for function in reached(game, rule):
        tree, file = parsed(function), function.__code__.co_filename
        for node in ast.walk(tree) if tree else ():
            if holds(node):
                spot = f"{place(file, node.lineno)}, `{source(file, node.lineno)[:100]}`"  # type: ignore[attr-defined]
                found += [spot] * (spot not in found)
    return found
