"""The sockets that are open, and who makes room when there are too many."""

from __future__ import annotations

import time
from typing import Protocol

from ..spec import InputError
from .visitors import Limits, Visitor

TRY_AGAIN = 1013  # close codes: there is no room now; the socket was not used, and is opened again when it is needed
UNUSED = 4000
LEAST = 60.0  # seconds after which a socket that is not used makes room for another visitor's


class Open(Protocol):
    """A socket that is open."""

    visitor: Visitor
    used: float  # when something was asked for, by `time.monotonic`

    @property
    def busy(self) -> bool:
        """Does it wait for an answer?"""

    def retire(self, code: int, why: str) -> None:
        """Close the socket."""


class Sessions:
    """The sockets of a server."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.open: set[Open] = set()

    def admit(self, session: Open) -> None:
        """Let a socket in.  If there are too many, the one that was not used for the longest time makes room.

        InputError if all are in use.
        """
        visitor, most = session.visitor, self.limits
        if visitor.sockets >= most.sockets:
            own = [one for one in self.open if one.visitor is visitor]
            self._make_room(own, 0.0, f"at most {most.sockets} sockets of one visitor, and all work")
        elif len(self.open) >= most.all_sockets:
            self._make_room(list(self.open), LEAST, f"at most {most.all_sockets:,} sockets; try again in a while")
        self.open.add(session)
        visitor.sockets += 1

    def dismiss(self, session: Open) -> None:
        """A socket is closed, or will be."""
        if session in self.open:
            self.open.remove(session)
            session.visitor.sockets -= 1

    def _make_room(self, among: list[Open], least: float, full: str) -> None:
        latest = time.monotonic() - least
        unused = [one for one in among if not one.busy and one.used <= latest]
        if not unused:
            raise InputError(full)
        longest = min(unused, key=lambda one: one.used)
        self.dismiss(longest)
        longest.retire(UNUSED, "not used: another socket needs its place")
