"""Games outside the package: a class in a user's own Python file.

Numba keeps compiled kernels by the types of their arguments.  So the class of a user's game is renamed
after a digest of everything its rules reach, and found under that name in this module: a kernel compiled
for other rules is a kernel for another type, and can never be loaded for these.
"""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.util
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .. import rules, spec


class _Fresh(importlib.abc.SourceLoader):
    """Loads a module from its source, never from bytecode, whose age is known to the second only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()


def load(path: str, name: str) -> Any:
    """The class `name` of a Python file, adopted as a game."""
    file = Path(path)
    if not file.is_file():
        raise spec.InputError(f"there is no file {path}")
    origin = importlib.util.spec_from_loader(f"_plyground_{file.stem}", _Fresh(file.resolve()))
    assert origin and origin.loader
    module = importlib.util.module_from_spec(origin)
    sys.path.insert(0, str(file.resolve().parent))
    try:
        origin.loader.exec_module(module)
    except Exception as error:
        raise spec.InputError(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.pop(0)
    cls = getattr(module, name, None)
    if cls is None:
        classes = [n for n, c in vars(module).items() if isinstance(c, type) and c.__module__ == module.__name__]
        raise spec.InputError(f"{path} has no class {name}{spec.nearest(name, classes)}")
    try:
        rules.adopt(cls)
    except TypeError as error:
        raise spec.InputError(f"{path}: {error}") from None
    cls.__name__ = cls.__qualname__ = f"{name}_{digest(cls)}"
    cls.__module__ = __name__
    globals()[cls.__name__] = cls
    return cls


def __getattr__(name: str) -> Any:
    """A stand-in for a class of another process, which Numba names in the index of its cache."""
    if "_" not in name or name.startswith("_"):
        raise AttributeError(name)
    return type(name, (tuple,), {"_fields": (), "__module__": __name__})


def digest(cls: type) -> str:
    """A digest of the rules and of all that they reach: functions, constants, modules beside the file."""
    found = hashlib.sha256()
    seen: set[int] = set()
    for name in sorted(rules.COMPILED):
        if name in vars(cls):
            _add(found, vars(cls)[name], seen)
    return found.hexdigest()[:16]


def _add(found: Any, value: Any, seen: set[int]) -> None:
    if id(value) in seen:
        return
    if isinstance(value, FunctionType):
        seen.add(id(value))
        _add_code(found, value.__code__)
        for word in sorted(value.__code__.co_names):
            if word in value.__globals__:
                found.update(word.encode())
                _add(found, value.__globals__[word], seen)
        for cell in value.__closure__ or ():
            _add(found, cell.cell_contents, seen)
    elif isinstance(value, ModuleType):
        seen.add(id(value))
        file = getattr(value, "__file__", None)
        if file and not _is_installed(file):
            found.update(Path(file).read_bytes())
    elif isinstance(value, np.ndarray):
        found.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    else:
        found.update(repr(value).encode())


def _add_code(found: Any, code: CodeType) -> None:
    found.update(code.co_code + repr((code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(found, constant)
        else:
            found.update(repr(constant).encode())


def _is_installed(file: str) -> bool:
    return any(part in ("site-packages", "dist-packages") for part in Path(file).parts) or file.startswith(sys.base_prefix)
