"""Agents in processes of their own: those from a user's own file, under a time limit, and interpreted ones.

A game is lost, with the reason in one line, by an agent that does not answer in time, fails, ends its process or plays
what is not legal.  Nothing of its file is executed in this process, unless somebody loads it to see what it holds and
which options it takes, as `serve` does for its page.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .. import user_files
from ..child import Gone, Program
from ..rules import legal
from ..spec import InputError, parse
from .base import Agent, Forfeit, Limit, Move, Thought, Unmade
from .messages import read_actions, read_moves, read_thought, written_game, written_state

MOVE_SECONDS = 30.0  # of a move that nothing else bounds
GRACE = 1.0  # seconds over its limit after which an agent has lost
START = 60.0  # seconds to import the file and what it imports
MEMORY = 4096  # megabytes of a process
MOST_OPEN = 12  # processes; those that have rested longest are ended, and started again when they are needed
LONGEST_ANSWER = 1 << 24  # bytes
CODE = "import sys; sys.path.append({!r}); from plyground.agents.user_agent_process import main; main()"
INTERPRETED = "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'; "

_open: list[ProcessAgent] = []  # those with a process, the one that was asked last at the end
_lock = threading.RLock()


class Refused(Forfeit):
    """The process says that what was asked of it makes no sense."""


class ProcessAgent(Agent):
    """An agent that thinks in a process of its own."""

    outside = True
    code = CODE.format(str(Path(__file__).parents[2]))  # of the process

    @property
    def grace(self) -> float:
        """Seconds over its limit after which it has lost."""
        return GRACE

    def __init__(self, text: str, move_seconds: float) -> None:
        self.text = text
        self.file, self.args, self.named = parse(text)
        self.move_seconds = move_seconds
        self._program: Program | None = None
        self._asked = 0  # requests
        self._seed: int | None = 0  # of a game that has begun without the process's knowing
        self._last_seed = 0
        self._busy = False
        self._game: Any = None  # of the last thought

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._seed = self._last_seed = seed

    def close(self) -> None:
        with _lock:
            program, self._program = self._program, None
            if self in _open:
                _open.remove(self)
        if program:
            program.end()

    def ready(self, game: Any) -> None:
        try:
            with self._process():
                told = {"game": written_game(game), "begin": self._begun()}
                self._request("ready", self.move_seconds + self.grace, told)
        except Forfeit:  # it will lose its games
            return

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        seconds = self.move_seconds if limit.seconds is None else min(limit.seconds, self.move_seconds)
        told = {"game": written_game(game), "state": written_state(state), "seconds": seconds}
        with self._process():
            told |= {"begin": self._begun(), "simulations": limit.simulations, "watch": bool(limit.watch)}
            begun = time.perf_counter()
            self._game = game
            answer = self._request("think", seconds + self.grace, told, limit)
        try:
            thought = read_thought(answer, game.actions())
        except (ValueError, KeyError, TypeError):
            self.close()
            raise Forfeit("it answered nonsense") from None
        if thought.action not in legal(game, state):
            raise Forfeit(f"it played {thought.action}, which is not a legal action here")
        return Thought(**vars(thought) | {"seconds": thought.seconds or time.perf_counter() - begun})

    def choices(self, game: Any, state: Any) -> list[int]:
        told = {"game": written_game(game), "state": written_state(state)}
        found = self._look("choices", told, read_actions, game)
        if not found or set(found) - set(legal(game, state)):
            raise InputError(f"{self.file} tells choices that are not legal")
        return found

    def line(self, action: int) -> list[int]:
        return self._look("line", {"action": action}, read_actions, self._game) if self._game else []

    def children(self, path: list[int]) -> list[Move]:
        return self._look("children", {"path": path}, read_moves, self._game) if self._game else []

    # --- the process ---

    def _look(self, request: str, told: dict[str, Any], read: Callable[[Any, int], list], game: Any) -> list:
        """What it answers to a question that does not belong to a match; InputError if it does not."""
        try:
            with self._process():
                return read(self._request(request, self.move_seconds + self.grace, told), game.actions())
        except Forfeit as failed:
            raise InputError(f"{self.file}: {failed}") from None
        except InputError:
            raise
        except (ValueError, TypeError):
            raise InputError(f"{self.file}: it answered nonsense") from None

    def _begun(self) -> int | None:
        """The seed of the game that has begun since the process was told of one, if any."""
        seed, self._seed = self._seed, None
        return seed

    @contextmanager
    def _process(self) -> Iterator[None]:
        """Have a process in which the agent was made, and which nobody ends to make room; Forfeit if that fails."""
        try:
            if not self._take():
                self._seed = self._last_seed
                try:
                    self._request("make", START, {"file": self.file, "args": self.args, "named": self.named})
                except Forfeit:
                    self.close()
                    raise
            yield
        finally:
            self._busy = False

    def _take(self) -> bool:
        """Be busy, with a process: was there one already?"""
        with _lock:
            self._busy = True
            if self._program:
                _open.remove(self)
                _open.append(self)
                return True
            for other in [one for one in _open if not one._busy][: max(0, len(_open) + 1 - MOST_OPEN)]:
                other.close()
            command = [sys.executable, "-P", "-c", self.code, str(MEMORY)]
            self._program = Program(command, lambda line: line.startswith("{"), LONGEST_ANSWER)
            _open.append(self)
            return False

    def _request(self, request: str, seconds: float, told: dict[str, Any], limit: Limit = Limit()) -> Any:
        """What the process answers in time; Forfeit if it does not."""
        try:
            return self._answer(request, seconds, told, limit)
        except Gone as gone:
            self.close()
            raise Forfeit(str(gone)) from None
        except BaseException as error:
            if not isinstance(error, Forfeit):
                self.close()
            raise

    def _answer(self, request: str, seconds: float, told: dict[str, Any], limit: Limit) -> Any:
        program = self._program
        assert program
        self._asked += 1
        program.say(json.dumps({"id": self._asked, "do": request, "with": told}))
        until, stopped = time.monotonic() + seconds, False
        while True:
            line = program.answer(max(0.0, until - time.monotonic()), None if stopped else limit.stop)
            answer = read_answer(line or "")
            if answer.get("id") == self._asked:
                if "so_far" not in answer:
                    return settled(answer)
                self._show(answer["so_far"], limit)
            if time.monotonic() >= until:  # however much it says on the way
                self.close()
                bound = (
                    f"{seconds - self.grace:g} s and {self.grace:g} s of grace" if seconds != START else f"{START:g} s"
                )
                raise Forfeit("it was stopped before it had chosen" if stopped else f"it did not answer within {bound}")
            if not stopped and limit.stop and limit.stop():
                program.say(json.dumps({"id": 0, "do": "stop", "with": {}}))
                until, stopped = min(until, time.monotonic() + self.grace), True

    def _show(self, told: Any, limit: Limit) -> None:
        """Hand a thought on to whoever watches, if it is one."""
        with suppress(ValueError, KeyError, TypeError):
            thought = read_thought(told, self._game.actions())
            if limit.watch and thought.action in range(self._game.actions()):
                limit.watch(thought)


class UserAgent(ProcessAgent):
    """An agent of a user's own, `path/to/file.py:Name` with its options."""

    def __init__(self, text: str, move_seconds: float = MOVE_SECONDS) -> None:
        super().__init__(text, move_seconds)
        if not Path(user_files.split(self.file)[0]).is_file():
            raise InputError(f"there is no file {user_files.split(self.file)[0]}")
        try:
            with self._process():
                pass
        except Refused as refused:
            raise InputError(str(refused)) from None
        except Forfeit as failed:
            raise Unmade(f"{self.file} makes no agent: {failed}") from None


class Interpreted(ProcessAgent):
    """An agent that came with the program, in plain Python: the same searches, a few hundred times slower, at once.

    It plays where its kernels are still being compiled.
    """

    code = INTERPRETED + ProcessAgent.code

    @property
    def grace(self) -> float:
        """Nobody loses by it: one step of a search may take long."""
        return 30.0

    def __init__(self, text: str, move_seconds: float = 1.0) -> None:
        from . import maker

        super().__init__(text, move_seconds)
        self._dismissed = False
        self.named = {**maker(self.file).plain, **self.named}
        self.begin(0)

    def start(self) -> None:
        """Have the process started, and the agent made there; Forfeit if that fails."""
        with self._process():
            pass

    def dismiss(self) -> None:
        """End the process, whatever it does; no other is started, and whoever asks gets a Forfeit."""
        with _lock:
            self._dismissed = True
        self.close()

    def _take(self) -> bool:
        with _lock:
            if self._dismissed:
                raise Forfeit("it is not needed any more")
            return super()._take()


def read_answer(line: str) -> dict[str, Any]:
    """A line of the process; nothing if it is not one of ours."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def settled(answer: dict[str, Any]) -> Any:
    """What a request was answered; InputError if its game cannot be had any more, Forfeit if the agent fails."""
    if "is" in answer:
        return answer["is"]
    if isinstance(answer.get("no_game"), str):
        raise InputError(answer["no_game"][:300])
    raise (Refused if "refused" in answer else Forfeit)(reason(answer))


def reason(answer: dict[str, Any]) -> str:
    """Why a request was not answered."""
    if isinstance(answer.get("failed"), str):
        return f"it failed: {answer['failed'][:300]}"
    for word in ("forfeit", "refused"):
        if isinstance(answer.get(word), str):
            return answer[word][:300]
    return "it answered nonsense"
