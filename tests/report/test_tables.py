"""Tables as text and as HTML."""

from __future__ import annotations

import pytest

from plyground.cli.show import show
from plyground.tables import Table


def test_numbers_stand_on_the_right_and_names_on_the_left() -> None:
    table = Table(["move", "visits"], title="best first")
    table.add("a1", "1,000")
    table.add("b10", "2")
    assert str(table) == repr(table) == "best first\nmove  visits\na1     1,000\nb10        2"


def test_html_shows_what_the_cells_say_and_runs_none_of_it() -> None:
    table = Table(["<b>", "n"], [["<script>", "&"]])
    assert "<script>" not in table._repr_html_()
    assert "&lt;script&gt;" in table._repr_html_() and "&amp;" in table._repr_html_()


def test_the_head_is_bold_in_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(["a", "b"], [["1", "2"]], "title")
    show(table)
    assert capsys.readouterr().out == "title\na  b\n1  2\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    show(table)
    assert capsys.readouterr().out == "title\n\033[1ma  b\033[0m\n1  2\n"
