"""The rules say what they have always said: whole games are compared with those that were written down."""

from __future__ import annotations

import pytest

import playthroughs
from playthroughs import FOLDER, GAMES, playthrough
from plyground import games


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_as_it_was_written_down(name: str, request: pytest.FixtureRequest) -> None:
    file, now = FOLDER / f"{name}.txt", playthrough(GAMES[name])
    if request.config.getoption("--write-playthroughs"):
        file.write_text(now, encoding="utf-8")
    was = file.read_text(encoding="utf-8")
    for number, (one, other) in enumerate(zip(was.splitlines(), now.splitlines(), strict=False), 1):
        assert other == one, f"{file.name}, line {number}"
    assert now == was


def test_every_game_is_written_down_and_nothing_else() -> None:
    assert {spec.partition("(")[0] for spec in GAMES.values()} == set(games.registry())
    assert {path.stem for path in FOLDER.iterdir()} == set(GAMES)


def test_every_kind_of_position_is_among_them() -> None:
    """Ends of every kind, chance, one legal move: what was not written down is not watched."""
    text = "".join((FOLDER / f"{name}.txt").read_text() for name in GAMES)
    for line in ("score: 1", "score: -1", "score: 0", "player: chance", "player: 1", "over: True"):
        assert f"\n{line}\n" in text, line
    assert any(len(line.split()) == 2 for line in text.splitlines() if line.startswith("legal: "))


def test_a_changed_rule_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playthroughs.rules, "legal", lambda game, state: [0, 1])
    assert playthrough("tictactoe") != (FOLDER / "tictactoe.txt").read_text(encoding="utf-8")
