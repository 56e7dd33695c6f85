"""Long work killed at random moments, by time or just before it touches a file, and gone on with.

However often it was killed, what comes out in the end is, bit for bit, what comes out of work that was not.
"""

from __future__ import annotations

import json
import random
import shlex
import signal
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .base import Campaign, scratch
from .boards import scored
from .commands import wrong_with
from .terminal import SETTING_UP, Ran, Terminal

OUT = "out"
TIMES = (
    "seconds",
    "seconds_a_game",
    "seconds_per_move",
    "longest_move",
    "longest",
    "date",
    "command",
    "page",
    "folder",
)
MOST = 4  # kills of one work before it may come to its end


@dataclass(frozen=True)
class Work:
    """A command that takes a while, how it goes on, and the files that tell its result besides what it prints."""

    words: list[str]
    again: list[str]  # to go on
    files: tuple[str, ...] = ()
    needs: str = ""
    imports: str = ""
    touches: int = 40  # how often it touches a file, about

    @property
    def ready(self) -> list[list[str]]:
        """What loads the kernels that it needs, where it can run without a folder."""
        return [[*self.words, "--json"]] if self.again and not self.needs else []


WORKS = {
    "match": Work(
        [*("match", "tictactoe", "uct(sims=30)", "win-block"), *("--games", "24", "--openings", "2", "--jobs", "1")],
        ["--resume"],
        ("pairs.jsonl",),
        touches=16,
    ),
    "tournament": Work(
        [
            *("tournament", "tictactoe", "random", "uct(sims=30)", "win-block"),
            *("--games", "8", "--openings", "1", "--jobs", "1"),
        ],
        ["--resume"],
        ("pairs.jsonl",),
        touches=16,
    ),
    "score": Work(["score", *scored(), "--games", "16", "--jobs", "1"], ["--resume"], ("games.jsonl",), touches=20),
    "reproduce": Work(
        ["reproduce", "tiny", "--jobs", "1"],
        [],
        ("figures.json",),
        "matplotlib",
        f"{__package__}.tiny_study matplotlib",
        20,
    ),
    "train": Work(
        [
            *("train", "dqn", "tictactoe", "--games", "60", "--hidden", "8", "--batch", "10"),
            *("--checkpoint-every", "10", "--measure-every", "30", "--seed", "3"),
        ],
        ["--resume"],
        ("net.safetensors", "net.onnx", "metrics.jsonl", "games.jsonl"),
        "torch",
        "plyground.learn.dqn torch onnx safetensors.torch tensorboard.summary.writer.record_writer",
        33,
    ),
}


def timeless(told: Any) -> Any:
    """What was told, without times, names of folders and the order of keys."""
    if isinstance(told, dict):
        return {name: timeless(told[name]) for name in sorted(told) if name not in (*TIMES, "digest")}
    return [timeless(value) for value in told] if isinstance(told, list) else told


def result(folder: Path, work: Work, ran: Ran) -> dict[str, Any]:
    """All that work has come to: what it printed, and its files, None where one is missing; lines that came in another
    order, or twice, are the same."""
    found: dict[str, Any] = {"printed": timeless(json.loads(ran.out))}
    for name in work.files:
        path = folder / OUT / name
        if not path.exists():
            found[name] = None
            continue
        content = path.read_bytes()
        if name.endswith(".jsonl"):
            found[name] = sorted({json.dumps(timeless(json.loads(line))) for line in content.splitlines()})
        else:
            found[name] = timeless(json.loads(content)) if name.endswith(".json") else content
    return found


def apart(one: Any, other: Any, where: str = "") -> str:
    """The first place in which two results differ."""
    if type(one) is type(other) and isinstance(one, dict | list) and len(one) == len(other):
        names = list(one) if isinstance(one, dict) else range(len(one))
        if isinstance(one, list) or set(one) == set(other):
            return next(filter(None, (apart(one[name], other[name], f"{where} {name}") for name in names)), "")
    return "" if one == other else f"{where.strip()} is {str(other)[:300]}, not {str(one)[:300]}"


class Killer:
    """One kind of work, killed again and again."""

    def __init__(self, campaign: Campaign, kind: str, terminal: Terminal) -> None:
        self.campaign, self.kind, self.terminal, self.work = campaign, kind, terminal, WORKS[kind]

    def usual(self) -> float:
        """Run the work undisturbed; how long it takes."""
        with scratch() as folder:
            ran = self.run(folder, again=False, limit=SETTING_UP)
            if ran.code:
                raise RuntimeError(f"{self.kind} does not run: {ran.err[-300:]}")
            self.right = result(folder, self.work, ran)
        return ran.seconds

    def run(self, folder: Path, again: bool, **how: Any) -> Ran:
        words = [*self.work.words, "--out", OUT, "--json"]
        if again:
            words = [*self.resumed(), "--out", OUT, "--json"]
        return self.terminal.run(words, folder=folder, **how)

    def resumed(self) -> list[str]:
        """The command that goes on; training is told its options once."""
        return [*(self.work.words[:3] if self.kind == "train" else self.work.words), *self.work.again]

    def moments(self, seed: int, seconds: float) -> list[dict[str, Any]]:
        """When it is killed: after some time, or before it touches a file for the n-th time."""
        rng = random.Random(f"{self.kind} {seed}")
        return [
            {"kill_after": rng.uniform(0, seconds)}
            if rng.random() < 0.5
            else {"kill_at": rng.randint(1, self.work.touches)}
            for _ in range(MOST)
        ]

    def once(self, seed: int, moments: list[dict[str, Any]]) -> int:
        """Begin work, kill it at these moments, let it end; the number of kills, for it may have ended before."""
        how: list[str] = []
        again = False
        with scratch() as folder:
            while True:
                moment = moments[len(how)] if len(how) < len(moments) else {}
                ran = self.run(folder, again, **moment)
                if ran.code == 2 and again and "there is no" in ran.err:  # it was killed before it had begun
                    again = False
                    continue
                if ran.code != -signal.SIGKILL or ran.problem or not moment:  # it ended, or others have killed it
                    break
                how.append(" ".join(f"{name} {value:.3g}" for name, value in moment.items()))
                again = True
            wrong = wrong_with(self.work.words, ran) or (f"refused: {ran.err[-300:]}" if ran.code else "")
            wrong = wrong or apart(self.right, result(folder, self.work, ran))
        if wrong:
            shown = f"{shlex.join(['plyground', *self.work.words])}, killed: {'; '.join(how) or 'never'}"
            self.campaign.fail(self.kind, shown, wrong, seed)
        return len(how)


def run(campaign: Campaign) -> None:
    """Kill each kind of work in turn; the number of inputs is for each of them."""
    each = campaign.inputs
    campaign.inputs *= len(WORKS)
    share = campaign.seconds / len(WORKS)
    begun = time.monotonic()
    for number, (kind, work) in enumerate(WORKS.items(), 1):
        if work.needs and not find_spec(work.needs):
            continue
        with Terminal(ready=work.ready, imports=work.imports) as terminal:
            killer = Killer(campaign, kind, terminal)
            killer.usual()  # compiles, and loads what the next run needs
            seconds = killer.usual()
            turn = 0
            while campaign.counts[kind] < each and time.monotonic() - begun < number * share:
                turn += 1
                seed = campaign.seed * 10_000 + turn
                campaign.count(kind, killer.once(seed, killer.moments(seed, seconds)))
