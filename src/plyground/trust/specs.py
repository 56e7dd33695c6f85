"""Specs of games and agents, and positions: what they take most often, and what they do not."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from .. import agents, games
from ..manifest import loaded
from ..spec import Parameter, parameters
from . import boards
from .texts import harmless, near, texts

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
    "net": st.sampled_from(["auto", "tictactoe", "nowhere", "", "a", "file"]),
    "run": st.sampled_from(["a", "nowhere", "", "file", "tictactoe"]),
    "scoring": st.sampled_from(["auto", "none", "nothing", "own.py:Scoring", ""]),
    "opponent": st.sampled_from(["random", "win-block", "random+win-block", "self", ""]),
    "region": st.sampled_from(["", "oo/oo", "o" * 12]),
    "name": st.sampled_from(["tic_tac_toe", "kuhn_poker", "nothing", "(", ""]),
    "game": st.deferred(lambda: st.sampled_from([*boards.tiny(), *boards.small(), "(", ""])),
}
ALWAYS = ("sims", "seconds", "depth", "limit", "command", "then")  # what takes long unless it is told
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
    sense = st.sampled_from(boards.small() if kind == "game" else QUICK)
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
