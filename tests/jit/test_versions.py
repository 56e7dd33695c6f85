"""With Numba's private parts and without them: the same trees, and one place that knows them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import pytest

import plyground
from plyground.jit import versions
from toys import heap_file

SRC = Path(plyground.__file__).parent

# what agents of every kind think, visit for visit; each is one kernel, and plain Numba compiles it anew
CORE = """
import sys
from plyground import agents, games, rules
from plyground.jit.versions import PLAIN
print("plain" if PLAIN else "own compilers", file=sys.stderr)
for spec, agent in [line.split(" ", 1) for line in sys.argv[1:]]:
    game = games.make(spec)
    thought = agents.make(agent, seed=3).think(game, rules.new(game))
    told = [(move.action, move.visits, move.value, move.proven) for move in thought.moves]
    print(agent, thought.simulations, thought.value, told)
"""
AGENTS = ["rave(sims=300)", "minimax"]  # of a game of few rules


def core(*lines: str, **environment: str) -> subprocess.CompletedProcess:
    ran = subprocess.run(
        [sys.executable, "-c", CORE, *lines], env=os.environ | environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran


def test_trees_are_the_same_without_the_private_parts(tmp_path: Path) -> None:
    own, plain = tmp_path / "heap.py", tmp_path / "cache"
    own.write_text(heap_file(4))
    lines = ["tictactoe alphazero(sims=60)", *(f"{own}:Heap {agent}" for agent in AGENTS)]
    usual = core(*lines)
    # without LLVM's optimisations: what is compared is Numba's work, and the machine code runs for a moment
    without = core(*lines, PLYGROUND_PLAIN_JIT="1", XDG_CACHE_HOME=str(plain), NUMBA_OPT="0")
    assert "own compilers" in usual.stderr and "plain" in without.stderr
    assert usual.stdout == without.stdout and usual.stdout.count("\n") == len(lines)
    assert not (plain / "plyground" / "kernels").exists()


@pytest.mark.parametrize("version, plain", [(numba.__version__, False), ("0.1.0", True), ("99.0.0rc1", True)])
def test_versions_that_were_not_tested_do_without_and_say_so(
    version: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(versions.SWITCH, raising=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert versions._is_plain(version) == plain
    assert len(said) == plain and all(version in str(one.message) for one in said)
    monkeypatch.setenv(versions.SWITCH, "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert versions._is_plain(version)


def test_numba_is_capped_at_the_newest_version_that_was_tested() -> None:
    [found] = re.findall(r'"numba>=([\d.]+),<([\d.]+)"', (SRC.parent.parent / "pyproject.toml").read_text())
    oldest, next_minor = ([int(part) for part in end.split(".")[:2]] for end in found)
    tested = sorted([int(part) for part in version.split(".")] for version in versions.TESTED)
    assert tested[0] == oldest and [tested[-1][0], tested[-1][1] + 1] == next_minor


def imported(path: Path) -> set[str]:
    """The modules that a file imports whole, if it names a compiler at all."""
    found, text = set(), path.read_text()
    for node in ast.walk(ast.parse(text if "numba" in text or "llvmlite" in text else "")):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module)
    return found


def test_nothing_else_imports_the_compilers() -> None:
    seen = set()
    for path in SRC.rglob("*.py"):
        compilers = {name for name in imported(path) if name.split(".")[0] in ("numba", "llvmlite")}
        if path.parent != SRC / "jit":
            assert not compilers, path
        elif any(name.startswith(("numba.core", "llvmlite")) for name in compilers - {"numba.core.errors"}):
            seen.add(path.stem)
    # which are not imported without the private parts
    assert seen == {"cache", "compilers", "memory", "memos", "shipped", "templates"}
