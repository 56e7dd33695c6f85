"""Games, agents, learners and scorings outside the package: classes in a user's own Python file.

`path/to/file.py:Name` names one, `path/to/file.py` will do where the file holds just one of the wanted kind.  A file is
executed once in a process, and again when it has changed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.abc import SourceLoader
from inspect import cleandoc
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from . import atomic
from .spec import InputError, nearest

LARGEST = 16 << 20  # bytes of a file


class Broken(InputError):
    """A file that cannot be imported."""


@dataclass(frozen=True)
class Kind:
    """What a class may be taken for."""

    word: str  # what people call it
    looks_like: Callable[[type], bool]  # may this class be meant for one?
    adopt: Callable[[Any], Any]  # makes it one; TypeError, in one line, if it cannot be


@dataclass
class _Executed:
    """A file as it was executed."""

    digest: bytes  # of its text
    module: ModuleType
    classes: dict[str, type]  # that it defines itself
    adopted: dict[tuple[str, str], Any] = field(default_factory=dict)  # by kind and name


class _FromSource(SourceLoader):
    """Loads a module from its source, never from bytecode, whose age is known to the second only."""

    def __init__(self, path: Path, text: bytes) -> None:
        self.path, self.text = path, text

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return self.text


_executed: dict[Path, _Executed] = {}
_origins: WeakKeyDictionary[type, str] = WeakKeyDictionary()
_abouts: WeakKeyDictionary[type, str] = WeakKeyDictionary()  # docstrings of the files
_lock = threading.RLock()


def is_file(name: str) -> bool:
    """Does the name of a spec stand for something in a file?"""
    return bool(re.search(r"\.py(:\w+)?$", name.strip()))


def split(name: str) -> tuple[str, str]:
    """The path and the class of `path/to/file.py:Name`; no class where none is named."""
    path, ending, cls = name.strip().rpartition(".py")
    return path + ending, cls.removeprefix(":")


def load(name: str, kind: Kind) -> Any:
    """The class that `path/to/file.py:Name` or `path/to/file.py` stands for, adopted as one of this kind."""
    path, wanted = split(name)
    with _lock:
        file = _execute(path)
        wanted = wanted or _only(path, file, kind)
        if (kind.word, wanted) not in file.adopted:
            cls = file.classes.get(wanted, getattr(file.module, wanted, None))
            if cls is None:
                raise InputError(f"{path} has no class {wanted}{nearest(wanted, file.classes)}")
            try:
                made = file.adopted[kind.word, wanted] = kind.adopt(cls)
            except TypeError as error:
                raise InputError(f"{path}: {error}") from None
            _abouts[made] = file.module.__doc__ or ""
            _origins[made] = f"{Path(path).resolve()}:{wanted}"
        return file.adopted[kind.word, wanted]


def holds(name: str, kind: Kind) -> bool:
    """Is this, or is in this file, something that looks like one of this kind?"""
    path, wanted = split(name)
    with _lock:
        file = _execute(path)
    return any(kind.looks_like(cls) for one, cls in file.classes.items() if wanted in ("", one))


def names(name: str, kind: Kind) -> list[str]:
    """What of this kind a file holds, as `path/to/file.py:Name` each; itself, where a class is named or only one is."""
    path, wanted = split(name)
    with _lock:
        found = [] if wanted else _fitting(_execute(path), kind)
    return [f"{path}:{one}" for one in found] if len(found) > 1 else [name]


def digests(*specs: str) -> dict[str, str]:
    """A digest of every file that specs name, in quotes within others, too, by its path as it is written there."""
    named = {path for spec in specs for path in re.findall(r"""(?:^|["'])([^"'()]*\.py)(?=$|[:("'])""", spec)}
    return {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in sorted(named) if Path(path).is_file()}


def must_be_unchanged(known: Any, now: dict[str, str], folder: Any) -> None:
    """InputError if a file is not what it was when the work in a folder began."""
    for path, digest in now.items():
        if isinstance(known, dict) and known.get(path, digest) != digest:
            raise InputError(f"{path} has changed since {folder} was begun, and what it did is kept there; begin anew")


def about(cls: type) -> str:
    """The first paragraph of a class's docstring on one line or, where it has none, of its file's."""
    made = re.fullmatch(r"\w+\([\w, ]*\)", cls.__doc__ or "")  # what Python writes itself of a NamedTuple
    text = _abouts.get(cls, "") if made or not cls.__doc__ else cls.__doc__
    return " ".join(cleandoc(text).split("\n\n")[0].split())


def origin(cls: type) -> str | None:
    """`path/to/file.py:Name` of a class that was loaded from there."""
    return _origins.get(cls)


def _only(path: str, file: _Executed, kind: Kind) -> str:
    """The name of the one class that looks like this kind."""
    found = _fitting(file, kind)
    if not found:
        raise InputError(f"{path} holds no {kind.word}")
    if len(found) > 1:
        named = ", ".join(f"{path}:{name}" for name in found)
        raise InputError(f"{path} holds several {kind.word}s, name one of them: {named}")
    return found[0]


def _fitting(file: _Executed, kind: Kind) -> list[str]:
    """The names of the classes that look like this kind."""
    return [name for name, cls in file.classes.items() if kind.looks_like(cls) and not name.startswith("_")]


def _execute(path: str) -> _Executed:
    """The file of this path, executed unless that has been done since it was changed."""
    try:
        file = Path(path).resolve(strict=True)
        text = atomic.read(file, LARGEST)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    digest = hashlib.sha256(text).digest()
    if file not in _executed or _executed[file].digest != digest:
        module = _module(path, file, text)
        own = {name: cls for name, cls in vars(module).items() if isinstance(cls, type)}
        own = {name: cls for name, cls in own.items() if cls.__module__ == module.__name__}
        _executed[file] = _Executed(digest, module, own)
    return _executed[file]


def _module(path: str, file: Path, text: bytes) -> ModuleType:
    origin = importlib.util.spec_from_loader(f"_plyground_{file.stem}", _FromSource(file, text))
    assert origin and origin.loader
    module = importlib.util.module_from_spec(origin)
    sys.path.insert(0, str(file.parent))
    sys.modules[origin.name] = module  # dataclasses look there for what their annotations name
    try:
        origin.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(file)]
        where = f", line {lines[-1]}" if lines else ""  # a SyntaxError tells its line itself
        raise Broken(f"{path}{where} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.pop(0)
        sys.modules.pop(origin.name, None)
    return module
