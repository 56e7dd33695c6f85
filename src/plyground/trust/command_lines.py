"""Command lines, made of the commands' own options, and what is typed meanwhile."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from . import boards
from .protocol_lines import protocol_lines
from .specs import MOVES, QUICK, calls, positions, specs
from .texts import PATHS, harmless, near, numbers, texts

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
    "strength": ["nothing"],  # nor write beside the nets that came with the program
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
        return st.one_of(*[st.sampled_from(boards.tiny())] * 5, near(st.sampled_from(boards.tiny())))
    if name == "depth":
        return st.sampled_from(["1", "1", "2", "0", "-1", "1.5", "x", ""])
    if sense and name == "game":
        return st.sampled_from([spec for spec in boards.small() if boards.is_for_one(spec) == (command == "score")])
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
