"""What pyproject.toml cannot say: the description that package indexes show, and compiled kernels in a wheel.

The description is README.md, whose links lead somewhere outside the repository, too.  Where the `project.urls` name a
Repository, links and pictures lead there; without one a link becomes its text, and pictures are left out.  What people
see of a package then holds no link that leads nowhere.

PLYGROUND_KERNELS=FOLDER makes a wheel for this platform and this minor version of Python, which brings the kernels of
that folder along (`make wheel` fills it); without it the wheel is for all of them, and every user compiles.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path
from shutil import copytree, rmtree

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
KERNELS = os.environ.get("PLYGROUND_KERNELS", "")
PICTURES = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)]+)\)")
LINKS = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")
TABLES = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


def described(readme: str, repository: str = "") -> str:
    """The README with links into the repository at this address; without an address, with none."""
    if repository:
        text = PICTURES.sub(rf"![\1]({repository}/raw/HEAD/\2)", readme)
        return LINKS.sub(rf"[\1]({repository}/blob/HEAD/\2)", text)
    text = TABLES.sub(lambda table: "" if PICTURES.search(table[0]) else table[0], readme)
    text = LINKS.sub(r"\1", PICTURES.sub("", text))
    return re.sub(r"\n{3,}", "\n\n", text)


class WithKernels(build_py):
    """Lays the kernels into the package."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            place = Path(self.build_lib, "plyground", "kernels")
            rmtree(place, ignore_errors=True)  # of a wheel that was built before
            if KERNELS:
                copytree(KERNELS, place)


class Plyground(Distribution):
    """With kernels it is for one platform, as others are that have compiled extensions."""

    def has_ext_modules(self) -> bool:
        return bool(KERNELS)


class ForThisPython(bdist_wheel):
    """A wheel that has kernels is for this minor version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        python, abi, platform = super().get_tag()
        return (
            (f"cp{sys.version_info[0]}{sys.version_info[1]}", "none", platform) if KERNELS else (python, abi, platform)
        )


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        long_description=described(
            (ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Repository", "")
        ),
        long_description_content_type="text/markdown",
        distclass=Plyground,
        cmdclass={"build_py": WithKernels, "bdist_wheel": ForThisPython},
    )
