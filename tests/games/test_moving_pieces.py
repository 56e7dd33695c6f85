"""Draughts, nine men's morris, Lines of Action and Quoridor: what random games show seldom or never."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from plyground import games, position, rules
from plyground.check import check
from plyground.drawing import Drawn
from plyground.rules import legal
from plyground.spec import InputError

DRAUGHTS, MORRIS = games.make("draughts"), games.make("morris")


def names(game: Any, state: Any) -> set[str]:
    return {game.name(action) for action in legal(game, state)}


def played(game: Any, state: Any, *moves: str) -> Any:
    position.play_all(game, state, list(moves))
    return state


@pytest.mark.parametrize("spec", ["draughts(6)", "lines-of-action(5)", "quoridor(3)"])
def test_every_law_is_kept(spec: str) -> None:
    assert set(dict(check(games.make(spec), games=2, compiled=False)).values()) == {""}


# --- draughts ---------------------------------------------------------------------------------------


def test_who_can_jump_has_to_and_goes_on_with_the_same_piece() -> None:
    state = DRAUGHTS.read("......../......../...w..../......../...w.w../..b...b./......../........ b")
    assert names(DRAUGHTS, state) == {"c3xe5", "g3xe5"}  # and nothing else
    played(DRAUGHTS, state, "c3xe5")
    assert DRAUGHTS.player(state) == 0 and names(DRAUGHTS, state) == {"e5xc7"}
    assert DRAUGHTS.read(DRAUGHTS.diagram(state)).tobytes() == state.tobytes()
    played(DRAUGHTS, state, "e5xc7")
    assert DRAUGHTS.player(state) == 1 and names(DRAUGHTS, state) == {"f4xh2"} and state.quiet == 0


def test_a_man_that_is_crowned_ends_its_move_and_a_king_goes_back() -> None:
    state = DRAUGHTS.read("......../..w.w.../.b....../......../......../......../......../......w. b")
    played(DRAUGHTS, state, "b6xd8")
    assert DRAUGHTS.player(state) == 1 and DRAUGHTS.cells(state)[3] == 1 and DRAUGHTS.glyphs(state)[3] == "⛃"
    state = DRAUGHTS.read("...B..../....w.../......../......../......../......../......../......w. b")
    assert names(DRAUGHTS, state) == {"d8xf6"}
    state = DRAUGHTS.read("...b..../......../......../......../......../......../......../w....... b")
    assert DRAUGHTS.over(state) and DRAUGHTS.score(state) == -1  # a man on the last row, which no game has, is stuck


def test_forty_plies_without_a_jump_are_drawn_unless_somebody_is_stuck() -> None:
    state = DRAUGHTS.read("...W..../......../......../......../......../......../......../B....... b 39")
    assert not DRAUGHTS.over(state)
    played(DRAUGHTS, state, "a1-b2")
    assert DRAUGHTS.over(state) and DRAUGHTS.score(state) == 0


@pytest.mark.parametrize(
    "diagram, says",
    [
        ("......../........ b", "8 rows of 8 cells"),
        ("b......./......../......../......../......../......../......../........ b", "dark squares"),
        (".x....../......../......../......../......../......../......../........ b", "'B' and 'W', not 'x'"),
        (".w....../......../......../......../......../......../......../........ x", "b or w moves"),
        (".w....../......../......../......../......../......../......../........ b 41", "0 to 40"),
        (".w....../......../......../......../......../......../......../........ w 0 b8", "no piece on b8 can go on"),
        (".w....../..w...../......../......../......../......../......../........ b 0 b8", "no piece on b8 can go on"),
    ],
)
def test_a_diagram_that_is_none_is_refused(diagram: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        position.read(DRAUGHTS, diagram)


def test_boards_of_draughts_have_even_sides() -> None:
    with pytest.raises(InputError, match="6 or 8 squares"):
        games.make("draughts(7)")


# --- nine men's morris ------------------------------------------------------------------------------


def men(*points: int) -> int:
    """Men on these points, as bits."""
    return sum(1 << point for point in points)


def test_a_mill_takes_a_man_that_is_in_none_unless_all_are() -> None:
    state = played(MORRIS, rules.new(MORRIS), "a7", "a1", "d7", "d1", "g7")
    assert MORRIS.player(state) == 0 and names(MORRIS, state) == {"a1", "d1"}
    state = played(MORRIS, rules.new(MORRIS), "a7", "a1", "d7", "d1", "b4", "g1")
    assert names(MORRIS, state) == {"a7", "d7", "b4"}
    played(MORRIS, state, "b4", "g7")  # black's are all in a mill now
    assert names(MORRIS, state) == {"a1", "d1", "g1"}


def test_three_men_jump_and_two_have_lost() -> None:
    state = rules.blank(MORRIS)
    state.men[:] = men(0, 1, 14), men(21, 22, 5, 9)
    assert len(legal(MORRIS, state)) == 3 * 17
    played(MORRIS, state, "g4-g7")
    assert state.takes and names(MORRIS, state) == {"a1", "d1", "f6", "a4"}
    state.turn, state.takes, state.men[0] = 0, 0, men(0, 1)
    assert MORRIS.over(state) and MORRIS.score(state) == -1


def test_who_cannot_move_has_lost_and_200_turns_are_drawn() -> None:
    state = rules.blank(MORRIS)
    state.men[:] = men(0, 2, 21, 23), men(1, 9, 14, 22, 4, 10, 13, 19)
    assert MORRIS.over(state) and MORRIS.score(state) == -1
    state.men[1] = men(9, 14, 22, 4, 10, 13, 19)
    state.turns = 200
    assert MORRIS.over(state) and MORRIS.score(state) == 0


def test_the_board_of_morris_has_its_own_lines() -> None:
    drawn = Drawn(MORRIS)
    assert len(drawn.board["lines"]) == 16 and (drawn.svg(rules.new(MORRIS)) or "").count("L") >= 16


def test_morris_has_sixteen_symmetries() -> None:
    """Those of the square, and inside out."""
    images, rng = MORRIS.symmetries(), random.Random(1)
    assert len({tuple(actions) for actions, _ in images}) == len(images) == 16
    states = [rules.new(MORRIS) for _ in images]
    for _ in range(60):
        actions = legal(MORRIS, states[0])
        action = rng.choice(actions)
        for (image, cells), state in zip(images, states, strict=True):
            assert {int(image[one]) for one in actions} == set(legal(MORRIS, state))
            assert all(MORRIS.cells(state)[cells[i]] == cell for i, cell in enumerate(MORRIS.cells(states[0])))
        for (image, _), state in zip(images, states, strict=True):
            MORRIS.play(state, int(image[action]))


# --- Lines of Action --------------------------------------------------------------------------------


def loa(size: int, rows: str) -> tuple[Any, Any]:
    game = games.make(f"lines-of-action({size})")
    state = rules.blank(game)
    for cell, sign in enumerate(rows.replace("/", "")):
        if sign != ".":
            game.put(state, cell, ".XO".index(sign))
    return game, state


def test_a_piece_goes_as_far_as_pieces_stand_on_its_line_over_its_own_alone() -> None:
    game, state = loa(5, "...../X.X../...../O...X/.....")
    assert {name for name in names(game, state) if name.startswith("a4")} == {"a4-a2", "a4-b5", "a4-b3"}
    assert "c4-e4" in names(game, state) and "c4-a4" not in names(game, state)  # that is its own


def test_who_joins_all_pieces_wins_the_mover_if_both_do() -> None:
    game, state = loa(5, "XO..O/.X.../...../X..../.....")
    assert game.score(played(game, state, "a2-b3")) == 1
    game, state = loa(5, "...../...OO/...../XX.../O.X..")
    assert game.score(played(game, state, "c1-a1")) == 1  # what is left of the other's is joined, too
    game, state = loa(5, "..X../...../...OO/X..../O.X..")
    assert game.score(played(game, state, "c1-a1")) == -1


def test_a_board_that_comes_again_is_drawn() -> None:
    game = games.make("lines-of-action")
    state = played(game, rules.new(game), "b1-b3", "a2-c2", "b3-b1", "c2-a2")
    assert game.over(state) and game.score(state) == 0 and state.moves == 4


# --- Quoridor ---------------------------------------------------------------------------------------


def test_walls_do_not_cross_nor_overlap_nor_cut_anybody_off() -> None:
    game = games.make("quoridor(3, 4)")
    state = played(game, rules.new(game), "a3h")
    assert not {"a3h", "b3h", "a3v", "b3v"} & names(game, state)  # b3v would lock the second player in
    game, rng = games.make("quoridor(4, 9)"), random.Random(1)
    refused = 0
    for _ in range(4):
        state = rules.new(game)
        while not game.over(state) and state.left[state.turn]:
            walls = [game.name(action) for action in range(game.actions()) if game.name(action)[-1] in "hv"]
            right = {name for name in walls if ways_are_left(game, state, name)}
            assert {name for name in names(game, state) if name[-1] in "hv"} == right
            refused += sum(not blocked(game, state, name)[1] for name in walls) - len(right)
            game.play(state, rng.choice(legal(game, state)[-6:]))
    assert refused > 5


def blocked(game: Any, state: Any, name: str) -> tuple[Any, bool]:
    """What is blocked after a wall, and whether any of that was before."""
    spot = next(a for a in range(game.actions()) if game.name(a) == name)
    spots = [spot + i * (1 if name.endswith("h") else game.side()) for i in range(3)]
    then = state.blocked.copy()
    then[spots] = 1
    return then, bool(state.blocked[spots].any())


def ways_are_left(game: Any, state: Any, name: str) -> bool:
    """Does a wall fit, and leave ways?  By walking everywhere."""
    (walls, before), side = blocked(game, state, name), game.side()
    for player, goal in ((0, 1), (1, side - 2)):
        reached, count = {int(state.pawns[player])}, 0
        while len(reached) > count:
            count = len(reached)
            reached |= {at + 2 * step for at in reached for step in (1, -1, side, -side) if not walls[at + step]}
        if not any(at // side == goal for at in reached):
            return False
    return not before


def test_a_pawn_jumps_over_the_other_and_past_it_where_a_wall_is_behind() -> None:
    game = games.make("quoridor(5, 3)")
    state = played(game, rules.new(game), "c2", "c4", "c3")
    assert names(game, state) >= {"c2", "b4", "d4", "c5"} and "c3" not in names(game, state)
    played(game, state, "c3h")  # behind c3
    state.turn = 1
    assert names(game, state) >= {"b3", "d3"} and "c2" not in names(game, state)


def test_who_reaches_the_far_row_wins_and_the_longest_game_is_drawn() -> None:
    game = games.make("quoridor(3)")
    state = played(game, rules.new(game), "b2", "a3", "b3")
    assert game.over(state) and game.score(state) == 1
    state = rules.new(game)
    state.moves = 35
    played(game, state, "b2")
    assert game.over(state) and game.score(state) == 0


def test_a_pawn_that_cannot_move_stays() -> None:
    game = games.make("quoridor(3)")
    state = rules.new(game)
    state.left[:], at = 0, int(state.pawns[0])
    state.blocked[[at - 1, at + 1, at - game.side()]] = 1
    assert names(game, state) == {"b1"}
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    assert planes[0, 4, 2] == 1 and planes[1, 0, 2] == 1 and planes[2].sum() == 3
