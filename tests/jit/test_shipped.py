"""Kernels that came with the package: found where the user has none, and only where they run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba.core.registry import cpu_target

from plyground.jit import cache, shipped
from plyground.jit.progress import NotCompiled, without_compiling
from plyground.rules import inner, kernel

NUMBERS = np.arange(5)


@kernel
def third(numbers):
    return numbers[2]


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel as a package brings it along, for a kind that this processor is of; the user's folder is empty."""
    processor = cpu_target.target_context.codegen().magic_tuple()
    for folder in ("made", "own"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(cache.KernelCache, "folder", tmp_path / "made")
    assert kernel(third.py_func)(NUMBERS) == 2
    (tmp_path / "made" / "tidied").touch()
    (tmp_path / "made" / "third-0.lock").touch()
    monkeypatch.setattr(shipped, "PACKED", tmp_path / "packed")
    monkeypatch.setattr(shipped, "folder", lambda: tmp_path / "packed" / shipped.versions())
    [file] = shipped.keep(tmp_path / "made", tmp_path / "packed")
    monkeypatch.setattr(shipped, "target", lambda: processor)
    monkeypatch.setattr(cache.KernelCache, "folder", tmp_path / "own")
    return file


def test_a_kernel_that_came_with_the_package_is_loaded_and_nothing_is_written(packed: Path, tmp_path: Path) -> None:
    assert packed.parent.name == shipped.versions() and packed.name.startswith("third-")
    before = packed.stat().st_mtime_ns
    with without_compiling():
        assert kernel(third.py_func)(NUMBERS) == 2
    assert not [*(tmp_path / "own").iterdir()] and packed.stat().st_mtime_ns == before


def test_it_is_left_alone_where_the_processor_is_of_another_kind(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for target in (None, ("another", "processor", "")):
        monkeypatch.setattr(shipped, "target", lambda target=target: target)
        with without_compiling(), pytest.raises(NotCompiled):
            kernel(third.py_func)(NUMBERS)


def test_a_damaged_one_is_compiled_anew_for_the_user(
    packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    damaged = packed.read_bytes()[:-7]
    packed.write_bytes(damaged)
    cache._say_damaged.cache_clear()
    assert kernel(third.py_func)(NUMBERS) == 2
    assert capsys.readouterr().err.count("damaged") == 1
    assert len([*(tmp_path / "own").iterdir()]) == 1 and packed.read_bytes() == damaged


@pytest.mark.parametrize("lacks", shipped.V3.split())
def test_a_processor_that_lacks_anything_has_none(lacks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def target(features: list[str], named: str | None = None) -> tuple | None:
        monkeypatch.setattr(shipped, "get_host_cpu_features", lambda: ",".join(features))
        monkeypatch.setattr(shipped.config, "CPU_NAME", named)
        return shipped.target.__wrapped__()

    monkeypatch.setattr(shipped.binding, "get_process_triple", lambda: "x86_64-unknown-linux-gnu")
    has = [f"+{feature}" for feature in shipped.V3.split()]
    assert target(has) == ("x86_64-unknown-linux-gnu", "x86-64-v3", "")
    assert target([one.replace("+", "-") if one == f"+{lacks}" else one for one in has]) is None
    assert target(has, "znver4") is None  # whoever names a processor gets kernels for that
    monkeypatch.setattr(shipped.binding, "get_process_triple", lambda: "s390x-ibm-linux")
    assert target(has) is None and shipped.environment() == {}


def test_compiled_code_depends_on_the_versions_of_all_that_compiles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(module: Callable, version: str) -> bool:
        usual = shipped.versions()
        with monkeypatch.context() as other:
            other.setattr(module, "__version__", version)
            return shipped.versions() != usual

    numpy = ".".join(np.__version__.split(".")[:2])
    assert changed(shipped.numba, "0.1") and changed(shipped.llvmlite, "0.1") and changed(shipped.np, "1.0.0")
    assert not changed(shipped.np, f"{numpy}.99")


@inner
def of_all(numbers):
    return third(numbers)


@pytest.mark.parametrize("loaded", [False, True])
def test_a_kernel_that_calls_a_kernel_is_refused(loaded: bool, packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of a kernel cannot be linked into another."""
    called = kernel(third.py_func)
    if not loaded:
        monkeypatch.setattr(called._cache, "load_overload", lambda sig, context: None)
    monkeypatch.setitem(globals(), "third", called)
    with pytest.raises(Exception, match="calls the kernel third"):
        kernel(lambda numbers: of_all(numbers))(NUMBERS)
