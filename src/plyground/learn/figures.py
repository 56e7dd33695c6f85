"""What the figures of trainings mean, in a line each: for whoever looks at curves."""

from __future__ import annotations

import re
from collections.abc import Iterable

FIGURES = {
    "wins": "share of the games that the learner wins",
    "draws": "share of the games that end drawn",
    "losses": "share of the games that the learner loses",
    "mistakes": "share of solved positions in which what it plays by gives value away",
    "net_mistakes": "share of solved positions in which the net alone, without a search, gives value away",
    "loss": "what training makes small: how far the net is from what it is taught; of reinforce, its slope alone tells",
    "policy_loss": "the part of the loss that the net's policy has: how far it is from the moves it is taught; "
    "of ppo, minus what it has gained where moves went better than expected",
    "value_loss": "the part of the loss that the net's value has: how far it is from how games ended",
    "explained": "share of the variance of the teacher's value that the net explains, on new positions",
    "same_move": "share of such positions in which its likeliest move is the teacher's",
    "divergence": "how far its policy is from the teacher's there: the Kullback-Leibler divergence, in nats",
    "searched": "share of the variance of what searches found out, at positions that they went through often, "
    "that the net explains by itself; on new ones",
    "actor_loss": "the part of the loss that the policy has",
    "critic_loss": "half the squared error of what the net expects to earn",
    "epsilon": "share of actions in training that are drawn at random",
    "lr": "learning rate of the optimiser",
    "entropy": "how undecided the policy is, in nats; 0: it always plays one move",
    "value": "what the net expects, on average",
    "accuracy": "share of the moves of games it has not seen that the policy net holds for the likeliest",
    "fast_loss": "how far the fast policy is from the moves it is taught: the mean of -log of their probability",
    "fast_accuracy": "the same share for the fast policy of roll-outs",
    "rl_score": "points a game of the improved policy against the first one, a draw counting one half",
    "value_error": "mean squared error of the value net on results of games it has not seen",
    "rollout_error": "the same error of the mean of roll-outs by the fast policy",
    "positions": "positions that the value net will learn from, so far",
    "elo": "strength in Elo points beside the net of the beginning, by games against older selves",
    "plies": "moves of a game, on average",
    "games": "games that ended since the figures before",
    "simulations": "simulations of all searches since the figures before",
    "resigned": "share of the games that were given up before their end",
    "resigned_wrongly": "share of such games, played on to see, that were not lost",
    "lost": "positions that there was no room for",
    "invalid": "actions a game that the learner chose although they were illegal",
    "unfinished": "share of the games that a limit has ended",
    "score": "points of a game, on average",
    "lines": "lines that a game clears, on average",
    "points": "points of a game of self-play, on average",
    "net_points": "points of a game by the net alone, on average",
    "best": "points of the best one of a generation",
    "median": "points of the middle one of a generation",
    "spread": "how far the weights of a generation lie apart",
    "actors": "processes of a cluster that play",
    "actors_lost": "processes of the cluster that were lost so far, and replaced",
    "lag": "rounds between the net that plays and the net that learns from it",
    "measured": "positions that the net had learnt from of which the measured figures beside it tell",
    "seconds": "of training so far",
}
DOES = {"wins": "wins", "losses": "loses"}
OF = {  # what figures begin with that are measured in another way
    "training_": "in games of training, with what they leave to chance",
    "net_": "by the net alone, without a search",
}
AGAINST = re.compile(r"(?P<who>.+)_(?P<seat>first|second)_(?P<what>wins|losses)")


def intervals(names: Iterable[str]) -> set[str]:
    """Those of these figures that are half of the 95 % interval of another one."""
    known = set(names)
    return {name for name in known if name.endswith("_interval") and name.removesuffix("_interval") in known}


def meaning(name: str) -> str:
    """What a figure says; "" if nobody has written that down."""
    if name in FIGURES:
        return FIGURES[name]
    for start, how in OF.items():
        if name.startswith(start) and (same := meaning(name.removeprefix(start))):
            return f"{same}; {how}"
    if found := AGAINST.fullmatch(name):
        return f"share of the games against {found['who']}, moving {found['seat']}, that it {DOES[found['what']]}"
    if name.endswith("_interval"):
        return f"half of the 95 % interval of {name.removesuffix('_interval')}"
    return ""
