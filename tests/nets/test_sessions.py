"""A net of others runs in a process of its own: whatever it does there, the search that asked ends with one line."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from plyground import agents
from plyground.nets import sessions, trained
from plyground.nets.evaluate import onnx_evaluator
from plyground.nets.sessions import GuardedSession, Session
from plyground.spec import InputError
from reseal import reseal

NET = (trained.find("tictactoe") / "net.onnx").read_bytes()
BOARDS = np.random.default_rng(1).integers(0, 2, (5, 2, 3, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def guarded() -> Iterator[GuardedSession]:
    made = GuardedSession(NET, name="net.onnx")
    yield made
    made.close()


def model(*nodes: Any, **arrays: np.ndarray) -> bytes:
    """One that takes rows of nine numbers."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 9]) for name in ("inputs", "outputs")]
    kept = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(list(nodes), "net", ends[:1], ends[1:], kept)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    made.ir_version = 9
    return made.SerializeToString()


def test_it_says_what_it_says_here(guarded: GuardedSession) -> None:
    here = Session(NET)
    for n in (1, 5, 0):
        np.testing.assert_array_equal(guarded(BOARDS[:n]), here(BOARDS[:n]))
    free = [None if isinstance(size, str) else size for size in here.takes]
    assert guarded.takes == free and len(guarded.gives) == len(here.gives) == 2
    answer = guarded(BOARDS)
    answer += 1  # it belongs to who asked


def test_only_nets_of_others_have_a_process(tmp_path: Path) -> None:
    assert isinstance(onnx_evaluator(trained.find("tictactoe")), Session)
    for path in trained.find("tictactoe").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    evaluate = onnx_evaluator(tmp_path)
    assert isinstance(evaluate, GuardedSession)
    np.testing.assert_array_equal(evaluate(BOARDS), Session(NET)(BOARDS))
    (tmp_path / "net.onnx").write_bytes(NET[:-9])
    reseal(tmp_path)
    with pytest.raises(InputError, match=r"net\.onnx") as refused:
        onnx_evaluator(tmp_path)
    assert "\n" not in str(refused.value)


def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    made = GuardedSession(NET, name="net.onnx")
    monkeypatch.setattr(sessions, "SECONDS", 0.3)
    process = process_of(made)
    os.kill(process.pid, signal.SIGSTOP)
    for _ in range(2):  # it is not tried again
        with pytest.raises(InputError, match=r"net\.onnx has not answered within 0\.3 s"):
            made(BOARDS)
    assert process.poll() is not None


def test_one_that_falls_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = GuardedSession(NET, name="net.onnx")
    process_of(made).kill()
    with pytest.raises(InputError, match=r"net\.onnx has made its process end"):
        made(BOARDS)


@pytest.mark.skipif(sys.platform != "linux", reason="only here memory is bounded")
def test_one_that_wants_all_memory_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MEGABYTES", 512)
    filled = helper.make_node("ConstantOfShape", ["size"], ["filled"])
    greedy = model(
        filled,
        helper.make_node("ReduceMax", ["filled"], ["most"], keepdims=0),
        helper.make_node("Add", ["inputs", "most"], ["outputs"]),
        size=np.array([1 << 16, 1 << 14], np.int64),
    )
    with pytest.raises(InputError, match=r"net\.onnx") as refused:
        GuardedSession(greedy, name="net.onnx")(np.zeros((1, 9), np.float32))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "nodes, why",
    [
        ([helper.make_node("Div", ["inputs", "inputs"], ["outputs"])], "no number"),
        ([helper.make_node("ReduceMax", ["inputs"], ["outputs"], keepdims=0)], "answers"),
        ([helper.make_node("Concat", ["inputs", "inputs"], ["outputs"], axis=0)], "rows of numbers"),
    ],
    ids=["not a number", "another shape", "more rows"],
)
def test_answers_that_are_none_are_told(nodes: list[Any], why: str) -> None:
    onnx.load_model_from_string(model(*nodes))
    with pytest.raises(InputError, match=why):
        GuardedSession(model(*nodes), name="net.onnx")(np.zeros((1, 9), np.float32))


def test_nobody_left_nobody_runs() -> None:
    made = GuardedSession(NET)
    process = process_of(made)
    del made
    gc.collect()
    assert process.poll() is not None


def test_one_that_was_closed_begins_anew_when_it_is_asked(tmp_path: Path) -> None:
    made = GuardedSession(NET)
    first = process_of(made)
    made.close()
    assert first.poll() is not None
    np.testing.assert_array_equal(made(BOARDS), Session(NET)(BOARDS))
    made.close()


def test_who_was_interrupted_does_not_get_the_old_answer_to_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(source: Any) -> np.ndarray:
        raise KeyboardInterrupt

    made = GuardedSession(NET)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(sessions, "_read_array", interrupted)
        made(BOARDS)
    np.testing.assert_array_equal(made(BOARDS[::-1]), Session(NET)(BOARDS[::-1]))
    made.close()


def test_one_that_could_not_begin_again_does_so_with_the_next_question() -> None:
    made = GuardedSession(NET)
    made.close()
    made._net = NET[:-9]
    with pytest.raises(InputError, match="cannot be run"):
        made(BOARDS)
    made._net = NET
    np.testing.assert_array_equal(made(BOARDS), Session(NET)(BOARDS))
    made.close()


def test_of_many_those_that_were_not_asked_lately_end_and_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_OPEN", 2)
    monkeypatch.setattr(sessions, "_open", [])
    first, second, third = made = [GuardedSession(NET) for _ in range(3)]
    answers = [first(BOARDS), second(BOARDS), first(BOARDS), third(BOARDS)]
    assert [one._process is not None for one in made] == [True, False, True]
    with first._lock:  # it is being asked
        answers.append(second(BOARDS))
        assert all(one._process is not None for one in made)
    answers.append(second(BOARDS))
    assert [one._process is not None for one in made] == [False, True, True]
    assert all((answer == answers[0]).all() for answer in answers)
    for one in made:
        one.close()


def test_an_agent_that_is_closed_keeps_no_process(tmp_path: Path) -> None:
    for path in trained.find("tictactoe").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    agent = agents.make(f"alphazero({str(tmp_path)!r}, sims=4)")
    process = process_of(agent._known[2])
    agent.close()
    assert process.poll() is not None


def process_of(made: GuardedSession) -> subprocess.Popen[bytes]:
    assert made._process
    return made._process


@pytest.mark.parametrize("parent, seconds", [(-1, 1e9), (os.getppid(), 0.1)], ids=["nobody left", "late"])
def test_a_process_that_computes_ends_itself(parent: int, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended(Exception):
        pass

    def end(code: int) -> None:
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    with pytest.raises(Ended):
        sessions._watch_oneself(parent, [time.monotonic() + seconds])


def test_a_process_ends_with_the_one_that_asked() -> None:
    code = "from plyground.nets import trained; from plyground.nets.sessions import GuardedSession; import os\n"
    code += "made = GuardedSession((trained.find('tictactoe') / 'net.onnx').read_bytes())\n"
    code += "print(made._process.pid, flush=True); os.kill(os.getpid(), 9)"
    pid = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300).stdout)
    end = time.monotonic() + 300
    while time.monotonic() < end and Path(f"/proc/{pid}").exists() and "Z" not in state_of(pid):
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists() or "Z" in state_of(pid)


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
