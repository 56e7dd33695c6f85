"""What the doors of the campaign share: how many inputs there were, what failed, and how inputs are found.

A door is tried in a process of its own.  It tells the campaign of its inputs and failures by lines of JSON on standard
output, so that not even its death is lost.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import atomic

EXAMPLES, LAST = "examples", "last.txt"  # in the folder of a door: Hypothesis' failures; the input that is tried now
ROUND = 500  # inputs with one seed
SHRINK = 20.0  # seconds, at most, in which a failure is made small
TELL = 0.5  # seconds between two lines about inputs
LONGEST_SHOWN = 2000  # characters of an input


@dataclass(frozen=True)
class Failure:
    """Something that must not be: an input, what came of it, and the seed that leads there."""

    door: str
    kind: str
    seed: int
    shown: str
    what: str


@dataclass
class Campaign:
    """One door, tried with so many inputs, or for so long."""

    door: str
    seed: int
    inputs: int
    seconds: float
    folder: Path  # for what is written meanwhile, and for saved failures
    tell: Callable[[dict[str, Any]], None] = lambda line: None
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds
        self._told = 0.0
        self._tried = 0

    def going(self) -> bool:
        """Is there time, and are inputs left?"""
        return self._tried < self.inputs and time.monotonic() < self._end

    @property
    def left(self) -> int:
        """Inputs that are left."""
        return self.inputs - self._tried

    def share(self, part: float) -> Campaign:
        """A part of this one: so much of the inputs and of the time, told where this one is told."""
        return Share(self, part)

    def count(self, kind: str, inputs: int = 1) -> None:
        """So many inputs more were tried."""
        self.counts[kind] += inputs
        self._tried += inputs
        if time.monotonic() - self._told > TELL:
            self.tell_counts()

    def tell_counts(self) -> None:
        """Say how many there were."""
        self._told = time.monotonic()
        self.tell({"counts": dict(self.counts)})

    def fail(self, kind: str, shown: str, what: str, seed: int | None = None) -> None:
        """Something failed."""
        found = Failure(
            self.door, kind, self.seed if seed is None else seed, shown[:LONGEST_SHOWN], what[:LONGEST_SHOWN]
        )
        self.failures.append(found)
        self.tell({"failure": asdict(found)})

    def trying(self, shown: str) -> None:
        """This is tried next: should the process die of it, the input is known."""
        told = shown[:LONGEST_SHOWN].encode("utf-8", "backslashreplace")
        atomic.write(self.folder / LAST, told, durable=False)


class Share(Campaign):
    """A part of a campaign."""

    def __init__(self, whole: Campaign, part: float) -> None:
        self.whole = whole
        inputs = max(1, round(part * whole.inputs))
        super().__init__(whole.door, whole.seed, inputs, part * whole.seconds, whole.folder)

    def count(self, kind: str, inputs: int = 1) -> None:
        self._tried += inputs
        self.whole.count(kind, inputs)

    def fail(self, kind: str, shown: str, what: str, seed: int | None = None) -> None:
        self.whole.fail(kind, shown, what, seed)

    def going(self) -> bool:
        return super().going() and self.whole.going()


@contextmanager
def scratch(where: str | None = None) -> Iterator[Path]:
    """A folder to try something in, there or where temporary ones usually are; whatever is left in it is removed."""
    with tempfile.TemporaryDirectory(prefix="plyground-trust-", dir=where, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


class Wrong(AssertionError):
    """An input failed."""


class Over(KeyboardInterrupt):
    """There is no time for this input, or none are left: Hypothesis leaves what it has saved as it is, and ends."""


def explore(
    campaign: Campaign,
    kind: str,
    strategy: Any,
    tried: Callable[[Any], str],
    shown: Callable[[Any], str] = repr,
    size: Callable[[Any], int] = lambda value: 1,
) -> None:
    """Try inputs of a strategy; `tried` answers what is wrong, or nothing; `size` says how many inputs it was.

    Those that failed in an earlier run come first, and are forgotten if they do so no more.  A failure is made as small
    as it can be, and told once.
    """
    from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
    from hypothesis.database import DirectoryBasedExampleDatabase

    quiet = settings(
        max_examples=ROUND,
        database=DirectoryBasedExampleDatabase(campaign.folder / EXAMPLES / kind),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
    )
    known: set[str] = set()
    phases = [Phase.reuse, Phase.generate, Phase.shrink]
    number = 0
    while campaign.going():
        number += 1
        seed_now = campaign.seed * 10_000 + number
        wrong: list[tuple[str, str]] = []
        before, shrinking = campaign.left, 0.0

        def one(value: Any) -> None:
            nonlocal shrinking
            if not campaign.going() or (wrong and time.monotonic() > shrinking):  # noqa: B023  called in this round
                raise Over
            told = shown(value)
            campaign.trying(told)
            what = tried(value)
            campaign.count(kind, size(value))
            if what and like(what) not in known and (not wrong or like(what) == like(wrong[0][1])):  # noqa: B023
                shrinking = shrinking or time.monotonic() + SHRINK
                wrong.append((told, what))  # noqa: B023
                raise Wrong(what)

        try:
            some = settings(quiet, max_examples=min(ROUND, campaign.left), phases=phases[number > 1 :])
            some(seed(seed_now)(given(strategy)(one)))()  # in this order: a seed forgets what was kept
        except Over:
            pass
        except BaseException as error:
            if not wrong or isinstance(error, KeyboardInterrupt):
                raise
        if wrong:  # the last one is the smallest
            campaign.fail(kind, *wrong[-1], seed=seed_now)
            known.add(like(wrong[-1][1]))
        elif campaign.left == before:
            break  # the strategy has no input that is new


def like(what: str) -> str:
    """What failures that are alike have in common: no numbers and names."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|/\S+|\d+", "#", what)[:300]


def to_stdout(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def keep(path: Path, failures: list[Failure]) -> None:
    """Write failures down, one a line."""
    atomic.write(path, "".join(json.dumps(asdict(one)) + "\n" for one in failures))
