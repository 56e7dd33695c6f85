"""Kernels that came with the package: compiled when it was built, and only read.

As in the user's folder each is one file, named by a digest of all that its machine code was made from.  But where there
the very processor stands, here stands the kind of it: they are compiled for the least one that has what searches gain
by, and run on all that have more.  And of the compilers' versions only that counts on which compiled code depends: as
extension modules, they run in all patches of a minor version of Python, and Numba looks at NumPy's minor version alone.

They lie in the package's own folder, beside the code that would compile them: who can write there can change that, too.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import sysconfig
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba import config
from numba.core.codegen import get_host_cpu_features

from ..cache_folder import PACKED

LEFT = {"tidied"}  # of a folder of kernels: what is none
ENDS = (".lock",)
ONLY_TOLD = {"callables.py", "errors.py", "interpreted.py", "progress.py"}  # modules with no part in the machine code


class Kind(NamedTuple):
    """Processors for which kernels are compiled."""

    name: str  # of one that LLVM knows
    needs: tuple[str, ...]  # what one has to have, by LLVM's names, to run what was compiled for that


V3 = "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave"
KINDS = {  # by architecture
    "x86_64": Kind("x86-64-v3", tuple(V3.split())),  # of 2013 and later
    "aarch64": Kind("generic", ()),
    "arm64": Kind("generic", ()),  # as Apple calls it
}


def compilers(*versions: Any) -> str:
    """A digest of the compilers: of these versions, and of this package of ours that drives them."""
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.name not in ONLY_TOLD:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> str:
    """A digest of all that code depends on which was compiled for a kind of processors, besides what it was made of."""
    python = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    numpy = np.__version__.split(".")[:2]
    return compilers(python, MAGIC_NUMBER, numba.__version__, llvmlite.__version__, numpy, config.BOUNDSCHECK)


def kind() -> Kind | None:
    """The kind that this machine's processor is of; None if there is none for such."""
    return KINDS.get(binding.get_process_triple().partition("-")[0])


def environment() -> dict[str, str]:
    """The variables of a process that compiles for the kind; nothing if there is none."""
    found = kind()
    if found is None:
        return {}
    return {"NUMBA_CPU_NAME": found.name, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}


@cache
def folder() -> Path:
    """Where kernels of these versions are, if there are any."""
    return PACKED / versions()


@cache
def target() -> tuple[str, str, str] | None:
    """What kernels are compiled for that run here, as Numba has it; None if there are none for this processor."""
    found = kind()
    if found is None or config.CPU_NAME is not None:  # whoever names a processor gets kernels for that
        return None
    has = get_host_cpu_features().split(",")
    if not all(f"+{need}" in has for need in found.needs):
        return None
    return binding.get_process_triple(), found.name, ""


def keep(made: Path, into: Path) -> list[Path]:
    """Keep the kernels of a folder, which were compiled for the kind, where a package brings them along."""
    kept = into / versions()
    kept.mkdir(parents=True, exist_ok=True)
    kernels = [path for path in sorted(made.iterdir()) if path.name not in LEFT and not path.name.endswith(ENDS)]
    return [Path(shutil.copyfile(path, kept / path.name)) for path in kernels]
