"""Which changes of sources make another kernel, and which do not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

import plyground
from plyground import games
from plyground.games.k_in_row.pattern_net.kernel import judge_all
from plyground.games.k_in_row.tactics.threes import search
from plyground.jit.cache import KernelCache
from plyground.jit.reach import Reach
from plyground.manifest import loaded
from plyground.search.depth_first import alphabeta
from plyground.search.mcts.simulate import grow
from plyground.search.mcts.skeleton import run_to_end

# a kernel, what it calls, a game and a scoring, as the package has them: classes outside it would be named by digests
FILES = {
    "kernels.py": '''
"""Kernels."""
import deeper
from helper import twice
from plyground.rules import inner, kernel
WEIGHT = 3
UNUSED = 4
@kernel
def run(game, scoring, out):
    """Run."""
    out[0] = step(game, out) + WEIGHT * scoring.judge(game, out)
@inner
def step(game, out):
    # a step
    return twice(game.score(out)) + deeper.BASE + other(out)
@inner
def other(out):
    return 0
''',
    "helper.py": """
from deeper import add
from plyground.rules import inner
@inner
def twice(x):
    return add(x, x)
""",
    "deeper.py": """
from plyground.rules import inner
BASE = 100
@inner
def add(x, y):
    return x + y
def plain(x):
    return x + 0
def nobody_calls(x):
    return x
""",
    "world.py": """
from typing import NamedTuple
from deeper import plain
class World(NamedTuple):
    size: int = 2
    def score(game, state):
        return game.size + plain(game.over(state))
    def over(game, state):
        return 10
    def text(game, state):
        return "a world"
class Points(NamedTuple):
    weight: int = 1
    def judge(scoring, game, state):
        return scoring.weight * game.size
""",
}
# for every folder, the kernel's answer and whether it was compiled, with modules that were not imported before
RUN = """
import numpy, sys
import plyground.search.scoring
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    from kernels import run
    from world import Points, World
    out = numpy.zeros(1, numpy.int64)
    run(World(), Points(), out)
    print(out[0], "compiled" if run.stats.cache_misses else "loaded")
    sys.path.remove(folder)
    for name in ("kernels", "helper", "deeper", "world"):
        del sys.modules[name]
"""
REACHED = {  # file, what is changed, how, and the kernel's answer
    "a constant": ("kernels.py", "WEIGHT = 3", "WEIGHT = 4", 132),
    "the kernel": ("kernels.py", "step(game, out) +", "step(game, out) -", 118),
    "an inner function": ("kernels.py", "return 0", "return 1", 131),
    "a function two levels deep": ("deeper.py", "x + y", "x - y", 106),
    "a constant of a module": ("deeper.py", "BASE = 100", "BASE = 200", 230),
    "a rule": ("world.py", "game.size + plain(game", "game.size - plain(game", 90),
    "a rule that a rule calls": ("world.py", "return 10", "return 11", 132),
    "a function that a rule calls": ("deeper.py", "x + 0", "x + 1", 132),
    "a method of a scoring": ("world.py", "scoring.weight * game.size", "scoring.weight * 5", 139),
}
UNREACHED = {
    "a comment": ("kernels.py", "# a step", "# one step\n\n"),
    "a docstring": ("kernels.py", '"""Run."""', '"""Run\n\n    it."""'),
    "a docstring of the module": ("kernels.py", '"""Kernels."""', '"""Some kernels."""\nimport math'),
    "a constant that is not named": ("kernels.py", "UNUSED = 4", "UNUSED = 5"),
    "a function that is not called": ("deeper.py", "return x\n", "return -x\n"),
    "a method that is not called": ("world.py", '"a world"', '"the world"'),
}


def run(cache: Path, folders: list[Path]) -> list[tuple[int, str]]:
    """The kernel's answer and whether it was compiled, for one folder after the other in a process of their own."""
    source = str(Path(plyground.__file__).parent.parent)
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": source}
    words = [sys.executable, "-B", "-c", RUN, *map(str, folders)]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return [(int(answer), how) for answer, how in map(str.split, ran.stdout.splitlines())]


def write(folder: Path, file: str = "", old: str = "", new: str = "") -> Path:
    folder.mkdir()
    for name, text in FILES.items():
        assert name != file or old in text
        (folder / name).write_text(text.replace(old, new) if name == file else text)
    return folder


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What comes of every change, in a process that finds the kernel of the unchanged files in the cache."""
    cache, place = tmp_path_factory.mktemp("cache"), tmp_path_factory.mktemp("changed")
    assert run(cache, [write(place / "first")]) == [(130, "compiled")]
    changes = [*((name, edit[:3]) for name, edit in REACHED.items()), *UNREACHED.items()]
    folders = [write(place / name, *edit) for name, edit in changes]
    return dict(zip((name for name, _ in changes), run(cache, folders), strict=True))


@pytest.mark.parametrize("change", REACHED)
def test_a_change_that_the_kernel_reaches_makes_another_kernel(change: str, changed: dict[str, tuple]) -> None:
    assert changed[change] == (REACHED[change][-1], "compiled")


@pytest.mark.parametrize("change", UNREACHED)
def test_a_change_that_the_kernel_does_not_reach_compiles_nothing(change: str, changed: dict[str, tuple]) -> None:
    assert changed[change] == (130, "loaded")


def test_comments_everywhere_in_the_package_compile_nothing_and_a_rule_does(tmp_path: Path) -> None:
    package = tmp_path / "plyground"
    unneeded = shutil.ignore_patterns("nets", "static", "known", "__pycache__")
    shutil.copytree(Path(plyground.__file__).parent, package, ignore=unneeded)
    shutil.copytree(Path(plyground.__file__).parent / "nets", package / "nets")

    def think() -> str:
        code = "from plyground.cli import main; main()"
        arguments = ["think", "mnk(2,2,2)", "minimax"]
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
        ran = subprocess.run(
            [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, check=True
        )
        return ran.stderr

    assert "compiling" in think()
    for path in package.rglob("*.py"):
        if path.parent.name != "jit":
            path.write_text("# a remark\n" + path.read_text() + "\n# another\n")
    assert think() == ""
    path = package / "games" / "k_in_row" / "rows.py"
    path.write_text(path.read_text() + "\nput_before = put\ndef put(*all):\n    return put_before(*all)\n")
    assert "compiling" in think()


# every function that Numba compiles for a kernel, while it does
COMPILED = """
import sys
from numba.core import sigutils
from numba.core.compiler import CompilerBase
from numba.core.dispatcher import Dispatcher
from plyground import agents, games, rules
from plyground.games.k_in_row.pattern_net.kernel import judge_all
from plyground.games.k_in_row.tactics.threes import search
from plyground.jit.cache import KernelCache
from plyground.jit.reach import Reach
kernels, count, missed = [], 0, set()
compile_function, compile_kernel = CompilerBase.compile_extra, Dispatcher.compile
def function_compiled(self, function):
    global count
    if kernels and not function.__module__.startswith(("numba.", "plyground.jit.decorators")):
        count += 1
        missed.update({function.__qualname__} if function not in kernels[-1] else ())
    return compile_function(self, function)
def kernel_compiled(self, sig):
    if not isinstance(self._cache, KernelCache):
        return compile_kernel(self, sig)
    reach = Reach()
    reach.add(self)
    for kind in sigutils.normalize_signature(sig)[0]:
        reach.add_type(kind)
    reach.digest()
    kernels.append(reach.functions)
    try:
        return compile_kernel(self, sig)
    finally:
        kernels.pop()
CompilerBase.compile_extra, Dispatcher.compile = function_compiled, kernel_compiled
for agent in sys.argv[1:]:
    game = games.make("mnk(3,3,3)")
    agents.make(agent).think(game, rules.new(game))
print(count, missed or "none")
"""


def test_all_that_is_compiled_into_kernels_is_reached(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", COMPILED, "rave(sims=3)", "alphabeta(depth=1)"],
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_OPT": "0"},  # LLVM's work is not looked at
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    count, missed = ran.stdout.split()
    assert int(count) > 20 and missed == "none"


def digest(source: str, name: str = "f", **known: object) -> str:
    space = {"np": np, **known}
    exec(source, space)
    reach = Reach()
    reach.add(space[name])
    return reach.digest()


def test_values_count_and_their_places_do_not() -> None:
    one = digest("def f(): return A[0]", A=np.arange(3))
    assert one == digest("\n\n\ndef f(): return A[0]", A=np.arange(3))
    assert (
        len({one, digest("def f(): return A[0]", A=np.arange(4)), digest("def f(): return A[1]", A=np.arange(3))}) == 3
    )
    assert digest("def f(x=1): return x") != digest("def f(x=2): return x")
    assert digest("def f(x=1): return x") != digest("def f(x=True): return x")
    swapped = [
        "def make(n):\n    def g(): return n\n    return g\na, b = make(1), make(2)\ndef f(): return a() - b()",
        "def make(n):\n    def g(): return n\n    return g\na, b = make(2), make(1)\ndef f(): return a() - b()",
    ]
    assert digest(swapped[0]) != digest(swapped[1])


def test_a_docstring_counts_only_where_it_is_also_a_constant() -> None:
    assert digest('def f():\n    "one"\n    return 1') == digest('def f():\n    "two"\n    return 1')
    assert digest('def f():\n    "one"\n    return "one"') != digest('def f():\n    "two"\n    return "two"')


def test_a_module_that_a_closure_holds_counts_by_what_is_named_of_it() -> None:
    def found(**values: int) -> str:
        module = ModuleType("held")
        vars(module).update(values)

        def rule() -> int:
            return module.weight

        reach = Reach()
        reach.add(rule)
        return reach.digest()

    assert found(weight=1) == found(weight=1, other=2)
    assert found(weight=1) != found(weight=7)


def test_circles_come_to_an_end() -> None:
    text = "def f(n): return g(n)\ndef g(n): return f(n - 1) + {0}\nL = []\nL.append(L)\ndef h(): return L, f"
    assert digest(text.format(1), "h") == digest(text.format(1), "h") != digest(text.format(2), "h")


class Measured(NamedTuple):
    """A game with what only Python calls, by names that kernels have for something else."""

    side: int

    @property
    def size(game) -> int:
        return game.side * game.side

    @cache  # noqa: B019
    def shape(game) -> int:
        return game.side


def test_what_is_made_of_a_function_counts_by_it() -> None:
    def found(value: object) -> str:
        reach = Reach()
        reach.add(value)
        return reach.digest()

    made = Measured.size, Measured.shape, cached_property(Measured.shape.__wrapped__)
    assert [found(value) for value in made] == [found(value) for value in made]
    assert found(Measured.shape) == found(Measured.shape.__wrapped__)


@pytest.mark.skipif(
    not isinstance(getattr(run_to_end, "_cache", None), KernelCache),
    reason="kernels are not kept here by what they reach",
)
def test_kernels_have_the_same_name_for_the_same_games_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is drawn would be met never again: its kernel would be compiled in every process."""

    def drawn() -> None:
        raise AssertionError("nothing tells what is reached there")

    monkeypatch.setattr("plyground.jit.reach.uuid4", drawn)
    loaded(games.registry(), games.make)
    # games of OpenSpiel are interpreted
    names = [name for name in sorted(sys.modules) if name.startswith("plyground.") and "openspiel" not in name]
    classes = {one for name in names for one in vars(sys.modules[name]).values() if isinstance(one, type)}
    tuples = [one for one in classes if issubclass(one, tuple) and one.__module__ in names]
    assert len(tuples) > 30
    for kernel in (grow, alphabeta.run, run_to_end, search, judge_all):
        reach = Reach()
        for one in (kernel, *tuples):
            reach.add(one)
        reach.digest()


def test_a_digest_is_the_same_in_every_process() -> None:
    code = (
        "from plyground.jit.reach import Reach\nfrom plyground.search.mcts.simulate import grow\n"
        "reach = Reach()\nreach.add(grow)\nreach.add({'a', 'b', 'c'})\nprint(reach.digest())"
    )
    said = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        said.add(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True).stdout)
    assert len(said) == 1 and said != {b""}
