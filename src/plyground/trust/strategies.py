"""What people, pages and programs might send, as Hypothesis draws it: sense, near misses and nonsense.

Whatever makes sense is small, so that thousands of inputs are a matter of minutes; nothing names a file outside the
folder that it is tried in, and no program is started that is not one of these.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from hypothesis import strategies as st

from .. import agents, games
from ..manifest import loaded
from ..spec import Parameter, parameters

# --- texts and numbers ----------------------------------------------------------------------------------------

NUMBERS = ["0", "1", "-1", "2", "3", "7", "1e9", "1e308", "1e400", "-0.0", "nan", "inf", "-inf", "0x10", "1_000", "٣"]
NUMBERS += ["2147483648", "9223372036854775808", "1" * 400, "1" * 5000, "True", "None", "", " ", "1,2", "½"]
ODD = [
    "",
    " ",
    "-",
    "--",
    "---",
    "\n",
    "\t",
    "'",
    '"',
    "(",
    ")",
    "()",
    "((",
    "[]",
    "{}",
    "%s",
    "{0}",
    "$HOME",
    "`id`",
    "é",
]
ODD += [
    "\udcff",
    "\ud800",
    "\u202e",
    "\ufeff",
    "🂡",
    "a" * 300,
    "a" * 5000,
    "..",
    "../..",
    ".",
    "~",
    "-h",
    "--help",
    "\x1b[2J",
]
PATHS = ["a", "b", "a/b", "é", "\udcff", "x" * 300, "file", "file/below", "/dev/null", "/dev/full", "/proc/none", "."]
SAFE = {"/dev/null", "/dev/full", "/proc/none"}


def harmless(word: str) -> str:
    """The word as one that names no file outside the folder that it is tried in; NUL is in no word."""
    if word in SAFE:
        return word
    word = word.replace("\0", "").encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    word = word.replace("..", ".").replace("~", "-")
    return re.sub(r"(^|[=\s'\"(:,])/+", r"\1", word)


def texts(most: int = 30) -> st.SearchStrategy[str]:
    """Any text."""
    return st.one_of(st.sampled_from(ODD), st.sampled_from(NUMBERS), st.text(max_size=most)).map(harmless)


def near(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The text with a piece of it lost, doubled, or something put in."""

    def changed(drawn: tuple[str, int, int, str, int]) -> str:
        word, begin, end, put, how = drawn
        begin, end = sorted((begin % (len(word) + 1), end % (len(word) + 1)))
        ways = word[:begin] + word[end:], word[:end] + word[begin:], word[:begin] + put + word[begin:]
        return ways[how]

    places = st.integers(0, 60)
    return st.tuples(text, places, places, texts(4), st.integers(0, 2)).map(changed)


def numbers(small: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    """A small number, or something else that stands where a number should."""
    return st.one_of(small.map(str), small.map(str), small.map(str), st.sampled_from(NUMBERS), st.integers().map(str))


# --- specs ----------------------------------------------------------------------------------------------------

# what a search does is small, if it makes sense at all; names of parameters: values
SMALL: dict[str, st.SearchStrategy[Any]] = {
    "sims": st.integers(1, 12),
    "seconds": st.floats(0, 0.02),
    "depth": st.integers(1, 2),
    "rollouts": st.integers(1, 2),
    "rollout": st.sampled_from(["auto", "random", "win-block", "none", 0.0]),
    "memory": st.integers(1, 4),
    "threads": st.integers(1, 2),
    "limit": st.integers(1, 40),
    "horizon": st.integers(1, 4),
    "leaves": st.integers(1, 4),
    "level": st.integers(1, 8),
    "from_cells": st.integers(0, 3),
    "grace": st.just(0.1),
    "start": st.just(0.1),
    "command": st.sampled_from(["/bin/false", "nowhere", "", "'", "/bin/false a 'b c'"]),
    "before": st.sampled_from(["random", "win-block", "uct(sims=2)", "human", "nobody", ""]),
    "then": st.sampled_from(["random", "uct(sims=2)", "alphabeta(depth=1)", "hybrid(then='uct(sims=2)')", "(", ""]),
    "to": st.sampled_from(["random", "win-block", "nobody", ""]),
    "net": st.sampled_from(["auto", "tictactoe", "connect-four", "nowhere", "", "a", "file"]),
    "run": st.sampled_from(["a", "nowhere", "", "file", "tictactoe"]),
    "scoring": st.sampled_from(["auto", "none", "nothing", "own.py:Scoring", ""]),
    "opponent": st.sampled_from(["random", "win-block", "random+win-block", "self", ""]),
    "region": st.sampled_from(["", "oo/oo", "o" * 12]),
    "game": st.sampled_from(["tictactoe", "connect-four(4,4,3)", "mnk(3,3,2)", "against-random", "(", ""]),
}
ALWAYS = ("sims", "seconds", "depth", "limit", "command", "then")  # what takes long unless it is told
BOARDS = ["tictactoe", "tictactoe", "mnk(3,3,3)", "mnk(4,3,3)", "mnk(1,1,1)", "connect-four(4,4,3)", "gomoku(5)"]
BOARDS += ["tetris(6,8)", 'tetris(6,8,"simplified")', "line-taking(cells=12)", 'against-random("tictactoe",0)']
TINY = [
    "mnk(2,2,2)",
    "mnk(3,2,2)",
    "mnk(1,1,1)",
    "connect-four(2,3,2)",
    'against-random("mnk(2,2,2)")',
    "own.py",
    "tetris",
]
QUICK = ["random", "win-block", "uct(sims=5)", "rave(sims=5)", "alphabeta(depth=1)", "one-ply", "minimax(depth=1)"]
SIZES = {name: st.integers(1, 6) for name in ("m", "n", "k", "cols", "rows")} | {"cells": st.integers(12, 14)}


@cache
def makers(kind: str) -> dict[str, Any]:
    """What makes the games, or the agents, there are."""
    registry = games if kind == "game" else agents
    return loaded(registry.registry(), registry.maker)


def literals(p: Parameter) -> st.SearchStrategy[Any]:
    """A value for a parameter, most often one that it takes."""
    if p.name in SMALL:
        small = SMALL[p.name]
    elif p.name in SIZES:
        small = SIZES[p.name]
    elif p.about.choices:
        small = st.sampled_from(p.about.choices)
    elif p.type is bool:
        small = st.booleans()
    elif p.type is int:
        small = st.integers(-2, 6)
    elif p.type is float:
        small = st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0, 1e-300, 1e300])
    else:
        small = st.sampled_from(["auto", "none", "a", ""])
    wild = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), texts(6), st.just([]), st.just({}), st.just(b"")
    )
    if p.name in SMALL or p.name in SIZES:  # nothing that makes sense and takes long
        wild = st.one_of(st.just(-1), st.just(-(2**70)), st.just([]), st.booleans(), st.floats(max_value=-1.0))
    return st.one_of(*[small] * 12, wild)


@st.composite
def calls(draw: Any, kind: str) -> str:
    """A registered name with values for some of its parameters."""
    known = makers(kind)
    name = draw(st.sampled_from(sorted(known)))
    values = []
    for p in parameters(known[name]):
        if p.required or p.name in ALWAYS or p.name in SIZES or draw(st.integers(0, 5)) == 0:
            values.append(f"{p.name}={draw(literals(p))!r}")
    return f"{name}({', '.join(values)})" if values else name


def specs(kind: str) -> st.SearchStrategy[str]:
    """Specs of games or of agents."""
    sense = st.sampled_from(BOARDS if kind == "game" else QUICK)
    wild = st.one_of(
        near(sense), near(calls(kind)), texts(), st.sampled_from(["own.py", "own.py:Own", "file:X", "a.py:B"])
    )
    return st.one_of(sense, sense, sense, calls(kind), calls(kind), wild).map(harmless)


MOVES = (
    [f"{col}{row}" for col in "abcde" for row in "12345"] + list("abcd") + ["swap", "z9", "A1", "1a", "pass", "drop"]
)
DIAGRAMS = [".../.../...", "X../.../... O", "XO./.../... X", "XXX/OO./...", "XXXX/OOOO/..../....", "../..", "/", "X"]


def positions() -> st.SearchStrategy[str]:
    """Moves or a diagram."""
    moves = st.lists(st.sampled_from(MOVES), max_size=5).map(" ".join)
    return st.one_of(st.just(""), moves, st.sampled_from(DIAGRAMS), near(st.sampled_from(DIAGRAMS)), texts())


# --- commands -------------------------------------------------------------------------------------------------

OPTIONS: dict[str, st.SearchStrategy[str]] = {
    "games": numbers(st.integers(1, 2)),
    "moves": numbers(st.integers(0, 12)),
    "openings": numbers(st.integers(0, 2)),
    "bound": st.sampled_from(["0.5", "1", "0", "-1", "nan", "inf"]),
    "judge": st.sampled_from(["uct(sims=2)", "random", "nobody", ""]),
    "openings_file": st.sampled_from(["file", "openings", "nowhere", ".", "/dev/null", ""]),
    "sprt": st.sampled_from(
        ["0,50", "50,0", "0", "0,0", "nan,1", "0,inf", ",", "", "-10,10", "1e308,-1e308", "0,1e400"]
    ),
    "alpha": st.sampled_from(["0.05", "0", "1", "nan", "-1", "1e-300"]),
    "beta": st.sampled_from(["0.05", "0", "1", "nan", "-1", "1e-300"]),
    "move_seconds": st.sampled_from(["1", "0", "-1", "nan", "inf", "1e308", "0.01"]),
    "seconds": st.sampled_from(["0", "0.01", "0.05", "-1", "nan", "1e-9"]),
    "memory": st.sampled_from(["1", "2", "0", "-1", "65536", "65537", "x"]),
    "jobs": st.sampled_from(["1", "1", "1", "1", "1", "1", "1", "1", "-1", "x", ""]),
    "out": st.sampled_from(PATHS),
    "plot": st.sampled_from(["a.svg", "b.png", "a.doc", "nowhere/a.svg", "/dev/full", ".svg", ""]),
    "seed": numbers(st.integers(0, 3)),
    "first": st.sampled_from(["random", "win-block", "optimal", "most-wins", "never-lose", "uct", "human", ""]),
    "second": st.sampled_from(["random", "win-block", "optimal", "most-wins", "never-lose", "uct", "human", ""]),
    "position": positions(),
    "seat": st.sampled_from(["first", "second", "third", ""]),
    "agent": specs("agent"),
    "you": st.one_of(st.just("human"), specs("agent")),
    "part": st.sampled_from(["nothing", "", "é"]),
    "port": st.sampled_from(["-1", "65536", "x", ""]),
    "runs": st.sampled_from(PATHS),
    "host": st.sampled_from(["", "nowhere.invalid", "256.1.1.1", "é", "x" * 300]),
    "external": st.sampled_from(["=", "a=", "=b", "a=nowhere", "a=/bin/false"]),
    "token": texts(6),
    "file": st.sampled_from(["own.py", "nowhere.py", ""]),
    "peer": st.sampled_from(["tic_tac_toe", ""]),
}
SENSE = {  # what each command takes
    "games": "2",
    "moves": "10",
    "openings": "1",
    "judge": "uct(sims=2)",
    "openings_file": "openings",
    "sprt": "0,50",
    "alpha": "0.1",
    "beta": "0.1",
    "move_seconds": "20",
    "seconds": "0.02",
    "memory": "1",
    "jobs": "1",
    "out": "a",
    "plot": "a.svg",
    "seed": "1",
    "first": "random",
    "second": "win-block",
    "position": "b2",
    "seat": "second",
    "agent": "uct(sims=3)",
    "you": "random",
}
# what is always said to commands that would go on for ever, or for minutes, if all they were told made sense
NEVER: dict[str, list[str]] = {
    "serve": ["nowhere.py"],
    "bench": ["nothing"],
    "warmup": ["nothing"],
    "reproduce": ["nothing"],
}


@st.composite
def command_lines(draw: Any, commands: dict[str, Any]) -> list[str]:
    """The words of a command line; `commands` are those of click by their names."""
    name = draw(st.sampled_from(sorted(commands)))
    sense = draw(st.integers(0, 2)) > 0
    words: list[str] = [name]
    for parameter in commands[name].params:
        if parameter.param_type_name == "argument":
            many = draw(st.integers(2, 3)) if parameter.nargs == -1 else 1
            if sense or draw(st.integers(0, 9)):
                words += [draw(arguments(parameter.name, name, sense)) for _ in range(many)]
        elif draw(st.integers(0, 11 if sense else 5)) == 0 or parameter.name in ("games", "jobs"):
            words += draw(options(parameter, sense))
    words += NEVER.get(name, [])
    if draw(st.integers(0, 5)) == 0:
        words = draw(shuffled(words))
    return [harmless(word) for word in words]


def arguments(name: str, command: str, sense: bool) -> st.SearchStrategy[str]:
    """What stands where a command wants this argument."""
    if name == "game" and command == "solve":
        return st.one_of(*[st.sampled_from(TINY)] * 5, near(st.sampled_from(TINY)))
    if sense and name == "game":
        return st.sampled_from([board for board in BOARDS if board.startswith("tetris") == (command == "score")])
    if sense and name in ("one", "other", "agent", "agents"):
        return st.one_of(st.sampled_from(QUICK), calls("agent"))
    if name in ("game", "one", "other", "agent", "agents"):
        return specs("game" if name == "game" else "agent")
    return st.one_of(st.sampled_from(PATHS), st.sampled_from(["tictactoe", "own.py", "nothing"]), texts())


def options(parameter: Any, sense: bool) -> st.SearchStrategy[list[str]]:
    """An option with its value, in any of its spellings."""
    flag = st.sampled_from([*parameter.opts, *parameter.secondary_opts])
    if parameter.is_flag:
        return flag.map(lambda word: [word])
    if sense and parameter.name in SENSE:
        return flag.map(lambda word: [word, SENSE[parameter.name]])
    value = OPTIONS.get(parameter.name, numbers(st.integers(0, 3)))
    apart = st.tuples(flag, st.one_of(*[value] * 6, texts())).map(list)
    return st.one_of(apart, apart, apart, apart.map(lambda pair: [f"{pair[0]}={pair[1]}"]))


@st.composite
def shuffled(draw: Any, words: list[str]) -> list[str]:
    """The words after the first in another order, with one lost, one twice or one that is nonsense."""
    rest = draw(st.permutations(words[1:])) if draw(st.booleans()) else list(words[1:])
    how = draw(st.integers(0, 3))
    place = draw(st.integers(0, max(0, len(rest) - 1)))
    if how == 0 and rest and rest[place] not in NEVER.get(words[0], []):
        rest.pop(place)
    elif how == 1 and rest:
        rest.insert(place, rest[place])
    elif how == 2:
        rest.insert(place, draw(texts()))
    return [words[0], *rest]


def standard_input() -> st.SearchStrategy[str]:
    """What a person types while a game is played, or a driver says."""
    words = st.one_of(st.sampled_from(MOVES), st.sampled_from(["help", "quit", "?", "1", "back", "resign"]), texts(8))
    return st.lists(st.one_of(words, protocol_lines()), max_size=12).map("\n".join)


# --- protocol lines -------------------------------------------------------------------------------------------

WORDS = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "DONE",
    "SWAP2BOARD",
    "TAKEBACK",
    "INFO",
    "ABOUT",
    "END",
]
KEYS = [
    "timeout_turn",
    "timeout_match",
    "time_left",
    "max_memory",
    "game_type",
    "rule",
    "folder",
    "evaluate",
    "time_match",
]


def protocol_lines() -> st.SearchStrategy[str]:
    """Lines of the Gomocup protocol; nobody waits for a move."""
    cells = st.builds("{},{}".format, st.integers(-1, 9), st.integers(-1, 9))
    parts = st.one_of(
        st.sampled_from(WORDS[:-1]),
        st.sampled_from(KEYS),
        st.sampled_from(list(", \t\r-")),
        st.integers(-3, 25).map(str),
        st.sampled_from(NUMBERS),
        st.text(max_size=4),
    )
    return st.one_of(
        st.lists(parts, max_size=5).map(" ".join),
        st.builds("{},{}".format, cells, st.integers(0, 4)),
        cells.map("TURN {}".format),
        cells.map("TAKEBACK {}".format),
        st.builds("INFO {} {}".format, st.sampled_from(KEYS), st.one_of(st.integers(-1, 50).map(str), texts(8))),
        st.sampled_from(["BOARD", "DONE", "SWAP2BOARD", "BEGIN", "RESTART", "START 9", "INFO timeout_turn 0"]),
    ).map(lambda line: line.replace("\n", " "))


# --- requests -------------------------------------------------------------------------------------------------

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "game": specs("game"),
    "agent": specs("agent"),
    "agents": st.lists(specs("agent"), min_size=1, max_size=3),
    "moves": st.lists(st.sampled_from(MOVES), max_size=4),
    "move": st.sampled_from(MOVES),
    "start": positions(),
    "cells": st.lists(st.integers(-1, 3), max_size=16),
    "seconds": st.sampled_from([0, 0.01, 0.02, -1, 61, None]),
    "simulations": st.integers(1, 10),
    "games": st.integers(1, 2),
    "name": st.one_of(st.sampled_from(["a-study", "dqn", "..", "%2e%2e", "a/b", "\x00"]), texts()),
    "id": st.one_of(st.integers(0, 5), st.just(2**53)),
    "of": st.integers(0, 5),
    "path": st.lists(st.sampled_from(MOVES), max_size=2),
}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts(8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


def of_schema(schema: dict[str, Any], components: dict[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Values that a JSON schema allows, and now and then others; those of known names most often make sense."""
    if "$ref" in schema:
        return of_schema(components[schema["$ref"].rsplit("/", 1)[-1]], components, name)
    if name in FIELDS:
        return st.one_of(*[FIELDS[name]] * 8, JSON)
    if "anyOf" in schema:
        return st.one_of([of_schema(one, components) for one in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    kind = schema.get("type")
    if kind == "object":
        return objects(schema, components)
    if kind == "array":
        inner = of_schema(schema.get("items", {}), components)
        return st.one_of(st.lists(inner, max_size=4), JSON)
    low, high = schema.get("minimum"), schema.get("maximum")
    sense = {
        "string": texts(),
        "integer": st.integers(low, high),
        "number": st.floats(low, high, allow_nan=False),
        "boolean": st.booleans(),
        "null": st.none(),
    }.get(kind or "", JSON)
    return st.one_of(sense, sense, sense, JSON)


def objects(schema: dict[str, Any], components: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Objects of a schema; rarely one that lacks something, or has something more."""
    known = {name: of_schema(one, components, name) for name, one in schema.get("properties", {}).items()}
    needed = {name: value for name, value in known.items() if name in schema.get("required", ())}
    rest = {name: value for name, value in known.items() if name not in needed}
    whole = st.fixed_dictionaries(needed, optional=rest)
    torn = st.fixed_dictionaries({}, optional=known)
    more = st.tuples(whole, st.dictionaries(st.text(max_size=5), JSON, max_size=2)).map(lambda both: both[1] | both[0])
    return st.one_of(*[whole] * 8, torn, more)


def bodies(schema: dict[str, Any], components: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """The bytes of a message."""
    sense = of_schema(schema, components).map(lambda value: json.dumps(value).encode())
    nonsense = st.sampled_from(
        [b"", b"{", b"null", b"[]", b"[" * 60_000, b"9" * 5000, b'"\\ud800"', b"\xff\xfe", b"{}" * 40_000]
    )
    torn = st.tuples(sense, st.integers(0, 400)).map(lambda both: both[0][: both[1]])
    return st.one_of(*[sense] * 10, torn, nonsense, st.binary(max_size=40))


# --- damage ---------------------------------------------------------------------------------------------------


@st.composite
def damages(draw: Any) -> tuple[str, float, float, int]:
    """What happens to which file, and where, as shares of their number and of its length; and a byte."""
    how = draw(st.sampled_from(["flip", "flip", "flip", "truncate", "delete", "swap", "empty", "double", "insert"]))
    return how, draw(st.floats(0, 1)), draw(st.floats(0, 1)), draw(st.integers(0, 255))
