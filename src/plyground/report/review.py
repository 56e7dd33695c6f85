"""What is told of a review: the mistakes of a game by what they cost, and every move with what was better."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import atomic, game_files
from ..game_files import Note, Saved
from ..game_review import Review, ReviewedMove
from ..rules import CHANCE
from ..spec import InputError
from ..tables import Table
from .base import Report, flat

PLAYERS = ("first", "second")
LONGEST_LINE = 12  # moves of a line that are told
MARKS = {"inaccuracy": "doubtful", "mistake": "bad", "blunder": "bad"}  # what files of games call such moves
SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}


class ReviewReport(Report):
    """A game with what each of its moves has cost."""

    def __init__(
        self, review: Review, game: str, by: str, start: str = "", players: tuple[str, str] = ("", "")
    ) -> None:
        self.review, self.spec, self.by, self.start, self.players = review, game, by, start, players

    @property
    def mistakes(self) -> list[str]:
        """The moves that cost points, the dearest first: `8. b4`."""
        return [self.numbered(move) for move in self.review.mistakes]

    @property
    def moves(self) -> list[ReviewedMove]:
        return self.review.moves

    @property
    def values(self) -> list[float | None]:
        """What every position is worth to the first player, the start first."""
        return self.review.values

    def name(self, action: int) -> str:
        return str(self.review.game.name(action))

    def numbered(self, move: ReviewedMove) -> str:
        """A move as people write it down: `8. b4`."""
        return f"{move.number + 1}. {self.name(move.action)}"

    def worth(self, value: float | None) -> str:
        """A value as a share of the points, or as points in a game of one player."""
        if value is None:
            return "-"
        return f"{value:g}" if self.review.game.alone() else f"{(value + 1) / 2:.0%}"

    def to_json(self) -> dict[str, Any]:
        found = self.review
        return {
            "game": self.spec,
            "start": self.start,
            "by": self.by,
            "moves": [self.name(action) for action in found.actions],
            "reviewed": self._moves(),
            "values": found.values,
            "mistakes": [move.number for move in found.mistakes],
            "lost": [self.lost(player) for player in (0, 1)],
            "complete": found.complete,
            "problem": found.problem,
            "share": found.done,
            "seconds": found.seconds,
        }

    def rows(self) -> list[dict[str, Any]]:
        return [flat(move) for move in self._moves()]

    def _moves(self) -> list[dict[str, Any]]:
        return [
            {
                "number": move.number,
                "player": move.player,
                "name": self.name(move.action),
                "kind": move.kind,
                "value": move.value,
                "after": move.after,
                "cost": move.cost,
                "best": None if move.best is None else self.name(move.best),
                "line": [self.name(action) for action in move.line[:LONGEST_LINE]],
                "exact": move.exact,
                "good": [self.name(action) for action in move.good],
            }
            for move in self.review.moves
        ]

    def lost(self, player: int) -> float | None:
        """The share of the points that a move of this player has lost on an average; None if none was judged."""
        costs = [move.cost for move in self.review.moves if move.player == player and move.cost is not None]
        return sum(costs) / len(costs) if costs else None

    def parts(self) -> Iterator[str | Table]:
        found = self.review
        judged = [move for move in found.moves if move.cost is not None and move.kind != "forced"]
        exact = sum(move.exact for move in judged)
        by = {"the solver": exact, self.by: len(judged) - exact}
        told = ", ".join(f"{number} judged by {who}" for who, number in by.items() if number) or "none judged"
        yield f"{len(found.moves)} moves, {told}, in {found.seconds:.1f} s"
        if not found.complete:
            yield found.problem or "the time was up before all moves were judged"
        for player, word in enumerate(PLAYERS[: 1 if found.game.alone() else 2]):
            lost = self.lost(player)
            if lost is None:
                continue
            made = [move.kind for move in found.mistakes if move.player == player]
            counts = [(kind, made.count(kind)) for kind in ("blunder", "mistake", "inaccuracy")]
            said = ", ".join(f"{number} {plural(kind, number)}" for kind, number in counts if number)
            yield f"{word} player: {said or 'no mistakes'}; a move loses {lost:.1%} of the points on an average"
        if found.mistakes:
            yield ""
            yield self.table()

    def table(self) -> Table:
        """The mistakes, the dearest first."""
        rows = Table(["move", "player", "kind", "cost", "before", "after", "by", "better"])
        for move in self.review.mistakes:
            better = " ".join(self.name(action) for action in move.line[:LONGEST_LINE])
            by = "solver" if move.exact else "agent"
            cost = f"{move.cost or 0.0:.1%}"
            before, after = self.worth(move.value), self.worth(move.after)
            rows.add(self.numbered(move), PLAYERS[move.player], move.kind, cost, before, after, by, better)
        return rows

    def note(self, move: ReviewedMove) -> Note:
        """What a file says of a move."""
        if move.player == CHANCE or move.cost is None:
            return Note()
        said = f"{self.worth(move.value)} for the {PLAYERS[move.player]} player"
        if not move.bad:
            return Note(said)
        line = move.line[:LONGEST_LINE]
        better = " ".join(self.name(action) for action in line)
        who = "by the solver" if move.exact else f"by {self.by}"
        costs = f"{move.kind} ({SIGNS[move.kind]}), costs {move.cost:.1%} of the points {who}; better: {better}"
        return Note(f"{said}. {costs}", MARKS[move.kind], line)

    def saved(self) -> Saved:
        """The game with its notes, for a file."""
        found = self.review
        must_begin_at_the_start(self.start)
        score = found.values[-1] if found.ended else None
        notes = [self.note(move) for move in found.moves]
        return Saved(self.spec, list(found.actions), self.players, score, notes=notes)

    def save(self, path: str | Path) -> None:
        """Write it into a file: the game with its notes in a format of its family, like .sgf; all figures as .json, for
        any game; or what is printed, as .txt."""
        ending = Path(path).suffix.lower()
        if ending not in (".json", ".txt"):
            return game_files.write(path, self.saved())
        told = json.dumps(self.to_json(), allow_nan=False, indent=1) if ending == ".json" else repr(self)
        try:
            atomic.write(Path(path), f"{told}\n".encode())
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from None

    def _draw(self, axes: Any) -> None:
        """The first player's share of the points from position to position, with the mistakes."""
        found, alone = self.review, bool(self.review.game.alone())
        heights = [None if value is None else value if alone else (value + 1) / 2 for value in found.values]
        known = [(at, value) for at, value in enumerate(heights) if value is not None]
        axes.plot([at for at, _ in known], [value for _, value in known], color="#1f5fa8", linewidth=1.5)
        for move in found.mistakes:
            if (height := heights[move.number + 1]) is not None:
                axes.plot([move.number + 1], [height], marker="o", color="#c0492f")
                axes.annotate(
                    self.name(move.action), (move.number + 1, height), textcoords="offset points", xytext=(0, 6)
                )
        axes.set(xlabel="move", ylabel="points" if alone else "share of the points, first player")
        if not alone:
            axes.set_ylim(-0.05, 1.05)
        axes.grid(axis="y", alpha=0.3)


def must_begin_at_the_start(start: str) -> None:
    """InputError if a game was set up, which its files do not tell."""
    if start:
        raise InputError("a file of a game begins at its start; this one was set up: keep it as .json or .txt")


def must_be_kept(path: str, game: str, start: str = "") -> None:
    """InputError unless a review of such a game, from this diagram, can be written into a file of this name."""
    if Path(path).suffix.lower() in (".json", ".txt"):
        return
    if not game_files.is_game_file(path):
        raise InputError(f"{path}: a review is kept as .json or .txt, or in a format of its game, like .sgf")
    if not game_files.is_game_file(game):
        game_files.endings(game)
    must_begin_at_the_start(start)


def plural(kind: str, number: int) -> str:
    return kind if number == 1 else f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
