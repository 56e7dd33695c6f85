"""JSON objects on disk that tell when they were damaged: each holds a digest of all the rest of it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from . import atomic
from .spec import InputError

DIGEST = "digest"
LARGEST = 64 << 20  # bytes of a file


def digest(content: bytes) -> str:
    """SHA-256, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def text(told: dict[str, Any], indent: int | None = None) -> str:
    """A line, or lines, of JSON with the digest at the end."""
    return json.dumps({**told, DIGEST: digest_of(told)}, indent=indent, allow_nan=False) + "\n"


def opened(told: Any) -> dict[str, Any]:
    """What was sealed; ValueError if it is not whole."""
    if not isinstance(told, dict) or told.get(DIGEST) != digest_of(told):
        raise ValueError("it is damaged, or was changed")
    return {word: value for word, value in told.items() if word != DIGEST}


def read(path: Path, what: str) -> dict[str, Any]:
    """The object that was sealed in a file; InputError if it is not there, or not whole."""
    told = read_json(path, what)
    if DIGEST not in told:
        raise InputError(f"{path} does not describe {what}: it has no digest")
    try:
        return opened(told)
    except ValueError as error:
        raise InputError(f"{path} cannot be trusted: {error}") from None


def read_json(path: Path, what: str) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        told = json.loads(atomic.read(path, LARGEST))
    except FileNotFoundError:
        raise InputError(f"there is no {path}: {path.parent} does not hold {what}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON") from None
    if not isinstance(told, dict):
        raise InputError(f"{path} does not describe {what}")
    return told


def digest_of(told: dict[str, Any]) -> str:
    """The digest of all but the digest; order and spaces do not matter."""
    rest = {word: value for word, value in told.items() if word != DIGEST}
    as_read = json.loads(json.dumps(rest))  # keys are texts then, whatever they were
    return digest(json.dumps(as_read, sort_keys=True).encode())
