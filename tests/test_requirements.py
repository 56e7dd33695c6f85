"""What `make run` and `make test` install is locked: all that pyproject.toml asks for, for every machine."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {"run": "web", "test": "test"}  # that each file is locked for
MACHINES = [
    {"sys_platform": system, "platform_system": name, "platform_machine": machine, "os_name": os_name}
    for system, name, machine, os_name in [
        ("linux", "Linux", "x86_64", "posix"),
        ("linux", "Linux", "aarch64", "posix"),
        ("darwin", "Darwin", "arm64", "posix"),
        ("win32", "Windows", "AMD64", "nt"),
    ]
]
ENVIRONMENTS = [
    {**default_environment(), **machine, "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    for machine, python in product(MACHINES, ("3.11", "3.12", "3.13", "3.14"))
]


class Pin(NamedTuple):
    name: str
    version: Version
    marker: Marker | None
    digests: list[str]


@cache
def locked(file: str) -> list[Pin]:
    lines = [line for line in (ROOT / "requirements" / f"{file}.txt").read_text().splitlines() if "#" not in line]
    found = []
    for text in "\n".join(lines).replace("\\\n", "").splitlines():
        told, *digests = text.split("--hash=")
        one = Requirement(told)
        version = str(one.specifier).removeprefix("==")
        pin = Pin(canonicalize_name(one.name), Version(version), one.marker, [digest.strip() for digest in digests])
        assert str(one.specifier) == f"=={version}" and not one.url, text
        found.append(pin)
    return found


def there(file: str, environment: dict[str, str]) -> dict[str, Version]:
    """The versions that are installed in an environment; no package has two."""
    found = [pin for pin in locked(file) if pin.marker is None or pin.marker.evaluate(environment)]
    assert len({pin.name for pin in found}) == len(found)
    return {pin.name: pin.version for pin in found}


def asked(extra: str) -> list[Requirement]:
    """What the package and an extra of it ask for."""
    todo, found = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]], []
    for text in todo:
        one = Requirement(text)
        if one.name == PROJECT["name"]:
            todo += [more for name in sorted(one.extras) for more in PROJECT["optional-dependencies"][name]]
        else:
            found.append(one)
    return found


def torch() -> Requirement:
    return Requirement((ROOT / "requirements" / "torch.txt").read_text().splitlines()[-1])


@pytest.mark.parametrize("file", EXTRAS)
def test_all_that_is_asked_for_is_locked_on_every_machine(file: str) -> None:
    needs = [one for one in asked(EXTRAS[file]) if one.name != torch().name]
    assert len(needs) > 10
    for environment in ENVIRONMENTS:
        versions = there(file, environment)
        for one in needs:
            if one.marker is not None and not one.marker.evaluate(environment):
                continue
            assert versions[canonicalize_name(one.name)] in one.specifier, one


def test_torch_is_pinned_by_its_version_alone() -> None:
    (needed,) = {one for one in asked("test") if one.name == "torch"}
    (exact,) = torch().specifier
    assert exact.operator == "==" and Version(exact.version) in needed.specifier
    assert not {"torch", "triton"} & {pin.name for pin in locked("test")}


@pytest.mark.parametrize("file", EXTRAS)
def test_what_is_locked_asks_for_nothing_else(file: str) -> None:
    """Packages are installed as they are listed, without a look at what they need: so that has to be listed, too."""
    versions = there(file, {**default_environment(), "extra": ""})
    missing = set()
    for name in [*versions, *(["torch"] if file == "test" else [])]:
        try:
            needs = metadata.requires(name) or []
        except (
            metadata.PackageNotFoundError
        ):  # the tests run with fewer packages, or others, than those that are locked
            continue
        for one in map(Requirement, needs):
            wanted = one.marker is None or one.marker.evaluate({"extra": ""})
            built_for = name == "torch" and re.match(r"nvidia|cuda|triton", one.name)
            if wanted and not built_for and canonicalize_name(one.name) not in versions:
                missing.add(f"{name}: {one}")
    assert not missing, "make lock"


def test_the_page_runs_on_what_is_tested() -> None:
    tested = {(pin.name, pin.version, str(pin.marker)): pin.digests for pin in locked("test")}
    for pin in locked("run"):
        assert tested[pin.name, pin.version, str(pin.marker)] == pin.digests


@pytest.mark.parametrize("file", [*EXTRAS, "uv"])
def test_every_file_has_a_digest_and_none_an_address(file: str) -> None:
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", digest) for pin in locked(file) for digest in pin.digests)
    assert all(pin.digests for pin in locked(file))
    assert "://" not in (ROOT / "requirements" / f"{file}.txt").read_text()


def test_only_what_needs_it_has_an_upper_bound() -> None:
    """Numba and numba-cuda, whose private parts are used version by version; and Python, which Numba follows."""
    bounded = {
        one.name for one in asked("test") if any(part.operator in ("<", "<=", "==", "~=") for part in one.specifier)
    }
    assert bounded == {"numba", "numba-cuda"}
