"""A run: a folder with everything that one training wrote.

    config.json        algorithm, game, options, seed, versions, command
    metrics.jsonl      one line of figures a time, by step; events.out.* are the same for TensorBoard
    games.jsonl        sample games
    checkpoints/       <step>.safetensors and <step>.json: everything the learner needs to go on
    net.*              the trained net (see `nets.files`)
    curve.svg          the learning curve
    .trainer.json      the process that trains here, as long as it does

A run may be killed at any moment.  A checkpoint counts only when both its files are there and the second, written
last, tells the digests of the first, of the figures and games so far, and of itself.  What was written after the
checkpoint that training goes on from is cut off.
"""

from __future__ import annotations

import io
import json
import math
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__, atomic, sealed
from ..nets.files import unpacked
from ..spec import InputError
from ..user_files import digests

CONFIG, METRICS, GAMES, CHECKPOINTS = "config.json", "metrics.jsonl", "games.jsonl", "checkpoints"
LARGEST = 8 << 30  # bytes of a checkpoint
TRAINER = ".trainer.json"
KEPT = 2  # checkpoints: the newest, and the one before it should the newest be torn


class Run:
    """The folder of one training."""

    def __init__(self, folder: Path, config: dict[str, Any]) -> None:
        self.folder, self.config = folder, config
        self._events: Any = None
        self.sinks: list[Any] = []  # others that figures are told to: `add(step, figures)`

    # --- beginning ---

    @classmethod
    def create(cls, folder: Path, algorithm: str, game: str, options: dict[str, Any], seed: int, command: str) -> Run:
        """A new run; InputError if the folder holds one."""
        must_be_free(folder)
        made = {"date": time.strftime("%Y-%m-%d"), "command": command, "versions": versions()}
        config = {"algorithm": algorithm, "game": game, "options": options, "seed": seed, **made}
        config["files"] = digests(algorithm, game)  # of users' own
        try:
            (folder / CHECKPOINTS).mkdir(parents=True, exist_ok=True)
            atomic.write(folder / CONFIG, sealed.text(config, indent=1))
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}") from None
        return cls(folder, config)

    @classmethod
    def open(cls, folder: Path) -> Run:
        """The run of a folder."""
        config = sealed.read(folder / CONFIG, "a run")
        kinds = {"algorithm": str, "game": str, "options": dict, "seed": int}
        for name, kind in kinds.items():
            if type(config.get(name)) is not kind:
                raise InputError(f"{folder / CONFIG} does not describe a run: it lacks {name}")
        try:
            (folder / CHECKPOINTS).mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder / CHECKPOINTS} cannot be written to: {error.strerror}") from None
        return cls(folder, config)

    def keep_config(self) -> None:
        """Write down where the run goes on, if that is another place."""
        if self.config != sealed.read(self.folder / CONFIG, "a run"):
            atomic.write(self.folder / CONFIG, sealed.text(self.config, indent=1))

    # --- figures ---

    def log(self, step: int, figures: dict[str, Any]) -> None:
        """Add a line of figures, NumPy's or Python's; a number that is not one is None."""
        figures = as_json(figures)
        self._append(METRICS, {"step": step, **figures})
        if self._events is None:
            self._events = _Events(self.folder)
        for sink in (self._events, *self.sinks):
            sink.add(step, figures)

    def keep_games(self, step: int, games: list[dict[str, Any]]) -> None:
        """Add sample games."""
        for game in games:
            self._append(GAMES, {"step": step, **game})

    def metrics(self) -> list[dict[str, Any]]:
        """All lines of figures."""
        return list(lines(self.folder / METRICS))

    def _append(self, name: str, line: dict[str, Any]) -> None:
        atomic.append(self.folder / name, json.dumps(line, allow_nan=False) + "\n", durable=False)

    # --- who trains ---

    @contextmanager
    def in_training(self) -> Iterator[None]:
        """Say in the folder that this process trains here, until it ends; InputError if another one does."""
        if is_trained(self.folder):
            raise InputError(f"another process trains in {self.folder}")
        self._name_trainer(os.getpid())
        try:
            yield
        finally:
            with suppress(OSError):
                self._name_trainer(None)

    def _name_trainer(self, process: int | None) -> None:
        told = {"host": platform.node(), "process": process, "born": process and born(process)}
        atomic.write(self.folder / TRAINER, json.dumps(told))

    # --- checkpoints ---

    def save(self, step: int, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        """Write a checkpoint and drop those before the last two."""
        from safetensors.numpy import save as packed

        content = packed({name: np.ascontiguousarray(array) for name, array in arrays.items()})
        atomic.write(self._path(step, "safetensors"), content)
        logs = {name: self._log_until(name) for name in (METRICS, GAMES)}
        whole = {"step": step, "arrays": sealed.digest(content), "notes": notes, "logs": logs}
        atomic.write(self._path(step, "json"), sealed.text(whole))
        for old in self._saved()[KEPT:]:
            self._path(old, "json").unlink()
            self._path(old, "safetensors").unlink(missing_ok=True)

    def latest(self) -> tuple[int, dict[str, np.ndarray], dict[str, Any]] | None:
        """Step, arrays and notes of the newest checkpoint that is whole; None if there is none."""
        for step in self._saved():
            try:
                told = sealed.read(self._path(step, "json"), "a checkpoint")
                path = self._path(step, "safetensors")
                content = atomic.read(path, LARGEST)
                if (told.get("step"), told.get("arrays")) != (step, sealed.digest(content)):
                    raise InputError(f"{path} is not what the checkpoint was made of")
                arrays = unpacked(content, path)
                self._tell_damaged_logs(told.get("logs", {}))
                return step, arrays, told["notes"]
            except (InputError, OSError) as error:
                print(f"plyground: {error}; checkpoint {step} is left out", file=sys.stderr)
        return None

    def _log_until(self, name: str, size: int | None = None) -> list[Any]:
        """Length and digest of a file of figures or games, or of its beginning."""
        path = self.folder / name
        content = atomic.read(path, LARGEST)[:size] if path.is_file() else b""
        return [len(content), sealed.digest(content)]

    def _tell_damaged_logs(self, known: dict[str, list[Any]]) -> None:
        """Training goes on whatever became of its figures and games; but that something did is told."""
        for name, (size, digest) in known.items():
            if self._log_until(name, size) != [size, digest]:
                print(f"plyground: {self.folder / name} is damaged: what was told before may be wrong", file=sys.stderr)

    def cut(self, step: int, owed: bool = False) -> None:
        """Forget what was written after a step, and half a line of a process that was killed.

        owed: what was told of the step itself is told again, with what is measured.
        """
        for name in (METRICS, GAMES):
            path = self.folder / name
            if path.exists():
                kept = [json.dumps(line) + "\n" for line in lines(path) if line["step"] < step + (not owed)]
                atomic.write(path, "".join(kept))
        for path in (self.folder / CHECKPOINTS).iterdir():
            if path.is_file() and (not path.stem.isdecimal() or int(path.stem) > step):
                path.unlink()
        for path in self.folder.glob(f".*{atomic.PART}"):
            path.unlink()
        _Events.forget(self.folder)
        again = self.metrics()
        if again:
            self._events = _Events(self.folder)
            for line in again:
                self._events.add(line.pop("step"), line)

    def _path(self, step: int, ending: str) -> Path:
        return self.folder / CHECKPOINTS / f"{step}.{ending}"

    def _saved(self) -> list[int]:
        """The steps of the checkpoints, newest first."""
        stems = (path.stem for path in (self.folder / CHECKPOINTS).glob("*.json") if path.is_file())
        return sorted((int(stem) for stem in stems if stem.isdecimal()), reverse=True)


def is_trained(folder: Path) -> bool | None:
    """Does a process train in this folder?  None if nothing there tells, or if it is one of another machine."""
    try:
        told = json.loads((folder / TRAINER).read_text())
        host, process = told["host"], told["process"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if host != platform.node() or os.name != "posix":
        return None
    return type(process) is int and process > 0 and born(process) is not None and born(process) == told.get("born")


def born(process: int) -> str | None:
    """When a process of this machine began, by which it is told from a later one of its number; None if it is gone."""
    stat = Path(f"/proc/{process}/stat")
    try:
        if stat.parent.parent.joinpath("self").exists():
            after_name = stat.read_text(errors="replace").rpartition(")")[2].split()
            return None if after_name[0] == "Z" else after_name[19]
        os.kill(process, 0)
    except PermissionError:
        return "there"
    except (OSError, IndexError):
        return None
    return "there"


def must_be_free(folder: Path) -> None:
    """InputError if no new run can be put into this folder."""
    if (folder / CONFIG).exists():
        raise InputError(f"{folder} holds a run already: --resume goes on with it, or choose another --out")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: --out names a folder")
    if any(path.stat().st_size for path in folder.glob("*.jsonl")):
        raise InputError(f"{folder} holds the games of something else: choose another --out")


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file that belong to a step; half a line, of a run that was killed, is not one."""
    for line in path.read_text(errors="replace").splitlines() if path.is_file() else []:
        with suppress(ValueError):
            told = json.loads(line)
            if isinstance(told, dict) and type(told.get("step")) is int:
                yield told


def as_json(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures, NumPy's or Python's, as JSON can hold them: a number that is not one is None."""
    plain = {name: x.item() if isinstance(x, np.generic) else x for name, x in figures.items()}
    return {name: None if isinstance(x, float) and not math.isfinite(x) else x for name, x in plain.items()}


def versions() -> dict[str, str]:
    """What a run was made by."""
    from importlib.metadata import version

    made = {"plyground": __version__, "python": platform.python_version()}
    return made | {name: version(name) for name in ("numpy", "numba", "torch")}


class _Events:
    """The figures as TensorBoard reads them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"events.out.tfevents.{int(time.time()):010}.{platform.node()}.{os.getpid()}"
        self._append(file_version="brain.Event:2")

    def add(self, step: int, figures: dict[str, Any]) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary

        numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
        values = [Summary.Value(tag=name, simple_value=value) for name, value in numbers.items()]
        self._append(step=step, summary=Summary(value=values))

    def _append(self, **what: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.summary.writer.record_writer import RecordWriter

        record = io.BytesIO()
        RecordWriter(record).write(Event(wall_time=time.time(), **what).SerializeToString())
        atomic.append(self._path, record.getvalue(), durable=False)

    @staticmethod
    def forget(folder: Path) -> None:
        for path in folder.glob("events.out.*"):
            path.unlink()


def command_line() -> str:
    """What was typed."""
    import shlex

    program = os.path.basename(sys.argv[0])
    return shlex.join(["plyground" if program == "__main__.py" else program, *sys.argv[1:]])
