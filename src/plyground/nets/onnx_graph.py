"""Looks into a file of ONNX before anything runs it: only what our own nets are made of is let in.

A file of ONNX is a program.  It may loop, name other files, or bring functions of its own; nets need none of that.  The
few fields that tell are read here, from the wire format of protocol buffers: the libraries that know all of it are
large, and one of them would have to be installed to play.
"""

from __future__ import annotations

from collections.abc import Iterator

LARGEST = 64 << 20  # bytes of a file
MOST_NODES = 10_000
OPERATORS = frozenset(
    [
        "Add",
        "Cast",
        "Concat",
        "Constant",
        "ConstantOfShape",
        "Conv",
        "DequantizeLinear",
        "Div",
        "Flatten",
        "Gather",
        "Gemm",
        "Identity",
        "MatMul",
        "Mul",
        "Pow",
        "QuantizeLinear",
        "ReduceMax",
        "ReduceMean",
        "Relu",
        "Reshape",
        "Shape",
        "Sigmoid",
        "Slice",
        "Softmax",
        "Sub",
        "Tanh",
        "Transpose",
        "Unsqueeze",
    ]
)

# numbers of fields, by the message that they stand in
GRAPH, FUNCTIONS = 7, 25  # of a model
NODE, INITIALIZER, SPARSE = 1, 5, 15  # of a graph
OPERATOR, ATTRIBUTE, DOMAIN = 4, 5, 7  # of a node
TENSOR, SUBGRAPH, TENSORS, SUBGRAPHS, SPARSE_TENSOR, SPARSE_TENSORS = 5, 6, 10, 11, 22, 23  # of an attribute
EXTERNAL, LOCATION = 13, 14  # of a tensor

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how a field is written
LARGEST_KEY, LARGEST_NUMBER = 2**32 - 1, 2**64 - 1


def must_be_plain(content: bytes) -> None:
    """ValueError, with the reason, for a file that holds anything but the operators of our nets."""
    if len(content) > LARGEST:
        raise ValueError(f"it has more than {LARGEST >> 20} MiB")
    model = memoryview(content)
    if any(True for _ in messages(model, FUNCTIONS)):
        raise ValueError("it brings functions of its own")
    graphs = list(messages(model, GRAPH))
    if len(graphs) != 1:
        raise ValueError("it is not a file of ONNX, or not a whole one")
    if any(True for _ in messages(graphs[0], SPARSE)):
        raise ValueError("it holds sparse arrays")
    for array in messages(graphs[0], INITIALIZER):
        _must_be_within(array)
    for number, node in enumerate(messages(graphs[0], NODE)):
        if number == MOST_NODES:
            raise ValueError(f"it has more than {MOST_NODES:,} nodes")
        _must_be_ours(node)


def _must_be_ours(node: memoryview) -> None:
    """ValueError unless a node applies an operator of our nets, and runs nothing else."""
    words = {field: bytes(value).decode("utf-8", "replace") for field, value in _texts(node)}
    name, domain = words.get(OPERATOR, ""), words.get(DOMAIN, "")
    if domain not in ("", "ai.onnx") or name not in OPERATORS:
        raise ValueError(f"its operator {f'{domain}.{name}' if domain else name!r} is none of those that nets need")
    for attribute in messages(node, ATTRIBUTE):
        held = {field for field, _ in fields(attribute)}
        if held & {SUBGRAPH, SUBGRAPHS}:
            raise ValueError(f"its operator {name!r} holds a graph of its own")
        if held & {SPARSE_TENSOR, SPARSE_TENSORS}:
            raise ValueError("it holds sparse arrays")
        for field in (TENSOR, TENSORS):
            for array in messages(attribute, field):
                _must_be_within(array)


def _must_be_within(array: memoryview) -> None:
    """ValueError if the numbers of an array are in another file."""
    if any(field == EXTERNAL or (field == LOCATION and value) for field, value in fields(array)):
        raise ValueError("it names another file")


def _texts(node: memoryview) -> Iterator[tuple[int, memoryview]]:
    for field, value in fields(node):
        if field in (OPERATOR, DOMAIN) and isinstance(value, memoryview):
            yield field, value


def messages(message: memoryview, number: int) -> Iterator[memoryview]:
    """The parts of a message in the field of this number."""
    return (value for field, value in fields(message) if field == number and isinstance(value, memoryview))


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """All fields of a message, in order: the number of each, and a number or bytes; ValueError if it is torn.

    What other readers would see differently is refused: keys and sizes that are too large for them, or written longer
    than they need to be.
    """
    place = 0
    while place < len(message):
        key, place = _varint(message, place, LARGEST_KEY)
        kind = key & 7
        if not key >> 3:
            raise ValueError("it is not a file of ONNX, or not a whole one")
        if kind == VARINT:
            value, place = _varint(message, place, LARGEST_NUMBER)
            yield key >> 3, value
            continue
        if kind == BYTES:
            size, place = _varint(message, place, LARGEST)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError("it is not a file of ONNX, or not a whole one")
        if place + size > len(message):
            raise ValueError("it is not a file of ONNX, or not a whole one")
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int, most: int) -> tuple[int, int]:
    """A number of 7 bits a byte, the lowest first and the last not 0, and the place after it."""
    found = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            break
        byte = message[place]
        place += 1
        found |= (byte & 127) << shift
        if byte < 128:
            if found > most or (shift and not byte):
                break
            return found, place
    raise ValueError("it is not a file of ONNX, or not a whole one")
