"""Distil: a net learns from a larger one what it will be asked itself, the positions of its own search trees.

What a search asks its net about are positions after moves that nobody plays, and there a net that has learnt from games
is at its weakest.  So, round by round,

    search     all cores search by the student as it is, from games that it plays
    collect    of every tree some positions that it has judged, drawn at random, and all that were visited often
    judge      the teacher says what these are worth, and which moves it would look at
    learn      value = the teacher's, moved towards what the search found out where it went through often
               policy = the teacher's, mixed with the shares of the search's visits where there are many

The trees are the student's own, as in imitation learning by questions to an expert (DAgger: Ross and others, 2011), and
their inner positions teach it, as in TreeStrap (Veness and others, 2009); the judgements are a teacher's (Hinton and
others, 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ..manifest import ask
from ..nets import kinds, trained
from ..nets.later import inference, models, torch
from ..rules import gives, must_be_for_two, must_encode
from ..search.mcts.settings import FirstPlayUrgency, Least, PolicyTemperature, Settings, Solve
from ..spec import About, InputError
from .alphazero import chances
from .selfplay.distillation import COMPARED, teacher_for
from .selfplay.learner import Lesson, SelfPlayLearner
from .selfplay.options import (
    Average,
    Balance,
    CheckpointEvery,
    LearningRate,
    Opening,
    SelfPlayOptions,
    Sims,
    Threats,
    ValueWeight,
    WindowSize,
)
from .selfplay.trees import TreeStage, TreeThreads
from .selfplay.window import Batch
from .selfplay.workers import groups_on

AUTO = "auto"
JUDGED = 4096  # positions that the teacher judges at once


@dataclass(frozen=True)
class DistilOptions(SelfPlayOptions):
    # games are searched on this machine, and how they end is not learnt
    where: ClassVar = ()
    ray: ClassVar[str] = ""  # type: ignore[misc]
    actors: ClassVar[int] = 0  # type: ignore[misc]
    discount: ClassVar[None] = None  # type: ignore[misc]

    teacher: Annotated[
        str,
        About("the net that judges, by its name or folder; auto: the one that came with the program", kind="net"),
    ] = AUTO
    positions: Annotated[int, About("positions of trees to learn from, in all", low=1)] = 200_000
    round: Annotated[int, About("new positions between two times of learning", low=1)] = 20_000
    sims: Sims = 800
    leaves: Annotated[
        int, About("positions of a tree that are learnt from, drawn at random, about so many", low=0, high=100_000)
    ] = 60
    visits: Annotated[int, About("and all that the search has visited so often, or more often", low=1)] = 32
    often: Annotated[
        int,
        About(
            "visits of a position from which on the search's value of it counts; its policy from twice as many", low=1
        ),
    ] = 32
    value_share: Annotated[
        float,
        About(
            "share of the search's value in what the value learns then; times visits / (visits + `often`)",
            low=0,
            high=1,
        ),
    ] = 0.5
    policy_share: Annotated[
        float, About("share of the search's visits in what the policy learns, where it counts", low=0, high=1)
    ] = 0.5
    value_weight: ValueWeight = 2.0
    fpu: FirstPlayUrgency = Settings.fpu
    solve: Solve = Settings.solve
    policy_temperature: PolicyTemperature = Settings.policy_temperature
    least: Least = Settings.least
    threats: Threats = -1
    opening: Opening = 4
    balance: Balance = 0.75
    temperature_moves: Annotated[int, About("moves of a game that are drawn by visits, not the best", low=0)] = 12
    random_moves: Annotated[float, About("share of the later ones that are drawn, too", low=0, high=1)] = 0.15
    decided: Annotated[
        float, About("a game ends where its search says more than this for either player", low=0, high=1)
    ] = 0.985
    parallel_games: Annotated[
        int, About("trees grown at once, shared out among the cores; a net that kernels run has one a core", low=2)
    ] = 64
    lr: LearningRate = 0.001
    average: Average = 200
    window: WindowSize = 100_000
    measure_every: Annotated[
        int,
        About("positions between two measurements of how it plays; 0: never, since every round tells figures", low=0),
    ] = 0
    checkpoint_every: CheckpointEvery = 200_000


class Distil(SelfPlayLearner):
    """A net that learns a teacher's judgements of the positions that its own searches come to."""

    options_type = DistilOptions
    learns = "games of two players without chance that give the rules `planes` and `encode`"
    curve: ClassVar = ("explained", "same_move", "searched")
    presets: ClassVar = {}

    def __init__(self, game: Any, name: str, options: DistilOptions, seed: int) -> None:
        named = trained.made_for(game) if options.teacher == AUTO else options.teacher
        teacher = teacher_for(game, named)  # before anything is compiled
        super().__init__(game, name, options, seed)
        self.judge = inference.Inference(teacher, self.device)

    @classmethod
    def must_suit(cls, game: Any) -> None:
        must_be_for_two(game, "distil")
        must_encode(game)
        if gives(game, "chance"):
            raise InputError("distil is for games without chance")

    def search_settings(self) -> Settings:
        o = self.options
        same = {name: getattr(o, name) for name in ("c", "fpu", "solve", "policy_temperature", "least")}
        return Settings(prover=ask(self.game, "prover", o.threats), **same)

    def play_setting(self) -> dict[str, Any]:
        return vars(self.options)

    def _players(self) -> TreeThreads:
        in_kernels = kinds.run_in_kernels(self.model)
        games = self.options.parallel_games
        stage = TreeStage(self.name, self.seed, self.settings, self.play_setting(), games, in_kernels)
        return TreeThreads(
            stage, self.game, self.cores if in_kernels else groups_on(self.device, self.cores), self.device
        )

    def learn(self, lesson: Lesson) -> dict[str, float]:
        if not lesson.figures:  # else it goes on in the midst of learning
            lesson.figures = self._judge(lesson.new)
        return super().learn(lesson)

    def _judge(self, new: int) -> dict[str, float]:
        """Let the teacher judge the newest positions, and write down what is learnt of them: until now the window has
        what their searches found out.  Tells how far the net is from both as yet."""
        o, window = self.options, self.window
        if self.device == "cpu":
            torch.set_num_threads(self.cores)
        newest = (window.written - new + torch.arange(new, device=self.device)) % window.capacity
        student, compared = models.InferenceNet(self.player).to(self.device), []
        every = max(1, new // COMPARED)
        with torch.inference_mode():
            for at in newest.split(JUDGED):
                planes, shares = window.planes[at], window.policy[at].float()
                _, found, visits, _ = window.rest[at].unbind(1)
                policy, value = answered(self.judge.judge, planes.to(self.judge.dtype), shares)
                said = answered(student, planes[::every].float(), shares[::every])
                compared.append((policy[::every], value[::every], *said, found[::every], visits[::every]))
                much = o.value_share * (visits >= o.often) * visits / (visits + o.often)
                more = (o.policy_share * (visits >= 2 * o.often))[:, None]
                window.rest[at, 0] = (1 - much) * value + much * found
                window.policy[at] = torch.where(shares < 0, shares, (1 - more) * policy + more * shares).half()
        policy, value, said_policy, said_value, found, visits = (
            torch.cat(parts) for parts in zip(*compared, strict=True)
        )
        apart = torch.xlogy(policy, policy) - torch.xlogy(policy, said_policy.clamp(min=1e-30))
        figures = {
            "explained": explained(said_value, value),
            "same_move": float((said_policy.argmax(1) == policy.argmax(1)).float().mean()),
            "divergence": float(apart.sum(1).mean()),
        }
        known = visits >= o.often
        return figures | ({"searched": explained(said_value[known], found[known])} if known.any() else {})

    @staticmethod
    def losses(options: DistilOptions, net: models.ResNet, batch: Batch) -> dict[str, torch.Tensor]:
        logits, outcome = net(batch.planes.contiguous(memory_format=torch.channels_last))
        log_pi = logits.float().masked_fill(batch.policy < 0, -1e9).log_softmax(1)
        policy = -(batch.policy.clamp(min=0) * log_pi).sum(1)
        value = -(chances(batch.score) * torch.log_softmax(outcome.float(), 1)).sum(1)
        return {"policy_loss": policy.mean(), "value_loss": options.value_weight * value.mean()}

    def measure(self) -> dict[str, float]:
        return super().measure() if self.options.measure_every else {}

    def headline(self, figures: dict[str, Any]) -> str:
        shown = [f"{word} {figures[word]:.1%}" for word in self.curve if word in figures]
        return ", ".join([super().headline(figures), *shown])


def answered(net: Any, planes: torch.Tensor, shares: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What a net says of positions: probabilities [n, actions] of what may be played there, and values [n]."""
    answers = net(planes.contiguous(memory_format=torch.channels_last)).float()
    return answers[:, :-1].masked_fill(shares < 0, -torch.inf).softmax(1), answers[:, -1]


def explained(said: torch.Tensor, wanted: torch.Tensor) -> float:
    """The share of the variance of values that is explained."""
    return float(1 - ((said - wanted) ** 2).mean() / wanted.var(correction=0).clamp(min=1e-9))
