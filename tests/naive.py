"""Slow, obvious twins of the searches: UCT and MC-RAVE with node objects and dicts.

A twin draws from the same stream of random numbers in the same order as its kernel, so that both grow the
same tree, visit for visit.  The order, in one simulation:

    on the way down
        chance event        one number in range(2**31) is the probability; the outcomes share it in order
        expansion of one    one index into the legal actions that have no child yet, in the order of `legal`
        expansion of all    a shuffle: for every place an index into the remaining actions; the first of
                            those then moves to the index that was drawn
    in every roll-out
        chance event        as above
        win-block           one index into the list of wins, else into the list of wins to block
        random              one index into a list of candidates.  It is listed anew for every move, but in
                            a game with `still` only when it is empty or chance has moved: there a
                            candidate that was played or has become illegal gives its place to the last

The order of a list of wins is that of `wins` and `wins_after`; the twin takes the lists, but checks that they
hold just the actions which win when they are tried on a copy of the state.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plyground import agents, rules
from plyground.rules import CHANCE

WORD = 2**64 - 1
PLIES = {"MNK": "stones", "ConnectFour": "moves"}  # the field whose parity says who moves


class Stream:
    """xorshift64 (Marsaglia, 2003), seeded by a step of splitmix64."""

    def __init__(self, seed: int) -> None:
        z = seed + 0x9E3779B97F4A7C15 & WORD
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
        self.word = z ^ z >> 31

    def below(self, n: int) -> int:
        """A number in range(n), from the upper half of the next word."""
        self.word ^= self.word << 13 & WORD
        self.word ^= self.word >> 7
        self.word ^= self.word << 17 & WORD
        return (self.word >> 32) * n >> 32


class Node:
    def __init__(self, action: int | None = None) -> None:
        self.action = action
        self.visits, self.mean = 0, 0.0  # results are for player 0
        self.shared_visits, self.shared_mean = 0, 0.0  # RAVE's n~ and Q~
        self.children: list[Node] = []
        self.branches = 0  # children there can be
        self.proof = 0


class Game:
    """One simulated game: its state, who played what in it, and the wins of both players."""

    def __init__(self, game: Any, state: Any, heavy: bool) -> None:
        self.game, self.state, self.heavy = game, state.copy(), heavy
        self.record: list[tuple[int, int]] = []
        self.wins: list[list[int]] = [[], []]
        if heavy:
            out = np.zeros(game.actions(), np.int32)
            self.wins = [out[: game.wins(self.state, player, out)].tolist() for player in (0, 1)]
            self.check_wins()

    def copy(self) -> Game:
        other = Game(self.game, self.state, False)
        other.heavy, other.record, other.wins = self.heavy, list(self.record), [list(wins) for wins in self.wins]
        return other

    def play(self, action: int) -> None:
        self.record.append((int(self.game.player(self.state)), action))
        self.game.play(self.state, action)
        if self.heavy and not self.game.over(self.state):
            for player, wins in enumerate(self.wins):
                out = np.zeros(self.game.actions(), np.int32)
                out[: len(wins)] = wins
                self.wins[player] = out[: self.game.wins_after(self.state, action, player, out, len(wins))].tolist()
            self.check_wins()

    def check_wins(self) -> None:
        for player, wins in enumerate(self.wins):
            assert sorted(wins) == winning(self.game, self.state, player)


def winning(game: Any, state: Any, player: int) -> list[int]:
    """The actions that would win at once if the player were to move, found by playing each on a copy."""
    found = []
    for action in rules.legal(game, state):
        then = state.copy()
        if game.player(state) != player:
            then[PLIES[type(game).__name__]] += 1  # as if the other one had passed
        game.play(then, action)
        if game.over(then) and game.score(then) == 1 - 2 * player:
            found.append(action)
    return found


class UCT:
    """The textbook, with the options of the kernel."""

    def __init__(self, game: Any, state: Any, spec: str, seed: int) -> None:
        agent: Any = agents.make(spec)
        self.game, self.state, self.options = game, state, agent.kernel_options()
        self.heavy = agent.rollout == "win-block"
        self.owner = 1 - 2 * int(game.player(state))  # the rewards are those of who searches
        self.stream = Stream(seed)
        self.root = Node()

    def run(self, simulations: int) -> int:
        """Simulate so often, or until the root is proven; return how often."""
        for done in range(simulations):
            if self.root.proof:
                return done
            self.simulate()
        return simulations

    def simulate(self) -> None:
        at = Game(self.game, self.state, self.heavy)
        path = self.descend(at)
        result, record = self.evaluate(path[-1], at)
        for depth in reversed(range(len(path))):
            node = path[depth]
            if depth < len(path) - 1:
                node.proof = proven(node, at.record[depth][0])
            node.visits += 1
            node.mean += (result - node.mean) / node.visits
        self.share(path, record, result)

    def share(self, path: list[Node], record: list[tuple[int, int]], result: float) -> None:
        """UCT tells no other children."""

    def descend(self, at: Game) -> list[Node]:
        """Walk to a new node, to a proven one or to the end of the game; return the path."""
        path = [self.root]
        while not self.game.over(at.state):
            node = path[-1]
            mover = int(self.game.player(at.state))
            child = self.chance_child(node, at) if mover == CHANCE else self.choose(node, at, 1 - 2 * mover)
            path.append(child)
            at.play(child.action)
            if child.visits == 0 or child.proof:
                break
        return path

    def choose(self, node: Node, at: Game, sign: int) -> Node:
        actions = rules.legal(self.game, at.state)
        if len(node.children) < len(actions):
            self.expand(node, actions)
            return node.children[0] if self.options["expand_all"] else node.children[-1]
        return self.select(node, sign)

    def expand(self, node: Node, actions: list[int]) -> None:
        node.branches = len(actions)
        if not self.options["expand_all"]:
            untried = [action for action in actions if action not in [child.action for child in node.children]]
            node.children.append(Node(untried[self.stream.below(len(untried))]))
            return
        while actions:
            i = self.stream.below(len(actions))
            node.children.append(Node(actions[i]))
            actions[i] = actions[0]
            actions.pop(0)

    def chance_child(self, node: Node, at: Game) -> Node:
        outcome = self.drawn(at.state)
        for child in node.children:
            if child.action == outcome:
                return child
        node.branches = len(rules.outcomes(self.game, at.state))
        node.children.append(Node(outcome))
        return node.children[-1]

    def drawn(self, state: Any) -> int:
        outcomes = rules.outcomes(self.game, state)
        x = self.stream.below(2**31) / 2**31
        for outcome, probability in outcomes[:-1]:
            x -= probability
            if x < 0:
                return outcome
        return outcomes[-1][0]

    def select(self, node: Node, sign: int) -> Node:
        """The first unvisited child, else the one with the highest Q + c sqrt(ln N / n)."""
        for child in node.children:
            if child.visits == 0:
                return child
        total = self.root.visits if self.options["count_root"] else node.visits
        return max(node.children, key=lambda child: bound(child, sign, sign * child.mean, self.options["c"], total))

    def evaluate(self, leaf: Node, at: Game) -> tuple[float, list[tuple[int, int]]]:
        """The mean reward of the roll-outs, for player 0, and who played what in the last of them."""
        options, end = self.options, at
        if options["solve"] and self.game.over(at.state) and abs(self.game.score(at.state)) == 1:
            leaf.proof = int(self.game.score(at.state))
        total = 0.0
        for _ in range(options["rollouts"]):
            end = at.copy()
            score = self.owner * (leaf.proof or self.rollout(end))
            extreme = options["win"] if score > 0 else options["loss"]
            reward = options["draw"] + abs(score) * (extreme - options["draw"])
            total += self.owner * reward * math.pow(options["discount"], len(end.record))
        return total / options["rollouts"], end.record

    def rollout(self, at: Game) -> float:
        game, state = self.game, at.state
        candidates: list[int] = []
        while not game.over(state):
            mover = int(game.player(state))
            if mover == CHANCE:
                at.play(self.drawn(state))
                candidates = []
                continue
            wins = at.wins[mover] or at.wins[1 - mover]
            if wins:
                at.play(wins[self.stream.below(len(wins))])
                continue
            if not candidates or not rules.gives(game, "still"):
                candidates = rules.legal(game, state)
            i = self.stream.below(len(candidates))
            action = candidates[i]
            if action in rules.legal(game, state):
                at.play(action)
            if action not in rules.legal(game, state):
                candidates[i] = candidates[-1]
                candidates.pop()
        return float(game.score(state))


class RAVE(UCT):
    """MC-RAVE: (1 - b) Q + b Q~ in place of Q."""

    def share(self, path: list[Node], record: list[tuple[int, int]], result: float) -> None:
        """A child learns from every game in which its player played its action at the parent or later."""
        for depth, node in enumerate(path[:-1]):
            mover = record[depth][0]
            for child in node.children:
                if mover != CHANCE and (mover, child.action) in record[depth:]:
                    child.shared_visits += 1
                    child.shared_mean += (result - child.shared_mean) / child.shared_visits

    def select(self, node: Node, sign: int) -> Node:
        """The first child of which nothing is known (unvisited, if c > 0), else the one with the best mixture."""
        c, k, bias = (self.options[name] for name in ("c", "equivalence", "bias"))
        best, best_score = node.children[0], -math.inf
        for child in node.children:
            n, m = child.visits, child.shared_visits
            if n == 0 and (m == 0 or c > 0):
                return child
            b = 1.0 if n == 0 else 0.0
            if n and m:
                b = math.sqrt(k / (3 * node.visits + k)) if k else m / (n + m + 4 * n * m * bias * bias)
            mixture = sign * ((1 - b) * child.mean + b * child.shared_mean)
            score = bound(child, sign, mixture, c, node.visits) if n else mixture
            if score > best_score:
                best, best_score = child, score
        return best


def bound(child: Node, sign: int, q: float, c: float, total: int) -> float:
    """Q + c sqrt(ln N / n); a proven child is worth all or nothing."""
    if child.proof:
        return sign * child.proof * math.inf
    bonus = c * math.sqrt(math.log(total)) * (1 / math.sqrt(child.visits))  # the kernel's last bit decides ties
    assert math.isclose(bonus, c * math.sqrt(math.log(total) / child.visits))
    return q + bonus


def proven(node: Node, mover: int) -> int:
    """Won if one action wins, lost if all of them lose; chance proves nothing."""
    if mover == CHANCE:
        return 0
    proofs, good = [child.proof for child in node.children], 1 - 2 * mover
    return good if good in proofs else -good if proofs.count(-good) == node.branches else 0


def twin(game: Any, state: Any, spec: str, seed: int) -> UCT:
    """The naive search of a spec."""
    return (RAVE if spec.startswith("rave") else UCT)(game, state, spec, seed)


def held(node: Node, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple]:
    """Visits, proof, value (unless proven), n~ and Q~ of every node, by the actions that lead there."""
    mean = None if node.proof else node.mean
    found = {path: (node.visits, node.proof, mean, node.shared_visits, node.shared_mean)}
    for child in node.children:
        found |= held(child, (*path, child.action))
    return found
