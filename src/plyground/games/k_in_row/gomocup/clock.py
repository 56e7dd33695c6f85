"""How long an engine may think about a move, such that it never oversteps what the driver allows."""

from __future__ import annotations

import time

TURN = 5.0  # seconds a move, if the driver does not tell
FAST = 0.05  # seconds where it asks for a move as fast as possible
UNLIMITED = 2_147_483_647  # milliseconds that stand for no limit
MOVES = 25  # as many of them as are still to come share what is left of a match
FIXED, SHARE, LARGEST = 0.05, 0.03, 0.5  # seconds kept back of every move: fixed, and a share of it, at most so many


class Clock:
    """The limits that the driver has told, and the time that has passed.  Times are those of time.monotonic."""

    def __init__(self) -> None:
        self.turn = TURN
        self.match: float | None = None  # seconds for all moves together; None for no limit
        self.left: float | None = None  # of these, as the driver counts
        self.used = 0.0  # of these, as we count
        self.now = 0.0  # when the driver spoke
        self.planned = 0.0  # seconds for the move that is under way
        self.late = 0.0  # by how much moves came later than planned, of late

    def set_info(self, key: str, milliseconds: int) -> None:
        """An INFO of the driver."""
        endless = milliseconds >= UNLIMITED
        if key == "timeout_turn":
            self.turn = max(milliseconds, 0) / 1000
        elif key == "timeout_match":
            self.match = None if milliseconds <= 0 or endless else milliseconds / 1000
        elif key == "time_left":
            self.left = None if endless else milliseconds / 1000

    def new_game(self) -> None:
        self.used, self.left = 0.0, None

    def begin(self, now: float) -> None:
        """The driver has spoken: if it asks for a move, time runs from here."""
        self.now = now

    def end(self) -> None:
        """The move is made."""
        passed = time.monotonic() - self.now
        self.late = max(0.9 * self.late, passed - self.planned)
        self.used += passed

    def plan(self) -> float:
        """How long to think: the time for a move or a share of what is left, less what is kept back for the machine."""
        left = self.left if self.left is not None or self.match is None else self.match - self.used
        turn = self.turn or FAST
        bound = turn if left is None else min(turn, left)
        spare = min(FIXED + SHARE * bound, LARGEST) + min(self.late, bound / 4)
        wanted = bound - spare if self.turn else FAST
        if left is not None:
            wanted = min(wanted, left / MOVES, left - spare)
        self.planned = max(0.0, wanted)
        return self.planned
