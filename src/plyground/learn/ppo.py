"""Proximal policy optimisation: a net plays many games at once, and what went better than it expected becomes likelier.

After Schulman and others (2017), on vector environments.  Where two play, a part of the boards is played by the net
for both players, and as large a one against each of the opponents, who sit in a seat that is drawn for every game.
With s = 1 where the same player moves next, -1 where the other does, 0 where the game has ended, and V for the player
to move,

    delta(t)  r(t) + discount s V(t + 1) - V(t)
    A(t)      delta(t) + discount trace s A(t + 1)                     (generalised advantage estimation)
    gain      min(ratio A, clip(ratio, 1 - clip, 1 + clip) A),  ratio = pi(a) / pi(a) when it was played
    loss      value_weight * cross-entropy of V and A + V  -  gain  -  entropy * H(pi)

Rewards are results, or points where one plays.  The policy and the critic are plain layers, a net each: on a CPU many
quick moves teach more than few slow ones.  Or both are one net, which agents play alone (`net`) and with a search
(`alphazero`): one convolution before plain layers (`models.CNN`), or residual blocks, as `alphazero` trains them, whose
normalisation does nothing here, since an update has to see what was played with.  `examples/learners/ppo.py` has the
algorithm in one file, to be copied and changed.

Boards are played in groups, each by itself from the first move of an update to the last; a batch is shared out among
cores, each with a copy of the net.  Whom a search teaches spends most of the time on that search.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar

import numpy as np

from ..machine import cores
from ..nets.card import Card, cells_are_actions, features
from ..nets.evaluate import Greedy, torch_evaluator
from ..nets.kinds import ATOMS
from ..nets.later import inference, models, torch
from ..rules import must_encode
from ..spec import About, InputError
from . import checkpoint, measure
from .alphazero import chances, chances_of_points
from .base import Learner, Options, widths
from .opponents import must_be_patient
from .optimizer import uncompiled
from .selfplay.measurement import ALONE, LIMIT
from .selfplay.options import ONE_PLAYER_DISCOUNT
from .selfplay.weights import begun_with

MEASURED = 50  # games in either seat
CHANNELS = {"cnn": 64, "resnet": 32}
PARTS, LEAST = 8, 128  # groups that the boards are played in, side by side: so many, of no fewer boards than that


@dataclass(frozen=True)
class PPOOptions(Options):
    moves: Annotated[int, About("moves that are learnt from, in all", low=1)] = 2_000_000
    boards: Annotated[int, About("games at once", low=2, high=1 << 20)] = 512
    length: Annotated[int, About("moves on every board between two updates", low=1, high=10_000)] = 32
    epochs: Annotated[int, About("how often an update goes through what was played", low=1, high=100)] = 3
    batch: Annotated[int, About("moves in a step of the optimizer", low=2)] = 1024
    net: Annotated[
        str,
        About("plain layers; one convolution and plain layers; many convolutions", choices=("mlp", "cnn", "resnet")),
    ] = "mlp"
    hidden: Annotated[str, About("mlp, cnn: units of the plain layers, like 256 or 64,64")] = "256,256"
    blocks: Annotated[int, About("resnet: residual blocks, every second of the whole board", low=0, high=64)] = 2
    channels: Annotated[int | None, About("cnn: channels, 64 unless told; resnet: 32", low=1, high=1024)] = None
    start: Annotated[str, About("a net to begin with, by its name or folder; of an mlp, its policy", kind="net")] = ""
    lr: Annotated[float, About("learning rate of Adam at first; it falls to a tenth", low=0, high=10)] = 0.001
    discount: Annotated[
        float | None,
        About(f"of a reward a move later; None: 1, and {ONE_PLAYER_DISCOUNT} for one player", low=0, high=1),
    ] = None
    trace: Annotated[float, About("lambda: 1 trusts what came of a game, 0 the net's own values", low=0, high=1)] = 0.9
    clip: Annotated[float, About("how far a probability may move before its gradient is cut", low=0, high=10)] = 0.2
    entropy: Annotated[float, About("bonus on the policy's entropy at first; it falls to a tenth", low=0)] = 0.02
    value_weight: Annotated[float, About("weight of the value's loss", low=0, high=100)] = 0.5
    opponents: Annotated[
        str,
        About(
            "two players: agents to learn against, with ; between them, and > where others take their places, "
            "after equal shares of the moves; empty: the net alone"
        ),
    ] = "win-block"
    threads: Annotated[int, About("threads; 0: one for each core", low=0, high=256)] = 0
    measure_every: Annotated[int, About("moves between two measurements; 0: only at the end", low=0)] = 200_000
    checkpoint_every: Annotated[int, About("moves between two checkpoints; a kill costs no more", low=1)] = 200_000


class PPO(Learner):
    """A policy that is improved by gradient, step by careful step, in many games at once."""

    options_type = PPOOptions
    unit = "moves"
    learns = "games of one player and of two, with chance or without, that give the rules `planes` and `encode`"
    curve: ClassVar[tuple[str, ...]] = (
        "random_first_wins",
        "random_second_wins",
        "opponent_first_wins",
        "opponent_second_wins",
    )

    @classmethod
    def must_suit(cls, game: Any) -> None:
        must_encode(game)

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if not find_spec("gymnasium"):
            raise InputError("ppo plays on vector environments: pip install 'plyground[envs]'")
        self.alone = bool(game.alone())
        usual = ONE_PLAYER_DISCOUNT if self.alone else 1.0
        self.discount = usual if options.discount is None else options.discount
        if self.alone:
            self.curve, self.shares = ("net_points",), False  # type: ignore[misc]
        self.cells = options.net == "resnet" and cells_are_actions(game)
        self.stages = [stage_of(text) for text in options.opponents.split(">")] if not self.alone else [[]]
        self._check_opponents()
        self.model = self._make_nets()
        self.adam = uncompiled(torch.optim.Adam)(self.model.parameters(), lr=options.lr, eps=1e-5, fused=True)
        self.stage, self.groups = 0, self._make_boards(0)
        threads = options.threads or cores()
        self.copies = [deepcopy(self.model) for _ in range(threads - 1)]
        # cores that share every operation wait for one another all the time, so each does all of a part
        self.pool = ThreadPoolExecutor(threads, initializer=lambda: torch.set_num_threads(1))

    def _make_nets(self) -> torch.nn.ModuleDict:
        """The policy and the critic, or one net for both."""
        o, actions = self.options, self.game.actions()
        outcomes = 2 * ATOMS + 1 if self.alone else 3
        if o.net != "mlp":
            seen, channels = features(self.game, "board"), o.channels or CHANNELS[o.net]
            self.sizes = [*seen, actions, outcomes, channels, *widths(o.hidden)]
            if o.net == "resnet":
                self.sizes = [*seen, actions, o.blocks, channels, *[outcomes] * self.alone]
            both = begun_with(o.start, self.sizes, self.cells, self.seed, o.net)
            self.cells = getattr(both, "cells", False)  # as the net that it begins with has them
            if o.net == "resnet":
                both.eval().to(memory_format=torch.channels_last)  # half the time of a step
            return torch.nn.ModuleDict({"both": both})
        layers = [*features(self.game, "planes"), *widths(o.hidden)]
        self.sizes = [*layers, actions]
        policy = begun_with(o.start, self.sizes, False, self.seed, "mlp")
        critic = models.MLP([*layers, outcomes], self.seed + 1)
        with torch.no_grad():
            for net in (critic,) if o.start else (policy, critic):
                list(net.parameters())[-2].mul_(0.01)  # hardly any opinions before any training
        return torch.nn.ModuleDict({"policy": policy, "critic": critic})

    def _check_opponents(self) -> None:
        """InputError for one that there is not, before anything is compiled."""
        from ..envs import opponent_of

        for rival in (rival for stage in self.stages for rival in stage):
            must_be_patient(rival)
            opponent_of(self.game, rival, self.seed)
        sides, boards = 1 + max(map(len, self.stages)), self.options.boards
        if boards < sides:
            raise InputError(f"train: the net and its opponents need a board each, {sides} boards, not {boards}")

    def _make_boards(self, stage: int) -> list[list[Any]]:
        """Vector environments in groups, in each of them the net for all players, and against every opponent of this
        stage."""
        from ..envs import opponent_of
        from ..envs.vector import GameVectorEnv

        o, rivals = self.options, [None, *self.stages[stage]]
        groups: list[list[Any]] = [[] for _ in range(max(1, min(PARTS, o.boards // LEAST)))]
        for place, (rival, rows) in enumerate(zip(rivals, shares(o.boards, len(rivals)), strict=True)):
            for number, part in enumerate(shares(rows, len(groups))):
                if part:
                    agent = opponent_of(self.game, rival, self.seed)
                    seed = ((stage * 64 + place) * PARTS + number << 32) + self.seed
                    board = GameVectorEnv(self.game, part, agent, None, threads=1, seed=seed)
                    board.reset()
                    groups[number].append(board)
        return groups

    @property
    def boards(self) -> list[Any]:
        return [board for group in self.groups for board in group]

    def _enter(self, stage: int) -> None:
        """The opponents of this stage take their places, and all games begin anew."""
        if stage != self.stage:
            for board in self.boards:
                board.close()
            self.stage, self.groups = stage, self._make_boards(stage)

    # --- an update ---

    @property
    def steps(self) -> int:
        return self.options.moves

    def advance(self) -> dict[str, float]:
        o = self.options
        self._enter(len(self.stages) * min(self.done, self.steps - 1) // self.steps)
        torch.set_num_threads(1)
        generator = generator_of((self.seed << 32) + self.done)
        for number, board in enumerate(self.boards):
            if board.opponent is not None:
                board.opponent.begin((self.seed * 1_000_003 + self.done) * 64 + number)  # so that a run can go on here
        left = 1 - 0.9 * min(1.0, self.done / self.steps)
        self.adam.param_groups[0]["lr"] = o.lr * left
        moves, games = self.play()
        figures: dict[str, float] = {}
        number = 0
        for _ in range(o.epochs):
            for rows in torch.randperm(len(moves["action"]), generator=generator).split(o.batch):
                self.may_stop()
                for name, value in self.step({name: part[rows] for name, part in moves.items()}, left).items():
                    figures[name] = figures.get(name, 0.0) + value
                number += 1
        self.done += len(moves["action"])
        told = {name: value / number for name, value in figures.items()}
        return told | {"lr": o.lr * left, "games": float(games)}

    def look(
        self, model: torch.nn.ModuleDict, planes: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Of planes [n, ...] and masks [n, actions]: log-probabilities [n, actions], logits of the outcome, values."""
        if "both" in model:
            if self.options.net == "resnet":
                planes = planes.contiguous(memory_format=torch.channels_last)
            logits, outcome = model["both"](planes)
        else:
            logits, outcome = model["policy"](planes.flatten(1)), model["critic"](planes.flatten(1))
        return torch.log_softmax(logits.masked_fill(masks == 0, -1e9), 1), outcome, models.value_of(outcome)

    def play(self) -> tuple[dict[str, torch.Tensor], int]:
        """So many moves on every board: what is learnt from them [moves, ...], and how many games ended."""
        told = list(self.pool.map(self._play, range(len(self.groups))))
        games = sum(int(part.pop("ended").sum()) for part in told)
        return {name: torch.cat([part[name] for part in told]) for name in told[0]}, games

    def _play(self, number: int) -> dict[str, torch.Tensor]:
        """The same of one group, and where games have ended."""
        boards, rows = self.groups[number], dict[str, list[torch.Tensor]]()
        generator = generator_of(((self.seed << 32) + self.done) * PARTS + number)

        def tensor(name: str) -> torch.Tensor:
            return torch.from_numpy(np.concatenate([board.arrays[name] for board in boards]))

        with torch.no_grad():
            for _ in range(self.options.length):
                self.may_stop()
                here = {name: tensor(name) for name in ("observations", "masks", "players")}
                log_pi, _, value = self.look(self.model, here["observations"], here["masks"])
                action = torch.multinomial(log_pi.exp(), 1, generator=generator)
                for board, part in zip(boards, action[:, 0].split([board.num_envs for board in boards]), strict=True):
                    board.step(part.numpy())
                here |= {"action": action[:, 0], "before": log_pi.gather(1, action)[:, 0], "value": value}
                here |= {"reward": tensor("rewards"), "ended": tensor("ended")}
                for name, part in here.items():
                    rows.setdefault(name, []).append(part)
            rows["value"].append(self.look(self.model, tensor("observations"), tensor("masks"))[2])
            rows["players"].append(tensor("players"))
        told = {name: torch.stack(parts) for name, parts in rows.items()}
        reward, value, players, ended = (told[name] for name in ("reward", "value", "players", "ended"))
        told["advantage"] = advantages(reward, value, players, ended, self.discount, self.options.trace)
        told["wanted"] = told["advantage"] + told.pop("value")[:-1]
        learnt = ("observations", "masks", "action", "before", "advantage", "wanted", "ended")
        return {name: told[name].flatten(0, 1) for name in learnt}

    def step(self, moves: dict[str, torch.Tensor], left: float) -> dict[str, float]:
        """One step of Adam, of which every core does a part; `left`: the share of the entropy's bonus that is left."""
        advantage, count = moves["advantage"], len(moves["advantage"])
        moves = moves | {"advantage": (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)}
        nets = [self.model, *self.copies][:count]
        with torch.no_grad():
            for copy in nets[1:]:
                torch._foreach_copy_(list(copy.parameters()), list(self.model.parameters()))

        def part_of(net: torch.nn.ModuleDict, number: int) -> dict[str, float]:
            net.zero_grad()
            part = {name: tensor.tensor_split(len(nets))[number] for name, tensor in moves.items()}
            share = len(part["action"]) / count
            losses = self.losses(net, part)
            o = self.options
            loss = o.value_weight * losses["value_loss"] + losses["policy_loss"]
            (share * (loss - o.entropy * left * losses["entropy"])).backward()
            return {name: share * float(loss.detach()) for name, loss in losses.items()}

        found = list(self.pool.map(part_of, nets, range(len(nets))))
        for weights, *others in zip(*(net.parameters() for net in nets), strict=True):
            for other in others:
                weights.grad += other.grad
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.adam.step()
        return {name: sum(losses[name] for losses in found) for name in found[0]}

    def losses(self, net: torch.nn.ModuleDict, moves: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The losses of a net, means over these moves, whose advantages are normalised; and its entropy."""
        clip = self.options.clip
        log_pi, outcome, _ = self.look(net, moves["observations"], moves["masks"])
        ratio = (log_pi.gather(1, moves["action"][:, None])[:, 0] - moves["before"]).exp()
        advantage = moves["advantage"]
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
        spread = chances_of_points(moves["wanted"]) if self.alone else chances(moves["wanted"].clamp(-1, 1))
        value_loss = -(spread * torch.log_softmax(outcome, 1)).sum(1).mean()
        entropy = -(log_pi.exp() * log_pi).sum(1).mean()
        return {"policy_loss": -gain, "value_loss": value_loss, "entropy": entropy}

    # --- measuring ---

    def measure(self) -> dict[str, float]:
        """What the policy alone wins against random play and against the last opponent; where one plays, its points."""
        torch.set_num_threads(1)
        choose = self.choices()
        if self.alone:
            return measure.points("net_points", self.game, choose, ALONE, LIMIT, self.seed)
        figures = measure.figures("random", measure.matches(self.game, choose, "random", MEASURED, self.seed))
        for rival in self.stages[-1][-1:]:
            played = measure.matches(self.game, choose, rival, MEASURED, self.seed)
            figures |= measure.figures("opponent", played)
        return figures

    def choices(self) -> Greedy:
        """What the policy says most for."""
        if "both" in self.model:
            return Greedy(self.game, "board", inference.Inference(self.model["both"], half=False))  # type: ignore[arg-type]
        return Greedy(self.game, "planes", torch_evaluator(self.model["policy"]))

    def headline(self, figures: dict[str, Any]) -> str:
        speed = f"{self.done / max(self.seconds, 1e-9):,.0f} moves/s"
        if figures.get("net_points") is not None:
            return f"{speed}, {figures['net_points']:,.1f} ± {figures['net_points_interval']:,.1f} points a game"
        words = [speed]
        for who in ("random", "opponent"):
            first, second = (figures.get(f"{who}_{seat}_wins") for seat in ("first", "second"))
            if first is not None:
                words.append(f"{first:.0%} and {second:.0%} won against {who}")
        return ", ".join(words)

    # --- checkpoints ---

    def arrays(self) -> dict[str, np.ndarray]:
        found = checkpoint.arrays_of(self.model, self.adam)
        for number, board in enumerate(self.boards):
            for name, array in board.batch._asdict().items():
                found[f"boards.{number}.{name}"] = np.frombuffer(array.tobytes(), np.uint8)
        return found

    def notes(self) -> dict[str, Any]:
        return super().notes() | {"adam": checkpoint.steps(self.model, self.adam), "stage": self.stage}

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        super().restore(arrays, notes)
        self._enter(notes.get("stage", 0))
        checkpoint.restore(self.model, self.adam, arrays, notes["adam"])
        for copy in self.copies:  # running statistics, too, which a step does not copy
            copy.load_state_dict(self.model.state_dict())
        for number, board in enumerate(self.boards):
            for name, array in board.batch._asdict().items():
                kept = arrays[f"boards.{number}.{name}"].tobytes()
                array[...] = np.frombuffer(kept, array.dtype).reshape(array.shape)

    def close(self) -> None:
        self.pool.shutdown()  # groups that are still under way leave at their next move
        for board in self.boards:
            board.close()

    def net(self) -> tuple[Any, Card]:
        if "policy" in self.model:
            return self.model["policy"], Card(self.sizes, "planes", "policy", self.name)
        card = Card(self.sizes, "board", "policy-value", self.name, kind=self.options.net, cells=self.cells)
        return self.model["both"], replace(card, returns=[self.discount, 0.0, 1.0]) if self.alone else card


def stage_of(text: str) -> list[str]:
    """The opponents that learning is against at the same time, from `win-block; uct(sims=40)`."""
    return [spec.strip() for spec in text.split(";") if spec.strip()]


def generator_of(seed: int) -> torch.Generator:
    """Random numbers that begin with a seed of any size, of which PyTorch knows 64 bits; a prime folds larger ones."""
    return torch.Generator().manual_seed(seed % (2**64 - 59))


def shares(number: int, parts: int) -> list[int]:
    """So many of something, shared out."""
    return [number * (part + 1) // parts - number * part // parts for part in range(parts)]


def advantages(
    rewards: torch.Tensor,
    values: torch.Tensor,
    players: torch.Tensor,
    ended: torch.Tensor,
    discount: float,
    trace: float,
) -> torch.Tensor:
    """A [steps, n] of the actions, each for the player whose action it was; values and players have one row more."""
    found, later = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        sign = torch.where(players[t + 1] == players[t], 1.0, -1.0) * ~ended[t]
        delta = rewards[t] + discount * sign * values[t + 1] - values[t]
        later = found[t] = delta + discount * trace * sign * later
    return found
