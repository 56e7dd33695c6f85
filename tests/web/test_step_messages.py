"""The socket: a search step by step, bounded, and the same that the compiled kernel runs."""

from __future__ import annotations

from typing import Any

import pytest
from websockets.sync.client import ClientConnection
from wire import ask

import plyground as pg


def asked(page: ClientConnection, **message: Any) -> dict:
    return ask(page, type="steps", **{"agent": "uct(c=0.7)", "moves": ["b2"], "seed": 3} | message)


def children(tree: list[dict]) -> dict[str, int]:
    return {node["path"][0]: node["visits"] for node in tree if len(node["path"]) == 1}


def test_steps_begin_anywhere_and_are_those_of_python(page: ClientConnection) -> None:
    told = asked(page, skip=20, count=2)
    search = pg.steps("tictactoe", "uct(c=0.7)", "b2", seed=3)
    search.skip(20)
    assert (told["type"], told["kind"], told["first"], told["ended"]) == ("steps", "tree", 20, False)
    assert sum(children(told["tree"]).values()) == told["tree"][0]["visits"] == 20
    for simulation in told["simulations"]:
        same = next(search).to_json()
        assert simulation["events"] == same["events"] and simulation["number"] == same["number"]
        assert simulation["tree"][0]["visits"] == simulation["number"]


def test_options_change_after_so_many_simulations(page: ClientConnection) -> None:
    changes = [{"after": 10, "agent": "uct(c=0.0)"}, {"after": 25, "agent": "uct(c=5.0)"}]
    told = asked(page, skip=20, count=1, changes=changes)
    search = pg.steps("tictactoe", "uct(c=0.7)", "b2", seed=3)
    search.skip(10)
    search.change(c=0.0)
    search.skip(10)
    assert told["simulations"][0]["events"] == next(search).to_json()["events"] and "c" in told["live"]


def test_a_proven_root_ends_the_steps(page: ClientConnection) -> None:
    told = asked(page, moves=["b2", "b3", "a1", "a2"], skip=5_000)
    assert told["ended"] and told["simulations"] == [] and told["first"] < 5_000
    assert told["tree"][0]["proof"] == 1


def test_alpha_beta_tells_windows_and_cut_offs(page: ClientConnection) -> None:
    told = asked(page, agent="alphabeta(depth=3, threats=False)", moves=["b2", "a1"])
    kinds = {event["type"] for event in told["events"]}
    assert told["kind"] == "window" and told["complete"] and kinds == {"deepen", "enter", "cut", "leave"}
    assert told["events"][1]["window"] == ["−∞", "∞"]
    long = asked(page, agent="minimax(depth=6)", moves=[])
    assert not long["complete"] and 0 < len(long["events"]) <= 1_500


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"skip": 100_001}, "skip"),
        ({"count": 21}, "count"),
        ({"agent": "random"}, "does not search step by step"),
        ({"agent": "uct(threads=2)"}, "threads=1"),
        ({"changes": [{"after": 0, "agent": "rave"}]}, "not to be changed"),
        ({"changes": [{"after": 9, "agent": "uct"}, {"after": 2, "agent": "uct"}], "skip": 9}, "in the order"),
        ({"moves": ["b2", "a1", "b1", "a2", "b3"]}, "over"),
    ],
)
def test_what_makes_no_sense_is_one_line(page: ClientConnection, message: dict, said: str) -> None:
    told = asked(page, **message)
    assert told["type"] == "error" and said in told["error"] and "\n" not in told["error"]
