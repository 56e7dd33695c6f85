"""Tetris by placements: the naive twin over many games, and the rules one by one."""

from __future__ import annotations

import numpy as np
import pytest

import naive_tetris
from plyground import games, rules
from plyground.check import check
from plyground.games.tetris import tetrominoes
from plyground.games.tetris.rules import interval, level
from plyground.rules import CHANCE
from plyground.spec import InputError
from tetris_games import NARROW, SPECS, replay

REFERENCE, SIMPLIFIED = games.make("tetris"), games.make("tetris(10,20,'simplified')")
FOUR = "/".join(["#########."] * 4)  # an upright bar clears them


def placed(game, diagram: str, name: str):
    """The state after a placement, by its name."""
    state = game.read(diagram)
    by_name = {game.name(action): action for action in rules.legal(game, state)}
    game.play(state, by_name[name])
    return state


# --- by the twin --------------------------------------------------------------------------------------


def test_the_pieces_turn_as_they_are_drawn() -> None:
    assert naive_tetris.ORDER == tetrominoes.LETTERS
    for piece, letter in enumerate(tetrominoes.LETTERS):
        for turn in range(4):
            assert tetrominoes.cells(piece, turn) == naive_tetris.TURNS[letter][turn]


@pytest.mark.parametrize(
    ("spec", "placements", "lines", "blocked"),
    [
        (SPECS[0], 1000, 100, 75),
        (SPECS[1], 8000, 800, 0),
        (SPECS[2], 800, 50, 60),
        (SPECS[3], 5000, 500, 0),
        (SPECS[4], 500, 30, 100),
    ],
)
def test_compiled_games_are_replayed_by_the_naive_twin(spec: str, placements: int, lines: int, blocked: int) -> None:
    """`tests/tetris_games.py` as a program replays millions."""
    seen = replay(spec, placements)
    assert seen["games"] > 20 and seen["lines"] > lines  # not only games that end at once
    assert seen["blocked"] >= blocked  # pieces that could not get everywhere


@pytest.mark.parametrize("spec", [*SPECS[2:], *NARROW, "tetris(15,26,'simplified')"])
def test_it_keeps_the_laws_as_far_as_they_need_no_compiler(spec: str) -> None:
    assert [breach for _, breach in check(games.make(spec), games=1, compiled=False) if breach] == []


@pytest.mark.parametrize("spec", SPECS[:2])
def test_it_keeps_the_laws(spec: str) -> None:
    assert [breach for _, breach in check(games.make(spec), games=2) if breach] == []


# --- the reference game -------------------------------------------------------------------------------


def test_a_game_begins_with_two_pieces_drawn_alike_and_one_is_drawn_after_every_placement() -> None:
    state = rules.new(REFERENCE)
    for _ in range(2):
        assert REFERENCE.player(state) == CHANCE
        assert rules.outcomes(REFERENCE, state) == [(piece, pytest.approx(1 / 7)) for piece in range(7)]
        REFERENCE.play(state, 2)
    assert REFERENCE.player(state) == 0
    REFERENCE.play(state, rules.legal(REFERENCE, state)[0])
    assert (state.piece, state.next) == (3, 0) and REFERENCE.player(state) == CHANCE


def test_four_lines_score_their_square_and_the_rows_of_the_drop() -> None:
    state = placed(REFERENCE, f"{FOUR} io", "r1c10")
    assert state.score == 100 * 16 + 10 * 18  # from the top four rows to the floor
    assert state.lines == 4 and not state.columns.any()


def test_pieces_in_a_row_that_clear_lines_count_more_and_more_until_one_does_not() -> None:
    state = placed(REFERENCE, "######..../######.... oo combo=2", "r0c7")
    assert (state.score, state.combo) == (10 * 20, 0)
    state = placed(REFERENCE, "########../########.. oo combo=2", "r0c9")
    assert (state.score, state.combo) == (10 * 20 + 100 * 4 * 3, 3)


def test_a_level_ends_after_ten_lines_and_pieces_fall_faster() -> None:
    assert [level(lines) for lines in (0, 9, 10, 19, 20, 105)] == [1, 1, 2, 2, 3, 11]
    assert interval(0) == pytest.approx(0.4**1.1) and interval(95) == pytest.approx(0.4**2)
    assert "score 0, level 2, lines 13" in REFERENCE.text(REFERENCE.read(".......... to lines=13"))


def tower(rows: int, gap: str = "####.#####") -> str:
    """So many rows with a gap in each, from the floor."""
    return "/".join([gap] * rows)


def test_it_is_over_when_the_next_piece_cannot_appear() -> None:
    state = placed(REFERENCE, f"{tower(19, '###.......')} oi", "r0c5")
    assert not REFERENCE.over(state)  # the bar appears in the row above
    state = placed(REFERENCE, f"{tower(20, '....#.....')} jo", "r0c1")
    assert not REFERENCE.over(state)  # the pile has come up to the hidden rows, and the square fits into them
    state = placed(REFERENCE, f"{tower(20, '....#.....')} oo score=70", "r0c5")
    assert REFERENCE.over(state) and REFERENCE.score(state) == 70  # it rests where it has appeared


def test_a_piece_that_is_walled_in_can_only_be_dropped_where_it_is() -> None:
    state = REFERENCE.read(f"##......##/{tower(20, '##......##')} oo")
    assert [REFERENCE.name(action) for action in rules.legal(REFERENCE, state)] == [f"r0c{c}" for c in range(3, 8)]


def test_a_turn_is_kicked_off_a_wall_but_not_off_other_pieces() -> None:
    """An upright bar in a shaft cannot lie down, whatever room there is two columns away."""
    narrow = REFERENCE.read(f"{tower(21, '###....###')} io")
    assert {REFERENCE.name(a) for a in rules.legal(REFERENCE, narrow)} == {"r0c4", "r1c4", "r1c5", "r1c6", "r1c7"}


# --- the simplified game ------------------------------------------------------------------------------


def test_every_turn_and_column_is_allowed_however_high_the_pile() -> None:
    state = SIMPLIFIED.read(f"{tower(20)} t")
    assert len(rules.legal(SIMPLIFIED, state)) == 2 * 8 + 2 * 9
    counts = [len(rules.legal(SIMPLIFIED, SIMPLIFIED.read(f".......... {letter}"))) for letter in "iotszjl"]
    assert counts == [17, 9, 34, 17, 17, 34, 34]


def test_lines_are_the_score_and_nothing_else_is() -> None:
    state = placed(SIMPLIFIED, f"{FOUR} i", "r1c10")
    assert SIMPLIFIED.score(state) == 4 and state.score == 0
    assert SIMPLIFIED.score(placed(SIMPLIFIED, ".......... i", "r1c10")) == 0


def test_it_is_over_when_a_piece_sticks_out_and_its_full_rows_stay() -> None:
    filled = f"{tower(20, '#########.')}"
    state = placed(SIMPLIFIED, filled.replace("#########.", "########..", 18) + " i", "r1c10")
    assert not SIMPLIFIED.over(state) and state.lines == 2
    sticking = placed(SIMPLIFIED, f"#########.\n{'/########..' * 19}".replace("\n", "") + " o", "r0c9")
    assert SIMPLIFIED.over(sticking) and sticking.lines == 0
    inside = placed(SIMPLIFIED, f"{'/########..' * 20}"[1:] + " o", "r0c9")
    assert not SIMPLIFIED.over(inside) and inside.lines == 2


# --- the bag ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["reference", "simplified"])
def test_every_seven_pieces_from_the_bag_are_all_seven(kind: str) -> None:
    game = games.make(f"tetris(15,26,'{kind}',bag='seven')")
    rng = np.random.default_rng(1)
    state, drawn = rules.new(game), list[int]()
    while len(drawn) < 21:
        if game.player(state) == CHANCE:
            outcomes = rules.outcomes(game, state)
            assert {action for action, _ in outcomes} == set(range(7)) - set(drawn[len(drawn) // 7 * 7 :])
            drawn.append(rules.drawn_outcome(game, state, rng))
            game.play(state, drawn[-1])
        else:
            game.play(state, int(rng.choice(rules.legal(game, state)[:5])))
    assert all(sorted(drawn[at : at + 7]) == list(range(7)) for at in (0, 7, 14))


# --- for people and nets ------------------------------------------------------------------------------


def test_a_placement_tells_the_cells_on_which_the_piece_comes_to_rest() -> None:
    state = REFERENCE.read("###.###### ti")
    by_name = {REFERENCE.name(action): action for action in rules.legal(REFERENCE, state)}
    upside_down = REFERENCE.where(state, by_name["r2c3"])
    assert sorted(upside_down) == [202, 203, 204, 213]
    cells = REFERENCE.cells(state)
    assert [cells.count(colour) for colour in (0, 3, 9)] == [220 - 13, 4, 9]
    assert [cell for cell, colour in enumerate(cells) if colour == 3] == [4, 13, 14, 15]


def test_planes_show_the_cells_the_pieces_the_combo_and_the_bag() -> None:
    game = games.make("tetris(10,20,bag='seven')")
    state = game.read("#........./##........ tz combo=3 drawn=tz")
    planes = np.zeros(game.planes(), np.float32)
    game.encode(state, planes)
    assert planes.shape == (1 + 7 + 7 + 1 + 7, 22, 10)
    assert np.argwhere(planes[0]).tolist() == [[20, 0], [21, 0], [21, 1]]
    assert [plane for plane in range(1, 15) if planes[plane].all()] == [3, 7 + 5]
    assert (planes[15] == np.float32(0.3)).all() and planes[16:].all((1, 2)).tolist() == [
        letter in "tz" for letter in "iotszjl"
    ]
    assert games.make("tetris(6,12,'simplified')").planes() == (8, 12, 6)


@pytest.mark.parametrize(
    ("diagram", "says"),
    [
        ("...", "rows are 10 signs"),
        ("/".join([".........."] * 40), "rows are 10 signs"),
        ("##########/.......... tz", "none of them is full"),
        (f"{tower(23, '#.........')} tz", "the well has 22 rows"),
        (".......... q", "one of iotszjl"),
        (".......... tzl", "one of iotszjl"),
        (".......... tz lines=x", "cannot read 'lines=x'"),
        (".......... tz drawn=tz", "cannot read 'drawn=tz'"),
        (".......... tz score=²", "cannot read 'score=²'"),
    ],
)
def test_a_diagram_that_makes_no_sense_is_refused(diagram: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        REFERENCE.read(diagram)


def test_a_diagram_has_no_more_rows_than_the_bits_of_a_column() -> None:
    high = games.make("tetris(10,26)")
    assert high.read(f"{tower(28, '#.........')} tz").columns[0] == 2**28 - 1
    for rows, says in ((31, "the well has 28 rows"), (32, "at most 28 of them")):
        with pytest.raises(ValueError, match=says):
            high.read(f"{tower(rows, '#.........')} tz")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("tetris(3)", "cols is 4 to 15"),
        ("tetris(10, 30)", "rows is 4 to 26"),
        ("tetris(10, 20, 'easy')", "rules is one of reference, simplified"),
        ("tetris(bag='six')", "bag is one of none, seven"),
    ],
)
def test_wells_that_cannot_be_are_refused(spec: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        games.make(spec)
