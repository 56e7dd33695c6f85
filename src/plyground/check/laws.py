"""The laws, one function each: it raises Breach if a state of a game breaks the law."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..rules import CHANCE, after, gives, legal, new, winning
from . import answers
from .answers import outcomes, truth
from .breach import Breach
from .played import Played

RANDOM = {"random", "default_rng", "choice", "randint", "randrange", "shuffle"}  # names of what draws numbers


def fits(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.alone():
        score = game.score(state)
        most, kind = (sys.float_info.max, "that is finite") if game.alone() else (1, "from -1 to 1")
        if not (isinstance(score, (int, float, np.number)) and -most <= score <= most):
            raise Breach("score", f"score is a number {kind}, not {score!r} {where}")
        if score == 0 and game.over(state) and game.decisive():
            raise Breach("decisive", f"decisive says that no game is drawn, but the score is 0 {where}")
    if not game.over(state):
        answers.mover(game, state, where)


def pure(game: Any, one: Played, ply: int) -> None:
    where = one.where(game, ply)
    over = game.over(one.states[ply].copy())
    nature = not over and game.player(one.states[ply].copy()) == CHANCE
    for rule in ("over", "score") if over else ("over", "player", "chance" if nature else "legal"):
        state = one.states[ply].copy()
        if rule == "legal":
            legal(game, state)
        elif rule == "chance":
            outcomes(game, state, where)
        else:
            getattr(game, rule)(state)
        if state.tobytes() != one.states[ply].tobytes():
            raise Breach(rule, f"{rule} changes the state {where}")
    if (
        ply < len(one.actions)
        and after(game, one.states[ply], one.actions[ply]).tobytes() != one.states[ply + 1].tobytes()
    ):
        why = "the state does not hold everything"
        if draws(game):
            why = "it draws random numbers; let `player` be -1 there and `chance` tell the outcomes (docs/rules.md)"
        raise Breach("play", f"play does something else the second time {where}: {why}")


def draws(game: Any) -> bool:
    """Does `play` name a source of random numbers?"""
    code = getattr(getattr(type(game), "play", None), "__code__", None)
    return code is not None and not RANDOM.isdisjoint({*code.co_names, *code.co_varnames})


def named(game: Any, one: Played, ply: int) -> None:
    if ply:
        return
    names = [game.name(action) for action in range(game.actions())]
    for action, name in enumerate(names):
        if not isinstance(name, str) or len(name.split()) != 1 or name != name.lower():
            raise Breach("name", f"the name of action {action} is {name!r}, not one word in small letters")
    if len(set(names)) < len(names):
        raise Breach("name", f"two actions have the name {max(names, key=names.count)!r}")


def chances(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if not game.over(state) and game.player(state) == CHANCE:
        weights = [weight for _, weight in outcomes(game, state, where)]
        if min(weights) <= 0 or abs(sum(weights) - 1) > 1e-9:
            raise Breach("chance", f"the probabilities {where} are {weights}: not positive, or not 1 in sum")


def shrinking(game: Any, one: Played, ply: int) -> None:
    """`still` must name the legal actions among those of the first choice, and no others may appear."""
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.player(state) == CHANCE:
        return
    first = next(s for s in one.states if game.player(s) != CHANCE)
    now, once = set(legal(game, state)), set(legal(game, first))
    if not now <= once:
        raise Breach("still", f"{game.name(min(now - once))} is legal {where} but was not at the first choice")
    for action in once:
        says = truth("still", game.still(state, action), where)
        if says != (action in now):
            raise Breach("still", f"still says {says} of {game.name(action)} {where}, legal does not")


def actual_wins(game: Any, state: Any) -> set[int]:
    """The actions that end the game as won for the player to move."""
    mine = 1 - 2 * game.player(state)
    ends = ((action, after(game, state, action)) for action in legal(game, state))
    return {action for action, end in ends if game.over(end) and game.score(end) == mine}


def wins_right(game: Any, one: Played, ply: int) -> None:
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.player(state) == CHANCE or ply % 3:
        return
    wins = answers.listed(game, state, "wins", where, int(game.player(state)))
    if len(set(wins)) < len(wins) or set(wins) != actual_wins(game, state):
        right = sorted(game.name(a) for a in actual_wins(game, state))
        raise Breach("wins", f"wins lists {[game.name(a) for a in wins]} {where}; playing finds {right}")


def wins_after_right(game: Any, one: Played, ply: int) -> None:
    if ply == 0 or game.over(one.states[ply]):
        return
    for player in range(2):
        out = np.zeros(game.actions(), np.int32)
        before = winning(game, one.states[ply - 1], player)
        out[: len(before)] = before
        count = game.wins_after(one.states[ply], one.actions[ply - 1], player, out, len(before))
        where = one.where(game, ply)
        answers.counted(game, "wins_after", count, where)
        right = winning(game, one.states[ply], player)
        if sorted(out[:count].tolist()) != sorted(right):
            found = out[:count].tolist()
            raise Breach("wins_after", f"wins_after of player {player} {where} is {found}, wins is {right}")


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
            told = f"{game.name(threat)} would win for player {1 - mover} {where}; player {mover} cannot play it"
            raise Breach("wins", told)
        for action in choices:
            end = after(game, state, action)
            if action == threat:
                continue
            if not game.over(end) and game.player(end) != mover and threat in legal(game, end):
                game.play(end, threat)
            if not game.over(end) or game.score(end) != 2 * mover - 1:
                told = f"{game.name(threat)} would win for player {1 - mover} {where}"
                raise Breach("wins", f"{told}, but not after {game.name(action)}")


def forces(game: Any, state: Any, player: int, plies: int) -> bool:
    """Can the player force a win within so many plies?"""
    if game.over(state) or plies == 0:
        return bool(game.over(state) and game.score(state) == 1 - 2 * player)
    mover = game.player(state)
    actions = [a for a, _ in outcomes(game, state, "")] if mover == CHANCE else legal(game, state)
    found = (forces(game, after(game, state, action), player, plies - 1) for action in actions)
    return any(found) if mover == player else all(found)


def hopes_right(game: Any, one: Played, ply: int) -> None:
    """Look a little ahead: against bad play even the hopeless may win, so the games played tell nothing."""
    state, where = one.states[ply], one.where(game, ply)
    if game.over(state) or game.player(state) == CHANCE:
        return
    for player in range(2):
        hope = truth("hope", game.hope(state, player), where)
        if not hope and forces(game, state, player, 3 if len(legal(game, state)) <= 6 else 1):
            raise Breach("hope", f"hope says that player {player} cannot force a win {where}, but it can")


def texts(game: Any, one: Played, ply: int) -> None:
    text = game.text(one.states[ply])
    if not isinstance(text, str):
        raise answers.wrong("text", "a text", text, one.where(game, ply))
    if not text.strip():
        raise Breach("text", f"text is empty {one.where(game, ply)}")


def diagrams(game: Any, one: Played, ply: int) -> None:
    line = game.diagram(one.states[ply])
    if not isinstance(line, str) or "\n" in line:
        raise answers.wrong("diagram", "one line of text", line, one.where(game, ply))
    back = game.read(line)
    if getattr(back, "dtype", None) != one.states[ply].dtype:
        raise answers.wrong("read", "a state: fill `rules.blank(game)`", back, one.where(game, ply))
    if found := differing(back, one.states[ply]):
        told = f"the diagram {line!r} {one.where(game, ply)} does not give the state back"
        raise Breach("read", f"{told}: {found[0]}, not {found[1].rpartition(' ')[2]}")


def differing(one: Any, other: Any) -> tuple[str, str] | None:
    """The first field in which two states differ, with its value in both."""
    for name in other.dtype.names:
        here, there = np.atleast_1d(one[name]), np.atleast_1d(other[name])
        if here.tobytes() != there.tobytes():
            at = np.argwhere(here != there)[0].tolist()
            index = "" if other[name].ndim == 0 else str(at)
            return f"{name}{index} = {here[*at]}", f"{name}{index} = {there[*at]}"
    return None


def encoded(game: Any, state: Any) -> np.ndarray:
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    return planes


def encodings(game: Any, one: Played, ply: int) -> None:
    answers.planes(game)
    if not np.isfinite(encoded(game, one.states[ply])).all():
        raise Breach("encode", f"encode writes finite numbers, not so {one.where(game, ply)}")


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
                told = f"the position {where} is encoded like that {there}, but other actions are legal"
                raise Breach("encode", told)
            for action in legal(game, state):
                if result(game, state, action) != result(game, twin, action):
                    told = f"but {game.name(action)} leads to another end"
                    raise Breach("encode", f"the position {where} is encoded like that {there}, {told}")


def symmetric(game: Any, played: list[Played]) -> None:
    """Play each game as it is seen under every symmetry."""
    _, height, width = answers.planes(game) if gives(game, "encode", "planes") else (0, 0, 0)
    found = answers.symmetries(game, height * width or None)
    if not found or any((part != np.arange(part.size)).any() for part in found[0]):
        raise Breach("symmetries", "the first symmetry is not the identity")
    encodes = gives(game, "encode", "planes")
    for one in played[:5]:
        seen = [(legal(game, there), encoded(game, there) if encodes else None) for there in one.states[:-1]]
        for number, (actions, cells) in enumerate(found):
            state = new(game)
            for ply, action in enumerate(one.actions):
                allowed, planes = seen[ply]
                if set(legal(game, state)) != {int(actions[a]) for a in allowed}:
                    told = f"maps legal actions to others {one.where(game, ply)}"
                    raise Breach("symmetries", f"symmetry {number} {told}")
                if planes is not None:
                    moved = np.zeros_like(planes).reshape(len(planes), -1)
                    moved[:, cells] = planes.reshape(len(planes), -1)
                    if (moved.reshape(planes.shape) != encoded(game, state)).any():
                        told = f"does not fit the encoding {one.where(game, ply)}"
                        raise Breach("symmetries", f"symmetry {number} {told}")
                game.play(state, int(actions[action]))
            if not game.over(state) or game.score(state) != game.score(one.states[-1]):
                moves = " ".join(game.name(a) for a in one.actions[-12:])
                raise Breach("symmetries", f"symmetry {number} changes the result of {moves}")


def drawn(game: Any, one: Played, ply: int) -> None:
    """What a page draws fits together."""
    state, where = one.states[ply], one.where(game, ply)
    shape, size = answers.board(game)
    most = 9 if shape == "well" else 3
    cells = answers.numbers("cells", game.cells(state), f"{size} numbers, one for each cell", where)
    if len(cells) != size or not set(cells) <= set(range(-1, most + 1)):
        odd = "" if len(cells) != size else f", {next(c for c in cells if not -1 <= c <= most)} among them"
        raise Breach("cells", f"cells gives {len(cells)} values{odd} {where}; it is {size} of -1 to {most}")
    if gives(game, "glyphs"):
        answers.glyphs(game.glyphs(state), size, where)
    if not isinstance(caption := game.caption(state), str) or "\n" in caption:
        raise answers.wrong("caption", "a text of one line", caption, where)
    on_board = set(range(size))
    if game.over(state):
        if gives(game, "row") and not set(answers.numbers("row", game.row(state), "cells", where)) <= on_board:
            raise Breach("row", f"row names cells off the board {where}; they are 0 to {size - 1}")
    elif gives(game, "where") and game.player(state) != CHANCE:
        for action in legal(game, state):
            found = answers.numbers("where", game.where(state, action), "cells", f"of {game.name(action)} {where}")
            if not set(found) <= on_board:
                told = f"where places {game.name(action)} off the board {where}: {found}; cells are 0 to {size - 1}"
                raise Breach("where", told)


def counts_left(game: Any, one: Played, ply: int) -> None:
    left = game.left(one.states[ply])
    if not answers.whole(left) or left < 0:
        raise answers.wrong("left", "how many cells are free", left, one.where(game, ply))


def in_the_middle(game: Any) -> None:
    found = answers.numbers("middle", game.middle(), "actions", "")
    if not set(found) <= set(range(game.actions())):
        raise Breach("middle", f"middle lists {found}; actions are 0 to {game.actions() - 1}")
