"""Numba's typing of methods, for methods that only some games have."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba.core.typing.templates import _OverloadMethodTemplate, infer_getattr, make_overload_attribute_template


class MethodTemplate(_OverloadMethodTemplate):
    """A method of the games that have it; in others its name may be that of a field."""

    def _resolve(self, typ, attr):
        has = isinstance(getattr(typ.instance_class, attr, None), FunctionType)
        return super()._resolve(typ, attr) if has else None


def register_method(kind: Any, name: str, choose: Any) -> None:
    """Let `choose` say what the method of this name is in values of this kind that have it."""
    infer_getattr(make_overload_attribute_template(kind, name, choose, base=MethodTemplate))
