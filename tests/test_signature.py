"""The signature of the searches: no search looks at other nodes than it did, unless that is meant."""

from __future__ import annotations

import json
from difflib import unified_diff

import pytest

from commands import answer, interpreted
from plyground.bench import signature

MEANT = "a search has changed; if that is meant: pytest tests/test_signature.py --write-signature"


def test_every_search_looks_at_the_nodes_that_it_did(pytestconfig: pytest.Config) -> None:
    """Interpreted, which is the same: nothing needs to be compiled for it."""
    found = interpreted(__file__)
    if pytestconfig.getoption("--write-signature"):
        signature.RECORD.write_text(found, encoding="utf-8")
    changes = list(
        unified_diff(signature.recorded().splitlines(), found.splitlines(), "recorded", "found", lineterm="")
    )
    assert not changes, "\n".join([MEANT, *changes])


def test_compiled_it_is_the_same_and_any_change_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {line.rsplit(maxsplit=2)[0]: line for line in signature.recorded().splitlines()}
    quick = ("uct", "rave", "minimax", "puct")
    monkeypatch.setattr(signature, "CASES", {name: case for name, case in signature.CASES.items() if name in quick})
    monkeypatch.setattr(signature, "OTHERS", {"puct": signature.puct})
    *told, together = answer("bench", "signature")["signature"]
    assert [(row["search"], row["as_recorded"]) for row in told] == [(name, "yes") for name in quick]
    assert [row["signature"] for row in told] == [known[name].split()[-1] for name in quick]
    assert together["search"] == "all" and together["nodes"] == sum(row["nodes"] for row in told)
    monkeypatch.setattr(signature, "CASES", {"uct": [("tictactoe", "", "uct(sims=200, c=1.01)")]})
    monkeypatch.setattr(signature, "OTHERS", {})
    assert [row["as_recorded"] for row in answer("bench", "signature")["signature"]] == ["no", "no"]


if __name__ == "__main__":  # without the compiler
    import warnings

    warnings.filterwarnings("ignore", "overflow encountered")  # numbers that wrap around, as they shall
    print(json.dumps(signature.text(signature.measured())))
