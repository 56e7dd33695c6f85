"""Files that are written are there whole or not at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import plyground
from plyground import atomic


def test_a_file_takes_the_place_of_the_old_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    for content in (b"old", "new \u00e4", b""):
        atomic.write(tmp_path / "a.json", content)
        assert (tmp_path / "a.json").read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_fails_on_the_way_leaves_the_old_file(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atomic.write(tmp_path / "a", b"old")

    def fail(*_: object) -> None:
        assert (tmp_path / "a").read_bytes() == b"old"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space") as refused:
        atomic.write(tmp_path / "a", b"new")
    assert refused.value.filename == str(tmp_path / "a")
    assert os.listdir(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"old"


def test_what_need_not_be_durable_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("waited"))
    atomic.write(tmp_path / "a", b"new", durable=False)
    assert (tmp_path / "a").read_bytes() == b"new"


def test_what_is_durable_is_on_disk_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle)), sync(handle)))
    atomic.write(tmp_path / "a", b"new")
    assert [synced[0].st_size, synced[1].st_ino] == [3, tmp_path.stat().st_ino]


def test_a_name_as_long_as_names_may_be_is_written(tmp_path: Path) -> None:
    for name in ("x" * 255, "\u6f22" * 85):
        atomic.write(tmp_path / name, b"new")
        assert name in os.listdir(tmp_path)


def test_lines_are_added_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    atomic.append(path, "one\n")
    atomic.append(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space") as refused:
        atomic.append(path, "three\n")
    assert refused.value.filename == str(path) and path.read_bytes() == b"one\ntwo\n"


def test_there_is_no_other_way_to_put_a_file_in_place() -> None:
    for path in Path(plyground.__file__).parent.rglob("*.py"):
        if path.name != "atomic.py":
            others = r"os\.(replace|rename)\(|mkstemp|NamedTemporaryFile|write_text|write_bytes|[^d]open\([^)]*\"[wax]"
            assert not re.search(others, path.read_text()), path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_might_never_end_or_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"whole")
    assert atomic.read(tmp_path / "a") == b"whole" == atomic.read(str(tmp_path / "a"), 5)
    os.mkfifo(tmp_path / "pipe")
    os.truncate(tmp_path / "a", 3 << 20)
    for name, most, says in (("pipe", 9, "no plain file"), ("a", 2 << 20, "more than 2 MiB"), (".", 9, "directory")):
        with pytest.raises(OSError) as refused:
            atomic.read(tmp_path / name, most)
        assert says in (refused.value.strerror or "") and refused.value.filename == str(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        atomic.read(tmp_path / "none")
    with pytest.raises(OSError, match="no plain file"):
        atomic.read("/dev/zero")
