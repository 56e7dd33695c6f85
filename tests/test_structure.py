"""The house: who may import whom, what a light command must not pay for, and which tests there are."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
SRC = TESTS.parent / "src" / "plyground"

# each part may use those before it
LAYERS = [
    ["spec", "manifest", "bits", "boards"],
    ["jit"],
    ["rules"],
    ["games", "position", "check", "game_files"],
    ["search", "nets"],
    ["scorings"],
    ["exact"],
    ["agents"],
    ["arena"],
    ["learn"],
    ["furniture"],
    ["bench"],
    ["studies"],
    ["web"],
    ["cli"],
    ["__main__"],
]
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}


def imports(path: Path) -> set[str]:
    """The parts of the package that a module imports when it is itself imported or run."""
    here = ["plyground", *path.relative_to(SRC).with_suffix("").parts]
    if here[-1] == "__init__":
        here = here[:-1] + ["__init__"]
    tree = ast.parse(path.read_text())
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in typing_only and node.level:
            base = here[: len(here) - node.level]
            target = base + (node.module.split(".") if node.module else [])
            names = [target] if len(target) > 1 else [target + [alias.name] for alias in node.names]
            found |= {name[1] for name in names if len(name) > 1}
    return found


def test_every_part_imports_only_parts_below_it() -> None:
    for path in SRC.rglob("*.py"):
        part = path.relative_to(SRC).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        for other in imports(path) - {part, "__version__"}:
            if part in ("show", "reports") and other in ("agents", "arena", "exact"):
                continue  # imported by its functions when they are called
            assert RANK[other] < RANK[part], f"{path.name} imports {other}"


def test_games_and_search_do_not_know_each_other() -> None:
    for path in (SRC / "games").glob("*.py"):
        assert not imports(path) & {"search", "agents", "arena"}, path.name
        assert "numba" not in path.read_text().replace("Numba", ""), path.name
    for path in (SRC / "search").glob("*.py"):
        assert not imports(path) & {"games", "agents", "arena"}, path.name


def test_folders_that_the_cache_leaves_out_have_no_kernels() -> None:
    from plyground.jit.cache import WITHOUT

    for folder in WITHOUT:
        for path in (SRC / folder).rglob("*.py"):
            assert not re.search(r"^ *@(kernel|inner|recursive|njit)", path.read_text(), re.M), path


def test_help_does_not_import_the_compiler() -> None:
    code = "import sys; sys.argv = ['plyground', '--help']\nfrom plyground.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += "print('numba' in sys.modules, 'numpy' in sys.modules, 'torch' in sys.modules, 'fastapi' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False False False False"


def test_a_uct_move_needs_no_heavy_library() -> None:
    code = "import sys\nfrom plyground import agents, games, rules\n"
    code += "game = games.make('tictactoe'); agents.make('uct(sims=10)').think(game, rules.new(game))\n"
    code += "print([name for name in ('torch', 'matplotlib', 'pyspiel', 'fastapi', 'ray') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_the_tests_that_begin_first_are_there() -> None:
    longest = runpy.run_path(str(TESTS / "conftest.py"))["LONGEST"]
    assert [name for name in longest if not (TESTS / name).is_file()] == []
    assert len(set(longest)) == len(longest) > 0
