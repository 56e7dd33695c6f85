"""The folder of compiled kernels."""

from __future__ import annotations

import gc
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache

from plyground.jit import cache
from plyground.jit.compilers import _sooner
from plyground.jit.first_use import compiling
from plyground.rules import kernel


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


@pytest.mark.parametrize("named", ["kernels", "version"])
def test_a_file_in_the_place_of_the_folder_makes_room_with_one_word(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(cache, "home", lambda: tmp_path)
    cache._say_damaged.cache_clear()
    file = tmp_path / "kernels" / (cache.versions() if named == "version" else "")
    file.parent.mkdir(exist_ok=True)
    file.touch()
    assert cache.set_up().is_dir() and cache.set_up().parent == tmp_path / "kernels"
    assert capsys.readouterr().err.count("damaged") == 1


def test_where_no_folder_can_be_made_a_temporary_one_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "home", lambda: tmp_path / "nowhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cache.set_up().is_dir() and cache.set_up().parents[1] == tmp_path


def test_where_only_posix_has_something_the_program_starts_without(tmp_path: Path) -> None:
    code = """
import os, sys
import platformdirs  # it looks for what the system has that it finds itself on
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
for name in ("sched_getaffinity", "getuid", "killpg", "fork"):
    delattr(os, name)
os.environ["NUMBA_DISABLE_JIT"] = "1"
import plyground.jit.cache
import plyground.web.commands, plyground.web.server  # what else starts and ends processes
from plyground.cli import main
from plyground.machine import cores
assert cores() == os.cpu_count()
sys.argv = ["plyground", "match", "tictactoe", "random", "uct(sims=3)", "--games", "2", "--jobs", "1", *sys.argv[1:]]
main()
"""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code, "--out", str(tmp_path / "match")], env=environment, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode()


@kernel
def last(numbers):
    return numbers[-1]


@pytest.mark.parametrize("damage", ["truncated", "empty", "garbage", "no pickle"])
def test_a_damaged_kernel_is_made_anew_with_one_word(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(cache.KernelCache, "folder", tmp_path)
    numbers = np.arange(5)
    cache._say_damaged.cache_clear()
    assert kernel(last.py_func)(numbers) == 4
    [file] = tmp_path.iterdir()
    whole, nonsense = file.read_bytes(), b"no pickle"
    garbage = {"truncated": whole[:-7], "empty": b"", "garbage": b"\0" * len(whole)}
    file.write_bytes(garbage.get(damage, hashlib.sha256(nonsense).digest() + nonsense))
    for hits, words in ((0, 1), (1, 0)):
        made = kernel(last.py_func)
        assert made(numbers) == 4 and len(made.stats.cache_hits) == hits
        assert capsys.readouterr().err.count("damaged") == words
    assert [*tmp_path.iterdir()] == [file]


def settings() -> tuple[int, bool]:
    return int(numba.config.OPT), gc.isenabled()


def test_the_compilers_settings_are_given_back() -> None:
    usual = settings()
    with pytest.raises(ZeroDivisionError), compiling(), _sooner():
        assert settings() == (1, False)
        raise ZeroDivisionError
    assert settings() == usual
    with _sooner():
        assert settings() == (usual[0], False)
    assert settings() == usual


def test_two_threads_that_compile_at_once_keep_their_settings_and_give_them_back() -> None:
    usual, met, seen = settings(), threading.Barrier(2), {}

    def compile_at(level: int) -> None:
        with compiling(level):
            met.wait()  # both are here
            with _sooner():
                seen[level] = settings()
                time.sleep(0.02)
                assert seen[level] == settings()
            met.wait()

    for _ in range(5):
        threads = [threading.Thread(target=compile_at, args=(level,)) for level in (0, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == {0: (0, False), 2: (2, False)} and settings() == usual


def test_kernels_that_two_threads_compile_leave_the_settings_alone() -> None:
    usual, met, answers = settings(), threading.Barrier(2), []

    def compile_one(number: int) -> None:
        made = kernel(lambda numbers: numbers[0] + number)
        made._cache = NullCache()
        met.wait()
        with compiling():
            answers.append(made(np.arange(3)))

    threads = [threading.Thread(target=compile_one, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [1, 2] and settings() == usual


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
