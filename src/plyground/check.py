"""The conformance check: does a game keep the laws of `rules`?

The rules run interpreted first, over random games, so that a slip gives a clear error and not a crash of
compiled code; then the same games are played by the compiled rules and compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import typeof

from .rules import CHANCE, LONGEST, after, dtype, gives, kernel, legal, new, outcomes, reason, winning


class Breach(Exception):
    """A law is broken; the message says how, in one line."""


@dataclass
class Played:
    """One random game: its states, and the action that was played in each but the last."""

    states: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)

    def where(self, game: Any, ply: int) -> str:
        """The moves that led to a state."""
        names = [str(game.name(a)) for a in self.actions[:ply]]
        return "at the start" if not names else f"after {' '.join(names[-12:])}{' (last 12)' * (len(names) > 12)}"


def check(game: Any, games: int = 20, seed: int = 0, compiled: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (law, breach) for every law that applies, the breach being empty if the law holds."""
    rng = np.random.default_rng(seed)
    played: list[Played] = []

    def play_games() -> None:
        actions = game.actions()
        if type(actions) is not int or not 1 <= actions <= 32767:
            raise Breach(f"actions is a whole number from 1 to 32767, not {actions!r}")
        taken = sorted(set(dtype(game).names or ()) & set(dir(np.record)))
        if taken:
            raise Breach(f"a field cannot be called {taken[0]}: NumPy's records have a method of that name")
        if dtype(game).hasobject:
            raise Breach("fields are numbers of a fixed size, not Python objects")
        for _ in range(games):
            played.append(random_game(game, rng))

    laws: list[tuple[str, Callable[[], None]]] = [("random games run to an end", play_games)]

    def law(name: str, test: Callable[[Any, Played, int], None], *needs: str) -> None:
        if gives(game, *needs):
            laws.append((name, lambda: on_every_state(game, played, test)))

    law("player, over and score fit together", fits)
    law("asking changes nothing, and a copy plays alike", pure)
    law("names are single words, one for each action", named)
    law("chance outcomes have probabilities that add up to 1", chances, "chance")
    law("still agrees with legal, and no action comes back", shrinking, "still")
    law("wins are the actions that win at once", wins_right, "wins")
    law("wins_after agrees with wins", wins_after_right, "wins", "wins_after")
    law("text is for people", texts)
    law("read gives back what diagram wrote", diagrams, "read", "diagram")
    law("encode fills planes of the promised shape", encodings, "encode", "planes")
    if gives(game, "symmetries"):
        laws.append(("symmetries leave the rules unchanged", lambda: symmetric(game, played)))
    if compiled:
        laws.append(("compiled and interpreted rules agree", lambda: compiled_alike(game, played)))
    for name, test in laws:
        try:
            test()
        except Breach as breach:
            yield name, str(breach)
            if test in (play_games,):
                return
        except Exception as error:
            yield name, f"{type(error).__name__}: {' '.join(str(error).split())}"
            if test in (play_games,):
                return
        else:
            yield name, ""


def on_every_state(game: Any, played: list[Played], test: Callable[[Any, Played, int], None]) -> None:
    for one in played:
        for ply in range(len(one.states)):
            test(game, one, ply)


def asked(rule: str, where: str, function: Callable, *args: Any) -> Any:
    """What a rule answers; what it raises instead is a breach."""
    try:
        return function(*args)
    except Breach:
        raise
    except Exception as error:
        raise Breach(f"{rule} raised {type(error).__name__} {where}: {' '.join(str(error).split())}") from None


def random_game(game: Any, rng: np.random.Generator) -> Played:
    """A random game by the interpreted rules."""
    one = Played()
    state = asked("start", "at the start", new, game)
    while True:
        where = one.where(game, len(one.actions))
        one.states.append(state.copy())
        if asked("over", where, game.over, state):
            return one
        if len(one.actions) == LONGEST:
            raise Breach(f"a random game has not ended after {LONGEST} moves")
        player = asked("player", where, game.player, state)
        if player == CHANCE:
            choices = [a for a, _ in asked("chance", where, outcomes, game, state)]
            rule = "chance"
        else:
            choices = asked("legal", where, legal, game, state)
            rule = "legal"
        if not choices:
            raise Breach(f"{rule} offers nothing {where}, but the game is not over")
        if len(set(choices)) < len(choices):
            raise Breach(f"{rule} offers {max(choices, key=choices.count)} twice {where}")
        if min(choices) < 0 or max(choices) >= game.actions():
            raise Breach(
                f"{rule} offers {min(choices)} to {max(choices)} {where}; actions are 0 to {game.actions() - 1}"
            )
        action = int(rng.choice(choices))
        asked("play", f"on {action} {where}", game.play, state, action)
        one.actions.append(action)


def fits(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if not isinstance(game.over(state), (bool, int, np.bool_, np.integer)):
        raise Breach(f"over is True or False, not {game.over(state)!r} {where}")
    if game.over(state):
        score = game.score(state)
        if not (isinstance(score, (int, float, np.number)) and -1 <= score <= 1):
            raise Breach(f"score is a number from -1 to 1, not {score!r} {where}")
    elif game.player(state) not in (0, 1, CHANCE):
        raise Breach(f"player is 0, 1 or {CHANCE}, not {game.player(state)} {where}")


def pure(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply].copy(), one.where(game, ply)
    if game.over(state):
        game.score(state)
    else:
        game.player(state)
        legal(game, state)
    if state.tobytes() != one.states[ply].tobytes():
        raise Breach(f"player, legal, over or score changes the state {where}")
    if ply < len(one.actions) and after(game, state, one.actions[ply]).tobytes() != one.states[ply + 1].tobytes():
        raise Breach(f"play does something else the second time {where}: the state does not hold everything")


def named(game: Any, one: Played, ply: int) -> None:
    if ply:
        return
    names = [game.name(action) for action in range(game.actions())]
    for action, name in enumerate(names):
        if not isinstance(name, str) or len(name.split()) != 1 or name != name.lower():
            raise Breach(f"the name of action {action} is {name!r}, not one word in small letters")
    if len(set(names)) < len(names):
        raise Breach(f"two actions have the name {max(names, key=names.count)!r}")


def chances(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if not game.over(state) and game.player(state) == CHANCE:
        weights = [weight for _, weight in outcomes(game, state)]
        if min(weights) <= 0 or abs(sum(weights) - 1) > 1e-9:
            raise Breach(f"the probabilities {where} are {weights}: not positive, or not 1 in sum")


def shrinking(game: Any, one: Played, ply: int) -> None:
    """`still` must name the legal actions among those of the first choice, and no others may appear."""
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.player(state) == CHANCE:
        return
    first = next(s for s in one.states if game.player(s) != CHANCE)
    now, once = set(legal(game, state)), set(legal(game, first))
    if not now <= once:
        raise Breach(f"{game.name(min(now - once))} is legal {where} but was not at the first choice")
    for action in once:
        if bool(game.still(state, action)) != (action in now):
            raise Breach(f"still says {bool(game.still(state, action))} of {game.name(action)} {where}, legal does not")


def actual_wins(game: Any, state: Any) -> set[int]:
    """The actions that end the game as won for the player to move."""
    mine = 1 - 2 * game.player(state)
    ends = ((action, after(game, state, action)) for action in legal(game, state))
    return {action for action, end in ends if game.over(end) and game.score(end) == mine}


def wins_right(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.player(state) == CHANCE or ply % 3:
        return
    wins = winning(game, state, int(game.player(state)))
    if len(set(wins)) < len(wins) or set(wins) != actual_wins(game, state):
        right = sorted(game.name(a) for a in actual_wins(game, state))
        raise Breach(f"wins lists {[game.name(a) for a in wins]} {where}; playing finds {right}")


def wins_after_right(game: Any, one: Played, ply: int) -> None:
    if ply == 0 or game.over(one.states[ply]):
        return
    for player in range(2):
        out = np.zeros(game.actions(), np.int32)
        before = winning(game, one.states[ply - 1], player)
        out[: len(before)] = before
        count = game.wins_after(one.states[ply], one.actions[ply - 1], player, out, len(before))
        right = winning(game, one.states[ply], player)
        if sorted(out[:count].tolist()) != sorted(right):
            raise Breach(
                f"wins_after of player {player} {one.where(game, ply)} is {out[:count].tolist()}, wins is {right}"
            )


def texts(game: Any, one: Played, ply: int) -> None:
    if not isinstance(game.text(one.states[ply]), str) or not game.text(one.states[ply]).strip():
        raise Breach(f"text is empty {one.where(game, ply)}")


def diagrams(game: Any, one: Played, ply: int) -> None:
    line = game.diagram(one.states[ply])
    if "\n" in line or game.read(line).tobytes() != one.states[ply].tobytes():
        raise Breach(f"the diagram {line!r} {one.where(game, ply)} does not give the state back")


def encoded(game: Any, state: Any) -> np.ndarray:
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    return planes


def encodings(game: Any, one: Played, ply: int) -> None:
    if len(game.planes()) != 3 or not np.isfinite(encoded(game, one.states[ply])).all():
        raise Breach(f"encode writes finite numbers into three dimensions, not so {one.where(game, ply)}")


def symmetric(game: Any, played: list[Played]) -> None:
    """Play each game as it is seen under every symmetry."""
    found = [(np.asarray(actions), np.asarray(cells)) for actions, cells in game.symmetries()]
    if not found or any((part != np.arange(part.size)).any() for part in found[0]):
        raise Breach("the first symmetry is not the identity")
    for number, (actions, cells) in enumerate(found):
        if sorted(actions.tolist()) != list(range(game.actions())):
            raise Breach(f"symmetry {number} is no permutation of the actions")
        for one in played[:5]:
            state = new(game)
            for ply, action in enumerate(one.actions):
                there, where = one.states[ply], one.where(game, ply)
                if set(legal(game, state)) != {int(actions[a]) for a in legal(game, there)}:
                    raise Breach(f"symmetry {number} maps legal actions to others {where}")
                if gives(game, "encode", "planes"):
                    here, planes = encoded(game, state), encoded(game, there)
                    moved = np.zeros_like(planes).reshape(len(planes), -1)
                    moved[:, cells] = planes.reshape(len(planes), -1)
                    if (moved.reshape(planes.shape) != here).any():
                        raise Breach(f"symmetry {number} does not fit the encoding {where}")
                game.play(state, int(actions[action]))
            if not game.over(state) or game.score(state) != game.score(one.states[-1]):
                raise Breach(
                    f"symmetry {number} changes the result of {' '.join(game.name(a) for a in one.actions[-12:])}"
                )


@kernel
def compiled_start(game, states):
    game.start(states[0])


@kernel
def compiled_facts(game, states, out, facts):
    """Write player, over, number of legal actions and score of a state into `facts`."""
    state = states[0]
    facts[1] = game.over(state)
    if game.over(state):
        facts[3] = game.score(state)
    else:
        facts[0] = game.player(state)
        if game.player(state) >= 0:
            facts[2] = game.legal(state, out)


@kernel
def compiled_play(game, states, action):
    game.play(states[0], action)


def compiled_alike(game: Any, played: list[Played]) -> None:
    try:
        for kernel, more in (
            (compiled_start, ()),
            (compiled_facts, (np.zeros(game.actions(), np.int16), np.zeros(4))),
            (compiled_play, (0,)),
        ):
            kernel.compile((typeof(game), typeof(np.zeros(1, dtype(game))), *map(typeof, more)))
    except Exception as error:
        raise Breach(f"does not compile: {reason(error)}") from None
    for one in played:
        states = np.zeros(1, dtype(game))
        compiled_start(game, states)
        for ply, state in enumerate(one.states):
            where = one.where(game, ply)
            if states.tobytes() != state.tobytes():
                raise Breach(f"the compiled play comes to another state {where}")
            out, facts = np.zeros(game.actions(), np.int16), np.zeros(4)
            compiled_facts(game, states, out, facts)
            over = bool(game.over(state))
            player = 0 if over else int(game.player(state))
            actions = [] if over or player == CHANCE else legal(game, state)
            same = (player, over, len(actions), float(game.score(state)) if over else 0.0)
            if tuple(facts) != same or out[: len(actions)].tolist() != actions:
                raise Breach(f"compiled (player, over, actions, score) {tuple(facts)} {where}, interpreted {same}")
            if ply < len(one.actions):
                compiled_play(game, states, one.actions[ply])
