"""Sessions of onnxruntime: in this process, or in one of their own that can be killed.

Native code runs what somebody else may have made: it may hang, want all the memory there is, or fall.  So a net that
did not come with the program gets a process with limits, and whatever happens there ends the search that asked, nothing
else.  What goes through the pipes is the net, then arrays: a head of fixed size, and the numbers.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..child import Child, Gone
from ..machine import bound_memory
from ..spec import InputError

MEGABYTES = 4096  # of memory for a net of others
SECONDS = 60.0  # for one answer
LOOK = 0.2  # seconds between two looks at the clock
MOST = 1 << 24  # numbers in one answer
MOST_OPEN = 16  # processes at once, but for those that are being asked
HEAD = struct.Struct("<5q")  # how many sizes a shape has, and four of them; or FAILED, and how long the reason is
FAILED = -1
FREE = -1.0  # a size that may be any
CODE = "import sys; sys.path.append({!r}); from plyground.nets.sessions import main; main()"

Shape = list[Any]  # sizes, and names of those that are free


def keep_onnxruntime_quiet() -> None:
    """Before it is imported: its builds tell its makers what is run, and keep a number of this machine for that."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def onnx_session(net: bytes, threads: int = 1) -> Any:
    """What onnxruntime makes of a net."""
    keep_onnxruntime_quiet()
    try:
        import onnxruntime
    except ModuleNotFoundError:
        raise InputError("playing a net needs onnxruntime: pip install 'plyground[nets]'") from None
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(net, options, providers=["CPUExecutionProvider"])


class Session:
    """A net that this process runs: inputs float32[n, ...] become outputs float32[n, outputs]."""

    def __init__(self, net: bytes, threads: int = 1) -> None:
        self._session = onnx_session(net, threads)
        self.takes: Shape = self._session.get_inputs()[0].shape
        self.gives: Shape = self._session.get_outputs()[0].shape

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        if not len(inputs):  # which onnxruntime's convolutions do not take on every machine
            return self(np.zeros((1, *inputs.shape[1:]), inputs.dtype))[:0]
        return self._session.run(None, {"inputs": inputs})[0]

    def close(self) -> None:
        """Nothing lives outside this process."""


_open: list[weakref.ref[GuardedSession]] = []  # those with a process, the one that was asked last at the end
_opening = threading.Lock()


class GuardedSession:
    """The same in a process of its own.  InputError, in one line, if it hangs, falls, or wants too much memory.

    There are not more than some processes of nets: those that were not asked for the longest time end, and begin again
    with the next question.
    """

    def __init__(self, net: bytes, threads: int = 1, name: str = "the net") -> None:
        self.name = name
        self._net, self._threads = net, threads
        self._lock = threading.Lock()
        self._problem = ""  # why its process ended; it is not tried again
        self._child: Child | None = None
        self._start()

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        with self._lock:
            if self._problem:
                raise InputError(f"{self.name} {self._problem}")
            if self._child is None:
                self._start()
            self._make_room()
            assert self._child
            answer = self._asked(self._child, _packed(inputs))
        if answer.ndim != 2 or len(answer) != len(inputs):
            raise InputError(f"{self.name} answers {answer.shape} where {len(inputs)} rows of numbers are asked for")
        if not np.isfinite(answer).all():
            raise InputError(f"{self.name} answers with what is no number: train it again, or take another net")
        return answer

    def close(self) -> None:
        """End the process; the next question begins another."""
        child, self._child = self._child, None
        if child:
            child.end()

    @property
    def _process(self) -> subprocess.Popen[bytes] | None:
        return self._child.process if self._child else None

    def _make_room(self) -> None:
        """This one is asked: close others, if there are too many."""
        with _opening:
            others = [(one, session) for one in _open if (session := one()) not in (None, self) and session._child]
            for _, session in others[: max(0, len(others) + 1 - MOST_OPEN)]:
                if session._lock.acquire(blocking=False):  # it is not being asked
                    session.close()
                    session._lock.release()
            _open[:] = [one for one, session in others if session._child] + [weakref.ref(self)]

    def _start(self) -> None:
        code = CODE.format(str(Path(__file__).parents[2]))
        self._child = Child([sys.executable, "-P", "-c", code, str(self._threads), str(MEGABYTES), str(SECONDS)])
        try:
            told = self._asked(self._child, struct.pack("<q", len(self._net)) + self._net)
        except InputError:
            self.close()  # it has no net, and would take the next question for one
            raise
        self.takes, self.gives = _shapes(told)

    def _asked(self, child: Child, content: bytes) -> np.ndarray:
        """What the process answers in time."""
        begun = time.monotonic()
        try:
            with child.within(SECONDS):
                child.write(content)
                return _read_array(child.process.stdout)
        except ValueError as failed:
            raise InputError(f"{self.name} cannot be run: {failed}") from None
        except (EOFError, Gone):
            late = time.monotonic() >= begun + SECONDS
            self._problem = f"has not answered within {SECONDS:g} s" if late else "has made its process end"
            self.close()
            raise InputError(f"{self.name} {self._problem}") from None
        except BaseException:  # Ctrl-C: what it still answers is for nobody
            self.close()
            raise


def _watch_oneself(parent: int, deadline: list[float]) -> None:
    """End this process if it is late with an answer, or if nobody is left who asked."""
    while time.monotonic() < deadline[0] and os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def _packed(array: np.ndarray) -> bytes:
    shape = [*array.shape, 0, 0, 0, 0][:4]
    return HEAD.pack(array.ndim, *shape) + np.ascontiguousarray(array, np.float32).tobytes()


def _read_array(source: IO[bytes] | None) -> np.ndarray:
    """The next array; EOFError if nothing comes, ValueError with the reason if there is none."""
    assert source
    dimensions, *shape = HEAD.unpack(_exactly(source, HEAD.size))
    if dimensions == FAILED:
        raise ValueError(_exactly(source, shape[0]).decode("utf-8", "replace"))
    found = np.empty(shape[:dimensions], np.float32)
    if found.size and source.readinto(found.data.cast("B")) < found.nbytes:  # type: ignore[attr-defined]
        raise EOFError
    return found


def _exactly(source: IO[bytes], size: int) -> bytes:
    found = source.read(size)
    if len(found) < size:
        raise EOFError
    return found


def _shapes(told: np.ndarray) -> tuple[Shape, Shape]:
    """Both shapes of a session, which came as rows of numbers: how many, and those."""
    first, last = ([None if size == FREE else int(size) for size in row[1 : 1 + int(row[0])]] for row in told)
    return first, last


def _packed_shapes(session: Session) -> np.ndarray:
    rows = np.zeros((2, 9), np.float32)
    for row, shape in zip(rows, (session.takes, session.gives), strict=True):
        sizes = [size if isinstance(size, int) else FREE for size in shape][:8]
        row[: 1 + len(sizes)] = [len(sizes), *sizes]
    return rows


def main() -> None:
    """Serve the process that began this one: first comes the net, then inputs; outputs go back, or why not."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    threads, megabytes, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bound_memory(megabytes)
    deadline = [time.monotonic() + seconds]
    threading.Thread(target=_watch_oneself, args=(os.getppid(), deadline), daemon=True).start()
    session: Session | None = None
    try:
        while True:
            try:
                if session is None:
                    (size,) = struct.unpack("<q", _exactly(source, 8))
                    session = Session(_exactly(source, size), threads)
                    answer = _packed(_packed_shapes(session))
                else:
                    deadline[0] = float("inf")
                    inputs = _read_array(source)
                    deadline[0] = time.monotonic() + seconds
                    found = session(inputs)
                    if found.ndim > 4 or found.size > MOST:
                        raise ValueError(f"an answer of shape {found.shape} is too large")
                    answer = _packed(found)
            except EOFError:
                return
            except Exception as error:  # whatever onnxruntime says; MemoryError, too
                reason = " ".join(str(error).split())[:200].encode() or type(error).__name__.encode()
                answer = HEAD.pack(FAILED, len(reason), 0, 0, 0) + reason
            sink.write(answer)
            sink.flush()
    except BrokenPipeError:
        return
