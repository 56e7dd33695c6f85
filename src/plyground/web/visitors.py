"""Who visits a server that others than this machine can reach, and how much each visitor may ask for.

The link that `serve --host` prints has a token in it.  A first visit with the token gives the browser a cookie; every
request and every socket has to bring the cookie or the token.  The cookie names a visitor, and what runs is counted by
visitors.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import threading
from collections import OrderedDict, deque
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs

from starlette.datastructures import Headers

from ..machine import cores
from ..spec import InputError
from .requests import LONGEST_THINK, MOST_GAMES, MOST_SIMULATIONS, Match, Open, Review, Solve, Steps, Stop, Think
from .slots import Slots

Asked = TypeVar("Asked", bound=Think | Solve | Match | Steps | Review | Stop | Open)
USUAL_SECONDS = 5.0  # of a guest's think that asks for no time
LEAST_TOKEN = 12  # characters
TOKEN = re.compile(rf"[A-Za-z0-9_-]{{{LEAST_TOKEN},128}}")
MOST_VISITORS = 1_000  # that are remembered, and addresses
MOST_AT_ADDRESS = 40  # visitors: a class behind one router
ANY = 10**9


class Limits(NamedTuple):
    """What a server does for all, and for each visitor at once or in one request."""

    slots: int  # searches at once, of all visitors
    all_sockets: int
    searches: int  # at once, of one visitor; on this machine, of one socket
    waiting: int  # searches besides that wait for their turn
    sockets: int
    requests: int
    seconds: float  # of a think, a solution, or a move in a match
    review: float  # seconds of a review of a game
    simulations: int
    memory: int  # megabytes of an agent
    threads: int
    games: int  # of a match
    work: float | None  # seconds of any search or match from its beginning to its end; None: as long as it takes
    large_solutions: bool  # may a solution need more memory than one search?


LOCAL = Limits(
    4, 1_000, ANY, 64, ANY, ANY, LONGEST_THINK, LONGEST_THINK, MOST_SIMULATIONS, 512, 16, MOST_GAMES, None, True
)
GUESTS = Limits(max(4, cores()), 1_000, 2, 16, 4, 16, 10.0, 30.0, 1_000_000, 128, 1, 20, 300.0, False)


class Visitor:
    """What one visitor has running."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.sockets = 0
        self.requests = Slots(limits.requests)

    @property
    def idle(self) -> bool:
        return not self.sockets and self.requests.free == self.limits.requests

    def within(self, request: Asked) -> Asked:
        """The request, its budget cut to what is allowed.  InputError if it asks for a match that is too long."""
        most = self.limits
        if most is LOCAL:  # what every request keeps to anyhow
            return request
        if isinstance(request, Match):
            if request.games > most.games:
                raise InputError(f"a match has at most {most.games:,} games here, not {request.games:,}")
            seconds = None if request.seconds is None else min(request.seconds, most.seconds)
            return request.model_copy(update={"seconds": seconds})
        if isinstance(request, Review):
            return request.model_copy(update={"seconds": min(request.seconds, most.review)})
        if isinstance(request, Solve):
            return request.model_copy(update={"seconds": min(request.seconds, most.seconds)})
        if isinstance(request, Think):
            seconds = min(USUAL_SECONDS if request.seconds is None else request.seconds, most.seconds)
            simulations = min(request.simulations or most.simulations, most.simulations)
            return request.model_copy(update={"seconds": seconds, "simulations": simulations, "meanwhile": False})
        return request


class Access:
    """Lets in whoever has the token, or the cookie of an earlier visit, and knows visitors again."""

    def __init__(self, token: str, limits: Limits = GUESTS) -> None:
        if not TOKEN.fullmatch(token):
            raise InputError(f"a token has {LEAST_TOKEN} to 128 letters, digits, - and _")
        self.token, self.limits = token, limits
        self.cookie = f"plyground-{hashlib.sha256(token.encode()).hexdigest()[:8]}"  # one for each server of a host
        self._visitors: OrderedDict[str, Visitor] = OrderedDict()
        self._names: OrderedDict[str, deque[str]] = OrderedDict()  # given to the visitors of an address
        self._lock = threading.Lock()

    def visitor(self, scope: Any) -> Visitor | None:
        """The visitor of a request or of a socket; None if it has neither cookie nor token."""
        name = self._known(Headers(scope=scope))
        if name is None and self.has_token(scope):
            name = f"at {address_of(scope)}"
        return None if name is None else self._remembered(name)

    def has_token(self, scope: Any) -> bool:
        """Does a request bring the token, in its address or as `Authorization: Bearer TOKEN`?"""
        asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        bearer = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
        return self._same(asked, self.token) | self._same(bearer, self.token)

    def welcome(self, scope: Any) -> str:
        """The cookie of a visitor who comes by the link: the one that it has, or a new one."""
        name = self._known(Headers(scope=scope)) or self._new_name(address_of(scope))
        return f"{self.cookie}={name}.{self._signed(name)}; Path=/; HttpOnly; SameSite=Lax"

    def _new_name(self, address: str) -> str:
        """The name of a new visitor.  Where an address has had all of its names, they are given again in turn: who
        throws cookies away gets no more than so many shares, and nobody is turned away."""
        with self._lock:
            names = self._names.pop(address, None) or deque()
            self._names[address] = names
            if len(self._names) > MOST_VISITORS:
                self._names.popitem(last=False)
            if len(names) < MOST_AT_ADDRESS:
                names.append(secrets.token_urlsafe(12))
            else:
                names.rotate(-1)
            return names[-1]

    def _known(self, headers: Headers) -> str | None:
        """The name in a cookie that this server has signed."""
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        name, _, signed = (morsel.value if morsel else "").partition(".")
        return name if self._same(signed, self._signed(name)) and name else None

    def _signed(self, name: str) -> str:
        return hmac.new(self.token.encode(), name.encode(), hashlib.sha256).hexdigest()

    @staticmethod
    def _same(one: str, other: str) -> bool:
        """Are they equal?  It takes as long to say no, whatever they have in common."""
        return hmac.compare_digest(one.encode(errors="replace"), other.encode())

    def _remembered(self, name: str) -> Visitor:
        with self._lock:
            found = self._visitors.pop(name, None) or Visitor(self.limits)
            self._visitors[name] = found
            if len(self._visitors) > MOST_VISITORS:
                gone = next((one for one, visitor in self._visitors.items() if visitor.idle), None)
                self._visitors.pop(gone or "", None)
            return found


def address_of(scope: Any) -> str:
    """Where a request comes from; by IPv6 its network, in which one machine may have any address."""
    text = str((scope.get("client") or ("nowhere",))[0])
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return str(getattr(address, "ipv4_mapped", None) or address)
    return str(ipaddress.ip_network((int(address), 64), strict=False))
