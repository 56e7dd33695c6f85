"""Games of stones as diagrams: SVG, to stand inside a page."""

from __future__ import annotations

from html import escape
from typing import Any

from ..boards import letters
from ..rules import new

STEP, EDGE, GAP = 22, 26, 18  # points between two lines, around them, and between two boards
STONES = ("#16181b", "#fdfdfb")


def game_record(game: Any, actions: list[int], panels: int) -> str:
    """A game as some boards side by side; each numbers its new stones, the last one rings the winning row."""
    each = max(1, -(-len(actions) // panels))
    boards = [(start, min(start + each, len(actions))) for start in range(0, len(actions), each)]
    rows, cols = game.board()["rows"], game.board()["cols"]
    width, height = (cols - 1) * STEP + 2 * EDGE, (rows - 1) * STEP + 2 * EDGE + STEP
    drawn = "".join(
        f'<g transform="translate({number * (width + GAP)} 0)">{_board(game, actions, start, end)}'
        f'<text x="{width / 2}" y="{height - 4}" fill="#333">moves {start + 1} to {end}</text></g>'
        for number, (start, end) in enumerate(boards)
    )
    total = len(boards) * (width + GAP) - GAP
    title = escape(" ".join(game.name(action) for action in actions))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height}" width="{total}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="10" text-anchor="middle"><title>{title}</title>'
        f"{drawn}</svg>"
    )


def _board(game: Any, actions: list[int], start: int, end: int) -> str:
    """The position after `end` moves; those after `start` are numbered."""
    rows, cols = game.board()["rows"], game.board()["cols"]

    def at(cell: int) -> tuple[int, int]:
        return EDGE + cell % cols * STEP, EDGE + cell // cols * STEP

    right, bottom = at(rows * cols - 1)
    parts = [f'<rect width="{right + EDGE}" height="{bottom + EDGE}" rx="4" fill="#e9cf9f"/>']
    across = "".join(f"M{EDGE} {EDGE + row * STEP}H{right}" for row in range(rows))
    down = "".join(f"M{EDGE + col * STEP} {EDGE}V{bottom}" for col in range(cols))
    parts.append(f'<path d="{across}{down}" stroke="#6b5a36" stroke-width="1" fill="none"/>')
    parts += [
        f'<text x="{EDGE + c * STEP}" y="{bottom + EDGE - 4}" fill="#5a4a28">{letters(c)}</text>' for c in range(cols)
    ]
    parts += [f'<text x="9" y="{EDGE + r * STEP + 4}" fill="#5a4a28">{rows - r}</text>' for r in range(rows)]
    state, row = new(game), list[int]()
    for number, action in enumerate(actions[:end], 1):
        player = int(game.player(state))
        x, y = at(action)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{STEP / 2 - 1.5}" fill="{STONES[player]}" stroke="#16181b"/>')
        if number > start:
            parts.append(f'<text x="{x}" y="{y + 3.5}" fill="{STONES[1 - player]}">{number}</text>')
        game.play(state, action)
    if game.over(state):
        row = game.row(state)
    marked = [at(cell) for cell in row]
    return "".join(
        parts
        + [
            f'<circle cx="{x}" cy="{y}" r="{STEP / 2}" fill="none" stroke="#c0392b" stroke-width="2"/>'
            for x, y in marked
        ]
    )
