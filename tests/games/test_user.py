"""Games in files of their own: loading, refusing, and never a stale kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plyground import agents, games, rules, user_files
from plyground.spec import InputError
from toys import heap_file

LAST_WINS = "1.0 if state.turn == 1 else -1.0"
LAST_LOSES = "-1.0 if state.turn == 1 else 1.0"

# what minimax proves of the start of every game, and whether anything had to be compiled for that
VALUE = """
import sys
from numba.core import event
from plyground import agents, games, rules
class Count(event.Listener):
    def on_start(self, e): compiled.append(e)
    def on_end(self, e): pass
event.register("numba:compile", Count())
for spec in sys.argv[1:]:
    compiled = []
    game = games.make(spec)
    thought = agents.make("minimax").think(game, rules.new(game))
    print(thought.value, bool(compiled))
"""


def write(path: Path, score: str, imports: str = "") -> str:
    path.write_text(f"{imports}\n{heap_file(4)}".replace(LAST_WINS, score))
    return f"{path}:Heap"


def values(cache: Path, *specs: str) -> list[tuple[float, bool]]:
    """In a process of their own."""
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    ran = subprocess.run([sys.executable, "-c", VALUE, *specs], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [(float(number), compiled == "True") for number, compiled in map(str.split, ran.stdout.splitlines())]


def value(spec: str, cache: Path) -> tuple[float, bool]:
    return values(cache, spec)[0]


def test_a_changed_file_is_compiled_again_and_an_unchanged_one_is_not(tmp_path: Path) -> None:
    # four in the heap, one or two taken: who takes the last wins if first, and loses the other way round
    file, cache = tmp_path / "heap.py", tmp_path / "cache"
    spec = write(file, LAST_WINS)
    assert value(spec, cache) == (1.0, True)
    stamp = file.stat()
    write(file, LAST_LOSES.ljust(len(LAST_WINS)))
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # as if written within the clock's tick
    assert value(spec, cache) == (-1.0, True)
    assert value(spec, cache) == (-1.0, False)
    write(file, LAST_WINS)
    file.write_text("# an edit that leaves the rules alone\n" + file.read_text())
    assert value(spec, cache) == (1.0, False)


def test_a_change_in_a_module_that_the_rules_call_is_noticed(tmp_path: Path) -> None:
    helper, cache = tmp_path / "helper_of_heap.py", tmp_path / "cache"
    spec = write(tmp_path / "heap.py", "last(state.turn)", "from helper_of_heap import last")
    helper.write_text("def last(turn):\n    return 1.0 if turn == 1 else -1.0\n")
    assert value(spec, cache)[0] == 1.0
    helper.write_text("SIGN = -1.0\ndef last(turn):\n    return SIGN if turn == 1 else -SIGN\n")
    os.utime(helper, (1, 1))
    assert value(spec, cache)[0] == -1.0
    helper.write_text("SIGN = +1.0\ndef last(turn):\n    return SIGN if turn == 1 else -SIGN\n")
    os.utime(helper, (2, 2))
    assert value(spec, cache)[0] == 1.0


@pytest.mark.parametrize(
    "imports, score",
    [
        ("def last(turn, sign=SIGN): return sign if turn == 1 else -sign", "last(state.turn)"),
        ("W = SIGN", "sum([W if state.turn == 1 else -W for i in range(1)])"),
        ("import numpy\nW = numpy.array([SIGN])", "W[0] if state.turn == 1 else -W[0]"),
        ("class Sign: pass\nSign.W = SIGN\nW = Sign.W", "W if state.turn == 1 else -W"),
    ],
    ids=["default argument", "name in a comprehension", "array", "computed constant"],
)
def test_whatever_the_rules_reach_is_in_the_digest(imports: str, score: str, tmp_path: Path) -> None:
    names = []
    for sign in ("1.0", "-1.0", "1.0"):
        names.append(type(games.make(write(tmp_path / "heap.py", score, imports.replace("SIGN", sign)))).__name__)
    assert names[0] == names[2] != names[1]


def test_modules_that_modules_import_are_in_the_digest(tmp_path: Path) -> None:
    code = "import sys\nfrom plyground import games\nprint(type(games.make(sys.argv[1])).__name__)"
    spec = write(tmp_path / "heap.py", "one.W if state.turn == 1 else -one.W", "import one")
    (tmp_path / "one.py").write_text("import two\nW = two.W\n")
    names = []
    for number, sign in enumerate(("1.0", "-1.0", "1.0")):
        (tmp_path / "two.py").write_text(f"W = {sign}\n")
        os.utime(tmp_path / "two.py", (number, number))
        names.append(
            subprocess.run([sys.executable, "-c", code, spec], capture_output=True, text=True, check=True).stdout
        )
    assert names[0] == names[2] != names[1]


def test_two_versions_live_in_one_process(tmp_path: Path) -> None:
    found = []
    for score in (LAST_WINS, LAST_LOSES, LAST_WINS):
        game = games.make(write(tmp_path / "heap.py", score))
        found.append(agents.make("minimax").think(game, rules.new(game)).value)
    assert found == [1.0, -1.0, 1.0]


def test_other_games_still_load_from_a_cache_that_knows_a_users_game(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    values(cache, write(tmp_path / "heap.py", LAST_WINS), "mnk(2,2,2)")
    (tmp_path / "heap.py").unlink()
    assert value("mnk(2,2,2)", cache) == (1.0, False)


# a heap whose rules call a method that is no rule, and one that inherits it all and turns the score round
METHODS = """

    def _sign(game, who, sign=1.0):
        return sign if who == 1 else -sign


class Misere(Heap):
    def score(game, state):
        return game._sign(state.turn, -1.0)


class More(Heap):
    limit: int = 3
"""


def test_rules_call_methods_of_their_game_and_a_game_inherits_another(tmp_path: Path) -> None:
    spec, cache = write(tmp_path / "heap.py", "game._sign(state.turn)"), tmp_path / "cache"
    with open(tmp_path / "heap.py", "a") as file:
        file.write(METHODS)
    misere = spec.replace(":Heap", ":Misere")
    assert value(misere, cache) == (-1.0, True)
    assert value(misere, cache) == (-1.0, False)
    name = type(games.make(misere)).__name__
    assert games.make(f"{misere}(7)").size == 7 and rules.gives(games.make(misere), "legal", "score")
    with pytest.raises(InputError, match="More inherits the parameters of its game and can have no others"):
        games.make(spec.replace(":Heap", ":More"))
    (tmp_path / "heap.py").write_text((tmp_path / "heap.py").read_text().replace("else -sign", "else -sign * 1"))
    assert type(games.make(misere)).__name__ != name  # methods are in the digest


def test_a_method_of_one_game_leaves_a_field_of_that_name_in_another_alone(tmp_path: Path) -> None:
    found = []
    for path, method in (("one.py", "size"), ("two.py", "sign")):  # `size` is a parameter of the other game
        text = heap_file(4).replace("if state.left > 1", "if state.left > 1 and game.size > 1")
        if method == "size":
            text = text.replace("size: int", "high: int").replace("game.size", "game.high")
        text = text.replace(LAST_WINS, f"game.{method}(state)")
        text += f"\n    def {method}(game, state):\n        return {LAST_WINS}\n"
        (tmp_path / path).write_text(text)
        game = games.make(f"{tmp_path / path}:Heap")
        found.append(agents.make("minimax").think(game, rules.new(game)).value)
    assert found == [1.0, 1.0]


def test_parameters_are_taken_from_the_spec(tmp_path: Path) -> None:
    spec = write(tmp_path / "heap.py", LAST_WINS)
    assert games.make(f"{spec}(7)").size == 7 and games.make(f"{spec}(size=9)").size == 9
    with pytest.raises(InputError, match="did you mean size"):
        games.make(f"{spec}(sise=9)")
    with pytest.raises(InputError, match="whole number"):
        games.make(f"{spec}('x')")


@pytest.mark.parametrize(
    "text, name, says",
    [
        ("class Heap:\n    pass\n", "Heap", "NamedTuple"),
        ("x = 1\n", "Heap", "has no class Heap"),
        ("class Heaps:\n    pass\n", "Heap", "did you mean Heaps?"),
        ("import nothing_like_this\n", "Heap", ", line 1 cannot be imported: ModuleNotFoundError"),
        ("def f(:\n", "Heap", "cannot be imported: SyntaxError"),
        ("import sys; sys.exit(3)\n", "Heap", ", line 1 cannot be imported: SystemExit"),
        ("\n1 / 0\n", "Heap", ", line 2 cannot be imported: ZeroDivisionError"),
        ("Heap = 3\n", "Heap", "is not a game"),
    ],
)
def test_a_file_without_such_a_game_is_refused_in_one_line(text: str, name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "heap.py").write_text(text)
    with pytest.raises(InputError) as refused:
        games.make(f"{tmp_path / 'heap.py'}:{name}")
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no file"):
        games.make("nowhere/heap.py:Heap")


def test_a_class_without_a_docstring_is_told_about_by_its_file(tmp_path: Path) -> None:
    text = heap_file()
    own = text.partition('"""')[2].partition('"""')[0]
    for name, body, says in (("own", text, own), ("bare", text.replace(f'"""{own}"""', ""), "Take from a heap.")):
        (tmp_path / f"{name}.py").write_text(f'"""Take from\na heap.\n\nMore."""\n{body}')
        assert user_files.about(type(games.make(str(tmp_path / f"{name}.py")))) == " ".join(says.split())
