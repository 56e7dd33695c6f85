"""Records: fields as attributes, in Python as in compiled code, and nothing else."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numba
import numpy as np
import pytest

from plyground.jit.records import Record, record

INSIDE = record([("count", np.int16), ("cells", np.int8, (3,))])
FIELDS = [("inside", INSIDE), ("left", np.int64)]


def one() -> tuple[np.ndarray, Any]:
    """An array of one record, and the record, which is a view of it."""
    made = np.zeros(1, record(FIELDS))
    return made, made[0]


def test_what_is_written_to_a_field_is_read_there_and_in_the_array() -> None:
    made, state = one()
    state.left = 7
    state.left -= 2
    state.inside.count = 3
    state.inside.cells[1] = 4
    assert state.left == state["left"] == made["left"][0] == 5
    assert state.inside.count == made["inside"]["count"][0] == 3
    assert made["inside"]["cells"].tolist() == [[0, 4, 0]]


def test_compiled_code_changes_the_same_fields() -> None:
    made, state = one()

    def change(state: Any) -> Any:
        state.left += 2
        state.inside.cells[2] = state.left
        return state.inside.cells[2]

    assert numba.njit(change)(made[0]) == 2 and change(state) == 4
    assert state.left == 4 and state.inside.cells.tolist() == [0, 0, 4]


def test_a_field_that_is_not_there_is_no_attribute() -> None:
    _, state = one()
    assert not hasattr(state, "right")
    with pytest.raises(AttributeError, match="there is no field right"):
        state.right = 1
    with pytest.raises(ValueError, match="invalid literal"):  # what does not fit into a field is another matter
        state.left = "many"


def test_a_field_named_like_what_all_records_have_hides_nothing() -> None:
    state = np.zeros(1, record([("copy", np.int8), ("names", np.int8)]))[0]
    state.copy = state.names = 3
    assert state["copy"] == state.names == 3 and state.copy() == state


def test_records_of_the_same_fields_are_of_one_class_in_other_processes_too() -> None:
    kind = record(FIELDS)
    assert record(FIELDS).type is kind.type is pickle.loads(pickle.dumps(kind)).type is not INSIDE.type
    assert pickle.loads(pickle.dumps(Record)) is Record


def test_copies_are_records_of_their_own() -> None:
    _, state = one()
    state.left = 1
    for other in (state.copy(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert isinstance(other, Record) and isinstance(other.inside, Record)
        assert other == state and other.tobytes() == state.tobytes()
        other.left = 2
        assert state.left == 1
