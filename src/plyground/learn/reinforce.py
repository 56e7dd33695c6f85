"""REINFORCE with a search: a policy net guides UCT, and learns from the games that this UCT plays against itself.

Every move of self-play is a policy-guided search (`search.mcts.guided`).  After a game the net takes a step of Adam on

    loss = sum over the moves of  -log pi(move played) * reward

where the reward is 1 for a move of the winner, -1 for one of the loser and 0 in a draw (Williams, 1992, with the
result of the game as the return).  The search hardly ever loses to itself, and a draw teaches nothing: so games
begin with some random moves, and moves are drawn by their visits.

Game number n draws its random numbers from the seed and n alone.  `together` games are played at once, on threads,
by the same net, and are then learnt from one after the other: the result does not depend on who finishes first.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..agents.guided import usual_exploration
from ..agents.tree_search import UCT
from ..nets.card import AUTO, Card, Input, features, input_of
from ..nets.evaluate import Encoder, Greedy, torch_evaluator
from ..nets.later import models, torch
from ..rules import CHANCE, drawn_outcome, gives, legal, new
from ..search.budget import Budget
from ..search.mcts import mlp
from ..search.mcts.driver import Search
from ..search.mcts.tree_view import Child
from ..spec import About, InputError
from . import checkpoint, measure
from .base import Learner, Options
from .gradient import layers_of
from .optimizer import uncompiled

SOME, MANY = 50, 500  # games a seat in which the net with its search, and the net alone, are measured
FEW = 150  # positions in which the mistakes of the search are counted
LONGEST = 1024  # plies of a game; a longer one is left there, and counts as drawn
ROOM = 40  # nodes of a tree for every simulation; a tree that is full goes on counting


@dataclass(frozen=True)
class ReinforceOptions(Options):
    games: Annotated[int, About("games of self-play; one step of Adam each", low=1)] = 300
    width: Annotated[int, About("units in each hidden layer", low=1, high=4096)] = 64
    depth: Annotated[int, About("hidden layers", low=0, high=16)] = 2
    input: Input = AUTO
    lr: Annotated[float, About("learning rate of Adam", low=0, high=10)] = 0.003
    sims: Annotated[int, About("simulations a move", low=1, high=10_000_000)] = 1000
    c: Annotated[
        float | None,
        About(
            "weight of exploration in the search; unless told 16, less where there are fewer actions than nine",
            low=0,
            high=1e6,
        ),
    ] = None
    rollout: Annotated[str, About("how simulations play to the end", choices=("auto", "random", "win-block"))] = (
        "random"
    )
    solve: Annotated[bool, About("prove wins and losses in the search")] = False
    temperature: Annotated[
        float, About("moves are drawn by visits ** (1 / temperature); 0: the most visited one", low=0, high=100)
    ] = 1.0
    opening: Annotated[int, About("at most so many random moves, not learnt from, open each game", low=0)] = 4
    together: Annotated[int, About("games played at once by the same net, on threads", low=1, high=64)] = 1
    measure_every: Annotated[int, About("games between two measurements; 0: only at the end", low=0)] = 100
    checkpoint_every: Annotated[int, About("games between two checkpoints; a kill costs no more", low=1)] = 50


class Guiding(NamedTuple):
    """A search and the net that guides it."""

    search: Search
    net: mlp.MLP


class Played(NamedTuple):
    """A game of self-play."""

    states: np.ndarray  # in which the search chose
    actions: list[int]  # what it chose
    movers: list[int]
    moves: list[int]  # all moves, with those of the opening
    score: float  # player 0's
    simulations: int


class Reinforce(Learner):
    """A policy net that guides UCT and learns from its games."""

    options_type = ReinforceOptions
    searched_by = "guided"
    presets: ClassVar = {
        "study": {"lr": 0.01, "c": 1.4, "temperature": 0.0, "opening": 0},
    }
    curve = ("random_first_wins", "net_random_first_wins", "mistakes", "net_mistakes")

    def __init__(self, game: Any, name: str, options: Any, seed: int) -> None:
        super().__init__(game, name, options, seed)
        if options.rollout == "win-block" and not gives(game, "wins"):
            raise InputError("rollout win-block needs a game that lists its wins; take random")
        self.input = input_of(game, options.input)
        self.sizes = [*features(game, self.input), *[options.width] * options.depth, game.actions()]
        self.model = models.MLP(self.sizes, seed)
        self.adam = uncompiled(torch.optim.Adam)(self.model.parameters(), lr=options.lr)
        self._encode = Encoder(game, self.input)
        self._searches = [self._search() for _ in range(options.together)]
        self._samples: list[dict[str, Any]] = []

    # --- playing ---

    def _search(self) -> Guiding:
        options = self.options
        c = usual_exploration(self.game) if options.c is None else options.c
        agent = UCT(c=c, solve=options.solve, expand="all")
        heavy = options.rollout == "win-block" or (options.rollout == "auto" and gives(self.game, "wins"))
        net = mlp.ready(self.game, layers_of(self.model), self.input == "signed")
        room = max(ROOM * options.sims, 1 + self.game.actions())  # its root has all its children at once
        return Guiding(Search(self.game, agent.kernel_options(), 0, heavy, False, room, net), net)

    def play(self, number: int, search: Search) -> Played:
        """Play game `number` against oneself."""
        game, options = self.game, self.options
        rng = np.random.default_rng([self.seed, number])
        search.seed(int(rng.integers(2**62)))
        state = new(game)
        moves: list[int] = []
        states, actions, movers, simulations = [], [], [], 0
        opening = int(rng.integers(options.opening + 1))
        while not game.over(state) and len(moves) < LONGEST:
            self.may_stop()
            mover = int(game.player(state))
            if mover == CHANCE:
                action = drawn_outcome(game, state, rng)
            elif len(moves) < opening:
                action = int(rng.choice(legal(game, state)))
            else:
                search.begin(state)
                simulations += search.run(Budget(options.sims))
                action = pick(search.children, options.temperature, rng)
                states.append(state.copy())
                actions.append(action)
                movers.append(mover)
            game.play(state, action)
            moves.append(action)
        kept = np.array(states, state.dtype)
        score = float(game.score(state)) if game.over(state) else 0.0
        return Played(kept, actions, movers, moves, score, simulations)

    # --- learning ---

    def advance(self) -> dict[str, float]:
        layers = layers_of(self.model)
        numbers = range(self.done, min(self.done + self.options.together, self.steps))
        searches = [one.search for one in self._searches[: len(numbers)]]
        for one in self._searches:
            mlp.write(one.net, layers)
        if len(numbers) == 1:
            games = [self.play(numbers[0], searches[0])]
        else:
            with ThreadPoolExecutor(len(numbers)) as pool:
                games = list(pool.map(self.play, numbers, searches))
        losses = [self.learn(game) for game in games]
        self.done += len(games)
        names = self.game.name
        self._samples = [{"moves": " ".join(names(a) for a in g.moves), "score": g.score} for g in games[:1]]
        return {
            "loss": float(np.mean(losses)),
            "draws": float(np.mean([game.score == 0 for game in games])),
            "plies": float(np.mean([len(game.moves) for game in games])),
            "simulations": float(sum(game.simulations for game in games)),
        }

    def learn(self, played: Played) -> float:
        """One step of Adam on one game; return the loss."""
        if not played.actions:
            return 0.0
        inputs = torch.from_numpy(self._encode(played.states))
        mask = torch.full((len(played.actions), self.sizes[-1]), -torch.inf)
        for row, state in enumerate(played.states):
            mask[row, legal(self.game, state)] = 0.0
        rewards = torch.tensor([played.score * (1 - 2 * mover) for mover in played.movers])
        log_pi = torch.log_softmax(self.model(inputs) + mask, dim=1)
        chosen = log_pi[torch.arange(len(played.actions)), torch.tensor(played.actions)]
        loss = -(chosen * rewards).sum()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return float(loss.detach())

    # --- measuring ---

    def measure(self) -> dict[str, float]:
        """Both seats against random, and mistakes: of the net with its search, and (net_) of the net alone."""
        search, rng = self._search().search, np.random.default_rng(0)

        def choose(state: Any) -> int:
            self.may_stop()
            search.begin(state)
            search.run(Budget(self.options.sims))
            return pick(search.children, 0.0, rng)

        figures: dict[str, float] = {}
        alone = Greedy(self.game, self.input, torch_evaluator(self.model))
        solved = measure.positions(self.game)
        for name, choices, games in (("", measure.one_by_one(choose), SOME), ("net_", alone, MANY)):
            figures |= measure.figures(f"{name}random", measure.matches(self.game, choices, "random", games, self.seed))
            if solved is not None:
                step = 1 if name else max(1, len(solved.states) // FEW)
                whole = solved.complete and step == 1
                some = solved._replace(states=solved.states[::step], best=solved.best[::step], complete=whole)
                figures |= some.figures(f"{name}mistakes", choices)
        return figures

    # --- checkpoints ---

    def arrays(self) -> dict[str, np.ndarray]:
        return checkpoint.arrays_of(self.model, self.adam)

    def restore(self, arrays: dict[str, np.ndarray], notes: dict[str, Any]) -> None:
        self.done = notes["done"]
        checkpoint.restore(self.model, self.adam, arrays, notes["adam"])

    def notes(self) -> dict[str, Any]:
        return {"done": self.done, "adam": checkpoint.steps(self.model, self.adam)}

    def samples(self) -> list[dict[str, Any]]:
        return self._samples

    def net(self) -> tuple[models.MLP, Card]:
        return self.model, Card(self.sizes, self.input, "policy", self.name)


def pick(children: list[Child], temperature: float, rng: np.random.Generator) -> int:
    """The action to play: a proven win, else by visits; a proven loss only if there is nothing else."""
    best = max(child.proof for child in children)
    open_ = [child for child in children if child.proof == best] if best > 0 else children
    open_ = [child for child in open_ if child.proof >= 0] or open_
    if temperature == 0:
        return max(open_, key=lambda child: (child.visits, child.value)).action
    weights = np.array([child.visits for child in open_], float) ** (1 / temperature)
    total = weights.sum()
    return int(rng.choice([child.action for child in open_], p=weights / total if total else None))
