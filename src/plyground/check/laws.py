"""The laws, one function each: it raises Breach if a state of a game breaks the law."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..rules import CHANCE, SHAPES, after, gives, legal, new, outcomes, winning
from .played import Breach, Played


def fits(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if not isinstance(game.over(state), (bool, int, np.bool_, np.integer)):
        raise Breach(f"over is True or False, not {game.over(state)!r} {where}")
    if game.over(state) or game.alone():
        score = game.score(state)
        most, kind = (sys.float_info.max, "that is finite") if game.alone() else (1, "from -1 to 1")
        if not (isinstance(score, (int, float, np.number)) and -most <= score <= most):
            raise Breach(f"score is a number {kind}, not {score!r} {where}")
    seats = (0,) if game.alone() else (0, 1)
    if not game.over(state) and game.player(state) not in (*seats, CHANCE):
        raise Breach(f"player is {', '.join(map(str, seats))} or {CHANCE}, not {game.player(state)} {where}")


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


def threats_stand(game: Any, one: Played, ply: int) -> None:
    """Alpha-beta answers a threat at once, and gives up against two: nothing else may take one away."""
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state):
        return
    mover = int(game.player(state))
    threats, choices = winning(game, state, 1 - mover), legal(game, state)
    if not threats or actual_wins(game, state):
        return
    for threat in threats[:2]:
        if threat not in choices:
            raise Breach(f"{game.name(threat)} would win for player {1 - mover} {where}; player {mover} cannot play it")
        for action in choices:
            end = after(game, state, action)
            if action == threat:
                continue
            if not game.over(end) and game.player(end) != mover and threat in legal(game, end):
                game.play(end, threat)
            if not game.over(end) or game.score(end) != 2 * mover - 1:
                raise Breach(
                    f"{game.name(threat)} would win for player {1 - mover} {where}, but not after {game.name(action)}"
                )


def forces(game: Any, state: Any, player: int, plies: int) -> bool:
    """Can the player force a win within so many plies?"""
    if game.over(state) or plies == 0:
        return bool(game.over(state) and game.score(state) == 1 - 2 * player)
    mover = game.player(state)
    actions = [a for a, _ in outcomes(game, state)] if mover == CHANCE else legal(game, state)
    found = (forces(game, after(game, state, action), player, plies - 1) for action in actions)
    return any(found) if mover == player else all(found)


def hopes_right(game: Any, one: Played, ply: int) -> None:
    """Look a little ahead: against bad play even the hopeless may win, so the games played tell nothing."""
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.player(state) == CHANCE:
        return
    for player in range(2):
        if not game.hope(state, player) and forces(game, state, player, 3 if len(legal(game, state)) <= 6 else 1):
            raise Breach(f"hope says that player {player} cannot force a win {where}, but it can")


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


def result(game: Any, state: Any, action: int) -> Any:
    """The score to which an action leads if it ends the game; what it adds to that of one who plays alone."""
    end = after(game, state, action)
    if game.alone():
        return bool(game.over(end)), game.score(end) - game.score(state)
    return game.score(end) if game.over(end) else None


def alike(game: Any, played: list[Played]) -> None:
    """A table of positions takes those of equal encoding and player to move for one and the same."""
    seen: dict[Any, tuple[Any, str]] = {}
    for one in played:
        for ply, state in enumerate(one.states):
            where = one.where(game, ply)
            if game.over(state) or game.player(state) == CHANCE:
                continue
            key = int(game.player(state)), encoded(game, state).tobytes()
            twin, there = seen.setdefault(key, (state, where))
            if twin.tobytes() == state.tobytes():
                continue
            if set(legal(game, twin)) != set(legal(game, state)):
                raise Breach(f"the position {where} is encoded like that {there}, but other actions are legal")
            for action in legal(game, state):
                if result(game, state, action) != result(game, twin, action):
                    told = f"but {game.name(action)} leads to another end"
                    raise Breach(f"the position {where} is encoded like that {there}, {told}")


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


def drawn(game: Any, one: Played, ply: int) -> None:
    """What a page draws fits together."""
    state, board, where = one.states[ply], game.board(), one.where(game, ply)
    if board.get("shape") not in SHAPES:
        raise Breach(f"the shape of a board is one of {', '.join(SHAPES)}, not {board.get('shape')!r}")
    size = board["rows"] * board["cols"]
    cells = list(game.cells(state))
    most = 9 if board["shape"] == "well" else 3
    if len(cells) != size or not set(cells) <= set(range(-1, most + 1)):
        raise Breach(f"cells gives {len(cells)} values {where}; it is {size} of -1 to {most}")
    if not game.over(state) and game.player(state) != CHANCE:
        for action in legal(game, state):
            if not set(game.where(state, action)) <= set(range(size)):
                raise Breach(f"where places {game.name(action)} off the board {where}")
