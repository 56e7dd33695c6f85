"""The folder of compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plyground.jit import cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return cache.set_up()


def test_the_folder_is_named_by_the_compilers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder.name == cache.versions()
    with monkeypatch.context() as other:
        other.setattr(cache.numba, "__version__", "0.1")
        assert cache.versions() != folder.name
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + (b" " if path.name == "compilers.py" else b""))
    assert cache.versions() != folder.name


def test_kernels_and_folders_long_unused_are_removed_and_others_kept(folder: Path) -> None:
    old, recent = folder.parent / "old", folder.parent / "recent"
    old_kernel, recent_kernel = folder / "old", folder / "recent"
    long_ago = time.time() - (cache.KEEP_DAYS + 1) * cache.DAY
    for path in (old, recent):
        (path / "inside").mkdir(parents=True)
    for path in (old_kernel, recent_kernel):
        path.touch()
    for path in (old, old_kernel, folder / "tidied"):
        os.utime(path, (long_ago, long_ago))
    cache.set_up()
    assert folder.exists() and recent.exists() and not old.exists()
    assert recent_kernel.exists() and not old_kernel.exists()


def test_a_folder_of_somebody_else_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    mine = cache.home()
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert cache.home() != mine


def test_the_compilers_settings_are_given_back() -> None:
    import gc

    level = cache.config.OPT
    with pytest.raises(ZeroDivisionError), cache.compiling():
        assert cache.config.OPT <= 1 and not gc.isenabled()
        raise ZeroDivisionError
    assert level == cache.config.OPT and gc.isenabled()


def test_kernels_of_two_processes_do_not_take_each_others_parts(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom plyground import games, rules\n"
        "from plyground.search.depth_first.iterative_deepening import Deepening\n"
        "for spec in sys.argv[1:]:\n    game = games.make(spec)\n"
        "    found = Deepening(game, full=True).search(rules.new(game), 4)\n"
        "    print(found.best.value, found.nodes)"
    )
    boards = ["mnk(4,3,2)", "mnk(5,4,2)"]  # states of two types, to which every process gives the same number
    said = []
    for specs in ([boards[0]], [boards[1]], boards):
        ran = subprocess.run(
            [sys.executable, "-c", code, *specs],
            capture_output=True,
            text=True,
            env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        )
        assert ran.returncode == 0, ran.stderr
        said.append(ran.stdout.splitlines())
    assert said[2] == said[0] + said[1] and said[0] != said[1]
