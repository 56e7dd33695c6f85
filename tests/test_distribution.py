"""What is given away: the source distribution is whole, and the wheel alone is all that people need.

Both are built as an index would have them: the source distribution from a copy of the repository, wheels from the
unpacked source distribution.  One is for all platforms; one for this, with compiled kernels, is installed into an
environment of its own; only what it depends on is borrowed from the environment of the tests.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import plyground

ROOT = Path(__file__).parent.parent
NO_SOURCE = (".*", "build", "dist", "runs", "*.egg-info", "__pycache__", "_build")
BUILD = "from setuptools import build_meta; print(build_meta.build_{}({!r}))"
LEFT_OUT = {".gitignore", ".ci"}  # of the repository's files


PACKED = ("gomoku(7)", "gomoku-classic")  # whose kernels the wheel has that is installed


def environment(**more: str) -> dict[str, str]:
    """The variables of this process without those that tell of its Python and where its packages are, and more."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))} | more


class Installed(NamedTuple):
    """An environment that has the wheel, and an empty folder to work in."""

    scripts: Path
    folder: Path

    def run(self, program: str, *words: str, stdin: str = "", **variables: str) -> str:
        ran = subprocess.run(
            [str(self.scripts / program), *words],
            cwd=self.folder,
            env=environment(**variables),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


def build(kind: str, source: Path, out: Path, **variables: str) -> Path:
    """Build a distribution in its source folder."""
    out.mkdir(exist_ok=True)
    words, variables = [sys.executable, "-c", BUILD.format(kind, str(out))], os.environ | variables
    ran = subprocess.run(words, cwd=source, env=variables, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return out / ran.stdout.split()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution."""
    place = tmp_path_factory.mktemp("sdist")
    shutil.copytree(ROOT, place / "copy", ignore=shutil.ignore_patterns(*NO_SOURCE), symlinks=True)
    with tarfile.open(build("sdist", place / "copy", place / "dist")) as packed:
        checked: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from Python 3.11.4 on
        packed.extractall(place, **checked)
    return place / f"plyground-{plyground.__version__}"


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", sdist, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def platform_wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that has a few kernels."""
    place = tmp_path_factory.mktemp("platform")
    game, agent = PACKED
    words = ["-m", "plyground", "warmup", game, "--agent", agent, "--into", str(place / "kernels")]
    ran = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert ran.returncode == 0 and re.match(r"[1-9]\d* kernels for ", ran.stdout), ran.stdout + ran.stderr
    return build("wheel", sdist, place / "wheel", PLYGROUND_KERNELS=str(place / "kernels"))


@pytest.fixture(scope="module")
def installed(platform_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place / "venv")], check=True)
    python = place / "venv" / "bin" / "python"
    words = ["install", "--quiet", "--no-index", "--no-deps"]
    for_it = "--python", str(python)
    pip = ["uv", "pip", *words, *for_it] if shutil.which("uv") else [sys.executable, "-m", "pip", *for_it, *words]
    subprocess.run([*pip, str(platform_wheel)], check=True, env=environment())
    (site,) = (place / "venv" / "lib").glob("python*/site-packages")
    # folders that a .pth file names are searched last, and .pth files in them (an editable install) are not read
    (site / "borrowed.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("-packages")))
    (place / "empty").mkdir()
    return Installed(python.parent, place / "empty")


def metadata(wheel: Path) -> Any:
    with zipfile.ZipFile(wheel) as packed:
        return message_from_bytes(packed.read(f"plyground-{plyground.__version__}.dist-info/METADATA"))


def files_in(wheel: Path) -> dict[str, int]:
    """The sizes of the files in the wheel."""
    with zipfile.ZipFile(wheel) as packed:
        return {one.filename: one.file_size for one in packed.infolist()}


def test_the_source_distribution_holds_the_whole_repository(sdist: Path) -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("there is no git here, or no repository")
    files = [one for one in listed.stdout.splitlines() if one.split("/")[0] not in LEFT_OUT and (ROOT / one).exists()]
    assert [one for one in files if not (sdist / one).is_file()] == []


def test_tests_run_in_the_source_distribution(sdist: Path) -> None:
    some = ["tests/test_atomic.py", "tests/test_docs.py", "tests/test_structure.py", "-k", "atomic or links or map"]
    words = ["-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *some]
    environment = os.environ | {"PYTHONPATH": str(sdist / "src")}
    ran = subprocess.run([sys.executable, *words], cwd=sdist, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0 and " passed" in ran.stdout, ran.stdout


def test_the_wheel_tells_what_it_is(wheel: Path) -> None:
    told = metadata(wheel)
    assert told["Version"] == plyground.__version__ and told["License-Expression"] == "Apache-2.0"
    assert told["License-File"] == "LICENSE" and told["Description-Content-Type"] == "text/markdown"
    minor = {one.rpartition(".")[2] for one in told.get_all("Classifier") if "Python :: 3." in one}
    assert minor == {"11", "12", "13", "14"} and told["Requires-Python"] == "<3.15,>=3.11"
    assert "make run" in told.get_payload()


def test_the_wheel_holds_the_package_alone(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in files_in(wheel)}
    assert tops == {"plyground", f"plyground-{plyground.__version__}.dist-info"}


def test_the_weights_of_a_net_are_in_the_wheel_once(wheel: Path) -> None:
    sizes = files_in(wheel)
    large = {name: size for name, size in sizes.items() if size > 100_000 and "/nets/" in name}
    folders: dict[Path, set[str]] = {}
    for name in large:
        folders.setdefault(Path(name).parent, set()).add(Path(name).name)
    kept = {frozenset(names - {"quick.onnx"}) for names in folders.values()}  # quick: in 8-bit numbers
    assert kept == {frozenset({"net.onnx"}), frozenset({"net.safetensors"})}  # what has no ONNX has its weights
    books = sum(size for name, size in sizes.items() if name.endswith("/book.bin"))
    assert max(large.values()) < 3e6 and wheel.stat().st_size < sum(large.values()) + books + 2e6


def test_the_description_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    for target in re.findall(r"\]\(([^)]*)\)", metadata(wheel).get_payload()):
        assert target.startswith("https://"), target


def test_links_of_the_description_lead_to_the_repository_where_its_address_is_known() -> None:
    place = importlib.util.spec_from_file_location("setup_of_plyground", ROOT / "setup.py")
    assert place and place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    readme = (
        "See [more](docs/a.md) or [them](https://example.org/b).\n\n![a picture](docs/c.png)\n\n| ![d](docs/d.png) |\n"
    )
    told = module.described(readme, "https://example.org/ours")
    assert "[more](https://example.org/ours/blob/HEAD/docs/a.md) or [them](https://example.org/b)" in told
    assert "![a picture](https://example.org/ours/raw/HEAD/docs/c.png)" in told
    assert module.described(readme) == "See more or [them](https://example.org/b).\n\n"


def test_a_wheel_that_has_kernels_is_for_this_platform_and_this_python(wheel: Path, platform_wheel: Path) -> None:
    """The one that is built after it has none again."""
    python = "cp{}{}".format(*sys.version_info)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert re.fullmatch(rf"plyground-{plyground.__version__}-{python}-none-(?!any)\w+\.whl", platform_wheel.name)
    kernels = files_in(platform_wheel).keys() - files_in(wheel).keys()
    assert kernels == {name for name in files_in(platform_wheel) if name.startswith("plyground/kernels/")}
    assert any("/deepen-" in name for name in kernels)


def test_what_a_wheel_has_compiled_is_never_compiled_again(installed: Installed, tmp_path: Path) -> None:
    words = ["think", PACKED[0], f"{PACKED[1]}(seconds=0.1)", "--position", "d4 e5", "--json"]
    found = json.loads(installed.run("plyground", *words, XDG_CACHE_HOME=str(tmp_path)))
    assert found["simulations"] > 1
    assert [path.name for path in tmp_path.glob("plyground/kernels/*/*")] == ["tidied"]


def test_the_package_comes_from_the_wheel(installed: Installed) -> None:
    where = installed.run("python", "-c", "import plyground; print(plyground.__file__)").strip()
    assert Path(where).is_relative_to(installed.scripts.parent)
    assert installed.run("plyground", "--version") == f"plyground {plyground.__version__}\n"


def test_a_match_is_played_in_an_empty_folder(installed: Installed) -> None:
    words = ["match", "tictactoe", "uct(sims=100)", "random", "--games", "4", "--jobs", "1", "--json"]
    assert json.loads(installed.run("plyground", *words))["games"] == 4
    assert list(installed.folder.iterdir()) == []


def test_a_net_that_came_with_the_program_plays(installed: Installed) -> None:
    found = json.loads(installed.run("plyground", "think", "tictactoe", "alphazero(sims=20)", "--json"))
    assert sum(move["visits"] for move in found["moves"]) == 19  # the root is the first


@pytest.fixture
def address(installed: Installed) -> Iterator[str]:
    words = [str(installed.scripts / "plyground"), "serve", "--port", "0", "--no-warmup"]
    with subprocess.Popen(words, cwd=installed.folder, env=environment(), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        found = re.search(r"http://[\d.]+:\d+", server.stdout.readline())
        assert found
        yield found[0]
        server.kill()


def test_the_page_is_served_with_all_its_files(address: str) -> None:
    def get(path: str) -> str:
        with urllib.request.urlopen(address + path, timeout=120) as answer:
            return answer.read().decode()

    page = get("/")
    assert "Plyground" in page
    files = re.findall(r'(?:src|href)="(/?static/[^"]+)"', page)
    assert files and all(get("/" + one.lstrip("/")) for one in files)
    listed = json.loads(get("/api/games"))
    assert "tictactoe" in {game["name"] for game in listed["games"]}
    for view in listed["views"]:
        assert get(f"/{view['script']}")


def test_the_engine_plays(installed: Installed) -> None:
    said = installed.run("pbrain-plyground", stdin="ABOUT\nSTART 15\nINFO timeout_turn 0\nTURN 7,7\nEND\n").splitlines()
    assert said[0].startswith("name=") and said[1] == "OK"
    assert re.fullmatch(r"\d+,\d+", said[-1]) and said[-1] != "7,7"
