"""A review says what each move has cost: against minimax written down here, with chance, with turns in a row, of one
player, and in files."""

from __future__ import annotations

import json
import time
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import plyground as pg
from commands import answer, refusal, run
from plyground import agents, game_files
from plyground.agents.base import Agent, Forfeit, Limit, Move, Thought
from plyground.game_review import BLUNDER, INACCURACY, Review, kind_of, review
from plyground.games.k_in_row.formats import sgf
from plyground.report.review import ReviewReport
from plyground.rules import CHANCE, after, legal, new, outcomes, playable
from toys import GOES_ON, Table

LOST = "b2 a2 a1 a3 c3"  # the second move loses a draw, and the fourth nothing any more


def value(game: Any, state: Any) -> float:
    """For the first player, by looking at everything."""
    if game.over(state):
        return float(game.score(state))
    player = game.player(state)
    if player == CHANCE:
        return sum(weight * value(game, after(game, state, one)) for one, weight in outcomes(game, state))
    values = [value(game, after(game, state, action)) for action in legal(game, state)]
    return max(values) if player == 0 else min(values)


class Oracle(Agent):
    """Knows the truth, for the player to move; how often it was asked is counted."""

    asked = 0

    def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
        self.asked += 1
        sign = 1 if game.player(state) == 0 else -1
        found = [Move(action, 100, sign * value(game, after(game, state, action))) for action in legal(game, state)]
        found.sort(key=lambda move: -move.value)
        return Thought(found[0].action, found[0].value, 100, 0.0, found, [found[0].action])

    def ready(self, game: Any) -> None:
        """There is nothing to compile."""


def reviewed(game: Any, actions: list[int], **more: Any) -> Review:
    return review(game, new(game), actions, Oracle(), seconds=None, solved=False, **more)


def regrets(game: Any, actions: list[int]) -> list[float]:
    """The share of the points that each move has lost for whoever made it; nature loses nothing."""
    state, found = new(game), []
    for action in actions:
        then, player = after(game, state, action), game.player(state)
        sign = {0: 1, 1: -1, CHANCE: 0}[int(player)]
        found.append(sign * (value(game, state) - value(game, then)) / 2)
        state = then
    return found


@pytest.mark.parametrize("players", [(0, 1, 0, 1, 0), (0, 0, 1, 1, 0), (1, 0, CHANCE, 0, 1), (0, CHANCE, 1, CHANCE, 0)])
def test_a_move_costs_what_it_costs_its_player_whoever_comes_next(players: tuple) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        ends = (GOES_ON,) * 16 + tuple(rng.choice([-1.0, -0.5, 0.0, 0.25, 1.0], 16).tolist())
        game = pg.make(Table(players, ends))
        actions = rng.integers(0, 2, 4).tolist()
        found = reviewed(game, actions)
        for move, lost in zip(found.moves, regrets(game, actions), strict=True):
            if move.player == CHANCE:
                assert (move.kind, move.cost, move.best) == ("chance", None, None)
            else:
                assert move.cost == pytest.approx(lost) and move.kind == kind_of(lost)
                assert move.bad == (lost >= INACCURACY) and (not move.bad or move.best == 1 - move.action)
        state = new(game)
        for action, told in zip([*actions, None], found.values, strict=True):
            assert told is None or told == pytest.approx(value(game, state))
            state = state if action is None else after(game, state, action)


class Walk(NamedTuple):
    """One player goes up to three steps for points; a field may allow one step only."""

    points: tuple = (0, 1, 3, 0, 2, 5, 1, 4)

    def fields(game):
        return [("at", np.int8), ("points", np.int16)]

    def actions(game):
        return 3

    def alone(game):
        return True

    def player(game, state):
        return 0

    def legal(game, state, out):
        count = 1 if state.at % 4 == 3 else 3
        for i in range(count):
            out[i] = i
        return count

    def play(game, state, action):
        state.at += action + 1
        if state.at < len(game.points):
            state.points += game.points[state.at]

    def over(game, state):
        return state.at >= len(game.points)

    def score(game, state):
        return state.points


def test_one_player_loses_a_share_of_the_points_to_be_had_and_a_forced_move_costs_nothing() -> None:
    game = pg.make(Walk())
    found = reviewed(game, [2, 0, 2, 0])  # to 3, 4, 7, and off the end
    assert [move.kind for move in found.moves] == ["blunder", "forced", "blunder", "forced"]
    assert [found.moves[0].value, found.moves[0].after, found.moves[0].cost] == [16, 12, 0.25]
    assert [found.moves[2].value, found.moves[2].after, found.moves[2].cost] == [12, 6, 0.5]
    assert found.values == [16, 12, 12, 6, 6]


def test_the_solver_has_the_word_and_the_agent_is_not_asked_then() -> None:
    game, by = pg.make("tictactoe"), Oracle()
    found = review(game, new(game), actions_of(game, LOST), by, seconds=None)
    assert by.asked == 0 and all(move.exact for move in found.moves)
    assert [move.number for move in found.mistakes] == [1] and found.moves[1].kind == "blunder"
    assert {game.name(action) for action in found.moves[1].good} == {"a1", "a3", "c1", "c3"}
    assert [found.moves[1].value, found.moves[1].after, found.moves[1].cost] == [0.0, -1.0, 0.5]
    assert found.values == [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]


def actions_of(game: Any, moves: str) -> list[int]:
    names = {game.name(action): action for action in range(game.actions())}
    return [names[name] for name in moves.split()]


@lru_cache(None)
def plain(mine: int, theirs: int) -> int:
    """4x4x4 for the player to move, by minimax over bits."""
    rows = [sum(1 << 4 * r + c for c in range(4)) for r in range(4)]
    columns = [sum(1 << 4 * r + c for r in range(4)) for c in range(4)]
    diagonals = [sum(1 << 5 * i for i in range(4)), sum(1 << 3 * (i + 1) for i in range(4))]
    if any(theirs & line == line for line in rows + columns + diagonals):
        return -1
    free = [cell for cell in range(16) if not (mine | theirs) >> cell & 1]
    best = -1 if free else 0
    for cell in free:
        best = max(best, -plain(theirs, mine | 1 << cell))
        if best == 1:
            break
    return best


def test_of_solved_games_every_move_that_loses_value_is_marked_and_no_other() -> None:
    game, by = pg.make("mnk(4,4,4)"), agents.make("uct(sims=200)")
    losing = others = 0
    for seed in range(8):
        player, state, actions = agents.make(("random", "win-block")[seed % 2], seed), new(game), list[int]()
        while not game.over(state):
            actions.append(player.think(game, state).action)
            game.play(state, actions[-1])
        found = review(game, new(game), actions, by)
        stones = [0, 0]
        for move in found.moves:
            mine, theirs = stones[move.player], stones[1 - move.player]
            stones[move.player] |= 1 << move.action
            if move.number < 7:  # openings are drawn, and take long here
                assert not move.bad
                continue
            lost = plain(mine, theirs) + plain(theirs, mine | 1 << move.action)
            assert move.bad == (lost > 0) and move.cost == lost / 2
            losing, others = losing + (lost > 0), others + (lost == 0)
            if lost:
                assert -plain(theirs, mine | 1 << move.best) == plain(mine, theirs)  # type: ignore[operator]
    assert losing >= 5 and others >= 30


def test_a_dear_move_is_looked_at_twice_so_that_noise_marks_nothing() -> None:
    class Swings(Oracle):
        """Thinks too well of positions with an even number of stones."""

        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            bias = 0.6 if np.count_nonzero(state.cells) % 2 == 0 else 0.0
            found = [Move(action, 100, bias) for action in legal(game, state)]
            self.asked += 1
            return Thought(found[0].action, bias, 100, 0.0, found, [found[0].action])

    game, by = pg.make("tictactoe"), Swings()
    found = review(game, new(game), actions_of(game, "b2 a1"), by, seconds=None, solved=False)
    assert [move.kind for move in found.moves] == ["", ""] and by.asked > 3


def test_a_review_ends_when_it_is_told_and_says_what_it_knows() -> None:
    game, calls = pg.make(Table()), list[float]()
    asked = [0, 1, 0, 0]
    found = reviewed(game, asked, stop=lambda: len(calls) > 1, watch=lambda so_far: calls.append(so_far.done))
    assert not found.complete and 0 < calls[0] < 1 and all(one <= other for one, other in pairwise(calls))
    assert found.moves[-1].cost is not None and found.moves[0].cost is None
    late = reviewed(game, asked, since=3)
    assert late.complete and [move.number for move in late.moves if move.cost is not None] == [3]
    assert late.moves[3].cost == reviewed(game, asked).moves[3].cost


def test_a_move_for_which_no_time_was_left_is_not_judged() -> None:
    class Late(Oracle):
        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            time.sleep(0.2)
            return Thought(8, 0.0)

    game = pg.make("tictactoe")
    found = review(game, new(game), [4], Late(), seconds=0.1, solved=False)
    assert found.moves[0].cost is None and found.moves[0].best == 8 and not found.complete and found.done == 0


@pytest.mark.parametrize("stopped", [True, False])
def test_an_agent_that_forfeits_ends_a_review_and_what_was_found_is_told(stopped: bool) -> None:
    class GivesUp(Oracle):
        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            if np.count_nonzero(state.cells) < 6:
                asked.append(stopped)
                raise Forfeit("no idea")
            return super().think(game, state, limit)

    game, asked = pg.make("tictactoe"), list[bool]()
    actions = actions_of(game, "b2 a2 a1 a3 b1 b3 c2")
    found = review(game, new(game), actions, GivesUp(), seconds=None, solved=False, stop=lambda: any(asked))
    assert found.moves[-1].cost is not None and found.moves[0].cost is None and not found.complete
    told = repr(ReviewReport(found, "tictactoe", "oracle"))
    assert ("the agent forfeits: no idea" in told) == (not stopped)


def test_where_the_solver_gives_up_the_agent_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoMemory:
        def solve(self, *given: Any, **more: Any) -> Any:
            raise pg.InputError("there is no memory for its table")

    monkeypatch.setattr("plyground.game_review.solver", lambda *given: NoMemory())
    game = pg.make("tictactoe")
    found = review(game, new(game), actions_of(game, LOST), agents.make("uct(sims=50)"), seconds=None)
    assert found.complete and all(move.cost is not None and not move.exact for move in found.moves)


def test_it_is_told_who_has_judged_how_many_moves() -> None:
    found = reviewed(pg.make(Walk()), [2, 0, 2, 0])  # two of them are forced
    assert repr(ReviewReport(found, "walk", "oracle")).startswith("4 moves, 2 judged by oracle, in ")
    found.moves[0].exact = True
    told = repr(ReviewReport(found, "walk", "oracle"))
    assert told.startswith("4 moves, 1 judged by the solver, 1 judged by oracle, in ")


def test_an_agent_that_does_not_judge_marks_nothing() -> None:
    game = pg.make("tictactoe")
    found = review(game, new(game), actions_of(game, LOST), agents.make("random"), seconds=None, solved=False)
    assert all(move.cost is None and not move.bad for move in found.moves) and found.complete


def test_an_agent_whose_values_are_no_points_says_what_is_best_and_not_what_is_lost() -> None:
    class Rates(Oracle):
        in_points = False

    game = pg.make(Walk())
    found = review(game, new(game), [2, 0, 2, 0], Rates(), seconds=None)
    assert found.complete and [move.best for move in found.moves] == [0, 0, 0, 0]
    assert [move.cost for move in found.moves] == [None, 0.0, None, 0.0] and found.values[:3] == [None] * 3
    moves = "s l r0c1 o r2c1 l r0c5 t"
    by_rating, usual = (pg.review("tetris(6,6)", moves, agent, seconds=1) for agent in ("bcts", None))
    assert all(move.cost is None for move in by_rating.moves) and usual.by == "uct"
    assert any(move.cost is not None for move in usual.moves) and min(filter(None, usual.values)) > 0


def test_an_agent_with_chances_and_no_values_judges_no_move_of_one_player() -> None:
    class Policy(Agent):
        def think(self, game: Any, state: Any, limit: Limit = Limit()) -> Thought:
            return Thought(0, moves=[Move(action, 0, 0.0, prior=0.5) for action in legal(game, state)])

    game = pg.make(Walk())
    found = review(game, new(game), [2, 0, 2, 0], Policy(), seconds=None)
    assert [move.cost for move in found.moves] == [None, 0.0, None, 0.0]


def test_a_file_keeps_the_notes_and_better_lines_and_its_game_is_read_again(tmp_path: Path) -> None:
    moves = "d3 c2 b2 c4 c3 c1 a1 b4 a4 d1 a2 b3 a3"
    found = pg.review("mnk(4,4,4)", moves, seconds=30)
    assert found.mistakes == ["8. b4"] and "blunder" in repr(found) and found.moves[7].cost == BLUNDER + 0.3
    for name in ("mine.sgf", "mine.psq", "mine.json", "mine.txt"):
        found.save(tmp_path / name)
    written = (tmp_path / "mine.sgf").read_text()
    assert written.count("BM[1]") == 1 and "costs 50.0% of the points by the solver; better: d4" in written
    assert written.count("(") == written.count(")")
    again = game_files.read(tmp_path / "mine.sgf")
    assert [found.name(action) for action in again.actions] == moves.split() and again.score == 1.0
    assert ";W[da]" in written.split("BM[1]")[1] and len(sgf.main_line(written)) == 1 + len(moves.split())
    assert game_files.read(tmp_path / "mine.psq").actions == again.actions
    told = json.loads((tmp_path / "mine.json").read_text())
    assert told["mistakes"] == [7] and told["reviewed"][7]["best"] == "d4" and told["values"][8:] == [1.0] * 6
    assert pg.review(str(tmp_path / "mine.sgf"), seconds=30).mistakes == found.mistakes
    assert answer("review", str(tmp_path / "mine.psq"))["mistakes"] == [7]


def test_from_a_diagram_and_by_a_function() -> None:
    def last(game: Any, state: Any) -> int:
        return legal(game, state)[-1]

    found = pg.review("tictactoe", "c1", last, start="X.O/.X./O.. X")
    assert found.mistakes == [] and found.values == [1.0, 1.0] and found.start
    with pytest.raises(pg.InputError, match="this one was set up"):
        found.save("mine.sgf")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tictactoe"], "there is no move to review"),
        (["tictactoe", "--position", "b2 b2"], "move 2, b2, is not legal there"),
        (["nothing.sgf"], "nothing.sgf cannot be read"),
        (["tictactoe", "--position", "b2", "--out", "mine.foo"], "mine.foo: a review is kept as .json or .txt"),
        (["connect-four", "--position", "a", "--out", "mine.sgf"], "cannot be kept in a file"),
        (["tictactoe", "--start", "no diagram", "--position", "b2", "--out", "mine.sgf"], "this one was set up"),
    ],
)
def test_what_makes_no_sense_is_one_line(words: list[str], said: str) -> None:
    assert said in refusal(run("review", *words))


def test_a_review_is_printed_even_if_it_cannot_be_written(tmp_path: Path) -> None:
    ran = run("review", "tictactoe", "--position", LOST, "--out", str(tmp_path / "nowhere" / "mine.json"))
    assert ran.returncode and "2. a2" in ran.stdout and "cannot be written" in ran.stderr


def test_moves_that_cannot_be_played_are_refused() -> None:
    game = pg.make("tictactoe")
    with pytest.raises(pg.InputError, match="move 2, b2, is not legal"):
        reviewed(game, [4, 4])
    assert playable(game, new(game))
