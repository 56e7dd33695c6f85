"""Games to learn from: played by a strong agent, or read from files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import agents, atomic, game_files, games
from ...agents.base import Forfeit
from ...envs.openspiel_saved import is_saved, saved_games
from ...rules import dtype, kernel, legal, new
from ...spec import InputError

LONGEST = 1024  # plies of a game by an agent; a longer one is left there
LINES, OWN = ".jsonl", ("games.jsonl", "pairs.jsonl")  # Plyground's own: of runs, and of matches
SPIEL = ".spiel"  # what we call files of OpenSpiel, which have no ending of their own, within a folder
NONE = -1  # in the place of the action before: there was none


class Records(NamedTuple):
    """Games, action after action."""

    actions: np.ndarray  # int32[all plies]
    lengths: np.ndarray  # int32[games]
    openings: np.ndarray  # int32[games]: so many plies at the start were drawn at random, and teach nothing


class Positions(NamedTuple):
    """What was played where."""

    states: np.ndarray  # [n]
    actions: np.ndarray  # int32[n]
    lasts: np.ndarray  # int32[n]: the action before, or NONE
    plies: np.ndarray  # int32[n]: how many actions came before
    scores: np.ndarray  # float32[n]: how the game ended, for player 0; nan if it did not end


def joined(parts: list[Records]) -> Records:
    """Games of several records."""
    return Records(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def record(played: list[tuple[list[int], int]]) -> Records:
    """Games as lists of actions, each with the number of those that teach nothing."""
    actions = np.array([action for game, _ in played for action in game], np.int32)
    return Records(
        actions, np.array([len(game) for game, _ in played], np.int32), np.array([n for _, n in played], np.int32)
    )


def split(records: Records, at: int) -> tuple[Records, Records]:
    """The first games, and the others."""
    ply = int(records.lengths[:at].sum())
    first = Records(records.actions[:ply], records.lengths[:at], records.openings[:at])
    return first, Records(records.actions[ply:], records.lengths[at:], records.openings[at:])


def positions(game: Any, records: Records) -> Positions:
    """All positions in which an action was chosen, not drawn."""
    states, scores = played_again(game, records)
    ends = np.cumsum(records.lengths)
    number = np.arange(len(states)) - np.repeat(ends - records.lengths, records.lengths)
    lasts = np.where(number > 0, np.roll(records.actions, 1), NONE).astype(np.int32)
    chosen = number >= np.repeat(records.openings, records.lengths)
    ended = np.repeat(scores, records.lengths).astype(np.float32)
    parts = (states, records.actions, lasts, number.astype(np.int32), ended)
    return Positions(*(part[chosen] for part in parts))


def played_again(game: Any, records: Records) -> tuple[np.ndarray, np.ndarray]:
    """The states of all plies, each before its action, and the scores float64[games], nan of games without an end."""
    states, scores = np.zeros(len(records.actions), dtype(game)), np.zeros(len(records.lengths))
    blank, room = np.zeros(1, dtype(game)), np.zeros(1, dtype(game))
    replay(game, records.actions, records.lengths, blank, room, states, scores)
    return states, scores


def as_lines(game: Any, records: Records) -> list[dict[str, Any]]:
    """Games as `games.jsonl` has them."""
    ends, (_, scores) = np.cumsum(records.lengths), played_again(game, records)
    games = np.split(records.actions, ends[:-1])
    words = [" ".join(map(game.name, actions.tolist())) for actions in games]
    told = zip(words, scores.tolist(), strict=True)
    return [{"moves": moves} | ({} if math.isnan(score) else {"score": score}) for moves, score in told]


@kernel
def replay(game, actions, lengths, blank, room, states, scores):
    """Play games through again, see `played_again`; blank: one zeroed state; room: one state.

    actions int[all plies], lengths int64[games]; states [all plies], before each action; scores float64[games], NaN
    where a game has not ended.
    """
    at = 0
    for number in range(lengths.size):
        room[0] = blank[0]
        game.start(room[0])
        for _ in range(lengths[number]):
            states[at] = room[0]
            game.play(room[0], np.int64(actions[at]))
            at += 1
        scores[number] = game.score(room[0]) if game.over(room[0]) else np.nan


# --- by an agent --------------------------------------------------------------------------------------


class Teacher:
    """An agent that plays against itself, on several threads; a game depends on the seed and on its number alone."""

    def __init__(self, game: Any, spec: str, opening: int, seed: int, threads: int) -> None:
        self.game, self.opening, self.seed = game, opening, seed
        self._agents = [agents.make(spec) for _ in range(threads)]
        type(self._agents[0]).must_play(game)

    def play(self, first: int, number: int, may_stop: Callable[[], None] = lambda: None) -> Records:
        """Games of these numbers, `first` and those after it; `may_stop` is called before every move, and may raise."""
        ready = self._agents[: min(len(self._agents), number)]
        shares = [range(first + i, first + number, len(ready)) for i in range(len(ready))]

        def play(agent: Any, share: range) -> list[Any]:
            return [(n, self._one(agent, n, may_stop)) for n in share]

        with ThreadPoolExecutor(len(ready)) as pool:
            found = list(pool.map(play, ready, shares))
        return record([played for _, played in sorted(one for part in found for one in part)])

    def _one(self, agent: Any, number: int, may_stop: Callable[[], None]) -> tuple[list[int], int]:
        """A game, which begins with some random moves, and how many those are."""
        game, rng = self.game, np.random.default_rng([self.seed, 3, number])
        agent.begin(int(rng.integers(2**62)))
        state = new(game)
        played: list[int] = []
        opening = int(rng.integers(self.opening + 1))
        while not game.over(state) and len(played) < LONGEST:
            may_stop()
            if len(played) < opening:
                action = int(rng.choice(legal(game, state)))
            else:
                try:
                    action = agent.think(game, state).action
                except Forfeit as error:
                    raise InputError(f"the teacher gave up: {error}") from None
            game.play(state, action)
            played.append(action)
        return played, min(opening, len(played))

    def close(self) -> None:
        """Let go of what is outside of this process."""
        for agent in self._agents:
            agent.close()


# --- from files ---------------------------------------------------------------------------------------


def read(game: Any, text: str) -> Records:
    """The games of files and of folders, written with `;` between them; InputError if one makes no sense.

    Files of games as programs keep them (`game_files`), what OpenSpiel's `serialize_game_and_state` has written, and
    Plyground's own: of a run or a match.
    """
    paths: list[Path] = []
    for word in filter(None, (word.strip() for word in text.split(";"))):
        path = Path(word).expanduser()
        within = _files_in(path) if path.is_dir() else [path]
        if not within:
            raise InputError(f"{path} holds no files of games")
        paths += within
    played: list[tuple[list[int], int]] = []
    for path in paths:
        played += _lines(game, path) if path.suffix == LINES else [(actions, 0) for actions in _saved(game, path)]
    played = [(actions, opening) for actions, opening in played if actions]
    if not played:
        raise InputError(f"there are no games in {text}")
    return record(played)


def _files_in(folder: Path) -> list[Path]:
    """The file that a run or a match keeps its games in, else all files of games."""
    own = [folder / name for name in OWN if (folder / name).is_file()]
    return own or sorted(path for path in folder.rglob("*") if path.is_file() and _is_kept(path))


def _is_kept(path: Path) -> bool:
    """Is this a file of games?"""
    return game_files.is_game_file(path.name) or path.suffix.lower() == SPIEL


def _saved(game: Any, path: Path) -> list[list[int]]:
    """The actions of a file's games, which have to be of this one."""
    if not game_files.is_game_file(path.name) and (text := _openspiels(path)):
        try:
            return saved_games(game, text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    found = game_files.read_all(path)
    for spec in dict.fromkeys(saved.game for saved in found):
        other = games.make(spec)
        if type(other) is not type(game) or other != game:
            raise InputError(f"{path} holds a game of {spec}, not of this one")
    return [saved.actions for saved in found]


def _openspiels(path: Path) -> str:
    """The text of a file that OpenSpiel has written; "" if it has not."""
    try:
        text = game_files.decoded(atomic.read(path, game_files.LARGEST_COLLECTION))
    except OSError:
        return ""
    return text if is_saved(text) else ""


def _lines(game: Any, path: Path) -> list[tuple[list[int], int]]:
    """The games of Plyground's own files, one in a line or a pair of them, each with the plies of its opening."""
    try:
        content = atomic.read(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    found = []
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        where = f"{path}: line {number}"
        try:
            told = json.loads(line)
            for one in told.get("records", [told]):
                words = one["names"] if "names" in one else one["moves"]
                words = words.split() if isinstance(words, str) else [str(word) for word in words]
                found.append((_actions(game, words, where), int(one.get("opening", 0))))
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{where} is not a game: it lacks its moves") from None
    return found


def _actions(game: Any, words: list[str], where: str) -> list[int]:
    """The actions of these names."""
    state, actions = new(game), []
    for number, word in enumerate(words, 1):
        named = {} if game.over(state) else {game.name(action): action for action in legal(game, state)}
        if word not in named:
            raise InputError(f"{where}: move {number}, {word[:20]!r}, is not legal")
        actions.append(named[word])
        game.play(state, actions[-1])
    return actions
