"""What a stone makes of a line: by its definition, in the mirror, and for both players alike."""

from __future__ import annotations

import numpy as np
import pytest
from naive_threats import made

from plyground.games.k_in_row.tactics import patterns
from plyground.games.k_in_row.tactics.patterns import (
    FIVE,
    FOUR,
    FOUR_THREE,
    FOURS,
    NOTHING,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    QUIET,
    SOME,
    THREE,
    THREES,
    TWO,
    TWO_THREES,
    WINS,
    WON,
)

RULES = [(4, False), (4, True), (5, False), (5, True), (6, False)]


def numbers(k: int, exact: bool, base: int) -> list[int]:
    """All lines, or some of them if there are many."""
    many = base ** (2 * patterns.reach(k, exact))
    return list(range(many)) if many < 10_000 else np.random.default_rng(1).integers(many, size=3000).tolist()


def digits(number: int, k: int, exact: bool, base: int) -> list[int]:
    return [number // base**i % base for i in range(2 * patterns.reach(k, exact))]


@pytest.mark.parametrize(("k", "exact"), RULES)
def test_every_line_is_what_its_definition_says(k: int, exact: bool) -> None:
    table, side = patterns.of_lines(k, exact), patterns.reach(k, exact)
    for number in numbers(k, exact, 3):
        cells = "".join(".xo"[digit] for digit in digits(number, k, exact, 3))
        line = cells[:side] + "x" + cells[side:]
        assert table[number] == made(line, side, k, exact), line


@pytest.mark.parametrize(("k", "exact"), RULES)
def test_a_line_and_its_mirror_image_are_the_same(k: int, exact: bool) -> None:
    table, cells = patterns.of_lines(k, exact), 2 * patterns.reach(k, exact)
    lines = table.reshape((3,) * cells)
    assert np.array_equal(lines, lines.transpose(range(cells)[::-1]))


@pytest.mark.parametrize(("k", "exact"), RULES[:4])
def test_a_key_means_the_same_for_either_player(k: int, exact: bool) -> None:
    table, side = patterns.by_key(k, exact), patterns.reach(k, exact)
    for key in numbers(k, exact, 4):
        cells = digits(key, k, exact, 4)
        swapped = sum((0, 2, 1, 3)[cell] << 2 * i for i, cell in enumerate(cells))
        assert table[0, key] == table[1, swapped]
        seen = "".join(".xo#"[cell] for cell in cells)
        assert table[0, key] == made(seen[:side] + "x" + seen[side:], side, k, exact)


@pytest.mark.parametrize(
    ("line", "exact", "what"),
    [
        ("..XX*XX..", False, FIVE),
        ("XXXX*....", False, FIVE),
        (".XXXX*X...", False, FIVE),
        (".XXXX*X...", True, NOTHING),
        ("...XX*X...", False, OPEN_FOUR),
        ("..OXX*X...", False, FOUR),
        ("X.XX*.X...", False, OPEN_FOUR),  # two cells between
        ("X.X*X.X...", True, OPEN_FOUR),
        ("..XX*X.X..", False, OPEN_FOUR),
        ("..XX*X.X..", True, FOUR),  # one of them would make six
        ("...XX*....", False, OPEN_THREE),
        ("..X.X*....", False, OPEN_THREE),
        ("..OXX*....", False, THREE),
        ("..OXX*.O..", False, NOTHING),
        (".O.XX*.O..", False, THREE),
        (".OX.X*.O..", False, THREE),
        ("....X*....", False, OPEN_TWO),
        ("...OX*....", False, TWO),
    ],
)
def test_lines_that_players_know(line: str, exact: bool, what: int) -> None:
    at, side = line.index("*"), patterns.reach(5, exact)
    cells = [line[i] if 0 <= i < len(line) else "." for i in range(at - side, at + side + 1) if i != at]
    key = sum({".": 0, "X": 1, "O": 2}[cell] << 2 * i for i, cell in enumerate(cells))
    assert patterns.by_key(5, exact)[0, key] == what


@pytest.mark.parametrize(
    ("lines", "rank"),
    [
        ((NOTHING, TWO, NOTHING, TWO), QUIET),
        ((OPEN_TWO, NOTHING, THREE, NOTHING), SOME),
        ((OPEN_THREE, THREE, NOTHING, NOTHING), THREES),
        ((OPEN_THREE, THREE, NOTHING, OPEN_THREE), TWO_THREES),
        ((THREE, FOUR, NOTHING, NOTHING), FOURS),
        ((OPEN_THREE, OPEN_THREE, NOTHING, FOUR), FOUR_THREE),
        ((FOUR, NOTHING, NOTHING, FOUR), WON),
        ((NOTHING, OPEN_FOUR, NOTHING, FOUR), WON),
        ((OPEN_FOUR, FOUR, FIVE, NOTHING), WINS),
    ],
)
def test_four_lines_together(lines: tuple[int, ...], rank: int) -> None:
    ranks, points = patterns.by_lines()
    code = sum(what << 4 * i for i, what in enumerate(lines))
    assert ranks[code] == rank and points[code] == sum(patterns.WEIGHTS[what] for what in lines)
