"""The folder in which processes keep what they have made."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs
import pytest

from plyground.cache_folder import home


def test_a_folder_of_somebody_else_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    mine = home()
    assert mine == tmp_path / "plyground"
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert home() != mine


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_the_folder_is_closed_to_others_and_one_that_others_may_write_to_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    assert home().stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "plyground"
    folder.mkdir()
    folder.chmod(0o755)
    assert home() == folder and folder.stat().st_mode & 0o777 == 0o700
    for others in (0o770, 0o702):
        folder.chmod(others)
        assert home() != folder
        assert home() != folder
    assert capsys.readouterr().err.count(f"{folder} is not used as cache") == 1  # once for each folder


def test_the_usual_place_is_that_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home() == Path(platformdirs.user_cache_dir("plyground", appauthor=False))
    if sys.platform == "linux":
        assert home() == tmp_path / ".cache" / "plyground"
