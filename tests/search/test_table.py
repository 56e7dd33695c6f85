"""The transposition table: keys tell positions apart, mirror images share them, and no loss of entries matters."""

import random

import numpy as np
import pytest

import naive_depth_first as naive
import toys
from plyground import games, rules
from plyground.rules import kernel
from plyground.search.depth_first import hashing as position_keys
from plyground.search.depth_first import table
from plyground.search.depth_first.stack import WIN

TICTACTOE = games.make("tictactoe")
BOARD = games.make("mnk(4,3,3)")


@kernel
def keys_of(game, images, frames, players, mirrors, out, found):
    used = None if mirrors is None else images[0]
    for i in range(len(frames)):
        key, check, image = position_keys.key_of(game, used, frames[i].state, frames[i].words, players[i])
        out[i, 0], out[i, 1] = key, check
        found[i] = image


def keys(game, states, mirrors, player=None):
    """The keys of states, and the symmetries that give them; as if this player were to move in all of them."""
    images = np.zeros(1, position_keys.images_type(game))
    position_keys.prepare(game, images[0])
    frames = np.zeros(len(states), position_keys.with_words(game, [("state", rules.dtype(game)), ("end", np.uint64)]))
    frames["state"] = states
    players = np.array([game.player(state) for state in frames["state"]], np.int64)
    if player is not None:
        players[:] = player
    out, found = np.zeros((len(states), 2), np.uint64), np.zeros(len(states), np.int64)
    keys_of(game, images, frames, players, True if mirrors else None, out, found)
    return [tuple(key) for key in out.tolist()], found


def all_positions(game):
    """Every position that can come and in which a player moves."""
    known: dict = {}
    naive.solved(game, rules.new(game), known)
    states = np.frombuffer(b"".join(known), rules.dtype(game)).view(np.recarray)
    return [state for state in states if not game.over(state)]


def image(board, actions):
    moved = [0] * len(board)
    for cell, stone in enumerate(board):
        moved[actions[cell]] = int(stone)
    return tuple(moved)


def test_positions_of_tictactoe_share_a_key_just_if_they_are_mirror_images():
    states = all_positions(TICTACTOE)
    assert len(states) == 5478 - 958  # known counts: positions, and ended ones
    plain, _ = keys(TICTACTOE, states, mirrors=False)
    assert len(set(plain)) == len(states)
    assert len({key[0] for key in plain}) == len({key[1] for key in plain}) == len(states)
    shared, _ = keys(TICTACTOE, states, mirrors=True)
    maps = [actions.tolist() for actions, _ in TICTACTOE.symmetries()]
    classes = [min(image(state.cells, actions) for actions in maps) for state in states]
    assert len(set(classes)) == 765 - 138  # up to symmetry: positions, and ended ones
    assert len(set(shared)) == len(set(zip(shared, classes, strict=True))) == len(set(classes))


def test_positions_differ_by_who_is_to_move():
    """The player takes part in the key; the number of steps could otherwise undo it."""
    game = toys.load("Corridor")(1000)
    states = np.zeros(1000, rules.dtype(game))
    states["steps"] = np.arange(1000)
    plain, _ = keys(game, states, mirrors=False)
    assert len(set(plain)) == len({key[0] for key in plain}) == len({key[1] for key in plain}) == 1000


@pytest.mark.parametrize("mirrors", [False, True])
def test_the_same_cells_have_another_key_if_the_other_player_moves(mirrors):
    states = naive.positions(TICTACTOE, random.Random(5), 50)
    first, second = (keys(TICTACTOE, states, mirrors, player)[0] for player in (0, 1))
    for one, other in zip(first, second, strict=True):
        assert one[0] != other[0] and one[1] != other[1]


def test_mirror_images_share_a_key_and_name_the_same_actions_of_the_image_that_gives_it():
    states = naive.positions(BOARD, random.Random(1), 100)
    shared, images = keys(BOARD, states, mirrors=True)
    search = naive.for_game(BOARD, memory=0.01, hopes=True)
    for state, key, number in zip(states, shared, images, strict=True):
        legal = rules.legal(BOARD, state)
        ours = search.workspace.images.actions[number]
        assert [search.workspace.images.back[number, ours[action]] for action in legal] == legal
        for turn, _ in BOARD.symmetries():
            (other,), (there,) = keys(BOARD, [mirrored(BOARD, state, turn)], mirrors=True)
            assert other == key
            theirs = search.workspace.images.actions[there]
            assert {int(ours[action]) for action in legal} == {int(theirs[turn[action]]) for action in legal}


def mirrored(game, state, actions):
    """The mirror image of a position of an m,n,k-game."""
    cells = np.array(image(state.cells, actions.tolist())).reshape(game.n, game.m)
    return game.read("/".join("".join(".XO"[stone] for stone in row) for row in cells))


def test_a_hint_from_a_mirror_image_is_the_mirrored_move():
    """After a search of one position, the table answers for its images at once, with the move turned along."""
    search = naive.for_game(BOARD, memory=1, hopes=True)
    for state in naive.positions(BOARD, random.Random(2), 60, low=3):
        search.forget()
        best = search.search(state).best
        for actions, _ in BOARD.symmetries():
            turned = mirrored(BOARD, state, actions)
            again = search.search(turned)
            assert again.best.value == best.value
            children = {move.action: move.value for move in search.search(turned, every=True).moves}
            line = search.line(state, best.action, 12)
            assert children[int(actions[best.action])] == best.value
            if abs(best.value) > WIN / 2:
                assert len(line) == WIN - abs(best.value)
                assert set(line) <= set(rules.legal(BOARD, state))


# --- entries ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["mnk(4,3,3)", "connect-four(4,4,3)", "nim"])
@pytest.mark.parametrize("entries", [2, 4, 64])
def test_a_tiny_table_never_changes_a_value(spec, entries):
    game = toys.make(spec)
    full, search = naive.for_game(game, full=True), naive.for_game(game, memory=0.01, hopes=True)
    search.context = search.context._replace(table=np.zeros(entries, table.ENTRY))
    for state in naive.positions(game, random.Random(entries), 60, low=0 if spec == "nim" else 5):
        wanted = {move.action: move.value for move in full.search(state).moves}
        found = search.search(state)  # what the table holds of other positions stays
        assert found.exact and found.best.value == max(wanted.values()) == wanted[found.best.action]
        assert {move.action: move.value for move in search.search(state, every=True).moves} == wanted


def test_a_score_between_is_worth_the_same_wherever_in_the_tree_it_is_found():
    """Who takes the last has half a win; positions come after few plies or many."""
    game = toys.heap(score=lambda game, state: state.turn - 0.5)._replace(size=8)
    twin = naive.Minimax(game, naive.points(game))
    search = naive.for_game(game, memory=0.01)
    for state in naive.positions(game, random.Random(4), 50):
        wanted = {a: twin.value(rules.after(game, state, a), 99, 1) for a in rules.legal(game, state)}
        sign = 1 - 2 * int(game.player(state))
        assert {move.action: sign * move.value for move in search.search(state, every=True).moves} == wanted


@kernel
def write(entries, key, check, value, depth, best, bound, ply):
    table.store(entries, np.uint64(key), np.uint64(check), value, depth, best, bound, ply)


@kernel
def look_up(entries, key, check):
    return table.find(entries, np.uint64(key), np.uint64(check))


def test_the_deeper_search_keeps_the_first_place_and_the_latest_takes_the_second():
    entries = table.new(0.001)
    assert len(entries) == 32
    write(entries, 4, 100, 1.0, 9, 0, table.EXACT, 0)
    write(entries, 4, 101, 2.0, 3, 0, table.EXACT, 0)
    write(entries, 4, 102, 3.0, 5, 0, table.EXACT, 0)
    assert [look_up(entries, 4, check) for check in (100, 101, 102)] == [4, -1, 5]
    write(entries, 4, 103, 4.0, 9, 0, table.EXACT, 0)
    assert [look_up(entries, 4, check) for check in (100, 102, 103)] == [-1, 5, 4]
    assert look_up(entries, 4 + 32, 103) == 4 and look_up(entries, 6, 103) == -1


def test_a_proven_value_counts_its_plies_from_its_position():
    entries = table.new(0)
    assert len(entries) == 2
    for value, kept in ((WIN - 7, WIN - 4), (7 - WIN, 4 - WIN), (12.0, 12.0), (0.5 * WIN,) * 2):
        write(entries, 0, 1, float(value), 1, 0, table.EXACT, 3)
        assert entries[0]["value"] == kept
