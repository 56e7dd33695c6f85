"""Commands that the page starts: trainings and tournaments in the folder of runs, as processes beside the server.

What is started is what the command line would start, with the same options.  Specs that it is given are checked as all
others of the page: they read no files but those of runs and those given to `serve`.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import learn
from ..arena import TournamentOptions
from ..arena.journal import PLAN
from ..arena.match_folder import MatchFolder
from ..arena.tournament import standings_of
from ..child import Program
from ..learn.base import Asked
from ..learn.run import CONFIG, is_trained
from ..learn.train import must_have
from ..manifest import loaded
from ..nets import trained
from ..rules import must_be_for_two
from ..spec import InputError, bind, described, look_up, parameters
from .catalogue import Catalogue
from .requests import Enter, Resume, Train
from .runs import PART

MOST = 2  # commands at once
BEGINNING = 120.0  # seconds in which a command has begun its folder, PyTorch loaded and all
LOOK = 0.05  # seconds between two looks whether it has
FINISHING = 10.0  # seconds that it has to keep what is done when the server ends
WELL = (0, 128 + signal.SIGINT)  # codes of a command that has ended, or was stopped and has kept its round
UNKNOWN = {"stoppable": False, "stopping": False, "problem": ""}  # of what was not started here
OFF = "nothing is started from this page: the server is for others, too, and was started without --train"


class Commands:
    """What this server has started in its folder of runs."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue, self.runs = catalogue, catalogue.runs
        self._started: dict[str, Program] = {}
        self._stopping: set[Program] = set()  # asked to end
        self._lock = threading.Lock()

    # --- what is told of them ---

    def status(self, name: str) -> dict[str, Any]:
        """What is known of a run that was started here: may it be stopped here, has it been asked to, and why did
        it fail?"""
        started = self._started.get(name)
        if started is None:
            return UNKNOWN
        failed = started.process.poll() not in (None, *WELL)
        stopping = started.running and started in self._stopping
        return {"stoppable": started.running, "stopping": stopping, "problem": last_line(started) if failed else ""}

    # --- what is asked ---

    def train(self, asked: Train) -> str:
        """Begin a run; its name.  InputError, in the words of the command, if it cannot be begun."""
        folder = self._free(asked.name)
        name = look_up("learner", asked.algorithm, learn.registry())
        kind = learn.learner(name)
        self.catalogue.game(asked.game)
        options = self._checked(name, kind.options_type, asked.options)
        words = ["train", name, asked.game, "--out", str(folder), *written(options)]
        if asked.preset:
            words.append(f"--preset={look_up('preset', asked.preset, kind.presets)}")
        told = bind(Asked, "train", [], {"seed": asked.seed, "seconds": asked.seconds})
        return self._start(asked.name, [*words, *written(told)], lambda: is_trained(folder))

    def enter(self, asked: Enter) -> str:
        """Begin a tournament; its name."""
        folder = self._free(asked.name)
        must_be_for_two(self.catalogue.game(asked.game).game, "a tournament")
        words = ["tournament", asked.game, *map(self._agent, asked.agents), "--out", str(folder)]
        words += written(changed(TournamentOptions, bind(TournamentOptions, "tournament", [], asked.options)))
        return self._start(asked.name, words, (folder / PLAN).exists)

    def play_on(self, name: str) -> str:
        """Go on with a tournament."""
        folder, _ = self._there(name, PLAN)
        if self.status(name)["stoppable"]:
            raise InputError(f"{name} is being played")
        played = standings_of(MatchFolder.look(folder)).tournament
        self.catalogue.game(played.game)
        told = {"games": played.games, "seed": played.seed, "openings": played.opening, "gauntlet": played.gauntlet}
        words = ["tournament", played.game, *map(self._agent, played.agents), "--out", str(folder), "--resume"]
        pairs = folder / MatchFolder.file
        before = pairs.stat().st_size
        words += written(changed(TournamentOptions, told))
        return self._start(name, words, lambda: pairs.stat().st_size > before)

    def resume(self, name: str, asked: Resume) -> str:
        """Go on with a run."""
        folder, config = self._there(name)
        if is_trained(folder) or self.status(name)["stoppable"]:
            raise InputError(f"{name} is being trained")
        algorithm, game = (config.get(word) for word in ("algorithm", "game"))
        if algorithm not in learn.registry() or not isinstance(game, str):
            raise InputError(f"{name} is no run of a learner that is known here")
        self.catalogue.game(game)
        told = bind(Asked, "train", [], {"seconds": asked.seconds})
        words = ["train", str(algorithm), game, "--out", str(folder), "--resume", *written(told)]
        return self._start(name, words, lambda: is_trained(folder))

    def stop(self, name: str) -> str:
        """Ask what was started here to keep what is done, and end; asked again, it ends at once."""
        if not self.status(name)["stoppable"]:
            raise InputError(f"{name} was not started by this server, or has ended")
        self._stopping.add(self._started[name])
        self._started[name].interrupt()
        return name

    def close(self) -> None:
        """The server ends: what it has started keeps what is done, if that does not take long."""
        for name, started in self._started.items():
            if started.running:
                self.stop(name)
        for started in self._started.values():
            started.end()

    # --- within ---

    def _free(self, name: str) -> Path:
        """The folder of a run that does not exist yet."""
        parts = name.split("/")
        if len(parts) > 2 or not all(PART.fullmatch(part) for part in parts):
            raise InputError("a run is named by letters, digits, _, . and -, or by two such names with a slash between")
        folder = self.runs.folder.joinpath(*parts)
        if folder.exists():
            raise InputError(f"there is a run {name!r} already")
        return folder

    def _there(self, name: str, file: str = CONFIG) -> tuple[Path, dict[str, Any]]:
        """The folder of a run, or of a tournament, and what it says of itself."""
        folder = self.runs.place(name)
        if folder is None or not self.runs.file(name, file):
            raise InputError(
                f"there is no {'run' if file == CONFIG else 'tournament'} {name[:100]!r} in {self.runs.folder}"
            )
        return folder, self.runs.config(name)

    def _checked(self, name: str, taken: Any, given: dict[str, Any]) -> dict[str, Any]:
        """The options of a learner that are given, after a look at all that they name."""
        values = bind(taken, name, [], given)
        for option in parameters(taken):
            value = values.get(option.name)
            if not isinstance(value, str) or not value:
                continue
            if option.about.kind == "opponents":
                values[option.name] = "+".join(map(self._opponent, value.split("+")))
            elif option.about.kind == "net" and value not in trained.names():
                values[option.name] = self.runs.path(value)
            elif ".py" in value:
                raise InputError(f"{name}: {option.name} may not name a file here")
        return {word: values[word] for word in given}

    def _opponent(self, text: str) -> str:
        """The spec of an opponent; `self` is the learner as it was earlier."""
        return "self" if text.strip() == "self" else self._agent(text)

    def _agent(self, text: str) -> str:
        """The spec of an agent that may be used."""
        return self.catalogue.agent(text.strip()).text.removesuffix("()")

    def _start(self, name: str, words: list[str], begun: Callable[[], bool | None]) -> str:
        """Start a command, and wait until it has begun; its name."""
        with self._lock:
            if sum(one.running for one in self._started.values()) >= MOST:
                raise InputError(f"{MOST} are under way, and no more at once: stop one, or wait for its end")
            command = [sys.executable, "-m", "plyground", *words]
            started = Program(command, hear=lambda line: False, patience=FINISHING, farewell=b"")
            self._started[name] = started
        until = time.monotonic() + BEGINNING
        while started.running and time.monotonic() < until and not begun():
            time.sleep(LOOK)
        if started.process.poll() not in (None, *WELL):
            raise InputError(last_line(self._started.pop(name)))
        return name


def last_line(ended: Program) -> str:
    """What a command that has ended said last."""
    how = ended.how_it_ended()
    return (how.partition(": ")[2] or how).removeprefix("plyground: ")[:300]


def changed(kind: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are not as they are anyhow."""
    usual = {option.name: option.default for option in parameters(kind)}
    return {name: value for name, value in options.items() if value != usual[name]}


def written(options: dict[str, Any]) -> list[str]:
    """Options as words of a command."""
    words = []
    for name, value in options.items():
        dashed = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{dashed}" if value else f"--no-{dashed}")
        elif value is not None:
            words.append(f"--{dashed}={value}")
    return words


def offered(allowed: bool) -> dict[str, Any]:
    """The learners there are with all their options, as `plyground train ALGORITHM --help` tells them."""
    kinds = loaded(learn.registry(), learn.learner)
    taken = described({name: kind.options_type for name, kind in kinds.items()})
    learners = [
        entry
        | {
            "about": learn.about(entry["name"]),
            "learns": kinds[entry["name"]].learns,
            "presets": list(kinds[entry["name"]].presets),
            "example": kinds[entry["name"]].example,
            "searched_by": kinds[entry["name"]].searched_by,
        }
        for entry in taken
    ]
    asked = described({"train": Asked})[0]["parameters"]
    return {"problem": what_lacks() if allowed else OFF, "learners": learners, "asked": asked}


def what_lacks() -> str:
    """What has to be installed before anything can be trained; "" if nothing has."""
    try:
        must_have()
    except InputError as error:
        return str(error)
    return ""
