"""Files of ONNX from strangers: only what our nets are made of is let in, and nothing is run to find that out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from plyground.nets import onnx_graph, trained
from plyground.nets.evaluate import onnx_evaluator
from plyground.nets.onnx_graph import must_be_plain
from plyground.spec import InputError
from reseal import reseal


def model(*nodes: Any, arrays: tuple[Any, ...] = ()) -> onnx.ModelProto:
    """One that takes and gives nine numbers."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 9]) for name in ("inputs", "outputs")]
    graph = helper.make_graph(list(nodes), "net", ends[:1], ends[1:], list(arrays))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def plain() -> onnx.ModelProto:
    return model(helper.make_node("Relu", ["inputs"], ["outputs"]))


def looping() -> onnx.ModelProto:
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"])], "body", [], [])
    return model(helper.make_node("Loop", ["", "", "inputs"], ["outputs"], body=body))


def hiding() -> onnx.ModelProto:
    """A graph within an operator that has none."""
    made = plain()
    made.graph.node[0].attribute.append(helper.make_attribute("body", helper.make_graph([], "body", [], [])))
    return made


def elsewhere() -> onnx.ModelProto:
    array = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[9], data_location=TensorProto.EXTERNAL)
    array.external_data.add(key="location", value="/etc/passwd")
    return model(helper.make_node("Add", ["inputs", "w"], ["outputs"]), arrays=(array,))


def constant_elsewhere() -> onnx.ModelProto:
    array = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[9], data_location=TensorProto.EXTERNAL)
    nodes = helper.make_node("Constant", [], ["w"], value=array), helper.make_node("Add", ["inputs", "w"], ["outputs"])
    return model(*nodes)


def own_function() -> onnx.ModelProto:
    made = plain()
    made.functions.append(helper.make_function("own", "F", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], []))
    return made


def many() -> onnx.ModelProto:
    return model(*(helper.make_node("Relu", ["inputs"], [f"o{i}"]) for i in range(onnx_graph.MOST_NODES + 1)))


STRANGE: dict[str, tuple[Callable[[], onnx.ModelProto], str]] = {
    "a loop": (looping, "operator 'Loop'"),
    "another domain": (lambda: model(helper.make_node("Add", ["inputs"], ["outputs"], domain="x")), "operator 'x.Add'"),
    "a hidden graph": (hiding, "holds a graph"),
    "another file": (elsewhere, "names another file"),
    "another file in a constant": (constant_elsewhere, "names another file"),
    "functions": (own_function, "functions of its own"),
    "too many nodes": (many, "more than 10,000 nodes"),
}


@pytest.mark.parametrize("make, why", STRANGE.values(), ids=STRANGE)
def test_what_nets_do_not_need_is_refused(make: Callable[[], onnx.ModelProto], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        must_be_plain(make().SerializeToString())


@pytest.mark.parametrize("key", [4 << 3 | 2 | 1 << 32, 4 << 3 | 2 | 1 << 40])
def test_what_other_readers_see_differently_is_refused(key: int) -> None:
    """They look at 32 bits of a key: this one names the operator a second time, for them alone."""
    node = helper.make_node("Relu", ["inputs"], ["outputs"]).SerializeToString()
    node += bytes([*(key >> shift & 127 | 128 for shift in range(0, 35, 7)), key >> 35]) + b"\x03Exp"
    content = plain().SerializeToString()
    graph = plain().graph.SerializeToString()
    smuggling = b"\x3a" + bytes([len(graph) + len(node) + 2]) + graph + b"\x0a" + bytes([len(node)]) + node
    with pytest.raises(ValueError, match="not a whole one"):
        must_be_plain(content[: content.index(graph) - 2] + smuggling)


@pytest.mark.parametrize("message", [b"\x8a\x00\x00", b"\x0a\x80\x00", b"\x02\x00", b"\x0b\x0c"])
def test_fields_that_are_not_written_as_usual_are_refused(message: bytes) -> None:
    with pytest.raises(ValueError, match="not a whole one"):
        list(onnx_graph.fields(memoryview(message)))


def test_nets_are_let_in() -> None:
    must_be_plain(plain().SerializeToString())
    for name in trained.names():
        for path in trained.find(name).glob("*.onnx"):
            must_be_plain(path.read_bytes())


def test_the_fields_are_those_of_onnx() -> None:
    """Every operator that onnx finds in our nets is found here, in the same order."""
    content = (trained.find("tictactoe") / "net.onnx").read_bytes()
    (graph,) = onnx_graph.messages(memoryview(content), onnx_graph.GRAPH)
    found = [dict(onnx_graph._texts(node)) for node in onnx_graph.messages(graph, onnx_graph.NODE)]
    names = [bytes(words[onnx_graph.OPERATOR]).decode() for words in found]
    assert names == [node.op_type for node in onnx.load_model_from_string(content).graph.node]


def test_a_large_file_is_not_even_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_graph, "LARGEST", 10)
    with pytest.raises(ValueError, match="MiB"):
        must_be_plain(plain().SerializeToString())


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.integers(0, 2000).map(lambda cut: plain().SerializeToString()[:cut]))
def test_bytes_of_any_kind_are_refused_or_plain(content: bytes) -> None:
    try:
        must_be_plain(content)
    except ValueError as error:
        assert "\n" not in str(error)


def test_an_agent_is_told_in_one_line(tmp_path: Path) -> None:
    for path in trained.find("tictactoe").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "net.onnx").write_bytes(looping().SerializeToString())
    reseal(tmp_path)
    with pytest.raises(
        InputError, match=r"net\.onnx is not the net that its card tells of: its operator 'Loop'"
    ) as refused:
        onnx_evaluator(tmp_path)
    assert "\n" not in str(refused.value)


def test_numbers_are_read_as_protocol_buffers_write_them() -> None:
    array = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[300, 1], raw_data=np.zeros(300, "<f4").tobytes())
    found = list(onnx_graph.fields(memoryview(array.SerializeToString())))
    packed = [value for field, value in found if field == 1]
    assert [int(value) if isinstance(value, int) else bytes(value) for value in packed] in ([300, 1], [b"\xac\x02\x01"])
    assert [len(value) for field, value in found if field == 9 and isinstance(value, memoryview)] == [1200]
