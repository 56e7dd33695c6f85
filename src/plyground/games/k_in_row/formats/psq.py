"""PSQ, the files of Piskvork and of Gomocup.

A header with the size of the board and who moved first (0: the player who is named first), the moves as
`x,y,milliseconds` counted from 1, the names of the players, a number that says how the game ended, and in
Gomocup's files a line with the winner (1, 2; 0 a draw) and the rule.  A reason, if there is one, comes last.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ....game_files import Saved
from ....spec import InputError
from .played import checked, loss_of_mover, rule_name, spec_of, stones_in_a_row

HEADER = re.compile(r"\s*Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})\s*(?:,\s*\d+\s*:\s*\d+\s*(?:,\s*(\d+))?)?", re.I)
MOVE = re.compile(r"(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(-?\d{1,12}))?")
END = re.compile(r"([012?])\s*,\s*(\D.*|\d+ in a row.*)")
DONE, UNDECIDED, FORFEITED, TIMED_OUT = 0, -1, -2, 15  # Piskvork's numbers for how a game ended


def text(saved: Saved) -> str:
    """The file of a game."""
    saved = checked(saved)
    game = stones_in_a_row(saved)
    times = [round(1000 * seconds) for seconds in saved.seconds] or [0] * len(saved.actions)
    winner = "?" if saved.score is None else {1: "1", 0: "0", -1: "2"}[int(saved.score)]
    code = UNDECIDED if saved.score is None else FORFEITED if saved.reason else DONE
    moves = zip(saved.actions, times, strict=True)
    lines = [
        f"Piskvorky {game.m}x{game.n}, 11:11, 0",
        *(f"{action % game.m + 1},{action // game.m + 1},{time}" for action, time in moves),
        *(_line(name) for name in saved.players),
        str(code),
        f"{winner},{rule_name(game)}",
        *([" ".join(saved.reason.split())] if saved.reason else []),
    ]
    return "\n".join(lines) + "\n"


def _line(name: str) -> str:
    """A name that is not taken for a move or a number."""
    name = " ".join(name.split()) or "?"
    return f"({name})" if re.fullmatch(r"[-\d,\s]+", name) else name


def parse(text: str) -> Saved:
    """The game of a file."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    header = HEADER.match(lines[0]) if lines else None
    if not header:
        raise InputError("a PSQ file begins with a line like `Piskvorky 15x15, 11:11, 0`")
    cols, rows = int(header[1]), int(header[2])
    moves = []
    for line in lines[1:]:
        found = MOVE.fullmatch(line)
        if not found:
            break
        moves.append(found.groups())
    actions = [_cell(x, y, number, cols, rows) for number, (x, y, _) in enumerate(moves, 1)]
    seconds = [max(int(time or 0), 0) / 1000 for _, _, time in moves]
    rest = lines[1 + len(moves) :]
    players = ("", "")
    if len(rest) >= 2 and not re.fullmatch(r"-?\d+", rest[0]):
        players = ("" if rest[0] == "?" else rest[0], "" if rest[1] == "?" else rest[1])
        rest = rest[2:]
    if header[3] == "1":  # the player who is named second moved first
        players = players[1], players[0]
    score, rule, reason = _end(rest, len(actions))
    saved = Saved(spec_of(cols, rows, rule), actions, players, score, seconds if any(seconds) else [], reason)
    try:
        return checked(saved)
    except InputError:
        if rule or cols != rows:
            raise
    return checked(replace(saved, game=spec_of(cols, rows, "Standard")))  # Piskvork names no rule


def _cell(x: str, y: str, number: int, cols: int, rows: int) -> int:
    if not (1 <= int(x) <= cols and 1 <= int(y) <= rows):
        raise InputError(f"move {number}, {x},{y}, is not on the board of {cols} x {rows}")
    return (int(y) - 1) * cols + int(x) - 1


def _end(lines: list[str], moves: int) -> tuple[float | None, str, str]:
    """Score, rule and reason by the lines after the names.

    A game without a row that somebody has won was lost by the player to move: Gomocup's files give the winner
    there by the order of the pairing, not of the seats.
    """
    code = UNDECIDED
    if lines and re.fullmatch(r"-?\d{1,6}", lines[0]):
        code = int(lines[0])
        lines = lines[1:]
    end = END.fullmatch(lines[0]) if lines else None
    winner, rule = (end[1], end[2]) if end else ("", "")
    reason = lines[1] if end and len(lines) > 1 and code == FORFEITED else ""
    if winner == "0" or (not winner and code == DONE):
        return 0.0, rule, ""
    if winner in ("1", "2"):
        if code == FORFEITED:
            return (1.0 if winner == "1" else -1.0), rule, reason or "forfeited"
        return loss_of_mover(moves), rule, "forfeited"
    if code in (FORFEITED, TIMED_OUT):
        return loss_of_mover(moves), rule, "out of time" if code == TIMED_OUT else "forfeited"
    return None, rule, ""
