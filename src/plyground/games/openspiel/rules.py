"""Games of OpenSpiel, by its own rules: whatever plays ours plays these, interpreted.

A state is the list of what was played.  The state of OpenSpiel that it stands for is kept for a while, so that a
question after a move costs one copy of that and one step.
"""

from __future__ import annotations

import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...rules import LONGEST
from ...spec import About, InputError, nearest

KEPT = 4096  # states of OpenSpiel, of all games together
MOST_ACTIONS = 32767
LARGEST = 100  # number of a parameter, unless OpenSpiel takes a larger one by itself
ASKED = 20_000  # names of actions, to find out what people call them
_states: OrderedDict[tuple[str, bytes], Any] = OrderedDict()
_lock = threading.RLock()


class OpenSpiel(NamedTuple):
    spec: str  # as OpenSpiel writes it

    def limits(game):
        library(game.spec)

    def compiles(game):
        return False

    def fields(game):
        return [("moves", np.int16, (library(game.spec).longest,)), ("count", np.int16)]

    def actions(game):
        return library(game.spec).actions

    def alone(game):
        return library(game.spec).alone

    def player(game, state):
        return max(at(game, state).current_player(), -1) if not game.over(state) else 0

    def legal(game, state, out):
        found = at(game, state).legal_actions()
        out[: len(found)] = found
        return len(found)

    def play(game, state, action):
        state.moves[state.count] = action
        state.count += 1

    def over(game, state):
        return at(game, state).is_terminal() or int(state.count) >= library(game.spec).longest

    def score(game, state):
        return at(game, state).returns()[0] / library(game.spec).most

    def name(game, action):
        return library(game.spec).names[action]

    def text(game, state):
        try:
            written = str(at(game, state)).rstrip()
        except UnicodeDecodeError:  # a board so wide that OpenSpiel runs out of letters
            written = " ".join(game.name(action) for action in state.moves[: state.count].tolist())
        return written or "the start"


def chance(game, state, out, weights):
    found = at(game, state).chance_outcomes()
    for i in range(len(found)):
        out[i], weights[i] = library(game.spec).choices + found[i][0], found[i][1]
    return len(found)


def planes(game):
    return library(game.spec).planes


def encode(game, state, planes):
    """What OpenSpiel lets the player to move observe, and a plane of ones where that is the second player."""
    mover = max(game.player(state), 0)
    planes[:-1] = np.reshape(at(game, state).observation_tensor(mover), planes[:-1].shape)
    planes[-1] = mover


class OpenSpielWithChance(OpenSpiel):
    chance = chance


class OpenSpielEncoded(OpenSpiel):
    planes, encode = planes, encode


class OpenSpielEncodedWithChance(OpenSpiel):
    chance, planes, encode = chance, planes, encode


def openspiel(
    name: Annotated[
        str,
        About("a game of OpenSpiel, as it is written there: perfect information, one player or two", kind="game"),
    ] = "breakthrough(rows=6,columns=6)",
) -> OpenSpiel:
    """A game of OpenSpiel by its own rules; whatever plays it runs interpreted."""
    found = library(name.replace(" ", ""))
    both = [OpenSpiel, OpenSpielWithChance], [OpenSpielEncoded, OpenSpielEncodedWithChance]
    return both[found.planes is not None][found.chance](str(found.game))


class Library:
    """A game as OpenSpiel has it, with what is asked of it often.  InputError if it cannot be played here."""

    def __init__(self, spec: str) -> None:
        import pyspiel

        try:
            with silence():
                _must_be_sane(pyspiel.game_parameters_from_string(spec))
                game = pyspiel.load_game(spec)
                start = game.new_initial_state()  # some sizes are refused only here
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"OpenSpiel says: {' '.join(str(error).split())[:200]}") from None
        kind = game.get_type()
        self.alone, self.chance = game.num_players() == 1, kind.chance_mode != kind.ChanceMode.DETERMINISTIC
        _must(kind.dynamics == kind.Dynamics.SEQUENTIAL, "players who move in turns", "they move at once")
        open_to_all = kind.information == kind.Information.PERFECT_INFORMATION
        _must(open_to_all, "perfect information", "something is hidden from a player")
        _must(game.num_players() <= 2, "one player or two", f"it has {game.num_players()}")
        _must(kind.chance_mode != kind.ChanceMode.SAMPLED_STOCHASTIC, "chance that tells its odds", "it draws itself")
        _must(self.alone or kind.utility == kind.Utility.ZERO_SUM, "a winner and a loser", "it is not zero-sum")
        _must(not start.is_terminal(), "a first move", "it is over at the start")
        self.game = game
        self.choices = game.num_distinct_actions()  # of players; numbers from here on are chance events
        self.actions = self.choices + game.max_chance_outcomes()
        _must(self.actions <= MOST_ACTIONS, f"at most {MOST_ACTIONS} actions", f"it has {self.actions}")
        self.longest = min(game.max_history_length(), LONGEST)  # one that goes on for longer is drawn
        self.most = 1.0 if self.alone else max(abs(game.min_utility()), abs(game.max_utility()))  # counts as 1
        self.paid_at_end = kind.reward_model == kind.RewardModel.TERMINAL  # or on the way, too?
        self.planes: tuple[int, int, int] | None = None
        if kind.provides_observation_tensor and 1 <= len(shape := game.observation_tensor_shape()) <= 3:
            depth, height, width = [1] * (3 - len(shape)) + list(shape)
            self.planes = depth + 1, height, width

    def played(self, moves: list[int]) -> list[int]:
        """What was played here, by the numbers of OpenSpiel: those of chance events begin at 0, too."""
        return [action if action < self.choices else action - self.choices for action in moves]

    @cached_property
    def names(self) -> list[str]:
        """What OpenSpiel calls the actions, each in one word: as it did wherever they were legal in some random games.

        Its names may tell who moves, and that is left out.  An action that has several names, or was never legal, is
        called by its number.
        """
        called: list[tuple[set[str], set[str]]] = [(set(), set()) for _ in range(self.actions)]
        rng, asked = np.random.default_rng(0), 0
        while asked < ASKED:
            state = self.game.new_initial_state()
            for _ in range(self.longest):
                if state.is_terminal() or asked >= ASKED:
                    break
                choices, mover = state.legal_actions(), state.current_player()
                asked += len(choices)
                first = self.choices if state.is_chance_node() else 0
                for action in choices:
                    called[first + action][max(mover, 0)].add(_called(state, mover, action))
                state.apply_action(int(rng.choice(choices)))
        words = [_word(*both) for both in called]
        often = Counter(words)
        return [word if word and often[word] == 1 else f"action-{action}" for action, word in enumerate(words)]


def _called(state: Any, mover: int, action: int) -> str:
    """What OpenSpiel calls an action in a state, in one word; its number where it runs out of letters."""
    try:
        return "-".join(state.action_to_string(mover, action).lower().split())
    except UnicodeDecodeError:
        return f"action-{action}"


def _word(first: set[str], second: set[str]) -> str:
    """The one name of an action, of which either player may have another; nothing if it has several."""
    if max(len(first), len(second)) > 1 or not first | second:
        return ""
    if first == second or not first or not second:
        return min(first | second)
    pairs = zip(min(first)[::-1], min(second)[::-1], strict=False)
    common = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return common[::-1].lstrip("-")


def _must_be_sane(values: dict[str, Any]) -> None:
    """InputError unless OpenSpiel has the game of these parameters, and their numbers are such as it can stand: it may
    take the process down with it where a board has no cells, and make a board of a million of them."""
    import pyspiel

    known = {kind.short_name: kind for kind in pyspiel.registered_games()}
    name = values.get("name", "")
    if name not in known:
        raise InputError(f"OpenSpiel has no game {name!r}{nearest(name, known)}")
    usual = known[name].parameter_specification
    _must("filename" not in usual, "rules of their own", "it is read from a file")
    for word, value in values.items():
        if isinstance(value, dict):
            _must_be_sane(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            default = usual.get(word)
            ends = sorted([default, 1, LARGEST]) if isinstance(default, int) else [1, LARGEST]
            if not ends[0] <= value <= ends[-1]:
                raise InputError(f"{name}: {word} is {ends[0]} to {ends[-1]}, not {value}")


def _must(holds: bool, wanted: str, found: str) -> None:
    if not holds:
        raise InputError(f"games of OpenSpiel are played here that have {wanted}: {found}")


@lru_cache(64)
def library(spec: str) -> Library:
    """A game of OpenSpiel."""
    return Library(spec)


def at(game: OpenSpiel, state: Any) -> Any:
    """The state of OpenSpiel that a state stands for; it is shared, and nobody changes it."""
    spec, moves = game.spec, state.moves[: state.count]
    whole = moves.tobytes()
    with _lock:
        found = _states.get((spec, whole))
        if found is not None:
            _states.move_to_end((spec, whole))
            return found
        width = moves.itemsize
        known = next((n for n in range(len(moves) - 1, 0, -1) if (spec, whole[: n * width]) in _states), 0)
        found = _states[spec, whole[: known * width]].clone() if known else library(spec).game.new_initial_state()
        for action in library(spec).played(moves[known:].tolist()):
            found.apply_action(action)
        _states[spec, whole] = found
        if len(_states) > KEPT:
            _states.popitem(last=False)
        return found


@contextmanager
def silence() -> Iterator[None]:
    """Let nothing be written to stderr meanwhile: OpenSpiel writes there what it raises, too."""
    with _lock:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(nowhere)
