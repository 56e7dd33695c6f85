"""Connect Four solved: the scores are those of a naive twin, the book keeps them, the agent never gives value away."""

import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from naive_solver import WIN, columns_of, values

import plyground
from naive_games import played
from plyground import agents, games, rules
from plyground.agents.base import Limit
from plyground.games.connect_four import book, making
from plyground.games.connect_four.scores import Position, Scores, new_table, plies, predecessors, prepare
from plyground.games.connect_four.solver import FourSolver
from plyground.search.budget import Budget
from plyground.spec import InputError

# positions of Pascal Pons' test sets: the columns of the moves, counted from 1, and the score
PUBLISHED = """
32164625:11 6146:18 243335424257:12 5512243243536:13 22144426444:15 265756512:-12 65444437612:13
17516442226766:8 7343363417254:14 74746315233:15 5654767662:13 74642572132:15 51756773145177:-10
165746146225:-11 1562527227511:13 43745416472735:-13 42434653771434:9 1626434452343:13 6513243566177:12
43623536647361:11 35544262:12 33375546411:-12 427631264721:10 51615567:15 543772563551:14 27534134362633:10
7234472553:10 6126741462153:14 4737:18 7675456251:13 335662333565:-2 157564142155:-5
2252576253462244111563365343671351441:-1 7422341735647741166133573473242566:1
23163416124767223154467471272416755633:0 65214673556155731566316327373221417:-1
52677675164321472411331752454:0 562154564361751726662253737734213275114:0
233377345754465174223731671122611552:1 6763525635134453444361412671365712:-1
211376455663355325112113664364524722:0 3146762114467714356347741621375222:-1 67152117737262713366376314254:6
2762751722231276466633475674533:5 3642756176227637211322113551637574556:2
"""
SHIPPED = Path(plyground.__file__).parent / "games/connect_four/positions/connect-four.json"


@pytest.fixture(scope="module", autouse=True)
def ready():
    prepare()


def drawn(game, empty, rng):
    """A position of a random game with at most so many empty cells, in which somebody is to move."""
    while True:
        state = rules.new(game)
        while not game.over(state) and game.cols * game.rows - state.moves > empty:
            game.play(state, rng.choice(rules.legal(game, state)))
        if not game.over(state):
            return state


def naive(game, state):
    """The value and the plies of each action by the twin."""
    found = values(columns_of(game, state), game.rows)
    return {col: ((value > 0) - (value < 0), WIN - abs(value) if value else None) for col, value in found.items()}


# --- scores -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "empty", "count"),
    [("connect-four", 9, 60), ("connect-four(4,3)", 12, 5), ("connect-four(3,4)", 12, 5), ("connect-four(5,5)", 9, 20),
     ("connect-four(4,4)", 11, 10), ("connect-four(9,5)", 9, 10)],
)  # fmt: skip
def test_values_and_distances_of_all_moves_agree_with_the_naive_twin(spec, empty, count):
    game, rng = games.make(spec), random.Random(1)
    solver = FourSolver(game, 1)
    seen = set()
    for _ in range(count):
        state = drawn(game, empty, rng)
        found = solver.solve(state)
        assert {answer.action: (answer.value, answer.plies) for answer in found.answers} == naive(game, state)
        assert found.complete and all(answer.shortest for answer in found.answers if answer.value)
        seen.add(found.value)
    assert len(seen) > 1 or empty == game.cols * game.rows


def test_without_distances_the_values_are_the_same():
    game, rng = games.make("connect-four"), random.Random(2)
    solver = FourSolver(game, 1)
    for _ in range(20):
        state = drawn(game, 9, rng)
        found = solver.solve(state, distances=False)
        truth = naive(game, state)
        assert {answer.action: answer.value for answer in found.answers} == {col: truth[col][0] for col in truth}


def test_a_score_between_bounds_is_the_score_and_beyond_them_the_nearer_one():
    game, rng = games.make("connect-four"), random.Random(3)
    scores = Scores(game, new_table(game, 1))
    for _ in range(30):
        position = Position.of(game, drawn(game, 12, rng))
        score = scores.score(position)
        for low, high in ((-1, 1), (0, 1), (-3, -1), (2, 5)):
            assert scores.within(position, low, high) == min(max(score, low), high)


def test_a_score_and_the_plies_to_the_end_are_the_same():
    assert [plies(score, 9) for score in (5, 4, 1)] == [1, 3, 9]
    assert [plies(score, 9) for score in (-4, -3, -1)] == [2, 4, 8]
    assert [plies(score, 8) for score in (4, 1, -4, -1)] == [1, 7, 2, 8]


def test_mirror_images_have_one_score():
    game, rng = games.make("connect-four"), random.Random(4)
    for _ in range(5):
        state = drawn(game, 24, rng)
        moves = game.cells(state)
        turned = game.read("/".join("".join(".XO"[c] for c in moves[r * 7 : r * 7 + 7][::-1]) for r in range(6)))
        one, other = (Scores(game, new_table(game, 4)) for _ in range(2))
        assert one.score(Position.of(game, state)) == other.score(Position.of(game, turned))


def test_published_scores_are_found():
    game = games.make("connect-four")
    scores = Scores(game, new_table(game, 4))
    for one in PUBLISHED.split():
        moves, score = one.split(":")
        state = played(game, " ".join("abcdefg"[int(move) - 1] for move in moves))
        assert scores.score(Position.of(game, state)) == int(score), moves


def test_a_known_win_of_the_usual_board_is_found_with_its_length():
    game = games.make("connect-four")
    state = played(game, "d d d d d c d b b b b e")
    scores = Scores(game, new_table(game, 16))
    assert plies(scores.score(Position.of(game, state)), 30) == 25


def test_a_search_that_is_stopped_says_only_what_is_sure():
    game = games.make("connect-four(8,6)")  # not in the book
    found = FourSolver(game, 1).solve(rules.new(game), Budget(steps=1000))
    assert {(answer.low, answer.high) for answer in found.answers} == {(-1.0, 1.0)} and found.why
    assert 0 < found.nodes < 2000


def test_positions_before_one_are_those_from_which_a_move_leads_to_it():
    game, rng = games.make("connect-four"), random.Random(5)
    for _ in range(20):
        state = drawn(game, 30, rng)
        here = Position.of(game, state)
        for col in rules.legal(game, state):
            then = here.after(game, col)
            assert not isinstance(then, Position) or here in predecessors(game, then)


# --- the book -----------------------------------------------------------------------------------------


def test_the_positions_of_the_book_are_the_published_numbers_of_them():
    """OEIS A212693 counts mirror images, and up to six stones nobody has won."""
    for layer, count in zip(book.layers(6), [1, 7, 49, 238, 1120, 4263, 16422], strict=True):
        both = {(int(m), int(t)) for m, t in zip(*layer, strict=True)}
        assert len(both) == len(layer.mine)
        images = zip(book.mirrored(layer.mine).tolist(), book.mirrored(layer.taken).tolist(), strict=True)
        assert len(both | set(images)) == count


@pytest.fixture(scope="module")
def made_up():
    """A book of four stones whose scores are drawn, some unknown."""
    layer = book.layers(4)[-1]
    scores = np.random.default_rng(1).integers(-5, 6, len(layer.mine)).astype(np.int8)
    scores[::50] = book.UNKNOWN
    return book.Book.of(4, scores)


def test_scores_of_fewer_stones_follow_from_those_of_the_book(made_up):
    game, rng = games.make("connect-four"), random.Random(6)
    known = 0
    for _ in range(200):
        position = Position.of(game, drawn(game, 42 - rng.randint(0, 3), rng))
        after = [position.after(game, col) for col in range(7)]
        scores = [made_up.score(then.mine, then.taken) for then in after]
        score = made_up.score(position.mine, position.taken)
        assert score == (None if None in scores else -min(scores))
        known += score is not None
    assert 0 < known < 200


def test_a_book_bounds_the_scores_of_one_stone_more(made_up):
    game, rng = games.make("connect-four"), random.Random(7)
    scores = Scores(game, new_table(game, 1), made_up)
    for _ in range(50):
        position = Position.of(game, drawn(game, 37, rng))
        before = [made_up.score(one.mine, one.taken) for one in predecessors(game, position)]
        least = max([position.least, *(-score for score in before if score is not None)])
        assert scores.known(position) == (least, position.most)


def test_a_book_is_read_as_it_was_written_and_a_damaged_one_is_refused(made_up, tmp_path):
    path = tmp_path / "book.bin"
    book.write(path, made_up)
    again = book.read(path)
    assert not again.complete and again.stones == 4
    for one, other in zip(again.layers, made_up.layers, strict=True):
        assert (one.keys == other.keys).all() and (one.scores == other.scores).all()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match="damaged"):
        book.read(path)
    with pytest.raises(InputError, match="no book"):
        book.read(tmp_path / "none.bin")


@pytest.mark.parametrize("content", [None, b"", b"\xff\x00", b"{}", b"[1]\n", b'{"known": 1, "positions": []}'])
def test_without_a_book_that_can_be_read_another_agent_is_the_usual_opponent(content, tmp_path, monkeypatch):
    monkeypatch.setattr(book, "FILE", tmp_path / "book.bin")
    if content is not None:
        book.FILE.write_bytes(content)
    assert book.complete.__wrapped__() is False
    with pytest.raises(InputError, match="no book"):
        book.read(book.FILE)


def test_what_the_making_finds_is_in_the_journal_and_goes_on_after_damage(tmp_path):
    game, rng = games.make("connect-four"), random.Random(8)
    states = [drawn(game, 9, rng) for _ in range(12)]
    todo = list(enumerate(Position.of(game, state) for state in states))
    path = tmp_path / "journal"
    journal = making.Journal(path, 33)
    making.find_scores(journal, len(todo), making.new_workers("cpu", todo, 2, 1, 0), seconds=0)
    assert set(journal.found) == set(range(12))
    for number, state in enumerate(states):
        value, length = max(naive(game, state).values(), key=lambda told: told[0] * (WIN - (told[1] or 0)))
        score = journal.found[number]
        assert (score > 0) - (score < 0) == value and (not value or plies(score, 9 - (state.moves - 33)) == length)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1].replace(" ", "  ", 1), *lines[2:-1], lines[-1][:-3]]))
    again = making.Journal(path, 33)
    assert again.damaged == 2 and len(again.found) == 10
    again.add([(99, -3)])
    assert making.Journal(path, 33).found[99] == -3
    with pytest.raises(InputError, match="no journal"):
        making.Journal(path, 8)


def test_the_command_makes_what_there_is_time_for(tmp_path, capsys):
    journal, out = tmp_path / "journal", tmp_path / "book.bin"
    making.make(journal, out, stones=8, threads=1, memory=1, seconds=0.2)
    known = len(making.Journal(journal, 8).found)
    assert f"{known:,} of 91,295 positions are known" in capsys.readouterr().out
    assert (book.read(out).layers[-1].scores != book.UNKNOWN).sum() == known


def test_the_book_that_comes_with_the_program_knows_all_positions_and_the_published_scores_of_openings():
    """Those of the first stone by Allis and Allen (1988), those after d by Pascal Pons' solver."""
    shipped, game = book.shipped(), games.make("connect-four")
    assert shipped is not None and shipped.complete and shipped.stones == 11
    for moves, published in (("", [-2, -1, 0, 1, 0, -1, -2]), ("d", [-4, -2, -2, -1, -2, -2, -4])):
        here = Position.of(game, played(game, moves))
        assert [-shipped.score(*here.after(game, col)[:2]) for col in range(7)] == published


def test_scores_of_the_book_that_comes_with_the_program_are_those_of_the_solver_without_it():
    shipped, game, rng = book.shipped(), games.make("connect-four"), random.Random(8)
    scores = Scores(game, new_table(game, 16))
    for _ in range(6):
        position = Position.of(game, drawn(game, 31, rng))  # 11 stones
        assert shipped.score(*position[:2]) == scores.score(position)


# --- the agent ----------------------------------------------------------------------------------------


def test_the_agent_wins_as_soon_as_possible_and_loses_as_late():
    game, rng = games.make("connect-four"), random.Random(9)
    agent = agents.make("connect-four-master(seconds=100, memory=1)", 1)
    seen = set()
    for _ in range(40):
        state = drawn(game, 9, rng)
        truth, thought = naive(game, state), agent.think(game, state)
        value, length = truth[thought.action]
        assert thought.value == value == max(told[0] for told in truth.values())
        lengths = [told[1] for told in truth.values() if told[0] == value]
        assert value == 0 or length == (min(lengths) if value > 0 else max(lengths))
        assert {move.action: move.value for move in thought.moves} == {col: told[0] for col, told in truth.items()}
        assert all(move.proven for move in thought.moves) and thought.moves[0].action == thought.action
        seen.add(value)
    assert seen == {-1, 0, 1}


def test_the_agent_keeps_the_value_of_positions_that_the_general_solver_has_solved():
    game = games.make("connect-four")
    agent = agents.make("connect-four-master(seconds=100, memory=16)", 1)
    late = [(where, best) for where, best in json.loads(SHIPPED.read_text())["positions"] if where.count(".") <= 24]
    for where, best in late[:40]:
        assert agent.think(game, game.read(where)).action in best


def test_what_is_proven_of_each_column_is_told():
    game = games.make("connect-four")
    state = game.read("XX...O./OO..XOO/XX..XXO/OOOXOOX/XOOXXXO/XOOXXOX X")
    found = plyground.think(game, "connect-four-master(seconds=100)", state)
    assert " positions in " in repr(found) and "simulations in" not in repr(found) and "visits" not in repr(found)
    told = {row[0]: row[-1] for row in found.table().rows}
    truth = naive(game, state)
    assert told == {game.name(col): ("drawn", "won", "lost")[value] for col, (value, _) in truth.items()}


def test_a_position_that_takes_too_long_is_left_to_a_search_within_the_time():
    game = games.make("connect-four(8,6)")
    agent, begun = agents.make("connect-four-master(seconds=0.2)", 1), []
    thought = agent.think(game, rules.new(game), Limit(stop=lambda: begun.append(time.perf_counter()) or False))
    assert thought.action in range(8) and len(thought.moves) == 8 and begun


def test_no_time_at_all_still_gives_a_legal_move_and_a_win_at_once_is_seen():
    game = games.make("connect-four")
    agent = agents.make("connect-four-master(seconds=0)", 1)
    assert agent.think(game, rules.new(game)).action in range(7)
    assert agent.think(game, played(game, "a b a b a b")).action == 0


def test_other_games_are_refused():
    for spec in ("tictactoe", "connect-four(5,5,3)"):
        with pytest.raises(InputError, match="four in a row"):
            agents.make("connect-four-master").think(games.make(spec), rules.new(games.make(spec)))


def test_a_book_that_is_missing_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(book, "FILE", tmp_path / "book.bin")
    assert book.shipped.__wrapped__() is None
    said = capsys.readouterr().err
    assert "book.bin is missing, the opening book" in said and said.count("\n") == 1
