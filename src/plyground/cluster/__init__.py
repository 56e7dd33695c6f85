"""More than one machine: work is shared out over a Ray cluster.  Ray is imported when it is asked for, never before."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from shutil import rmtree
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any

from ..arena.parallel import Jobs
from ..machine import cores
from ..spec import InputError
from .versions import LIBRARIES

if TYPE_CHECKING:
    from .pool import Cluster

LOCAL = "local"  # an address: Ray is started on this machine, and ends with the command
PATIENCE = 5.0  # seconds that a cluster has to answer at its address


@contextmanager
def connected(
    address: str, actors: int = 0, resource: str = "", specs: Sequence[str] = (), libraries: Sequence[str] = LIBRARIES
) -> Iterator[Cluster]:
    """A cluster, as long as it is needed.  InputError where there is none, or where its nodes have other versions.

    address: HOST:PORT, as `ray start --head` prints it; "auto", the cluster that runs on this machine; or "local".
    actors: processes that work, one a core of the cluster if 0.
    resource: work only on nodes that were started with this resource, such as `ray start --resources '{"engine": 1}'`.
    specs: what work is about: files of one's own that they name must be the same on all nodes.
    libraries: whose versions must be the same, too.
    """
    with initialised(address):
        from .pool import Cluster

        yield Cluster(actors, resource, specs, libraries)


@contextmanager
def workers(
    jobs: int,
    address: str = "",
    actors: int = 0,
    resource: str = "",
    specs: Sequence[str] = (),
    libraries: Sequence[str] = LIBRARIES,
) -> Iterator[Jobs]:
    """Who plays: so many processes of this machine, one a core if 0; or the cluster at an address, if there is one."""
    if not address:
        if actors or resource:
            raise InputError("actors and their resource are those of a cluster: ray names its address")
        yield jobs or cores()
    elif jobs:
        raise InputError("jobs are processes of this machine; a cluster has actors")
    else:
        with connected(address, actors, resource, specs, libraries) as cluster:
            yield cluster


def described(those: Jobs, work: str = "") -> str:
    """What would be done, who would work on it, and where."""
    who = f"{those} process{'es' * (those != 1)} of this machine" if isinstance(those, int) else those.described()
    return f"{work}\n{who}" if work else who


@contextmanager
def initialised(address: str) -> Iterator[None]:
    """Ray, connected.  A connection that a notebook has made before stays as it is."""
    must_have_ray()
    import ray

    if ray.is_initialized():
        _must_be_there(address)
        yield
        return
    if address not in (LOCAL, "auto"):
        _must_answer(address)
    options: dict[str, Any] = {"include_dashboard": False} if address == LOCAL else {}
    handler = signal.getsignal(signal.SIGTERM) or signal.SIG_DFL
    try:
        try:
            ray.init(address, log_to_driver=False, logging_level="ERROR", namespace="plyground", **options)
        except Exception as error:
            why = " ".join(str(error).split()) or type(error).__name__
            if address == LOCAL:
                raise InputError(f"Ray has not started on this machine: {why:.300}") from None
            token = "if it asks for a token: export RAY_AUTH_MODE=token, and have the same in ~/.ray/auth_token"
            raise InputError(f"no cluster has let us in at {address}: {why:.300}; {token}") from None
        finally:
            if signal.getsignal(signal.SIGTERM) is not handler:  # Ray has put its own in the place of the command's
                signal.signal(signal.SIGTERM, _end if handler == signal.SIG_DFL else handler)
        printing, ray._private.worker.print_to_stdstream = ray._private.worker.print_to_stdstream, _print_news
        try:
            yield
        finally:
            ray._private.worker.print_to_stdstream = printing
    finally:
        _leave(address)
        if signal.getsignal(signal.SIGTERM) is _end:
            signal.signal(signal.SIGTERM, handler)


def _leave(address: str) -> None:
    """End the connection; of what was started for it nothing stays, no folder either."""
    import ray

    node = ray._private.worker._global_node
    begun = [one.process for those in node.all_processes.values() for one in those] if node else []
    ray.shutdown()
    if node and address == LOCAL:
        for process in begun:
            with suppress(TimeoutExpired):
                process.wait(PATIENCE)
        rmtree(node.get_session_dir_path(), ignore_errors=True)


def _end(number: int, frame: Any) -> None:
    """End as without a handler, but with all that was begun."""
    raise SystemExit(128 + number)


def _must_be_there(address: str) -> None:
    """InputError if this process is connected to a cluster that is not the one at this address."""
    import ray

    if address in (LOCAL, "auto"):
        return
    own = ray.get_runtime_context().gcs_address
    (host, port), (there, its) = _read(address), _read(own)
    if port != its or not {*_ips(host)} & {*_ips(there), *_ips("localhost")}:
        raise InputError(
            f"this process is connected to the cluster at {own}, not {address:.100}: ray.shutdown() ends it"
        )


def _ips(host: str) -> list[str]:
    with suppress(OSError, UnicodeError):
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None)]
    return []


def _print_news(news: dict[str, Any], **_: Any) -> None:
    """What Ray has to tell of its nodes, a line of it; it would write pages, to stdout, among results."""
    for text in news["lines"]:
        if text.strip():
            print(f"plyground: Ray says: {text.strip().splitlines()[0]:.160}", file=sys.stderr)


def must_have_ray() -> None:
    """InputError where Ray is not installed; else it is told how to behave, which has to be before it is imported."""
    if not find_spec("ray"):
        raise InputError("work is shared out over machines by Ray: pip install 'plyground[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told that it is used
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # the first one ends the work, and is told
    os.environ.setdefault("RAY_worker_niceness", "0")  # actors of this machine are worth as much as other processes
    os.environ.setdefault("RAY_TQDM_PATCH_PRINT", "0")  # print stays Python's own, which kernels know
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # a worker without a GPU may still look for one


def _read(address: str) -> tuple[str, int]:
    """The host and the port that an address names."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise InputError(f"the address of a cluster is HOST:PORT, auto or local, not {address!r:.100}")
    return host.strip("[]"), int(port)


def reached(address: str) -> None:
    """OSError if nobody is there."""
    socket.create_connection(_read(address), PATIENCE).close()


def _must_answer(address: str) -> None:
    """Ray itself would wait for minutes."""
    try:
        reached(address)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"there is no cluster at {address:.100}: {why}") from None
