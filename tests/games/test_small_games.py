"""Games of one file each: random games beside OpenSpiel's rules, published counts, and known theory."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
import pytest

from plyground import games, rules
from plyground.check import check
from plyground.drawing import Drawn
from plyground.position import read
from plyground.rules import after, legal, playable
from plyground.spec import InputError
from plyground.trust.oracles import beside

BESIDE = [
    ("2048", "2048(max_tile=131072)", 3),
    ("amazons(6)", "amazons(board_size=6)", 20),
    ("amazons", "amazons", 2),
    ("backgammon", "backgammon", 1),
    ("breakthrough", "breakthrough", 12),
    ("breakthrough(6,5)", "breakthrough(rows=6,columns=5)", 12),
    ("clobber", "clobber", 40),
    ("clobber(4,4)", "clobber(rows=4,columns=4)", 40),
    ("dots(2,2)", "dots_and_boxes", 60),
    ("dots(2,4)", "dots_and_boxes(num_rows=2,num_cols=4)", 30),
    ("havannah(4)", "havannah(board_size=4)", 25),
    ("havannah", "havannah", 2),
    ("draughts", "checkers", 10),
    ("hex(5)", "hex(board_size=5)", 30),
    ("kalah", "mancala", 20),
    ("lines-of-action", "lines_of_action", 2),
    ("morris", "nine_mens_morris", 10),
    ('nim("1-3-5-7",True)', "nim", 100),
    ('nim("3-4-5")', "nim(pile_sizes=3;4;5,is_misere=False)", 100),
    ("othello", "othello", 6),
    ("oware", "oware", 12),
    ("oware(4,3)", "oware(num_houses_per_player=4,num_seeds_per_house=3)", 12),
    ("pentago", "pentago", 10),
    ("pig(30)", "pig(winscore=30)", 20),
    ("quoridor(4)", "quoridor(board_size=4)", 10),
    ("ultimate", "ultimate_tic_tac_toe", 20),
]


@pytest.mark.parametrize("ours, theirs, count", BESIDE, ids=[case[0] for case in BESIDE])
def test_random_games_are_those_of_openspiel(ours: str, theirs: str, count: int) -> None:
    game, other, rng = games.make(ours), pyspiel.load_game(theirs), random.Random(ours)
    scores = set()
    for _ in range(count):
        state, there = rules.new(game), other.new_initial_state()
        same = beside(game, there)
        while not game.over(state):
            assert game.player(state) == same.current_player()
            assert game.score(state) == same.player_return(0)
            actions = playable(game, state)
            assert sorted(actions) == sorted(same.legal_actions())
            action = rng.choice(actions)
            same.apply_action(action)
            game.play(state, action)
        assert there.is_terminal() and game.score(state) == same.player_return(0)
        scores.add(game.score(state))
    assert scores >= {1, -1} or count < 10


LAWFUL = ["2048(2)", "breakthrough(4,3)", "havannah(3)", "hex(4)", "kalah(3,2)", "othello(4)", "oware(3,2)", "pig(9)"]
LAWFUL += [
    "amazons(6)",
    "ataxx(3)",
    "chomp(2,3)",
    "clobber(2,3)",
    "domineering(3,3)",
    "dots(1,2)",
    "nim('2-3')",
    "ultimate",
]
LAWFUL += ["draughts(6)", "pentago(3)", "quoridor(3)"]


@pytest.mark.parametrize("spec", LAWFUL)
def test_a_game_keeps_the_laws(spec: str) -> None:
    assert [breach for _, breach in check(games.make(spec), games=2, compiled=False) if breach] == []


LARGEST = ["2048(5)", "amazons(10)", "ataxx(10)", "breakthrough(16,16)", "chomp(15,15)", "clobber(20,20)", "dots(9,9)"]
LARGEST += ["domineering(15,15)", "go(19)", "havannah(10)", "hex(19)", "kalah(12,12)", "lines-of-action(9)"]
LARGEST += ["nim('30-30')", "othello(16)", "oware(12,5)", "quoridor(11,20)"]


@pytest.mark.parametrize("spec", LARGEST)
def test_no_number_wraps_around_on_the_largest_board(spec: str) -> None:
    game, rng = games.make(spec), random.Random(1)
    state = rules.new(game)
    for _ in range(8):
        if game.over(state):
            break
        actions = playable(game, state)
        assert len(actions) == len(set(actions)) and 0 <= min(actions) <= max(actions) < game.actions()
        game.play(state, rng.choice(actions))


def test_at_pentago_both_may_have_a_row_at_once() -> None:
    game = games.make("pentago(3)")
    both = rules.blank(game)
    both.stones[:] = 1 | 1 << 8, 0b1011 << 14  # seven bits a row
    both.moves = 4
    game.play(both, action_of(game, "f1al"))  # nobody has one yet
    assert not game.over(both)
    drawn = rules.blank(game)
    drawn.stones[:], drawn.moves = (0b11, 0b111 << 35), 4
    game.play(drawn, action_of(game, "c6bl"))
    assert game.over(drawn) and game.score(drawn) == 0


def action_of(game: Any, name: str) -> int:
    return next(action for action in range(game.actions()) if game.name(action) == name)


# --- theory -----------------------------------------------------------------------------------------


def value(game: Any) -> Callable[[Any], float]:
    """For the player to move, by looking at everything."""

    @lru_cache(None)
    def of(content: bytes) -> float:
        state = np.frombuffer(bytearray(content), rules.dtype(game))[0]
        if game.over(state):
            return game.score(state) * (1 - 2 * game.player(state))
        found = []
        for action in legal(game, state):
            then = after(game, state, action)
            sign = 1 if game.player(then) == game.player(state) else -1
            found.append(sign * of(then.tobytes()))
            if found[-1] == 1:
                break
        return max(found)

    return lambda state: of(state.tobytes())


@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_lost_where_the_sum_without_carries_is_zero(misere: bool) -> None:
    """Bouton, 1901; misère it is the other way round where no heap has two tokens."""
    for heaps in ((1, 2, 3), (1, 1, 1), (2, 3, 2), (1, 3, 3), (1, 1), (2, 2), (1, 2, 2), (1, 4, 5), (1,)):
        game = games.make(f'nim("{"-".join(map(str, heaps))}",{misere})')
        total = 0
        for heap in heaps:
            total ^= heap
        lost = (total == 0) != (misere and max(heaps) == 1)
        assert value(game)(rules.new(game)) == (-1 if lost else 1)


def test_the_first_player_wins_at_chomp_and_on_two_rows_by_leaving_one_square_more_below() -> None:
    for rows, cols in ((1, 2), (2, 2), (2, 5), (3, 3), (3, 4), (4, 4)):
        game = games.make(f"chomp({rows},{cols})")
        worth, state = value(game), rules.new(game)
        winning = [game.name(action) for action in legal(game, state) if worth(after(game, state, action)) == -1]
        assert worth(state) == 1
        if rows == 2:
            assert winning == [f"{'abcdefgh'[cols - 1]}2"]  # the corner above the last square
        if rows == cols:
            assert "b2" in winning  # and then the other's moves are mirrored
    assert value(games.make("chomp(1,1)"))(rules.new(games.make("chomp(1,1)"))) == -1


@pytest.mark.parametrize(
    "rows, cols, upright, across",
    [
        (2, 2, 1, 1),
        (3, 3, 1, 1),
        (4, 4, 1, 1),
        (2, 3, 1, 1),
        (1, 4, -1, 1),
        (4, 1, 1, -1),
        (3, 4, -1, 1),
        (2, 4, -1, 1),
    ],
)
def test_domineering_has_the_known_outcomes(rows: int, cols: int, upright: int, across: int) -> None:
    """Whoever begins, by Berlekamp (1988); the second player begins after a turn is given away."""
    game = games.make(f"domineering({rows},{cols})")
    worth, state = value(game), rules.new(game)
    assert worth(state) == upright
    state.turn = 1
    assert worth(state) == across


def test_the_first_player_wins_at_hex_by_the_moves_that_are_known_to_win() -> None:
    game = games.make("hex(3)")
    worth, state = value(game), rules.new(game)
    winning = [game.name(action) for action in legal(game, state) if worth(after(game, state, action)) == -1]
    assert winning == ["c1", "a2", "b2", "c2", "a3"]


def test_at_othello_who_can_turn_nothing_over_passes_and_two_who_cannot_end() -> None:
    game = games.make("othello(4)")
    lines, ends = set(), set()
    for seed in range(40):
        state, rng = rules.new(game), random.Random(seed)
        while not game.over(state):
            names = [game.name(action) for action in legal(game, state)]
            lines.add(names == ["pass"])
            game.play(state, rng.choice(legal(game, state)))
        full = game.left(state) == 0
        ends.add(full)
        assert sum(state.count.tolist()) == 16 - game.left(state)
        assert state.count.tolist() == [game.cells(state).count(1), game.cells(state).count(2)]
    assert lines == ends == {True, False}


@pytest.mark.parametrize(
    "spec, diagram, says",
    [
        ("othello(4)", "..../.OX./.XO./.... Z", "X or O moves"),
        ("othello(4)", "..../.OX./.XO.", "4 rows of 4 cells"),
        ("breakthrough(4,2)", "XX/../../OO X", "won already"),
        ("breakthrough(4,2)", "OO/OO/O./XX X", "at most 4 pawns"),
        ("hex(2)", "X./.. X", "turn"),
        ("hex(3)", "XX./.../... O", "as many X as O or one more"),
        ("hex(2)", "XO/XO X", "over before"),
        ("kalah(2,1)", "1,1,0/1,1 X", "2 houses and a store"),
        ("kalah(2,1)", "1,-1,0/2,2,0 X", "there are 4 seeds"),
        ("kalah(2,1)", "0,0,1/1,1,1 X", "the game is over"),
        ("2048(2)", "2,4/.", "2 rows of 2 cells with , between them"),
        ("2048(2)", "2,3/.,. 0", "is written with '.', '2', '4', .* not '3'"),
        ("2048(2)", "2,4/.,. x", "come the points"),
        ("2048(2)", "2,4/2,4 8 +1", "no cell for the next tile"),
        ("2048(2)", ".,./.,. 0", "there are no tiles"),
        ("backgammon", f"5/5{'.' * 24} X 31", "2 rows of 25 cells"),
        ("backgammon", f"5{'.' * 24}/5{'.' * 24} X", "who moves and the dice"),
        ("backgammon", f"5{'.' * 24}/5{'.' * 24} X 07", "who moves and the dice"),
        ("backgammon", f"5{'.' * 24}/5{'.' * 24} X 311", "who moves and the dice"),
        ("backgammon", f"5{'.' * 23}b/5{'.' * 24} X 31", "each has 15 checkers"),
        ("backgammon", f"{'.' * 25}/{'.' * 25} X 31", "all of them off"),
        ("backgammon", f"5{'.' * 24}/{'.' * 23}1. X 31", "of one player only"),
    ],
)
def test_diagrams_that_make_no_sense_are_refused(spec: str, diagram: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        games.make(spec).read(diagram)


def test_diagrams_tell_who_has_won_and_what_can_be_played() -> None:
    joined = games.make("hex(3)")
    assert joined.score(joined.read("XO./XO./X.. O")) == 1 and joined.score(joined.read("XO./.O./X.. X")) == 0
    othello = games.make("othello(4)")
    state = othello.read("XXXX/XXXX/XXXO/XX.. O")
    assert [othello.name(action) for action in legal(othello, state)] == ["pass"] and not othello.over(state)
    assert othello.over(othello.read("XXXX/XXXX/XXXX/XX.. X"))
    pawns = games.make("breakthrough(4,2)")
    assert pawns.score(pawns.read("XO/../O./.X O")) == 1 and pawns.score(pawns.read("../O./X./.. X")) == 0


def test_othello_is_played_on_boards_of_an_even_side() -> None:
    with pytest.raises(InputError, match="even"):
        games.make("othello(7)")


# Irving, Donkers and Uiterwijk, "Solving Kalah" (2000): for who begins, with 1, 2, 3, ... seeds in each house
KALAH = {1: [0, -1, 1, -1, 1, 0], 2: [1, -1, -1, -1], 3: [0, 1]}


@pytest.mark.parametrize("houses", KALAH)
def test_kalah_has_the_known_values(houses: int) -> None:
    starts = [games.make(f"kalah({houses},{seeds})") for seeds in range(1, len(KALAH[houses]) + 1)]
    assert [value(game)(rules.new(game)) for game in starts] == KALAH[houses]


def test_a_house_of_kalah_is_sown_around_the_other_store_and_captures_across() -> None:
    game = games.make("kalah(3,4)")
    state = rules.blank(game)
    state.pits[:] = 0, 0, 8, 0, 5, 1, 1, 0
    game.play(state, 2)  # the last seed comes into the own store
    assert state.pits.tolist() == [1, 1, 1, 2, 6, 2, 2, 0] and state.turn == 0
    state.pits[:] = 1, 0, 4, 0, 5, 3, 1, 0
    game.play(state, 0)
    assert state.pits.tolist() == [0, 0, 4, 4, 5, 0, 1, 0] and state.turn == 1


@pytest.mark.parametrize(
    "moves, kind",
    [
        ("a1 b2 a2 c2 a3 d2 a4", "bridge"),  # along an edge
        ("d4 a1 c3 a3 c2 e2 c1 d6 e5 e7 f5 g7 g5 d2 c4 f4 b4 a4 b5", "fork"),
        ("d4 a1 c3 a3 c2 e2 c1 d6 e5 e7 f5 g7 d2 f4 c4 a4 b4 c7 b5", ""),  # two edges
        ("b2 e7 c2 g6 b3 f5 d3 b5 c4 e2 d4", "ring"),  # around an empty cell
        ("b2 e7 c2 g6 b3 f5 c3 b5 d3 e2 c4 a2 d4", "ring"),  # around a stone of one's own
        ("b2 e7 c2 g6 c3 f5 d3 b5 c4 e2 d4", ""),  # no cell is enclosed
    ],
)
def test_havannah_is_won_by_bridges_forks_and_rings(moves: str, kind: str) -> None:
    game = games.make("havannah(4)")
    state = rules.new(game)
    for move in moves.split():
        assert not game.over(state)
        game.play(state, action_of(game, move))
    assert (game.over(state), game.score(state)) == ((True, 1) if kind else (False, 0))


def test_oware_feeds_takes_back_to_front_and_not_all() -> None:
    game = games.make("oware(3,4)")

    def after_playing(house: int, *pits: int) -> tuple[list[int], list[int]]:
        state = rules.blank(game)
        state.pits[:] = pits
        assert house in legal(game, state)
        game.play(state, house)
        return state.pits.tolist(), state.taken.tolist()

    assert after_playing(2, 1, 0, 3, 4, 1, 1) == ([1, 0, 0, 5, 0, 0], [4, 0])
    assert after_playing(2, 1, 0, 3, 1, 1, 1) == ([1, 0, 0, 2, 2, 2], [0, 0])  # all of them: none
    assert after_playing(2, 1, 1, 7, 4, 4, 4) == ([2, 2, 0, 6, 6, 5], [0, 0])  # the house itself is passed over
    state = rules.blank(game)
    state.pits[:] = 1, 2, 1, 0, 0, 0
    assert legal(game, state) == [1, 2]  # what brings the other a seed
    state.pits[:] = 1, 1, 1, 0, 0, 1
    game.play(state, 0)
    assert not game.over(state)
    state.pits[:], state.turn = [0, 0, 0, 1, 0, 0], 0  # nothing to play: everybody takes the own ones
    state.taken[:] = 12, 11
    state.turn = 1
    game.play(state, 0)
    assert game.over(state) and state.taken.tolist() == [12, 12] and game.score(state) == 0


# --- chance -----------------------------------------------------------------------------------------


def worth_by_iteration(game: Any) -> float:
    """How often who begins a game of chance wins, both at their best: values of all positions, until they stay."""
    states, todo = dict[bytes, Any](), [rules.new(game)]
    while todo:
        state = todo.pop()
        if state.tobytes() not in states:
            states[state.tobytes()] = state
            todo += [after(game, state, action) for action in ([] if game.over(state) else playable(game, state))]
    follow = {
        key: [(after(game, state, action).tobytes(), weight) for action, weight in chances(game, state)]
        for key, state in states.items()
        if not game.over(state)
    }
    worth, change = {key: game.score(state) if game.over(state) else 0.0 for key, state in states.items()}, 1.0
    while change > 1e-9:
        change = 0.0
        for key, found in follow.items():
            player, values = game.player(states[key]), [(worth[then], weight) for then, weight in found]
            if player == rules.CHANCE:
                now = sum(value * weight for value, weight in values)
            else:
                now = (min if player else max)(value for value, _ in values)
            change, worth[key] = max(change, abs(now - worth[key])), now
    return (1 + worth[rules.new(game).tobytes()]) / 2


def chances(game: Any, state: Any) -> list[tuple[int, float]]:
    """What may be played, with its probability where chance moves."""
    if game.player(state) == rules.CHANCE:
        return rules.outcomes(game, state)
    return [(action, 1.0) for action in legal(game, state)]


def pig_by_its_equation(target: int) -> float:
    """Neller and Presser (2004): P(i, j, k) is the larger of what a roll and what holding bring."""
    keys = [(i, j, k) for i in range(target) for j in range(target) for k in range(target - i)]
    p, change = dict.fromkeys(keys, 0.5), 1.0

    def won(i: int, j: int, k: int) -> float:
        return 1.0 if i + k >= target else p[i, j, k]

    while change > 1e-10:
        change = 0.0
        for i, j, k in keys:
            roll = (1 - p[j, i, 0] + sum(won(i, j, k + pips) for pips in range(2, 7))) / 6
            now = max(roll, 1 - p[j, i + k, 0]) if k else roll
            change, p[i, j, k] = max(change, abs(now - p[i, j, k])), now
    return p[0, 0, 0]


def test_pig_is_worth_what_its_equation_says() -> None:
    """At 100 points the equation gives 0.5306."""
    wanted = pig_by_its_equation(7)
    assert worth_by_iteration(games.make("pig(7)")) == pytest.approx(wanted, abs=1e-6) and 0.5 < wanted < 1


def slid(row: list[int]) -> tuple[list[int], int]:
    """A row of 2048 after its tiles, as numbers, have slid to its beginning, and the points that this brings."""
    left = [tile for tile in row if tile]
    made, points = list[int](), 0
    while left:
        tile = left.pop(0)
        if left[:1] == [tile]:
            left.pop(0)
            tile *= 2
            points += tile
        made.append(tile)
    return made + [0] * (len(row) - len(made)), points


def turned(rows: list[list[int]], times: int) -> list[list[int]]:
    """The board turned left by quarters."""
    for _ in range(times):
        rows = [list(row) for row in zip(*rows, strict=True)][::-1]
    return rows


@pytest.mark.parametrize("size", [3, 4])
def test_2048_plays_as_its_naive_twin(size: int) -> None:
    """To the left as a list says, and to the other sides on the board turned."""
    game, rng = games.make(f"2048({size})"), np.random.default_rng(size)
    state, rows, points = rules.new(game), [[0] * size for _ in range(size)], 0
    while not game.over(state):
        assert [int(glyph or 0) for glyph in game.glyphs(state)] == [tile for row in rows for tile in row]
        assert game.score(state) == points
        if game.player(state) == rules.CHANCE:
            outcomes, weights = zip(*rules.outcomes(game, state), strict=True)
            free = [(y, x) for y in range(size) for x in range(size) if not rows[y][x]]
            expected = [(new, cell, odds / len(free)) for cell in free for new, odds in ((2, 0.9), (4, 0.1))]
            assert list(weights) == pytest.approx([weight for *_, weight in expected])
            which = int(rng.integers(len(outcomes)))
            number, (y, x), _ = expected[which]
            rows[y][x] = number
            assert game.name(int(outcomes[which])) == f"{'abcd'[x]}{size - y}={number}"
            game.play(state, int(outcomes[which]))
            continue
        then = {}
        for turns, side in enumerate(("left", "up", "right", "down")):
            lines = [slid(row) for row in turned(rows, turns)]
            moved = turned([line for line, _ in lines], -turns % 4)
            if moved != rows:
                then[side] = moved, sum(gain for _, gain in lines)
        actions = {game.name(action): action for action in legal(game, state)}
        assert set(actions) == set(then)
        side = str(rng.choice(sorted(then)))
        rows, gain = then[side]
        points += gain
        game.play(state, actions[side])
    assert points > 0


# --- published counts -------------------------------------------------------------------------------


@pytest.mark.parametrize("rows, cols", [(1, 1), (1, 2), (1, 3), (2, 2)])
def test_dots_and_boxes_is_worth_what_edges_as_bits_are_worth(rows: int, cols: int) -> None:
    """A box is four bits; the margin of whoever moves is found by looking at everything."""
    lying = (rows + 1) * cols
    boxes = [
        1 << r * cols + c | 1 << (r + 1) * cols + c | 3 << lying + r * (cols + 1) + c
        for r in range(rows)
        for c in range(cols)
    ]
    number = lying + rows * (cols + 1)

    @lru_cache(None)
    def margin(drawn: int) -> int:
        best = -len(boxes) if drawn != (1 << number) - 1 else 0
        for edge in range(number):
            then = drawn | 1 << edge
            if then != drawn:
                closed = sum(then & box == box and drawn & box != box for box in boxes)
                best = max(best, closed + margin(then) if closed else -margin(then))
        return best

    game = games.make(f"dots({rows},{cols})")
    assert value(game)(rules.new(game)) == np.sign(margin(0))


def perft(game: Any, state: Any, depth: int) -> int:
    """How many sequences of so many moves there are."""
    actions = legal(game, state)
    return len(actions) if depth == 1 else sum(perft(game, after(game, state, one), depth - 1) for one in actions)


@pytest.mark.parametrize(
    "spec, counts",
    [
        ("ataxx", [16, 256, 6460]),
        ("othello", [4, 12, 56, 244, 1396]),
        ("breakthrough", [22, 484]),
        ("draughts", [7, 49, 302, 1469]),
    ],
)
def test_the_first_moves_are_as_many_as_programs_tell(spec: str, counts: list[int]) -> None:
    """Ataxx goes on with 155,888 and 4,752,668, Othello with 8,200, 55,092 and 390,216."""
    game = games.make(spec)
    assert [perft(game, rules.new(game), 1 + i) for i in range(len(counts))] == counts


def test_ataxx_passes_and_ends() -> None:
    game = games.make("ataxx(3)")
    state = rules.blank(game)
    state.stones[:] = 1
    state.stones[0, 0], state.stones[0, 1] = 2, 0
    state.count[:] = 7, 1
    state.turn = 1
    assert [game.name(action) for action in legal(game, state)] == ["b3"]
    blocked = rules.new(games.make("ataxx(5)"))
    big = games.make("ataxx(5)")
    blocked.stones[:] = 1
    blocked.stones[0, 0], blocked.stones[4, 4] = 2, 0
    blocked.count[:] = 23, 1
    blocked.turn = 1
    assert [big.name(action) for action in legal(big, blocked)] == ["pass"] and not big.over(blocked)
    big.play(blocked, legal(big, blocked)[0])
    assert blocked.turn == 0 and "e1" in [big.name(action) for action in legal(big, blocked)]
    blocked.quiet = 100
    assert big.over(blocked) and big.score(blocked) == 1


def test_boards_say_how_their_cells_are_called_and_where_thicker_lines_are() -> None:
    boards = {spec: Drawn(games.make(spec)).board for spec in ("chomp(2,3)", 'nim("2-1")', "ultimate", "pentago")}
    assert boards["chomp(2,3)"]["columns"] == ["a", "b", "c"] and boards["chomp(2,3)"]["row_labels"] == ["2", "1"]
    assert boards['nim("2-1")']["row_labels"] == ["a", "b"]
    steps = Drawn(games.make("breakthrough(5,4)")).board  # named by the cells that they begin at
    assert steps["columns"] == list("abcd") and steps["row_labels"] == list("54321")
    assert boards["ultimate"]["block"] == boards["pentago"]["block"] == 3


@pytest.mark.parametrize(
    "spec, moves, rows",
    [
        ("ultimate", "e5", [" 6       \u00b7 \u00b7 \u00b7      ", " 5       \u00b7 X \u00b7      "]),
        ("havannah(3)", "a1 e5", ["a2  . . . .  ", "c5   . . O  "]),
        ("quoridor(3)", "b2h", [" 2 .   .   .", "       # # #", "walls left: X 0, O 1"]),
        ("dots(1,2)", "b3 c2", [" 3 \u2022 \u2500 \u2022 . \u2022", " 2 .   \u2502   ."]),
        ("chomp(2,2)", "b2", [" 2 . #", " 1 \u2620 ."]),
        ("nim('2-3')", "b2", [" a \u25cf \u25cf  ", " b \u25cf    "]),
        ("amazons(6)", "b1 b4", ["White shoots from b4"]),
        ("backgammon", "", ["each throws a die, and who has more begins"]),
        ("backgammon", "13", ["O moves by 3 1"]),
        ("backgammon", "31 8/5 6/5", ["O throws"]),
        ("morris", "a1 b2 a4 b4 a7", ["in hand: 6 and 7, a man is to be taken"]),
        ("amazons(6)", "", [" 6 . \u265b . . \u265b .", " 1 . \u2655 . . \u2655 ."]),
    ],
)
def test_boards_show_what_the_next_move_depends_on(spec: str, moves: str, rows: list[str]) -> None:
    game = games.make(spec)
    text = game.text(read(game, moves)).splitlines()
    assert [row for row in rows if row not in text] == [], "\n".join(text)
