"""Which methods compiled code may call: noted here, for Numba to be told when a kernel is first made.

Whoever needs the rules alone, like the process of an agent or of a command that computes nothing, never waits for the
import of Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PARTS: dict[str, str] = {}  # whose a method is that kernels call: "rules" or "scoring", by its name

_rules: dict[str, Any] = {}  # what kernels call, by name: the documented rule
_methods: dict[str, None] = {}  # what rules call besides, in the order in which it was said
_compilers: list[tuple[Callable[[str, Any], None], Callable[[str], None]]] = []  # what each is told with


def let_kernels_call(name: str, rule: Any, part: str = "rules") -> None:
    """Let compiled code call the method of this name of any NamedTuple, written in plain Python.

    The part is what people call what does not compile if the method does not.
    """
    PARTS[name] = part
    _rules[name] = rule
    for tell, _ in _compilers:
        tell(name, rule)


def let_rules_call_method(name: str) -> None:
    """Let compiled rules call the method of this name, which is no rule, of any game that has one."""
    if name not in _methods:
        _methods[name] = None
        for _, tell in _compilers:
            tell(name)


def told_to(rule: Callable[[str, Any], None], method: Callable[[str], None]) -> None:
    """Tell a compiler what was noted so far, and whatever else will be."""
    _compilers.append((rule, method))
    for name, documented in list(_rules.items()):
        rule(name, documented)
    for name in list(_methods):
        method(name)
