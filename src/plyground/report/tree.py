"""The top of a search tree, as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from ..drawing import tone

WIDE, HIGH, GAP = 76, 44, 34  # of a node, and between two levels


class Node(NamedTuple):
    """A move, how often it was visited, what it is worth for the player who makes it, and what follows."""

    name: str
    visits: int
    value: float
    children: list[Node]


class Tree:
    """The most visited moves of a search, and those that follow them, with N, the visits, and Q, the value."""

    def __init__(self, children: list[Node], visits: int, value: float | None) -> None:
        self.root = Node("root", visits, value or 0.0, children)

    def __repr__(self) -> str:
        return "\n".join(self._lines(self.root, ""))

    def _lines(self, node: Node, indent: str) -> Iterator[str]:
        yield f"{indent}{node.name}  N {node.visits:,}  Q {node.value:+z.3f}"
        for child in node.children:
            yield from self._lines(child, indent + "  ")

    def _repr_svg_(self) -> str:
        parts: list[str] = []
        _, wide = self._draw(self.root, 0, 4.0, parts)
        high = self._levels(self.root) * (HIGH + GAP) - GAP + 4
        font = 'font-family="system-ui, sans-serif" font-size="11" text-anchor="middle"'
        size = f'viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {font}>{"".join(parts)}</svg>'

    def _levels(self, node: Node) -> int:
        return 1 + max(map(self._levels, node.children), default=0)

    def _draw(self, node: Node, level: int, left: float, parts: list[str]) -> tuple[float, float]:
        """Draw a node over its children, from `left` on; return its middle, and where the next one may begin."""
        top, at, middles = 2 + level * (HIGH + GAP), left, []
        for child in node.children:
            middle, at = self._draw(child, level + 1, at, parts)
            middles.append(middle)
        own = (middles[0] + middles[-1]) / 2 if middles else left + WIDE / 2
        for middle in middles:
            parts.append(f'<path d="M{own:g} {top + HIGH}L{middle:g} {top + HIGH + GAP}" stroke="#8b929a"/>')
        box = f'x="{own - WIDE / 2:g}" y="{top}" width="{WIDE}" height="{HIGH}" rx="6" fill="{tone(node.value)}"'
        parts.append(f'<rect {box}/><text x="{own:g}" y="{top + 13}" fill="#fff" font-weight="700">')
        parts.append(f"{escape(node.name)}</text>")
        for line, text in enumerate((f"N {node.visits:,}", f"Q {node.value:+z.2f}")):
            parts.append(f'<text x="{own:g}" y="{top + 26 + 13 * line}" fill="#fff">{text}</text>')
        return own, max(at, left + WIDE + 8)
