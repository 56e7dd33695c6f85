"""Deep Q-learning: a net tells what each action is worth, and learns from the moves it makes (Mnih et al., 2015).

The defaults are those of the study "deep-tictactoe": the net learns from every move at once and, after every game,
from a hundred of its replay memory; an illegal move is punished and chosen again.  The preset `strong` is what plays
well: a target network, action masking, and a pool of older selves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ..nets.card import AUTO, Card, Input, features, input_of
from ..nets.evaluate import Greedy
from ..nets.later import models, torch
from ..spec import About, InputError
from . import gradient, measure
from .base import Learner, Options, stream, stream_state, widths
from .batch import Batch
from .dqn_kernel import choose, learn, new_workspace
from .dqn_torch import LARGE, learn_at_once
from .gradient import Evaluate
from .opponents import Opponents
from .replay import Replay
from .starts import is_drawn_anew, starts_of

SEATS = ("first", "second", "both")
REPORT = 50  # games between two lines of figures
KEPT = ("theta", "target", "moments")  # in a checkpoint
MANY = 100  # actions of a game in which it takes too long to find a legal one by penalties
MEASURED = 500  # games in either seat, when the net is measured


@dataclass(frozen=True)
class DQNOptions(Options):
    """What deep Q-learning can be told."""

    games: Annotated[int, About("games of training", low=1)] = 10_000
    hidden: Annotated[str, About("units of the hidden layers, like 256 or 128,128")] = "256"
    input: Input = AUTO
    lr: Annotated[float, About("Adam's learning rate", low=0)] = 0.001
    lr_end: Annotated[float | None, About("learning rate at the end, reached in a straight line", low=0)] = None
    gamma: Annotated[float, About("discount: what a reward one move later is worth", low=0, high=1)] = 0.9
    win: Annotated[float, About("reward for a win")] = 10.0
    draw: Annotated[float, About("reward for a draw")] = 5.0
    loss: Annotated[float, About("reward for a loss")] = -10.0
    invalid: Annotated[float, About("reward for an illegal action, after which it chooses again")] = -5.0
    masking: Annotated[
        bool | None,
        About(
            "action masking: never choose an illegal action, in place of the penalty; "
            f"unless told, in games of more than {MANY} actions"
        ),
    ] = None
    epsilon: Annotated[float, About("share of random actions at the start", low=0, high=1)] = 0.9
    epsilon_end: Annotated[float, About("share of random actions from `epsilon_games` on", low=0, high=1)] = 0.05
    epsilon_games: Annotated[int, About("games in which epsilon decays, exponentially", low=1)] = 2_000
    memory: Annotated[int, About("transitions that the replay memory holds", low=1, high=10_000_000)] = 50_000
    short_term: Annotated[bool, About("an update after every move, on that move")] = True
    batch: Annotated[int, About("transitions in an update from memory; 0: no such updates", low=0)] = 100
    updates: Annotated[float, About("updates from memory after a game: with `batch`, the replay ratio", low=0)] = 1.0
    target_every: Annotated[int, About("updates after which the target network is renewed; 0: none", low=0)] = 0
    double: Annotated[bool, About("double Q-learning: the net itself says which action the target network values")] = (
        False
    )
    n_step: Annotated[
        int, About("n-step returns: rewards that are counted before the net's own value", low=1, high=100)
    ] = 1
    seat: Annotated[str, About("where it sits", choices=SEATS)] = "first"
    opponent: Annotated[
        str, About("random, win-block, self (older nets), an agent, or some joined by +", kind="opponents")
    ] = "random"
    others: Annotated[str, About("the opponents when it sits second; if empty, the same", kind="opponents")] = ""
    older: Annotated[int, About("own older nets that `self` plays", low=1, high=100)] = 5
    older_every: Annotated[int, About("games between two of them", low=1)] = 2_000
    older_epsilon: Annotated[float, About("share of random actions of theirs", low=0, high=1)] = 0.1
    environments: Annotated[int, About("games at the same time", low=1, high=4096)] = 1
    starts: Annotated[float, About("share of games that begin with random moves", low=0, high=1)] = 0.0
    symmetries: Annotated[
        bool, About("see what is remembered from any side of the board, where the game tells them")
    ] = False


class DQN(Learner):
    """Deep Q-learning."""

    options_type = DQNOptions
    presets: ClassVar = {
        "study": {},
        "strong": {
            "games": 100_000,
            "hidden": "128,128",
            "input": "planes",
            "lr_end": 0.0,
            "gamma": 1.0,  # with 0.9 a likely win now is worth more than a sure one later
            "draw": 0.0,
            "masking": True,
            "epsilon": 0.5,
            "epsilon_end": 0.1,
            "short_term": False,
            "batch": 512,
            "updates": 0.5,
            "target_every": 500,
            "seat": "both",
            "opponent": "random+self+self",
            "older_every": 1_000,
            "older_epsilon": 0.2,
            "environments": 32,
            "starts": 0.5,
            "symmetries": True,
            "measure_every": 10_000,
            "checkpoint_every": 10_000,
        },
    }
    curve = ("wins", "draws", "losses", "mistakes")

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        o: DQNOptions = options
        self.input = input_of(game, o.input)
        self.masking = game.actions() > MANY if o.masking is None else o.masking
        self.sizes = [*features(game, self.input), *widths(o.hidden), game.actions()]
        if o.memory < o.batch:
            raise InputError(f"train: memory holds at least a batch, {o.batch} transitions, not {o.memory}")
        self.workspace = new_workspace(game, self.sizes, seed, o.target_every > 0, o.symmetries)
        self.theta = self.workspace.theta
        self.opponents = Opponents(game, o.opponent, o.others, self.input, self.theta, self.sizes, seed)
        self.opponents.epsilon = o.older_epsilon
        self.world = Batch(
            game,
            o.environments,
            seed,
            input=self.input,
            opponents=self.opponents.first,
            others=self.opponents.second,
            ask=self.opponents.ask,
            seats=SEATS.index(o.seat),
            rewards=(o.win, o.draw, o.loss, o.invalid),
            starts=o.starts,
            first=starts_of(name, game, seed),
        )
        self.drawn = is_drawn_anew(name, game)  # moves alone then do not tell a game
        self.replay = Replay(o.memory, o.environments, self.sizes[0], self.sizes[-1], o.gamma, o.n_step)
        self.rng = np.random.default_rng([seed, 0])
        self.updates = 0  # made so far
        self.due = 0.0  # updates from memory that are still to be made
        self._actions = np.zeros(o.environments, np.int64)
        self._greedy = Greedy(game, self.input, Evaluate(self.sizes, self.theta))
        self._sample: dict[str, Any] = {}
        torch.set_num_threads(1)  # small matrices: a second thread costs more than it does
        self._compile()

    def _compile(self) -> None:
        """Call the kernels with nothing to do, so that no time of training goes into compiling them."""
        world, picked = self.world, np.zeros(0, np.int64)
        self.learn(picked)
        self.updates = 0
        choose(self.workspace, world.inputs, world.envs[:0], world.legal, self._actions, 0.0, self.masking)
        self.replay.compile(world.inputs, self._actions, world.rewards, world.ended, world.inputs, world.legal)

    def advance(self) -> dict[str, float]:
        """Play some games, and learn from every step."""
        o, world, tally = self.options, self.world, self.world.tally
        tally[:] = 0
        world.envs["length"] = 0
        begun, loss, updates = self.done, 0.0, self.updates
        while self.done - begun < REPORT and self.done < self.steps:
            self.may_stop()
            seen = world.inputs
            choose(self.workspace, seen, world.envs, world.legal, self._actions, self.epsilon(), self.masking)
            world.step(self._actions)
            fresh = self.replay.add(seen, self._actions, world.rewards, world.ended, world.inputs, world.legal)
            ended = int(world.ended.sum())
            if o.short_term and len(fresh):
                loss += self.learn(fresh)
            self.due += ended * o.updates if o.batch else 0
            while self.due >= 1:
                self.due -= 1
                loss += self.learn(self.rng.integers(len(self.replay), size=o.batch))
            if ended:
                self.grow_older(self.done, self.done + ended)
                self.done += ended
        self._note_game()
        wins, draws, losses, invalid = (tally / (self.done - begun)).tolist()
        figures = {"wins": wins, "draws": draws, "losses": losses, "invalid": invalid}
        return figures | {"loss": loss / max(1, self.updates - updates), "epsilon": self.epsilon()}

    def learn(self, picked: np.ndarray) -> float:
        """One step of Adam on these transitions of the memory, int64[batch]; the loss, a mean squared TD error."""
        o = self.options
        self.updates += 1
        end = o.lr if o.lr_end is None else o.lr_end
        rate = o.lr + (end - o.lr) * min(1.0, self.done / self.steps)
        turns = self.rng.integers(len(self.workspace.sides), size=len(picked))
        update = learn if len(picked) < LARGE else learn_at_once
        loss = update(self.workspace, self.replay.memory, picked, turns, self.updates, rate, self.masking, o.double)
        if o.target_every and self.updates % o.target_every == 0:
            self.workspace.target[:] = self.theta
        return loss

    def epsilon(self) -> float:
        """The share of random actions: start * (end / start) ** (games / epsilon_games), then the end."""
        o = self.options
        if self.done >= o.epsilon_games or o.epsilon <= o.epsilon_end:
            return o.epsilon_end
        return o.epsilon * (max(o.epsilon_end, 0.001) / o.epsilon) ** (self.done / o.epsilon_games)

    def grow_older(self, before: int, now: int) -> None:
        if now // self.options.older_every > before // self.options.older_every:
            self.opponents.grow_older(self.theta, self.options.older)

    def measure(self) -> dict[str, float]:
        figures = measure.figures("random", measure.matches(self.game, self._greedy, "random", MEASURED, self.seed))
        solved = measure.positions(self.game, self.name)
        return figures | (solved.figures("mistakes", self._greedy) if solved else {})

    def samples(self) -> list[dict[str, Any]]:
        return [self._sample] if self._sample else []

    def _note_game(self) -> None:
        """Keep one of the games that have just ended, for people to look at."""
        finished = np.flatnonzero(self.world.envs["length"])
        if len(finished) and not self.drawn:
            env = self.world.envs[finished[0]]
            moves = " ".join(self.game.name(int(action)) for action in env["last"][: env["length"]])
            self._sample = {"moves": moves, "score": float(env["score"]), "seat": int(env["sat"])}

    def arrays(self) -> dict[str, np.ndarray]:
        envs = self.world.envs.view(np.uint8).reshape(len(self.world.envs), -1)
        own = {name: getattr(self.workspace, name) for name in KEPT} | {"environments": envs}
        return own | self.replay.arrays() | self.opponents.arrays()

    def notes(self) -> dict[str, Any]:
        own = {"done": self.done, "updates": self.updates, "due": self.due, "rng": stream_state(self.rng)}
        return own | self.opponents.notes()

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done, self.updates, self.due = notes["done"], notes["updates"], notes["due"]
        self.rng = stream(notes["rng"])
        for name in KEPT:
            getattr(self.workspace, name)[:] = arrays[name]
        self.world.envs.view(np.uint8).reshape(len(self.world.envs), -1)[:] = arrays["environments"]
        self.world.look()
        self.replay.restore(arrays)
        self.opponents.restore(arrays, notes)

    def net(self) -> tuple[models.MLP, Card]:
        o = self.options
        scale = max(abs(o.win), abs(o.loss), 1e-9)
        return gradient.unpacked(self.sizes, self.theta), Card(self.sizes, self.input, "q", self.name, scale)
