"""Runs commands of Plyground as a terminal would: in this process, or in one of their own where that is the point."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
import typer.main

from plyground import cli
from plyground.jit import cuda as gpu
from plyground.spec import InputError

typer.main.get_command = cache(typer.main.get_command)  # a process has many commands here, not one
PLYGROUND = str(Path(sys.executable).parent / "plyground")


class Ran(NamedTuple):
    """What came of a command."""

    returncode: Any
    stdout: str
    stderr: str


def run(*words: str, stdin: str = "") -> Ran:
    """Run a command in this process; whatever it does not answer itself is raised."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = None
    with (
        patch.object(sys, "argv", [PLYGROUND, *words]),
        patch.object(sys.modules["__main__"], "__package__", None, create=True),  # nor is it `python -m pytest`
        patch.object(sys, "stdin", io.StringIO(stdin)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    return Ran(code, out.getvalue(), err.getvalue())


def run_alone(*words: str, **environment: str) -> Ran:
    """Run the installed command in a process of its own."""
    ran = subprocess.run(
        [PLYGROUND, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=300,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def answer(*words: str) -> dict:
    """What a command says with --json: one line."""
    ran = run(*words, "--json")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\n") == 1
    return json.loads(ran.stdout)


def refusal(ran: Ran) -> str:
    """The one line with which a command refuses."""
    lines = [line for line in ran.stderr.splitlines() if "compiling" not in line]
    assert ran.returncode == 2, ran
    assert len(lines) == 1 and lines[0].startswith("plyground: "), ran.stderr
    assert ran.stdout == "" and "Traceback" not in ran.stderr
    return lines[0]


def interpreted(file: str, **environment: str) -> Any:
    """What a test file prints as JSON when it is run by itself, without the compiler, in this environment besides."""
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", file],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def simulated(file: str) -> Any:
    """What a test file prints when kernels for a GPU run in numba-cuda's simulator, interpreted."""
    pytest.importorskip("numba_cuda")
    return interpreted(file, NUMBA_ENABLE_CUDASIM="1")


def has_gpu() -> bool:
    """Is there a GPU that numba-cuda can use?"""
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return False
    try:
        return not gpu.is_simulated(gpu.load())
    except InputError:
        return False
