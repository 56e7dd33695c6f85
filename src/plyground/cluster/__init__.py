"""More than one machine: work is shared out over a Ray cluster.  Ray is imported when it is asked for, never before."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
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
    jobs: int, address: str = "", actors: int = 0, resource: str = "", specs: Sequence[str] = ()
) -> Iterator[Jobs]:
    """Who plays: so many processes of this machine, one a core if 0; or the cluster at an address, if there is one."""
    if not address:
        if actors or resource:
            raise InputError("actors and their resource are those of a cluster: ray names its address")
        yield jobs or cores()
    elif jobs:
        raise InputError("jobs are processes of this machine; a cluster has actors")
    else:
        with connected(address, actors, resource, specs) as cluster:
            yield cluster


def told_of(those: Jobs) -> str:
    """Who would work, and where."""
    if isinstance(those, int):
        return f"{those} process{'es' * (those != 1)} of this machine"
    return those.told()


@contextmanager
def initialised(address: str) -> Iterator[None]:
    """Ray, connected.  A connection that a notebook has made before stays as it is."""
    must_have_ray()
    import ray

    if ray.is_initialized():
        yield
        return
    if address not in (LOCAL, "auto"):
        _must_answer(address)
    options: dict[str, Any] = {"include_dashboard": False} if address == LOCAL else {}
    sigterm = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR", namespace="plyground", **options)
        if callable(sigterm) and signal.getsignal(signal.SIGTERM) is not sigterm:
            signal.signal(signal.SIGTERM, sigterm)  # Ray has put its own in the place of the command's
    except Exception as error:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        token = "if it asks for a token: export RAY_AUTH_MODE=token"
        raise InputError(f"no cluster has let us in at {address}: {why[:300]}; {token}") from None
    printing, ray._private.worker.print_to_stdstream = ray._private.worker.print_to_stdstream, _told
    try:
        yield
    finally:
        ray.shutdown()
        ray._private.worker.print_to_stdstream = printing


def _told(news: dict[str, Any], **_: Any) -> None:
    """What Ray has to tell of its nodes, a line of it; it would write pages, to stdout, among results."""
    for text in news["lines"]:
        print(f"plyground: Ray says: {text.strip().splitlines()[0]:.160}", file=sys.stderr)


def must_have_ray() -> None:
    """InputError where Ray is not installed; else it is told how to behave, which has to be before it is imported."""
    if not find_spec("ray"):
        raise InputError("work is shared out over machines by Ray: pip install 'plyground[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told that it is used
    os.environ.setdefault("RAY_worker_niceness", "0")  # actors of this machine are worth as much as other processes
    os.environ.setdefault("RAY_TQDM_PATCH_PRINT", "0")  # print stays Python's own, which kernels know
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # a worker without a GPU may still look for one


def _must_answer(address: str) -> None:
    """Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise InputError(f"the address of a cluster is HOST:PORT, auto or local, not {address!r:.100}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except OSError as error:
        raise InputError(f"there is no cluster at {address}: {error.strerror or error}") from None
