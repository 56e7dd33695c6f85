"""What a notebook shows of positions, thoughts, matches and trees."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

import plyground as pg
from plyground.report.tree import Tree


def drawn(what: Any) -> ElementTree.Element:
    """A picture, which has to be well-formed."""
    return ElementTree.fromstring(what._repr_svg_())


def tags(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return list(picture.iter(f"{{http://www.w3.org/2000/svg}}{name}"))


BOARDS = {"tictactoe": 9, "gomoku(9)": 81, "connect-four": 42, "tetris(6,12)": 72, "line-taking": 1}


@pytest.mark.parametrize(("game", "cells"), BOARDS.items())
def test_a_board_of_any_shape_shows_each_of_its_cells(game: str, cells: int) -> None:
    picture = drawn(pg.Position(game))
    assert len([group for group in tags(picture, "g") if "data-cell" in group.attrib]) >= cells


def test_stones_the_last_move_and_the_winning_row_are_seen() -> None:
    here = pg.Position("tictactoe", "b2 a1 a3 b1").play("c1")
    assert here.over and here.score == 1 and here.moves == []
    rings = [circle.get("stroke") for circle in tags(drawn(here), "circle") if circle.get("fill") == "none"]
    assert rings.count("#14916c") == 3 and rings.count("#b98a1d") == 1  # the row, the last move
    assert rings.count("#d2583a") == 2  # the second player's stones
    with pytest.raises(pg.InputError, match="b2 is not legal here"):
        pg.Position("tictactoe", "b2").play("b2")
    assert pg.Position("tictactoe").play(4).moves == pg.Position("tictactoe", "b2").moves


def test_a_thought_marks_its_moves_and_its_tree_has_their_visits() -> None:
    agent = pg.agent("uct(sims=200)")
    thought = pg.think("tictactoe", agent, "b2 a1")
    shares = [text.text for text in tags(drawn(thought), "text") if (text.text or "").endswith("%")]
    assert shares and "<table>" in thought._repr_html_() and "<svg" in thought._repr_html_()
    tree = thought.tree(depth=2, width=3)
    best = tree.root.children[0]
    assert best.visits == max(move.visits for move in thought.moves) and len(tree.root.children) == 3
    assert f"N {best.visits:,}" in repr(tree) and f"N {best.visits:,}" in ElementTree.tostring(drawn(tree), "unicode")
    assert sum(len(child.children) for child in tree.root.children) > 0
    pg.think("tictactoe", agent)
    with pytest.raises(pg.InputError, match="the tree is gone"):
        thought.tree()
    with pytest.raises(pg.InputError, match="grows no tree"):
        pg.think("tictactoe", "random").tree()


def test_a_match_shows_bars_and_the_interval() -> None:
    match = pg.match("tictactoe", "win-block", "random", games=4, jobs=1)
    assert len(tags(drawn(match), "rect")) == 9 + 3 and len(tags(drawn(match), "circle")) == 1 + 1  # and the legend
    words = [tag.text for tag in tags(drawn(match), "text")]
    assert words[0] == "win-block v random" and words[-4:] == ["wins", "draws", "losses", "score, 95 % interval"]
    assert match._repr_html_().count("<pre>") == 1  # lines that follow one another are one text
    assert match._repr_html_().startswith("<svg") and "<table>" in match._repr_html_()


def test_outcomes_in_a_tree_are_told_for_whoever_moved_before() -> None:
    """The second player moves, then chance: what an action is worth is the mean of what its outcomes are."""
    thought = pg.think('against-random("tictactoe",0)', "uct(sims=600)", "a1", seed=3)
    best = thought.tree(depth=2, width=9).root.children[0]
    mean = sum(child.value * child.visits for child in best.children) / sum(child.visits for child in best.children)
    assert abs(best.value) > 0.2 and abs(mean - best.value) < 0.1


def test_a_value_that_is_rounded_to_nothing_has_no_minus() -> None:
    assert repr(Tree([], 1, -0.0001)) == "root  N 1  Q +0.000"
