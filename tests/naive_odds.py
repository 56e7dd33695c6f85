"""Odds by the definition: every way to play on, every strategy one by one."""

from fractions import Fraction
from itertools import product

import toys
from plyground import agents, rules
from plyground.exact import odds


def seat(name):
    """An agent where there is one of this name, else the name."""
    return agents.make(name) if name in agents.registry() else name


def found(name, first, second, diagram="", **options):
    """What Plyground finds."""
    game = toys.make(name)
    state = game.read(diagram) if diagram else rules.new(game)
    return odds.distribution(game, state, first, second, **options)


def enumerated(game, state, policies):
    """The odds by the definition: every way to play on, without a memo.  Each policy tells {action: probability}."""
    if game.over(state):
        return {float(game.score(state)): Fraction(1)}
    if game.player(state) == rules.CHANCE:
        branches = {a: Fraction(round(p * 3600), 3600) for a, p in rules.outcomes(game, state)}
    else:
        branches = policies[game.player(state)](state)
    total = {}
    for action, p in branches.items():
        for score, q in enumerated(game, rules.after(game, state, action), policies).items():
            total[score] = total.get(score, 0) + p * q
    return total


def policy(game, name):
    """The policies of fixed seats, from what the agents say, and from minimax by its definition."""

    def choose(state):
        if name == "optimal":
            thens = {a: toys.exact(game, rules.after(game, state, a)) for a in rules.legal(game, state)}
            best = (max if game.player(state) == 0 else min)(thens.values())
            actions = [a for a, value in thens.items() if abs(value - best) < 1e-9]
        else:
            actions = agents.make(name).choices(game, state)
        return {a: Fraction(1, len(actions)) for a in actions}

    return choose


def strategies(game, state, player):
    """Every way in which a player can settle what to do in each position: {bytes of the state: action}."""
    places = {}

    def visit(at):
        if game.over(at):
            return
        chance = game.player(at) == rules.CHANCE
        actions = [a for a, _ in rules.outcomes(game, at)] if chance else rules.legal(game, at)
        if game.player(at) == player:
            places[at.tobytes()] = actions
        for action in actions:
            visit(rules.after(game, at, action))

    visit(state)
    for choice in product(*places.values()):
        yield dict(zip(places, choice, strict=True))


def best_of_all_strategies(game, state, player, other, name):
    results = []
    for strategy in strategies(game, state, player):
        policies = [other, other]
        policies[player] = lambda at, strategy=strategy: {strategy[at.tobytes()]: Fraction(1)}
        win, _, loss = odds.chances(enumerated(game, state, policies), player)
        results.append((win, -loss) if name == "most-wins" else (-loss, win))
    return max(results)
