"""Go: random games beside OpenSpiel's rules and beside a slow twin that remembers every board; ko, suicide, area."""

from __future__ import annotations

import random
from typing import Any

import pyspiel
import pytest

from plyground import games, position, rules
from plyground.check import check
from plyground.rules import legal
from plyground.trust.oracles import beside

Board = tuple[int, ...]


class Naive:
    """The rules by their definitions, with a set of all boards."""

    def __init__(self, size: int) -> None:
        self.size, self.board, self.turn, self.seen = size, (0,) * size**2, 0, {(0,) * size**2}

    def near(self, cell: int) -> list[int]:
        row, col = divmod(cell, self.size)
        around = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
        return [r * self.size + c for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def region(self, board: Board, cell: int) -> tuple[set[int], set[int]]:
        """The cells that hang together with this one, and what lies beside them."""
        found, waiting, beside = {cell}, [cell], set()
        while waiting:
            for near in self.near(waiting.pop()):
                if board[near] != board[cell]:
                    beside.add(board[near])
                elif near not in found:
                    found.add(near)
                    waiting.append(near)
        return found, beside

    def after(self, cell: int) -> Board | None:
        """The board after a move; None if that is suicide."""
        board = list(self.board)
        board[cell] = self.turn + 1
        for near in self.near(cell):
            if board[near] == 2 - self.turn:
                group, beside = self.region(tuple(board), near)
                if 0 not in beside:
                    for one in group:
                        board[one] = 0
        return tuple(board) if 0 in self.region(tuple(board), cell)[1] else None

    def legal(self) -> list[int]:
        empty = [cell for cell, stone in enumerate(self.board) if stone == 0]
        boards = {cell: self.after(cell) for cell in empty}
        return [cell for cell in empty if boards[cell] and boards[cell] not in self.seen] + [self.size**2]

    def play(self, action: int) -> None:
        if action < self.size**2:
            self.board = self.after(action) or ()
            self.seen.add(self.board)
        self.turn = 1 - self.turn

    def margin(self) -> int:
        total = 0
        for cell, stone in enumerate(self.board):
            owner = {stone} if stone else self.region(self.board, cell)[1]
            total += {(1,): 1, (2,): -1}.get(tuple(owner), 0)
        return total


@pytest.mark.parametrize("size, count", [(2, 40), (3, 40), (4, 8)])
def test_random_games_are_those_of_a_twin_that_remembers_every_board(size: int, count: int) -> None:
    game, rng = games.make(f"go({size}, komi=0.5)"), random.Random(size)
    forbidden = 0
    for _ in range(count):
        state, naive = rules.new(game), Naive(size)
        while not game.over(state):
            actions = legal(game, state)
            assert sorted(actions) == naive.legal() and game.player(state) == naive.turn and game.score(state) == 0
            empty = [cell for cell in range(size**2) if naive.board[cell] == 0]
            forbidden += sum(naive.after(cell) in naive.seen for cell in empty)
            action = rng.choice(actions[:-1] or actions)  # the last one passes
            game.play(state, action)
            naive.play(action)
            assert tuple(game.cells(state)) == naive.board
        assert game.margin(state) == naive.margin() - 0.5
        assert game.score(state) == (1 if naive.margin() > 0.5 else -1)
    assert forbidden >= 2


@pytest.mark.parametrize("size, count", [(5, 8), (9, 1)])
def test_random_games_are_those_of_openspiel(size: int, count: int) -> None:
    game, rng = games.make(f"go({size})"), random.Random(size)
    for _ in range(count):
        state = rules.new(game)
        theirs = beside(game, pyspiel.load_game(f"go(board_size={size})").new_initial_state())
        while not game.over(state):
            assert game.player(state) == theirs.current_player()
            actions = legal(game, state)
            assert sorted(actions) == sorted(theirs.legal_actions())
            action = rng.choice(actions)
            theirs.apply_action(action)
            game.play(state, action)
        assert theirs.theirs.is_terminal() and game.score(state) == theirs.player_return(0)


def test_on_two_by_two_points_there_are_57_positions() -> None:
    """As Tromp and Farnebäck have counted; on 3 x 3 there are 12,675."""
    game = games.make("go(2)")
    found, waiting = set(), [rules.new(game)]
    while waiting:
        state = waiting.pop()
        if (key := (tuple(game.cells(state)), int(state.turn))) in found:
            continue
        found.add(key)
        for action in legal(game, state):
            then = state.copy()
            then.moves = then.passes = 0  # whatever came before
            then.past = then.filter = then.lost = 0
            game.play(then, action)
            waiting.append(then)
    assert len({cells for cells, _ in found}) == 57


def names(game: Any, state: Any) -> set[str]:
    return {game.name(action) for action in legal(game, state)}


def test_a_ko_may_be_taken_back_only_after_another_move() -> None:
    game = games.make("go(5)")
    moves = "c4 b4 d3 a3 c2 b2 e5 c3 b3"  # white's stone on c3 is taken by b3
    state = position.read(game, moves)
    assert game.cells(state)[12] == 0 and "c3" not in names(game, state)
    later = position.read(game, f"{moves} e1 a1")
    assert "c3" in names(game, later)


def test_nobody_may_take_his_own_stones_but_where_they_take_others() -> None:
    game = games.make("go(5)")
    state = position.read(game, "a4 pass b5 pass e1")
    assert "a5" not in names(game, state)  # white would have no liberty
    state = position.read(game, "a4 a3 b5 b4 e1 c5")
    assert "a5" in names(game, position.read(game, "a4 a3 b5 b4 e1 c5 e2"))
    taken = position.read(game, "a4 a3 b5 b4 e1 c5 e2 a5")
    assert game.cells(taken)[0] == 2 and game.cells(taken)[1] == game.cells(taken)[5] == 0 and game.cells(state)[1] == 1


def test_area_is_stones_and_what_only_they_touch() -> None:
    game = games.make("go(3, komi=0)")
    state = position.read(game, "b3 c3 b2 c2 b1 pass pass")
    assert game.over(state) and game.margin(state) == 6 - 2 and game.score(state) == 1  # c1 touches both
    even = position.read(games.make("go(3, komi=4)"), "b3 c3 b2 c2 b1 pass pass")
    assert games.make("go(3, komi=4)").score(even) == 0
    assert games.make("go(3, komi=4.5)").score(position.read(games.make("go(3, komi=4.5)"), "pass pass")) == -1


def test_columns_have_no_i_and_a_game_keeps_the_laws() -> None:
    game = games.make("go(9)")
    assert [game.name(action) for action in (0, 7, 8, 80, 81)] == ["a9", "h9", "j9", "j1", "pass"]
    assert game.text(rules.new(game)).splitlines()[-1].split() == list("abcdefghj")
    laws = dict(check(games.make("go(3)"), games=3, compiled=False))
    assert set(laws.values()) == {""} and "symmetries leave the rules unchanged" in laws
