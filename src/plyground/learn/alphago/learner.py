"""AlphaGo: a policy learnt from games, a fast one for roll-outs, one improved by gradient, and a net for values.

After Silver and others (2016), in four stages, each of which may be run alone:

    sl        a policy net learns to predict the moves of games, of a strong agent or from files
    rollout   so does a fast policy of local patterns, which roll-outs within the search draw from
    rl        the policy net plays against a pool of its earlier selves; what wins becomes likelier (REINFORCE)
    value     a net learns to predict how games of that policy with itself end, from one position of each

The agent `alphago` searches by what comes out: the first net's policy as prior, and at a leaf the value net's word
mixed with the result of a roll-out.  `docs/alphago.md` tells what is done otherwise than in the paper.

Training goes by rounds: games of the teacher, a run through all positions, an update, games for the value net.  A round
draws its random numbers from the seed and its number alone.
"""

from __future__ import annotations

import math
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ... import agents
from ...arena.statistics import Tally
from ...machine import cores
from ...nets.evaluate import Encoder
from ...nets.later import models, torch
from ...rules import dtype, gives, must_be_for_two, must_encode
from ...search.mcts import local_patterns
from ...search.mcts.local_patterns import LocalPatterns
from ...search.rng import seeded
from ...spec import InputError
from .. import checkpoint, measure
from ..opponents import must_be_patient
from ..selfplay.kernel import sample_type
from ..selfplay.window import Batch, Window
from . import records
from .checkpoint import Checkpointed
from .options import AlphaGoOptions, named_stages
from .playing import Policy, duels, first_states, movers, play_out
from .records import Teacher

GAMES_A_ROUND = 64  # of the teacher
VALUE_GAMES_A_ROUND = 1024
HELD_OUT = 10  # one game of so many is not learnt from, but asked about
JUDGED = 4096  # positions, at most, in which that is done
MATCHED = 400  # games of the improved policy against the first one
ROLLED, ROLLOUTS = 400, 32  # positions in which values are compared, and roll-outs of each
SPAN_GAMES = 256  # whose length says how long games are
MEASURED = 50  # games in either seat against random play


class AlphaGo(Checkpointed):
    """The recipe of AlphaGo: a policy from games, a fast one, one improved by gradient, a net for values."""

    options_type = AlphaGoOptions
    unit = "rounds"
    searched_by = "alphago"
    learns = "games of two players without chance that give the rules `planes` and `encode`"
    curve: ClassVar = ("accuracy", "fast_accuracy", "rl_score")

    @classmethod
    def must_suit(cls, game: Any) -> None:
        must_be_for_two(game, "this learner")
        must_encode(game)
        if gives(game, "chance"):
            raise InputError("this learner is for games without chance")

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        self.stages = named_stages(options.stages)
        self.threads = options.threads or cores()
        self._teacher: Teacher | None = None
        self._windows: dict[str, Window] = {}
        self._held: Any = None
        self._samples: list[dict[str, Any]] = []
        if options.start:
            self._take_up(Path(options.start), self.stages)
        self._must_make_sense()
        if options.games and self._needs_games:
            self.records = records.read(game, options.games)
        self.plan = self._planned()

    def _must_make_sense(self) -> None:
        policies = [stage for stage in ("rl", "value") if stage in self.stages]
        if policies and "sl" not in self.stages and not self.nets:
            raise InputError(
                f"the stage {policies[0]} needs a policy: begin with sl, or --start with a run that has one"
            )
        if self._needs_games and not self.options.games:
            must_be_patient(self.options.teacher)
            teacher = agents.make(self.options.teacher)
            try:
                teacher.must_play(self.game)
            finally:
                teacher.close()

    @property
    def _needs_games(self) -> bool:
        return "sl" in self.stages or "rollout" in self.stages

    def _planned(self) -> list[str]:
        """What every round does."""
        o, made = self.options, []
        if self._needs_games and not o.games:
            made += ["games"] * math.ceil(o.teacher_games / GAMES_A_ROUND)
        rounds = {"sl": o.epochs, "rollout": o.fast_epochs, "rl": o.updates, "value": o.value_epochs}
        for stage in self.stages:
            if stage == "value":
                made += ["value_games"] * math.ceil(o.value_games / VALUE_GAMES_A_ROUND)
            made += [stage] * rounds[stage]
        return made

    # --- rounds ---

    @property
    def steps(self) -> int:
        return len(self.plan)

    def advance(self) -> dict[str, float]:
        torch.set_num_threads(self.threads)
        what = self.plan[self.done]
        number = self.done - self.plan.index(what)  # of this round among those of its kind
        work = {
            "games": self._play_games,
            "sl": self._learn_policy,
            "rollout": self._learn_fast_policy,
            "rl": self._improve_policy,
            "value_games": self._play_value_games,
            "value": self._learn_value,
        }[what]
        kind = {"games": "games of the teacher", "value_games": "games for the value"}.get(what, f"stage {what}")
        self.now = f"{kind}, round {number + 1} of {self.plan.count(what)}"
        figures = work(np.random.default_rng([self.seed, 5, self.done]), number, self.plan.count(what))
        self.done += 1
        self.now = ""
        return figures

    def _play_games(self, rng: np.random.Generator, number: int, rounds: int) -> dict[str, float]:
        """Games of the teacher against itself."""
        o = self.options
        if self._teacher is None:
            self._teacher = Teacher(self.game, o.teacher, o.opening, self.seed, self.threads)
        first = number * GAMES_A_ROUND
        played = self._teacher.play(first, min(GAMES_A_ROUND, o.teacher_games - first), self.may_stop)
        self.records = records.joined([self.records, played])
        self._samples = records.as_lines(self.game, played)
        return {"games": float(len(played.lengths)), "plies": float(played.lengths.mean())}

    def _taught(self) -> tuple[records.Positions, records.Positions]:
        """Positions of the games to learn from, and of those that are held out."""
        if self._held is None:
            total = len(self.records.lengths)
            if total < 2:
                raise InputError("one game is not enough: some are learnt from, others asked about")
            some, others = records.split(self.records, total - max(1, total // HELD_OUT))
            self._held = records.positions(self.game, some), records.positions(self.game, others)
            if not all(len(part.states) for part in self._held):
                raise InputError("too few moves follow the openings of the games: more games, or a lower --opening")
        return self._held  # type: ignore[no-any-return]

    def _learn_policy(self, rng: np.random.Generator, number: int, rounds: int) -> dict[str, float]:
        """Stage sl: a run through all positions, loss -log pi(move that was played)."""
        taught, held = self._taught()
        if "sl" not in self._windows:
            self._windows["sl"] = window_of(self.game, taught.states, taught.actions)
        net, adam = self._begun("sl")

        def loss(batch: Batch) -> torch.Tensor:
            return torch.nn.functional.cross_entropy(net(batch.planes)[0], batch.action)

        figures = {"policy_loss": self._run_through("sl", net, adam, loss, rng, number, rounds)}
        some = slice(0, JUDGED)
        best = Policy(self.game, net).probabilities(held.states[some]).argmax(axis=1)
        return figures | {"accuracy": float((best == held.actions[some]).mean())}

    def _learn_fast_policy(self, rng: np.random.Generator, number: int, rounds: int) -> dict[str, float]:
        """Stage rollout: the same for the policy of local patterns."""
        taught, held = self._taught()
        if self.fast is None:
            self.fast = self._fast_policy()
            self.squares = np.zeros(len(self.fast.weights), np.float32)
        order, asked = rng.permutation(len(taught.states)), np.arange(min(JUDGED, len(held.states)))
        step = self.options.fast_lr * (1 - 0.9 * number / rounds)
        loss, _ = local_patterns.learn(self.game, *taught[:3], order, self.fast, self.squares, step)
        _, hits = local_patterns.learn(self.game, *held[:3], asked, self.fast, self.squares, 0.0)
        return {"fast_loss": loss / max(1, len(order)), "fast_accuracy": hits / max(1, len(asked))}

    def _improve_policy(self, rng: np.random.Generator, number: int, rounds: int) -> dict[str, float]:
        """Stage rl: games against a policy of the pool, and one step up the gradient of what they brought.

            sum over the own moves of  (z - b) log pi(move),   z the result, b its mean in this seat

        b lowers the variance and leaves the gradient's direction as it is.
        """
        o = self.options
        net, adam = self._begun("rl")
        if not self.pool:
            self._join_pool()
        rival = deepcopy(net)
        checkpoint.restore_weights(rival, self.pool[int(rng.integers(len(self.pool)))], "net")
        own, other = Policy(self.game, net), Policy(self.game, rival)
        results, seats, seen = duels(self.game, own, other, o.update_games, rng, self.may_stop)
        base = np.array([results[seats == seat].mean() for seat in (0, 1)])
        states, actions, numbers = (np.concatenate(part) for part in zip(*seen, strict=True))
        states = states.view(dtype(self.game))  # records again
        worth = torch.from_numpy((results - base[seats])[numbers].astype(np.float32))
        legal = torch.from_numpy(own.legal(states))
        adam.param_groups[0]["lr"] = o.rl_lr
        adam.zero_grad()
        entropy = 0.0
        for rows in torch.arange(len(states)).split(4 * o.batch):
            logits = net(torch.from_numpy(own.encode(states[rows.numpy()])))[0]
            log_pi = torch.log_softmax(logits.masked_fill(~legal[rows], -1e9), 1)
            chosen = log_pi.gather(1, torch.from_numpy(actions[rows.numpy()])[:, None])[:, 0]
            (-(chosen * worth[rows]).sum() / o.update_games).backward()
            entropy -= float((log_pi.exp() * log_pi).sum().detach())
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()
        if (number + 1) % o.pool_every == 0:
            self._join_pool()
        figures = {"wins": float((results > 0).mean()), "losses": float((results < 0).mean())}
        figures["entropy"] = entropy / max(1, len(states))
        if number + 1 == rounds:
            figures |= self._against_first(np.random.default_rng([self.seed, 6]))
        return figures

    def _join_pool(self) -> None:
        """Add the policy as it is now to the opponents."""
        self.pool.append(checkpoint.weights_of(self.nets["rl"], "net"))

    def _against_first(self, rng: np.random.Generator) -> dict[str, float]:
        """The score of the improved policy against that of stage sl, both drawing their moves."""
        if "sl" not in self.nets:
            return {}
        own, other = Policy(self.game, self.nets["rl"]), Policy(self.game, self.nets["sl"])
        results, _, _ = duels(self.game, own, other, MATCHED, rng, self.may_stop)
        tally = Tally(*(int(part.sum()) for part in (results > 0, results == 0, results < 0)))
        low, high = tally.interval()
        return {"rl_score": tally.score, "rl_score_interval": (high - low) / 2}

    def _play_value_games(self, rng: np.random.Generator, number: int, rounds: int) -> dict[str, float]:
        """Games of which one position each is learnt: the first policy plays U moves, one is drawn of all that are
        legal, and the improved policy plays on to the end.  The position is the one after the drawn move.

        U is drawn below the length of a long game; of a game that has ended by then nothing is learnt.
        """
        first, better = (Policy(self.game, self.policy(stage)) for stage in ("sl", "rl"))
        if not self.span:
            self.span = self._length_of_games(better, rng)
        count = min(VALUE_GAMES_A_ROUND, self.options.value_games - number * VALUE_GAMES_A_ROUND)
        before = rng.integers(self.span, size=count)
        states, kept = first_states(self.game, count), np.zeros(count, dtype(self.game))
        found, ply = np.zeros(count, np.bool_), 0

        def choose(here: np.ndarray, players: np.ndarray, numbers: np.ndarray) -> np.ndarray:
            nonlocal ply
            at = before[numbers]
            new = numbers[at + 1 == ply]
            kept[new], found[new] = states[new], True
            actions = np.zeros(len(here), np.int64)
            for part, policy in ((at > ply, first), (at < ply, better)):
                actions[part] = policy.draw(here[part], rng)
            drawn = at == ply
            chances = rng.random((int(drawn.sum()), self.game.actions()))
            actions[drawn] = np.where(first.legal(here[drawn]), chances, -1.0).argmax(axis=1)
            ply += 1
            return actions

        scores = play_out(self.game, states, choose, self.may_stop)
        _, players, _ = movers(self.game, kept[found])
        self.value_states = np.concatenate([self.value_states, kept[found]]).view(dtype(self.game))  # records again
        self.value_plies = np.concatenate([self.value_plies, before[found].astype(np.int32) + 1])
        results = (scores[found] * (1 - 2 * players)).astype(np.float32)
        self.value_scores = np.concatenate([self.value_scores, results])
        return {"games": float(count), "positions": float(len(self.value_states))}

    def _length_of_games(self, policy: Policy, rng: np.random.Generator) -> int:
        """How many plies nine of ten games of a policy do not have."""
        lengths = np.zeros(SPAN_GAMES, np.int64)

        def choose(states: np.ndarray, players: np.ndarray, numbers: np.ndarray) -> np.ndarray:
            lengths[numbers] += 1
            return policy.draw(states, rng)

        play_out(self.game, first_states(self.game, SPAN_GAMES), choose, self.may_stop)
        return max(1, int(np.quantile(lengths, 0.9)))

    def _learn_value(self, rng: np.random.Generator, number: int, rounds: int) -> dict[str, float]:
        """Stage value: a run through all positions, loss (v - z)^2."""
        learnt = len(self.value_states) - max(1, len(self.value_states) // HELD_OUT)
        if learnt < 1:
            raise InputError("too few games for a value: all of them had ended before a position was taken")
        if "value" not in self._windows:
            made = window_of(self.game, self.value_states[:learnt], scores=self.value_scores[:learnt])
            self._windows["value"] = made
        net, adam = self._begun("value")

        def loss(batch: Batch) -> torch.Tensor:
            return (models.value_of(net(batch.planes)[1]) - batch.score).square().mean()

        figures = {"value_loss": self._run_through("value", net, adam, loss, rng, number, rounds)}
        some = slice(learnt, learnt + JUDGED)
        values = Policy(self.game, net).values(self.value_states[some])
        figures["value_error"] = float(np.square(values - self.value_scores[some]).mean())
        if number + 1 == rounds and self.fast is not None:
            few = slice(learnt, learnt + ROLLED)
            means = rolled(self.game, self.fast, self.value_states[few], ROLLOUTS, self.seed)
            figures["rollout_error"] = float(np.square(means - self.value_scores[few]).mean())
        return figures

    def _run_through(
        self, stage: str, net: Any, adam: Any, loss: Any, rng: np.random.Generator, number: int, rounds: int
    ) -> float:
        """Steps of Adam as for all positions of a window once; the mean loss."""
        o, window, total = self.options, self._windows[stage], 0.0
        steps = max(1, math.ceil(len(window) / o.batch))
        net.train()
        for step in range(steps):
            self.may_stop()
            adam.param_groups[0]["lr"] = o.lr * (1 - 0.9 * (number * steps + step) / (rounds * steps))
            batch = window.draw(o.batch, len(window), rng, o.mirror)
            found = loss(batch._replace(planes=batch.planes.contiguous(memory_format=torch.channels_last)))
            adam.zero_grad()
            found.backward()
            adam.step()
            total += float(found.detach())
        net.eval()
        return total / steps

    def measure(self) -> dict[str, float]:
        """What the newest policy alone wins against random play, its likeliest move at a time."""
        if not self.nets:
            return {}
        policy = Policy(self.game, self.policy("rl"))

        def choose(states: np.ndarray) -> np.ndarray:
            self.may_stop()
            return policy.probabilities(states).argmax(axis=1)

        return measure.figures("random", measure.matches(self.game, choose, "random", MEASURED, self.seed))

    def samples(self) -> list[dict[str, Any]]:
        found, self._samples = self._samples, []
        return found

    def headline(self, figures: dict[str, Any]) -> str:
        shown = {"accuracy": "sl predicts", "fast_accuracy": "rollout predicts", "rl_score": "rl scores against sl"}
        words = [f"{text} {figures[name]:.1%}" for name, text in shown.items() if figures.get(name) is not None]
        for name, text in {"value_error": "error of values", "rollout_error": "of roll-outs"}.items():
            if figures.get(name) is not None:
                words.append(f"{text} {figures[name]:.3f}")
        return ", ".join(words) or "alphago"

    def planned(self) -> str:
        rounds = [f"{self.plan.count(what)} of {what.replace('_', ' ')}" for what in dict.fromkeys(self.plan)]
        return f"rounds: {', '.join(rounds)}; this process learns"

    def close(self) -> None:
        if self._teacher is not None:
            self._teacher.close()


def window_of(
    game: Any, states: np.ndarray, actions: np.ndarray | None = None, scores: np.ndarray | None = None
) -> Window:
    """Positions to learn from, with the actions that were played there, or with what came of them."""
    made, encode = Window(game, len(states), "cpu"), Encoder(game, "board")
    for i in range(0, len(states), JUDGED):
        part = slice(i, i + JUDGED)
        samples = np.zeros(len(states[part]), sample_type(game))
        samples["planes"] = encode(states[part])
        if actions is not None:
            samples["action"] = actions[part]
        if scores is not None:
            samples["score"] = scores[part]
        made.add(samples)
    return made


def rolled(game: Any, policy: LocalPatterns, states: np.ndarray, number: int, seed: int) -> np.ndarray:
    """The mean results of so many roll-outs of each state, for who moves there: float64[n]."""
    means, lasts = np.zeros(len(states)), np.full(len(states), local_patterns.NONE, np.int32)
    room = local_patterns.workspace(seeded(seed))
    local_patterns.roll_each(game, states, lasts, policy, number, np.zeros(1, dtype(game)), room, means)
    return means * (1 - 2 * movers(game, states)[1])
