"""What the learners share that learn a game from playing it against themselves, with a net and a search.

Training goes round by round.  In a round groups of parallel games are played by the net as it is until there are enough
new positions; then the net learns from the replay window, the newest positions.  Both halves have the whole machine, or
the GPU, to themselves.  What a round does depends on the seed and the number of cores, so that a run that was killed
does the same again.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...cluster import must_have_ray
from ...machine import cores
from ...manifest import warn
from ...nets import kinds
from ...nets.card import Card, cells_are_actions, features
from ...nets.kinds import ATOMS
from ...nets.later import inference, models, torch
from ...search.mcts.settings import Settings
from ...spec import InputError
from .. import checkpoint
from ..base import Learner, stream, stream_state
from ..optimizer import uncompiled
from ..starts import is_drawn_anew
from .distillation import agreement
from .elo import OlderSelf
from .kernel import CHECKED, DRAWS, GAMES, LOST, PLIES, POINTS, RESIGNED, SIMULATIONS, TALLY, WRONG
from .measurement import Measurement, measured
from .options import ONE_PLAYER_DISCOUNT, SelfPlayOptions
from .weights import begun_with, mix
from .window import Batch, Window
from .workers import Stage, Threads, groups_on

if TYPE_CHECKING:
    from .actors import Actors
    from .ddp import Ranks

MANY = 1024  # games at once, more than which a CPU takes hours for a round


@dataclass
class Lesson:
    """The second half of a round, in which is learnt: what has been played, and how far learning has come."""

    new: int  # positions
    tally: list[float]  # what was counted
    figures: dict[str, float]  # told with those of learning
    step: int = 0  # of Adam, that have been taken
    losses: dict[str, Any] = field(default_factory=dict)  # sums over these steps

    def notes(self) -> dict[str, Any]:
        """As a checkpoint holds it."""
        return vars(self) | {"losses": {name: float(loss) for name, loss in self.losses.items()}}


class SelfPlayLearner(Learner):
    """Learns a game by playing it against itself."""

    unit = "positions"
    searched_by = "alphazero"
    curve: ClassVar[tuple[str, ...]] = ("mistakes", "net_mistakes")
    options_type = SelfPlayOptions
    keeps_halves = True
    presets: ClassVar[
        dict[str, dict[str, Any]]
    ] = {  # on two cores a first result in a minute, whatever a game's own are
        "laptop": {"positions": 100_000, "round": 500, "parallel_games": 64, "blocks": 4, "channels": 32, "batch": 256}
        | {"window": 10_000, "growth": 0.5, "measure_every": 5_000, "checkpoint_every": 5_000}
    }

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        shape = features(game, "board")
        self.device = options.device
        if self.device == "auto":
            self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if self.device == "cuda" and not torch.cuda.is_available():
            raise InputError("device cuda: there is no GPU that PyTorch can use")
        if self.device == "cpu" and not options.ray and options.parallel_games > MANY:
            large = f"{options.parallel_games:,} games at once, in rounds of {options.round:,} positions"
            warn(f"{large}, are made for a GPU, and here is none: --preset laptop has smaller ones")
        if options.batch % options.learners:
            raise InputError(f"a batch of {options.batch} positions is not to be shared out among {options.learners}")
        if self.device == "cuda" and torch.cuda.device_count() < options.learners:
            raise InputError(
                f"{options.learners} processes learn on a GPU each, and here are {torch.cuda.device_count()}"
            )
        self.cores = options.threads or cores()
        self.cells = cells_are_actions(game)
        self.alone = bool(game.alone())
        self.drawn = is_drawn_anew(name, game)  # moves alone then do not tell a game
        usual = ONE_PLAYER_DISCOUNT if self.alone else 1.0
        self.discount = usual if options.discount is None else options.discount
        self.sizes = [*shape, game.actions(), options.blocks, options.channels, *[2 * ATOMS + 1] * self.alone]
        if options.net != "resnet":
            self.sizes = kinds.of(options.net).sizes(game)
        self.model = begun_with(options.start, self.sizes, self.cells, seed, options.net).to(self.device)
        self.cells = getattr(self.model, "cells", self.cells)  # as the net that it begins with has them
        copies = min(self.cores, options.batch) - 1 if self.device == "cpu" and options.learners == 1 else 0
        self.copies = [deepcopy(self.model) for _ in range(copies)]
        self.averaged = deepcopy(self.model) if options.average > 1 else None
        self.adam = uncompiled(torch.optim.AdamW)(self.model.parameters(), lr=options.lr, weight_decay=options.decay)
        self.rng = np.random.default_rng([seed, 2])
        self.settings = self.search_settings()
        self.players = self._players()
        capacity = max(options.window, math.ceil(options.positions * options.growth)) + options.round
        self.window = Window(game, min(capacity, options.positions + 2 * options.round), self.device)
        self.older = OlderSelf(self.model, options.opening, options.balance)
        if self.alone:
            self.curve, self.shares = ("points", "net_points"), False  # type: ignore[misc]
        self.games = 0
        self.ranks: Ranks | None = None  # the processes that learn, if there are several
        self.teacher: models.ResNet | None = None  # plays in the place of the net that learns
        self.playing: models.ResNet | None = None  # the net that plays while another one learns
        self.lesson: Lesson | None = None  # of the round that has been played, until all is learnt from it
        self._samples: list[dict[str, Any]] = []

    def _players(self) -> Threads | Actors:
        """Who plays: threads of this process, or actors of a cluster."""
        options = self.options
        stage = Stage(self.name, self.seed, self.settings, self.play_setting(), options.parallel_games)
        if options.ray:
            must_have_ray()
            from .actors import Actors

            return Actors(options.ray, options.actors, stage, options.device != "cpu", bool(options.measure_every))
        return Threads(stage, self.game, groups_on(self.device, self.cores), self.device)

    # --- what differs ---

    def search_settings(self) -> Settings:
        """How self-play searches."""
        raise TypeError(f"{type(self).__name__} does not say how it searches")

    def play_setting(self) -> dict[str, Any]:
        """How games are played: what `kernel.SETTING` lists."""
        raise TypeError(f"{type(self).__name__} does not say how it plays")

    @staticmethod
    def losses(options: Any, net: models.ResNet, batch: Batch) -> dict[str, torch.Tensor]:
        """The losses, by name; their sum is minimised."""
        raise TypeError("a self-play learner says by `losses` what it learns")

    @property
    def player(self) -> models.ResNet:
        """The net that plays, is measured and is kept: the one that learns, or the average of what it was lately."""
        return (self.model if self.averaged is None else self.averaged).eval()

    @property
    def who_plays(self) -> models.ResNet:
        """The net whose games are learnt from: a teacher, or the learner itself."""
        return self.teacher or self.player

    # --- a round ---

    @property
    def steps(self) -> int:
        return self.options.positions

    @property
    def played(self) -> int:
        """Positions in the window so far: those that are learnt from, and those of the lesson under way."""
        lesson = self.lesson  # another thread asks, too
        return self.done + (lesson.new if lesson else 0)

    def advance(self) -> dict[str, float]:
        if self.lesson is None:
            if not self.players.busy:
                self._begin_round(self.who_plays)
            samples, counted = self._end_round()
            agreed = {} if self.teacher is None else agreement(self.player, samples, self.device)
            self.window.add(samples)
            self.lesson = Lesson(len(samples), counted.tolist(), agreed)
            if self.options.lag and self.played < self.steps:
                self.playing = deepcopy(self.who_plays)
                self._begin_round(self.playing)
        figures, tally = self.learn(self.lesson) | self.lesson.figures, self.lesson.tally
        self.done, self.lesson = self.played, None
        self.games += int(tally[GAMES])
        games = max(1, int(tally[GAMES]))
        figures |= {"games": games, "plies": tally[PLIES] / games}
        if not self.alone:
            figures["draws"] = tally[DRAWS] / games
        elif tally[GAMES]:
            figures["points"] = tally[POINTS] / games
        if tally[RESIGNED] or tally[CHECKED]:
            figures |= {"resigned": tally[RESIGNED] / games, "resigned_wrongly": tally[WRONG] / max(1, tally[CHECKED])}
        if tally[LOST]:
            figures["lost"] = tally[LOST]  # positions that there was no room for
        figures["simulations"] = float(tally[SIMULATIONS])
        figures |= self.players.figures() | self._measured()
        if self.options.lag or self.options.ray:
            figures["lag"] = self.options.lag
        return {name: float(value) for name, value in figures.items()}

    def _begin_round(self, net: models.ResNet) -> None:
        """Let self-play begin by a net."""
        self._wanted, self._begun = min(self.options.round, self.steps - self.played), time.perf_counter()
        self.players.begin(net, self._wanted, bool(self.options.lag))

    def _end_round(self) -> tuple[np.ndarray, np.ndarray]:
        """What came of it: new samples, and what was counted."""
        found = self.players.end(self.may_stop)
        shown = [found[0].game] if found[0].game and not self.drawn else []
        self._samples = [{"moves": " ".join(map(self.game.name, moves)), "score": score} for moves, score in shown]
        return np.concatenate([one.samples for one in found]), np.sum([one.tally for one in found], axis=0)

    def learn(self, lesson: Lesson) -> dict[str, float]:
        """Steps of Adam on the window, as many as new positions ask for; the mean losses."""
        options = self.options
        newest = max(options.window, round(options.growth * self.played))
        number = max(1, round(lesson.new * options.replay_ratio / options.batch))
        falls = 0.5 * (1 + math.cos(math.pi * min(1.0, self.played / self.steps)))
        lr = options.lr * (options.last_lr + (1 - options.last_lr) * falls)
        lr *= min(1.0, self.played / options.warmup) if options.warmup else 1.0
        for group in self.adam.param_groups:
            group["lr"] = lr
        for net in (self.model, *self.copies):
            net.train()
        if options.learners > 1 and self.ranks is None:
            from .ddp import Ranks

            self.ranks = Ranks(options.learners, self.model, self.adam, self.losses, options)
        with ThreadPoolExecutor(1 + len(self.copies)) as pool:
            for step in range(lesson.step, number):
                self.may_stop()
                self.now = f"learning, step {step + 1} of {number}"
                batch = self.window.draw(options.batch, newest, self.rng, options.mirror)
                for name, loss in (self.ranks.step(batch, lr) if self.ranks else self._step(batch, pool)).items():
                    lesson.losses[name] = lesson.losses.get(name, 0) + loss
                if self.averaged is not None:
                    mix(self.averaged, self.model, 1 / options.average)
                lesson.step += 1
        self.model.eval()
        self.now = ""
        return {name: float(total) / number for name, total in lesson.losses.items()} | {"lr": lr}

    def _step(self, batch: Batch, pool: ThreadPoolExecutor) -> dict[str, torch.Tensor]:
        """One step of Adam; the losses.

        On a CPU every core takes a part of the batch, with a copy of the net: cores that share every operation wait for
        one another all the time, on a busy machine ten times as long as they work.
        """
        nets = [self.model, *self.copies]
        half = inference.half_is_faster(self.device)

        def one(net: models.ResNet, *part: torch.Tensor) -> dict[str, torch.Tensor]:
            if self.device == "cpu":
                torch.set_num_threads(1)
            with torch.autocast(self.device, torch.bfloat16, enabled=half):
                losses = self.losses(self.options, net, Batch(*part))
            share = len(part[0]) / len(batch.planes)
            (share * sum(losses.values())).backward()  # type: ignore[union-attr]
            return {name: share * loss.detach() for name, loss in losses.items()}

        with torch.no_grad():
            for copy in self.copies:
                for weights, newest in zip(copy.parameters(), self.model.parameters(), strict=True):
                    weights.copy_(newest)
        for net in nets:
            net.zero_grad()
        parts = zip(*(tensor.tensor_split(len(nets)) for tensor in batch), strict=True)
        found = list(pool.map(one, nets, *zip(*parts, strict=True)))
        for weights, *others in zip(*(net.parameters() for net in nets), strict=True):
            if weights.grad is not None and others:
                weights.grad = sum([other.grad for other in others], weights.grad)
        self.adam.step()
        return {name: sum(losses[name] for losses in found) for name in found[0]}  # type: ignore[misc]

    def headline(self, figures: dict[str, Any]) -> str:
        words = [f"{self.games:,} games", f"{self.done / max(self.seconds, 1e-9):,.0f} positions/s"]
        if summary := self.players.summary():
            words.append(f"{summary}, lag {self.options.lag}")
        if "policy_loss" in figures:
            words.append(f"losses {figures['policy_loss']:.2f} {figures['value_loss']:.2f}")
        if "points" in figures:
            words.append(f"{figures['points']:,.0f} points a game")
        if "elo" in figures:
            words.append(f"Elo {figures['elo']:+z.0f}")
        if "mistakes" in figures:
            words.append(f"mistakes {figures['mistakes']:.1%}")
        return ", ".join(words)

    def under_way(self) -> tuple[int, str]:
        if self.now or not self.players.busy:
            return self.played - self.done, self.now
        tally = self.players.tally()
        if tally is None:
            return 0, "playing"
        positions, speed = int(tally[TALLY]), tally[SIMULATIONS] / (time.perf_counter() - self._begun)
        return positions, f"round {positions:,}/{self._wanted:,}, {tally[GAMES]:,.0f} games, {speed:,.0f} simulations/s"

    # --- measuring ---

    def measure(self) -> dict[str, float]:
        """See `measurement.measured`.  On a cluster somebody else does it meanwhile, but at the end."""
        net = deepcopy(self.player)
        older = deepcopy(self.older)  # which stays as it is if the measurement is left midway
        task = Measurement(self.name, self.seed, net, self.device, self.settings, older, self.done)
        if self.done < self.steps and self.players.measure(task._replace(net=net.cpu(), device="cpu")):
            return {}
        found = self._measured(wait=True)
        if found:
            task = task._replace(older=deepcopy(self.older))
        figures, self.older, _ = measured(task, self.game, self.may_stop)
        return found | figures

    def _measured(self, wait: bool = False) -> dict[str, float]:
        """What somebody else has measured, if it is there, or when it is."""
        found = self.players.measured(wait)
        if found is None:
            return {}
        self.older = found.older
        return found.figures | {"measured": found.step}

    # --- checkpoints ---

    @property
    def gains(self) -> bool:
        return self.lesson is not None or self.players.can_be_kept

    def leave(self) -> None:
        self.players.leave()

    def arrays(self) -> dict[str, np.ndarray]:
        found = checkpoint.arrays_of(self.model, self.adam) | self.window.arrays() | self.older.arrays()
        if self.averaged is not None:
            found |= checkpoint.weights_of(self.averaged, "averaged")
        if self.players.busy and self.playing is not None:
            found |= checkpoint.weights_of(self.playing, "playing")
        for number, group in enumerate(self.players.arrays()):
            found |= {f"group.{number}.{name}": array for name, array in group.items()}
        return found

    def notes(self) -> dict[str, Any]:
        midway = {"lesson": self.lesson.notes(), "samples": self._samples} if self.lesson else {}
        return {
            "done": self.done,
            "games": self.games,
            "rng": stream_state(self.rng),
            "groups": self.players.number,
            "adam": checkpoint.steps(self.model, self.adam),
            "written": self.window.written,
            "elo": self.older.elo,
            **midway,
        }

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done, self.games, self.rng = notes["done"], notes["games"], stream(notes["rng"])
        checkpoint.restore(self.model, self.adam, arrays, notes["adam"])
        if self.averaged is not None:
            checkpoint.restore_weights(self.averaged, arrays, "averaged")
        self.lesson = Lesson(**notes["lesson"]) if "lesson" in notes else None
        self._samples = notes.get("samples", [])
        self.window.restore(arrays, notes["written"])
        self.older.restore(arrays, notes["elo"])
        groups: list[dict[str, np.ndarray]] = [{} for _ in range(notes["groups"])]
        for name, array in arrays.items():
            if name.startswith("group."):
                _, number, own = name.split(".", 2)
                groups[int(number)][own] = array
        self.players.restore(groups)
        if any(name.startswith("playing.") for name in arrays):
            self.playing = deepcopy(self.who_plays)
            checkpoint.restore_weights(self.playing, arrays, "playing")
            self._begin_round(self.playing)

    def planned(self) -> str:
        return self.players.planned(self.options.round)

    def close(self) -> None:
        self.players.close()
        if self.ranks:
            self.ranks.close()

    def samples(self) -> list[dict[str, Any]]:
        return self._samples

    def net(self) -> tuple[models.ResNet, Card]:
        card = Card(self.sizes, "board", "policy-value", self.name, kind=self.options.net, cells=self.cells)
        if self.alone:
            card = replace(card, returns=[self.discount, 0.0, 1.0])
        return self.player, card
