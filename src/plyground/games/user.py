"""Games and scorings outside the package: a class in a user's own Python file, `path/to/file.py:Game`."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import rules, spec


class _Fresh(importlib.abc.SourceLoader):
    """Loads a module from its source, never from bytecode, whose age is known to the second only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()


def load(path: str, name: str, adopt: Callable[[Any], Any] = rules.adopt) -> Any:
    """The class `name` of a Python file, adopted as a game, or as what `adopt` makes of it."""
    file = Path(path)
    if not file.is_file():
        raise spec.InputError(f"there is no file {path}")
    file = file.resolve()
    origin = importlib.util.spec_from_loader(f"_plyground_{file.stem}", _Fresh(file))
    assert origin and origin.loader
    module = importlib.util.module_from_spec(origin)
    sys.path.insert(0, str(file.parent))
    try:
        origin.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise spec.InputError(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.pop(0)
    cls = getattr(module, name, None)
    if cls is None:
        classes = [n for n, c in vars(module).items() if isinstance(c, type) and c.__module__ == module.__name__]
        raise spec.InputError(f"{path} has no class {name}{spec.nearest(name, classes)}")
    try:
        adopt(cls)
    except TypeError as error:
        raise spec.InputError(f"{path}: {error}") from None
    return cls
