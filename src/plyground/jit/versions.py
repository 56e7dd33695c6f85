"""The gate to Numba's private parts: versions that were tested with them use them, any other does without.

Kernels are compiled by compilers of ours and kept on disk (see `compilers`, `cache`), for which Numba promises nothing
from one minor version to the next.  Without them kernels are compiled by plain `njit`, in every process anew, and are
slower by up to a third; their results are the same.
"""

from __future__ import annotations

import os
import warnings

import numba

TESTED = ("0.68",)  # minor versions of Numba
SWITCH = "PLYGROUND_PLAIN_JIT"  # set to 1, this environment variable does without in any version


def _is_plain(version: str) -> bool:
    """Is this Numba to be used without its private parts?  A version that was not tested is told, once."""
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        return True
    if ".".join(version.split(".")[:2]) in TESTED:
        return False
    tested = ", ".join(TESTED)
    warnings.warn(
        f"Plyground was tested with Numba {tested}, not with {version}: kernels are compiled anew in every process",
        stacklevel=2,
    )
    return True


PLAIN = _is_plain(numba.__version__)
