"""The rules of a game: what a game class answers, and how its answers reach compiled code.

A *game* is an instance of a ``NamedTuple`` class: its fields are the parameters (board size, k), its
methods are the rules, in plain Python.  A *state* is a NumPy record that the rules change in place.
Search kernels write ``game.play(state, action)`` as anyone would; `jit` lets Numba compile the method that
it finds on the class of the game, and the plain functions which that calls.
"""

from __future__ import annotations

import inspect
import threading
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import boards
from .jit import interpreted, user_classes
from .jit.callables import let_kernels_call as let_kernels_call
from .jit.callables import let_rules_call_method
from .jit.errors import place
from .jit.records import Record as Record
from .jit.records import record as record
from .jit.records import with_attributes as with_attributes
from .jit.watching import names_in
from .spec import InputError, meant

if TYPE_CHECKING:
    from .jit.decorators import any_order as any_order
    from .jit.decorators import bound as bound
    from .jit.decorators import inner as inner
    from .jit.decorators import kernel as kernel
    from .jit.decorators import recursive as recursive
    from .jit.decorators import standalone as standalone

CHANCE = -1  # the "player" of a state in which nature moves
SHAPES = ("cells", "intersections", "hexagons", "well")  # of boards that a page draws
LONGEST_GLYPH = 6  # characters on a cell
LONGEST = 10_000  # plies; a game that goes on for longer counts as one that never ends


def __getattr__(name: str) -> Any:
    """The decorators of kernels: with the first of them comes Numba, which rules alone do without."""
    if name in ("any_order", "bound", "inner", "kernel", "recursive", "standalone"):
        if interpreted.DISABLED:
            return getattr(interpreted, name)
        from .jit import decorators

        return getattr(decorators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Compiled:
    """The questions that compiled code asks.  Write the answers in the part of Python that Numba knows:
    numbers, tuples, loops, the fields of the state.  Rules may call one another and plain functions of
    their module.  `out` is an array of `actions()` integers to write into."""

    def actions(game):
        """Required.  How many distinct actions there are; an action is an int in range(actions)."""

    def player(game, state):
        """Who moves: 0, 1, or CHANCE (-1).  Default: the field `turn` of the state."""
        return state.turn

    def legal(game, state, out):
        """Required.  Write the legal actions into `out`, each once; return how many.  Unless the game is
        over or nature moves there is at least one."""

    def play(game, state, action):
        """Required.  Change `state` by one legal action (or by one chance outcome)."""

    def over(game, state):
        """Has the game ended?  Default: the field `winner` of the state is no longer 0."""
        return state.winner != 0

    def score(game, state):
        """Result of an ended game for player 0: 1 won, -1 lost, 0 drawn, or between.  In a game of one player: its
        points so far, any number, at any time.  Default: by the field `winner` of the state, 1, 2, or 3 for a draw."""
        return (0.0, 1.0, -1.0, 0.0)[state.winner]

    def start(game, state):
        """Set up the first position in a zeroed state.  Default: leave it zeroed."""

    def chance(game, state, out, weights):
        """Write the outcomes of a chance event into `out` and their probabilities, which add up to 1,
        into `weights`; return how many.  Asked only when `player` is CHANCE."""
        return 0

    def still(game, state, action):
        """Is an action that was legal earlier in this game legal now?  Give this rule only if the legal
        actions never become more: roll-outs then draw from one shrinking list instead of asking `legal`
        before every move."""
        return True

    def wins(game, state, player, out):
        """Write the actions with which `player` would win at once if it were to move; return how many.
        Win-block roll-outs need this rule."""
        return 0

    def wins_after(game, state, action, player, out, count):
        """Bring `out[:count]`, the wins of `player` before `action` was played, up to date; return how
        many there are.  Default: list them anew with `wins`."""
        return game.wins(state, player, out)

    def hope(game, state, player):
        """May `player` still force a win?  Answer False only if the other can surely keep it from winning.
        Solvers skip what is hopeless; a game in which neither may win is a draw."""
        return True

    def encode(game, state, planes):
        """Write the state into zeroed `planes` of shape `game.planes()`, seen by the player to move."""


class Interpreted:
    """The questions that are asked outside kernels."""

    def fields(game):
        """Required.  The fields of a state, as NumPy writes them: [("cells", np.int8, (9,)), ...]."""

    def limits(game):
        """Raise ValueError with one clear line if the parameters make no game."""

    def alone(game):
        """Is this a game of one player, who is player 0?"""
        return False

    def decisive(game):
        """Does somebody win every game?  Answer True only if none ends drawn; nobody is offered a draw then."""
        return False

    def compiles(game):
        """Can the rules be compiled?  Answer False where they ask another library, or anything else that Numba does
        not know: whatever plays the game then runs interpreted, some hundred times slower."""
        return True

    def planes(game):
        """Shape (planes, height, width) of an encoded state."""

    def symmetries(game):
        """List of `(actions, cells)`, two permutations as index arrays under which the rules stay the
        same: action a becomes actions[a], cell i of every plane becomes cells[i].  Identity first."""

    def board(game):
        """What a page draws: {"shape": ..., "rows": ..., "cols": ...}; the shape is "cells", "intersections",
        "hexagons" (odd rows lie half a cell to the right) or "well".  Cells are numbered row by row from the top.
        Default, where a game gives `cells` or `glyphs`: cells as the rows and columns of `planes`."""

    def cells(game, state):
        """What lies on each cell of that board: 0 nothing, 1 and 2 the players' stones, 3 a cell that is used
        up, -1 no cell.  In a well 1 to 9 are the colours of pieces.  Default, where a game gives `glyphs`: a text
        that begins with X or O is a stone, " " no cell, any other one is a cell that is used up."""

    def glyphs(game, state):
        """The text on each cell of that board, such as a chess piece or a number of seeds, at most LONGEST_GLYPH
        characters; "" where what `cells` says is enough, " " where nothing is to be seen."""

    def caption(game, state):
        """A line below the board that tells what it does not show, such as walls that are left.  Default: none."""
        return ""

    def where(game, state, action):
        """List of the cells of that board that a legal action concerns."""

    def row(game, state):
        """List of the cells that make the win, in a game that somebody has won."""

    def left(game, state):
        """How many cells are still free: agents that wait for the end of a game ask.  Default: those on which
        `cells` says that nothing lies."""

    def middle(game):
        """List of the actions in the middle of the board."""

    def name(game, action):
        """What people call an action: one word, another for every action."""
        return str(action)

    def text(game, state):
        """The position on several lines, for people.  Default: the board with its cells, by the rules or, if an
        action is a cell of the planes, by those; else the fields."""
        return boards.text(game, state)

    def diagram(game, state):
        """The position on one line, such that `read` gives the state back.  Default, where a game gives `read`:
        the rows of its cells from the top and who moves, `X.O/.X./O.. X`."""

    def read(game, diagram):
        """The state of a one-line diagram; ValueError with one clear line if it makes no sense."""


def _rules_of(cls: type) -> dict[str, FunctionType]:
    return {name: rule for name, rule in vars(cls).items() if inspect.isfunction(rule)}


COMPILED, RULES = _rules_of(Compiled), _rules_of(Compiled) | _rules_of(Interpreted)
REQUIRED = [name for name, rule in RULES.items() if (rule.__doc__ or "").startswith("Required")]
DEFAULTS = ["start", "chance", "still", "wins", "wins_after", "hope", "limits", "alone", "decisive"]
DEFAULTS += ["compiles", "name", "text", "caption"]
BY_FIELD = {"player": "turn", "over": "winner", "score": "winner"}  # what a field of the state answers by default


_adopting = threading.RLock()


def adopt(cls: Any) -> Any:
    """Make a class of rules ready for use: complete it by the defaults.  Returns the class.

    Call it when the functions that the rules use are defined.  Raises TypeError, in one line, for a
    class that cannot be a game.
    """
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        name = getattr(cls, "__name__", "Name")
        raise TypeError(f"{getattr(cls, '__name__', cls)} is not a game: write `class {name}(NamedTuple):`")
    with _adopting:  # or another thread would take the defaults for what the class gives
        if "_gives" not in vars(cls):
            _complete(cls)
    return cls


def _complete(cls: Any) -> None:
    """Complete a class of rules by what it does not give itself."""
    user_classes.inherit(cls, RULES)
    methods = user_classes.methods(cls)
    own, called = list(methods), set[str]().union(*(names_in(method.__code__) for method in methods.values()))
    for name in own:
        if name not in called and (near := meant(name, RULES)):  # what the class calls itself is a method of its own
            raise TypeError(f"{cls.__name__}.{name} is not a rule; did you mean {near}?{_place(cls, name)}")
        if name in RULES:
            has, want = (list(inspect.signature(rule).parameters)[1:] for rule in (getattr(cls, name), RULES[name]))
            if has != want:
                takes = f"takes ({', '.join(has)}); the rule takes ({', '.join(want)})"
                raise TypeError(f"{cls.__name__}.{name} {takes}{_place(cls, name)}")
    missing = [name for name in REQUIRED if name not in own]
    if missing:
        raise TypeError(f"{cls.__name__} lacks the rule{'s' * (len(missing) > 1)} {', '.join(missing)}")
    if not cls.__module__.startswith("plyground."):
        user_classes.settle(cls)
    for name in set(own) - set(RULES):
        let_rules_call_method(name)
    if "planes" in own and "board" not in own and not {"cells", "glyphs"}.isdisjoint(own):
        cls.board = boards.board_of_planes
        own.append("board")
    if {"board", "glyphs"}.issubset(own) and "cells" not in own:
        cls.cells = boards.cells_of_glyphs
        own.append("cells")
    if {"board", "cells"}.issubset(own):
        for name in ("text", "left", "diagram") if "read" in own else ("text", "left"):
            if name not in own:
                setattr(cls, name, getattr(boards, name))
                own.append(name)
    for name in [*DEFAULTS, *BY_FIELD]:
        if name not in own:
            setattr(cls, name, RULES[name])
    cls._gives = frozenset(own)  # it is ready


def _place(cls: type, name: str) -> str:
    """Where a class writes a method, in brackets."""
    code = vars(cls)[name].__code__
    return f" ({place(code.co_filename, code.co_firstlineno)})"


def gives(game: Any, *rules: str) -> bool:
    """Does the class of the game answer all these rules, itself or by its board?"""
    return type(game)._gives.issuperset(rules)


def must_have_fields(game: Any) -> None:
    """TypeError where a rule is left to a field that the states of the game do not have."""
    left = [rule for rule in BY_FIELD if not gives(game, rule)]
    fields = (dtype(game).names or ()) if left else ()
    for rule in left:
        if BY_FIELD[rule] not in fields:
            name = user_classes.name_of(type(game))
            told = f"write it, or give its states a field `{BY_FIELD[rule]}`, which answers it"
            raise TypeError(f"{name} lacks the rule {rule}: {told}")


def must_encode(game: Any) -> None:
    """InputError unless a net can see this game."""
    if not gives(game, "encode", "planes"):
        raise InputError("a net needs a game that encodes its states; the rules `planes` and `encode` do")


def must_be_for_two(game: Any, what: str) -> None:
    """InputError unless two play this game."""
    if game.alone():
        raise InputError(f"{what} is for games of two players; `plyground score GAME AGENT` plays this one")


def dtype(game: Any) -> np.dtype:
    """The record type of the game's states."""
    return record(game.fields())


def blank(game: Any) -> Any:
    """A state whose fields are all zero."""
    return np.zeros(1, dtype(game))[0]


def new(game: Any) -> Any:
    """A state at the start of the game."""
    state = blank(game)
    game.start(state)
    return state


def legal(game: Any, state: Any) -> list[int]:
    """The legal actions as a list."""
    out = np.zeros(game.actions(), np.int32)
    return out[: game.legal(state, out)].tolist()


def winning(game: Any, state: Any, player: int) -> list[int]:
    """The actions with which the player would win at once, by the game's own rule `wins`."""
    out = np.zeros(game.actions(), np.int32)
    return out[: game.wins(state, player, out)].tolist()


def outcomes(game: Any, state: Any) -> list[tuple[int, float]]:
    """The outcomes of a chance event with their probabilities."""
    out, weights = np.zeros(game.actions(), np.int32), np.zeros(game.actions())
    count = game.chance(state, out, weights)
    return list(zip(out[:count].tolist(), weights[:count].tolist(), strict=True))


def playable(game: Any, state: Any) -> list[int]:
    """What `play` may be told: the legal actions, or the outcomes where nature moves."""
    if game.player(state) == CHANCE:
        return [outcome for outcome, _ in outcomes(game, state)]
    return legal(game, state)


def drawn_outcome(game: Any, state: Any, rng: np.random.Generator) -> int:
    """An outcome of a chance event, drawn by its probability."""
    found, weights = zip(*outcomes(game, state), strict=True)
    return int(rng.choice(found, p=weights))


def after(game: Any, state: Any, action: int) -> Any:
    """A new state: this one changed by one action."""
    state = state.copy()
    game.play(state, action)
    return state


for _name, _rule in COMPILED.items():
    let_kernels_call(_name, _rule)
