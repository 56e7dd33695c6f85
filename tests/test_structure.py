"""The house: who may import whom, what a light command must not pay for, and which tests there are."""

from __future__ import annotations

import ast
import json
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

from plyground import games

TESTS = Path(__file__).parent
SRC = TESTS.parent / "src" / "plyground"

# each part may use those before it
LAYERS = [
    ["spec", "atomic", "bits", "heartbeat", "machine", "tables", "watchdog", "cache_folder"],
    ["manifest", "child", "jit", "plots", "sealed", "sources", "user_files"],
    ["boards"],
    ["rules"],
    ["games"],  # the registry, and what several games share
    ["game rules", "position", "check", "game_files", "drawing"],
    ["search", "nets"],
    ["scorings"],
    ["exact"],
    ["agents"],
    ["game_review"],
    ["progress"],
    ["warmup"],
    ["envs"],
    ["arena"],
    ["cluster"],
    ["learn"],
    ["report"],
    ["programs"],
    ["furniture"],  # what a family of games has besides its rules
    ["bench"],
    ["studies"],
    ["web"],
    ["views"],  # how a family of games is shown on the page
    ["api"],
    ["cli"],
    ["trust"],  # tries all of them; the commands name it, and do not import it
    ["trials"],  # what a family of games has that is tried
    ["__main__"],
]
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}


# names of games and of their classes; what general code may not know
NAMES = re.compile(r"tetris|gomoku|line.?taking|\bmnk|connect[-_ ]?four", re.IGNORECASE)
SPECIFIC = ("games", "studies", "bench")  # what may name games
EXAMPLE, LIBRARY = "tictactoe", "openspiel"  # the game that whoever says nothing else begins with; no game alone


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All parts of a module's syntax."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def modules(path: Path) -> set[tuple[str, ...]]:
    """The modules of the package, as tuples, that a module imports when it is itself imported or run."""
    here = ["plyground", *path.relative_to(SRC).with_suffix("").parts]
    typing_only = {
        id(node)
        for block in nodes(path)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and id(node) not in typing_only and node.level:
            target = here[: len(here) - node.level] + (node.module.split(".") if node.module else [])
            for alias in node.names:
                whole = [*target[1:], alias.name]
                is_module = (SRC / Path(*whole)).is_dir() or (SRC / Path(*whole)).with_suffix(".py").is_file()
                found.add(tuple(whole if is_module else whole[:-1]))
    return found - {()}


@cache
def rules_of(family: Path) -> set[Path]:
    """The modules of a family that its rules are made of; none of one that has no game."""
    found, todo = set(), {family / "rules.py"} if (family / "rules.py").is_file() else set()
    while todo:
        path = todo.pop()
        found.add(path)
        here = {(SRC / Path(*module)).with_suffix(".py") for module in modules(path)}
        todo |= {other for other in here if other.parent == family} - found
    return found


@cache
def part_of(path: Path) -> str:
    """The part that a module belongs to."""
    top, *below = path.relative_to(SRC).with_suffix("").parts
    if top != "games" or len(below) == 1 or (below[-1] == "__init__" and len(below) == 2):
        return top
    if below[1] == "view":
        return "views"
    if below[-1] == "trial":
        return "trials"
    return "game rules" if path in rules_of(SRC / "games" / below[0]) else "furniture"


def file_of(module: tuple[str, ...]) -> Path:
    path = SRC / Path(*module)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_every_part_imports_only_parts_below_it() -> None:
    for path in SRC.rglob("*.py"):
        part = part_of(path)
        for module in modules(path) if part != "__init__" else ():
            other = part_of(file_of(module))
            assert other == part or RANK[other] < RANK[part], f"{path.relative_to(SRC)} imports {'.'.join(module)}"


def test_general_code_imports_no_game() -> None:
    for path in SRC.rglob("*.py"):
        if path.relative_to(SRC).parts[0] not in SPECIFIC:
            games = [module for module in modules(path) if module[0] == "games" and len(module) > 1]
            assert not games, f"{path.relative_to(SRC)} imports {games}"


def test_general_code_names_no_game() -> None:
    for path in [*SRC.rglob("*.py"), *SRC.rglob("*.js"), *SRC.rglob("*.css"), *SRC.rglob("*.html")]:
        if path.relative_to(SRC).parts[0] in SPECIFIC:
            continue
        named = [line.strip() for line in without_examples(path).splitlines() if NAMES.search(line)]
        assert not named, f"{path.relative_to(SRC)}: {named[:3]}"


def test_general_code_makes_and_asks_for_no_game_there_is() -> None:
    """No string is a spec of a registered game, and nothing has the name of a class of rules."""
    classes = {where.partition(":")[2] for where in games.registry().values()} - {LIBRARY}
    names = "|".join(map(re.escape, {*games.registry()} - {EXAMPLE, LIBRARY}))
    spec, quoted = re.compile(rf"({names})(\(|$)"), re.compile(rf"""["'`]({names})[("'`]""")
    for path in SRC.rglob("*.py"):
        if path.relative_to(SRC).parts[0] not in SPECIFIC:
            shown = without_examples(path).splitlines()
            for node in nodes(path):
                text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
                name = getattr(node, "id", "") or getattr(node, "attr", "")
                found = spec.match(text) or name in classes
                assert not (found and shown[node.lineno - 1]), f"{path.relative_to(SRC)}:{node.lineno}: {text or name}"
    for path in [*SRC.rglob("*.js"), *SRC.rglob("*.css"), *SRC.rglob("*.html")]:
        if path.relative_to(SRC).parts[0] not in SPECIFIC:
            assert not quoted.search(path.read_text(encoding="utf-8")), path.relative_to(SRC)


def without_examples(path: Path) -> str:
    """The text of a file without the examples of its help texts."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    lines = ["" if line.lstrip().startswith(">>> ") else line for line in text.splitlines()]
    for node in nodes(path):
        examples = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "examples"
        helps = isinstance(node, ast.keyword) and node.arg == "help"
        shown = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "example"
        if examples or helps or shown:
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):  # type: ignore[attr-defined]
                lines[number] = ""
    return re.sub(r"`?\b(gomoku|mnk)\([\d,]*\)`?", "", "\n".join(lines))  # a spec, as an example


def test_families_do_not_know_each_other() -> None:
    for path in (SRC / "games").glob("*/**/*.py"):
        family = path.relative_to(SRC).parts[1]
        others = [m for m in modules(path) if m[0] == "games" and len(m) > 1 and (SRC / "games" / m[1]).is_dir()]
        assert {module[1] for module in others} <= {family}, path.relative_to(SRC)


def test_rules_know_nothing_of_the_compiler() -> None:
    for path in (SRC / "games").rglob("*.py"):
        if part_of(path) in ("games", "game rules"):
            assert "numba" not in path.read_text().replace("Numba", ""), path.name


def test_kernels_tell_what_their_arguments_are() -> None:
    """The docstring of a kernel, or of its module, names every array and number that Python hands over; one that says
    whose arguments they are need not."""
    for path in SRC.rglob("*.py"):
        tree = nodes(path)[0]
        assert isinstance(tree, ast.Module)
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list):
                told = ast.get_docstring(node) or ""
                words = {*re.findall(r"\w+", told), *re.findall(r"\w+", ast.get_docstring(tree) or "")}
                missing = [] if "arguments are those of" in told else {arg.arg for arg in node.args.args} - words
                assert set(missing) <= {"game"}, f"{path.relative_to(SRC)}: {node.name}: {missing}"


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


def test_the_tests_that_took_long_are_there() -> None:
    """What was recorded of tests that have other names by now orders nothing: record anew when many have gone."""
    recorded = json.loads((TESTS / "durations.json").read_text(encoding="utf-8"))
    files = {test.partition("::")[0] for test in recorded}
    assert len(recorded) > 100
    assert [file for file in files if not (TESTS.parent / file).is_file()] == []


def test_the_quick_tests_keep_to_their_time() -> None:
    longest_allowed = runpy.run_path(str(TESTS / "conftest.py"))["longest_allowed"]
    assert longest_allowed([0.5, 0.1, 3.0, 0.2], 1.0) == 0.5
    assert longest_allowed([0.5, 0.1], 0.05) == 0.0


def test_the_map_names_files_that_are_there_and_every_part() -> None:
    text = (TESTS.parent / "docs" / "map.md").read_text(encoding="utf-8")
    root = TESTS.parent
    files = {path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py")}
    files |= {path.relative_to(root).as_posix() for path in [root / "setup.py", *(root / "docs").rglob("*.py")]}
    named = {name for name in re.findall(r"`([\w/*.]+\.py)`", text) if not name.startswith("tests/")}
    ends = [re.compile(rf"(.*/)?{re.escape(name).replace(re.escape('*'), '[^/]+')}") for name in named]
    assert [end.pattern for end in ends if not any(end.fullmatch(file) for file in files)] == []
    parts = {path.name for path in SRC.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    missing = [part for part in parts if f"`{part}" not in text and not part.startswith("__")]
    assert missing == [], "parts that the map does not name"
