"""The agent `alphazero`: tree search by a net with policy and value, run by onnxruntime; PyTorch is not needed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from ..manifest import ask
from ..nets import trained
from ..nets.card import Card, must_fit
from ..nets.evaluate import Evaluator, gpu_evaluator, onnx_evaluator, softmax, symmetric, together
from ..nets.files import read_card
from ..rules import legal, must_encode
from ..search import tree
from ..search.budget import Budget
from ..search.mcts import puct
from ..search.mcts import transpositions as table
from ..search.mcts.batched import BatchedPUCT, NetSearch
from ..search.mcts.settings import (
    CONSIDERED,
    Exploration,
    FirstPlayUrgency,
    Least,
    PolicyTemperature,
    Settings,
    Solve,
    Transpositions,
)
from ..search.mcts.steps import MCTSSteps
from ..spec import About, InputError
from .base import Move, Seed, Thought, same
from .tree_agent import DEVICES, MOST, Choose, Keep, Memory, Seconds, TreeAgent

AUTO = "auto"

# options that agents by such a net have
NetName = Annotated[
    str, About("a net that came with the program, or a folder; auto: the one for this game", kind="net")
]
Simulations = Annotated[int | None, About("simulations a move; 400 unless `seconds` is given", low=1, high=MOST)]
Leaves = Annotated[int, About("positions judged at once", low=1, high=1024)]
Threats = Annotated[
    int | None,
    About(
        "look for wins by threats at every leaf, so many threes deep; 0: fours, -1: none; "
        "None: 2 where four make a row, else 0; unless -1, some games are searched to their end, too",
        low=-1,
        high=20,
    ),
]

Threads = Annotated[
    int,
    About(
        "threads of the net; of the search, where its kernel runs the net: then two searches with the same seed differ",
        low=1,
        high=64,
    ),
]


class NetAgent(TreeAgent):
    """What agents share that search by nets (PUCT).  Their options are fields of their own."""

    solve: bool

    in_points = False  # the returns of nets discount them
    usual = 400  # simulations
    plain = {"threats": -1}  # noqa: RUF012
    live: ClassVar[tuple[str, ...]] = ("c", "fpu", "solve")

    @classmethod
    def must_play(cls, game: Any) -> None:
        must_encode(game)

    def decide(self, game: Any, state: Any, budget: Budget) -> Thought:
        thought = super().decide(game, state, budget)
        if len(thought.moves) > 1 and thought.moves[0].proven and thought.moves[0].value == -1:
            return self._resist(game, state, budget, thought)
        return thought

    def _resist(self, game: Any, state: Any, budget: Budget, lost: Thought) -> Thought:
        """Every move is proven to lose: search again without proofs, for the one that is hardest to win against."""
        search = self._searches[0]
        search.options["solve"] = False
        try:
            search.begin(state)
            done = lost.simulations + search.run(budget.after(lost.simulations))
            thought = self._thought(game, state, done, budget)
        finally:
            search.options["solve"] = self.solve
            self._last = None  # a tree without proofs is not kept
        moves = [move._replace(value=-1.0, proven=True) for move in thought.moves]
        return replace(thought, value=-1.0, moves=moves)

    def tuned(self, game: Any) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.live}


@dataclass
class AlphaZero(NetAgent):
    """Tree search by a net that knows which moves to look at and what a position is worth (PUCT)."""

    net: NetName = AUTO
    sims: Simulations = None
    seconds: Seconds = None
    c: Exploration = Settings.c
    fpu: FirstPlayUrgency = Settings.fpu
    policy_temperature: PolicyTemperature = Settings.policy_temperature
    least: Least = Settings.least
    transpositions: Transpositions = Settings.transpositions
    root: Annotated[
        str,
        About("how the root chooses; gumbel: shares out `sims`, in a new tree", choices=("puct", "gumbel")),
    ] = "puct"
    symmetry: Annotated[bool, About("judge every position in all its mirror images")] = False
    quick: Annotated[bool, About("take the net in 8-bit numbers, where there is one: about twice as fast")] = True
    leaves: Leaves = 1
    choose: Choose = "visits"
    threats: Threats = None
    solve: Solve = Settings.solve
    keep: Keep = True
    memory: Memory = 256
    threads: Threads = 1
    device: Annotated[
        str, About("where the net runs; cuda: a GPU, by PyTorch; many `leaves` at once pay there", choices=DEVICES)
    ] = "cpu"
    seed: Seed = None

    live = ("c", "fpu", "solve", "policy_temperature", "least")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.root == "gumbel":
            if self.sims is None:
                raise InputError('alphazero: root="gumbel" shares out simulations: say how many, like sims=400')
            self.keep = False
        self._many: BatchedPUCT | None = None  # searches of many games at once, on a GPU
        self._drawn: int | None = None  # the seed of the next search alone, if it was drawn for many
        self.stones: int | None = None  # most that are put in a look for threats, at a leaf; None: as many as pay
        self._known: tuple[str, Card, Any] | None = None  # its name, its card and what runs it
        if self.net != AUTO:
            self._read(self.net)

    def close(self) -> None:
        if self._known:
            self._known[2].close()
        super().close()

    def _read(self, net: str) -> tuple[Card, Evaluator]:
        """The net of this name, read once."""
        if self._known is None or self._known[0] != net:
            folder = trained.find(net)
            card = read_card(folder)
            if card.output != "policy-value":
                raise InputError(f"alphazero needs a net with policy and value; {net} tells {card.output}")
            on_gpu = self.device == "cuda"
            made = gpu_evaluator(folder) if on_gpu else onnx_evaluator(folder, self.threads, self.quick)
            self._known = net, card, made
        return self._known[1:]

    def _net_for(self, game: Any) -> tuple[Card, Evaluator]:
        card, evaluate = self._read(trained.made_for(game) if self.net == AUTO else self.net)
        must_fit(card, game)
        return card, evaluate

    def read(self, game: Any) -> None:
        self._net_for(game)

    def first_sight(self, game: Any, state: Any) -> Thought:
        """What the net says of a position, without any search."""
        begun = time.perf_counter()
        planes = np.zeros((1, *game.planes()), np.float32)
        game.encode(state, planes[0])
        answers, actions = self._net_for(game)[1](planes)[0], np.array(legal(game, state))
        chances = softmax(answers[actions])
        order = np.argsort(-chances, kind="stable")
        moves = [Move(int(actions[i]), 0, 0.0, prior=float(chances[i])) for i in order]
        best = moves[0].action
        return Thought(best, float(answers[-1]), 1, time.perf_counter() - begun, moves, [best])

    def step_by_step(self, game: Any, state: Any) -> MCTSSteps:
        if self.leaves > 1:
            raise InputError("step by step, one leaf is judged at a time: take leaves=1")
        if self.threads > 1 and hasattr(self._net_for(game)[1], "for_kernels"):
            raise InputError("step by step, one leaf is judged at a time: take threads=1")
        self.make_searches(game)
        return super().step_by_step(game, state)

    @property
    def many(self) -> bool:  # type: ignore[override]
        plain = self.root == "puct" and self.choose == "visits" and self.leaves == 1 and not self.transpositions
        return self.device != "cpu" and plain and not self.keep and self.seconds is None

    def decide(self, game: Any, state: Any, budget: Budget) -> Thought:
        if self.many:  # every search has its own random numbers, as in `think_in_each`
            self._searches[0].seed(int(self.rng.integers(2**62)) if self._drawn is None else self._drawn)
            self._drawn = None
        return super().decide(game, state, budget)

    def think_in_each(self, game: Any, states: Any, rngs: Any = None) -> list[int]:
        """On a GPU all of them are searched at once, a leaf of each in a batch, as many as the memory has room for."""
        if not self.many:
            return super().think_in_each(game, states, rngs)
        roots = states if isinstance(states, np.ndarray) else together(states)
        sims = self.sims or self.usual
        number = max(1, min(len(states), self.memory * 2**20 // BatchedPUCT.size(game, sims)))
        if self._many is None or not same(self._many.game, game) or len(self._many.trees) < number:
            self._many = BatchedPUCT(game, *self.judged_by(game), number, sims)
        chosen: list[int] = []
        while len(chosen) < len(states):
            some = range(len(chosen), min(len(states), len(chosen) + len(self._many.trees)))
            streams = [rngs[i] if rngs else self.rng for i in some]
            seeds = [int(rng.integers(2**62)) for rng in streams]
            self._many.seed(seeds)
            found = self._many(roots[some.start : some.stop])
            for i in np.flatnonzero(self._many.lost(len(some))):  # is to resist as long as it can
                self._drawn = seeds[i]
                found[i] = self.think(game, roots[some[i]]).action
            chosen += found.tolist()
        return chosen

    def searches(self, game: Any) -> list[Any]:
        beside = table.BYTES if self.transpositions else 0
        nodes = self.nodes_of_each(tree.node_type(puct.NODE).itemsize + beside)
        return [NetSearch(game, *self.judged_by(game), self.leaves, nodes, self._seeds[0], self.threads)]

    def judged_by(self, game: Any) -> tuple[Evaluator, Settings]:
        """What judges the leaves of a search of this game, and how the search goes."""
        card, evaluate = self._net_for(game)
        considered = CONSIDERED if self.root == "gumbel" else 0
        prover = ask(game, "prover", self.threats)
        if prover and self.stones is not None:
            prover = prover._replace(limit=min(self.stones, prover.limit))
        discount = card.returns[0] if card.returns else Settings.discount
        how = {"prover": prover, "discount": discount, "transpositions": self.transpositions}
        settings = Settings(considered=considered, **how, **self.tuned(game))
        return symmetric(game, evaluate) if self.symmetry else evaluate, settings
