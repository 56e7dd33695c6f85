"""The page about agents says what the docstrings of the interface say."""

from __future__ import annotations

from pathlib import Path

from plyground.agents.base import METHODS, REQUIRED, Agent, _takes

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"


def rows(names: list[str]) -> str:
    """The lines of a table of methods."""
    told = {name: " ".join((METHODS[name].__doc__ or "").removeprefix("Required.").split()) for name in names}
    return "\n".join(f"| `{name}({', '.join(_takes(Agent, name))})` | {text} |" for name, text in told.items())


def test_the_page_has_the_interface_as_it_is() -> None:
    page = PAGE.read_text()
    for names in (REQUIRED, [name for name in METHODS if name not in REQUIRED]):
        assert rows(names) in page, f"the table of docs/agents.md should have these lines:\n{rows(names)}"


def test_the_first_agent_of_the_page_is_short() -> None:
    first = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    assert "def think(self, game, state, limit)" in first and len(first.splitlines()) <= 15
